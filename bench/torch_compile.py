# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile with the backend tosajit, with Inductor, and eager PyTorch, in one process, in turns, on one thread.

    PYTHONPATH=build/tools/python python3 bench/torch_compile.py                   # tables
    PYTHONPATH=build/tools/python python3 bench/torch_compile.py --page            # into docs/torch.md
    PYTHONPATH=build/tools/python python3 bench/torch_compile.py --quick           # without Inductor, few turns
    PYTHONPATH=build/tools/python python3 bench/torch_compile.py --only GPT        # modules with this in their names

Results are compared before anything is timed. Sizes are dynamic for both compilers. First calls include all of torch.compile, so
that of the backend aot_eager, which compiles nothing, stands beside them. What torch.compile itself costs at each call is in the
column of its backend eager. A new size is what its first call takes longer than the best of three more. Steady state: medians of
turns in random order, of 5 ms each, fewer for long calls. Inductor needs a C++ compiler; its caches are off."""
import math
import os
import platform
import random
import shutil
import statistics
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
import torch.nn as nn

import tosajit
import tosajit.torch
from torch_modules import LSTM, BlackScholes, Decoder, GPTBlock, mobile, of_torchvision, sentence_bert

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "torch.md")
QUICK = "--quick" in sys.argv
ONLY = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
TURNS = 7 if QUICK else 41
LONGEST = 1 if QUICK else 6  # seconds for the turns of a column
BACKENDS = ["aot_eager", "tosajit"] + ([] if QUICK or not shutil.which("g++") else ["inductor"])
torch.set_num_threads(1)
if not QUICK:
    torch._inductor.config.force_disable_caches = True
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def images(n, size=96):
    return torch.randn(n, 3, size, size)


def large():
    """Whole models: name, module, input. They are not trained here, which would take the longest."""
    bert, real = sentence_bert()
    named = [("MobileNetV3 small", of_torchvision("mobilenet_v3_small")), ("EfficientNet-B0", of_torchvision("efficientnet_b0")),
             ("ConvNeXt tiny", of_torchvision("convnext_tiny"))]
    found = [(name, module, images) for name, module in named if module is not None]
    return found + [("all-MiniLM-L6-v2" if real else "BERT as all-MiniLM-L6-v2", bert, lambda n: torch.randint(0, 30000, (n, 64)))]


def modules():
    torch.manual_seed(0)
    return [
        ("MLP, GELU, layer norm", nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.LayerNorm(1024), nn.Linear(1024, 256)),
         lambda n: torch.randn(32 * n, 256)),
        ("transformer encoder", nn.TransformerEncoderLayer(256, 8, 1024, dropout=0, activation="gelu", batch_first=True),
         lambda n: torch.randn(n, 128, 256)),
        ("transformer decoder", Decoder(256, 8, 1024), lambda n: torch.randn(n, 128, 256)),
        ("GPT block", GPTBlock(256, 8), lambda n: torch.randn(n, 128, 256)),
        ("MobileNet block", mobile(24, 72), lambda n: torch.randn(n, 24, 28, 28)),
        ("MobileNet block, channels last", mobile(24, 72).to(memory_format=torch.channels_last),
         lambda n: torch.randn(n, 24, 28, 28).to(memory_format=torch.channels_last)),
        ("U-Net block", nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.GroupNorm(8, 32), nn.SiLU(), nn.Conv2d(32, 32, 3, padding=1)),
         lambda n: torch.randn(n, 32, 32, 32)),
        ("LSTM, 3 steps", LSTM(128), lambda n: torch.randn(16 * n, 128)),
        ("Black-Scholes", BlackScholes(), lambda n: torch.randn(20000 * n, 5)),
    ]


def timed(call):
    begin = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - begin)


def steady(calls):
    """Median milliseconds of each."""
    loops = {}
    for name, call in calls.items():
        call()
        loops[name] = max(1, int(5 / max(min(timed(call) for _ in range(3)), 1e-4)))
    times = {name: [] for name in calls}
    turn = sum(loops[name] * timed(call) for name, call in calls.items()) / 1e3
    for _ in range(max(5, min(TURNS, int(LONGEST / turn)))):
        for name in random.sample(list(calls), len(calls)):
            begin = time.perf_counter()
            for _ in range(loops[name]):
                calls[name]()
            times[name].append(1e3 * (time.perf_counter() - begin) / loops[name])
    return {name: statistics.median(values) for name, values in times.items()}


def first_calls(module, make):
    """Milliseconds of the first call and of the first one of another size, and the compiled modules."""
    times, compiled = {}, {}
    for backend in BACKENDS:
        torch._dynamo.reset()
        compiled[backend] = torch.compile(module, backend=backend, dynamic=True)
        x, other = make(8), make(5)
        first, new = timed(lambda: compiled[backend](x)), timed(lambda: compiled[backend](other))
        times[backend] = first, max(0, new - min(timed(lambda: compiled[backend](other)) for _ in range(3)))
    return times, compiled


def train(run, own, x):
    own.zero_grad()
    y = run(x)
    (y[0] if isinstance(y, tuple) else y).square().mean().backward()


def mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value):
    return f"{value:.3g}" if 0.1 <= value < 100 else f"{value:.2f}" if value < 1 else f"{value:.0f}"


def measured():
    firsts, steadies, ratios = [], [], {}
    others = ["dynamo"] + BACKENDS[1:]
    trained = modules()
    for name, module, make in [entry for entry in trained + large() if ONLY in entry[0]]:
        module.eval()
        with torch.no_grad():
            times, compiled = first_calls(module, make)
            compiled["dynamo"] = torch.compile(module, backend="eager", dynamic=True)
            firsts.append([name] + [number(times[b][k]) for k in (0, 1) for b in BACKENDS])
            row = [name]
            for n in (1, 8):
                x = make(n)
                expected = module(x)
                for backend in others:
                    torch.testing.assert_close(compiled[backend](x), expected, rtol=1e-3, atol=1e-4)
                calls = {"eager": lambda: module(x)}
                calls.update({b: lambda b=b: compiled[b](x) for b in others})
                found = steady(calls)
                row.append(number(found["eager"]))
                for b in others:
                    ratios.setdefault((n, b), []).append(found[b] / found["eager"])
                    row.append(f"{found[b] / found['eager']:.2f}")
        if list(module.parameters()) and any(module is entry[1] for entry in trained):
            torch._dynamo.reset()
            module.train()
            x = make(8)
            runs = {"eager": module, **{b: torch.compile(module, backend="eager" if b == "dynamo" else b) for b in others}}
            found = steady({b: lambda b=b: train(runs[b], module, x) for b in runs})
            row.append(number(found["eager"]))
            for b in others:
                ratios.setdefault(("t", b), []).append(found[b] / found["eager"])
                row.append(f"{found[b] / found['eager']:.2f}")
        else:
            row += ["-"] * (1 + len(others))
        steadies.append(row)
        print(name, row[1:], file=sys.stderr, flush=True)
    last = ["**geometric mean**"]
    for n in (1, 8, "t"):
        last += [""] + [f"**{mean(ratios[n, b]):.2f}**" if (n, b) in ratios else "-" for b in others]
    steadies.append(last)
    heads = ["ms"] + [f"{when}: {b}" for when in ("first call", "new size") for b in BACKENDS]
    other_heads = ["eager: ms; others: times as long"]
    for when in ("1", "8", "8, training"):
        other_heads += [f"{when}: eager"] + others
    return table(heads, firsts) + "\n" + table(other_heads, steadies)


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), platform.machine())


def main():
    load = os.getloadavg()[0]
    text = measured()
    said = (f"Measured on one processor of {processor()}, Python {platform.python_version()}, torch {torch.__version__}, load average of"
            f" the machine {load:.1f} before and {os.getloadavg()[0]:.1f} after.\n\n")
    if "--page" not in sys.argv:
        print(said + text)
        return
    with open(PAGE) as file:
        page = file.read()
    begin, end = "<!-- Written by bench/torch_compile.py --page -->\n", "<!-- End -->"
    head, tail = page.index(begin) + len(begin), page.index(end)
    with open(PAGE, "w") as file:
        file.write(page[:head] + "\n" + said + text + "\n" + page[tail:])


main()

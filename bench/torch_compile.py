# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile with the backend tosajit, with Inductor, and eager PyTorch, in one process, in
turns, on one thread.

    PYTHONPATH=build/tools/python python3 bench/torch_compile.py                   # tables
    PYTHONPATH=build/tools/python python3 bench/torch_compile.py --page            # into docs/torch.md
    PYTHONPATH=build/tools/python python3 bench/torch_compile.py --quick           # without Inductor, few turns
    PYTHONPATH=build/tools/python python3 bench/torch_compile.py --only GPT        # modules with this in their names

Results are compared before anything is timed. The batch's size is dynamic for all. First calls
include all of torch.compile, so that of the backend aot_eager, which compiles nothing, stands
beside them, and tosajit's own part of its. At each call torch.compile has costs of its own, too:
aot_eager's are those of all backends, and `alone` is tosajit's function without them. A new size is
what its first call takes longer than the best of three more. Steady state: medians of turns in
random order, of 5 ms each, fewer for long calls. Inductor needs a C++ compiler; its caches are
off."""
import contextlib
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
from tosajit.torch import _program
from torch_modules import (GIN, LSTM, BlackScholes, Decoder, EmbeddedNorm, GPTBlock, PaiNN,
                           SegFormer, graph, mobile, of_torchvision, sentence_bert)

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "torch.md")
QUICK = "--quick" in sys.argv
ONLY = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
TURNS = 7 if QUICK else 31
LONGEST = 1 if QUICK else 3  # seconds for the turns of a column
BACKENDS = ["aot_eager", "tosajit"] + ([] if QUICK or not shutil.which("g++") else ["inductor"])
torch.set_num_threads(1)
if not QUICK:
    torch._inductor.config.force_disable_caches = True
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def images(n, size=96):
    return torch.randn(n, 3, size, size)


def large():
    """Whole models: name, module, input. They are not trained here, which would take the
    longest."""
    bert, real = sentence_bert()
    named = [("MobileNetV3 small", of_torchvision("mobilenet_v3_small")),
             ("EfficientNet-B0", of_torchvision("efficientnet_b0")),
             ("ConvNeXt tiny", of_torchvision("convnext_tiny"))]
    found = [(name, module, images) for name, module in named if module is not None]
    return found + [("all-MiniLM-L6-v2" if real else "BERT as all-MiniLM-L6-v2",
                     bert, lambda n: torch.randint(0, 30000, (n, 64)))]


def modules():
    torch.manual_seed(0)
    return [
        ("MLP, GELU, layer norm", nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.LayerNorm(1024),
                                                nn.Linear(1024, 256)),
         lambda n: torch.randn(32 * n, 256)),
        ("transformer encoder", nn.TransformerEncoderLayer(256, 8, 1024, dropout=0,
                                                           activation="gelu", batch_first=True),
         lambda n: torch.randn(n, 128, 256)),
        ("transformer decoder", Decoder(256, 8, 1024), lambda n: torch.randn(n, 128, 256)),
        ("GPT block", GPTBlock(256, 8), lambda n: torch.randn(n, 128, 256)),
        ("MobileNet block", mobile(24, 72), lambda n: torch.randn(n, 24, 28, 28)),
        ("MobileNet block, channels last", mobile(24, 72).to(memory_format=torch.channels_last),
         lambda n: torch.randn(n, 24, 28, 28).to(memory_format=torch.channels_last)),
        ("U-Net block", nn.Sequential(nn.Conv2d(32, 32, 3, padding=1), nn.GroupNorm(8, 32),
                                      nn.SiLU(), nn.Conv2d(32, 32, 3, padding=1)),
         lambda n: torch.randn(n, 32, 32, 32)),
        ("LSTM, 3 steps", LSTM(128), lambda n: torch.randn(16 * n, 128)),
        ("Black-Scholes", BlackScholes(), lambda n: torch.randn(20000 * n, 5)),
        ("embedding, layer norm", EmbeddedNorm(), lambda n: torch.randint(0, 30522, (n, 64))),
        ("GIN layer", GIN(), lambda n: graph(250 * n, 2000 * n, 64)),
        ("PaiNN layer", PaiNN(), lambda n: (torch.randn(75 * n, 64), *graph(75 * n, 1000 * n, 3))),
        ("SegFormer, one block a stage", SegFormer(), lambda n: images(n, 128)),
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


@contextlib.contextmanager
def watched():
    """The functions that tosajit makes meanwhile, and how many milliseconds each took."""
    made, build = [], _program.build

    def note(*arguments):
        spent = timed(lambda: made.append([build(*arguments)]))
        made[-1].append(spent)
        return made[-1][0]

    _program.build = note
    try:
        yield made
    finally:
        _program.build = build


def alone(made, run):
    """What tosajit has made and a run calls, as a function without the checks around it."""
    seen = []

    def look(frame, event, argument):
        seen.extend((call, list(frame.f_locals["args"]))
                    for call in made if event == "call" and frame.f_code is call.__code__)

    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(None)
    (call, given), = seen
    return lambda: call(list(given))


def inputs(make, n):
    """A module's arguments."""
    x = make(n)
    return x if isinstance(x, tuple) else (x,)


def sized(make, n):
    """Inputs whose first sizes may be other ones later."""
    given = inputs(make, n)
    for x in given:
        torch._dynamo.mark_dynamic(x, 0)
    return given


def first_calls(module, make):
    """Milliseconds of the first call and of the first one of another size, the compiled modules,
    and what tosajit has made."""
    times, compiled = {}, {}
    with watched() as made:
        for backend in BACKENDS:
            torch._dynamo.reset()
            compiled[backend] = torch.compile(module, backend=backend)
            x, other = sized(make, 8), sized(make, 5)
            first, new = (timed(lambda: compiled[backend](*x)),
                          timed(lambda: compiled[backend](*other)))
            times[backend] = first, max(0, new - min(timed(lambda: compiled[backend](*other))
                                                     for _ in range(3)))
        times["alone"] = sum(spent for _, spent in made), None
    tosajit.torch._engine(1, "reproducible").wait()
    return times, compiled, [call for call, _ in made]


def train(run, own, x):
    own.zero_grad()
    y = run(*x)
    (y[0] if isinstance(y, tuple) else y).square().mean().backward()


def mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value):
    return f"{value:.3g}" if 0.1 <= value < 100 else f"{value:.2f}" if value < 1 else f"{value:.0f}"


def compared(found, others, ratios, key):
    """Cells of a row: eager's milliseconds, and how many times as long the others take."""
    row = [number(found["eager"])]
    for other in others:
        if other in found:
            ratios.setdefault((key, other), []).append(found[other] / found["eager"])
        row.append(f"{found[other] / found['eager']:.2f}" if other in found else "-")
    return row


def inference(module, make, others, ratios):
    module.eval()
    with torch.no_grad():
        times, compiled, made = first_calls(module, make)
        first, row = [number(times["alone"][0])] + [number(times[b][k]) for k in (0, 1)
                                                    for b in BACKENDS], []
        for n in (1, 8):
            x = inputs(make, n)
            expected = module(*x)
            calls = {"eager": lambda: module(*x), **{b: lambda b=b: compiled[b](*x)
                                                     for b in BACKENDS}}
            with watched() as more:
                for backend in BACKENDS:
                    torch.testing.assert_close(calls[backend](), expected, rtol=1e-3, atol=1e-4)
            made += [call for call, _ in more]
            tosajit.torch._engine(1, "reproducible").wait()
            calls["alone"] = alone(made, calls["tosajit"])
            row += compared(steady(calls), others, ratios, n)
    return first, row


def training(module, make, others, ratios):
    torch._dynamo.reset()
    module.train()
    x = inputs(make, 8)
    runs = {"eager": module, **{b: torch.compile(module, backend=b) for b in BACKENDS}}
    for run in runs.values():
        train(run, module, x)
    tosajit.torch._engine(1, "reproducible").wait()
    return compared(steady({b: lambda b=b: train(runs[b], module, x) for b in runs}), others,
                    ratios, "t")


def measured():
    firsts, steadies, ratios = [], [], {}
    others = ["aot_eager", "alone", "tosajit"] + BACKENDS[2:]
    in_training = [other for other in others if other != "alone"]
    trained = modules()
    for name, module, make in [entry for entry in trained + large() if ONLY in entry[0]]:
        first, row = inference(module, make, others, ratios)
        firsts.append([name] + first)
        if list(module.parameters()) and any(module is entry[1] for entry in trained):
            row += training(module, make, in_training, ratios)
        else:
            row += ["-"] * (1 + len(in_training))
        steadies.append([name] + row)
        print(name, first, row, file=sys.stderr, flush=True)
    last = ["**geometric mean**"]
    for key, columns in ((1, others), (8, others), ("t", in_training)):
        last += [""] + [f"**{mean(ratios[key, b]):.2f}**" if (key, b) in ratios else "-"
                        for b in columns]
    steadies.append(last)
    heads = ["ms", "tosajit's own part"] + [f"{when}: {b}" for when in ("first call", "new size")
                                            for b in BACKENDS]
    other_heads = ["eager: ms; others: times as long"]
    for when, columns in (("1", others), ("8", others), ("8, training", in_training)):
        other_heads += [f"{when}: eager"] + columns
    return table(heads, firsts) + "\n" + table(other_heads, steadies)


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.partition(":")[2].strip()
                     for line in file if line.startswith("model name")), platform.machine())


def main():
    load = os.getloadavg()[0]
    text = measured()
    said = (f"Measured on one processor of {processor()}, Python {platform.python_version()}, "
            f"torch {torch.__version__}, load average of"
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


if __name__ == "__main__":
    main()

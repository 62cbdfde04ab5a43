# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every ufunc of NumPy that takes floats, of f32, f64 and f16, beside NumPy, PyTorch, jax, MKL's
VML and Highway, as far as they are installed (bench/math_peers.py says how); one thread each, in
turns of random order, the least of each. 64K elements, `out=` where a library has it.

    PYTHONPATH=build/tools/python python3 bench/ufuncs.py [SECONDS [WORD]]    # WORD keeps ufuncs whose name has it
    PYTHONPATH=build/tools/python python3 bench/ufuncs.py --page              # into docs/benchmarks.md
    TOSAJIT_CPU=x86-64-v3 PYTHONPATH=build/tools/python python3 bench/ufuncs.py --page  # its part of AVX2

Results are compared with NumPy's of f64 first. A peer that has no such function has no figure."""
import os
import sys
import time

import narrow

import numpy as np

from python import imported, machine, mean, tosajit, usual_times
import math_peers

torch, jax = imported("torch"), imported("jax")
COUNT = 1 << 16
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "benchmarks.md")
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
# Operands of which results are numbers; of others they are between -4 and 4.
RANGES = {"arccosh": (1, 20), "arcsin": (-1, 1), "arccos": (-1, 1), "arctanh": (-0.99, 0.99),
          "log": (0.01, 20), "log2": (0.01, 20), "log10": (0.01, 20), "log1p": (-0.9, 20),
          "sqrt": (0, 20), "power": (0.1, 4), "reciprocal": (0.1, 4), "divide": (0.5, 4),
          "floor_divide": (0.5, 4), "remainder": (0.5, 4), "fmod": (0.5, 4)}
IN_TORCH = {"absolute": "abs", "fabs": "abs", "arctan2": "arctan2", "power": "pow",
            "conjugate": "conj", "degrees": "rad2deg", "radians": "deg2rad", "rint": "round",
            "equal": "eq", "not_equal": "ne", "greater": "gt", "greater_equal": "ge",
            "positive": "", "conjugate": "",  # which compute nothing
            "less": "lt", "less_equal": "le", "copysign": "copysign", "invert": "bitwise_not"}
ULP = {"f32": 8 * 2.0**-23, "f64": 16 * 2.0**-52, "f16": 8 * 2.0**-10}


def names():
    """Ufuncs of one result that floats may have; frexp, modf and divmod have two."""
    return [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)
            and getattr(np, name).__name__ == name and getattr(np, name).nout == 1
            and not getattr(np, name).signature
            and any(kinds.startswith("f" * getattr(np, name).nin + "->")
                    for kinds in getattr(np, name).types)]


def operands(name, dtype):
    generator, ufunc = np.random.default_rng(7), getattr(np, name)
    low, high = RANGES.get(name, (-4, 4))
    return [generator.uniform(low, high, COUNT).astype(dtype) for _ in range(ufunc.nin)]


def own_call(name, arrays, out):
    """As users call it. The first calls are answered while another thread compiles."""
    letters = "xy"[:len(arrays)]
    text, given = f"{name}({', '.join(letters)})", dict(zip(letters, arrays))
    begin, last = time.perf_counter(), 0
    while begin + (2 if last > 1e-4 else 0.2) > time.perf_counter():
        time.sleep(0.01)
        start = time.perf_counter()
        tosajit.evaluate(text, given, out=out)
        last = time.perf_counter() - start
    return lambda: tosajit.evaluate(text, given, out=out)


def torch_call(name, arrays):
    function = getattr(torch, IN_TORCH.get(name, name) or "absent", None)
    if not function:
        return None
    tensors = [torch.from_numpy(array) for array in arrays]
    out = torch.empty_like(function(*tensors))
    try:
        function(*tensors, out=out)
    except TypeError:
        return lambda: function(*tensors).numpy()
    return lambda: function(*tensors, out=out).numpy()


def jax_call(name, arrays):
    function = getattr(jax.numpy, name, None)
    if not function:
        return None
    owned, jitted = [jax.numpy.asarray(array) for array in arrays], jax.jit(function)
    return lambda: np.asarray(jitted(*owned).block_until_ready())


def contenders(name, kind):
    """Calls by name, of which the results are near to NumPy's of f64."""
    arrays, ufunc = operands(name, TYPES[kind]), getattr(np, name)
    out = np.empty_like(ufunc(*arrays))
    calls = {"NumPy": lambda: ufunc(*arrays, out=out)}
    ways = {"tosajit": lambda: own_call(name, arrays, out),
            "PyTorch": lambda: torch_call(name, arrays) if torch else None,
            "jax": lambda: jax_call(name, arrays) if jax else None}
    for who, way in ways.items():
        try:
            call = way()
            if call:
                call()
                calls[who] = call
        except (RuntimeError, TypeError, NotImplementedError) as error:
            print(f"no {name} of {kind} in {who}: {str(error).splitlines()[0]}", file=sys.stderr)
    calls |= math_peers.of(name, arrays, out)
    expected = ufunc(*(array.astype(np.float64) for array in arrays)).astype(np.float64)
    return {who: call for who, call in calls.items() if is_near(call, expected, kind, who, name)}


def is_near(call, expected, kind, who, name):
    """spacing and nextafter are of the type, so that NumPy's alone is what to expect."""
    if name in ("spacing", "nextafter"):
        return True
    found = np.asarray(call()).astype(np.float64)
    near = np.abs(found - expected) <= ULP[kind] * np.maximum(np.abs(expected), 1)
    if near.mean() > 0.999:
        return True
    if who == "tosajit":
        raise AssertionError(f"{name} of {kind}: {np.abs(found - expected).max()}")
    print(f"wrong and left out: {name} of {kind} in {who}", file=sys.stderr)
    return False


def measure(seconds, word):
    jax and jax.config.update("jax_enable_x64", True)
    np.seterr(all="ignore")
    return {kind: {name: usual_times(contenders(name, kind), seconds)
                   for name in names() if word in name}
            for kind in TYPES}


def summary(found):
    """By type: the geometric means of peers' times by ours, and how often nobody is quicker."""
    who = ("NumPy", "PyTorch", "jax", "MKL", "Highway")
    lines = ["| times as long as tosajit | " + " | ".join(who)
             + " | the best of them | quickest or within 3 % |", "|---|" + "--:|" * (len(who) + 2)]
    for kind, rows in found.items():
        rows = [times for times in rows.values() if "tosajit" in times]
        over = lambda name: [t[name] / t["tosajit"] for t in rows if name in t]
        best = [min(v for k, v in t.items() if k != "tosajit") / t["tosajit"] for t in rows]
        cells = [f"{mean(over(name)):.2f} ({len(over(name))})" if over(name) else "-"
                 for name in who]
        quick = sum(ratio >= 1 / 1.03 for ratio in best)
        lines.append(f"| {kind} | {' | '.join(cells)} | {mean(best):.2f} | {quick} of {len(rows)} |")
    return "\n".join(lines)


def losses(found):
    """Where a peer takes less than 0.97 of our time."""
    lines = ["| type | peers |", "|---|---|"]
    for kind, rows in found.items():
        slower = []
        for name, times in rows.items():
            best = min((who for who in times if who != "tosajit"), key=times.get)
            ratio = times[best] / times.get("tosajit", np.inf)
            if ratio < 0.97:
                slower.append((ratio, f"{name} {ratio:.2f} ({best})"))
        lines.append(f"| {kind} | {', '.join(text for _, text in sorted(slower)) or 'none'} |")
    return "\n".join(lines)


def text_of(found, load):
    return (f"{machine()}, {math_peers.words()}. The load was {load:.0f} before and "
            f"{os.getloadavg()[0]:.0f} after, on {os.cpu_count()} processors, so times are "
            f"minima.\n\n{summary(found)}\n\nWhere a peer takes less than 0.97 of the time:\n\n"
            f"{losses(found)}\n")


def main():
    words = [word for word in sys.argv[1:] if word != "--page"]
    load = os.getloadavg()[0]
    found = measure(float(words[0]) if words else 0.3, words[1] if len(words) > 1 else "")
    text = text_of(found, load)
    if "--page" not in sys.argv:
        print(text)
        for kind, rows in found.items():
            for name, times in rows.items():
                print(kind, name, " ".join(f"{who} {t * 1e6:.1f}" for who, t in times.items()))
        return
    level = os.environ.get("TOSAJIT_CPU", "native")
    begin, end = f"<!-- Written by bench/ufuncs.py --page, {level} -->\n", "<!-- End of ufuncs -->\n"
    with open(PAGE) as file:
        before, rest = file.read().split(begin)
    with open(PAGE, "w") as file:
        file.write(f"{before}{begin}{text}{end}{rest.split(end, 1)[1]}")


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of tosajit, numexpr and NumPy in one process, in turns, on one thread each.

    PYTHONPATH=build/tools/python python3 bench/python.py
    PYTHONPATH=build/tools/python python3 bench/python.py --table    # what bench/report.sh takes

Medians. The results are compared before anything is timed. Needs python3-numpy; without
python3-numexpr its columns are empty."""
import statistics
import sys
import time

import numpy as np

import tosajit

try:
    import numexpr
    numexpr.set_num_threads(1)
except ImportError:
    numexpr = None


def median_times(contenders, seconds):
    """In turns, so that what disturbs the machine disturbs all alike."""
    loops, times = {}, {name: [] for name in contenders}
    for name, call in contenders.items():
        call()
        begin = time.perf_counter()
        call()
        loops[name] = max(1, int(2e-3 / max(time.perf_counter() - begin, 1e-7)))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[next(iter(times))]) < 5:
        for name, call in contenders.items():
            begin = time.perf_counter()
            for _ in range(loops[name]):
                call()
            times[name].append((time.perf_counter() - begin) / loops[name])
    return {name: statistics.median(values) for name, values in times.items()}


def chain(x, b):
    return x * (1 / (1 + np.exp(-(x + b))))


FAST = tosajit.Engine(accuracy="fast")
EXACT = tosajit.compile("y = x * sigmoid(x + b) : f32[?,?], f32[?,?]")
FAST_KERNEL = FAST.compile("y = x * sigmoid(x + b) : f32[?,?], f32[?,?]")


def contenders_of(rows):
    x = np.random.default_rng(1).standard_normal((rows, 64), np.float32)
    b = np.random.default_rng(2).standard_normal((1, 64), np.float32)
    out = np.empty_like(x)
    expected = chain(x.astype(np.float64), b.astype(np.float64))
    text, other = "x * sigmoid(x + b)", "x * (1 / (1 + exp(-(x + b))))"
    calls = {
        "exact": lambda: EXACT(x, b),
        "exact, out=": lambda: EXACT(x, b, out=out),
        "fast": lambda: FAST_KERNEL(x, b),
        "evaluate": lambda: tosajit.evaluate(text, x=x, b=b),
        "NumPy": lambda: chain(x, b),
    }
    if numexpr:
        one = np.float32(1)
        names = {"x": x, "b": b, "one": one}
        other = "x * (one / (one + exp(-(x + b))))"
        calls["numexpr"] = lambda: numexpr.evaluate(other, names)
    for name, call in calls.items():
        np.testing.assert_allclose(call(), expected, rtol=1e-5, atol=1e-6, err_msg=name)
    return calls


def say(seconds):
    for unit, factor in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def ten_ops(x, y, where, absolute, two, half):
    """The same by NumPy."""
    s = x + y
    q = s * (x - y) + x
    m = where(q < y, y, q)
    return (absolute(where(m > two, two, m)) * y - s) * half


def table(seconds):
    """Ten cheap operations on 64K elements, each contender on the same arrays and into the same one."""
    generator = np.random.default_rng(3)
    x, y = (generator.standard_normal(1 << 16, np.float32) for _ in range(2))
    out = np.empty_like(x)
    two, half = np.float32(2), np.float32(0.5)
    text = ("y = (abs(minimum(maximum((a + b) * (a - b) + a, b), 2.0)) * b - (a + b)) * 0.5"
            " : a f32[?], b f32[?]")
    native = tosajit.Engine(backend="native").compile(text)
    precompiled = tosajit.Engine(backend="precompiled").compile(text)
    calls = {"native": lambda: native(x, y, out=out),
             "precompiled": lambda: precompiled(x, y, out=out),
             "NumPy": lambda: ten_ops(x, y, np.where, np.abs, two, half)}
    if numexpr:
        # numexpr knows no names for parts, and finds a + b twice by itself.
        q = "((a + b) * (a - b) + a)"
        m = f"where({q} < b, b, {q})"
        other = f"(abs(where({m} > two, two, {m})) * b - (a + b)) * half"
        names = {"a": x, "b": y, "two": two, "half": half}
        calls["numexpr"] = lambda: numexpr.evaluate(other, names, out=out)
    expected = ten_ops(x, y, np.where, np.abs, two, half)
    for name, call in calls.items():
        np.testing.assert_allclose(call(), expected, rtol=1e-6, atol=1e-6, err_msg=name)
    times = median_times(calls, seconds)
    print("| python, ns/call | " + " | ".join(times) + " |")
    print("| --- |" + " ---: |" * len(times))
    print("| ten_ops_64K | " + " | ".join(f"{t * 1e9:.0f}" for t in times.values()) + " |")


def main(seconds):
    names = ["exact", "exact, out=", "fast", "evaluate", "NumPy", "numexpr"]
    print("| x * sigmoid(x + b), f32 | " + " | ".join(names) + " |")
    print("| --- |" + " ---: |" * len(names))
    for rows in (1, 10, 1000, 100000):
        times = median_times(contenders_of(rows), seconds)
        cells = [say(times[name]) if name in times else "-" for name in names]
        print(f"| {rows} x 64 | " + " | ".join(cells) + " |", flush=True)
    x = np.ones(1, np.float32)
    add = tosajit.compile("y = x + b : f32[?], f32[?]")
    out = np.empty(1, np.float32)
    calls = {"new": lambda: add(x, x), "out": lambda: add(x, x, out=out),
             "evaluate": lambda: tosajit.evaluate("x + b", x=x, b=x), "NumPy": lambda: x + x}
    times = median_times(calls, seconds)
    print("\nA call of one element, x + b: "
          + ", ".join(f"{name} {say(t)}" for name, t in times.items()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        table(3)
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else 3)

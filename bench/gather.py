# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gather beside peers: one process, one processor, in turns, the least of many.

    PYTHONPATH=build/tools/python taskset -c 1 python3 bench/gather.py

Rows are compared with a loop of memcpy in C, single elements with a loop in C by gcc -O3
-march=native, which looks at no index. NumPy, PyTorch and numba join as far as they are installed.
Each result is compared with NumPy's before anything is timed. Figures are times of tosajit's."""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

import tosajit

LOOPS = r"""
#include <stdint.h>
#include <string.h>
void rows(const float *x, const int32_t *i, float *y, int64_t rows, int64_t n) {
    for (int64_t k = 0; k < rows; k++) memcpy(y + k * n, x + i[k] * n, 4 * n);
}
void elements_f32_i32(const float *x, const int32_t *i, float *y, int64_t n) { for (int64_t k = 0; k < n; k++) y[k] = x[i[k]]; }
void elements_i32_i32(const int32_t *x, const int32_t *i, int32_t *y, int64_t n) { for (int64_t k = 0; k < n; k++) y[k] = x[i[k]]; }
void elements_f32_i64(const float *x, const int64_t *i, float *y, int64_t n) { for (int64_t k = 0; k < n; k++) y[k] = x[i[k]]; }
void norms(const float *x, const int32_t *i, float *y, int64_t rows, int64_t n) {
    for (int64_t k = 0; k < rows; k++) for (int64_t c = 0; c < n; c++) y[k * n + c] = x[i[k] * n + c] * 2 + 1;
}
"""
TYPES = {"f32": np.float32, "i32": np.int32, "i64": np.int64}


def imported(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def loops():
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "loops.c"), os.path.join(folder, "loops.so")
    with open(source, "w") as f:
        f.write(LOOPS)
    subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library],
                   check=True)
    return ctypes.CDLL(library)


def call_of(function, arrays, numbers):
    function.restype = None
    pointers = [ctypes.c_void_p(a.ctypes.data)
                for a in arrays] + [ctypes.c_int64(n) for n in numbers]
    return lambda: function(*pointers)


def least(calls, seconds):
    """Of each call the least time, in turns."""
    best, end = [float("inf")] * len(calls), time.perf_counter() + seconds
    times = [1] * len(calls)
    for k, call in enumerate(calls):
        start = time.perf_counter()
        call()
        times[k] = max(1, int(2e-3 / (time.perf_counter() - start + 1e-9)))
    turns = 0
    while time.perf_counter() < end or turns < 5:
        turns += 1
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(times[k]):
                call()
            best[k] = min(best[k], (time.perf_counter() - start) / times[k])
    return best


def table(name, peers, seconds):
    """peers: names, and calls that give a result or nothing; the first is ours."""
    right = peers[0][1]()
    for peer, call in peers[1:]:
        made = call()
        assert made is None or np.array_equal(np.asarray(made), np.asarray(right)), peer
    best = least([call for _, call in peers], seconds)
    print(f"{name:42s} {best[0] * 1e6:9.1f} us  "
          + "  ".join(f"{peer} {best[0] / took:.2f}"
                      for (peer, _), took in zip(peers[1:], best[1:])), flush=True)


def kernel_of(text, arrays):
    names = {np.dtype(t): n for n, t in TYPES.items()}
    types = ", ".join(f"{names[a.dtype]}[{','.join('?' * a.ndim)}]" for a in arrays)
    return tosajit.compile(f"{text} : {types}").wait()


def others(x, i, axis_rows):
    torch, numba = imported("torch"), imported("numba")
    made = [("NumPy", lambda: np.take(x, i, 0))]
    if torch:
        tx, ti = torch.from_numpy(x), torch.from_numpy(i)
        made.append(("torch", lambda: torch.index_select(tx, 0, ti)))
    if numba and not axis_rows:
        @numba.njit
        def elements(x, i, y):
            for k in range(len(i)):
                y[k] = x[i[k]]
        y = np.empty(len(i), x.dtype)
        made.append(("numba", lambda: elements(x, i, y)))
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0)
    seconds = parser.parse_args().seconds
    c, rng = loops(), np.random.default_rng(1)
    for where, bytes_of in (("L2", 1 << 18), ("memory", 1 << 27)):
        for n in (64, 256, 1024):
            rows = bytes_of // (4 * n)
            x, i = rng.standard_normal((rows,
                                        n)).astype("f4"), rng.integers(0, rows, rows).astype("i4")
            y, z = np.empty_like(x), np.empty_like(x)
            take, fused = kernel_of("take(x, i, 0)",
                                    (x, i)), kernel_of("take(x, i, 0) * 2 + 1", (x, i))
            table(f"rows of {n} f32, {where}", [("", lambda: take(x, i, out=y)),
                                                ("memcpy", call_of(c.rows, (x, i, z), (rows, n)))]
                  + others(x, i, True), seconds)
            table(f"rows of {n} f32, {where}, times 2 plus 1",
                  [("", lambda: fused(x, i, out=y)), ("C", call_of(c.norms, (x, i, z), (rows, n)))],
                  seconds)
    for count in (1 << 16, 1 << 22):
        for element, index in (("f32", "i32"), ("i32", "i32"), ("f32", "i64")):
            x = rng.integers(0, 1000, count).astype(TYPES[element])
            i = rng.integers(0, count, count).astype(TYPES[index])
            y, z = np.empty_like(x), np.empty_like(x)
            take = kernel_of("take(x, i, 0)", (x, i))
            table(f"{count} elements {element} at {index}", [("", lambda: take(x, i, out=y)), ("C", call_of(getattr(c, f"elements_{element}_{index}"), (x, i, z), (count,)))]
                  + others(x, i, False), seconds)


if __name__ == "__main__":
    sys.exit(main())

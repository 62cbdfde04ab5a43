# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans beside peers: one process, one processor, in turns of a random order, the least of many.

    PYTHONPATH=build/tools/python taskset -c 1 python3 bench/scan.py

NumPy, PyTorch, jax and numba join as far as they are installed; numba has a loop along rows, and
one that adds a row to the row before it. Each result is compared with NumPy's before anything is
timed. Figures are times of tosajit's, so 1 is as quick, and below 1 tosajit is quicker."""
import argparse
import os
import random
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("XLA_FLAGS",
                      "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
import numpy as np

import tosajit
from gather import imported

TYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64}


def least(calls, seconds):
    """Of each call the least time; each turn has another order."""
    best, times = [float("inf")] * len(calls), []
    for call in calls:
        start = time.perf_counter()
        call()
        times.append(max(1, int(1e-3 / (time.perf_counter() - start + 1e-9))))
    end, turns = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or turns < 7:
        turns += 1
        for k in random.sample(range(len(calls)), len(calls)):
            start = time.perf_counter()
            for _ in range(times[k]):
                calls[k]()
            best[k] = min(best[k], (time.perf_counter() - start) / times[k])
    return best


def numba_loops(numba):
    @numba.njit
    def along(x, y):
        for r in range(x.shape[0]):
            total = y[r, 0] = x[r, 0]
            for c in range(1, x.shape[1]):
                total += x[r, c]
                y[r, c] = total

    @numba.njit
    def down(x, y):
        y[0] = x[0]
        for r in range(1, x.shape[0]):
            for c in range(x.shape[1]):
                y[r, c] = y[r - 1, c] + x[r, c]
    return along, down


def peers_of(x, axis, y, function):
    made = [("NumPy", lambda: getattr(np, function)(x, axis, out=y))]
    torch, jax, numba = imported("torch"), imported("jax"), imported("numba")
    if torch:
        torch.set_num_threads(1)
        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        made.append(("torch", lambda: getattr(torch, function)(tx, axis, out=ty)))
    if jax:
        jax.config.update("jax_enable_x64", True)
        jx, scan = jax.numpy.asarray(x), jax.jit(lambda a: getattr(jax.numpy, function)(a, axis))
        made.append(("jax", lambda: scan(jx).block_until_ready()))
    if numba and function == "cumsum":
        loop = numba_loops(numba)[axis == 0]
        made.append(("numba", lambda: loop(x, y)))
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0, help="for each line")
    parser.add_argument("--function", default="cumsum")
    parser.add_argument("--types", default="f32 f64 i64")
    parser.add_argument("--counts", type=int, nargs="*", default=[1 << 16, 1 << 22])
    given = parser.parse_args()
    rng = np.random.default_rng(1)
    for count in given.counts:
        for name in given.types.split():
            for where, shape, axis in (("a row", (1, count), 1),
                                       ("rows of 256", (count // 256, 256), 1),
                                       ("down columns", (256, count // 256), 0),
                                       ("down columns", (count // 256, 256), 0)):
                x = (rng.integers(-9, 9, shape) if given.function == "cumsum"
                     else 1 + rng.integers(-1, 2, shape) / 1024).astype(TYPES[name])
                y, z = np.empty_like(x), np.empty_like(x)
                kernel = tosajit.compile(f"{given.function}(x, axis={axis}) : {name}[?,?]").wait()
                peers = peers_of(x, axis, z, given.function)
                kernel(x, out=y)
                for peer, call in peers:
                    result = call()
                    assert np.allclose(y, z if peer == "numba" else np.asarray(result), rtol=1e-4,
                                       atol=1e-4), (peer, shape, axis)
                took = least([lambda: kernel(x, out=y)] + [call for _, call in peers],
                             given.seconds)
                print(f"{given.function} {name} {shape[0]}x{shape[1]}, {where}".ljust(46)
                      + f"{took[0] * 1e6:9.1f} us  "
                      + "  ".join(f"{peer} {took[0] / other:.2f}"
                                  for (peer, _), other in zip(peers, took[1:])), flush=True)


if __name__ == "__main__":
    sys.exit(main())

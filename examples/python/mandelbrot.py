# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Mandelbrot set: a kernel with several results is called again and again on the same memory,
without new arrays.

    PYTHONPATH=build/tools/python python3 examples/python/mandelbrot.py"""
import numpy as np

import tosajit

STEP = tosajit.compile("""
    xx = x * x
    yy = y * y
    inside = (xx + yy) <= 4.0
    n2 = n + f64(inside)
    y2 = select(inside, (x + x) * y + cy, y)
    x2 = select(inside, xx - yy + cx, x)
    x2; y2; n2 : x f64[?,?], y f64[?,?], n f64[?,?], cx f64[1,?], cy f64[?,1]""")


def mandelbrot(width, height, steps):
    cx = np.linspace(-2, 0.5, width).reshape(1, -1)
    cy = np.linspace(-1.2, 1.2, height).reshape(-1, 1)
    state, after = ({name: np.zeros((height, width)) for name in "xyn"} for _ in range(2))
    for _ in range(steps):
        # several results cannot be computed in place, so two sets of arrays take turns
        STEP(**state, cx=cx, cy=cy, out=tuple(after[name[0]] for name, _ in STEP.results))
        state, after = after, state
    return state["n"]


def by_numpy(width, height, steps):
    c = np.linspace(-2, 0.5, width) + 1j * np.linspace(-1.2, 1.2, height)[:, None]
    z, n = np.zeros_like(c), np.zeros(c.shape)
    for _ in range(steps):
        inside = z.real * z.real + z.imag * z.imag <= 4
        n += inside
        z[inside] = z[inside] ** 2 + c[inside]
    return n


picture = mandelbrot(72, 28, 50)
# a point near the border may leave a step earlier or later where a square rounds otherwise
assert (picture == by_numpy(72, 28, 50)).mean() > 0.99
for row in picture:
    print("".join(" .:-=+*#%@"[int(n) * 9 // 50] for n in row))

# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # The Mandelbrot set
#
# One step takes every point of the plane once around: square it, add where it began, count whether it is still near. A kernel does four
# such steps at a time, so that memory is read and written once for four. Points that have left stay where they are.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tosajit


@tosajit.jit
def steps(zr, zi, cr, ci, count):
    for _ in range(4):
        inside = zr * zr + zi * zi <= 16
        zr, zi = np.where(inside, zr * zr - zi * zi + cr, zr), np.where(inside, 2 * zr * zi + ci, zi)
        count = count + inside
    return zr, zi, count


def mandelbrot(left, right, bottom, top, width=900, height=600, limit=200):
    cr = np.linspace(left, right, width)[None, :]
    ci = np.linspace(bottom, top, height)[:, None]
    zr, zi, count = np.zeros((height, width)), np.zeros((height, width)), np.zeros((height, width), np.int32)
    for _ in range(limit // 4):
        zr, zi, count = steps(zr, zi, cr, ci, count)
    # a fraction of a step, so that colours run into each other
    size = tosajit.evaluate("maximum(zr * zr + zi * zi, 16.0)", zr=zr, zi=zi)
    return tosajit.evaluate("where(count >= limit, 0.0, count + 2 - log2(log2(size)))", count=count, size=size, limit=limit)


places = [(-2.2, 0.8, -1, 1), (-0.77, -0.72, 0.08, 0.1133)]
figure, axes = plt.subplots(1, 2, figsize=(11, 3.9))
for place, corners in zip(axes, places):
    place.imshow(np.sqrt(mandelbrot(*corners)), extent=corners, cmap="twilight_shifted", origin="lower", aspect="auto")
figure.tight_layout()
plt.show()

# %%
print(len(steps.kernels), "kernel:", steps.kernels[0].computes)

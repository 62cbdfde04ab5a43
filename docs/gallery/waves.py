# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # Waves behind two slits
#
# A stencil is a sum of slices. The views cost nothing: the kernel reads each neighbour where it lies, and writes into the inner part of an
# array that is there.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tosajit


@tosajit.jit
def step(before, now, speed, following):
    around = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:] - 4 * now[1:-1, 1:-1]
    following[1:-1, 1:-1] = (1.998 * now[1:-1, 1:-1] - 0.998 * before[1:-1, 1:-1]) + speed[1:-1, 1:-1] * around


rows, columns = 400, 600
speed = np.full((rows, columns), 0.25, np.float32)
wall = np.ones(rows, bool)
wall[150:165] = wall[235:250] = False
speed[wall, 200:205] = 0
before, now, following = (np.zeros((rows, columns), np.float32) for _ in range(3))
pictures = []
for k in range(900):
    now[1:-1, 1] = np.sin(0.18 * k) if k < 700 else 0
    step(before, now, speed, following)
    following[:, 200:205] *= speed[:, 200:205] * 4
    before, now, following = now, following, before
    if k in (350, 600, 899):
        pictures.append(now.copy())

# %%
figure, axes = plt.subplots(1, 3, figsize=(12, 3.1))
for place, picture in zip(axes, pictures):
    place.imshow(picture, cmap="RdBu", vmin=-0.8, vmax=0.8)
    place.axis("off")
figure.tight_layout()
plt.show()

# %%
print(len(step.kernels), "kernel,", step.kernels[0].computes)

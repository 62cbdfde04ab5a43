# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # A photograph, developed
#
# Bytes come in and bytes go out. Between them are floats: light instead of bytes, an exposure, a warmer tone, a curve, a vignette.
# NumPy would make an array for each of these steps. The function becomes one loop over the picture.

# %%
import time

import matplotlib.cbook
import matplotlib.pyplot as plt
import numpy as np
import tosajit

with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file)
height, width, _ = photo.shape
y = np.linspace(-1, 1, height, dtype=np.float32)[:, None, None]
x = np.linspace(-1, 1, width, dtype=np.float32)[None, :, None]
warm = np.array([1.08, 1, 0.86], np.float32)


def develop(photo, x, y, warm, exposure):
    light = (photo / np.float32(255)) ** 2.2 * exposure * warm
    curve = light * (1 + light * 0.2) / (1 + light)
    vignette = 1 - 0.35 * (x * x + y * y)
    bytes_again = (curve * vignette) ** (1 / 2.2) * 255 + 0.5
    return np.clip(bytes_again, 0, 255).astype(np.uint8)


fast = tosajit.jit(develop)
pictures = [fast(photo, x, y, warm, np.float32(exposure)) for exposure in (0.7, 1.5, 4)]

# %%
figure, axes = plt.subplots(1, 4, figsize=(11, 3.6))
for place, picture, name in zip(axes, [photo, *pictures], ["as it was", "exposure 0.7", "1.5", "4"]):
    place.imshow(picture)
    place.set_title(name)
    place.axis("off")
figure.tight_layout()
plt.show()

# %% [markdown]
# How far from NumPy's picture, and how long, on this machine while it built the site:

# %%
tosajit.wait()
wanted = develop(photo, x, y, warm, np.float32(1.5))
apart = np.abs(wanted.astype(int) - pictures[1].astype(int))
print(f"{photo.shape} bytes: {np.count_nonzero(apart)} differ, by {apart.max()} at most")


def least(call):
    times = []
    for _ in range(15):
        begin = time.perf_counter()
        call(photo, x, y, warm, np.float32(1.5))
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


print(f"NumPy {least(develop):.1f} ms, tosajit {least(fast):.1f} ms")

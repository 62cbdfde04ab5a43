# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture: contrast, a vignette and a gamma curve in one pass. Rows, columns and colours repeat
where they have size 1.

    PYTHONPATH=build/tools/python python3 examples/python/image.py"""
import numpy as np

import tosajit

height, width = 480, 640
rows, columns = np.mgrid[0:height, 0:width]
picture = np.stack([rows % 256, columns % 256, (rows + columns) % 256], axis=-1).astype(np.float32)

y = np.linspace(-1, 1, height, dtype=np.float32).reshape(-1, 1, 1)
x = np.linspace(-1, 1, width, dtype=np.float32).reshape(1, -1, 1)
tint = np.array([1.0, 0.9, 0.8], np.float32)

TEXT = "clip((picture - 128) * contrast + 128, 0, 255) * (1 - 0.3 * (x * x + y * y)) * tint"
finished = tosajit.evaluate(f"rint(255 * ({TEXT} / 255) ** gamma)", contrast=1.2, gamma=0.8)

contrast = np.clip((picture.astype(np.float64) - 128) * 1.2 + 128, 0, 255)
plain = contrast * (1 - 0.3 * (x**2 + y**2)) * tint
plain = np.rint(255 * (plain / 255) ** 0.8)
# where the curve comes near a half, float32 may round to the other neighbour
assert np.abs(finished - plain).max() <= 1 and (finished == plain).mean() > 0.999
print(f"{width} x {height} pixels, from {picture.mean():.1f} to {finished.mean():.1f} on average")

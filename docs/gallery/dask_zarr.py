# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # Arrays on the disk: dask and zarr
#
# zarr keeps an array in pieces, dask computes one piece at a time, and tosajit computes within a piece. A function of `jit` can be pickled,
# so dask takes it to threads and to other processes. Pieces at the border have other sizes, and need no other kernel.

# %%
import tempfile

import dask.array
import matplotlib.pyplot as plt
import numpy as np
import tosajit
import zarr

folder = tempfile.TemporaryDirectory()
days, rows, columns = 365, 90, 180
store = zarr.open(f"{folder.name}/air.zarr", mode="w", shape=(2, days, rows, columns), chunks=(2, 50, 45, 100), dtype="f4")
latitude = np.linspace(90, -90, rows, dtype=np.float32)[None, :, None]
land = np.sin(np.linspace(0, 9.4, columns, dtype=np.float32)) * np.cos(latitude / 30) * 5
season = np.cos(np.arange(days, dtype=np.float32) * (2 * np.pi / 365))[:, None, None]
noise = np.random.default_rng(5)
store[0] = 31 + land - 0.3 * np.abs(latitude) - season * latitude * 0.1 + noise.normal(0, 3, (days, rows, columns))  # temperature
store[1] = np.clip(60 + 0.2 * np.abs(latitude) + noise.normal(0, 12, (days, rows, columns)), 5, 100)  # humidity
store.nbytes // 2**20, "MiB"


# %%
@tosajit.jit
def felt(t, humidity):
    """What a temperature feels like: the heat index, where it is warm."""
    index = (-8.785 + 1.611 * t + 2.339 * humidity - 0.1461 * t * humidity - 0.01231 * t * t
             - 0.01642 * humidity * humidity + 0.002212 * t * t * humidity + 0.0007255 * t * humidity * humidity
             - 3.582e-6 * t * t * humidity * humidity)
    return np.where((t > 27) & (humidity > 40), index, t)


air = dask.array.from_zarr(f"{folder.name}/air.zarr")
feels = dask.array.map_blocks(felt, air[0], air[1], dtype="f4")
hot = (feels > 35).sum(axis=0).compute()
print(feels.npartitions, "pieces,", len(felt.kernels), "kernels")

# %%
figure, axes = plt.subplots(figsize=(9, 3.8))
shown = axes.imshow(hot, extent=(-180, 180, -90, 90), cmap="inferno")
figure.colorbar(shown, label="days")
axes.set(title="Days of a year that feel hotter than 35 degrees", xlabel="longitude", ylabel="latitude")
plt.show()

# %%
wanted = felt.__wrapped__(*air[:, :10].compute())
print("as NumPy, to", np.abs(feels[:10].compute() - wanted).max())
folder.cleanup()

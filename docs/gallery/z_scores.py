# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # Readings that stand out
#
# Six sensors write 20,000 readings each. A reading stands out if it is four deviations or more away from its sensor's mean.
# One function has both reductions and all that is around them. It becomes one kernel.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tosajit

numbers = np.random.default_rng(7)
days = np.linspace(0, 20, 20_000)
readings = 20 + numbers.normal(0, [[0.5], [1], [0.3], [0.8], [0.4], [1.2]], (6, 20_000)) + np.sin(days)
readings[2, 4000] += 7
readings[4, 15000:15003] -= 6


@tosajit.jit
def z_score(x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


z = z_score(readings)
print(z_score.explain(readings).splitlines()[0])

# %%
figure, axes = plt.subplots(figsize=(9, 4))
for sensor, row in enumerate(z):
    axes.plot(days, row + 14 * sensor, linewidth=0.4, color="tab:blue")
    far = np.abs(row) >= 4.5
    axes.plot(days[far], row[far] + 14 * sensor, "o", color="tab:red")
axes.set(xlabel="day", yticks=14 * np.arange(6), yticklabels=[f"sensor {k}" for k in range(6)], title="Deviations from each sensor's mean")
plt.show()

# %% [markdown]
# NumPy's own result is the same but for the order in which sums are added.

# %%
wanted = (readings - readings.mean(axis=1, keepdims=True)) / readings.std(axis=1, keepdims=True)
print("largest difference:", np.abs(z - wanted).max())

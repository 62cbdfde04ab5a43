# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # A softmax that keeps its bits
#
# Where eight threads add a part of a row each, and then their eight sums, the order of additions is another one than on one thread. So are
# the last bits. In tosajit the order of a sum follows from its length alone. So one thread and eight give the same bits.

# %%
import matplotlib.pyplot as plt
import numpy as np
import tosajit

scores = np.random.default_rng(3).normal(0, 3, (64, 50_000)).astype(np.float32)
one, eight = tosajit.Engine(threads=1), tosajit.Engine(threads=8)
text = "softmax(scores, axis=1)"
a = one.evaluate(text, scores=scores)
b = eight.evaluate(text, scores=scores)
print("same bits:", np.array_equal(a.view(np.uint32), b.view(np.uint32)))

# %% [markdown]
# The same in NumPy, with sums of a whole row, and with sums of its eighths, as eight threads would add them:

# %%
powers = np.exp(scores - scores.max(axis=1, keepdims=True))
whole = powers / powers.sum(axis=1, keepdims=True)
eighths = powers.reshape(64, 8, -1).sum(axis=2)
divided = powers / eighths.sum(axis=1, keepdims=True)
units = (whole.view(np.int32) - divided.view(np.int32)).ravel()
ours = (a.view(np.int32) - b.view(np.int32)).ravel()
print(f"NumPy in eighths: {np.count_nonzero(units) / units.size:.0%} of the numbers are others")

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), sharex=True, sharey=True)
for place, values, name in ((axes[0], ours, "tosajit: 1 thread and 8"), (axes[1], units, "NumPy: rows whole and in eighths")):
    values, counts = np.unique(values, return_counts=True)
    place.bar(values, counts / counts.sum(), color="tab:orange" if place is axes[0] else "tab:gray")
    place.set(title=name, xlabel="difference, in units of the last place")
axes[0].set_ylabel("share of all numbers")
figure.tight_layout()
plt.show()

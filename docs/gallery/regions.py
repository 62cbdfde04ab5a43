# ---
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ---
# %% [markdown]
# # The regions of a model
#
# A layer of a transformer has products of matrices, and much between them. `partition` finds what between them can be one kernel. It needs
# to know of each operation what it reads and gives, and whether a kernel can have it at all.

# %%
import matplotlib.pyplot as plt
import tosajit

layer = [
    ("norm", ["x"], "n"), ("q = n Wq", ["n"], "q"), ("k = n Wk", ["n"], "k"), ("v = n Wv", ["n"], "v"),
    ("rotate", ["q"], "qr"), ("rotate", ["k"], "kr"), ("qr kr'", ["qr", "kr"], "s"), ("scale", ["s"], "t"),
    ("mask", ["t", "m"], "u"), ("softmax", ["u"], "p"), ("p v", ["p", "v"], "o"), ("o Wo", ["o"], "w"),
    ("add", ["x", "w"], "h"), ("norm", ["h"], "g"), ("g W1", ["g"], "a"), ("g W3", ["g"], "b"),
    ("silu", ["a"], "c"), ("multiply", ["c", "b"], "d"), ("d W2", ["d"], "e"), ("add", ["h", "e"], "y")]
products = {"q = n Wq", "k = n Wk", "v = n Wv", "qr kr'", "p v", "o Wo", "g W1", "g W3", "d W2"}
nodes = [tosajit.Node(reads, [gives], name not in products) for name, reads, gives in layer]
regions = tosajit.partition(nodes, kept=["y"])
for region in regions:
    print(" + ".join(layer[k][0] for k in region))

# %% [markdown]
# Each colour is one kernel. Grey are the products, which stay with whoever computes them best.

# %%
made_by = {gives: k for k, (_, _, gives) in enumerate(layer)}
depth = {}
for k, (_, reads, _) in enumerate(layer):
    depth[k] = 1 + max((depth[made_by[name]] for name in reads if name in made_by), default=-1)
rows = {}
places = {k: (depth[k], rows.setdefault(depth[k], []).append(k) or -(len(rows[depth[k]]) - 1)) for k in depth}
colours = {k: plt.cm.tab10(number % 10) for number, region in enumerate(regions) for k in region}
figure, axes = plt.subplots(figsize=(12, 2.6))
for k, (name, reads, _) in enumerate(layer):
    for value in reads:
        if value in made_by:
            axes.annotate("", places[k], places[made_by[value]], arrowprops={"arrowstyle": "-", "color": "0.7", "connectionstyle": "arc3,rad=0.12"})
    axes.text(*places[k], name, ha="center", va="center", fontsize=9, color="white" if k in colours else "black",
              bbox={"boxstyle": "round,pad=0.35", "facecolor": colours.get(k, "0.85"), "edgecolor": "none"})
axes.set(xlim=(-0.7, max(depth.values()) + 0.7), ylim=(-2.7, 0.7))
axes.axis("off")
plt.show()

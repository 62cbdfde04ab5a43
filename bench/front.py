# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main page's picture, docs/why.svg, and the words beside it, from what bench/python.py --functions has measured. Needs matplotlib.

    PYTHONPATH=build/tools/python python3 bench/python.py --functions docs/functions.json
    python3 bench/front.py

PyPI shows no pictures of a repository: there, README.md has those words in its place (pyproject.toml)."""
import json
import os
import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUNCTION, ELEMENTS = "silu", 65536


def figures(data):
    """(library, microseconds), the shortest time first."""
    rows = [row for row in data["times"] if row["function"] == FUNCTION and row["elements"] == ELEMENTS]
    return rows[0]["source"], sorted(((row["library"], row["microseconds"]) for row in rows), key=lambda row: row[1])


def say(microseconds):
    return f"{microseconds:.0f}" if microseconds >= 10 else f"{microseconds:.2g}"


def draw(source, rows, path):
    """Bars on a linear axis. Letters are shapes, so that every machine shows the same."""
    pyplot.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "tosajit", "font.size": 19})
    figure, axes = pyplot.subplots(figsize=(10, 4.6), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    names, times = zip(*reversed(rows))
    bars = axes.barh(names, times, color=["#d9480f" if name == "tosajit" else "#a3b1bf" for name in names], height=0.72)
    axes.bar_label(bars, [say(time) + " µs" for time in times], padding=6)
    axes.get_yticklabels()[names.index("tosajit")].set_fontweight("bold")
    axes.set(xlim=(0, max(times) * 1.13), xlabel="microseconds a call takes on one thread (shorter is better)")
    figure.suptitle(f"{source.replace('exp', 'np.exp')}   on {ELEMENTS:,} float32", fontweight="bold")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main():
    with open(f"{ROOT}/docs/functions.json", encoding="utf-8") as file:
        data = json.load(file)
    source, rows = figures(data)
    draw(source, rows, f"{ROOT}/docs/why.svg")
    words = (f"Time of a call of {source.replace('exp', 'np.exp')} on {ELEMENTS:,} float32, one thread, in microseconds: "
             + ", ".join(f"{name} {say(time)}" for name, time in rows))
    with open(f"{ROOT}/README.md", encoding="utf-8") as file:
        page = file.read()
    changed, count = re.subn(r"!\[[^\]]*\]\(docs/why\.svg\)", lambda _: f"![{words}](docs/why.svg)", page)
    if count != 1:
        raise SystemExit("README.md shows docs/why.svg not once")
    with open(f"{ROOT}/README.md", "w", encoding="utf-8") as file:
        file.write(changed)
    print(words)


if __name__ == "__main__":
    main()

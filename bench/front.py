# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main page's picture, docs/why.svg, and the words beside it, from what bench/python.py
--functions has measured. Needs matplotlib.

    python3 bench/front.py                                                      # draws
    python3 bench/front.py --measure build/tests/python_peers/bin/python        # before, all that docs/ has as figures of Python and charts

To measure, that Python has the peers, build/bench is there, and nothing else runs: with a load
above 1 it refuses.

PyPI shows no pictures of a repository: there, README.md has those words in its place
(pyproject.toml)."""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUNCTION, ELEMENTS = "silu", 65536


def figures(data):
    """The function, the CPU, and (library, microseconds), the shortest time first."""
    rows = [row for row in data["times"] if row["function"] == FUNCTION
            and row["elements"] == ELEMENTS]
    cpu = data["machine"].partition(",")[0]
    return rows[0]["source"], cpu, sorted(((row["library"], row["microseconds"]) for row in rows),
                                          key=lambda row: row[1])


def say(microseconds):
    return f"{microseconds:.0f}" if microseconds >= 10 else f"{microseconds:.2g}"


def draw(source, cpu, rows, path):
    """Bars on a linear axis. Letters are shapes, so that every machine shows the same."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as pyplot
    pyplot.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "tosajit", "font.size": 19})
    figure, axes = pyplot.subplots(figsize=(10, 4.9), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    names, times = zip(*reversed(rows))
    bars = axes.barh(names, times, color=["#d9480f" if name == "tosajit" else "#a3b1bf"
                                          for name in names], height=0.72)
    axes.bar_label(bars, [say(time) + " µs" for time in times], padding=6)
    axes.get_yticklabels()[names.index("tosajit")].set_fontweight("bold")
    axes.set(xlim=(0,
                   max(times)
                   * 1.13),
             xlabel=f"microseconds a call takes, shorter is better\none thread of an {cpu}")
    figure.suptitle(f"{source.replace('exp', 'np.exp')}   on {ELEMENTS:,} float32",
                    fontweight="bold")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def measure(python):
    """docs/functions.json and docs/math.json on one processor, the table of docs/python.md and its
    drawing on all."""
    if os.getloadavg()[0] > 1:
        raise SystemExit(f"the load is {os.getloadavg()[0]:.1f}: other work would be in the figures")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/build/tools/python"}
    one = ["taskset", "-c", "1"]
    for command in ([*one, python, "bench/python.py", "--functions", "docs/functions.json"],
                    [*one, "build/bench/tosajit-bench", "--benchmark_filter=^math/",
                     "--benchmark_out=docs/math.json", "--benchmark_out_format=json"],
                    [python, "bench/python.py", "--page"]):
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


def main():
    if sys.argv[1:2] == ["--measure"]:
        measure(os.path.abspath(sys.argv[2]))
    with open(f"{ROOT}/docs/functions.json", encoding="utf-8") as file:
        data = json.load(file)
    source, cpu, rows = figures(data)
    draw(source, cpu, rows, f"{ROOT}/docs/why.svg")
    words = (f"Time of a call of {source.replace('exp', 'np.exp')} on {ELEMENTS:,} float32, one "
             "thread, in microseconds: "
             + ", ".join(f"{name} {say(time)}" for name, time in rows))
    with open(f"{ROOT}/README.md", encoding="utf-8") as file:
        page = file.read()
    changed, count = re.subn(r"!\[[^\]]*\]\(docs/why\.svg\)", lambda _: f"![{words}](docs/why.svg)",
                             page)
    if count != 1:
        raise SystemExit("README.md shows docs/why.svg not once")
    with open(f"{ROOT}/README.md", "w", encoding="utf-8") as file:
        file.write(changed)
    print(words)


if __name__ == "__main__":
    main()

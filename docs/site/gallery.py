# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gallery: each script of docs/gallery is a notebook in jupytext's percent format. It is run, and becomes a page with its pictures, and a
notebook to download. What has not changed since is taken from the last run."""
import hashlib
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import jupytext
from nbconvert import MarkdownExporter
from nbconvert.preprocessors import ExecutePreprocessor


def run(path, folder, packages):
    """FOLDER/NAME.md, its pictures, and NAME.ipynb."""
    notebook = jupytext.read(path)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.cells = [cell for cell in notebook.cells if "SPDX" not in cell.source]
    ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(path.parent)}})
    folder.mkdir(parents=True)
    jupytext.write(notebook, folder / f"{path.stem}.ipynb")
    body, resources = MarkdownExporter().from_notebook_node(notebook, {"output_files_dir": path.stem, "unique_key": path.stem})
    for name, data in resources["outputs"].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    # what a cell prints is text, and stands apart from code
    body = re.sub(r"\n((?:    .*\n|\n(?=    ))+)", lambda found: "\n```text\n" + re.sub(r"(?m)^    ", "", found[1]).rstrip() + "\n```\n", body)
    body = body.replace("![png](", f"![{path.stem}](")
    (folder / f"{path.stem}.md").write_text(body + f"\n[The notebook]({path.stem}.ipynb) to download.\n", encoding="utf-8")


def title(path):
    return re.search(r"^# # (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)[1]


def lay(scripts, target, packages, kept):
    """The pages, and what the navigation shows of them as YAML."""
    os.environ["PYTHONPATH"] = str(packages)
    module = b"".join(file.read_bytes() for file in sorted(packages.glob("tosajit/*.py")))

    def one(path):
        key = hashlib.sha256(path.read_bytes() + module + open(__file__, "rb").read()).hexdigest()[:16]
        folder = kept / f"{path.stem}-{key}"
        if not folder.exists():
            half = kept / f"{path.stem}-half"
            shutil.rmtree(half, ignore_errors=True)
            run(path, half, packages)
            half.rename(folder)
        shutil.copytree(folder, target, dirs_exist_ok=True)

    paths = sorted(scripts.glob("*.py"))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, paths))
    pictures = {path: next(iter(sorted((target / path.stem).glob("*.png"))), None) for path in paths}
    cards = "".join(f"- [![{title(path)}]({pictures[path].relative_to(target)})]({path.stem}.md)\n\n    [{title(path)}]({path.stem}.md)\n\n" for path in paths)
    (target / "index.md").write_text("# Gallery\n\nEach picture leads to a notebook, which was run when this site was built.\n\n"
                                     f'<div class="gallery" markdown>\n\n{cards}\n</div>\n', encoding="utf-8")
    return ["gallery/index.md"] + [{title(path): f"gallery/{path.stem}.md"} for path in paths]

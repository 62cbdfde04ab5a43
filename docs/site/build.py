# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site: the pages of the repository as they are, references of Python and C, and a gallery that is run.

    python docs/site/build.py SOURCE BUILD VERSION    # writes BUILD/site/html/VERSION; `cmake --build build --target site` calls this
    python docs/site/build.py HTML                    # lists the versions that are there

SOURCE is the repository, BUILD has the Python package, and the XML that Doxygen has made of the headers in BUILD/site/xml. Pages keep their
places, so that links that work on a forge work here. A file to which a page leads comes with it. Other versions beside this one stay."""
import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
PAGES = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "docs/*.md", "docs/*.svg", "docs/*.json", "docs/charts/*.json", "bench/*.md", "bench/plots/*"]
MODULES = ["tosajit.special", "tosajit.as_numexpr", "tosajit.torch", "tosajit.onnxruntime"]
ROW, CODE = re.compile(r"^\|.*$", re.M), re.compile(r"`[^`]*`")  # in a row of a table a forge wants \| in code, MkDocs | itself
LINK = re.compile(r"(\]\()([^)#\s]+)([^)\s]*\))")


def copy(source, pages, name):
    target = pages / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source / name, target)


def lay_page(source, pages, page):
    """What it leads to, which may be a folder: a file has a name that a browser shows, and a folder a list."""
    def led(found):
        if found[2].startswith(("http:", "https:", "mailto:")):
            return found[0]
        place = os.path.normpath((pages / page).parent.relative_to(pages) / found[2])
        if (source / place / "README.md").is_file():
            place += "/README.md"
        if not (source / place).exists():
            raise SystemExit(f"{page} leads to {found[2]}, which is not there")
        if place.endswith((".md", ".svg", ".json", ".png")):
            if not (pages / place).exists() and place != "README.md":
                copy(source, pages, place)
                lay_page(source, pages, place)
            shown = "index.md" if place == "README.md" else place
        else:
            shown = f"files/{place}.md"
            (pages / shown).parent.mkdir(parents=True, exist_ok=True)
            (pages / shown).write_text(file_page(source / place, place), encoding="utf-8")
        return found[1] + os.path.relpath(pages / shown, (pages / page).parent) + found[3]

    target = pages / page
    if page.endswith(".md"):
        text = ROW.sub(lambda row: CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), target.read_text(encoding="utf-8"))
        target.write_text(LINK.sub(led, text), encoding="utf-8")


def file_page(path, place):
    """A source file as a page, or the names of a folder."""
    if path.is_dir():
        names = "".join(f"- `{name.name}`\n" for name in sorted(path.iterdir()))
        return f"---\nsearch: {{exclude: true}}\n---\n# {place}\n\n{names}"
    kind = {".c": "c", ".h": "c", ".py": "python", ".sh": "sh", ".hpp": "cpp", ".mlir": "mlir"}.get(path.suffix, "text")
    text = path.read_text(encoding="utf-8", errors="replace")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"---\nsearch: {{exclude: true}}\n---\n# {place}\n\n{fence}{kind}\n{text}\n{fence}\n"


def lay_pages(source, pages):
    shutil.rmtree(pages, ignore_errors=True)
    names = [str(path.relative_to(source)) for pattern in PAGES for path in sorted(source.glob(pattern))]
    for name in names:
        copy(source, pages, name)
    shutil.copy(source / "README.md", pages / "index.md")
    shown = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [name for name in names if name.endswith(".md") and f": {name}\n" not in shown]
    if missing:
        raise SystemExit(f"docs/site/mkdocs.yml has no line for {', '.join(missing)}")
    for name in names + ["index.md"]:
        lay_page(source, pages, name)


def lay_reference(source, build, pages):
    import c_reference
    import tosajit

    (pages / "reference").mkdir()
    (pages / "reference/c.md").write_text(c_reference.page(build / "site/xml", source), encoding="utf-8")
    # the decorator first, and what people call; the others by their names
    first = ["jit", "evaluate", "re_evaluate", "validate", "compile", "Kernel", "Engine"]
    parts = {"Functions and kernels": first, "More": [name for name in tosajit.__all__ if name not in first and "Error" not in name],
             "Errors": [name for name in tosajit.__all__ if "Error" in name]}
    lines = ["# Python reference", "", "Signatures come from the package's stubs, words from what `help()` shows. "
             "Tests run every example.", ""]
    for title, names in parts.items():
        lines += [f"## {title}", ""] + [f"::: tosajit.{name}\n" for name in names]
    for name in MODULES:
        tree = ast.parse(Path(find_spec(name).origin).read_text(encoding="utf-8"))  # importing it may want a package that is not here
        public = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        lines += [f"## {name}", "", inspect.cleandoc(ast.get_docstring(tree)), ""] + [f"::: {name}.{member}\n" for member in public]
    (pages / "reference/python.md").write_text("\n".join(lines), encoding="utf-8")


def lay_scripts(pages):
    import vl_convert

    (pages / "site").mkdir()
    for name in ("site.css", "charts.js", "versions.js"):
        shutil.copy(HERE / name, pages / "site" / name)
    (pages / "site/vega.js").write_text(vl_convert.javascript_bundle(), encoding="utf-8")


def list_versions(html):
    """versions.json, which has the pages of each, the newest release first and dev last; and a page that leads to the first one's."""
    names = [path.parent.name for path in html.glob("*/index.html")]
    names.sort(key=lambda name: (name != "dev", [int(part) for part in re.findall(r"\d+", name)]), reverse=True)
    pages = {name: sorted(str(path.relative_to(html / name)) for path in (html / name).rglob("*.html")) for name in names}
    (html / "versions.json").write_text(json.dumps(pages), encoding="utf-8")
    (html / "index.html").write_text(f'<!doctype html>\n<title>tosajit</title>\n<meta http-equiv="refresh" content="0; url={names[0]}/index.html">\n'
                                     f'<a href="{names[0]}/index.html">tosajit {names[0]}</a>\n', encoding="utf-8")


def main():
    if len(sys.argv) == 2:
        return list_versions(Path(sys.argv[1]))
    source, build = (Path(word).resolve() for word in sys.argv[1:3])
    version = sys.argv[3]
    pages, html, packages = build / "site/pages", build / "site/html", build / "tools/python"
    sys.path.insert(0, str(packages))
    import gallery

    lay_pages(source, pages)
    lay_reference(source, build, pages)
    lay_scripts(pages)
    shown = gallery.lay(source / "docs/gallery", pages / "gallery", packages, build / "site/kept")
    environment = {**os.environ, "SITE_PAGES": str(pages), "SITE_HTML": str(html / version), "SITE_PYTHON": str(packages), "PYTHONPATH": f"{packages}:{HERE}",
                   "SITE_DOCSTRINGS": str(HERE / "docstrings.py"), "NO_MKDOCS_2_WARNING": "1"}
    (build / "site/mkdocs.yml").write_text((HERE / "mkdocs.yml").read_text().replace(" GALLERY ", f" {json.dumps(shown)} "))
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", build / "site/mkdocs.yml"], env=environment, check=True)
    list_versions(html)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sentences that a person can read: at most 25 words each, in the pages for users and in the public
headers. Comments in C begin with a noun or a verb: not with What or Whether.

    python3 tests/tools/prose_test.py SOURCE_DIRECTORY

Out: a line per sentence that is too long; exit code 1 if there is one. Code, tables and headings
are left out. In headers a semicolon ends a sentence, because statuses are listed with semicolons.
"""
import glob
import os
import re
import sys
import textwrap

LONGEST = 25
# Pages for those who change the library, and how long their longest sentence is: it may only become
# shorter.
LATER = {"docs/accuracy.md": 125, "docs/targets.md": 50}


def paragraphs(text):
    """Number of the first line, and text, of each paragraph and list item of Markdown."""
    lines, code, first = [], False, 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        fence = line.startswith("```")
        code ^= fence
        indented = line.startswith("    ") and not lines
        prose = not (code or fence or indented or not line.strip()
                     or re.match(r"\s*\||#|<|!\[", line))
        if lines and (not prose or re.match(r"\s*([-*]|\d+\.) ", line)):
            yield first, " ".join(lines)
            lines = []
        if prose:
            first = first if lines else number
            lines.append(line.strip())


def comments(text):
    """The same of comments in C, without the examples in them."""
    for found in re.finditer(r"/\*(.*?)\*/", text, re.S):
        body = re.sub(r"\n\s*\*\s{3,}.*", "", found[1])
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"\n\s*\*? ?", " ", body)


def sentences(text, ends):
    """Code in backquotes is a word, and so is the address of a link none."""
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "CODE", text))
    return re.split(r"(?<=[" + ends + r"])[)\"*]*\s+", text)


def words(sentence):
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def judge(root, path):
    """Complaints about a file."""
    markdown = path.endswith(".md")
    text = open(f"{root}/{path}", encoding="utf-8").read()
    most = LATER.get(path, LONGEST)
    for line, paragraph in paragraphs(text) if markdown else comments(text):
        for sentence in sentences(paragraph, ".!?" if markdown else ".!?;"):
            if words(sentence) > most:
                yield (f"{path}:{line}: {words(sentence)} words, {most} at most: "
                       f"{textwrap.shorten(sentence, 120)}")


def beginnings(root, path):
    """Comments that begin with neither noun nor verb."""
    text = open(f"{root}/{path}", encoding="utf-8").read()
    for found in re.finditer(r"/[*/] *(What|Whether)\b", text):
        yield (f"{path}:{text.count(chr(10), 0, found.start()) + 1}: a comment begins with "
               f"{found[1]}")


# The judge first: what it counts, and what it does not.
sample = ("One two `three four` ([five](six)). Seven eight!\nnine\n\n    code code\n\n- ten\n- "
          "eleven\n| twelve |\n")
found = [[words(s) for s in sentences(p, ".!?")] for _, p in paragraphs(sample)]
if found != [[4, 2, 1], [1], [1]] or [words(p) for _, p in comments("/* a b\n * c; d */")] != [4]:
    sys.exit(f"prose_test counts wrongly: {found}")

root = sys.argv[1]
files = [os.path.relpath(path, root) for pattern in ("*.md", "docs/*.md", "include/tosajit/*.h*")
         for path in sorted(glob.glob(f"{root}/{pattern}"))]
sources = [os.path.relpath(path, root) for folder in ("include", "runtime", "jit", "tools", "tests",
                                                      "bench", "examples")
           for path in sorted(glob.glob(f"{root}/{folder}/**/*.*", recursive=True))
           if re.search(r"\.(c|h|cc|hpp|def)$", path)]
complaints = [c for path in files for c in judge(root, path)]
complaints += [c for path in sources for c in beginnings(root, path)]
complaints += [f"{path} is no file" for path in LATER if path not in files]
print(f"{len(files)} pages and headers, {len(sources)} sources, {len(complaints)} complaints")
print("\n".join(complaints))
sys.exit(bool(complaints) or len(files) < 25 or len(sources) < 500)

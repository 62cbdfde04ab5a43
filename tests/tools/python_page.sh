#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python of a page, in order and in one session, in a folder of its own that has the examples.
#   sh tests/tools/python_page.sh PAGE PYTHON
# In: PYTHONPATH, by which Python finds tosajit. Out: what differs from the page, or how much
# agrees; exit code 1 if anything differs.
set -eu
page=$(realpath "$1") python=$(cd "$(dirname "$2")" && pwd)/${2##*/}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$(dirname "$page")/../examples" .
awk '/^```/ { code = $0 == "```python" && !code; next } code' "$page" >page.txt
[ -s page.txt ] || { echo "$page has no Python"; exit 1; }
"$python" -m doctest -o ELLIPSIS page.txt
echo "${page##*/}: $(grep -c '^>>>' page.txt) lines of Python"

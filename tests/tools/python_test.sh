#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package with every Python here that can load it; with NumPy where that is installed. The examples of docs/python.md.
#   sh tests/tools/python_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH="$build/tools/python" PYTHONDONTWRITEBYTECODE=1
tried="" with_numpy=""
for python in /usr/bin/python3 $(command -v python3 python3.11 python3.12 python3.13 python3.14 || true); do
    home=$("$python" -c 'import sys; sys.version_info >= (3, 11) and print(sys.prefix)' 2>/dev/null) || continue
    case " $tried " in *" $home "*) continue ;; esac
    [ -n "$home" ] || continue
    tried="$tried $home"
    "$python" "$source/tests/tools/python_test.py"
    "$python" -c 'import numpy' 2>/dev/null || continue
    with_numpy=$python
    "$python" "$source/tests/tools/python_numpy_test.py"
    "$python" "$source/tests/tools/python_manners_test.py"
done
[ -n "$tried" ] || { echo "there is no Python 3.11 or later"; exit 1; }
[ -n "$with_numpy" ] || { echo "no Python here has NumPy: apt-get install python3-numpy"; exit 1; }

# What the page shows, in order, in one session.
awk '/^```/ { code = $0 == "```python" && !code; next } code' "$source/docs/python.md" >"$work/page.txt"
count=$(grep -c '^```python' "$source/docs/python.md")
[ "$count" -ge 5 ] || { echo "docs/python.md has $count examples only"; exit 1; }
(cd "$work" && "$with_numpy" -m doctest -o ELLIPSIS page.txt) || exit 1

# And the lines in README.md.
awk '/^```/ { code = $0 == "```python" && !code; next } code' "$source/README.md" >"$work/readme.py"
[ -s "$work/readme.py" ] || { echo "README.md has no Python"; exit 1; }
"$with_numpy" -c "$(cat "$work/readme.py"); assert y.shape == (4, 64)"

# Nothing beyond the limited API: names that Python gives no other version.
nm -D --undefined-only "$build/tools/python/tosajit/_tosajit.abi3.so" | grep -o ' _Py[A-Z][A-Za-z_]*' |
    grep -vxE ' _Py_(Dealloc|NoneStruct|TrueStruct|FalseStruct)| _PyObject_New| _PyArg_ParseTupleAndKeywords_SizeT| _PyArg_Parse_SizeT| _PyArg_ParseTuple_SizeT| _Py_BuildValue_SizeT| _PyObject_CallFunction_SizeT' &&
    { echo "these are not in the limited API"; exit 1; }
echo "tried$tried"

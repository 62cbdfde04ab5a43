#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package with one Python that has NumPy; or with "all", with a Python of every minor
# version here: those of the path, of pyenv, and of TOSAJIT_TEST_PYTHONS, a list of programs. Then
# one without NumPy gets it in a venv from the network, once, and the version that the first form has
# passed with is not tested again. The examples of docs/python.md and README.md. A table says what
# was tested.
#   sh tests/tools/python_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY [all]
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
which=${3:-one}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH="$build/tools/python"
. "$(dirname "$0")/../support/venv.sh"
keep_bytecode "$build/tests/pycache"
awk '/^```/ { code = $0 == "```python" && !code; next } code' "$source/README.md" >"$work/readme.py"
[ -s "$work/readme.py" ] || { echo "README.md has no Python"; exit 1; }

python3 "$source/tests/tools/python_shadow.py" "$source"/tools/python/tosajit/*.py \
    "$source"/tools/python/tosajit/torch/*.py

# One Python that has NumPy for each of these, or nothing.
numpy_of() {
    for candidate in "$1" "$build/tests/pythons/$2/bin/python"; do
        "$candidate" -c 'import numpy' 2>/dev/null && { echo "$candidate"; return; }
    done
    [ "$which" = all ] || return 0
    new_venv "$1" "$build/tests/pythons/$2" >"$work/log" 2>&1 || return 0
    pip_into python3 "$build/tests/pythons/$2" --only-binary :all: numpy >"$work/log" 2>&1 ||
        return 0
    echo "$build/tests/pythons/$2/bin/python"
}

minors="" with_numpy=""
printf '%-8s %-8s %-12s %-18s %-20s %s\n' Python NumPy python_test python_numpy_test \
    python_manners_test README.md >"$work/table"
# What the form of one Python has passed with: a line of the table, for this build and these tests.
passed=$build/tests/python_passed
of=$(cat "$build"/jit/libtosajit*.so.0 "$build"/tools/python/tosajit/*.* \
    "$source"/tests/tools/python_*test.* | sha256sum)
if [ "$which" = all ] && [ "$(sed -n 1p "$passed" 2>/dev/null)" = "$of" ]; then
    sed 1d "$passed" >>"$work/table"
    minors=$(sed -n '2s/\.[0-9]* .*//p' "$passed")
fi
[ "$which" = all ] || rm -f "$passed"
for python in /usr/bin/python3 $(command -v python3 python3.11 python3.12 python3.13 python3.14 ||
    true) \
    $(ls "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3 2>/dev/null || true) \
    ${TOSAJIT_TEST_PYTHONS:-}; do
    version=$("$python" -c \
        'import sys; sys.version_info >= (3, 11) and print("%d.%d.%d" % sys.version_info[:3])' \
        2>/dev/null) || continue
    case " $minors " in *" ${version%.*} "*) continue ;; esac
    [ -n "$version" ] || continue
    other=$(numpy_of "$python" "$version")
    [ "$which" = all ] || [ -n "$other" ] || continue
    minors="$minors ${version%.*}"
    "$python" "$source/tests/tools/python_test.py"
    if [ -z "$other" ]; then
        echo "*** NOT TESTED: NumPy with Python $version, which is not to be had here"
        printf '%-8s %-8s %-12s %s\n' "$version" none passed "not tested" >>"$work/table"
        continue
    fi
    with_numpy=${with_numpy:-$other}
    "$other" "$source/tests/tools/python_numpy_test.py"
    manners=passed
    "$other" "$source/tests/tools/python_manners_test.py" >"$work/manners"
    cat "$work/manners"
    grep -q "NOT TESTED" "$work/manners" && manners="not tested"
    "$other" -c "$(cat "$work/readme.py"); assert z.shape == w.shape == (4, 64)"
    printf '%-8s %-8s %-12s %-18s %-20s %s\n' "$version" \
        "$("$other" -c 'import numpy; print(numpy.__version__)')" passed passed "$manners" passed \
        >>"$work/table"
    [ "$which" = all ] || break
done
if [ "$which" = all ]; then
    cp "$work/table" "$build/tests/pythons.txt" # for run-tests.sh
    cat "$work/table"
    for minor in 3.11 3.12 3.13 3.14; do
        case " $minors " in *" $minor "*) \
            ;; *) echo "*** NOT TESTED: Python $minor, which is not here" ;; esac
    done
    exit 0
fi
[ -n "$with_numpy" ] || { echo "no Python here has NumPy: apt-get install python3-numpy"; exit 1; }
"$with_numpy" "$source/tests/tools/python_help_test.py"

# What the page shows, in order, in one session.
awk '/^```/ { code = $0 == "```python" && !code; next } code' "$source/docs/python.md" \
    >"$work/page.txt"
count=$(grep -c '^```python' "$source/docs/python.md")
[ "$count" -ge 5 ] || { echo "docs/python.md has $count examples only"; exit 1; }
(cd "$work" && "$with_numpy" -m doctest -o ELLIPSIS page.txt) || exit 1

# Nothing beyond the limited API: names that Python gives no other version.
nm -D --undefined-only "$build/tools/python/tosajit/_tosajit.abi3.so" |
    grep -o ' _Py[A-Z][A-Za-z_]*' |
    grep -vxE \
    ' _Py_(Dealloc|NoneStruct|TrueStruct|FalseStruct)| _PyObject_New| _PyArg_ParseTupleAndKeywords_SizeT| _PyArg_Parse_SizeT| _PyArg_ParseTuple_SizeT| _Py_BuildValue_SizeT| _PyObject_CallFunction_SizeT' &&
    { echo "these are not in the limited API"; exit 1; }
{ echo "$of"; sed 1d "$work/table"; } >"$passed"

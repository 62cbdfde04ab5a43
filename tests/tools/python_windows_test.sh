#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package in CPython for Windows, under wine: its own tests without a compiler,
# README.md's Python, random texts and images that Linux's package has made, with the bits that it
# has here.
#   sh tests/tools/python_windows_test.sh BUILD SOURCE WINE [LINES]
# TOSAJIT_HOST_BUILD is a build for this machine, with the Python package.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
wine=$3
lines=${4:-2000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 TOSAJIT_TEST_COMPILER=0 TOSAJIT_TEST_EMULATED=1 DISPLAY=""
# What ends a process there must not ask a debugger.
export WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="winedbg.exe=d"
cp "$build/bin/tosajit.dll" "$build/tools/python/tosajit/"
# windows WORD...: CPython for Windows. A pipe is its standard output, and nothing its input.
windows() {
    {
        code=0
        PYTHONPATH="Z:$build/tools/python" "$wine" "$build/installed/python/python.exe" -X utf8 \
            "$@" </dev/null || code=$?
        echo $code >"$work/code"
    } 2>&1 | tr -d '\r' >"$work/out"
    cat "$work/out"
    [ "$(cat "$work/code")" = 0 ] || { cat "$work/out" >&2; echo "$1 fails" >&2; exit 1; }
}
windows "$source/tests/tools/python_test.py"
windows "$source/tests/tools/python_lines_test.py"
awk '/^```/ { code = $0 == "```python" && !code; next } code' "$source/README.md" >"$work/readme.py"
[ -s "$work/readme.py" ] || { echo "README.md has no Python"; exit 1; }
echo 'assert z.shape == w.shape == (4, 64)' >>"$work/readme.py"
windows "$work/readme.py"
[ -n "${TOSAJIT_HOST_BUILD:-}" ] || {
    echo "*** NOT TESTED: bits beside those of Linux, which need TOSAJIT_HOST_BUILD"; exit 0
}
for python in /usr/bin/python3 python3; do
    ! "$python" -c 'import numpy' 2>/dev/null || break
done
here() { PYTHONPATH="$TOSAJIT_HOST_BUILD/tools/python" "$python" "$@"; }
here "$source/tests/tools/image_bits_test.py" write "$work" >"$work/expected"
windows "$source/tests/tools/image_bits_test.py" read "$work" >"$work/found"
diff "$work/expected" "$work/found"
! grep interpreted "$work/found"
here "$source/tests/tools/python_bits_test.py" 600 "$lines" >"$work/expected"
windows "$source/tests/tools/python_bits_test.py" 600 "$lines" >"$work/found"
diff "$work/expected" "$work/found"
echo "$(wc -l <"$work/found") texts have the bits of Linux"

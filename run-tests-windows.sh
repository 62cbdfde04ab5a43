#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# On an x86-64 Debian: install what is missing, build for Windows by mingw-w64, and run the tests
# under wine. The code of single ops is made by this machine's build: it is the same on both
# systems.
#   ./run-tests-windows.sh [CTEST_OPTION...]
set -eu
cd "$(dirname "$0")"
sh tools/install-dependencies.sh
sh tools/install-windows.sh
cmake -S . -B build -G Ninja
cmake --build build --target tosajit_ops tosajit_python
made=build-windows/made
mkdir -p $made/include/llvm/Config
include=$(sed -n 's/^TOSAJIT_LLVM_INCLUDE:[A-Z]*=//p' build/CMakeCache.txt)
cp -u "$include/llvm/Config/llvm-config.h" $made/include/llvm/Config/
cmp -s build/jit/ops.o $made/ops.o || cp build/jit/ops.o $made/ops.o
cmake --preset windows
# A Windows of its own, without the windows of one. It has a link to the whole machine, so it is not
# in a folder that somebody looks through.
own="" server=true
trap '"$server" --kill; "$server" --wait; [ -z "$own" ] || rm -rf "$own"' EXIT
[ -n "${WINEPREFIX:-}" ] || own=$(mktemp -d)
export WINEPREFIX="${WINEPREFIX:-$own}" WINEDEBUG="${WINEDEBUG:--all}" DISPLAY=""
wine=$(sed -n 's/^TOSAJIT_WINE:[A-Z]*=//p' build-windows/CMakeCache.txt)
"$wine" --version || {
    echo "There is no wine that starts, so nothing for Windows is tested" >&2; exit 1
}
# One server for all, and the services of that Windows: who started these first would have its
# output kept open by them, and ninja or CTest would wait.
server=$(dirname "$wine")/wineserver64
"$server" --kill || true
"$server" --persistent >/dev/null 2>&1
"$wine" wineboot --init >/dev/null 2>&1
cmake --build --preset windows
export TOSAJIT_HOST_BUILD="$PWD/build"
ctest --preset windows --no-tests=error "$@"

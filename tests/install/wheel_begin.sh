# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What tests of wheels begin with, sourced: folders, words, and the build's own compilers for what pip builds. $1 and $2 are build and source.
set -eu
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
# Within the build, so that a compiler's cache that is told of the checkout's folder finds what the build has compiled.
export TMPDIR="$build/tests/wheel_tmp"
mkdir -p "$TMPDIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; exit 1; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -60 "$work/log"; fail "$*"; }; }
setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
export PYTHON SKBUILD_CMAKE_DEFINE CMAKE_C_COMPILER_LAUNCHER CC PYTHONDONTWRITEBYTECODE=1
PYTHON=$(setting _Python3_EXECUTABLE) CC=$(setting CMAKE_C_COMPILER)
CMAKE_C_COMPILER_LAUNCHER=$(setting CMAKE_C_COMPILER_LAUNCHER)
SKBUILD_CMAKE_DEFINE=TOSAJIT_LLVM_ROOT=$(setting TOSAJIT_LLVM_ROOT)
unset PYTHONPATH

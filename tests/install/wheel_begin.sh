# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What tests of wheels begin with, sourced: folders, words, and the build's own compilers for what
# pip builds. $1 and $2 are build and source.
set -eu
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
# Within the build, so that a compiler's cache that is told of the checkout's folder finds what the
# build has compiled.
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
# With the build's warnings as errors, or the compiler's cache would take it for another one.
SKBUILD_CMAKE_DEFINE="$(sed -nE 's/^(TOSAJIT_(LLVM_ROOT|WERROR)):[A-Z]*=/\1=/p' \
    "$build/CMakeCache.txt" | paste -sd ';')"
unset PYTHONPATH
. "$source/tests/support/venv.sh"

# old_enough FOLDER: what is built there asks no C library for what came after 2.28.
old_enough() {
    found=$(find "$1" -type f \( -name '*.so*' -o -name tosajit \))
    [ -n "$found" ] || fail "$1 has no files that a loader reads"
    for file in $found; do
        newest=$(readelf --wide --version-info "$file" |
            grep -oE 'Name: (GLIBC_[0-9.]+|GLIBC_[A-Z_]+|GLIBCXX_[0-9.]+)' | sed 's/Name: //' |
            sort --version-sort | tail -n 1)
        case $newest in
        '' | GLIBC_2.[0-9] | GLIBC_2.[0-9].* | GLIBC_2.1[0-9] | GLIBC_2.2[0-8]) ;;
        *) fail "$file needs $newest, and glibc 2.28 is promised" ;;
        esac
    done
}

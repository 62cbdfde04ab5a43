#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The C++ interface and the programs of README.md and docs/first-steps.md, with each compiler of the
# machine, g++ and clang++: without a warning, and run.
#   sh tests/api/cxx_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY [FLAGS...]
set -eu
build=$1 source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1"; exit 1; }
# block LANGUAGE PAGE PROGRAM: the blocks of a page in that language.
block() {
    awk -v fence="\`\`\`$1" '/^```/ { on = $0 == fence; next } on' "$source/$2" >"$work/$3"
    [ -s "$work/$3" ] || fail "$2 has no $1"
}
block c README.md readme.c
block c docs/first-steps.md steps.c
block cpp docs/first-steps.md steps.cpp
for name in readme steps; do cp "$work/$name.c" "$work/${name}_c.cpp"; done
# compile COMPILER STANDARD FILE PROGRAM
compile() {
    # shellcheck disable=SC2086 # a list of words
    "$1" "-std=$2" -Wall -Wextra -Wconversion -Werror "-I$source/include" "$3" -o "$4" \
        -L"$build/jit" -ltosajit \
        "-Wl,-rpath,$build/jit" $flags -lm || fail "$1 does not compile ${3##*/} as $2"
}
flags=$*
compilers=""
for compiler in g++ clang++ clang++-22; do
    command -v "$compiler" >/dev/null || continue
    compilers="$compilers $compiler"
    compile "$compiler" c++17 "$source/tests/api/cxx_test.cc" "$work/cxx"
    compile "$compiler" c++20 "$source/tests/api/cxx_test.cc" "$work/cxx20"
    for name in readme_c steps_c steps; do
        compile "$compiler" c++17 "$work/$name.cpp" "$work/$name"
    done
    "$work/cxx" "$work/image" && "$work/cxx20" "$work/image" || fail "cxx_test.cc by $compiler"
    for name in readme steps; do
        [ "$("$work/${name}_c")" = "11 22 33" ] ||
            fail "the C of the page $name as C++ by $compiler"
    done
    [ "$("$work/steps")" = 0.5 ] || fail "the C++ of docs/first-steps.md by $compiler"
done
for name in readme steps; do
    compile cc c11 "$work/$name.c" "$work/${name}_c"
    [ "$("$work/${name}_c")" = "11 22 33" ] || fail "the C of the page $name"
done
[ -n "$compilers" ] || fail "there is neither g++ nor clang++"
# All of it stands in one header, which may come twice.
echo '#include <tosajit/tosajit.hpp>
#include <tosajit/tosajit.hpp>' | ${compilers##* } -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only "-I$source/include" - || fail "the header alone"
# Older C++ hears first what the matter is.
echo '#include <tosajit/tosajit.hpp>' | ${compilers##* } -x c++ -std=c++14 -fsyntax-only \
    "-I$source/include" - >"$work/log" 2>&1 && fail "C++14 is accepted"
[ "$(grep 'error: ' "$work/log" | head -n 1 | grep -c 'tosajit\.hpp is for C++17 or later')" = 1 \
    ] || fail "C++14: $(head -n 5 "$work/log")"
echo "compiled by$compilers"

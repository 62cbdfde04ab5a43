#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The examples of docs/how-to-*.md, applied to a copy of the tree: they build and compute, and the
# build refuses each of them with a piece missing, in words that name the piece.
#   sh how_to_example_test.sh ROOT GENERATOR COMPILER LLVM_ROOT
#
# "At the end of `FILE`:" and "Behind `WORD` in `FILE`:" say where the indented lines below them go.
set -eu
root=$1 generator=$2 compiler=$3 llvm=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The example has the library's objects, without precompiled code: making that of every op takes
# longer than all else here.
fail() { echo "$@"; [ ! -f "$work/log" ] || tail -20 "$work/log"; exit 1; }

mkdir "$work/tree"
(cd "$root" && cp -R CMakeLists.txt cmake include runtime jit "$work/tree")
cat "$root"/docs/how-to-*.md | awk -v tree="$work/tree/" '
    function put(    line, text, found) {
        if (file == "") return
        while ((getline line < file) > 0) {
            text = text line "\n"
            if (word != "" && !found && index(line, word)) { text = text lines; found = 1 }
        }
        close(file)
        if (word == "" || found) {
            printf "%s", word == "" ? text lines : text > file
            close(file)
            applied++
        }
        file = ""
    }
    /^(At the end of|Behind) `.*:$/ {
        put()
        split($0, part, "`")
        word = /^Behind/ ? part[2] : ""
        file = tree (word == "" ? part[2] : part[4])
        lines = ""
        next
    }
    /^    / && file != "" { lines = lines substr($0, 5) "\n"; next }
    /./ { put() }
    END { put(); print applied }' >"$work/applied"
[ "$(cat "$work/applied")" = 4 ] ||
    fail "there are $(cat "$work/applied") pieces of examples, not 4"

cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(how_to C)
find_package(Threads REQUIRED)
add_subdirectory(tree)
add_executable(example $root/tests/unit/how_to_example.c)
target_include_directories(example PRIVATE tree/include)
get_target_property(libraries tosajit-precompile LINK_LIBRARIES)
target_link_libraries(example PRIVATE tosajit_jit tosajit_codegen tosajit_common tosajit_linked \${libraries})
END
cmake -S "$work" -B "$work/build" -G "$generator" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_BUILD_TYPE=Debug \
    -DTOSAJIT_WERROR=ON -DTOSAJIT_LLVM_ROOT="$llvm" >"$work/log" 2>&1 || fail "no configuration"
build() { cmake --build "$work/build" --target example >"$work/log" 2>&1; }
build || fail "the examples do not build"
"$work/build/example" meteorlake || fail "the examples do not work"

# refused FILE COMPILED SED_EXPRESSION WORDS...: with the change in the first file, the second one
# is not compiled, or what it becomes not linked, with all these words. The first one keeps its
# time, so that no other file is compiled for it.
refused() {
    file=$work/tree/$1 compiled=$work/tree/$2 change=$3
    shift 3
    cp -p "$file" "$work/kept"
    sed "$change" "$work/kept" >"$file"
    cmp -s "$file" "$work/kept" && fail "nothing changed: $change"
    touch -r "$work/kept" "$file"
    touch "$compiled"
    build && fail "built in spite of $change"
    for word; do
        grep -qE "$word" "$work/log" || fail "the message does not say $word"
    done
    grep -m1 -E "$1" "$work/log"
    cp -p "$work/kept" "$file"
    touch "$compiled"
}
ops=include/tosajit/ops.def
refused $ops runtime/expr/ops.c '/^TOSAJIT_OP(abs_diff/s/ROUNDED,//' \
    'requires 9 arguments, but only 8|too few arguments' abs_diff
refused $ops runtime/expr/keys.c '/^TOSAJIT_OP(abs_diff/s/NONE/NOTHING/' ATTRIBUTE_NOTHING
refused runtime/interpret/interpret_ops.c runtime/interpret/interpret_ops.c \
    '/interpret_abs_diff/,$d' interpret_abs_diff undefined
refused jit/math/arith.c jit/math/arith.c '/emit_abs_diff/,$d' emit_abs_diff undefined
refused $ops jit/math/emitters.c '/^TOSAJIT_OP(abs_diff/s/ROUNDED/FUNCTION/' fast_abs_diff undefined

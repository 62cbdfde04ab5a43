#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What each shared library exports is what the lists in debian/*.symbols say, which Debian's
# packages are made with, too. A name that goes or changes its version breaks programs; a new one is
# added on purpose, by `write`, with the version that first had it.
#   sh tests/install/symbols_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY [write]
set -eu
build=$1 source=$2 mode=${3:-check}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^project(tosajit VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
failed=0
# exported FILE: "name@version" of each symbol, and "version@version" of the versions themselves
exported() {
    nm -D --defined-only "$1" |
        awk \
        '{ sub(/@@/, "@", $3); if ($2 == "A") $3 = $3 "@" $3; sub(/@.*@/, "@", $3); print $3 }' |
        LC_ALL=C sort
}
# listed PACKAGE LIBRARY: the same, from the list, with the version since when
listed() {
    awk -v library="$2" '/^\*/ { next } /^[^ ]/ { on = $1 == library; next } on { print $1, $2 }' \
        "$source/debian/$1.symbols" 2>/dev/null | LC_ALL=C sort; }
# package PACKAGE FOLDER/LIBRARY...
package() {
    name=$1
    shift
    for path; do
        library=${path##*/}.so.0
        exported "$build/$path.so" >"$work/found"
        listed "$name" "$library" >"$work/listed"
        if [ "$mode" = write ]; then
            echo "$library $name #MINVER#"
            echo "* Build-Depends-Package: ${name%0}-dev" | sed 's/-runtime//; s/-codegen//'
            awk -v version="$version" \
                'FILENAME == ARGV[1] { since[$1] = $2; next } { print " " $1, $1 in since ? since[$1] : version }' \
                "$work/listed" "$work/found"
        else
            cut -d ' ' -f 1 "$work/listed" >"$work/wanted"
            [ -s "$work/wanted" ] || {
                echo "FAILED: debian/$name.symbols lists nothing of $library"; failed=1
            }
            diff -u "$work/wanted" "$work/found" >"$work/diff" ||
                { sed 1,2d "$work/diff"
                    echo \
                        "FAILED: $library exports something else (+) than debian/$name.symbols lists (-)"; failed=1; }
        fi
    done >"$work/out"
    if [ "$mode" = write ]; then cp "$work/out" "$source/debian/$name.symbols"; else
        cat "$work/out"; fi
}
package libtosajit-runtime0 jit/libtosajit-runtime
package libtosajit0 jit/libtosajit jit/libtosajit-ops
package libtosajit-codegen0 jit/libtosajit-codegen
[ ! -e "$build/tools/mlir/libtosajit-mlir.so" ] ||
    package libtosajit-mlir0 tools/mlir/libtosajit-mlir
exit $failed

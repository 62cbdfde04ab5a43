#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The headers pass the syntax of clang-cl, and of a compiler like Microsoft's that knows nothing of
# clang.
#   sh header_windows_test.sh SOURCE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for header in tosajit graph image inspect; do
    echo "#include <tosajit/$header.h>" >"$work/$header.c"
    for other in "" -U__clang__; do
        # shellcheck disable=SC2086 # nothing, or a word
        /usr/lib/llvm-22/bin/clang-cl --target=x86_64-pc-windows-msvc -Xclang -ffreestanding \
            $other /W4 /WX "/I$1/include" /Zs "$work/$header.c"
    done
done

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Clang, too, reads every C file without a warning. It warns of what gcc lets pass, such as a
# floating-point number beside a constant of an enumeration, and it builds the fuzzers, where
# warnings are errors.
#   sh tests/tools/clang_test.sh BUILD_DIRECTORY
set -eu
clang=$(command -v clang-22 || command -v clang) || {
    echo "needs clang (apt-get install clang-22)"; exit 1
}
# Each file's first command, out of its JSON string, with another compiler and without output.
commands=$(sed -n \
    's/^ *"command": "[^ ]*\( [^- ][^ ]*\)*  *\(-.*\) -o [^ ]* -c \([^ ]*\.c\)",$/\3 \2/p' \
    "$1/compile_commands.json" | sort -u -k1,1 |
    sed -e 's/\\\(.\)/\1/g' -e "s:^:$clang -fsyntax-only -Werror :")
count=$(printf '%s\n' "$commands" | wc -l)
[ "$count" -gt 100 ] || { echo "found only $count files in $1/compile_commands.json"; exit 1; }
printf '%s\n' "$commands" | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c || {
    echo "clang does not take the files above"; exit 1
}
echo "clang reads $count files without a warning"

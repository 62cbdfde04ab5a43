#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sources are formatted as .clang-format says, no line has more than 100 columns, and no
# function of library and tools more than 37 lines. Generated tables are not looked at. Files of
# CMake have
# 100 columns, too, but for words that cannot be broken.
#   sh tests/tools/format_test.sh SOURCE_DIRECTORY
set -eu
cd "$1"
formatter=$(command -v clang-format-14 || command -v clang-format)
sources=$(find include runtime jit tools tests bench examples -name '*.[ch]' -o -name '*.cc' -o \
    -name '*.hpp' -o -name '*.def' |
    grep -v -e math/coefficients.h -e functions/coefficients.h -e functions/pieces.h -e \
    tests/install/consumer)
# What cannot be broken, such as a line between sections, the formatter leaves as long as it is.
if echo "$sources" | LC_ALL=C.UTF-8 xargs grep -nE '^.{101}'; then
    echo "the lines above have more than 100 columns"
    exit 1
fi
builds=$(find . -path './build*' -prune -o \( -name CMakeLists.txt -o -name '*.cmake' -o -name \
    '*.cmake.in' \) -print)
if echo "$builds" | LC_ALL=C.UTF-8 xargs grep -nE '^.{101}' |
    grep -vE '^[^:]*:[0-9]+: *("([^"\\]|\\.)*"|[^ "]*)\)*$'; then
    echo "the lines above have more than 100 columns, and could be broken"
    exit 1
fi
if echo "$sources" | grep -E '^(runtime|jit|tools)/' | xargs awk '
    FNR == 1 { first = 0 }
    /^[A-Za-z_].*\(/ && !/^typedef/ { first = FNR }
    /;$/ && !inside { first = 0 }
    /\{$/ && first { inside = 1 }
    /^}/ { if (inside && FNR - first >= 37) print FILENAME ":" first ": " FNR - first + 1 " lines"; first = inside = 0 }' |
    grep .; then
    echo "the functions above have more than 37 lines"
    exit 1
fi
echo "$sources" | grep -v '\.def$' | xargs "$formatter" --dry-run --Werror

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Give each source file that has none the two lines that say whose it is and under which licence.
# Files without comments, and those that are read byte by byte, are listed in .reuse/dep5 instead.
# `reuse lint` says whether anything is left.
#   sh tools/add_licence.sh [SOURCE_DIRECTORY]
set -eu
cd "${1:-.}"
spdx=SPDX
whose="$spdx-FileCopyrightText: 2026 The tosajit developers"
licence="$spdx-License-Identifier: Apache-2.0 WITH LLVM-exception"
git ls-files -co --exclude-standard | while IFS= read -r file; do
    case $file in
    */golden/*|tests/fuzz/inputs/*|tests/tools/repl/*) continue ;; # read byte by byte
    *.c|*.h|*.cc|*.hpp|*.def|*.map|*.sollya) before="/* " after=" */" ;;
    *.sh|*.cmake|*.py|*.pyi|*.awk|*.pc.in|*.cmake.in|Doxyfile.in|*/Doxyfile.in|CMakeLists.txt|*/CMakeLists.txt|*.supp|.ci/run|.clang-format|.clang-tidy|.gitignore) before="# " after="" ;;
    debian/rules|debian/tests/*) before="# " after="" ;;
    *) continue ;;
    esac
    [ -f "$file" ] || continue
    head -n 5 "$file" | grep -q SPDX-License-Identifier && continue
    awk -v whose="$before$whose$after" -v licence="$before$licence$after" '
        function say() { print whose; print licence }
        NR == 1 && /^#!/ { print; say(); next }
        NR == 1 { say() }
        { print }
        END { if (NR == 0) say() }' "$file" >"$file.new"
    cat "$file.new" >"$file" # keeps its mode
    rm "$file.new"
    echo "$file"
done

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The pages that say how to add something name files that exist, and words that are in them.
#   sh how_to_test.sh ROOT
#
# A row of a table that names a file has the word to search for behind it: | `jit/math/arith.c` |
# `emit_sub` | ...
# Of all documents, every path in backquotes that begins with a folder of the tree exists.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
complain() { echo "$@"; touch "$work/failed"; }

folders='include|runtime|jit|tools|tests|bench|docs|cmake|examples'
for page in docs/how-to-*.md; do
    awk -v page="$page" -F'`' '/^\|/ {
        for (k = 2; k <= NF; k += 2)
            if ($k ~ /^[a-z][A-Za-z0-9_.\/-]*\.(c|h|def|md|sh|sollya|txt)$/) { print $k "\t" $(k + 2); break }
    }' "$page" >"$work/rows"
    [ "$(grep -c . "$work/rows")" -ge 10 ] || complain "$page: hardly any row names a file"
    while IFS='	' read -r file word; do
        if [ ! -f "$file" ]; then complain "$page: there is no $file"
        elif [ -z "$word" ]; then complain "$page: no word to search for in $file"
        elif ! grep -qF -e "$word" "$file"; then complain "$page: $file has no \"$word\""
        fi
    done <"$work/rows"
done

for page in *.md docs/*.md; do
    { tr '`' '\n' <"$page" | grep -E "^($folders)/[A-Za-z0-9_./-]+$" | grep -v NAME
      grep -oE '\]\([^):#]+[)#]' "$page" | sed "s,^](,$(dirname "$page")/,; s,.$,,"; } \
          >"$work/paths" || true
    while read -r path; do
        [ -e "$path" ] || complain "$page: there is no $path"
    done <"$work/paths"
done
[ ! -e "$work/failed" ]

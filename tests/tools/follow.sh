#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A page as a reader follows it: its programs in C and C++, and every `console` block, in order and
# in one shell, in the current directory.
#   sh tests/tools/follow.sh PAGE LEAST
# Out: what differs from the page, which has at least LEAST commands; exit code 1 if anything does.
set -eu
file=$1 least=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Command K of the page becomes a piece of script that writes what it prints into found.K;
# expected.K is what the page says.
awk -v root="$PWD" -v page="$work" '
    /^```/ { kind = kind ? "" : substr($0, 4); blocks += kind == "c"; lines = 0; file = ""; if (kind == "") finish(); next }
    kind ~ "^c(pp)?$" && $0 ~ "^/[*] [a-z_]+[.](c|h|cc) [*]/$" && !lines { file = $2 } # a program that names itself
    kind == "c" || (kind == "cpp" && file) { lines++; print >(root "/" (file ? file : blocks == 1 ? "tour.c" : "model.c")) }
    kind == "console" && /^\$ / { finish(); number++; open = 1; printf "{\n%s\n", substr($0, 3) >script; next }
    kind == "console" && /^> / && open == 1 { print substr($0, 3) >script; next }
    kind == "console" { close_command(); print >(page "/expected." number) }
    function close_command() { if (open == 1) { printf "} >%s/found.%d 2>&1 || true\n", page, number >script; open = 2 } }
    function finish() { if (open) { close_command(); printf "" >(page "/expected." number); open = 0 } }
    BEGIN { script = page "/script" }
    END { print number >(page "/count") }
' "$file"
sh "$work/script"

# A line "..." of the page matches any number of lines.
count=$(cat "$work/count")
number=1 failed=0
while [ "$number" -le "$count" ]; do
    awk -v expected="$work/expected.$number" '
        BEGIN { while ((getline line <expected) > 0) wanted[++lines] = line; at = 1 }
        wanted[at] == "..." && at <= lines { skipping = 1; at++ }
        at <= lines && $0 == wanted[at] { at++; skipping = 0; next }
        !skipping { different = 1 }
        END { if (wanted[at] == "...") at++; exit different || at <= lines }
    ' "$work/found.$number" || {
        failed=$((failed + 1))
        echo "FAILED: command $number of ${file##*/}; the page (-) and what is printed (+):"
        diff -u "$work/expected.$number" "$work/found.$number" | sed 1,3d || true
    }
    number=$((number + 1))
done
echo "${file##*/}: $count commands"
[ "$count" -ge "$least" ] && [ "$failed" = 0 ]

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tour as a reader follows it: its C programs, tour.c and model.c, and every `console` block of docs/tour.md, in order and in one shell; and
# those of docs/repl.md, docs/language.md, docs/a-call.md and docs/engine-authors.md, whose programs name themselves.
#   sh tests/tools/tour_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY C_COMPILER [FLAGS...]
# In: the built tool and library. Out: what differs from the page; exit code 1 if anything does.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
compiler=$(command -v "$3") # a path: the tour finds another cc in front of it
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root" "$work/bin"
ln -s "$build" "$work/root/build"
ln -s "$source/examples" "$source/include" "$work/root/"
printf '#!/bin/sh\nexec "%s" "$@" %s\n' "$compiler" "$*" >"$work/bin/cc" # the page says cc
chmod +x "$work/bin/cc"

PATH=$work/bin:$PATH
cd "$work/root"
failed=0

# Follow docs/$1.md, which has at least $2 commands, or ten.
follow() {
    page=$work/$1
    mkdir "$page"
    # Command K of the page becomes a piece of script that writes what it prints into found.K; expected.K is what the page says.
    awk -v work="$work" -v page="$page" '
        /^```/ { kind = kind ? "" : substr($0, 4); blocks += kind == "c"; lines = 0; file = ""; if (kind == "") finish(); next }
        kind == "c" && $0 ~ "^/[*] [a-z_]+[.][ch] [*]/$" && !lines { file = $2 } # a program that names itself
        kind == "c" { lines++; print >(work "/root/" (file ? file : blocks == 1 ? "tour.c" : "model.c")) }
        kind == "console" && /^\$ / { finish(); number++; open = 1; printf "{\n%s\n", substr($0, 3) >script; next }
        kind == "console" && /^> / && open == 1 { print substr($0, 3) >script; next }
        kind == "console" { close_command(); print >(page "/expected." number) }
        function close_command() { if (open == 1) { printf "} >%s/found.%d 2>&1 || true\n", page, number >script; open = 2 } }
        function finish() { if (open) { close_command(); printf "" >(page "/expected." number); open = 0 } }
        BEGIN { script = page "/script" }
        END { print number >(page "/count") }
    ' "$source/docs/$1.md"
    sh "$page/script"

    # A line "..." of the page matches any number of lines.
    count=$(cat "$page/count")
    number=1
    while [ "$number" -le "$count" ]; do
        awk -v expected="$page/expected.$number" '
            BEGIN { while ((getline line <expected) > 0) wanted[++lines] = line; at = 1 }
            wanted[at] == "..." && at <= lines { skipping = 1; at++ }
            at <= lines && $0 == wanted[at] { at++; skipping = 0; next }
            !skipping { different = 1 }
            END { if (wanted[at] == "...") at++; exit different || at <= lines }
        ' "$page/found.$number" || {
            failed=$((failed + 1))
            echo "FAILED: command $number of docs/$1.md; the page (-) and what is printed (+):"
            diff -u "$page/expected.$number" "$page/found.$number" | sed 1,3d || true
        }
        number=$((number + 1))
    done
    echo "docs/$1.md: $count commands"
    [ "$count" -ge "${2:-10}" ] || failed=$((failed + 1))
}
follow tour
follow repl
follow language 4
follow a-call 3
follow engine-authors

# The stack that a run needs is one number: what api_test gives it is what the documents say.
kib=$(sed -n 's/^enum { SMALL_STACK = \([0-9]*\) << 10 };.*/\1/p' "$source/tests/api/api_test.c")
for file in include/tosajit/tosajit.h SECURITY.md docs/engine-authors.md; do
    said=$(grep -o '[0-9]* KiB of stack' "$source/$file" | sort -u)
    [ "$said" = "$kib KiB of stack" ] || { echo "$file says '$said'; api_test runs on $kib KiB"; failed=$((failed + 1)); }
done

echo "$failed failed"
[ "$failed" = 0 ]

#!/bin/sh
# The tour as a reader follows it: its C programs, tour.c and model.c, and every `console` block of docs/tour.md, in order and in one shell; those of
# docs/repl.md; and the C of README.md.
#   sh tests/tour_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY C_COMPILER [FLAGS...]
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

# Follow docs/$1.md.
follow() {
    page=$work/$1
    mkdir "$page"
    # Command K of the page becomes a piece of script that writes what it prints into found.K; expected.K is what the page says.
    awk -v work="$work" -v page="$page" '
        /^```/ { kind = kind ? "" : substr($0, 4); blocks += kind == "c"; if (kind == "") finish(); next }
        kind == "c" { print >(work "/root/" (blocks == 1 ? "tour" : "model") ".c") }
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
    [ "$count" -ge 10 ] || failed=$((failed + 1))
}
follow tour
follow repl

{
    printf '#include <stdio.h>\n#include <tosajit/tosajit.h>\nint main(void) {\n'
    awk '/^```/ { on = $0 == "```c"; next } on' "$source/README.md"
    printf 'return status != TOSAJIT_OK || r[0][2] != 33 || r[3][0] != 10;\n}\n'
} >readme.c
cc -std=c11 -Wall -Wextra -Werror readme.c -Iinclude -Lbuild/jit -ltosajit "-Wl,-rpath,$PWD/build/jit" -o readme
./readme || { echo "FAILED: the C of README.md"; exit 1; }

echo "$failed failed"
[ "$failed" = 0 ]

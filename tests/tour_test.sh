#!/bin/sh
# The tour as a reader follows it: its C program and every `console` block of docs/tour.md, in order and in one shell; and the C of README.md.
#   sh tests/tour_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY C_COMPILER [FLAGS...]
# In: the built tool and library. Out: what differs from the page; exit code 1 if anything does.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
compiler=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root" "$work/bin"
ln -s "$build" "$work/root/build"
ln -s "$source/examples" "$source/include" "$work/root/"
printf '#!/bin/sh\nexec "%s" "$@" %s\n' "$compiler" "$*" >"$work/bin/cc" # the page says cc
chmod +x "$work/bin/cc"

# Command K of the page becomes a piece of script that writes what it prints into found.K; expected.K is what the page says.
awk -v work="$work" '
    /^```/ { kind = kind ? "" : substr($0, 4); if (kind == "") finish(); next }
    kind == "c" { print >(work "/root/tour.c") }
    kind == "console" && /^\$ / { finish(); number++; open = 1; printf "{\n%s\n", substr($0, 3) >script; next }
    kind == "console" && /^> / && open == 1 { print substr($0, 3) >script; next }
    kind == "console" { close_command(); print >(work "/expected." number) }
    function close_command() { if (open == 1) { printf "} >%s/found.%d 2>&1 || true\n", work, number >script; open = 2 } }
    function finish() { if (open) { close_command(); printf "" >(work "/expected." number); open = 0 } }
    BEGIN { script = work "/script" }
    END { print number >(work "/count") }
' "$source/docs/tour.md"

PATH=$work/bin:$PATH
cd "$work/root"
sh "$work/script"

{
    printf '#include <stdio.h>\n#include <tosajit/tosajit.h>\nint main(void) {\n'
    awk '/^```/ { on = $0 == "```c"; next } on' "$source/README.md"
    printf 'return status != TOSAJIT_OK || r[0][2] != 33 || r[3][0] != 10;\n}\n'
} >readme.c
cc -std=c11 -Wall -Wextra -Werror readme.c -Iinclude -Lbuild/jit -ltosajit "-Wl,-rpath,$PWD/build/jit" -o readme
./readme || { echo "FAILED: the C of README.md"; exit 1; }

# A line "..." of the page matches any number of lines.
count=$(cat "$work/count")
failed=0
number=1
while [ "$number" -le "$count" ]; do
    awk -v expected="$work/expected.$number" '
        BEGIN { while ((getline line <expected) > 0) wanted[++lines] = line; at = 1 }
        wanted[at] == "..." && at <= lines { skipping = 1; at++ }
        at <= lines && $0 == wanted[at] { at++; skipping = 0; next }
        !skipping { different = 1 }
        END { if (wanted[at] == "...") at++; exit different || at <= lines }
    ' "$work/found.$number" || {
        failed=$((failed + 1))
        echo "FAILED: command $number of docs/tour.md; the page (-) and what is printed (+):"
        diff -u "$work/expected.$number" "$work/found.$number" | sed 1,3d || true
    }
    number=$((number + 1))
done
echo "$count commands, $failed failed"
[ "$count" -ge 10 ] && [ "$failed" = 0 ]

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The REPL in a pipe: transcripts, and input that nobody means well with.
#   sh tests/tools/repl_test.sh build/tools/tosajit . [write]
# In: the built binary and the source directory; tests/tools/repl/*.in is typed, *.out is what comes
# back, on both streams, with figures that depend on the machine masked, without the loops of plans,
# and with the exit code. `write` writes the .out files instead, to be read before they are
# committed.
# Out: what differs; exit code 1 if anything does.
set -u
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$2" && pwd)
write=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$source/examples" "$work/examples"
cd "$work" || exit 1
unset TOSAJIT_HISTORY
export HOME="$work/home" # no history may be written in a pipe

# Counted in files: what stands behind a pipe runs in a shell of its own.
: >"$work/checks"
: >"$work/failures"
count() { echo >>"$work/checks"; }
fail() {
    echo "FAILED: $1"
    echo >>"$work/failures"
}

mask() {
    sed -e '/^  loop /d' -e '/^  columns: /d' -e '/^  coalesced: /d' -e \
        's/known are .*/known are #/' -e 's/^[0-9]* bytes of code in .*/# bytes of code in # ms/' \
        -e 's/^[0-9.]* [mnu]*s per call.*/# per call/' \
        -e \
        's/this takes .* GB of memory, and the machine has .* GB/this takes # GB of memory, and the machine has # GB/'
}

for input in "$source"/tests/tools/repl/*.in; do
    name=$(basename "$input" .in)
    count
    "$tool" <"$input" >"$work/found" 2>&1
    echo "exit code $?" >>"$work/found"
    mask <"$work/found" >"$work/masked"
    if [ "$write" = write ]; then
        cp "$work/masked" "${input%.in}.out"
    else
        diff -u "${input%.in}.out" "$work/masked" || fail "$name"
    fi
done
[ "$(wc -l <"$work/checks")" -ge 4 ] || fail "there are no transcripts"
[ -e "$work/home" ] && fail "a history was written"

# typed CODE TEXT: what is on standard input gives this exit code, and TEXT on one of the streams.
typed() {
    count
    "$tool" >"$work/out" 2>"$work/err"
    found=$?
    [ "$found" = "$1" ] || fail "exit code $found, expected $1, for: $2"
    [ -z "$2" ] || grep -qF -- "$2" "$work/out" "$work/err" || fail "'$2' was not said"
    LC_ALL=C grep -q "$(printf '\033')" "$work/out" "$work/err" && fail "escape codes in a pipe: $2"
}

printf 'abs f32 [2]' | typed 0 "tensor<2xf32>"
printf 'abs f32 [2]\r\n:run [1,-2]\r\n' | typed 0 "[1 2]"
printf 'abs f32 [2]\0\n' | typed 1 'found \00'
printf ':run\0 3\n' | typed 1 '<stdin>:1:'
printf '\377\376 + 1\n' | typed 1 'found \FF'
printf 'x + \303\251 : f32[?]\n' | typed 1 'found é'
printf 'x + \033[2J : f32[?]\n' | typed 1 'found \1B'
printf ':save \033.s\n' | typed 1 'there is none yet'
printf '\n\n\n' | typed 0 ''
printf 'func.func @f() {\n  "string with \\" }\n' |
    typed 1 "<stdin>:1: error: the input ends within the module or function"
head -c 17000000 /dev/zero | tr '\0' 'x' | typed 1 "this line has more than"
{ head -c 17000000 /dev/zero | tr '\0' 'x'; printf '\nabs f32 [2]\n'; } | typed 1 "tensor<2xf32>"
head -c 100000 /dev/zero | tr '\0' '(' | typed 1 "nests more than 200 deep"
head -c 100000 /dev/zero | tr '\0' '-' | typed 1 "nests more than 200 deep"
{
    printf 'x'; yes ' + x' | head -n 2000 | tr -d '\n'; printf ' : f32[?]\n'
} | typed 0 "tensor<?xf32>"
{
    printf 'x'; yes ' + x' | head -n 40000 | tr -d '\n'; printf ' : f32[?]\n'
} | typed 1 "an expression has at most 65536 values"
{
    printf 'module {'; head -c 100000 /dev/zero | tr '\0' '('; printf '\n\nabs f32 [2]\n'
} | typed 1 "brackets nest more than 200 deep"
{
    printf 'module {'; head -c 100000 /dev/zero | tr '\0' '<'; printf '\n\nabs f32 [2]\n'
} | typed 1 "tensor<2xf32>"
head -c 100000 /dev/urandom | typed 1 "error: "
{
    printf 'func.func @f(%%a: tensor<2xf32>) -> tensor<2xf32> {\n'; head -c 1000 /dev/urandom
        printf '\n}\n}\n}\n'
} | typed 1 "error: "

# Every example of :help is right, both ways to write it.
ops=$("$tool" ops | sed -n '1d; s/^\([a-z][a-z_0-9]*\) .*/\1/p' | sort -u)
for op in $ops; do
    echo ":help $op"
done | "$tool" | grep -A 1 -E '^  [a-z_0-9]+ (f32|i32|i8|i1) ' | grep -v '^--' >examples.txt
[ "$(wc -l <examples.txt)" = $((2 * $(echo "$ops" | wc -l))) ] || fail "examples are missing"
typed 0 "tensor<?xi8>" <examples.txt
printf 'rescale i32 [?] -> i8 multiplier=1073741824 shift=31\n' |
    typed 1 "1073741824 is no value of i16; with scale32=true multipliers are i32"

# Commands without their colon, as people type them who are new here.
for word in help '?' 'help '; do
    printf '%s\n' "$word" | typed 0 "About the last kernel, and settings:"
done
for word in quit exit; do printf '%s\nthis is not read\n' "$word" | typed 0 ""; done
# A short name is the long one, which another machine refuses.
count
for name in x86-64-v2 v2; do
    printf ':cpu %s\nexp f32 [?]\n:asm\n' "$name" | "$tool" --quiet 2>&1 |
        sed 's/^cpu .*v2$//' >"$name.txt"
done
cmp x86-64-v2.txt v2.txt && [ "$(wc -l <v2.txt)" -gt 1 ] || fail "v2 is not x86-64-v2"
# A message has its end, however long it is.
printf ':cpu v9\n' | typed 1 "apple-m2"
# names like any other within an expression
printf 'y = quit + 1 : f32[?]\nhelp = quit + 1 : f32[3]\n' | typed 0 "tensor<3xf32>"

# Files: what is saved, and what is not there to draw with.
printf 'y = x * sigmoid(x) : f32[?,3]\n:save k.mlir\n:save k.image\n:save k.o\n' |
    typed 0 "wrote k.o and k.h"
"$tool" verify k.mlir >"$work/out" 2>&1 || fail "k.mlir is refused: $(cat "$work/out")"
"$tool" plan k.mlir | grep -q 'tosa.mul : tensor<?x3xf32>' || fail "k.mlir is another function"
nm k.o | grep -q ' k_main_aot' || fail "k.o has no kernel"
grep -q 'tosajit_status k_main(const float \*x, const int64_t x_dims\[2\]' k.h ||
    fail "k.h declares no function"
head -c 8 k.image | grep -q TOSAJIT || fail "k.image is no image"
# its own header may be written again
printf 'y = x + 1 : f32[4]\n:save k.o\n' | typed 0 "wrote k.o and k.h"
echo 'int mine;' >mine.h
printf 'abs f32 [2]\n:save mine.o\n' | typed 1 "mine.h is there and no header of tosajit's"
[ "$(cat mine.h)" = 'int mine;' ] || fail "a header of somebody else's was overwritten"
[ -e mine.o ] && fail "a refused :save left a file"
printf 'abs f32 [2]\n:save .o\n' | typed 1 ".o has no name in front of the ending"
printf 'abs f32 [?]\n:save k.s\n:save k.ll\n:save plan.svg\n:save "k 2.plan"\n' |
    typed 0 "wrote k 2.plan"
grep -q '%a' plan.svg && xmllint --noout plan.svg || fail "plan.svg is no drawing"
grep -q '^tosajit_abs' k.s || fail "k.s is no assembly"
grep -q '^define' k.ll || fail "k.ll is no IR"
grep -q 'iteration space' 'k 2.plan' || fail "k 2.plan is no plan"
printf 'bitwise_not i8 [?,?]\n:sweep Nx64\n' | typed 0 "GB/s"
[ "$(grep -c '^N [0-9]* .*GB/s' "$work/out")" = 15 ] || fail "a sweep has not a line for each size"
grep -q '^N 16 ' "$work/out" || fail "a sweep begins with 1024 elements"

failures=$(wc -l <"$work/failures")
echo "$(wc -l <"$work/checks") checks, $failures failed"
[ "$failures" = 0 ]

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the variables TOSAJIT_* make the library tell: lines, files, perf, gdb. Every command in a line is run, and compiles the same.
#   sh tests/api/listeners_test.sh build/tools/tosajit .
# In: the built tool and the source directory; in TOSAJIT_EMULATOR what runs the tool, if this machine does not. Out: one line per failed
# expectation; exit code 1 if there is one.
set -u
. "$(dirname "$0")/../support/tool.sh"
trap 'rm -rf "$work"; [ -z "${map:-}" ] || rm -f "$map"' EXIT
mkdir "$work/bin" "$work/dump"
ln -s "$tool" "$work/bin/tosajit"
PATH=$work/bin:$PATH
# check WHAT COMMAND...: the command succeeds.
check() {
    checks=$((checks + 1))
    what=$1
    shift
    "$@" || fail "$what"
}
# says TEXT: it is on standard error.
says() { check "'$1' on standard error" grep -qF -- "$1" "$work/err"; }

gelu="tosajit run examples/gelu_bias.mlir --input examples/gelu_x.npy --input examples/gelu_bias.npy"
residual="tosajit run examples/quant_residual.mlir --input examples/quant_a.npy --input examples/quant_b.npy --input examples/quant_table.npy"

# What the command's machine is, and a lower and a higher CPU of its kind.
lower=x86-64-v2 higher=x86-64-v3
if $gelu --cpu aarch64 >"$work/out" 2>"$work/err"; then lower=aarch64 higher=neoverse-n2; fi

# --- lines -----------------------------------------------------------------------------------------------------------
$gelu >"$work/out" 2>"$work/err"
check "silence" [ ! -s "$work/err" ]
TOSAJIT_VERBOSE=0 $gelu >"$work/out" 2>"$work/err"
check "silence with TOSAJIT_VERBOSE=0" [ ! -s "$work/err" ]
TOSAJIT_VERBOSE=1 $gelu >"$work/out" 2>"$work/err"
check "one line per compilation" [ "$(wc -l <"$work/err")" = 1 ]
says "tosajit: compile tosajit_mul_f32_0 native, "
TOSAJIT_VERBOSE=1 $gelu --backend interpret >"$work/out" 2>"$work/err"
says "tosajit: compile tosajit_mul_f32_0 interpreted: tosajit bench --expr 'func.func @f("

# again FILE EXPECTED: the command at the end of the last line runs, on these shapes, and compiles to the same code.
again() {
    line=$(tail -1 "$1")
    printf '%s\n' "tosajit${line#*: tosajit}" >"$work/command"
    TOSAJIT_VERBOSE=1 sh "$work/command" >"$work/out" 2>"$work/again" || fail "the command of a line fails: $(cat "$work/again")"
    checks=$((checks + 1))
    grep -qF -- "$2" "$work/out" || fail "the command of a line does not measure $2"
    sed 's/.* --expr //; s/ --shape .*//' "$1" | tail -1 >"$work/first"
    sed 's/.* --expr //; s/ --shape .*//' "$work/again" | head -1 >"$work/second"
    cmp -s "$work/first" "$work/second" || fail "the command of a line makes another expression"
}
for run in "$gelu" "$residual"; do
    TOSAJIT_VERBOSE=2 $run >"$work/out" 2>"$work/err"
    check "a line of the compilation and one of the run" [ "$(wc -l <"$work/err")" = 2 ]
    says "tosajit: run "
    cp "$work/err" "$work/lines"
    case $run in
    *gelu*) again "$work/lines" "@f: 3x5xf32, 1x5xf32 -> 3x5xf32" ;;
    *) again "$work/lines" "x4xi8, 256xi8 -> " ;;
    esac
done
# Strides, threads, CPU and accuracy are in the line, too; and what is refused says why.
move='func.func @f(%a: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {tosajit.accuracy = "reproducible"} { %r = tosa.exp %a : (tensor<?x?xf32>) -> tensor<?x?xf32> return %r : tensor<?x?xf32> }'
TOSAJIT_VERBOSE=2 tosajit bench --expr "$move" --shape 3x4:4,12 --shape 3x4:4,12 --threads 2 --cpu $lower >"$work/out" 2>"$work/err"
says "native in "
says ": tosajit bench --cpu $lower --threads 2 --expr 'func.func @f("
says 'attributes {tosajit.accuracy = "reproducible"}'
tail -1 "$work/err" >"$work/lines"
check "strides in the line" grep -qF -- "--shape 3x4:4,12 --shape 3x4:4,12" "$work/lines"
again "$work/lines" "3x4xf32 strided -> 3x4xf32 strided"

# --- files -----------------------------------------------------------------------------------------------------------
TOSAJIT_DUMP=passes,plan,mlir,ir,asm,obj TOSAJIT_DUMP_DIR=$work/dump $residual >"$work/out" 2>"$work/err"
check "no warning" [ ! -s "$work/err" ]
kernel=$work/dump/tosajit_table_i8_0
check "passes" grep -qF "func.func @compact(" "$kernel.passes"
check "a plan" grep -qF "iteration space" "$kernel.plan"
check "an expression" tosajit verify --strict "$kernel.mlir" >"$work/out" 2>&1
check "IR" grep -qF "define " "$kernel.ll"
check "assembly" grep -qF "tosajit_table_i8_0_p0:" "$kernel.s"
nm "$kernel.o" >"$work/out" 2>&1
check "an object with a symbol" grep -qF " T tosajit_table_i8_0_p0" "$work/out"
TOSAJIT_DUMP=mlir TOSAJIT_DUMP_DIR=$work/none $residual >"$work/out" 2>"$work/err"
says "tosajit: warning: TOSAJIT_DUMP: $work/none/tosajit_table_i8_0.mlir: No such file or directory"
check "a result in spite of it" grep -qF "result 0" "$work/out"

# --- words -----------------------------------------------------------------------------------------------------------
TOSAJIT_DUMP=plan,parse TOSAJIT_DUMP_DIR=$work/dump TOSAJIT_VERBOSE=loud TOSAJIT_PERF=yes TOSAJIT_CPU=z80 $gelu >"$work/out" 2>"$work/err"
says 'tosajit: warning: TOSAJIT_DUMP: there is no "parse"; it takes passes, plan, mlir, ir, asm, obj'
says 'tosajit: warning: TOSAJIT_VERBOSE: there is no "loud"; it takes 0, 1, 2'
says 'tosajit: warning: TOSAJIT_PERF: there is no "yes"; it takes map, jitdump'
says 'tosajit: warning: TOSAJIT_CPU=z80 is not used: there is no CPU "z80" to compile for'
check "one line per warning" [ "$(wc -l <"$work/err")" = 4 ]
TOSAJIT_CPU=native $gelu >"$work/out" 2>"$work/err"
check "TOSAJIT_CPU=native is no warning" [ ! -s "$work/err" ]
TOSAJIT_CPU=$lower tosajit asm --expr "$move" >"$work/lowered" 2>"$work/err"
tosajit asm --expr "$move" --cpu $lower >"$work/asked" 2>>"$work/err"
TOSAJIT_CPU=$higher tosajit asm --expr "$move" --cpu $lower >"$work/raised" 2>"$work/err"
sed -i 's/tosajit_exp_f32_[0-9]*//g' "$work/lowered" "$work/asked" "$work/raised"
check "TOSAJIT_CPU lowers" cmp -s "$work/lowered" "$work/asked"
check "a CPU that is lower already is no warning" [ ! -s "$work/err" ]
check "TOSAJIT_CPU does not raise" cmp -s "$work/raised" "$work/asked"
tosajit asm --expr "$move" --cpu $higher >"$work/asked" 2>"$work/err"
TOSAJIT_CPU=$lower tosajit asm --expr "$move" --cpu $higher >"$work/named" 2>>"$work/err"
sed -i 's/tosajit_exp_f32_[0-9]*//g' "$work/named" "$work/asked"
check "code that need not run here is as it is named" cmp -s "$work/named" "$work/asked"
TOSAJIT_CPU=$lower $gelu --cpu $lower >"$work/out" 2>"$work/err"
check "nor is an equal one" [ ! -s "$work/err" ]
TOSAJIT_CPU=${lower#x86-64-} tosajit asm --expr "$move" >"$work/short" 2>"$work/err"
sed -i 's/tosajit_exp_f32_[0-9]*//g' "$work/short"
check "a short name lowers as a long one" cmp -s "$work/short" "$work/lowered"
check "nor is it a warning" [ ! -s "$work/err" ]

# --- perf ------------------------------------------------------------------------------------------------------------
TOSAJIT_PERF=map,jitdump TOSAJIT_PERF_DIR=$work/dump sh -c 'echo $$ && exec "$@"' sh $gelu >"$work/out" 2>"$work/err"
pid=$(head -1 "$work/out")
map=/tmp/perf-$pid.map
check "no warning of perf's" [ ! -s "$work/err" ]
check "a map with address, size and name" grep -qE '^[0-9a-f]+ [0-9a-f]+ tosajit_mul_f32_0_p0$' "$map"
dump=$work/dump/jit-$pid.dump
number() { od -An -t u4 -j "$1" -N 4 "$dump" | tr -d ' '; }
check "the magic number of a jitdump" [ "$(number 0)" = 1248416836 ]
check "a jitdump of one record" [ "$(wc -c <"$dump")" = $(($(number 8) + $(number 44))) ]
check "a name in it" grep -qF tosajit_mul_f32_0_p0 "$dump"
TOSAJIT_PERF=jitdump TOSAJIT_PERF_DIR=$work/none $gelu >"$work/out" 2>"$work/err"
says "tosajit: warning: TOSAJIT_PERF: $work/none/jit-"

# --- gdb -------------------------------------------------------------------------------------------------------------
cat >"$work/commands" <<'COMMANDS'
set breakpoint pending on
set confirm off
break tosajit_mul_f32_0_p0
run
backtrace 3
info symbol $pc
kill
COMMANDS
if [ -n "${TOSAJIT_EMULATOR:-}" ]; then
    echo "*** NOT TESTED: gdb, which would see the emulator"
elif nm "$tool" 2>/dev/null | grep -q __asan_init; then
    echo "*** NOT TESTED: gdb; the tool has a sanitizer, which refuses to be traced"
else
    # shellcheck disable=SC2086 # words
    TOSAJIT_GDB=1 gdb -q -batch -nx -x "$work/commands" --args $gelu >"$work/out" 2>"$work/err"
    check "a breakpoint by a kernel's name" grep -qE 'Breakpoint 1, .* in tosajit_mul_f32_0_p0' "$work/out"
    check "a kernel's name in a backtrace" grep -qE '^#0 .*tosajit_mul_f32_0_p0' "$work/out"
    check "its caller" grep -qE '^#1 .* in ' "$work/out"
fi

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]

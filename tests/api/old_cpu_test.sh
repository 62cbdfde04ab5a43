#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A CPU with SSE4.2 and nothing newer, by an emulator that refuses newer instructions: the library's
# own code must not have them either.
#   sh tests/api/old_cpu_test.sh QEMU_X86_64 build/tools/tosajit .
# Out: exit code 1, and what was said, if a result is wrong or the process ends at an illegal
# instruction.
set -u
qemu=$1 tool=$2 source=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
old() { "$qemu" -cpu Nehalem "$tool" "$@" >"$work/out" 2>&1; }
fail() {
    echo "FAILED: $1"
    cat "$work/out"
    exit 1
}
old run "$source/examples/gelu_bias.mlir" --input "$source/examples/gelu_x.npy" --input \
    "$source/examples/gelu_bias.npy" --check
grep -q 'agree in all 15 elements' "$work/out" || fail "GELU"
# Short rows are packed into long ones, which has code of its own for AVX2 and AVX-512.
printf \
    'y = a + b : f32[?,3], f32[1,3]\n:run ramp 1000x3 1x3\ny = a + b : f32[?,5], f32[?,1]\n:run ramp 1000x5 1000x1\n' >"$work/in"
old <"$work/in"
grep -q '\[2997 2999 3001\]' "$work/out" || fail "rows of three"
grep -q '\[5994 5995 5996 5997 5998\]' "$work/out" || fail "rows of five"
old asm --expr \
    'func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> { %r = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32> return %r : tensor<?xf32> }'
grep -q '%xmm' "$work/out" || fail "native code"
if grep -q '%ymm' "$work/out"; then fail "native code for another CPU"; fi
echo "a CPU with SSE4.2 has all it needs"

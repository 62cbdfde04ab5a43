#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The examples through the command, compiled and interpreted, against the results that are kept
# beside them.
#   sh tests/tools/tool_example_test.sh SOURCE_DIRECTORY [EMULATOR...] TOOL
# In: the built command, and what runs it. Out: the command's messages; exit code 1 if a result
# differs.
set -eu
cd "$1/examples"
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# check EXPECTED COMMAND...: the command writes that array, whoever computes it.
check() {
    expected=$1
    shift
    for how in --check --backend=precompiled --backend=interpret; do
        "$@" "$how" --output "$work/result.npy"
        cmp "$work/result.npy" "$expected"
    done
}
check gelu_expected.npy "$@" run gelu_bias.mlir --input gelu_x.npy --input gelu_bias.npy
check quant_expected.npy "$@" run quant_residual.mlir --input quant_a.npy --input quant_b.npy \
    --input quant_table.npy
"$@" verify gelu_bias.mlir | grep -q 'gelu_bias'
"$@" plan gelu_bias.mlir | grep -q 'affine_map'
"$@" explain gelu_bias.mlir --shape 5x37 --shape 1x37 | grep -q 'columns'
"$@" bench gelu_bias.mlir --shape 5x37 --shape 1x37 | grep -q 'ns'
"$@" outline gelu_bias.mlir | grep -q '6 operations in 1 region'
"$@" ir gelu_bias.mlir | grep -q '^define void @tosajit_'
"$@" ops | grep -q 'arithmetic_right_shift'
echo 'abs f32 [2]' | "$@" | grep -q 'tensor<2xf32>'
"$@" asm gelu_bias.mlir --cpu neoverse-v1 | grep -q 'fmla.*v'
"$@" asm gelu_bias.mlir --cpu znver4 | grep -q 'vfmadd.*zmm'

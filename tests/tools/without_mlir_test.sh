#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command as it is built without MLIR: it reads TOSA's flatbuffers, computes them and divides
# them, and says what it does not read.
#   sh tests/tools/without_mlir_test.sh build/tests/tosajit_without_mlir .
# TOSAJIT_TEST_COMPILER=0 says that nothing is compiled.
# Out: one line per failed expectation; exit code 1 if there is one.
set -u
. "$(dirname "$0")/../support/tool.sh"
: >"$work/err"
files=tests/tools/tosafile
if ldd "$tool" | grep -q libMLIR; then fail "it needs MLIR"; fi
said() {
    checks=$((checks + 1))
    expected=$1
    shift
    "$tool" "$@" >"$work/out" 2>&1
    grep -qF -- "$expected" "$work/out" || fail "$*: '$expected' is not in it"
}
said 'ok: @main (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>' verify \
    "$files/gelu_bias.tosa"
said 'ok: @main' verify "$files/gelu_bias.tosa" --strict
said 'ok: @main' verify "$files/gelu_bias.json" --strict
said '%TosaInput_1' plan "$files/gelu_bias.tosa"
said 'bit for bit' run "$files/gelu_bias.tosa" --input examples/gelu_x.npy --input \
    examples/gelu_bias.npy --check --output "$work/result.npy"
cmp "$work/result.npy" examples/gelu_expected.npy || fail "other bits than with MLIR"
[ "${TOSAJIT_TEST_COMPILER:-1}" = 0 ] ||
    said '@main_region_2' outline "$files/mobile.tosa" -o "$work/divided.tosa" --images \
    "$work/images"
said 'there is no block @none in this file' plan "$files/constants.tosa" --entry none
without='built without MLIR; without it tosajit reads flatbuffers of TOSA'
said "examples/gelu_bias.mlir: error: this tosajit was $without" verify examples/gelu_bias.mlir
said "$without" run --expr 'y = x + x : f32[4]' --input "$work/result.npy"
said "$without" bench --expr 'func.func @main() { return }'
said "$without" outline examples/engine/mlp.mlir --json
printf 'y = x * 2 : f32[4]\n' | "$tool" >"$work/out" 2>&1
[ $? -le 1 ] || fail "the session ends with a signal"
echo "$checks checks, $failures failed"
[ "$failures" = 0 ]

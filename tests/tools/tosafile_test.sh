#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Files that TOSA's own tools wrote (tests/tools/tosafile/make.sh), through every command, beside
# the MLIR that they were written from.
#   sh tests/tools/tosafile_test.sh build/tools/tosajit .
# In: the built tool and the source directory. Out: one line per failed expectation; exit code 1 if
# there is one.
set -u
. "$(dirname "$0")/../support/tool.sh"
files=tests/tools/tosafile

# same TEXT COMMAND...: the command succeeds, and what it says has TEXT in it.
same() {
    checks=$((checks + 1))
    expected=$1
    shift
    "$@" >"$work/out" 2>"$work/err" || fail "$*: refused"
    grep -qF -- "$expected" "$work/out" || fail "$*: '$expected' is not in it"
}
# refused TEXT COMMAND...: it fails, and says TEXT.
refused() {
    checks=$((checks + 1))
    expected=$1
    shift
    "$@" >"$work/out" 2>"$work/err" && fail "$*: accepted"
    grep -qF -- "$expected" "$work/err" || fail "$*: '$expected' is not in it"
}
# arrays FILE EXPECTED INPUT...: the results that are kept beside the examples, whoever computes
# them.
arrays() {
    file=$1 expected=$2
    shift 2
    inputs=""
    for input; do inputs="$inputs --input examples/$input"; done
    for how in --check --backend=precompiled --backend=interpret; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086 # words
        "$tool" run "$files/$file" $inputs "$how" --output "$work/result.npy" >"$work/out" \
            2>"$work/err" || fail "run $file $how: refused"
        cmp "$work/result.npy" "examples/$expected" >"$work/out" 2>&1 ||
            fail "run $file $how: other bits"
    done
}
arrays gelu_bias.tosa gelu_expected.npy gelu_x.npy gelu_bias.npy
arrays gelu_bias.json gelu_expected.npy gelu_x.npy gelu_bias.npy
arrays quant_residual.tosa quant_expected.npy quant_a.npy quant_b.npy quant_table.npy

# array NAME TYPE BYTES: $work/NAME.npy of 2 x 3 elements; bytes are octal, as printf takes them.
array() {
    header="{'descr': '$2', 'fortran_order': False, 'shape': (2, 3), }"
    printf '\223NUMPY\001\000\166\000%-117s\n'"$3" "$header" >"$work/$1.npy"
}
# Both readers find the same: results bit by bit.
# NaN 1 -inf 2 0.1 -50
array x '<f4' \
    '\000\000\300\177\000\000\200\077\000\000\200\377\000\000\000\100\315\314\314\075\000\000\110\302'
array h '<f2' '\000\176\000\074\000\374\001\000\000\104\377\173'
array i '|i1' '\200\177\000\001\372\132'
array w '<i4' \
    '\377\377\377\177\000\000\000\200\007\000\000\000\371\377\377\377\001\000\000\000\000\000\000\000'
for form in mlir tosa json; do
    words=""
    for name in x h i w; do words="$words --input $work/$name.npy"; done
    for k in 0 1 2 3 4 5; do words="$words --output $work/$form.$k.npy"; done
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    "$tool" run "$files/constants.$form" $words --check >"$work/out" 2>"$work/err" ||
        fail "run constants.$form: refused"
done
for k in 0 1 2 3 4 5; do
    checks=$((checks + 1))
    for form in tosa json; do
        cmp "$work/mlir.$k.npy" "$work/$form.$k.npy" >"$work/out" 2>"$work/err" ||
            fail "constants.$form: result $k differs"
    done
done
# The JSON form says what the flatbuffer says, of all that is in it.
for name in gelu_bias int_requantize constants views mobile; do
    for words in "outline --json" "plan --json" "verify --strict"; do
        checks=$((checks + 1))
        for form in tosa json; do
            # shellcheck disable=SC2086 # words
            "$tool" $words "$files/$name.$form" 2>&1 |
                sed "s/$name\.$form/FILE/g" >"$work/said.$form"
        done
        cmp "$work/said.tosa" "$work/said.json" >"$work/out" 2>&1 ||
            fail "$words $name.json: other words than of $name.tosa"
    done
done
# Views in TOSA's own form: what TOSA's reference model gives, by both readers and by all ways to
# compute.
views="--input $files/views_x.npy --input $files/views_y.npy --input $files/views_i.npy --output $work/0.npy --output $work/1.npy --output $work/2.npy"
for form in views.mlir views.tosa views.json; do
    for how in --check --backend=precompiled --backend=interpret; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        "$tool" run "$files/$form" $views "$how" >"$work/out" 2>"$work/err" ||
            fail "run $form $how: refused"
        for k in 0 1 2; do
            cmp "$work/$k.npy" "$files/views_$k.npy" >"$work/out" 2>"$work/err" ||
                fail "run $form $how: result $k differs"
        done
    done
    same \
        '(tensor<2x12xf32>, tensor<4x2x3xf32>, tensor<3x1xi8>) -> (tensor<4x2x3xf32>, tensor<2x9xf32>, tensor<1x2x5xi8>)' \
        "$tool" verify "$files/$form" --strict
    same '[4, 2, 3]' "$tool" plan "$files/$form"
    # Each region has the shapes that it reads, and computes what the whole did.
    divided=$work/divided.${form#views.}
    same '// @main: 13 operations in 3 regions for tosajit, 0 left' "$tool" outline "$files/$form"
    if [ "$form" = views.mlir ]; then mv "$work/out" "$divided"; else
        "$tool" outline "$files/$form" -o "$divided" >"$work/out" 2>"$work/err"; fi
    set -- "--input $files/views_x.npy --input $files/views_y.npy" "--input $files/views_x.npy" \
        "--input $files/views_i.npy"
    for k in 0 1 2; do
        checks=$((checks + 1))
        # shellcheck disable=SC2086
        "$tool" run "$divided" --entry "main_region_$k" $1 --output "$work/$k.npy" >"$work/out" \
            2>"$work/err" || fail "run region $k of $form"
        cmp "$work/$k.npy" "$files/views_$k.npy" >"$work/out" 2>"$work/err" ||
            fail "region $k of $form: other bits"
        shift
    done
done

same 'ok: @main (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>' "$tool" verify \
    "$files/gelu_bias.tosa"
same '"ok": true' "$tool" verify "$files/gelu_bias.tosa" --json
same '%TosaInput_1' "$tool" plan "$files/gelu_bias.tosa"
same 'columns' "$tool" explain "$files/gelu_bias.tosa" --shape 5x37 --shape 1x37
same 'ns' "$tool" bench "$files/gelu_bias.tosa" --shape 5x37 --shape 1x37
same 'define void @tosajit_' "$tool" ir "$files/gelu_bias.tosa" --entry main
same '"c_function"' "$tool" compile "$files/gelu_bias.tosa" -o "$work/gelu.o" --header \
    "$work/gelu.h" --json
same 'ok: @main' sh -c '"$0" verify - <"$1"' "$tool" "$files/gelu_bias.tosa"
same 'ok: @gelu_bias' sh -c '"$0" verify - <"$1"' "$tool" examples/gelu_bias.mlir
# The same regions as of MLIR; what is written is read again, each region is a kernel, and computes
# what the whole did.
same '// @main: 9 operations in 3 regions for tosajit, 3 left' "$tool" outline "$files/mobile.tosa"
same '// left, 2 times: tosa.conv2d: not an elementwise operation of TOSA on tensors' "$tool" \
    outline "$files/mobile.tosa"
same \
    '"regions": [{"function": "main_region_0", "ok": true, "type": "(tensor<?x6x6x16xi32>) -> tensor<?x6x6x16xi8>"}' \
    "$tool" outline "$files/mobile.tosa" --json
for file in "$files/mobile.tosa main" "examples/engine/mobile.mlir block"; do
    # shellcheck disable=SC2086 # both words
    set -- $file
    same \
        '"epilogues": [{"region": "'"$2"'_region_0", "operand": 0, "product": "tosa.conv2d", "alone": true, "tiles": true}, {"region": "'"$2"'_region_1", "operand": 0, "product": "tosa.depthwise_conv2d",' \
        "$tool" outline "$1" --json
done
same '@main_region_0 (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>' "$tool" outline \
    "$files/gelu_bias.tosa" -o "$work/divided.tosa"
same 'the same' sh -c \
    '"$0" run "$1/divided.tosa" --entry main_region_0 --input examples/gelu_x.npy --input examples/gelu_bias.npy \
    --output "$1/region.npy" && cmp "$1/region.npy" examples/gelu_expected.npy && echo the same' "$tool" "$work"
same '// @main: 9 operations in 4 regions' "$tool" outline "$files/constants.tosa" --entry main -o \
    "$work/divided.tosa"
for k in 0 1 2 3; do
    same "ok: @main_region_$k" sh -c '"$0" verify "$1" 2>"$2" || [ $? = 1 ]' "$tool" \
        "$work/divided.tosa" "$work/left"
done
same '"constant_regions": 0,' "$tool" outline "$files/constants.tosa" --json
refused 'operator_name' "$tool" plan "$work/divided.tosa" --entry main
same '// @main: 0 operations in 0 regions for tosajit, 5 left' "$tool" outline \
    "$work/divided.tosa" --entry main
# Regions as images; a name that leads out of the directory is none.
same 'main_region_1.image' sh -c \
    '"$0" outline "$1/mobile.tosa" --images "$2/images" >"$2/said" && ls "$2/images"' "$tool" \
    "$files" "$work"
same '3' sh -c \
    '"$0" outline examples/engine/mobile.mlir --images "$2/images2" >"$2/said" && ls "$2/images2" | grep -c "^block_region_[012].image$"' "$tool" "$files" "$work"
refused 'region @../f_region_0: an image cannot have that name' "$tool" outline --expr \
    'func.func @"../f"(%a: tensor<2xf32>) -> tensor<2xf32> {
  %r = tosa.exp %a : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}' --images "$work/images"
refused '--targets and --accuracy are for --images' "$tool" outline "$files/mobile.tosa" --targets \
    v2
refused 'cannot be made' "$tool" outline "$files/mobile.tosa" --images "$work/none/images"
refused 'there is no CPU "v9"' "$tool" outline "$files/mobile.tosa" --images "$work/images" \
    --targets v9
# Variables are the host's: what reads and writes them stays, in its order.
same '// @main: 2 operations in 2 regions for tosajit, 3 left' "$tool" outline \
    "$files/variable.tosa" -o "$work/divided.tosa"
same '// left, 3 times: tosa.identity: reads or writes a variable, which the host keeps' "$tool" \
    outline "$work/divided.tosa" --entry main
same '@main_region_0 (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>' "$tool" outline \
    "$files/variable.tosa"
refused 'tosa.identity: operand 0, Variable_0, is a variable, which the host keeps' "$tool" verify \
    "$files/variable.tosa"
refused 'tosa.identity: its result, Variable_0, is a variable, which the host keeps' "$tool" plan \
    "$files/variable.tosa"
refused 'goes to standard output' "$tool" outline examples/gelu_bias.mlir -o "$work/divided.mlir"
cp "$files/gelu_bias.tosa" "$work/model.bin" # what it is, and not how it is called
same 'ok: @main' "$tool" verify "$work/model.bin"
refused 'there is no block @other in this file; it has: @main' "$tool" plan \
    "$files/gelu_bias.tosa" --entry other
refused 'operator 12, layer_12: tosa.conv2d: not an elementwise operation' "$tool" verify \
    "$files/mobile.tosa"
refused "MLIR's text; without the suffix" sh -c 'cp "$1" "$2"; exec "$0" verify "$2"' "$tool" \
    examples/gelu_bias.mlir "$work/text.tosa"
same 'ok: @main' sh -c '"$0" verify - <"$1"' "$tool" "$files/gelu_bias.json"
same '3 regions for tosajit, 3 left' "$tool" outline "$files/mobile.json" -o "$work/divided.tosa"
same 'ok: @main_region_0' sh -c '"$0" verify "$1" 2>&1 || :' "$tool" "$work/divided.tosa"
# wrong TEXT MESSAGE: the JSON form with such a text in it.
wrong() {
    printf '{\n  version: { _major: 1, _minor: 0 },\n  %s\n}' "$1" >"$work/model.json"
    refused "$2" "$tool" verify "$work/model.json"
}
wrong 'regions: [], region: []' 'model.json:3:24: error: unknown field: region'
wrong 'regions: [{ blocks: [{ tensors: [{ type: "FP31" }] }] }]' \
    'model.json:3:49: error: unknown enum value: FP31'
wrong 'regions: [{ blocks: [{ tensors: [{ shape: [3000000000] }] }] }]' 'constant does not fit'
wrong 'regions: [{ blocks: [{ tensors: [{ data: [256] }] }] }]' 'constant does not fit'
wrong 'regions: [{ blocks: [{ operators: [{ attribute: {}, op: 1 }] }] }]' \
    'missing type field for this union value'
wrong 'include "other.fbs"' 'model.json:'
wrong 'regions: [' 'model.json:4:'
printf '[]' >"$work/model.json"
refused 'nor its JSON form, which begins with {' "$tool" verify "$work/model.json"
printf '{}\000' >"$work/model.json"
refused 'there is a byte 0 in its JSON form' "$tool" verify "$work/model.json"
{ printf '{ version: {}, regions: ['; head -c 67108865 /dev/zero | tr '\0' ,; } >"$work/model.json"
refused 'or 64 Mi values; the flatbuffer may' "$tool" verify "$work/model.json"
rm "$work/model.json"
refused 'No such file' "$tool" verify "$work/none.tosa"
refused 'this flatbuffer is damaged' sh -c 'head -c 1000 "$1" >"$2"; exec "$0" verify "$2"' \
    "$tool" "$files/gelu_bias.tosa" "$work/cut.tosa"
echo "$checks checks, $failures failed"
[ "$failures" = 0 ]

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tosajit command as a user meets it: every command, exit code and diagnostic.
#   sh tests/tools/tool_test.sh build/tools/tosajit . build/tests/libcheck_lie.so
# In: the built binary, the source directory, and what tests/tools/check_lie.c became. Out: one line per failed expectation; exit code 1 if there is one.
set -u
lie=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
. "$(dirname "$0")/../support/tool.sh"
mlir_opt=${MLIR_OPT:-mlir-opt-22}
rounds=${TOOL_TEST_ROUNDS:-15} # of damaged files, per kind: each day has others
seed=${TOSAJIT_SEED:-$(($(date +%s) / 86400))}
echo "TOSAJIT_SEED=$seed"

# expect CODE TEXT ARGUMENTS...: the tool ends with CODE and says TEXT, on standard output for 0, else on standard error.
expect() {
    code=$1
    text=$2
    shift 2
    "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
    found=$?
    checks=$((checks + 1))
    stream=err
    [ "$code" = 0 ] && stream=out
    [ "$found" = "$code" ] || fail "tosajit $*: exit code $found, expected $code"
    [ -z "$text" ] || grep -qF -- "$text" "$work/$stream" || fail "tosajit $*: '$text' not in std$stream"
    [ "$code" = 0 ] && [ -s "$work/err" ] && fail "tosajit $*: success with something on standard error"
}

# same FILE FILE
same() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# A function of one line per argument, in $work/$1.mlir; line 1 is the function's.
source_file() {
    name=$work/$1.mlir
    shift
    printf '%s\n' "$@" >"$name"
}

# npy NAME DESCR ORDER SHAPE DATA: a .npy file; DATA is for printf.
npy() {
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }"
        # shellcheck disable=SC2059 # data is a format of octal bytes
        printf "$5"
    } >"$work/$1.npy"
}

# --- words -----------------------------------------------------------------------------------------------------------
expect 0 "tosajit 0." --version
expect 0 "usage: tosajit COMMAND" --help
for command in verify plan run bench explain outline ir asm ops; do
    expect 0 "tosajit $command:" "$command" --help
    expect 0 "--help" "$command" -h
done
expect 0 "[--cpu NAME]" asm --help
expect 0 "the Python that TOSAJIT_PYTHON names, or by the first python3 of PATH that has" onnx --help
for command in "" $("$tool" --help | awk '/^  tosajit/ { exit } /^  [a-z]/ { print $1 }'); do # a terminal of 100 columns is enough
    "$tool" $command --help | awk 'length > 100 { print; wide = 1 } END { exit wide }' || fail "wide lines of tosajit $command --help"
done
printf 'no text' >"$work/model.onnx"
expect 1 "model.onnx: an ONNX model is read by \`tosajit onnx MODEL -o OUT\`" plan "$work/model.onnx"
expect 0 "arithmetic_right_shift" ops
expect 0 "r = a + b; integers wrap" ops
expect 0 "multiplier, shift, input_zp, output_zp i8 i16 i32 i48" ops
expect 0 "# Operations" ops --markdown
same "$work/out" docs/ops.md
expect 0 ""                                     # the REPL, with nothing to read
expect 0 "echo 'add f32 [?,3] [4,1]' | tosajit" --help
expect 0 "usage: tosajit repl [FILE] [-c LINE]..." repl --help
expect 2 "--accuracy is exact, reproducible or contracted, not quick" repl --accuracy quick
expect 1 "nowhere.tj: No such file" repl nowhere.tj
expect 2 "there is no command fly" fly
expect 2 "there is no command exlpain; did you mean explain?" exlpain
expect 2 "there is no option --shap here; did you mean --shape?" bench a.mlir --shap 3
# What somebody meant who gives a file alone, a line, names, commas, or a pipe.
expect 2 "examples/gelu_bias.mlir is a file; what to do with it comes before" examples/gelu_bias.mlir
expect 2 "lines come behind -c" 'y = x * 2 : f32[?]'
expect 1 "arguments are given in order, without names" run examples/gelu_bias.mlir --input x=examples/gelu_x.npy --input examples/gelu_bias.npy
expect 2 "--shape 3,5: sizes are joined by x, as 1024x8" explain examples/gelu_bias.mlir --shape 3,5 --shape 1x5
expect 2 "a file is expected; - is standard input" verify
expect 1 "operand 0 is tensor<4xf32>, result 0 of the function tensor<4xf16>" verify --expr 'func.func @main(%x: tensor<4xf32>) -> tensor<4xf16> { return %x : tensor<4xf32> }'
# Words as they are written; none that is far; and what other languages have.
expect 1 "where takes 3 operands, found 1" verify --expr 'y = where(x) : f32[?]'
expect 1 "round takes 1 operand, found 2" verify --expr 'y = round(x, 2) : f32[?]'
expect 1 "there is no op sort; no kernel has it; in Python" verify --expr 'y = sort(x) : f32[?]'
expect 1 "values have no methods here; x.sum is written sum(x)" verify --expr 'y = x.sum() : f32[?]'
expect 1 "there is no op np.sin; did you mean sin?" verify --expr 'y = np.sin(x) : f32[?]'
for word in ptp gcd xor arange divmod einsum repeat len quux; do
    expect 1 "there is no op $word" verify --expr "y = $word(x) : f32[?]"
    ! grep -q 'did you mean' "$work/err" || fail "a suggestion for $word: $(cat "$work/err")"
done
expect 2 "there is no option --fast here" verify a.mlir --fast
expect 2 "there is no option --input here" verify a.mlir --input a.npy
expect 2 "a file is expected" verify
expect 2 "one file expected, found a.mlir and b.mlir" verify a.mlir b.mlir
expect 2 "takes no file" ops a.mlir
expect 2 "found w.mlir and a.npy; arrays are given with --input" run w.mlir a.npy b.npy
expect 0 "tosajit run:" help run
expect 2 "there is no command nonsense" help nonsense
expect 2 "there is no command nonsense" --help nonsense
expect 2 "help is about one command" help run plan
expect 2 "--version takes nothing behind it, found foo" --version foo
expect 2 "version takes nothing behind it, found foo" version foo
expect 0 "tosajit 0." -V
expect 0 "tosajit 0." version
expect 0 "...), aarch64, or a model as znver4, neoverse-n1" run --help
expect 0 ".text" asm examples/gelu_bias.mlir --cpu v3
mv "$work/out" "$work/v3.s"
expect 0 ".text" asm examples/gelu_bias.mlir --cpu x86-64-v3
same "$work/v3.s" "$work/out"
# results of two sizes in short rows, each an instruction a vector: an overlapping tail without ends
for cpu in v2 v3 v4; do
    expect 0 ".text" asm --cpu $cpu --expr 'func.func @f(%x: tensor<3xf64>, %i: tensor<3xi32>) -> (tensor<3xf64>, tensor<3xi32>) {
        %0 = "tosa.add"(%x, %x) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
        %1 = "tosa.bitwise_and"(%i, %i) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
        return %0, %1 : tensor<3xf64>, tensor<3xi32> }'
done
expect 2 'there is no CPU "v9" to compile for; known are native, x86-64-v2' asm examples/gelu_bias.mlir --cpu v9
expect 0 "equal bit for bit. All backends give the same bits" run --help
expect 2 "--entry needs a value" plan a.mlir --entry
expect 2 "--svg needs a value, OUT.svg" plan a.mlir --svg ''
expect 2 "the file has an empty name" plan ''
expect 2 "--entry is given twice" plan a.mlir --entry a --entry b
expect 2 "--strict takes no value" verify a.mlir --strict=yes
expect 2 "try: tosajit run --help" run
expect 1 "/nonexistent.mlir: error: No such file or directory" verify /nonexistent.mlir
expect 1 "error: Is a directory" verify /tmp

# --- verify ----------------------------------------------------------------------------------------------------------
expect 0 "ok: @gelu_bias (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>" verify examples/gelu_bias.mlir
expect 0 "ok: @requantize" verify examples/int_requantize.mlir --strict
expect 0 "ok: @flip (tensor<?xi8>) -> tensor<?xi8>" verify examples/int_mask.mlir --strict
cp examples/gelu_bias.mlir "$work/-odd.mlir"
cd "$work" || exit 1
expect 0 "ok: @gelu_bias" verify -- -odd.mlir
cd "$source" || exit 1
"$tool" verify - <examples/gelu_bias.mlir >"$work/out" 2>"$work/err" || fail "verify of standard input"

source_file places 'func.func @f(%a: tensor<2x3xf32>) -> tensor<2xi32> {' \
    '  %0 = tosa.argmax %a {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2xi32>' '  return %0 : tensor<2xi32>' '}'
expect 0 "ok: @f (tensor<2x3xf32>) -> tensor<2xi32>" verify "$work/places.mlir"
source_file places 'func.func @f(%a: tensor<1x2x3xf32>, %i: tensor<1x2xi32>) -> tensor<1x2x3xf32> {' \
    '  %0 = tosa.scatter %a, %i, %a : (tensor<1x2x3xf32>, tensor<1x2xi32>, tensor<1x2x3xf32>) -> tensor<1x2x3xf32>' '  return %0 : tensor<1x2x3xf32>' '}'
expect 0 "ok: @f (tensor<1x2x3xf32>, tensor<1x2xi32>) -> tensor<1x2x3xf32>" verify "$work/places.mlir"
source_file reduce 'func.func @f(%a: tensor<1x2x2xf32>, %z: tensor<1xf32>) -> tensor<1x2x2xf32> {' \
    '  %0 = tosa.matmul %a, %a, %z, %z : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>' '  return %0 : tensor<1x2x2xf32>' '}'
expect 1 'reduce.mlir:2:8: error: tosa.matmul: not an elementwise operation of TOSA, which `tosajit ops` lists; outline divides' verify "$work/reduce.mlir"
source_file table 'func.func @f(%a: tensor<2xi8>, %t: tensor<256xi8>) -> tensor<2xi8> {' \
    '  %0 = tosa.table %a, %t : (tensor<2xi8>, tensor<256xi8>) -> tensor<2xi8>' '  return %0 : tensor<2xi8>' '}'
expect 0 "ok: @f (tensor<2xi8>, tensor<256xi8>) -> tensor<2xi8>" verify "$work/table.mlir"
sed s/256xi8/255xi8/ "$work/table.mlir" >"$work/shorter.mlir"
expect 1 "shorter.mlir:2:8: error: tosa.table: table is tensor<255xi8>, but must have rank 1 and 256 elements" verify "$work/shorter.mlir"
source_file computed 'func.func @f(%a: tensor<2xi8>, %t: tensor<256xi8>) -> tensor<2xi8> {' \
    '  %0 = tosa.bitwise_not %t : (tensor<256xi8>) -> tensor<256xi8>' \
    '  %1 = tosa.table %a, %0 : (tensor<2xi8>, tensor<256xi8>) -> tensor<2xi8>' '  return %1 : tensor<2xi8>' '}'
expect 1 "computed.mlir:3:8: error: tosa.table: table must be an input or a constant" verify "$work/computed.mlir"
source_file other 'func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {' \
    '  %0 = "my.op"(%a) : (tensor<2xf32>) -> tensor<2xf32>' '  return %0 : tensor<2xf32>' '}'
expect 1 "other.mlir:2:8: error: my.op: not an elementwise" verify "$work/other.mlir"
source_file few 'func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {' \
    '  %0 = "tosa.rescale"(%a) : (tensor<2xi32>) -> tensor<2xi32>' '  return %0 : tensor<2xi32>' '}'
expect 1 "error: tosa.rescale: has 1 operand; 5 expected: 1 tensor and 4 parameters (multiplier, shift, input_zp, output_zp)" verify "$work/few.mlir"
# rescale ATTRIBUTES: of two channels, with all parameters given when called.
rescale() {
    source_file rescale \
        'func.func @f(%a: tensor<?x2xi8>, %m: tensor<2xi32>, %s: tensor<2xi8>, %i: tensor<1xi8>, %o: tensor<1xi32>) -> tensor<?x2xi32> {' \
        "  %0 = \"tosa.rescale\"(%a, %m, %s, %i, %o) <{$1}> : (tensor<?x2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x2xi32>" \
        '  return %0 : tensor<?x2xi32>' '}'
}
scaling='per_channel = true, input_unsigned = false, output_unsigned = false, scale32 ='
rescale "rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, $scaling true"
expect 0 "ok: @f" verify "$work/rescale.mlir" --strict
npy data '|i1' False '2, 2' '\1\1\376\376'
npy multiplier '<i4' False '2,' '\0\0\1\0\0\0\2\0'
npy shifts '|i1' False '2,' '\20\20'
npy input_zp '|i1' False '1,' '\1'
npy output_zp '<i4' False '1,' '\0\0\0\0'
expect 0 "[[ 0  0]" run "$work/rescale.mlir" --input "$work/data.npy" --input "$work/multiplier.npy" --input "$work/shifts.npy" \
    --input "$work/input_zp.npy" --input "$work/output_zp.npy" --print --check
grep -qF " [-3 -6]]" "$work/out" || fail "a rescale with parameters of the call"
rescale "rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, $scaling false"
expect 1 "rescale.mlir:2:8: error: tosa.rescale: DOUBLE_ROUND needs scale32" verify "$work/rescale.mlir"
rescale "rounding_mode = 1 : i32, $scaling true"
expect 1 "error: " verify "$work/rescale.mlir"
source_file ranks 'func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {' \
    '  %0 = tosa.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>' '  return %0 : tensor<2x3xf32>' '}'
expect 0 "ok: @f" verify "$work/ranks.mlir"
expect 1 "ranks.mlir:2:8: error:" verify "$work/ranks.mlir" --strict
source_file shapes 'func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x3xf32> {' \
    '  %0 = tosa.add %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>' '  return %0 : tensor<2x3xf32>' '}'
expect 1 "shapes.mlir:2:8: error: tosa.add: " verify "$work/shapes.mlir"
source_file types 'func.func @f(%a: tensor<2xi7>) -> tensor<2xi7> {' '  return %a : tensor<2xi7>' '}'
expect 1 "types.mlir:1:14: error: argument 0: tensor<2xi7> has an element type other than" verify "$work/types.mlir"
source_file types 'func.func @f(%a: tensor<2xi4>) -> tensor<2xi8> {' '  %r = tosa.cast %a : (tensor<2xi4>) -> tensor<2xi8>' '  return %r : tensor<2xi8>' '}'
expect 1 "argument 0: tensor<2xi4> has elements of which two share a byte; there are i1 i8" verify "$work/types.mlir"
# What MLIR 23 and 24 write, and the way out.
source_file unsigned 'func.func @f(%a: tensor<2xui48>) -> tensor<2xui48> {' '  return %a : tensor<2xui48>' '}'
source_file rescaled 'func.func @f(%a: tensor<2xui8>, %m: tensor<1xi32>, %s: tensor<1xi8>, %z: tensor<1xui8>, %o: tensor<1xi8>) -> tensor<2xi8> {' \
    '  %0 = "tosa.rescale"(%a, %m, %s, %z, %o) <{rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, scale32 = true, per_channel = false, input_unsigned = true, output_unsigned = false}> : (tensor<2xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<2xi8>' \
    '  return %0 : tensor<2xi8>' '}'
expect 1 "tosa.rescale: not defined for (u8) -> i8; it takes a result of i8, i16 or i32, which attributes tell to be unsigned (as \`tosa-opt --tosa-convert" verify "$work/rescaled.mlir"
expect 1 "tensor<2xui48> has unsigned elements, which TOSA tells by attributes: \`tosa-opt --tosa-convert-integer-type-to-signless\`" verify "$work/unsigned.mlir"
source_file wide 'func.func @f(%a: tensor<?xui64>) -> tensor<?xui64> {' \
    '  %0 = "tosa.const"() <{values = dense<[18446744073709551615]> : tensor<1xui64>}> : () -> tensor<1xui64>' \
    '  %1 = tosa.add %a, %0 : (tensor<?xui64>, tensor<1xui64>) -> tensor<?xui64>' \
    '  %2 = tosa.clamp %1 {min_val = 1 : ui64, max_val = 18446744073709551614 : ui64} : (tensor<?xui64>) -> tensor<?xui64>' \
    '  return %2 : tensor<?xui64>' '}'
expect 0 "dense<18446744073709551615> : tensor<1xui64>" outline "$work/wide.mlir"
expect 0 "max_val = 18446744073709551614 : ui64" outline "$work/wide.mlir"
source_file pictures 'func.func @f(%a: tensor<?xui8>) -> tensor<?xui8> {' \
    '  %0 = tosa.clamp %a {min_val = 10 : ui8, max_val = 200 : ui8} : (tensor<?xui8>) -> tensor<?xui8>' \
    '  return %0 : tensor<?xui8>' '}'
expect 0 "ok: @f (tensor<?xu8>) -> tensor<?xu8>" verify "$work/pictures.mlir"
source_file bytes 'func.func @f() -> tensor<2x8xi1> {' \
    '  %0 = "tosa.const"() <{values = dense<"0x01000001000100010001000100010001"> : tensor<2x8xi1>}> : () -> tensor<2x8xi1>' \
    '  return %0 : tensor<2x8xi1>' '}'
expect 1 "MLIR 23 and later write i1 as a byte an element, which is no text of MLIR 22: as bytecode" verify "$work/bytes.mlir"
source_file later 'func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {' \
    '  %0 = tosa.row_gather_block_scaled %a : (tensor<2xf32>) -> tensor<2xf32>' '  return %0 : tensor<2xf32>' '}'
expect 1 "is unknown; one of a later TOSA can be read in generic form (--mlir-print-op-generic)" verify "$work/later.mlir"
source_file double 'func.func @f(%a: tensor<2xf64>) -> tensor<2xf64> {' \
    '  %0 = tosa.abs %a : (tensor<2xf64>) -> tensor<2xf64>' '  return %0 : tensor<2xf64>' '}'
expect 0 "ok: @f" verify "$work/double.mlir"
expect 1 "double.mlir:2:8: error: tosa.abs: not defined for (f64) -> f64" verify "$work/double.mlir" --strict
source_file scalar 'func.func @f(%a: f32) -> f32 {' '  return %a : f32' '}'
expect 1 "scalar.mlir:1:14: error: argument 0: f32 is not a tensor" verify "$work/scalar.mlir"
source_file illegal 'func.func @f(%a: tensor<2xi1>) -> tensor<2xi1> {' \
    '  %0 = tosa.abs %a : (tensor<2xi1>) -> tensor<2xi1>' '  return %0 : tensor<2xi1>' '}'
expect 1 "illegal.mlir:2:8: error: tosa.abs: " verify "$work/illegal.mlir"
source_file shift 'func.func @f(%a: tensor<2xi32>, %s: tensor<1xi8>) -> tensor<2xi32> {' \
    '  %0 = tosa.mul %a, %a, %s : (tensor<2xi32>, tensor<2xi32>, tensor<1xi8>) -> tensor<2xi32>' '  return %0 : tensor<2xi32>' '}'
expect 0 "ok: @f" verify "$work/shift.mlir" --strict
sed 's/%s: tensor<1xi8>/%s: tensor<2xi8>/; s/, tensor<1xi8>)/, tensor<2xi8>)/' "$work/shift.mlir" >"$work/shifted.mlir"
expect 1 "shifted.mlir:2:8: error: tosa.mul: shift is tensor<2xi8>, but must have rank 1 and 1 element" verify "$work/shifted.mlir"
source_file large 'func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {' \
    '  %s = "tosa.const"() <{values = dense<64> : tensor<1xi8>}> : () -> tensor<1xi8>' \
    '  %0 = tosa.mul %a, %a, %s : (tensor<2xi32>, tensor<2xi32>, tensor<1xi8>) -> tensor<2xi32>' '  return %0 : tensor<2xi32>' '}'
expect 1 "large.mlir:3:8: error: tosa.mul: shift[0] is 64, which is not in 0 to 63" verify "$work/large.mlir"
source_file arity 'func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {' \
    '  %0 = "tosa.mul"(%a, %a) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>' '  return %0 : tensor<2xi32>' '}'
expect 1 "tosa.mul: has 2 operands; 3 expected: 2 tensors and 1 parameter (shift)" verify "$work/arity.mlir"
source_file clamp 'func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {' \
    '  %0 = tosa.clamp %a {min_val = 5 : i8, max_val = -5 : i8} : (tensor<2xi8>) -> tensor<2xi8>' '  return %0 : tensor<2xi8>' '}'
expect 1 "clamp.mlir:2:8: error: tosa.clamp: " verify "$work/clamp.mlir"
source_file blocks 'func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {' '  "cf.br"()[^next] : () -> ()' '^next:' '  return %a : tensor<2xi8>' '}'
expect 1 "blocks.mlir:1:1: error: func.func: has several blocks" verify "$work/blocks.mlir"
source_file unranked 'func.func @f(%a: tensor<*xf32>) -> tensor<*xf32> {' '  return %a : tensor<*xf32>' '}'
expect 1 "unranked.mlir:1:1: error: @f: " verify "$work/unranked.mlir"
source_file syntax 'func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {' '  retrun %a : tensor<2xf32>' '}'
expect 1 "syntax.mlir:2:3: error: " verify "$work/syntax.mlir"
source_file empty ''
expect 1 "empty.mlir: error: there is no func.func with a body" verify "$work/empty.mlir"
source_file resource 'func.func @f() -> tensor<2xi32> {' \
    '  %0 = "tosa.const"() <{values = dense_resource<blob> : tensor<2xi32>}> : () -> tensor<2xi32>' '  return %0 : tensor<2xi32>' '}' \
    '{-# dialect_resources: { builtin: { blob: "0x040000000700000008000000" } } #-}'
expect 0 "[7 8]" run "$work/resource.mlir" --print
sed s/08000000// "$work/resource.mlir" >"$work/short.mlir"
expect 1 "short.mlir:2:8: error: tosa.const: the dense_resource has 4 bytes, but its type needs 8" verify "$work/short.mlir"
source_file constants 'func.func @f() -> (tensor<9xi1>, tensor<9xi1>, tensor<2xi48>, tensor<1xbf16>, tensor<?xi16>) {' \
    '  %0 = "tosa.const"() <{values = dense<[1,0,0,1,1,0,0,0,1]> : tensor<9xi1>}> : () -> tensor<9xi1>' \
    '  %1 = "tosa.const"() <{values = dense<true> : tensor<9xi1>}> : () -> tensor<9xi1>' \
    '  %2 = "tosa.const"() <{values = dense<[-140737488355328, 7]> : tensor<2xi48>}> : () -> tensor<2xi48>' \
    '  %3 = "tosa.const"() <{values = dense<1.5> : tensor<1xbf16>}> : () -> tensor<1xbf16>' \
    '  %4 = "tosa.const"() <{values = dense<[-1, 2]> : tensor<2xi16>}> : () -> tensor<?xi16>' \
    '  return %0, %1, %2, %3, %4 : tensor<9xi1>, tensor<9xi1>, tensor<2xi48>, tensor<1xbf16>, tensor<?xi16>' '}'
expect 0 "[ True False False  True  True False False False  True]" run "$work/constants.mlir" --print --backend interpret
grep -qF "[True True True True True True True True True]" "$work/out" || fail "a splat of i1"
grep -qF "[-140737488355328                7]" "$work/out" || fail "constants of i48"
grep -qF "[1.5]" "$work/out" || fail "a constant of bf16"
grep -qF "[-1  2]" "$work/out" || fail "a constant of a less precise type"

source_file nothing 'func.func @f(%a: tensor<2xi8>) {' '  return' '}'
expect 1 "nothing.mlir:1:1: error: func.func: has no results; a kernel computes at least one" verify "$work/nothing.mlir"
expect 1 "1:17: error: argument 0: the type is not a tensor" verify --expr 'func.func @main(%m: memref<4xf32>) { return }'
expect 1 "it must be a number, as min_fp and min_int were before TOSA 1.0" verify --expr 'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.clamp %x {min_fp = 0.0 : f32, max_fp = 6.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32> }'
# constant NAME OP ATTRIBUTE TYPE: a function that returns a constant.
constant() {
    source_file "$1" "func.func @f() -> $4 {" "  %c = \"$2\"() <{$3}> : () -> $4" "  return %c : $4" '}'
}
constant old tosa.const 'value = dense<[7, 8]> : tensor<2xi8>' 'tensor<2xi8>'
expect 1 "old.mlir:2:8: error: tosa.const: attribute values is missing; where an older file says value, it must be renamed" verify "$work/old.mlir"
constant missing tosa.const '' 'tensor<2xi8>'
expect 1 "tosa.const: attribute values is missing" verify "$work/missing.mlir"
constant arith arith.constant 'value = dense<[7, 8]> : tensor<2xi8>' 'tensor<2xi8>'
expect 0 "[7 8]" run "$work/arith.mlir" --print --check
expect 0 "ok: @f () -> tensor<2xi8>" verify "$work/arith.mlir" --strict
sed 's/"arith.constant.*/arith.constant dense<[7, 8]> : tensor<2xi8>/' "$work/arith.mlir" >"$work/pretty.mlir"
expect 0 "[7 8]" run "$work/pretty.mlir" --print
source_file number 'func.func @f() -> tensor<2xi8> {' '  %c = arith.constant 7 : i8' '  %0 = "tosa.abs"(%c) : (i8) -> tensor<2xi8>' '  return %0 : tensor<2xi8>' '}'
expect 1 "number.mlir:2:8: error: arith.constant: result: i8 is not a tensor" verify "$work/number.mlir"
constant element tosa.const 'values = dense<[7, 8]> : tensor<2xi8>' 'tensor<2xi16>'
expect 1 "element.mlir:2:8: error: tosa.const: the values are tensor<2xi8>, but the result is tensor<2xi16>" verify "$work/element.mlir"
constant shorter tosa.const 'values = dense<[7, 8]> : tensor<2xi8>' 'tensor<3xi8>'
expect 1 "tosa.const: the values are tensor<2xi8>, but the result is tensor<3xi8>" verify "$work/shorter.mlir"
constant flatter tosa.const 'values = dense<7> : tensor<1x1xi8>' 'tensor<?xi8>'
expect 1 "tosa.const: the values are tensor<1x1xi8>, but the result is tensor<?xi8>" verify "$work/flatter.mlir"

# Names: what a terminal would obey is escaped, and no name passes for another one.
source_file names 'func.func @"\1B[2J\C2\9B"(%a: tensor<2xi8>) -> tensor<2xi8> {' '  return %a : tensor<2xi8>' '}' \
    'func.func @"f\00g"(%a: tensor<2xi8>) -> tensor<2xi8> {' '  return %a : tensor<2xi8>' '}' \
    'func.func @"f"(%a: tensor<3xi8>) -> tensor<3xi8> {' '  return %a : tensor<3xi8>' '}' \
    'func.func @"\C3\A4\5C\FF"(%a: tensor<2xi8>) -> tensor<2xi8> {' '  return %a : tensor<2xi8>' '}'
expect 0 'ok: @\1B[2J\C2\9B (tensor<2xi8>)' verify "$work/names.mlir"
grep -qF 'ok: @f\00g (tensor<2xi8>)' "$work/out" || fail "a name with a 0"
grep -qF 'ok: @f (tensor<3xi8>)' "$work/out" || fail "a name that begins as another one"
grep -qF 'ok: @ä\5C\FF (tensor<2xi8>)' "$work/out" || fail "a name with a letter, a backslash and a stray byte"
expect 0 "tensor<3xi8>" plan "$work/names.mlir" --entry f
expect 0 "tensor<2xi8>" plan "$work/names.mlir" --entry '@f\00g'
expect 2 'of which none is @main; choose one: @\1B[2J' plan "$work/names.mlir"
source_file opname 'func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {' \
    '  %0 = "my.\1B]0;x\07\0Aop"(%a) : (tensor<2xi8>) -> tensor<2xi8>' '  return %0 : tensor<2xi8>' '}'
expect 1 'opname.mlir:2:8: error: my.\1B]0;x\07\0Aop: not an elementwise' verify "$work/opname.mlir"
printf 'func.func @f() -> tensor<\033[2J\200> {\n}\n' >"$work/raw.mlir"
expect 1 'raw.mlir:1:' verify "$work/raw.mlir"
LC_ALL=C grep -q "$(printf '[\033\200]')" "$work/err" && fail "a control character of the file on standard error"

# --- entries ---------------------------------------------------------------------------------------------------------
expect 2 "has several functions, of which none is @main; choose one: @split, @flip" plan examples/int_mask.mlir
expect 2 "tosajit: choose one with --entry" plan examples/int_mask.mlir
expect 2 "there is no function @none in this file; it has: @split, @flip" plan examples/int_mask.mlir --entry none
expect 0 "iteration space" plan examples/int_mask.mlir --entry @split
expect 0 "iteration space" plan examples/gelu_bias.mlir
expect 0 "result 0: %result = tosa.mul : tensor<?x?xf32>" plan examples/gelu_bias.mlir
grep -qF "loop 0: either %x %bias;" "$work/out" || fail "names of arguments in a plan"
expect 0 "%columns = tosa.const : tensor<1x4xi1>" plan examples/int_mask.mlir --entry split
grep -qF "loop 0: contiguous %a %limit %columns;" "$work/out" || fail "names of constants in a plan"
expect 0 "define " ir examples/gelu_bias.mlir
expect 0 ".text" asm examples/gelu_bias.mlir
# A value that an option does not take is wrong usage, whichever option it is.
expect 2 "error: " asm examples/gelu_bias.mlir --cpu z80
expect 2 "--accuracy is exact, reproducible or contracted, not medium" asm examples/gelu_bias.mlir --accuracy medium
expect 2 "--threads is a number" explain examples/gelu_bias.mlir --threads none --shape 2x2 --shape 1x2
expect 2 "sizes expected" explain examples/gelu_bias.mlir --shape none --shape 1x2
expect 2 'there is no CPU "z80"' compile examples/gelu_bias.mlir -o "$work/z.o" --header "$work/z.h" --targets v2,z80
expect 2 'there is no CPU "z80"' repl --cpu z80

# --- drawings --------------------------------------------------------------------------------------------------------
# The passes, in their order, are those of docs/passes.md; and what each makes is MLIR.
norm='clip(clip(reshape(x, [2, 3]), 0, 6), 1, 5) + mean(u, axis=0) / std(u, axis=0) : f32[6], f32[?,3]'
expect 0 "func.func @views(" plan --passes --expr "$norm"
sed -n 's,^// \([a-z]*\): unchanged$,\1,p; s,^func.func @\([a-z]*\)(.*,\1,p' "$work/out" >"$work/passes"
sed -n 's,^| `\([a-z]*\)` |.*,\1,p' docs/passes.md >"$work/expected"
cmp -s "$work/passes" "$work/expected" || fail "docs/passes.md has other passes: $(cat "$work/passes")"
for pass in compact views simplify common; do
    grep -q "^func.func @$pass(" "$work/out" || fail "$pass changed nothing"
done
cp "$work/out" "$work/passes.mlir"
[ "$(sed -n '/@common/,$p' "$work/passes.mlir" | grep -c tosa.reduce_sum)" = 2 ] || fail "a mean is computed twice"
expect 0 "@common" verify "$work/passes.mlir"
expect 2 "--passes is text, of programs: leave out --nest" plan --passes --nest --expr "$norm"
expect 2 "--passes is text, of programs: leave out --svg" plan --passes --svg a.svg --expr "$norm"

# draw NAME TEXT...: the plan of $work/NAME.mlir as a drawing that is well-formed and says each TEXT.
draw() {
    name=$1
    shift
    expect 0 "" plan "$work/$name.mlir" --svg "$work/$name.svg"
    checks=$((checks + 1))
    xmllint --noout "$work/$name.svg" 2>"$work/err" || fail "the drawing of $name is not well-formed"
    for text in "$@"; do grep -qF -- "$text" "$work/$name.svg" || fail "'$text' is not in the drawing of $name"; done
}
# boxes NAME CLASS COUNT: so many dimensions of operands are drawn in this class.
boxes() {
    found=$(grep -c "<rect class=\"$2 tint\"" "$work/$1.svg")
    [ "$found" = "$3" ] || fail "the drawing of $1 has $found boxes of class $2, expected $3"
}
# binary NAME OP A B R: r = op(a, b).
binary() {
    source_file "$1" "func.func @f(%left: tensor<$3>, %right: tensor<$4>) -> tensor<$5> {" \
        "  %r = tosa.$2 %left, %right : (tensor<$3>, tensor<$4>) -> tensor<$5>" "  return %r : tensor<$5>" '}'
}
binary fixed add 4x3xf32 1x3xf32 4x3xf32
draw fixed '>%left<' '>tensor&lt;1x3xf32&gt;<' '>iteration space [4, 3]<' '>d0 repeats<' '>loop 0 reads operands as [contiguous, contiguous]<' '>@f<' 'prefers-color-scheme:dark'
boxes fixed moves 3
boxes fixed repeats 1
binary open sub '2x?xf32' '?x?xf32' '2x?xf32'
draw open '>iteration space [2, ?]<' '>d1 if 1, repeats<' '>loop 2 reads ' 'decided in each call'
boxes open decided 3
source_file ternary 'func.func @f(%m: tensor<1x4xi1>, %a: tensor<?x1xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {' \
    '  %r = tosa.select %m, %a, %b : (tensor<1x4xi1>, tensor<?x1xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>' '  return %r : tensor<?x4xf32>' '}'
draw ternary '>%r<' 'one value'
boxes ternary repeats 2
binary joined minimum 8x128x256xf32 8x1x1xf32 8x128x256xf32
draw joined '[8, 32768]<'
binary declared add '?x3xf32' '?x3xf32' 4x3xf32
draw declared '>checked in each call: %r: dimension 0 is 4<'
binary nothing_to_walk pow f32 f32 f32
draw nothing_to_walk 'iteration space []'
binary six add '2x1x8x?x1x64xf32' '64xf32' '2x1x8x?x1x64xf32'
draw six '>d5 moves<'
boxes six repeats 7
sixteen=$(printf '?x%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)f32
binary sixteen maximum "$sixteen" "$sixteen" "$sixteen"
draw sixteen '>d15 if 1, repeats<'
boxes sixteen decided 32
cp examples/quant_residual.mlir "$work"
expect 0 "<svg xmlns" plan examples/int_mask.mlir --entry split --svg -
draw quant_residual '>%b_multiplier<' 'looked up, not walked'
# Of the squares only those of the first row and column can have elements of their own.
squares=$(grep -c '<rect class="repeats" [^>]*width="13"' "$work/fixed.svg")
[ "$squares" = 9 ] || fail "of %right, 1x3 in 4x3, $squares squares repeat"
# The drawing in the README, but for the loops, which may be others from one version to the next.
"$tool" plan examples/gelu_bias.mlir --svg - | grep -v '>loop ' >"$work/drawn"
grep -v '>loop ' docs/gelu_bias.svg >"$work/expected"
cmp -s "$work/drawn" "$work/expected" || fail "docs/gelu_bias.svg is out of date: tosajit plan examples/gelu_bias.mlir --svg docs/gelu_bias.svg"
expect 1 "/none.svg: cannot write: No such file or directory" plan examples/gelu_bias.mlir --svg "$work/no/none.svg"
expect 2 "--svg needs a value" plan examples/gelu_bias.mlir --svg
expect 2 "there is no option --svg here" run examples/gelu_bias.mlir --svg a.svg
# The page: well-formed but for what HTML may leave out, of times only where there are sizes, and its own file alone.
page() {
    xmllint --html --noout "$work/page.html" 2>&1 | grep 'error :' | grep -v -E 'Tag (svg|rect|text) invalid$' >"$work/err" # its HTML is that of before 2014
    [ ! -s "$work/err" ] || fail "the page is not well-formed: $(cat "$work/err")"
    ! grep -E '(src|href)=|@import|url\(' "$work/page.html" || fail "the page needs other files"
    for text in "$@"; do grep -qF -- "$text" "$work/page.html" || fail "'$text' is not in the page"; done
}
expect 0 "" explain --expr 'y = select(a < b, a, b) : f32[?,?], f32[?]' --shape 300x256 --shape 256 --html "$work/page.html"
page '<h1>y = select(a &lt; b, a, b)' '300x256xf32, 256xf32 -&gt; 300x256xf32' memcpy 'its arithmetic' 'The roof is' '<svg' 'The loops' 'a cached call'
expect 0 "" explain --expr 'y = sum(x, 1) : f32[?,4]' --html "$work/page.html"
page '<svg' 'iteration space'
! grep -q memcpy "$work/page.html" || fail "times without sizes"
expect 0 "" explain --expr 'y = x + x : f32[?]' --shape 0 --html "$work/page.html"
! grep -q memcpy "$work/page.html" || fail "times of nothing"
expect 0 "<!doctype html>" explain examples/gelu_bias.mlir --html -
expect 1 "/none.html: cannot write: No such file or directory" explain examples/gelu_bias.mlir --html "$work/no/none.html"
expect 2 "--html and --json exclude each other" explain examples/gelu_bias.mlir --html a.html --json

# --- bench and --expr ------------------------------------------------------------------------------------------------
# shellcheck disable=SC2016
halve='func.func @halve(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> { %r = tosa.sub %a, %b : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> return %r : tensor<?x4xf32> }'
expect 0 "ok: @halve" verify --expr "$halve"
expect 0 "iteration space: [?, 4]" plan --expr "$halve"
expect 2 "FILE and --expr exclude each other" plan a.mlir --expr "$halve"
expect 1 "<expr>:1:" verify --expr "nonsense"
expect 0 "ok: @main" verify --expr "y = x : f32[?]"
expect 0 "%bias : tensor<4xf32>" plan --expr "gelu(x + bias) : f32[?,4], f32[4]"
expect 0 "\"function\"" bench --expr "x * y : f32[?,4]" --shape 8x4 --shape 8x4 --json
expect 0 "[ 2  5 10]" --quiet -c "y = x ** 2 + 1 : f32[?]" -c ":run [1,2,3]"
expect 1 "-c:2:1: error: q has no type" -c "x : f32" -c "q"
printf 'y = (x +\n  1) * 2 : f32[?]\n:check 5\n:quiet on\n:threads 2\n:explain 5\n' >"$work/lines.tj"
expect 0 "5 elements equal bit for bit" "$work/lines.tj"
expect 0 "threads 2" -c ":load $work/lines.tj"
expect 0 "ok: @main (tensor<?xf32>) -> tensor<?xf32>" verify "$work/lines.tj"
expect 0 "iteration space: [?]" plan "$work/lines.tj" --strict
expect 1 "nowhere.tj: No such file or directory" plan "$work/nowhere.tj"
printf ':run 5\n# a comment\ny = x +\n' >"$work/open.tj"
expect 1 "open.tj:3:8: error: an operand expected, the line ends here" verify "$work/open.tj"
mkdir "$work/folder.tj"
expect 1 "folder.tj: Is a directory" verify "$work/folder.tj"
expect 1 "No such file" -c ":load $work/nowhere.tj"
expect 2 "FILE and -c exclude each other" -c "x" "$work/lines.tj"
expect 0 "@gelu_bias: 64x64xf32, 1x64xf32 -> 64x64xf32" bench examples/gelu_bias.mlir --shape 64x64 --shape 1x64
for text in "a call " "an element " "GB/s: 33024 bytes read or written" "of it" "the first kernel of the process"; do
    grep -qF "$text" "$work/out" || fail "bench does not say $text"
done
taskset -c 0 true 2>/dev/null && {
    taskset -c 0 "$tool" bench --expr "$halve" --shape 8x4 --shape 8x4 >"$work/out" 2>"$work/err"
    grep -qF advice "$work/out" && fail "advice to pin a pinned process"
}
expect 0 '{"function": "halve", "accuracy": "exact", "threads": 2, "backend": "native", "arguments": [{"type": "f32", "shape": [8, 4]}, {"type": "f32", "shape": [1, 4]}], "results": [{"type": "f32", "shape": [8, 4]}], ' \
    bench --expr "$halve" --shape 8x4 --shape 1x4 --threads 2 --json
grep -qE '"median_ns": [0-9.e+-]+, .*"ns_per_element": [0-9.e+-]+, "bytes": 272, "gb_per_s": [0-9.e+-]+, "copy_gb_per_s": [0-9.e+-]+, "percent_of_copy": [0-9.e+-]+, .*"compile_ms": [0-9.e+-]+.*}$' \
    "$work/out" || fail "numbers of bench --json"
expect 0 "computed by      precompiled ops; native code takes " bench --expr "$halve" --shape 8x4 --shape 8x4 --backend precompiled
expect 0 "computed by      the interpreter" bench --expr "$halve" --shape 8x4 --shape 8x4 --backend interpret
expect 0 "nothing is compiled" bench --expr "$halve" --backend precompiled
"$tool" bench --expr "$halve" --shape 8x4 --shape 8x4 --backend precompiled --json >"$work/out" 2>"$work/err"
grep -q '"backend": "precompiled", "native_median_ns": ' "$work/out" || fail "bench --json does not say who computes"
expect 0 "what 2 instructions pass on would stay in registers" explain --backend precompiled --expr "(x - y + x) * y : f32[?,4]" --shape 8x4 --shape 8x4
expect 0 "instructions: 2 for 3 ops; a pair of light ops is one" explain --backend precompiled --expr "(x - y + x) * y : f32[?,4]" --shape 8x4 --shape 8x4
expect 0 "instructions: 1 for 2 ops" explain --backend precompiled --expr "x * y + x : f32[?,4]" --shape 8x4 --shape 8x4 # a mul with an operand for its shift
expect 0 "instructions: 1 for 1 op" explain --backend precompiled --expr "x + y : f32[?,4]" --shape 8x4 --shape 8x4
expect 0 "this one instruction gains little" explain --backend precompiled --expr "x + y : f32[?,4]" --shape 8x4 --shape 8x4
expect 0 "the interpreter computes it" explain --backend interpret --expr "x + y : f32[?,4]" --shape 8x4 --shape 8x4
expect 2 "--backend is auto, native, precompiled or interpret, not abacus" bench --expr "$halve" --backend abacus
expect 2 "there is no option --backend here" plan --expr "$halve" --backend native
expect 0 "8x4xf32 strided, 8x4xf32 -> 8x4xf32 strided" bench --expr "$halve" --shape 8x4:4,32 --shape 8x4 --shape 8x4:-16,4 --cpu x86-64-v2
expect 0 "the tensors are empty" bench --expr "$halve" --shape 0x4 --shape 1x4
expect 0 "give them with --shape" bench --expr "$halve" --accuracy reproducible
expect 0 "4x3xf32" bench "$work/fixed.mlir"
expect 0 "f32, f32 -> f32" bench "$work/nothing_to_walk.mlir" --shape scalar --shape scalar
expect 2 "has 2 arguments, found 1 --shape; as in --shape 64x4 --shape 64x4" bench --expr "$halve" --shape 8x4
expect 2 "--shape 8x5 does not fit argument 1 of @halve, tensor<?x4xf32>: dimension 1 is 4, as in 8x4" bench --expr "$halve" --shape 8x4 --shape 8x5
expect 2 "--shape 8x4x: sizes expected" bench --expr "$halve" --shape 8x4x --shape 8x4
expect 2 "--shape 8x-4: sizes expected" bench --expr "$halve" --shape 8x-4 --shape 8x4
expect 2 "--shape 99999999999999999999x4: sizes expected" bench --expr "$halve" --shape 99999999999999999999x4 --shape 8x4
expect 2 "a stride per dimension expected" bench --expr "$halve" --shape 8x4:16 --shape 8x4
expect 2 "more strides than dimensions" bench --expr "$halve" --shape 8x4:16,4,4 --shape 8x4
expect 2 "more than 16 dimensions" bench --expr "$halve" --shape 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 --shape 8x4
expect 1 "exceed the address space" bench --expr "$halve" --shape 9223372036854775807x4 --shape 1x4
expect 1 "out of memory for" bench --expr "$halve" --shape 1000000000000000x4 --shape 1x4
expect 1 "size 3 does not broadcast with 2" bench --expr "$halve" --shape 2x4 --shape 3x4
expect 1 "but the operands give 2" bench --expr "$halve" --shape 2x4 --shape 2x4 --shape 1x4
expect 2 "--threads is a number from 1 to 1024, not 0" bench --expr "$halve" --threads 0
expect 2 "--threads is a number from 1 to 1024, not two" bench --expr "$halve" --threads two

# --- explain ---------------------------------------------------------------------------------------------------------
# explains TEXT... -- ARGUMENTS...
explains() {
    texts=$work/texts
    : >"$texts"
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>"$texts"
        shift
    done
    shift
    expect 0 "" explain "$@"
    while read -r text; do grep -qF -- "$text" "$work/out" || fail "tosajit explain $*: '$text' is missing"; done <"$texts"
}
explains "a cached call" "coalesced: [8, 4]" "operand 1: contiguous, the same for every row" "tiles: 8 rows of 4 columns" "memory: 272 bytes" \
    "threads: 1, because the engine has no more" -- --expr "$halve" --shape 8x4 --shape 1x4
explains "a cached call" "operand 0: contiguous, through a buffer, because its columns are 32 bytes apart" \
    "faster: with operands and results whose innermost dimension is dense" -- --expr "$halve" --shape 8x4:4,32 --shape 8x4
explains "coalesced: [32]" "tiles: 1 row of 32 columns" -- --expr "$halve" --shape 8x4 --shape 8x4
explains "a size is 0" "empty: nothing is computed" -- --expr "$halve" --shape 0x4 --shape 1x4
if [ "$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)" -gt 1 ]; then # that this process may run on
    explains "which share" "threads: 2 of 2" -- --expr "$halve" --shape 1000000x4 --shape 1000000x4 --threads 2
    explains "because the work is too little for more" -- --expr "$halve" --shape 8x4 --shape 8x4 --threads 2
else
    echo "*** NOT TESTED: two threads: there is one processor"
    explains "because the engine has no more" -- --expr "$halve" --shape 1000000x4 --shape 1000000x4 --threads 2
fi
explains "a cached call" "operand 2: a table, looked up" "constant 0: contiguous" -- examples/quant_residual.mlir --shape 2x2x4 --shape 1x2x4 --shape 256
expect 2 "sizes of @halve are dynamic; give them with --shape" explain --expr "$halve"
expect 2 "does not fit argument 0" explain --expr "$halve" --shape 8x5 --shape 8x4
expect 2 "does not fit argument 0 of @halve, tensor<?x4xf32>: 1 size given, 2 expected, as 64x4" explain --expr "$halve" --shape 4 --shape 8x4
expect 2 "argument 0 of @main, tensor<f32>: 2 sizes given, 0 expected, as scalar" bench --expr 'func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }' --shape 3x4
expect 1 "size 3 does not broadcast with 2" explain --expr "$halve" --shape 2x4 --shape 3x4
expect 1 "9223372036854775807 elements with a stride of 16 bytes exceed" explain --expr "$halve" --shape 9223372036854775807x4 --shape 1x4

# --- run -------------------------------------------------------------------------------------------------------------
gelu="run examples/gelu_bias.mlir --input examples/gelu_x.npy --input examples/gelu_bias.npy"
# shellcheck disable=SC2086 # words
{
    expect 0 "result 0: 3x5 of f32, smallest -0.13808359, largest 7.25" $gelu
    expect 0 "agree in all 15 elements, bit for bit" $gelu --check --output "$work/gelu.npy"
    same "$work/gelu.npy" examples/gelu_expected.npy
    expect 0 "" $gelu --backend interpret --output "$work/gelu2.npy" --strict
    same "$work/gelu2.npy" examples/gelu_expected.npy
    expect 0 "   0.43544814     0.6305157     1.4561152     1.9544997          7.25" $gelu --print
    expect 0 "agree in all 15 elements, bit for bit" $gelu --check --backend precompiled
    expect 2 "would compare it with itself" $gelu --check --backend interpret
    expect 2 "found 2 --output" $gelu --output "$work/x.npy" --output "$work/y.npy"
    expect 2 "has 2 arguments, found 3 --input" $gelu --input examples/int_sum.npy
    expect 1 "cannot write: No such file or directory" $gelu --output "$work/no/such.npy"
}
# shellcheck disable=SC2086
{
    expect 0 "agree in all 15 elements, bit for bit" $gelu --check --accuracy exact
    expect 0 "" $gelu --check --accuracy=reproducible
    expect 2 "--accuracy is exact, reproducible or contracted, not quick" $gelu --accuracy quick
    expect 2 "--accuracy is about code" $gelu --accuracy reproducible --backend interpret
}
expect 0 "define " ir examples/gelu_bias.mlir --accuracy reproducible
expect 0 ".text" asm examples/gelu_bias.mlir --accuracy exact
expect 2 "--accuracy is exact, reproducible or contracted, not quick" plan examples/gelu_bias.mlir --accuracy quick
expect 0 'operator_name = "fma"' plan --passes --expr 'x * y - z : f32[?]' --accuracy contracted
expect 0 "// contraction: unchanged" plan --passes --expr 'x * y - z : f32[?]' --accuracy reproducible
residual="run examples/quant_residual.mlir --input examples/quant_a.npy --input examples/quant_b.npy --input examples/quant_table.npy"
for how in "--check" "--backend interpret" "--backend precompiled" "--strict" "--cpu x86-64-v2"; do
    # shellcheck disable=SC2086
    expect 0 "" $residual $how --output "$work/quant.npy"
    same "$work/quant.npy" examples/quant_expected.npy
done
integers="run examples/int_requantize.mlir --input examples/int_sum.npy --input examples/int_bias.npy"
# shellcheck disable=SC2086
expect 0 "agree in all 20 elements" $integers --check --output "$work/int.npy"
same "$work/int.npy" examples/int_expected.npy
split="run examples/int_mask.mlir --entry split --input examples/int_sum.npy --input examples/int_limit.npy"
# shellcheck disable=SC2086
expect 0 "" $split --output "$work/chosen.npy" --output="$work/kept.npy" --output "$work/zeros.npy"
for name in chosen kept zeros; do same "$work/$name.npy" "examples/int_$name.npy"; done
# shellcheck disable=SC2086
expect 2 "two results cannot both go to one file" $split --output "$work/r.npy" --output "$work/r.npy" --output "$work/s.npy"
ln -s "$work" "$work/link"
ln -s r.npy "$work/other.npy"
for twin in "$work/./r.npy" "$work/link/r.npy" "$work/other.npy"; do
    # shellcheck disable=SC2086
    expect 2 "two results cannot both go to one file: $work/r.npy and $twin" $split --output "$work/r.npy" --output "$twin" --output "$work/s.npy"
done
[ -e "$work/r.npy" ] && fail "a refused --output wrote a file"
cp examples/gelu_bias.mlir "$work/kept.mlir"
ln -s kept.mlir "$work/same.mlir"
for written in "run $work/kept.mlir --output" "run $work/same.mlir --output" "plan $work/kept.mlir --svg" \
    "compile $work/kept.mlir --header $work/kept.h -o" "compile $work/kept.mlir -o $work/kept.o --header"; do
    # shellcheck disable=SC2086
    expect 2 "what is written would replace it" $written "$work/kept.mlir"
done
cmp -s examples/gelu_bias.mlir "$work/kept.mlir" || fail "a program was replaced by what was made of it"
# shellcheck disable=SC2086
expect 1 "cannot write" $split --output "$work/half1.npy" --output "$work/half2.npy" --output "$work/no/half.npy"
ls "$work"/half* >"$work/out" 2>/dev/null && fail "a failure left output files"

# The file that --output names: its permissions stay, links are followed, and any name will do that the system takes.
echo old >"$work/private.npy"
chmod 600 "$work/private.npy"
ln "$work/private.npy" "$work/twin.npy"
ln -s not/yet.npy "$work/dangling.npy"
mkdir "$work/not"
ln -s loop.npy "$work/loop.npy"
longest=$work/$(printf '%0251d.npy' 0)
for target in "$work/private.npy" "$work/dangling.npy" "$longest"; do
    # shellcheck disable=SC2086
    expect 0 "" $gelu --output "$target"
    same "$target" examples/gelu_expected.npy
done
[ "$(stat -c %a "$work/private.npy")" = 600 ] || fail "--output changed permissions"
[ "$(cat "$work/twin.npy")" = old ] || fail "--output wrote into another hard link"
[ -L "$work/dangling.npy" ] && [ -f "$work/not/yet.npy" ] || fail "--output replaced a link"
# shellcheck disable=SC2086
expect 1 "cannot write: File name too long" $gelu --output "${longest}x"
# shellcheck disable=SC2086
expect 1 "cannot write: Too many levels of symbolic links" $gelu --output "$work/loop.npy"

# Standard streams as files: - is one of them, and one that came closed is no place for a result.
gelu_files="--input examples/gelu_x.npy --input examples/gelu_bias.npy"
expect 0 "" $gelu --output "$work/gelu.npy"
for given in "examples/gelu_bias.mlir --input - --input examples/gelu_bias.npy <examples/gelu_x.npy" "- $gelu_files <examples/gelu_bias.mlir"; do
    eval "\"\$tool\" run --output - $given" >"$work/out.npy" 2>"$work/err" || fail "run $given"
    same "$work/gelu.npy" "$work/out.npy"
done
expect 2 "standard input can be read once, found 2 -" run - --input - --input examples/gelu_bias.npy
expect 2 "--output - and --print would both write to standard output" $gelu --output - --print
expect 2 "--output - and --check would both write to standard output" $gelu --output - --check
# status CODE WHAT: how what was run by hand has ended.
status() {
    found=$?
    checks=$((checks + 1))
    [ "$found" = "$1" ] || fail "$2: exit code $found, expected $1"
}
"$tool" $gelu --output - >&- 2>"$work/err"
status 1 "a result to a closed standard output"
"$tool" $gelu --output - >&- 2>&- <&-
status 1 "the same, without any stream"
"$tool" $gelu --output "$work/closed.npy" --print >&- 2>&- <&-
status 1 "elements to a closed standard output"
same "$work/gelu.npy" "$work/closed.npy"
# What cannot be written whole is not there, and what was there stays: devices and links, too.
ln -s /dev/full "$work/full.o"
echo old >"$work/old.o"
expect 1 "/full.o: cannot write: No space left on device" compile examples/gelu_bias.mlir -o "$work/full.o" --header "$work/full.h"
[ -L "$work/full.o" ] && [ -c /dev/full ] && [ ! -e "$work/full.h" ] || fail "compile removed a device, or left half of two files"
expect 1 "/no/such.h: cannot write: No such file or directory" compile examples/gelu_bias.mlir -o "$work/old.o" --header "$work/no/such.h"
[ "$(cat "$work/old.o")" = old ] || fail "compile wrote one file of two"
ln -s old.o "$work/linked.h"
expect 2 "object and header are one file" compile examples/gelu_bias.mlir -o "$work/old.o" --header "$work/linked.h"
mkdir "$work/limited"
for words in "$gelu --output $work/limited/a.npy" "plan examples/gelu_bias.mlir --svg $work/limited/a.svg" \
    "compile examples/gelu_bias.mlir -o $work/limited/a.o --header $work/limited/a.h"; do
    (ulimit -f 0 && "$tool" $words 2>&1) | grep -qF "cannot write: File too large" || fail "$words beyond the limit of file sizes"
done
[ -z "$(ls -A "$work/limited")" ] || fail "files beyond the limit of sizes are left"
find "$work" -name '.tosajit*' >"$work/out"
[ -s "$work/out" ] && fail "temporary files are left"

# What has no end, and a shell that gives little stack.
expect 1 "/dev/zero: error: more than 1073741824 bytes, which is the most that is read" verify /dev/zero
for words in "$gelu --check" "explain examples/gelu_bias.mlir --shape 64x64 --shape 1x64" "outline examples/engine/mlp.mlir" \
    "compile examples/gelu_bias.mlir -o $work/stack.o --header $work/stack.h --targets v2,v3"; do
    checks=$((checks + 1))
    (ulimit -s 64 && "$tool" $words) >"$work/out" 2>"$work/err" || fail "$words with a stack of 64 KiB"
done

expect 2 "argument 1 of @gelu_bias is missing: tensor<1x?xf32> expected" run examples/gelu_bias.mlir --input examples/gelu_x.npy
expect 1 "argument 1 of @gelu_bias, tensor<1x?xf32>: examples/int_bias.npy: elements of type '<i4' found, '<f4' (float32) expected for f32" \
    run examples/gelu_bias.mlir --input examples/gelu_x.npy --input examples/int_bias.npy
expect 1 "argument 1 of @gelu_bias, tensor<1x?xf32>: examples/gelu_x.npy: the array has shape 3x5" \
    run examples/gelu_bias.mlir --input examples/gelu_x.npy --input examples/gelu_x.npy
npy scalar '<f4' False '' '\0\0\0\0'
expect 1 "scalar.npy: the array is a scalar" run examples/gelu_bias.mlir --input examples/gelu_x.npy --input "$work/scalar.npy"
expect 2 "@f has 1 result, found 2 --output" run "$work/double.mlir" --input "$work/scalar.npy" --output a.npy --output b.npy
npy wide '<f4' False '1, 3' '\0\0\0\0\0\0\0\0\0\0\0\0'
expect 1 "gelu_bias.mlir:5:1: error: @gelu_bias: " run examples/gelu_bias.mlir --input examples/gelu_x.npy --input "$work/wide.npy"
npy big '>f4' False '1, 1' '\0\0\0\0'
expect 1 "big-endian data must be converted first" run examples/gelu_bias.mlir --input examples/gelu_x.npy --input "$work/big.npy"
expect 1 "README.md: not a .npy file" run examples/gelu_bias.mlir --input README.md --input README.md

# Every type through a function that only moves it, and Fortran order.
moves() {
    source_file "move" "func.func @f(%a: tensor<?x?x$1>) -> tensor<?x?x$1> {" \
        "  %0 = tosa.identity %a : (tensor<?x?x$1>) -> tensor<?x?x$1>" "  return %0 : tensor<?x?x$1>" '}'
    npy move "$2" False '2, 2' "$3"
    expect 0 "bit for bit" run "$work/move.mlir" --input "$work/move.npy" --output "$work/moved.npy" --check
    same "$work/moved.npy" "$work/move.npy"
}
moves i1 '|b1' '\1\0\0\1'
moves i8 '|i1' '\200\177\0\377'
moves i16 '<i2' '\1\2\3\4\5\6\7\200'
moves i32 '<i4' '\1\2\3\4\5\6\7\200\0\0\0\0\377\377\377\377'
moves i48 '<i8' '\1\2\3\4\5\6\0\0\0\0\0\0\0\200\377\377\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0'
moves f16 '<f2' '\1\2\3\4\5\6\7\176'
moves bf16 '<u2' '\1\2\3\4\5\6\300\177'
moves f32 '<f4' '\1\2\3\4\5\6\7\200\0\0\0\200\1\0\200\177'
moves f8E4M3FN '|u1' '\200\177\0\377'
moves f8E5M2 '|u1' '\200\177\0\377'
moves i64 '<i8' '\1\2\3\4\5\6\0\0\0\0\0\0\0\200\377\0\0\0\0\0\0\0\0\200\1\0\0\0\0\0\0\0'
moves f64 '<f8' '\1\2\3\4\5\6\0\0\0\0\0\0\0\0\360\177\0\0\0\0\0\0\0\200\232\231\231\231\231\231\271\77'
source_file order 'func.func @f(%a: tensor<?x?xi8>, %b: tensor<1x1xi8>) -> tensor<?x?xi8> {' \
    '  %0 = tosa.bitwise_xor %a, %b : (tensor<?x?xi8>, tensor<1x1xi8>) -> tensor<?x?xi8>' '  return %0 : tensor<?x?xi8>' '}'
npy fortran '|i1' True '2, 3' '\1\4\2\5\3\6'
npy zero '|i1' False '1, 1' '\0'
expect 0 "[[1 2 3]" run "$work/order.mlir" --input "$work/fortran.npy" --input "$work/zero.npy" --print --check
npy none '|i1' False '0, 3' ''
npy huge '|i1' False '0, 9223372036854775807' ''
expect 0 "result 0: 0x9223372036854775807 of i8, empty" run "$work/order.mlir" --input "$work/huge.npy" --input "$work/zero.npy" --check --print
expect 0 "result 0: 0x3 of i8, empty" run "$work/order.mlir" --input "$work/none.npy" --input "$work/zero.npy" --check

# --- a check that must fail ------------------------------------------------------------------------------------------
# lie CALLS BY CODE TEXT ARGUMENTS...: as expect, with an interpreter that is wrong. Call 0 is the function.
cat >"$work/liar" <<LIAR
#!/bin/sh
LD_PRELOAD=$lie ASAN_OPTIONS=verify_asan_link_order=0 exec $tool "\$@"
LIAR
chmod +x "$work/liar"
lie() {
    honest=$tool
    tool=$work/liar
    LIE_CALLS=$1
    LIE_BY=$2
    export LIE_CALLS LIE_BY
    shift 2
    expect "$@"
    tool=$honest
}
# shellcheck disable=SC2086
{
    lie 9 1 0 "bit for bit" $gelu --check
    lie 0 1 1 "check: 1 of 15 elements differ, the first is result 0 [0, 0]: kernel 0xba962500 (-0.0011455119), interpreter 0xba962501 (-0.001145512)" $gelu --check
    lie 0 1 1 "check: 1 of 15 elements differ" $gelu --check --accuracy reproducible
    lie 0 1 1 "check: 1 of 15 elements differ, the first is result 0 [0, 0]: kernel 0x" $gelu --check --output "$work/lie.npy"
    lie 0 1 1 "check: 1 of 20 elements differ, the first is result 0 [0, 0]: kernel 0x00 (0), interpreter 0x01 (1)" $integers --check
    lie 0 1 1 "check: 1 of 60 elements differ" $residual --check
}
[ -e "$work/lie.npy" ] && fail "a failed check wrote an output"

# log of this float is so near the midpoint of two floats that double precision does not tell which is nearer.
source_file log 'func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {' '  %0 = tosa.log %a : (tensor<1xf32>) -> tensor<1xf32>' '  return %0 : tensor<1xf32>' '}'
npy midpoint '<f4' False '1,' '\353\217\027\101'
expect 0 "bit for bit" run "$work/log.mlir" --input "$work/midpoint.npy" --check

# --- the same function in other forms --------------------------------------------------------------------------------
if command -v "$mlir_opt" >"$work/out"; then
    "$mlir_opt" examples/gelu_bias.mlir --mlir-print-op-generic >"$work/generic.mlir" || fail "mlir-opt"
    "$mlir_opt" examples/gelu_bias.mlir --emit-bytecode >"$work/gelu.mlirbc" || fail "mlir-opt"
    "$mlir_opt" "$work/table.mlir" --emit-bytecode >"$work/table.mlirbc" || fail "mlir-opt"
    for form in generic.mlir gelu.mlirbc; do
        expect 0 "ok: @gelu_bias" verify "$work/$form" --strict
        expect 0 "bit for bit" run "$work/$form" --input examples/gelu_x.npy --input examples/gelu_bias.npy --output "$work/form.npy" --check
        same "$work/form.npy" examples/gelu_expected.npy
    done
    expect 0 "result 0: %9 = tosa.mul : " plan "$work/gelu.mlirbc"
    grep -qF "loop 0: either %arg0 %arg1;" "$work/out" || fail "numbers in a plan of bytecode"
    "$mlir_opt" examples/int_requantize.mlir --mlir-print-op-generic >"$work/int.mlir" || fail "mlir-opt"
    expect 0 "" run "$work/int.mlir" --input examples/int_sum.npy --input examples/int_bias.npy --output "$work/int.npy"
    same "$work/int.npy" examples/int_expected.npy
    expect 0 "ok: @f" verify "$work/table.mlirbc"
    head -c 100 "$work/table.mlirbc" >"$work/cut.mlirbc" # a place that is unknown is not 0:0
    expect 1 "/cut.mlirbc: error: " verify "$work/cut.mlirbc"
    "$mlir_opt" examples/quant_residual.mlir --emit-bytecode >"$work/quant.mlirbc" || fail "mlir-opt"
    expect 0 "ok: @residual" verify "$work/quant.mlirbc" --strict
else
    echo "no $mlir_opt: bytecode and generic syntax are not tested"
    exit 1
fi

# --- damage: any answer but a crash ----------------------------------------------------------------------------------
# damage FILE SIZE ROUND: one byte of a copy, in place.
damage() {
    place=$(((($3 * 7919 + 13) * 31) % $2))
    byte=$(printf '\\%03o' $((($3 * 193 + 71) % 256)))
    # shellcheck disable=SC2059 # an octal byte
    printf "$byte" | dd of="$1" bs=1 seek="$place" conv=notrunc 2>/dev/null
}
for kind in examples/int_requantize.mlir examples/quant_residual.mlir "$work/gelu.mlirbc" "$work/quant.mlirbc"; do
    size=$(($(wc -c <"$kind")))
    round=0
    while [ "$round" -lt "$rounds" ]; do
        cp "$kind" "$work/damaged"
        damage "$work/damaged" "$size" $((seed % 1000 * rounds + round))
        [ $((round % 5)) = 0 ] && head -c $((size * (5 * round + seed % 5) / (5 * rounds))) "$kind" >"$work/damaged"
        "$tool" verify "$work/damaged" >"$work/out" 2>"$work/err"
        code=$?
        checks=$((checks + 1))
        { [ "$code" = 0 ] || [ "$code" = 1 ]; } || fail "round $round of $kind: exit code $code"
        [ "$code" = 1 ] && [ ! -s "$work/err" ] && fail "round $round of $kind: refused without a word"
        round=$((round + 1))
    done
done
{
    printf 'func.func @f(%%a: '
    head -c 1000000 /dev/zero | sed 's/\x00/tuple</g'
} >"$work/deep.mlir"
expect 1 "deep.mlir: error: MLIR's parser fails on this file" verify "$work/deep.mlir"
# Bytecode of 658 bytes, of which MLIR's reader makes exponential work.
expect 1 "too much memory or time" verify tests/fuzz/inputs/mlir/11a38bda98ce
{
    echo '!t0 = f32'
    round=0
    while [ "$round" -lt 200 ]; do
        echo "!t$((round + 1)) = tuple<!t$round, !t$round>"
        round=$((round + 1))
    done
    echo 'func.func @f(%a: !t200) -> !t200 {'
    echo '  return %a : !t200'
    echo '}'
} >"$work/nested.mlir"
expect 1 "nested.mlir:202:14: error: argument 0: the type is not a tensor" verify "$work/nested.mlir"

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]

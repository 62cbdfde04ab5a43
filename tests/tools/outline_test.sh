#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Divided functions: MLIR accepts them, regions are as large as can be and never more, and inlined
# again they are the function they came from.
#   sh tests/tools/outline_test.sh build/tools/tosajit .
# In: the built tool and the source directory. Out: one line per failed expectation; exit code 1 if
# there is one.
set -u
. "$(dirname "$0")/../support/tool.sh"
mlir_opt=${MLIR_OPT:-mlir-opt-22}

# divide FILE TEXT: the tool divides it and says TEXT; MLIR accepts the module; each region is a
# kernel; inlined it is what it was.
divide() {
    checks=$((checks + 1))
    "$tool" outline "$1" >"$work/out" 2>"$work/err" || fail "outline $1"
    grep -qF -- "$2" "$work/out" || fail "outline $1: '$2' is not in it"
    cp "$work/out" "$work/divided.mlir"
    "$mlir_opt" "$work/divided.mlir" -o "$work/verified.mlir" 2>"$work/err" ||
        fail "outline $1: MLIR refuses it"
    for region in $(grep -o 'func.func @[a-z_]*_region_[0-9]*' "$work/divided.mlir" |
        sed 's/.*@//'); do
        "$tool" plan "$work/divided.mlir" --entry "$region" >"$work/out" 2>"$work/err" ||
            fail "outline $1: @$region is no kernel"
    done
    # The order of operations is free; without their numbers the lines are the same.
    for form in "$1" "$work/divided.mlir"; do
        "$mlir_opt" "$form" --inline --cse --canonicalize 2>"$work/err" | sed -n '1,/^  }/p' |
            sed 's/%[a-z0-9_]*\(#[0-9]\)\{0,1\}/%/g; s/^ *//' | sort >"$work/form"
        mv "$work/form" "$work/form.$checks.$([ "$form" = "$1" ] && echo before || echo after)"
    done
    diff "$work/form.$checks.before" "$work/form.$checks.after" >"$work/out" ||
        fail "outline $1: inlined again it is another function"
}
# function NAME LINES...: $work/NAME.mlir.
function_file() {
    name=$work/$1.mlir
    shift
    printf '%s\n' "$@" >"$name"
}
t='tensor<1x4x4xf32>'
zero='  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>'
product() {
    printf \
        '  %%%s = tosa.matmul %%%s, %%%s, %%z, %%z : (%s, %s, tensor<1xf32>, tensor<1xf32>) -> %s' \
        "$1" "$2" "$3" "$t" "$t" "$t"
}
unary() { printf '  %%%s = tosa.%s %%%s : (%s) -> %s' "$1" "$2" "$3" "$t" "$t"; }
binary() {
    printf '  %%%s = tosa.%s %%%s, %%%s : (%s, %s) -> %s' "$1" "$2" "$3" "$4" "$t" "$t" "$t"
}

divide examples/engine/mlp.mlir "// @mlp: 17 operations in 2 regions for tosajit, 3 left"
divide examples/engine/mobile.mlir "// @block: 9 operations in 3 regions for tosajit, 3 left"
divide examples/gelu_bias.mlir "// @gelu_bias: 6 operations in 1 region for tosajit, 0 left"

# A path through matmul leads from exp to add: one region of both would need its own result.
function_file detour "func.func @f(%a: $t) -> $t {" "$zero" "$(unary e exp a)" "$(product m e e)" \
    "$(binary r add e m)" "  return %r : $t" '}'
divide "$work/detour.mlir" "// @f: 2 operations in 2 regions for tosajit, 1 left"
# No such path from exp to add, although matmul reads exp as well: one region with two results, of
# which one is matmul's.
function_file fork "func.func @f(%a: $t) -> ($t, $t) {" "$zero" "$(unary e exp a)" \
    "$(product m e e)" "$(binary r add e a)" "  return %r, %m : $t, $t" '}'
divide "$work/fork.mlir" "// @f: 2 operations in 1 region for tosajit, 1 left"
# The region must stand behind a matmul that stood behind a part of it.
function_file late "func.func @f(%a: $t) -> $t {" "$zero" "$(unary e exp a)" "$(product m a a)" \
    "$(binary r add e m)" "  return %r : $t" '}'
divide "$work/late.mlir" "// @f: 2 operations in 1 region for tosajit, 1 left"
# Two ways around each other: a and b could each join c, but not both.
function_file knot "func.func @f(%x: $t) -> $t {" "$zero" "$(unary a exp x)" "$(product m a a)" \
    "$(unary b abs m)" "$(product n b a)" "$(binary c add b n)" "$(binary d sub c a)" \
    "  return %d : $t" '}'
divide "$work/knot.mlir" "// @f: 4 operations in 3 regions for tosajit, 2 left"
# Two regions, each of an early and a late op, of which each would read what the other one gives:
# one of them stays in parts.
function_file crossed "func.func @f(%a: $t, %b: $t) -> ($t, $t) {" "$zero" "$(unary p abs a)" \
    "$(product x p a)" "$(unary e exp b)" "$(product m e a)" "$(binary q add p m)" \
    "$(binary r add e x)" "  return %q, %r : $t, $t" '}'
divide "$work/crossed.mlir" "// @f: 4 operations in 3 regions for tosajit, 2 left"
# Views have constant shapes, which each region has for itself.
divide tests/tools/tosafile/views.mlir "// @main: 13 operations in 3 regions for tosajit, 0 left"
# What is views alone stays, however many; what an operation reads or gives through views is in its
# region.
function_file moved "func.func @f(%a: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<6x2xf32>) {" \
    '  %s = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>' \
    '  %0 = tosa.reverse %a {axis = 1 : i32} : (tensor<2x6xf32>) -> tensor<2x6xf32>' \
    '  %1 = tosa.reshape %0, %s : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>' \
    '  %2 = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<2x6xf32>) -> tensor<6x2xf32>' \
    '  %3 = tosa.abs %2 : (tensor<6x2xf32>) -> tensor<6x2xf32>' \
    '  return %1, %3 : tensor<3x4xf32>, tensor<6x2xf32>' '}'
divide "$work/moved.mlir" "// @f: 2 operations in 1 region for tosajit, 2 left"
grep -q '^// left, .*tosa.reshape: moves elements and computes nothing' "$work/divided.mlir" ||
    fail "the reason for what moves elements alone"
function_file none "func.func @f(%a: $t) -> $t {" "$zero" "$(product m a a)" "  return %m : $t" '}'
divide "$work/none.mlir" "// @f: 0 operations in 0 regions for tosajit, 1 left"
function_file copied "func.func @f(%a: $t) -> ($t, $t) {" "  return %a, %a : $t, $t" '}'
divide "$work/copied.mlir" "// @f: 0 operations in 0 regions for tosajit, 0 left"
# A table must be at hand as a whole, so what computes it is another region. An op for which the
# library has no type stays.
function_file table 'func.func @f(%a: tensor<2xi8>, %t: tensor<256xi8>) -> tensor<2xi8> {' \
    '  %0 = tosa.bitwise_not %t : (tensor<256xi8>) -> tensor<256xi8>' \
    '  %1 = tosa.table %a, %0 : (tensor<2xi8>, tensor<256xi8>) -> tensor<2xi8>' \
    '  return %1 : tensor<2xi8>' '}'
divide "$work/table.mlir" "// @f: 2 operations in 2 regions for tosajit, 0 left"
function_file foreign \
    'func.func @f(%a: tensor<*xf32>, %b: tensor<2xf32>) -> (tensor<*xf32>, tensor<2xf32>) {' \
    '  %0 = tosa.abs %a : (tensor<*xf32>) -> tensor<*xf32>' \
    '  %1 = tosa.abs %b : (tensor<2xf32>) -> tensor<2xf32>' \
    '  return %0, %1 : tensor<*xf32>, tensor<2xf32>' '}'
divide "$work/foreign.mlir" "// @f: 1 operation in 1 region for tosajit, 1 left"
# A result that only a nested region reads.
function_file nested "func.func @f(%c: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {" \
    '  %e = tosa.exp %a : (tensor<4xf32>) -> tensor<4xf32>' \
    '  %r = "tosa.cond_if"(%c) ({' '    tosa.yield %e : tensor<4xf32>' '  }, {' \
    '    tosa.yield %a : tensor<4xf32>' '  }) : (tensor<i1>) -> tensor<4xf32>' \
    '  return %r : tensor<4xf32>' '}'
divide "$work/nested.mlir" "// @f: 1 operation in 1 region for tosajit, 1 left"
# What reads constants alone is computed once, by the host: a weight in half precision, and what
# becomes of it.
half='  %h = "tosa.const"() <{values = dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf16>}> : () -> tensor<1x1x4xf16>'
weight='  %w = tosa.cast %h : (tensor<1x1x4xf16>) -> tensor<1x1x4xf32>'
scaled='  %v = tosa.exp %w : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>'
row='tensor<1x1x4xf32>'
function_file weight "func.func @f(%a: tensor<1x4x1xf32>) -> $t {" "$zero" "$half" "$weight" \
    "$scaled" \
    "  %m = tosa.matmul %a, %v, %z, %z : (tensor<1x4x1xf32>, $row, tensor<1xf32>, tensor<1xf32>) -> $t" "$(unary r exp m)" "  return %r : $t" '}'
divide "$work/weight.mlir" "// @f: 1 operation in 1 region for tosajit, 3 left"
[ "$(grep -c '^// left, .*reads nothing but constants' "$work/divided.mlir")" = 2 ] ||
    fail "the reason for what reads constants alone"
"$tool" outline "$work/weight.mlir" --json >"$work/out" &&
    grep -qF '"constant_regions": 0,' "$work/out" || fail "a region of constants alone"
# One region reads what they give, so it has them; not so if somebody else reads it, too.
function_file bias "func.func @f(%a: $t) -> $t {" "$half" "$weight" "$scaled" \
    "  %s = tosa.add %a, %v : ($t, $row) -> $t" "$(unary r exp s)" "  return %r : $t" '}'
divide "$work/bias.mlir" "// @f: 4 operations in 1 region for tosajit, 0 left"
function_file shared "func.func @f(%a: $t, %b: tensor<1x4x1xf32>) -> ($t, $t) {" "$zero" "$half" \
    "$weight" "$scaled" \
    "  %s = tosa.add %a, %v : ($t, $row) -> $t" \
    "  %m = tosa.matmul %b, %v, %z, %z : (tensor<1x4x1xf32>, $row, tensor<1xf32>, tensor<1xf32>) -> $t" \
    "$(unary r exp s)" "  return %r, %m : $t, $t" '}'
divide "$work/shared.mlir" "// @f: 2 operations in 1 region for tosajit, 3 left"
function_file fixed "func.func @f() -> $row {" "$half" "$weight" "$scaled" "  return %v : $row" '}'
divide "$work/fixed.mlir" "// @f: 0 operations in 0 regions for tosajit, 2 left"
# Epilogues: what others read, too, stays in memory; what is reduced, or repeated, does not go tile
# by tile.
function_file products "func.func @f(%a: $t, %b: $row) -> ($t, $t, $row, $t) {" "$zero" \
    "$(product m a a)" "$(unary e exp m)" \
    "$(product n a e)" "$(unary x exp n)" \
    "  %s = tosa.reduce_max %x {axis = 1 : i32} : ($t) -> $row" \
    "  %o = tosa.matmul %b, %x, %z, %z : ($row, $t, tensor<1xf32>, tensor<1xf32>) -> $row" \
    "  %y = tosa.add %o, %a : ($row, $t) -> $t" "  return %m, %e, %s, %y : $t, $t, $row, $t" '}'
checks=$((checks + 1))
"$tool" outline "$work/products.mlir" --json >"$work/out" 2>"$work/err" ||
    fail "outline of products"
for said \
    in '"region": "f_region_0", "operand": 0, "product": "tosa.matmul", "alone": false, "tiles": true' \
    '"region": "f_region_1", "operand": 0, "product": "tosa.matmul", "alone": true, "tiles": false' \
    '"region": "f_region_2", "operand": 0, "product": "tosa.matmul", "alone": true, "tiles": false'; do
    grep -qF "$said" "$work/out" || fail "epilogues: $said"
done
# Several functions, and a name that is taken.
{ cat "$work/fork.mlir"; sed 's/@f(/@f_region_0(/' "$work/late.mlir"; } >"$work/taken.mlir"
"$tool" outline "$work/taken.mlir" >"$work/out" 2>"$work/err" || fail "outline of two functions"
"$mlir_opt" "$work/out" >/dev/null 2>"$work/err" || fail "MLIR refuses two divided functions"
for name in f_region_0 f_region_1 f_region_0_region_0; do
    grep -qF "func.func @$name(" "$work/out" || fail "there is no @$name"
done
"$tool" outline "$work/taken.mlir" --entry f_region_0 >"$work/out" 2>"$work/err" ||
    fail "outline --entry"
grep -qF "func.func @f_region_1(" "$work/out" && fail "outline --entry divides another function"
checks=$((checks + 2))

# Random functions: chains that fork and meet again, with a matmul here and there.
seed=1
random() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % $1))
}
case=0
while [ "$case" -lt "${OUTLINE_TEST_CASES:-12}" ]; do
    {
        echo "func.func @f(%v0: $t) -> $t {"
        echo "$zero"
        k=1
        while [ "$k" -lt 14 ]; do
            random 5 >/dev/null
            what=$((seed / 65536 % 5))
            random $k >/dev/null
            left=$((seed / 65536 % k))
            random $k >/dev/null
            right=$((seed / 65536 % k))
            case $what in
            0) product "v$k" "v$left" "v$right" ;;
            1) unary "v$k" abs "v$left" ;;
            *) binary "v$k" maximum "v$left" "v$right" ;;
            esac
            echo
            k=$((k + 1))
        done
        echo "  return %v13 : $t"
        echo '}'
    } >"$work/random.mlir"
    # What nothing uses is dropped by --cse, but belongs to a region here.
    "$mlir_opt" "$work/random.mlir" --canonicalize --cse -o "$work/random$case.mlir" \
        2>"$work/err" || fail "a random function is malformed"
    divide "$work/random$case.mlir" "// @f: "
    case=$((case + 1))
done

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Ahead of time: objects and headers from `tosajit compile`, linked into programs in C and C++ that
# have the runtime library alone.
#   sh tests/tools/aot_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY C_COMPILER CXX_COMPILER [FLAGS...]
# In: a build; in TOSAJIT_EMULATOR a command that runs its programs, if this machine does not; in
# TOSAJIT_HOST_TOOL the command as built for this machine, whose objects for the other one must be
# the same. Out: one line per failed expectation; exit code 1 if there is one.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
cc=$3
cxx=$4
shift 4
flags="-I$source/include $*"
libraries="-L$build/jit -ltosajit-runtime -lm -Wl,-rpath,$build/jit"
emulator=${TOSAJIT_EMULATOR:-}
# shellcheck disable=SC2086 # a list of words, here and below
run() { $emulator "$@"; }
tosajit() { run "$build/tools/tosajit" "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $1"; exit 1; }
# refused TEXT COMMAND...: it fails, and says so.
refused() {
    text=$1
    shift
    if "$@" >out 2>&1; then fail "$* succeeds"; fi
    grep -qF -- "$text" out || { cat out; fail "$* does not say $text"; }
}

case $($cc -dumpmachine) in
x86_64*) targets=v2,v3,v4 one=x86-64-v2 foreign=neoverse-n1 format=aarch64 ;;
*) targets=aarch64,neoverse-n1 one=aarch64 foreign=x86-64-v3 format=x86-64 ;;
esac

# The example, shared and static, from C and C++; the code runs where the program's own is, so
# memory that may be executed is not needed.
tosajit compile "$source/examples/gelu_bias.mlir" -o gelu.o --header gelu.h --targets $targets
$cc $flags -std=c11 -Wall -Wextra -Wconversion -Werror -I. "$source/examples/aot/app.c" gelu.o \
    $libraries -o app 2>out || { cat out; fail "linking"; }
[ ! -s out ] || { cat out; fail "the linker warns"; }
run ./app || fail "app"
for file in app "$build/jit/libtosajit-runtime.so"; do
    needed=$(readelf -dW "$file" | grep NEEDED) || fail "$file"
    if echo "$needed" | grep LLVM; then fail "$file needs LLVM"; fi
done
$cc $flags -I. "$source/examples/aot/app.c" gelu.o "$build/jit/libtosajit-runtime.a" -lm -o \
    app_static && run ./app_static
cp "$source/examples/aot/app.c" app.cc
$cxx $flags -Wall -Wextra -Werror -I. app.cc gelu.o $libraries -o app_cc && run ./app_cc
tosajit compile "$source/examples/gelu_bias.mlir" -o gelu.o --header gelu.h --cpu $one &&
    $cc $flags -I. "$source/examples/aot/app.c" gelu.o $libraries -o app && run ./app

# Several functions, several types, static shapes, rank 0; two objects in one program.
cat >more.mlir <<'END'
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>) {
  %s = tosa.add %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %g = tosa.greater %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %s, %g : tensor<4xi32>, tensor<4xi1>
}
func.func @"twice.of"(%a: tensor<f32>) -> tensor<f32> {
  %r = tosa.add %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
END
cat >more.c <<'END'
#include "gelu.h"
#include "more-functions.h"
#include <stdio.h>
int main(void) {
    int32_t a[4] = {1, 5, -3, 7}, b[4] = {2, 2, 2, 7}, sum[4];
    uint8_t greater[4];
    float x = 1.5f, y = 0;
    if (more_functions_main(a, b, sum, greater) || more_functions_twice_of(&x, &y)) return puts(tosajit_last_error()), 1;
    for (int k = 0; k < 4; k++)
        if (sum[k] != a[k] + b[k] || greater[k] != (a[k] > b[k])) return 1;
    return !(y == 3 && gelu_gelu_bias_aot.size);
}
END
tosajit compile more.mlir -o more-functions.o --header more-functions.h
$cc $flags -I. more.c more-functions.o gelu.o $libraries -o more && run ./more || fail "two objects"

# A function that is too large for code of its own, beside one that is not: the runtime interprets
# it, the whole library has ops for it.
chain() { # NAME OPS: half of them subtractions, half exp
    echo "func.func @$1(%x: tensor<?xf32>) -> tensor<?xf32> {"
    awk -v n="$2" 'BEGIN { y = "%x"; t = "tensor<?xf32>"
        for (k = 0; k < n / 2; k++) {
            printf "%%s%d = tosa.sub %%x, %s : (%s, %s) -> %s\n%%e%d = tosa.exp %%s%d : (%s) -> %s\n", k, y, t, t, t, k, k, t, t
            y = "%e" k
        }
        printf "return %s : %s }\n", y, t }'
}
{ chain small 4; chain large 6000; } >large.mlir
cat >large.c <<'END'
#include "large.h"
#include <stdio.h>
int main(void) {
    const int64_t three[1] = {3};
    const float x[3] = {-1, 0.5f, 2};
    float y[3], z[3];
    if (large_small(x, three, y, three) || large_large(x, three, z, three)) return puts(tosajit_last_error()), 1;
    return printf("%a %a %a, %a %a %a\n", (double)y[0], (double)y[1], (double)y[2], (double)z[0], (double)z[1], (double)z[2]) < 0;
}
END
tosajit compile large.mlir -o large.o --header large.h --targets $targets
for library in tosajit-runtime tosajit; do
    $cc $flags -I. large.c large.o -L"$build/jit" -l$library -lm \
        -Wl,-rpath,"$build/jit",-rpath-link,"$build/jit" -o large &&
        TOSAJIT_VERBOSE=1 run ./large >$library.out 2>$library.err ||
        { cat $library.out; fail "a large function with $library"; }
done
cmp tosajit-runtime.out tosajit.out ||
    fail "a large function has other bits with ops than interpreted"
for line in "tosajit-runtime native," "tosajit-runtime interpreted" "tosajit native," \
    "tosajit precompiled"; do
    grep -q "^tosajit: load .* ${line#* }" "${line% *}.err" || {
        cat "${line% *}.err"; fail "with ${line% *} no function is ${line#* }"
    }
done

# A path does not end the comment that names it.
mkdir 'odd*'
cp more.mlir 'odd*/name.mlir'
tosajit compile 'odd*/name.mlir' -o odd.o --header odd.h
echo '#include "odd.h"' >odd.c
$cc $flags -I. -c odd.c -o odd-user.o || fail "a path in a comment"

# What the REPL saves is such an object, too; a function of MLIR keeps its name.
{ printf 'y = x * x + 1 : f32[?]\n:save line.o\n'; cat more.mlir; printf ':save typed.o\n'; } |
    tosajit >out || { cat out; fail ":save"; }
cat >saved.c <<'END'
#include "line.h"
#include "typed.h"
#include <stdio.h>
int main(void) {
    const int64_t three[1] = {3};
    float x[3] = {1, 2, 3}, y[3] = {0}, twice = 0;
    if (line_main(x, three, y, three) || typed_twice_of(&x[2], &twice)) return puts(tosajit_last_error()), 1;
    return !(y[0] == 2 && y[1] == 5 && y[2] == 10 && twice == 6);
}
END
$cc $flags -I. saved.c line.o typed.o $libraries -o saved && run ./saved ||
    fail "objects from the REPL"

# Images are told of, too, by the library without a compiler: lines, and names for perf. Linked code
# has names of its own.
cat >load.c <<'END'
#include <stdio.h>
#include <tosajit/image.h>
#include <unistd.h>
int main(void) {
    const int64_t three[1] = {3};
    float x[3] = {1, 2, 3}, y[3] = {0};
    tosajit_kernel *kernel = NULL;
    if (tosajit_kernel_load_file("line.image", NULL, &kernel)) return puts(tosajit_last_error()), 1;
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_F32, x, 1, three), result = tosajit_dense(TOSAJIT_F32, y, 1, three);
    if (tosajit_run(kernel, &operand, 1, &result, 1)) return puts(tosajit_last_error()), 1;
    tosajit_kernel_release(kernel);
    return printf("%ld %g\n", (long)getpid(), (double)y[2]) < 0;
}
END
printf 'y = x * x + 1 : f32[?]\n:save line.image\n' | tosajit >out || {
    cat out; fail ":save of an image"
}
$cc $flags load.c $libraries -o load
(export TOSAJIT_VERBOSE=2 TOSAJIT_PERF=map && run ./load) >loaded 2>lines || {
    cat loaded lines; fail "loading an image"
}
read -r pid value <loaded
[ "$value" = 10 ] || fail "the image computes $value"
grep -q \
    "^tosajit: load tosajit_add_f32_0 native, [0-9]* bytes: tosajit bench --expr 'func.func @f(%x: tensor<?xf32>)" lines || { cat lines; fail "no line for an image"; }
grep -q "^tosajit: run tosajit_add_f32_0 native in .* --shape 3$" lines || {
    cat lines; fail "no line for a run of an image"
}
grep -qE '^[0-9a-f]+ [1-9a-f][0-9a-f]* tosajit_add_f32_0_p0$' "/tmp/perf-$pid.map" ||
    fail "no name of an image for perf"
rm "/tmp/perf-$pid.map"
(export TOSAJIT_VERBOSE=1 TOSAJIT_PERF=map && run ./saved) 2>lines &&
    [ "$(grep -c '^tosajit: load ' lines)" = 2 ] || { cat lines; fail "no lines for linked code"; }

# For another architecture: it can be made, and is not linked here.
tosajit compile more.mlir -o foreign.o --header foreign.h --cpu $foreign
objdump -f foreign.o 2>/dev/null | grep -q "$format" || readelf -h foreign.o |
    grep -qi "$format" || fail "an object for $foreign"

# Which machine compiles makes no difference.
if [ -n "${TOSAJIT_HOST_TOOL:-}" ]; then
    mkdir host && cp more.mlir host
    (cd host && "$TOSAJIT_HOST_TOOL" compile more.mlir -o more-functions.o --header \
        more-functions.h --targets $targets)
    tosajit compile more.mlir -o more-functions.o --header more-functions.h --targets $targets
    for file in more-functions.o more-functions.h; do
        cmp $file host/$file || fail "this machine makes another $file"
    done
    (cd host && "$TOSAJIT_HOST_TOOL" compile "$source/examples/gelu_bias.mlir" -o gelu.o --header \
        gelu.h --targets $targets)
    $cc $flags -Ihost "$source/examples/aot/app.c" host/gelu.o $libraries -o app && run ./app ||
        fail "an object from this machine"
    echo "objects for ${targets} from this machine: the same, and they run"
fi

# Refusals leave no files.
refused "-o and --header are needed" tosajit compile more.mlir -o none.o
refused "exclude each other" tosajit compile more.mlir -o none.o --header none.h --cpu $one \
    --targets $one
refused "abacus" tosajit compile more.mlir -o none.o --header none.h --targets $one,abacus
refused "another architecture" tosajit compile more.mlir -o none.o --header none.h --targets \
    $one,$foreign
refused "empty" tosajit compile more.mlir -o none.o --header none.h --targets $one,,$one
refused "one file" tosajit compile more.mlir -o none.o --header none.o
refused "No such file" tosajit compile more.mlir -o nowhere/none.o --header none.h
[ ! -e none.o ] && [ ! -e none.h ] || fail "files of a refused compilation"
echo "ahead-of-time objects: fine"

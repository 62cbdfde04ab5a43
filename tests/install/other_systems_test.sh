#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Other systems, by the compiler that PyPI's ziglang brings, warnings as errors: runtime and command
# compile for macOS on both architectures, where nobody runs them; for musl the library with
# precompiled operations is linked into static programs, which run here and have the digests of all
# op rows.
#   sh tests/install/other_systems_test.sh BUILD SOURCE FOLDER
#       BUILD: a build for this machine, with jit/ops.o; FOLDER: for what is made
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
mkdir -p "$3"
folder=$(cd "$3" && pwd)
cd "$source"
. tests/support/venv.sh
[ -x "$folder/venv/bin/python" ] || new_venv python3 "$folder/venv"
pip_into python3 "$folder/venv" --no-compile ziglang==0.17.1
# Itself, rather than by a Python for each file.
zig="$("$folder/venv/bin/python" -c 'import ziglang; print(ziglang.__path__[0])')/zig cc"
export zig ZIG_GLOBAL_CACHE_DIR="$folder/cache" folder
export \
    flags="-std=c11 -Wall -Wextra -Wconversion -Werror -ffp-contract=off -Iinclude -I. -DTOSAJIT_FILES=\"files\"
    -DTOSAJIT_CODEGEN_LIBRARY=\"codegen\" -DTOSAJIT_CODEGEN_WITH_LLVM=\"codegen-llvm\""
runtime=$(ls runtime/*/*.c runtime/system/posix/*.c |
    grep -vE 'precompiled/(ops_none|ops_linked|stand_in_none)')
jit="jit/facts/work.c jit/schedule/schedule.c jit/target/cpu.c jit/target/object.c jit/target/cpu_choice.c
    jit/engine/provider_loaded.c $(ls jit/*.c jit/show/*.c jit/text/*.c jit/graph/*.c \
        jit/engine/*.c | grep -v provider)"
tools=$(ls tools/base/*.c tools/command/*.c tools/data/*.c tools/repl/*.c tools/tosa/*.c \
    tools/tosafile/*.c |
    grep -vE 'command/(onnx|onnx_engine|onnx_row|wheel_main)\.c')
# compile TARGET FILE...: objects in the target's folder, two at a time.
compile() {
    target=$1
    shift
    mkdir -p "$folder/$target"
    export target
    printf '%s\n' "$@" | xargs -P 2 -I FILE sh -c '
        name=$(echo FILE | tr / _)
        $zig -target $target $flags $more -c FILE -o "$folder/$target/$name.o"' || exit 1
}
# Clang's warnings are the same without optimisation, which takes half of the time.
export more="-O0 -fno-sanitize=undefined"
for system in x86_64-macos aarch64-macos; do
    # shellcheck disable=SC2086 # lists
    compile $system $runtime $jit $tools
    echo "$system: $(ls "$folder/$system" | wc -l) files compile; nobody has run them"
done
more=-O2
# shellcheck disable=SC2086
compile x86_64-linux-musl $runtime $jit runtime/precompiled/ops_linked.c
$zig -target x86_64-linux-musl -O2 -c "$build/jit/build.c" -o "$folder/x86_64-linux-musl/build.o"
cp "$build/jit/ops.o" "$folder/x86_64-linux-musl/ops.o"
library=$(ls "$folder"/x86_64-linux-musl/*.o)
[ -e "$folder/cmocka.c" ] || {
    curl -fsS --retry 3 http://deb.debian.org/debian/pool/main/c/cmocka/cmocka_1.1.5.orig.tar.xz \
        >"$folder/cmocka.tar.xz"
    echo \
        "f0ccd8242d55e2fd74b16ba518359151f6f8383ff8aef4976e48393f77bba8b6  $folder/cmocka.tar.xz" | sha256sum --check --quiet
    tar -xf "$folder/cmocka.tar.xz" -C "$folder" --strip-components=1 cmocka-1.1.5/include
    tar -xf "$folder/cmocka.tar.xz" -C "$folder" --strip-components=2 cmocka-1.1.5/src/cmocka.c
}
support=$(printf 'tests/support/%s.c ' account golden guard guarded host random_program support \
    text)
export TOSAJIT_ENGINES=precompiled
for test in numbers/op_rows_test numbers/precompiled_test numbers/slices_test api/system_test \
    api/text_test unit/plan_test unit/simplify_test; do
    # shellcheck disable=SC2086
    $zig -target x86_64-linux-musl -static -std=gnu11 -O2 -w -ffp-contract=off -Iinclude -I. \
        -I"$folder/include" \
        -DTOSAJIT_GOLDEN_DIRECTORY="\"$source/tests/numbers/golden\"" -DHAVE_SIGNAL_H \
        -DHAVE_MALLOC_H -DHAVE_STRUCT_TIMESPEC -DHAVE_INTTYPES_H \
        -DHAVE_STDINT_H -DHAVE_TIME_H -DHAVE_STRINGS_H "tests/$test.c" $support "$folder/cmocka.c" \
        $library -lm -o "$folder/$(basename $test)"
    "$folder/$(basename $test)" >"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
    echo "musl: $test passes"
done

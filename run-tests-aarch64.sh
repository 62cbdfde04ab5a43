#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# On an x86-64 Debian: install what is missing, build for AArch64, and run the tests under an
# emulator, on a CPU with every extension and on one with none. Samples are thinner than on the
# machine itself; every example, every row of the op tables and every emitter is there.
#   ./run-tests-aarch64.sh [CTEST_OPTION...]         all that can be built
#   ./run-tests-aarch64.sh quick [CTEST_OPTION...]   the tests of every change, and what they need
set -eu
cd "$(dirname "$0")"
target=all
# What computes: again on a CPU that has no extension.
again='op_rows|integer|math|fast|examples|differential|large|guard|tool_example|aot' thin=8
if [ "${1:-}" = quick ]; then
    shift
    set -- -L '^aarch64$' "$@"
    target=tests_aarch64
    again='op_rows|fast|differential' thin=16
fi
sh tools/install-dependencies.sh
sh tools/install-aarch64.sh
# The command for this machine: its objects for AArch64 must be those that the emulated one makes.
# It makes their precompiled ops, too, in a tenth of the emulated time.
cmake -S . -B build -G Ninja
cmake --build build --target tosajit-cli tosajit-precompile
build/jit/tosajit-precompile build-aarch64/made_ops.o "" aarch64
cmake --preset aarch64 -DTOSAJIT_MADE_OPS="$PWD/build-aarch64/made_ops.o"
cmake --build --preset aarch64 --target $target
export TOSAJIT_HOST_TOOL="$PWD/build/tools/tosajit"
export TOSAJIT_STRIDE="${TOSAJIT_STRIDE:-1000003}" TOSAJIT_PAIRS="${TOSAJIT_PAIRS:-8192}" \
    TOSAJIT_CASES="${TOSAJIT_CASES:-150}"
export TOSAJIT_SHAPES="${TOSAJIT_SHAPES:-1}" TOSAJIT_LIST="${TOSAJIT_LIST:-10}" \
    TOSAJIT_OPS="${TOSAJIT_OPS:-1000}"
export TOSAJIT_THIN="${TOSAJIT_THIN:-$thin}" TOSAJIT_ROUNDS="${TOSAJIT_ROUNDS:-2}"
# Code for this CPU alone: the second one has what every AArch64 has, so its own code is that for
# plain `aarch64`.
export TOSAJIT_ENGINES="${TOSAJIT_ENGINES:-native precompiled}"
# FP16, BF16, SVE2; pointers are signed by a cheap function.
QEMU_CPU=max,pauth-impdef=on ctest --preset aarch64 --no-tests=error "$@"
QEMU_CPU=cortex-a57 TOSAJIT_SEED=1001 ctest --preset aarch64 --no-tests=error \
    -R "^($again)_test(_[0-9]+)?\$" "$@"

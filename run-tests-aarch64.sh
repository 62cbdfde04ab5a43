#!/bin/sh
# On an x86-64 Debian: install what is missing, build for AArch64, and run the tests under an emulator. Samples are thinner than on the
# machine itself; every example, every row of the op tables and every emitter is there.
set -eu
cd "$(dirname "$0")"
sh tools/install-aarch64.sh
cmake --preset aarch64
cmake --build --preset aarch64
export TOSAJIT_STRIDE="${TOSAJIT_STRIDE:-1000003}" TOSAJIT_PAIRS="${TOSAJIT_PAIRS:-8192}"
# What judges code and results; tests of processes, limits and memory over time judge the host, not the emulator.
tests='op_rows|integer|math|fast|examples|guard|differential|shapes|api|thread_test|noexec|image_test|mlir_verify|mlir_run|npy|compare|expr_print|broadcast|tool_example'
ctest --preset aarch64 --no-tests=error -R "^($tests)(_test)?\$" "$@"

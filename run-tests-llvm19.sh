#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The library with LLVM 19, beside MLIR 22: build it, and run what would notice another LLVM first;
# or with "all", every default test.
#   ./run-tests-llvm19.sh [all] [CTEST_OPTION...]
set -eu
cd "$(dirname "$0")"
sh tools/install-dependencies.sh
sh tools/install-dependencies.sh llvm-19-dev
cmake --preset llvm19
if [ "${1:-}" = all ]; then
    shift
    cmake --build --preset llvm19
    exec ctest --preset llvm19 --no-tests=error -LE '^release$' "$@"
fi
cmake --build --preset llvm19 --target tests_llvm19
ctest --preset llvm19 --no-tests=error -L '^llvm19$' "$@"

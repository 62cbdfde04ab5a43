#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install what is missing, build, and run tests.
#   ./run-tests.sh [CTEST_OPTION...]           the default set
#   ./run-tests.sh release [CTEST_OPTION...]
#       packages, wheels and installations, official tests, and what pip brings
#   ./run-tests.sh all [CTEST_OPTION...]       both
set -eu
cd "$(dirname "$0")"
case ${1:-} in
release) shift; set -- -L '^release$' "$@" ;;
all) shift ;;
*) set -- -LE '^release$' "$@" ;;
esac
sh tools/install-dependencies.sh
# run-example.sh does without these, and a machine without Python's headers, which has them now, had
# no Python package.
cmake -S . -B build -G Ninja -DTOSAJIT_BUILD_TESTS=ON -DTOSAJIT_BUILD_BENCH=ON \
    -DTOSAJIT_BUILD_PYTHON=ON
cmake --build build
# Tests expect the library as it is without these; TOSAJIT_CPU may stay, to run them with the code
# of a lower CPU.
unset TOSAJIT_VERBOSE TOSAJIT_DUMP TOSAJIT_DUMP_DIR TOSAJIT_CACHE_DIR TOSAJIT_PERF \
    TOSAJIT_PERF_DIR TOSAJIT_GDB \
    TOSAJIT_ONNX_COMPILE TOSAJIT_ONNX_IMAGES TOSAJIT_HISTORY
rm -f build/tests/pythons.txt
status=0
ctest --test-dir build --output-on-failure --no-tests=error "$@" || status=$?
# What tests that pass have to say: which Pythons were there, and what could not be tested here.
[ ! -f build/tests/pythons.txt ] || cat build/tests/pythons.txt
grep -h '^\*\*\* NOT TESTED' build/Testing/Temporary/LastTest.log | sort -u || true
exit $status

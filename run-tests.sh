#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install what is missing, build, and run every test of the default set.
set -eu
cd "$(dirname "$0")"
sh tools/install-dependencies.sh
# run-example.sh does without these, and a machine without Python's headers, which has them now, had no Python package.
cmake -S . -B build -G Ninja -DTOSAJIT_BUILD_TESTS=ON -DTOSAJIT_BUILD_BENCH=ON -DTOSAJIT_BUILD_PYTHON=ON
cmake --build build
ctest --test-dir build --output-on-failure --no-tests=error "$@"

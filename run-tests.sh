#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install what is missing, build, and run every test of the default set.
set -eu
cd "$(dirname "$0")"
sh tools/install-dependencies.sh
cmake -S . -B build -G Ninja -DTOSAJIT_BUILD_TESTS=ON -DTOSAJIT_BUILD_BENCH=ON # run-example.sh does without
cmake --build build
ctest --test-dir build --output-on-failure --no-tests=error "$@"

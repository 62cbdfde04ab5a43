#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install what library and command need, build them, and compute GELU with a broadcast bias: the
# kernel's results beside the interpreter's.
set -eu
cd "$(dirname "$0")"
sh tools/install-dependencies.sh --command
# Tests and benchmarks need more; a build directory that has them keeps them.
[ -e build/CMakeCache.txt ] || set -- -DTOSAJIT_BUILD_TESTS=OFF -DTOSAJIT_BUILD_BENCH=OFF
cmake -S . -B build -G Ninja "$@"
cmake --build build --target tosajit-cli engine
build/tools/tosajit run examples/gelu_bias.mlir --input examples/gelu_x.npy --input \
    examples/gelu_bias.npy \
    --output build/gelu.npy --print --check
echo "
Now an expression of your own: run build/tools/tosajit and type, for instance,
    y = x * sigmoid(x + b) : f32[?,64], f32[1,64]
    :sweep"

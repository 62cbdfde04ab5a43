#!/bin/sh
# Install what is missing, build, and compute GELU with a broadcast bias: the kernel's results beside the interpreter's.
set -eu
cd "$(dirname "$0")"
sh tools/install-dependencies.sh
cmake -S . -B build -G Ninja
cmake --build build --target tosajit-cli
build/tools/tosajit run examples/gelu_bias.mlir --input examples/gelu_x.npy --input examples/gelu_bias.npy \
    --output build/gelu.npy --print --check

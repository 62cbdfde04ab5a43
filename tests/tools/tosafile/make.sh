#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Write this folder's .tosa files anew with TOSA's own tools, from constants.mlir and the examples:
#   sh tests/tools/tosafile/make.sh PREFIX     PREFIX is an environment of Python with tosa-tools, which `pip install tosa-tools` brings
set -eu
tools=$(cd "$1/bin" && pwd)
cd "$(dirname "$0")"
schema=$("$tools/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"] + "/bin/tosa.fbs")')
examples=../../../examples
for file in "$examples"/gelu_bias.mlir "$examples"/int_requantize.mlir "$examples"/quant_residual.mlir "$examples"/engine/mobile.mlir constants.mlir; do
    "$tools/tosa-opt" "$file" --tosa-serialize --tosa-flatbuffer-filename="$(basename "$file" .mlir).tosa" --tosa-flatbuffer-schema="$schema" >/dev/null
done

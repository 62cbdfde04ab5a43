#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Converted models in ONNX Runtime as its users have it, which pip brings: the oldest version that
# is promised, and a new one.
#   sh tests/tools/onnx_load_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
. "$(dirname "$0")/../support/venv.sh"
keep_bytecode "$build/tests/pycache"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for version in 1.19.2 1.32.0; do
    place=$build/tests/onnx/python-$version
    if [ ! -e "$place/complete" ]; then
        new_venv python3 "$place" && pip_into python3 "$place" --no-compile \
            "onnxruntime==$version" onnx==1.18.0 'numpy<2.3' || {
            echo \
                "pip brings no onnxruntime $version; without a network configure with -DTOSAJIT_TEST_ONNXRUNTIME=OFF" >&2
            exit 1
        }
        touch "$place/complete"
    fi
    mkdir "$work/$version"
    "$place/bin/python" "$source/tests/tools/onnx_load_test.py" "$build/tools/tosajit" \
        "$build/tools/onnxruntime/libtosajit-onnxruntime.so" "$work/$version"
done

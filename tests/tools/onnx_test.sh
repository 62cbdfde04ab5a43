#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models through `tosajit onnx`, made and judged by Python's packages onnx and numpy. OPERATORS then
# has the model of each operator.
#   sh tests/tools/onnx_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY OPERATORS [kept]
#       kept: only if they are not of this command and this test
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
# Without MLIR, whose loading would be nine tenths of the time of each conversion.
tool=$build/tests/tosajit_without_mlir
of=$(cat "$tool" "$source/tests/tools/onnx_test.py" | sha256sum)
[ "${4:-}" != kept ] || [ "$(cat "$3.complete" 2>/dev/null)" != "$of" ] || exit 0
rm -rf "$3"
mkdir -p "$3"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH="$build/tools/python" PYTHONDONTWRITEBYTECODE=1
for python in /usr/bin/python3 $(command -v python3 python3.11 python3.12 python3.13 python3.14 ||
    true); do
    "$python" -c 'import onnx, numpy, tosajit' 2>/dev/null || continue
    "$python" "$source/tests/tools/onnx_test.py" "$tool" "$work" "$3"
    echo "$of" >"$3.complete"
    exit 0
done
echo "no Python here has onnx, NumPy and the package of this build: apt-get install python3-onnx"
exit 1

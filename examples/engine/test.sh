#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The engine computes what its reference does, and the library compiles each different one of its 5
# regions once, whatever the batch sizes.
#   sh examples/engine/test.sh examples/engine [EMULATOR...] build/examples/engine/engine
set -eu
models=$1
shift
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
TOSAJIT_VERBOSE=2 "$@" "$models" 2>"$lines" || { cat "$lines"; exit 1; }
compiled=$(grep -c '^tosajit: compile ' "$lines")
run=$(grep -c '^tosajit: run ' "$lines")
echo "$compiled kernels compiled, $run runs"
# 2 and 3 regions, of which two are the same kernel; 6 batches of each
[ "$compiled" = 4 ] && [ "$run" = 30 ]

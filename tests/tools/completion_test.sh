#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The bash completion that is installed: commands, options and values, as the command's own help has them, and files.
#   bash tests/tools/completion_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -eu
# shellcheck disable=SC1091 # generated
. "$1/completions/tosajit"
cd "$2"
failed=0
# completes WANTED WORD...: the last word becomes these, in this order.
completes() {
    local wanted=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _tosajit
    [ "${COMPREPLY[*]}" = "$wanted" ] || { failed=1; echo "FAILED: $* becomes ${COMPREPLY[*]}, not $wanted"; }
}
completes "bench" tosajit b
completes "verify version" tosajit ver
completes "-c" tosajit -c
completes "--quiet" tosajit --q
completes "--quiet" tosajit -c "abs f32 [?]" --q
completes "" tosajit -c ""
completes "--accuracy" tosajit run --ac
completes "" tosajit ops --ac
completes "exact reproducible contracted" tosajit run --accuracy ""
completes "precompiled" tosajit bench --backend pre
completes "x86-64-v2 x86-64-v3 x86-64-v4" tosajit asm FILE --cpu x86
completes "examples/gelu_bias.mlir" tosajit plan examples/gelu_bias.m
completes "explain" tosajit help exp
completes "" tosajit nothing --
for command in $("$1/tools/tosajit" --help | awk '/^  tosajit/ { exit } /^  [a-z]/ { print $1 }'); do
    options=$("$1/tools/tosajit" "$command" --help | awk '/^  -/ { print $1 }' | tr '\n' ' ')
    completes "${options% }" tosajit "$command" -
done
exit $failed

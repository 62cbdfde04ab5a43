#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The costs of runtime/plan/costs.h for this machine: measures the ways of the sweep's patterns,
# with the machine's own vectors and with AVX2, fits the costs to them, and prints the table. Then
# what choosing costs: the time of the way that is chosen over that of the best, by the table that
# was built in, and by the new one; and what each choice gains. A cost that nothing on the machine
# has stays.
# usage: sh bench/costs/fit.sh [build directory] [patterns] (all of them without a number: two
# minutes)
#   LEVELS="native x86-64-v3"    these levels
#   WAYS=FILE
#       keep the measurements in FILE; if it is there, they are taken from it
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-build}
ways=${WAYS:-}
if [ -z "$ways" ]; then
    ways=$(mktemp)
    trap 'rm -f "$ways"' EXIT
fi
levels=native
case $(uname -m) in x86_64) levels="native x86-64-v3" ;; esac
last=$(taskset -cp $$ | sed 's/.*[ ,-]//') # of the processors that this process may run on
if [ ! -s "$ways" ]; then
    cmake --build "$build" --target tosajit-bench-ways >&2
    for level in ${LEVELS:-$levels}; do
        [ "$level" = native ] && unset TOSAJIT_CPU || export TOSAJIT_CPU="$level"
        taskset -c "$last" "$build/bench/tosajit-bench-ways" "${2:-0}" >"$ways.level"
        sed "s/ apart / apart,$level /; s/ in_place / in_place,$level /" "$ways.level" >>"$ways"
        rm "$ways.level"
    done
fi
terms=$(sed -n 's/^ *\(PER_[A-Z_]*\),.*/\1/p' "$source/runtime/plan/costs.h")
built_in=$(sed -n 's/^ *\[PER_[A-Z_]*\] = \([0-9.]*\).*/\1/p' "$source/runtime/plan/costs.h")
awk -v terms="$(echo $terms)" -v built_in="$(echo $built_in)" -f "$source/bench/costs/fit.awk" \
    "$ways"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The whole report: medians of 9 repetitions and ratios to the peers, as Markdown tables on standard output, and at its end the
# targets.
# usage: sh bench/report.sh [tosajit-bench] [filter]        (about seven minutes without a filter)
set -eu
bench=${1:-build/bench/tosajit-bench}
filter=${2:-.}
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
load=$(cut -d ' ' -f 1 /proc/loadavg)
echo "Machine: ${machine:-$(uname -m)}, $(nproc) processors, load $load, Linux $(uname -r), $(date -u +%Y-%m-%d)."
echo
[ -z "${NOTE:-}" ] || printf '%s\n\n' "$NOTE" # what a reader has to know about this run
tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
"$bench" --table --benchmark_filter="$filter" --benchmark_repetitions="${REPETITIONS:-9}" --benchmark_min_time="${MIN_TIME:-0.02}" \
  --benchmark_enable_random_interleaving=true >"$tables"
cat "$tables"
printf '\nThe targets; [README.md](README.md) has the reasons where one is missed.\n\n'
awk -f "$(dirname "$0")/targets.awk" "$tables"

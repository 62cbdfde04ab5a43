#!/bin/sh
# The whole report: medians of 9 interleaved repetitions and ratios to the peers, as Markdown tables on standard output.
# usage: sh bench/report.sh [tosajit-bench] [filter]        (about five minutes without a filter)
set -eu
bench=${1:-build/bench/tosajit-bench}
filter=${2:-.}
echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, Linux $(uname -r), $(date -u +%Y-%m-%d)."
"$bench" --table --benchmark_filter="$filter" --benchmark_repetitions="${REPETITIONS:-9}" --benchmark_min_time="${MIN_TIME:-0.02}" \
  --benchmark_enable_random_interleaving=true

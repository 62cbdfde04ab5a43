#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The whole report, as Markdown on standard output: the verdict, which targets are met and which are
# missed; then, for the machine's own vectors and for each narrower level, the tables: medians of 9
# repetitions and ratios to the peers. What is missing is built first, and progress is told on
# standard error.
# usage: sh bench/report.sh [build directory] [filter]        (about half an hour without a filter)
#   LEVELS="native v3"    these levels; without it "native v3 v2", as far as the build has them
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-build}
filter=${2:-.}
start=$(date +%s)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tell() { echo "report: $(($(date +%s) - start)) s: $*" >&2; }

[ -f "$build/CMakeCache.txt" ] || {
    tell "configuring $build"; cmake -S "$source" -B "$build" -DTOSAJIT_BUILD_BENCH=ON >&2
}
levels=native
case $(uname -m) in x86_64) levels="native v3 v2" ;; esac
levels=${LEVELS:-$levels}

program() { [ "$1" = native ] && echo tosajit-bench || echo "tosajit-bench-$1"; }
title() { [ "$1" = native ] && echo "The machine's own vectors" || echo "x86-64-$1"; }

# What says nothing about vectors is measured once.
of_level() {
    case $1 in
    native) cat ;;
    *)
        grep -E \
            '^(add|broadcast|offset|narrow|op|math|chain|shape|view|call|int8|precompiled|sweep)$' \
            ;;
    esac
}

# Family after family, each in a process of its own; a filter is one piece.
measure() {
    bench=$build/bench/$(program "$1")
    if [ "$filter" = . ]; then
        "$bench" --benchmark_list_tests | sed 's,/.*,,' | awk '!seen[$0]++' |
            of_level "$1" >"$work/families"
        # Beside numexpr, which is Python's; where that or our package is not installed, the target
        # is told as not measured.
        if [ "$1" = native ] && PYTHONPATH=$build/tools/python /usr/bin/python3 -c \
            'import numexpr, tosajit' 2>/dev/null; then
            echo python >>"$work/families"
        fi
    else
        echo "$filter" >"$work/families"
    fi
    count=$(wc -l <"$work/families") number=0
    while read -r family <&3; do
        number=$((number + 1))
        tell "$1, $family ($number of $count)"
        if [ "$family" = python ]; then
            printf '\n'
            PYTHONPATH=$build/tools/python taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" \
                /usr/bin/python3 "$source/bench/python.py" --table
            continue
        fi
        pattern="^$family/"
        [ "$filter" = . ] || pattern=$filter
        "$bench" --table --benchmark_filter="$pattern" --benchmark_repetitions="${REPETITIONS:-9}" \
            --benchmark_min_time="${MIN_TIME:-0.02}" --benchmark_enable_random_interleaving=true
    done 3<"$work/families" | awk '/^(Absent peers|Medians)/ && seen[$0]++ { next } { print }' \
        >"$work/$1"
}

for level in $levels; do
    tell "building $(program "$level")"
    cmake --build "$build" --target "$(program "$level")" >&2
done
for level in $levels; do
    measure "$level"
    short=1
    [ "$level$filter" = native. ] && short=0
    awk -f "$source/bench/targets.awk" -v short=$short "$work/$level" >"$work/$level.targets"
done
tell "done"

of_cpu() { sed -n "s/^$1[^:]*: //p" /proc/cpuinfo | head -n 1; }
vendor=$(of_cpu vendor_id) model=$(of_cpu 'model name')
echo \
    "# Report: ${vendor:+$vendor, }${model:-$(uname -m)}${vendor:+, family $(of_cpu 'cpu family'), model $(of_cpu 'model[^ ]')}"
echo
echo "$(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg), Linux $(uname -r), $(date -u \
    +%Y-%m-%d)."
echo
[ -z "${NOTE:-}" ] || printf '%s\n\n' "$NOTE" # what a reader has to know about this run
echo "## Verdict"
echo
for level in $levels; do
    sed -n "s/^verdict: /- **$(title "$level")**: /p" "$work/$level.targets"
done
printf '\nbench/README.md has the reasons where a target is missed.\n'
for level in $levels; do
    printf '\n### Targets: %s\n\n' "$(title "$level")"
    grep -v '^verdict: ' "$work/$level.targets"
done
for level in $levels; do
    printf '\n## %s\n\n' "$(title "$level")"
    cat "$work/$level"
done

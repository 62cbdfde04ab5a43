#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The constants of jit/schedule/costs.h for this machine: builds the library with the half and with
# the double of each, and runs the benchmark that the constant names, in turns with the library as
# it is. Prints the time of the changed library over the time of the other, geometric mean of its
# lines, each the minimum of its turns. Below 0.97 a constant is worth a closer look.
# usage: sh bench/costs/fit_loops.sh [constant...] (all of them without a name: a quarter of an hour
# on two idle cores)
#   TURNS=3                      of each library
#   TOSAJIT_CPU=x86-64-v3        with the code of this level
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=jit/schedule/costs.h
last=$(taskset -cp $$ | sed 's/.*[ ,-]//') # of the processors that this process may run on

# make WHERE: the library and the benchmarks of the sources in WHERE.
make() {
    cmake -S "$1" -B "$1/build" -G Ninja -DTOSAJIT_BUILD_TESTS=OFF -DTOSAJIT_BUILD_PYTHON=OFF \
        >"$work/log" 2>&1 &&
        cmake --build "$1/build" --target tosajit-bench >"$work/log" 2>&1 ||
        { tail -20 "$work/log" >&2; exit 1; }
}
# once WHERE FILTER: its lines, as "WHERE name time".
once() {
    taskset -c "$last" "$1/build/bench/tosajit-bench" \
        --benchmark_filter="^$2.*/(static|dynamic|native)" --benchmark_format=csv 2>/dev/null |
        awk -F, -v where="$(basename "$1")" '/^"/ { print where, $1, $1 ~ /manual/ ? $3 : $4 }'
}

echo "building the library twice" >&2
for copy in as_it_is changed; do
    mkdir "$work/$copy"
    (cd "$source" && tar cf - --exclude='./build*' --exclude=./.git .) | tar xf - -C "$work/$copy"
    make "$work/$copy"
done
printf '%-36s %8s %8s  %s\n' constant 'half of' 'double' benchmark
sed -n 's/^ *COST_\([A-Z_]*\) = \(.*\), *\/\* \[\(.*\)\] \*\//\1 \3/p' "$source/$table" |
    while read -r name family; do
    [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    printf '%-36s' "$name"
    for change in '/ 2' '* 2'; do
        sed "s,\(COST_$name = \)\([^,]*\)\,,\1(\2) $change\,," "$source/$table" \
            >"$work/changed/$table"
        make "$work/changed"
        for turn in $(seq "${TURNS:-3}"); do
            once "$work/as_it_is" "$family"
            once "$work/changed" "$family"
        done | awk '
            !(($1, $2) in least) || $3 < least[$1, $2] { least[$1, $2] = $3; names[$2] }
            END { for (n in names) { sum += log(least["changed", n] / least["as_it_is", n]); count++ }
                  if (count) printf " %8.3f", exp(sum / count); else printf " %8s", "no lines" }'
    done
    printf '  %s\n' "$family"
done

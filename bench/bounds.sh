#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What bounds each function of f32 on this x86-64 machine: a Markdown table on standard output. Per
# vector of the hot loop its instructions; per element the cycles that llvm-mca allows for, if
# nothing ever waits, and those that it takes; and which part of these the former are. Cold code
# stands behind the loop and does not count; log and rsqrt are of abs(x), lest it be run. Data come
# from L1.
# Cycles are counted by a chain of multiplications, run before and after each kernel.
# usage: sh bench/bounds.sh [build directory] (a minute; pin it, as in taskset -c 1 sh
# bench/bounds.sh)
#   LEVELS="v3"           code for these; without it native and v3
#   FUNCTIONS="exp log"   these functions; without it all of one operand
#   TURNS=9               measure so many times and take the quickest; without it 5
#   MCA=llvm-mca-19       the program; without it llvm-mca-22
set -eu
build=${1:-build}
mca=${MCA:-llvm-mca-22}
levels=${LEVELS:-native v3}
functions=${FUNCTIONS:-exp log tanh sigmoid erf sin cos rsqrt reciprocal}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$(uname -m)" = x86_64 ] || { echo "bounds: this is for x86-64" >&2; exit 1; }
command -v "$mca" >/dev/null || {
    echo "bounds: there is no $mca; apt-get install llvm-22" >&2; exit 1
}
[ -x "$build/tools/tosajit" ] || {
    echo "bounds: there is no $build/tools/tosajit; build first" >&2; exit 1
}
"${CC:-cc}" -O2 -o "$work/clock" "$here/clock.c"

# The shortest loop that stores vectors elsewhere than on the stack: between a label and the
# conditional branch back to it. First lines: elements per turn, by what the counter advances, and
# bytes of a vector.
innermost() {
    awk '
        /^\.[A-Za-z0-9_]+:/ { label = $1; sub(/:.*/, "", label); at[label] = count; next }
        /^[ \t]+[.#]/ || /:$/ { next }
        {
            line[++count] = $0
            if ($1 !~ /^j/ || $1 == "jmp" || !($2 in at)) next
            stores = step = bytes = 0
            for (k = at[$2] + 1; k <= count; k++) {
                stores += line[k] ~ /\tvmov[^,]*%[xyz]mm[0-9]+, [0-9-]*\(%r[^s]/
                if (line[k] ~ /\taddq\t\$[0-9]+, %/) { step = line[k]; gsub(/.*\$|,.*/, "", step) }
                if (line[k] ~ /%zmm/) bytes = 64
                else if (bytes < 32 && line[k] ~ /%ymm/) bytes = 32
            }
            if (stores && step && (!end || count - at[$2] < end - begin + 1)) {
                begin = at[$2] + 1; end = count; elements = step; vector = bytes
            }
        }
        END { print elements + 0; print vector + 0; for (k = begin; k <= end; k++) print line[k] }' "$1"
}

# Nanoseconds per element, the quickest of several turns, divided by those of a cycle around them.
measured() {
    turn=0
    while [ "$turn" -lt "${TURNS:-5}" ]; do
        "$work/clock"
        "$build/tools/tosajit" bench --cpu "$1" --accuracy "$2" --expr "$3" --json |
            sed -n 's/.*"ns_per_element": *\([0-9.e-]*\).*/call \1/p'
        turn=$((turn + 1))
    done |
        awk \
        '$1 == "cycle" { cycle = $2 } $1 == "call" && (!best || $2 / cycle < best) { best = $2 / cycle } END { printf "%.4f", best }'
}

row() {
    case $3 in log | rsqrt) x="abs(x)" ;; *) x=x ;; esac
    text="r = $3($x) : f32[4096]"
    "$build/tools/tosajit" asm --cpu "$1" --accuracy "$2" --expr "$text" >"$work/all.s"
    innermost "$work/all.s" >"$work/loop.s"
    elements=$(sed -n 1p "$work/loop.s") bytes=$(sed -n 2p "$work/loop.s")
    [ "$elements" -gt 0 ] && [ "$bytes" -gt 0 ] || {
        echo "bounds: $3 has no loop over vectors for $1" >&2; exit 1
    }
    sed '1,2d; s/ *#.*//' "$work/loop.s" >"$work/in.s"
    cycles=$(measured "$1" "$2" "$text")
    "$mca" -mcpu=native -iterations=100 "$work/in.s" 2>"$work/errors" |
        awk -v name="$3" -v elements="$elements" -v lanes="$((bytes / 4))" -v cycles="$cycles" '
        /^Instructions:/ { instructions = $2 } /^Block RThroughput:/ { bound = $3 }
        END {
            if (!bound || !cycles) exit 1
            printf "| %s | %.0f | %.2f | %.2f | %.0f %% |\n",
                name, instructions / 100 / elements * lanes, bound / elements, cycles, 100 * bound / elements / cycles
        }' || {
            echo "bounds: $mca or tosajit bench failed for $3" >&2; cat "$work/errors" >&2; exit 1
        }
}

echo "# What bounds functions of f32"
echo
echo "Made by \`sh bench/bounds.sh\` on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
    head -1), with llvm-mca $("$mca" --version | sed -n 's/.*LLVM version //p') for" \
    "$("$mca" --version | sed -n 's/.*Host CPU: //p')."
for level in $levels; do
    for accuracy in exact fast; do
        echo
        echo \
            "| $level, $accuracy | instructions a vector | bound, cycles/element | measured | bound of measured |"
        echo "|---|--:|--:|--:|--:|"
        for function in $functions; do row "$level" "$accuracy" "$function"; done
    done
done

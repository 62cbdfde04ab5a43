#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Cycles per element of the functions' innermost loops for AArch64 models, as llvm-mca expects them where no such machine is at hand: a
# Markdown table on standard output. Beside them the instructions of the loop per element and the bytes of the kernel. Data come from L1, and
# cold code that stands inside of a loop counts, since llvm-mca takes no branches.
# usage: sh bench/cycles.sh [build directory]        (a quarter of a minute)
#   CPUS="neoverse-n1"    these models; without it neoverse-n1, neoverse-v2 and apple-m2
#   MCA=llvm-mca-19       the program; without it llvm-mca-22
set -eu
build=${1:-build}
mca=${MCA:-llvm-mca-22}
cpus=${CPUS:-neoverse-n1 neoverse-v2 apple-m2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v "$mca" >/dev/null || { echo "cycles: there is no $mca; apt-get install llvm-22" >&2; exit 1; }
[ -x "$build/tools/tosajit" ] || { echo "cycles: there is no $build/tools/tosajit; build first" >&2; exit 1; }

# The longest loop that has no other one inside: between a label and the branch back to it. Alignment and symbols are left out. First line: how
# many vectors it stores, spills not counted.
innermost() {
    awk '
        /^\.[A-Za-z0-9_]+:/ { label = $1; sub(/:.*/, "", label); at[label] = count; next }
        /^[ \t]+\./ || /:$/ { next }
        {
            line[++count] = $0
            target = $NF
            if ($1 ~ /^(b|b\..*|cbz|cbnz|tbz|tbnz)$/ && target in at) {
                first = at[target] + 1
                if (first > last_first && count - first > longest) { longest = count - first; begin = first; end = count }
                last_first = first
            }
        }
        END {
            for (k = begin; k <= end; k++) {
                if (line[k] ~ /\tstp\tq/ && line[k] !~ /\[sp/) vectors += 2
                else if (line[k] ~ /\tst(r|ur)\tq/ && line[k] !~ /\[sp/) vectors++
            }
            print vectors + 0
            for (k = begin; k <= end; k++) print line[k]
        }' "$1"
}

# One cell: cycles, instructions per element, bytes.
cell() {
    "$build/tools/tosajit" asm --cpu "$1" --accuracy "$4" --expr "r = $3 : $2[4096]" >"$work/all.s"
    innermost "$work/all.s" >"$work/loop.s"
    vectors=$(head -1 "$work/loop.s")
    elements=$((vectors * $([ "$2" = f32 ] && echo 4 || echo 8)))
    [ "$elements" -gt 0 ] || { printf ' - |'; return; }
    sed 1d "$work/loop.s" | sed 's/ *;.*//; s,//.*,,' >"$work/in.s"
    "$mca" -march=aarch64 -mcpu="$1" -iterations=100 "$work/in.s" 2>"$work/errors" | awk -v elements="$elements" -v bytes="$5" '
        /^Instructions:/ { instructions = $2 } /^Total Cycles:/ { cycles = $3 }
        END { if (!cycles) print " - |"; else printf " %.2f, %.1f, %d |", cycles / 100 / elements, instructions / 100 / elements, bytes }'
}

# Bytes of code, all loops: as many instructions of 4 bytes as the assembly has lines of code.
size() { "$build/tools/tosajit" asm --cpu "$1" --accuracy "$4" --expr "r = $3 : $2[4096]" | grep -c '^	[a-z]' | awk '{ print 4 * $1 }'; }

echo "# Functions on AArch64"
echo
echo "Made by \`sh bench/cycles.sh\` with llvm-mca $("$mca" --version | sed -n "s/.*LLVM version //p"). Each cell: cycles per element, instructions per element, bytes of code."
echo
for case in "f32 exact" "f32 fast" "f16 exact" "bf16 exact"; do
    type=${case% *} accuracy=${case#* }
    printf '| %s |' "$case"; for cpu in $cpus; do printf ' %s |' "$cpu"; done; echo
    printf '|---|'; for cpu in $cpus; do printf -- '--:|'; done; echo
    for function in 'exp(x)' 'log(x)' 'tanh(x)' 'sigmoid(x)' 'erf(x)' 'sin(x)' 'cos(x)' 'rsqrt(x)' 'reciprocal(x)' 'pow(x,y)'; do
        printf '| %s |' "${function%(*}"
        for cpu in $cpus; do cell "$cpu" "$type" "$function" "$accuracy" "$(size "$cpu" "$type" "$function" "$accuracy")"; done
        echo
    done
    echo
done

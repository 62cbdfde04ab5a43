#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pictures of a report: how long an addition takes at every size, how near kernels come to the machine's limits, and how every case compares
# with its best peer. Drawn by gnuplot.
# usage: sh bench/plot.sh REPORT DIRECTORY        (writes DIRECTORY/sizes.svg, DIRECTORY/roofline.svg and DIRECTORY/ratios.svg)
set -eu
[ $# = 2 ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
report=$1 out=$2
command -v gnuplot >/dev/null || { echo "plot.sh: gnuplot is missing; apt-get install gnuplot-nox" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# The tables of a report as lines "family case contender ns".
awk -F '|' '
function trim(s) { gsub(/^ +| +$/, "", s); return s }
/^$/ { family = "" }
$2 ~ /, ns\/element *$/ { family = trim($2); sub(/,.*/, "", family); columns = NF - 1; for (c = 3; c <= columns; c++) name[c] = trim($c); next }
family && $2 !~ /---/ { for (c = 3; c <= columns; c++) if (trim($c) != "-") print family, trim($2), name[c], $c + 0 }
' "$report" >"$work/all"
[ -s "$work/all" ] || { echo "plot.sh: $report has no tables of ns/element" >&2; exit 1; }

# Sizes: one file per form and contender, "elements ns".
awk -v work="$work" '
function elements(s) { return (s + 0) * (s ~ /K$/ ? 1024 : s ~ /M$/ ? 1048576 : 1) }
$1 == "add" && $3 ~ /^(loop|dynamic)$/ && split($2, part, "/") == 2 && part[2] ~ /^[0-9]+[KM]?$/ {
    print elements(part[2]), $4 >(work "/" part[1] "." $3)
}' "$work/all"
for form in same scalar row column; do
    for who in loop dynamic; do sort -n "$work/$form.$who" >"$work/$form.$who.sorted"; done
done
gnuplot <<END
set terminal svg size 760,440 font "sans-serif,13" background "white"
set output "$out/sizes.svg"
set title "f32 addition with sizes known only when called: solid; loop in C: dashed"
set logscale xy
set xlabel "elements of the result"
set ylabel "ns per element"
set xtics ("1K" 2**10, "4K" 2**12, "16K" 2**14, "64K" 2**16, "256K" 2**18, "1M" 2**20, "4M" 2**22, "16M" 2**24, "64M" 2**26)
set grid linecolor "#dddddd"
set key left top
plot for [k=1:4] form = word("same scalar row column", k) "$work/".form.".dynamic.sorted" with linespoints linewidth 2 pointtype 7 \
         pointsize 0.6 linecolor k title form, \
     for [k=1:4] "$work/".word("same scalar row column", k).".loop.sorted" with lines linewidth 1.5 dashtype 2 linecolor k notitle
END

# Ratios: the best peer's time over ours; what only moves bytes, and other kernels of ours, are no peers.
awk '
$1 ~ /^(sweep|forms_.*)$/ || $3 ~ /^(copy|limit|steps|raw|static|streaming|blocked|empty)$/ { next } # of the sweep a report shows only the worst; forms have no peers
{ key = $1 "/" $2 }
$3 ~ /^(dynamic|fast)$/ { ours[key] = $4; order[++count] = key; next }
$3 == "exact" { next }
!(key in best) || $4 < best[key] { best[key] = $4; who[key] = $3 }
END { for (k = 1; k <= count; k++) if (order[k] in best) print best[order[k]] / ours[order[k]], order[k] " (" who[order[k]] ")" }
' "$work/all" | sort -n >"$work/ratios"
cases=$(wc -l <"$work/ratios")
awk '{ ratio = $1; $1 = ""; print NR, ratio, "\"" substr($0, 2) "\"" }' "$work/ratios" >"$work/bars"
# The roof: limits as "level bytes_per_ns", peaks as operations per ns, points as "intensity operations_per_ns".
awk -v work="$work" '
function ops(s) { sub(/^chain_/, "", s); return s + 0 }
BEGIN {
    level["4K"] = "L1"; level["64K"] = "L2"; level["1M"] = "L3"; level["16M"] = "memory"
    split("4K 64K 1M 16M", sizes, " ")
}
$1 == "roof" && split($2, part, "/") {
    if (part[1] == "peak" || $2 == "peak") peak[$3] = 1 / $4
    else if (part[1] == "copy") bandwidth[part[2]] = (8 / $4 > bandwidth[part[2]]) ? 8 / $4 : bandwidth[part[2]]
    else print ops(part[1]) / 8, ops(part[1]) / $4 >(work "/roof." level[part[2]])
}
END {
    for (k = 1; k <= 4; k++) print level[sizes[k]], bandwidth[sizes[k]] >(work "/roofs")
    print peak["separate"], peak["fused"] >(work "/peaks")
}' "$work/all"
if [ -s "$work/roof.L1" ]; then
    peak=$(cut -d ' ' -f 1 "$work/peaks") fused=$(cut -d ' ' -f 2 "$work/peaks")
    set -- $(cut -d ' ' -f 2 "$work/roofs")
    gnuplot <<END
set terminal svg size 760,480 font "sans-serif,13" background "white"
set output "$out/roofline.svg"
set title "Roofline: chains of 1 to 256 f32 operations in one kernel; lines are limits measured in the same run"
set logscale xy
set xlabel "operations per byte read or written"
set ylabel "operations per ns, one processor"
set xrange [0.08:48]
set grid linecolor "#dddddd"
set key right bottom
least(a, b) = a < b ? a : b
set label 1 sprintf("on registers %.0f per ns; fused, %.0f", $peak, ${fused:-0} + 0) at 0.09, $peak * 1.15
plot least($peak, $1 * x) with lines linewidth 1.5 linecolor 1 title sprintf("L1, %.0f GB/s", $1), \
     least($peak, $2 * x) with lines linewidth 1.5 linecolor 2 title sprintf("L2, %.0f GB/s", $2), \
     least($peak, $3 * x) with lines linewidth 1.5 linecolor 3 title sprintf("L3, %.0f GB/s", $3), \
     least($peak, $4 * x) with lines linewidth 1.5 linecolor 4 title sprintf("memory, %.0f GB/s", $4), \
     for [k=1:4] "$work/roof.".word("L1 L2 L3 memory", k) with points pointtype 7 pointsize 0.8 linecolor k notitle
END
fi

gnuplot <<END
set terminal svg size 900,$((120 + cases * 15)) font "sans-serif,11" noenhanced background "white"
set output "$out/ratios.svg"
set title "How many times as fast as the best peer (named in brackets; functions: the fast accuracy)"
set logscale x
set yrange [0:$((cases + 1))]
set xrange [0.25:*]
set xtics (0.25, 0.5, 1, 2, 4, 8, 16, 32) mirror
set ytics font ",10"
set grid xtics linecolor "#dddddd"
set arrow from 1, graph 0 to 1, graph 1 nohead linewidth 1.5 linecolor "#444444"
unset key
plot "$work/bars" using (\$2 < 1 ? \$2 : 1):1:(\$2 < 1 ? \$2 : 1):(\$2 < 1 ? 1 : \$2):(\$1 - 0.35):(\$1 + 0.35):ytic(3) \
     with boxxyerror fillstyle solid linecolor rgb "#4c78a8"
END

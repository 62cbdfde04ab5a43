#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pictures of a report, drawn by gnuplot: how all cases compare with other libraries (peers.svg),
# and each by its name, a page for each family (ratios-FAMILY.svg); and how long an addition takes
# at every size (sizes.svg).
# usage: sh bench/plot.sh REPORT DIRECTORY
set -eu
[ $# = 2 ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
report=$1 out=$2
command -v gnuplot >/dev/null || {
    echo "plot.sh: gnuplot is missing; apt-get install gnuplot-nox" >&2; exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# The tables of a report as lines "family case contender ns".
awk -F '|' '
function trim(s) { gsub(/^ +| +$/, "", s); return s }
/^## x86-64-v/ { exit } # of a narrower level
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

# Ratios, as targets.awk has them: the best peer's time over ours, one row a case. Where there is a
# result within 1 ulp it is ours, and the loop, which is up to 4 ulp off there, is no peer. Of the
# sweep a report shows only the worst; forms have no peers.
awk -v work="$work" '
$1 !~ /^(add|broadcast|op|math|chain|shape|view)$/ { next }
{ key = $1 " " $2; if (!(key in seen)) { seen[key] = 1; order[++count] = key } time[key, $3] = $4 }
END {
    split("loop xnnpack onednn mlir sleef_u10", peers, " ")
    for (k = 1; k <= count; k++) {
        key = order[k]
        ours = ((key, "fast") in time) ? "fast" : "dynamic"
        best = 0
        for (p = ours == "fast" ? 2 : 1; p <= 5; p++) {
            if (!((key, peers[p]) in time) || !((key, ours) in time)) continue
            print time[key, peers[p]] / time[key, ours], peers[p] >(work "/each")
            if (!best || time[key, peers[p]] < best) { best = time[key, peers[p]]; who = peers[p] }
        }
        if (best) print best / time[key, ours], key, who, ours
    }
}' "$work/all" | sort -n >"$work/ratios"
[ -s "$work/ratios" ] || { echo "plot.sh: $report has no peers" >&2; exit 1; }
# Peers from below: "row mean name", with how often faster, as fast within 3 %, and slower; points:
# "ratio row", spread so that none hides another.
awk '{ print $1, "best" }' "$work/ratios" >>"$work/each"
awk -v work="$work" '
BEGIN {
    rows = split("best loop sleef_u10 mlir onednn xnnpack", name, " "); for (k = 1; k <= rows; k++) row[name[k]] = k
    split("the fastest of them,a loop in C (-O3),SLEEF,MLIR,oneDNN,XNNPACK", title, ",")
}
{ f = $2; sum[f] += log($1); number[f]++
  outcome = $1 > 1.03 ? "won" : $1 < 1 / 1.03 ? "lost" : "equal"
  of[f, outcome]++
  print $1, row[f] + ((number[f] * 7) % 17 - 8) / 24 >(work "/points." outcome) }
END {
    for (k = 1; k <= rows; k++) if (f = name[k]) if (number[f])
        printf "%d %g \"%s:  %.2f\\n%d faster, %d equal, %d slower\"\n", k, exp(sum[f] / number[f]), title[k], exp(sum[f] / number[f]),
            of[f, "won"], of[f, "equal"], of[f, "lost"] >(work "/peers")
}' "$work/each"
touch "$work/points.won" "$work/points.equal" "$work/points.lost"
machine=$(sed -n '1s/^# Report: \([^,]*, \)\{0,1\}//p' "$report")
day=$(sed -n '3s/.*, \([0-9-]*\)\.$/\1/p' "$report")
[ -n "$machine" ] && [ -n "$day" ] || {
    echo "plot.sh: $report names no machine or no day in its first lines" >&2; exit 1
}
gnuplot <<END
set terminal svg size 820,460 font "sans-serif,13" noenhanced background "white"
set output "$out/peers.svg"
set title "tosajit, sizes known only when called, beside others in one run, one thread\n$machine, $day; each dot is a case of bench/report.sh" offset -9
set logscale x
set xrange [0.25:64]
set xtics ("1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
set yrange [0.4:6.6]
set xlabel "times as fast"
set grid xtics linecolor "#dddddd"
set arrow from 1, graph 0 to 1, graph 1 nohead linewidth 1.5 linecolor "#444444"
set key outside bottom center horizontal
plot "$work/points.won" with points pointtype 7 pointsize 0.5 linecolor rgb "#4c78a8" title "faster", \
     "$work/points.equal" with points pointtype 7 pointsize 0.5 linecolor rgb "#999999" title "equal within 3 %", \
     "$work/points.lost" with points pointtype 7 pointsize 0.5 linecolor rgb "#e07b39" title "slower", \
     "$work/peers" using 2:1:ytic(3) with points pointtype 13 pointsize 1.2 linecolor rgb "#222222" title "geometric mean"
END

# Each case by its name: a page for each family.
rm -f "$out"/ratios*.svg
for family in add broadcast op math chain shape view; do
    awk -v family=$family \
        '$2 == family { print ++row, $1, "\"" $3 ($5 == "fast" ? ", fast" : "") " (" $4 ")\"" }' \
        "$work/ratios" >"$work/bars"
    [ -s "$work/bars" ] || continue
    count=$(wc -l <"$work/bars")
    gnuplot <<END
set terminal svg size 760,$((100 + count * 15)) font "sans-serif,11" noenhanced background "white"
set output "$out/ratios-$family.svg"
set title "$family: how many times as fast as the fastest other library, which is in brackets"
set logscale x
set yrange [0:$((count + 1))]
set xrange [0.25:64]
set xtics ("1/4" 0.25, "1/2" 0.5, "equal" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32) mirror
set ytics font ",10"
set grid xtics linecolor "#dddddd"
set arrow from 1, graph 0 to 1, graph 1 nohead linewidth 1.5 linecolor "#444444"
unset key
plot "$work/bars" using (\$2 < 1 ? \$2 : 1):1:(\$2 < 1 ? \$2 : 1):(\$2 < 1 ? 1 : \$2):(\$1 - 0.35):(\$1 + 0.35):(\$2 < 1 ? 0xe07b39 : 0x4c78a8):ytic(3) \
     with boxxyerror fillstyle solid linecolor rgb variable
END
done

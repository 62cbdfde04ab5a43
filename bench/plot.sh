#!/bin/sh
# Time per element over size, for the forms of addition: kernels of dynamic sizes and the hand-written loop, as an SVG on standard output.
# usage: sh bench/plot.sh [report] > add.svg        (report: what report.sh wrote; without it, report.sh measures the additions now)
set -eu
here=$(dirname "$0")
report=${1:-}
if [ -z "$report" ]; then
  report=$(mktemp)
  trap 'rm -f "$report"' EXIT
  sh "$here/report.sh" build/bench/tosajit-bench '^add/(same|scalar|row|column)/(1K|4K|64K|1M|16M)/(loop|dynamic)' > "$report"
fi
awk -F '|' '
function trim(s) { gsub(/^ +| +$/, "", s); return s }
# "4K" to its logarithm to base 2
function exponent(s) { return log(s + 0) / log(2) + (s ~ /K$/ ? 10 : s ~ /M$/ ? 20 : 0) }
function x(e) { return 60 + (e - 10) / 14 * 480 }
# 0.01 to 1 ns, logarithmic
function y(t) { return 350 - (log(t) / log(10) + 2) / 2 * 320 }
function line(points, color, dash) {
  printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"%s\"/>\n", color, dash, points
}
function text(px, py, anchor, s) { printf "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">%s</text>\n", px, py, anchor, s }
$2 ~ /^ add, / { for (c = 3; c < NF; c++) column[trim($c)] = c; next }
$2 ~ /^ (same|scalar|row|column)\/[0-9]+[KM] $/ && ("loop" in column) {
  split(trim($2), name, "/")
  px = x(exponent(name[2]))
  loop[name[1]] = loop[name[1]] sprintf("%g,%g ", px, y($(column["loop"]) + 0))
  jit[name[1]] = jit[name[1]] sprintf("%g,%g ", px, y($(column["dynamic"]) + 0))
  rows++
}
END {
  if (!rows) { print "plot.sh: the report has no additions" > "/dev/stderr"; exit 1 }
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"400\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<rect width=\"720\" height=\"400\" fill=\"white\"/>"
  for (e = 10; e <= 24; e += 2) {
    printf "<path d=\"M%g 30V350\" stroke=\"#ddd\"/>\n", x(e)
    text(x(e), 366, "middle", e < 20 ? 2 ^ (e - 10) "K" : 2 ^ (e - 20) "M")
  }
  split("0.01 0.02 0.05 0.1 0.2 0.5 1", ticks, " ")
  for (k = 1; k <= 7; k++) {
    printf "<path d=\"M60 %gH540\" stroke=\"#ddd\"/>\n", y(ticks[k])
    text(54, y(ticks[k]) + 4, "end", ticks[k])
  }
  text(300, 386, "middle", "elements of the result")
  text(60, 20, "start", "f32 addition, ns per element; dashed: loop in C")
  split("same scalar row column", forms, " ")
  split("#1f77b4 #d62728 #2ca02c #9467bd", colors, " ")
  for (k = 1; k <= 4; k++) {
    line(loop[forms[k]], colors[k], "5 4")
    line(jit[forms[k]], colors[k], "none")
    printf "<path d=\"M560 %gh24\" stroke=\"%s\" stroke-width=\"2\"/>\n", 40 + 20 * k, colors[k]
    text(592, 44 + 20 * k, "start", forms[k])
  }
  print "</svg>"
}' "$report"

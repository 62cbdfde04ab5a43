#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What calls cost under wine beside Linux, on this machine: the command of both builds measures the
# same kernels of precompiled operations, in turns. Least of TURNS of medians, in nanoseconds, and
# how many times as long wine's take. ./run-tests-windows.sh has built what is needed.
#   sh bench/windows.sh [BUILD [WINDOWS_BUILD [TURNS]]]
set -eu
build=${1:-build} windows=${2:-build-windows} turns=${3:-15}
wine=$(sed -n 's/^TOSAJIT_WINE:[A-Z]*=//p' "$windows/CMakeCache.txt")
[ -n "$wine" ] && [ -x "$build/tools/tosajit" ] && [ -f "$windows/bin/tosajit.exe" ] ||
    { echo "Both builds and wine are needed: ./run-tests-windows.sh makes them" >&2; exit 1; }
work=$(mktemp -d)
trap 'WINEPREFIX=$work/wine "$(dirname "$wine")/wineserver64" --kill || true; rm -rf "$work"' EXIT
export WINEPREFIX="$work/wine" WINEDEBUG=-all DISPLAY=""
"$wine" wineboot --init >/dev/null 2>&1
cat >"$work/lines.tj" <<'END'
:backend precompiled
:quiet on
y = x + b : f32[?], f32[?]
:time 16 16
:time 1024 1024
:time 65536 65536
y = sum(x) : f32[?]
:time 16
:time 1024
y = x * sigmoid(x + b) : f32[?], f32[?]
:time 1024 1024
END
names="add/16 add/1024 add/65536 sum/16 sum/1024 swish/1024"
# nanoseconds COMMAND...: of each call that a session measures.
nanoseconds() {
    "$@" repl "$work/lines.tj" </dev/null | tr -d '\r' | awk '/ per call| a call/ {
        for (k = 1; k < NF; k++) if ($(k + 1) ~ /^(ns|us|ms)/) { print $k * ($(k + 1) ~ /^ns/ ? 1 : $(k + 1) ~ /^us/ ? 1e3 : 1e6); next } }'
}
turn=0
while [ $turn -lt "$turns" ]; do
    nanoseconds "$build/tools/tosajit" | nl -ba >>"$work/linux"
    nanoseconds "$wine" "$windows/bin/tosajit.exe" | nl -ba >>"$work/windows"
    turn=$((turn + 1))
done
awk -v names="$names" '
{ if (!((FILENAME, $1) in least) || $2 < least[FILENAME, $1]) least[FILENAME, $1] = $2 }
END {
    count = split(names, name, " ")
    print "| call | Linux | wine | ratio |\n|---|--:|--:|--:|"
    for (k = 1; k <= count; k++) {
        here = least[ARGV[1], k]; there = least[ARGV[2], k]
        if (!here || !there) { print name[k] " was not measured" >"/dev/stderr"; exit 1 }
        printf "| %s | %.1f | %.1f | %.2f |\n", name[k], here, there, there / here
    }
}' "$work/linux" "$work/windows"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the fuzzers reach, file by file, and which functions they never enter.
#   sh tests/fuzz/coverage.sh [SECONDS] [NAME...]
# Each fuzzer (or those named: api, npy, ...) reads its stored inputs and what it has found so far
# in build-fuzz, and then runs for so many seconds, 0 by default. What a fuzzer is linked with
# counts for it: the sum over all is printed, of the library and of the parts of the command that
# they reach.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-0}
[ $# -eq 0 ] || shift
cmake --preset coverage >/dev/null
cmake --build --preset coverage >/dev/null
programs=build-coverage/tests/fuzz
work=$programs/coverage
rm -rf "$work"
mkdir -p "$work"
[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's,.*/fuzz_\(.*\)\.c,\1,')
objects=""
for name in "$@"; do
    mkdir -p "$work/$name"
    inputs=tests/fuzz/inputs/$name
    [ -d "$inputs" ] || inputs=tests/fuzz/inputs/api # of fuzz_native, which has the same programs
    [ "$name" != tosafile ] || inputs="$inputs tests/tools/tosafile"
    [ ! -d "build-fuzz/tests/fuzz/$name" ] || inputs="$inputs build-fuzz/tests/fuzz/$name"
    if [ "$seconds" -gt 0 ]; then limit=-max_total_time=$seconds; else limit=-runs=0; fi
    LLVM_PROFILE_FILE="$work/$name-%p%c.profraw" "$programs/fuzz_$name" "$limit" -detect_leaks=0 \
        -timeout=60 -verbosity=0 \
        -artifact_prefix="$work/" "$work/$name" $inputs >"$work/$name.log" 2>&1 ||
        { tail -20 "$work/$name.log"; exit 1; }
    objects="$objects -object $programs/fuzz_$name"
done
llvm-profdata-22 merge -sparse "$work"/*.profraw -o "$work/all.profdata"
sources=$(find runtime jit tools -name '*.c' -o -name '*.cc')
llvm-cov-22 export -summary-only -instr-profile="$work/all.profdata" ${objects# -object} $sources \
    >"$work/summary.json"
# Of each file: lines reached of lines there are.
tr '{' '\n' <"$work/summary.json" | awk '
    /"filename":/ { file = $0; sub(/.*"filename":"/, "", file); sub(/".*/, "", file) }
    /"lines":/ { wants = 1; next }
    wants && file != "" {
        wants = 0
        split($0, part, /[:,}]/)
        count = part[2]; covered = part[4]
        match(file, /\/(runtime|jit|tools)\/.*/); name = substr(file, RSTART + 1)
        printf "%5.1f %% of %4d lines  %s\n", count ? 100 * covered / count : 100, count, name
        all += count; reached += covered; file = ""
    }
    END { printf "%5.1f %% of %d lines in all\n", all ? 100 * reached / all : 0, all }' >"$work/files.txt"
grep -v 'in all$' "$work/files.txt" | sort -n
tail -1 "$work/files.txt"
echo "Never entered:"
llvm-cov-22 report -show-functions -instr-profile="$work/all.profdata" ${objects# -object} \
    $sources |
    awk \
    '/^File / { match($0, /\/(runtime|jit|tools)\/[^ ]*\.cc?/); file = substr($0, RSTART + 1, RLENGTH - 1); shown = 0 }
         $4 == "0.00%" && $2 == $3 && $1 != "TOTAL" {
             sub(/^.*:/, "", $1)
             text = text (shown++ ? ", " : "\n  " file ": ") $1
         }
         END { print text }'

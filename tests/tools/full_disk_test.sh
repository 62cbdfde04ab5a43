#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command where a disk is full, or may only be read, and where nobody has a home: no piece of a
# file stays, what was there stays, and the error names the file and the reason.
#   full_disk_test.sh TOOL SOURCE PROGRAM
# In: the built tool, the source directory, and full_disk_test, which does the same to the library.
# Out: one line per failed expectation; exit code 1 if there is one, 77 where the machine allows no
# mounts. The disks are of a namespace of the test's own.
set -u
if [ "${FULL_DISK_INSIDE:-}" != yes ]; then
    if ! unshare -rm mount -t tmpfs -o size=64k none /tmp 2>/dev/null; then
        echo "*** NOT TESTED: a full disk: this machine allows no mounts in a namespace" >&2
        exit 77
    fi
    FULL_DISK_INSIDE=yes exec unshare -rm sh "$0" "$@"
fi
program=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
. "$(dirname "$0")/../support/tool.sh"
trap 'umount "$work/disk"; rm -rf "$work"' EXIT
disk=$work/disk
mkdir "$disk"
mount -t tmpfs -o size=128k none "$disk" || exit 1
x="--input examples/gelu_x.npy --input examples/gelu_bias.npy"
nospace="No space left on device"

# room KIB: the disk has so much room and nothing on it but the file that takes the rest, and `old`.
room() {
    rm -rf "$disk"/* "$disk"/.t*
    echo old >"$disk/old"
    head -c $((124 - $1))k /dev/zero >"$disk/filler"
}

# left WHAT NAME...: on the disk is nothing but that.
left() {
    what=$1
    shift
    found=$(ls -A "$disk" | grep -v '^filler$' | sort | tr '\n' ' ')
    [ "$found" = "$*${1:+ }" ] || fail "$what: on the disk is $found"
}

# writes NAME ARGUMENTS...: a command that writes the file NAME of the disk, and would do so in room
# enough. With any less it either does, or says why not and leaves nothing; the same where the file
# is there already.
writes() {
    name=$1
    shift
    room 120
    "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null || fail "tosajit $*: fails with room enough"
    cp "$disk/$name" "$work/whole" || return
    refused=0
    for kib in 0 4 8 12 16 24 32; do
        for before in "" "$name"; do
            room $kib
            # no room for that
            [ -z "$before" ] || mv "$disk/old" "$disk/$name" 2>/dev/null || continue
            checks=$((checks + 1))
            if "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null; then
                cmp -s "$disk/$name" "$work/whole" || fail "tosajit $*, $kib KiB: cut, and no error"
                continue
            fi
            refused=$((refused + 1))
            grep -qF "$nospace" "$work/err" || fail "tosajit $*, $kib KiB: no reason"
            grep -qF "$name" "$work/err" || fail "tosajit $*, $kib KiB: no name"
            left "tosajit $*, $kib KiB" "${before:-old}"
            [ "$(cat "$disk/${before:-old}")" = old ] ||
                fail "tosajit $*, $kib KiB: what was there is lost"
        done
    done
    [ $refused -gt 0 ] || fail "tosajit $*: no disk was too small"
}

writes r.npy run examples/gelu_bias.mlir $x --output "$disk/r.npy"
writes p.svg plan examples/gelu_bias.mlir --svg "$disk/p.svg"
writes k.o compile examples/gelu_bias.mlir -o "$disk/k.o" --header "$work/k.h"
writes k.h compile examples/gelu_bias.mlir -o "$work/k.o" --header "$disk/k.h"
"$tool" onnx --help >/dev/null 2>&1 && "$tool" onnx examples/swish.onnx >/dev/null 2>&1 && {
    writes m.onnx onnx examples/swish.onnx -o "$disk/m.onnx"
    writes m.dot onnx examples/swish.onnx --dot "$disk/m.dot"
}

# Of two files none: not the one that there was room for either.
room 4
"$tool" compile examples/gelu_bias.mlir -o "$disk/k.o" --header "$disk/k.h" >"$work/out" \
    2>"$work/err" && fail "two files in 4 KiB"
grep -qF "$nospace" "$work/err" || fail "compile: no reason"
left "compile" old

# Standard output is a file of a full disk.
room 0
for words in "plan examples/gelu_bias.mlir" "asm examples/gelu_bias.mlir" \
    "outline examples/gelu_bias.mlir" "ops" "--help"; do
    checks=$((checks + 1))
    "$tool" $words >"$disk/text" 2>"$work/err" &&
        fail "tosajit $words: text is lost without an error"
    grep -qF "standard output: cannot write: $nospace" "$work/err" ||
        fail "tosajit $words: no reason"
done

# What the environment asks for is lost with a warning, and the result is there.
"$tool" run examples/gelu_bias.mlir $x --output "$work/whole" >"$work/out" 2>"$work/err" ||
    fail "run"
for kib in 0 4 8; do
    room $kib
    TOSAJIT_DUMP=plan,svg,mlir,ir,asm,obj TOSAJIT_DUMP_DIR=$disk "$tool" run \
        examples/gelu_bias.mlir $x --output "$work/r.npy" \
        >"$work/out" 2>"$work/err" || fail "a dump that has no room, $kib KiB, loses a result"
    cmp -s "$work/r.npy" "$work/whole" || fail "dumps change a result"
    grep -q "warning: TOSAJIT_DUMP: $disk/tosajit_.*: $nospace" "$work/err" ||
        fail "a dump in $kib KiB: no warning with a reason"
    for file in "$disk"/tosajit_*; do # whole ones only, if any
        [ ! -e "$file" ] && continue
        grep -qF "TOSAJIT_DUMP: $file" "$work/err" && fail "a piece of $file stays"
    done
    checks=$((checks + 1))
    room $kib
    TOSAJIT_CACHE_DIR=$disk/cache "$tool" run examples/gelu_bias.mlir $x --output "$work/r.npy" \
        >"$work/out" 2>"$work/err" ||
        fail "a cache without room, $kib KiB, loses a result"
    cmp -s "$work/r.npy" "$work/whole" || fail "a cache without room changes a result"
    find "$disk" -name '*.tmp*' -o -name '.tmp*' | grep . && fail "a piece of a cache's entry stays"
    checks=$((checks + 1))
done
room 0
TOSAJIT_PERF=jitdump TOSAJIT_PERF_DIR=$disk "$tool" run examples/gelu_bias.mlir $x --output \
    "$work/r.npy" >"$work/out" 2>"$work/err" ||
    fail "jitdump without room loses a result"
cmp -s "$work/r.npy" "$work/whole" || fail "jitdump without room changes a result"
grep -q "warning: TOSAJIT_PERF: $disk/jit-[0-9]*.dump: $nospace" "$work/err" ||
    fail "jitdump: no warning with a reason"
left jitdump old

# A directory that may only be read.
room 4
mkdir "$disk/cache"
mount -o remount,ro "$disk" || exit 1
cd "$source" || exit 1
for words in "run examples/gelu_bias.mlir $x --output" "plan examples/gelu_bias.mlir --svg" \
    "compile examples/gelu_bias.mlir --header $work/k.h -o"; do
    checks=$((checks + 1))
    "$tool" $words "$disk/new" >"$work/out" 2>"$work/err" && fail "tosajit $words: success"
    grep -q "$disk/new: .*Read-only file system" "$work/err" ||
        fail "tosajit $words: no name or reason"
done
for cache in "$disk/cache" "$disk/none"; do
    checks=$((checks + 1))
    TOSAJIT_CACHE_DIR=$cache "$tool" run examples/gelu_bias.mlir $x --output "$work/r.npy" \
        >"$work/out" 2>"$work/err" ||
        fail "a cache that may only be read loses a result"
    cmp -s "$work/r.npy" "$work/whole" || fail "a cache that may only be read changes a result"
done
grep -qF "TOSAJIT_CACHE_DIR: the cache directory \"$disk/none\": Read-only file system" \
    "$work/err" || fail "no warning of a cache"

# Homes: one that may only be read, one that is not there, none. The history is lost, and nothing
# else.
for home in "HOME=$disk" "HOME=/dev/null/home" "HOME=" "-u HOME"; do
    checks=$((checks + 1))
    printf 'y = x * 2.0 : f32[4]\n:quit\n' | env $home "$tool" >"$work/out" 2>"$work/err" ||
        fail "a session with $home"
    [ -s "$work/err" ] && fail "a session with $home says something"
    env $home "$tool" run examples/gelu_bias.mlir $x --output "$work/r.npy" >"$work/out" \
        2>"$work/err" || fail "run with $home"
    cmp -s "$work/r.npy" "$work/whole" || fail "$home changes a result"
done

mount -o remount,rw "$disk" || exit 1
room 0
"$program" "$disk" || failures=$((failures + 1))
echo "$checks checks, $failures failures"
[ $failures -eq 0 ]

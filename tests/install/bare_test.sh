#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A machine without LLVM: a root that has a test program, the libraries it is linked with, and
# nothing else. There it runs.
#   sh tests/install/bare_test.sh PROGRAM
# Needs root, or user namespaces. Where there is neither, the loader is kept to these libraries, and
# the test says so.
set -eu
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
mkdir -p "$root/lib" "$root/proc" "$root/tmp"
cp "$1" "$root/program"
ldd "$1" | awk '$2 == "=>" { print $3 } $1 ~ "^/" { print $1 }' | while read -r library; do
    cp -L "$library" "$root/lib"
done
loader=$(ldd "$1" | awk '$1 ~ "^/.*ld-" { print $1 }')
mkdir -p "$root/$(dirname "$loader")"
[ -e "$root/$loader" ] || cp -L "$loader" "$root/$loader"
if find "$root" | grep -iE 'llvm|mlir|codegen'; then
    echo "FAILED: the program needs what it should do without"; exit 1
fi

namespaces=-rm
[ "$(id -u)" != 0 ] || namespaces=-m
# shellcheck disable=SC2016 # of the inner shell
if unshare $namespaces sh -c 'mount --rbind /proc "$1/proc"' - "$root" 2>"$work/why"; then
    # shellcheck disable=SC2016
    unshare $namespaces sh -c \
        'mount --rbind /proc "$1/proc" && LD_LIBRARY_PATH=/lib exec chroot "$1" /program' - "$root"
else
    echo "NOT TESTED in a root of its own: $(cat "$work/why")"
    "$root/$loader" --inhibit-cache --library-path "$root/lib" "$root/program"
fi

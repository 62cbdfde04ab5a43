#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What our libraries and the tool ask of the loader: no executable stack, no relocations of code, no
# segment both writable and executable, nothing run at exit; but libtosajit registers a handler for
# who asks (quiesce_at_exit).
#   sh tests/install/elf_test.sh FILE...
set -eu
failed=0
for file in "$@"; do
    segments=$(readelf -lW "$file")
    echo "$segments" | grep GNU_STACK | grep -q RWE && { echo "$file: executable stack"; failed=1; }
    echo "$segments" | grep -q GNU_STACK || {
        echo "$file: says nothing about its stack"; failed=1
    }
    echo "$segments" | grep LOAD | grep -q RWE && {
        echo "$file: a segment is writable and executable"; failed=1
    }
    readelf -dW "$file" | grep -q TEXTREL && { echo "$file: relocations of code"; failed=1; }
    case $file in
    */libtosajit.so*) ;;
    *.so*) readelf -W --dyn-syms "$file" | grep -E 'UND (atexit|__cxa_atexit|on_exit)' && {
        echo "$file: runs code at exit"; failed=1
    } ;;
    esac
done
exit $failed

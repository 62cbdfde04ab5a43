#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The oracle shares no code with what it judges: its objects ask for no function of the library.
#   oracle_test.sh NM OBJECT...
set -eu
nm=$1
shift
[ $# -gt 2 ] || { echo "no objects to look at" >&2; exit 1; }
if "$nm" -u "$@" | grep "U tosajit"; then
    echo "the oracle calls the library" >&2
    exit 1
fi
"$nm" -u "$@" | grep -q mpfr_ || { echo "nothing was read: the oracle uses MPFR" >&2; exit 1; }

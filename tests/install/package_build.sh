#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Debian packages of a source tree, as a distributor makes them: out of the tree that git has, with dpkg-buildpackage and nothing else.
#   sh tests/install/package_build.sh SOURCE_DIRECTORY DIRECTORY      DIRECTORY then has the packages, the source package and tosajit/
set -eu
directory=$2
mkdir -p "$directory/tosajit"
(cd "$1" && if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files -co --exclude-standard; else find . -type f -not -path './build*'; fi |
    tar -cf - -T -) | tar -xf - -C "$directory/tosajit"
cd "$directory/tosajit"
dpkg-buildpackage -us -uc -j2 >"$directory/log" 2>&1 || { tail -40 "$directory/log"; exit 1; }

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Debian packages of a source tree, as a distributor makes them: out of the tree that git has,
# with dpkg-buildpackage and nothing else.
#   sh tests/install/package_build.sh SOURCE_DIRECTORY DIRECTORY
#       DIRECTORY then has the packages, the source package and tosajit/
set -eu
for tool in dpkg-buildpackage dh; do command -v $tool >/dev/null || {
    echo "$tool is missing: sh tools/install-dependencies.sh"; exit 1
}; done
rm -rf "$2"/*tosajit*
mkdir -p "$2/tosajit"
directory=$(cd "$2" && pwd)
(cd "$1" && if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -co --exclude-standard; else find . -type f -not -path './build*'; fi |
    tar -cf - -T -) | tar -xf - -C "$directory/tosajit"
cd "$directory/tosajit"
export DPKG_DEB_COMPRESSOR_LEVEL=1 # nobody keeps them
dpkg-buildpackage -us -uc -j2 >"$directory/log" 2>&1 || { tail -40 "$directory/log"; exit 1; }

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install what building and testing needs, on Debian 12, or less of it, or the packages that are
# named. Nothing happens where all of it is there already.
#   sh tools/install-dependencies.sh
#       everything: library, command, tests, benchmarks, documents
#   sh tools/install-dependencies.sh --command     library and command
#   sh tools/install-dependencies.sh --library     the library alone
#   sh tools/install-dependencies.sh PACKAGE...
set -eu
# pkg-config tells programs what they link.
library="gcc cmake ninja-build pkg-config llvm-22-dev"
# Flatbuffers of TOSA. Models of ONNX: their messages and who reads these.
command="$library g++ libmlir-22-dev libflatbuffers-dev libonnx-dev libprotobuf-c-dev protobuf-c-compiler"
# Oracles, sanitizers, fuzzers, peers; a parser of XML for drawings, a debugger for names of
# kernels; what makes and reads packages and documents; an emulator of older CPUs; a locale that
# writes numbers in another way; the Python package and what it is compared with, and where pip
# brings ONNX Runtime to.
tests="$command mlir-22-tools clang-22 libclang-rt-22-dev libcmocka-dev libmpfr-dev libgmp-dev libbenchmark-dev clang-format
    libxml2-utils gdb doxygen man-db mandoc bsdextrautils dpkg-dev debhelper lintian reuse qemu-user valgrind
    locales libzstd-dev python3-dev python3-pip python3-venv python3-onnx python3-numpy python3-numexpr dh-python"
case ${1:-} in
'') packages=$tests ;;
--command) packages=$command ;;
--library) packages=$library ;;
-*) echo "there is no option $1; there are --command and --library" >&2; exit 2 ;;
*) packages=$* ;;
esac
if ! command -v apt-get >/dev/null; then
    # shellcheck disable=SC2086 # a list of words, as below
    echo \
        "This script knows Debian's packages only. Install what these have, then build with cmake:" $packages >&2
    exit 1
fi
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
        missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
as_root=""
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
    command -v sudo >/dev/null || {
        echo "Neither root nor sudo. Let root run: apt-get install$missing" >&2; exit 1
    }
fi
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    $missing && exit 0
echo "LLVM 22 is in Debian 12's security updates; does /etc/apt list bookworm-security?" >&2
exit 1

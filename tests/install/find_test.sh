#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM and MLIR where other distributions have them: in lib64 of their root, and where only
# find_package() knows. Without them: an error.
#   sh tests/install/find_test.sh SOURCE_DIRECTORY LLVM_ROOT MLIR_ROOT
set -eu
source=$(cd "$1" && pwd) llvm=$2 mlir=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/project" "$work/root" "$work/empty"
ln -s "$llvm/lib" "$work/root/lib64"
ln -s "$llvm/include" "$work/root/include"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.21)
project(finding LANGUAGES C)
include($source/cmake/\${FINDER}.cmake)
message("found: \${TOSAJIT_LLVM} \${TOSAJIT_LLVM_INCLUDE} \${MLIR_LIBRARY} \${MLIR_CAPI_Tosa} \${MLIR_INCLUDE}")
END
# finds WHAT OPTION...: configuring succeeds, and WHAT is among what was found; "nothing": it fails.
finds() {
    what=$1
    shift
    rm -rf "$work/build"
    if cmake -S "$work/project" -B "$work/build" "$@" >"$work/log" 2>&1; then code=0; else
        code=1; fi
    if [ "$what" = nothing ]; then
        [ $code = 1 ] || { cat "$work/log"; echo "FAILED: found something with $*"; exit 1; }
    else
        grep "^found: " "$work/log" | grep -qF -- "$what" || {
            cat "$work/log"; echo "FAILED: no $what with $*"; exit 1
        }
    fi
}
finds "$llvm/lib/libLLVM.so $llvm/include" -DFINDER=FindLLVMLibrary -DTOSAJIT_LLVM_ROOT="$llvm"
finds "$work/root/lib64/libLLVM.so $work/root/include" -DFINDER=FindLLVMLibrary \
    -DTOSAJIT_LLVM_ROOT="$work/root"
finds "$llvm/lib/libLLVM.so $llvm/include" -DFINDER=FindLLVMLibrary -DTOSAJIT_LLVM_ROOT= \
    -DLLVM_DIR="$llvm/lib/cmake/llvm"
finds "$llvm/lib/libLLVM.so $llvm/include" -DFINDER=FindLLVMLibrary \
    -DTOSAJIT_LLVM_ROOT="$work/empty" -DCMAKE_PREFIX_PATH="$llvm"
finds nothing -DFINDER=FindLLVMLibrary -DTOSAJIT_LLVM_ROOT="$work/empty" \
    -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON
finds "$mlir/lib/libMLIR.so $mlir/lib/libMLIRCAPITosa.a" -DFINDER=FindMLIRLibrary \
    -DTOSAJIT_MLIR_ROOT="$mlir"
rm "$work/root/lib64" "$work/root/include"
ln -s "$mlir/lib" "$work/root/lib64"
ln -s "$mlir/include" "$work/root/include"
finds "$work/root/lib64/libMLIR.so $work/root/lib64/libMLIRCAPITosa.a" -DFINDER=FindMLIRLibrary \
    -DTOSAJIT_MLIR_ROOT="$work/root"
finds "$mlir/lib/libMLIR.so $mlir/lib/libMLIRCAPITosa.a" -DFINDER=FindMLIRLibrary \
    -DTOSAJIT_MLIR_ROOT= -DCMAKE_PREFIX_PATH="$mlir"
finds nothing -DFINDER=FindMLIRLibrary -DTOSAJIT_MLIR_ROOT="$work/empty" \
    -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON

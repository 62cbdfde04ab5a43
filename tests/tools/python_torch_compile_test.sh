#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package as a backend of torch.compile, and what docs/torch.md shows of it.
#   sh tests/tools/python_torch_compile_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY VENV [--all]
set -eu
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd) python=$3/bin/python
export PYTHONPATH="$build/tools/python" PYTHONDONTWRITEBYTECODE=1
if ! "$python" -c 'import torch' 2>/dev/null; then
    echo "*** NOT TESTED: the backend of torch.compile, as PyTorch is not in $3"
    exit 0
fi
"$python" "$source/tests/tools/python_torch_compile_test.py" ${4:-}
"$python" "$source/tests/tools/python_reports_test.py" torch
"$python" "$source/tests/tools/python_torch_bits_test.py" ${4:-}
lines=$(awk '/^```/ { code = $0 == "```python" && !code; next } code' "$source/docs/torch.md")
cd "$(mktemp -d)" && trap 'rm -rf "$PWD"' EXIT
[ -n "$lines" ] && "$python" -c "import tosajit.torch
$lines
assert z.shape == y.shape == (8, 128) and model[0].weight.grad is not None"

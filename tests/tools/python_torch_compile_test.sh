#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Python package as a backend of torch.compile: PyTorch's operations; or what is made of them,
# and what docs/torch.md shows; or all samples.
#   sh tests/tools/python_torch_compile_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY VENV [operations | --all]
set -eu
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd) python=$3/bin/python
export PYTHONPATH="$build/tools/python"
. "$(dirname "$0")/../support/venv.sh"
keep_bytecode "$build/tests/pycache"
if ! "$python" -c 'import torch' 2>/dev/null; then
    echo "*** NOT TESTED: the backend of torch.compile, as PyTorch is not in $3"
    exit 0
fi
test=$source/tests/tools/python_torch_compile_test.py
case ${4:-} in
operations) exec "$python" "$test" Operations ;;
--all) "$python" "$test" --all ;;
*) # shellcheck disable=SC2046 # words
    "$python" "$test" $(sed -n 's/^class \([A-Za-z]*\)(unittest.TestCase):$/\1/p' "$test" |
        grep -vx Operations) ;;
esac
"$python" "$source/tests/tools/python_reports_test.py" torch
"$python" "$source/tests/tools/python_torch_bits_test.py" ${4:-}
lines=$(awk '/^```/ { code = $0 == "```python" && !code; next } code' "$source/docs/torch.md")
cd "$(mktemp -d)" && trap 'rm -rf "$PWD"' EXIT
[ -n "$lines" ] && "$python" -c "import tosajit.torch
$lines
assert z.shape == y.shape == (8, 128) and model[0].weight.grad is not None"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Random programs by torch.compile, 10 s of them, or TOSAJIT_TEST_SECONDS.
#   sh tests/tools/torch_random_test.sh BUILD_DIRECTORY SOURCE_DIRECTORY VENV [SEED]
set -eu
export PYTHONPATH="$1/tools/python"
. "$(dirname "$0")/../support/venv.sh"
keep_bytecode "$1/tests/pycache"
if ! "$3/bin/python" -c 'import torch' 2>/dev/null; then
    echo "*** NOT TESTED: random programs by torch.compile, as PyTorch is not in $3"
    exit 0
fi
exec "$3/bin/python" "$2/tests/tools/torch_random_test.py" ${4:-}

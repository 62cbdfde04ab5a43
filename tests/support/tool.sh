# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the tests of the command begin with; to be sourced: . "$(dirname "$0")/../support/tool.sh"
# In: the first two arguments, the built tool and the source directory. Out: $tool and $source,
# absolute; $work, a directory that goes with the shell; the source directory is the current one;
# fail, checks and failures.
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
failures=0
checks=0

# fail WHAT: one more failure, with what the last command has said.
fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out" "$work/err"
}

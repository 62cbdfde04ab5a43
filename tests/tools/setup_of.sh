#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a section of a page has a user type before anything else, to be evaluated: its `sh` blocks.
#   sh tests/tools/setup_of.sh docs/install.md 'A prefix'
set -eu
awk -v heading="## $2" '
    /^## / { section = $0 == heading; found = found || section }
    /^```/ { code = section && $0 == "```sh"; next }
    code
    END { exit !found }' "$1"

#!/bin/sh
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# No code of ours keeps vectors of 32 or 64 bytes on the stack by instructions that want them
# aligned: GCC aligns the stack to 16 bytes for Windows, whatever a function holds there (its bug
# 54412).
#   sh stack_vectors_test.sh OBJDUMP OBJECTS      OBJECTS: a file of names
set -eu
grep -q . "$2"
work=$(mktemp)
trap 'rm -f "$work"' EXIT
tr '\n' '\0' <"$2" | xargs -0 "$1" --disassemble --no-show-raw-insn >"$work"
grep -q '%ymm' "$work" || { echo "no vectors of 32 bytes are in these objects"; exit 1; }
! grep -E 'vmov(aps|apd|dqa|dqa32|dqa64|ntps|ntpd|ntdq)[[:space:]].*%[yz]mm.*' "$work" |
    grep -E '\(%r(sp|bp)'

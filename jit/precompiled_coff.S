/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Precompiled ops of an ELF object in one of COFF: its rows (rows_library, in
 * runtime/precompiled/rows.h) and its text, in one section, as COFF has no reference of 64 bits
 * from one to another. */
    .text
    .globl tosajit_private_ops
    .balign 4096
ops_text:
    .incbin OPS_TEXT
    .balign 8
tosajit_private_ops:
    .incbin OPS_ROWS, 0, 64 /* offsetof(rows_library, text) */
text_member:
    .quad ops_text - text_member
    .incbin OPS_ROWS, 72

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembly of x86 as the library prints it: its lines, and the loop in which a kernel spends its
 * time. */
#ifndef TOSAJIT_TESTS_SUPPORT_ASSEMBLY_H
#define TOSAJIT_TESTS_SUPPORT_ASSEMBLY_H

#include <stdbool.h>

enum { ASSEMBLY_MAX_LINES = 16384 };

typedef struct assembly_listing {
    char *lines[ASSEMBLY_MAX_LINES]; /* of the text that was split */
    int count;
} assembly_listing;

void assembly_split(char *text, assembly_listing *l);
bool assembly_is_instruction(const char *line);

/* A conditional jump backwards over no other one, that makes more elements in a step than any
 * other: first and last line. */
typedef struct assembly_loop {
    int first, last, elements;
} assembly_loop;

assembly_loop assembly_hot_loop(const assembly_listing *l);

#endif

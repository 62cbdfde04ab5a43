/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of values in texts of the library. In: a text that says "%arg1" and "%7 = tosa.add"; out:
 * the same with the names that a person gave. */
#ifndef TOSAJIT_TOOLS_TOSA_VALUE_NAMES_H
#define TOSAJIT_TOOLS_TOSA_VALUE_NAMES_H

#include <stddef.h>

enum { VALUE_NAME_CAPACITY = 64 };

typedef struct value_name {
    char text[VALUE_NAME_CAPACITY]; /* "%half"; empty where there is none and the library's number
                                       stays */
} value_name;

/* list has the names of all values in the library's order, `count` of them, the first `inputs` of
 * which are inputs. To be freed; null if out of memory. */
char *value_names_replace(const value_name *list, size_t inputs, size_t count, const char *text);

#endif

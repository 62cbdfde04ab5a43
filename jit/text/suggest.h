/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name that somebody may have meant. In: a word and the names there are; out: the nearest one.
 */
#ifndef TOSAJIT_JIT_TEXT_SUGGEST_H
#define TOSAJIT_JIT_TEXT_SUGGEST_H

#include <stddef.h>

#include "tosajit/tosajit.h"

/* The best name so far; begins as {word, length}. */
typedef struct suggestion {
    const char *word;
    size_t length;
    const char *name; /* null: none is near */
    size_t distance;
} suggestion;

/* Consider a name. Nearness is the number of letters inserted, left out, changed or exchanged; a
 * word that is part of the name is near as well. */
void suggest(suggestion *s, const char *name);
void suggest_ops(suggestion *s);
void suggest_types(suggestion *s);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands and results of the last kernel. In: words like "5x3", "ramp", "[[1,2]]", "a.npy"; out:
 * arrays. */
#ifndef TOSAJIT_TOOLS_REPL_DATA_H
#define TOSAJIT_TOOLS_REPL_DATA_H

#include "tools/data/array.h"
#include "tools/repl/session.h"

/* `repeated`: random numbers may repeat, for measuring. False after a message. In either case
 * release all arrays, of which there are as many as operands. */
bool repl_operands(repl *r, const text_span *words, size_t word_count, bool repeated,
                   npy_array *operands);
/* Random numbers, or as many repeated ones; false if interrupted. */
bool repl_fill_random(npy_array *array, unsigned seed, bool repeated);
/* True if the machine has memory for so many bytes; false after a message. */
bool repl_has_memory(repl *r, double bytes);
/* Arrays for the results. False after a message. */
bool repl_results(repl *r, const npy_array *operands, npy_array *results);
void repl_release_arrays(npy_array *arrays, size_t count);

#endif

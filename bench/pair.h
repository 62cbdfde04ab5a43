/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pair: two processors, and what runs on them: engines of one thread and of two, and a helper that
 * takes half of a job. In: the processors' numbers. Out: every thread stays on its processor, so
 * that none waits for another one there. */
#ifndef TOSAJIT_BENCH_PAIR_H
#define TOSAJIT_BENCH_PAIR_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* The one that everything runs on, and another; -1: there is none. */
void pair_set(int processor, int other);
bool pair_exists(void);

/* An engine of that many threads, 1 or 2, the second on the other processor; lives until
 * pair_release. Null: tosajit_last_error says why.
 */
tosajit_engine *pair_engine(size_t threads);
/* Call create(context) while this process may use both processors, or only the first; then
 * everybody is back in place. */
tosajit_status pair_create(bool both, tosajit_status (*create)(void *context), void *context);

/* work(here) on this processor and work(there) on the other, at once; returns when both have. */
void pair_run(void (*work)(const void *job), const void *here, const void *there);

void pair_release(void);

#endif

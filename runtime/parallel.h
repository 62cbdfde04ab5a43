/* Parallel: a walk that is long enough is divided among threads. */
#ifndef TOSAJIT_RUNTIME_PARALLEL_H
#define TOSAJIT_RUNTIME_PARALLEL_H

#include "runtime/tile.h"

/* What a host says of its threads, as far as the arithmetic here goes: SIZE_MAX for "any number" is no size to multiply. */
tosajit_parallel parallel_limited(tosajit_parallel given);

/* Run a part's code over a coalesced walk, like tile_run, on the threads of `parallel` where that pays. */
void parallel_run(const tosajit_parallel *parallel, const plan_part *part, tosajit_entry entry, const walk *w, const tile_tensors *tensors);

/* Whether so many elements of the part are worth more than one thread. */
bool parallel_pays(const tosajit_parallel *parallel, const plan_part *part, int64_t elements);

#endif

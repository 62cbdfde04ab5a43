/* Tiles: from a coalesced walk to calls of a kernel's code. */
#ifndef TOSAJIT_RUNTIME_TILE_H
#define TOSAJIT_RUNTIME_TILE_H

#include "runtime/plan.h"
#include "runtime/walk.h"

/* Run a part's code over a coalesced walk without a size of 0. pointers: leaves, then results, at index 0; element_sizes
 * likewise, in bytes. */
void tile_run(const plan_part *part, tosajit_entry entry, const walk *w, void *const *pointers, const uint8_t *element_sizes);

#endif

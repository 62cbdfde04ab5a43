/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A divided block has the operators that are left, and calls; a region has its operators, with the
 * constants that it reads. */
#include "tools/tosafile/outline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct divider {
    flat_writer *w;
    const file_graph *g;
    const file_division *how;
    flat_part *left; /* the divided block */
} divider;

static flat_numbers flat(tosa_numbers numbers) { return (flat_numbers){numbers.at, numbers.count}; }

static flat_numbers flat_list_of(const tosa_list *list) {
    return (flat_numbers){list->at, list->count};
}

static bool add_op(flat_part *p, const file_graph *g, int32_t op) {
    return flat_part_add(p, g->order[op], flat(tosa_graph_operands(&g->graph, op)),
                         flat(tosa_graph_results(&g->graph, op)));
}

static bool take(void *context, const char *name, bool *free) {
    const divider *d = context;
    return d->how->take(d->how->context, name, free);
}

static bool keep(void *context, int32_t op) {
    const divider *d = context;
    return add_op(d->left, d->g, op);
}

static bool write_region(void *context, const char *name, const tosa_part *part) {
    const divider *d = context;
    const flat_numbers inputs = flat(part->inputs), outputs = flat(part->outputs);
    flat_part *region = flat_part_open(d->w, &d->g->block, (flat_text){name, strlen(name)});
    bool fine = region != NULL;
    for (size_t k = 0; fine && k < part->ops.count; k++)
        fine = add_op(region, d->g, part->ops.at[k]);
    return flat_part_close(region, true, inputs, outputs) && fine &&
           flat_part_call(d->left, name, inputs, outputs);
}

/* The block is closed, whatever came before. */
static bool close_block(flat_part *p, const file_graph *g) {
    return flat_part_close(p, false, flat_list_of(&g->graph.inputs),
                           flat_list_of(&g->graph.outputs));
}

bool file_outline_keep(flat_writer *w, const file_graph *g) {
    flat_part *p = flat_part_open(w, &g->block, g->block.name);
    bool fine = p != NULL;
    for (int32_t k = 0; fine && k < g->graph.op_count; k++) fine = add_op(p, g, k);
    return close_block(p, g) && fine;
}

bool file_outline_divide(flat_writer *w, const file_graph *g, const file_division *how) {
    divider d = {w, g, how, flat_part_open(w, &g->block, g->block.name)};
    const tosa_writer writer = {&d, take, write_region, keep};
    char name[TOSA_NAME_LIMIT + 1];
    snprintf(name, sizeof name, "%s", g->shown);
    /* A region's name is shown as it is: a backslash, of an escaped byte, would be escaped once
     * more. */
    for (char *at = name; *at; at++)
        if (*at == '\\') *at = '_';
    const bool fine =
        d.left && tosa_outline(&g->graph, name, &writer, how->report, how->count, how->epilogues);
    return close_block(d.left, g) && fine;
}

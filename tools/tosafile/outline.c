/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A divided block has the operators that are left, calls, and the tensors that these name; a region
 * has its operators, with the constants that it reads. */
#include "tools/tosafile/outline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that goes with the outline; null if out of memory. */
static void *own(file_outline *o, void *memory) {
    if (memory && o->owned_count == o->owned_capacity) {
        const size_t larger = 2 * o->owned_capacity + 16;
        void **list = realloc(o->owned, larger * sizeof *list);
        if (!list) {
            free(memory);
            return NULL;
        }
        o->owned = list;
        o->owned_capacity = larger;
    }
    if (memory) o->owned[o->owned_count++] = memory;
    return memory;
}

static void *copy(file_outline *o, const void *from, size_t size) {
    void *made = own(o, malloc(size + 1));
    if (made && size) memcpy(made, from, size);
    return made;
}

static bool copy_numbers(file_outline *o, tosa_numbers numbers, flat_numbers *made) {
    *made = (flat_numbers){copy(o, numbers.at, numbers.count * sizeof *numbers.at), numbers.count};
    return made->list != NULL;
}

static bool add_part(file_outline *o, const flat_part *part) {
    if (o->count == o->capacity) {
        const size_t larger = 2 * o->capacity + 16;
        flat_part *parts = realloc(o->parts, larger * sizeof *parts);
        if (!parts) return false;
        o->parts = parts;
        o->capacity = larger;
    }
    o->parts[o->count++] = *part;
    return true;
}

bool file_outline_append(file_outline *o, file_outline *from) {
    bool fine = true;
    for (size_t k = 0; fine && k < from->count; k++) fine = add_part(o, &from->parts[k]);
    for (size_t k = 0; fine && k < from->owned_count; k++) {
        void *memory = from->owned[k];
        from->owned[k] = NULL;
        fine = own(o, memory) != NULL || !memory;
    }
    file_outline_release(from);
    return fine;
}

void file_outline_release(file_outline *o) {
    for (size_t k = 0; k < o->owned_count; k++) free(o->owned[k]);
    free(o->owned);
    free(o->parts);
    memset(o, 0, sizeof *o);
}

/* ---------------------------------------------------------------------------------------------
 * Blocks */

/* One that is being written. */
typedef struct block {
    file_outline *o;
    const file_graph *g;
    flat_part part;
    flat_step *steps;
    bool *has; /* per value: the part names it */
} block;

static bool block_open(block *b, file_outline *o, const file_graph *g, size_t most) {
    *b = (block){.o = o, .g = g, .part = {.from = g->block, .name = g->block.name}};
    b->has = calloc((size_t)g->graph.value_count + 1, sizeof *b->has);
    b->steps = own(o, calloc(most + 1, sizeof *b->steps));
    b->part.steps = b->steps;
    return b->has && b->steps;
}

static void mark(block *b, const int32_t *values, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (values[k] >= 0) b->has[values[k]] = true;
}

static void add_op(block *b, int32_t op) {
    const tosa_numbers operands = tosa_graph_operands(&b->g->graph, op),
                       results = tosa_graph_results(&b->g->graph, op);
    b->steps[b->part.step_count++].op = b->g->order[op];
    mark(b, operands.at, operands.count);
    mark(b, results.at, results.count);
}

/* All tensors and shapes that are named, in the file's order. */
static bool find_values(block *b) {
    const size_t tensors = b->g->block.tensors.count, all = (size_t)b->g->graph.value_count;
    int32_t *list = own(b->o, malloc((all + 1) * sizeof *list));
    flat_part *part = &b->part;
    part->tensors = part->shapes = (flat_numbers){list, 0};
    for (size_t k = 0; list && k < all; k++) {
        flat_numbers *kind = k < tensors ? &part->tensors : &part->shapes;
        if (k == tensors) kind->list = list + part->tensors.count;
        if (b->has[k]) list[part->tensors.count + part->shapes.count] = (int32_t)k;
        kind->count += b->has[k];
    }
    return list != NULL;
}

/* The block is added to a list of parts, if all went well until here. */
static bool block_close(block *b, file_outline *to, bool fine) {
    const flat_part *part = &b->part;
    if (fine) {
        mark(b, part->inputs.list, part->inputs.count);
        mark(b, part->outputs.list, part->outputs.count);
    }
    fine = fine && find_values(b) && add_part(to, part);
    free(b->has);
    return fine;
}

/* What a block names as its inputs or outputs; names of no tensor are left out. */
static bool list_names(const block *b, const tosa_list *names, flat_numbers *numbers) {
    int32_t *list = own(b->o, malloc((names->count + 1) * sizeof *list));
    size_t count = 0;
    for (size_t k = 0; list && k < names->count; k++)
        if (tosa_graph_is_tensor(&b->g->graph, names->at[k])) list[count++] = names->at[k];
    *numbers = (flat_numbers){list, count};
    return list != NULL;
}

static bool name_ends(block *b, flat_text region) {
    b->part.region = region;
    return list_names(b, &b->g->graph.inputs, &b->part.inputs) &&
           list_names(b, &b->g->graph.outputs, &b->part.outputs);
}

bool file_outline_keep(file_outline *o, const file_graph *g, flat_text region) {
    block b;
    const bool fine = block_open(&b, o, g, g->block.operators.count) && name_ends(&b, region);
    for (int32_t k = 0; fine && k < g->graph.op_count; k++) add_op(&b, k);
    return block_close(&b, o, fine);
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

typedef struct divider {
    block left; /* the divided block */
    file_outline *behind;
    const file_division *how;
} divider;

static bool take(void *context, const char *name, bool *free) {
    const divider *d = context;
    return d->how->take(d->how->context, name, free);
}

static bool keep(void *context, int32_t op) {
    divider *d = context;
    add_op(&d->left, op);
    return true;
}

static bool write_region(void *context, const char *name, const tosa_part *part) {
    divider *d = context;
    file_outline *o = d->left.o;
    block b;
    const size_t length = strlen(name);
    char *callee = copy(o, name, length + 1);
    flat_step *call = &d->left.steps[d->left.part.step_count++];
    *call = (flat_step){.op = -1, .callee = callee};
    const bool fine = block_open(&b, o, d->left.g, part->ops.count) && callee &&
                      copy_numbers(o, part->inputs, &call->inputs) &&
                      copy_numbers(o, part->outputs, &call->outputs);
    for (size_t k = 0; fine && k < part->ops.count; k++) add_op(&b, part->ops.at[k]);
    mark(&d->left, part->inputs.at, part->inputs.count);
    mark(&d->left, part->outputs.at, part->outputs.count);
    b.part.region = b.part.name = (flat_text){callee, length};
    b.part.inputs = call->inputs;
    b.part.outputs = call->outputs;
    return block_close(&b, d->behind, fine);
}

bool file_outline_divide(file_outline *o, file_outline *behind, const file_graph *g,
                         flat_text region, const file_division *how) {
    divider d = {.behind = behind, .how = how};
    const tosa_writer writer = {&d, take, write_region, keep};
    char *name = copy(o, g->shown, strlen(g->shown) + 1);
    bool fine =
        block_open(&d.left, o, g, g->block.operators.count) && name && name_ends(&d.left, region);
    /* A region's name is shown as it is: a backslash, of an escaped byte, would be escaped once
     * more. */
    for (char *at = name; at && *at; at++)
        if (*at == '\\') *at = '_';
    fine = fine && tosa_outline(&g->graph, name, &writer, how->report, how->count, how->epilogues);
    return block_close(&d.left, o, fine);
}

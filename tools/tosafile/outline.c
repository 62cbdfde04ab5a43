/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A divided block has the operators that are left, calls, and the tensors that these name; a region
 * has its operators, with the constants that it reads. */
#include "tools/tosafile/outline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tosafile/describe.h"
#include "tools/tosafile/regions.h"

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

static bool copy_numbers(file_outline *o, const int32_t *list, size_t count, flat_numbers *made) {
    *made = (flat_numbers){copy(o, list, count * sizeof *list), count};
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
 * Tensors and shapes that a part names */

static void add_names(const file_graph *g, bool *has, flat_list names) {
    for (size_t k = 0; k < names.count; k++) {
        const int32_t value = file_graph_find(g, flat_text_at(names, k));
        if (value >= 0) has[value] = true;
    }
}

static void add_numbers(bool *has, flat_numbers numbers) {
    for (size_t k = 0; k < numbers.count; k++) has[numbers.list[k]] = true;
}

/* All that the part's steps, inputs and outputs name, in the file's order. */
static bool find_values(file_outline *o, const file_graph *g, flat_part *part) {
    const size_t tensors = g->block.tensors.count, all = tensors + g->block.shapes.count;
    bool *has = calloc(all + 1, sizeof *has);
    int32_t *list = own(o, malloc((all + 1) * sizeof *list));
    for (size_t k = 0; has && k < part->step_count; k++) {
        const flat_step *step = &part->steps[k];
        add_numbers(has, step->inputs);
        add_numbers(has, step->outputs);
        if (step->op < 0) continue;
        const flat_operator op = file_graph_operator(g, step->op);
        add_names(g, has, op.inputs);
        add_names(g, has, op.outputs);
    }
    if (has) add_numbers(has, part->inputs);
    if (has) add_numbers(has, part->outputs);
    part->tensors = part->shapes = (flat_numbers){list, 0};
    for (size_t k = 0; has && list && k < all; k++) {
        flat_numbers *kind = k < tensors ? &part->tensors : &part->shapes;
        if (k == tensors) kind->list = list + part->tensors.count;
        if (has[k]) list[part->tensors.count + part->shapes.count] = (int32_t)k;
        kind->count += has[k];
    }
    free(has);
    return has && list;
}

/* What a block names as its inputs or outputs; names of no tensor are left out. */
static bool list_names(file_outline *o, const file_graph *g, flat_list names,
                       flat_numbers *numbers) {
    int32_t *list = own(o, malloc((names.count + 1) * sizeof *list));
    size_t count = 0;
    for (size_t k = 0; list && k < names.count; k++) {
        const int32_t value = file_graph_find(g, flat_text_at(names, k));
        if (value >= 0 && (size_t)value < g->block.tensors.count) list[count++] = value;
    }
    *numbers = (flat_numbers){list, count};
    return list != NULL;
}

static bool add_block(file_outline *o, const file_graph *g, flat_text region, flat_step *steps,
                      size_t count) {
    flat_part part = {.region = region,
                      .name = g->block.name,
                      .from = g->block,
                      .steps = steps,
                      .step_count = count};
    return list_names(o, g, g->block.inputs, &part.inputs) &&
           list_names(o, g, g->block.outputs, &part.outputs) && find_values(o, g, &part) &&
           add_part(o, &part);
}

bool file_outline_keep(file_outline *o, const file_graph *g, flat_text region) {
    const size_t count = g->block.operators.count;
    flat_step *steps = own(o, calloc(count + 1, sizeof *steps));
    for (size_t k = 0; steps && k < count; k++) steps[k].op = g->order[k];
    return steps && add_block(o, g, region, steps, count);
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

typedef struct divider {
    file_outline *o, *behind;
    const file_graph *g;
    file_regions r;
    bool (*taken)(void *context, const char *name);
    void *context;
    file_report *report;
    tosajit_mlir_outlined *counted;
    tosa_epilogues *epilogues;
    flat_step *steps;
    size_t step_count;
    int number; /* of the next region's name */
} divider;

/* "main_region_0", with a number that is free. It is shown as it is: a backslash, of an escaped
 * byte in the block's name, would be escaped once more. */
static char *name_region(divider *d) {
    const size_t capacity = strlen(d->g->shown) + 32;
    char *name = own(d->o, malloc(capacity));
    do {
        if (!name) return NULL;
        snprintf(name, capacity, "%s_region_%d", d->g->shown, d->number++);
        for (char *at = name; *at; at++)
            if (*at == '\\') *at = '_';
    } while (d->taken(d->context, name));
    return name;
}

/* How often operators of a part read a value. */
static int32_t count_reads(const divider *d, const flat_part *part, int32_t value) {
    int32_t count = 0;
    for (size_t k = 0; k < part->step_count; k++) {
        const flat_list inputs = file_graph_operator(d->g, part->steps[k].op).inputs;
        for (size_t i = 0; i < inputs.count; i++)
            count += file_graph_find(d->g, flat_text_at(inputs, i)) == value;
    }
    return count;
}

/* Operands that a product gives. */
static bool add_epilogues(divider *d, const flat_part *part) {
    for (size_t k = 0; d->epilogues && k < part->inputs.count; k++) {
        const int32_t value = part->inputs.list[k], producer = d->g->producers[value];
        tosa_op described;
        if (producer < 0) continue;
        file_describe(d->g, producer, &described);
        const char *product = tosa_product(described.name, strlen(described.name));
        const bool alone = !d->r.kept[value] && d->r.reads[value] == count_reads(d, part, value);
        const tosa_epilogue found = {product, (char *)(uintptr_t)part->name.bytes, k, alone};
        if (product && !tosa_epilogues_add(d->epilogues, &found)) return false;
    }
    return true;
}

static bool add_region(divider *d, const file_region *region) {
    file_part p;
    char *name = name_region(d);
    flat_step call = {.op = -1, .callee = name};
    flat_part part = {.from = d->g->block};
    if (!name || !file_regions_part(&d->r, region, &p)) return false;
    flat_step *steps = own(d->o, calloc(p.operator_count + 1, sizeof *steps));
    for (size_t k = 0; steps && k < p.operator_count; k++) steps[k].op = p.operators[k];
    part.region = part.name = (flat_text){name, strlen(name)};
    part.steps = steps;
    part.step_count = p.operator_count;
    if (!steps || !copy_numbers(d->o, p.inputs, p.input_count, &call.inputs) ||
        !copy_numbers(d->o, p.outputs, p.output_count, &call.outputs))
        return false;
    part.inputs = call.inputs;
    part.outputs = call.outputs;
    d->steps[d->step_count++] = call;
    d->counted->regions++;
    d->counted->inside += region->count;
    return find_values(d->o, d->g, &part) && add_epilogues(d, &part) && add_part(d->behind, &part);
}

/* An operator stays where it is; the host may want to know why. */
static void tell_left(divider *d, const file_region *left) {
    char why[REGION_TEXT];
    tosa_op described;
    const int32_t op = d->g->order[left->positions[0]];
    if (left->kind == FILE_CONSTANT) return;
    d->counted->outside++;
    if (!d->report->say) return;
    if (left->kind == FILE_REST) {
        file_regions_refusal(&d->r, left->positions[0], why);
    } else {
        file_describe(d->g, op, &described);
        snprintf(why, sizeof why, "%s: %s", described.name, tosa_left_reason(&described));
    }
    file_report_remark(d->report, d->g, op, why);
}

/* Constants that only regions read are left out. */
static bool is_wanted(const divider *d, const file_region *constant, const bool *read) {
    const flat_operator op = file_graph_operator(d->g, d->g->order[constant->positions[0]]);
    const int32_t value = file_graph_find(d->g, flat_text_at(op.outputs, 0));
    return read[value] || d->r.kept[value];
}

/* Per value: whether what is left reads it. */
static void mark_read(const divider *d, bool *read) {
    for (size_t k = 0; k < d->r.count; k++) {
        const file_region *left = &d->r.list[k];
        if (left->kind == FILE_MEMBER) continue;
        const flat_list inputs = file_graph_operator(d->g, d->g->order[left->positions[0]]).inputs;
        for (size_t i = 0; i < inputs.count; i++) {
            const int32_t value = file_graph_find(d->g, flat_text_at(inputs, i));
            if (value >= 0) read[value] = true;
        }
    }
}

static bool place_all(divider *d) {
    bool fine = true,
         *read = calloc(d->g->block.tensors.count + d->g->block.shapes.count + 1, sizeof *read);
    if (!read) return false;
    mark_read(d, read);
    for (size_t k = 0; fine && k < d->r.count; k++) {
        const file_region *region = &d->r.list[k];
        if (region->kind == FILE_MEMBER) {
            fine = add_region(d, region);
            continue;
        }
        tell_left(d, region);
        if (region->kind != FILE_CONSTANT || is_wanted(d, region, read))
            d->steps[d->step_count++].op = d->g->order[region->positions[0]];
    }
    free(read);
    return fine;
}

bool file_outline_divide(file_outline *o, file_outline *behind, const file_graph *g,
                         flat_text region, bool (*taken)(void *context, const char *name),
                         void *context, file_report *report, tosajit_mlir_outlined *count,
                         tosa_epilogues *epilogues) {
    divider d = {.o = o,
                 .behind = behind,
                 .g = g,
                 .taken = taken,
                 .context = context,
                 .report = report,
                 .counted = count,
                 .epilogues = epilogues};
    *count = (tosajit_mlir_outlined){.size = sizeof *count};
    d.steps = own(o, calloc(g->block.operators.count + 1, sizeof *d.steps));
    const bool fine = d.steps && file_regions_open(&d.r, g) && place_all(&d) &&
                      add_block(o, g, region, d.steps, d.step_count);
    file_regions_close(&d.r);
    return fine;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writers put operators into an order in which they can run, as a rule; the format does not ask it
 * of them. */
#include "tools/tosafile/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/tosafile/attributes.h"
#include "tools/tosafile/name_index.h"

static bool fail(char problem[GRAPH_PROBLEM], const char *before, flat_text name,
                 const char *behind) {
    char shown[GRAPH_PROBLEM / 2];
    escape_name(name.bytes, name.length, shown, sizeof shown);
    snprintf(problem, GRAPH_PROBLEM, "%s%s%s", before, shown, behind);
    return false;
}

static bool fail_memory(char problem[GRAPH_PROBLEM]) {
    snprintf(problem, GRAPH_PROBLEM, "out of memory");
    return false;
}

static size_t value_count(const file_graph *g) {
    return g->block.tensors.count + g->block.shapes.count;
}

int32_t file_graph_find(const file_graph *g, flat_text name) {
    return name_index_find(g->names, value_count(g), name);
}

int32_t file_graph_producer(const file_graph *g, flat_text name) {
    const int32_t value = file_graph_find(g, name);
    return value < 0 ? -1 : g->producers[value];
}

bool file_graph_is_tensor(const file_graph *g, int32_t value) {
    return value >= 0 && (size_t)value < g->block.tensors.count;
}

bool file_graph_is_variable(const file_graph *g, int32_t value) {
    return file_graph_is_tensor(g, value) &&
           flat_tensor_at(g->block.tensors, (size_t)value).variable;
}

static bool names_variable(const file_graph *g, flat_list names) {
    for (size_t k = 0; k < names.count; k++)
        if (file_graph_is_variable(g, file_graph_find(g, flat_text_at(names, k)))) return true;
    return false;
}

bool file_graph_uses_variable(const file_graph *g, const flat_operator *op) {
    return names_variable(g, op->inputs) || names_variable(g, op->outputs);
}

bool file_graph_constant_shape(const file_graph *g, int32_t value, flat_shape *shape) {
    if (value < 0 || file_graph_is_tensor(g, value) || g->producers[value] < 0) return false;
    *shape = flat_shape_at(g->block.shapes, (size_t)value - g->block.tensors.count);
    return file_graph_operator(g, g->producers[value]).op == ATTRIBUTE_OP_CONST_SHAPE &&
           (shape->rank == 0 || shape->data.size == shape->rank * sizeof(int64_t));
}

flat_operator file_graph_operator(const file_graph *g, int32_t op) {
    return flat_operator_at(g->bytes, g->block.operators, (size_t)op);
}

static bool index_names(file_graph *g, char problem[GRAPH_PROBLEM]) {
    const size_t tensors = g->block.tensors.count;
    for (size_t k = 0; k < value_count(g); k++) {
        const flat_text name = k < tensors ? flat_tensor_at(g->block.tensors, k).name
                                           : flat_shape_at(g->block.shapes, k - tensors).name;
        g->names[k] = (name_entry){name, (int32_t)k};
        g->producers[k] = -1;
    }
    const name_entry *twice = name_index_sort(g->names, value_count(g));
    return !twice || fail(problem, "two tensors or shapes are named ", twice->name, "");
}

static bool is_input(const file_graph *g, flat_text name) {
    for (size_t k = 0; k < g->block.inputs.count; k++) {
        const flat_text input = flat_text_at(g->block.inputs, k);
        if (input.length == name.length && memcmp(input.bytes, name.bytes, name.length) == 0)
            return true;
    }
    return false;
}

enum { INPUT = -2 };

/* Official tests that keep values in files of their own say of a constant that it is an input, and
 * give it no data. */
static bool is_stand_in(const file_graph *g, const flat_operator *op, int32_t value) {
    if (op->op != ATTRIBUTE_OP_CONST || g->producers[value] != INPUT ||
        (size_t)value >= g->block.tensors.count)
        return false;
    const flat_tensor tensor = flat_tensor_at(g->block.tensors, (size_t)value);
    return tensor.data.size == 0 && tensor.offset == 0;
}

/* Each value comes from one place, but for variables, which come from nowhere. */
static bool find_producers(file_graph *g, char problem[GRAPH_PROBLEM]) {
    for (size_t k = 0; k < g->block.inputs.count; k++) {
        const int32_t value = file_graph_find(g, flat_text_at(g->block.inputs, k));
        if (value >= 0) g->producers[value] = INPUT;
    }
    for (size_t k = 0; k < g->block.operators.count; k++) {
        const flat_operator op = file_graph_operator(g, (int32_t)k);
        for (size_t r = 0; r < op.outputs.count; r++) {
            const flat_text name = flat_text_at(op.outputs, r);
            const int32_t value = file_graph_find(g, name);
            if (value < 0 || is_stand_in(g, &op, value) || file_graph_is_variable(g, value))
                continue;
            if (g->producers[value] != -1)
                return fail(problem,
                            is_input(g, name) ? "an operator gives the input "
                                              : "two operators give ",
                            name, "");
            g->producers[value] = (int32_t)k;
        }
    }
    for (size_t k = 0; k < value_count(g); k++)
        if (g->producers[k] == INPUT) g->producers[k] = -1;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The order */

enum { NEW, OPEN, DONE };

typedef struct sorter {
    file_graph *g;
    uint8_t *states;
    int32_t *stack;
    size_t depth, done;
} sorter;

/* The producers of what an operator reads go before it. -1, or an operator that reads what follows
 * from it. */
static int32_t push_producers(sorter *s, int32_t op) {
    const flat_list inputs = file_graph_operator(s->g, op).inputs;
    for (size_t k = inputs.count; k-- > 0;) {
        const int32_t producer = file_graph_producer(s->g, flat_text_at(inputs, k));
        if (producer < 0 || s->states[producer] == DONE) continue;
        if (s->states[producer] == OPEN) return producer;
        s->stack[s->depth++] = producer;
    }
    return -1;
}

static bool sort_from(sorter *s, int32_t first, char problem[GRAPH_PROBLEM]) {
    s->stack[s->depth++] = first;
    while (s->depth > 0) {
        const int32_t op = s->stack[s->depth - 1];
        if (s->states[op] == NEW) {
            s->states[op] = OPEN;
            const int32_t circle = push_producers(s, op);
            if (circle < 0) continue;
            const flat_list outputs = file_graph_operator(s->g, circle).outputs;
            return fail(problem, "what gives ", flat_text_at(outputs, 0), " depends on it");
        }
        if (s->states[op] == OPEN) s->g->order[s->done++] = op;
        s->states[op] = DONE;
        s->depth--;
    }
    return true;
}

static bool sort(file_graph *g, char problem[GRAPH_PROBLEM]) {
    size_t reads = 0;
    for (size_t k = 0; k < g->block.operators.count; k++)
        reads += file_graph_operator(g, (int32_t)k).inputs.count;
    sorter s = {.g = g,
                .states = calloc(g->block.operators.count + 1, sizeof *s.states),
                .stack = malloc((reads + 1) * sizeof *s.stack)};
    bool fine = (s.states && s.stack) || fail_memory(problem);
    for (size_t k = 0; fine && k < g->block.operators.count; k++)
        if (s.states[k] == NEW) fine = sort_from(&s, (int32_t)k, problem);
    free(s.states);
    free(s.stack);
    return fine;
}

bool file_graph_open(file_graph *g, const uint8_t *bytes, size_t size, flat_block block,
                     char *shown, char problem[GRAPH_PROBLEM]) {
    *g = (file_graph){.bytes = bytes, .size = size, .block = block, .shown = shown};
    g->names = malloc((value_count(g) + 1) * sizeof *g->names);
    g->producers = malloc((value_count(g) + 1) * sizeof *g->producers);
    g->order = malloc((block.operators.count + 1) * sizeof *g->order);
    g->places = malloc((block.operators.count + 1) * sizeof *g->places);
    if (!g->names || !g->producers || !g->order || !g->places) return fail_memory(problem);
    for (size_t k = 0; k < block.operators.count; k++) g->places[k] = (file_place){g, (int32_t)k};
    return index_names(g, problem) && find_producers(g, problem) && sort(g, problem);
}

void file_graph_release(file_graph *g) {
    free(g->shown);
    free(g->names);
    free(g->producers);
    free(g->order);
    free(g->places);
    memset(g, 0, sizeof *g);
}

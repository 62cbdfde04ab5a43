/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writers put operators into an order in which they can run, as a rule; the format does not ask it
 * of them. Names are looked up here, and nowhere behind. */
#include "tools/tosafile/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/tosafile/attributes.h"
#include "tools/tosafile/name_index.h"

/* State that is needed until the graph is there. */
typedef struct opener {
    file_graph *g;
    char *why;
    name_entry *names;  /* of tensors, then of shapes; sorted */
    int32_t *producers; /* per value: the operator that gives it, or NOBODY, or INPUT */
    uint8_t *states;    /* per operator, of the order */
    int32_t *stack;
    size_t depth, done;
} opener;

enum { NOBODY = -1, INPUT = -2 };

static bool fail(const opener *o, const char *before, flat_text name, const char *behind) {
    char shown[TOSA_WHY / 2];
    escape_name(name.bytes, name.length, shown, sizeof shown);
    snprintf(o->why, TOSA_WHY, "%s%s%s", before, shown, behind);
    return false;
}

static bool fail_memory(const opener *o) {
    snprintf(o->why, TOSA_WHY, "out of memory");
    return false;
}

static size_t value_count(const file_graph *g) {
    return g->block.tensors.count + g->block.shapes.count;
}

static bool is_tensor(const file_graph *g, int32_t value) {
    return value >= 0 && (size_t)value < g->block.tensors.count;
}

static bool is_variable(const file_graph *g, int32_t value) {
    return is_tensor(g, value) && flat_tensor_at(g->block.tensors, (size_t)value).variable;
}

static flat_operator operator_at(const file_graph *g, size_t number) {
    return flat_operator_at(g->block.operators, number);
}

/* The value that has name `index`, or -1. */
static int32_t find(const opener *o, flat_list names, size_t index) {
    return name_index_find(o->names, value_count(o->g), flat_text_at(names, index));
}

static bool index_names(const opener *o) {
    const flat_block *block = &o->g->block;
    const size_t tensors = block->tensors.count, count = value_count(o->g);
    for (size_t k = 0; k < count; k++) {
        const flat_text name = k < tensors ? flat_tensor_at(block->tensors, k).name
                                           : flat_shape_at(block->shapes, k - tensors).name;
        o->names[k] = (name_entry){name, (int32_t)k};
        o->producers[k] = NOBODY;
    }
    const name_entry *twice = name_index_sort(o->names, count);
    return !twice || fail(o, "two tensors or shapes are named ", twice->name, "");
}

/* Official tests that keep values in files of their own say of a constant that it is an input, and
 * give it no data. */
static bool is_stand_in(const opener *o, const flat_operator *op, int32_t value) {
    if (op->op != ATTRIBUTE_OP_CONST || o->producers[value] != INPUT || !is_tensor(o->g, value))
        return false;
    const flat_tensor tensor = flat_tensor_at(o->g->block.tensors, (size_t)value);
    return tensor.data.size == 0 && tensor.offset == 0;
}

/* Each value comes from one place, but for variables, which come from nowhere. */
static bool find_producers(const opener *o) {
    const flat_block *block = &o->g->block;
    for (size_t k = 0; k < block->inputs.count; k++) {
        const int32_t value = find(o, block->inputs, k);
        if (value >= 0) o->producers[value] = INPUT;
    }
    for (size_t k = 0; k < block->operators.count; k++) {
        const flat_operator op = operator_at(o->g, k);
        for (size_t r = 0; r < op.outputs.count; r++) {
            const int32_t value = find(o, op.outputs, r);
            if (value < 0 || is_stand_in(o, &op, value) || is_variable(o->g, value)) continue;
            if (o->producers[value] != NOBODY)
                return fail(o,
                            o->producers[value] == INPUT ? "an operator gives the input "
                                                         : "two operators give ",
                            flat_text_at(op.outputs, r), "");
            o->producers[value] = (int32_t)k;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The order */

enum { NEW, OPEN, DONE };

/* The producers of what an operator reads go before it. -1, or an operator that reads what follows
 * from it. */
static int32_t push_producers(opener *o, int32_t number) {
    const flat_list inputs = operator_at(o->g, (size_t)number).inputs;
    for (size_t k = inputs.count; k-- > 0;) {
        const int32_t value = find(o, inputs, k);
        const int32_t producer = value < 0 ? NOBODY : o->producers[value];
        if (producer < 0 || o->states[producer] == DONE) continue;
        if (o->states[producer] == OPEN) return producer;
        o->stack[o->depth++] = producer;
    }
    return -1;
}

static bool sort_from(opener *o, int32_t first) {
    o->stack[o->depth++] = first;
    while (o->depth > 0) {
        const int32_t op = o->stack[o->depth - 1];
        if (o->states[op] == NEW) {
            o->states[op] = OPEN;
            const int32_t circle = push_producers(o, op);
            if (circle < 0) continue;
            const flat_list outputs = operator_at(o->g, (size_t)circle).outputs;
            return fail(o, "what gives ", flat_text_at(outputs, 0), " depends on it");
        }
        if (o->states[op] == OPEN) o->g->order[o->done++] = op;
        o->states[op] = DONE;
        o->depth--;
    }
    return true;
}

static bool sort(opener *o) {
    for (size_t k = 0; k < o->g->block.operators.count; k++)
        if (o->states[k] == NEW && !sort_from(o, (int32_t)k)) return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The graph */

/* True if an operation may do more than give its results. */
static bool has_effects(const tosa_graph *g, int32_t op) {
    static const char *const names[] = {
        "tosa.variable", "tosa.variable_read", "tosa.variable_write",    "tosa.custom",
        "tosa.cond_if",  "tosa.while_loop",    "tosa.assert_equal_shape"};
    tosa_op described;
    if (tosa_graph_uses_variable(g, op)) return true;
    tosa_graph_describe(g, op, &described);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(described.name, names[k]) == 0) return described.op == TOSAJIT_OP_COUNT;
    return strncmp(described.name, "tosa.", 5) != 0;
}

static void add_op(const opener *o, size_t position) {
    tosa_graph *g = &o->g->graph;
    const int32_t number = o->g->order[position];
    const flat_operator op = operator_at(o->g, (size_t)number);
    tosa_graph_op(g,
                  op.op == ATTRIBUTE_OP_CONST         ? TOSA_CONSTANT
                  : op.op == ATTRIBUTE_OP_CONST_SHAPE ? TOSA_SHAPE
                                                      : TOSA_COMPUTES,
                  false);
    for (size_t k = 0; k < op.inputs.count; k++) tosa_graph_operand(g, find(o, op.inputs, k));
    for (size_t k = 0; k < op.outputs.count; k++) {
        const int32_t value = find(o, op.outputs, k);
        tosa_graph_result(g, value, value >= 0 && o->producers[value] == number);
    }
}

static bool fill(const opener *o) {
    tosa_graph *g = &o->g->graph;
    const flat_block *block = &o->g->block;
    for (size_t k = 0; k < value_count(o->g); k++)
        tosa_graph_value(g, !is_tensor(o->g, (int32_t)k)    ? TOSA_VALUE_SHAPE
                            : is_variable(o->g, (int32_t)k) ? TOSA_VARIABLE
                                                            : TOSA_TENSOR);
    for (size_t k = 0; k < block->operators.count; k++) add_op(o, k);
    for (size_t k = 0; k < block->inputs.count; k++)
        tosa_list_add(&g->inputs, find(o, block->inputs, k));
    for (size_t k = 0; k < block->outputs.count; k++)
        tosa_list_add(&g->outputs, find(o, block->outputs, k));
    if (!tosa_graph_close(g)) return fail_memory(o);
    for (int32_t k = 0; k < g->op_count; k++) g->effects.at[k] = has_effects(g, k);
    return true;
}

static bool open_all(opener *o) {
    const size_t operators = o->g->block.operators.count, values = value_count(o->g);
    size_t reads = 0;
    for (size_t k = 0; k < operators; k++) reads += operator_at(o->g, k).inputs.count;
    o->names = malloc((values + 1) * sizeof *o->names);
    o->producers = malloc((values + 1) * sizeof *o->producers);
    o->states = calloc(operators + 1, sizeof *o->states);
    o->stack = malloc((reads + 1) * sizeof *o->stack);
    o->g->order = malloc((operators + 1) * sizeof *o->g->order);
    if (!o->names || !o->producers || !o->states || !o->stack || !o->g->order)
        return fail_memory(o);
    return index_names(o) && find_producers(o) && sort(o) && fill(o);
}

bool file_graph_open(file_graph *g, const tosa_reader *reader, const uint8_t *bytes, size_t size,
                     flat_block block, const char *shown, char why[TOSA_WHY]) {
    opener o = {.g = g, .why = why};
    *g = (file_graph){.bytes = bytes, .size = size, .block = block, .shown = shown};
    g->graph = (tosa_graph){.reader = reader, .source = g, .end = TOSA_BLOCK};
    const bool fine = open_all(&o);
    free(o.names);
    free(o.producers);
    free(o.states);
    free(o.stack);
    return fine;
}

void file_graph_release(file_graph *g) {
    tosa_graph_release(&g->graph);
    free(g->order);
    memset(g, 0, sizeof *g);
}

flat_operator file_graph_operator(const file_graph *g, int32_t op) {
    return operator_at(g, (size_t)g->order[op]);
}

bool file_graph_constant_shape(const file_graph *g, int32_t value, flat_shape *shape) {
    if (value < 0 || is_tensor(g, value) || g->graph.producers.at[value] < 0) return false;
    *shape = flat_shape_at(g->block.shapes, (size_t)value - g->block.tensors.count);
    return g->graph.roles.at[g->graph.producers.at[value]] == TOSA_SHAPE &&
           (shape->rank == 0 || shape->data.size == shape->rank * sizeof(int64_t));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/expr/common.h"

#include <string.h>

#include "runtime/base/bytes.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"

/* A table of values, found by what they are. */
typedef struct finder {
    tosajit_expr *program;
    size_t mask;
    tosajit_value *slots; /* 1 + a value; 0: free */
} finder;

/* What is the same of equal values, as numbers: structs have bytes between their members that
 * nobody set. */
enum { MOST_NUMBERS = 32 + TOSAJIT_MAX_OPERANDS + TOSAJIT_MAX_RANK };
static size_t describe(const expr_node *node, int64_t numbers[MOST_NUMBERS]) {
    const tosajit_attributes *a = &node->attributes;
    const int64_t known[] = {node->kind,
                             node->op,
                             node->operand_count,
                             node->splat,
                             (int64_t)node->data_size,
                             node->type.element,
                             node->type.rank,
                             a->min_val.i,
                             a->max_val.i,
                             a->nan_mode,
                             a->shift,
                             a->input_zp,
                             a->output_zp,
                             a->rounding_mode,
                             a->round,
                             a->input_unsigned,
                             a->output_unsigned,
                             a->scale32,
                             a->per_channel,
                             a->axis,
                             a->joined,
                             node->rests,
                             node->data ? (int64_t)bytes_hash(node->data, node->data_size) : 0};
    size_t count = sizeof known / sizeof *known;
    memcpy(numbers, known, sizeof known);
    for (int o = 0; o < node->operand_count; o++) numbers[count++] = node->operands[o];
    for (int32_t d = 0; d < node->type.rank; d++) numbers[count++] = node->type.dims[d];
    return count;
}

static bool are_equal(const expr_node *a, const expr_node *b) {
    int64_t p[MOST_NUMBERS], q[MOST_NUMBERS];
    const size_t count = describe(a, p);
    return count == describe(b, q) && memcmp(p, q, count * sizeof *p) == 0 &&
           (!a->data || memcmp(a->data, b->data, a->data_size) == 0);
}

static bool is_result(const tosajit_expr *program, tosajit_value value) {
    for (int32_t r = 0; r < program->result_count; r++)
        if (program->results[r] == value) return true;
    return false;
}

/* Whether the first value may stand for both: a result keeps the name that it has, or has not. What
 * is no result has one for messages alone. */
static bool may_be_one(tosajit_expr *program, tosajit_value first, tosajit_value second) {
    const char *a = expr_given_name(program, first), *b = expr_given_name(program, second);
    const bool taken = is_result(program, first), needed = is_result(program, second);
    if (a == b || (a && b && strcmp(a, b) == 0)) return true;
    if (taken && needed) return false;
    if (needed || (!a && !taken)) program->nodes[first].name = program->nodes[second].name;
    return true;
}

/* The first value that is the same as this one, perhaps itself. */
static tosajit_value find(finder *f, tosajit_value value) {
    expr_node *nodes = f->program->nodes;
    int64_t numbers[MOST_NUMBERS];
    const size_t count = describe(&nodes[value], numbers);
    size_t at = (size_t)bytes_hash(numbers, count * sizeof *numbers) & f->mask;
    for (; f->slots[at]; at = (at + 1) & f->mask) {
        const tosajit_value other = f->slots[at] - 1;
        if (are_equal(&nodes[other], &nodes[value]) && may_be_one(f->program, other, value))
            return other;
    }
    f->slots[at] = value + 1;
    return value;
}

/* Operands come before their users, so theirs are found. */
static void merge(finder *f, tosajit_value *same, bool *changed) {
    tosajit_expr *program = f->program;
    for (size_t k = 0; k < program->count; k++) {
        expr_node *node = &program->nodes[k];
        for (int o = 0; o < node->operand_count; o++) node->operands[o] = same[node->operands[o]];
        same[k] = node->kind == NODE_INPUT ? (tosajit_value)k : find(f, (tosajit_value)k);
        if (same[k] == (tosajit_value)k) continue;
        program->nodes[same[k]].merged = true;
        program->nodes[same[k]].table |= node->table;
        for (int32_t r = 0; r < program->result_count; r++)
            if (program->results[r] == (tosajit_value)k) program->results[r] = same[k];
        *changed = true;
    }
}

tosajit_status common_compute(program_made *made, bool *changed) {
    const tosajit_allocator *allocator = &made->program->allocator;
    const size_t count = made->program->count;
    size_t size = 4;
    while (size < 2 * count) size *= 2;
    finder f = {made->program, size - 1, memory_new(allocator, size, sizeof *f.slots)};
    tosajit_value *same = memory_new(allocator, count, sizeof *same);
    tosajit_status status = TOSAJIT_OK;
    if (!f.slots || !same)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu expression nodes", count);
    if (!status) merge(&f, same, changed);
    memory_free(allocator, f.slots, size, sizeof *f.slots);
    memory_free(allocator, same, count, sizeof *same);
    return status || !*changed ? status : expr_sweep(made->program, NULL, NULL);
}

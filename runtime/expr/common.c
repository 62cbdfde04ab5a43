/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Common: a value that is written twice is computed once. Two values are one if op, operands,
 * attributes and type are the same; two constants, if type and bits are. So mean(x), and the mean
 * within std(x), are one sum.
 *
 * Bits, results and their names stay as they are, and so does the right to share memory: such a
 * value is `merged`, and plan_assign (runtime/plan) heeds that. */

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/passes.h"
#include "runtime/expr/program.h"

/* A table of values, found by their bytes, of which there is room for two. */
typedef struct finder {
    tosajit_expr *program;
    byte_writer bytes;
    size_t mask;
    tosajit_value *slots; /* 1 + a value; 0: free */
} finder;

static bool are_equal(finder *f, tosajit_value a, tosajit_value b) {
    f->bytes.size = 0;
    program_write_node(&f->program->nodes[a], NULL, &f->bytes);
    const size_t size = f->bytes.size;
    program_write_node(&f->program->nodes[b], NULL, &f->bytes);
    return f->bytes.size == 2 * size && memcmp(f->bytes.bytes, f->bytes.bytes + size, size) == 0;
}

static bool is_result(const tosajit_expr *program, tosajit_value value) {
    for (int32_t r = 0; r < program->result_count; r++)
        if (program->results[r] == value) return true;
    return false;
}

/* True if the first value may stand for both: a result keeps the name that it has, or has not. What
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
    f->bytes.size = 0;
    program_write_node(&f->program->nodes[value], NULL, &f->bytes);
    if (f->bytes.failed) return value;
    size_t at = (size_t)bytes_hash(f->bytes.bytes, f->bytes.size) & f->mask;
    for (; f->slots[at]; at = (at + 1) & f->mask) {
        const tosajit_value other = f->slots[at] - 1;
        if (are_equal(f, other, value) && may_be_one(f->program, other, value)) return other;
    }
    f->slots[at] = value + 1;
    return value;
}

/* Operands come before their users, so theirs are found. */
static void merge(finder *f, tosajit_value *same, bool *changed) {
    tosajit_expr *program = f->program;
    for (size_t k = 0; k < program->count && !f->bytes.failed; k++) {
        expr_node *node = &program->nodes[k];
        for (int o = 0; o < node->operand_count; o++) node->operands[o] = same[node->operands[o]];
        same[k] = node->kind == NODE_INPUT ? (tosajit_value)k : find(f, (tosajit_value)k);
        if (same[k] == (tosajit_value)k) continue;
        program->nodes[same[k]].table |= node->table;
        for (int32_t r = 0; r < program->result_count; r++)
            if (program->results[r] == (tosajit_value)k) program->results[r] = same[k];
        *changed = true;
    }
    for (size_t k = 0; *changed && k < program->count; k++)
        program->nodes[same[k]].merged |= same[k] != (tosajit_value)k;
}

tosajit_status common_compute(program_made *made, bool *changed) {
    const tosajit_allocator *allocator = &made->program->allocator;
    const size_t count = made->program->count;
    size_t size = 4;
    while (size < 2 * count) size *= 2;
    finder f = {made->program, {.allocator = *allocator}, size - 1, NULL};
    tosajit_value *same = memory_new(allocator, count, sizeof *same);
    f.slots = memory_new(allocator, size, sizeof *f.slots);
    if (f.slots && same) merge(&f, same, changed);
    const bool fine = f.slots && same && !f.bytes.failed;
    bytes_release(&f.bytes);
    memory_free(allocator, f.slots, size, sizeof *f.slots);
    memory_free(allocator, same, count, sizeof *same);
    if (!fine) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for equal values");
    return *changed ? expr_sweep(made->program, NULL, NULL, NULL) : TOSAJIT_OK;
}

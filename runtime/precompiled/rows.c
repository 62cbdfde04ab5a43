/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows: numbers for uses of ops, and where their code is. */
#include "runtime/precompiled/rows.h"

#include <string.h>

#include "runtime/expr/ops.h"

/* The numbers side by side: 7 bits for the op, 4 for each type, the others as many as they need. */
static uint32_t use_key(const rows_use *use) {
    const tosajit_attributes *a = &use->attributes;
    const struct {
        uint32_t value, bits;
    } members[] = {
        {(uint32_t)use->op, 7}, {(uint32_t)use->operand, 4}, {(uint32_t)use->result, 4},
        {use->fast, 1},         {use->has_parameters, 1},    {(uint32_t)a->nan_mode, 1},
        {a->round != 0, 1},     {a->input_unsigned != 0, 1}, {a->output_unsigned != 0, 1},
        {a->scale32 != 0, 1},   {a->per_channel != 0, 1},    {(uint32_t)a->rounding_mode, 2},
    };
    uint32_t key = 0;
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        key = key << members[k].bits | members[k].value;
    return key;
}
_Static_assert(TOSAJIT_OP_COUNT <= 128 && TOSAJIT_TYPE_COUNT <= 16, "a key has room for both");

/* Of a pair both numbers and the position, and a bit that no single op has. */
uint64_t rows_key(const rows_code *code) {
    const uint64_t first = use_key(&code->first);
    if (code->position == ROWS_SINGLE) return first;
    const uint64_t second = (uint64_t)use_key(&code->second) << 1 | (uint64_t)code->position;
    return UINT64_C(1) << 63 | second << 32 | first;
}

int rows_parameter_count(tosajit_op op) {
    if (op_table[op].attributes & ATTRIBUTE_MIN_MAX) return 2;
    return tosajit_op_parameters(op, NULL);
}

tosajit_type rows_parameter_type(const rows_use *use, int k) {
    if (op_table[use->op].attributes & ATTRIBUTE_MIN_MAX) return use->operand;
    return op_describe_parameter(use->op, k, use->operand, use->result, &use->attributes).element;
}

rows_use rows_of(const tosajit_expr *program, const expr_node *node) {
    const op_row *row = &op_table[node->op];
    const tosajit_attributes *a = &node->attributes;
    rows_use use = {.op = node->op,
                    .operand = program->nodes[node->operands[row->arity - 1]].type.element,
                    .result = node->type.element,
                    .attributes = *a};
    if (op_maps_bytes(use.op, use.operand, use.result)) use.operand = use.result = TOSAJIT_I8;
    use.fast = program->fast && row->result == RESULT_FUNCTION;
    use.has_parameters = node->operand_count > row->arity || row->attributes & ATTRIBUTE_MIN_MAX ||
                         a->shift || a->input_zp || a->output_zp;
    return use;
}

int rows_level(const rows_library *library, uint64_t features) {
    for (uint64_t k = 0; k < library->level_count; k++)
        if (!(library->features[k] & ~features)) return (int)k;
    return ROWS_NO_CODE;
}

tosajit_entry rows_find(const rows_library *library, int level, uint64_t key) {
    size_t low = 0, high = (size_t)library->entry_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (library->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (level < 0 || low == library->entry_count || library->entries[low].key != key) return NULL;
    const char *code =
        (const char *)&library->text + library->text + library->entries[low].offsets[level];
    tosajit_entry entry;
    memcpy(&entry, &code, sizeof entry); /* C has no cast from data to a function */
    return entry;
}

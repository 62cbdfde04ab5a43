/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which attributes an op takes is known to tools/tosa, where they stand to attributes.c. What a
 * field does not say is left out, so that tools/tosa tells what it must be. */
#include "tools/tosafile/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/data/element.h"
#include "tools/tosafile/attributes.h"
#include "tools/tosafile/values.h"

/* The bytes of a clamp's bounds are those of an element, and padding. */
static bool describe_number(const file_graph *g, const flat_operator *op, unsigned field,
                            tosa_attribute *found) {
    const flat_bytes number = flat_number(op, field);
    const int32_t first = op->inputs.count ? file_graph_find(g, flat_text_at(op->inputs, 0)) : -1;
    char reason[VALUE_REASON];
    tosajit_tensor_type type;
    if (first < 0 || (size_t)first >= g->block.tensors.count) return false;
    const flat_tensor tensor = flat_tensor_at(g->block.tensors, (size_t)first);
    if (file_tensor_type(&tensor, &type, reason)) return false;
    if (type.element == TOSAJIT_I48 || number.size < tosajit_type_size(type.element)) return false;
    found->kind = TOSA_NUMBER;
    snprintf(found->text, sizeof found->text, "%s", tosajit_type_name(type.element));
    if (element_is_float(type.element))
        found->value.f = element_value(type.element, number.bytes);
    else if (type.element == TOSAJIT_I64)
        memcpy(&found->value.i, number.bytes, sizeof found->value.i);
    else
        found->value.i = (int64_t)element_value(type.element, number.bytes);
    return true;
}

static bool describe_word(const flat_operator *op, const attribute_row *row,
                          tosa_attribute *found) {
    const uint32_t number = flat_word(op, row->field);
    const char *word = attribute_word(row->form, number);
    if (!number) return false;
    found->kind = TOSA_WORD;
    if (word)
        snprintf(found->text, sizeof found->text, "%s", word);
    else
        snprintf(found->text, sizeof found->text, "number %" PRIu32, number);
    return true;
}

/* Longer ones are no list of the library's. */
static bool describe_list(const flat_operator *op, unsigned field, tosa_attribute *found) {
    const flat_list list = flat_integers(op, field);
    if (list.count > TOSA_MOST_NUMBERS) return false;
    found->kind = TOSA_LIST;
    found->number_count = list.count;
    for (size_t k = 0; k < list.count; k++) found->numbers[k] = ((const int32_t *)list.entries)[k];
    return true;
}

static bool describe_attribute(const file_graph *g, const flat_operator *op,
                               const attribute_row *row, tosa_attribute *found) {
    flat_text text;
    switch (row->form) {
    case ATTRIBUTE_NUMBER: return describe_number(g, op, row->field, found);
    case ATTRIBUTE_TEXT:
        text = flat_string(op, row->field);
        found->kind = TOSA_TEXT;
        escape_name(text.bytes, text.length, found->text, sizeof found->text);
        return true;
    case ATTRIBUTE_LIST: return describe_list(op, row->field, found);
    case ATTRIBUTE_FLAG:
        found->kind = TOSA_FLAG;
        found->value.i = flat_flag(op, row->field) != 0;
        return true;
    case ATTRIBUTE_INTEGER:
        found->kind = TOSA_NUMBER;
        found->value.i = flat_integer(op, row->field);
        snprintf(found->text, sizeof found->text, "i32");
        return true;
    default: return describe_word(op, row, found);
    }
}

static const attribute_row *find_row(uint32_t op, const char *name) {
    const attribute_row *row;
    for (size_t k = 0; (row = attribute_row_at(op, k)) != NULL; k++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

/* A shape that is an operand, and a constant of the block. */
static void describe_shape(const file_graph *g, flat_text name, tosa_attribute *found) {
    flat_shape shape;
    if (!file_graph_constant_shape(g, file_graph_find(g, name), &shape) ||
        shape.rank > TOSAJIT_MAX_RANK)
        return;
    found->kind = TOSA_LIST;
    found->number_count = shape.rank;
    if (shape.rank > 0) memcpy(found->numbers, shape.data.bytes, shape.data.size);
}

void file_describe(const file_graph *g, int32_t number, tosa_op *description) {
    const flat_operator op = file_graph_operator(g, number);
    const char *name = attribute_op_name(op.op), *wanted;
    *description = (tosa_op){.op = TOSAJIT_OP_COUNT,
                             .operand_count = op.inputs.count,
                             .result_count = op.outputs.count,
                             .origin = &g->places[number]};
    if (name)
        snprintf(description->name, sizeof description->name, "tosa.%s", name);
    else
        snprintf(description->name, sizeof description->name, "operator number %" PRIu32, op.op);
    for (size_t k = 0; (wanted = tosa_attribute_name(description, k)) != NULL; k++) {
        const attribute_row *row = find_row(op.op, wanted);
        tosa_attribute found = {.name = wanted};
        tosa_attribute *place = NULL;
        if (row && op.attributes && describe_attribute(g, &op, row, &found))
            place = tosa_attribute_add(description, wanted);
        if (place) *place = found;
    }
    description->op = tosa_op_of(description);
    for (size_t k = 0; k < op.inputs.count; k++) {
        if (!(wanted = tosa_shape_name(description, k))) continue;
        tosa_attribute *found = tosa_attribute_add(description, wanted);
        if (found) describe_shape(g, flat_text_at(op.inputs, k), found);
    }
}

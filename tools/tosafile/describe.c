/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which attributes an op takes is known to tools/tosa, where they stand to attributes.c. A field
 * without a value is left out, so that tools/tosa tells the value that it needs. */
#include "tools/tosafile/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/data/element.h"
#include "tools/tosafile/attributes.h"
#include "tools/tosafile/values.h"

/* The bytes of a clamp's bounds are those of an element, and padding. */
static bool describe_number(const tosa_graph *g, int32_t operation, const flat_bytes number,
                            tosa_attribute *found) {
    const tosa_numbers operands = tosa_graph_operands(g, operation);
    char why[TOSA_WHY];
    tosajit_tensor_type type;
    if (operands.count == 0 || !tosa_graph_is_tensor(g, operands.at[0])) return false;
    if (g->reader->type(g, operands.at[0], &type, why)) return false;
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

static bool describe_attribute(const tosa_graph *g, int32_t operation, const flat_operator *op,
                               const attribute_row *row, tosa_attribute *found) {
    flat_text text;
    switch (row->form) {
    case ATTRIBUTE_NUMBER: return describe_number(g, operation, flat_number(op, row->field), found);
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

static bool read_attribute(const tosa_graph *g, int32_t number, tosa_attribute *found) {
    const flat_operator op = file_graph_operator(g->source, number);
    const attribute_row *row = find_row(op.op, found->name);
    return row && op.attributes && describe_attribute(g, number, &op, row, found);
}

static void read_shape(const tosa_graph *g, int32_t value, tosa_attribute *found) {
    flat_shape shape;
    if (!file_graph_constant_shape(g->source, value, &shape) || shape.rank > TOSAJIT_MAX_RANK)
        return;
    found->kind = TOSA_LIST;
    found->number_count = shape.rank;
    if (shape.rank > 0) memcpy(found->numbers, shape.data.bytes, shape.data.size);
}

static void begin(const tosa_graph *g, int32_t number, tosa_op *description) {
    const flat_operator op = file_graph_operator(g->source, number);
    const char *name = attribute_op_name(op.op);
    description->operand_count = op.inputs.count;
    description->result_count = op.outputs.count;
    if (name)
        snprintf(description->name, sizeof description->name, "tosa.%s", name);
    else
        snprintf(description->name, sizeof description->name, "operator number %" PRIu32, op.op);
}

/* ---------------------------------------------------------------------------------------------
 * The reader */

static tosajit_status read_type(const tosa_graph *g, int32_t value, tosajit_tensor_type *type,
                                char why[TOSA_WHY]) {
    const file_graph *f = g->source;
    const flat_tensor tensor = flat_tensor_at(f->block.tensors, (size_t)value);
    return file_tensor_type(&tensor, type, why);
}

static tosajit_status read_constant(const tosa_graph *g, int32_t op, tosajit_tensor_type *type,
                                    void **elements, char why[TOSA_WHY]) {
    const int32_t value = tosa_graph_results(g, op).at[0];
    const tosajit_status status = read_type(g, value, type, why);
    return status ? status : file_constant(g->source, value, type, elements, why);
}

static void show_name(const tosa_graph *g, int32_t op, tosa_slot slot, size_t index,
                      char shown[TOSA_SHOWN]) {
    const file_graph *f = g->source;
    const flat_operator none = {.op = 0}, found = op < 0 ? none : file_graph_operator(f, op);
    const flat_list lists[] = {[TOSA_OPERAND] = found.inputs,
                               [TOSA_RESULT] = found.outputs,
                               [TOSA_INPUT] = f->block.inputs,
                               [TOSA_OUTPUT] = f->block.outputs,
                               [TOSA_VALUE] = f->block.tensors};
    const size_t tensors = f->block.tensors.count;
    if (slot != TOSA_VALUE && index >= lists[slot].count) return;
    const flat_text name = slot != TOSA_VALUE ? flat_text_at(lists[slot], index)
                           : index < tensors  ? flat_tensor_at(f->block.tensors, index).name
                                             : flat_shape_at(f->block.shapes, index - tensors).name;
    escape_name(name.bytes, name.length, shown, TOSA_SHOWN);
}

/* A flatbuffer has no lines, so a place is the operator's number and what it gives: "@main,
 * operator 3, layer_3: ". */
static void find_place(const tosa_graph *g, int32_t op, tosa_place *place) {
    enum { BLOCK = 300 };
    const file_graph *f = g->source;
    char name[TOSA_SHOWN] = "";
    if (op < 0) {
        snprintf(place->before, sizeof place->before, "@%.*s: ", BLOCK, f->shown);
        return;
    }
    show_name(g, op, TOSA_RESULT, 0, name);
    snprintf(place->before, sizeof place->before, "@%.*s, operator %d%s%s: ", BLOCK, f->shown,
             (int)f->order[op], *name ? ", " : "", name);
}

const tosa_reader file_reader = {.block = "the block",
                                 .input = "input",
                                 .output = "output",
                                 .begin = begin,
                                 .attribute = read_attribute,
                                 .shape = read_shape,
                                 .type = read_type,
                                 .constant = read_constant,
                                 .name = show_name,
                                 .place = find_place};

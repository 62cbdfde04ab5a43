/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The oracle of all ops: see oracle.h. */
#include "tests/numbers/oracle.h"

#include <stdbool.h>

#include "tests/numbers/exhaustive.h"
#include "tests/numbers/integer_reference.h"

static int64_t number_at(tosajit_type type, const unsigned char *array, size_t k) {
    return reference_signed(exhaustive_load(array, k, exhaustive_size(type)),
                            reference_width(type));
}

/* Shifts are read as unsigned, and end at 63. */
static int64_t shift_at(const unsigned char *array, size_t k) {
    return array[k] < 63 ? array[k] : 63;
}

/* Only 8-bit types have one, and unsigned ones of 16 bits. */
static int64_t zero_point(tosajit_type type, bool is_unsigned, const unsigned char *element) {
    if (type != TOSAJIT_I8 && !(type == TOSAJIT_I16 && is_unsigned)) return 0;
    const int64_t value = number_at(type, element, 0);
    return is_unsigned ? reference_unsigned(value, reference_width(type)) : value;
}

static void rescale(const oracle_op *op, unsigned char *const *operands, size_t count,
                    unsigned char *result) {
    const tosajit_attributes *a = &op->attributes;
    const tosajit_type from = op->operands[0];
    int64_t p[4] = {0, 0, zero_point(from, a->input_unsigned, operands[3]),
                    zero_point(op->result, a->output_unsigned, operands[4])};
    for (size_t k = 0; k < count; k++) {
        const size_t channel = a->per_channel ? k : 0;
        p[0] = number_at(op->operands[1], operands[1], channel);
        p[1] = shift_at(operands[2], channel);
        const question q = {
            number_at(from, operands[0], k), 0, reference_width(from), op->result, a, from};
        exhaustive_store(result, k, exhaustive_size(op->result),
                         (uint64_t)reference_rescale(&q, p));
    }
}

static void table(const oracle_op *op, unsigned char *const *operands, size_t count,
                  unsigned char *result) {
    const tosajit_type type = op->operands[0], entry = op->operands[1];
    for (size_t k = 0; k < count; k++) {
        const int64_t value = number_at(type, operands[0], k);
        const size_t at = (size_t)(value + 32768);
        int64_t found;
        if (type == TOSAJIT_I8) {
            found = number_at(entry, operands[1], (size_t)(value + 128));
        } else {
            const int64_t part = (int64_t)(at % 128);
            found = number_at(entry, operands[1], at / 128) * (128 - part) +
                    number_at(entry, operands[1], at / 128 + 1) * part;
        }
        exhaustive_store(result, k, exhaustive_size(op->result), (uint64_t)found);
    }
}

/* The parameters of the other ops are attributes, too. */
static void take_parameters(const oracle_op *op, unsigned char *const *operands, job *j) {
    if (op->operand_count == op->arity) return;
    if (op->op == TOSAJIT_OP_mul)
        j->attributes.shift =
            op->operands[0] == TOSAJIT_I32 ? (int32_t)shift_at(operands[2], 0) : 0;
    if (op->op != TOSAJIT_OP_negate) return;
    j->attributes.input_zp = zero_point(op->operands[0], false, operands[1]);
    j->attributes.output_zp = zero_point(op->result, false, operands[2]);
}

/* The reference takes CHUNK elements at a time. */
static void general(const oracle_op *op, unsigned char *const *operands, size_t count,
                    unsigned char *result) {
    static expectation e;
    job j = {.op = op->op,
             .arity = op->arity,
             .result = op->result,
             .attributes = op->attributes,
             .result_size = exhaustive_size(op->result),
             .function = exhaustive_is_function(op->op) && op->result != TOSAJIT_F64};
    take_parameters(op, operands, &j);
    for (int o = 0; o < op->arity; o++) {
        j.operands[o] = op->operands[o];
        j.sizes[o] = exhaustive_size(op->operands[o]);
    }
    for (size_t at = 0; at < count; at += CHUNK) {
        void *some[TOSAJIT_MAX_ARITY];
        const size_t n = count - at < CHUNK ? count - at : CHUNK;
        for (int o = 0; o < op->arity; o++) some[o] = operands[o] + at * j.sizes[o];
        exhaustive_expect(&j, some, n, &e);
        memcpy(result + at * j.result_size, e.bits, n * j.result_size);
    }
}

void oracle_compute(const oracle_op *op, unsigned char *const *operands, size_t count,
                    unsigned char *result) {
    if (op->op == TOSAJIT_OP_rescale)
        rescale(op, operands, count, result);
    else if (op->op == TOSAJIT_OP_table)
        table(op, operands, count, result);
    else
        general(op, operands, count, result);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operators, and functions that are written out of other ones: how each is spelled and what it
 * means in ops of TOSA. One table each, which reader, builder and help share. */
#ifndef TOSAJIT_JIT_TEXT_OPERATORS_H
#define TOSAJIT_JIT_TEXT_OPERATORS_H

#include <stdbool.h>
#include <stddef.h>

#include "tosajit/tosajit.h"

typedef enum text_operator {
    TEXT_EQ,
    TEXT_NE,
    TEXT_LT,
    TEXT_LE,
    TEXT_GT,
    TEXT_GE,
    TEXT_OR,
    TEXT_XOR,
    TEXT_AND,
    TEXT_SHL,
    TEXT_SHR,
    TEXT_USHR,
    TEXT_ADD,
    TEXT_SUB,
    TEXT_MUL,
    TEXT_DIV,
    TEXT_POW,
    TEXT_OPERATORS,
    TEXT_NEGATE = TEXT_OPERATORS, /* these have one operand */
    TEXT_NOT,
    TEXT_LOGICAL_NOT,
} text_operator;

enum { TEXT_LOOSEST = 1, TEXT_POWER = 8 }; /* the binding of comparisons, and of ** */

typedef struct text_operator_row {
    const char *text;
    int binding;             /* tighter is larger */
    tosajit_op op, of_masks; /* of_masks: of i1; COUNT: none of its own */
    bool exchanged;          /* the operands */
    bool negated;            /* the result, by logical_not */
    bool masks_negated;
} text_operator_row;
extern const text_operator_row text_operators[TEXT_LOGICAL_NOT + 1];

/* Other names of an op: "max" of maximum. TOSAJIT_OP_COUNT if it is none. */
tosajit_op text_synonym(const char *name, size_t length);
/* A function of x as an expression of ops: "x * sigmoid(x)" for silu; null if there is none. */
const char *text_alias(const char *name, size_t length);
/* Names of either kind in order, and what they stand for; null behind the last one. */
const char *text_function_name(size_t index, const char **meaning);

/* Advice for operators that this language lacks, by its name or sign at the beginning of a text:
 * the sentence that says what to write instead; null. */
const char *text_foreign_operator(const char *text, size_t length);
const char *text_foreign_word(const char *word, size_t length);

#endif

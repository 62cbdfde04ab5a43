/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An operation of TOSA. In: what a front end found, in the specification's words; out: a step of
 * the function, checked by the library. For instance a clamp:
 *
 *     {.name = "tosa.clamp", .op = TOSAJIT_OP_clamp,
 *      .operands = {x}, .operand_count = 1, .result = type, .result_count = 1,
 *      .attributes = {{"min_val", TOSA_NUMBER, {.f = 0}, "f32"}, ...}, .attribute_count = 2}
 *
 * A failure is a status and the last error, "tosa.clamp: attribute max_val is missing". */
#ifndef TOSAJIT_TOOLS_TOSA_OP_H
#define TOSAJIT_TOOLS_TOSA_OP_H

#include <stdbool.h>

#include "tools/tosa/function.h"

enum {
    TOSA_NAME = 128, /* of an op */
    TOSA_TEXT_SIZE = 64,
    TOSA_MOST_ATTRIBUTES = 16, /* of ops that the library has; tosa.custom has 13 */
    TOSA_MOST_NUMBERS = 3 * TOSAJIT_MAX_RANK,
};

typedef enum tosa_kind {
    TOSA_OTHER, /* of no kind that an elementwise op takes */
    TOSA_FLAG,
    TOSA_NUMBER,
    TOSA_WORD, /* of an enumeration of TOSA's */
    TOSA_TEXT,
    TOSA_LIST, /* of integers */
} tosa_kind;

typedef struct tosa_attribute {
    const char *name; /* "min_val"; outlives the description */
    tosa_kind kind;
    tosajit_scalar value;               /* of a number; of a flag .i */
    char text[TOSA_TEXT_SIZE];          /* the word or text; of a number its type, "f32" */
    int64_t numbers[TOSA_MOST_NUMBERS]; /* of a list */
    size_t number_count;
} tosa_attribute;

typedef struct tosa_op {
    char name[TOSA_NAME]; /* in messages: "tosa.add", or another dialect's name for an op of TOSA */
    tosajit_op op;        /* TOSAJIT_OP_COUNT: none of the library's */
    size_t operand_count; /* which may be wrong, and more than the values that follow */
    tosajit_value operands[TOSAJIT_MAX_TENSORS]; /* tensors: data, then parameters */
    size_t attribute_count;
    tosa_attribute attributes[TOSA_MOST_ATTRIBUTES]; /* those that tosa_attribute_name names, and
                                                        shapes that are operands */
    size_t result_count;
    tosajit_tensor_type result; /* as declared */
    int32_t number;             /* in its function or block, for the step */
    bool nests;                 /* it has regions or successors, as no op of the library's has */
    bool unknown;               /* the reader knows no such op: the name may be misspelt */
} tosa_op;

/* The next attribute of a description, of that name; null where it has no room for one. */
tosa_attribute *tosa_attribute_add(tosa_op *op, const char *name);

/* The attributes that an op of this name uses; null behind the last one. Others are not looked at,
 * wherever they come from. */
const char *tosa_attribute_name(const tosa_op *op, size_t index);

/* The name of an operand that is a shape in TOSA's files, "start" of tosa.slice's operand 1; null:
 * it is a tensor. A front end adds the attribute of that name, a list if the shape is a constant,
 * and leaves the operand out of op->operands. Of an op whose op->op is known. */
const char *tosa_shape_name(const tosa_op *op, size_t operand);
const tosa_attribute *tosa_attribute_find(const tosa_op *op, const char *name);

/* Why an op that a kernel could have is left to the host: "reads nothing but constants, ...". Of a
 * view, which a region of its own would copy, another reason. */
const char *tosa_left_reason(const tosa_op *op);
/* True if the op moves elements and computes none. */
bool tosa_is_view(const tosa_op *op);

/* The value for op->op, by the name and, of tosa.custom, by the attributes: an extension is written
 * as TOSA wants it, for instance
 *
 *     tosa.custom %x {operator_name = "sqrt", domain_name = "tosajit", implementation_attrs = ""}
 */
tosajit_op tosa_op_of(const tosa_op *op);

/* There must be as many operands and results as the op has, or a constant. What follows asks,
 * too; a front end asks before it looks for the operands. */
tosajit_status tosa_check_counts(const tosa_op *op);
/* The next step of the function. */
tosajit_status tosa_add(tosa_function *function, const tosa_op *op, tosajit_value *value);
/* The same for a constant, which has no op of the library's. The elements have a type of their own,
 * with static sizes. They are the function's to free, and freed on failure. */
tosajit_status tosa_add_constant(tosa_function *function, const tosa_op *op,
                                 const tosajit_tensor_type *type, void *elements,
                                 tosajit_value *value);

#endif

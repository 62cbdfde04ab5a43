/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schema's numbers. In: an operator's number; out: its name in TOSA, and which field of its
 * attributes is what. Operators without a row have no attributes that anybody here reads. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_ATTRIBUTES_H
#define TOSAJIT_TOOLS_TOSAFILE_ATTRIBUTES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attribute_form {
    ATTRIBUTE_FLAG,
    ATTRIBUTE_INTEGER, /* an i32 */
    ATTRIBUTE_NUMBER,  /* bytes of an element's type */
    ATTRIBUTE_LIST,    /* of i32 */
    ATTRIBUTE_TEXT,
    ATTRIBUTE_NAN_MODE, /* words */
    ATTRIBUTE_ROUNDING_MODE,
} attribute_form;

typedef struct attribute_row {
    const char *op; /* "clamp" */
    const char *name;
    unsigned field; /* of the table */
    attribute_form form;
} attribute_row;

enum { ATTRIBUTE_OP_CONST = 67, ATTRIBUTE_OP_CONST_SHAPE = 75 };

/* "clamp" of 11; null for a number that the schema does not have. */
const char *attribute_op_name(uint32_t op);
/* Row `index` of an operator; null behind the last one. */
const attribute_row *attribute_row_at(uint32_t op, size_t index);
/* "IGNORE" of an attribute whose form is words; null for 0 and for what the schema does not have.
 */
const char *attribute_word(attribute_form form, uint32_t number);

#ifdef __cplusplus
}
#endif
#endif

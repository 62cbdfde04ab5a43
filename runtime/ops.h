/* The op table's vocabulary: element type sets, signatures, attribute flags, and legality checks over them. */
#ifndef TOSAJIT_RUNTIME_OPS_H
#define TOSAJIT_RUNTIME_OPS_H

#include <stdbool.h>

#include "tosajit/tosajit.h"

/* How operand and result element types of an op relate; T ranges over the row's element set. */
typedef enum op_signature {
    SIGNATURE_SAME,    /* T..., T */
    SIGNATURE_COMPARE, /* T, T -> i1 */
    SIGNATURE_SELECT,  /* i1, T, T -> T */
    SIGNATURE_WIDEN,   /* i8, i8 -> i32; i16, i16 -> i32; else T, T -> T */
    SIGNATURE_CONVERT, /* T -> another type, by the table of legal casts */
} op_signature;

/* Which members of tosajit_attributes an op takes. */
enum {
    ATTRIBUTE_MIN_MAX = 1,
    ATTRIBUTE_NAN_MODE = 2,
    ATTRIBUTE_SHIFT = 4,
    ATTRIBUTE_ZERO_POINTS = 8,
    ATTRIBUTE_ROUND = 16,
    ATTRIBUTE_UNSIGNED = 32,
};

typedef struct op_row {
    const char *name, *formula;
    int arity;
    op_signature signature;
    unsigned elements;   /* bit t: element type t */
    unsigned attributes; /* ATTRIBUTE_* */
} op_row;

extern const op_row op_table[TOSAJIT_OP_COUNT];

static inline bool op_is_valid(tosajit_op op) { return (unsigned)op < TOSAJIT_OP_COUNT; }

/* The result element type that the operands imply; false if they are illegal for op. A CONVERT op implies none and
 * leaves *result. */
bool op_result_element(tosajit_op op, const tosajit_type *operands, tosajit_type *result);

/* TYPE_MISMATCH with a message that lists what the op takes. */
tosajit_status op_check_elements(tosajit_op op, const tosajit_type *operands, tosajit_type result);

/* BAD_ATTRIBUTE unless every attribute is legal for the op on these element types. */
tosajit_status op_check_attributes(tosajit_op op, tosajit_type operand, const tosajit_attributes *attributes);

#endif

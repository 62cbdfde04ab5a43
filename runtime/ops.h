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
    SIGNATURE_LOOKUP,  /* i8 -> i8; i16 -> i32 */
    SIGNATURE_SCALE,   /* T -> i8, i16 or i32 */
} op_signature;

/* Which members of tosajit_attributes, or which parameters, an op takes. */
enum {
    ATTRIBUTE_MIN_MAX = 1,
    ATTRIBUTE_NAN_MODE = 2,
    ATTRIBUTE_SHIFT = 4,
    ATTRIBUTE_ZERO_POINTS = 8,
    ATTRIBUTE_ROUND = 16,
    ATTRIBUTE_UNSIGNED = 32,
    ATTRIBUTE_TABLE = 64,
    ATTRIBUTE_SCALING = 128,
};

/* Positions of parameters, behind the op's arity. */
enum { PARAMETER_MULTIPLIER, PARAMETER_SHIFT, PARAMETER_INPUT_ZP, PARAMETER_OUTPUT_ZP }; /* of rescale */

typedef struct op_row {
    const char *name, *formula;
    int arity;
    op_signature signature;
    unsigned elements;   /* bit t: element type t */
    unsigned attributes; /* ATTRIBUTE_* */
} op_row;

extern const op_row op_table[TOSAJIT_OP_COUNT];

static inline bool op_is_valid(tosajit_op op) { return (unsigned)op < TOSAJIT_OP_COUNT; }

/* Whether an op is a long computation: what follows for loops and threads. */
bool op_is_heavy(tosajit_op op);
/* Whether it is one of dozens of instructions, beside which a branch per step is nothing. */
bool op_is_long(tosajit_op op);

/* The result element type that the operands imply; false if they are illegal for op. CONVERT and SCALE ops imply none and
 * leave *result. */
bool op_result_element(tosajit_op op, const tosajit_type *operands, tosajit_type *result);
static inline bool op_needs_result(tosajit_op op) {
    return op_table[op].signature == SIGNATURE_CONVERT || op_table[op].signature == SIGNATURE_SCALE;
}

/* TYPE_MISMATCH with a message that lists what the op takes. */
tosajit_status op_check_elements(tosajit_op op, const tosajit_type *operands, tosajit_type result, bool strict);

/* BAD_ATTRIBUTE unless every attribute is legal for the op on these element types. */
tosajit_status op_check_attributes(tosajit_op op, tosajit_type operand, tosajit_type result, const tosajit_attributes *attributes);

/* What an op demands of its parameter k: its name, its element type, how many elements it has, and the range of its values. */
typedef struct op_parameter {
    const char *name;
    tosajit_type element;
    int64_t count;     /* 1, or of a table; 0: one per channel */
    int64_t low, high; /* its legal values, of integers; floating-point ones must be 0 */
    bool is_unsigned;  /* how its bits are read */
    bool sparse;       /* only low and high themselves are legal */
} op_parameter;
op_parameter op_describe_parameter(tosajit_op op, int k, tosajit_type operand, tosajit_type result, const tosajit_attributes *attributes);

/* BAD_ATTRIBUTE unless every one of `count` constant elements is a legal value of the parameter. */
tosajit_status op_check_parameter(const op_parameter *parameter, const void *data, int64_t count);

#endif

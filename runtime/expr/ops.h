/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The op table's vocabulary: element type sets, signatures, attribute flags, and legality checks
 * over them. */
#ifndef TOSAJIT_RUNTIME_EXPR_OPS_H
#define TOSAJIT_RUNTIME_EXPR_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

/* How operand and result element types of an op relate; T ranges over the row's element set. */
typedef enum op_signature {
    SIGNATURE_SAME,     /* T..., T */
    SIGNATURE_COMPARE,  /* T, T -> i1 */
    SIGNATURE_SELECT,   /* i1, T, T -> T */
    SIGNATURE_WIDEN,    /* i8, i8 -> i32; i16, i16 -> i32; else T, T -> T */
    SIGNATURE_CONVERT,  /* T -> another type, by the table of legal casts */
    SIGNATURE_LOOKUP,   /* i8 -> i8; i16 -> i32 */
    SIGNATURE_SCALE,    /* T -> i8, i16 or i32 */
    SIGNATURE_REDUCE,   /* T -> T, along an axis */
    SIGNATURE_VIEW,     /* T -> T, of another shape */
    SIGNATURE_POSITION, /* T -> i32, along an axis, which is reduced */
    SIGNATURE_INDEX,    /* T -> i32, along an axis */
    SIGNATURE_GATHER,   /* T, i32 or i64 -> T */
    SIGNATURE_SCAN,     /* T -> T, along an axis */
    SIGNATURE_SCATTER,  /* T, i32 or i64, T -> T */
} op_signature;

/* A floating-point result before it is rounded to its type. Integers are exact. */
typedef enum op_result {
    RESULT_MOVED,    /* the bits of an operand, which nobody looks at */
    RESULT_MASKED,   /* made of the bits of operands */
    RESULT_EXACT,    /* a value of its type */
    RESULT_ROUNDED,  /* to be rounded once */
    RESULT_FUNCTION, /* the same; within 1 ulp where fast, by an emitter of its own */
} op_result;

/* How much code an op is, which decides on loops and threads. */
typedef enum op_work {
    WORK_ONE,   /* an instruction a vector, also by LLVM's FastISel (jit/emit/fast_isel.h) */
    WORK_FEW,   /* some instructions, one or two more by FastISel */
    WORK_SOME,  /* as few, or more, of which FastISel makes bad code */
    WORK_HEAVY, /* a division, a 64-bit product, a gather */
    WORK_LONG,  /* dozens, beside which a branch per step is nothing */
} op_work;

/* How an op computes integers. */
typedef enum op_integers {
    COMPUTED_OWN,    /* by instructions for integers of their size */
    COMPUTED_FLOAT,  /* the same, on some CPU with conversions to floating point and back */
    COMPUTED_WIDE32, /* widened to 32 bits at least */
    COMPUTED_WIDE64, /* likewise to 64 */
} op_integers;

/* Which members of tosajit_attributes, or which parameters, an op takes. */
enum {
    ATTRIBUTE_NONE = 0,
    ATTRIBUTE_MIN_MAX = 1,
    ATTRIBUTE_NAN_MODE = 2,
    ATTRIBUTE_SHIFT = 4,
    ATTRIBUTE_ZERO_POINTS = 8,
    ATTRIBUTE_ROUND = 16,
    ATTRIBUTE_UNSIGNED = 32,
    ATTRIBUTE_TABLE = 64,
    ATTRIBUTE_SCALING = 128,
    ATTRIBUTE_EXTENSION = 256, /* none; the op is not TOSA's */
    ATTRIBUTE_AXIS = 512,
    ATTRIBUTE_SHAPE = 1024,
    ATTRIBUTE_PERMS = 2048,
    ATTRIBUTE_RANGES = 4096,
    ATTRIBUTE_MULTIPLES = 8192,
    ATTRIBUTE_PADDING = 16384,
    ATTRIBUTE_INDEX_MODE = 32768, /* this; where strict, strict */
    ATTRIBUTE_FORM = 65536,       /* exclusive, reverse */
    ATTRIBUTE_LIST = ATTRIBUTE_SHAPE | ATTRIBUTE_PERMS | ATTRIBUTE_RANGES | ATTRIBUTE_MULTIPLES |
                     ATTRIBUTE_PADDING,
    ATTRIBUTE_AXIS_NAN = ATTRIBUTE_AXIS | ATTRIBUTE_NAN_MODE,
    ATTRIBUTE_AXIS_EXTENSION = ATTRIBUTE_AXIS | ATTRIBUTE_EXTENSION,
    ATTRIBUTE_AXIS_NAN_EXTENSION = ATTRIBUTE_AXIS_NAN | ATTRIBUTE_EXTENSION,
    ATTRIBUTE_SCAN = ATTRIBUTE_AXIS_EXTENSION | ATTRIBUTE_FORM,
    ATTRIBUTE_SCAN_NAN = ATTRIBUTE_SCAN | ATTRIBUTE_NAN_MODE,
    ATTRIBUTE_LIMITS = ATTRIBUTE_MIN_MAX | ATTRIBUTE_NAN_MODE,
    ATTRIBUTE_INDEX_EXTENSION = ATTRIBUTE_INDEX_MODE | ATTRIBUTE_EXTENSION,
    ATTRIBUTE_INDEX_NAN = ATTRIBUTE_INDEX_EXTENSION | ATTRIBUTE_NAN_MODE,
};

/* Positions of parameters, behind the op's arity. */
enum {
    PARAMETER_MULTIPLIER,
    PARAMETER_SHIFT,
    PARAMETER_INPUT_ZP,
    PARAMETER_OUTPUT_ZP
}; /* of rescale */

/* A row of ops.def. */
typedef struct op_row {
    const char *name, *formula;
    op_signature signature;
    op_result result;
    op_work work;
    op_integers integers;
    uint32_t elements;   /* bit t: element type t; beyond them what of these is not TOSA's */
    uint32_t attributes; /* ATTRIBUTE_* */
    uint8_t arity;
} op_row;

extern const op_row op_table[TOSAJIT_OP_COUNT];

static inline bool op_is_valid(tosajit_op op) { return (unsigned)op < TOSAJIT_OP_COUNT; }

/* Long computations, as loops and threads have them. */
_Static_assert(
    WORK_ONE < WORK_FEW && WORK_FEW < WORK_SOME && WORK_SOME < WORK_HEAVY && WORK_HEAVY < WORK_LONG,
    "work is ordered from little to much: ops and parts for FastISel are told by comparison");
static inline bool op_is_heavy(tosajit_op op) { return op_table[op].work >= WORK_HEAVY; }
static inline bool op_is_long(tosajit_op op) { return op_table[op].work == WORK_LONG; }
/* Bytes that an integer takes at work at least. */
static inline unsigned op_lane_bytes(tosajit_op op) {
    const op_integers how = op_table[op].integers;
    return how == COMPUTED_WIDE64 ? 8 : how == COMPUTED_WIDE32 ? 4 : 1;
}
/* True if an op reduces a dimension (runtime/expr/reduce.h). */
static inline bool op_reduces(tosajit_op op) {
    return op_table[op].signature == SIGNATURE_REDUCE ||
           op_table[op].signature == SIGNATURE_POSITION;
}
/* True if an op's result depends on the places of elements along its axis: the op cannot move past
 * a change of places. */
static inline bool op_is_along(tosajit_op op) {
    return op_reduces(op) || op_table[op].signature == SIGNATURE_INDEX ||
           op_table[op].signature == SIGNATURE_SCAN;
}
static inline bool op_scans(tosajit_op op) { return op_table[op].signature == SIGNATURE_SCAN; }
static inline bool op_gathers(tosajit_op op) { return op_table[op].signature == SIGNATURE_GATHER; }
static inline bool op_scatters(tosajit_op op) {
    return op_table[op].signature == SIGNATURE_SCATTER;
}
/* True if operand 1 says where elements of operand 0 are, in its first dimension. */
static inline bool op_has_index(tosajit_op op) { return op_gathers(op) || op_scatters(op); }
/* The operand whose element type is T of the op's signature. */
static inline int op_leading(tosajit_op op) {
    return op_has_index(op) ? 0 : op_table[op].arity - 1;
}
/* True if an op moves elements and computes none (runtime/expr/views.h). */
static inline bool op_views(tosajit_op op) { return op_table[op].signature == SIGNATURE_VIEW; }
static inline bool op_has_table(tosajit_op op) { return op_table[op].attributes & ATTRIBUTE_TABLE; }
/* True if an op looks up bytes by bytes. TOSA has that of i8. Kernels have it of all types of 8
 * bits: the bits are looked at, and the table's i8 are those of the results. */
bool op_maps_bytes(tosajit_op op, tosajit_type operand, tosajit_type result);

/* True if the code of an op on these types, for some CPU, depends on the floating-point
 * environment. Ops on floating point do, unless they only move it. So do ops on integers whose code
 * computes in floating point: intdiv divides as f64, and without AVX2 logical_left_shift makes 2^b
 * of f32. tests/unit/float_code_test.c looks at the code. */
bool op_is_float_code(tosajit_op op, tosajit_type operand, tosajit_type result);

/* The result element type that the operands imply; false if they are illegal for op. CONVERT and
 * SCALE ops imply none and leave *result. */
bool op_result_element(tosajit_op op, const tosajit_type *operands, tosajit_type *result);
static inline bool op_needs_result(tosajit_op op) {
    return op_table[op].signature == SIGNATURE_CONVERT || op_table[op].signature == SIGNATURE_SCALE;
}

/* TYPE_MISMATCH with a message that lists what the op takes. */
tosajit_status op_check_elements(tosajit_op op, const tosajit_type *operands, tosajit_type result,
                                 bool strict);

/* BAD_ATTRIBUTE unless every attribute is legal for the op on these element types. */
tosajit_status op_check_attributes(tosajit_op op, tosajit_type operand, tosajit_type result,
                                   const tosajit_attributes *attributes);

/* An op's demands of its parameter k: its name, its element type, how many elements it has, and
 * the range of its values. */
typedef struct op_parameter {
    const char *name;
    tosajit_type element;
    int64_t count;     /* 1, or of a table; 0: one per channel */
    int64_t low, high; /* its legal values, of integers; floating-point ones must be 0 */
    bool is_unsigned;  /* how its bits are read */
    bool sparse;       /* only low and high themselves are legal */
} op_parameter;
op_parameter op_describe_parameter(tosajit_op op, int k, tosajit_type operand, tosajit_type result,
                                   const tosajit_attributes *attributes);

/* BAD_ATTRIBUTE unless every one of `count` constant elements is a legal value of the parameter. */
tosajit_status op_check_parameter(const op_parameter *parameter, const void *data, int64_t count);

#endif

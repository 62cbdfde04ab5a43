/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit: TOSA elementwise operations, compiled into SIMD kernels while your program runs.
 *
 * One op in a few lines:
 *
 *     const int64_t any_by_3[2] = {TOSAJIT_DYNAMIC, 3}, one_by_3[2] = {1, 3};
 *     const int64_t four_by_3[2] = {4, 3};
 *     tosajit_engine *engine;
 *     tosajit_kernel *kernel;
 *     tosajit_engine_create(NULL, &engine);
 *
 *     tosajit_tensor_type types[2] = {
 *         tosajit_ranked(TOSAJIT_F32, 2, any_by_3), // tensor<?x3xf32>
 *         tosajit_ranked(TOSAJIT_F32, 2, one_by_3), // tensor<1x3xf32>
 *     };
 *     tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &kernel);
 *
 *     float a[4][3], b[1][3], r[4][3];
 *     tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 2, four_by_3),
 *                                   tosajit_dense(TOSAJIT_F32, b, 2, one_by_3)};
 *     tosajit_tensor result = tosajit_dense(TOSAJIT_F32, r, 2, four_by_3);
 *     if (tosajit_run(kernel, operands, 2, &result, 1) != TOSAJIT_OK) puts(tosajit_last_error());
 *
 *     tosajit_kernel_release(kernel);
 *     tosajit_engine_destroy(engine);
 *
 * Several ops become one fused kernel through an expression (tosajit_expr_*). It makes one pass
 * over memory, without temporaries. Its bits are those of running its ops one by one.
 *
 * Shapes. A dimension is a static size or TOSAJIT_DYNAMIC, decided when the kernel is called.
 * Operands broadcast: sizes of a dimension are equal or 1; the result's size is `a == 1 ? b : a`.
 * Operands of lower rank are padded with 1 on the left, unless the expression is strict. Size 0 is
 * an ordinary run-time size.
 *
 * Errors. Every function that can fail returns a tosajit_status; tosajit_last_error() gives the
 * sentence that says what was wrong. A call that fails writes no result and changes no object. No
 * data makes a kernel trap.
 *
 * Environment. TOSAJIT_VERBOSE, TOSAJIT_DUMP, TOSAJIT_CPU, TOSAJIT_PERF and TOSAJIT_GDB make the
 * library tell what it does (docs/environment.md).
 *
 * Threads. Engines and kernels may be used from any number of threads at once. An expression
 * belongs to one thread at a time. The last error is per thread.
 *
 * Floating point. A thread may unmask exceptions, round in any direction, flush subnormals, or set
 * the x87 precision. No function traps, and no result depends on these settings, which are the same
 * after every call. With the settings that programs start with, a run may raise exception flags, as
 * any arithmetic does. With others the flags stay as they were.
 *
 * Source of the meaning of every op: TOSA 1.1; of broadcasting: the MLIR trait
 * ResultsBroadcastableShape and the RFC "TOSA-to-Linalg lowering of element-wise ops". */
#ifndef TOSAJIT_TOSAJIT_H
#define TOSAJIT_TOSAJIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TOSAJIT_API __attribute__((visibility("default")))
#else
#define TOSAJIT_API
#endif

#define TOSAJIT_VERSION_MAJOR 0
#define TOSAJIT_VERSION_MINOR 1
#define TOSAJIT_VERSION_PATCH 0

/* Limits. */
#define TOSAJIT_MAX_RANK 16    /* dimensions of a tensor */
#define TOSAJIT_MAX_ARITY 3    /* operands of one op that are broadcast against each other */
#define TOSAJIT_MAX_OPERANDS 5 /* operands of one op, parameters included */
#define TOSAJIT_MAX_TENSORS                                                                        \
    64 /* inputs, non-splat constants and results of one expression together */
#define TOSAJIT_MAX_NODES 65536 /* inputs, constants and ops of one expression together */

#define TOSAJIT_DYNAMIC                                                                            \
    INT64_MIN                 /* a dimension whose size is known when the kernel is called: `?` */
#define TOSAJIT_UNRANKED (-1) /* rank of `tensor<*xT>` */

/* ---------------------------------------------------------------------------------------------
 * Status */

typedef enum tosajit_status {
    TOSAJIT_OK = 0,
    TOSAJIT_INVALID_ARGUMENT, /* a null pointer, an unknown enum value, a foreign or wrongly counted
                                 operand */
    TOSAJIT_TYPE_MISMATCH,    /* TOSA does not define the op for these element types */
    TOSAJIT_SHAPE_MISMATCH, /* ranks or sizes that do not broadcast, or are not the declared ones */
    TOSAJIT_UNRANKED_SHAPE, /* a shape without a rank where a kernel needs one */
    TOSAJIT_BAD_ATTRIBUTE,  /* an attribute outside its legal range */
    TOSAJIT_OVERLAP, /* a result shares memory with an operand or result in another way than exactly
                        in place */
    TOSAJIT_OVERFLOW,       /* a number of elements or bytes beyond 2^63 - 1 */
    TOSAJIT_LIMIT_EXCEEDED, /* more than TOSAJIT_MAX_*, or than max_bytes of an engine */
    TOSAJIT_OUT_OF_MEMORY,
    TOSAJIT_NOT_EXECUTABLE, /* the host refuses executable memory, and the options ask for a native
                               kernel */
    TOSAJIT_CODEGEN_FAILED, /* LLVM refused; a defect of this library or an unusable target */
    TOSAJIT_BAD_IMAGE,      /* no kernel image, a damaged one, or one that another version of this
                               library made */
    TOSAJIT_BAD_MODULE,     /* no MLIR, or a function that is not one of elementwise TOSA operations
                               (tosajit/mlir.h) */
} tosajit_status;

/* The name of a status, "TOSAJIT_SHAPE_MISMATCH"; never null. */
TOSAJIT_API const char *tosajit_status_name(tosajit_status status);

/* What went wrong in the last failed call of this thread: one sentence that names op, operand,
 * dimension and sizes. Valid until the thread's next failing call; empty if none has failed. */
TOSAJIT_API const char *tosajit_last_error(void);

/* "0.1.0" */
TOSAJIT_API const char *tosajit_version(void);

/* ---------------------------------------------------------------------------------------------
 * Types */

typedef enum tosajit_type {
    TOSAJIT_I1, /* one byte; any value but 0 is true on input, exactly 0 or 1 on output */
    TOSAJIT_I8,
    TOSAJIT_I16,
    TOSAJIT_I32,
    TOSAJIT_I48, /* carried in 8 bytes */
    TOSAJIT_I64,
    TOSAJIT_F16,
    TOSAJIT_BF16,
    TOSAJIT_F32,
    TOSAJIT_F8E4M3FN,
    TOSAJIT_F8E5M2,
    TOSAJIT_F64, /* not TOSA's: an extension, refused where strict */
    TOSAJIT_U8,  /* unsigned integers, an extension likewise */
    TOSAJIT_U16,
    TOSAJIT_U32,
    TOSAJIT_TYPE_COUNT
} tosajit_type;

/* "i8", "f32", ...; null for a value that is no type. */
TOSAJIT_API const char *tosajit_type_name(tosajit_type type);
/* Bytes that one element takes in memory; 0 for a value that is no type. */
TOSAJIT_API size_t tosajit_type_size(tosajit_type type);
/* The type of that name; TOSAJIT_TYPE_COUNT if there is none. */
TOSAJIT_API tosajit_type tosajit_type_find(const char *name);

/* Element type and shape. dims[d] is a size >= 1 or TOSAJIT_DYNAMIC; d = 0 is the outermost
 * dimension. Other values of element and rank are refused: later versions may give them a meaning.
 */
typedef struct tosajit_tensor_type {
    tosajit_type element;           /* of every element */
    int32_t rank;                   /* 0..TOSAJIT_MAX_RANK or TOSAJIT_UNRANKED */
    int64_t dims[TOSAJIT_MAX_RANK]; /* the first `rank` count */
} tosajit_tensor_type;

/* A ranked type. A rank beyond TOSAJIT_MAX_RANK is kept, without the dimensions, for every function
 * to refuse. */
static inline tosajit_tensor_type tosajit_ranked(tosajit_type element, int32_t rank,
                                                 const int64_t *dims) {
    tosajit_tensor_type t = {element, rank, {0}};
    for (int32_t d = 0; d < rank && d < TOSAJIT_MAX_RANK; d++) t.dims[d] = dims[d];
    return t;
}

/* Write "tensor<?x3xf32>" into text (capacity bytes, always terminated); returns the length that
 * the whole text has. type must not be null. */
TOSAJIT_API size_t tosajit_type_print(const tosajit_tensor_type *type, char *text, size_t capacity);

/* A tensor in memory. It owns nothing. strides[d] is the distance in BYTES, not elements, from one
 * index of dimension d to the next. It may be negative, and 0 for operands that repeat. It is a
 * multiple of the element size, unless the option any_strides allows others. Null strides mean
 * dense row-major. The transpose of a dense 4x3 matrix of f32 has dims {3, 4} and strides {4, 12}.
 */
typedef struct tosajit_tensor {
    tosajit_type element;   /* of every element */
    int32_t rank;           /* 0..TOSAJIT_MAX_RANK */
    void *data;             /* the element whose indices are all 0; any alignment */
    const int64_t *dims;    /* sizes, [rank] */
    const int64_t *strides; /* in bytes, [rank]; null: dense */
} tosajit_tensor;

static inline tosajit_tensor tosajit_dense(tosajit_type element, void *data, int32_t rank,
                                           const int64_t *dims) {
    tosajit_tensor t = {element, rank, data, dims, NULL};
    return t;
}

/* ---------------------------------------------------------------------------------------------
 * Operations */

typedef enum tosajit_op {
#define TOSAJIT_OP(name, ...) TOSAJIT_OP_##name,
#define TOSAJIT_VIEW_OP(name, ...) TOSAJIT_OP_##name,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
    TOSAJIT_OP_COUNT
} tosajit_op;

/* "add"; null for a value that is no op. */
TOSAJIT_API const char *tosajit_op_name(tosajit_op op);
/* Number of operands that are broadcast; 0 for a value that is no op. */
TOSAJIT_API int tosajit_op_arity(tosajit_op op);
/* The meaning in one line, with corner results; null for a value that is no op. */
TOSAJIT_API const char *tosajit_op_formula(tosajit_op op);
/* The op of that name, "add" or "tosa.add"; "div" is taken as "intdiv". TOSAJIT_OP_COUNT if there
 * is none. */
TOSAJIT_API tosajit_op tosajit_op_find(const char *name);
/* Number of parameters: operands behind the others that say how to compute: mul: shift; negate:
 * input_zp, output_zp; table: table; rescale: multiplier, shift, input_zp, output_zp. *required
 * says whether they may be left out (the attributes of the same names then hold); null is allowed.
 */
TOSAJIT_API int tosajit_op_parameters(tosajit_op op, int *required);
/* Whether op is defined for these operand element types, as many as its arity, and this result
 * element type. Extensions that a strict expression refuses count, too. */
TOSAJIT_API int tosajit_op_accepts(tosajit_op op, const tosajit_type *operands,
                                   tosajit_type result);

typedef enum tosajit_nan_mode {
    TOSAJIT_NAN_PROPAGATE, /* a NaN operand makes the result NaN */
    TOSAJIT_NAN_IGNORE     /* the operand that is a number wins */
} tosajit_nan_mode;

typedef enum tosajit_rounding_mode {
    TOSAJIT_SINGLE_ROUND,  /* nearest, halves upward */
    TOSAJIT_INEXACT_ROUND, /* TOSA leaves room; computed as SINGLE_ROUND */
    TOSAJIT_DOUBLE_ROUND   /* shifts above 31: as if rounded at bit 30 first; needs scale32 */
} tosajit_rounding_mode;

/* A value of an element type. */
typedef union tosajit_scalar {
    int64_t i; /* of integers, sign-extended, and of i1 */
    double
        f; /* of floating point; an f32 attribute is the double of a float: write 0.1f, not 0.1 */
} tosajit_scalar;

/* Attributes of one op. Zero-initialise, set what the op takes, leave the rest 0: an attribute that
 * the op does not take must be 0. A null pointer stands for all zero; clamp then gives 0. */
typedef struct tosajit_attributes {
    tosajit_scalar min_val, max_val; /* clamp; of the element type, min_val <= max_val, no NaN */
    tosajit_nan_mode nan_mode;       /* clamp, maximum, minimum, reduce_max, reduce_min */
    int32_t shift;                   /* mul without parameter; 0..63 for i32, else 0 */
    int64_t input_zp, output_zp;     /* negate without parameters; an i8 for i8, else 0 */
    tosajit_rounding_mode rounding_mode; /* rescale */
    uint8_t round;                       /* arithmetic_right_shift */
    uint8_t
        input_unsigned; /* cast from integers wider than i1; rescale from i8 or i16 to i8 or i16 */
    uint8_t output_unsigned; /* rescale from i8 or i16 to i8 or i16 */
    uint8_t scale32;         /* rescale: the multiplier is i32, else i16 */
    uint8_t per_channel;     /* rescale: multiplier and shift have one element per index of the last
                                dimension */
    int64_t axis; /* reductions: the dimension that becomes 1, 0 the outermost; reverse, concat:
                     along which they go */
    /* Of views: the list that the op takes; copied. reshape: the size of each dimension; once -1:
     * what is left; -2 - d: that of the operand's dimension d. transpose: of each dimension of the
     * result, the operand's. tile: of each dimension, how often. pad: of each dimension how many
     * elements before and behind it. slice: of each dimension begin, end and step. There, negative
     * positions count from the end, and TOSAJIT_DYNAMIC is the end that the step comes from or goes
     * to. */
    const int64_t *numbers;
    size_t number_count; /* of these */
    int32_t joined; /* reductions: how many dimensions behind `axis` are reduced with it, as if a
                       reshape had joined them; more than 0 is an extension */
    int32_t reserved[1]; /* 0; for attributes of later versions */
} tosajit_attributes;

/* ---------------------------------------------------------------------------------------------
 * Memory */

/* Hooks for every allocation that this library makes for its own objects. They do not cover LLVM's
 * own allocations while it compiles, nor the texts of tosajit_print. Both must be set. allocate
 * returns memory aligned for any object, or null; context is passed through. Must be thread-safe if
 * the objects are used by several threads. */
typedef struct tosajit_allocator {
    void *(*allocate)(void *context, size_t size); /* memory, or null */
    /* Memory that allocate gave for that size. */
    void (*release)(void *context, void *memory, size_t size);
    void *context; /* for both */
} tosajit_allocator;

/* ---------------------------------------------------------------------------------------------
 * Expressions */

/* How exp, log, tanh, sigmoid, erf, sin, cos, pow, rsqrt and reciprocal are computed. */
typedef enum tosajit_accuracy {
    TOSAJIT_EXACT, /* rounded correctly: the same bits on every machine and from the interpreter */
    TOSAJIT_FAST, /* at most 1 ulp off, subnormals kept; bits may differ between instruction sets */
} tosajit_accuracy;

/* A DAG of inputs, constants and ops, built front to back. Each call checks its node at once. */
typedef struct tosajit_expr tosajit_expr;
typedef int32_t tosajit_value; /* a node of one expression */

/* How an expression is read. */
typedef struct tosajit_expr_options {
    size_t size;                        /* sizeof(tosajit_expr_options) */
    const tosajit_allocator *allocator; /* copied; null: malloc and free */
    int strict; /* nonzero: TOSA's own rules: ranks must be equal, and a result may not be declared
                   static where a dynamic size is inferred. Zero: operands are padded to the highest
                   rank, and such a result is accepted and checked when the kernel is called. */
    tosajit_accuracy accuracy; /* FAST here or in the engine makes the kernel fast */
} tosajit_expr_options;

/* An empty expression. options may be null. OUT_OF_MEMORY, INVALID_ARGUMENT. */
TOSAJIT_API tosajit_status tosajit_expr_create(const tosajit_expr_options *options,
                                               tosajit_expr **expr);
/* Null is allowed. Kernels made from the expression keep what they need. */
TOSAJIT_API void tosajit_expr_destroy(tosajit_expr *expr);

/* The next operand of the kernel, of this type. LIMIT_EXCEEDED, SHAPE_MISMATCH (a size below 1),
 * OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_input(tosajit_expr *expr, const tosajit_tensor_type *type,
                                              tosajit_value *value);

/* What the host promises about a dynamic dimension of an input. Zero-initialise. With smallest >= 2
 * the operand does not repeat along it, which saves a decision and a loop. With a multiple of the
 * vector length the code needs no tail. */
typedef struct tosajit_contract {
    int64_t smallest, largest; /* the size is in this range; largest 0: no limit */
    int64_t multiple;          /* and a multiple of this; 0 or 1: any */
    int64_t reserved[3];       /* 0; for promises of later versions */
} tosajit_contract;

/* Promise it; the last promise about a dimension holds. Every call is checked against it:
 * SHAPE_MISMATCH. INVALID_ARGUMENT for values that are no inputs, dimensions that are not dynamic,
 * and contracts that no size fulfils. OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_contract(tosajit_expr *expr, tosajit_value input,
                                                 int32_t dimension,
                                                 const tosajit_contract *contract);

/* A constant; data is dense row-major and copied. The type must be static. A constant whose
 * elements are all equal becomes part of the code. INVALID_ARGUMENT, SHAPE_MISMATCH (a dynamic
 * size), UNRANKED_SHAPE, LIMIT_EXCEEDED, OVERFLOW, OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_constant(tosajit_expr *expr,
                                                 const tosajit_tensor_type *type, const void *data,
                                                 tosajit_value *value);

/* An op on earlier values: its operands, then its parameters (tosajit_op_parameters). A parameter
 * is a tensor of rank 1 with one element, which is not broadcast. With per_channel it has one
 * element per channel. A table has 256 of i8 or 513 of i16. A constant is checked and becomes part
 * of the code. Any other value is taken as it comes when called. A shift beyond 63 counts as 63,
 * and zero points that must be 0 count as 0. attributes may be null. result declares the type of
 * the value; null means the inferred one. cast needs its element type. A result of rank
 * TOSAJIT_UNRANKED takes the inferred shape. TYPE_MISMATCH, SHAPE_MISMATCH, BAD_ATTRIBUTE,
 * INVALID_ARGUMENT, LIMIT_EXCEEDED, OUT_OF_MEMORY; the message says which operand and dimension. */
TOSAJIT_API tosajit_status tosajit_expr_op(tosajit_expr *expr, tosajit_op op,
                                           const tosajit_value *operands, size_t operand_count,
                                           const tosajit_attributes *attributes,
                                           const tosajit_tensor_type *result, tosajit_value *value);

/* Make value the next result of the kernel. A value may be a result more than once.
 * INVALID_ARGUMENT, LIMIT_EXCEEDED. */
TOSAJIT_API tosajit_status tosajit_expr_result(tosajit_expr *expr, tosajit_value value);

/* Call a value by this name in messages, plans, tosajit_expr_print and kernel images, instead of by
 * its number. A name is a letter or _, then letters, digits, _, $ and dots, 60 of them at most. It
 * is copied. Null takes it away. Kernels of expressions with other names are other kernels.
 * INVALID_ARGUMENT, OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_name(tosajit_expr *expr, tosajit_value value,
                                             const char *name);

/* The declared or inferred type of a value. INVALID_ARGUMENT if it is none of expr's. */
TOSAJIT_API tosajit_status tosajit_expr_type(const tosajit_expr *expr, tosajit_value value,
                                             tosajit_tensor_type *type);

/* Write the expression as a function `name` of MLIR's TOSA dialect (null: "main"), in the generic
 * form of its ops. The command reads it back as the same expression. Contracts and accuracy are
 * attributes tosajit.contract and tosajit.accuracy, for which other readers must allow unregistered
 * dialects. *text is released with tosajit_text_release. INVALID_ARGUMENT for an expression without
 * a result and a name other than [A-Za-z_][A-Za-z0-9_$.]*; OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_print(const tosajit_expr *expr, const char *name,
                                              char **text);

/* Whether a kernel can be made: there is a result, every shape has a rank, no dimension can never
 * match. */
TOSAJIT_API tosajit_status tosajit_expr_verify(const tosajit_expr *expr);

/* Check one op without compiling it: element types, attributes, shapes, and the declared result if
 * it is not null. Shapes may be unranked. inferred, if not null, receives the inferred type.
 * Nothing is allocated. */
TOSAJIT_API tosajit_status tosajit_verify(tosajit_op op, const tosajit_tensor_type *operands,
                                          size_t operand_count,
                                          const tosajit_attributes *attributes,
                                          const tosajit_tensor_type *result, int strict,
                                          tosajit_tensor_type *inferred);

/* The shape that operands of these shapes broadcast to; element types are ignored, the result's
 * element type is that of operand 0. Unranked operands are skipped; if all are, the result is
 * unranked. SHAPE_MISMATCH, INVALID_ARGUMENT. Source: ResultsBroadcastableShape, InferShape. */
TOSAJIT_API tosajit_status tosajit_infer_shape(const tosajit_tensor_type *operands,
                                               size_t operand_count, int strict,
                                               tosajit_tensor_type *result);

/* Whether a result declared as `result` is compatible with the inferred shape. */
TOSAJIT_API tosajit_status tosajit_verify_result(const tosajit_tensor_type *inferred,
                                                 const tosajit_tensor_type *result, int strict);

/* ---------------------------------------------------------------------------------------------
 * Expressions as text (docs/language.md). (libtosajit only.) */

/* The type of an operand, by its name. */
typedef struct tosajit_named_type {
    const char *name;         /* as the text has it */
    tosajit_tensor_type type; /* of the operand */
} tosajit_named_type;

/* How a text is read. */
typedef struct tosajit_parse_options {
    size_t size;                        /* sizeof(tosajit_parse_options) */
    const tosajit_allocator *allocator; /* of the expression; copied; null: malloc and free */
    int strict;                         /* as in tosajit_expr_options */
    tosajit_accuracy accuracy;          /* as in tosajit_expr_options */
    const tosajit_named_type *types; /* of operands to which the text gives no type; those of other
                                        names are not looked at */
    size_t type_count;               /* of them */
    const char *name; /* what messages call the text, a file's name for instance; null: nothing */
    size_t line;      /* the number of its first line in messages; 0: 1 */
    int drop_axes; /* nonzero: sum, mean and the like drop the dimensions that they reduce, unless
                      keepdims says other, as in NumPy; zero: these stay, with a size of 1 */
} tosajit_parse_options;

/* Read a text as an expression:
 *
 *     y = x * sigmoid(x + b) : f32[?,64], f32[1,64]
 *
 * Names that no statement defines are operands, in the order in which they come first. Values that
 * no later statement uses are results. Both keep their names (tosajit_expr_name). The text need not
 * be terminated; options may be null. INVALID_ARGUMENT for what cannot be read, else as of the
 * function that refuses a node. The message begins with the text's name, line and column. It ends
 * with two lines of its own: the line of the text, and a caret below the place. *expr is the
 * caller's to destroy; it is written only on success. OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_parse(const char *text, size_t length,
                                              const tosajit_parse_options *options,
                                              tosajit_expr **expr);

/* The names of a text's operands, in order, without their types: for a caller that binds operands
 * by name, or gives types by name. *names has one name a line, and is released with
 * tosajit_text_release. INVALID_ARGUMENT for what cannot be read; OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_operands(const char *text, size_t length, char **names);

/* ---------------------------------------------------------------------------------------------
 * Graphs: which operations of a model become one kernel. (libtosajit only.) */

/* A host's graph, as numbers. An op reads and gives values; op k stands behind all that it depends
 * on. Nothing is owned. */
typedef struct tosajit_graph {
    size_t size;             /* sizeof(tosajit_graph) */
    int32_t op_count;        /* ops, all of the graph's */
    int32_t value_count;     /* values: what ops give, inputs of the graph, constants */
    const uint8_t *members;  /* per op: a kernel may have it */
    const int32_t *operands; /* values that ops read: those of op k begin at first_operand[k] */
    const int32_t *first_operand; /* op_count + 1 numbers; those of op k end where the next begin */
    const int32_t *producers;     /* per value: the op that gives it, or -1 */
    const uint8_t *kept;          /* per value: something reads it that is no op of this graph */
    int32_t most_ops;             /* of a region; 0: TOSAJIT_MAX_NODES - TOSAJIT_MAX_TENSORS */
    int32_t most_tensors;         /* values that it reads and gives; 0: TOSAJIT_MAX_TENSORS */
    /* Whether a kernel can have these ops, in order; for what the limits do not tell. It is asked
     * of every region, rarely of smaller ones. A status other than OK ends the call. Null: yes. */
    tosajit_status (*accepts)(void *context, const int32_t *ops, size_t count, int *accepted);
    void *context; /* given to accepts */
    const uint8_t
        *constants;       /* per value: it is the same in all calls; null: none is known to be */
    const uint8_t *views; /* per op: it moves elements and computes none; null: none does */
} tosajit_graph;

/* Divide the members of a graph into regions, each of which can be one kernel. A region is
 * connected. Regions, each as a whole, and other ops can be put into an order in which each follows
 * what it reads. Regions are as large as can be. Two along an edge stay apart only where together
 * they would be beyond a limit, or have no place in such an order. regions[k] is the first op of
 * op k's region, or -1 if op k is no member. It is also -1 for members that read nothing but
 * constants, or what such members give. They are in a region if it alone reads what they give. Else
 * the host computes them once. It is -1, too, for the members of a region that has nothing but
 * views, which a kernel would copy. A region gives those of its values that are kept, read
 * by other ops, or read by nobody. The time is linear in ops and operands; to keep it so, a path of
 * thousands of steps is supposed rather than looked for. For instance, `add` cannot join `exp`
 * here, because `matmul` would stand behind and before their region:
 *
 *     e = exp a
 *     m = matmul e, ...
 *     r = add e, m
 *
 * Thread-safe. regions has room for op_count numbers, and is written only on success.
 * INVALID_ARGUMENT for a null pointer, a number out of range, or an op that reads what only a later
 * one gives; OUT_OF_MEMORY; what accepts gave. */
TOSAJIT_API tosajit_status tosajit_partition(const tosajit_graph *graph, int32_t *regions);

/* ---------------------------------------------------------------------------------------------
 * Engines and kernels */

typedef struct tosajit_engine tosajit_engine;
typedef struct tosajit_kernel tosajit_kernel;

typedef enum tosajit_backend {
    TOSAJIT_BACKEND_AUTO, /* native code. Without executable memory or LLVM, or beyond a limit: code
                             of single ops that came with the library. Without that: the interpreter
                             */
    TOSAJIT_BACKEND_NATIVE, /* native code, or an error. What is too large for code of its own gets
                               that of single ops, as with AUTO */
    TOSAJIT_BACKEND_INTERPRET,  /* the interpreter; LLVM is never started */
    TOSAJIT_BACKEND_BACKGROUND, /* code of single ops answers until a thread has compiled the kernel
                                 */
    TOSAJIT_BACKEND_CROSS, /* code for any CPU, to look at (tosajit_print); there are no kernels to
                              run */
    TOSAJIT_BACKEND_PRECOMPILED, /* code of single ops that came with the library, node by node in
                                    the cache; LLVM is never started, and no memory is made
                                    executable */
} tosajit_backend;

/* The host's thread pool. parallel_for runs task(argument, index) for each index below count, on
 * any threads, and returns when all have returned. tosajit_run and tosajit_compile_many call it on
 * their caller's thread, so several threads may call it at once. */
typedef struct tosajit_parallel {
    /* The pool's loop, and the pool. */
    void (*parallel_for)(void *context, size_t count, void (*task)(void *argument, size_t index),
                         void *argument);
    void *context;  /* for parallel_for */
    size_t threads; /* how many tasks can run at once */
} tosajit_parallel;

/* What an engine makes, and with what. */
typedef struct tosajit_engine_options {
    size_t size;                        /* sizeof(tosajit_engine_options) */
    const tosajit_allocator *allocator; /* copied; null: malloc and free */
    tosajit_backend backend;            /* who computes */
    const char *cpu; /* code for this CPU: null or "native", or a name that tosajit_cpu_name gives;
                        "v3" is short for "x86-64-v3". INVALID_ARGUMENT for an unknown one, and,
                        unless the backend is CROSS, for one whose code this machine cannot run */
    tosajit_accuracy accuracy; /* of all kernels */
    int uncached;              /* nonzero: every compilation makes a kernel of its own */
    size_t threads; /* runs of large tensors use so many threads of the engine's own, the caller
                       among them. No more than the processors that the creating thread may run on,
                       and than the system gives. 0 or 1: the caller alone */
    const tosajit_parallel *parallel; /* or the host's; copied; null: none */
    size_t
        max_bytes; /* the most that the engine's live kernels may take together, code and structures
                      as in tosajit_stats; beyond it compiling gives LIMIT_EXCEEDED; 0: no limit */
    const char *cache_directory; /* code is kept in files here, and found again by later engines and
                                    processes. Made if there is none. Null or empty:
                                    TOSAJIT_CACHE_DIR, and without it no files. INVALID_ARGUMENT for
                                    a directory that others can write: what is in it is executed */
    uint64_t
        cache_bytes; /* of these files together; the least recently used go first; 0: 256 MiB */
    /* Nonzero: strides may be any number of bytes. Zero: a stride that is no multiple of the
     * element size is refused, because it is probably a number of elements. */
    size_t any_strides;
    /* Nonzero: exit waits for a compilation that is under way, as if the host called
     * tosajit_quiesce. For plugins, whose host does not know of them. It holds for exit on a thread
     * that has compiled, and the end of such a thread waits, too. For exit on other threads the
     * library registers handlers (atexit) around the loading of LLVM, and after the 1st, 2nd, 4th,
     * 8th ... compilation. LLVM registers handlers of its own amid the first one, and one amid a
     * later one. Exit on another thread amid these may still crash. */
    size_t quiesce_at_exit;
} tosajit_engine_options;

/* The names of the CPUs that code can be made for, whatever this machine is. First come levels:
 * "x86-64-v2" is SSE4.2, "x86-64-v3" AVX2, "x86-64-v4" AVX-512, "aarch64" NEON. Then come models of
 * LLVM's, as "znver4" and "neoverse-n1". Null from the number of names on. */
TOSAJIT_API const char *tosajit_cpu_name(size_t index);

/* An engine compiles and owns the code of its kernels. options may be null. After fork, the child
 * may run, ask, wait for and release the kernels of its parent, on the calling thread alone, and
 * destroy its engines. It may compile in a new engine. It may not in an inherited one in which
 * another thread was compiling or releasing when the process forked. That is refused with
 * CODEGEN_FAILED, and the memory of its kernels stays. So is every compilation in a child of a
 * process that forked while another thread loaded LLVM, or was amid the first compilation.
 * Nothing of this waits for a thread that the child does not have. A BACKGROUND kernel that was
 * not compiled by then stays uncompiled in the child, and tosajit_kernel_wait gives
 * NOT_EXECUTABLE. */
TOSAJIT_API tosajit_status tosajit_engine_create(const tosajit_engine_options *options,
                                                 tosajit_engine **engine);
/* Drop the engine; kernels that are still held keep what they need of it. A background compilation
 * that has begun is waited for; kernels that wait for theirs stay as they are. Null is allowed. */
TOSAJIT_API void tosajit_engine_destroy(tosajit_engine *engine);

/* Let no compilation begin in this process any more, and return when none is under way. Call it
 * before exit, or the return from main, if threads may be compiling or an engine with
 * TOSAJIT_BACKEND_BACKGROUND is not destroyed. Exit destroys LLVM's own objects, and a compilation
 * crashes then. The library registers no handler of its own, unless an engine's option
 * quiesce_at_exit asks for it. A handler of the host's (atexit) may call this, if it was registered
 * after the first kernel was compiled. From then on compiling fails with CODEGEN_FAILED. Kernels
 * run, are saved and released as before. It waits for compilations that are under way, but not for
 * one that calls it by an allocator hook. Thread-safe, and may be called again. */
TOSAJIT_API void tosajit_quiesce(void);

/* What an engine's kernels take, and what it has done since it was created. */
typedef struct tosajit_stats {
    size_t size;            /* sizeof(tosajit_stats), set by the caller */
    size_t kernels;         /* that live now */
    size_t code_bytes;      /* of the pages with their machine code and its constants, now */
    size_t structure_bytes; /* of their plans, programs, constants and cache entries, now: as asked
                               for from the allocator */
    size_t compilations;    /* kernels for which code was generated */
    size_t hits;            /* compile calls that found a living kernel */
    size_t joined;   /* compile calls that waited for another thread to make the same kernel */
    size_t refused;  /* kernels that max_bytes refused; also their own code alone, if it was that,
                        and they go on with code of single ops or interpreted */
    size_t restored; /* kernels whose code came from the cache directory or an image */
    size_t precompiled; /* kernels that were given code of single ops */
} tosajit_stats;

/* Fill in *stats; the numbers are exact while no other thread compiles or releases. Thread-safe.
 * INVALID_ARGUMENT. */
TOSAJIT_API tosajit_status tosajit_engine_stats(tosajit_engine *engine, tosajit_stats *stats);

/* Compile an expression into a kernel, and give the caller a reference to it. The same expression,
 * compiled again while its kernel lives, is the same kernel: the same ops, attributes, types,
 * constants and options. Threads that ask for it at the same time get one kernel, compiled once.
 * The expression may be destroyed afterwards.
 *
 * Hundreds of functions, or thousands of other ops, may be too large for code of their own. They
 * are too long, or have too many values at once; that depends on the CPU. Then code of single ops
 * computes the expression, in the same bits, with every backend. The interpreter does where some
 * thousand values live at once. tosajit_kernel_describe tells who computes. SHAPE_MISMATCH,
 * UNRANKED_SHAPE, INVALID_ARGUMENT, LIMIT_EXCEEDED (max_bytes), OVERFLOW, OUT_OF_MEMORY,
 * NOT_EXECUTABLE, CODEGEN_FAILED. */
TOSAJIT_API tosajit_status tosajit_compile_expr(tosajit_engine *engine, const tosajit_expr *expr,
                                                tosajit_kernel **kernel);

/* The same for an expression that comes with code: size bytes at image, of any alignment. An image
 * of an equal expression is meant, by tosajit_compile_image or tosajit_kernel_save; nothing of it
 * is kept. Code for the engine's CPU is used, and nothing is compiled. An image that cannot be used
 * is no failure: the kernel gets its code as tosajit_compile_expr gives it. Then *refused says why,
 * as does tosajit_last_error(); otherwise it is OK. It may be null. BAD_IMAGE: the bytes are
 * damaged, of another version or of another expression. NOT_EXECUTABLE: there is no code for this
 * CPU, or the engine runs none. LIMIT_EXCEEDED, OUT_OF_MEMORY. An image is code; take it from
 * people you trust. Statuses as of tosajit_compile_expr. Thread-safe. (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_compile_with_image(tosajit_engine *engine,
                                                      const tosajit_expr *expr, const void *image,
                                                      size_t size, tosajit_kernel **kernel,
                                                      tosajit_status *refused);

/* Compile `count` expressions at once, which costs less than one at a time. They share what LLVM
 * sets up. An engine with threads, or the host's, compiles on all of them. kernels receives a
 * kernel for each, [count], as tosajit_compile_expr would give it. Each has a reference of its own,
 * which returns its own code's memory. Equal expressions are one kernel. One that fails loses the
 * others nothing: its kernel is null. statuses, if not null, receives how each went, [count].
 * Returns OK if all went well, else the status of the first that failed, of which
 * tosajit_last_error() tells with its position. No expression may be changed meanwhile.
 * Thread-safe: lists that have expressions in common, in any order, compile each once. A task of
 * the host's own pool should not compile what a list on that pool is compiling. Statuses as of
 * tosajit_compile_expr; OUT_OF_MEMORY for all if there is none for the list. */
TOSAJIT_API tosajit_status tosajit_compile_many(tosajit_engine *engine,
                                                const tosajit_expr *const *exprs, size_t count,
                                                tosajit_kernel **kernels, tosajit_status *statuses);

/* Compile one op; an expression with one node. Arguments as tosajit_expr_op. */
TOSAJIT_API tosajit_status tosajit_compile(tosajit_engine *engine, tosajit_op op,
                                           const tosajit_tensor_type *operands,
                                           size_t operand_count,
                                           const tosajit_attributes *attributes,
                                           const tosajit_tensor_type *result,
                                           tosajit_kernel **kernel);

/* One more reference. */
TOSAJIT_API void tosajit_kernel_retain(tosajit_kernel *kernel);
/* Give up one reference; the last one returns the code's memory. Null is allowed. */
TOSAJIT_API void tosajit_kernel_release(tosajit_kernel *kernel);

/* Wait until a BACKGROUND kernel runs natively, or is known to be too large for that; the status of
 * its compilation, NOT_EXECUTABLE if its engine was destroyed before. Where the system gives the
 * engine no thread, this compiles the kernel. OK for others, at once. */
TOSAJIT_API tosajit_status tosajit_kernel_wait(tosajit_kernel *kernel);
/* Nonzero if runs use native code now. */
TOSAJIT_API int tosajit_kernel_is_native(const tosajit_kernel *kernel);

/* Compute all results. operands and results are in the order of tosajit_expr_input and
 * tosajit_expr_result. The caller owns the results' memory; tosajit_kernel_result_dims tells its
 * shape. A result may be exactly an operand, with the same data, strides, element size and sizes:
 * that is in place. It is refused where a result of other sizes, computed later, still reads that
 * operand. So is any other shared byte, and whatever strides do not tell apart. Code allocates
 * nothing, but where the parts of a kernel with reductions need more than 16 KiB of a block. The
 * interpreter does for expressions of more than 512 nodes, and for several parts. On failure
 * nothing has been written. Needs 192 KiB of stack at most, and mostly less than 64;
 * docs/engine-authors.md has a table. Thread-safe. SHAPE_MISMATCH, TYPE_MISMATCH, OVERLAP,
 * OVERFLOW, INVALID_ARGUMENT; OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_run(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                       size_t operand_count, const tosajit_tensor *results,
                                       size_t result_count);

/* The same on these threads instead of the engine's: for hosts whose pool comes with each call.
 * parallel is not kept; null, or without parallel_for: the caller's thread alone. */
TOSAJIT_API tosajit_status tosajit_run_parallel(const tosajit_kernel *kernel,
                                                const tosajit_tensor *operands,
                                                size_t operand_count, const tosajit_tensor *results,
                                                size_t result_count,
                                                const tosajit_parallel *parallel);

/* The same computed by the interpreter, whatever the backend. */
TOSAJIT_API tosajit_status tosajit_run_interpreted(const tosajit_kernel *kernel,
                                                   const tosajit_tensor *operands,
                                                   size_t operand_count,
                                                   const tosajit_tensor *results,
                                                   size_t result_count);

/* A call with fixed types, sizes and strides. It was checked once, and runs with other pointers as
 * often as it is asked to. */
typedef struct tosajit_bound tosajit_bound;

/* Check a call of tosajit_run, but for memory: the tensors' data is not looked at and may be null.
 * Types, sizes and strides are copied, and the kernel is held until the call is released; what that
 * takes comes from the kernel's allocator. A BACKGROUND kernel may be bound before it has its code.
 * Thread-safe. SHAPE_MISMATCH, TYPE_MISMATCH, OVERLAP (of a result with itself), OVERFLOW,
 * INVALID_ARGUMENT, OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_bind(tosajit_kernel *kernel, const tosajit_tensor *operands,
                                        size_t operand_count, const tosajit_tensor *results,
                                        size_t result_count, tosajit_bound **bound);

/* tosajit_run of that call on this memory: data[k] is where element 0 of operand k lies, and
 * data[operand_count + r] that of result r. Shared memory is found as by tosajit_run, and nothing
 * else is left to check: 16 elements take a few nanoseconds more than a loop. Some calls take as
 * long as tosajit_run: those of more than 8 tensors or 6 parts, or of tensors that run backwards.
 * So do parts that read each other's results and do not fit into one block. On failure nothing has
 * been written. Needs as much stack as tosajit_run. Thread-safe: any number of threads may run one
 * bound call at once, each with results of its own. OVERLAP, INVALID_ARGUMENT (a null pointer);
 * OUT_OF_MEMORY, as of tosajit_run. */
TOSAJIT_API tosajit_status tosajit_bound_run(const tosajit_bound *bound, void *const *data);

/* Release it, and its hold on the kernel; no run may be under way. Null is allowed. */
TOSAJIT_API void tosajit_bound_release(tosajit_bound *bound);

/* The sizes of all results for operands of these shapes, whose data may be null. results[r] becomes
 * a dense tensor without memory, whose sizes are in dims[r]. Both have result_count elements. A
 * host sets results[r].data and can run. SHAPE_MISMATCH if the operands do not broadcast;
 * TYPE_MISMATCH, OVERFLOW, INVALID_ARGUMENT. After these, do not read either. Thread-safe. */
TOSAJIT_API tosajit_status tosajit_kernel_results(const tosajit_kernel *kernel,
                                                  const tosajit_tensor *operands,
                                                  size_t operand_count, tosajit_tensor *results,
                                                  size_t result_count,
                                                  int64_t (*dims)[TOSAJIT_MAX_RANK]);

/* The sizes that result `index` has for operands of these shapes (data may be null). dims has room
 * for TOSAJIT_MAX_RANK; rank may be null. SHAPE_MISMATCH if the operands do not broadcast. */
TOSAJIT_API tosajit_status tosajit_kernel_result_dims(const tosajit_kernel *kernel,
                                                      const tosajit_tensor *operands,
                                                      size_t operand_count, size_t index,
                                                      int32_t *rank, int64_t *dims);

TOSAJIT_API size_t tosajit_kernel_operand_count(const tosajit_kernel *kernel);
TOSAJIT_API size_t tosajit_kernel_result_count(const tosajit_kernel *kernel);
/* Type of operand or result `index`; it must be in range. */
TOSAJIT_API tosajit_tensor_type tosajit_kernel_operand_type(const tosajit_kernel *kernel,
                                                            size_t index);
TOSAJIT_API tosajit_tensor_type tosajit_kernel_result_type(const tosajit_kernel *kernel,
                                                           size_t index);
/* Name of operand or result `index` (tosajit_expr_name), which lives as long as the kernel; null
 * where there is none. */
TOSAJIT_API const char *tosajit_kernel_operand_name(const tosajit_kernel *kernel, size_t index);
TOSAJIT_API const char *tosajit_kernel_result_name(const tosajit_kernel *kernel, size_t index);

/* ---------------------------------------------------------------------------------------------
 * Kernel images: kernels as bytes, for other processes. Loading one takes microseconds and no
 * compiler; the library tosajit-runtime, which knows no LLVM, has all of this section. An image
 * holds machine code: take it from nobody from whom you would not take a shared library. Its
 * checks, however, are those of a fresh kernel, and damage is found before anything runs. */

/* Write the image of a native kernel to `image`, which has room for capacity bytes; *size receives
 * how many it takes. With a null image nothing else happens. The image of a kernel that is too
 * large for code of its own says so. Whoever loads it computes as whoever made it does. With
 * libtosajit-runtime, which has no code of single ops, the interpreter computes it. LIMIT_EXCEEDED
 * if there is too little room, OUT_OF_MEMORY, INVALID_ARGUMENT. NOT_EXECUTABLE if the kernel has no
 * code for another reason. For one that compiles in the background see tosajit_kernel_wait. */
TOSAJIT_API tosajit_status tosajit_kernel_save(const tosajit_kernel *kernel, void *image,
                                               size_t capacity, size_t *size);
/* The same to a file, which is whole or, on failure, as it was before. INVALID_ARGUMENT says what
 * the system refused; a device or pipe is refused, too. */
TOSAJIT_API tosajit_status tosajit_kernel_save_file(const tosajit_kernel *kernel, const char *path);

/* Compile an expression into an image with code from each of the engines: one engine per CPU, all
 * of one architecture. They are of one accuracy, so the bits are the same wherever it is loaded.
 * Engines of TOSAJIT_BACKEND_CROSS may be for CPUs that this machine is not. Whoever loads the
 * image gets the best code that his CPU can run. *image is released with tosajit_text_release.
 * INVALID_ARGUMENT; LIMIT_EXCEEDED for more than 16 engines; NOT_EXECUTABLE for an engine that
 * interprets; what tosajit_compile_expr gives. (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_compile_image(tosajit_engine *const *engines,
                                                 size_t engine_count, const tosajit_expr *expr,
                                                 char **image, size_t *size);

/* How an image is loaded. */
typedef struct tosajit_load_options {
    size_t size;                        /* sizeof(tosajit_load_options) */
    const tosajit_allocator *allocator; /* copied; null: malloc and free */
    tosajit_backend backend; /* AUTO: native code; where the host refuses executable memory,
                                precompiled ops (libtosajit) or the interpreter; NATIVE: or an
                                error; INTERPRET: the image's code is not used */
    const tosajit_parallel *parallel; /* threads for long runs; copied; null: none */
    size_t any_strides;               /* as in tosajit_engine_options */
} tosajit_load_options;

/* A kernel from the size bytes at image, of any alignment, of which nothing is kept. options may be
 * null. BAD_IMAGE for bytes that are no image of this version or damaged; NOT_EXECUTABLE if its
 * code needs what this CPU lacks, which the message lists; OUT_OF_MEMORY, INVALID_ARGUMENT. */
TOSAJIT_API tosajit_status tosajit_kernel_load(const void *image, size_t size,
                                               const tosajit_load_options *options,
                                               tosajit_kernel **kernel);
/* The same from a file. INVALID_ARGUMENT says why it cannot be read. */
TOSAJIT_API tosajit_status tosajit_kernel_load_file(const char *path,
                                                    const tosajit_load_options *options,
                                                    tosajit_kernel **kernel);

/* Ahead of time: `tosajit compile` writes a relocatable object with the code of functions for one
 * or several CPUs. It also writes a header, in which each function has a typed entry and one of
 * these. A program that links them needs tosajit-runtime and nothing else; code runs where the
 * program's own does. */
typedef struct tosajit_aot {
    size_t size;       /* sizeof(tosajit_aot) */
    const void *image; /* the function without its code */
    size_t image_size; /* bytes */
    const void *code;  /* of all functions of the object */
    size_t code_size;  /* bytes */
    void *kernel;      /* of the first call; the library's */
} tosajit_aot;

/* The kernel of a compiled function, with the best code that this CPU can run. It is made at the
 * first call and kept until the process ends, so it must not be released. Thread-safe.
 * NOT_EXECUTABLE if there is no code for this CPU; BAD_IMAGE if the object was made by a version
 * that does not fit this library; OUT_OF_MEMORY, INVALID_ARGUMENT. */
TOSAJIT_API tosajit_status tosajit_aot_kernel(tosajit_aot *aot, tosajit_kernel **kernel);
/* tosajit_run of that kernel. */
TOSAJIT_API tosajit_status tosajit_aot_run(tosajit_aot *aot, const tosajit_tensor *operands,
                                           size_t operand_count, const tosajit_tensor *results,
                                           size_t result_count);

/* A function to be compiled ahead of time. Zero-initialise. */
typedef struct tosajit_function {
    const char *name;         /* of its tosajit_aot in the object: a C identifier */
    const tosajit_expr *expr; /* what it computes; not owned */
    const void *reserved[2];  /* null; for options of later versions */
} tosajit_function;

/* Compile functions into a relocatable ELF object, with code from each of the engines. There is one
 * engine per CPU, all of one architecture and of one accuracy. Engines of TOSAJIT_BACKEND_CROSS may
 * be for CPUs that this machine is not. *object is released with tosajit_text_release.
 * INVALID_ARGUMENT; NOT_EXECUTABLE for an engine that interprets; what tosajit_compile_expr gives.
 * (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_compile_object(tosajit_engine *const *engines,
                                                  size_t engine_count,
                                                  const tosajit_function *functions,
                                                  size_t function_count, char **object,
                                                  size_t *size);

/* ---------------------------------------------------------------------------------------------
 * Looking inside */

typedef enum tosajit_view {
    TOSAJIT_VIEW_PLAN,   /* indexing maps, run-time decisions, iteration space, loop variants */
    TOSAJIT_VIEW_IR,     /* LLVM IR after the passes */
    TOSAJIT_VIEW_ASM,    /* assembly */
    TOSAJIT_VIEW_JSON,   /* the plan for programs: docs/json.md */
    TOSAJIT_VIEW_NEST,   /* the loops of the engine's code: for which rows, in which steps */
    TOSAJIT_VIEW_PASSES, /* the program behind each pass that changed it: docs/passes.md */
} tosajit_view;

/* A text about the expression as this engine would compile it. *text is terminated and released
 * with tosajit_text_release. IR and assembly need a backend that compiles. INVALID_ARGUMENT,
 * OUT_OF_MEMORY, NOT_EXECUTABLE, CODEGEN_FAILED and what tosajit_expr_verify gives. */
TOSAJIT_API tosajit_status tosajit_print(tosajit_engine *engine, const tosajit_expr *expr,
                                         tosajit_view view, char **text);
TOSAJIT_API void tosajit_text_release(char *text);

/* The code of a kernel without the checks. It walks a tile of planes x rows x cols elements of n
 * tensors. In a plane, element (r, c) of tensor t lies at p + r * strides[2t] + c * strides[2t +
 * 1]. In the first plane p is pointers[t]; from a plane to the next it grows by rows * strides[2t]
 * + strides[2n + t]. Strides are in bytes. Those of planes, from strides[2n] on, are not read if
 * there is one plane; code without tosajit_raw.has_planes walks no more. A column stride is the
 * element size (contiguous) or 0 (a splat: one value for the whole row), and results are
 * contiguous. cols is a multiple of tosajit_raw.cols_multiple. The variants list which of these
 * combinations the code has; another combination computes garbage. context is tosajit_raw.context.
 * It runs in the caller's floating-point settings, and expects those that programs start with. */
typedef void (*tosajit_entry)(const void *context, void *const *pointers, const int64_t *strides,
                              int64_t planes, int64_t rows, int64_t cols);

/* A loop of the kernel. Bit t of `splat` says that tensor t is a splat in it, bit t of `either`
 * that it may be both. */
typedef struct tosajit_variant {
    uint64_t splat, either; /* one bit per tensor */
} tosajit_variant;

/* The code of a part and what it expects. */
typedef struct tosajit_raw {
    size_t size;         /* sizeof(tosajit_raw), set by the caller */
    tosajit_entry entry; /* the code */
    const void *context; /* its first argument, owned by the kernel; may be null */
    int32_t operand_count, constant_count, result_count; /* tensors t, in this order */
    int64_t cols_multiple; /* a power of two; above 1 where static sizes or contracts allow code
                              without a tail */
    uint64_t tables;       /* bit t: operand t is a table, whose column stride is that between its
                              elements, in every variant */
    const int32_t *operand_index; /* which operand of the kernel, [operand_count] */
    const void *const *constants; /* the pointer to pass, owned by the kernel, [constant_count] */
    const int32_t *result_index;  /* which result of the kernel, [result_count] */
    int32_t variant_count;        /* at least 1 */
    const tosajit_variant *variants; /* the first that matches runs */
    int has_planes;                  /* the code walks more than one plane */
} tosajit_raw;

/* Results of one iteration space are computed together, as one part; most kernels have one. */
TOSAJIT_API size_t tosajit_kernel_part_count(const tosajit_kernel *kernel);
/* The code of a part; valid while the kernel is held. NOT_EXECUTABLE if the kernel is interpreted.
 */
TOSAJIT_API tosajit_status tosajit_kernel_raw(const tosajit_kernel *kernel, size_t part,
                                              tosajit_raw *raw);

/* How code ends a row that is no multiple of its vectors. */
typedef enum tosajit_tail {
    TOSAJIT_TAIL_NONE,    /* there is none: every row is whole vectors, by its static size or its
                             contract */
    TOSAJIT_TAIL_MASKED,  /* one vector of which some lanes are neither read nor written */
    TOSAJIT_TAIL_OVERLAP, /* one vector that overlaps the one before; of a row that is shorter, two
                             narrower ones */
} tosajit_tail;

/* What a run on tensors of these types, sizes and strides does. Found by running everything but the
 * code itself, so it is what tosajit_run does. Of several parts, rank to columns are those of the
 * largest. */
typedef struct tosajit_explanation {
    size_t size;        /* sizeof(tosajit_explanation), set by the caller */
    int native, cached; /* code runs, not the interpreter; when the call comes again, the complete
                          check is spared */
    size_t threads, pieces; /* that compute it; into which it is divided, 1 if it is not */
    double elements, bytes; /* of all parts; read or written, each byte once */
    double nanoseconds; /* by the library's cost model, on these threads; a guess of the order of
                           magnitude */
    int32_t rank;       /* of the walk after coalescing */
    int64_t sizes[TOSAJIT_MAX_RANK]; /* of its dimensions, the first `rank` count */
    int64_t planes, rows, columns;   /* of the first tile that the code is given; columns is the
                                        length of its inner loop */
    int32_t variant;                 /* of tosajit_raw.variants */
    uint64_t splat, packed; /* bit t: tensor t of tosajit_raw is one value per row; is copied
                               through a buffer, because it lies otherwise */
    int32_t lanes;          /* of a vector in the loops; 0 without code */
    tosajit_tail tail;      /* that the code has */
    int64_t tail_columns;   /* of the first tile, left to the tail */
} tosajit_explanation;

/* Explain a run before it: data pointers are not looked at and may be null. results may be null for
 * dense ones. explanation may be null; *text, if text is not null, receives sentences, for
 * tosajit_text_release. Thread-safe. What tosajit_run refuses is refused here, too, but for
 * overlap; OUT_OF_MEMORY. (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_explain(const tosajit_kernel *kernel,
                                           const tosajit_tensor *operands, size_t operand_count,
                                           const tosajit_tensor *results, size_t result_count,
                                           tosajit_explanation *explanation, char **text);

/* All 0 but `backend` while the kernel is not compiled. */
typedef struct tosajit_kernel_info {
    size_t size;       /* sizeof(tosajit_kernel_info), set by the caller */
    size_t code_bytes; /* of machine code and its constants */
    double emit_ms, passes_ms, codegen_ms, link_ms; /* what compiling took */
    tosajit_backend backend; /* who computes now: NATIVE, PRECOMPILED or INTERPRET */
} tosajit_kernel_info;
TOSAJIT_API tosajit_status tosajit_kernel_describe(const tosajit_kernel *kernel,
                                                   tosajit_kernel_info *info);

#ifdef __cplusplus
}
#endif
#endif

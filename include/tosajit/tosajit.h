/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit: TOSA operations on tensors, compiled into SIMD kernels while your program runs.
 * Elementwise operations, reductions and views become one kernel, with the bits of each alone.
 *
 * A kernel from a text (docs/language.md), for any number of rows.
 *
 *     const char *text = "y = a * sigmoid(a + b) : f32[?,3], f32[1,3]";
 *     tosajit_engine *engine;    tosajit_expr *expr;    tosajit_kernel *kernel;
 *     tosajit_engine_create(NULL, &engine);
 *     tosajit_expr_parse(text, strlen(text), NULL, &expr);
 *     tosajit_compile_expr(engine, expr, &kernel);
 *
 *     float a[4][3], b[1][3], y[4][3];
 *     const int64_t four_by_3[2] = {4, 3}, one_by_3[2] = {1, 3};
 *     tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 2, four_by_3),
 *                                   tosajit_dense(TOSAJIT_F32, b, 2, one_by_3)};
 *     tosajit_tensor result = tosajit_dense(TOSAJIT_F32, y, 2, four_by_3);
 *     if (tosajit_run(kernel, operands, 2, &result, 1) != TOSAJIT_OK) puts(tosajit_last_error());
 *
 *     tosajit_kernel_release(kernel);
 *     tosajit_expr_destroy(expr);
 *     tosajit_engine_destroy(engine);
 *
 * An expression from calls, with a view and a reduction: of x, tensor<?x8xf32>, each row but the
 * first one, divided by its sum. Compile it as above; the kernel needs no expression to run.
 *
 *     const int64_t any_by_8[2] = {TOSAJIT_DYNAMIC, 8};
 *     const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 2, any_by_8);
 *     const tosajit_range ranges[2] = {{1, TOSAJIT_OPEN, 1}, TOSAJIT_ALL}; // x[1:, :]
 *     tosajit_value x, rest, sums, y;
 *     tosajit_expr_create(NULL, &expr);
 *     tosajit_expr_input(expr, &type, &x);
 *     tosajit_expr_slice(expr, x, 2, ranges, &rest);
 *     tosajit_expr_reduce(expr, TOSAJIT_OP_reduce_sum, rest, 1, 1, &sums); // axis 1 alone: ?x1
 *     tosajit_expr_op(expr, TOSAJIT_OP_divide, (tosajit_value[]){rest, sums}, 2, NULL, NULL, &y);
 *     tosajit_expr_result(expr, y);
 *
 * Link with -ltosajit. Beside this header: tosajit/image.h (kernels in files, and ahead of time);
 * tosajit/inspect.h (facts about ops and kernels); tosajit/graph.h (for engines that run
 * models); tosajit/mlir.h (TOSA files). tosajit/tosajit.hpp has all but the last for C++.
 *
 * Shapes. A dimension is a static size or TOSAJIT_DYNAMIC, decided when the kernel is called.
 * Operands of elementwise ops broadcast: sizes of a dimension are equal or 1. The lower rank is
 * padded with 1 on the left, unless the expression is strict. Size 0 is legal when called.
 *
 * Errors. Every function that can fail returns a tosajit_status, and tosajit_last_error() a
 * sentence. A call that fails writes no result and changes no object. No data makes a kernel trap.
 * INVALID_ARGUMENT (null pointers, values of no expression) and OUT_OF_MEMORY are not listed below.
 *
 * Threads. Engines and kernels may be used from any number of threads at once. An expression
 * belongs to one thread at a time. The last error is per thread.
 *
 * Floating point. A thread may round in any direction, flush subnormals or unmask exceptions. No
 * result depends on it, and every call leaves it as it was. A run may raise flags of exceptions.
 *
 * Source of the meaning of every op: TOSA 1.1 and docs/semantics.md. */
#ifndef TOSAJIT_TOSAJIT_H
#define TOSAJIT_TOSAJIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(TOSAJIT_EXPORTS) /* in the library's own build */
#define TOSAJIT_API __declspec(dllexport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define TOSAJIT_API __attribute__((visibility("default")))
#else
#define TOSAJIT_API
#endif
#define TOSAJIT_VERSION_MAJOR 0
#define TOSAJIT_VERSION_MINOR 1
#define TOSAJIT_VERSION_PATCH 0

/* Limits. */
#define TOSAJIT_MAX_RANK 16     /* dimensions of a tensor */
#define TOSAJIT_MAX_ARITY 3     /* operands of one op that are broadcast against each other */
#define TOSAJIT_MAX_OPERANDS 5  /* operands of one op, parameters included */
#define TOSAJIT_MAX_TENSORS 64  /* inputs, constants of several values, and results together */
#define TOSAJIT_MAX_NODES 65536 /* inputs, constants and ops of one expression together */

#define TOSAJIT_DYNAMIC INT64_MIN /* a size that is known when the kernel is called: `?` */
#define TOSAJIT_UNRANKED (-1)     /* rank of `tensor<*xT>` */

typedef enum tosajit_status {
    TOSAJIT_OK = 0,
    TOSAJIT_INVALID_ARGUMENT, /* a null pointer, an unknown enum value, a foreign operand */
    TOSAJIT_TYPE_MISMATCH,    /* the op is not defined for these element types */
    TOSAJIT_SHAPE_MISMATCH,   /* sizes that do not broadcast; sizes or ranks not as declared */
    TOSAJIT_UNRANKED_SHAPE,   /* a shape without a rank where a kernel needs one */
    TOSAJIT_BAD_ATTRIBUTE,    /* an attribute outside its legal range */
    TOSAJIT_OVERLAP,          /* a result shares memory in another way than exactly in place */
    TOSAJIT_OVERFLOW,         /* a number of elements or bytes beyond 2^63 - 1 */
    TOSAJIT_LIMIT_EXCEEDED,   /* more than TOSAJIT_MAX_*, or than max_bytes of an engine */
    TOSAJIT_OUT_OF_MEMORY,
    TOSAJIT_NOT_EXECUTABLE,     /* no executable memory or code, and a native kernel is asked for */
    TOSAJIT_CODEGEN_FAILED,     /* LLVM refused; a defect of this library or an unusable target */
    TOSAJIT_BAD_IMAGE,          /* no kernel image, a damaged one, or another version's */
    TOSAJIT_BAD_MODULE,         /* no TOSA file, or a function that cannot be taken (mlir.h) */
    TOSAJIT_INDEX_OUT_OF_RANGE, /* an index of gather or scatter is outside, or again there */
} tosajit_status;

TOSAJIT_API const char *tosajit_status_name(tosajit_status status); /* "TOSAJIT_OK"; never null */
/* The reason of the last failed call of this thread: one sentence that names op, operand,
 * dimension and sizes. Valid until the thread's next failing call; empty if none has failed. */
TOSAJIT_API const char *tosajit_last_error(void);
TOSAJIT_API const char *tosajit_version(void); /* "0.1.0" */

/* ---- Types */
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
    TOSAJIT_U64,
    TOSAJIT_TYPE_COUNT
} tosajit_type;

TOSAJIT_API const char *tosajit_type_name(tosajit_type type); /* "f32"; null: no type */
/* Bytes that one element takes in memory; 0 for a value that is no type. */
TOSAJIT_API size_t tosajit_type_size(tosajit_type type);
/* Element type and shape; dimension 0 is the outermost. */
typedef struct tosajit_tensor_type {
    tosajit_type element;           /* of every element */
    int32_t rank;                   /* 0..TOSAJIT_MAX_RANK or TOSAJIT_UNRANKED */
    int64_t dims[TOSAJIT_MAX_RANK]; /* the first `rank`: a size from 1, or TOSAJIT_DYNAMIC */
} tosajit_tensor_type;

/* A ranked type. A rank beyond TOSAJIT_MAX_RANK is kept, for every function to refuse. */
static inline tosajit_tensor_type tosajit_ranked(tosajit_type element, int32_t rank,
                                                 const int64_t *dims) {
    tosajit_tensor_type t = {element, rank, {0}};
    for (int32_t d = 0; d < rank && d < TOSAJIT_MAX_RANK; d++) t.dims[d] = dims[d];
    return t;
}

/* A tensor in memory. It owns nothing. strides[d] is the distance in BYTES, not elements, from one
 * index of dimension d to the next. It may be negative, and 0 for operands that repeat. The
 * transpose of a dense 4x3 matrix of f32 has dims {3, 4} and strides {4, 12}. */
typedef struct tosajit_tensor {
    tosajit_type element;   /* of every element */
    int32_t rank;           /* 0..TOSAJIT_MAX_RANK */
    void *data;             /* the element whose indices are all 0; any alignment */
    const int64_t *dims;    /* sizes, [rank] */
    const int64_t *strides; /* in bytes, [rank]; null: dense, the last dimension contiguous */
} tosajit_tensor;

static inline tosajit_tensor tosajit_dense(tosajit_type element, void *data, int32_t rank,
                                           const int64_t *dims) {
    tosajit_tensor t = {element, rank, data, dims, NULL};
    return t;
}

/* Hooks for every allocation that this library makes for its own objects, but not LLVM's. Both must
 * be set, and thread-safe if the objects are used by several threads. */
typedef struct tosajit_allocator {
    void *(*allocate)(void *context, size_t size);             /* aligned for any object, or null */
    void (*release)(void *context, void *memory, size_t size); /* of that size */
    void *context;                                             /* for both */
} tosajit_allocator;
TOSAJIT_API void tosajit_text_release(char *text); /* that the library gave; null is allowed */

/* ---- Operations. tosajit/ops.def lists them with their formulas; inspect.h asks about them. */
typedef enum tosajit_op {
#define TOSAJIT_OP(name, ...) TOSAJIT_OP_##name,
#define TOSAJIT_VIEW_OP(name, ...) TOSAJIT_OP_##name,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
    TOSAJIT_OP_COUNT
} tosajit_op;

typedef enum tosajit_nan_mode {
    TOSAJIT_NAN_PROPAGATE, /* a NaN operand makes the result NaN */
    TOSAJIT_NAN_IGNORE     /* the operand that is a number wins */
} tosajit_nan_mode;
typedef enum tosajit_rounding_mode {
    TOSAJIT_SINGLE_ROUND,  /* nearest, halves upward */
    TOSAJIT_INEXACT_ROUND, /* TOSA leaves room; computed as SINGLE_ROUND */
    TOSAJIT_DOUBLE_ROUND   /* shifts above 31: as if rounded at bit 30 first; needs scale32 */
} tosajit_rounding_mode;
/* Which indices of n elements gather and scatter take. Others are an error before any write. */
typedef enum tosajit_index_mode {
    TOSAJIT_INDEX_STRICT, /* 0 to n - 1 */
    TOSAJIT_INDEX_SIGNED, /* -n to n - 1: negative ones count from the end */
    TOSAJIT_INDEX_CLIP,   /* any: those below 0 are 0, and those from n are n - 1 */
    TOSAJIT_INDEX_WRAP    /* any, modulo n */
} tosajit_index_mode;
/* A value of an element type. */
typedef union tosajit_scalar {
    int64_t i; /* of integers, sign-extended, and of i1; of u64 its bits: (int64_t)UINT64_MAX */
    double f;  /* of floating point; an f32 attribute is the double of a float: 0.1f, not 0.1 */
} tosajit_scalar;

/* Attributes of one op. Zero-initialise, and set the op's own members: all others must be 0. A null
 * pointer stands for all zero; clamp then gives 0. */
typedef struct tosajit_attributes {
    tosajit_scalar min_val, max_val; /* clamp; of the element type, min_val <= max_val, no NaN */
    tosajit_nan_mode nan_mode;       /* clamp, maximum, minimum, reduce_max, argmax, ... */
    int32_t shift;                   /* mul without parameter; 0..63 for i32, else 0 */
    int64_t input_zp, output_zp;     /* negate without parameters; an i8 for i8, else 0 */
    tosajit_rounding_mode rounding_mode; /* rescale */
    uint8_t round;                       /* arithmetic_right_shift */
    uint8_t input_unsigned;  /* cast from wider integers than i1; rescale from i8, i16 to those */
    uint8_t output_unsigned; /* rescale from i8 or i16 to i8 or i16 */
    uint8_t scale32;         /* rescale: the multiplier is i32, else i16 */
    uint8_t per_channel;     /* rescale: a multiplier and shift per index of the last dimension */
    uint8_t exclusive, reverse; /* cumsum, ...: up to the one before; from the last one */
    int64_t axis;               /* reductions, argmax, cumsum, reverse, concat, ... */
    const int64_t *numbers; /* of other views: as tosajit_expr_reshape and the like fill it in */
    size_t number_count;    /* of these */
    int32_t joined;         /* reductions: dimensions behind axis that are reduced with it */
    tosajit_index_mode index_mode; /* gather, scatter, scatter_add, ... */
} tosajit_attributes;

/* ---- Expressions: inputs, constants and ops, front to back. Each call checks its node at once. */
typedef struct tosajit_expr tosajit_expr;
typedef int32_t tosajit_value; /* a node of one expression */

/* How exp, log, tanh, sigmoid, erf, sin, cos, pow, rsqrt and reciprocal are computed. */
typedef enum tosajit_accuracy {
    TOSAJIT_EXACT,        /* rounded correctly */
    TOSAJIT_REPRODUCIBLE, /* at most 1 ulp off, subnormals kept; the same bits on every CPU, too */
    TOSAJIT_CONTRACTED, /* and a product that one sum alone reads is rounded with it (semantics.md)
                         */
} tosajit_accuracy;

/* How an expression is read. Strict: TOSA's own rules. Ranks must be equal, extensions are refused,
 * and no result may be declared static where a dynamic size is inferred. */
typedef struct tosajit_expr_options {
    size_t size;                        /* sizeof(tosajit_expr_options) */
    const tosajit_allocator *allocator; /* copied; null: malloc and free */
    int strict;                         /* nonzero: as above */
    tosajit_accuracy accuracy;          /* the greater of this and the engine's holds */
} tosajit_expr_options;

/* An empty expression. options may be null. */
TOSAJIT_API tosajit_status tosajit_expr_create(const tosajit_expr_options *options,
                                               tosajit_expr **expr);
TOSAJIT_API void tosajit_expr_destroy(tosajit_expr *expr); /* null is allowed */

/* The next operand of the kernel, of this type. LIMIT_EXCEEDED, SHAPE_MISMATCH (a size below 1). */
TOSAJIT_API tosajit_status tosajit_expr_input(tosajit_expr *expr, const tosajit_tensor_type *type,
                                              tosajit_value *value);
/* A constant of a static type; data is dense and copied. A constant of equal elements becomes part
 * of the code. SHAPE_MISMATCH (a dynamic size), UNRANKED_SHAPE, LIMIT_EXCEEDED, OVERFLOW. */
TOSAJIT_API tosajit_status tosajit_expr_constant(tosajit_expr *expr,
                                                 const tosajit_tensor_type *type, const void *data,
                                                 tosajit_value *value);
/* An op on earlier values: its operands, then its parameters (tosajit_op_parameters, inspect.h). A
 * parameter has rank 1. If it is a constant it is checked, and becomes part of the code. attributes
 * may be null. result declares the type; null, or one of rank TOSAJIT_UNRANKED: the inferred one.
 * TYPE_MISMATCH, SHAPE_MISMATCH, BAD_ATTRIBUTE, LIMIT_EXCEEDED. */
TOSAJIT_API tosajit_status tosajit_expr_op(tosajit_expr *expr, tosajit_op op,
                                           const tosajit_value *operands, size_t operand_count,
                                           const tosajit_attributes *attributes,
                                           const tosajit_tensor_type *result, tosajit_value *value);

/* x as elements of another type. The functions from here on are short forms of tosajit_expr_op,
 * with its statuses. Lists are copied. */
TOSAJIT_API tosajit_status tosajit_expr_cast(tosajit_expr *expr, tosajit_value x,
                                             tosajit_type element, tosajit_value *value);
/* A reduction (TOSAJIT_OP_reduce_sum, ...) of `count` dimensions, axis (from 0) and those behind
 * it. Each becomes 1; tosajit_expr_reshape drops them. A scan (TOSAJIT_OP_cumsum) has one. For a
 * mode of NaN use tosajit_expr_op. Texts have softmax and norms as functions. */
TOSAJIT_API tosajit_status tosajit_expr_reduce(tosajit_expr *expr, tosajit_op op, tosajit_value x,
                                               int32_t axis, int32_t count, tosajit_value *value);

/* Views move elements and compute none, and stand anywhere among ops. What strides cannot say is
 * refused when it compiles: sums over a reshape of a transpose, for instance (docs/views.md). */
#define TOSAJIT_REST (-1)                      /* a size of a reshape: what is left; at most once */
#define TOSAJIT_SIZE_OF(d) (-2 - (int64_t)(d)) /* a size of a reshape: that of x's dimension d */
#define TOSAJIT_OPEN INT64_MIN /* a begin or end that Python would leave out: x[1:], x[::-1] */
/* clang-format off */
#define TOSAJIT_ALL {TOSAJIT_OPEN, TOSAJIT_OPEN, 1} /* the whole dimension: an initialiser */
/* clang-format on */
/* Of a dimension: the indices begin, begin + step, ... before end, as Python's begin:end:step. A
 * begin or end from -1 down counts from the end. A step below 0 goes backwards. Nothing is clipped:
 * a dimension that is too short is a SHAPE_MISMATCH, of a dynamic size in the call. */
typedef struct tosajit_range {
    int64_t begin, end, step; /* of the indices */
} tosajit_range;
/* How many elements are put before and behind a dimension. */
typedef struct tosajit_padding {
    int64_t before, behind; /* numbers of elements */
} tosajit_padding;
/* The elements in their order in these sizes, [rank]: numbers, TOSAJIT_REST, TOSAJIT_SIZE_OF. */
TOSAJIT_API tosajit_status tosajit_expr_reshape(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                                const int64_t *sizes, tosajit_value *value);
/* Dimension d of the result is dimension perms[d] of x, [rank]. */
TOSAJIT_API tosajit_status tosajit_expr_transpose(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                                  const int64_t *perms, tosajit_value *value);
/* Of each dimension of x a range, [rank]. A range like 1:5 has its size of a dynamic one, too. */
TOSAJIT_API tosajit_status tosajit_expr_slice(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                              const tosajit_range *ranges, tosajit_value *value);
/* The last index of dimension axis comes first. */
TOSAJIT_API tosajit_status tosajit_expr_reverse(tosajit_expr *expr, tosajit_value x, int32_t axis,
                                                tosajit_value *value);
/* x so often along each of its dimensions, [rank]. */
TOSAJIT_API tosajit_status tosajit_expr_tile(tosajit_expr *expr, tosajit_value x, int32_t rank,
                                             const int64_t *multiples, tosajit_value *value);
/* x, and behind it y along dimension axis. */
TOSAJIT_API tosajit_status tosajit_expr_concat(tosajit_expr *expr, tosajit_value x, tosajit_value y,
                                               int32_t axis, tosajit_value *value);
/* x amid copies of `element`, which has one element; padding of each dimension of x, [rank]. */
TOSAJIT_API tosajit_status tosajit_expr_pad(tosajit_expr *expr, tosajit_value x,
                                            tosajit_value element, int32_t rank,
                                            const tosajit_padding *padding, tosajit_value *value);

/* Make value the next result of the kernel, even more than once. LIMIT_EXCEEDED. */
TOSAJIT_API tosajit_status tosajit_expr_result(tosajit_expr *expr, tosajit_value value);
/* Name a value in messages, texts and images: a letter or _, then letters, digits, _, $ and dots,
 * 60 at most; copied. Null takes the name away. Other names make another kernel. */
TOSAJIT_API tosajit_status tosajit_expr_name(tosajit_expr *expr, tosajit_value value,
                                             const char *name);
/* The declared or inferred type of a value. */
TOSAJIT_API tosajit_status tosajit_expr_type(const tosajit_expr *expr, tosajit_value value,
                                             tosajit_tensor_type *type);

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
    const tosajit_named_type *types; /* of operands without one in the text, or sizes for its ? */
    size_t type_count;               /* of them */
    const char *name; /* what messages call the text, such as a file's name; null: nothing */
    size_t line;      /* the number of its first line in messages; 0: 1 */
    int drop_axes;    /* nonzero: reductions drop their dimensions, as NumPy's, unless keepdims */
} tosajit_parse_options;

/* A text, such as the one above, as an expression (docs/language.md). Names that no statement
 * defines are operands, in the order in which they come first. Values that no later statement uses
 * are results. options may be null. The message begins with the text's name, line and column, and
 * ends with the line and a caret. INVALID_ARGUMENT for a text that cannot be read, else as of the
 * function that refuses a node. (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_expr_parse(const char *text, size_t length,
                                              const tosajit_parse_options *options,
                                              tosajit_expr **expr);

/* ---- Engines and kernels */
typedef struct tosajit_engine tosajit_engine;
typedef struct tosajit_kernel tosajit_kernel;
typedef struct tosajit_bound tosajit_bound;       /* a call that is checked but for memory */
typedef struct tosajit_parallel tosajit_parallel; /* a host's thread pool (graph.h) */

typedef enum tosajit_backend {
    TOSAJIT_BACKEND_AUTO,        /* native code, else PRECOMPILED, else INTERPRET */
    TOSAJIT_BACKEND_NATIVE,      /* native code, or an error */
    TOSAJIT_BACKEND_INTERPRET,   /* the interpreter; LLVM is never started */
    TOSAJIT_BACKEND_BACKGROUND,  /* PRECOMPILED until a thread has compiled the kernel */
    TOSAJIT_BACKEND_CROSS,       /* code for any CPU, to look at; there are no kernels to run */
    TOSAJIT_BACKEND_PRECOMPILED, /* code of single ops that came with the library; no LLVM */
} tosajit_backend;

/* How an engine makes kernels. */
typedef struct tosajit_engine_options {
    size_t size;                        /* sizeof(tosajit_engine_options) */
    const tosajit_allocator *allocator; /* copied; null: malloc and free */
    tosajit_backend backend;            /* who computes */
    const char *cpu;                    /* null: this one; "v3", "znver4" (tosajit_cpu_name) */
    tosajit_accuracy accuracy;          /* of all kernels */
    int uncached;                       /* nonzero: every compilation makes a kernel of its own */
    size_t threads;                     /* of the engine's own for long runs; 0, 1: the caller's */
    const tosajit_parallel *parallel;   /* or the host's; copied; null: none */
    size_t max_bytes;                   /* of all living kernels, or LIMIT_EXCEEDED; 0: any */
    const char *cache_directory;        /* code is kept in files here; null: TOSAJIT_CACHE_DIR */
    uint64_t cache_bytes;               /* of these files; the oldest go first; 0: 256 MiB */
    size_t any_strides;     /* nonzero: strides may be no multiple of the element size */
    size_t quiesce_at_exit; /* nonzero: for plugins, exit calls tosajit_quiesce */
} tosajit_engine_options;

/* An engine compiles and owns the code of its kernels. options may be null. After fork see
 * docs/engine-authors.md. INVALID_ARGUMENT for a CPU that is unknown or not this machine's; for a
 * cache directory that others can write: its files are executed. */
TOSAJIT_API tosajit_status tosajit_engine_create(const tosajit_engine_options *options,
                                                 tosajit_engine **engine);
/* Drop the engine; kernels that are still held keep their share of it. A background compilation
 * that has begun is waited for. Null is allowed. */
TOSAJIT_API void tosajit_engine_destroy(tosajit_engine *engine);

/* Compile an expression into a kernel, and give the caller a reference to it. An equal expression,
 * compiled while its kernel lives, is the same kernel, also by threads at once. What is too large
 * for code of its own gets code of single ops, in the same bits. SHAPE_MISMATCH, UNRANKED_SHAPE,
 * LIMIT_EXCEEDED (max_bytes), OVERFLOW, NOT_EXECUTABLE, CODEGEN_FAILED. */
TOSAJIT_API tosajit_status tosajit_compile_expr(tosajit_engine *engine, const tosajit_expr *expr,
                                                tosajit_kernel **kernel);
/* Compile one op: an expression of one node. Arguments as of tosajit_expr_op and _input. */
TOSAJIT_API tosajit_status tosajit_compile(tosajit_engine *engine, tosajit_op op,
                                           const tosajit_tensor_type *operands,
                                           size_t operand_count,
                                           const tosajit_attributes *attributes,
                                           const tosajit_tensor_type *result,
                                           tosajit_kernel **kernel);
TOSAJIT_API void tosajit_kernel_retain(tosajit_kernel *kernel); /* one more reference */
/* Give up one reference; the last one returns the code's memory. Null is allowed. */
TOSAJIT_API void tosajit_kernel_release(tosajit_kernel *kernel);

/* ---- Running */
/* The sizes that result `index` has for operands of these shapes, whose data may be null. dims has
 * room for TOSAJIT_MAX_RANK; rank may be null. SHAPE_MISMATCH, TYPE_MISMATCH, OVERFLOW. */
TOSAJIT_API tosajit_status tosajit_kernel_result_dims(const tosajit_kernel *kernel,
                                                      const tosajit_tensor *operands,
                                                      size_t operand_count, size_t index,
                                                      int32_t *rank, int64_t *dims);

/* Compute all results, into the caller's memory. A result may be exactly an operand, with the same
 * data, strides and sizes: that is in place. Any other shared byte is refused, and in place, too,
 * where another result still reads that operand. Code allocates nothing, but for reductions with
 * more than 16 KiB in a block. On failure nothing has been written. Needs 192 KiB of stack at most,
 * and mostly less than 64 (docs/engine-authors.md). Thread-safe. SHAPE_MISMATCH, TYPE_MISMATCH,
 * OVERLAP, OVERFLOW, INDEX_OUT_OF_RANGE. */
TOSAJIT_API tosajit_status tosajit_run(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                       size_t operand_count, const tosajit_tensor *results,
                                       size_t result_count);

/* Check a call of tosajit_run, but for memory: the tensors' data may be null. Types, sizes and
 * strides are copied, and the kernel held. Statuses as of tosajit_run. Thread-safe. */
TOSAJIT_API tosajit_status tosajit_bind(tosajit_kernel *kernel, const tosajit_tensor *operands,
                                        size_t operand_count, const tosajit_tensor *results,
                                        size_t result_count, tosajit_bound **bound);
/* tosajit_run of that call on this memory: data[k] is the address of element 0 of operand k, and
 * data[operand_count + r] of result r. Only overlap is left to check. Thread-safe. */
TOSAJIT_API tosajit_status tosajit_bound_run(const tosajit_bound *bound, void *const *data);
/* Release it, and its hold on the kernel; no run may be under way. Null is allowed. */
TOSAJIT_API void tosajit_bound_release(tosajit_bound *bound);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit/inspect: operands of an op, parts of an expression, the plan and the work of a kernel,
 * and its code without the checks. For front ends, for tools, and for who wants to know why. Errors
 * and threads are as in tosajit.h. */
#ifndef TOSAJIT_INSPECT_H
#define TOSAJIT_INSPECT_H

#include "tosajit/tosajit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors */

/* The last failed call of a thread as values, for who acts on it. Members that do not apply are
 * TOSAJIT_OP_COUNT, -1, TOSAJIT_DYNAMIC for found and expected, and 0 for the others. */
typedef struct tosajit_failure {
    size_t size;             /* sizeof(tosajit_failure), by the caller */
    tosajit_status status;   /* of that call; OK if none has failed */
    tosajit_op op;           /* that was refused */
    int32_t operand, result; /* position among those of the op or, of a call, of the kernel */
    int32_t dimension;       /* of it, or of the value that is named; -1: of its rank, or all */
    int32_t system_error;    /* of a file: errno of what the system refused */
    int64_t found, expected; /* sizes of the dimension, or ranks */
    size_t line, column;     /* of a text: where, from 1 */
    const char *sentence;    /* what was wrong, within tosajit_last_error(): without that place */
    size_t sentence_length;  /* in bytes; no zero ends it */
} tosajit_failure;

/* INVALID_ARGUMENT: failure is null, which is no error of the thread, or its size is wrong. */
TOSAJIT_API tosajit_status tosajit_last_failure(tosajit_failure *failure);

/* ---- Operations and types */

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
/* True if op is defined for these operand element types, as many as its arity, and this result
 * element type. Extensions that a strict expression refuses count, too. */
TOSAJIT_API int tosajit_op_accepts(tosajit_op op, const tosajit_type *operands,
                                   tosajit_type result);

/* The type of that name; TOSAJIT_TYPE_COUNT if there is none. */
TOSAJIT_API tosajit_type tosajit_type_find(const char *name);

/* Write "tensor<?x3xf32>" into text (capacity bytes, always terminated); returns the length that
 * the whole text has. type must not be null. */
TOSAJIT_API size_t tosajit_type_print(const tosajit_tensor_type *type, char *text, size_t capacity);

/* ---- Expressions */

/* Write the expression as a function `name` of MLIR's TOSA dialect (null: "main"), in the generic
 * form of its ops. The command reads it back as the same expression. Contracts and accuracy are
 * attributes tosajit.contract and tosajit.accuracy, for which other readers must allow unregistered
 * dialects. *text is released with tosajit_text_release. INVALID_ARGUMENT for an expression without
 * a result and a name other than [A-Za-z_][A-Za-z0-9_$.]*; OUT_OF_MEMORY. */
TOSAJIT_API tosajit_status tosajit_expr_print(const tosajit_expr *expr, const char *name,
                                              char **text);

/* How many reductions an expression has, argmax and argmin among them; those that functions as
 * softmax are made of count each. 0 for null. */
TOSAJIT_API size_t tosajit_expr_reductions(const tosajit_expr *expr);

/* Checks that a kernel can be made: there is a result, every shape has a rank, no dimension can
 * never match. */
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

/* Checks that a result declared as `result` is compatible with the inferred shape. */
TOSAJIT_API tosajit_status tosajit_verify_result(const tosajit_tensor_type *inferred,
                                                 const tosajit_tensor_type *result, int strict);

/* The names of a text's operands, in order, without their types: for a caller that binds operands
 * by name, or gives types by name. *names has one name a line, and is released with
 * tosajit_text_release. INVALID_ARGUMENT for what cannot be read; OUT_OF_MEMORY.
 * (libtosajit only.) */
TOSAJIT_API tosajit_status tosajit_expr_operands(const char *text, size_t length, char **names);

/* ---- Engines */

/* The names of the CPUs that code can be made for, whatever this machine is. First come levels:
 * "x86-64-v2" is SSE4.2, "x86-64-v3" AVX2, "x86-64-v4" AVX-512, "aarch64" NEON. Then come models of
 * LLVM's, as "znver4" and "neoverse-n1". Null from the number of names on. */
TOSAJIT_API const char *tosajit_cpu_name(size_t index);

/* Memory that an engine's kernels take, and its work since it was created. */
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

/* ---- Kernels */

/* How many operands and results a kernel has. */
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

/* Nonzero if runs use native code now. */
TOSAJIT_API int tosajit_kernel_is_native(const tosajit_kernel *kernel);
/* All 0 but `backend` while the kernel is not compiled. */
typedef struct tosajit_kernel_info {
    size_t size;       /* sizeof(tosajit_kernel_info), set by the caller */
    size_t code_bytes; /* of machine code and its constants */
    double emit_ms, passes_ms, codegen_ms, link_ms; /* what compiling took */
    tosajit_backend backend; /* who computes now: NATIVE, PRECOMPILED or INTERPRET */
} tosajit_kernel_info;
TOSAJIT_API tosajit_status tosajit_kernel_describe(const tosajit_kernel *kernel,
                                                   tosajit_kernel_info *info);

/* tosajit_run computed by the interpreter, whatever the backend. */
TOSAJIT_API tosajit_status tosajit_run_interpreted(const tosajit_kernel *kernel,
                                                   const tosajit_tensor *operands,
                                                   size_t operand_count,
                                                   const tosajit_tensor *results,
                                                   size_t result_count);

/* How code ends a row that is no multiple of its vectors. */
typedef enum tosajit_tail {
    TOSAJIT_TAIL_NONE,    /* there is none: every row is whole vectors, by its static size or its
                             contract */
    TOSAJIT_TAIL_MASKED,  /* one vector of which some lanes are neither read nor written */
    TOSAJIT_TAIL_OVERLAP, /* one vector that overlaps the one before; of a row that is shorter, two
                             narrower ones */
} tosajit_tail;

/* The effect of a run on tensors of these types, sizes and strides. Found by running everything but
 * the code itself, so it is what tosajit_run does. Of several parts, rank to columns are those of
 * the largest. */
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

/* ---- The code without the checks */

/* Code of kernels is called as System V has it, on every system: so the same code runs on all. A
 * compiler that knows no such convention cannot call it; there tosajit_run does. */
#if defined(_WIN32) && defined(__x86_64__)
#define TOSAJIT_CODE __attribute__((sysv_abi))
#else
#define TOSAJIT_CODE
#endif

/* The code of a kernel without the checks. It walks a tile of planes x rows x cols elements of n
 * tensors. In a plane, element (r, c) of tensor t lies at p + r * strides[2t] + c * strides[2t +
 * 1]. In the first plane p is pointers[t]; from a plane to the next p grows by
 * rows * strides[2t] + strides[2n + t]. Strides are in bytes. Those of planes, from strides[2n] on,
 * are not read if there is one plane; code without tosajit_raw.has_planes walks no more. A column
 * stride is the element size (contiguous) or 0 (a splat: one value for the whole row), and results
 * are contiguous. cols is a multiple of tosajit_raw.cols_multiple. The variants list which of these
 * combinations the code has; another combination computes garbage. context is tosajit_raw.context.
 * It runs in the caller's floating-point settings, and expects the settings of a program's start.
 */
#if defined(_MSC_VER) && !defined(__clang__)
typedef const struct tosajit_code *tosajit_entry; /* this compiler cannot call it */
#else
typedef void(TOSAJIT_CODE *tosajit_entry)(const void *context, void *const *pointers,
                                          const int64_t *strides, int64_t planes, int64_t rows,
                                          int64_t cols);
#endif

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

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit/mlir: TOSA files as expressions. MLIR text or bytecode goes in. Each function comes out
 * as a tosajit_expr. On request it is first divided into functions for tosajit and operations for
 * the host.
 *
 * One function of a file in a few lines:
 *
 *     tosajit_mlir *module = NULL;
 *     tosajit_mlir_function *function = NULL;
 *     tosajit_kernel *kernel = NULL;
 *     tosajit_status status = tosajit_mlir_open("gelu.mlir", NULL, &module);
 *     if (!status) status = tosajit_mlir_build(module, 0, NULL, &function);
 *     const tosajit_expr *expr = tosajit_mlir_function_expr(function);
 *     if (!status) status = tosajit_compile_expr(engine, expr, &kernel);
 *     if (status) puts(tosajit_last_error());
 *     tosajit_mlir_function_release(function);
 *     tosajit_mlir_close(module);
 *     ...                                                        // the kernel needs neither
 *     tosajit_kernel_release(kernel);
 *
 * A model has more than elementwise operations. tosajit_mlir_outline turns every maximal region of
 * these into a function of its own, which is called from where it was. examples/engine is an
 * inference engine that works so.
 *
 * The library is libtosajit-mlir: CMake's tosajit::mlir of the component mlir, pkg-config's
 * tosajit-mlir. It needs libtosajit and MLIR 22, also at run time; libtosajit and
 * libtosajit-runtime need neither.
 *
 * Errors. As in tosajit.h: a status, and a sentence from tosajit_last_error(), which begins with
 * file, line and column where they are known. It is the first error of the call; all of them, and
 * MLIR's notes and warnings, go to tosajit_mlir_options.say. A call that fails sets no output.
 * Every function that gives a status may return INVALID_ARGUMENT (a null pointer, an index out of
 * range, a function of another module) and OUT_OF_MEMORY. Memory of the reader and of MLIR comes
 * from malloc; MLIR, as all of LLVM, ends the process when it gets none.
 *
 * Trust. MLIR's parser is written for files of friends. Deep nesting overflows the stack, and
 * damaged bytecode may take exponential time and memory. What the parser accepts is checked as any
 * expression is. Read what strangers send in a process of its own; tosajit_mlir_options.guard is
 * for such a process.
 *
 * Threads. A module and its functions belong to one thread at a time; different modules may be used
 * at once, also by the engine's threads.
 *
 * Source of the format: MLIR 22, dialects tosa, func, tensor and arith; of the operations:
 * tosajit.h. */
#ifndef TOSAJIT_MLIR_H
#define TOSAJIT_MLIR_H

#include "tosajit/tosajit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Modules */

/* A module that was read: a list of functions. */
typedef struct tosajit_mlir tosajit_mlir;

/* How bad a finding is. A call fails only after an ERROR. */
typedef enum tosajit_mlir_severity {
    TOSAJIT_MLIR_ERROR,
    TOSAJIT_MLIR_WARNING,
    TOSAJIT_MLIR_NOTE, /* about the finding before */
    TOSAJIT_MLIR_REMARK,
} tosajit_mlir_severity;

/* Something that was found in a module. Its strings are valid until the function that is told of it
 * returns. They are fit to be shown. A control character, or what is no UTF-8, is a backslash and
 * two hexadecimal digits. Lines after the first are indented. Later versions add members at the
 * end. */
typedef struct tosajit_mlir_finding {
    tosajit_mlir_severity severity; /* how bad */
    const char *file;               /* as the module's locations have it, or else its name */
    int32_t line, column; /* from 1; both 0 where unknown, as in bytecode without locations */
    const char *message;  /* what is wrong there */
    const char *text;     /* all of it in one: "gelu.mlir:7:10: error: tosa.add: ..." */
    const char *excerpt;  /* the line of the module there and a caret below, both indented by two,
                             each behind a line's end; empty where the text is unknown */
} tosajit_mlir_finding;

/* How a module is read. */
typedef struct tosajit_mlir_options {
    size_t size;      /* sizeof(tosajit_mlir_options) */
    const char *name; /* what findings call the module; copied; null: its path, or "<memory>" */
    /* Told of every finding, in the calls that make it, on their thread; it may not use the module.
     * Null: only the last error is kept. */
    void (*say)(void *context, const tosajit_mlir_finding *finding);
    void *context; /* for say */
    /* Nonzero, for a process of one thread: signal handlers and limits of memory and time are in
     * place while MLIR reads or verifies. A fault inside MLIR ends the process with exit code 1 and
     * a line on standard error. Zero: nothing of the process is changed, and such a fault is the
     * process's. */
    int guard;
} tosajit_mlir_options;

/* Read a file; "-" is standard input. options may be null. MLIR's verifier is not run: it refuses
 * operands of unequal rank, which are legal here. INVALID_ARGUMENT for a file that cannot be read,
 * with the system's reason; LIMIT_EXCEEDED for one of more than 1 GiB, or without an end;
 * BAD_MODULE for what is no MLIR, or damaged, and where no func.func has a body, or two have the
 * same name. */
TOSAJIT_API tosajit_status tosajit_mlir_open(const char *path, const tosajit_mlir_options *options,
                                             tosajit_mlir **module);

/* The same from the size bytes at bytes, text or bytecode, which are copied and need no end mark.
 */
TOSAJIT_API tosajit_status tosajit_mlir_read(const void *bytes, size_t size,
                                             const tosajit_mlir_options *options,
                                             tosajit_mlir **module);

/* Null is allowed. Functions that were built stay valid, but for their names of values. */
TOSAJIT_API void tosajit_mlir_close(tosajit_mlir *module);

/* MLIR's own verifier, which must accept the module: TOSA's rules in full, for ops of all kinds.
 * BAD_MODULE if it does not. */
TOSAJIT_API tosajit_status tosajit_mlir_verify(tosajit_mlir *module);

/* The module as MLIR text, generic where MLIR has no other form. *text is released with
 * tosajit_text_release. */
TOSAJIT_API tosajit_status tosajit_mlir_print(const tosajit_mlir *module, char **text);

/* ---- The list of functions */

/* The number of functions that have a body, in the order of the module: at least 1; 0 for null. */
TOSAJIT_API size_t tosajit_mlir_count(const tosajit_mlir *module);

/* The name of function `index`, without "@", fit to be shown as findings are, backslashes included:
 * different names stay different. Null if there is no such function. The module's, until it is
 * outlined or closed. */
TOSAJIT_API const char *tosajit_mlir_name(const tosajit_mlir *module, size_t index);

/* Find a function by its name, as it is or as tosajit_mlir_name has it, with or without "@". A null
 * name stands for the only function, or else "main". INVALID_ARGUMENT if there is none; the message
 * lists the entries. */
TOSAJIT_API tosajit_status tosajit_mlir_find(tosajit_mlir *module, const char *name, size_t *index);

/* How a function was divided. Constants and the return are not counted. */
typedef struct tosajit_mlir_outlined {
    size_t size;    /* sizeof(tosajit_mlir_outlined), set by the caller */
    size_t regions; /* functions that were made */
    size_t inside;  /* ops that went into them */
    size_t outside; /* ops that were left */
} tosajit_mlir_outlined;

/* Divide function `index`: each maximal region of ops that tosajit computes becomes a function
 * @NAME_region_0, @NAME_region_1, ... which tosajit_mlir_build accepts, and a func.call in its
 * place. Maximal: no two regions that are connected could be one. Ops that read nothing but
 * constants are left to be computed once, unless a single region reads their results. Each op that
 * is left is a remark with the reason. Ops keep their meaning, not their order; regions take the
 * constants that they read with them. The new functions follow function `index` directly, those
 * before keep their index. outlined may be null. BAD_MODULE for a function of several blocks or
 * without a return, and for a name of more than 400 bytes. After OUT_OF_MEMORY the module can only
 * be closed. */
TOSAJIT_API tosajit_status tosajit_mlir_outline(tosajit_mlir *module, size_t index,
                                                tosajit_mlir_outlined *outlined);

/* ---- Functions as expressions */

/* A function that was built: an expression with its inputs and results. */
typedef struct tosajit_mlir_function tosajit_mlir_function;

/* Build function `index`: its arguments become the inputs of an expression, its ops nodes, what it
 * returns the results, in the same order. options as for tosajit_expr_create, null allowed. An
 * attribute tosajit.accuracy = "reproducible" of the function, or "contracted", makes it so in any
 * case.
 * tosajit.contract of an argument is its contract. Besides elementwise ops of TOSA, tosa.const,
 * arith.constant, tensor.cast and func.return are read. BAD_MODULE for anything else, and for ops
 * that lack operands, results or attributes; for ops with the wrong types, shapes or values what
 * tosajit_expr_op gives; LIMIT_EXCEEDED for splat constants beyond 1 GiB. */
TOSAJIT_API tosajit_status tosajit_mlir_build(tosajit_mlir *module, size_t index,
                                              const tosajit_expr_options *options,
                                              tosajit_mlir_function **function);

/* With its expression; kernels keep what they need. Null is allowed. */
TOSAJIT_API void tosajit_mlir_function_release(tosajit_mlir_function *function);

/* The expression; the function's. Null for null. */
TOSAJIT_API const tosajit_expr *tosajit_mlir_function_expr(const tosajit_mlir_function *function);

/* The number of inputs of the expression; 0 for null. */
TOSAJIT_API size_t tosajit_mlir_function_input_count(const tosajit_mlir_function *function);
/* The number of results, which may name one value more than once; 0 for null. */
TOSAJIT_API size_t tosajit_mlir_function_result_count(const tosajit_mlir_function *function);
/* The node of input `index`, of which tosajit_expr_type tells the type; -1 if there is none. */
TOSAJIT_API tosajit_value tosajit_mlir_function_input(const tosajit_mlir_function *function,
                                                      size_t index);
/* The node of result `index`; -1 if there is none. */
TOSAJIT_API tosajit_value tosajit_mlir_function_result(const tosajit_mlir_function *function,
                                                       size_t index);

/* ---- Names. Expressions number their values: messages and plans say "%arg1" and "%7 = tosa.add".
 */

/* A copy of text with the values' names from the module's text, or, where it has none, with MLIR's
 * numbers. text is something that the library wrote about function: its last error, a plan.
 * *renamed is released with tosajit_text_release. INVALID_ARGUMENT if function was built from
 * another module, or module has been outlined since. */
TOSAJIT_API tosajit_status tosajit_mlir_rename(const tosajit_mlir *module,
                                               const tosajit_mlir_function *function,
                                               const char *text, char **renamed);

/* Make message an error at the function's place in the module, renamed as above: it goes to
 * tosajit_mlir_options.say and becomes the last error. For what tosajit_compile_expr refuses:
 * tosajit_mlir_report(module, function, tosajit_last_error()). Without memory for names, message
 * stays as it is. INVALID_ARGUMENT as above. */
TOSAJIT_API tosajit_status tosajit_mlir_report(tosajit_mlir *module,
                                               const tosajit_mlir_function *function,
                                               const char *message);

/* ---------------------------------------------------------------------------------------------
 * For hosts that walk the rest of a module with MLIR's C API, of the same version. A void pointer
 * is the member ptr of MLIR's struct. */

/* The func.func of function `index`, an MlirOperation; the module's. Null if there is none. */
TOSAJIT_API void *tosajit_mlir_operation(const tosajit_mlir *module, size_t index);

/* An MlirType, tensor<...> or tensor<*x...>, as the library's. TYPE_MISMATCH for any other type,
 * and LIMIT_EXCEEDED for more than TOSAJIT_MAX_RANK dimensions. */
TOSAJIT_API tosajit_status tosajit_mlir_type(void *mlir_type, tosajit_tensor_type *type);

/* The elements of an MlirAttribute, dense<...> or dense_resource<...>, as the library keeps them:
 * row-major, i1 in a byte, i48 in eight, splats written out. *elements is released with
 * tosajit_mlir_elements_release. BAD_MODULE for other attributes and for resources that are missing
 * or too short; TYPE_MISMATCH; LIMIT_EXCEEDED for splats beyond 1 GiB. */
TOSAJIT_API tosajit_status tosajit_mlir_elements(void *mlir_attribute, tosajit_tensor_type *type,
                                                 void **elements);
/* Null is allowed. */
TOSAJIT_API void tosajit_mlir_elements_release(void *elements);

#ifdef __cplusplus
}
#endif
#endif

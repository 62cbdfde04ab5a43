/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit/graph: for engines that run models. Divides the operations of a model among kernels, and
 * takes the engine's knowledge of sizes. Its threads, many kernels at once, the end of the process.
 * docs/engine-authors.md has a program for each. Errors and threads are as in tosajit.h. */
#ifndef TOSAJIT_GRAPH_H
#define TOSAJIT_GRAPH_H

#include "tosajit/tosajit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Regions. (libtosajit only.) */

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
    /* Accepts these ops, in order, for one kernel; for what the limits do not tell. It is asked
     * of every region, rarely of smaller ones. A status other than OK ends the call. Null: yes. */
    tosajit_status (*accepts)(void *context, const int32_t *ops, size_t count, int *accepted);
    void *context; /* given to accepts */
    const uint8_t
        *constants;       /* per value: it is the same in all calls; null: none is known to be */
    const uint8_t *views; /* per op: it moves elements and computes none; null: none does */
    const uint8_t
        *duplicated;          /* per op: it costs nothing, so each reader has its own; null: none */
    const uint8_t *read_once; /* per value: its readers become one region; null: of none */
} tosajit_graph;

/* Divide the members of a graph into regions, each of which can be one kernel. A region is
 * connected. Regions, each as a whole, and other ops can be put into an order where each stands
 * behind its operands. Regions are as large as can be. Two along an edge stay apart only where
 * together they would be beyond a limit, or have no place in such an order. regions[k] is the first
 * op of op k's region, or -1 if op k is no member. It is also -1 for members that read nothing but
 * constants, or results of such members. They are in a region if it alone reads what they give.
 * Else the host computes them once. It is -1, too, for the members of a region of views alone: a
 * kernel would copy them. A region gives those of its values that are kept, read by other ops, or
 * read by nobody. The time is linear in ops and operands; to keep it so, a path of thousands of
 * steps is supposed rather than looked for.
 *
 * A duplicated op is a view of a host's memory, for instance, or a number in every element. It is
 * in no region. Whatever reads its results counts as reading its operands, in its place, so each
 * region that reads it can repeat it. One with more than 16 values behind it is an op like others.
 *
 * Large tensors are to be read once. So a region that reads such a value also becomes one with the
 * first region that does, although no edge joins them.
 *
 * For instance, `add` cannot join `exp` here, because `matmul` would stand behind and before their
 * region:
 *
 *     e = exp a
 *     m = matmul e, ...
 *     r = add e, m
 *
 * Thread-safe. regions has room for op_count numbers, and is written only on success.
 * INVALID_ARGUMENT for a null pointer, a number out of range, or an op that reads a later op's
 * result; OUT_OF_MEMORY; what accepts gave. */
TOSAJIT_API tosajit_status tosajit_partition(const tosajit_graph *graph, int32_t *regions);

/* ---- Sizes */

/* A promise of the host about a dynamic dimension of an input. Zero-initialise. With smallest >= 2
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

/* The sizes of all results for operands of these shapes, whose data may be null. results[r] becomes
 * a dense tensor without memory, whose sizes are in dims[r]. Both have result_count elements. A
 * host sets results[r].data and can run. SHAPE_MISMATCH if the operands do not broadcast;
 * TYPE_MISMATCH, OVERFLOW, INVALID_ARGUMENT. After these, do not read either. Thread-safe. */
TOSAJIT_API tosajit_status tosajit_kernel_results(const tosajit_kernel *kernel,
                                                  const tosajit_tensor *operands,
                                                  size_t operand_count, tosajit_tensor *results,
                                                  size_t result_count,
                                                  int64_t (*dims)[TOSAJIT_MAX_RANK]);

/* ---- Threads */

/* The host's thread pool. parallel_for runs task(argument, index) for each index below count, on
 * any threads, and returns when all have returned. tosajit_run and tosajit_compile_many call it on
 * their caller's thread, so several threads may call it at once. */
struct tosajit_parallel {
    /* The pool's loop, and the pool. */
    void (*parallel_for)(void *context, size_t count, void (*task)(void *argument, size_t index),
                         void *argument);
    void *context;  /* for parallel_for */
    size_t threads; /* how many tasks can run at once */
};

/* tosajit_run on these threads instead of the engine's: for hosts whose pool comes with each call.
 * parallel is not kept; null, or without parallel_for: the caller's thread alone. */
TOSAJIT_API tosajit_status tosajit_run_parallel(const tosajit_kernel *kernel,
                                                const tosajit_tensor *operands,
                                                size_t operand_count, const tosajit_tensor *results,
                                                size_t result_count,
                                                const tosajit_parallel *parallel);

/* ---- Many kernels, and their end */

/* Compile `count` expressions at once, which costs less than one at a time. They share what LLVM
 * sets up. An engine with threads, or the host's, compiles on all of them. kernels receives a
 * kernel for each, [count], as tosajit_compile_expr would give it. Each has a reference of its own,
 * which returns its own code's memory. Equal expressions are one kernel. A failing expression costs
 * the others nothing: its kernel is null. statuses, if not null, receives how each went, [count].
 * Returns OK if all went well, else the status of the first failing expression, whose position
 * tosajit_last_error() tells. No expression may be changed meanwhile. Thread-safe: lists that have
 * expressions in common, in any order, compile each once. A task of the host's own pool should not
 * compile an expression that a list on the pool is compiling. Statuses as of tosajit_compile_expr;
 * OUT_OF_MEMORY for all if there is none for the list. */
TOSAJIT_API tosajit_status tosajit_compile_many(tosajit_engine *engine,
                                                const tosajit_expr *const *exprs, size_t count,
                                                tosajit_kernel **kernels, tosajit_status *statuses);

/* Wait until a BACKGROUND kernel runs natively, or is known to be too large for that; the status of
 * its compilation, NOT_EXECUTABLE if its engine was destroyed before. Where the system gives the
 * engine no thread, this compiles the kernel. OK for others, at once. */
TOSAJIT_API tosajit_status tosajit_kernel_wait(tosajit_kernel *kernel);

/* Let no compilation begin in this process any more, and return when none is under way. Call it
 * before exit, or the return from main, if threads may be compiling. An engine that compiles in the
 * background counts. docs/engine-authors.md, "How a process ends", has the reason. From then on
 * compiling fails with CODEGEN_FAILED. Kernels run, are saved and released as before. It waits for
 * compilations under way, but not for a compilation that calls it by an allocator hook.
 * Thread-safe, and may be called again. */
TOSAJIT_API void tosajit_quiesce(void);

#ifdef __cplusplus
}
#endif
#endif

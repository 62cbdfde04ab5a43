/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A kernel: the program, its plan, and the native code once there is some. Immutable after it was
 * made, but for the code that a background compilation publishes. */
#ifndef TOSAJIT_RUNTIME_RUN_KERNEL_H
#define TOSAJIT_RUNTIME_RUN_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "runtime/code/code.h"
#include "runtime/check/callee.h"

typedef struct kernel_code {
    const code_part *parts; /* as the plan has them */
    tosajit_kernel_info info;
    code_image image;  /* where the code is, as it runs */
    uint64_t features; /* of the CPU, that the code needs */
    bool precompiled;  /* of single ops, made with the library (runtime/precompiled) */
} kernel_code;

/* Who made a kernel, and all that stands above it: an engine, or an image. */
typedef struct kernel_owner {
    /* Until the kernel has its code, or never will. */
    tosajit_status (*wait)(tosajit_kernel *kernel);
    /* The last reference is gone: give back what is the owner's, and have kernel_destroy called. */
    void (*release)(tosajit_kernel *kernel);
} kernel_owner;

/* The caller's tensors of a call. */
typedef struct kernel_counts {
    int32_t operands, results;
} kernel_counts;

typedef struct call_cache call_cache; /* runtime/run/call_cache.h */

struct tosajit_kernel {
    atomic_int references;
    tosajit_allocator allocator;
    tosajit_expr *program;     /* owned */
    plan plan;                 /* owned */
    expr_views *views;         /* owned: how its tensors are seen; null: as they are */
    kernel_counts counts;      /* no results: its calls can't be launched (launch.h) */
    call_cache *calls;         /* owned: the call cache; null: none */
    tosajit_parallel parallel; /* threads for long runs; 0: the caller's alone */
    int32_t tensor_count;      /* operands and non-splat constants */
    const expr_node *inputs[TOSAJIT_MAX_TENSORS]; /* the node of each tensor */
    _Atomic(const kernel_code *) code;            /* null while runs are interpreted */
    bool staged;           /* parts read what others have computed (runtime/run/stages.h) */
    bool floats;           /* its code depends on the floating-point environment */
    bool any_strides;      /* they need not be multiples of the element size */
    bool verbose;          /* say each run on standard error */
    atomic_bool too_large; /* for code of its own: precompiled ops compute it, else the interpreter,
                              and nothing better will be made */
    const char *cpu;       /* that the engine was asked for; null: the machine's own. The maker's */
    char name[48];         /* "tosajit_add_f32_7", unique in the process */

    const kernel_owner *owner; /* null: nobody has anything to do with it */
    void *owned;               /* what the owner keeps of it */
};

/* True if it has what computes it for good. */
static inline bool kernel_is_settled(const tosajit_kernel *kernel) {
    return tosajit_kernel_is_native(kernel) ||
           atomic_load_explicit(&kernel->too_large, memory_order_acquire);
}

/* Views of a call: of operands, constants and indices, then results, then scratch; behind them the
 * numbers of each index (runtime/check/index.h). */
static inline size_t kernel_view_count(const tosajit_kernel *kernel) {
    return (size_t)(kernel->tensor_count + kernel->plan.result_count + kernel->plan.scratch_count +
                    kernel->plan.index_count);
}

/* Facts that its calls are checked against. */
static inline callee kernel_callee(const tosajit_kernel *kernel) {
    return (callee){kernel->program, &kernel->plan, kernel->views, kernel->tensor_count,
                    kernel->any_strides};
}

/* A kernel with reference count 1 and no code, of the program that the passes make. */
tosajit_status kernel_create(const tosajit_expr *expr, const tosajit_allocator *allocator,
                             const program_aids *aids, tosajit_kernel **kernel);
/* The caller's view of a kernel: operands, results and their names. */
static inline const tosajit_expr *kernel_source(const tosajit_kernel *kernel) {
    return kernel->views ? kernel->views->caller : kernel->program;
}

/* The same from a program, which belongs to the kernel from then on, and is dropped on failure. */
tosajit_status kernel_adopt(program_made *program, const tosajit_allocator *allocator,
                            tosajit_kernel **kernel);

/* Free what is the kernel's own; to be called by its owner, when nobody has a reference. */
void kernel_destroy(tosajit_kernel *kernel);

/* Give a reference back if it is the last one; false, and nothing is done, if others hold the
 * kernel. To ask first and release then would not do: in between the kernel may be found again. */
bool kernel_release_last(tosajit_kernel *kernel);

#endif

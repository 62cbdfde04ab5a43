/* A kernel: the program, its plan, and the native code once there is some. Immutable after it was made, but for the code
 * that a background compilation publishes. */
#ifndef TOSAJIT_RUNTIME_KERNEL_H
#define TOSAJIT_RUNTIME_KERNEL_H

#include <stdatomic.h>

#include "runtime/code.h"
#include "runtime/plan.h"
#include "runtime/quick.h"

typedef struct kernel_code {
    const tosajit_entry *entries; /* one per part */
    tosajit_kernel_info info;
    code_image image;  /* where the code is, as it runs */
    uint64_t features; /* of the CPU, that the code needs */
} kernel_code;

struct tosajit_kernel {
    atomic_int references;
    tosajit_allocator allocator;
    tosajit_expr *program;                        /* owned */
    plan plan;                                    /* owned */
    quick quick;                                  /* how its usual calls are run */
    tosajit_parallel parallel;                    /* threads for long runs; 0: the caller's alone */
    int32_t tensor_count;                         /* operands and non-splat constants */
    const expr_node *inputs[TOSAJIT_MAX_TENSORS]; /* the node of each tensor */
    _Atomic(const kernel_code *) code;            /* null while runs are interpreted */
    bool loud;                                    /* say each run on standard error */
    const char *cpu;                              /* that the engine was asked for; null: the machine's own. The maker's */
    char name[48];                                /* "tosajit_add_f32_7", unique in the process */

    /* Who may hand this kernel out again, null for nobody; forget is called first when the last reference goes. */
    void *cache_entry;
    void (*forget)(tosajit_kernel *kernel);
    /* What made this kernel; kept until everything else of it is gone. */
    void *maker;
    void (*release_maker)(void *maker);
    /* Who made the code, null without code; and who compiles it in the background, null for others. */
    void *native;
    void (*release_native)(tosajit_kernel *kernel);
    void *job;
    tosajit_status (*wait)(tosajit_kernel *kernel);
    void (*release_job)(tosajit_kernel *kernel);
};

/* Whether a size keeps a contract. */
static inline bool kernel_keeps(const tosajit_contract *c, int64_t size) {
    return size >= c->smallest && (!c->largest || size <= c->largest) && (c->multiple < 2 || size % c->multiple == 0);
}

/* A kernel with reference count 1 and no code. */
tosajit_status kernel_create(const tosajit_expr *expr, const tosajit_allocator *allocator, tosajit_kernel **kernel);
/* The same from a program, which belongs to the kernel from then on, and is destroyed on failure. */
tosajit_status kernel_adopt(tosajit_expr *program, const tosajit_allocator *allocator, tosajit_kernel **kernel);

#endif

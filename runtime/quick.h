/* Quick calls: the call that engines make again and again, dense tensors of the sizes that the kernel expects, recognised and run
 * without the machinery of the complete check. Whatever is unusual or wrong is left to that check, which knows what to say. */
#ifndef TOSAJIT_RUNTIME_QUICK_H
#define TOSAJIT_RUNTIME_QUICK_H

#include "runtime/plan.h"

typedef enum quick_kind {
    QUICK_NONE,
    QUICK_STATIC, /* all sizes are static: strides and tile are known beforehand */
    QUICK_LINEAR, /* all operands may have the sizes of the result: one long row */
} quick_kind;

typedef struct quick {
    quick_kind kind;
    int64_t rows, cols;                       /* of QUICK_STATIC */
    int64_t strides[2 * TOSAJIT_MAX_TENSORS]; /* for the entry; of leaves, then results */
    int64_t bytes[TOSAJIT_MAX_TENSORS];       /* of operands, then results; of QUICK_LINEAR those of one element */
    uint64_t in_place;                        /* bit k: operand k has the results' sizes */
    bool floating;                            /* the floating-point environment matters */
} quick;

/* Find out what can be quick; q->kind is QUICK_NONE otherwise. */
void quick_plan(const tosajit_kernel *kernel, quick *q);

/* Run if everything is as expected; false, and nothing done, if not. */
bool quick_run(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, const tosajit_tensor *results);

#endif

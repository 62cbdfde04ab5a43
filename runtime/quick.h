/* Quick calls: the call that engines make again and again, dense tensors of the sizes that the kernel expects, recognised and run
 * without the machinery of the complete check. Whatever is unusual or wrong is left to that check, which knows what to say. */
#ifndef TOSAJIT_RUNTIME_QUICK_H
#define TOSAJIT_RUNTIME_QUICK_H

#include <stdatomic.h>

#include "runtime/plan.h"

typedef enum quick_kind {
    QUICK_NONE,
    QUICK_STATIC, /* all sizes are static: one shape, prepared beforehand */
    QUICK_DENSE,  /* sizes are the call's: what repeats where decides the tile */
} quick_kind;

enum {
    QUICK_SHAPES = 4,  /* prepared for a kernel of dynamic sizes: the first that it meets */
    QUICK_TENSORS = 8, /* of a prepared shape, at most: operands, constants and results */
    QUICK_DIMS = 32,   /* of them together */
    QUICK_NUMBERED = 6 /* leaves whose sets are few enough to be numbered */
};

/* A call of these sizes is one tile. Written once, by whoever takes the slot, and never changed. */
typedef struct quick_shape {
    atomic_int state;                               /* SHAPE_* in quick.c */
    int64_t dims[QUICK_DIMS];                       /* of operands, then results */
    int64_t bytes[QUICK_TENSORS];                   /* likewise */
    uint64_t in_place;                              /* bit k: operand k has the results' sizes */
    int64_t rows, cols, strides[2 * QUICK_TENSORS]; /* for the entry; of leaves, then results */
} quick_shape;

typedef struct quick {
    quick_kind kind;
    bool floating; /* the floating-point environment matters */
    int32_t operands, results;
    uint64_t heads[QUICK_TENSORS]; /* element and rank of operands, then results */
    quick_shape *shapes;           /* owned; QUICK_STATIC has one, QUICK_DENSE QUICK_SHAPES; or null */
    int32_t shape_count;
    uint64_t fixed;                      /* bit k: a dimension of leaf k is static */
    uint64_t loops;                      /* bit s: the code has a loop in which exactly the leaves of set s are splats */
    uint8_t sizes[TOSAJIT_MAX_TENSORS];  /* of an element of leaves, then results */
    uint8_t shifts[TOSAJIT_MAX_TENSORS]; /* dimensions that a leaf lacks on the left */
} quick;

/* Find out what can be quick; q->kind is QUICK_NONE otherwise. OUT_OF_MEMORY. */
tosajit_status quick_plan(const tosajit_kernel *kernel, quick *q);
void quick_destroy(const tosajit_allocator *allocator, quick *q);

/* Run if everything is as expected; false, and nothing done, if not. */
bool quick_run(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, const tosajit_tensor *results);

#endif

/* Quick calls: the call that engines make again and again, dense tensors of the sizes that the kernel expects, recognised and run
 * without the machinery of the complete check. Whatever is unusual or wrong is left to that check, which knows what to say. */
#ifndef TOSAJIT_RUNTIME_QUICK_H
#define TOSAJIT_RUNTIME_QUICK_H

#include <stdatomic.h>

#include "runtime/plan.h"

typedef enum quick_kind {
    QUICK_NONE,
    QUICK_STATIC, /* all sizes are static: one tile, prepared beforehand */
    QUICK_DENSE,  /* sizes are the call's: what repeats where decides the tile */
} quick_kind;

enum {
    QUICK_SLOTS = 64,   /* for shapes that a kernel of dynamic sizes remembers: the first that it meets; a power of two */
    QUICK_TENSORS = 8,  /* of a prepared tile, at most: operands, constants and results */
    QUICK_DIMS = 24,    /* of operands and results together */
    QUICK_NUMBERED = 6, /* leaves whose sets are few enough to be numbered */
};

/* A call that is one tile, or a few of equal strides: all that its data pointers leave open. */
typedef struct quick_tile {
    int64_t outer, planes, rows, cols;  /* tiles, and what the entry is told of each */
    int64_t in_place;                   /* bit k: operand k has the results' sizes, and in place of it the call is a tile, too */
    int64_t bytes[QUICK_TENSORS];       /* of operands, then results */
    int64_t strides[4 * QUICK_TENSORS]; /* of leaves, then results: for the entry; then from tile to tile */
} quick_tile;

/* Shapes that were met. A slot is a tile, as far as the kernel's tensors fill its strides, and the dimensions that it is for. Slots are
 * written once, by whoever takes them. */
typedef struct quick_memory {
    _Atomic uint64_t tags[QUICK_SLOTS]; /* SLOT_* in quick.c, or a hash of the dimensions */
    int64_t words[];                    /* of all slots */
} quick_memory;

typedef struct quick {
    quick_kind kind;
    bool floating; /* the floating-point environment matters */
    int32_t operands, results;
    uint64_t heads[QUICK_TENSORS];       /* element and rank of operands, then results */
    int64_t dims[QUICK_DIMS];            /* QUICK_STATIC: of operands, then results */
    quick_tile tile;                     /* likewise */
    quick_memory *memory;                /* owned; null if nothing is remembered */
    size_t tile_words, slot_words;       /* of a slot's tile; of a slot */
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

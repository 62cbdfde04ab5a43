/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plan: how the operands of an expression are walked to compute its results, decided once per
 * kernel. In: a compacted expression. Out: parts, one per iteration space, each with an indexing
 * map per operand, the decisions left for the call, and the loop variants that the code needs. */
#ifndef TOSAJIT_RUNTIME_PLAN_PLAN_H
#define TOSAJIT_RUNTIME_PLAN_PLAN_H

#include <stdbool.h>

#include "runtime/expr/expr.h"
#include "runtime/expr/scatter.h"
#include "runtime/plan/walk.h"
#include "tosajit/inspect.h"

enum { PLAN_MAX_VARIANTS = 4 };

/* One dimension of an operand's indexing map. */
typedef enum map_kind {
    MAP_IDENTITY, /* d_i */
    MAP_ZERO,     /* 0: a static size of 1, or a dimension that rank expansion adds */
    MAP_RUNTIME,  /* size == 1 ? 0 : d_i, when called */
} map_kind;

/* An operand or non-splat constant that a part reads, or what an earlier part has computed. One
 * that is used as a table and as data is two leaves. */
typedef struct plan_leaf {
    tosajit_value value;
    int32_t tensor; /* position among the kernel's tensors: operands, constants, results, scratch */
    bool table;     /* looked up; takes no part in broadcasting */
    bool gathered;  /* read at any index of its first dimension, which is none of the part's; of a
                       part that scatters: its base */
    uint8_t maps[TOSAJIT_MAX_RANK];
} plan_leaf;

/* A size that a declared type or a parameter demands. The dynamic sizes of the tensors in `dynamic`
 * must broadcast to exactly `size`. If `size` is TOSAJIT_DYNAMIC, it is the size of the tensors in
 * `other`. */
typedef struct plan_check {
    tosajit_value value; /* which demands it */
    int32_t from_end;    /* the dimension, 1 being the innermost: all tensors align there */
    int64_t size;
    uint64_t dynamic, other;
    size_t position; /* in the order of the program */
} plan_check;

/* A part with reductions reduces one dimension, `axis`, or as many neighbours behind it as are
 * `joined` with it. They are dimensions of its iteration space like the others; its reductions are
 * results that repeat along them. Values that later parts read are results, too: of the kernel, or
 * scratch. */
typedef struct plan_part {
    int32_t rank;
    int32_t axis, joined; /* axis -1: none */
    bool gathers; /* its one result is gathered: from one leaf, at the index in the other leaf */
    bool scans;   /* its one result is its one leaf, combined along dimension `along` */
    int32_t along;
    /* Its one result is scattered into, from a base, an index and updates, which may be constants.
     * The iteration space is that of the updates. The result's first dimension is another one: of
     * this size, or that of the tensors in `scattered`. */
    bool scatters;
    int64_t scattered_size;
    uint64_t scattered;
    /* Parts run in phases, one behind the other: all blocks of one before the next begins. What is
     * scattered, or a base that is computed, is read by later phases. */
    int32_t phase;
    /* The dimension that has the columns in every call, for a part that reduces, or reads other
     * parts' values; -1: each call chooses, or rows have one element. */
    int32_t columns;
    /* Sizes of the iteration space; TOSAJIT_DYNAMIC: known when called. */
    int64_t extents[TOSAJIT_MAX_RANK];
    bool above_one[TOSAJIT_MAX_RANK]; /* the extent is never 1 */
    /* Per dimension, the tensors whose dynamic sizes must broadcast to the extent. */
    uint64_t dynamic[TOSAJIT_MAX_RANK];
    /* Leaves are operand_count operands, then constants, then carried_count of earlier parts. */
    int32_t leaf_count, operand_count, carried_count, result_count;
    plan_leaf leaves[TOSAJIT_MAX_TENSORS];
    int32_t operands[TOSAJIT_MAX_TENSORS];      /* tensor of each leaf */
    const void *constants[TOSAJIT_MAX_TENSORS]; /* data of each constant leaf; of indices null */
    int32_t results[TOSAJIT_MAX_TENSORS]; /* positions among the kernel's results, then scratch */
    tosajit_value values[TOSAJIT_MAX_TENSORS];  /* of each result */
    uint64_t reductions;                        /* the results that are such, as bits */
    uint8_t element_sizes[TOSAJIT_MAX_TENSORS]; /* of leaves, then results, in bytes */
    int64_t cols_multiple;  /* a power of two that divides the columns of every tile */
    bool has_planes;        /* the code walks planes of rows, too */
    double element_ns;      /* a guess of what an element costs */
    int64_t piece_elements; /* so many are worth the trouble of waking a thread */
    int32_t variant_count;
    tosajit_variant variants[PLAN_MAX_VARIANTS]; /* bits count leaves */
} plan_part;

/* The sizes of an index, which has a number for each position: 1 but along its axes. A dynamic one
 * is that of the tensors in `dynamic`. */
typedef struct plan_index {
    tosajit_value value;
    int32_t tensor, rank;
    int64_t sizes[TOSAJIT_MAX_RANK];
    uint64_t dynamic[TOSAJIT_MAX_RANK];
} plan_index;

typedef struct plan {
    tosajit_allocator allocator;
    size_t node_count;
    uint64_t *node_parts;  /* per node, bit p: part p computes it */
    uint64_t *table_parts; /* per node, bit p: part p looks it up */
    int32_t tensor_count;  /* operands and constants */
    int32_t result_count;  /* of the kernel */
    int32_t scratch_count;
    int32_t part_count;
    /* Parts up to the last one that gathers at an index which is computed, and may be wrong: these
     * run once before anything is written. 0: none does. */
    int32_t checked_parts;
    uint64_t whole; /* results, then scratch, as bits: not of a block, but of all of the call */
    size_t part_capacity;
    plan_part *parts;
    size_t check_count, check_capacity;
    plan_check *checks;
    int32_t index_count;
    plan_index *indices;
} plan;

/* SHAPE_MISMATCH (sizes that can never match), UNRANKED_SHAPE, INVALID_ARGUMENT (no result),
 * OUT_OF_MEMORY. */
tosajit_status plan_make(const tosajit_expr *program, const tosajit_allocator *allocator, plan *p);
void plan_destroy(plan *p);

/* True if a part reduces dimension d; whether the last dimension that it reduces has the columns.
 */
static inline bool plan_reduces(const plan_part *part, int32_t d) {
    return part->axis >= 0 && d >= part->axis && d <= part->axis + part->joined;
}
static inline bool plan_reduces_columns(const plan_part *part) {
    return part->axis >= 0 && part->axis + part->joined == part->columns;
}

/* True if a part has no code, and computes one value that is read from memory. */
static inline bool plan_is_bare(const plan_part *part) {
    return part->gathers || part->scans || part->scatters;
}
/* True if a part's blocks follow each other along its first dimension. */
static inline bool plan_is_sequential(const plan_part *part, int32_t d) {
    return part->scatters && d == 0;
}
/* True if no dimension d of a part may be divided, reordered or joined with another one. */
static inline bool plan_keeps(const plan_part *part, int32_t d) {
    return plan_reduces(part, d) || (part->scans && part->along == d);
}

/* How many elements each reduction has; TOSAJIT_DYNAMIC: known when called. */
int64_t plan_reduced_size(const plan_part *part);

/* The reduced dimensions, or the scanned one, as bits. */
uint32_t plan_kept_dims(const plan_part *part);

/* True if results of parts are read by later ones: then they run one after the other, block by
 * block. */
bool plan_is_staged(const plan *p);

/* The sizes of result k of a part whose iteration space has these sizes. */
void plan_result_sizes(const plan_part *part, int32_t k, const int64_t *sizes, int64_t *own);

/* The leaf that a part gathers from, and the one that says where. */
typedef struct plan_gather {
    int32_t values, index;
} plan_gather;
static inline plan_gather plan_gather_of(const plan_part *part) {
    const int32_t values = part->leaves[0].gathered ? 0 : 1;
    return (plan_gather){values, 1 - values};
}

/* The leaves of a part that scatters; -1: it is a constant of equal elements. */
typedef struct plan_scatter {
    int32_t base, index, updates;
} plan_scatter;
static inline plan_scatter plan_scatter_of(const plan_part *part, const tosajit_expr *program) {
    const expr_node *node = &program->nodes[part->values[0]];
    plan_scatter s = {-1, -1, -1};
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const plan_leaf *leaf = &part->leaves[k];
        if (leaf->gathered) s.base = k;
        if (!leaf->gathered && leaf->value == node->operands[SCATTER_INDEX]) s.index = k;
        if (!leaf->gathered && leaf->value == node->operands[SCATTER_UPDATES]) s.updates = k;
    }
    return s;
}

/* The leaf that says where a part gathers or scatters. */
static inline int32_t plan_index_of(const plan_part *part, const tosajit_expr *program) {
    return part->gathers ? plan_gather_of(part).index : plan_scatter_of(part, program).index;
}

/* The leaves that are tables, as bits. */
uint64_t plan_tables(const plan_part *part);

/* The coalesced walk of a part whose sizes are all static, over dense tensors and in elements:
 * leaves, then the results. False if a call decides anything. */
bool plan_static_walk(const plan_part *part, const tosajit_expr *program, walk *w);

#endif

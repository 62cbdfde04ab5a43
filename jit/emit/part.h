/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What emitting one part needs: shared by jit/emit/kernel.c (parts and their variants),
 * jit/emit/once.c (rows that all variants share), jit/emit/rows.c (loops over planes, rows and
 * columns), jit/emit/ends.c (where rows begin and end), jit/emit/step.c and jit/emit/body.c (what
 * is in them). */
#ifndef TOSAJIT_JIT_EMIT_PART_H
#define TOSAJIT_JIT_EMIT_PART_H

#include "jit/emit/emit.h"
#include "jit/facts/sums.h"
#include "jit/schedule/nest.h"
#include "jit/target/target.h"
#include "runtime/run/kernel.h"

/* A loop over columns from where the level before ended, while the column is below `end`, in steps
 * of `repeats` bodies of `lanes`. A masked or shared level goes to the last column. */
typedef struct level {
    unsigned lanes, repeats;
    bool masked;       /* its steps load and store by a mask */
    bool shared;       /* whole steps and the tail run the same body */
    LLVMValueRef end;  /* the same in every row */
    LLVMValueRef mask; /* of a masked level that is a single step */
} level;

/* Values of tensors in a step that is computed or stored later. */
typedef struct held {
    LLVMValueRef values[TOSAJIT_MAX_TENSORS];
} held;

/* Everything that emitting one part needs; the arrays belong to emit_kernel. */
typedef struct part_emitter {
    const tosajit_expr *program;
    const target *target;
    const plan_part *part;
    const uint64_t *node_parts;
    uint64_t part_bit;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    size_t *left; /* instructions that may still be emitted; at 0 the kernel is too long */
    LLVMValueRef function, planes, rows, cols, strides, planes_left;
    LLVMBasicBlockRef done; /* returns */
    LLVMTypeRef i64, ptr;
    level levels[NEST_MAX_LEVELS];
    int level_count;
    nest nest;

    /* Per node: its value for the whole row, or null; the same in every lane of the level that is
     * being emitted; its lanes in the body that is being emitted. */
    LLVMValueRef *scalars, *splats, *values;
    range *ranges;          /* per node */
    sum_plane *byte_planes; /* per node */
    LLVMValueRef row_pointers[TOSAJIT_MAX_TENSORS];
    /* Tables of bytes in registers; of other leaves the first is null. */
    LLVMValueRef loaded[TOSAJIT_MAX_TENSORS][LANE_TABLE_REGISTERS];
    /* Tables that are not loaded, as they lie on lines, which ones, and these. */
    uint64_t on_lines;
    table_line lines[TOSAJIT_MAX_TENSORS];
    /* The column of a last single step. Of plain parts, at [n - 1], its distance in bytes where
     * elements have n bytes. */
    LLVMValueRef tail, tail_bytes[8];
    bool streams;       /* the step that is being emitted stores past the caches */
    LLVMValueRef brief; /* of ends: the mask of rows that are at most a vector, or null */
    /* Of `either` leaves: memory for a splat's pattern; what the column is masked with, 0 for a
     * splat, else -1; the pattern, or where the row starts. */
    LLVMValueRef patterns[TOSAJIT_MAX_TENSORS], pattern_masks[TOSAJIT_MAX_TENSORS];
    LLVMValueRef pattern_bases[TOSAJIT_MAX_TENSORS];
} part_emitter;

static inline unsigned step_size(const level *lv) { return lv->lanes * lv->repeats; }
static inline int32_t tensor_count(const part_emitter *e) {
    return e->part->leaf_count + e->part->result_count;
}
static inline bool has_bit(uint64_t set, int32_t t) { return set >> t & 1; }

static inline tosajit_value tensor_value(const part_emitter *e, int32_t t) {
    int32_t leaves = e->part->leaf_count;
    return t < leaves ? e->part->leaves[t].value
                      : e->program->results[e->part->results[t - leaves]];
}

static inline const expr_node *tensor_node(const part_emitter *e, int32_t t) {
    return &e->program->nodes[tensor_value(e, t)];
}

static inline lane lane_of(const part_emitter *e, unsigned lanes) {
    return (lane){e->context, e->module, e->builder, e->target, lanes, false};
}

static inline LLVMBasicBlockRef new_block(const part_emitter *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

/* Go on in a block that has been branched to: here, so that blocks lie in the order in which they
 * run. */
static inline void continue_in(const part_emitter *e, LLVMBasicBlockRef block) {
    LLVMAppendExistingBasicBlock(e->function, block);
    LLVMPositionBuilderAtEnd(e->builder, block);
}

static inline LLVMValueRef int64_constant(const part_emitter *e, int64_t value) {
    return LLVMConstInt(e->i64, (unsigned long long)value, 1);
}

static inline LLVMValueRef load_at(const part_emitter *e, LLVMTypeRef type, LLVMValueRef array,
                                   int64_t index) {
    LLVMValueRef at = int64_constant(e, index);
    return LLVMBuildLoad2(e->builder, type, LLVMBuildGEP2(e->builder, type, array, &at, 1, ""), "");
}

static inline LLVMValueRef column_stride(const part_emitter *e, int32_t t) {
    LLVMValueRef at = int64_constant(e, 2 * t + 1);
    return LLVMBuildLoad2(e->builder, e->i64,
                          LLVMBuildGEP2(e->builder, e->i64, e->strides, &at, 1, ""), "");
}

/* Bodies. */

/* Memory for the patterns of a variant's `either` leaves: once, before its rows. */
void emit_pattern_buffers(part_emitter *e, const tosajit_variant *variant);
/* What is the same for the whole row: splats, constants, and ops of nothing else; and the patterns.
 */
void emit_row_scalars(part_emitter *e, const tosajit_variant *variant);
void emit_row_patterns(part_emitter *e, const tosajit_variant *variant);
/* The scalars in every lane of the bodies to come. */
void emit_splats(part_emitter *e, unsigned lanes);
/* Load and compute lanes at column + offset; store them there. A null mask is all of them. The body
 * is all three. */
void emit_values(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                 LLVMValueRef column, unsigned offset, LLVMValueRef mask);
void emit_loads(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                LLVMValueRef column, unsigned offset, LLVMValueRef mask);
void emit_nodes(part_emitter *e, unsigned lanes);
void emit_stores(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                 LLVMValueRef column, unsigned offset, LLVMValueRef mask);
void emit_body(part_emitter *e, const tosajit_variant *variant, unsigned lanes, LLVMValueRef column,
               unsigned offset, LLVMValueRef mask);
/* The address of the element at column + offset of a tensor. */
LLVMValueRef element_address(const part_emitter *e, const tosajit_variant *variant, int32_t t,
                             LLVMValueRef column, unsigned offset);
/* One step of a level's loop, from column on. `tail` are the leaves of a shared level's tail, or
 * null. */
void emit_step(part_emitter *e, const tosajit_variant *variant, const level *lv,
               LLVMValueRef column, const held *tail);

/* Ends of rows. */

/* The column at which a row's last vector of so many lanes begins. */
LLVMValueRef emit_last_column(const part_emitter *e, unsigned lanes);
/* Load a row's last vector: the leaves' values. Store the values of a row's last vector. A row that
 * is shorter is made of two narrower ones, which overlap. `widest` lanes is what it may have: all,
 * or half of them. */
void emit_last_loads(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                     unsigned widest);
void emit_last_stores(part_emitter *e, const tosajit_variant *variant, unsigned lanes,
                      unsigned widest);
/* Keep the values of tensors, leaves or results; take them again. */
void hold(const part_emitter *e, int32_t first, int32_t end, held *h);
void take(part_emitter *e, int32_t first, int32_t end, const held *h);
/* The leaves as `count` blocks have loaded them, where these meet. */
void join_leaves(part_emitter *e, const tosajit_variant *variant, const held *loaded,
                 LLVMBasicBlockRef *from, unsigned count);
/* The column at which the loops of a row begin: 1 to so many lanes from the row's begin, so that
 * the first result is aligned there, as far as the bits of `aligned` say. */
LLVMValueRef emit_aligned_column(const part_emitter *e, LLVMValueRef aligned, unsigned lanes);

/* Rows. */

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
void emit_limits(part_emitter *e);
/* One variant, from its first block to the function's last. `pointers` are where the tensors begin,
 * `row_strides` bytes. */
void emit_variant(part_emitter *e, const tosajit_variant *variant, nest_row kind,
                  const LLVMValueRef *pointers, const LLVMValueRef *row_strides);

/* Begin the block of a loop over planes or rows (loop.c). `moving` are its pointers, one per
 * tensor: in the first turn they are `pointers`. */
LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name, const LLVMValueRef *pointers,
                             LLVMValueRef *moving);
/* Move the row pointers by `steps`. `moving`, the pointers of the loop to which this block is about
 * to branch, are these in its next turn. */
void step_pointers(part_emitter *e, const LLVMValueRef *moving, const LLVMValueRef *steps);

/* Rows that are there once for all variants (once.c). */

/* The row loops that all variants share. The builder goes on where there are other rows. */
void emit_merged(part_emitter *e, const LLVMValueRef *pointers, const LLVMValueRef *row_strides);

#endif

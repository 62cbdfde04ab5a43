/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State that the files share that emit a kernel: kernel.c (parts and their variants), merged.c (row
 * loops that all variants share), rows.c (loops over planes, rows and columns), peeled.c (where
 * rows begin and end), step.c and body.c (loops over columns, and what is in them).
 *
 * State is divided by how long it stays: kernel_emitter and part_emitter are constant while a
 * kernel and a part are emitted, row_emitter while the row loop of one variant is, and a step is a
 * value. */
#ifndef TOSAJIT_JIT_EMIT_PART_H
#define TOSAJIT_JIT_EMIT_PART_H

#include "jit/math/emitters.h"
#include "jit/facts/requantised_add.h"
#include "jit/schedule/nest.h"
#include "jit/target/target.h"
#include "runtime/expr/reduce.h"
#include "tosajit/inspect.h"

/* Constant for a kernel; the arrays belong to emit_kernel. */
typedef struct kernel_emitter {
    const tosajit_expr *program;
    const target *target;
    const plan *plan;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef i64, ptr;
    range *ranges;                     /* per node */
    real_range *reals;                 /* per node */
    requantised_add *requantised_adds; /* per node */
    size_t *left; /* instructions that may still be emitted; at 0 the kernel is too long */
    /* Per node, for a row_emitter. */
    LLVMValueRef *scalars, *splats, *values;
} kernel_emitter;

/* A level of the nest in one part: it goes from where the level before ended, while the column is
 * below `end`. A masked or shared level goes to the last column. */
typedef struct level {
    nest_level nest;
    LLVMValueRef end;  /* the same in every row */
    LLVMValueRef mask; /* of a masked level that is a single step */
} level;

/* Constant for a part, once emit_part has begun it. */
typedef struct part_emitter {
    kernel_emitter k;
    const plan_part *part;
    uint64_t part_bit;
    nest nest;
    LLVMValueRef function, pointers, strides, planes, rows, cols, planes_left;
    LLVMValueRef result_bytes; /* of a call whose parts take turns; as a pointer */
    LLVMBasicBlockRef done;    /* returns */
    level levels[NEST_MAX_LEVELS];
    /* The column of a last single step. With FastISel, at [n - 1], its distance in bytes where
     * elements have n bytes. */
    LLVMValueRef tail, tail_bytes[8];
    LLVMValueRef brief; /* the mask of rows that are at most a vector, or null */
    /* Of accumulators in memory: a strip's totals and a segment's partial results; or those of rows
     * that are folded together. */
    LLVMValueRef memory[TOSAJIT_MAX_TENSORS][2];
    /* Tables of bytes in registers; of other leaves the first is null. */
    LLVMValueRef loaded[TOSAJIT_MAX_TENSORS][LANE_TABLE_REGISTERS];
    /* Tables that are not loaded, because they are affine: which ones, and their functions. */
    uint64_t on_lines;
    affine_table lines[TOSAJIT_MAX_TENSORS];
} part_emitter;

/* The rows of one variant in one kind of row loop. */
typedef struct row_emitter {
    const part_emitter *part;
    const tosajit_variant *variant;
    LLVMBasicBlockRef done;                     /* behind the last plane */
    const LLVMValueRef *row_strides;            /* bytes */
    LLVMValueRef pointers[TOSAJIT_MAX_TENSORS]; /* of the row */
    /* Per node: its value for the whole row, or null; the same in every lane of the level that is
     * being emitted; its lanes in the body that is being emitted. */
    LLVMValueRef *scalars, *splats, *values;
    /* Of `either` leaves: memory for a splat buffer; what the column is masked with, 0 for a splat,
     * else -1; the buffer, or where the row starts. */
    LLVMValueRef buffers[TOSAJIT_MAX_TENSORS], buffer_masks[TOSAJIT_MAX_TENSORS];
    LLVMValueRef buffer_bases[TOSAJIT_MAX_TENSORS];
    /* Of results that are reductions: what the steps so far have made, vectors of a step. Each step
     * takes the next of the groups. */
    const nest_accumulator *accumulator;
    unsigned groups;
    LLVMValueRef row, together; /* the row's number; rows below this one are folded together */
    /* Where along what is reduced the step's first lane is, or the row: the sum of both. */
    LLVMValueRef place;
    unsigned place_offset;
    LLVMValueRef partials[TOSAJIT_MAX_TENSORS][REDUCE_PARTIALS];
} row_emitter;

/* Lanes at column + offset. A null mask is all of them. */
typedef struct step {
    unsigned lanes;
    LLVMValueRef column;
    unsigned offset;
    LLVMValueRef mask;
    bool streamed; /* stores bypass the caches */
} step;

/* Values of tensors in a step that is computed or stored later. */
typedef struct held {
    LLVMValueRef values[TOSAJIT_MAX_TENSORS];
} held;

static inline unsigned step_size(const level *lv) { return lv->nest.lanes * lv->nest.repeats; }
static inline int32_t tensor_count(const part_emitter *e) {
    return e->part->leaf_count + e->part->result_count;
}
static inline bool has_bit(uint64_t set, int32_t t) { return set >> t & 1; }

/* True if the part computes or reads a node. */
static inline bool has_node(const part_emitter *e, size_t k) {
    return (e->k.plan->node_parts[k] & e->part_bit) != 0;
}

static inline tosajit_value tensor_value(const part_emitter *e, int32_t t) {
    int32_t leaves = e->part->leaf_count;
    return t < leaves ? e->part->leaves[t].value : e->part->values[t - leaves];
}

static inline const expr_node *tensor_node(const part_emitter *e, int32_t t) {
    return &e->k.program->nodes[tensor_value(e, t)];
}

static inline lane lane_of(const part_emitter *e, unsigned lanes) {
    return (lane){e->k.context, e->k.module, e->k.builder, e->k.target, lanes, false};
}

static inline LLVMBasicBlockRef new_block(const part_emitter *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->k.context, e->function, name);
}

/* Go on in a block that has been branched to: here, so that blocks lie in the order in which they
 * run. */
static inline void continue_in(const part_emitter *e, LLVMBasicBlockRef block) {
    LLVMAppendExistingBasicBlock(e->function, block);
    LLVMPositionBuilderAtEnd(e->k.builder, block);
}

/* Go on in a block that is entered if the condition holds. What is returned, behind it, is where
 * else to go on: by continue_in, or by end_if from here, too. */
static inline LLVMBasicBlockRef begin_if(const part_emitter *e, LLVMValueRef condition,
                                         const char *name, const char *behind) {
    LLVMBasicBlockRef block = new_block(e, name),
                      after = LLVMCreateBasicBlockInContext(e->k.context, behind);
    LLVMBuildCondBr(e->k.builder, condition, block, after);
    LLVMPositionBuilderAtEnd(e->k.builder, block);
    return after;
}

static inline void end_if(const part_emitter *e, LLVMBasicBlockRef after) {
    LLVMBuildBr(e->k.builder, after);
    continue_in(e, after);
}

static inline LLVMValueRef compare(const part_emitter *e, LLVMIntPredicate predicate,
                                   LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildICmp(e->k.builder, predicate, a, b, "");
}

/* A value at the head of a loop, where it is `first` when it comes from the block `before`. */
static inline LLVMValueRef enter_value(const part_emitter *e, const char *name, LLVMValueRef first,
                                       LLVMBasicBlockRef before) {
    LLVMValueRef phi = LLVMBuildPhi(e->k.builder, LLVMTypeOf(first), name);
    LLVMAddIncoming(phi, &first, &before, 1);
    return phi;
}

/* The value of such a phi in the next turn, to which this block is about to branch. */
static inline void turn_value(const part_emitter *e, LLVMValueRef phi, LLVMValueRef next) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->k.builder);
    LLVMAddIncoming(phi, &next, &here, 1);
}

static inline LLVMValueRef int64_constant(const part_emitter *e, int64_t value) {
    return LLVMConstInt(e->k.i64, (unsigned long long)value, 1);
}

/* The address so many bytes behind a pointer. */
static inline LLVMValueRef behind(const part_emitter *e, LLVMValueRef pointer, LLVMValueRef bytes) {
    LLVMTypeRef byte = LLVMInt8TypeInContext(e->k.context);
    return LLVMBuildGEP2(e->k.builder, byte, pointer, &bytes, 1, "");
}

static inline LLVMValueRef load_at(const part_emitter *e, LLVMTypeRef type, LLVMValueRef array,
                                   int64_t index) {
    LLVMValueRef at = int64_constant(e, index);
    return LLVMBuildLoad2(e->k.builder, type, LLVMBuildGEP2(e->k.builder, type, array, &at, 1, ""),
                          "");
}

static inline LLVMValueRef column_stride(const part_emitter *e, int32_t t) {
    LLVMValueRef at = int64_constant(e, 2 * t + 1);
    return LLVMBuildLoad2(e->k.builder, e->k.i64,
                          LLVMBuildGEP2(e->k.builder, e->k.i64, e->strides, &at, 1, ""), "");
}

/* Bodies. */

/* Memory of the entry block, so that no loop grows the stack. */
LLVMValueRef entry_memory(const part_emitter *e, LLVMTypeRef type);
/* Memory for the splat buffers of a variant: once, before its rows. */
void emit_splat_buffers(row_emitter *r);
/* Values that are the same for the whole row: splats, constants, and ops of nothing else; and the
 * buffers.
 */
void emit_row_scalars(row_emitter *r);
void fill_splat_buffers(row_emitter *r);
/* The scalars in every lane of the bodies to come. */
void emit_splats(row_emitter *r, unsigned lanes);
/* Load, compute and store a step; `values` are the first two, and the body is all three. */
void emit_loads(row_emitter *r, step s);
void emit_nodes(row_emitter *r, unsigned lanes);
void emit_stores(row_emitter *r, step s);
void emit_values(row_emitter *r, step s);
void emit_body(row_emitter *r, step s);
/* Begin a step whose leaves are there already: what is the same in the row. */
void begin_values(row_emitter *r);
/* The address of the element at column + offset of a tensor. */
LLVMValueRef element_address(const row_emitter *r, int32_t t, LLVMValueRef column, unsigned offset);
/* One step of a level's loop, from column on. `tail` are the leaves of a shared level's tail, or
 * null. */
void emit_step(row_emitter *r, const level *lv, LLVMValueRef column, const held *tail);
/* The loop: all steps from `start` while the column is below lv->end. What is returned is the
 * column that it has left to others. */
LLVMValueRef emit_level(row_emitter *r, const level *lv, LLVMValueRef start, const held *tail);

/* Peeled vectors. */

/* The column at which a row's last vector of so many lanes begins. */
LLVMValueRef emit_last_column(const part_emitter *e, unsigned lanes);
/* Load the leaves' values of a row's last vector; store the values of a row's last vector. A row
 * that is shorter is made of two narrower vectors, which overlap. `widest` is the most lanes that
 * it may have: all, or half of them. */
void emit_last_loads(row_emitter *r, unsigned lanes, unsigned widest);
void emit_last_stores(row_emitter *r, unsigned lanes, unsigned widest);
/* Keep the values of tensors, leaves or results; take them again. */
void hold(const row_emitter *r, int32_t first, int32_t end, held *h);
void take(row_emitter *r, int32_t first, int32_t end, const held *h);
/* The leaves as `count` blocks have loaded them, where these meet. */
void join_leaves(row_emitter *r, const held *loaded, LLVMBasicBlockRef *from, unsigned count);
/* The column at which the loops of a row begin: 1 to so many lanes behind the row's begin. The
 * first result is aligned there, as far as the bits of `aligned` say. */
LLVMValueRef emit_aligned_column(const row_emitter *r, LLVMValueRef aligned, unsigned lanes);

/* Loops. */

LLVMValueRef smaller_of(const part_emitter *e, LLVMValueRef a, LLVMValueRef b);

/* A loop whose index goes from `start`, which is below `end`, by steps. */
typedef struct counted_loop {
    LLVMBasicBlockRef head;
    LLVMValueRef index;
} counted_loop;
counted_loop begin_counted(const part_emitter *e, const char *name, LLVMValueRef start);
void end_counted(const part_emitter *e, const counted_loop *loop, int64_t step, LLVMValueRef end);
/* The same where `next`, the index of the next turn, is there. */
void end_counted_at(const part_emitter *e, const counted_loop *loop, LLVMValueRef next,
                    LLVMValueRef end);
/* One in which r->pointers move, too, and are `moving` at its head. */
counted_loop begin_rows(row_emitter *r, const char *name, const LLVMValueRef *pointers,
                        LLVMValueRef *moving);

/* Where a loop over rows stands. */
typedef struct row_state {
    LLVMValueRef first, pointers[TOSAJIT_MAX_TENSORS];
} row_state;
/* A loop over rows, `step` of them at once, from the state `s` to the last row before `end`.
 * Afterwards `s` is the state behind the loop. `emit` leaves r->pointers behind the rows of a turn.
 */
void emit_rows_while(row_emitter *r, unsigned step, LLVMValueRef end, row_state *s,
                     void (*emit)(row_emitter *r, void *context), void *context);

/* Rows. */

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
void emit_limits(part_emitter *e);

/* Where a tile's tensors begin, and how far apart their rows are, in bytes. */
typedef struct tile_values {
    LLVMValueRef pointers[TOSAJIT_MAX_TENSORS], row_strides[TOSAJIT_MAX_TENSORS];
} tile_values;

/* All planes and rows of a variant in one kind of row loop, from its first block to `done`. */
void emit_variant(const part_emitter *e, const tosajit_variant *variant, nest_row row,
                  const tile_values *tile, LLVMBasicBlockRef done);

/* Begin the block of a loop over planes or rows (loop.c). `moving` are its pointers, one per
 * tensor: in the first turn they are `pointers`. */
LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name, const LLVMValueRef *pointers,
                             LLVMValueRef *moving);
/* Move the row pointers by `steps`. `moving`, the pointers of the loop to which this block is about
 * to branch, are these in its next turn. */
void step_pointers(row_emitter *r, const LLVMValueRef *moving, const LLVMValueRef *steps);

/* Reductions (reduce.c). */

/* Combine the values of a step with the partial results; the mask says which lanes exist. */
void emit_reductions(row_emitter *r, unsigned lanes, LLVMValueRef mask);
/* Partial results that a loop hands on, if there are any. */
typedef struct handed {
    LLVMValueRef phis[TOSAJIT_MAX_TENSORS][REDUCE_PARTIALS];
} handed;
/* At the head of a loop: they come from the block before it. */
void enter_partials(row_emitter *r, LLVMBasicBlockRef before, handed *h);
/* From this block they come to the head again. */
void hand_partials(const row_emitter *r, const handed *h);
void keep_partials(const row_emitter *r, handed *h);
/* Where two ways meet: here from `first`, where they were `kept`, or from `second` as they are. */
void join_partials(row_emitter *r, const handed *kept, LLVMBasicBlockRef first,
                   LLVMBasicBlockRef second);
/* Memory for partial results, in the function's first block: once for all variants. */
void emit_accumulator_memory(part_emitter *e);

/* The row loops that all variants share (merged.c). The builder goes on where there are other rows.
 */
void emit_merged(const part_emitter *e, const tile_values *tile);

#endif

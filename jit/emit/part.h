/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What emitting one part needs: shared by jit/emit/kernel.c (parts and their variants),
 * jit/emit/rows.c (loops over planes, rows and columns) and jit/emit/body.c (what is in them). */
#ifndef TOSAJIT_JIT_EMIT_PART_H
#define TOSAJIT_JIT_EMIT_PART_H

#include "jit/emit/emit.h"
#include "jit/target/target.h"
#include "runtime/run/kernel.h"

enum { MAX_LEVELS = 3 };

/* A loop over columns from where the level before ended to `end`, in steps of `repeats` bodies of
 * `lanes`. A masked level goes to the last column. */
typedef struct level {
    unsigned lanes, repeats;
    bool masked; /* its steps load and store by a mask */
    bool shared; /* whole steps and a last, shorter one run the same body; only the latter masks */
    LLVMValueRef end;  /* the column at which it ends; the same in every row */
    LLVMValueRef mask; /* of a masked level that is a single step */
} level;

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
    level levels[MAX_LEVELS];
    int level_count;
    int64_t fixed_cols; /* of the rows that are being emitted; 0: any number */
    bool plain;         /* the part's code needs no optimiser (plain.h) */
    bool freeze;        /* and its ops gain nothing from knowing which operands are constants */

    /* Per node: its value for the whole row, or null; the same in every lane of the level that is
     * being emitted; its lanes in the body that is being emitted. */
    LLVMValueRef *scalars, *splats, *values;
    LLVMValueRef row_pointers[TOSAJIT_MAX_TENSORS];
    /* Tables of bytes in registers; of other leaves the first is null. */
    LLVMValueRef loaded[TOSAJIT_MAX_TENSORS][LANE_TABLE_REGISTERS];
    /* Of plain parts: the column of a last single step, and at [n - 1] its distance in bytes where
     * elements have n bytes. */
    LLVMValueRef tail, tail_bytes[8];
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

static inline const expr_node *tensor_node(const part_emitter *e, int32_t t) {
    int32_t leaves = e->part->leaf_count;
    return &e->program->nodes[t < leaves ? e->part->leaves[t].value
                                         : e->program->results[e->part->results[t - leaves]]];
}

static inline lane lane_of(const part_emitter *e, unsigned lanes) {
    return (lane){e->context, e->module, e->builder, e->target, lanes};
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
/* Load, compute and store lanes at column + offset; a null mask is all of them. */
void emit_body(part_emitter *e, const tosajit_variant *variant, unsigned lanes, LLVMValueRef column,
               unsigned offset, LLVMValueRef mask);
/* One step of a level's loop, from column on. */
void emit_step(part_emitter *e, const tosajit_variant *variant, const level *lv,
               LLVMValueRef column);

/* Rows. */

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
void emit_limits(part_emitter *e);
/* One variant, from its first block to the function's last. `pointers` are where the tensors begin,
 * `row_strides` bytes. */
void emit_variant(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers,
                  const LLVMValueRef *row_strides);

#endif

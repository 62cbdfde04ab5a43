/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Columns before rows. Scales of channels are the same in every row, and half of a rescale's
 * instructions prepare them. So where columns are whole steps, many rows of one step come before
 * the next step, and what is prepared stays in registers:
 *
 *     for each group of 32 rows:
 *         for each step of columns:
 *             load the leaves that are the same in every row, and what is made of them
 *             for each row of the group:
 *                 load the others, compute, store
 *
 * The first step goes through memory in leaps, which the processor does not foresee. So it fetches
 * the same lines of the next group ahead. */
#include <string.h>

#include "jit/emit/part.h"
#include "runtime/base/types.h"

enum { GROUP = 32 };

/* Load the leaves that are the same in every row, or those that are not. */
static void load_leaves(part_emitter *e, const tosajit_variant *variant, LLVMValueRef column,
                        bool stands) {
    lane l = lane_of(e, e->levels[0].lanes);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (!has_bit(variant->splat, t) && loop_stands(e->part, t) == stands)
            e->values[e->part->leaves[t].value] =
                lane_load(&l, tensor_node(e, t)->type.element,
                          element_address(e, variant, t, column, 0), NULL);
}

/* Fetch what a row of the next group reads and writes at these columns. Behind the last row that is
 * memory of others, or none, which does no harm. */
static void fetch_ahead(part_emitter *e, const tosajit_variant *variant, LLVMValueRef column,
                        const LLVMValueRef *row_strides) {
    const unsigned lanes = e->levels[0].lanes;
    lane l = lane_of(e, lanes);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        if (t < e->part->leaf_count && (has_bit(variant->splat, t) || loop_stands(e->part, t)))
            continue;
        LLVMValueRef ahead = LLVMBuildMul(e->builder, row_strides[t], int64_constant(e, GROUP), "");
        LLVMValueRef address =
            LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context),
                          element_address(e, variant, t, column, 0), &ahead, 1, "");
        lane_fetch(&l, tensor_node(e, t)->type.element, address);
    }
}

/* A row's step, from what stands on. */
static void emit_step_of_row(part_emitter *e, const tosajit_variant *variant, LLVMValueRef column,
                             const held *standing, const LLVMValueRef *row_strides) {
    const unsigned lanes = e->levels[0].lanes;
    emit_row_scalars(e, variant);
    emit_splats(e, lanes);
    memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (standing->values[t]) e->values[e->part->leaves[t].value] = standing->values[t];
    load_leaves(e, variant, column, false);
    fetch_ahead(e, variant, column, row_strides);
    emit_nodes(e, lanes);
    emit_stores(e, variant, lanes, column, 0, NULL);
}

/* The rows from `first` to `end`, which begin at `pointers`, at a step of columns. */
static void emit_group(part_emitter *e, const tosajit_variant *variant, LLVMValueRef column,
                       const LLVMValueRef *pointers, const LLVMValueRef *row_strides,
                       LLVMValueRef first, LLVMValueRef end) {
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    held standing;
    memcpy(e->row_pointers, pointers, (size_t)tensor_count(e) * sizeof *pointers);
    memset(e->values, 0, e->program->count * sizeof *e->values);
    load_leaves(e, variant, column, true);
    hold(e, 0, e->part->leaf_count, &standing);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder),
                      head = enter_loop(e, "rows", pointers, moving);
    LLVMValueRef row = LLVMBuildPhi(e->builder, e->i64, "row");
    memcpy(e->row_pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    emit_step_of_row(e, variant, column, &standing, row_strides);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder),
                      after = LLVMCreateBasicBlockInContext(e->context, "rows.end");
    LLVMValueRef next = LLVMBuildAdd(e->builder, row, int64_constant(e, 1), "");
    LLVMAddIncoming(row, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    step_pointers(e, moving, row_strides);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, end, ""), head, after);
    continue_in(e, after);
}

/* All steps of columns of a group of rows. */
static void emit_steps(part_emitter *e, const tosajit_variant *variant,
                       const LLVMValueRef *pointers, const LLVMValueRef *row_strides,
                       LLVMValueRef first, LLVMValueRef end) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), columns = new_block(e, "columns"),
                      after = LLVMCreateBasicBlockInContext(e->context, "columns.end");
    LLVMValueRef zero = int64_constant(e, 0), step = int64_constant(e, e->levels[0].lanes);
    LLVMBuildBr(e->builder, columns);
    LLVMPositionBuilderAtEnd(e->builder, columns);
    LLVMValueRef column = LLVMBuildPhi(e->builder, e->i64, "column");
    emit_group(e, variant, column, pointers, row_strides, first, end);
    LLVMValueRef next = LLVMBuildAdd(e->builder, column, step, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMAddIncoming(column, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, e->cols, ""), columns,
                    after);
    continue_in(e, after);
}

void emit_columns(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers,
                  const LLVMValueRef *row_strides, LLVMBasicBlockRef after) {
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS], zero = int64_constant(e, 0);
    lane one = lane_of(e, 1);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder),
                      groups = enter_loop(e, "groups", pointers, moving);
    LLVMValueRef first = LLVMBuildPhi(e->builder, e->i64, "first");
    LLVMValueRef whole = LLVMBuildAdd(e->builder, first, int64_constant(e, GROUP), "");
    LLVMValueRef end = lane_intrinsic(&one, "llvm.smin", (LLVMValueRef[]){whole, e->rows}, 2);
    emit_steps(e, variant, moving, row_strides, first, end);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    for (int32_t t = 0; t < tensor_count(e); t++)
        LLVMAddIncoming(moving[t], &e->row_pointers[t], &last, 1);
    LLVMAddIncoming(first, (LLVMValueRef[]){zero, end}, (LLVMBasicBlockRef[]){before, last}, 2);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, end, e->rows, ""), groups,
                    after);
}

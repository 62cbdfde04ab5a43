/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels in IR: a function per part, which checks which of the part's loop variants its column
 * strides ask for. Then it walks planes x rows x columns (jit/emit/rows.c). */
#include "jit/emit/kernel.h"

#include <string.h>

#include "jit/emit/part.h"
#include "jit/emit/fast_isel.h"
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

/* True if the column strides of the call ask for this variant. Only leaves that differ between
 * variants are looked at. */
static LLVMValueRef emit_matches(const part_emitter *e, const tosajit_variant *variant,
                                 uint64_t differing) {
    LLVMValueRef all = NULL;
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(differing & ~variant->either, t)) continue;
        LLVMIntPredicate predicate = has_bit(variant->splat, t) ? LLVMIntEQ : LLVMIntNE;
        LLVMValueRef one = compare(e, predicate, column_stride(e, t), int64_constant(e, 0));
        all = all ? LLVMBuildAnd(e->k.builder, all, one, "") : one;
    }
    return all ? all : LLVMConstInt(LLVMInt1TypeInContext(e->k.context), 1, 0);
}

/* The function that has a table's entries, as emit_table computes it. All that look the table up
 * must do so with bytes of the same types. */
static bool find_line(part_emitter *e, int32_t t, const int8_t *entries) {
    int8_t turned[TABLE_BYTES];
    const tosajit_expr *program = e->k.program;
    const expr_node *first = NULL;
    bool same = true;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!has_node(e, k) || node->kind != NODE_OP || !op_has_table(node->op) ||
            node->operands[1] != e->part->leaves[t].value)
            continue;
        if (!first) first = node;
        same &= node->type.element == first->type.element &&
                program->nodes[node->operands[0]].type.element ==
                    program->nodes[first->operands[0]].type.element;
    }
    if (!first || !same) return false;
    turn_entries(entries, type_is_unsigned(program->nodes[first->operands[0]].type.element),
                 type_is_unsigned(first->type.element), turned);
    return find_affine(turned, &e->lines[t]);
}

/* Once for all planes and rows. */
static void emit_tables(part_emitter *e, const LLVMValueRef *pointers) {
    lane one = lane_of(e, 1);
    e->on_lines = 0;
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        const expr_node *node = tensor_node(e, t);
        e->loaded[t][0] = NULL;
        if (!e->part->leaves[t].table || node->type.element != TOSAJIT_I8) continue;
        const int8_t *entries = node->kind == NODE_CONSTANT ? node->data : NULL;
        if (entries && lane_prefers_affine(&one) && find_line(e, t, entries))
            e->on_lines |= UINT64_C(1) << t;
        else
            lane_table_load(&one, pointers[t], column_stride(e, t), entries, e->loaded[t]);
    }
}

/* From the entry to the tile; a tile without elements is done at once. */
static void enter_tile(part_emitter *e) {
    LLVMBasicBlockRef check = new_block(e, "entry"), tile = new_block(e, "tile");
    LLVMPositionBuilderAtEnd(e->k.builder, check);
    if (e->part->has_planes)
        e->planes_left = LLVMBuildAlloca(e->k.builder, e->k.i64, "planes.left");
    emit_accumulator_memory(e);
    e->done = LLVMCreateBasicBlockInContext(e->k.context, "done");
    LLVMValueRef zero = int64_constant(e, 0);
    LLVMValueRef any = LLVMBuildAnd(e->k.builder, compare(e, LLVMIntSGT, e->rows, zero),
                                    compare(e, LLVMIntSGT, e->cols, zero), "");
    if (e->part->has_planes)
        any = LLVMBuildAnd(e->k.builder, any, compare(e, LLVMIntSGT, e->planes, zero), "");
    LLVMBuildCondBr(e->k.builder, any, tile, e->done);
    LLVMPositionBuilderAtEnd(e->k.builder, tile);
}

static void emit_part(part_emitter *e) {
    tile_values tile;
    enter_tile(e);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        tile.pointers[t] = load_at(e, e->k.ptr, e->pointers, t);
        tile.row_strides[t] = load_at(e, e->k.i64, e->strides, 2 * t);
    }
    emit_tables(e, tile.pointers);
    emit_limits(e);
    emit_merged(e, &tile);
    const uint64_t differing = nest_differing(e->part);
    for (int32_t v = 0; v < e->part->variant_count; v++) {
        const tosajit_variant *variant = &e->part->variants[v];
        const bool last = v + 1 == e->part->variant_count;
        LLVMBasicBlockRef other = NULL;
        if (!last) other = begin_if(e, emit_matches(e, variant, differing), "variant", "other");
        emit_variant(e, variant, e->nest.rows[0], &tile, e->done);
        if (!last) continue_in(e, other);
    }
    continue_in(e, e->done);
    LLVMBuildRetVoid(e->k.builder);
}

static void add_attribute(LLVMValueRef function, const char *key, const char *value) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, key, (unsigned)strlen(key),
                                                           value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

/* A tosajit_entry (tosajit.h), whose parameters these are. It needs no context, since it was made
 * for the part. There a call that takes turns says how many bytes its results have. */
static void declare_function(part_emitter *e, const char *name) {
    enum { CONTEXT, POINTERS, STRIDES, PLANES, ROWS, COLS, PARAMETERS };
    LLVMTypeRef parameters[PARAMETERS] = {
        [CONTEXT] = e->k.ptr, [POINTERS] = e->k.ptr, [STRIDES] = e->k.ptr,
        [PLANES] = e->k.i64,  [ROWS] = e->k.i64,     [COLS] = e->k.i64};
    e->function = LLVMAddFunction(
        e->k.module, name,
        LLVMFunctionType(LLVMVoidTypeInContext(e->k.context), parameters, PARAMETERS, 0));
    e->result_bytes = LLVMGetParam(e->function, CONTEXT);
    e->pointers = LLVMGetParam(e->function, POINTERS);
    e->strides = LLVMGetParam(e->function, STRIDES);
    e->planes = LLVMGetParam(e->function, PLANES);
    e->rows = LLVMGetParam(e->function, ROWS);
    e->cols = LLVMGetParam(e->function, COLS);
}

/* Of every function that has a body; emitters may have added some. */
static void set_attributes(LLVMModuleRef module, const target *t) {
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function)) continue;
        /* Without unwind tables the object is text and constants only. */
        lane_add_flag(function, "nounwind");
        add_attribute(function, "target-cpu", t->cpu);
        add_attribute(function, "target-features", t->features);
        if (t->tune) add_attribute(function, "tune-cpu", t->tune);
        /* A larger frame is reported through the context's diagnostics. */
        add_attribute(function, "warn-stack-size", EMIT_STACK_LIMIT);
        /* Tuning models prefer narrower registers than the loops were planned for. */
        if (t->level->vector_bytes > 16)
            add_attribute(function, "prefer-vector-width",
                          t->level->vector_bytes == 64 ? "512" : "256");
    }
}

/* A node is emitted once for a row, once for each level, and three times for peeled vectors, in
 * every variant of every part. */
size_t emit_most(const tosajit_expr *program, const plan *p) {
    enum { LIGHT = 64, HEAVY = 256 };
    size_t once = 0, variants = 0;
    for (size_t k = 0; k < program->count; k++)
        once += op_is_heavy(program->nodes[k].op) ? HEAVY : LIGHT;
    for (int32_t k = 0; k < p->part_count; k++) variants += (size_t)p->parts[k].variant_count;
    return once * variants * (1 + 3 + NEST_MAX_LEVELS);
}

/* Take the function's length from the rest. While the function was emitted only instructions of
 * nodes were counted, so that emitting could stop in time. Here instructions of loops and addresses
 * count as well. */
static tosajit_status take_length(const part_emitter *e, size_t before) {
    size_t length = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(e->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            length++;
    *e->k.left = length < before ? before - length : 0;
    if (*e->k.left > 0) return TOSAJIT_OK;
    return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                      "the expression makes more than %d instructions, the most that a kernel's "
                      "own code may have",
                      (int)EMIT_MAX_INSTRUCTIONS);
}

/* Reduced dimensions are whole in every tile, but for rows of several segments, which threads may
 * share. A size that is known leaves neither loop nor mask of short rows. */
static void know_size(part_emitter *e) {
    const int64_t size = e->part->axis < 0 ? TOSAJIT_DYNAMIC : plan_reduced_size(e->part);
    const bool rows = nest_reduces_rows(&e->nest);
    if (size == TOSAJIT_DYNAMIC || (rows && size > REDUCE_SEGMENT)) return;
    *(rows ? &e->cols : &e->rows) = int64_constant(e, size);
}

/* Of a part that gathers or scans: nobody calls it, but each part has one. */
static tosajit_status emit_nothing(const kernel_emitter *k, const char *name) {
    part_emitter e = {.k = *k};
    declare_function(&e, name);
    LLVMPositionBuilderAtEnd(k->builder, new_block(&e, "entry"));
    LLVMBuildRetVoid(k->builder);
    return TOSAJIT_OK;
}

static tosajit_status emit_function(const kernel_emitter *k, int32_t part, const char *name) {
    const size_t before = *k->left;
    if (plan_is_bare(&k->plan->parts[part])) return emit_nothing(k, name);
    part_emitter e = {
        .k = *k,
        .part = &k->plan->parts[part],
        .part_bit = UINT64_C(1) << part,
        .nest = nest_make(k->plan, part, k->program,
                          (nest_target){k->target->level, k->target->cache_bytes}),
    };
    declare_function(&e, name);
    know_size(&e);
    emit_part(&e);
    fast_isel_finish(&e);
    return take_length(&e, before);
}

/* Memory per node. */
static void free_nodes(const kernel_emitter *k) {
    const tosajit_allocator *allocator = &k->plan->allocator;
    const size_t count = k->program->count;
    memory_free(allocator, k->scalars, count, sizeof *k->scalars);
    memory_free(allocator, k->splats, count, sizeof *k->splats);
    memory_free(allocator, k->values, count, sizeof *k->values);
    memory_free(allocator, k->ranges, count, sizeof *k->ranges);
    memory_free(allocator, k->reals, count, sizeof *k->reals);
    memory_free(allocator, k->requantised_adds, count, sizeof *k->requantised_adds);
}

static tosajit_status make_nodes(kernel_emitter *k) {
    const tosajit_allocator *allocator = &k->plan->allocator;
    const size_t count = k->program->count;
    k->scalars = memory_new(allocator, count, sizeof *k->scalars);
    k->splats = memory_new(allocator, count, sizeof *k->splats);
    k->values = memory_new(allocator, count, sizeof *k->values);
    k->ranges = memory_new(allocator, count, sizeof *k->ranges);
    k->reals = memory_new(allocator, count, sizeof *k->reals);
    k->requantised_adds = memory_new(allocator, count, sizeof *k->requantised_adds);
    if (!k->scalars || !k->splats || !k->values || !k->ranges || !k->reals || !k->requantised_adds)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for emitting %zu nodes", count);
    find_ranges(k->program, k->ranges);
    find_real_ranges(k->program, k->ranges, k->reals);
    find_requantised_adds(k->program, k->ranges, k->requantised_adds);
    return TOSAJIT_OK;
}

tosajit_status emit_kernel(const tosajit_expr *program, const plan *p, const target *t,
                           LLVMModuleRef module, char *const *names, size_t *left) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    kernel_emitter k = {
        .program = program,
        .target = t,
        .plan = p,
        .context = context,
        .module = module,
        .builder = LLVMCreateBuilderInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
        .ptr = LLVMPointerTypeInContext(context, 0),
        .left = left,
    };
    tosajit_status status = make_nodes(&k);
    for (int32_t part = 0; !status && part < p->part_count; part++)
        status = emit_function(&k, part, names[part]);
    LLVMDisposeBuilder(k.builder);
    set_attributes(module, t);
    free_nodes(&k);
    return status;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter's walk over the elements: every index of the iteration space, every node, in
 * order. It shares no walking code with the kernels, so that each is a check of the other. */
#include "runtime/interpret/interpret.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/interpret/interpret_reduce.h"
#include "runtime/interpret/interpret_scan.h"
#include "runtime/check/gather.h"
#include "runtime/check/iteration_space.h"
#include "runtime/expr/gather.h"
#include "runtime/expr/scatter.h"
#include "runtime/check/scratch.h"

/* The address of the element that index of the iteration space reads: dimensions align at the end,
 * size 1 repeats. */
static char *element(const tosajit_tensor *tensor, int32_t rank, const int64_t *index) {
    char *address = tensor->data;
    int32_t shift = rank - tensor->rank;
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != 1) address += index[d + shift] * tensor->strides[d];
    return address;
}

/* The table that a node looks up, among the leaves. */
static const tosajit_tensor *find_table(const plan_part *part, const expr_node *node,
                                        const view *tensors) {
    for (int32_t k = 0; op_has_table(node->op) && k < part->leaf_count; k++)
        if (part->leaves[k].table && part->leaves[k].value == node->operands[1])
            return &tensors[part->leaves[k].tensor].tensor;
    return NULL;
}

uint64_t interpret_node(const tosajit_expr *program, const expr_node *node,
                        const tosajit_tensor *table, const uint64_t *bits) {
    const bool moves = op_table[node->op].result == RESULT_MOVED;
    cell operands[TOSAJIT_MAX_OPERANDS];
    if (node->kind == NODE_CONSTANT) return convert_load(node->type.element, node->data);
    for (int o = 0; o < node->operand_count; o++) {
        tosajit_type type = program->nodes[node->operands[o]].type.element;
        if (moves && type != TOSAJIT_I1)
            operands[o].i = (int64_t)bits[node->operands[o]];
        else
            operands[o] = convert_decode(type, bits[node->operands[o]]);
    }
    interpret_op op = {&node->attributes, program->nodes[node->operands[0]].type.element,
                       node->type.element, node->operand_count, table};
    const bool is_fast = program->fast && interpret_fast_functions[node->op];
    interpret_function *const function =
        (is_fast ? interpret_fast_functions : interpret_functions)[node->op];
    const cell value = function(&op, operands);
    return moves ? (uint64_t)value.i : convert_encode(node->type.element, value);
}

/* Evaluate every node of the part for one element. */
static void evaluate(const callee *kernel, int32_t part_index, const view *tensors,
                     uint64_t *bits) {
    const tosajit_expr *program = kernel->program;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        const bool known = node->kind == NODE_CONSTANT ? node->splat : node_is_computed(node);
        if (kernel->plan->node_parts[k] >> part_index & 1 && known && !node_reduces(node))
            bits[k] = interpret_node(
                program, node, find_table(&kernel->plan->parts[part_index], node, tensors), bits);
    }
}

/* Step to the next index, the last dimension fastest; false after the last one. */
static bool next(int32_t rank, const int64_t *sizes, int64_t *index) {
    for (int32_t d = rank; d-- > 0;) {
        if (++index[d] < sizes[d]) return true;
        index[d] = 0;
    }
    return false;
}

/* The operand of a reduction, or the value itself: what an element of the space has. */
static tosajit_value element_of(const tosajit_expr *program, tosajit_value value) {
    return node_reduces(&program->nodes[value]) ? program->nodes[value].operands[0] : value;
}

static void load_leaves(const plan_part *part, const view *tensors, const int64_t *index,
                        uint64_t *bits) {
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const tosajit_tensor *leaf = &tensors[part->leaves[k].tensor].tensor;
        if (!part->leaves[k].table)
            bits[part->leaves[k].value] =
                convert_load(leaf->element, element(leaf, part->rank, index));
    }
}

static void store(const tosajit_tensor *result, int32_t rank, const int64_t *index,
                  uint64_t value) {
    /* i1 is stored as 0 or 1, whatever its bits were as an operand. */
    if (result->element == TOSAJIT_I1) value = (value & 0xff) != 0;
    convert_store(result->element, element(result, rank, index), value);
}

/* How many elements each reduction has; 1 where there is none. What has more than 2^63 - 1 comes to
 * no end. */
static int64_t line_elements(const plan_part *part, const int64_t *sizes) {
    int64_t count = 1;
    for (int32_t d = 0; d < part->rank; d++)
        if (plan_reduces(part, d) && sizes[d] == 0) return 0;
    for (int32_t d = 0; d < part->rank; d++)
        if (plan_reduces(part, d) && !size_multiply(count, sizes[d], &count)) return INT64_MAX;
    return count;
}

/* The index of element i along the reduced dimensions, in row-major order. */
static void set_index(const plan_part *part, const int64_t *sizes, int64_t i, int64_t *index) {
    for (int32_t d = part->rank; d-- > 0;)
        if (plan_reduces(part, d)) {
            index[d] = i % sizes[d];
            i /= sizes[d];
        }
}

/* The elements along the part's axis, or the one element where it has none. */
static void interpret_line(const callee *kernel, int32_t part_index, const view *tensors,
                           const int64_t *sizes, int64_t *index, uint64_t *bits) {
    const plan_part *part = &kernel->plan->parts[part_index];
    const view *results = tensors + kernel->tensor_count;
    const int64_t count = line_elements(part, sizes);
    interpret_reduction reductions[part->result_count]; /* of a part there is one */
    for (int32_t k = 0; k < part->result_count; k++)
        if (part->reductions >> k & 1)
            interpret_reduce_begin(&reductions[k], kernel->program,
                                   &kernel->program->nodes[part->values[k]]);
    for (int64_t i = 0; i < count; i++) {
        set_index(part, sizes, i, index);
        load_leaves(part, tensors, index, bits);
        evaluate(kernel, part_index, tensors, bits);
        for (int32_t k = 0; k < part->result_count; k++) {
            const uint64_t value = bits[element_of(kernel->program, part->values[k])];
            if (part->reductions >> k & 1)
                interpret_reduce_add(&reductions[k], i, value);
            else
                store(&results[part->results[k]].tensor, part->rank, index, value);
        }
    }
    for (int32_t d = 0; d < part->rank; d++)
        if (plan_reduces(part, d)) index[d] = 0;
    for (int32_t k = 0; k < part->result_count; k++)
        if (part->reductions >> k & 1)
            store(&results[part->results[k]].tensor, part->rank, index,
                  interpret_reduce_end(&reductions[k], count));
}

/* The index at a place of the part. */
static int64_t index_there(const callee *kernel, const plan_part *part, const view *tensors,
                           const gather_call *call, const int64_t *index) {
    const int32_t leaf = plan_index_of(part, kernel->program);
    const tosajit_tensor *places = &tensors[part->leaves[leaf].tensor].tensor;
    return convert_decode(call->index,
                          convert_load(call->index, element(places, part->rank, index)))
        .i;
}

/* One element of what is gathered. */
static void gather_element(const callee *kernel, const plan_part *part, const view *tensors,
                           const int64_t *index, const gather_call *call) {
    const tosajit_tensor *values =
        &tensors[part->leaves[plan_gather_of(part).values].tensor].tensor;
    tosajit_tensor rest = *values; /* its other dimensions align with the part's */
    rest.rank--, rest.dims++, rest.strides++;
    const int64_t at =
        gather_place(call->mode, index_there(kernel, part, tensors, call, index), call->count);
    const char *from = element(&rest, part->rank, index) + at * call->stride;
    const tosajit_tensor *result = &tensors[kernel->tensor_count + part->results[0]].tensor;
    store(result, part->rank, index, convert_load(values->element, from));
}

/* True if an index that may occur once is that of an earlier update. */
static bool occurs_before(const callee *kernel, const plan_part *part, const view *tensors,
                          const gather_call *call, const int64_t *index) {
    const int64_t place = index_there(kernel, part, tensors, call, index);
    int64_t other[TOSAJIT_MAX_RANK];
    memcpy(other, index, sizeof other);
    for (other[0] = 0; other[0] < index[0]; other[0]++)
        if (index_there(kernel, part, tensors, call, other) == place) return true;
    return false;
}

/* Tell a wrong one among the indices of a part, which may give no elements. */
static void look_at_indices(const callee *kernel, const plan_part *part, const view *tensors,
                            const gather_call *call, const int64_t *sizes, int64_t **bad) {
    const int32_t leaf = plan_index_of(part, kernel->program);
    const tosajit_tensor *places = &tensors[part->leaves[leaf].tensor].tensor;
    int64_t index[TOSAJIT_MAX_RANK] = {0}, own[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < part->rank; d++) {
        const int32_t at = d + places->rank - part->rank;
        const bool repeats = at < 0 || places->dims[at] == 1;
        own[d] = repeats && !(d == 0 && call->once && sizes[d] > 0) ? 1 : sizes[d];
        if (own[d] == 0) return;
    }
    do {
        const int64_t place = index_there(kernel, part, tensors, call, index);
        if (gather_is_wrong(call->mode, place, call->count) ||
            (call->once && occurs_before(kernel, part, tensors, call, index)))
            **bad = place, *bad = NULL;
    } while (*bad && next(part->rank, own, index));
}

/* ---------------------------------------------------------------------------------------------
 * Scatter */

/* An element of a constant of equal elements, or of a leaf. */
static uint64_t scattered_operand(const callee *kernel, const plan_part *part, const view *tensors,
                                  int32_t leaf, int operand, const int64_t *index) {
    const expr_node *nodes = kernel->program->nodes, *node = &nodes[part->values[0]];
    const tosajit_tensor *tensor = leaf < 0 ? NULL : &tensors[part->leaves[leaf].tensor].tensor;
    return convert_load(node->type.element, tensor ? element(tensor, part->rank, index)
                                                   : nodes[node->operands[operand]].data);
}

/* The result's own sizes: `count` and those of the part behind its first dimension. A base of one
 * element along the first dimension has that one alone, and repeats nowhere. */
static void scatter_base(const callee *kernel, const plan_part *part, const view *tensors,
                         const int64_t *sizes, int64_t count) {
    const int32_t base = plan_scatter_of(part, kernel->program).base;
    const tosajit_tensor *result = &tensors[kernel->tensor_count + part->results[0]].tensor;
    int64_t index[TOSAJIT_MAX_RANK] = {0}, own[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < part->rank; d++) {
        own[d] = d ? sizes[d] : count;
        if (own[d] == 0) return;
    }
    do
        store(result, part->rank, index,
              scattered_operand(kernel, part, tensors, base, SCATTER_BASE, index));
    while (next(part->rank, own, index));
}

/* One update. */
static void scatter_element(const callee *kernel, const plan_part *part, const view *tensors,
                            const gather_call *call, const int64_t *index) {
    static const tosajit_op ops[] = {TOSAJIT_OP_identity, TOSAJIT_OP_add, TOSAJIT_OP_maximum,
                                     TOSAJIT_OP_minimum};
    const expr_node *node = &kernel->program->nodes[part->values[0]];
    const tosajit_type type = node->type.element;
    const tosajit_tensor *result = &tensors[kernel->tensor_count + part->results[0]].tensor;
    const uint64_t update =
        scattered_operand(kernel, part, tensors, plan_scatter_of(part, kernel->program).updates,
                          SCATTER_UPDATES, index);
    int64_t to[TOSAJIT_MAX_RANK];
    memcpy(to, index, sizeof to);
    to[0] = gather_place(call->mode, index_there(kernel, part, tensors, call, index), call->count);
    if (node->op == TOSAJIT_OP_scatter) {
        store(result, part->rank, to, update);
        return;
    }
    const tosajit_attributes attributes = {.nan_mode = node->attributes.nan_mode};
    const interpret_op op = {&attributes, type, type, 2, NULL};
    const cell both[] = {convert_decode(type, convert_load(type, element(result, part->rank, to))),
                         convert_decode(type, update)};
    store(result, part->rank, to,
          convert_encode(type, interpret_functions[ops[node->op - TOSAJIT_OP_scatter]](&op, both)));
}

static void scatter(const callee *kernel, const plan_part *part, const view *tensors,
                    const gather_call *call, const int64_t *sizes) {
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    scatter_base(kernel, part, tensors, sizes, call->count);
    for (int32_t d = 0; d < part->rank; d++)
        if (sizes[d] == 0) return;
    do scatter_element(kernel, part, tensors, call, index);
    while (next(part->rank, sizes, index));
}

/* ---------------------------------------------------------------------------------------------
 * Parts */

/* The elements along a scan's axis, from the first one or from the last one. */
static void scan_line(const callee *kernel, const plan_part *part, const view *tensors,
                      int64_t count, int64_t *index) {
    const expr_node *node = &kernel->program->nodes[part->values[0]];
    const tosajit_tensor *from = &tensors[part->leaves[0].tensor].tensor,
                         *to = &tensors[kernel->tensor_count + part->results[0]].tensor;
    interpret_scan scan;
    interpret_scan_begin(&scan, node);
    for (int64_t k = 0; k < count; k++) {
        index[part->along] = node->attributes.reverse ? count - 1 - k : k;
        const uint64_t bits = convert_load(from->element, element(from, part->rank, index));
        store(to, part->rank, index, interpret_scan_add(&scan, bits));
    }
    index[part->along] = 0;
}

static void interpret_part(const callee *kernel, int32_t part_index, const view *tensors,
                           uint64_t *bits, int64_t **bad) {
    const plan_part *part = &kernel->plan->parts[part_index];
    int64_t index[TOSAJIT_MAX_RANK] = {0}, sizes[TOSAJIT_MAX_RANK], lines[TOSAJIT_MAX_RANK];
    run_iteration_space(part, tensors, sizes); /* which has been checked */
    const bool indexed = part->gathers || part->scatters;
    const gather_call call =
        indexed ? gather_call_of(kernel, part, tensors) : (gather_call){.count = 0};
    if (indexed && *bad) look_at_indices(kernel, part, tensors, &call, sizes, bad);
    if (part->scatters) {
        scatter(kernel, part, tensors, &call, sizes);
        return;
    }
    for (int32_t d = 0; d < part->rank; d++) {
        lines[d] = plan_keeps(part, d) ? 1 : sizes[d];
        if (lines[d] == 0 || (part->scans && sizes[d] == 0)) return;
    }
    if (part->gathers) {
        do gather_element(kernel, part, tensors, index, &call);
        while (next(part->rank, lines, index));
        return;
    }
    do
        if (part->scans)
            scan_line(kernel, part, tensors, sizes[part->along], index);
        else
            interpret_line(kernel, part_index, tensors, sizes, index, bits);
    while (next(part->rank, lines, index));
}

/* Memory of a call: a number for each node, and what parts keep for later ones. */
typedef struct memory {
    uint64_t *bits;
    char *scratch;
    struct scratch laid;
} memory;

static tosajit_status take_memory(const callee *kernel, view *tensors, uint64_t *stack,
                                  size_t stack_nodes, memory *m) {
    const size_t count = kernel->program->count;
    m->bits = stack;
    m->scratch = NULL;
    if (count > stack_nodes &&
        !(m->bits = memory_new(&kernel->plan->allocator, count, sizeof *m->bits)))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for interpreting %zu nodes", count);
    tosajit_status status = scratch_make(kernel, tensors, 0, NULL, &m->laid);
    if (status || m->laid.bytes == 0) return status;
    m->scratch = memory_uncleared(&kernel->plan->allocator, (size_t)m->laid.bytes);
    if (!m->scratch)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %lld bytes of scratch",
                          (long long)m->laid.bytes);
    scratch_place(kernel, tensors, &m->laid, m->scratch);
    return TOSAJIT_OK;
}

/* The first of the parts; where that is a first pass, results are scratch, and an index may be
 * wrong. */
static tosajit_status interpret_parts(const callee *kernel, view *tensors, int32_t parts,
                                      bool first) {
    enum { STACK_NODES = 512 };
    uint64_t stack[STACK_NODES];
    scratch_value values[kernel->plan->result_count + kernel->plan->scratch_count];
    memory m = {.laid = {.values = values, .results = first}};
    tosajit_status status = take_memory(kernel, tensors, stack, STACK_NODES, &m);
    fpenv environment;
    fpenv_hold(&environment);
    for (int32_t p = 0; !status && p < parts; p++) {
        int64_t place, *bad = first ? &place : NULL;
        interpret_part(kernel, p, tensors, m.bits, &bad);
        if (first && !bad) status = gather_refuse(kernel, &kernel->plan->parts[p], tensors, place);
    }
    fpenv_restore(&environment);
    if (m.bits != stack)
        memory_free(&kernel->plan->allocator, m.bits, kernel->program->count, sizeof *m.bits);
    memory_free(&kernel->plan->allocator, m.scratch, m.scratch ? (size_t)m.laid.bytes : 0, 1);
    return status;
}

tosajit_status interpret_run(const callee *kernel, view *tensors) {
    const int32_t checked = kernel->plan->checked_parts;
    view results[kernel->plan->result_count];
    view *const own = tensors + kernel->tensor_count;
    tosajit_status status = TOSAJIT_OK;
    if (checked) {
        memcpy(results, own, sizeof results); /* strides are their own, at the same place again */
        status = interpret_parts(kernel, tensors, checked, true);
        memcpy(own, results, sizeof results);
    }
    return status ? status : interpret_parts(kernel, tensors, kernel->plan->part_count, false);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plan: which dimension of which operand decides each size of the iteration space, and what is left
 * for the call.
 *
 * Per value and dimension the analysis carries the static size, if there is one, and the set of
 * tensors whose dynamic size takes part. Broadcasting is associative, so the set says everything
 * about a dynamic size: it is the only size other than 1 among them.
 *
 * The sum of a: ?x1 and b: 8x? through all of it:
 *
 *                                   dimension 0                    dimension 1
 *     a: size, `dynamic`            ?, {a}                         1, {}
 *     b: size, `dynamic`            8, {}, and `stretched`         ?, {b}
 *     sum: size, `dynamic`          8, {a}, and `stretched`        ?, {b}
 *     map of a                      a's size == 1 ? 0 : d0         0
 *     map of b                      d0                             d1
 *     `above_one`                   yes: 8                         no: b's size may be 1
 *
 * a's size does not decide dimension 0, because 8 does: it is 8 or 1 when called. b's alone decides
 * dimension 1. A contract that a's size is at least 2 would put a into `firm`, and make its map d0.
 *
 * Which loops does the code need? Dimension 1 is innermost; if it is 1, dimension 0 is, and that is
 * above one. Along the innermost a is one value in dimension 1, and either in dimension 0; b is
 * contiguous in both. So may_splat = {a}, may_contiguous = {a, b}: a may be either, b is always
 * contiguous, and there are two loops, with a as a splat and without. */
#include "runtime/plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/expr/gather.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"
#include "runtime/expr/scatter.h"
#include "runtime/plan/costs.h"
#include "runtime/plan/spaces.h"
#include "runtime/base/types.h"

static value_info leaf_info(const tosajit_expr *program, tosajit_value value) {
    const expr_node *node = &program->nodes[value];
    value_info info = {.rank = node->type.rank};
    for (int32_t d = 0; d < info.rank; d++) {
        int64_t size = node->type.dims[d];
        bool is_dynamic = size == TOSAJIT_DYNAMIC;
        const tosajit_contract *contract = is_dynamic ? expr_contract_of(program, value, d) : NULL;
        uint64_t bit = is_dynamic ? UINT64_C(1) << node->tensor : 0;
        info.dims[d] = (dim_info){size, bit, contract && contract->smallest > 1 ? bit : 0,
                                  !is_dynamic && size != 1};
    }
    return info;
}

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_demands(const plan_check *a, const plan_check *b) {
    int order = compare_numbers(a->dynamic, b->dynamic);
    if (!order) order = compare_numbers(a->other, b->other);
    if (!order) order = compare_numbers((uint64_t)a->size, (uint64_t)b->size);
    return order ? order : compare_numbers((uint64_t)a->from_end, (uint64_t)b->from_end);
}

static int by_demand(const void *a, const void *b) {
    const plan_check *first = a, *second = b;
    int order = compare_demands(first, second);
    return order ? order : compare_numbers(first->position, second->position);
}

static int by_position(const void *a, const void *b) {
    return compare_numbers(((const plan_check *)a)->position, ((const plan_check *)b)->position);
}

/* Keep the first of checks that demand the same; their order is the one in which calls fail. */
static void merge_checks(plan *p) {
    size_t kept = 1;
    if (p->check_count < 2) return;
    qsort(p->checks, p->check_count, sizeof *p->checks, by_demand);
    for (size_t k = 1; k < p->check_count; k++)
        if (compare_demands(&p->checks[kept - 1], &p->checks[k]) != 0)
            p->checks[kept++] = p->checks[k];
    qsort(p->checks, kept, sizeof *p->checks, by_position);
    p->check_count = kept;
}

static tosajit_status add_check(plan *p, plan_check check) {
    if (p->check_count == p->check_capacity) {
        merge_checks(p); /* many values may demand the same */
        if (p->check_count >= p->check_capacity / 2 &&
            !memory_grow(&p->allocator, (void **)&p->checks, &p->check_capacity,
                         p->check_capacity + 1, sizeof *p->checks))
            return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the plan");
    }
    check.position = p->check_count ? p->checks[p->check_count - 1].position + 1 : 0;
    p->checks[p->check_count++] = check;
    return TOSAJIT_OK;
}

/* Take the declared type of a value into account: it may promise a size that the operands leave
 * open. */
static tosajit_status apply_declared(plan *p, const tosajit_expr *program, tosajit_value value,
                                     value_info *info) {
    const tosajit_tensor_type *type = &program->nodes[value].type;
    for (int32_t d = 0; d < info->rank; d++) {
        dim_info *dim = &info->dims[d];
        int64_t declared = type->dims[d];
        if (declared == TOSAJIT_DYNAMIC || declared == dim->size) continue;
        if (dim->size != TOSAJIT_DYNAMIC)
            return diag_result(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                          "%s dimension %d: declared %" PRId64
                                          ", but the operands always give %" PRId64,
                                          expr_value_name(program, value).text, (int)d, declared,
                                          dim->size),
                               -1, d, declared, dim->size);
        tosajit_status status =
            add_check(p, (plan_check){value, info->rank - d, declared, dim->dynamic, 0, 0});
        if (status) return status;
        dim->size = declared;
    }
    return TOSAJIT_OK;
}

static tosajit_status broadcast_operand(const tosajit_expr *program, tosajit_value value, int o,
                                        const value_info *operand, value_info *info) {
    int32_t shift = info->rank - operand->rank;
    for (int32_t d = 0; d < operand->rank; d++) {
        dim_info *dim = &info->dims[d + shift];
        const dim_info *from = &operand->dims[d];
        if (dim->size != TOSAJIT_DYNAMIC && from->size != TOSAJIT_DYNAMIC && dim->size != 1 &&
            from->size != 1 && dim->size != from->size)
            return diag_operand(diag_error(TOSAJIT_SHAPE_MISMATCH,
                                           "%s: operand %d dimension %d is always %" PRId64
                                           ", which does not broadcast with %" PRId64,
                                           expr_value_name(program, value).text, o, (int)d,
                                           from->size, dim->size),
                                o, d, from->size, dim->size);
        if (dim->size == 1 || (dim->size == TOSAJIT_DYNAMIC && from->size != 1))
            dim->size = from->size;
        dim->dynamic |= from->dynamic;
        dim->firm |= from->firm;
        dim->stretched |= from->stretched;
    }
    return TOSAJIT_OK;
}

/* The one dimension of a parameter must have the size `expected`, which may be dynamic with the
 * tensors of its own. */
static tosajit_status match_parameter(plan *p, const tosajit_expr *program, tosajit_value value,
                                      int o, const dim_info *given, const dim_info *expected) {
    if (given->size != TOSAJIT_DYNAMIC && expected->size != TOSAJIT_DYNAMIC) {
        if (given->size == expected->size) return TOSAJIT_OK;
        return diag_operand(
            diag_error(TOSAJIT_SHAPE_MISMATCH,
                       "%s: operand %d always has %" PRId64 " elements, but must have %" PRId64,
                       expr_value_name(program, value).text, o, given->size, expected->size),
            o, 0, given->size, expected->size);
    }
    tosajit_value parameter = program->nodes[value].operands[o],
                  data = program->nodes[value].operands[0];
    if (given->size == TOSAJIT_DYNAMIC && expected->size == TOSAJIT_DYNAMIC)
        return add_check(
            p, (plan_check){parameter, 1, TOSAJIT_DYNAMIC, given->dynamic, expected->dynamic, 0});
    if (given->size == TOSAJIT_DYNAMIC)
        return add_check(p, (plan_check){parameter, 1, expected->size, given->dynamic, 0, 0});
    return add_check(p, (plan_check){data, 1, given->size, expected->dynamic, 0, 0});
}

static tosajit_status parameter_info(plan *p, const tosajit_expr *program, tosajit_value value,
                                     int o, const value_info *infos) {
    const expr_node *node = &program->nodes[value];
    const value_info *given = &infos[node->operands[o]], *data = &infos[node->operands[0]];
    if (expr_role(node, o) == ROLE_CHANNEL)
        return match_parameter(p, program, value, o, &given->dims[0], &data->dims[data->rank - 1]);
    op_parameter described = op_describe_parameter(node->op, o - op_table[node->op].arity,
                                                   program->nodes[node->operands[0]].type.element,
                                                   node->type.element, &node->attributes);
    dim_info expected = {described.count, 0, 0, false};
    return match_parameter(p, program, value, o, &given->dims[0], &expected);
}

/* An operand, as its op has it broadcast: without the dimension that gather indexes. */
static value_info broadcast_info(const expr_node *node, int o, const value_info *operand) {
    value_info info = *operand;
    if (expr_role(node, o) != ROLE_GATHERED) return info;
    info.rank--;
    memmove(info.dims, info.dims + 1, (size_t)info.rank * sizeof *info.dims);
    return info;
}

/* An operand of scatter but for its first dimension, which broadcasts with no other operand's. */
static value_info without_first(const value_info *own) {
    value_info info = *own;
    info.dims[0] = (dim_info){1, 0, 0, false};
    return info;
}

/* The iteration space of a scatter, and the sizes of its result. */
static tosajit_status scatter_info(const tosajit_expr *program, tosajit_value value,
                                   value_info *infos) {
    const expr_node *node = &program->nodes[value];
    value_info *info = &infos[value], *space = &infos[program->count + (size_t)value];
    tosajit_status status = TOSAJIT_OK;
    *space = *info;
    for (int o = 0; !status && o < node->operand_count; o++) {
        const value_info *operand = &infos[node->operands[o]];
        const value_info rest = without_first(operand);
        status = broadcast_operand(program, value, o, &rest, info);
        if (!status)
            status =
                broadcast_operand(program, value, o, o == SCATTER_BASE ? &rest : operand, space);
    }
    info->dims[0] = infos[node->operands[SCATTER_BASE]].dims[0];
    return status;
}

static tosajit_status op_info(plan *p, const tosajit_expr *program, tosajit_value value,
                              value_info *infos) {
    const expr_node *node = &program->nodes[value];
    value_info *info = &infos[value];
    info->rank = node->type.rank;
    for (int32_t d = 0; d < info->rank; d++) info->dims[d] = (dim_info){1, 0, 0, false};
    tosajit_status status = TOSAJIT_OK;
    if (node_scatters(node)) status = scatter_info(program, value, infos);
    for (int o = 0; !status && o < node->operand_count && !node_scatters(node); o++) {
        const operand_role role = expr_role(node, o);
        const value_info own = broadcast_info(node, o, &infos[node->operands[o]]);
        status = role == ROLE_DATA || role == ROLE_GATHERED
                     ? broadcast_operand(program, value, o, &own, info)
                     : parameter_info(p, program, value, o, infos);
    }
    for (int32_t d = 0; d < info->rank && !status && op_reduces(node->op); d++)
        if (reduce_has_axis(node, d)) info->dims[d] = (dim_info){1, 0, 0, false};
    if (!status) status = apply_declared(p, program, value, info);
    int64_t sizes[TOSAJIT_MAX_RANK]; /* more may be known of them than the declared type says */
    for (int32_t d = 0; d < info->rank; d++) sizes[d] = info->dims[d].size;
    if (status || !type_check_size(node->type.element, info->rank, sizes, "")) return status;
    return type_check_size(node->type.element, info->rank, sizes,
                           expr_value_name(program, value).text); /* a name takes long to write */
}

static tosajit_status analyse(plan *p, const tosajit_expr *program, value_info *infos) {
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        tosajit_value value = (tosajit_value)k;
        if (node->type.rank == TOSAJIT_UNRANKED)
            return diag_error(TOSAJIT_UNRANKED_SHAPE,
                              "%s: a kernel needs the rank of every tensor, and %s has none",
                              expr_value_name(program, value).text, type_print(&node->type).text);
        tosajit_status status = TOSAJIT_OK;
        if (node->kind == NODE_OP)
            status = diag_op(op_info(p, program, value, infos), node->op);
        else
            infos[k] = leaf_info(program, value);
        if (status) return status;
    }
    return TOSAJIT_OK;
}

static map_kind leaf_map(const dim_info *leaf, const dim_info *extent) {
    if (leaf->size != TOSAJIT_DYNAMIC) return leaf->size == 1 ? MAP_ZERO : MAP_IDENTITY;
    if (leaf->firm) return MAP_IDENTITY;
    bool decides = extent->dynamic == leaf->dynamic && !extent->stretched;
    return decides ? MAP_IDENTITY : MAP_RUNTIME;
}

/* A parameter of rank 1 may be read by a part of rank 0; it has one element then. */
static void map_leaf(const plan_part *part, plan_leaf *leaf, const value_info *own,
                     const value_info *space) {
    for (int32_t d = 0; d < part->rank; d++) {
        const int32_t o = d - (part->rank - own->rank);
        leaf->maps[d] =
            (uint8_t)(leaf->table || o < leaf->gathered ? MAP_ZERO
                                                        : leaf_map(&own->dims[o], &space->dims[d]));
    }
}

/* Facts about the sizes of an index as a tensor. */
static value_info index_info(const expr_node *node, const value_info *all) {
    value_info own = *all;
    for (int32_t d = 0; d < own.rank; d++)
        if (!reduce_has_axis(node, d)) own.dims[d] = (dim_info){1, 0, 0, false};
    return own;
}

static void add_leaf(plan_part *part, const expr_node *node, tosajit_value value, bool table,
                     const value_info *infos, const value_info *space) {
    const bool index = node_is_index(node);
    const value_info own = index ? index_info(node, &infos[value]) : infos[value];
    int32_t k = part->leaf_count++;
    plan_leaf *leaf = &part->leaves[k];
    leaf->value = value;
    leaf->table = table && !part->gathers && !part->scatters;
    leaf->gathered = table && !leaf->table;
    part->operands[k] = leaf->tensor = node->tensor;
    if (node->kind == NODE_INPUT)
        part->operand_count++;
    else
        part->constants[k - part->operand_count] = index ? NULL : node->data;
    map_leaf(part, leaf, &own, space);
}

/* The tensors that a part reads: operands first, then constants; then what earlier parts have
 * computed, which plan_assign has listed. */
static void plan_leaves(plan_part *part, int32_t index, const plan *p, const tosajit_expr *program,
                        const value_info *infos, const value_info *space) {
    plan_leaf carried[TOSAJIT_MAX_TENSORS];
    const int32_t count = part->carried_count;
    memcpy(carried, part->leaves, (size_t)count * sizeof *carried);
    for (int kind = NODE_INPUT; kind <= NODE_CONSTANT; kind++)
        for (size_t k = 0; k < program->count; k++) {
            const expr_node *node = &program->nodes[k];
            const tosajit_value value = (tosajit_value)k;
            const int own = node_is_index(node) ? NODE_CONSTANT : (int)node->kind;
            if (own != kind || node->tensor < 0) continue;
            if (p->node_parts[k] >> index & 1) add_leaf(part, node, value, false, infos, space);
            if (p->table_parts[k] >> index & 1) add_leaf(part, node, value, true, infos, space);
        }
    for (int32_t c = 0; c < count; c++) {
        const int32_t k = part->leaf_count++;
        part->leaves[k] = carried[c];
        part->operands[k] = carried[c].tensor;
        map_leaf(part, &part->leaves[k], &infos[carried[c].value], space);
    }
}

void plan_result_sizes(const plan_part *part, int32_t k, const int64_t *sizes, int64_t *own) {
    const bool reduced = part->reductions >> k & 1;
    for (int32_t d = 0; d < part->rank; d++)
        own[d] = reduced && plan_reduces(part, d) ? 1 : sizes[d];
}

int64_t plan_reduced_size(const plan_part *part) {
    int64_t size = 1;
    for (int32_t d = part->axis; d <= part->axis + part->joined; d++)
        if (part->extents[d] == TOSAJIT_DYNAMIC || !size_multiply(size, part->extents[d], &size))
            return TOSAJIT_DYNAMIC;
    return size;
}

uint32_t plan_kept_dims(const plan_part *part) {
    if (part->scans) return UINT32_C(1) << part->along;
    return part->axis < 0 ? 0 : ((UINT32_C(2) << part->joined) - 1) << part->axis;
}

bool plan_is_staged(const plan *p) {
    for (int32_t k = 0; k < p->part_count; k++)
        if (p->parts[k].axis >= 0 || plan_is_bare(&p->parts[k])) return true;
    return false;
}

static int32_t find_checked_parts(const plan *p, const tosajit_expr *program) {
    int32_t last = 0;
    for (int32_t k = 0; k < p->part_count; k++) {
        const plan_part *part = &p->parts[k];
        if ((part->gathers || part->scatters) &&
            part->leaves[plan_index_of(part, program)].tensor >= p->tensor_count &&
            gather_may_fail(program->nodes[part->values[0]].attributes.index_mode))
            last = k + 1;
    }
    return last;
}

uint64_t plan_tables(const plan_part *part) {
    uint64_t tables = 0;
    for (int32_t k = 0; k < part->leaf_count; k++) tables |= (uint64_t)part->leaves[k].table << k;
    return tables;
}

/* True if the part reduces, has no code, or reads other parts' results: it is cut into blocks. */
static bool is_blocked(const plan_part *part) {
    return part->axis >= 0 || part->carried_count > 0 || plan_is_bare(part);
}

static bool is_unordered(const plan_part *part, const tosajit_expr *program) {
    bool all = part->axis >= 0;
    for (int32_t k = 0; k < part->result_count && all; k++)
        all = part->reductions >> k & 1 && reduce_is_unordered(&program->nodes[part->values[k]]);
    return all;
}

/* The columns of such a part. If the last dimension is reduced, it has the columns. Else the
 * innermost dimension that may have more than one element has them, behind the reduced one. If
 * there is none, any order will do, and the reduced dimension has them: the maximum of 1000x1 along
 * d0 is that of 1000 along d0. */
static int32_t choose_columns(const plan_part *part, const tosajit_expr *program) {
    int32_t d = part->rank - 1;
    if (!is_blocked(part)) return -1;
    const int32_t last = part->axis + part->joined;
    if (part->axis >= 0 && last == d) return d;
    while (d > last && part->extents[d] == 1) d--;
    return d > last || is_unordered(part, program) ? d : -1;
}

bool plan_static_walk(const plan_part *part, const tosajit_expr *program, walk *w) {
    if (is_blocked(part)) return false;
    for (int32_t d = 0; d < part->rank; d++) {
        if (part->extents[d] == TOSAJIT_DYNAMIC) return false;
        for (int32_t k = 0; k < part->leaf_count; k++)
            if (part->leaves[k].maps[d] == MAP_RUNTIME) return false;
    }
    w->rank = part->rank;
    w->tensors = part->leaf_count + 1;
    w->apart = 0;
    for (int32_t d = 0; d < part->rank; d++) w->sizes[d] = part->extents[d];
    int64_t dense[TOSAJIT_MAX_RANK];
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const expr_node *node = &program->nodes[part->leaves[k].value];
        const tosajit_tensor_type *type = &node->type;
        int64_t dims[TOSAJIT_MAX_RANK]; /* a dynamic one that maps to itself has the extent's size
                                           in every call */
        for (int32_t d = 0; d < type->rank && !part->leaves[k].table; d++) {
            int32_t at = d + part->rank - type->rank; /* below 0: a parameter in a part of rank 0 */
            dims[d] = type->dims[d] != TOSAJIT_DYNAMIC ? type->dims[d]
                      : at < 0                         ? 1
                                                       : part->extents[at];
            if (node_is_index(node) && !reduce_has_axis(node, d)) dims[d] = 1;
        }
        if (!part->leaves[k].table) walk_dense_strides(type->rank, dims, 1, dense);
        for (int32_t d = 0; d < part->rank; d++)
            walk_mutable_strides(w, d)[k] =
                part->leaves[k].maps[d] == MAP_ZERO ? 0 : dense[d - (part->rank - type->rank)];
    }
    walk_dense_strides(part->rank, part->extents, 1, dense);
    for (int32_t d = 0; d < part->rank; d++)
        walk_mutable_strides(w, d)[part->leaf_count] = dense[d];
    walk_coalesce(w);
    return true;
}

/* True if a call may collapse the rows into longer ones. A leaf that is one value per row is packed
 * then, and contiguous. */
static bool may_collapse(const walk *w) {
    return w->rank > 1 && w->sizes[w->rank - 1] < COST_SHORT_ROW;
}

/* The same where sizes are open, of rows of a known size: true if leaf k has a value for each of
 * them, or for each of several. */
static bool may_be_packed(const plan_part *part, int32_t k, int32_t columns) {
    if (part->extents[columns] == TOSAJIT_DYNAMIC || part->extents[columns] >= COST_SHORT_ROW)
        return false;
    for (int32_t d = 0; d < columns; d++)
        if (part->extents[d] != 1 && part->leaves[k].maps[d] != MAP_ZERO) return true;
    return false;
}

/* Which leaves may be a splat, and which may be contiguous, along the columns of a call. With
 * static sizes the columns are known: the walk is coalesced here. Else the columns are the
 * innermost dimension that is not 1 in the call. That can be any dimension down to the first that
 * is never 1, counted from the end. Where the last dimension is reduced, it is the columns; where
 * another is, one behind it. (A view can have a stride of 0 anywhere. It is packed then:
 * such views are rare, and a loop for them would be in every kernel.) */
static void inner_classes(const plan_part *part, const tosajit_expr *program, uint64_t *may_splat,
                          uint64_t *may_contiguous) {
    *may_splat = *may_contiguous = 0;
    walk w;
    if (plan_static_walk(part, program, &w)) {
        for (int32_t k = 0; k < part->leaf_count; k++) {
            bool splat = walk_strides(&w, w.rank - 1)[k] == 0;
            if (splat) *may_splat |= UINT64_C(1) << k;
            if (!splat || (may_collapse(&w) && !walk_is_broadcast(&w, k, 0)))
                *may_contiguous |= UINT64_C(1) << k;
        }
        return;
    }
    for (int32_t k = 0; k < part->leaf_count; k++) {
        bool splat = false, contiguous = false;
        for (int32_t d = part->rank; d-- > 0;) {
            if (part->extents[d] == 1 && d != part->columns) continue;
            const bool columns =
                d == part->columns || (plan_reduces_columns(part) && plan_reduces(part, d));
            if (part->columns >= 0 && !columns) continue;
            splat |= part->leaves[k].maps[d] != MAP_IDENTITY;
            contiguous |= part->leaves[k].maps[d] != MAP_ZERO;
            if (part->above_one[d] && !columns) {
                contiguous |= may_be_packed(part, k, d);
                break;
            }
        }
        if (splat || !contiguous) *may_splat |= UINT64_C(1) << k;
        if (contiguous) *may_contiguous |= UINT64_C(1) << k;
    }
}

/* The k-th subset of a set of bits, 0 being the empty one: of {2, 5} they are {}, {2}, {5}, {2, 5}.
 */
static uint64_t subset(uint64_t set, uint64_t k) {
    uint64_t chosen = 0;
    for (uint64_t bit = 1; set; bit <<= 1, k >>= 1) {
        while (!(set & bit)) bit <<= 1;
        if (k & 1) chosen |= bit;
        set &= ~bit;
    }
    return chosen;
}

static uint64_t leaf_set(const plan_part *part) {
    return part->leaf_count ? ~UINT64_C(0) >> (64 - part->leaf_count) : 0;
}

/* True if some dimension has a static size above 1 that no leaf is sure to walk: its size comes
 * from a constant of equal elements, or from a declared type. Only then can all leaves be splats in
 * rows of several elements. Else such rows have one element, any variant computes them, and the
 * variant of splats alone is not needed. */
static bool stretches_without_leaf(const plan_part *part) {
    for (int32_t d = 0; d < part->rank; d++) {
        bool from_leaf = part->extents[d] == TOSAJIT_DYNAMIC || part->extents[d] == 1;
        for (int32_t k = 0; k < part->leaf_count; k++)
            from_leaf |= part->leaves[k].maps[d] == MAP_IDENTITY;
        if (!from_leaf) return true;
    }
    return false;
}

/* True if one loop for all classes of leaves is as fast as a loop for each. Two things must hold. A
 * long op takes most of the time, so that reading a splat from memory costs nothing beside it. And
 * no heavy op could be computed once per row in a loop of its own: exp(a) in exp(a) + b can, where
 * a is a splat. */
static bool can_share_one_loop(const plan_part *part, const plan *p, int32_t index,
                               const tosajit_expr *program, uint64_t *leaves) {
    bool is_long = false;
    memset(leaves, 0, program->count * sizeof *leaves);
    for (int32_t k = 0; k < part->leaf_count; k++)
        if (!part->leaves[k].table) leaves[part->leaves[k].value] |= UINT64_C(1) << k;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!node_is_computed(node) || !(p->node_parts[k] >> index & 1)) continue;
        for (int o = 0; o < node->operand_count; o++) leaves[k] |= leaves[node->operands[o]];
        is_long |= op_is_long(node->op);
        if (!op_is_heavy(node->op)) continue;
        for (int32_t v = 1; v < part->variant_count; v++)
            if (!(leaves[k] & ~part->variants[v].splat) && (leaves[k] & ~part->variants[0].splat))
                return false;
    }
    return is_long;
}

/* The leaves that are sure to repeat along the last dimension that is not a static 1: the columns
 * of nearly every call. Of (x - m) * g with x ?x?, m ?x1, g 1x? that is m. */
static uint64_t declared_splats(const plan_part *part) {
    int32_t d = part->columns;
    for (int32_t k = part->rank; d < 0 && k-- > 0;)
        if (part->extents[k] != 1) d = k;
    uint64_t splats = 0;
    for (int32_t k = 0; d >= 0 && k < part->leaf_count; k++)
        if (part->leaves[k].maps[d] == MAP_ZERO) splats |= UINT64_C(1) << k;
    return splats;
}

/* The loops of a part. With up to two leaves that may be a splat or contiguous there is a loop for
 * each combination. With more there are two: one for the declared combination, and one for any. The
 * latter reads a splat from memory, as a short pattern that does not advance. Where ops are long it
 * is as fast as the first, and the only one. */
static void plan_variants(plan_part *part, const plan *p, int32_t index,
                          const tosajit_expr *program, uint64_t *leaves) {
    uint64_t may_splat, may_contiguous;
    inner_classes(part, program, &may_splat, &may_contiguous);
    uint64_t always = may_splat & ~may_contiguous, either = may_splat & may_contiguous;
    int open = 0;
    for (uint64_t bits = either; bits; bits &= bits - 1) open++;
    if (open <= 2) {
        for (uint64_t k = 0; k < UINT64_C(1) << open; k++)
            part->variants[part->variant_count++] =
                (tosajit_variant){always | subset(either, k), 0};
        if (open > 0 && (always | either) == leaf_set(part) && !stretches_without_leaf(part))
            part->variant_count--;
    } else {
        const uint64_t splat = always | (either & declared_splats(part));
        part->variants[part->variant_count++] = (tosajit_variant){splat, 0};
    }
    bool one = open > 0 && can_share_one_loop(part, p, index, program, leaves);
    if (one) part->variant_count = 0;
    if (one || open > 2) part->variants[part->variant_count++] = (tosajit_variant){always, either};
}

/* The largest power of two that divides a size, up to 64: threads and tiles cut columns at
 * multiples of 64, so more cannot be promised. */
static int64_t power_of_two(int64_t size) {
    enum { MOST = 64 };
    int64_t power = size & -size;
    return power > MOST ? MOST : power;
}

/* A power of two that divides the columns of every tile. If the innermost dimension, but for static
 * 1s, is never 1, then columns are that dimension, or several coalesced with it: multiples of its
 * size.
 */
static int64_t cols_multiple(const plan_part *part, const tosajit_expr *program) {
    int32_t d = part->rank - 1;
    while (d >= 0 && part->extents[d] == 1) d--;
    if (is_blocked(part)) d = part->columns;
    if (plan_reduces_columns(part)) {
        const int64_t size = plan_reduced_size(part);
        if (size != TOSAJIT_DYNAMIC) return size > 1 ? power_of_two(size) : 1;
    }
    if (d < 0 || !part->above_one[d]) return 1;
    if (part->extents[d] != TOSAJIT_DYNAMIC) return power_of_two(part->extents[d]);
    int64_t multiple = 1;
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const plan_leaf *leaf = &part->leaves[k];
        int32_t own = d - (part->rank - program->nodes[leaf->value].type.rank);
        const tosajit_contract *contract =
            own < 0 || leaf->table ? NULL : expr_contract_of(program, leaf->value, own);
        /* A contract that allows 1 says nothing: the operand may repeat, and another be the size.
         */
        if (!contract || contract->smallest < 2 || contract->multiple < 2) continue;
        if (power_of_two(contract->multiple) > multiple)
            multiple = power_of_two(contract->multiple);
    }
    return multiple;
}

/* True if the walk of dense tensors may have more than two dimensions once it is coalesced.
 * A single leaf of open sizes repeats whole rows if anything, so its walk has rows and columns. */
static bool has_planes(const plan_part *part, const tosajit_expr *program) {
    walk w;
    if (plan_static_walk(part, program, &w)) return w.rank > 2;
    return part->rank > 2 && (part->leaf_count > 1 || is_blocked(part));
}

static void measure_elements(plan_part *part, const tosajit_expr *program) {
    for (int32_t t = 0; t < part->leaf_count + part->result_count; t++) {
        const tosajit_value value =
            t < part->leaf_count ? part->leaves[t].value : part->values[t - part->leaf_count];
        part->element_sizes[t] = (uint8_t)tosajit_type_size(program->nodes[value].type.element);
    }
}

/* Bytes moved at some 100 per ns, and ops: a tenth of a vector instruction's time, or a
 * polynomial's. */
static void guess_cost(plan *p, int32_t index, const tosajit_expr *program) {
    plan_part *part = &p->parts[index];
    fpenv environment;
    fpenv_hold(&environment);
    double ns = 0;
    for (int32_t t = 0; t < part->leaf_count + part->result_count; t++)
        ns += cost_byte * part->element_sizes[t];
    for (size_t k = 0; k < program->count; k++)
        if (node_is_computed(&program->nodes[k]) && p->node_parts[k] >> index & 1)
            ns += op_is_heavy(program->nodes[k].op) ? cost_heavy_op : cost_light_op;
    part->element_ns = ns;
    part->piece_elements = (int64_t)(cost_piece / ns) + 1;
    fpenv_restore(&environment);
}

/* Tensors whose dynamic sizes must broadcast to a dimension of the part: those of any of its
 * values. Spaces of one static size are the same, whatever takes part in each. */
static uint64_t dynamic_of(const plan_part *part, int32_t d, const tosajit_expr *program,
                           const value_info *infos) {
    uint64_t dynamic = 0;
    for (int32_t k = 0; k < part->result_count; k++)
        dynamic |= infos[plan_space_of(program, part->values[k])].dims[d].dynamic;
    return dynamic;
}

/* leaves: room for a number per node. */
static void plan_parts(plan *p, const tosajit_expr *program, const value_info *infos,
                       const tosajit_value *spaces, uint64_t *leaves) {
    for (int32_t k = 0; k < p->part_count; k++) {
        plan_part *part = &p->parts[k];
        const value_info *space = &infos[spaces[k]];
        part->rank = space->rank;
        for (int32_t d = 0; d < part->rank; d++) {
            part->extents[d] = space->dims[d].size;
            part->dynamic[d] = dynamic_of(part, d, program, infos);
            part->above_one[d] = part->extents[d] == TOSAJIT_DYNAMIC ? space->dims[d].firm != 0
                                                                     : part->extents[d] > 1;
        }
        plan_leaves(part, k, p, program, infos, space);
        part->columns = choose_columns(part, program);
        plan_variants(part, p, k, program, leaves);
        part->cols_multiple = cols_multiple(part, program);
        part->has_planes = has_planes(part, program);
        measure_elements(part, program);
        guess_cost(p, k, program);
        if (!part->scatters) continue;
        part->scattered_size = infos[part->values[0]].dims[0].size;
        part->scattered = infos[part->values[0]].dims[0].dynamic;
    }
}

/* Phases, by the leaves that parts read of earlier ones; and the values that are read in another
 * phase than they are made. */
static void plan_phases(plan *p) {
    int32_t writers[TOSAJIT_MAX_TENSORS];
    for (int32_t r = 0; r < TOSAJIT_MAX_TENSORS; r++) writers[r] = -1;
    for (int32_t k = 0; k < p->part_count; k++) {
        plan_part *part = &p->parts[k];
        part->phase = k > 0 ? part[-1].phase : 0;
        for (int32_t c = part->leaf_count - part->carried_count; c < part->leaf_count; c++) {
            const plan_leaf *leaf = &part->leaves[c];
            const plan_part *from = &p->parts[writers[leaf->tensor - p->tensor_count]];
            const bool behind = from->scatters || leaf->gathered;
            if (behind && from->phase == part->phase) part->phase++;
        }
        for (int32_t c = part->leaf_count - part->carried_count; c < part->leaf_count; c++) {
            const int32_t result = part->leaves[c].tensor - p->tensor_count;
            if (p->parts[writers[result]].phase < part->phase) p->whole |= UINT64_C(1) << result;
        }
        for (int32_t r = 0; r < part->result_count; r++) {
            int32_t *writer = &writers[part->results[r]];
            const bool again = *writer >= 0 && p->parts[*writer].phase != part->phase;
            if (part->scatters || again) p->whole |= UINT64_C(1) << part->results[r];
            *writer = k;
        }
    }
}

static int32_t count_indices(const tosajit_expr *program) {
    int32_t count = 0;
    for (size_t k = 0; k < program->count; k++) count += node_is_index(&program->nodes[k]);
    return count;
}

static void plan_indices(plan *p, const tosajit_expr *program, const value_info *infos) {
    plan_index *next = p->indices;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!node_is_index(node)) continue;
        const value_info own = index_info(node, &infos[k]);
        *next = (plan_index){.value = (tosajit_value)k, .tensor = node->tensor, .rank = own.rank};
        for (int32_t d = 0; d < own.rank; d++) {
            next->sizes[d] = own.dims[d].size;
            next->dynamic[d] = own.dims[d].dynamic;
        }
        next++;
    }
}

static bool has_scatter(const tosajit_expr *program) {
    bool has = false;
    for (size_t k = 0; k < program->count; k++) has |= node_scatters(&program->nodes[k]);
    return has;
}

/* Parts beside those of the results, at most: of a gather also one that computes its index, of a
 * scan one that computes its operand, of a scatter those that compute its operands, and of a
 * reduction one that finishes what depends on it. */
static size_t count_passes(const tosajit_expr *program) {
    size_t count = 0, reductions = 0;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        reductions += node_reduces(node);
        count += 2 * (size_t)(node_gathers(node) || node_scans(node));
        count += 4 * (size_t)node_scatters(node);
        count += reductions > 0 && node_is_computed(node);
    }
    count += reductions;
    return count < TOSAJIT_MAX_TENSORS ? count : TOSAJIT_MAX_TENSORS;
}

tosajit_status plan_make(const tosajit_expr *program, const tosajit_allocator *allocator, plan *p) {
    *p = (plan){.allocator = *allocator,
                .node_count = program->count,
                .tensor_count = program->input_count + program->constant_count,
                .result_count = program->result_count,
                .index_count = count_indices(program),
                .part_capacity = (size_t)program->result_count + count_passes(program)};
    if (program->result_count == 0)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "the expression has no result; name one with tosajit_expr_result");
    const size_t info_count = program->count * (has_scatter(program) ? 2 : 1);
    value_info *infos = memory_new(allocator, info_count, sizeof *infos);
    uint64_t *leaves = memory_new(allocator, program->count, sizeof *leaves);
    tosajit_value spaces[TOSAJIT_MAX_TENSORS];
    p->node_parts = memory_new(allocator, program->count, sizeof *p->node_parts);
    p->table_parts = memory_new(allocator, program->count, sizeof *p->table_parts);
    p->parts = memory_new(allocator, p->part_capacity, sizeof *p->parts);
    p->indices = memory_new(allocator, (size_t)p->index_count + 1, sizeof *p->indices);
    tosajit_status status = TOSAJIT_OK;
    if (!infos || !leaves || !p->node_parts || !p->table_parts || !p->parts || !p->indices)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the plan");
    if (!status) status = analyse(p, program, infos);
    if (!status) merge_checks(p);
    if (!status) status = plan_assign(p, program, infos, spaces);
    if (!status) plan_parts(p, program, infos, spaces, leaves);
    if (!status) plan_phases(p);
    if (!status) plan_indices(p, program, infos);
    if (!status) p->checked_parts = find_checked_parts(p, program);
    memory_free(allocator, infos, info_count, sizeof *infos);
    memory_free(allocator, leaves, program->count, sizeof *leaves);
    if (status) plan_destroy(p);
    return status;
}

void plan_destroy(plan *p) {
    memory_free(&p->allocator, p->node_parts, p->node_count, sizeof *p->node_parts);
    memory_free(&p->allocator, p->table_parts, p->node_count, sizeof *p->table_parts);
    memory_free(&p->allocator, p->parts, p->part_capacity, sizeof *p->parts);
    memory_free(&p->allocator, p->checks, p->check_capacity, sizeof *p->checks);
    memory_free(&p->allocator, p->indices, (size_t)p->index_count + 1, sizeof *p->indices);
    *p = (plan){0};
}

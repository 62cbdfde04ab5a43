/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jit/text/build_functions.h"

#include <string.h>

#include "jit/text/movers.h"
#include "jit/text/reducers.h"
#include "runtime/base/words.h"
#include "runtime/expr/reduce.h"

/* ---------------------------------------------------------------------------------------------
 * Functions that reduce */

/* The dimensions that a node lists. */
static bool list_axes(builder *b, int32_t node, const tosajit_tensor_type *type,
                      bool chosen[TOSAJIT_MAX_RANK]) {
    const text_node *n = &b->line->nodes[node];
    const text_list *list = n->kind == TEXT_LITERAL ? &b->line->lists[n->what] : NULL;
    if (!list || list->rank > 1)
        return build_fail(b, n->span, "axis is a dimension, or a list of them");
    for (int32_t d = 0; d < type->rank; d++)
        chosen[d] |= list->rank == 1 && list->dims[0] == TOSAJIT_DYNAMIC;
    for (size_t k = 0; k < list->count; k++) {
        int64_t axis;
        if (!build_to_axis(b, n->span, "axis", &b->line->numbers[list->first + k], type, &axis))
            return false;
        if (chosen[axis]) return build_fail(b, n->span, "dimension %d is given twice", (int)axis);
        chosen[axis] = true;
    }
    return true;
}

/* Of a call of a function: what is given by name. */
static bool read_reducer_keys(builder *b, const text_node *n, const tosajit_tensor_type *type,
                              reducer_call *c, bool *chosen, bool *given, bool *drops) {
    for (int32_t a = n->first; a >= 0; a = b->line->arguments[a].next) {
        const text_argument *argument = &b->line->arguments[a];
        const text_node *value = &b->line->nodes[argument->node];
        if (!argument->key) continue;
        const char *name = argument->key->name;
        const text_list *list = value->kind == TEXT_LITERAL ? &b->line->lists[value->what] : NULL;
        const text_number *number = list && list->rank == 0 ? &b->line->numbers[list->first] : NULL;
        if (strcmp(name, "axis") == 0) {
            *given = true;
            if (!list_axes(b, argument->node, type, chosen)) return false;
        } else if (strcmp(name, "keepdims") == 0) {
            *drops = !value->what;
        } else if (strcmp(name, "nan_mode") == 0) {
            c->nan_mode = (tosajit_nan_mode)value->what;
        } else if (!number || number->negative) {
            return build_fail(b, value->span, "%s is a number that is not negative", name);
        } else if (strcmp(name, "eps") == 0) {
            c->eps = number->value;
        } else {
            c->ddof = number->value;
        }
    }
    return true;
}

/* The operands; behind a single one the axis may stand. */
static bool take_reducer_operands(builder *b, const text_node *n, const reducer *r, reducer_call *c,
                                  int32_t *axis) {
    *axis = -1;
    for (int32_t a = n->first; a >= 0 && !b->line->arguments[a].key;
         a = b->line->arguments[a].next) {
        const int32_t node = b->line->arguments[a].node;
        if (c->operand_count == r->operands) {
            *axis = node;
        } else if (c->operand_count == 0 && build_is_literal(b, node)) {
            return build_fail_no_type(b, b->line->nodes[node].span);
        } else if (c->operand_count == 0) {
            c->operands[c->operand_count++] = b->values[node];
        } else if (!build_value_like(b, node, c->operands[0], &c->operands[c->operand_count++])) {
            return false;
        }
    }
    return true;
}

bool build_reducer(builder *b, const text_node *n, tosajit_value *value) {
    const reducer *r = reducer_at((size_t)n->what);
    reducer_call c = {
        .expr = b->expr, .straddles = b->options->strict ? NULL : reduce_straddles, .eps = 1e-5};
    bool chosen[TOSAJIT_MAX_RANK] = {false}, given, drops = b->options->drop_axes && !r->last;
    int32_t axis;
    if (!take_reducer_operands(b, n, r, &c, &axis)) return false;
    const tosajit_tensor_type type = build_type_of(b, c.operands[0]);
    if (type.rank == TOSAJIT_UNRANKED)
        return build_fail(b, n->span, "%s needs an operand whose rank is known", r->name);
    given = axis >= 0;
    if (given && !list_axes(b, axis, &type, chosen)) return false;
    if (!read_reducer_keys(b, n, &type, &c, chosen, &given, &drops)) return false;
    for (int32_t d = 0; d < type.rank; d++) {
        if (!given) chosen[d] = !r->last || d == type.rank - 1;
        if (chosen[d]) c.axes[c.axis_count++] = d;
    }
    if (drops && r->last)
        return build_fail(b, n->span, "%s reduces no dimension that keepdims could drop", r->name);
    *value = r->compose(&c, r->op);
    tosajit_status status = c.status;
    if (!status && drops) status = mover_drop(b->expr, *value, chosen, value);
    return !status || build_fail_status(b, n->span, status);
}

/* ---------------------------------------------------------------------------------------------
 * Functions that move */

static bool take_moved(builder *b, const text_node *n, const char *name, mover_call *c) {
    const int32_t node = b->line->arguments[n->first].node;
    if (build_is_literal(b, node)) return build_fail_no_type(b, b->line->nodes[node].span);
    c->expr = b->expr;
    c->operand = c->operands[c->operand_count++] = b->values[node];
    c->type = build_type_of(b, c->operand);
    return c->type.rank != TOSAJIT_UNRANKED ||
           build_fail(b, n->span, "%s needs an operand whose rank is known", name);
}

/* The numbers behind the operand, whether in lists or one by one. */
static bool take_numbers(builder *b, const text_node *n, const mover *m, mover_call *c) {
    const size_t most = m->most;
    for (int32_t a = b->line->arguments[n->first].next; a >= 0; a = b->line->arguments[a].next) {
        const text_node *value = &b->line->nodes[b->line->arguments[a].node];
        const text_list *list = value->kind == TEXT_LITERAL ? &b->line->lists[value->what] : NULL;
        if (m->several && !list) {
            if (c->operand_count == TOSAJIT_MAX_RANK)
                return build_fail(b, value->span, "%s takes at most %d operands", m->name,
                                  TOSAJIT_MAX_RANK);
            c->operands[c->operand_count++] = b->values[b->line->arguments[a].node];
            continue;
        }
        bool whole = list && list->rank < 2;
        for (size_t k = 0; whole && k < list->count; k++) {
            if (c->count == most)
                return build_fail(b, value->span, "%s takes at most %zu whole numbers", m->name,
                                  most);
            whole = build_to_integer(&b->line->numbers[list->first + k], &c->numbers[c->count++]);
        }
        if (!whole)
            return build_fail(b, value->span, "%s takes whole numbers behind its operand", m->name);
    }
    return c->count >= m->least ||
           build_fail(b, n->span, "%s takes %zu number%s behind its operand, found %zu", m->name,
                      m->least, plural(m->least), c->count);
}

bool build_mover(builder *b, const text_node *n, tosajit_value *value) {
    const mover *m = mover_at((size_t)n->what);
    mover_call c = {.count = 0};
    if (!take_moved(b, n, m->name, &c) || !take_numbers(b, n, m, &c)) return false;
    *value = m->compose(&c);
    return !c.status || build_fail_status(b, n->span, c.status);
}

bool build_subscript(builder *b, const text_node *n, tosajit_value *value) {
    const text_list *list = &b->line->lists[n->what];
    const text_number *numbers = &b->line->numbers[list->first];
    subscript subscripts[SUBSCRIPTS];
    const size_t count = list->count / 4;
    mover_call c = {.count = 0};
    if (!take_moved(b, n, "a subscript", &c)) return false;
    for (size_t k = 0; k < count; k++) {
        int64_t *const to[] = {&subscripts[k].begin, &subscripts[k].end, &subscripts[k].step};
        subscripts[k].kind = (subscript_kind)numbers[4 * k].magnitude;
        for (size_t side = 0; side < 3; side++)
            if (!build_to_integer(&numbers[4 * k + 1 + side], to[side]))
                *to[side] = TOSAJIT_DYNAMIC;
    }
    *value = subscript_compose(&c, subscripts, count);
    return !c.status || build_fail_status(b, n->span, c.status);
}

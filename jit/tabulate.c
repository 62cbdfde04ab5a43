/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tabulate: which parts, and their entries. In: an expression. Out: one with tables. */
#include "jit/tabulate.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"

enum { ENTRIES = 256 };

/* What a value depends on, if not on another value: constants alone; more than one value. */
enum { FIXED = -1, MIXED = -2 };

/* An expression, parts of which become tables; the arrays have an entry per node. */
typedef struct tabulation {
    const tosajit_expr *program;
    tosajit_value
        *source;     /* the one value of i8 that it depends on, perhaps itself, or see above */
    uint8_t *live;   /* needed, when parts are tables */
    uint8_t *inside; /* of the part that is looked at */
    uint8_t *wanted; /* the last value of a part */
} tabulation;

static bool has_shape_of(const expr_node *a, const expr_node *b) {
    return a->type.rank >= 0 && a->type.rank == b->type.rank &&
           memcmp(a->type.dims, b->type.dims, (size_t)a->type.rank * sizeof *a->type.dims) == 0;
}

/* What an operand depends on. A constant with a size per channel, or that is a tensor, varies. */
static tosajit_value operand_source(const tabulation *t, const expr_node *node, int o) {
    const tosajit_value operand = node->operands[o];
    const bool is_constant = t->program->nodes[operand].kind == NODE_CONSTANT;
    switch (expr_role(node, o)) {
    case ROLE_TABLE: return is_constant ? FIXED : MIXED;
    case ROLE_CHANNEL: return MIXED;
    default: return t->source[operand];
    }
}

/* Whether broadcasting a value with another one leaves that one's shape as it is, whatever dynamic
 * sizes are. */
static bool broadcasts_into(const expr_node *a, const expr_node *other) {
    const int32_t shift = other->type.rank - a->type.rank;
    bool fits = a->type.rank >= 0 && shift >= 0;
    for (int32_t d = 0; fits && d < a->type.rank; d++)
        fits = a->type.dims[d] == 1 ||
               (a->type.dims[d] >= 0 && a->type.dims[d] == other->type.dims[d + shift]);
    return fits;
}

/* The same shape as the source, also where an operand brings one of its own. */
static bool keeps_shape(const tabulation *t, const expr_node *node, const expr_node *source) {
    bool keeps = has_shape_of(node, source);
    for (int o = 0; o < node->operand_count; o++)
        if (expr_role(node, o) == ROLE_DATA && t->source[node->operands[o]] == FIXED)
            keeps &= broadcasts_into(&t->program->nodes[node->operands[o]], source);
    return keeps;
}

static tosajit_value find_source(const tabulation *t, tosajit_value k) {
    const expr_node *node = &t->program->nodes[k];
    tosajit_value source = MIXED;
    if (node->kind == NODE_CONSTANT) return node->splat ? FIXED : MIXED;
    if (node->kind == NODE_OP) source = FIXED;
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_value other = operand_source(t, node, o);
        if (source == FIXED)
            source = other;
        else if (other != FIXED && other != source)
            source = MIXED;
    }
    if (source >= 0 && !keeps_shape(t, node, &t->program->nodes[source])) source = MIXED;
    return source == MIXED && node->type.element == TOSAJIT_I8 ? k : source;
}

/* Mark what lies between a value and its source, the value included. Gives how many ops. */
static int mark_inside(const tabulation *t, tosajit_value k, bool *heavy) {
    int ops = 0;
    memset(t->inside, 0, t->program->count);
    *heavy = false;
    t->inside[k] = 1;
    for (tosajit_value n = k; n >= 0; n--) {
        const expr_node *node = &t->program->nodes[n];
        if (!t->inside[n] || n == t->source[k] || node->kind != NODE_OP) continue;
        ops++;
        *heavy |= op_is_heavy(node->op);
        for (int o = 0; o < node->operand_count; o++) t->inside[node->operands[o]] = 1;
    }
    return ops;
}

/* A look-up by pshufb takes about as long as four light ops, which have a quarter of the lanes; by
 * a permutation a fifth of that. */
static bool is_worth_it(const tabulation *t, tosajit_value k) {
    enum { LEAST_LIGHT = 5 };
    const expr_node *node = &t->program->nodes[k];
    const tosajit_value source = t->source[k];
    bool heavy;
    if (node->kind != NODE_OP || node->type.element != TOSAJIT_I8 || source < 0 || source == k ||
        op_has_table(node->op))
        return false;
    const int ops = mark_inside(t, k, &heavy);
    return heavy || ops >= LEAST_LIGHT;
}

/* A constant of the part, whose elements are equal, as one number; a table as it is. */
static tosajit_status copy_constant(const expr_node *node, tosajit_expr *part,
                                    tosajit_value *value) {
    const int64_t one[1] = {1};
    const tosajit_tensor_type number = tosajit_ranked(node->type.element, 1, one);
    return expr_constant_bytes(part, node->splat ? &number : &node->type, node->data,
                               node->data_size, node->splat, value);
}

/* The part that is marked as an expression of its own, of 256 elements. `moved` says where its
 * values are there. */
static tosajit_status copy_part(const tabulation *t, tosajit_value k, tosajit_value *moved,
                                tosajit_expr *part) {
    tosajit_status status = TOSAJIT_OK;
    for (tosajit_value n = 0; !status && n <= k; n++) {
        const expr_node *node = &t->program->nodes[n];
        const int64_t dims[1] = {t->source[n] == FIXED ? 1 : ENTRIES};
        const tosajit_tensor_type type = tosajit_ranked(node->type.element, 1, dims);
        tosajit_value operands[TOSAJIT_MAX_OPERANDS];
        if (!t->inside[n]) continue;
        for (int o = 0; o < node->operand_count; o++) operands[o] = moved[node->operands[o]];
        if (n == t->source[k])
            status = tosajit_expr_input(part, &type, &moved[n]);
        else if (node->kind == NODE_CONSTANT)
            status = copy_constant(node, part, &moved[n]);
        else
            status = tosajit_expr_op(part, node->op, operands, (size_t)node->operand_count,
                                     &node->attributes, &type, &moved[n]);
    }
    return status ? status : tosajit_expr_result(part, moved[k]);
}

/* The interpreter on all operands. */
static tosajit_status compute(const tosajit_expr *part, const tosajit_allocator *allocator,
                              int8_t *entries) {
    const int64_t dims[1] = {ENTRIES};
    int8_t operands[ENTRIES];
    tosajit_kernel *kernel;
    tosajit_status status = kernel_create(part, allocator, &kernel);
    if (status) return status;
    for (int k = 0; k < ENTRIES; k++) operands[k] = (int8_t)(k - ENTRIES / 2);
    const tosajit_tensor operand = tosajit_dense(TOSAJIT_I8, operands, 1, dims),
                         result = tosajit_dense(TOSAJIT_I8, entries, 1, dims);
    status = tosajit_run(kernel, &operand, 1, &result, 1);
    tosajit_kernel_release(kernel);
    return status;
}

static tosajit_status find_entries(const tabulation *t, tosajit_value k, int8_t *entries) {
    const tosajit_allocator *allocator = &t->program->allocator;
    tosajit_expr_options options = {.size = sizeof options, .allocator = allocator};
    tosajit_value *moved = memory_new(allocator, t->program->count, sizeof *moved);
    tosajit_expr *part = NULL;
    tosajit_status status = moved ? tosajit_expr_create(&options, &part)
                                  : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a table");
    if (!status) status = copy_part(t, k, moved, part);
    if (!status) status = compute(part, allocator, entries);
    tosajit_expr_destroy(part);
    memory_free(allocator, moved, t->program->count, sizeof *moved);
    return status;
}

/* From the results on: a table needs its source alone, all else its operands. Gives how many tables
 * there will be; each is two more tensors of a kernel. */
static size_t choose(const tabulation *t) {
    const tosajit_expr *program = t->program;
    int32_t tensors = program->input_count + program->constant_count + program->result_count +
                      program->table_count;
    size_t tables = 0;
    for (int32_t r = 0; r < program->result_count; r++) t->live[program->results[r]] = 1;
    for (tosajit_value k = (tosajit_value)program->count; k-- > 0;) {
        const expr_node *node = &program->nodes[k];
        if (!t->live[k]) continue;
        t->wanted[k] = tensors + 2 <= TOSAJIT_MAX_TENSORS && is_worth_it(t, k);
        if (t->wanted[k]) {
            t->live[t->source[k]] = 1;
            tensors += 2, tables++;
        } else {
            for (int o = 0; o < node->operand_count; o++) t->live[node->operands[o]] = 1;
        }
    }
    return tables;
}

/* Move all nodes back, to have empty constants before them. */
static tosajit_status make_room(tosajit_expr *program, size_t tables) {
    if (!memory_grow(&program->allocator, (void **)&program->nodes, &program->capacity,
                     program->count + tables, sizeof *program->nodes))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu tables", tables);
    memmove(program->nodes + tables, program->nodes, program->count * sizeof *program->nodes);
    memset(program->nodes, 0, tables * sizeof *program->nodes);
    program->count += tables;
    for (size_t k = tables; k < program->count; k++)
        for (int o = 0; o < program->nodes[k].operand_count; o++)
            program->nodes[k].operands[o] += (tosajit_value)tables;
    for (size_t k = 0; k < program->contract_count; k++)
        program->contracts[k].input += (tosajit_value)tables;
    for (int32_t r = 0; r < program->result_count; r++)
        program->results[r] += (tosajit_value)tables;
    return TOSAJIT_OK;
}

/* Node `place` becomes the table that node k looks up at `source`. */
static tosajit_status put_table(tosajit_expr *program, size_t place, size_t k, tosajit_value source,
                                const int8_t *entries) {
    const int64_t dims[1] = {ENTRIES};
    expr_node *node = &program->nodes[k], *table = &program->nodes[place];
    table->data = memory_new(&program->allocator, ENTRIES, 1);
    if (!table->data) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a table");
    memcpy(table->data, entries, ENTRIES);
    table->data_size = ENTRIES;
    table->kind = NODE_CONSTANT;
    table->type = tosajit_ranked(TOSAJIT_I8, 1, dims);
    table->number = node->number;
    table->tensor = -1;
    table->table = true;
    node->op = TOSAJIT_OP_table;
    node->operand_count = 2;
    node->operands[0] = source;
    node->operands[1] = (tosajit_value)place;
    node->attributes = (tosajit_attributes){0};
    program->constant_count++;
    program->table_count++;
    return TOSAJIT_OK;
}

/* The entries are found in the expression, and put into a copy. */
static tosajit_status put_tables(const tabulation *t, size_t tables, tosajit_expr *copy) {
    size_t place = 0;
    tosajit_status status = make_room(copy, tables);
    for (size_t k = 0; !status && k < t->program->count; k++) {
        int8_t entries[ENTRIES];
        bool heavy;
        if (!t->wanted[k]) continue;
        mark_inside(t, (tosajit_value)k, &heavy);
        status = find_entries(t, (tosajit_value)k, entries);
        if (!status)
            status =
                put_table(copy, place++, k + tables, t->source[k] + (tosajit_value)tables, entries);
    }
    return status;
}

/* `program` has no node that is not needed; nor has `copy`, which is the same. */
static tosajit_status tabulate(const tosajit_expr *program, tosajit_expr *copy, bool *changed) {
    const tosajit_allocator *allocator = &program->allocator;
    const size_t count = program->count;
    tabulation t = {program, memory_new(allocator, count, sizeof *t.source),
                    memory_new(allocator, count, 1), memory_new(allocator, count, 1),
                    memory_new(allocator, count, 1)};
    size_t tables = 0;
    tosajit_status status = TOSAJIT_OK;
    if (!t.source || !t.live || !t.inside || !t.wanted)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu expression nodes", count);
    for (size_t k = 0; !status && k < count; k++) t.source[k] = find_source(&t, (tosajit_value)k);
    if (!status) tables = choose(&t);
    if (tables > 0) status = put_tables(&t, tables, copy), *changed = true;
    memory_free(allocator, t.source, count, sizeof *t.source);
    memory_free(allocator, t.live, count, 1);
    memory_free(allocator, t.inside, count, 1);
    memory_free(allocator, t.wanted, count, 1);
    return status;
}

/* Without a value of i8 that an op reads and one that an op gives there is nothing to do. */
static bool may_have_tables(const tosajit_expr *expr) {
    bool reads = false, gives = false;
    for (size_t k = 0; k < expr->count; k++) {
        const expr_node *node = &expr->nodes[k];
        const bool is_i8 = node->type.element == TOSAJIT_I8;
        gives |= is_i8 && node->kind == NODE_OP && reads;
        reads |= is_i8 && node->kind != NODE_CONSTANT;
    }
    return gives;
}

tosajit_status tabulated_kernel(const tosajit_expr *expr, const tosajit_allocator *allocator,
                                tosajit_kernel **kernel) {
    bool changed = false;
    tosajit_expr *program = NULL, *copy = NULL;
    if (!may_have_tables(expr)) return kernel_create(expr, allocator, kernel);
    tosajit_status status = expr_compact(expr, allocator, NULL, NULL, &program);
    if (!status) status = expr_compact(program, allocator, NULL, NULL, &copy);
    if (!status) status = tabulate(program, copy, &changed);
    if (!status) status = kernel_create(changed ? copy : expr, allocator, kernel);
    tosajit_expr_destroy(program);
    tosajit_expr_destroy(copy);
    return status;
}

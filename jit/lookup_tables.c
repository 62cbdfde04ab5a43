/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lookup tables: which parts of a program become one, and their entries. */
#include "jit/lookup_tables.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"
#include "runtime/interpret/interpret.h"

/* Of a byte, and of i1; the most bytes that they take. */
enum { ENTRIES = 256, TRUTHS = 2, MOST_BYTES = ENTRIES };

/* So many light ops are always worth a table. */
enum { ENOUGH = 5 };

/* Dependence of a value, if not on another value: constants alone; more than one value. */
enum { FIXED = -1, MIXED = -2 };

/* Facts about a value. */
typedef struct tabulated {
    tosajit_value source; /* the one byte or i1 that it depends on, perhaps itself; or see above */
    tosajit_value inside; /* of the part that this one ends */
    tosajit_value part;   /* at n: the value that is computed there in a part */
    bool live, wanted;    /* needed, when parts are tables; the last value of a part */
} tabulated;

/* A program, parts of which become tables. */
typedef struct tabulation {
    tosajit_expr *program;
    tabulated *nodes;
    uint64_t *bits;              /* of each value, on one operand */
    char (*entries)[MOST_BYTES]; /* of each part */
} tabulation;

static bool is_byte(const expr_node *node) {
    return op_maps_bytes(TOSAJIT_OP_table, node->type.element, node->type.element);
}
static bool is_truth(const expr_node *node) { return node->type.element == TOSAJIT_I1; }
static int count_entries(const expr_node *source) { return is_truth(source) ? TRUTHS : ENTRIES; }

/* The value that an operand depends on. A constant with a size per channel, or that is a tensor,
 * varies. So does a parameter that is no constant: it has one element, however many the source has.
 */
static tosajit_value operand_source(const tabulation *t, const expr_node *node, int o) {
    const tosajit_value operand = node->operands[o];
    const bool is_constant = t->program->nodes[operand].kind == NODE_CONSTANT;
    switch (expr_role(node, o)) {
    case ROLE_TABLE: return is_constant ? FIXED : MIXED;
    case ROLE_CHANNEL:
    case ROLE_GATHERED: return MIXED;
    case ROLE_DATA: return t->nodes[operand].source;
    default: return t->nodes[operand].source == FIXED ? FIXED : MIXED;
    }
}

/* True if a value broadcasts into another's shape, and leaves that shape as it is, whatever the
 * dynamic sizes are. */
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
    const tosajit_tensor_type *a = &node->type, *b = &source->type;
    bool keeps = a->rank >= 0 && a->rank == b->rank &&
                 memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
    for (int o = 0; o < node->operand_count; o++)
        if (expr_role(node, o) == ROLE_DATA && t->nodes[node->operands[o]].source == FIXED)
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
    if (node->kind == NODE_OP && op_is_along(node->op)) source = MIXED; /* of many elements */
    if (source >= 0 && !keeps_shape(t, node, &t->program->nodes[source])) source = MIXED;
    return source == MIXED && (is_byte(node) || is_truth(node)) ? k : source;
}

/* How much work the ops between a value and its source are, in light ones; or `enough`, at most
 * ENOUGH, if it is more. The search ends there, so that it takes no longer in long expressions. */
static int count_work(const tabulation *t, tosajit_value k, int enough) {
    enum { HEAVY = 8 };
    tosajit_value ops[ENOUGH] = {k};
    int work = 0;
    for (int n = 0, count = 1; n < count && work < enough; n++) {
        const expr_node *node = &t->program->nodes[ops[n]];
        work += op_is_heavy(node->op) ? HEAVY : 1;
        for (int o = 0; o < node->operand_count && count < ENOUGH; o++) {
            const tosajit_value operand = node->operands[o];
            bool is_new =
                operand != t->nodes[k].source && t->program->nodes[operand].kind == NODE_OP;
            for (int other = 0; other < count; other++) is_new &= ops[other] != operand;
            if (is_new) ops[count++] = operand;
        }
    }
    return work < enough ? work : enough;
}

/* A look-up by pshufb takes about as long as four light ops, which have a quarter of the lanes; by
 * a permutation a fifth of that. Converting from or to f8 takes longer. Of unsigned bytes, as
 * pictures are, four ops are a product and a sum of f32, which often is a line. A select is one op.
 */
static bool is_worth_it(const tabulation *t, tosajit_value k) {
    enum { LEAST_LIGHT = ENOUGH, LEAST = 2 };
    const expr_node *node = &t->program->nodes[k];
    const tosajit_value source = t->nodes[k].source;
    if (node->kind != NODE_OP || source < 0 || source == k || op_has_table(node->op)) return false;
    const expr_node *from = &t->program->nodes[source];
    const tosajit_type types[3] = {TOSAJIT_I1, node->type.element, node->type.element};
    if (is_truth(from))
        return tosajit_op_accepts(TOSAJIT_OP_select, types, node->type.element) &&
               count_work(t, k, LEAST) == LEAST;
    const bool on_f8 = type_is_float(from->type.element) || type_is_float(node->type.element);
    const bool on_u8 = type_is_unsigned(from->type.element) && type_is_unsigned(node->type.element);
    const int least = on_f8 ? LEAST : on_u8 ? LEAST_LIGHT - 1 : LEAST_LIGHT;
    return is_byte(node) && count_work(t, k, least) == least;
}

/* List what lies between a value and its source, that value included; gives how much that is. */
static size_t list_part(const tabulation *t, tosajit_value k) {
    size_t count = 0;
    t->nodes[k].inside = k;
    for (tosajit_value n = k; n >= 0; n--) {
        const expr_node *node = &t->program->nodes[n];
        if (t->nodes[n].inside != k || n == t->nodes[k].source) continue;
        for (int o = 0; o < node->operand_count; o++) t->nodes[node->operands[o]].inside = k;
    }
    for (tosajit_value n = 0; n <= k; n++)
        if (t->nodes[n].inside == k && n != t->nodes[k].source) t->nodes[count++].part = n;
    return count;
}

/* The interpreter's result of the values that are known already. */
static uint64_t evaluate(const tabulation *t, const expr_node *node) {
    if (node->kind == NODE_CONSTANT || !op_has_table(node->op))
        return interpret_node(t->program, node, NULL, t->bits);
    const expr_node *constant = &t->program->nodes[node->operands[1]];
    const int64_t stride[1] = {(int64_t)tosajit_type_size(constant->type.element)};
    const tosajit_tensor table = {constant->type.element, 1, constant->data, constant->type.dims,
                                  stride};
    return interpret_node(t->program, node, &table, t->bits);
}

/* A part on all operands: bytes from -128 on, 0 and 1. */
static void find_entries(const tabulation *t, tosajit_value k, char *entries) {
    const expr_node *nodes = t->program->nodes, *from = &nodes[t->nodes[k].source];
    const tosajit_type to = nodes[k].type.element;
    const size_t count = list_part(t, k);
    fpenv environment;
    fpenv_hold(&environment);
    for (int e = 0; e < count_entries(from); e++) {
        const int8_t operand = (int8_t)(is_truth(from) ? e : INT8_MIN + e);
        t->bits[t->nodes[k].source] = convert_load(from->type.element, &operand);
        for (size_t n = 0; n < count; n++)
            t->bits[t->nodes[n].part] = evaluate(t, &nodes[t->nodes[n].part]);
        const uint64_t bits = to == TOSAJIT_I1 ? (t->bits[k] & 0xff) != 0 : t->bits[k];
        convert_store(to, entries + (size_t)e * tosajit_type_size(to), bits);
    }
    fpenv_restore(&environment);
}

/* From the results on: a table needs its source alone, all else its operands. Gives how many
 * parts there are. Each becomes a table, which is two more tensors of a kernel, or two numbers. For
 * each the whole expression is looked through, so both are bounded. */
static size_t choose(const tabulation *t) {
    enum { MOST_SELECTS = 64 };
    const tosajit_expr *program = t->program;
    int32_t tensors = program->input_count + program->constant_count + program->result_count +
                      program->table_count;
    size_t parts = 0, selects = 0;
    for (int32_t r = 0; r < program->result_count; r++) t->nodes[program->results[r]].live = 1;
    for (tosajit_value k = (tosajit_value)program->count; k-- > 0;) {
        const expr_node *node = &program->nodes[k];
        if (!t->nodes[k].live) continue;
        t->nodes[k].wanted = is_worth_it(t, k);
        const bool truth = t->nodes[k].wanted && is_truth(&program->nodes[t->nodes[k].source]);
        t->nodes[k].wanted &= truth ? selects < MOST_SELECTS : tensors + 2 <= TOSAJIT_MAX_TENSORS;
        t->nodes[k].wanted &= program->count + TRUTHS * (parts + 1) <= TOSAJIT_MAX_NODES;
        if (t->nodes[k].wanted) {
            t->nodes[t->nodes[k].source].live = 1;
            tensors += truth ? 0 : 2, selects += truth, parts++;
        } else {
            for (int o = 0; o < node->operand_count; o++) t->nodes[node->operands[o]].live = 1;
        }
    }
    return parts;
}

/* The op in the place of a part has its source as operand 0; constants of the entries follow. */
static tosajit_status put_entries(void *context, tosajit_expr *program, expr_node *node,
                                  tosajit_value k, bool *changed) {
    const tabulation *t = context;
    const size_t size = tosajit_type_size(node->type.element);
    const int64_t dims[1] = {ENTRIES};
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_I8, 1, dims);
    tosajit_status status = TOSAJIT_OK;
    if (!t->nodes[k].wanted) return TOSAJIT_OK;
    const char *entries = t->entries[t->nodes[k].source];
    *changed = true;
    node->operand_count = node->op == TOSAJIT_OP_table ? 2 : 1 + TRUTHS;
    if (node->op == TOSAJIT_OP_table) {
        status = expr_constant_bytes(program, &type, entries, ENTRIES, false, &node->operands[1]);
        if (status) return status;
        program->nodes[node->operands[1]].table = true;
        program->table_count++;
        program->maps_bytes |= node->type.element != TOSAJIT_I8 ||
                               program->nodes[node->operands[0]].type.element != TOSAJIT_I8;
        return TOSAJIT_OK;
    }
    type = node->type;
    for (int32_t d = 0; d < type.rank; d++) type.dims[d] = 1;
    for (size_t e = 0; !status && e < TRUTHS; e++)
        status = expr_constant_bytes(program, &type, entries + e * size, size, true,
                                     &node->operands[TRUTHS - e]);
    return status;
}

/* The entries are all found before the first part is replaced: another one may be within it. */
static tosajit_status put_tables(tabulation *t, bool *changed) {
    tosajit_expr *program = t->program;
    tosajit_value found = 0;
    for (size_t k = 0; k < program->count; k++) {
        if (!t->nodes[k].wanted) continue;
        find_entries(t, (tosajit_value)k, t->entries[found++]);
    }
    found = 0;
    for (size_t k = 0; k < program->count; k++) {
        expr_node *node = &program->nodes[k];
        if (!t->nodes[k].wanted) continue;
        const bool selects = is_truth(&program->nodes[t->nodes[k].source]);
        node->op = selects ? TOSAJIT_OP_select : TOSAJIT_OP_table;
        node->operand_count = 1;
        node->operands[0] = t->nodes[k].source;
        node->attributes = (tosajit_attributes){0};
        t->nodes[k].source = found++;
    }
    return expr_sweep(program, put_entries, t, changed);
}

tosajit_status lookup_tables(program_made *made, bool *changed) {
    tosajit_expr *program = made->program;
    const tosajit_allocator *allocator = &program->allocator;
    const size_t count = program->count;
    tabulation t = {program, memory_new(allocator, count, sizeof *t.nodes),
                    memory_new(allocator, count, sizeof *t.bits), NULL};
    size_t parts = 0;
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; t.nodes && k < count; k++)
        t.nodes[k].source = find_source(&t, (tosajit_value)k);
    if (t.nodes) parts = choose(&t);
    if (parts > 0) t.entries = memory_new(allocator, parts, sizeof *t.entries);
    if (!t.nodes || !t.bits || (parts > 0 && !t.entries))
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for lookup tables");
    else if (parts > 0)
        status = put_tables(&t, changed);
    memory_free(allocator, t.nodes, count, sizeof *t.nodes);
    memory_free(allocator, t.bits, count, sizeof *t.bits);
    memory_free(allocator, t.entries, parts, sizeof *t.entries);
    return status;
}

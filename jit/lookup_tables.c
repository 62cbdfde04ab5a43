/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lookup tables: which parts of a program become one, and their entries. */
#include "jit/lookup_tables.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/reduce.h"
#include "runtime/run/kernel.h"

/* Of a byte, and of i1; the most bytes that they take. */
enum { ENTRIES = 256, TRUTHS = 2, MOST_BYTES = ENTRIES };

/* So many light ops are always worth a table. */
enum { ENOUGH = 5 };

/* What a value depends on, if not on another value: constants alone; more than one value. */
enum { FIXED = -1, MIXED = -2 };

/* An expression, parts of which become tables; the arrays have an entry per node. */
typedef struct tabulation {
    tosajit_expr *program;
    tosajit_value *source; /* the one byte or i1 that it depends on, perhaps itself; or see above */
    uint8_t *live;         /* needed, when parts are tables */
    uint8_t *inside;       /* of the part that is looked at */
    uint8_t *wanted;       /* the last value of a part */
} tabulation;

static bool is_byte(const expr_node *node) {
    return op_maps_bytes(TOSAJIT_OP_table, node->type.element, node->type.element);
}
static bool is_truth(const expr_node *node) { return node->type.element == TOSAJIT_I1; }
static int count_entries(const expr_node *source) { return is_truth(source) ? TRUTHS : ENTRIES; }

static bool has_shape_of(const expr_node *a, const expr_node *b) {
    return a->type.rank >= 0 && a->type.rank == b->type.rank &&
           memcmp(a->type.dims, b->type.dims, (size_t)a->type.rank * sizeof *a->type.dims) == 0;
}

/* What an operand depends on. A constant with a size per channel, or that is a tensor, varies. So
 * does a parameter that is no constant: it has one element, however many the source has. */
static tosajit_value operand_source(const tabulation *t, const expr_node *node, int o) {
    const tosajit_value operand = node->operands[o];
    const bool is_constant = t->program->nodes[operand].kind == NODE_CONSTANT;
    switch (expr_role(node, o)) {
    case ROLE_TABLE: return is_constant ? FIXED : MIXED;
    case ROLE_CHANNEL: return MIXED;
    case ROLE_DATA: return t->source[operand];
    default: return t->source[operand] == FIXED ? FIXED : MIXED;
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
    if (node_reduces(node)) source = MIXED; /* of many elements */
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
            bool is_new = operand != t->source[k] && t->program->nodes[operand].kind == NODE_OP;
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
    const tosajit_value source = t->source[k];
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

/* A constant of the part, whose elements are equal, as one number; a table as it is. */
static tosajit_status copy_constant(const expr_node *node, tosajit_expr *part,
                                    tosajit_value *value) {
    const int64_t one[1] = {1};
    const tosajit_tensor_type number = tosajit_ranked(node->type.element, 1, one);
    return expr_constant_bytes(part, node->splat ? &number : &node->type, node->data,
                               node->data_size, node->splat, value);
}

/* Mark what lies between a value and its source, both included. */
static void mark_inside(const tabulation *t, tosajit_value k) {
    memset(t->inside, 0, t->program->count);
    t->inside[k] = 1;
    for (tosajit_value n = k; n >= 0; n--) {
        const expr_node *node = &t->program->nodes[n];
        if (!t->inside[n] || n == t->source[k] || node->kind != NODE_OP) continue;
        for (int o = 0; o < node->operand_count; o++) t->inside[node->operands[o]] = 1;
    }
}

/* The part that is marked as an expression of its own, of all that the source may be. `moved` says
 * where its values are there. */
static tosajit_status copy_part(const tabulation *t, tosajit_value k, tosajit_value *moved,
                                tosajit_expr *part) {
    tosajit_status status = TOSAJIT_OK;
    for (tosajit_value n = 0; !status && n <= k; n++) {
        const expr_node *node = &t->program->nodes[n];
        const int64_t dims[1] = {
            t->source[n] == FIXED ? 1 : count_entries(&t->program->nodes[t->source[k]])};
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

/* The interpreter on all operands: bytes from -128 on, 0 and 1. */
static tosajit_status compute(const tosajit_expr *part, const tosajit_allocator *allocator,
                              void *entries) {
    int8_t operands[ENTRIES];
    tosajit_kernel *kernel;
    tosajit_status status = kernel_create(part, allocator, NULL, &kernel);
    if (status) return status;
    const tosajit_tensor_type from = tosajit_kernel_operand_type(kernel, 0),
                              to = tosajit_kernel_result_type(kernel, 0);
    const int first = from.element == TOSAJIT_I1 ? 0 : INT8_MIN;
    for (int k = 0; k < from.dims[0]; k++) operands[k] = (int8_t)(first + k);
    const tosajit_tensor operand = tosajit_dense(from.element, operands, 1, from.dims),
                         result = tosajit_dense(to.element, entries, 1, from.dims);
    status = tosajit_run(kernel, &operand, 1, &result, 1);
    tosajit_kernel_release(kernel);
    return status;
}

static tosajit_status find_entries(const tabulation *t, tosajit_value k, void *entries) {
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

/* From the results on: a table needs its source alone, all else its operands. Gives how many
 * constants there will be: a table, which is two more tensors of a kernel, or two numbers. For each
 * the whole expression is looked through, so both are bounded. */
static size_t choose(const tabulation *t) {
    enum { MOST_SELECTS = 64 };
    const tosajit_expr *program = t->program;
    int32_t tensors = program->input_count + program->constant_count + program->result_count +
                      program->table_count;
    size_t constants = 0, selects = 0;
    for (int32_t r = 0; r < program->result_count; r++) t->live[program->results[r]] = 1;
    for (tosajit_value k = (tosajit_value)program->count; k-- > 0;) {
        const expr_node *node = &program->nodes[k];
        if (!t->live[k]) continue;
        t->wanted[k] = is_worth_it(t, k);
        const bool truth = t->wanted[k] && is_truth(&program->nodes[t->source[k]]);
        t->wanted[k] &= truth ? selects < MOST_SELECTS : tensors + 2 <= TOSAJIT_MAX_TENSORS;
        t->wanted[k] &= program->count + constants + TRUTHS <= TOSAJIT_MAX_NODES;
        if (t->wanted[k]) {
            t->live[t->source[k]] = 1;
            tensors += truth ? 0 : 2, selects += truth, constants += truth ? TRUTHS : 1;
        } else {
            for (int o = 0; o < node->operand_count; o++) t->live[node->operands[o]] = 1;
        }
    }
    return constants;
}

/* Move all nodes back, to have empty constants before them. */
static tosajit_status make_room(tosajit_expr *program, size_t constants) {
    if (!memory_grow(&program->allocator, (void **)&program->nodes, &program->capacity,
                     program->count + constants, sizeof *program->nodes))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu constants", constants);
    memmove(program->nodes + constants, program->nodes, program->count * sizeof *program->nodes);
    memset(program->nodes, 0, constants * sizeof *program->nodes);
    program->count += constants;
    for (size_t k = constants; k < program->count; k++)
        for (int o = 0; o < program->nodes[k].operand_count; o++)
            program->nodes[k].operands[o] += (tosajit_value)constants;
    for (size_t k = 0; k < program->contract_count; k++)
        program->contracts[k].input += (tosajit_value)constants;
    for (int32_t r = 0; r < program->result_count; r++)
        program->results[r] += (tosajit_value)constants;
    return TOSAJIT_OK;
}

/* Node `place` becomes a constant of these elements: `data` is all of them, or one that repeats. */
static tosajit_status put_constant(tosajit_expr *program, size_t place, const expr_node *node,
                                   tosajit_tensor_type type, const void *data, size_t size) {
    expr_node *constant = &program->nodes[place];
    constant->data = memory_new(&program->allocator, size, 1);
    if (!constant->data) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a table");
    memcpy(constant->data, data, size);
    constant->data_size = size;
    constant->kind = NODE_CONSTANT;
    constant->type = type;
    constant->number = node->number;
    constant->tensor = -1;
    return TOSAJIT_OK;
}

static void become(expr_node *node, tosajit_op op, int count, tosajit_value a, tosajit_value b,
                   tosajit_value c) {
    node->op = op;
    node->operand_count = count;
    node->operands[0] = a;
    node->operands[1] = b;
    node->operands[2] = c;
    node->attributes = (tosajit_attributes){0};
}

/* Node `place` becomes the table that node k looks up at `source`. */
static tosajit_status put_table(tosajit_expr *program, size_t place, size_t k, tosajit_value source,
                                const char *entries) {
    const int64_t dims[1] = {ENTRIES};
    expr_node *node = &program->nodes[k], *table = &program->nodes[place];
    tosajit_status status =
        put_constant(program, place, node, tosajit_ranked(TOSAJIT_I8, 1, dims), entries, ENTRIES);
    if (status) return status;
    table->table = true;
    become(node, TOSAJIT_OP_table, 2, source, (tosajit_value)place, 0);
    program->maps_bytes |=
        node->type.element != TOSAJIT_I8 || program->nodes[source].type.element != TOSAJIT_I8;
    program->constant_count++;
    program->table_count++;
    return TOSAJIT_OK;
}

/* Node `place` and the next become what node k is where `source` is false, and true. */
static tosajit_status put_select(tosajit_expr *program, size_t place, size_t k,
                                 tosajit_value source, const char *entries) {
    expr_node *node = &program->nodes[k];
    const size_t size = tosajit_type_size(node->type.element);
    tosajit_tensor_type one = node->type;
    tosajit_status status = TOSAJIT_OK;
    for (int32_t d = 0; d < one.rank; d++) one.dims[d] = 1;
    for (size_t e = 0; !status && e < TRUTHS; e++) {
        status = put_constant(program, place + e, node, one, entries + e * size, size);
        program->nodes[place + e].splat = true;
    }
    if (!status)
        become(node, TOSAJIT_OP_select, 3, source, (tosajit_value)place + 1, (tosajit_value)place);
    return status;
}

/* The entries are all found before the first part is replaced, of which another one may be a part.
 */
static tosajit_status put_tables(const tabulation *t, size_t constants) {
    tosajit_expr *program = t->program;
    const size_t count = program->count;
    size_t place = 0, found = 0;
    char(*entries)[MOST_BYTES] = memory_new(&program->allocator, constants, sizeof *entries);
    tosajit_status status =
        entries ? TOSAJIT_OK : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for tables");
    for (size_t k = 0; !status && k < count; k++) {
        if (!t->wanted[k]) continue;
        mark_inside(t, (tosajit_value)k);
        status = find_entries(t, (tosajit_value)k, entries[found++]);
    }
    if (!status) status = make_room(program, constants);
    found = 0;
    for (size_t k = 0; !status && k < count; k++) {
        if (!t->wanted[k]) continue;
        const tosajit_value source = t->source[k] + (tosajit_value)constants;
        const bool selects = is_truth(&program->nodes[source]);
        status = (selects ? put_select : put_table)(program, place, k + constants, source,
                                                    entries[found++]);
        place += selects ? TRUTHS : 1;
    }
    memory_free(&program->allocator, entries, constants, sizeof *entries);
    return status;
}

static tosajit_status tabulate(tosajit_expr *program, bool *changed) {
    const tosajit_allocator *allocator = &program->allocator;
    const size_t count = program->count;
    tabulation t = {program, memory_new(allocator, count, sizeof *t.source),
                    memory_new(allocator, count, 1), memory_new(allocator, count, 1),
                    memory_new(allocator, count, 1)};
    size_t constants = 0;
    tosajit_status status = TOSAJIT_OK;
    if (!t.source || !t.live || !t.inside || !t.wanted)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu expression nodes", count);
    for (size_t k = 0; !status && k < count; k++) t.source[k] = find_source(&t, (tosajit_value)k);
    if (!status) constants = choose(&t);
    if (constants > 0) status = put_tables(&t, constants), *changed = true;
    memory_free(allocator, t.source, count, sizeof *t.source);
    memory_free(allocator, t.live, count, 1);
    memory_free(allocator, t.inside, count, 1);
    memory_free(allocator, t.wanted, count, 1);
    return status;
}

/* Without a byte or an i1 that an op may read there is nothing to do. */
static bool may_have_tables(const tosajit_expr *expr) {
    bool reads = false, gives = false;
    for (size_t k = 0; k < expr->count; k++) {
        const expr_node *node = &expr->nodes[k];
        gives |= node->kind == NODE_OP && reads;
        reads |= (is_byte(node) || is_truth(node)) && node->kind != NODE_CONSTANT;
    }
    return gives;
}

tosajit_status lookup_tables(program_made *made, bool *changed) {
    if (!may_have_tables(made->program)) return TOSAJIT_OK;
    tosajit_status status = tabulate(made->program, changed);
    return status || !*changed ? status : expr_sweep(made->program, NULL, NULL);
}

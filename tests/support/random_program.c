/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random expressions: generation, printing, building, naive shape rules. See random_program.h. */
#include "tests/support/random_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tosajit/inspect.h"

/* Generation. */

static const int64_t interesting_sizes[] = {1,   2,   3,   4,   5,    7,    8,   9,  15,
                                            16,  17,  31,  32,  33,   63,   64,  65, 127,
                                            128, 129, 255, 257, 1000, 1025, 4097};

static int64_t random_size(test_random *random, int64_t limit) {
    enum { MOST_VECTORS = 300 }; /* two steps of the widest loop over bytes, and what they leave */
    if (test_random_chance(random, 3)) return 0;
    if (limit >= MOST_VECTORS && test_random_chance(random, 20))
        return test_random_range(random, 1, MOST_VECTORS);
    int64_t size = interesting_sizes[test_random_range(
        random, 0, (int64_t)(sizeof interesting_sizes / sizeof *interesting_sizes) - 1)];
    return size <= limit ? size : test_random_range(random, 1, limit < 5 ? limit : 5);
}

static int32_t random_rank(test_random *random) {
    static const int32_t ranks[] = {0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6};
    if (test_random_chance(random, 4))
        return (int32_t)test_random_range(random, 7, TOSAJIT_MAX_RANK);
    return ranks[test_random_range(random, 0, (int64_t)(sizeof ranks / sizeof *ranks) - 1)];
}

static void random_space(test_random *random, program *p) {
    p->rank = random_rank(random);
    if (test_random_chance(random, 6)) { /* a table's own size, so that one can be data, too */
        p->rank = 1;
        p->full[0] = test_random_chance(random, 50) ? 256 : 513;
        return;
    }
    int64_t limit = PROGRAM_MAX_ELEMENTS;
    int32_t order = (int32_t)test_random_range(random, 0, p->rank); /* where the large size goes */
    for (int32_t k = 0; k < p->rank; k++) {
        int32_t d = (k + order) % p->rank;
        int64_t allowed = p->rank > 6 && k > 1 && limit > 2 ? 2 : limit;
        p->full[d] = random_size(random, allowed);
        if (p->full[d] > 1) limit /= p->full[d];
        if (limit < 1) limit = 1;
    }
}

static int32_t random_leaf_rank(test_random *random, const program *p, int32_t least) {
    return p->strict || test_random_chance(random, 75)
               ? p->rank
               : (int32_t)test_random_range(random, least, p->rank);
}

/* A leaf's sizes: each the full one or 1, in the patterns that occur in practice and at random. */
static void random_leaf_dims(test_random *random, const program *p, int32_t rank,
                             program_node *node) {
    int64_t pattern = test_random_range(random, 0, 9), kept = test_random_range(random, 0, rank);
    node->type.rank = rank;
    for (int32_t d = 0; d < rank; d++) {
        bool one = pattern < 4   ? false
                   : pattern < 7 ? test_random_chance(random, 50)
                   : pattern < 8 ? d != kept
                   : pattern < 9 ? d == kept
                                 : true;
        node->first_dims[d] = one ? 1 : p->full[d + p->rank - rank];
    }
}

/* Beyond the ends of a dimension, and of the type. */
static int64_t hostile_index(test_random *random, int64_t count) {
    const int64_t beyond[] = {count,     -count - 1, -1,        INT32_MAX,
                              INT32_MIN, 2 * count,  INT64_MAX, INT64_MIN};
    return beyond[test_random_range(random, 0, 7)];
}

/* An index of so many elements, which is mostly legal. Those that must not come again begin
 * anywhere, so that they do if there are too many. */
static void random_index(test_random *random, const program_node *node, int64_t count, int64_t at,
                         bool legal, unsigned char *element) {
    enum { HOSTILE = 10 };
    const tosajit_index_mode mode = node->attributes.index_mode;
    const bool any = mode == TOSAJIT_INDEX_CLIP || mode == TOSAJIT_INDEX_WRAP;
    int64_t index = count < 1 ? 0 : test_random_range(random, 0, count - 1);
    if (node->once && count > 0) index = (at + count / 2) % count;
    if (mode != TOSAJIT_INDEX_STRICT && test_random_chance(random, 50)) index -= count;
    if (test_random_chance(random, any ? 5 * HOSTILE : legal ? 0 : HOSTILE))
        index = hostile_index(random, count);
    const int32_t narrow = (int32_t)index;
    memcpy(element, node->type.element == TOSAJIT_I32 ? (const void *)&narrow : &index,
           tosajit_type_size(node->type.element));
}

static void random_element(test_random *random, const program_node *node, bool legal,
                           unsigned char *element) {
    if (node->is_parameter && legal)
        test_parameter_element(random, &node->parameter, element);
    else
        test_random_element(random, node->type.element, element);
}

void program_fill(const program *p, int k, const program_shape *shapes, int64_t index,
                  test_random *random, bool legal, unsigned char *element) {
    const program_node *node = &p->nodes[k];
    if (node->is_index)
        random_index(random, node,
                     shapes ? shapes[node->indexes].dims[0] : p->nodes[node->indexes].first_dims[0],
                     index, legal, element);
    else
        random_element(random, node, legal, element);
}

static bool random_constant(test_random *random, const program *p, program_node *node) {
    node->kind = PROGRAM_CONSTANT;
    for (int32_t d = 0; d < node->type.rank; d++) {
        if (node->first_dims[d] == 0) node->first_dims[d] = 1;
        node->type.dims[d] = node->first_dims[d];
    }
    size_t size = tosajit_type_size(node->type.element);
    int64_t count = 1;
    for (int32_t d = 0; d < node->type.rank; d++) count *= node->type.dims[d];
    node->data = malloc((size_t)count * size);
    if (!node->data) return false;
    const bool splat = !node->once && test_random_chance(random, 50);
    const int64_t along = node->type.rank > 0 && node->type.dims[0] > 0 ? node->type.dims[0] : 1;
    for (int64_t k = 0; k < count; k++)
        if (splat && k > 0)
            memcpy(node->data + (size_t)k * size, node->data, size);
        else
            program_fill(p, p->count, NULL, k / (count / along), random, true,
                         node->data + (size_t)k * size);
    return true;
}

/* A contract that a size keeps which is there. */
static tosajit_contract random_contract(test_random *random, int64_t size) {
    tosajit_contract c = {.smallest = size < 2 ? 0 : 2};
    if (test_random_chance(random, 30)) c.largest = test_random_range(random, size, 2 * size);
    if (test_random_chance(random, 70))
        for (c.multiple = 1; size % (2 * c.multiple) == 0 && test_random_chance(random, 80);)
            c.multiple *= 2;
    return c;
}

static bool has_contract(const program_node *node, int32_t d) {
    const tosajit_contract *c = &node->contracts[d];
    return node->type.dims[d] == TOSAJIT_DYNAMIC && (c->smallest || c->largest || c->multiple);
}

static bool keeps_contract(const program_node *node, int32_t d, int64_t size) {
    const tosajit_contract *c = &node->contracts[d];
    return size >= c->smallest && (!c->largest || size <= c->largest) &&
           (c->multiple < 2 || size % c->multiple == 0);
}

static void random_input(test_random *random, program *p, program_node *node) {
    node->kind = PROGRAM_INPUT;
    int64_t dynamic = test_random_range(random, 0, 2) * 50; /* percent: static, mixed, dynamic */
    for (int32_t d = 0; d < node->type.rank; d++)
        node->type.dims[d] = node->first_dims[d] == 0 || test_random_chance(random, (int)dynamic)
                                 ? TOSAJIT_DYNAMIC
                                 : node->first_dims[d];
    for (int32_t d = node->apart; d < node->type.rank; d++)
        if (!node->is_parameter && node->first_dims[d] > 0 && test_random_chance(random, 15))
            node->contracts[d] = random_contract(random, node->first_dims[d]);
    p->inputs[p->input_count++] = p->count;
}

/* Make the next node an input or a constant; -1 if there is no memory. */
static int finish_leaf(test_random *random, program *p, int constants) {
    program_node *node = &p->nodes[p->count];
    if (p->input_count == PROGRAM_MAX_INPUTS ||
        (p->input_count > 0 && test_random_chance(random, constants))) {
        if (!random_constant(random, p, node)) return -1;
    } else {
        random_input(random, p, node);
    }
    return p->count++;
}

/* A new input or constant of this element type and rank; -1 if there is no room or memory. */
static int add_ranked_leaf(test_random *random, program *p, tosajit_type element, int32_t rank) {
    if (p->count == PROGRAM_MAX_NODES) return -1;
    program_node *node = &p->nodes[p->count];
    *node = (program_node){.type = {element, 0, {0}}};
    random_leaf_dims(random, p, rank, node);
    return finish_leaf(random, p, 20);
}

static int add_leaf(test_random *random, program *p, tosajit_type element) {
    return add_ranked_leaf(random, p, element, random_leaf_rank(random, p, 0));
}

/* True if a node can be data: a parameter may have another size than the space. */
static bool fits_space(const program *p, const program_node *node) {
    if (node->apart || node->type.rank > p->rank || (p->strict && node->type.rank != p->rank))
        return false;
    for (int32_t d = 0; d < node->type.rank; d++)
        if (node->first_dims[d] != 1 &&
            node->first_dims[d] != p->full[d + p->rank - node->type.rank])
            return false;
    return true;
}

enum { ANY_RANK = -1 };

/* A value of this element type that can be data, mostly one of those that are there. */
static int pick_ranked(test_random *random, program *p, tosajit_type element, int32_t rank,
                       bool reuse) {
    int candidates[PROGRAM_MAX_NODES], count = 0;
    for (int k = 0; k < p->count; k++)
        if (p->nodes[k].type.element == element && fits_space(p, &p->nodes[k]) &&
            (rank == ANY_RANK || p->nodes[k].type.rank == rank))
            candidates[count++] = k;
    if (count > 0 && reuse)
        return candidates[test_random_chance(random, 50)
                              ? count - 1
                              : (int)test_random_range(random, 0, count - 1)];
    return rank == ANY_RANK ? add_leaf(random, p, element)
                            : add_ranked_leaf(random, p, element, rank);
}

static int pick_operand(test_random *random, program *p, tosajit_type element, bool reuse) {
    return pick_ranked(random, p, element, ANY_RANK, reuse);
}

// The type's largest number, or what an int64_t holds of it.
static int64_t largest_unsigned(tosajit_type element) {
    const size_t bits = 8 * tosajit_type_size(element);
    return bits < 64 ? (INT64_C(1) << bits) - 1 : INT64_MAX;
}

static void random_clamp(test_random *random, tosajit_type element, tosajit_attributes *a) {
    static const double bounds[] = {-32768.0, -100.0, -2.5, -1.0, -0.0, 0.0, 0.25, 1.0, 6.0, 448.0};
    static const int64_t extremes[TOSAJIT_TYPE_COUNT] = {[TOSAJIT_I8] = 127,
                                                         [TOSAJIT_I16] = 32767,
                                                         [TOSAJIT_I32] = INT32_MAX,
                                                         [TOSAJIT_I64] = INT64_MAX / 2};
    if (test_is_float(element)) {
        a->min_val.f = bounds[test_random_range(random, 0, 6)];
        a->max_val.f = bounds[test_random_range(random, 6, 9)];
        return;
    }
    const int64_t most = test_is_unsigned(element) ? largest_unsigned(element) : extremes[element];
    a->min_val.i = test_random_range(random, test_is_unsigned(element) ? 0 : -most - 1, most);
    a->max_val.i = test_random_range(random, a->min_val.i, most);
}

static tosajit_attributes random_attributes(test_random *random, tosajit_op op,
                                            tosajit_type element, tosajit_type result) {
    tosajit_attributes a = {0};
    if (op == TOSAJIT_OP_rescale) return test_random_scaling(random, element, result);
    if (op == TOSAJIT_OP_clamp) random_clamp(random, element, &a);
    if (op == TOSAJIT_OP_clamp || op == TOSAJIT_OP_maximum || op == TOSAJIT_OP_minimum ||
        op == TOSAJIT_OP_reduce_max || op == TOSAJIT_OP_reduce_min || op == TOSAJIT_OP_argmax ||
        op == TOSAJIT_OP_argmin)
        a.nan_mode = test_random_chance(random, 50) ? TOSAJIT_NAN_IGNORE : TOSAJIT_NAN_PROPAGATE;
    if (op == TOSAJIT_OP_mul && element == TOSAJIT_I32 && test_random_chance(random, 50))
        a.shift = (int32_t)test_random_range(random, 0, 63);
    if (op == TOSAJIT_OP_negate && element == TOSAJIT_I8) {
        a.input_zp = test_random_range(random, -128, 127);
        a.output_zp = test_random_range(random, -128, 127);
    }
    if (op == TOSAJIT_OP_arithmetic_right_shift) a.round = test_random_chance(random, 50);
    if (op == TOSAJIT_OP_cast &&
        (element == TOSAJIT_I8 || element == TOSAJIT_I16 || element == TOSAJIT_I32))
        a.input_unsigned = test_random_chance(random, 30);
    return a;
}

/* True if an op goes along dimensions; whether their sizes become 1. */
static bool is_along(tosajit_op op) {
    return test_reduces(op) || test_is_position(op) || test_is_scan(op);
}
static bool shrinks(tosajit_op op) {
    return is_along(op) && op != TOSAJIT_OP_index && !test_is_scan(op);
}

/* `a == 1 ? b : a` over sizes of which some are dynamic; the sizes are known to fit. */
static bool reduces_dimension(const program_node *node, int32_t d) {
    return d >= node->attributes.axis && d <= node->attributes.axis + node->attributes.joined;
}

static int64_t broadcast_static(int64_t a, int64_t b) {
    if (a == 1 || (a == TOSAJIT_DYNAMIC && b > 1)) return b;
    return a;
}

/* Declare other sizes than the inferred ones: a size may be forgotten, or, unless strict, promised.
 */
static void random_declaration(test_random *random, const program *p, program_node *node) {
    for (int32_t d = 0; d < node->type.rank; d++) {
        if (!test_random_chance(random, 40)) continue;
        if (node->type.dims[d] != TOSAJIT_DYNAMIC)
            node->type.dims[d] = TOSAJIT_DYNAMIC;
        else if (!p->strict && node->first_dims[d] > 0)
            node->type.dims[d] = node->first_dims[d];
    }
}

int32_t program_apart(const program_node *node, int o) {
    return test_is_scatter(node->op) || (node->op == TOSAJIT_OP_gather && o == 0);
}

/* The dimensions of an op's result: those of its operands that broadcast. Scatter has the first one
 * of what it begins with. */
static int32_t inferred_rank(const program *p, const program_node *node) {
    int32_t rank = 0;
    for (int o = 0; o < tosajit_op_arity(node->op); o++) {
        const int32_t own =
            p->nodes[node->operands[o]].type.rank - (o > 0 ? 0 : program_apart(node, o));
        if (own > rank) rank = own;
    }
    return rank;
}

static void infer_sizes(const program *p, program_node *node) {
    node->type.rank = inferred_rank(p, node);
    for (int32_t d = 0; d < node->type.rank; d++) node->type.dims[d] = node->first_dims[d] = 1;
    for (int o = 0; o < tosajit_op_arity(node->op); o++) {
        const program_node *operand = &p->nodes[node->operands[o]];
        int32_t shift = node->type.rank - operand->type.rank;
        for (int32_t d = program_apart(node, o); d < operand->type.rank; d++) {
            node->type.dims[d + shift] =
                broadcast_static(node->type.dims[d + shift], operand->type.dims[d]);
            if (node->first_dims[d + shift] == 1)
                node->first_dims[d + shift] = operand->first_dims[d];
        }
    }
    if (!test_is_scatter(node->op)) return;
    const program_node *base = &p->nodes[node->operands[0]];
    node->type.dims[0] = base->type.dims[0];
    node->first_dims[0] = base->first_dims[0];
    node->apart = base->apart;
}

static void infer(test_random *random, const program *p, program_node *node) {
    infer_sizes(p, node);
    for (int32_t d = 0; d < node->type.rank && shrinks(node->op); d++)
        if (reduces_dimension(node, d)) node->type.dims[d] = node->first_dims[d] = 1;
    node->declared = node->op == TOSAJIT_OP_cast || node->op == TOSAJIT_OP_rescale ||
                     test_random_chance(random, 30);
    if (node->declared) random_declaration(random, p, node);
}

/* A type of which an op gives positions, or that it scans; TOSA has those of some. */
static bool random_counted(test_random *random, tosajit_op op, bool strict, tosajit_type *operand,
                           tosajit_type *result) {
    const tosajit_type type = (tosajit_type)test_random_range(random, 0, TOSAJIT_TYPE_COUNT - 1);
    const tosajit_type to = test_is_scan(op) ? type : TOSAJIT_I32;
    const tosajit_tensor_type line = {type, 1, {1}}, made = {to, 1, {1}};
    *operand = type;
    *result = to;
    return tosajit_verify(op, &line, 1, NULL, &made, strict, NULL) == TOSAJIT_OK;
}

/* One of the op's legal rows; strict leaves out what is not TOSA's. */
static bool random_signature(test_random *random, tosajit_op op, bool strict,
                             tosajit_type *operands, tosajit_type *result) {
    tosajit_type types[TOSAJIT_MAX_ARITY], to;
    unsigned state = 0;
    int64_t seen = 0;
    if (test_is_position(op) || test_is_scan(op))
        return random_counted(random, op, strict, operands, result);
    while (test_next_signature(op, &state, types, &to)) {
        if (strict && test_is_extension(op, types[tosajit_op_arity(op) - 1], to)) continue;
        /* Each of them with equal chance. */
        if (test_random_range(random, 0, seen++) != 0) continue;
        memcpy(operands, types, sizeof types);
        *result = to;
    }
    return seen > 0;
}

/* A value that is there and can be this parameter, or -1. A table may be any input or constant, but
 * no op's result; the constants for others must have legal values, which only those have that were
 * made for it. */
static int find_parameter(test_random *random, const program *p, tosajit_op op,
                          const test_parameter *q, int64_t count) {
    int candidates[PROGRAM_MAX_NODES], found = 0;
    program_kind forbidden = op == TOSAJIT_OP_table ? PROGRAM_OP : PROGRAM_CONSTANT;
    for (int k = 0; k < p->count; k++) {
        const program_node *node = &p->nodes[k];
        bool fits = node->type.element == q->element && node->type.rank == 1 &&
                    node->first_dims[0] == count;
        if (fits && node->kind != forbidden) candidates[found++] = k;
    }
    return found > 0 ? candidates[test_random_range(random, 0, found - 1)] : -1;
}

/* The op's next parameter: a value that is there, or a new leaf. */
static int pick_parameter(test_random *random, program *p, const program_node *op,
                          tosajit_type operand) {
    int k = op->operand_count - tosajit_op_arity(op->op);
    test_parameter q = test_parameter_of(op->op, k, operand, op->type.element, &op->attributes);
    const program_node *data = &p->nodes[op->operands[0]];
    int64_t count = q.count ? q.count : data->first_dims[data->type.rank - 1];
    int found = test_random_chance(random, 40) ? find_parameter(random, p, op->op, &q, count) : -1;
    if (found >= 0 || p->count == PROGRAM_MAX_NODES) return found;
    program_node *leaf = &p->nodes[p->count];
    *leaf = (program_node){
        .type = {q.element, 1, {0}}, .first_dims = {count}, .is_parameter = true, .parameter = q};
    leaf->channels_of = q.count ? -1 : op->operands[0];
    if (count > 0) return finish_leaf(random, p, 50);
    if (p->input_count == PROGRAM_MAX_INPUTS) return -1; /* no constant is empty */
    random_input(random, p, leaf);
    return p->count++;
}

static bool pick_parameters(test_random *random, program *p, program_node *node,
                            tosajit_type operand) {
    int required, parameters = tosajit_op_parameters(node->op, &required);
    if (!required && test_random_chance(random, 40)) return true;
    if (p->nodes[node->operands[0]].type.rank == 0) node->attributes.per_channel = 0;
    node->attributes.shift = 0;
    node->attributes.input_zp = node->attributes.output_zp = 0;
    for (int k = 0; k < parameters; k++) {
        int value = pick_parameter(random, p, node, operand);
        if (value < 0) return false;
        node->operands[node->operand_count++] = value;
    }
    return true;
}

/* Mostly the last or the first dimension. False: there is none. */
static bool pick_axis(test_random *random, const program *p, program_node *node) {
    const int32_t rank = p->nodes[node->operands[0]].type.rank;
    if (!is_along(node->op)) return true;
    if (rank == 0) return false;
    node->attributes.axis = test_random_chance(random, 45) ? rank - 1
                            : test_random_chance(random, 40)
                                ? 0
                                : test_random_range(random, 0, rank - 1);
    if (test_is_scan(node->op)) {
        node->attributes.exclusive = test_random_chance(random, 30);
        node->attributes.reverse = test_random_chance(random, 30);
        return true;
    }
    if (!p->strict && test_random_chance(random, 30))
        node->attributes.joined =
            (int32_t)test_random_range(random, 0, rank - 1 - node->attributes.axis);
    return true;
}

/* Indices. */

static bool is_indexed(tosajit_op op) { return op == TOSAJIT_OP_gather || test_is_scatter(op); }

/* So many elements of an indexed dimension, or as many as there is room for beside the last
 * dimensions of a space. */
static int64_t most_indexed(const program *p, const int64_t *space, int32_t rank, int64_t count) {
    int64_t room = PROGRAM_MAX_ELEMENTS;
    for (int32_t d = p->rank; d-- > 0 && p->rank - d < rank;) room /= space[d] ? space[d] : 1;
    return count < room ? count : room > 0 ? room : 1;
}

/* A new input or constant that is indexed: its first dimension has any size, the other ones are
 * those of the space. */
static int add_indexed(test_random *random, program *p, tosajit_type element, int32_t rank) {
    static const int64_t sizes[] = {1, 1, 2, 3, 5, 7, 16, 33, 64, 100, 257, 1000};
    if (p->count == PROGRAM_MAX_NODES || rank > TOSAJIT_MAX_RANK) return -1;
    program_node *node = &p->nodes[p->count];
    *node = (program_node){.type = {element, 0, {0}}, .apart = true};
    random_leaf_dims(random, p, rank - 1, node);
    node->type.rank = rank;
    memmove(node->first_dims + 1, node->first_dims, (size_t)(rank - 1) * sizeof *node->first_dims);
    node->first_dims[0] =
        test_random_chance(random, 2)
            ? 0
            : most_indexed(p, p->full, rank, sizes[test_random_range(random, 0, 11)]);
    return finish_leaf(random, p, 20);
}

/* A new index of what node->operands[0] is. */
static int add_index(test_random *random, program *p, const program_node *node,
                     tosajit_type element, int32_t rank) {
    if (p->count == PROGRAM_MAX_NODES) return -1;
    program_node *leaf = &p->nodes[p->count];
    *leaf = (program_node){.type = {element, 0, {0}},
                           .is_index = true,
                           .indexes = node->operands[0],
                           .attributes.index_mode = node->attributes.index_mode};
    leaf->once = node->op == TOSAJIT_OP_scatter &&
                 node->attributes.index_mode == TOSAJIT_INDEX_STRICT &&
                 test_random_chance(random, 90);
    random_leaf_dims(random, p, rank, leaf);
    return finish_leaf(random, p, 20);
}

/* One more op of the same type and sizes as its operand. */
static int add_computed(test_random *random, program *p, tosajit_op op, int operand,
                        const tosajit_attributes *attributes) {
    if (operand < 0 || p->count == PROGRAM_MAX_NODES) return -1;
    program_node node = {.kind = PROGRAM_OP,
                         .op = op,
                         .type.element = p->nodes[operand].type.element,
                         .operands = {operand, operand},
                         .operand_count = tosajit_op_arity(op),
                         .attributes = *attributes};
    infer(random, p, &node);
    p->nodes[p->count] = node;
    return p->count++;
}

/* An index that is a leaf, computed of one, or of any number that is brought into range; or any
 * number, which is an error in some modes. */
static int pick_index(test_random *random, program *p, const program_node *node,
                      tosajit_type element, int32_t rank) {
    const int64_t kind = test_random_range(random, 0, 99),
                  count = p->nodes[node->operands[0]].first_dims[0];
    const tosajit_index_mode mode = node->attributes.index_mode;
    const bool fails = mode == TOSAJIT_INDEX_STRICT || mode == TOSAJIT_INDEX_SIGNED;
    const tosajit_attributes inside = {.min_val.i = mode == TOSAJIT_INDEX_SIGNED ? -count : 0,
                                       .max_val.i = count > 0 ? count - 1 : 0};
    if (kind < 45) return add_index(random, p, node, element, rank);
    if (kind < 65 || p->strict)
        return add_computed(random, p, TOSAJIT_OP_maximum,
                            add_index(random, p, node, element, rank), &(tosajit_attributes){0});
    const int any = pick_ranked(random, p, element, rank, test_random_chance(random, 75));
    return kind < (fails ? 97 : 80) ? add_computed(random, p, TOSAJIT_OP_clamp, any, &inside) : any;
}

/* A leaf that is there already and can be gathered from, or -1. */
static int find_leaf(test_random *random, const program *p, tosajit_type element) {
    int candidates[PROGRAM_MAX_NODES], found = 0;
    for (int k = 0; k < p->count; k++) {
        const program_node *node = &p->nodes[k];
        const int32_t rank = node->type.rank;
        const bool fits = rank > 0 && rank <= p->rank + 1 && (!p->strict || rank == p->rank + 1);
        if (fits && node->kind != PROGRAM_OP && node->type.element == element)
            candidates[found++] = k;
    }
    return found > 0 ? candidates[test_random_range(random, 0, found - 1)] : -1;
}

/* Pick what is indexed: a leaf, or where something is put also a value that is computed. */
static int pick_indexed(test_random *random, program *p, const program_node *node, int reuse) {
    const tosajit_type element = node->type.element;
    const bool gathers = node->op == TOSAJIT_OP_gather;
    if (!gathers && test_random_chance(random, 60))
        return pick_ranked(random, p, element, random_leaf_rank(random, p, 1),
                           test_random_chance(random, reuse));
    const int found =
        gathers && test_random_chance(random, 30) ? find_leaf(random, p, element) : -1;
    return found >= 0
               ? found
               : add_indexed(random, p, element, gathers + random_leaf_rank(random, p, !gathers));
}

/* Types that an op with an index takes, mostly that of a value that is there; TOSA has some. */
static bool random_indexed_types(test_random *random, const program *p, tosajit_op op,
                                 tosajit_type *operands) {
    const tosajit_type any = (tosajit_type)test_random_range(random, 0, TOSAJIT_TYPE_COUNT - 1),
                       type = p->count > 0 && test_random_chance(random, 80)
                                  ? p->nodes[test_random_range(random, p->count / 2, p->count - 1)]
                                        .type.element
                                  : any,
                       index = test_random_chance(random, 50) ? TOSAJIT_I32 : TOSAJIT_I64;
    const tosajit_tensor_type line = {type, 1, {1}},
                              types[] = {line, {index, op == TOSAJIT_OP_gather ? 0 : 1, {1}}, line},
                              made = {type, types[1].rank, {1}};
    operands[0] = operands[2] = type;
    operands[1] = index;
    return tosajit_verify(op, types, (size_t)tosajit_op_arity(op), NULL, &made, p->strict, NULL) ==
           TOSAJIT_OK;
}

/* Append gather, scatter or one of its like; false if there is no room for its operands. */
static bool add_indexed_op(test_random *random, program *p, int reuse) {
    static const tosajit_op ops[] = {TOSAJIT_OP_gather,      TOSAJIT_OP_gather,
                                     TOSAJIT_OP_scatter,     TOSAJIT_OP_scatter_add,
                                     TOSAJIT_OP_scatter_add, TOSAJIT_OP_scatter_max,
                                     TOSAJIT_OP_scatter_min};
    program_node node = {.kind = PROGRAM_OP, .op = ops[test_random_range(random, 0, 6)]};
    tosajit_type types[TOSAJIT_MAX_ARITY];
    if (!random_indexed_types(random, p, node.op, types)) return true;
    if (p->rank == 0 && test_is_scatter(node.op)) return true;
    node.type.element = types[0];
    node.attributes.index_mode =
        p->strict ? TOSAJIT_INDEX_STRICT
                  : (tosajit_index_mode)test_random_range(random, 0, TOSAJIT_INDEX_WRAP);
    if (node.op == TOSAJIT_OP_scatter_max || node.op == TOSAJIT_OP_scatter_min)
        node.attributes.nan_mode = (tosajit_nan_mode)test_random_range(random, 0, 1);
    node.operand_count = tosajit_op_arity(node.op);
    if ((node.operands[0] = pick_indexed(random, p, &node, reuse)) < 0) return false;
    const int32_t rank = node.op == TOSAJIT_OP_gather ? random_leaf_rank(random, p, 0)
                                                      : p->nodes[node.operands[0]].type.rank;
    if ((node.operands[1] = pick_index(random, p, &node, types[1], rank)) < 0) return false;
    if (node.operand_count > 2)
        node.operands[2] =
            pick_ranked(random, p, types[2], rank, test_random_chance(random, reuse));
    if (node.operands[node.operand_count - 1] < 0 || p->count == PROGRAM_MAX_NODES) return false;
    infer(random, p, &node);
    p->nodes[p->count++] = node;
    return true;
}

static tosajit_op random_op(test_random *random) {
    static const tosajit_op with_parameters[] = {TOSAJIT_OP_mul, TOSAJIT_OP_negate,
                                                 TOSAJIT_OP_table, TOSAJIT_OP_rescale,
                                                 TOSAJIT_OP_rescale};
    if (test_random_chance(random, 15)) return with_parameters[test_random_range(random, 0, 4)];
    if (test_random_chance(random, 5))
        return (tosajit_op)test_random_range(random, TOSAJIT_OP_argmax, TOSAJIT_OP_index);
    if (test_random_chance(random, 5)) /* logcumsumexp has no one answer */
        return (tosajit_op)test_random_range(random, TOSAJIT_OP_cumsum, TOSAJIT_OP_cummin);
    if (test_random_chance(random, 3)) return TOSAJIT_OP_fma;
    return (tosajit_op)test_random_range(random, 0, TOSAJIT_OP_roundeven);
}

/* Oracles have one answer. Functions of f64 and the ones behind roundeven may be 1 ulp off it;
 * tests/numbers/functions_test.c has these. */
static bool has_one_answer(tosajit_op op, tosajit_type operand) {
    static const tosajit_op functions[] = {TOSAJIT_OP_cos, TOSAJIT_OP_erf,   TOSAJIT_OP_exp,
                                           TOSAJIT_OP_log, TOSAJIT_OP_rsqrt, TOSAJIT_OP_sigmoid,
                                           TOSAJIT_OP_sin, TOSAJIT_OP_tanh,  TOSAJIT_OP_pow};
    bool function = false;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        function |= functions[k] == op;
    return !function || operand != TOSAJIT_F64;
}

/* True if an op with operands of these types leaves alone what was gathered or scattered last. */
static bool leaves_indexed(const program *p, tosajit_op op, const tosajit_type *elements) {
    const program_node *last = &p->nodes[p->count > 0 ? p->count - 1 : 0];
    bool leaves =
        p->count > 0 && last->kind == PROGRAM_OP && is_indexed(last->op) && fits_space(p, last);
    for (int o = 0; o < tosajit_op_arity(op); o++)
        leaves = leaves && elements[o] != last->type.element;
    return leaves;
}

/* Append one op; false if there is no room for its operands. */
static bool add_op(test_random *random, program *p, int reuse) {
    enum { INDEXED = 12 };
    if (test_random_chance(random, INDEXED)) return add_indexed_op(random, p, reuse);
    program_node node = {.kind = PROGRAM_OP, .op = random_op(random)};
    tosajit_type elements[TOSAJIT_MAX_ARITY];
    if (!random_signature(random, node.op, p->strict, elements, &node.type.element)) return true;
    if (!has_one_answer(node.op, elements[0])) return true;
    if (leaves_indexed(p, node.op, elements) && test_random_chance(random, 80)) return true;
    /* In a DAG most ops should continue what is there. */
    bool fits = false;
    for (int k = 0; k < p->count; k++)
        fits |= p->nodes[k].type.element == elements[tosajit_op_arity(node.op) - 1];
    if (p->count > 0 && !fits && test_random_chance(random, 80)) return true;
    for (int o = 0; o < tosajit_op_arity(node.op); o++) {
        node.operands[o] = pick_operand(random, p, elements[o], test_random_chance(random, reuse));
        if (node.operands[o] < 0) return false;
        node.operand_count++;
    }
    node.attributes = random_attributes(random, node.op, elements[0], node.type.element);
    if (!pick_axis(random, p, &node)) return true;
    if (!pick_parameters(random, p, &node, elements[0]) || p->count == PROGRAM_MAX_NODES)
        return false;
    infer(random, p, &node);
    p->nodes[p->count++] = node;
    return true;
}

/* The last gather or scatter that nothing reads, but for the last node; or -1. */
static int find_unread(const program *p) {
    bool read[PROGRAM_MAX_NODES] = {false};
    for (int k = p->count; k-- > 0;) {
        const program_node *node = &p->nodes[k];
        if (k < p->count - 1 && node->kind == PROGRAM_OP && is_indexed(node->op) && !read[k])
            return k;
        for (int o = 0; o < node->operand_count; o++) read[node->operands[o]] = true;
    }
    return -1;
}

bool program_random(test_random *random, int ops, program *p) {
    p->count = p->input_count = p->result_count = 0;
    p->strict = test_random_chance(random, 20);
    random_space(random, p);
    int made = 0;
    for (int tries = 0; tries < 20 * ops && made < ops; tries++) {
        int before = p->count;
        if (!add_op(random, p, ops == 1 ? 15 : 75)) break;
        made += p->count > before;
    }
    if (p->count == 0 && add_leaf(random, p, TOSAJIT_F32) < 0) return false;
    p->results[p->result_count++] = p->count - 1;
    const int unread = find_unread(p);
    if (unread >= 0 && test_random_chance(random, 60)) p->results[p->result_count++] = unread;
    int64_t more = ops == 1 ? 0 : test_random_range(random, 0, PROGRAM_MAX_RESULTS - 1);
    for (int64_t k = 0; k < more && p->result_count < PROGRAM_MAX_RESULTS; k++)
        p->results[p->result_count++] = (int)test_random_range(random, p->count / 2, p->count - 1);
    return true;
}

void program_free(program *p) {
    for (int k = 0; k < p->count; k++) free(p->nodes[k].data);
    p->count = 0;
}

/* Printing. */

static void print_attributes(const program_node *node, FILE *file) {
    const tosajit_attributes *a = &node->attributes;
    if (node->op == TOSAJIT_OP_clamp && test_is_float(node->type.element))
        fprintf(file, " min %a max %a", a->min_val.f, a->max_val.f);
    if (node->op == TOSAJIT_OP_clamp && !test_is_float(node->type.element))
        fprintf(file, " min %" PRId64 " max %" PRId64, a->min_val.i, a->max_val.i);
    if (a->nan_mode) fprintf(file, " ignore_nan");
    if (a->shift) fprintf(file, " shift %d", (int)a->shift);
    if (a->input_zp || a->output_zp)
        fprintf(file, " input_zp %d output_zp %d", (int)a->input_zp, (int)a->output_zp);
    if (a->round) fprintf(file, " round");
    if (a->input_unsigned) fprintf(file, " input_unsigned");
    if (a->output_unsigned) fprintf(file, " output_unsigned");
    if (a->scale32) fprintf(file, " scale32");
    if (a->per_channel) fprintf(file, " per_channel");
    if (a->rounding_mode) fprintf(file, " rounding_mode %d", (int)a->rounding_mode);
    if (is_along(node->op)) fprintf(file, " axis %" PRId64, a->axis);
    if (a->exclusive) fprintf(file, " exclusive");
    if (a->reverse) fprintf(file, " reverse");
    if (is_indexed(node->op)) fprintf(file, " index_mode %d", (int)a->index_mode);
}

void program_print(const program *p, FILE *file) {
    if (p->strict) fprintf(file, "  strict\n");
    for (int k = 0; k < p->count; k++) {
        const program_node *node = &p->nodes[k];
        char type[400];
        tosajit_type_print(&node->type, type, sizeof type);
        fprintf(file, "  %%%d = ", k);
        if (node->kind == PROGRAM_INPUT) fprintf(file, "input");
        if (node->kind == PROGRAM_CONSTANT)
            fprintf(file, "constant 0x%" PRIx64 "...", test_bits(node->type.element, node->data));
        if (node->kind == PROGRAM_OP) fprintf(file, "%s", tosajit_op_name(node->op));
        for (int o = 0; o < node->operand_count; o++) fprintf(file, " %%%d", node->operands[o]);
        print_attributes(node, file);
        for (int32_t d = 0; node->kind == PROGRAM_INPUT && d < node->type.rank; d++)
            if (has_contract(node, d))
                fprintf(file, " [%d: %" PRId64 "..%" PRId64 " by %" PRId64 "]", (int)d,
                        node->contracts[d].smallest, node->contracts[d].largest,
                        node->contracts[d].multiple);
        fprintf(file, " : %s%s\n", type, node->declared ? " (declared)" : "");
    }
    fprintf(file, "  results");
    for (int r = 0; r < p->result_count; r++) fprintf(file, " %%%d", p->results[r]);
    fprintf(file, "\n");
}

/* Building. */

static tosajit_status build_node(const program_node *node, tosajit_expr *expr,
                                 const tosajit_value *values, tosajit_value *value) {
    if (node->kind == PROGRAM_INPUT) return tosajit_expr_input(expr, &node->type, value);
    if (node->kind == PROGRAM_CONSTANT)
        return tosajit_expr_constant(expr, &node->type, node->data, value);
    tosajit_value operands[TOSAJIT_MAX_OPERANDS];
    for (int o = 0; o < node->operand_count; o++) operands[o] = values[node->operands[o]];
    const tosajit_tensor_type *declared = node->declared ? &node->type : NULL;
    return tosajit_expr_op(expr, node->op, operands, (size_t)node->operand_count, &node->attributes,
                           declared, value);
}

static tosajit_status promise(const program_node *node, tosajit_expr *expr, tosajit_value value) {
    tosajit_status status = TOSAJIT_OK;
    for (int32_t d = 0; !status && node->kind == PROGRAM_INPUT && d < node->type.rank; d++)
        if (has_contract(node, d))
            status = tosajit_expr_contract(expr, value, d, &node->contracts[d]);
    return status;
}

tosajit_status program_build(const program *p, tosajit_expr **expr) {
    tosajit_expr_options options = {.size = sizeof options, .strict = p->strict};
    tosajit_expr *made = NULL;
    tosajit_value values[PROGRAM_MAX_NODES];
    tosajit_status status = tosajit_expr_create(&options, &made);
    for (int k = 0; !status && k < p->count; k++) {
        status = build_node(&p->nodes[k], made, values, &values[k]);
        if (!status) status = promise(&p->nodes[k], made, values[k]);
    }
    for (int r = 0; !status && r < p->result_count; r++)
        status = tosajit_expr_result(made, values[p->results[r]]);
    if (status)
        tosajit_expr_destroy(made);
    else
        *expr = made;
    return status;
}

test_parameter program_parameter(const program *p, int k, int o) {
    const program_node *node = &p->nodes[k];
    return test_parameter_of(node->op, o - tosajit_op_arity(node->op),
                             p->nodes[node->operands[0]].type.element, node->type.element,
                             &node->attributes);
}

/* Rules. */

static void reach(const program *p, int node, bool of_index, bool *reached) {
    for (int k = 0; k < p->count; k++) reached[k] = k == node;
    for (int k = node; k >= 0; k--) {
        const program_node *n = &p->nodes[k];
        const bool index = n->kind == PROGRAM_OP && n->op == TOSAJIT_OP_index;
        for (int o = 0; reached[k] && (of_index || !index) && o < n->operand_count; o++)
            reached[n->operands[o]] = true;
    }
}

void program_reach(const program *p, int node, bool *reached) { reach(p, node, true, reached); }

void program_reach_numbers(const program *p, int node, bool *reached) {
    reach(p, node, false, reached);
}

static void mark_live(const program *p, bool *live) {
    bool reached[PROGRAM_MAX_NODES];
    for (int k = 0; k < p->count; k++) live[k] = false;
    for (int r = 0; r < p->result_count; r++) {
        program_reach(p, p->results[r], reached);
        for (int k = 0; k < p->count; k++) live[k] |= reached[k];
    }
}

bool program_is_table(const program *p, int k) {
    bool live[PROGRAM_MAX_NODES], found = false;
    mark_live(p, live);
    for (int n = 0; n < p->count; n++)
        found |= live[n] && p->nodes[n].kind == PROGRAM_OP &&
                 ((p->nodes[n].op == TOSAJIT_OP_table && p->nodes[n].operands[1] == k) ||
                  (p->nodes[n].op == TOSAJIT_OP_gather && p->nodes[n].operands[0] == k));
    return found;
}

/* The size that this call gives to a dimension of the space: what static sizes demand, else the one
 * of the first call or another. */
static int64_t run_size(const program *p, test_random *random, int32_t d, bool first) {
    int64_t size = first || test_random_chance(random, 30)
                       ? p->full[d]
                       : random_size(random, p->full[d] > 4 ? p->full[d] : 4);
    for (int k = 0; k < p->count; k++) {
        const tosajit_tensor_type *type = &p->nodes[k].type;
        int32_t own = d - (p->rank - type->rank);
        if (p->nodes[k].is_parameter && p->nodes[k].channels_of < 0) continue;
        if (p->nodes[k].apart && own == 0) continue;
        if (own >= 0 && type->dims[own] != TOSAJIT_DYNAMIC && type->dims[own] != 1)
            return type->dims[own];
        if (own >= 0 && has_contract(&p->nodes[k], own) &&
            !keeps_contract(&p->nodes[k], own, size) && test_random_chance(random, 95))
            size = p->full[d];
    }
    return size;
}

/* A parameter's size follows from the op, or from the channels in this call; or it is wrong. */
static void random_parameter_dims(const program *p, test_random *random, bool mismatch,
                                  program_shape *inputs) {
    program_shape shapes[PROGRAM_MAX_NODES] = {{0, {0}}};
    program_shapes(p, inputs, shapes);
    for (int k = 0; k < p->input_count; k++) {
        const program_node *node = &p->nodes[p->inputs[k]];
        if (!node->is_parameter || node->type.dims[0] != TOSAJIT_DYNAMIC) continue;
        const program_shape *data = node->channels_of >= 0 ? &shapes[node->channels_of] : NULL;
        if (data && data->rank > 0) inputs[k].dims[0] = data->dims[data->rank - 1];
        if (mismatch && test_random_chance(random, 20))
            inputs[k].dims[0] = test_random_range(random, 0, 300);
    }
}

static void draw_dims(const program *p, test_random *random, bool mismatch, program_shape *inputs) {
    enum { MOST_INDEXED = 40 };
    int64_t space[TOSAJIT_MAX_RANK];
    int64_t count = 1;
    for (int32_t d = 0; d < p->rank; d++) {
        space[d] = run_size(p, random, d, count * p->full[d] > PROGRAM_MAX_ELEMENTS / 64);
        count *= space[d] ? space[d] : 1;
    }
    for (int32_t d = 0; count > PROGRAM_MAX_ELEMENTS && d < p->rank; d++)
        space[d] = run_size(p, random, d, true);
    for (int k = 0; k < p->input_count; k++) {
        const program_node *node = &p->nodes[p->inputs[k]];
        inputs[k].rank = node->type.rank;
        inputs[k].dims[0] = node->first_dims[0];
        if (node->apart && node->type.dims[0] == TOSAJIT_DYNAMIC && test_random_chance(random, 50))
            inputs[k].dims[0] =
                most_indexed(p, space, node->type.rank,
                             test_random_range(random, mismatch ? 0 : 1, MOST_INDEXED));
        if (node->is_parameter) continue;
        int64_t elements = 1;
        for (int32_t d = node->apart; d < node->type.rank; d++) {
            int64_t size =
                test_random_chance(random, 25) ? 1 : space[d + p->rank - node->type.rank];
            if (has_contract(node, d) && !keeps_contract(node, d, size))
                size = space[d + p->rank - node->type.rank];
            if (mismatch && elements < 100 && test_random_chance(random, 30))
                size = test_random_range(random, 0, 4);
            inputs[k].dims[d] = node->type.dims[d] == TOSAJIT_DYNAMIC ? size : node->type.dims[d];
            elements *= inputs[k].dims[d] > 1 ? inputs[k].dims[d] : 1;
        }
    }
    random_parameter_dims(p, random, mismatch, inputs);
}

int64_t program_updates(const program *p, int k, const program_shape *shapes) {
    const int64_t index = shapes[p->nodes[k].operands[1]].dims[0],
                  updates = shapes[p->nodes[k].operands[2]].dims[0];
    return index == 1 || index == updates ? updates : updates == 1 ? index : -1;
}

/* The sizes of an op's result, also when something does not fit: then the last size that is not 1.
 */
static bool op_shape(const program *p, int k, const program_shape *shapes, program_shape *shape) {
    const program_node *node = &p->nodes[k];
    bool fits = true;
    for (int o = tosajit_op_arity(node->op); o < node->operand_count; o++) {
        const program_shape *data = &shapes[node->operands[0]];
        int64_t count = program_parameter(p, k, o).count;
        fits &= shapes[node->operands[o]].dims[0] == (count ? count : data->dims[data->rank - 1]);
    }
    shape->rank = node->type.rank;
    if (test_is_scatter(node->op)) fits &= program_updates(p, k, shapes) >= 0;
    for (int32_t d = 0; d < shape->rank; d++) {
        shape->dims[d] = 1;
        for (int o = 0; o < tosajit_op_arity(node->op); o++) {
            const program_shape *operand = &shapes[node->operands[o]];
            int32_t own = d - (shape->rank - operand->rank);
            int64_t size = own < program_apart(node, o) ? 1 : operand->dims[own];
            fits &= size == 1 || shape->dims[d] == 1 || size == shape->dims[d];
            if (size != 1) shape->dims[d] = size;
        }
        if (test_is_scatter(node->op) && d == 0) shape->dims[0] = shapes[node->operands[0]].dims[0];
        if (shrinks(node->op) && reduces_dimension(node, d)) shape->dims[d] = 1;
        fits &= node->type.dims[d] == TOSAJIT_DYNAMIC || node->type.dims[d] == shape->dims[d];
    }
    return fits;
}

bool program_keeps_contracts(const program *p, const program_shape *inputs) {
    bool keeps = true;
    for (int k = 0; k < p->input_count; k++) {
        const program_node *node = &p->nodes[p->inputs[k]];
        for (int32_t d = 0; d < node->type.rank; d++)
            keeps &= !has_contract(node, d) || keeps_contract(node, d, inputs[k].dims[d]);
    }
    return keeps;
}

bool program_shapes(const program *p, const program_shape *inputs, program_shape *shapes) {
    bool live[PROGRAM_MAX_NODES];
    mark_live(p, live);
    int next = 0;
    bool fits = program_keeps_contracts(p, inputs);
    for (int k = 0; k < p->count; k++) {
        const program_node *node = &p->nodes[k];
        if (node->kind == PROGRAM_INPUT) shapes[k] = inputs[next++];
        if (node->kind == PROGRAM_CONSTANT) {
            shapes[k].rank = node->type.rank;
            memcpy(shapes[k].dims, node->type.dims, sizeof shapes[k].dims);
        }
        if (node->kind == PROGRAM_OP && live[k]) fits &= op_shape(p, k, shapes, &shapes[k]);
    }
    return fits;
}

/* Wrong sizes multiply with those that the types demand. */
static bool is_too_large(const program *p, const program_shape *inputs) {
    bool live[PROGRAM_MAX_NODES];
    program_shape shapes[PROGRAM_MAX_NODES] = {{0, {0}}};
    mark_live(p, live);
    program_shapes(p, inputs, shapes);
    for (int k = 0; k < p->count; k++) {
        int64_t elements = 1;
        for (int32_t d = 0; d < shapes[k].rank && elements <= PROGRAM_MOST_ELEMENTS; d++)
            elements *= shapes[k].dims[d];
        if ((live[k] || p->nodes[k].kind == PROGRAM_INPUT) && elements > PROGRAM_MOST_ELEMENTS)
            return true;
    }
    return false;
}

void program_random_dims(const program *p, test_random *random, program_shape *inputs) {
    draw_dims(p, random, test_random_chance(random, 8), inputs);
    if (is_too_large(p, inputs)) draw_dims(p, random, false, inputs);
}

bool program_moves(const program *p, int k) {
    const program_node *node = &p->nodes[k];
    if (node->kind != PROGRAM_OP) return true;
    if (node->op == TOSAJIT_OP_identity || node->op == TOSAJIT_OP_gather)
        return program_moves(p, node->operands[0]);
    if (node->op == TOSAJIT_OP_scatter)
        return program_moves(p, node->operands[0]) && program_moves(p, node->operands[2]);
    return node->op == TOSAJIT_OP_select && program_moves(p, node->operands[1]) &&
           program_moves(p, node->operands[2]);
}

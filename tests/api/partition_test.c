/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit_partition beside the definition: small random graphs, must be
 * divided into regions that are connected, in an order, within the limits, and as large as can be.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/host.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"

enum { MOST_OPS = 14, MOST_VALUES = 2 * MOST_OPS + 4, MOST_READS = MOST_OPS * MOST_VALUES };

/* ---------------------------------------------------------------------------------------------
 * Random graphs */

typedef struct sample {
    uint8_t members[MOST_OPS], kept[MOST_VALUES], constants[MOST_VALUES];
    int32_t operands[MOST_READS], first_operand[MOST_OPS + 1], producers[MOST_VALUES];
    tosajit_graph g;
} sample;

static void add_op(sample *s, test_random *seed, int32_t op) {
    tosajit_graph *g = &s->g;
    const int32_t first = s->first_operand[op], known = g->value_count;
    const int32_t reads = (int32_t)(test_random_next(seed) % 4);
    const int32_t results = 1 + (test_random_next(seed) % 6 == 0);
    s->members[op] = test_random_next(seed) % 4 != 0;
    for (int32_t k = 0; k < reads; k++) {
        const int32_t value = (int32_t)(test_random_next(seed) % (uint32_t)known);
        s->operands[first + k] = value;
    }
    for (int32_t k = 0; k < results; k++) {
        s->kept[g->value_count] = test_random_next(seed) % 8 == 0;
        s->producers[g->value_count++] = op;
    }
    s->first_operand[op + 1] = first + reads;
}

static void make(sample *s, test_random *seed) {
    *s = (sample){.g = {.size = sizeof s->g,
                        .value_count = 1 + (int32_t)(test_random_next(seed) % 4),
                        .members = s->members,
                        .operands = s->operands,
                        .first_operand = s->first_operand,
                        .producers = s->producers,
                        .kept = s->kept}};
    for (int32_t k = 0; k < s->g.value_count; k++) s->producers[k] = -1;
    s->g.op_count = (int32_t)(test_random_next(seed) % (MOST_OPS + 1));
    for (int32_t op = 0; op < s->g.op_count; op++) add_op(s, seed, op);
}

/* ---------------------------------------------------------------------------------------------
 * The definition, for sets of ops as bits */

static bool has(uint32_t set, int32_t op) { return set >> op & 1; }

static bool reads(const sample *s, int32_t op, int32_t value) {
    for (int32_t k = s->first_operand[op]; k < s->first_operand[op + 1]; k++)
        if (s->operands[k] == value) return true;
    return false;
}

static bool has_edge(const sample *s, int32_t from, int32_t to) {
    for (int32_t k = s->first_operand[to]; k < s->first_operand[to + 1]; k++)
        if (s->producers[s->operands[k]] == from) return true;
    return false;
}

/* True if regions and other ops, each as a whole, can be put into an order: one whose operands are
 * all there is taken away, as long as there is one. units[op] is the unit of op. */
static bool has_order(const sample *s, const int32_t *units) {
    uint32_t left = (1u << s->g.op_count) - 1, before;
    do {
        before = left;
        uint32_t waiting = 0; /* units that read something left of another one */
        for (int32_t a = 0; a < s->g.op_count; a++)
            for (int32_t b = 0; b < s->g.op_count; b++)
                if (has(left, a) && has(left, b) && units[a] != units[b] && has_edge(s, a, b))
                    waiting |= 1u << units[b];
        for (int32_t op = 0; op < s->g.op_count; op++)
            if (!has(waiting, units[op])) left &= ~(1u << op);
    } while (left != before);
    return left == 0;
}

/* Units of a division, where two regions may be one. */
static bool has_order_with(const sample *s, const int32_t *regions, int32_t one, int32_t other) {
    int32_t units[MOST_OPS];
    for (int32_t op = 0; op < s->g.op_count; op++) {
        units[op] = regions[op] < 0 ? op : regions[op];
        if (units[op] == other) units[op] = one;
    }
    return has_order(s, units);
}

static bool is_connected(const sample *s, uint32_t set) {
    uint32_t reached = set & -set;
    for (int32_t round = 0; round < s->g.op_count; round++)
        for (int32_t a = 0; a < s->g.op_count; a++)
            for (int32_t b = 0; b < s->g.op_count; b++)
                if (has(set, a) && has(set, b) && has_edge(s, a, b) &&
                    (has(reached, a) || has(reached, b)))
                    reached |= 1u << a | 1u << b;
    return reached == set;
}

static int32_t count_tensors(const sample *s, uint32_t set) {
    int32_t count = 0;
    for (int32_t value = 0; value < s->g.value_count; value++) {
        const bool own = s->producers[value] >= 0 && has(set, s->producers[value]);
        bool inside = false, outside = s->kept[value];
        for (int32_t op = 0; op < s->g.op_count; op++) {
            const bool read = reads(s, op, value);
            inside = inside || (read && has(set, op));
            outside = outside || (read && !has(set, op));
        }
        count += own ? outside || !inside : inside;
    }
    return count;
}

static void list_regions(const sample *s, const int32_t *regions, uint32_t *sets) {
    memset(sets, 0, MOST_OPS * sizeof *sets);
    for (int32_t op = 0; op < s->g.op_count; op++) {
        assert_int_equal(regions[op] >= 0, s->members[op]);
        if (regions[op] < 0) continue;
        assert_true(regions[op] <= op && s->members[regions[op]]);
        assert_int_equal(regions[regions[op]], regions[op]);
        sets[regions[op]] |= 1u << op;
    }
}

static void check_as_large_as_can_be(const sample *s, const int32_t *regions) {
    for (int32_t a = 0; a < s->g.op_count; a++)
        for (int32_t b = 0; b < s->g.op_count; b++)
            if (has_edge(s, a, b) && s->members[a] && s->members[b] && regions[a] != regions[b])
                assert_false(has_order_with(s, regions, regions[a], regions[b]));
}

static void regions_are_what_they_are_defined_to_be(void **state) {
    test_random seed = test_random_start(20261123);
    int32_t joined = 0;
    for (int round = 0; round < 20000; round++) {
        sample s;
        int32_t regions[MOST_OPS];
        uint32_t sets[MOST_OPS];
        make(&s, &seed);
        const bool limited = round % 2;
        s.g.most_ops = limited ? 1 + round / 2 % 5 : 0;
        s.g.most_tensors = limited ? 2 + round / 2 % 7 : 0;
        assert_int_equal(tosajit_partition(&s.g, regions), TOSAJIT_OK);
        list_regions(&s, regions, sets);
        assert_true(has_order_with(&s, regions, -1, -1));
        for (int32_t op = 0; op < s.g.op_count; op++) {
            if (!sets[op]) continue;
            const bool single = sets[op] == 1u << op;
            assert_true(is_connected(&s, sets[op]));
            joined += !single;
            if (single || !limited) continue;
            assert_true(__builtin_popcount(sets[op]) <= s.g.most_ops);
            assert_true(count_tensors(&s, sets[op]) <= s.g.most_tensors);
        }
        if (!limited) check_as_large_as_can_be(&s, regions);
    }
    assert_true(joined > 10000);
}

/* ---------------------------------------------------------------------------------------------
 * Constants */

/* Members that read nothing but constants, or what such members give. */
static uint32_t constant_ops(const sample *s) {
    uint32_t constant = 0;
    for (int32_t op = 0; op < s->g.op_count; op++) {
        bool all = s->members[op];
        for (int32_t k = s->first_operand[op]; k < s->first_operand[op + 1]; k++) {
            const int32_t producer = s->producers[s->operands[k]];
            all =
                all && (s->constants[s->operands[k]] || (producer >= 0 && has(constant, producer)));
        }
        if (all) constant |= 1u << op;
    }
    return constant;
}

/* True if a region of these ops would give a value of one of them. */
static bool gives_others(const sample *s, int32_t op, uint32_t set) {
    bool others = false;
    for (int32_t value = 0; value < s->g.value_count; value++) {
        uint32_t readers = 0;
        for (int32_t reader = 0; reader < s->g.op_count; reader++)
            if (reads(s, reader, value)) readers |= 1u << reader;
        others = others ||
                 (s->producers[value] == op && (s->kept[value] || !readers || (readers & ~set)));
    }
    return others;
}

static uint32_t readers_of(const sample *s, int32_t op) {
    uint32_t set = 0;
    for (int32_t reader = 0; reader < s->g.op_count; reader++)
        if (has_edge(s, op, reader)) set |= 1u << reader;
    return set;
}

static uint32_t set_of(const sample *s, const int32_t *regions, int32_t region) {
    uint32_t set = 0;
    for (int32_t op = 0; op < s->g.op_count; op++)
        if (regions[op] == region) set |= 1u << op;
    return set;
}

/* A region has something to do in each call, and repeats nothing for others. A single op that one
 * region alone reads is in it. */
static void check_constants(const sample *s, const int32_t *regions, int32_t *counts) {
    const uint32_t constant = constant_ops(s);
    for (int32_t op = 0; op < s->g.op_count; op++) {
        const int32_t region = regions[op];
        if (!s->members[op] || !has(constant, op)) {
            assert_int_equal(region >= 0, s->members[op]);
            continue;
        }
        counts[region >= 0]++;
        const uint32_t set = region < 0 ? 0 : set_of(s, regions, region);
        assert_true(region < 0 || (set & ~constant));
        assert_true(region < 0 || !gives_others(s, op, set));
        const uint32_t readers = readers_of(s, op);
        const int32_t reader = readers ? __builtin_ctz(readers) : 0;
        bool single = readers && !gives_others(s, op, readers) && regions[reader] >= 0 &&
                      !(readers & ~set_of(s, regions, regions[reader]));
        for (int32_t from = 0; from < s->g.op_count; from++)
            single = single && !(has(constant, from) && has_edge(s, from, op));
        assert_true(region >= 0 || !single);
    }
}

static void constants_alone_are_no_region(void **state) {
    test_random seed = test_random_start(11);
    int32_t counts[2] = {0, 0};
    for (int round = 0; round < 20000; round++) {
        sample s;
        int32_t regions[MOST_OPS];
        make(&s, &seed);
        for (int32_t value = 0; value < s.g.value_count; value++)
            s.constants[value] = s.producers[value] < 0 && test_random_next(&seed) % 2;
        s.g.constants = s.constants;
        assert_int_equal(tosajit_partition(&s.g, regions), TOSAJIT_OK);
        assert_true(has_order_with(&s, regions, -1, -1));
        check_constants(&s, regions, counts);
    }
    assert_true(counts[0] > 10000 && counts[1] > 1000);
}

/* ---------------------------------------------------------------------------------------------
 * Duplicated ops, and values that are read once */

/* Marks what a value stands for: itself, or what is behind the duplicated op that gives it. */
static void see_through(const sample *s, const uint8_t *duplicated, int32_t value, bool *behind) {
    const int32_t producer = s->producers[value];
    if (producer < 0 || !duplicated[producer]) {
        behind[value] = true;
        return;
    }
    for (int32_t k = s->first_operand[producer]; k < s->first_operand[producer + 1]; k++)
        see_through(s, duplicated, s->operands[k], behind);
}

/* The same graph without duplicated ops. Operands are listed once. */
static void contract(const sample *s, const uint8_t *duplicated, sample *to) {
    int32_t at = 0;
    *to = *s;
    for (int32_t op = 0; op < s->g.op_count; op++) {
        bool behind[MOST_VALUES] = {false};
        to->members[op] = s->members[op] && !duplicated[op];
        for (int32_t k = s->first_operand[op]; !duplicated[op] && k < s->first_operand[op + 1]; k++)
            see_through(s, duplicated, s->operands[k], behind);
        for (int32_t value = 0; value < s->g.value_count; value++)
            if (behind[value]) to->operands[at++] = value;
        to->first_operand[op + 1] = at;
    }
    for (int32_t value = 0; value < s->g.value_count; value++) {
        bool behind[MOST_VALUES] = {false};
        if (s->kept[value]) see_through(s, duplicated, value, behind);
        for (int32_t k = 0; k < s->g.value_count; k++) to->kept[k] |= behind[k];
    }
    to->g.members = to->members;
    to->g.operands = to->operands;
    to->g.first_operand = to->first_operand;
    to->g.kept = to->kept;
}

/* Regions are as those of the contracted graph are defined. They need not be the same ones, since
 * the order of operands decides which joins come first. */
static void duplicated_ops_are_seen_through(void **state) {
    test_random seed = test_random_start(20261130);
    int32_t through = 0; /* regions that hang together by duplicated ops alone */
    for (int round = 0; round < 20000; round++) {
        sample s, contracted;
        uint8_t duplicated[MOST_OPS];
        int32_t regions[MOST_OPS], plain[MOST_OPS];
        uint8_t none[MOST_OPS] = {0};
        make(&s, &seed);
        for (int32_t op = 0; op < s.g.op_count; op++)
            duplicated[op] = test_random_next(&seed) % 3 == 0;
        contract(&s, duplicated, &contracted);
        assert_int_equal(tosajit_partition(&s.g, plain), TOSAJIT_OK);
        s.g.duplicated = none;
        assert_int_equal(tosajit_partition(&s.g, regions), TOSAJIT_OK);
        assert_memory_equal(regions, plain, (size_t)s.g.op_count * sizeof *regions);
        s.g.duplicated = duplicated;
        assert_int_equal(tosajit_partition(&s.g, regions), TOSAJIT_OK);
        assert_true(has_order_with(&contracted, regions, -1, -1));
        for (int32_t op = 0; op < s.g.op_count; op++) {
            assert_int_equal(regions[op] >= 0, s.members[op] && !duplicated[op]);
            const uint32_t set = regions[op] == op ? set_of(&s, regions, op) : 0;
            assert_true(is_connected(&contracted, set));
            through += !is_connected(&s, set);
        }
        check_as_large_as_can_be(&contracted, regions);
    }
    assert_true(through > 500);
}

/* A view of 17 values would make lists long: it stays an op, which stands between. */
static void an_op_with_much_behind_it_is_an_op(void **state) {
    enum { MOST = 16 };
    for (int32_t count = MOST; count <= MOST + 1; count++) {
        int32_t operands[MOST + 4], producers[MOST + 4], regions[3] = {9, 9, 9};
        uint8_t kept[MOST + 4] = {0};
        const uint8_t members[] = {1, 0, 1}, duplicated[] = {0, 1, 0};
        const int32_t result = count; /* of op 0, which reads value 0; op 1 reads it, and others */
        operands[0] = 0;
        operands[1] = result;
        for (int32_t k = 1; k < count; k++) operands[1 + k] = k;
        operands[1 + count] = result + 1;
        for (int32_t k = 0; k < count; k++) producers[k] = -1;
        for (int32_t k = 0; k < 3; k++) producers[count + k] = k;
        const tosajit_graph g = {.size = sizeof g,
                                 .op_count = 3,
                                 .value_count = count + 3,
                                 .members = members,
                                 .operands = operands,
                                 .first_operand = (int32_t[]){0, 1, 1 + count, 2 + count},
                                 .producers = producers,
                                 .kept = kept,
                                 .duplicated = duplicated};
        assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
        const int32_t last = count > MOST ? 2 : 0;
        assert_memory_equal(regions, ((int32_t[]){0, -1, last}), sizeof regions);
    }
}

/* True if the ops hang together by edges, or by values that are to be read once. */
static bool hang_together(const sample *s, uint32_t set) {
    uint32_t reached = set & -set, before = 0;
    while (reached != before) {
        before = reached;
        for (int32_t a = 0; a < s->g.op_count; a++)
            for (int32_t b = 0; b < s->g.op_count; b++) {
                if (!has(set, a) || !has(reached, b)) continue;
                bool tied = has_edge(s, a, b) || has_edge(s, b, a);
                for (int32_t value = 0; value < s->g.value_count; value++)
                    tied =
                        tied || (s->g.read_once[value] && reads(s, a, value) && reads(s, b, value));
                if (tied) reached |= 1u << a;
            }
    }
    return reached == set;
}

static tosajit_status at_most_four(void *context, const int32_t *ops, size_t count, int *accepted) {
    (void)context;
    (void)ops;
    *accepted = count <= 4;
    return TOSAJIT_OK;
}

/* The first region that reads such a value becomes one with each other one, where it can. */
static void readers_of_a_value_become_one_region(void **state) {
    test_random seed = test_random_start(20261201);
    int32_t beside = 0;
    for (int round = 0; round < 20000; round++) {
        sample s;
        int32_t regions[MOST_OPS];
        uint32_t sets[MOST_OPS];
        uint8_t read_once[MOST_VALUES];
        make(&s, &seed);
        for (int32_t value = 0; value < s.g.value_count; value++)
            read_once[value] = test_random_next(&seed) % 2;
        s.g.read_once = read_once;
        const bool limited = round % 3 == 0, asked = round % 3 == 1;
        s.g.most_ops = limited ? 1 + round / 3 % 5 : 0;
        s.g.accepts = asked ? at_most_four : NULL;
        assert_int_equal(tosajit_partition(&s.g, regions), TOSAJIT_OK);
        list_regions(&s, regions, sets);
        assert_true(has_order_with(&s, regions, -1, -1));
        for (int32_t op = 0; op < s.g.op_count; op++) {
            if (!sets[op]) continue;
            assert_true(hang_together(&s, sets[op]));
            beside += !is_connected(&s, sets[op]);
            assert_true(!limited || __builtin_popcount(sets[op]) <= s.g.most_ops);
            assert_true(!asked || __builtin_popcount(sets[op]) <= 4);
        }
        for (int32_t value = 0; value < s.g.value_count && !limited && !asked; value++) {
            int32_t first = -1;
            for (int32_t op = 0; op < s.g.op_count && read_once[value]; op++) {
                if (!s.members[op] || !reads(&s, op, value)) continue;
                if (first < 0) first = op;
                if (regions[op] != regions[first])
                    assert_false(has_order_with(&s, regions, regions[first], regions[op]));
            }
        }
        if (!limited && !asked) check_as_large_as_can_be(&s, regions);
    }
    assert_true(beside > 2000);
}

/* ---------------------------------------------------------------------------------------------
 * What the host says */

typedef struct rule {
    const sample *s;
    int32_t one, other; /* ops that cannot be together */
    int32_t asked;
    tosajit_status status;
} rule;

static tosajit_status not_together(void *context, const int32_t *ops, size_t count, int *accepted) {
    rule *r = context;
    bool one = false, other = false;
    for (size_t k = 0; k < count; k++) {
        assert_true(k == 0 || ops[k - 1] < ops[k]);
        one = one || ops[k] == r->one;
        other = other || ops[k] == r->other;
    }
    r->asked++;
    *accepted = !one || !other;
    return r->status;
}

static void what_a_host_refuses_is_no_region(void **state) {
    test_random seed = test_random_start(7);
    int32_t asked = 0;
    for (int round = 0; round < 5000; round++) {
        sample s;
        int32_t regions[MOST_OPS];
        uint32_t sets[MOST_OPS];
        make(&s, &seed);
        rule r = {&s, round % MOST_OPS, round / MOST_OPS % MOST_OPS, 0, TOSAJIT_OK};
        s.g.accepts = not_together;
        s.g.context = &r;
        assert_int_equal(tosajit_partition(&s.g, regions), TOSAJIT_OK);
        list_regions(&s, regions, sets);
        assert_true(has_order_with(&s, regions, -1, -1));
        for (int32_t op = 0; op < s.g.op_count; op++) {
            assert_true(!sets[op] || is_connected(&s, sets[op]));
            assert_true(r.one == r.other || !has(sets[op], r.one) || !has(sets[op], r.other));
        }
        asked += r.asked;
    }
    assert_true(asked > 1000);
}

/* ---------------------------------------------------------------------------------------------
 * A graph by hand, and wrong ones */

/* e = exp a; m = matmul e; r = add e, m; s = abs r */
static tosajit_graph matmul_between(void) {
    static const uint8_t members[] = {1, 0, 1, 1}, kept[] = {0, 0, 0, 0, 1};
    static const int32_t operands[] = {0, 1, 1, 2, 3}, first[] = {0, 1, 2, 4, 5},
                         producers[] = {-1, 0, 1, 2, 3};
    return (tosajit_graph){.size = sizeof(tosajit_graph),
                           .op_count = 4,
                           .value_count = 5,
                           .members = members,
                           .operands = operands,
                           .first_operand = first,
                           .producers = producers,
                           .kept = kept};
}

static void no_path_leads_out_and_back(void **state) {
    const tosajit_graph g = matmul_between();
    int32_t regions[4];
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    assert_memory_equal(regions, ((int32_t[]){0, -1, 2, 2}), sizeof regions);
}

/* Views alone are the host's, however many there are; beside an op that computes they are its. */
static void regions_of_views_are_the_hosts(void **state) {
    static const uint8_t first[] = {1, 1, 0, 0}, none[] = {0, 0, 0, 0}, all[] = {1, 1, 1, 1},
                         second[] = {0, 0, 1, 1};
    tosajit_graph g = matmul_between();
    int32_t regions[4];
    g.views = second;
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    assert_memory_equal(regions, ((int32_t[]){0, -1, -1, -1}), sizeof regions);
    g.views = first;
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    assert_memory_equal(regions, ((int32_t[]){-1, -1, 2, 2}), sizeof regions);
    g.views = all;
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    assert_memory_equal(regions, ((int32_t[]){-1, -1, -1, -1}), sizeof regions);
    g.views = none;
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    assert_memory_equal(regions, ((int32_t[]){0, -1, 2, 2}), sizeof regions);
    static const uint8_t one[] = {0, 0, 1, 0};
    g.views = one;
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    assert_memory_equal(regions, ((int32_t[]){0, -1, 2, 2}), sizeof regions);
}

static void an_empty_graph_is_divided(void **state) {
    const tosajit_graph g = {.size = sizeof g};
    int32_t regions[1] = {5};
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    assert_int_equal(regions[0], 5);
}

/* A long chain with side paths takes linear time: half a million ops, in a test of seconds. */
static void long_graphs_take_linear_time(void **state) {
    enum { OPS = 500000 };
    uint8_t *members = malloc(OPS), *kept = calloc(OPS + 1, 1);
    int32_t *operands = malloc(2 * OPS * sizeof *operands);
    int32_t *first = malloc((OPS + 1) * sizeof *first),
            *producers = malloc((OPS + 1) * sizeof *first);
    int32_t *regions = malloc(OPS * sizeof *regions);
    assert_true(members && kept && operands && first && producers && regions);
    producers[0] = -1;
    for (int32_t op = 0; op < OPS; op++) {
        members[op] = op % 1000 != 999;
        operands[2 * op] = op;
        operands[2 * op + 1] = op > 5 ? op - 5 : 0;
        first[op] = 2 * op;
        producers[op + 1] = op;
    }
    first[OPS] = 2 * OPS;
    const tosajit_graph g = {.size = sizeof g,
                             .op_count = OPS,
                             .value_count = OPS + 1,
                             .members = members,
                             .operands = operands,
                             .first_operand = first,
                             .producers = producers,
                             .kept = kept};
    assert_int_equal(tosajit_partition(&g, regions), TOSAJIT_OK);
    for (int32_t op = 0; op < OPS; op++)
        assert_int_equal(regions[op], members[op] ? op / 1000 * 1000 : -1);
    free(members), free(kept), free(operands), free(first), free(producers), free(regions);
}

static void wrong_graphs_are_refused_with_words(void **state) {
    static const int32_t later[] = {0, 1, 1, 4, 3}, beyond[] = {0, 1, 1, 5, 3},
                         negative[] = {0, 1, -1, 2, 3}, falling[] = {0, 1, 3, 2, 5},
                         begun[] = {1, 1, 2, 4, 5}, owner[] = {-1, 0, 1, 2, 4},
                         below[] = {-2, 0, 1, 2, 3};
    struct {
        tosajit_graph g;
        const char *words;
    } cases[20];
    size_t count = 0;
    int32_t regions[4] = {9, 9, 9, 9};
    rule r = {.status = TOSAJIT_BAD_MODULE};
#define WRONG(member, value, text)                                                                 \
    cases[count].g = matmul_between();                                                             \
    cases[count].g.member = (value);                                                               \
    cases[count++].words = (text)
    WRONG(size, 0, "size");
    WRONG(op_count, -1, "op_count is -1");
    WRONG(value_count, -7, "value_count is -7");
    WRONG(value_count, 3, "op 3 reads value 3, which is none");
    WRONG(most_ops, -1, "most_ops is -1");
    WRONG(most_tensors, TOSAJIT_MAX_TENSORS + 1, "most_tensors is 65");
    WRONG(members, NULL, "members is null");
    WRONG(kept, NULL, "kept is null");
    WRONG(operands, NULL, "operands is null");
    WRONG(first_operand, NULL, "first_operand is null");
    WRONG(producers, NULL, "producers is null");
    WRONG(operands, later, "op 2 reads value 4, which only a later op gives");
    WRONG(operands, beyond, "op 2 reads value 5, which is none");
    WRONG(operands, negative, "op 2 reads value -1, which is none");
    WRONG(first_operand, falling, "first_operand[3] is 2");
    WRONG(first_operand, begun, "first_operand[0] is 1");
    WRONG(producers, owner, "value 4 is given by op 4");
    WRONG(producers, below, "value 0 is given by op -2");
#undef WRONG
    for (size_t k = 0; k < count; k++)
        host_assert_error(tosajit_partition(&cases[k].g, regions), TOSAJIT_INVALID_ARGUMENT,
                          cases[k].words);
    host_assert_error(tosajit_partition(NULL, regions), TOSAJIT_INVALID_ARGUMENT, "graph is null");
    host_assert_error(tosajit_partition(&cases[0].g, NULL), TOSAJIT_INVALID_ARGUMENT,
                      "regions is null");
    cases[0].g = matmul_between();
    cases[0].g.accepts = not_together;
    cases[0].g.context = &r;
    assert_int_equal(tosajit_partition(&cases[0].g, regions), TOSAJIT_BAD_MODULE);
    assert_memory_equal(regions, ((int32_t[]){9, 9, 9, 9}), sizeof regions);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(regions_are_what_they_are_defined_to_be),
                    TEST(constants_alone_are_no_region), TEST(duplicated_ops_are_seen_through),
                    TEST(an_op_with_much_behind_it_is_an_op),
                    TEST(readers_of_a_value_become_one_region),
                    TEST(what_a_host_refuses_is_no_region), TEST(no_path_leads_out_and_back),
                    TEST(regions_of_views_are_the_hosts), TEST(an_empty_graph_is_divided),
                    TEST(long_graphs_take_linear_time), TEST(wrong_graphs_are_refused_with_words));
}

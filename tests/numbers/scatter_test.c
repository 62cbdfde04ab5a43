/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scatter: random shapes, types, modes and layouts, bit by bit what a loop over the updates says
 * that calls nothing of the library. Base, index and updates are operands, numbers, or computed by
 * the kernel; what is scattered is a result, or what another op reads. Kernels are of all forms of
 * forms.h, called alone, bound, and with threads, also with the result in the base's memory. All
 * memory is guarded: an index beyond it is an error that leaves the results as they were, and no
 * byte beside a tensor is touched.
 *
 * TOSAJIT_SEED=<n> sets the cases, TOSAJIT_CASES=<n> their number. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/numbers/divide.h"
#include "tests/numbers/drawn.h"
#include "tests/numbers/index_reference.h"
#include "tests/numbers/reduce_reference.h"
#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tests/support/support.h"

enum {
    STANDARD_CASES = 200,
    CALLS = 3, /* of a kernel */
    MOST_RANK = 3,
    MOST_BESIDE = 120, /* elements of the dimensions that are not indexed */
    MOST_PLACES = 40,
    MOST_UPDATES = 400,
    CAPACITY = 8 * 8 * MOST_BESIDE * MOST_UPDATES,
};

/* The operands of a kernel, in their order. */
enum { BASE, INDEX, UPDATES, ZERO, FLAG, CHOICE, MASK, OTHER, OPERANDS };
/* Its results: what is scattered, what is made of it, the updates, and the index. */
enum { SCATTERED, CHOSEN, UPDATED, INDICES, RESULTS };

typedef struct subject {
    tosajit_op op;
    tosajit_type type, index;
    tosajit_attributes attributes;
    bool dynamic, in_place;
    bool computed[ZERO];       /* base, index, updates */
    bool number[ZERO];         /* of equal elements, as part of the kernel */
    unsigned results;          /* bit r: the kernel has result r */
    unsigned has[ZERO];        /* bit d: it has dimension d, and not a size of 1; 0 the first one */
    int32_t rank;              /* of base, index, updates */
    int64_t places, updates;   /* the first dimensions */
    int64_t beside[MOST_RANK]; /* the other ones, behind an unused one */
} subject;

static struct {
    guard_tensor operands[OPERANDS], results[RESULTS];
    forms *forms;
    test_random random;
    unsigned char *expected, *updates; /* dense */
    unsigned char element[ZERO][8];    /* of those that are numbers */
    uint64_t kernels, calls, refused;
} f;

static int64_t draw(int64_t low, int64_t high) { return test_random_range(&f.random, low, high); }
static bool chance(int percent) { return test_random_chance(&f.random, percent); }

/* ---------------------------------------------------------------------------------------------
 * What is drawn */

static void draw_sizes(subject *s) {
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 17, 33, 64, 100, 120};
    int64_t room = MOST_BESIDE;
    for (int32_t d = s->rank; d-- > 1;) {
        s->beside[d] = sizes[draw(0, 9)];
        if (s->beside[d] > room) s->beside[d] = room < 2 ? 1 : draw(1, 2);
        room /= s->beside[d];
    }
    s->places = draw(1, MOST_PLACES);
    s->updates = chance(40) ? draw(0, 20) : draw(1, MOST_UPDATES);
    if (!s->dynamic && s->updates == 0) s->updates = 1; /* a size is at least that */
    if ((s->has[INDEX] & s->has[UPDATES] & 1) == 0 && chance(20)) s->updates = 1;
}

/* Every dimension beside the first is one of base, index or updates; so is that of the updates. */
static void draw_dimensions(subject *s) {
    const unsigned all = (1u << s->rank) - 1;
    s->has[BASE] = (unsigned)draw(0, all) | 1;
    s->has[INDEX] = chance(40) ? 1 : (unsigned)draw(0, all);
    s->has[UPDATES] = chance(60) ? all : (unsigned)draw(0, all);
    for (int o = 0; o < ZERO; o++)
        if (s->number[o]) s->has[o] = o == BASE ? 1 : 0;
    if (!((s->has[INDEX] | s->has[UPDATES]) & 1)) s->has[INDEX] |= 1;
    const unsigned rest = all & ~(s->has[BASE] | s->has[INDEX] | s->has[UPDATES]);
    s->has[INDEX] |= rest;
}

static int32_t rank_of(const subject *s, int o) {
    return o == ZERO || o == FLAG || o == OTHER ? 0 : s->rank;
}

/* The sizes of an operand, or of a result that has the same. */
static const int64_t *dims_of(const subject *s, int o, int64_t *dims) {
    for (int32_t d = 0; d < s->rank; d++) {
        const bool has = o >= ZERO || s->has[o] >> d & 1;
        const bool places = o == BASE || o == MASK;
        dims[d] = !has ? 1 : d ? s->beside[d] : places ? s->places : s->updates;
    }
    return dims;
}

static tosajit_tensor_type type_of(const subject *s, int o) {
    const tosajit_type elements[] = {s->type,    s->index,   s->type,    s->index,
                                     TOSAJIT_I1, TOSAJIT_I1, TOSAJIT_I1, s->type};
    int64_t dims[TOSAJIT_MAX_RANK];
    tosajit_tensor_type type = tosajit_ranked(elements[o], rank_of(s, o), dims_of(s, o, dims));
    for (int32_t d = 0; d < type.rank && s->dynamic; d++)
        if (o >= ZERO || s->has[o] >> d & 1) type.dims[d] = TOSAJIT_DYNAMIC;
    return type;
}

/* ---------------------------------------------------------------------------------------------
 * Kernels */

static tosajit_status add_number(const subject *s, tosajit_expr *expr, int o,
                                 tosajit_value *value) {
    const tosajit_tensor_type type = type_of(s, o);
    const size_t size = tosajit_type_size(s->type);
    static unsigned char all[MOST_PLACES * 8];
    for (int64_t k = 0; k < type.dims[0]; k++) memcpy(all + (size_t)k * size, f.element[o], size);
    return tosajit_expr_constant(expr, &type, all, value);
}

/* Base, index and updates as the scatter has them. */
static tosajit_status prepare(const subject *s, tosajit_expr *expr, const tosajit_value *x,
                              tosajit_value *made) {
    const tosajit_value base[] = {x[FLAG], x[BASE], x[OTHER]}, index[] = {x[INDEX], x[ZERO]},
                        updates[] = {x[CHOICE], x[UPDATES], x[OTHER]};
    tosajit_status status = TOSAJIT_OK;
    memcpy(made, x, ZERO * sizeof *made);
    for (int o = 0; !status && o < ZERO; o++)
        if (s->number[o]) status = add_number(s, expr, o, &made[o]);
    if (!status && s->computed[BASE])
        status = tosajit_expr_op(expr, TOSAJIT_OP_select, base, 3, NULL, NULL, &made[BASE]);
    if (!status && s->computed[INDEX])
        status = tosajit_expr_op(expr, TOSAJIT_OP_add, index, 2, NULL, NULL, &made[INDEX]);
    if (!status && s->computed[UPDATES])
        status = tosajit_expr_op(expr, TOSAJIT_OP_select, updates, 3, NULL, NULL, &made[UPDATES]);
    return status;
}

static tosajit_expr *build(const subject *s) {
    tosajit_value x[OPERANDS], made[ZERO], results[RESULTS];
    tosajit_expr *expr;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    for (int k = 0; !status && k < OPERANDS; k++) {
        const tosajit_tensor_type type = type_of(s, k);
        status = tosajit_expr_input(expr, &type, &x[k]);
    }
    if (!status) status = prepare(s, expr, x, made);
    if (!status)
        status = tosajit_expr_op(expr, s->op, made, 3, &s->attributes, NULL, &results[SCATTERED]);
    results[UPDATED] = made[UPDATES];
    results[INDICES] = made[INDEX];
    if (!status && s->results >> CHOSEN & 1)
        status = tosajit_expr_op(expr, TOSAJIT_OP_select,
                                 (tosajit_value[]){x[MASK], results[SCATTERED], x[OTHER]}, 3, NULL,
                                 NULL, &results[CHOSEN]);
    for (int r = 0; !status && r < RESULTS; r++)
        if (s->results >> r & 1) status = tosajit_expr_result(expr, results[r]);
    if (status) fail_msg("scatter: %s", tosajit_last_error());
    return expr;
}

static void make_kernels(const subject *s, tosajit_kernel **kernels) {
    tosajit_expr *expr = build(s);
    drawn_kernels(f.forms, &f.kernels, tosajit_op_name(s->op), expr, kernels);
    tosajit_expr_destroy(expr);
}

/* ---------------------------------------------------------------------------------------------
 * Memory */

/* TOSA's scatter takes each index once. */
static bool takes_once(const subject *s) {
    return s->op == TOSAJIT_OP_scatter && s->attributes.index_mode == TOSAJIT_INDEX_STRICT;
}

/* The element that an update reads of an operand, which has it repeat along sizes of 1. */
static unsigned char *element(const subject *s, int o, const int64_t *index) {
    int64_t own[TOSAJIT_MAX_RANK];
    if (o < ZERO && s->number[o]) return f.element[o];
    for (int32_t d = 0; d < rank_of(s, o); d++)
        own[d] = o < ZERO && !(s->has[o] >> d & 1) ? 0 : index[d];
    return guard_at(&f.operands[o], own);
}

static void all_updates(const subject *s, int64_t *sizes) {
    memcpy(sizes, s->beside, sizeof s->beside);
    sizes[0] = s->updates;
}

/* Distinct numbers along the updates, if there are enough. */
static void draw_once(const subject *s) {
    int64_t dims[TOSAJIT_MAX_RANK], index[TOSAJIT_MAX_RANK] = {0};
    dims_of(s, INDEX, dims);
    if (guard_count(s->rank, dims) == 0) return;
    const int64_t first = draw(0, s->places - 1);
    do drawn_write(s->index, guard_at(&f.operands[INDEX], index), (first + index[0]) % s->places);
    while (guard_next(s->rank, dims, index));
}

/* Some beyond, one of them where that is an error. */
static void fill_index(const subject *s, bool hostile) {
    guard_tensor *g = &f.operands[INDEX];
    int64_t dims[TOSAJIT_MAX_RANK], index[TOSAJIT_MAX_RANK] = {0}, k = 0;
    dims_of(s, INDEX, dims);
    const int64_t count = guard_count(s->rank, dims);
    if (count == 0) return;
    const int64_t at = draw(0, count - 1);
    if (takes_once(s) && chance(80)) {
        draw_once(s);
        return;
    }
    do {
        drawn_write(s->index, guard_at(g, index),
                    drawn_index(&f.random, s->index, s->attributes.index_mode, s->places,
                                hostile && (k == at || !drawn_may_fail(s->attributes.index_mode))));
        k++;
    } while (guard_next(s->rank, dims, index));
}

/* True if an earlier update beside the same place has the same index. */
static bool occurs_before(const subject *s, const int64_t *index) {
    int64_t other[TOSAJIT_MAX_RANK];
    memcpy(other, index, sizeof other);
    const int64_t number = drawn_read(s->index, element(s, INDEX, index));
    for (other[0] = 0; other[0] < index[0]; other[0]++)
        if (drawn_read(s->index, element(s, INDEX, other)) == number) return true;
    return false;
}

/* An index is wrong also where there are no updates for it. */
static bool are_legal(const subject *s) {
    int64_t sizes[TOSAJIT_MAX_RANK], index[TOSAJIT_MAX_RANK] = {0};
    dims_of(s, INDEX, sizes);
    if (guard_count(s->rank, sizes) > 0) do
            if (place_reference(s->attributes.index_mode,
                                drawn_read(s->index, guard_at(&f.operands[INDEX], index)),
                                s->places) < 0)
                return false;
        while (guard_next(s->rank, sizes, index));
    all_updates(s, sizes);
    if (takes_once(s) && guard_count(s->rank, sizes) > 0) do
            if (occurs_before(s, index)) return false;
        while (guard_next(s->rank, sizes, index));
    return true;
}

static void draw_element(const subject *s, tosajit_type type, void *at) {
    if (s->op == TOSAJIT_OP_scatter_add && chance(90))
        test_random_everyday(&f.random, type, at);
    else
        test_random_element(&f.random, type, at);
}

static bool fill_operands(const subject *s) {
    for (int o = 0; o < OPERANDS; o++) {
        const tosajit_tensor_type type = type_of(s, o);
        int64_t dims[TOSAJIT_MAX_RANK], index[TOSAJIT_MAX_RANK] = {0};
        drawn_place(&f.random, &f.operands[o], type.element, rank_of(s, o), dims_of(s, o, dims));
        if (guard_count(rank_of(s, o), dims) > 0) do {
                unsigned char *at = guard_at(&f.operands[o], index);
                draw_element(s, type.element, at);
                if (o == ZERO) memset(at, 0, tosajit_type_size(type.element));
            } while (guard_next(rank_of(s, o), dims, index));
    }
    fill_index(s, chance(30));
    for (int o = 0; o < OPERANDS; o++) guard_remember(&f.operands[o]);
    return are_legal(s);
}

/* ---------------------------------------------------------------------------------------------
 * What is right */

static unsigned char *dense_at(const subject *s, unsigned char *all, int64_t first,
                               const int64_t *index) {
    int64_t at = first;
    for (int32_t d = 1; d < s->rank; d++) at = at * s->beside[d] + index[d];
    return all + (size_t)at * tosajit_type_size(s->type);
}

static void move(const subject *s, unsigned char *to, const unsigned char *from) {
    if (s->type == TOSAJIT_I1)
        *to = *from != 0; /* any byte but 0 is true */
    else
        memcpy(to, from, tosajit_type_size(s->type));
}

/* Base and update at a place. */
static const unsigned char *base_at(const subject *s, const int64_t *index) {
    return s->computed[BASE] && !*element(s, FLAG, index) ? element(s, OTHER, index)
                                                          : element(s, BASE, index);
}
static const unsigned char *update_at(const subject *s, const int64_t *index) {
    return s->computed[UPDATES] && !*element(s, CHOICE, index) ? element(s, OTHER, index)
                                                               : element(s, UPDATES, index);
}

static void compute(const subject *s) {
    const reduce_question q = {.op = s->op, .element = s->type, .nan_mode = s->attributes.nan_mode};
    int64_t sizes[TOSAJIT_MAX_RANK], index[TOSAJIT_MAX_RANK] = {0};
    all_updates(s, sizes);
    sizes[0] = s->places;
    do move(s, dense_at(s, f.expected, index[0], index), base_at(s, index));
    while (guard_next(s->rank, sizes, index));
    sizes[0] = s->updates;
    if (s->updates > 0) do {
            const unsigned char *update = update_at(s, index);
            const int64_t at =
                place_reference(s->attributes.index_mode,
                                drawn_read(s->index, element(s, INDEX, index)), s->places);
            move(s, dense_at(s, f.updates, index[0], index), update);
            if (s->op == TOSAJIT_OP_scatter)
                move(s, dense_at(s, f.expected, at, index), update);
            else
                combine_reference(&q, dense_at(s, f.expected, at, index), update);
        } while (guard_next(s->rank, sizes, index));
}

static bool is_same(const subject *s, const unsigned char *found, const unsigned char *right) {
    return test_same(s->type, test_bits(s->type, found), test_bits(s->type, right), 0);
}

static void compare(const subject *s, const char *engine) {
    int64_t sizes[TOSAJIT_MAX_RANK], index[TOSAJIT_MAX_RANK] = {0};
    unsigned char chosen[8];
    all_updates(s, sizes);
    sizes[0] = s->places;
    do {
        const unsigned char *right = dense_at(s, f.expected, index[0], index);
        move(s, chosen, *element(s, MASK, index) ? right : element(s, OTHER, index));
        const bool fine = (!(s->results >> SCATTERED & 1) ||
                           is_same(s, guard_at(&f.results[SCATTERED], index), right)) &&
                          (!(s->results >> CHOSEN & 1) ||
                           is_same(s, guard_at(&f.results[CHOSEN], index), chosen));
        if (!fine)
            fail_msg("%s of %s on %s, results %u, %" PRId64 " updates of %" PRId64
                     " places: another element at %" PRId64,
                     tosajit_op_name(s->op), tosajit_type_name(s->type), engine, s->results,
                     s->updates, s->places, index[0]);
    } while (guard_next(s->rank, sizes, index));
    sizes[0] = s->updates;
    if (s->results >> UPDATED & 1 && s->updates > 0) do
            if (!is_same(s, guard_at(&f.results[UPDATED], index),
                         dense_at(s, f.updates, index[0], index)))
                fail_msg("updates of %s on %s", tosajit_op_name(s->op), engine);
        while (guard_next(s->rank, sizes, index));
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

static const int result_like[] = {MASK, MASK, CHOICE, INDEX};

static size_t place_results(const subject *s, tosajit_tensor *results) {
    size_t count = 0;
    for (int r = 0; r < RESULTS; r++) {
        int64_t dims[TOSAJIT_MAX_RANK];
        if (!(s->results >> r & 1)) continue;
        const int like = r == UPDATED && !s->computed[UPDATES] ? UPDATES : result_like[r];
        drawn_place(&f.random, &f.results[r], r == INDICES ? s->index : s->type, s->rank,
                    dims_of(s, like, dims));
        guard_remember(&f.results[r]);
        results[count++] = f.results[r].tensor;
    }
    return count;
}

static void call(const subject *s, tosajit_kernel *kernel, const char *engine, bool legal) {
    tosajit_tensor operands[OPERANDS], results[RESULTS];
    const size_t count = place_results(s, results);
    for (int o = 0; o < OPERANDS; o++) operands[o] = f.operands[o].tensor;
    const uint64_t way = f.calls++ % 3;
    if (legal) compute(s);
    if (s->in_place) results[0] = operands[BASE];
    const tosajit_status status =
        (way == 0   ? tosajit_run
         : way == 1 ? test_run_bound
                    : divide_run)(kernel, operands, OPERANDS, results, count);
    if (status != (legal ? TOSAJIT_OK : TOSAJIT_INDEX_OUT_OF_RANGE))
        fail_msg("%s on %s, mode %d, index %s: status %d, %s", tosajit_op_name(s->op), engine,
                 (int)s->attributes.index_mode, s->computed[INDEX] ? "computed" : "given",
                 (int)status, tosajit_last_error());
    f.refused += !legal;
    for (int o = 0; o < OPERANDS; o++)
        if (!s->in_place || o != BASE) assert_true(guard_intact(&f.operands[o], false));
    for (int r = 0; r < RESULTS; r++)
        if (s->results >> r & 1 && !guard_intact(&f.results[r], legal))
            fail_msg("%s on %s: a byte was written that is none of a result's",
                     tosajit_op_name(s->op), engine);
    if (legal && !s->in_place) compare(s, engine);
}

/* The result lies on the base: the base as it was is written back after each call. */
static void call_in_place(const subject *s, tosajit_kernel *kernel, const char *engine) {
    guard_tensor *base = &f.operands[BASE];
    unsigned char *before = malloc(base->size);
    assert_non_null(before);
    memcpy(before, base->memory, base->size);
    call(s, kernel, engine, true);
    const guard_tensor kept = f.results[SCATTERED];
    f.results[SCATTERED] = *base;
    f.results[SCATTERED].tensor.dims = f.results[SCATTERED].dims;
    if (base->tensor.strides) f.results[SCATTERED].tensor.strides = f.results[SCATTERED].strides;
    compare(s, engine);
    assert_true(guard_intact(base, true));
    f.results[SCATTERED] = kept;
    memcpy(base->memory, before, base->size);
    guard_remember(base);
    free(before);
}

static void draw_subject(subject *s, uint64_t number) {
    *s = (subject){.op = (tosajit_op)(TOSAJIT_OP_scatter + number % 4),
                   .type = (tosajit_type)(number / 4 % TOSAJIT_TYPE_COUNT),
                   .index = chance(50) ? TOSAJIT_I32 : TOSAJIT_I64,
                   .dynamic = chance(50),
                   .rank = (int32_t)draw(1, MOST_RANK)};
    const tosajit_type types[] = {TOSAJIT_I1, s->type, s->type};
    const bool selects = tosajit_op_accepts(TOSAJIT_OP_select, types, s->type) != 0;
    s->attributes.index_mode = (tosajit_index_mode)draw(0, TOSAJIT_INDEX_WRAP);
    if (s->op == TOSAJIT_OP_scatter_max || s->op == TOSAJIT_OP_scatter_min)
        s->attributes.nan_mode = (tosajit_nan_mode)draw(0, 1);
    s->computed[INDEX] = chance(40);
    for (int o = 0; o < ZERO; o++) {
        if (o == INDEX) continue;
        s->number[o] = chance(15) && !(s->dynamic && o == BASE);
        s->computed[o] = !s->number[o] && selects && chance(40);
        draw_element(s, s->type, f.element[o]);
        if (s->type == TOSAJIT_I1) *f.element[o] = *f.element[o] != 0;
    }
    s->results = selects ? (unsigned)draw(1, 3) : 1;
    if (s->computed[UPDATES] && chance(30)) s->results |= 1 << UPDATED;
    if (s->computed[INDEX] && chance(20)) s->results |= 1 << INDICES;
    draw_dimensions(s);
    draw_sizes(s);
    const unsigned all = (1u << s->rank) - 1;
    s->in_place = s->results == 1 << SCATTERED && !s->number[BASE] && s->has[BASE] == all &&
                  !s->computed[INDEX] && chance(50);
}

static void check_case(uint64_t number) {
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    subject s;
    draw_subject(&s, number);
    const tosajit_type types[] = {s.type, s.index, s.type};
    if (!tosajit_op_accepts(s.op, types, s.type)) return;
    make_kernels(&s, kernels);
    for (int k = 0; k < CALLS; k++) {
        if (k > 0 && s.dynamic) draw_sizes(&s);
        const bool legal = fill_operands(&s);
        for (size_t e = 0; e < test_engine_count; e++)
            if (s.in_place && legal)
                call_in_place(&s, kernels[e], test_engines[e].name);
            else
                call(&s, kernels[e], test_engines[e].name, legal);
    }
    for (size_t e = 0; e < test_engine_count; e++) tosajit_kernel_release(kernels[e]);
}

static void elements_go_where_the_index_says(void **state) {
    const uint64_t cases = test_setting("TOSAJIT_CASES", STANDARD_CASES) / test_thinning();
    for (uint64_t number = 0; number < cases; number++) check_case(number);
    print_message("%" PRIu64 " kernels, %" PRIu64 " calls, %" PRIu64 " of them refused\n",
                  f.kernels, f.calls, f.refused);
    assert_true(cases < 20 || (f.refused > 0 && f.refused < f.calls));
}

/* ---------------------------------------------------------------------------------------------
 * Texts: layers that move messages, in one kernel */

/* A kernel of a text, on each engine, of these operands. */
static void run_text(const char *text, const tosajit_tensor *operands, size_t count,
                     const tosajit_tensor *result, tosajit_status expected,
                     void (*check)(const char *engine)) {
    tosajit_expr *expr;
    if (tosajit_expr_parse(text, strlen(text), NULL, &expr)) fail_msg("%s", tosajit_last_error());
    for (size_t e = 0; e < test_engine_count; e++) {
        tosajit_kernel *kernel;
        if (tosajit_compile_expr(test_engines[e].engine, expr, &kernel) ||
            tosajit_kernel_wait(kernel))
            fail_msg("%s: %s", text, tosajit_last_error());
        for (int way = 0; way < 2; way++) {
            const tosajit_status status =
                (way ? divide_run : tosajit_run)(kernel, operands, count, result, 1);
            if (status != expected)
                fail_msg("%s on %s: status %d, %s", text, test_engines[e].name, (int)status,
                         status ? tosajit_last_error() : "");
            if (!status) check(test_engines[e].name);
        }
        tosajit_kernel_release(kernel);
    }
    tosajit_expr_destroy(expr);
}

enum { NODES = 70, EDGES = 3000, FEATURES = 24 };
static float nodes[NODES][FEATURES], weights[EDGES], sums[NODES][FEATURES], made[NODES][FEATURES];
static int64_t sources[EDGES], targets[EDGES];

static void messages_are_right(const char *engine) {
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < FEATURES; c++)
            if (memcmp(&made[n][c], &sums[n][c], sizeof **made) != 0)
                fail_msg("messages on %s: node %d, feature %d is %g, not %g", engine, n, c,
                         (double)made[n][c], (double)sums[n][c]);
}

static void messages_are_one_kernel(void **state) {
    const int64_t table[] = {NODES, FEATURES}, column[] = {EDGES, 1}, line[] = {EDGES};
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, nodes, 2, table),
                                       tosajit_dense(TOSAJIT_I64, targets, 2, column),
                                       tosajit_dense(TOSAJIT_I64, sources, 1, line),
                                       tosajit_dense(TOSAJIT_F32, weights, 2, column)};
    const tosajit_tensor result = tosajit_dense(TOSAJIT_F32, made, 2, table);
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < FEATURES; c++) nodes[n][c] = (float)draw(-9, 9);
    for (int e = 0; e < EDGES; e++) {
        weights[e] = (float)draw(-9, 9) / 8;
        sources[e] = draw(0, NODES - 1);
        targets[e] = draw(0, NODES - 1);
    }
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < FEATURES; c++) sums[n][c] = 2 * nodes[n][c];
    for (int e = 0; e < EDGES; e++)
        for (int c = 0; c < FEATURES; c++) sums[targets[e]][c] += nodes[sources[e]][c] * weights[e];
    for (int n = 0; n < NODES; n++)
        for (int c = 0; c < FEATURES; c++) sums[n][c] = sums[n][c] > 0 ? sums[n][c] : 0;
    run_text("relu(scatter_add(h + h, to, take(h, from, axis=0) * w)) : "
             "h: f32[?,?], to: i64[?,1], from: i64[?], w: f32[?,1]",
             operands, 4, &result, TOSAJIT_OK, messages_are_right);
    targets[EDGES - 1] = NODES;
    run_text("scatter_add(h, to, take(h, from, axis=0) * w) : "
             "h: f32[?,?], to: i64[?,1], from: i64[?], w: f32[?,1]",
             operands, 4, &result, TOSAJIT_INDEX_OUT_OF_RANGE, messages_are_right);
}

/* A result must not lie on what updates are still computed of. */
static void updates_are_not_written_over(void **state) {
    static float x[NODES];
    static int64_t index[NODES];
    const int64_t line[] = {NODES};
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, x, 1, line),
                                       tosajit_dense(TOSAJIT_I64, index, 1, line)};
    run_text("scatter_add(x, i, x * 2) : x: f32[?], i: i64[?]", operands, 2, &operands[0],
             TOSAJIT_OVERLAP, messages_are_right);
    run_text("scatter_add(x, i, x) : x: f32[?], i: i64[?]", operands, 2, &operands[0],
             TOSAJIT_OVERLAP, messages_are_right);
}

/* Who has rows in mind writes an index of one dimension. */
static void a_missing_dimension_is_said(void **state) {
    const char *text = "scatter_add(x, i, v) : x: f32[?,?], i: i64[?], v: f32[?,?]";
    tosajit_expr *expr;
    assert_int_equal(tosajit_expr_parse(text, strlen(text), NULL, &expr), TOSAJIT_SHAPE_MISMATCH);
    assert_non_null(strstr(tosajit_last_error(), "; in texts i[:, None] has one more"));
}

static int32_t positions[3][4];

static void positions_are_right(const char *engine) {
    static const int32_t right[3][4] = {{0, 1, 2, 3}, {7, 7, 7, 7}, {0, 1, 2, 3}};
    if (memcmp(positions, right, sizeof right) != 0) fail_msg("positions on %s", engine);
}

/* Positions repeat along the dimension that is indexed. */
static void positions_are_a_base(void **state) {
    static const int64_t row[] = {1, 1}, sizes[] = {3, 4};
    static int32_t seven[] = {7};
    int64_t second[] = {1};
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, nodes, 2, sizes),
                                       tosajit_dense(TOSAJIT_I64, second, 2, row),
                                       tosajit_dense(TOSAJIT_I32, seven, 2, row)};
    const tosajit_tensor result = tosajit_dense(TOSAJIT_I32, positions, 2, sizes);
    run_text("scatter(index(x, axis=1), i, v) : x: f32[?,4], i: i64[?,1], v: i32[?,1]", operands, 3,
             &result, TOSAJIT_OK, positions_are_right);
}

static int open_all(void **state) {
    bool fine = !test_setup_exact(state);
    f.random = test_random_start(test_seed());
    f.forms = forms_open();
    f.expected = malloc(CAPACITY);
    f.updates = malloc(CAPACITY);
    for (int o = 0; o < OPERANDS; o++) fine = fine && guard_create(&f.operands[o], CAPACITY);
    for (int r = 0; r < RESULTS; r++) fine = fine && guard_create(&f.results[r], CAPACITY);
    return fine && f.forms && f.expected && f.updates ? 0 : -1;
}

static int close_all(void **state) {
    forms_close(f.forms);
    free(f.expected);
    free(f.updates);
    for (int o = 0; o < OPERANDS; o++) guard_destroy(&f.operands[o]);
    for (int r = 0; r < RESULTS; r++) guard_destroy(&f.results[r]);
    return test_teardown(state);
}

int main(void) {
    return TEST_RUN(open_all, close_all, TEST(elements_go_where_the_index_says),
                    TEST(messages_are_one_kernel), TEST(updates_are_not_written_over),
                    TEST(positions_are_a_base), TEST(a_missing_dimension_is_said));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gather: random shapes, types, modes and layouts, bit by bit what a loop over the elements says
 * that calls nothing of the library. An index is an operand, or computed by the kernel; what is
 * gathered is a result, or what another op reads. Kernels are of all forms of forms.h, called
 * alone, bound, and with threads. All memory is guarded: an index beyond it is an error that leaves
 * the results as they were, and no byte beside a tensor is touched.
 *
 * TOSAJIT_SEED=<n> sets the cases, TOSAJIT_CASES=<n> their number. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/expr/gather.h"
#include "tests/numbers/divide.h"
#include "tests/numbers/drawn.h"
#include "tests/numbers/index_reference.h"
#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tests/support/support.h"

enum {
    STANDARD_CASES = 150,
    CALLS = 4, /* of a kernel */
    MOST_RANK = 3,
    MOST_ELEMENTS = 4000,
    MOST_VALUES = 12000,
    CAPACITY = MOST_VALUES * 8 * 8,
};

/* The operands of a kernel, in their order. */
enum { VALUES, INDEX, ZERO, CHOICE, OTHER, OPERANDS };
/* Its results: what is gathered, what is made of it, and the index. */
enum { GATHERED, CHOSEN, INDICES, RESULTS };

typedef struct subject {
    tosajit_type type, index;
    tosajit_index_mode mode;
    bool computed, dynamic; /* the index; the sizes */
    unsigned results;       /* bit r: the kernel has result r */
    int32_t ranks[OPERANDS], rank;
    int64_t dims[OPERANDS][TOSAJIT_MAX_RANK], made[TOSAJIT_MAX_RANK];
} subject;

static struct {
    guard_tensor operands[OPERANDS], results[RESULTS];
    forms *forms;
    test_random random;
    uint64_t kernels, calls, refused;
} f;

static int64_t draw(int64_t low, int64_t high) { return test_random_range(&f.random, low, high); }
static bool chance(int percent) { return test_random_chance(&f.random, percent); }

/* ---------------------------------------------------------------------------------------------
 * What is drawn */

/* Sizes of the result; each operand has them, or 1, or no dimension there. */
static void draw_sizes(subject *s) {
    static const int64_t sizes[] = {1, 1, 2, 3, 5, 16, 17, 33, 64, 130, 700};
    int64_t room = MOST_ELEMENTS;
    for (int32_t d = s->rank; d-- > 0;) {
        s->made[d] = sizes[draw(0, 10)];
        if (s->made[d] > room) s->made[d] = room < 2 ? 1 : draw(1, 2);
        room /= s->made[d];
    }
    s->ranks[CHOICE] = s->rank;
    memcpy(s->dims[CHOICE], s->made, sizeof s->made);
    s->ranks[ZERO] = s->ranks[OTHER] = 0;
}

/* Which of values and index has a dimension is drawn once, as the types say it. */
static void lay_out(subject *s, const unsigned has[2]) {
    const int32_t lead = s->rank - (s->ranks[VALUES] - 1), skip = s->rank - s->ranks[INDEX];
    int64_t count = 1;
    for (int32_t d = 0; d < s->rank; d++) {
        if (d >= lead) s->dims[VALUES][d - lead + 1] = has[0] >> d & 1 ? s->made[d] : 1;
        if (d >= skip) s->dims[INDEX][d - skip] = has[1] >> d & 1 ? s->made[d] : 1;
    }
    for (int32_t d = 1; d < s->ranks[VALUES]; d++) count *= s->dims[VALUES][d];
    s->dims[VALUES][0] = draw(1, count < MOST_VALUES / 40 ? 40 : MOST_VALUES / count);
}

/* Every dimension of the result is one of values or index. */
static void draw_dimensions(subject *s, unsigned has[2]) {
    const unsigned all = (1u << s->rank) - 1;
    has[0] = (unsigned)draw(0, all);
    has[1] = (unsigned)draw(0, all) | (all & ~has[0]);
    int32_t values = s->rank, index = s->rank;
    while (values > 0 && !(has[0] >> (s->rank - values) & 1) && chance(70)) values--;
    while (index > 0 && !(has[1] >> (s->rank - index) & 1) && values == s->rank && chance(70))
        index--;
    s->ranks[VALUES] = values + 1;
    s->ranks[INDEX] = index;
}

/* ---------------------------------------------------------------------------------------------
 * Kernels */

static tosajit_tensor_type type_of(const subject *s, int operand) {
    const tosajit_type elements[] = {s->type, s->index, s->index, TOSAJIT_I1, s->type};
    tosajit_tensor_type type =
        tosajit_ranked(elements[operand], s->ranks[operand], s->dims[operand]);
    for (int32_t d = 0; d < type.rank && s->dynamic; d++) type.dims[d] = TOSAJIT_DYNAMIC;
    return type;
}

static tosajit_expr *build(const subject *s) {
    const tosajit_attributes a = {.index_mode = s->mode};
    tosajit_value x[OPERANDS], made[RESULTS];
    tosajit_expr *expr;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    for (int k = 0; !status && k < OPERANDS; k++) {
        const tosajit_tensor_type type = type_of(s, k);
        status = tosajit_expr_input(expr, &type, &x[k]);
    }
    made[INDICES] = x[INDEX];
    if (!status && s->computed)
        status = tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x[INDEX], x[ZERO]}, 2,
                                 NULL, NULL, &made[INDICES]);
    if (!status)
        status =
            tosajit_expr_op(expr, TOSAJIT_OP_gather, (tosajit_value[]){x[VALUES], made[INDICES]}, 2,
                            &a, NULL, &made[GATHERED]);
    if (!status && s->results >> CHOSEN & 1)
        status = tosajit_expr_op(expr, TOSAJIT_OP_select,
                                 (tosajit_value[]){x[CHOICE], made[GATHERED], x[OTHER]}, 3, NULL,
                                 NULL, &made[CHOSEN]);
    for (int r = 0; !status && r < RESULTS; r++)
        if (s->results >> r & 1) status = tosajit_expr_result(expr, made[r]);
    if (status) fail_msg("gather: %s", tosajit_last_error());
    return expr;
}

static void make_kernels(const subject *s, tosajit_kernel **kernels) {
    tosajit_expr *expr = build(s);
    drawn_kernels(f.forms, &f.kernels, "gather", expr, kernels);
    tosajit_expr_destroy(expr);
}

/* ---------------------------------------------------------------------------------------------
 * Memory */

/* Some beyond, one of them where that is an error. True if all indices are legal then. */
static bool fill_index(const subject *s, bool hostile) {
    guard_tensor *g = &f.operands[INDEX];
    const int64_t count = guard_count(s->ranks[INDEX], s->dims[INDEX]), at = draw(0, count - 1);
    int64_t index[TOSAJIT_MAX_RANK] = {0}, k = 0;
    bool legal = true;
    do {
        const int64_t drawn = drawn_index(&f.random, s->index, s->mode, s->dims[VALUES][0],
                                          hostile && (k == at || !drawn_may_fail(s->mode)));
        drawn_write(s->index, guard_at(g, index), drawn);
        legal &= place_reference(s->mode, drawn, s->dims[VALUES][0]) >= 0;
        k++;
    } while (guard_next(s->ranks[INDEX], s->dims[INDEX], index));
    return legal;
}

static bool fill_operands(const subject *s) {
    for (int o = 0; o < OPERANDS; o++) {
        const tosajit_tensor_type type = type_of(s, o);
        const size_t size = tosajit_type_size(type.element);
        int64_t index[TOSAJIT_MAX_RANK] = {0};
        drawn_place(&f.random, &f.operands[o], type.element, s->ranks[o], s->dims[o]);
        do {
            unsigned char *at = guard_at(&f.operands[o], index);
            test_random_element(&f.random, type.element, at);
            if (o == ZERO) memset(at, 0, size);
        } while (guard_next(s->ranks[o], s->dims[o], index));
    }
    const bool legal = fill_index(s, chance(40));
    for (int o = 0; o < OPERANDS; o++) guard_remember(&f.operands[o]);
    return legal;
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

/* The element of an operand that this index of the result reads: dimensions align at the end, and
 * sizes of 1 repeat. Of values the first one is `place`. */
static const unsigned char *element(const subject *s, int o, const int64_t *index, int64_t first) {
    int64_t own[TOSAJIT_MAX_RANK];
    for (int32_t d = 0; d < s->ranks[o]; d++) {
        const int32_t at = d + s->rank - s->ranks[o];
        own[d] = s->dims[o][d] == 1 || at < 0 ? 0 : index[at];
    }
    if (o == VALUES) own[0] = first;
    return guard_at(&f.operands[o], own);
}

/* An element as a result has it: of i1 any byte but 0 is true. */
static bool is_element(tosajit_type type, const unsigned char *found, const unsigned char *right) {
    return type == TOSAJIT_I1 ? *found == (*right != 0)
                              : memcmp(found, right, tosajit_type_size(type)) == 0;
}

static void compare(const subject *s, const char *engine) {
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    do {
        const int64_t number = drawn_read(s->index, element(s, INDEX, index, 0)),
                      where = place_reference(s->mode, number, s->dims[VALUES][0]);
        const unsigned char *right = element(s, VALUES, index, where),
                            *chosen =
                                *element(s, CHOICE, index, 0) ? right : element(s, OTHER, index, 0);
        const bool fine = (!(s->results >> GATHERED & 1) ||
                           is_element(s->type, guard_at(&f.results[GATHERED], index), right)) &&
                          (!(s->results >> CHOSEN & 1) ||
                           is_element(s->type, guard_at(&f.results[CHOSEN], index), chosen));
        if (!fine)
            fail_msg("gather of %s on %s, mode %d, results %u: index %" PRId64
                     " gave another element",
                     tosajit_type_name(s->type), engine, (int)s->mode, s->results, number);
    } while (guard_next(s->rank, s->made, index));
}

static void call(const subject *s, tosajit_kernel *kernel, const char *engine, bool legal) {
    tosajit_tensor operands[OPERANDS], results[RESULTS];
    size_t count = 0;
    for (int o = 0; o < OPERANDS; o++) operands[o] = f.operands[o].tensor;
    for (int r = 0; r < RESULTS; r++) {
        if (!(s->results >> r & 1)) continue;
        if (r == INDICES)
            drawn_place(&f.random, &f.results[r], s->index, s->ranks[INDEX], s->dims[INDEX]);
        else
            drawn_place(&f.random, &f.results[r], s->type, s->rank, s->made);
        guard_remember(&f.results[r]);
        results[count++] = f.results[r].tensor;
    }
    const uint64_t way = f.calls++ % 3;
    const tosajit_status status =
        (way == 0   ? tosajit_run
         : way == 1 ? test_run_bound
                    : divide_run)(kernel, operands, OPERANDS, results, count);
    if (status != (legal ? TOSAJIT_OK : TOSAJIT_INDEX_OUT_OF_RANGE))
        fail_msg("gather on %s, mode %d, index %s: status %d, %s", engine, (int)s->mode,
                 s->computed ? "computed" : "given", (int)status, tosajit_last_error());
    f.refused += !legal;
    if (legal) compare(s, engine);
    for (int o = 0; o < OPERANDS; o++) assert_true(guard_intact(&f.operands[o], false));
    for (int r = 0; r < RESULTS; r++)
        if (s->results >> r & 1 && !guard_intact(&f.results[r], legal))
            fail_msg("gather on %s: a byte was written that is none of a result's", engine);
}

static void check_case(uint64_t number) {
    subject s = {.type = (tosajit_type)(number % TOSAJIT_TYPE_COUNT),
                 .index = chance(50) ? TOSAJIT_I32 : TOSAJIT_I64,
                 .mode = (tosajit_index_mode)draw(0, TOSAJIT_INDEX_WRAP),
                 .computed = chance(50),
                 .dynamic = chance(50),
                 .rank = (int32_t)draw(0, MOST_RANK)};
    /* select takes no f8 and no i48 */
    const tosajit_type types[] = {TOSAJIT_I1, s.type, s.type};
    const bool selects = tosajit_op_accepts(TOSAJIT_OP_select, types, s.type) != 0;
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    unsigned has[2];
    s.results = selects ? (unsigned)draw(1, 3) : 1;
    if (s.computed && chance(30)) s.results |= 1 << INDICES;
    draw_dimensions(&s, has);
    draw_sizes(&s);
    lay_out(&s, has);
    make_kernels(&s, kernels);
    for (int k = 0; k < CALLS; k++) {
        if (k > 0 && s.dynamic) draw_sizes(&s);
        if (k > 0 && s.dynamic) lay_out(&s, has);
        const bool legal = fill_operands(&s);
        for (size_t e = 0; e < test_engine_count; e++)
            call(&s, kernels[e], test_engines[e].name, legal);
    }
    for (size_t e = 0; e < test_engine_count; e++) tosajit_kernel_release(kernels[e]);
}

static void elements_come_from_where_the_index_says(void **state) {
    const uint64_t cases = test_setting("TOSAJIT_CASES", STANDARD_CASES) / test_thinning();
    for (uint64_t number = 0; number < cases; number++) check_case(number);
    print_message("%" PRIu64 " kernels, %" PRIu64 " calls, %" PRIu64 " of them refused\n",
                  f.kernels, f.calls, f.refused);
    assert_true(cases < 20 || (f.refused > 0 && f.refused < f.calls));
}

/* Nobody reads what they take, but they are wrong all the same. */
static void indices_of_no_elements_are_looked_at(void **state) {
    subject s = {.type = TOSAJIT_F32,
                 .index = TOSAJIT_I32,
                 .mode = TOSAJIT_INDEX_SIGNED,
                 .dynamic = true,
                 .results = 1 << GATHERED,
                 .ranks = {2, 2, 0, 2, 0},
                 .rank = 2};
    static float element;
    static int32_t index[3], zero;
    static const int64_t none[] = {5, 0}, places[] = {3, 1}, made[] = {3, 0};
    const tosajit_tensor operands[] = {tosajit_dense(TOSAJIT_F32, &element, 2, none),
                                       tosajit_dense(TOSAJIT_I32, index, 2, places),
                                       tosajit_dense(TOSAJIT_I32, &zero, 0, none),
                                       tosajit_dense(TOSAJIT_I1, &element, 2, made),
                                       tosajit_dense(TOSAJIT_F32, &element, 0, none)},
                         result = tosajit_dense(TOSAJIT_F32, &element, 2, made);
    for (int k = 0; k < 2; k++) {
        tosajit_kernel *kernels[TEST_MAX_ENGINES];
        s.computed = k == 1;
        make_kernels(&s, kernels);
        for (size_t e = 0; e < test_engine_count; e++) {
            index[2] = -5;
            if (tosajit_run(kernels[e], operands, OPERANDS, &result, 1))
                fail_msg("gather of no elements: %s", tosajit_last_error());
            index[2] = 5;
            assert_int_equal(tosajit_run(kernels[e], operands, OPERANDS, &result, 1),
                             TOSAJIT_INDEX_OUT_OF_RANGE);
            tosajit_kernel_release(kernels[e]);
        }
    }
}

static int open_all(void **state) {
    bool fine = !test_setup_exact(state);
    f.random = test_random_start(test_seed());
    f.forms = forms_open();
    for (int o = 0; o < OPERANDS; o++) fine = fine && guard_create(&f.operands[o], CAPACITY);
    for (int r = 0; r < RESULTS; r++) fine = fine && guard_create(&f.results[r], CAPACITY);
    return fine && f.forms ? 0 : -1;
}

/* They were checked before, but another thread of the host may write them meanwhile. */
static void wrong_indices_have_a_place_inside(void **state) {
    static const int64_t wrong[] = {5, -6, INT64_C(1) << 44, INT64_MAX, INT64_MIN, INT32_MIN};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(gather_place(TOSAJIT_INDEX_STRICT, wrong[k], 5), 0);
        assert_int_equal(gather_place(TOSAJIT_INDEX_SIGNED, wrong[k], 5), 0);
    }
    assert_int_equal(gather_place(TOSAJIT_INDEX_SIGNED, -5, 5), 0);
    assert_int_equal(gather_place(TOSAJIT_INDEX_SIGNED, -1, 5), 4);
}

static int close_all(void **state) {
    forms_close(f.forms);
    for (int o = 0; o < OPERANDS; o++) guard_destroy(&f.operands[o]);
    for (int r = 0; r < RESULTS; r++) guard_destroy(&f.results[r]);
    return test_teardown(state);
}

int main(void) {
    return TEST_RUN(open_all, close_all, TEST(elements_come_from_where_the_index_says),
                    TEST(indices_of_no_elements_are_looked_at),
                    TEST(wrong_indices_have_a_place_inside));
}

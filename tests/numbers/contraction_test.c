/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contraction, on every engine: random expressions of every tier against a reference that has the
 * rule of docs/semantics.md once more, and multiply-adds of hard operands. Both take libm's fma.
 * Tensors that threads divide have one digest, here and on every other machine.
 *
 * TOSAJIT_SEED=<n> and TOSAJIT_CASES=<n> say where to start, and how many expressions there are. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tests/support/text.h"
#include "tosajit/inspect.h"

enum { INPUTS = 4, NODES = 24, RESULTS = 3, ROWS = 3, COLUMNS = 37, ELEMENTS = ROWS * COLUMNS };
enum { STANDARD_CASES = 60, TRIPLES = 4096, TURNS = 8 };

/* ---------------------------------------------------------------------------------------------
 * Numbers */

static double from_bits(tosajit_type type, uint64_t bits) {
    float single;
    double wide;
    const uint32_t narrow = (uint32_t)bits;
    memcpy(&single, &narrow, sizeof single);
    memcpy(&wide, &bits, sizeof wide);
    return type == TOSAJIT_F32 ? (double)single : wide;
}

/* Rounded to the type. */
static double rounded(tosajit_type type, double x) {
    return type == TOSAJIT_F32 ? (double)(float)x : x;
}

static double fused(tosajit_type type, double a, double b, double c) {
    return type == TOSAJIT_F32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

/* Whole numbers, whose sums cancel; everyday ones; any bits. */
static double random_number(test_random *random, tosajit_type type) {
    const int kind = (int)test_random_range(random, 0, 9);
    if (kind == 0) return from_bits(type, test_random_next(random));
    if (kind < 4) return (double)test_random_range(random, -9, 9);
    return rounded(type, (double)test_random_range(random, -99999, 99999) / 7777);
}

static void store(tosajit_type type, void *data, size_t at, double x) {
    if (type == TOSAJIT_F32)
        ((float *)data)[at] = (float)x;
    else
        ((double *)data)[at] = x;
}

static bool is_same(tosajit_type type, const void *data, size_t at, double x) {
    const double y =
        type == TOSAJIT_F32 ? (double)((const float *)data)[at] : ((const double *)data)[at];
    return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
}

/* ---------------------------------------------------------------------------------------------
 * Expressions */

typedef enum kind { INPUT, NUMBER, ADD, SUB, MUL, NEGATE, MAXIMUM, REVERSE, KINDS } kind;

typedef struct node {
    kind kind;
    int a, b;                 /* operands */
    bool row_one, column_one; /* sizes of 1 */
    double number;
    tosajit_value value;
    double is[ELEMENTS]; /* what the reference computes, repeated where a size is 1 */
} node;

typedef struct sample {
    tosajit_type type;
    tosajit_accuracy tier;
    bool is_dynamic, by_engine; /* the tier is the engine's */
    int count, result_count, results[RESULTS], reads[NODES];
    node nodes[NODES];
} sample;

static const tosajit_op ops[KINDS] = {[ADD] = TOSAJIT_OP_add,
                                      [SUB] = TOSAJIT_OP_sub,
                                      [MUL] = TOSAJIT_OP_mul,
                                      [NEGATE] = TOSAJIT_OP_negate,
                                      [MAXIMUM] = TOSAJIT_OP_maximum};

/* Most operands are young, so that products are often read by one sum alone. */
static int pick(test_random *random, int count) {
    const int64_t first = test_random_chance(random, 70) && count > 4 ? count - 4 : 0;
    return (int)test_random_range(random, first, count - 1);
}

static void draw(test_random *random, sample *s) {
    static const kind computed[] = {ADD, ADD, SUB,    SUB,     MUL,    MUL,
                                    MUL, MUL, NEGATE, MAXIMUM, REVERSE};
    const int last = sizeof computed / sizeof *computed - 1;
    s->type = test_random_chance(random, 50) ? TOSAJIT_F32 : TOSAJIT_F64;
    s->tier = test_random_chance(random, 70) ? TOSAJIT_CONTRACTED
                                             : (tosajit_accuracy)test_random_range(random, 0, 1);
    s->is_dynamic = test_random_chance(random, 50);
    s->by_engine = test_random_chance(random, 50);
    s->count = (int)test_random_range(random, INPUTS + 3, NODES);
    for (int k = 0; k < s->count; k++) {
        node *n = &s->nodes[k];
        *n = (node){.kind = k < INPUTS ? INPUT : NUMBER};
        if (n->kind == NUMBER && test_random_chance(random, 90))
            n->kind = computed[test_random_range(random, 0, last)];
        n->number = (double)test_random_range(random, -7, 7) / 4;
        n->row_one = n->kind == NUMBER || test_random_chance(random, 20);
        n->column_one = n->kind == NUMBER || test_random_chance(random, 20);
        if (n->kind <= NUMBER) continue;
        n->a = pick(random, k), n->b = pick(random, k);
        const node *a = &s->nodes[n->a],
                   *b = &s->nodes[n->kind <= MUL || n->kind == MAXIMUM ? n->b : n->a];
        n->row_one = a->row_one && b->row_one;
        n->column_one = a->column_one && b->column_one;
    }
    s->result_count = (int)test_random_range(random, 1, RESULTS);
    for (int r = 0; r < s->result_count; r++)
        s->results[r] = r ? (int)test_random_range(random, INPUTS, s->count - 1) : s->count - 1;
}

static bool is_pair(const node *n) {
    return n->kind == ADD || n->kind == SUB || n->kind == MUL || n->kind == MAXIMUM;
}

/* How often each value is read by what the results need. */
static void count_reads(sample *s) {
    memset(s->reads, 0, sizeof s->reads);
    for (int r = 0; r < s->result_count; r++) s->reads[s->results[r]]++;
    for (int k = s->count; k-- > 0;) {
        const node *n = &s->nodes[k];
        if (n->kind <= NUMBER || !s->reads[k]) continue;
        s->reads[n->a]++;
        if (is_pair(n)) s->reads[n->b]++;
    }
}

static bool is_contracted(const sample *s, int k) {
    return s->tier == TOSAJIT_CONTRACTED && s->nodes[k].kind == MUL && s->reads[k] == 1;
}

static double maximum(double a, double b) {
    if (isnan(a) || isnan(b)) return (double)NAN;
    if (a == b) return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* A sum or difference: the first of its operands that is such a product, and the other one. */
static double sum_of(const sample *s, const node *n, int e) {
    const node *a = &s->nodes[n->a], *b = &s->nodes[n->b];
    const double sign = n->kind == SUB ? -1 : 1;
    if (is_contracted(s, n->a))
        return fused(s->type, s->nodes[a->a].is[e], s->nodes[a->b].is[e], sign * b->is[e]);
    if (is_contracted(s, n->b))
        return fused(s->type, sign * s->nodes[b->a].is[e], s->nodes[b->b].is[e], a->is[e]);
    return rounded(s->type, n->kind == SUB ? a->is[e] - b->is[e] : a->is[e] + b->is[e]);
}

static double element_of(const sample *s, const node *n, int e) {
    const node *a = &s->nodes[n->a], *b = &s->nodes[n->b];
    const int column = e % COLUMNS;
    switch (n->kind) {
    case NUMBER: return n->number;
    case ADD:
    case SUB: return sum_of(s, n, e);
    case MUL: return rounded(s->type, a->is[e] * b->is[e]);
    case NEGATE: return -a->is[e];
    case MAXIMUM: return maximum(a->is[e], b->is[e]);
    case REVERSE: return a->is[e - column + COLUMNS - 1 - column];
    default: return n->is[e];
    }
}

static void evaluate(test_random *random, sample *s) {
    for (int k = 0; k < s->count; k++)
        for (int e = 0; e < ELEMENTS; e++) {
            node *n = &s->nodes[k];
            const int from =
                (n->row_one ? 0 : e / COLUMNS) * COLUMNS + (n->column_one ? 0 : e % COLUMNS);
            if (n->kind != INPUT)
                n->is[e] = element_of(s, n, e);
            else
                n->is[e] = from < e ? n->is[from] : random_number(random, s->type);
        }
}

static void dims_of(const node *n, int64_t *dims) {
    dims[0] = n->row_one ? 1 : ROWS;
    dims[1] = n->column_one ? 1 : COLUMNS;
}

static void put_node(tosajit_expr *expr, const sample *s, node *n) {
    const tosajit_value operands[2] = {s->nodes[n->a].value, s->nodes[n->b].value};
    int64_t dims[2];
    uint64_t data;
    dims_of(n, dims);
    tosajit_tensor_type type = tosajit_ranked(s->type, 2, dims);
    for (int d = 0; d < 2 && n->kind == INPUT; d++)
        if (s->is_dynamic && dims[d] > 1) type.dims[d] = TOSAJIT_DYNAMIC;
    store(s->type, &data, 0, n->number);
    tosajit_status status;
    if (n->kind == INPUT)
        status = tosajit_expr_input(expr, &type, &n->value);
    else if (n->kind == NUMBER)
        status = tosajit_expr_constant(expr, &type, &data, &n->value);
    else if (n->kind == REVERSE)
        status = tosajit_expr_reverse(expr, operands[0], 1, &n->value);
    else
        status = tosajit_expr_op(expr, ops[n->kind], operands, is_pair(n) ? 2 : 1, NULL, NULL,
                                 &n->value);
    if (status) fail_msg("%s", tosajit_last_error());
}

static tosajit_expr *build(sample *s) {
    const tosajit_expr_options options = {.size = sizeof options,
                                          .accuracy = s->by_engine ? TOSAJIT_EXACT : s->tier};
    tosajit_expr *expr;
    assert_int_equal(tosajit_expr_create(&options, &expr), TOSAJIT_OK);
    for (int k = 0; k < s->count; k++) put_node(expr, s, &s->nodes[k]);
    for (int r = 0; r < s->result_count; r++)
        assert_int_equal(tosajit_expr_result(expr, s->nodes[s->results[r]].value), TOSAJIT_OK);
    return expr;
}

/* ---------------------------------------------------------------------------------------------
 * Tests */

static test_engine tiers[TOSAJIT_CONTRACTED + 1][TEST_MAX_ENGINES];
static size_t tier_counts[TOSAJIT_CONTRACTED + 1];

static int open_tiers(void **state) {
    (void)state;
    bool fine = true;
    for (int t = 0; t <= TOSAJIT_CONTRACTED; t++) {
        tier_counts[t] = test_engines_open(tiers[t], (tosajit_accuracy)t);
        fine &= tier_counts[t] > 0;
    }
    return fine ? 0 : -1;
}

static int close_tiers(void **state) {
    (void)state;
    for (int t = 0; t <= TOSAJIT_CONTRACTED; t++) test_engines_close(tiers[t], tier_counts[t]);
    return 0;
}

static void compare(const sample *s, const char *engine, uint64_t seed, const void *data, int r) {
    const node *n = &s->nodes[s->results[r]];
    int64_t dims[2];
    dims_of(n, dims);
    for (int64_t e = 0; e < dims[0] * dims[1]; e++) {
        const size_t at = (size_t)(e / dims[1] * COLUMNS + e % dims[1]);
        if (is_same(s->type, data, (size_t)e, n->is[at])) continue;
        fail_msg("%s: result %d element %" PRId64 " is not %a; repeat with TOSAJIT_SEED=%" PRIu64
                 " TOSAJIT_CASES=1",
                 engine, r, e, n->is[at], seed);
    }
}

static void run(sample *s, const test_engine *engine, const tosajit_expr *expr, uint64_t seed) {
    static double data[INPUTS][ELEMENTS], made[RESULTS][ELEMENTS];
    int64_t dims[INPUTS + RESULTS][2];
    tosajit_tensor operands[INPUTS], results[RESULTS];
    tosajit_kernel *kernel = test_compile(engine->engine, expr);
    for (int k = 0; k < INPUTS; k++) {
        dims_of(&s->nodes[k], dims[k]);
        for (int64_t e = 0; e < dims[k][0] * dims[k][1]; e++)
            store(s->type, data[k], (size_t)e,
                  s->nodes[k].is[e / dims[k][1] * COLUMNS + e % dims[k][1]]);
        operands[k] = tosajit_dense(s->type, data[k], 2, dims[k]);
    }
    for (int r = 0; r < s->result_count; r++) {
        dims_of(&s->nodes[s->results[r]], dims[INPUTS + r]);
        results[r] = tosajit_dense(s->type, made[r], 2, dims[INPUTS + r]);
    }
    if (tosajit_run(kernel, operands, INPUTS, results, (size_t)s->result_count))
        fail_msg("%s: %s (seed %" PRIu64 ")", engine->name, tosajit_last_error(), seed);
    for (int r = 0; r < s->result_count; r++) compare(s, engine->name, seed, made[r], r);
    tosajit_kernel_release(kernel);
}

static void expressions_have_the_bits_of_the_rule(void **state) {
    static sample s;
    const uint64_t seed = test_setting("TOSAJIT_SEED", test_day() << 24),
                   cases = test_setting("TOSAJIT_CASES", STANDARD_CASES);
    print_message("from TOSAJIT_SEED=%" PRIu64 "\n", seed);
    for (uint64_t k = 0; k < cases; k++) {
        test_random random = test_random_start(seed + k);
        draw(&random, &s);
        count_reads(&s);
        evaluate(&random, &s);
        tosajit_expr *expr = build(&s);
        const int tier = s.by_engine ? (int)s.tier : TOSAJIT_EXACT;
        for (size_t e = 0; e < tier_counts[tier]; e++) run(&s, &tiers[tier][e], expr, seed + k);
        tosajit_expr_destroy(expr);
    }
}

/* How many products are contracted, by the program behind the pass. */
static void plans_say_what_is_contracted(void **state) {
    static const struct {
        const char *text;
        int count;
    } rows[] = {{"x * y + z", 1},
                {"z - x * y", 1},
                {"x * y - z", 1},
                {"x * y + z * w", 1},
                {"x * 2 + y", 1},
                {"((x * 3 + 1) * x + 5) * x + 2", 3},
                {"f64(x) * f64(y) + f64(z)", 1},
                {"p = x * y\np + p", 0}, /* read twice */
                {"p = x * y\n(p + z) * (p - w)", 0},
                {"max(x * y, z)", 0},
                {"x / y + z", 0},
                {"x ** 2 + y", 1}, /* which is x * x */
                {"x ** 1.5 + y", 0},
                {"f16(x) * f16(y) + f16(z)", 0},
                {"i32(x) * i32(y) + i32(z)", 0},
                {"sum(x * y, axis=0)", 0},
                {"reshape(x * y, [-1]) + z", 0},
                {"fma(x, y, z)", 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *text, *end;
        int count = 0;
        tosajit_expr *expr =
            test_parse("x: f32[?], y: f32[?], z: f32[?], w: f32[?]\n", rows[k].text);
        assert_int_equal(
            tosajit_print(tiers[TOSAJIT_CONTRACTED][0].engine, expr, TOSAJIT_VIEW_PASSES, &text),
            TOSAJIT_OK);
        char *at = strstr(text, "@contraction");
        if (!at) at = text;
        end = strstr(at, "// pieces");
        if (end) *end = 0;
        for (; (at = strstr(at, "operator_name = \"fma\"")) != NULL; at++) count++;
        if (count != rows[k].count)
            fail_msg("%s: %d instead of %d\n%s", rows[k].text, count, rows[k].count, text);
        tosajit_text_release(text);
        tosajit_expr_destroy(expr);
    }
}

static int exponents_of(tosajit_type type) { return type == TOSAJIT_F32 ? 150 : 1075; }

/* Sums that cancel, lie halfway, and are subnormal; and any bits. */
static void random_triple(test_random *random, tosajit_type type, double *x) {
    const int64_t most = exponents_of(type);
    for (int k = 0; k < 3; k++) {
        const double fraction = 1 + ldexp((double)(test_random_next(random) >> 11), -53);
        const double few = (double)test_random_range(random, 1, 9);
        const double size = test_random_chance(random, 50) ? fraction : few;
        x[k] = rounded(type, ldexp(size, (int)test_random_range(random, -most, most)));
        if (test_random_chance(random, 50)) x[k] = -x[k];
        if (test_random_chance(random, 5)) x[k] = from_bits(type, test_random_next(random));
        if (test_random_chance(random, 2)) x[k] = (double)test_random_range(random, -1, 1);
    }
    const double product = rounded(type, x[0] * x[1]);
    const double place = ldexp(product, (int)test_random_range(random, -60, 60));
    if (test_random_chance(random, 50)) x[2] = test_random_chance(random, 50) ? -product : place;
    x[2] = rounded(type, x[2]);
}

static void check_triples(test_random *random, const test_engine *engine, tosajit_type type) {
    static double data[3][TRIPLES], made[TRIPLES], x[TRIPLES][3];
    const int64_t dims[1] = {TRIPLES}, open[1] = {TOSAJIT_DYNAMIC};
    const tosajit_tensor_type operand = tosajit_ranked(type, 1, open);
    const tosajit_tensor_type types[3] = {operand, operand, operand};
    tosajit_kernel *kernel;
    assert_int_equal(tosajit_compile(engine->engine, TOSAJIT_OP_fma, types, 3, NULL, NULL, &kernel),
                     TOSAJIT_OK);
    for (int turn = 0; turn < TURNS; turn++) {
        tosajit_tensor operands[3], result = tosajit_dense(type, made, 1, dims);
        for (int k = 0; k < 3; k++) operands[k] = tosajit_dense(type, data[k], 1, dims);
        for (size_t e = 0; e < TRIPLES; e++) {
            random_triple(random, type, x[e]);
            for (int k = 0; k < 3; k++) store(type, data[k], e, x[e][k]);
        }
        assert_int_equal(tosajit_run(kernel, operands, 3, &result, 1), TOSAJIT_OK);
        for (size_t e = 0; e < TRIPLES; e++)
            if (!is_same(type, made, e, fused(type, x[e][0], x[e][1], x[e][2])))
                fail_msg("%s: %a * %a + %a is not %a", engine->name, x[e][0], x[e][1], x[e][2],
                         fused(type, x[e][0], x[e][1], x[e][2]));
    }
    tosajit_kernel_release(kernel);
}

static void multiply_adds_are_rounded_once(void **state) {
    test_random random = test_random_start(test_setting("TOSAJIT_SEED", test_day()));
    for (size_t e = 0; e < tier_counts[0]; e++) {
        check_triples(&random, &tiers[0][e], TOSAJIT_F32);
        check_triples(&random, &tiers[0][e], TOSAJIT_F64);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Threads */

enum { LARGE_ROWS = 300, LARGE_COLUMNS = 1037, LARGE = LARGE_ROWS * LARGE_COLUMNS };

static const struct {
    const char *text;
    bool is_wide, is_row; /* f64; a result for each row */
    uint64_t digest;
} large[] = {
    {"(x * y + w) * x - y * w", false, false, UINT64_C(0x8b7308ac909599ac)},
    {"exp(x * y - w) + sin(x) * w", false, false, UINT64_C(0x463b51ff79b90b81)},
    {"tanh(x * 0.25 + y) * (w - x * y)", false, false, UINT64_C(0x7d746248efb376b4)},
    {"sum((x * y + w) * (x - w * y), axis=1)", false, true, UINT64_C(0xc0da8ad57dcadd8a)},
    {"x * y + w - sum(x * w + 1, axis=1)", false, false, UINT64_C(0xfa69f449bb03e493)},
    {"(x * y + w) * x - y * w", true, false, UINT64_C(0xd897ffd7cf325e57)},
    {"log(abs(x * y + w) + 1) * x + y", true, false, UINT64_C(0x469a67bf11cbad04)},
    {"sum(x * y + w * w, axis=1)", true, true, UINT64_C(0xac771e67147cadff)},
};

static uint64_t digest_of(const unsigned char *bytes, size_t size) {
    uint64_t digest = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < size; k++) digest = (digest ^ bytes[k]) * UINT64_C(1099511628211);
    return digest;
}

static uint64_t run_large(size_t row, size_t threads) {
    static double data[3][LARGE], made[LARGE];
    const tosajit_type type = large[row].is_wide ? TOSAJIT_F64 : TOSAJIT_F32;
    const char *types = large[row].is_wide ? "x: f64[?,?], y: f64[?,?], w: f64[?,?]\n"
                                           : "x: f32[?,?], y: f32[?,?], w: f32[?,?]\n";
    const int64_t dims[2] = {LARGE_ROWS, LARGE_COLUMNS},
                  own[2] = {LARGE_ROWS, large[row].is_row ? 1 : LARGE_COLUMNS};
    const tosajit_engine_options options = {
        .size = sizeof options, .accuracy = TOSAJIT_CONTRACTED, .threads = threads};
    tosajit_tensor operands[3], result = tosajit_dense(type, made, 2, own);
    tosajit_engine *engine;
    for (int k = 0; k < 3; k++) {
        for (int64_t e = 0; e < LARGE; e++)
            store(type, data[k], (size_t)e,
                  rounded(type, (double)((e * (7919 + 2 * k) + 31 * k) % 10007) / 977 - 5));
        operands[k] = tosajit_dense(type, data[k], 2, dims);
    }
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_OK);
    tosajit_expr *expr = test_parse(types, large[row].text);
    tosajit_kernel *kernel = test_compile(engine, expr);
    assert_int_equal(tosajit_run(kernel, operands, 3, &result, 1), TOSAJIT_OK);
    tosajit_kernel_release(kernel);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
    return digest_of((const unsigned char *)made,
                     tosajit_type_size(type) * (size_t)(own[0] * own[1]));
}

static void threads_have_the_bits_of_every_machine(void **state) {
    (void)state;
    /* An engine takes no more of them than there are processors: on two, 3 and 4 are 2 again. */
    for (size_t k = 0; k < sizeof large / sizeof *large; k++)
        for (size_t threads = 1; threads <= 4; threads++) {
            const uint64_t digest = run_large(k, threads);
            if (digest != large[k].digest)
                fail_msg("%s on %zu threads: 0x%016" PRIx64, large[k].text, threads, digest);
        }
}

int main(void) {
    return TEST_RUN(open_tiers, close_tiers, TEST(multiply_adds_are_rounded_once),
                    TEST(threads_have_the_bits_of_every_machine),
                    TEST(plans_say_what_is_contracted),
                    TEST(expressions_have_the_bits_of_the_rule));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random expressions of reductions, norms and views: the bits of a result are the interpreter's, on
 * each level of the CPU, with threads, precompiled, from an image, bound, whatever the strides, and
 * in place of operands, where all forms refuse the same. A case is an expression with operands of
 * some sizes. If a form refuses an operand, all forms refuse it.
 *
 * TOSAJIT_CASES=<n>, TOSAJIT_CALLS=<n> of each expression, TOSAJIT_SEED=<n>; `ctest -C soak -R
 * rows_soak` makes a million. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum {
    RANK = 3,
    OPERANDS = 3,
    MOST_STEPS = 6,
    MOST_RESULTS = MOST_STEPS,
    ELEMENTS = 20000,     /* of an operand */
    ROOM = 16 * ELEMENTS, /* of a result, in elements of 8 bytes */
    IMAGE = 1 << 20,
    TEXT = 2000
};

/* The first one says what is right. */
static const struct {
    const char *name, *cpu;
    tosajit_backend backend;
    size_t threads;
} forms[] = {{"interpreted", NULL, TOSAJIT_BACKEND_INTERPRET, 0},
             {"native", NULL, TOSAJIT_BACKEND_NATIVE, 0},
             {"native, on two threads", NULL, TOSAJIT_BACKEND_NATIVE, 2},
             {"x86-64-v2", "x86-64-v2", TOSAJIT_BACKEND_NATIVE, 0},
             {"x86-64-v3", "x86-64-v3", TOSAJIT_BACKEND_NATIVE, 2},
             {"x86-64-v4", "x86-64-v4", TOSAJIT_BACKEND_NATIVE, 0},
             {"precompiled", NULL, TOSAJIT_BACKEND_PRECOMPILED, 2}};
enum { FORMS = sizeof forms / sizeof *forms, IMAGED = FORMS, KERNELS };

/* A random expression. */
typedef struct sentence {
    char text[TEXT];
    tosajit_type element;
    int64_t fixed[RANK]; /* TOSAJIT_DYNAMIC: each call has its own */
    bool repeated[RANK]; /* of y: a size of 1 */
} sentence;

static struct {
    tosajit_engine *engines[FORMS];
    tosajit_kernel *kernels[KERNELS];
    test_random random;
    unsigned char operands[OPERANDS][ELEMENTS * 8], expected[MOST_RESULTS][ROOM * 8 / 4],
        found[ROOM * 8 / 4], shared[OPERANDS][ELEMENTS * 8], image[IMAGE];
    uint64_t cases, calls, elements, refused_texts, refused_calls, texts, in_place, overlaps;
} f;

static int64_t draw(int64_t low, int64_t high) { return test_random_range(&f.random, low, high); }

/* ---------------------------------------------------------------------------------------------
 * Expressions */

/* %s is a value, @ an axis, # the same, or neighbours. Those behind KEEPING change its shape. */
static const char *const steps[] = {"softmax(%s, axis=#)",
                                    "log_softmax(%s, axis=#)",
                                    "%s - max(%s, axis=#)",
                                    "%s - mean(%s, axis=#)",
                                    "%s * sum(%s * %s, axis=#)",
                                    "%s + min(%s, axis=#) * 0.5",
                                    "layer_norm(%s)",
                                    "rms_norm(%s)",
                                    "exp(%s * 0.125)",
                                    "abs(%s) + 0.25",
                                    "%s * y + x",
                                    "max(%s, y)",
                                    "flip(%s, @)",
                                    "sum(%s, axis=#)",
                                    "mean(%s, axis=#)",
                                    "max(%s, axis=#)",
                                    "std(%s, axis=#)",
                                    "logsumexp(%s, axis=#)",
                                    "prod(%s, axis=#)",
                                    "transpose(%s, (1, 0, 2))",
                                    "transpose(%s, (0, 2, 1))",
                                    "transpose(%s, (2, 0, 1))",
                                    "%s[:, :, 1:]",
                                    "%s[1:, ::-1]",
                                    "%s[:, ::2, -3:]",
                                    "concat(%s, %s, axis=@)",
                                    "concat(%s, -%s, axis=@)",
                                    "pad(%s, z, 1)",
                                    "pad(%s, (0, 1, 0, 0, 2, 0))",
                                    "tile(%s, (2, 1, 1))",
                                    "reshape(%s, (0, 1, -1))",
                                    "reshape(%s, (-1, 1, 1))"};
enum { STEPS = sizeof steps / sizeof *steps, KEEPING = 13 };

static void append(sentence *s, const char *text) {
    const size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, "%s", text);
}

static void write_step(sentence *s, int number, const char *step, const char *value, int axis) {
    char piece[32];
    snprintf(piece, sizeof piece, "%st%d = ", number ? "; " : "", number);
    append(s, piece);
    for (; *step; step++) {
        if (*step == '#' && axis < RANK - 1 && test_random_chance(&f.random, 25)) {
            snprintf(piece, sizeof piece, "(%d,%d%s)", axis, axis + 1,
                     !axis && test_random_chance(&f.random, 50) ? ",2" : "");
            append(s, piece);
        } else if (*step == '@' || *step == '#') {
            snprintf(piece, sizeof piece, "%d", axis);
            append(s, piece);
        } else if (*step == '%') {
            append(s, value);
            step++;
        } else {
            append(s, (const char[]){*step, '\0'});
        }
    }
}

static void write_type(sentence *s, const char *name, bool repeats) {
    char piece[40];
    snprintf(piece, sizeof piece, "%s: %s[", name, tosajit_type_name(s->element));
    append(s, piece);
    for (int d = 0; d < RANK; d++) {
        if (repeats && s->repeated[d])
            snprintf(piece, sizeof piece, "1");
        else if (s->fixed[d] == TOSAJIT_DYNAMIC)
            snprintf(piece, sizeof piece, "?");
        else
            snprintf(piece, sizeof piece, "%" PRId64, s->fixed[d]);
        append(s, piece);
        append(s, d < RANK - 1 ? "," : "]");
    }
}

static sentence random_sentence(void) {
    static const tosajit_type types[] = {TOSAJIT_F32, TOSAJIT_F32, TOSAJIT_F16, TOSAJIT_BF16,
                                         TOSAJIT_F64};
    sentence s = {.element = types[draw(0, sizeof types / sizeof *types - 1)]};
    const int count = (int)draw(1, MOST_STEPS);
    bool reads_y = false, keeps = true;
    char value[16] = "x", piece[40];
    for (int d = 0; d < RANK; d++) {
        s.fixed[d] = test_random_chance(&f.random, 60) ? TOSAJIT_DYNAMIC : draw(1, 9);
        s.repeated[d] = test_random_chance(&f.random, 40);
    }
    for (int k = 0; k < count; k++) {
        int64_t step = draw(0, STEPS - 1);
        while (!keeps && strchr(steps[step], 'y')) step = draw(0, STEPS - 1);
        reads_y |= strchr(steps[step], 'y') && step < KEEPING;
        if (step >= KEEPING) keeps = false;
        write_step(&s, k, steps[step], value, (int)draw(0, RANK - 1));
        if (test_random_chance(&f.random, 75)) snprintf(value, sizeof value, "t%d", k);
    }
    append(&s, " : ");
    write_type(&s, "x", false);
    if (reads_y || strstr(s.text, " y")) append(&s, ", "), write_type(&s, "y", true);
    snprintf(piece, sizeof piece, ", z: %s[1]", tosajit_type_name(s.element));
    if (strstr(s.text, " z")) append(&s, piece);
    return s;
}

/* ---------------------------------------------------------------------------------------------
 * Kernels */

static void load(void) {
    size_t size = 0;
    tosajit_load_options options = {.size = sizeof options};
    if (tosajit_kernel_save(f.kernels[1], f.image, sizeof f.image, &size) ||
        tosajit_kernel_load(f.image, size, &options, &f.kernels[IMAGED]))
        fail_msg("%s", tosajit_last_error());
}

/* False if all forms refuse the text. */
static bool make(const sentence *s) {
    tosajit_expr *expr = NULL;
    memset(f.kernels, 0, sizeof f.kernels);
    const tosajit_status parsed = tosajit_expr_parse(s->text, strlen(s->text), NULL, &expr);
    for (int k = 0; k < FORMS && !parsed; k++) {
        if (!f.engines[k]) continue;
        if (tosajit_compile_expr(f.engines[k], expr, &f.kernels[k]))
            fail_msg("%s: %s: %s", s->text, forms[k].name, tosajit_last_error());
    }
    tosajit_expr_destroy(expr);
    if (!parsed) load();
    return !parsed;
}

static void release(void) {
    for (int k = 0; k < KERNELS; k++) tosajit_kernel_release(f.kernels[k]);
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

typedef struct call {
    size_t operand_count, result_count;
    tosajit_tensor operands[OPERANDS], results[MOST_RESULTS];
    int64_t dims[OPERANDS][RANK], strides[OPERANDS][RANK], made[MOST_RESULTS][TOSAJIT_MAX_RANK];
} call;

/* Rows of thousands cross the segments of a sum, and have few neighbours. */
static void draw_sizes(const sentence *s, int64_t dims[RANK]) {
    const int64_t narrow = test_random_chance(&f.random, 15) ? 20 : 7,
                  wide = test_random_chance(&f.random, 3) ? draw(0, RANK - 1) : -1;
    for (int d = 0; d < RANK; d++) {
        dims[d] = d == wide ? draw(1000, 9000) : wide >= 0 ? draw(1, 2) : draw(1, narrow);
        if (s->fixed[d] != TOSAJIT_DYNAMIC) dims[d] = s->fixed[d];
    }
    if (dims[0] * dims[1] * dims[2] > ELEMENTS)
        for (int d = 0; d < RANK; d++)
            if (s->fixed[d] == TOSAJIT_DYNAMIC) dims[d] = 1;
}

static void draw_operand(const sentence *s, const int64_t sizes[RANK], size_t k, call *c) {
    const char *name = tosajit_kernel_operand_name(f.kernels[0], k);
    const tosajit_type element = s->element;
    const int64_t size = (int64_t)tosajit_type_size(element);
    int64_t count = 1;
    const bool turned = test_random_chance(&f.random, 25); /* the first dimension is innermost */
    const int32_t rank = *name == 'z' ? 1 : RANK;
    for (int32_t i = 0; i < rank; i++) {
        const int32_t d = turned ? i : rank - 1 - i;
        c->dims[k][d] = *name == 'z' || (*name == 'y' && s->repeated[d]) ? 1 : sizes[d];
        c->strides[k][d] = count * size;
        count *= c->dims[k][d];
    }
    for (int64_t n = 0; n < count; n++)
        test_random_everyday(&f.random, element, f.operands[k] + n * size);
    c->operands[k] = (tosajit_tensor){element, rank, f.operands[k], c->dims[k], c->strides[k]};
}

/* Where element n of a tensor is, counted in row-major order. */
static int64_t offset_of(const tosajit_tensor *t, int64_t n) {
    int64_t at = 0;
    if (!t->strides) return n * (int64_t)tosajit_type_size(t->element);
    for (int32_t d = t->rank; d-- > 0;) {
        at += n % t->dims[d] * t->strides[d];
        n /= t->dims[d];
    }
    return at;
}

static int64_t count_of(const tosajit_tensor *t) {
    int64_t count = 1;
    for (int32_t d = 0; d < t->rank; d++) count *= t->dims[d];
    return count;
}

static void check(const sentence *s, const call *c, int form, size_t r, const tosajit_tensor *found,
                  const char *how) {
    const int64_t size = (int64_t)tosajit_type_size(s->element), count = count_of(found);
    for (int64_t n = 0; n < count; n++) {
        const uint64_t want = test_bits(s->element, f.expected[r] + n * size),
                       got = test_bits(s->element,
                                       (unsigned char *)found->data + offset_of(found, n));
        if (!test_same(s->element, want, got, 0))
            fail_msg("%s\nx of %" PRId64 "x%" PRId64 "x%" PRId64 ", case %" PRIu64
                     ", %s%s: element %" PRId64 " of result %zu is %" PRIX64 " and not %" PRIX64,
                     s->text, c->dims[0][0], c->dims[0][1], c->dims[0][2], f.cases,
                     form == IMAGED ? "from an image" : forms[form].name, how, n, r, got, want);
    }
    f.elements += (uint64_t)count;
}

/* True if there is room for the results that are right. */
static bool place(const sentence *s, call *c) {
    const int64_t size = (int64_t)tosajit_type_size(s->element);
    for (size_t r = 0; r < c->result_count; r++) {
        if (count_of(&c->results[r]) * size > (int64_t)sizeof f.found) return false;
        c->results[r].data = f.expected[r];
    }
    return true;
}

/* The sizes of all results; false if the call is refused. */
static bool measure(const sentence *s, call *c) {
    c->result_count = tosajit_kernel_result_count(f.kernels[0]);
    for (size_t r = 0; r < c->result_count; r++) {
        int32_t rank;
        if (tosajit_kernel_result_dims(f.kernels[0], c->operands, c->operand_count, r, &rank,
                                       c->made[r]))
            return false;
        c->results[r] = (tosajit_tensor){s->element, rank, NULL, c->made[r], NULL};
    }
    return place(s, c);
}

static tosajit_status run(int form, const call *c) {
    f.calls++;
    return form % 2 ? tosajit_run(f.kernels[form], c->operands, c->operand_count, c->results,
                                  c->result_count)
                    : test_run_bound(f.kernels[form], c->operands, c->operand_count, c->results,
                                     c->result_count);
}

/* Places for the results of a call that are apart from everything; false if there is no room. */
static bool spread(call *c) {
    unsigned char *at = f.found;
    for (size_t r = 0; r < c->result_count; r++) {
        const int64_t bytes =
            count_of(&c->results[r]) * (int64_t)tosajit_type_size(c->results[r].element);
        if (at + bytes > f.found + sizeof f.found) return false;
        c->results[r].data = at;
        at += (bytes + 63) / 64 * 64;
    }
    return true;
}

/* False if the call is refused. */
static bool compare_forms(const sentence *s, call *c) {
    const tosajit_status status = run(0, c);
    for (int k = 1; k < KERNELS; k++) {
        if (!f.kernels[k]) continue;
        call own = *c;
        if (!spread(&own)) return false;
        const tosajit_status got = run(k, &own);
        if (got != status)
            fail_msg("%s: %s: %s, not %s", s->text, k == IMAGED ? "image" : forms[k].name,
                     tosajit_last_error(), tosajit_status_name(status));
        for (size_t r = 0; r < c->result_count && !status; r++)
            check(s, c, k, r, &own.results[r], "");
    }
    if (status) f.refused_calls++;
    return !status;
}

/* Which operand each result takes the place of, -1: none. */
static bool draw_places(const call *c, int *places) {
    bool any = false, taken[OPERANDS] = {false};
    for (size_t r = 0; r < c->result_count; r++) {
        places[r] = -1;
        for (size_t k = 0; k < c->operand_count && places[r] < 0; k++) {
            const tosajit_tensor *to = &c->results[r], *from = &c->operands[k];
            if (taken[k] || to->rank != from->rank || test_random_chance(&f.random, 30) ||
                memcmp(to->dims, from->dims, (size_t)to->rank * sizeof *to->dims))
                continue;
            any = taken[k] = true;
            places[r] = (int)k;
        }
    }
    return any;
}

/* The same call on copies of the operands, with results in place of some. */
static void compare_in_place(const sentence *s, const call *c) {
    int places[MOST_RESULTS];
    tosajit_status status = TOSAJIT_OK;
    if (!draw_places(c, places)) return;
    for (int k = 0; k < KERNELS; k++) {
        if (!f.kernels[k]) continue;
        call own = *c;
        if (!spread(&own)) return;
        memcpy(f.shared, f.operands, sizeof f.shared);
        for (size_t o = 0; o < c->operand_count; o++) own.operands[o].data = f.shared[o];
        for (size_t r = 0; r < c->result_count; r++)
            if (places[r] >= 0) own.results[r] = own.operands[places[r]];
        const tosajit_status got = run(k, &own);
        if (k == 0) status = got;
        if (got != status || (got && got != TOSAJIT_OVERLAP))
            fail_msg("%s in place: %s: %s, not %s", s->text, k == IMAGED ? "image" : forms[k].name,
                     tosajit_last_error(), tosajit_status_name(status));
        for (size_t r = 0; r < c->result_count && !status; r++)
            check(s, c, k, r, &own.results[r], " in place");
    }
    f.in_place++;
    if (status) f.overlaps++;
}

static void one_case(const sentence *s) {
    call c = {.operand_count = tosajit_kernel_operand_count(f.kernels[0])};
    int64_t sizes[RANK];
    draw_sizes(s, sizes);
    for (size_t k = 0; k < c.operand_count; k++) draw_operand(s, sizes, k, &c);
    if (measure(s, &c)) {
        if (compare_forms(s, &c)) compare_in_place(s, &c);
    } else {
        f.refused_calls++;
    }
    f.cases++;
}

static void rows_have_the_same_bits_everywhere(void **state) {
    const uint64_t wanted = test_setting("TOSAJIT_CASES", 600), seed = test_seed(),
                   calls = test_setting("TOSAJIT_CALLS", 30);
    f.random = test_random_start(seed);
    while (f.cases < wanted) {
        const sentence s = random_sentence();
        f.texts++;
        if (!make(&s)) {
            f.refused_texts++;
            continue;
        }
        for (uint64_t k = 0; k < calls && f.cases < wanted; k++) one_case(&s);
        release();
    }
    print_message("seed %" PRIu64 ": %" PRIu64 " cases of %" PRIu64 " expressions, %" PRIu64
                  " calls, %" PRIu64 " elements compared; refused: %" PRIu64
                  " expressions, %" PRIu64 " cases; in place: %" PRIu64 ", of which %" PRIu64
                  " are refused\n",
                  seed, f.cases, f.texts, f.calls, f.elements, f.refused_texts, f.refused_calls,
                  f.in_place, f.overlaps);
    assert_true(f.refused_calls < f.cases / 2 && f.refused_texts < f.texts / 4 * 3);
    assert_true(f.in_place > f.cases / 20 && f.overlaps < f.in_place / 4 * 3);
}

static int open_all(void **state) {
    for (int k = 0; k < FORMS; k++) {
        tosajit_engine_options options = {.size = sizeof options,
                                          .backend = forms[k].backend,
                                          .threads = forms[k].threads,
                                          .cpu = forms[k].cpu};
        if (tosajit_engine_create(&options, &f.engines[k]) == TOSAJIT_OK) continue;
        if (!forms[k].cpu) return -1;
        f.engines[k] = NULL;
        print_message("*** NOT TESTED: %s: %s\n", forms[k].name, tosajit_last_error());
    }
    return 0;
}

static int close_all(void **state) {
    for (int k = 0; k < FORMS; k++) tosajit_engine_destroy(f.engines[k]);
    return 0;
}

int main(void) { return TEST_RUN(open_all, close_all, TEST(rows_have_the_same_bits_everywhere)); }

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels and calls of any shape; see shape_walk.h. */
#include "tests/numbers/shape_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/guard.h"
#include "tosajit/inspect.h"

enum { CAPACITY = 1 << 18, MAX_OPERANDS = 3, MAX_RANK = 5 };

typedef struct subject {
    tosajit_op op;
    int operand_count;
    tosajit_type operands[MAX_OPERANDS], result;
} subject;

#define SAME(op, type)                                                                             \
    { TOSAJIT_OP_##op, 2, {TOSAJIT_##type, TOSAJIT_##type}, TOSAJIT_##type }
#define SELECT(type)                                                                               \
    { TOSAJIT_OP_select, 3, {TOSAJIT_I1, TOSAJIT_##type, TOSAJIT_##type}, TOSAJIT_##type }
static const subject subjects[] = {
    SAME(bitwise_xor, I8),
    SAME(bitwise_xor, I16),
    SAME(sub, I32),
    SAME(sub, F32),
    SAME(maximum, F16),
    SELECT(I8),
    SELECT(F16),
    SELECT(F32),
    SELECT(F64),
    {TOSAJIT_OP_cast, 1, {TOSAJIT_I8}, TOSAJIT_F32},
    {TOSAJIT_OP_greater, 2, {TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_I1},
};

/* A kernel and what its calls must be like. */
typedef struct walked {
    const subject *s;
    tosajit_kernel *kernel;
    int32_t ranks[MAX_OPERANDS], rank;
    tosajit_tensor_type types[MAX_OPERANDS];
} walked;

struct shape_walk {
    test_engine engines[TEST_MAX_ENGINES];
    size_t engine_count;
    test_random random;
    int64_t most_elements;
    uint64_t seed;
    shape_walk_counts counts;
    walked now, kept[SHAPE_WALK_KEPT];
    guard_tensor operands[MAX_OPERANDS], result, expected;
};
typedef struct shape_walk walk;

static int64_t random_size(walk *w) {
    static const int64_t sizes[] = {1,  1,  1,  2,  3,  4,  5,  7,   8, 9,
                                    15, 16, 17, 31, 33, 64, 65, 100, 0};
    int64_t index = test_random_range(&w->random, 0, sizeof sizes / sizeof *sizes - 1);
    if (test_random_chance(&w->random, 10)) return test_random_range(&w->random, 100, 1500);
    return index == sizeof sizes / sizeof *sizes - 1 && test_random_chance(&w->random, 80)
               ? 1
               : sizes[index];
}

/* Sizes of an iteration space that is not too large for the interpreter; those above 0 in `fixed`
 * are given. */
static void random_space(walk *w, const int64_t *fixed, int64_t *space) {
    int64_t count;
    int tries = 0;
    do {
        count = 1;
        for (int32_t d = 0; d < w->now.rank; d++) {
            space[d] = fixed && fixed[d] > 0 ? fixed[d]
                       : tries < 50          ? random_size(w)
                                             : test_random_range(&w->random, 1, 2);
            count *= space[d] > 0 ? space[d] : 1; /* an operand may have 1 there */
        }
    } while (count > w->most_elements && ++tries < 100);
}

static void make_kernel(walk *w, tosajit_engine *engine) {
    int64_t space[MAX_RANK];
    w->now.rank = 0;
    for (int k = 0; k < w->now.s->operand_count; k++) {
        w->now.ranks[k] = (int32_t)test_random_range(
            &w->random, test_random_chance(&w->random, 10) ? 0 : 1, MAX_RANK);
        if (w->now.ranks[k] > w->now.rank) w->now.rank = w->now.ranks[k];
    }
    random_space(w, NULL, space);
    bool partly = test_random_chance(&w->random, 30);
    for (int k = 0; k < w->now.s->operand_count; k++) {
        int64_t dims[MAX_RANK];
        for (int32_t d = 0; d < w->now.ranks[k]; d++) {
            int64_t size = space[d + w->now.rank - w->now.ranks[k]];
            bool is_static = partly && size > 0 && test_random_chance(&w->random, 50);
            dims[d] = !is_static ? TOSAJIT_DYNAMIC : test_random_chance(&w->random, 30) ? 1 : size;
        }
        w->now.types[k] = tosajit_ranked(w->now.s->operands[k], w->now.ranks[k], dims);
    }
    tosajit_tensor_type result = {w->now.s->result, TOSAJIT_UNRANKED, {0}};
    if (tosajit_compile(engine, w->now.s->op, w->now.types, (size_t)w->now.s->operand_count, NULL,
                        &result, &w->now.kernel))
        fail_msg("seed %" PRIu64 ": %s", w->seed, tosajit_last_error());
}

static void fill(walk *w, guard_tensor *guard) {
    size_t size = tosajit_type_size(guard->tensor.element);
    for (size_t at = 0; at + size <= guard->size; at += size)
        test_random_element(&w->random, guard->tensor.element, guard->memory + at);
    guard_remember(guard);
}

/* Strides of a view: dimensions in any order, with gaps, some running backwards; null for most. */
static const int64_t *random_strides(walk *w, tosajit_type element, int32_t rank,
                                     const int64_t *dims, int64_t *strides) {
    if (!test_random_chance(&w->random, 20)) return NULL;
    int32_t order[MAX_RANK];
    int64_t step = (int64_t)tosajit_type_size(element);
    bool contiguous = test_random_chance(&w->random, 50),
         permuted = test_random_chance(&w->random, 70);
    for (int32_t d = 0; d < rank; d++) order[d] = d;
    for (int32_t d = rank; permuted && d-- > 1;) {
        int64_t other = test_random_range(&w->random, 0, d);
        int32_t swapped = order[d];
        order[d] = order[other];
        order[other] = swapped;
    }
    for (int32_t k = rank; k-- > 0;) {
        int32_t d = order[k];
        strides[d] = test_random_chance(&w->random, 5) ? -step : step;
        step *= dims[d] > 0 ? dims[d] : 1;
        if (!contiguous && step < CAPACITY / 8)
            step += test_random_range(&w->random, 0, 3) * (int64_t)tosajit_type_size(element);
    }
    return step < CAPACITY / 2 ? strides : NULL;
}

static guard_edge random_edge(walk *w) {
    return test_random_chance(&w->random, 50) ? GUARD_AT_END : GUARD_AT_START;
}

/* Tensors of a call that mostly fits. */
static void place_call(walk *w) {
    int64_t space[MAX_RANK], dims[MAX_RANK], strides[MAX_RANK], widest[MAX_RANK];
    int64_t fixed[MAX_RANK] = {0};
    for (int k = 0; k < w->now.s->operand_count; k++)
        for (int32_t d = 0; d < w->now.ranks[k]; d++)
            if (w->now.types[k].dims[d] != TOSAJIT_DYNAMIC && w->now.types[k].dims[d] != 1)
                fixed[d + w->now.rank - w->now.ranks[k]] = w->now.types[k].dims[d];
    random_space(w, fixed, space);
    for (int32_t d = 0; d < w->now.rank; d++) widest[d] = 1;
    for (int k = 0; k < w->now.s->operand_count; k++) {
        for (int32_t d = 0; d < w->now.ranks[k]; d++) {
            int32_t at = d + w->now.rank - w->now.ranks[k];
            dims[d] = w->now.types[k].dims[d];
            if (dims[d] == TOSAJIT_DYNAMIC)
                dims[d] = test_random_chance(&w->random, 30) ? 1 : space[at];
            if (test_random_chance(&w->random, 1)) dims[d] += 1;
            if (dims[d] != 1) widest[at] = dims[d];
        }
        const int64_t *given =
            random_strides(w, w->now.s->operands[k], w->now.ranks[k], dims, strides);
        assert_true(guard_place(&w->operands[k], w->now.s->operands[k], w->now.ranks[k], dims,
                                given, random_edge(w)));
        fill(w, &w->operands[k]);
    }
    if (w->now.rank > 0 && test_random_chance(&w->random, 3))
        widest[test_random_range(&w->random, 0, w->now.rank - 1)] += 1;
    guard_edge edge = random_edge(w);
    const int64_t *given = random_strides(w, w->now.s->result, w->now.rank, widest, strides);
    assert_true(guard_place(&w->result, w->now.s->result, w->now.rank, widest, given, edge));
    assert_true(guard_place(&w->expected, w->now.s->result, w->now.rank, widest, given, edge));
    guard_remember(&w->result);
    guard_remember(&w->expected);
}

static bool same_shape(const tosajit_tensor *a, const tosajit_tensor *b) {
    return !a->strides && !b->strides && a->rank == b->rank &&
           tosajit_type_size(a->element) == tosajit_type_size(b->element) &&
           memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0;
}

static bool same_results(const walk *w) {
    int64_t index[MAX_RANK] = {0};
    if (guard_count(w->now.rank, w->result.dims) == 0) return true;
    do {
        uint64_t a = test_bits(w->now.s->result, guard_at(&w->result, index)),
                 b = test_bits(w->now.s->result, guard_at(&w->expected, index));
        if (!test_same(w->now.s->result, a, b, 0)) return false;
    } while (guard_next(w->now.rank, w->result.dims, index));
    return true;
}

static void describe(const walk *w, char *text, size_t capacity) {
    size_t used = (size_t)snprintf(text, capacity, "seed %" PRIu64 ", %s", w->seed,
                                   tosajit_op_name(w->now.s->op));
    for (int k = 0; k <= w->now.s->operand_count; k++) {
        const tosajit_tensor *tensor =
            k < w->now.s->operand_count ? &w->operands[k].tensor : &w->result.tensor;
        used += (size_t)snprintf(text + used, capacity - used,
                                 k < w->now.s->operand_count ? " [" : " -> [");
        for (int32_t d = 0; d < tensor->rank; d++)
            used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, d ? "," : "",
                                     tensor->dims[d]);
        for (int32_t d = 0; tensor->strides && d < tensor->rank; d++)
            used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, d ? "," : " by ",
                                     tensor->strides[d]);
        used += (size_t)snprintf(text + used, capacity - used, "]");
    }
}

/* Compared with the interpreter; in place, where that is possible, now and then. */
static void check_call(walk *w) {
    char text[1024];
    tosajit_tensor operands[MAX_OPERANDS], result = w->result.tensor;
    for (int k = 0; k < w->now.s->operand_count; k++) operands[k] = w->operands[k].tensor;
    tosajit_status expected = tosajit_run_interpreted(
        w->now.kernel, operands, (size_t)w->now.s->operand_count, &w->expected.tensor, 1);
    char message[1024];
    snprintf(message, sizeof message, "%s", expected ? tosajit_last_error() : "");
    int32_t last = w->now.s->operand_count - 1;
    if (!expected && same_shape(&operands[last], &result) &&
        w->result.size == w->operands[last].size && test_random_chance(&w->random, 30)) {
        memcpy(w->result.memory, w->operands[last].memory, w->result.size);
        operands[last].data = result.data;
        w->counts.in_place++;
    }
    tosajit_status status =
        tosajit_run(w->now.kernel, operands, (size_t)w->now.s->operand_count, &result, 1);
    describe(w, text, sizeof text);
    if (status != expected || (status && strcmp(message, tosajit_last_error()) != 0))
        fail_msg("%s: %s, but interpreted %s: %s", text, tosajit_status_name(status),
                 tosajit_status_name(expected), message);
    for (int k = 0; k < w->now.s->operand_count; k++)
        if (!guard_intact(&w->operands[k], false))
            fail_msg("%s: operand %d was written to", text, k);
    if (!guard_intact(&w->result, !status))
        fail_msg("%s: bytes beside the result were written", text);
    if (!status && !same_results(w)) fail_msg("%s: other bits than the interpreter's", text);
    *(status ? &w->counts.refused : &w->counts.fitting) += 1;
}

/* Calls. */

void shape_walk_kernel(shape_walk *w, uint64_t seed) {
    w->seed = seed;
    w->random = test_random_start(seed);
    const int64_t last = sizeof subjects / sizeof *subjects - 1;
    tosajit_kernel_release(w->now.kernel);
    w->now = (walked){.s = &subjects[test_random_range(&w->random, 0, last)]};
    make_kernel(w, w->engines[seed % w->engine_count].engine);
}

void shape_walk_call(shape_walk *w) {
    place_call(w);
    for (int again = 0; again < 2; again++) { /* the second time, sizes and memory are known */
        check_call(w);
        memset(w->expected.memory, 0, w->expected.size);
    }
}

void shape_walk_case(shape_walk *w, uint64_t number, test_random random,
                     void (*prepare)(tosajit_kernel *kernel)) {
    walked *kept = &w->kept[number % SHAPE_WALK_KEPT];
    if (!kept->kernel) {
        shape_walk_kernel(w, number % SHAPE_WALK_KEPT);
        if (prepare) prepare(w->now.kernel);
        *kept = w->now;
    }
    w->seed = number;
    w->now = *kept;
    w->random = random;
    shape_walk_call(w);
    w->now.kernel = NULL; /* which is kept */
}

shape_walk *shape_walk_open(int64_t most_elements) {
    shape_walk *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->most_elements = most_elements;
    w->engine_count = test_engines_open(w->engines, TOSAJIT_EXACT);
    bool fine = w->engine_count > 0 && guard_create(&w->result, CAPACITY) &&
                guard_create(&w->expected, CAPACITY);
    for (int k = 0; fine && k < MAX_OPERANDS; k++) fine = guard_create(&w->operands[k], CAPACITY);
    if (fine) return w;
    shape_walk_close(w);
    return NULL;
}

void shape_walk_close(shape_walk *w) {
    tosajit_kernel_release(w->now.kernel);
    for (size_t k = 0; k < SHAPE_WALK_KEPT; k++) tosajit_kernel_release(w->kept[k].kernel);
    for (int k = 0; k < MAX_OPERANDS; k++) guard_destroy(&w->operands[k]);
    guard_destroy(&w->result);
    guard_destroy(&w->expected);
    test_engines_close(w->engines, w->engine_count);
    free(w);
}

const shape_walk_counts *shape_walk_count(const shape_walk *w) { return &w->counts; }

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* No kernel touches a byte that is not an element: every operand and result ends, and in another
 * run starts, at an inaccessible page; bytes between and beside elements keep their pattern.
 * Deterministic: all lengths around the vector widths. The guard itself is tested first, by
 * children that must die. */
#define _POSIX_C_SOURCE 200809L /* fork, waitpid */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/guarded.h"
#include "tosajit/inspect.h"

enum { ROWS = 3 };

/* The guard. */

/* True if a child that writes at `offset` from the guarded memory dies of it. */
static bool writing_kills(const guard_tensor *guard, ptrdiff_t offset) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka's handler would report a failure */
        signal(SIGBUS, SIG_DFL);
        volatile unsigned char *memory = guard->memory;
        memory[offset] = 1;
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) || WEXITSTATUS(status) != 0; /* a sanitizer exits instead */
}

static void the_guard_kills_who_reads_too_far(void **state) {
    guard_tensor guard;
    assert_true(guard_create(&guard, 100));
    assert_true(guard_place(&guard, TOSAJIT_I8, 1, (int64_t[]){100}, NULL, GUARD_AT_END));
    assert_true(writing_kills(&guard, 100));
    assert_false(writing_kills(&guard, 99));
    assert_true(guard_place(&guard, TOSAJIT_I8, 1, (int64_t[]){100}, NULL, GUARD_AT_START));
    assert_true(writing_kills(&guard, -1));
    assert_false(writing_kills(&guard, 0));
    assert_true(guard_place(&guard, TOSAJIT_I8, 1, (int64_t[]){0}, NULL, GUARD_AT_END));
    assert_true(writing_kills(&guard, 0));
    guard_destroy(&guard);
}

static void the_guard_sees_stray_writes(void **state) {
    guard_tensor guard;
    assert_true(guard_create(&guard, 100));
    assert_true(
        guard_place(&guard, TOSAJIT_I16, 2, (int64_t[]){2, 3}, (int64_t[]){20, -4}, GUARD_AT_END));
    guard_remember(&guard);
    assert_ptr_equal(guard_at(&guard, (int64_t[]){1, 2}), (unsigned char *)guard.tensor.data + 12);
    memset(guard_at(&guard, (int64_t[]){1, 2}), 0, 2);
    assert_false(guard_intact(&guard, false));
    assert_true(guard_intact(&guard, true));
    guard.memory[2] ^= 1; /* between two elements */
    assert_false(guard_intact(&guard, true));
    guard.memory[2] ^= 1;
    guard.memory[-1] ^= 1; /* beside */
    assert_false(guard_intact(&guard, true));
    guard_destroy(&guard);
}

/* The kernels. */

/* Ops that differ in what they load and store: element sizes, widening, narrowing, one to three
 * operands. */
typedef struct kernel_row {
    tosajit_op op;
    tosajit_type operands[3], result;
} kernel_row;

static const kernel_row kernel_rows[] = {
    {TOSAJIT_OP_add, {TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_F32},
    {TOSAJIT_OP_tanh, {TOSAJIT_F32}, TOSAJIT_F32},
    {TOSAJIT_OP_pow, {TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_F32},
    {TOSAJIT_OP_intdiv, {TOSAJIT_I32, TOSAJIT_I32}, TOSAJIT_I32},
    {TOSAJIT_OP_bitwise_xor, {TOSAJIT_I8, TOSAJIT_I8}, TOSAJIT_I8},
    {TOSAJIT_OP_logical_left_shift, {TOSAJIT_I16, TOSAJIT_I16}, TOSAJIT_I16},
    {TOSAJIT_OP_logical_xor, {TOSAJIT_I1, TOSAJIT_I1}, TOSAJIT_I1},
    {TOSAJIT_OP_mul, {TOSAJIT_I8, TOSAJIT_I8}, TOSAJIT_I32},
    {TOSAJIT_OP_mul, {TOSAJIT_I16, TOSAJIT_I16}, TOSAJIT_I32},
    {TOSAJIT_OP_greater, {TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_I1},
    {TOSAJIT_OP_cast, {TOSAJIT_F32}, TOSAJIT_I8},
    {TOSAJIT_OP_cast, {TOSAJIT_I8}, TOSAJIT_F32},
    {TOSAJIT_OP_cast, {TOSAJIT_I32}, TOSAJIT_I16},
    {TOSAJIT_OP_identity, {TOSAJIT_I64}, TOSAJIT_I64},
    {TOSAJIT_OP_identity, {TOSAJIT_BF16}, TOSAJIT_BF16},
    {TOSAJIT_OP_select, {TOSAJIT_I1, TOSAJIT_I8, TOSAJIT_I8}, TOSAJIT_I8},
    {TOSAJIT_OP_select, {TOSAJIT_I1, TOSAJIT_F32, TOSAJIT_F32}, TOSAJIT_F32},
};

static const int64_t lengths[] = {0,  1,  2,  3,  7,   8,   9,   15,  16,  17,  31,   32,   33,  47,
                                  63, 64, 65, 95, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025};

/* How a tensor of ROWS x n lies in memory. */
typedef enum layout { DENSE, PADDED_ROWS, EVERY_OTHER, REVERSED, COLUMNS, LAYOUT_COUNT } layout;
static const char *const layout_names[LAYOUT_COUNT] = {
    "dense", "padded rows", "every other element", "reversed", "column-major"};

static bool place(guard_tensor *guard, tosajit_type type, int64_t rows, int64_t cols, layout how,
                  guard_edge edge) {
    int64_t size = (int64_t)tosajit_type_size(type);
    const int64_t strides[LAYOUT_COUNT][2] = {
        [PADDED_ROWS] = {(cols + 3) * size, size},
        [EVERY_OTHER] = {2 * cols * size, 2 * size},
        [REVERSED] = {-cols * size, -size},
        [COLUMNS] = {size, rows * size},
    };
    return guard_place(guard, type, 2, (int64_t[]){rows, cols}, how == DENSE ? NULL : strides[how],
                       edge);
}

static void fill(guard_tensor *guard, test_random *random) {
    int64_t index[TOSAJIT_MAX_RANK] = {0};
    if (guard->size > 0) do
            test_random_element(random, guard->tensor.element, guard_at(guard, index));
        while (guard_next(2, guard->dims, index));
    guard_remember(guard);
}

/* Operand k is ROWS x n; broadcast operands are 1 x n, ROWS x 1 or 1 x 1. */
static void run_one(guarded *f, const test_engine *engine, tosajit_kernel *kernel,
                    const kernel_row *row, int64_t cols, layout how, guard_edge edge) {
    test_random random = test_random_start((uint64_t)cols);
    size_t arity = (size_t)tosajit_op_arity(row->op);
    for (int broadcast = 0; broadcast < 4; broadcast++) {
        tosajit_tensor operands[3];
        for (size_t k = 0; k < arity; k++) {
            /* The last operand is the one that broadcasts. */
            bool full = k + 1 < arity || arity == 1;
            int64_t rows = full || !(broadcast & 1) ? ROWS : 1,
                    own = full || !(broadcast & 2) ? cols : 1;
            assert_true(place(&f->operands[k], row->operands[k], rows, own, how, edge));
            fill(&f->operands[k], &random);
            operands[k] = f->operands[k].tensor;
        }
        assert_true(place(&f->result, row->result, ROWS, cols, how, edge));
        guard_remember(&f->result);
        tosajit_status status = tosajit_run(kernel, operands, arity, &f->result.tensor, 1);
        bool clean = guard_intact(&f->result, true);
        for (size_t k = 0; k < arity; k++) clean &= guard_intact(&f->operands[k], false);
        if (status || !clean)
            fail_msg("%s of %s on %s, %d x %d, %s, broadcast %d, edge %d: %s",
                     tosajit_op_name(row->op), tosajit_type_name(row->operands[arity - 1]),
                     engine->name, (int)ROWS, (int)cols, layout_names[how], broadcast, (int)edge,
                     status ? tosajit_last_error()
                            : "a byte that is no element of the result was written");
        if (arity == 1) break;
    }
}

static void check_kernel(guarded *f, const test_engine *engine, const kernel_row *row) {
    tosajit_tensor_type types[3], result = {row->result, TOSAJIT_UNRANKED, {0}};
    size_t arity = (size_t)tosajit_op_arity(row->op);
    for (size_t k = 0; k < arity; k++) types[k] = test_type(row->operands[k], "?x?");
    tosajit_kernel *kernel = NULL;
    tosajit_status status =
        tosajit_compile(engine->engine, row->op, types, arity, NULL, &result, &kernel);
    if (status)
        fail_msg("%s on %s: %s", tosajit_op_name(row->op), engine->name, tosajit_last_error());
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
        for (int how = 0; how < LAYOUT_COUNT; how++) {
            run_one(f, engine, kernel, row, lengths[n], (layout)how, GUARD_AT_END);
            run_one(f, engine, kernel, row, lengths[n], (layout)how, GUARD_AT_START);
        }
    tosajit_kernel_release(kernel);
}

static void kernels_stay_within_their_tensors(void **state) {
    guarded *f = *state;
    for (size_t e = 0; e < f->engine_count; e++)
        for (size_t k = 0; k < sizeof kernel_rows / sizeof *kernel_rows; k++)
            check_kernel(f, &f->engines[e], &kernel_rows[k]);
}

/* Static sizes get loops of their own. */
static void static_kernels_stay_within_their_tensors(void **state) {
    guarded *f = *state;
    for (size_t e = 0; e < f->engine_count; e++)
        for (size_t n = 1; n < sizeof lengths / sizeof *lengths; n++) {
            tosajit_tensor_type types[2] = {
                tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){ROWS, lengths[n]}),
                tosajit_ranked(TOSAJIT_F32, 2, (int64_t[]){1, lengths[n]})};
            tosajit_kernel *kernel = NULL;
            assert_int_equal(tosajit_compile(f->engines[e].engine, TOSAJIT_OP_sub, types, 2, NULL,
                                             NULL, &kernel),
                             TOSAJIT_OK);
            for (int how = 0; how < LAYOUT_COUNT; how++)
                for (int edge = 0; edge < 2; edge++) {
                    test_random random = test_random_start(n);
                    assert_true(place(&f->operands[0], TOSAJIT_F32, ROWS, lengths[n], (layout)how,
                                      (guard_edge)edge));
                    assert_true(place(&f->operands[1], TOSAJIT_F32, 1, lengths[n], (layout)how,
                                      (guard_edge)edge));
                    assert_true(place(&f->result, TOSAJIT_F32, ROWS, lengths[n], (layout)how,
                                      (guard_edge)edge));
                    fill(&f->operands[0], &random);
                    fill(&f->operands[1], &random);
                    guard_remember(&f->result);
                    tosajit_tensor operands[2] = {f->operands[0].tensor, f->operands[1].tensor};
                    assert_int_equal(tosajit_run(kernel, operands, 2, &f->result.tensor, 1),
                                     TOSAJIT_OK);
                    if (!guard_intact(&f->result, true) || !guard_intact(&f->operands[0], false) ||
                        !guard_intact(&f->operands[1], false))
                        fail_msg("%s: 3 x %d %s writes a byte that is no element",
                                 f->engines[e].name, (int)lengths[n], layout_names[how]);
                }
            tosajit_kernel_release(kernel);
        }
}

int main(void) {
    return TEST_RUN(guarded_setup, guarded_teardown, TEST(the_guard_kills_who_reads_too_far),
                    TEST(the_guard_sees_stray_writes), TEST(kernels_stay_within_their_tensors),
                    TEST(static_kernels_stay_within_their_tensors));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call that fails changes no object: whatever allocation fails, and whatever is refused, an
 * expression prints, runs and takes as much more as before, an engine counts the same, and a kernel
 * is the same image and computes the same. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/account.h"
#include "tests/support/cmocka.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)

enum {
    ROWS = 2,
    COLS = 4,
    ENTRIES = 256,
    MOST_BYTES = ROWS * COLS * 8,
    TABLE_BYTES = 512,
    IMAGE_BYTES = 1 << 20
};

/* ---------------------------------------------------------------------------------------------
 * What is seen of an expression and of a kernel */

typedef struct view {
    char *text; /* as MLIR */
    tosajit_status status;
    unsigned char results[TOSAJIT_MAX_TENSORS][MOST_BYTES];
} view;

/* Operands of which every one differs from the others; tables are of 256 elements, everything else
 * of ROWS x COLS. */
static tosajit_status run(const tosajit_kernel *kernel, unsigned char (*results)[MOST_BYTES]) {
    static unsigned char data[TOSAJIT_MAX_TENSORS][TABLE_BYTES];
    static int64_t dims[2][TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK];
    const size_t counts[2] = {tosajit_kernel_operand_count(kernel),
                              tosajit_kernel_result_count(kernel)};
    tosajit_tensor tensors[2][TOSAJIT_MAX_TENSORS];
    for (size_t side = 0; side < 2; side++)
        for (size_t k = 0; k < counts[side]; k++) {
            tosajit_tensor_type type = side ? tosajit_kernel_result_type(kernel, k)
                                            : tosajit_kernel_operand_type(kernel, k);
            for (int32_t d = 0; d < type.rank; d++)
                dims[side][k][d] = type.dims[d] == TOSAJIT_DYNAMIC ? ROWS : type.dims[d];
            for (size_t i = 0; i < TABLE_BYTES; i++) data[k][i] = (unsigned char)(i * 37 + k * 11);
            tensors[side][k] =
                tosajit_dense(type.element, side ? results[k] : data[k], type.rank, dims[side][k]);
        }
    return tosajit_run_interpreted(kernel, tensors[0], counts[0], tensors[1], counts[1]);
}

static view look(const tosajit_expr *expr) {
    view v = {.text = NULL};
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    CHECK(tosajit_expr_print(expr, NULL, &v.text));
    CHECK(tosajit_engine_create(&options, &engine));
    CHECK(tosajit_compile_expr(engine, expr, &kernel));
    v.status = run(kernel, v.results);
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return v;
}

static void drop(view *v) { tosajit_text_release(v->text); }

static void assert_same(const view *before, const view *after, const char *call) {
    if (strcmp(before->text, after->text) != 0)
        fail_msg("%s failed, and made of\n%s this:\n%s", call, before->text, after->text);
    assert_int_equal(before->status, after->status);
    assert_memory_equal(before->results, after->results, sizeof before->results);
}

static void assert_unchanged(const tosajit_expr *expr, view *before, const char *call) {
    view after = look(expr);
    assert_same(before, &after, call);
    drop(&after);
}

/* ---------------------------------------------------------------------------------------------
 * Expressions: each step of building one */

typedef struct scene {
    account account;
    tosajit_allocator allocator;
    tosajit_expr *expr;
    tosajit_value x, equal, table, row, input_table, looked, wide;
} scene;

static void open_scene(scene *s) {
    *s = (scene){.account = {0}};
    s->allocator = account_allocator(&s->account);
    const tosajit_expr_options options = {.size = sizeof options, .allocator = &s->allocator};
    CHECK(tosajit_expr_create(&options, &s->expr));
}

static void close_scene(scene *s) {
    tosajit_expr_destroy(s->expr);
    assert_int_equal(s->account.live, 0);
}

static tosajit_status input(scene *s) {
    tosajit_tensor_type type = test_type(TOSAJIT_I8, "?x4");
    return tosajit_expr_input(s->expr, &type, &s->x);
}
static tosajit_status result_input(scene *s) { return tosajit_expr_result(s->expr, s->x); }
static tosajit_status result_looked(scene *s) { return tosajit_expr_result(s->expr, s->looked); }
static tosajit_status result_wide(scene *s) { return tosajit_expr_result(s->expr, s->wide); }
static tosajit_status promise(scene *s) {
    return tosajit_expr_contract(s->expr, s->x, 0,
                                 &(tosajit_contract){.smallest = 2, .largest = 8});
}
static tosajit_status promise_more(scene *s) {
    return tosajit_expr_contract(s->expr, s->x, 0, &(tosajit_contract){.multiple = 2});
}

static tosajit_status table_of(scene *s, bool equal, tosajit_value *value) {
    tosajit_tensor_type type = test_type(TOSAJIT_I8, "256");
    int8_t entries[ENTRIES];
    for (int k = 0; k < ENTRIES; k++) entries[k] = (int8_t)(equal ? 7 : 5 * k);
    return tosajit_expr_constant(s->expr, &type, entries, value);
}
static tosajit_status equal_table(scene *s) { return table_of(s, true, &s->equal); }
static tosajit_status table(scene *s) { return table_of(s, false, &s->table); }
static tosajit_status row(scene *s) {
    tosajit_tensor_type type = test_type(TOSAJIT_I32, "1x4");
    return tosajit_expr_constant(s->expr, &type, (int32_t[]){1, -2, 3, -4}, &s->row);
}
static tosajit_status input_table(scene *s) {
    tosajit_tensor_type type = test_type(TOSAJIT_I8, "256");
    return tosajit_expr_input(s->expr, &type, &s->input_table);
}

static tosajit_status look_up(scene *s, tosajit_value values) {
    return tosajit_expr_op(s->expr, TOSAJIT_OP_table, (tosajit_value[]){s->x, values}, 2, NULL,
                           NULL, &s->looked);
}
static tosajit_status look_up_equal(scene *s) { return look_up(s, s->equal); }
static tosajit_status look_up_table(scene *s) { return look_up(s, s->table); }
static tosajit_status look_up_input(scene *s) { return look_up(s, s->input_table); }
static tosajit_status widen(scene *s) {
    tosajit_tensor_type type = test_type(TOSAJIT_I32, "2x4");
    return tosajit_expr_op(s->expr, TOSAJIT_OP_cast, &s->looked, 1, NULL, &type, &s->wide);
}
static tosajit_status sum(scene *s) {
    return tosajit_expr_op(s->expr, TOSAJIT_OP_add, (tosajit_value[]){s->wide, s->row}, 2, NULL,
                           NULL, &s->wide);
}

static const struct step {
    const char *name;
    tosajit_status (*call)(scene *s);
} steps[] = {{"input", input},
             {"result", result_input},
             {"contract", promise},
             {"contract", promise_more},
             {"constant, equal", equal_table},
             {"table, equal", look_up_equal},
             {"result", result_looked},
             {"table, equal", look_up_equal},
             {"result", result_looked},
             {"constant", table},
             {"table", look_up_table},
             {"result", result_looked},
             {"input", input_table},
             {"table, of an input", look_up_input},
             {"result", result_looked},
             {"constant", row},
             {"cast", widen},
             {"add", sum},
             {"result", result_wide}};
enum {
    STEPS = sizeof steps / sizeof *steps,
    FIRST_RESULT = 2 /* from here on there is something to print */
};

/* Nodes in front, so that each step meets a full array once. */
static void fill(scene *s, int nodes) {
    tosajit_tensor_type type = test_type(TOSAJIT_I8, "1");
    tosajit_value value;
    for (int k = 0; k < nodes; k++) CHECK(tosajit_expr_constant(s->expr, &type, "a", &value));
}

/* How many more inputs it takes: what constants, tables and results have been counted. */
static int room(scene *s) {
    int count = 0;
    while (!input(s)) count++;
    return count;
}

static void no_failing_allocation_changes_an_expression(void **state) {
    enum { FILLERS = 16 };
    size_t refused = 0;
    for (int fillers = 0; fillers < FILLERS; fillers++) {
        scene failing, twin;
        open_scene(&failing);
        open_scene(&twin);
        fill(&failing, fillers);
        fill(&twin, fillers);
        for (size_t k = 0; k < STEPS; k++) {
            view before = k < FIRST_RESULT ? (view){0} : look(failing.expr);
            tosajit_status status = TOSAJIT_OUT_OF_MEMORY;
            for (size_t at = 1; status; at++) {
                failing.account.count = 0;
                failing.account.fail_at = at;
                status = steps[k].call(&failing);
                failing.account.fail_at = 0;
                if (!status) break;
                assert_int_equal(status, TOSAJIT_OUT_OF_MEMORY);
                if (before.text) assert_unchanged(failing.expr, &before, steps[k].name);
                refused++;
            }
            drop(&before);
            CHECK(steps[k].call(&twin));
        }
        view end = look(twin.expr);
        assert_unchanged(failing.expr, &end, "something");
        drop(&end);
        assert_int_equal(room(&failing), room(&twin));
        close_scene(&failing);
        close_scene(&twin);
    }
    print_message("%zu calls failed\n", refused);
    assert_true(refused > FILLERS * 4);
}

/* The same at the limit of tensors: what is refused may be asked for again, and is refused again.
 */
static void no_refusal_changes_an_expression(void **state) {
    for (int left = 0; left < 4;
         left++) { /* tensors for which there is room; a table of equal elements takes two */
        scene s;
        open_scene(&s);
        CHECK(input(&s));
        CHECK(result_input(&s));
        CHECK(equal_table(&s));
        tosajit_value value, x = s.x;
        tosajit_tensor_type type = test_type(TOSAJIT_I8, "?x4");
        for (int used = 2; used + left < TOSAJIT_MAX_TENSORS; used++)
            CHECK(tosajit_expr_input(s.expr, &type, &value));
        view before = look(s.expr);
        for (int again = 0; again < 3 && left < 2; again++) {
            assert_int_equal(look_up_equal(&s), TOSAJIT_LIMIT_EXCEEDED);
            assert_unchanged(s.expr, &before, "table");
        }
        if (left >= 2) CHECK(look_up_equal(&s));
        assert_int_equal(room(&s), left < 2 ? left : left - 2);
        s.x = x;
        drop(&before);
        before = look(s.expr);
        for (size_t k = 0; k < STEPS; k++) { /* what needs no room is not refused */
            static const char *const refused[] = {"input", "result", "constant"};
            for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
                if (strcmp(steps[k].name, refused[r]) != 0) continue;
                assert_int_equal(steps[k].call(&s), TOSAJIT_LIMIT_EXCEEDED);
                assert_unchanged(s.expr, &before, steps[k].name);
            }
        }
        drop(&before);
        close_scene(&s);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Engines and kernels */

typedef struct workshop {
    tosajit_backend backend;
    account account;
    tosajit_allocator allocator;
    tosajit_engine *engine;
    tosajit_expr *expr,
        *others[2]; /* of `kernel`, and of kernels that are made while something fails */
    tosajit_kernel *kernel;
    char *made_text;
    tosajit_kernel *made[2];
} workshop;

/* x + row, or x - row: long enough that the interpreter needs memory to run it. */
static tosajit_expr *new_expr(tosajit_op op, int length) {
    enum { NUMBERS = 4 };
    tosajit_expr *expr;
    tosajit_tensor_type type = test_type(TOSAJIT_I32, "?x4"), row = test_type(TOSAJIT_I32, "4");
    tosajit_value x, numbers;
    CHECK(tosajit_expr_create(NULL, &expr));
    CHECK(tosajit_expr_input(expr, &type, &x));
    CHECK(tosajit_expr_constant(expr, &row, (int32_t[NUMBERS]){1, 20, 300, 4000}, &numbers));
    for (int k = 0; k < length; k++)
        CHECK(tosajit_expr_op(expr, op, (tosajit_value[]){x, numbers}, 2, NULL, NULL, &x));
    CHECK(tosajit_expr_result(expr, x));
    return expr;
}

static void open_workshop(workshop *w, tosajit_backend backend) {
    enum { LONG = 600 };
    *w = (workshop){.backend = backend};
    w->allocator = account_allocator(&w->account);
    const tosajit_engine_options options = {
        .size = sizeof options, .allocator = &w->allocator, .backend = backend};
    CHECK(tosajit_engine_create(&options, &w->engine));
    w->expr = new_expr(TOSAJIT_OP_add, LONG);
    w->others[0] = new_expr(TOSAJIT_OP_sub, 1);
    w->others[1] = new_expr(TOSAJIT_OP_maximum, 2);
    CHECK(tosajit_compile_expr(w->engine, w->expr, &w->kernel));
    CHECK(tosajit_kernel_wait(w->kernel));
}

static void drop_made(workshop *w) {
    for (int k = 0; k < 2; k++) tosajit_kernel_release(w->made[k]);
    tosajit_text_release(w->made_text);
    w->made[0] = w->made[1] = NULL;
    w->made_text = NULL;
}

static void close_workshop(workshop *w) {
    tosajit_kernel_release(w->kernel);
    tosajit_engine_destroy(w->engine);
    tosajit_expr_destroy(w->expr);
    for (int k = 0; k < 2; k++) tosajit_expr_destroy(w->others[k]);
    assert_int_equal(w->account.live, 0);
}

/* In the background a compilation fails after its call. */
static tosajit_status waited(workshop *w, tosajit_status status) {
    for (int k = 0; k < 2; k++) {
        const tosajit_status late = w->made[k] ? tosajit_kernel_wait(w->made[k]) : TOSAJIT_OK;
        if (!status) status = late;
    }
    return status;
}

/* A kernel that failed so is let go, after which the engine is as before; of a list, another may
 * have been compiled. */
static tosajit_status settled(workshop *w, tosajit_status status) {
    status = waited(w, status);
    if (status) drop_made(w);
    return status;
}

static tosajit_status compile(workshop *w) {
    return settled(w, tosajit_compile_expr(w->engine, w->others[0], &w->made[0]));
}
static tosajit_status compile_again(workshop *w) {
    return tosajit_compile_expr(w->engine, w->expr, &w->made[0]);
}
static tosajit_status compile_op(workshop *w) {
    tosajit_tensor_type types[2] = {test_type(TOSAJIT_I32, "?"), test_type(TOSAJIT_I32, "1")};
    return settled(
        w, tosajit_compile(w->engine, TOSAJIT_OP_intdiv, types, 2, NULL, NULL, &w->made[0]));
}
static tosajit_status compile_many(workshop *w) {
    const tosajit_expr *list[2] = {w->others[0], w->others[1]};
    return waited(w, tosajit_compile_many(w->engine, list, 2, w->made, NULL));
}
static tosajit_status compile_object(workshop *w) {
    const tosajit_function functions[2] = {{.name = "f", .expr = w->others[0]},
                                           {.name = "g", .expr = w->others[1]}};
    size_t size;
    return tosajit_compile_object(&w->engine, 1, functions, 2, &w->made_text, &size);
}
static tosajit_status compile_image(workshop *w) {
    size_t size;
    return tosajit_compile_image(&w->engine, 1, w->others[0], &w->made_text, &size);
}
static tosajit_status compile_with_image(workshop *w) {
    size_t size;
    tosajit_status status =
        tosajit_compile_image(&w->engine, 1, w->others[0], &w->made_text, &size);
    if (status) return status;
    return settled(w, tosajit_compile_with_image(w->engine, w->others[0], w->made_text, size,
                                                 &w->made[0], NULL));
}
static tosajit_status print_plan(workshop *w) {
    return tosajit_print(w->engine, w->expr, TOSAJIT_VIEW_PLAN, &w->made_text);
}
static tosajit_status print_json(workshop *w) {
    return tosajit_print(w->engine, w->expr, TOSAJIT_VIEW_JSON, &w->made_text);
}
static tosajit_status print_ir(workshop *w) {
    return tosajit_print(w->engine, w->others[0], TOSAJIT_VIEW_IR, &w->made_text);
}
static tosajit_status print_asm(workshop *w) {
    return tosajit_print(w->engine, w->others[0], TOSAJIT_VIEW_ASM, &w->made_text);
}

static tosajit_status save(workshop *w) {
    static unsigned char image[IMAGE_BYTES];
    size_t size;
    return tosajit_kernel_save(w->kernel, image, sizeof image, &size);
}
static tosajit_status load(workshop *w) {
    static unsigned char image[IMAGE_BYTES];
    const tosajit_load_options options = {.size = sizeof options, .allocator = &w->allocator};
    size_t size;
    tosajit_status status = tosajit_kernel_save(w->kernel, image, sizeof image, &size);
    return status ? status : tosajit_kernel_load(image, size, &options, &w->made[0]);
}
static tosajit_status run_interpreted(workshop *w) {
    unsigned char results[TOSAJIT_MAX_TENSORS][MOST_BYTES];
    return run(w->kernel, results);
}
static tosajit_status explain(workshop *w) {
    const int64_t dims[2] = {ROWS, COLS};
    tosajit_tensor operand = tosajit_dense(TOSAJIT_I32, NULL, 2, dims);
    return tosajit_explain(w->kernel, &operand, 1, NULL, 0, NULL, &w->made_text);
}

static const struct {
    const char *name;
    tosajit_status (*call)(workshop *w);
    bool native; /* needs code */
} uses[] = {{"compile_expr", compile, false},
            {"compile_expr again", compile_again, false},
            {"compile", compile_op, false},
            {"compile_many", compile_many, false},
            {"compile_object", compile_object, true},
            {"compile_image", compile_image, true},
            {"compile_with_image", compile_with_image, true},
            {"print, plan", print_plan, false},
            {"print, json", print_json, false},
            {"print, ir", print_ir, true},
            {"print, asm", print_asm, true},
            {"kernel_save", save, true},
            {"kernel_load", load, true},
            {"run_interpreted", run_interpreted, false},
            {"explain", explain, false}};

enum { MOMENTS = 20000 }; /* of a millisecond: more than a busy machine makes a thread wait */

typedef struct state_of {
    tosajit_stats stats;
    size_t live;
    unsigned char results[TOSAJIT_MAX_TENSORS][MOST_BYTES];
    unsigned char image[IMAGE_BYTES];
    size_t image_size;
} state_of;

static void look_around(workshop *w, state_of *s) {
    memset(s, 0, sizeof *s);
    s->stats.size = sizeof s->stats;
    CHECK(tosajit_engine_stats(w->engine, &s->stats));
    s->live = w->account.live;
    CHECK(run(w->kernel, s->results));
    if (tosajit_kernel_is_native(w->kernel))
        CHECK(tosajit_kernel_save(w->kernel, s->image, sizeof s->image, &s->image_size));
}

static void a_moment(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

/* A thread in the background lets go of its kernels a moment later than those who waited for them;
 * until then they would be found. Only the workshop's own is left. */
static void wait_for_others(workshop *w) {
    tosajit_stats stats = {.size = sizeof stats};
    for (int k = 0; k < MOMENTS; k++) {
        CHECK(tosajit_engine_stats(w->engine, &stats));
        if (stats.kernels == 1) return;
        a_moment();
    }
    fail_msg("there are %d kernels more than are held", (int)stats.kernels - 1);
}

/* The same, but for bytes that such a thread gives back meanwhile. A kernel whose compilation fails
 * in the background was given precompiled code before, and stays counted. */
static bool is_same(const workshop *w, const state_of *before, state_of *after) {
    if (w->backend == TOSAJIT_BACKEND_BACKGROUND)
        after->stats.precompiled = before->stats.precompiled;
    if (w->backend == TOSAJIT_BACKEND_BACKGROUND && after->live < before->live) {
        after->stats.structure_bytes += before->live - after->live;
        after->live = before->live;
    }
    return memcmp(before, after, sizeof *before) == 0;
}

static bool stays_same(workshop *w, const state_of *before, state_of *after) {
    for (int k = 0; k < (w->backend == TOSAJIT_BACKEND_BACKGROUND ? MOMENTS : 1); k++) {
        if (k > 0) a_moment();
        look_around(w, after);
        if (is_same(w, before, after)) return true;
    }
    return false;
}

/* One allocation fails, or all from it on, until the call goes well: then there are no more. */
static size_t fail_each(workshop *w, size_t use, bool from_then_on) {
    static state_of before, after;
    size_t refused = 0;
    tosajit_status status = TOSAJIT_OUT_OF_MEMORY;
    bool met = true;
    for (size_t at = 1; met; at++) {
        look_around(w, &before);
        w->account.count = 0;
        w->account.fail_at = at;
        w->account.from_then_on = from_then_on;
        status = uses[use].call(w);
        met = w->account.count >= at;
        w->account.fail_at = 0;
        if (status) {
            if (status != TOSAJIT_OUT_OF_MEMORY)
                fail_msg("%s: %s", uses[use].name, tosajit_last_error());
            if (!w->made[0] && !w->made[1] && !stays_same(w, &before, &after))
                fail_msg("%s failed at allocation %zu, and changed the engine or its kernel",
                         uses[use].name, at);
            refused++;
        }
        drop_made(w);
        wait_for_others(w);
    }
    if (status) fail_msg("%s: %s", uses[use].name, tosajit_last_error());
    return refused;
}

static void no_failing_allocation_changes_an_engine_or_a_kernel(void **state) {
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_INTERPRET, TOSAJIT_BACKEND_AUTO,
                                               TOSAJIT_BACKEND_BACKGROUND,
                                               TOSAJIT_BACKEND_PRECOMPILED};
    size_t refused = 0;
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        workshop w;
        open_workshop(&w, backends[b]);
        for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
            for (int then_on = 0; then_on < 2; then_on++)
                if (!uses[k].native || tosajit_kernel_is_native(w.kernel))
                    refused += fail_each(&w, k, then_on);
        close_workshop(&w);
    }
    print_message("%zu calls failed\n", refused);
    assert_true(refused > 200);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(no_failing_allocation_changes_an_expression),
                    TEST(no_refusal_changes_an_expression),
                    TEST(no_failing_allocation_changes_an_engine_or_a_kernel));
}

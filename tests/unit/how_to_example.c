/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Additions of the examples of docs/how-to-*.md, as a host sees it: the op is computed by the
 * interpreter and by native code, and code is made for the CPU. how_to_example_test.sh builds this.
 */
#include <stdio.h>
#include <string.h>

#include "tosajit/inspect.h"

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, tosajit_last_error());
    return 1;
}

/* ROWS x COLUMNS beside 1 x COLUMNS: a splat or a row for every loop, and a tail. */
enum { ROWS = 3, COLUMNS = 37 };

static float difference_f32(float a, float b) { return a > b ? a - b : b - a; }
static int difference_i32(int a, int b) { return a > b ? a - b : b - a; }

static int check(tosajit_backend backend, tosajit_type type) {
    const int64_t full[2] = {ROWS, COLUMNS}, row[2] = {1, COLUMNS};
    const tosajit_tensor_type any =
        tosajit_ranked(type, 2, (int64_t[]){TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC});
    const tosajit_tensor_type types[2] = {any, any};
    union {
        float f[ROWS * COLUMNS];
        int i[ROWS * COLUMNS];
    } a, b, r;
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        if (type == TOSAJIT_F32)
            a.f[k] = (float)(k % 11) - 5.5f, b.f[k] = (float)(k % 7) * 0.25f;
        else
            a.i[k] = k % 11 - 5, b.i[k] = k % 7;
    }
    tosajit_engine_options options = {.size = sizeof options, .backend = backend};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    if (tosajit_engine_create(&options, &engine)) return failed("engine");
    if (tosajit_compile(engine, TOSAJIT_OP_abs_diff, types, 2, NULL, NULL, &kernel))
        return failed("compile");
    const tosajit_tensor operands[2] = {tosajit_dense(type, &a, 2, full),
                                        tosajit_dense(type, &b, 2, row)};
    const tosajit_tensor result = tosajit_dense(type, &r, 2, full);
    if (tosajit_run(kernel, operands, 2, &result, 1)) return failed("run");
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        const int c = k % COLUMNS;
        if (type == TOSAJIT_F32 ? r.f[k] != difference_f32(a.f[k], b.f[c])
                                : r.i[k] != difference_i32(a.i[k], b.i[c])) {
            fprintf(stderr, "backend %d, type %d: element %d is wrong\n", (int)backend, (int)type,
                    k);
            return 1;
        }
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return 0;
}

static int check_cpu(const char *name) {
    tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_CROSS, .cpu = name};
    tosajit_engine *engine;
    if (tosajit_engine_create(&options, &engine)) return failed(name);
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    tosajit_expr *expr;
    tosajit_value x, y;
    char *text;
    if (tosajit_expr_create(NULL, &expr) || tosajit_expr_input(expr, &type, &x) ||
        tosajit_expr_op(expr, TOSAJIT_OP_abs_diff, (tosajit_value[]){x, x}, 2, NULL, NULL, &y) ||
        tosajit_expr_result(expr, y) || tosajit_print(engine, expr, TOSAJIT_VIEW_IR, &text))
        return failed("print");
    const int named = strstr(text, name) != NULL;
    if (!named) fprintf(stderr, "the code is not tuned for %s\n", name);
    tosajit_text_release(text);
    tosajit_expr_destroy(expr);
    tosajit_engine_destroy(engine);
    return !named;
}

int main(int count, char **arguments) {
    if (tosajit_op_find("tosa.abs_diff") != TOSAJIT_OP_abs_diff) return failed("find");
    printf("%s: %s\n", tosajit_op_name(TOSAJIT_OP_abs_diff),
           tosajit_op_formula(TOSAJIT_OP_abs_diff));
    static const tosajit_backend backends[] = {TOSAJIT_BACKEND_INTERPRET, TOSAJIT_BACKEND_NATIVE};
    for (int k = 0; k < 2; k++)
        if (check(backends[k], TOSAJIT_F32) || check(backends[k], TOSAJIT_I32)) return 1;
    return count > 1 && check_cpu(arguments[1]);
}

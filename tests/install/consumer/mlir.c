/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host that reads TOSA files: mlir FILE. It has names of its own that the reader uses inside: they must not meet. */
#include <stdio.h>
#include <string.h>
#include <tosajit/mlir.h>

int mlir_build(void);
int mlir_build(void) { return 7; }
int escape_name(void);
int escape_name(void) { return 8; }
int mlirOperationPrint(void); /* of MLIR's C API, which is inside of the library */
int mlirOperationPrint(void) { return 9; }

static const char model[] = "func.func @main(%a: tensor<?xf32>, %b: tensor<1xf32>) -> tensor<?xf32> {\n"
                            "  %c = tosa.add %a, %b : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>\n"
                            "  %d = tosa.custom %c {domain_name = \"consumer\", implementation_attrs = \"\", operator_name = \"sort\"} : "
                            "(tensor<?xf32>) -> tensor<?xf32>\n"
                            "  return %d : tensor<?xf32>\n"
                            "}\n";

static void say(void *context, const tosajit_mlir_finding *finding) {
    (void)context;
    printf("  %s, line %d, column %d: %s\n", finding->file, (int)finding->line, (int)finding->column, finding->message);
}

static int fail(const char *what) {
    printf("%s: %s\n", what, tosajit_last_error());
    return 1;
}

/* r = run(function `index`) on three elements and, if there is a second operand, one. */
static int run(tosajit_engine *engine, tosajit_mlir *module, size_t index, float *r) {
    tosajit_mlir_function *function;
    tosajit_kernel *kernel;
    float a[3] = {1, 2, 3}, b[1] = {10};
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, a, 1, (int64_t[]){3}), tosajit_dense(TOSAJIT_F32, b, 1, (int64_t[]){1})};
    tosajit_tensor result = tosajit_dense(TOSAJIT_F32, r, 1, (int64_t[]){3});
    if (tosajit_mlir_build(module, index, NULL, &function)) return fail("build");
    size_t count = tosajit_mlir_function_input_count(function);
    if (tosajit_compile_expr(engine, tosajit_mlir_function_expr(function), &kernel)) return fail("compile");
    tosajit_mlir_function_release(function);
    if (tosajit_run(kernel, operands, count, &result, 1)) return fail("run");
    tosajit_kernel_release(kernel);
    return 0;
}

int main(int argc, char **argv) {
    tosajit_engine *engine;
    tosajit_mlir *module;
    tosajit_mlir_options options = {.size = sizeof options, .name = "model", .say = say};
    tosajit_mlir_outlined outlined = {.size = sizeof outlined};
    size_t index;
    float r[3] = {0}, twice[3] = {0};
    char *text;
    if (argc != 2 || tosajit_engine_create(NULL, &engine)) return fail("engine");

    /* From memory: divided, the region compiled. */
    if (tosajit_mlir_read(model, strlen(model), &options, &module)) return fail("read");
    if (tosajit_mlir_outline(module, 0, &outlined)) return fail("outline");
    for (size_t k = 0; k < tosajit_mlir_count(module); k++) printf("@%s\n", tosajit_mlir_name(module, k));
    if (tosajit_mlir_find(module, "main_region_0", &index) || run(engine, module, index, r)) return fail("region");
    if (tosajit_mlir_print(module, &text)) return fail("print");
    int called = strstr(text, "call @main_region_0") != NULL;
    tosajit_text_release(text);
    int refused = tosajit_mlir_find(module, "none", &index) == TOSAJIT_INVALID_ARGUMENT &&
                  tosajit_mlir_build(module, 0, NULL, &(tosajit_mlir_function *){NULL}) == TOSAJIT_BAD_MODULE;
    tosajit_mlir_close(module);

    /* From a file. */
    if (tosajit_mlir_open(argv[1], NULL, &module) || tosajit_mlir_find(module, NULL, &index) || run(engine, module, index, twice))
        return fail(argv[1]);
    tosajit_mlir_close(module);
    tosajit_engine_destroy(engine);

    printf("%g %g %g, %g %g %g\n", (double)r[0], (double)r[1], (double)r[2], (double)twice[0], (double)twice[1], (double)twice[2]);
    int own = mlir_build() == 7 && escape_name() == 8 && mlirOperationPrint() == 9;
    return !(outlined.regions == 1 && called && refused && own && r[2] == 13 && twice[2] == 6);
}

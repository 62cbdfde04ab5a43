/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libtosajit-mlir through its public header: modules from memory and files, findings, the list of
 * functions, outlining, expressions, names, what is refused, and what the reader leaves alone in a
 * process. */
#define _POSIX_C_SOURCE 200809L /* sigaction, fork */
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/IR.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tosajit/inspect.h>
#include <tosajit/mlir.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static const char two[] =
    "func.func @scale(%x: tensor<?x3xf32>, %factor: tensor<1x3xf32>) -> (tensor<?x3xf32>, "
    "tensor<?x3xf32>) {\n"
    "  %zero = \"tosa.const\"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>\n"
    "  %scaled = tosa.mul %x, %factor, %zero : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<1xi8>) -> "
    "tensor<?x3xf32>\n"
    "  %twice = tosa.add %scaled, %scaled : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>\n"
    "  return %twice, %x : tensor<?x3xf32>, tensor<?x3xf32>\n"
    "}\n"
    "func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {\n"
    "  %r = tosa.abs %a : (tensor<4xi32>) -> tensor<4xi32>\n"
    "  return %r : tensor<4xi32>\n"
    "}\n";

/* Findings about a module. */
typedef struct notes {
    size_t errors, others;
    int32_t line, column; /* of the first error */
    char file[256], message[1024], text[1024];
    bool handled; /* a handler for SIGSEGV was in place meanwhile */
} notes;

static void say(void *context, const tosajit_mlir_finding *finding) {
    notes *n = context;
    struct sigaction action;
    sigaction(SIGSEGV, NULL, &action);
    n->handled = action.sa_handler != SIG_DFL;
    if (finding->severity != TOSAJIT_MLIR_ERROR) {
        n->others++;
        return;
    }
    if (n->errors++ > 0) return;
    n->line = finding->line;
    n->column = finding->column;
    snprintf(n->file, sizeof n->file, "%s", finding->file);
    snprintf(n->message, sizeof n->message, "%s", finding->message);
    snprintf(n->text, sizeof n->text, "%s", finding->text);
}

static tosajit_mlir_options options_for(notes *n) {
    memset(n, 0, sizeof *n);
    return (tosajit_mlir_options){
        .size = sizeof(tosajit_mlir_options), .name = "t.mlir", .say = say, .context = n};
}

static void require(tosajit_status status) {
    if (status) fail_msg("%s: %s", tosajit_status_name(status), tosajit_last_error());
}

static tosajit_mlir *read_text(const char *text, notes *n) {
    tosajit_mlir_options options = options_for(n);
    tosajit_mlir *module = NULL;
    require(tosajit_mlir_read(text, strlen(text), &options, &module));
    return module;
}

static void expect_error(tosajit_status found, tosajit_status expected, const char *piece) {
    if (found != expected || !strstr(tosajit_last_error(), piece))
        fail_msg("%s: '%s', and not %s with '%s'", tosajit_status_name(found), tosajit_last_error(),
                 tosajit_status_name(expected), piece);
}

#define REFUSED(call, piece) expect_error(call, TOSAJIT_INVALID_ARGUMENT, piece)

/* ---------------------------------------------------------------------------------------------
 * What is read runs */

static void run_scale(const tosajit_expr *expr) {
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    float x[2][3] = {{1, 2, 3}, {4, 5, 6}}, factor[1][3] = {{1, 10, 100}}, twice[2][3], same[2][3];
    tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_F32, x, 2, (int64_t[]){2, 3}),
                                  tosajit_dense(TOSAJIT_F32, factor, 2, (int64_t[]){1, 3})};
    tosajit_tensor results[2] = {tosajit_dense(TOSAJIT_F32, twice, 2, (int64_t[]){2, 3}),
                                 tosajit_dense(TOSAJIT_F32, same, 2, (int64_t[]){2, 3})};
    require(tosajit_engine_create(NULL, &engine));
    require(tosajit_compile_expr(engine, expr, &kernel));
    require(tosajit_run(kernel, operands, 2, results, 2));
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 3; c++) {
            assert_true(twice[r][c] == 2 * x[r][c] * factor[0][c]);
            assert_true(same[r][c] == x[r][c]);
        }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

static void text_in_memory_becomes_a_kernel(void **state) {
    notes n;
    char *copy = strdup(two); /* which is gone when the module is used */
    tosajit_mlir *module = read_text(copy, &n);
    memset(copy, '!', strlen(copy));
    free(copy);
    assert_int_equal(tosajit_mlir_count(module), 2);
    assert_string_equal(tosajit_mlir_name(module, 0), "scale");
    assert_string_equal(tosajit_mlir_name(module, 1), "main");
    assert_null(tosajit_mlir_name(module, 2));
    assert_null(tosajit_mlir_operation(module, 2));
    require(tosajit_mlir_verify(module));
    tosajit_mlir_function *f;
    tosajit_tensor_type type;
    require(tosajit_mlir_build(module, 0, NULL, &f));
    tosajit_mlir_close(module); /* the function and its expression stay */
    const tosajit_expr *expr = tosajit_mlir_function_expr(f);
    assert_int_equal(tosajit_mlir_function_input_count(f), 2);
    assert_int_equal(tosajit_mlir_function_result_count(f), 2);
    require(tosajit_expr_type(expr, tosajit_mlir_function_input(f, 1), &type));
    assert_int_equal(type.dims[0], 1);
    require(tosajit_expr_type(expr, tosajit_mlir_function_result(f, 0), &type));
    assert_true(type.dims[0] == TOSAJIT_DYNAMIC && type.dims[1] == 3);
    assert_int_equal(tosajit_mlir_function_result(f, 1), tosajit_mlir_function_input(f, 0));
    assert_int_equal(tosajit_mlir_function_input(f, 2), -1);
    assert_int_equal(tosajit_mlir_function_result(f, 2), -1);
    run_scale(expr);
    tosajit_mlir_function_release(f);
    assert_int_equal(n.errors + n.others, 0);
}

static char *text_of(tosajit_mlir *module) {
    tosajit_mlir_function *f;
    char *text;
    require(tosajit_mlir_build(module, 0, NULL, &f));
    require(tosajit_expr_print(tosajit_mlir_function_expr(f), NULL, &text));
    tosajit_mlir_function_release(f);
    return text;
}

static char *file_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(65536);
    if (!file || !bytes) fail_msg("%s cannot be read", path);
    *size = fread(bytes, 1, 65536, file);
    fclose(file);
    return bytes;
}

/* Any op may have any attribute. */
static void an_op_with_every_attribute_is_read(void **state) {
    static const char text[] =
        "func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
        "  %0 = \"tosa.custom\"(%x) {operator_name = \"sqrt\", domain_name = \"tosajit\",\n"
        "    implementation_attrs = \"\", axis = 1 : i32, joined = 0 : i32, nan_mode = \"x\",\n"
        "    shape = array<i64: 4, 4>, perms = array<i64: 0, 1>, multiples = array<i64: 1, 1>,\n"
        "    ranges = array<i64: 0, 1, 1, 0, 1, 1>, padding = array<i64: 0, 0, 0, 0>}\n"
        "    : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
        "  return %0 : tensor<4x4xf32>\n}\n";
    notes n = {0};
    tosajit_mlir *module = read_text(text, &n);
    tosajit_mlir_function *f;
    require(tosajit_mlir_build(module, 0, NULL, &f));
    assert_int_equal(tosajit_mlir_function_result_count(f), 1);
    tosajit_mlir_function_release(f);
    tosajit_mlir_close(module);
}

static void text_and_bytecode_of_files_are_the_same_expression(void **state) {
    tosajit_mlir *text, *bytecode, *memory;
    size_t size;
    char *bytes = file_bytes(SOURCES "/tests/fuzz/inputs/mlir/gelu_bias.mlirbc", &size);
    require(tosajit_mlir_open(SOURCES "/examples/gelu_bias.mlir", NULL, &text));
    require(tosajit_mlir_open(SOURCES "/tests/fuzz/inputs/mlir/gelu_bias.mlirbc", NULL, &bytecode));
    char *unaligned = malloc(size + 1);
    assert_non_null(unaligned);
    memcpy(unaligned + 1, bytes, size);
    require(tosajit_mlir_read(unaligned + 1, size, NULL, &memory));
    free(unaligned);
    free(bytes);
    char *a = text_of(text), *b = text_of(bytecode), *c = text_of(memory);
    assert_string_equal(a, b);
    assert_string_equal(b, c);
    tosajit_text_release(a);
    tosajit_text_release(b);
    tosajit_text_release(c);
    tosajit_mlir_close(text);
    tosajit_mlir_close(bytecode);
    tosajit_mlir_close(memory);
}

/* ---------------------------------------------------------------------------------------------
 * What is refused */

static void findings_have_their_place(void **state) {
    static const char text[] = "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                               "  %b = tosa.abs %a : (tensor<2xf32>) -> tensor<2xf32>\n"
                               "  %b = tosa.abs %a : (tensor<2xf32>) -> tensor<2xf32>\n"
                               "  return %b : tensor<2xf32>\n"
                               "}\n";
    notes n;
    tosajit_mlir_options options = options_for(&n);
    tosajit_mlir *module = (void *)&n;
    expect_error(tosajit_mlir_read(text, strlen(text), &options, &module), TOSAJIT_BAD_MODULE,
                 "redefinition");
    assert_ptr_equal(module, &n);
    assert_string_equal(n.file, "t.mlir");
    assert_int_equal(n.line, 3);
    assert_int_equal(n.column, 3);
    assert_string_equal(n.text, tosajit_last_error());
    assert_non_null(strstr(n.text, "t.mlir:3:3: error: "));
    assert_string_equal(strstr(n.text, "error: ") + 7, n.message);
    assert_int_equal(n.errors, 1);
    assert_int_equal(n.others, 1); /* a note: where it was defined before */
    options = (tosajit_mlir_options){.size = sizeof options};
    expect_error(tosajit_mlir_read(text, strlen(text), &options, &module), TOSAJIT_BAD_MODULE,
                 "<memory>:3:3: error: ");
}

static void files_that_cannot_be_read_are_refused(void **state) {
    static const struct {
        const char *bytes, *piece;
        tosajit_status status;
    } cases[] = {{"", "no func.func with a body", TOSAJIT_BAD_MODULE},
                 {"not MLIR", "custom op 'not' is unknown", TOSAJIT_BAD_MODULE},
                 {"ML\xefR", "error: ", TOSAJIT_BAD_MODULE},
                 {"func.func private @f()", "no func.func with a body", TOSAJIT_BAD_MODULE}};
    tosajit_mlir *module;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_error(tosajit_mlir_read(cases[k].bytes, strlen(cases[k].bytes), NULL, &module),
                     cases[k].status, cases[k].piece);
    expect_error(tosajit_mlir_open("/none.mlir", NULL, &module), TOSAJIT_INVALID_ARGUMENT,
                 "/none.mlir: error: No such file");
    expect_error(tosajit_mlir_open("/", NULL, &module), TOSAJIT_INVALID_ARGUMENT,
                 "/: error: Is a directory");
}

#define FUNCTION(arguments, result, body)                                                          \
    "func.func @f(" arguments ") -> " result " {\n" body "\n}\n"

/* %s is a constant shape on line 2. */
#define SHAPED(inputs, result, numbers, rank, op, type)                                            \
    FUNCTION(inputs, result,                                                                       \
             "%s = tosa.const_shape {values = dense<[" numbers "]> : tensor<" rank                 \
             "xindex>} : () -> !tosa.shape<" rank ">\n" op "\nreturn %r : " type)

static void functions_that_are_no_kernels_say_why(void **state) {
    static const struct {
        const char *text;
        tosajit_status status;
        int32_t line;
        const char *piece;
    } cases[] = {
        {FUNCTION("%a: tensor<1x2x2xf32>, %z: tensor<1xf32>", "tensor<1x2x2xf32>",
                  "%r = tosa.matmul %a, %a, %z, %z : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, "
                  "tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>\nreturn %r : "
                  "tensor<1x2x2xf32>"),
         TOSAJIT_BAD_MODULE, 2, "tosa.matmul: not an elementwise"},
        {FUNCTION("%a: tensor<1x2x3xf32>, %i: tensor<1x4xi32>, %b: tensor<1x4x3xf32>",
                  "tensor<1x2x3xf32>",
                  "%r = tosa.scatter %a, %i, %b : (tensor<1x2x3xf32>, tensor<1x4xi32>, "
                  "tensor<1x4x3xf32>) -> tensor<1x2x3xf32>\nreturn %r : tensor<1x2x3xf32>"),
         TOSAJIT_BAD_MODULE, 2, "indices name 4 of 2 elements, and none may occur twice"},
        {FUNCTION("%a: tensor<2xf32>", "tensor<2xf32>",
                  "%r = tosa.reduce_sum %a {axis = 0 : i32} : (tensor<2xf32>) -> "
                  "tensor<2xf32>\nreturn %r : tensor<2xf32>"),
         TOSAJIT_SHAPE_MISMATCH, 2, "axis 0 of operand 0, tensor<2xf32>, is reduced to size 1"},
        {FUNCTION("%a: tensor<2xf32>, %b: tensor<3xf32>", "tensor<2xf32>",
                  "%r = tosa.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\nreturn "
                  "%r : tensor<2xf32>"),
         TOSAJIT_SHAPE_MISMATCH, 2, "dimension 0"},
        {SHAPED("%a: tensor<2x3xf32>", "tensor<7xf32>", "7", "1",
                "%r = tosa.reshape %a, %s : (tensor<2x3xf32>, !tosa.shape<1>) -> tensor<7xf32>",
                "tensor<7xf32>"),
         TOSAJIT_SHAPE_MISMATCH, 3,
         "tosa.reshape: operand 0, tensor<2x3xf32>, has another number of elements than "
         "tensor<7xf32>"},
        {SHAPED("%a: tensor<2x3xf32>", "tensor<2x3xf32>", "1", "1",
                "%r = \"tosa.reshape\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                "tensor<2x3xf32>",
                "tensor<2x3xf32>"),
         TOSAJIT_BAD_MODULE, 3,
         "tosa.reshape: shape must be a constant of at most 16 dimensions, tosa.const_shape"},
        {SHAPED("%a: tensor<2x3xf32>", "tensor<2x3xf32>", "1", "1",
                "%r = \"tosa.reverse\"(%s) {axis = 0 : i32} : (!tosa.shape<1>) -> tensor<2x3xf32>",
                "tensor<2x3xf32>"),
         TOSAJIT_BAD_MODULE, 3, "tosa.reverse: operand 0 is a shape; a tensor is expected"},
        {FUNCTION("%a: tensor<2x3xf32>", "!tosa.shape<1>",
                  "%s = tosa.const_shape {values = dense<[6]> : tensor<1xindex>} : () -> "
                  "!tosa.shape<1>\nreturn %s : !tosa.shape<1>"),
         TOSAJIT_BAD_MODULE, 3, "func.return: result 0 is a shape; a tensor is expected"},
        {FUNCTION("%a: vector<2xf32>", "vector<2xf32>", "return %a : vector<2xf32>"),
         TOSAJIT_TYPE_MISMATCH, 1, "not a tensor"},
        {FUNCTION("%a: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi8>",
                  "tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi8>",
                  "return %a : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xi8>"),
         TOSAJIT_LIMIT_EXCEEDED, 1, "more than 16 dimensions"},
        {FUNCTION("", "tensor<2000000000xi8>",
                  "%c = \"tosa.const\"() <{values = dense<1> : tensor<2000000000xi8>}> : () -> "
                  "tensor<2000000000xi8>\n"
                  "return %c : tensor<2000000000xi8>"),
         TOSAJIT_LIMIT_EXCEEDED, 2, "1 GiB"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        notes n;
        tosajit_mlir *module = read_text(cases[k].text, &n);
        tosajit_mlir_function *f = (void *)&n;
        expect_error(tosajit_mlir_build(module, 0, NULL, &f), cases[k].status, cases[k].piece);
        assert_ptr_equal(f, &n);
        assert_int_equal(n.line, cases[k].line);
        assert_string_equal(n.text, tosajit_last_error());
        tosajit_mlir_close(module);
    }
}

static void strictness_is_an_option(void **state) {
    static const char text[] =
        FUNCTION("%a: tensor<2x3xf32>, %b: tensor<3xf32>", "tensor<2x3xf32>",
                 "%r = tosa.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>\n"
                 "return %r : tensor<2x3xf32>");
    notes n;
    tosajit_mlir *module = read_text(text, &n);
    tosajit_mlir_function *f;
    tosajit_expr_options strict = {.size = sizeof strict, .strict = 1}, unset = {.strict = 1};
    require(tosajit_mlir_build(module, 0, NULL, &f));
    tosajit_mlir_function_release(f);
    expect_error(tosajit_mlir_build(module, 0, &strict, &f), TOSAJIT_SHAPE_MISMATCH,
                 "t.mlir:2:6: error: tosa.add: ");
    expect_error(tosajit_mlir_build(module, 0, &unset, &f), TOSAJIT_INVALID_ARGUMENT,
                 "set it to sizeof(tosajit_expr_options)");
    expect_error(tosajit_mlir_build(module, 1, NULL, &f), TOSAJIT_INVALID_ARGUMENT,
                 "there is no function 1; there is 1, from 0");
    expect_error(tosajit_mlir_verify(module), TOSAJIT_BAD_MODULE, "t.mlir:2:6: error: ");
    tosajit_mlir_close(module);
}

static void null_pointers_are_named(void **state) {
    notes n;
    tosajit_mlir *module = read_text(two, &n), *other;
    tosajit_mlir_function *f;
    tosajit_tensor_type type;
    tosajit_mlir_options unset = {0};
    tosajit_mlir_outlined unsized = {0};
    size_t index;
    char *text;
    void *elements;
    require(tosajit_mlir_build(module, 0, NULL, &f));
    REFUSED(tosajit_mlir_open(NULL, NULL, &other), "path is null");
    REFUSED(tosajit_mlir_open("/none", NULL, NULL), "module is null");
    REFUSED(tosajit_mlir_read(NULL, 0, NULL, &other), "bytes is null");
    REFUSED(tosajit_mlir_read("", 0, NULL, NULL), "module is null");
    REFUSED(tosajit_mlir_read("", 0, &unset, &other), "set it to sizeof(tosajit_mlir_options)");
    REFUSED(tosajit_mlir_verify(NULL), "module is null");
    REFUSED(tosajit_mlir_print(NULL, &text), "module is null");
    REFUSED(tosajit_mlir_print(module, NULL), "text is null");
    REFUSED(tosajit_mlir_find(NULL, NULL, &index), "module is null");
    REFUSED(tosajit_mlir_find(module, NULL, NULL), "index is null");
    REFUSED(tosajit_mlir_outline(NULL, 0, NULL), "module is null");
    REFUSED(tosajit_mlir_outline(module, 7, NULL), "there is no function 7; there are 2, from 0");
    REFUSED(tosajit_mlir_outline(module, 0, &unsized), "set it to sizeof(tosajit_mlir_outlined)");
    REFUSED(tosajit_mlir_build(NULL, 0, NULL, &f), "module is null");
    REFUSED(tosajit_mlir_build(module, 0, NULL, NULL), "function is null");
    REFUSED(tosajit_mlir_rename(NULL, f, "", &text), "module is null");
    REFUSED(tosajit_mlir_rename(module, NULL, "", &text), "function is null");
    REFUSED(tosajit_mlir_rename(module, f, NULL, &text), "text is null");
    REFUSED(tosajit_mlir_rename(module, f, "", NULL), "renamed is null");
    REFUSED(tosajit_mlir_report(NULL, f, ""), "module is null");
    REFUSED(tosajit_mlir_report(module, NULL, ""), "function is null");
    REFUSED(tosajit_mlir_report(module, f, NULL), "message is null");
    REFUSED(tosajit_mlir_type(NULL, &type), "mlir_type is null");
    REFUSED(tosajit_mlir_elements(NULL, &type, &elements), "mlir_attribute is null");
    assert_int_equal(tosajit_mlir_count(NULL), 0);
    assert_null(tosajit_mlir_name(NULL, 0));
    assert_null(tosajit_mlir_operation(NULL, 0));
    assert_null(tosajit_mlir_function_expr(NULL));
    assert_int_equal(
        tosajit_mlir_function_input_count(NULL) + tosajit_mlir_function_result_count(NULL), 0);
    assert_int_equal(tosajit_mlir_function_input(NULL, 0), -1);
    assert_int_equal(tosajit_mlir_function_result(NULL, 0), -1);
    tosajit_mlir_function_release(NULL);
    tosajit_mlir_elements_release(NULL);
    tosajit_mlir_close(NULL);
    tosajit_mlir_function_release(f);
    assert_int_equal(tosajit_mlir_count(module), 2);
    tosajit_mlir_close(module);
}

/* ---------------------------------------------------------------------------------------------
 * Functions and their names */

static void functions_are_found_by_name(void **state) {
    notes n;
    size_t index = 99;
    tosajit_mlir *module = read_text(two, &n);
    require(tosajit_mlir_find(module, "scale", &index));
    assert_int_equal(index, 0);
    require(tosajit_mlir_find(module, "@main", &index));
    assert_int_equal(index, 1);
    require(tosajit_mlir_find(module, NULL, &index));
    assert_int_equal(index, 1);
    index = 99;
    expect_error(tosajit_mlir_find(module, "gelu", &index), TOSAJIT_INVALID_ARGUMENT,
                 "no function @gelu in this file; it has: @scale, @main");
    assert_int_equal(index, 99);
    assert_int_equal(n.errors, 1);
    tosajit_mlir_close(module);
    module = read_text(
        "func.func @\"a\\0Ab\"(%a: tensor<i8>) -> tensor<i8> {\n return %a : tensor<i8>\n}\n", &n);
    assert_string_equal(tosajit_mlir_name(module, 0), "a\\0Ab");
    require(tosajit_mlir_find(module, "a\nb", &index));
    require(tosajit_mlir_find(module, "a\\0Ab", &index));
    require(tosajit_mlir_find(module, NULL, &index));
    assert_int_equal(index, 0);
    tosajit_mlir_close(module);
}

static const char mixed[] =
    "func.func @main(%a: tensor<2x4xf32>, %b: tensor<1x4xf32>) -> tensor<4xi32> {\n"
    "  %s = tosa.add %a, %b : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>\n"
    "  %m = tosa.reduce_max %s {axis = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x1xf32>\n"
    "  %t = tosa.sub %s, %m : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>\n"
    "  %u = tosa.custom %t {operator_name = \"host\", domain_name = \"host\", "
    "implementation_attrs = \"\"} : (tensor<2x4xf32>) -> tensor<4xi32>\n"
    "  %v = tosa.abs %u : (tensor<4xi32>) -> tensor<4xi32>\n"
    "  return %v : tensor<4xi32>\n"
    "}\n"
    "func.func @last(%a: tensor<4xi32>) -> tensor<4xi32> {\n"
    "  return %a : tensor<4xi32>\n"
    "}\n";

static void models_are_divided(void **state) {
    notes n;
    tosajit_mlir *module = read_text(mixed, &n), *again;
    tosajit_mlir_outlined outlined = {.size = sizeof outlined};
    tosajit_mlir_function *f;
    tosajit_expr *none;
    char *text;
    expect_error(tosajit_expr_create(&(tosajit_expr_options){.size = 1}, &none),
                 TOSAJIT_INVALID_ARGUMENT, "size is 1");
    require(tosajit_mlir_outline(module, 0, &outlined));
    assert_non_null(strstr(tosajit_last_error(), "size is 1")); /* what failed last is still that */
    assert_true(outlined.regions == 2 && outlined.inside == 4 && outlined.outside == 1);
    static const char *const names[] = {"main", "main_region_0", "main_region_1", "last"};
    assert_int_equal(tosajit_mlir_count(module), 4);
    for (size_t k = 0; k < 4; k++) assert_string_equal(tosajit_mlir_name(module, k), names[k]);
    for (size_t k = 1; k < 3; k++) {
        require(tosajit_mlir_build(module, k, NULL, &f));
        assert_int_equal(tosajit_mlir_function_input_count(f), k == 1 ? 2 : 1);
        require(tosajit_expr_verify(tosajit_mlir_function_expr(f)));
        tosajit_mlir_function_release(f);
    }
    expect_error(tosajit_mlir_build(module, 0, NULL, &f), TOSAJIT_BAD_MODULE, "func.call");
    require(tosajit_mlir_verify(module));
    require(tosajit_mlir_print(module, &text));
    assert_non_null(strstr(text, "call @main_region_0(%arg0, %arg1)"));
    require(tosajit_mlir_read(text, strlen(text), NULL, &again));
    tosajit_text_release(text);
    assert_int_equal(tosajit_mlir_count(again), 4);
    tosajit_mlir_close(again);
    require(tosajit_mlir_outline(module, 3, NULL)); /* nothing to divide */
    assert_int_equal(tosajit_mlir_count(module), 4);
    tosajit_mlir_close(module);
}

/* MLIR reads a constant with an operand, whose owner is no op here. It is refused, and left out. */
static void a_constant_that_reads_is_none(void **state) {
    static const char text[] =
        FUNCTION("%a: tensor<4xf32>", "tensor<4xf32>",
                 "%b = \"tosa.const\"(%a) <{values = dense<1.0> : tensor<4xf32>}> : "
                 "(tensor<4xf32>) -> tensor<4xf32>\n"
                 "%c = tosa.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
                 "return %c : tensor<4xf32>");
    notes n;
    tosajit_mlir_function *f;
    tosajit_mlir *module = read_text(text, &n);
    tosajit_mlir_outlined outlined = {.size = sizeof outlined};
    expect_error(tosajit_mlir_build(module, 0, NULL, &f), TOSAJIT_BAD_MODULE,
                 "tosa.const: a constant has no operands, this one has 1");
    require(tosajit_mlir_outline(module, 0, &outlined));
    assert_true(outlined.regions == 1 && outlined.inside == 1 && outlined.outside == 1);
    require(tosajit_mlir_build(module, 1, NULL, &f));
    assert_int_equal(tosajit_mlir_function_input_count(f), 2);
    tosajit_mlir_function_release(f);
    tosajit_mlir_close(module);
}

/* MLIR reads an op that reads itself, or two that read each other. */
static void what_is_used_before_it_is_defined_is_refused(void **state) {
    static const char *const texts[] = {
        FUNCTION("%a: tensor<4xf32>", "tensor<4xf32>",
                 "%b = tosa.add %b, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
                 "return %b : tensor<4xf32>"),
        FUNCTION("%a: tensor<4xf32>", "tensor<4xf32>",
                 "%b = tosa.add %c, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
                 "%c = tosa.exp %b : (tensor<4xf32>) -> tensor<4xf32>\n"
                 "return %c : tensor<4xf32>"),
        FUNCTION("%a: tensor<4xf32>", "tensor<4xf32>",
                 "%b = tosa.add %z, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
                 "%z = \"tosa.const\"() <{values = dense<1.0> : tensor<4xf32>}> : () -> "
                 "tensor<4xf32>\n"
                 "return %b : tensor<4xf32>")};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        notes n;
        tosajit_mlir_function *f;
        tosajit_mlir *module = read_text(texts[k], &n);
        expect_error(tosajit_mlir_build(module, 0, NULL, &f), TOSAJIT_BAD_MODULE,
                     "operand 0 is used before it is defined");
        expect_error(tosajit_mlir_outline(module, 0, NULL), TOSAJIT_BAD_MODULE,
                     "an operand is used before it is defined");
        assert_int_equal(tosajit_mlir_count(module), 1);
        tosajit_mlir_close(module);
    }
}

/* Functions that the library takes one by one but not together: a size that cannot be. */
static void regions_that_cannot_be_one_stay_apart(void **state) {
    static const char text[] = FUNCTION("%a: tensor<4xf32>", "tensor<3xf32>",
                                        "%b = tosa.abs %a : (tensor<4xf32>) -> tensor<?xf32>\n"
                                        "%c = tosa.exp %b : (tensor<?xf32>) -> tensor<?xf32>\n"
                                        "%d = tosa.tanh %c : (tensor<?xf32>) -> tensor<3xf32>\n"
                                        "return %d : tensor<3xf32>");
    notes n;
    tosajit_mlir *module = read_text(text, &n);
    tosajit_mlir_outlined outlined = {.size = sizeof outlined};
    require(tosajit_mlir_outline(module, 0, &outlined));
    assert_true(outlined.regions == 2 && outlined.inside == 3);
    for (size_t k = 1; k <= outlined.regions; k++) {
        tosajit_mlir_function *f;
        require(tosajit_mlir_build(module, k, NULL, &f));
        require(tosajit_expr_verify(tosajit_mlir_function_expr(f)));
        tosajit_mlir_function_release(f);
    }
    tosajit_mlir_close(module);
}

/* A chain of two thousand ops is one region, and one of many operands as many as its tensors allow.
 */
static void long_functions_are_divided(void **state) {
    enum { OPS = 2000, CAPACITY = 1 << 20 };
    char *text = malloc(CAPACITY);
    assert_non_null(text);
    for (int wide = 0; wide < 2; wide++) {
        size_t used = (size_t)snprintf(text, CAPACITY, "func.func @f(%%a: tensor<4xf32>");
        for (int k = 0; wide && k < OPS; k++)
            used += (size_t)snprintf(text + used, CAPACITY - used, ", %%b%d: tensor<4xf32>", k);
        used += (size_t)snprintf(
            text + used, CAPACITY - used,
            ") -> tensor<4xf32> {\n%%v0 = tosa.abs %%a : (tensor<4xf32>) -> tensor<4xf32>\n");
        for (int k = 0; k < OPS; k++)
            used += (size_t)snprintf(text + used, CAPACITY - used,
                                     "%%v%d = tosa.add %%v%d, %%%c%d : (tensor<4xf32>, "
                                     "tensor<4xf32>) -> tensor<4xf32>\n",
                                     k + 1, k, wide ? 'b' : 'v', k);
        snprintf(text + used, CAPACITY - used, "return %%v%d : tensor<4xf32>\n}\n", OPS);
        notes n;
        tosajit_mlir *module = read_text(text, &n);
        tosajit_mlir_outlined outlined = {.size = sizeof outlined};
        require(tosajit_mlir_outline(module, 0, &outlined));
        assert_int_equal(outlined.inside, OPS + 1);
        /* A region has 62 operands that are its own, one that comes from the region before, and a
         * result. */
        assert_int_equal(outlined.regions,
                         wide ? (OPS + TOSAJIT_MAX_TENSORS - 3) / (TOSAJIT_MAX_TENSORS - 2) : 1);
        tosajit_mlir_close(module);
    }
    free(text);
}

static void values_have_the_names_of_the_file(void **state) {
    static const char wide[] = FUNCTION(
        "%left: tensor<*xf32>", "tensor<*xf32>",
        "%half = tosa.abs %left : (tensor<*xf32>) -> tensor<*xf32>\nreturn %half : tensor<*xf32>");
    notes n, ignored;
    tosajit_mlir *module = read_text(wide, &n), *other = read_text(two, &ignored);
    tosajit_mlir_function *f, *g;
    char *text;
    require(tosajit_mlir_build(module, 0, NULL, &f));
    require(tosajit_mlir_build(other, 0, NULL, &g));
    require(tosajit_mlir_rename(module, f, "%arg0 meets %1 = tosa.abs", &text));
    assert_string_equal(text, "%left meets %half");
    tosajit_text_release(text);
    assert_int_equal(tosajit_expr_verify(tosajit_mlir_function_expr(f)), TOSAJIT_UNRANKED_SHAPE);
    require(tosajit_mlir_report(module, f, tosajit_last_error()));
    assert_int_equal(n.errors, 1);
    assert_int_equal(n.line, 1);
    assert_string_equal(n.text, tosajit_last_error());
    assert_non_null(strstr(n.text, "t.mlir:1:1: error: @f: "));
    assert_non_null(strstr(n.text, "%left"));
    REFUSED(tosajit_mlir_rename(module, g, "", &text), "not built from this module");
    REFUSED(tosajit_mlir_report(other, f, ""), "not built from this module");
    require(tosajit_mlir_outline(other, 0, NULL));
    REFUSED(tosajit_mlir_rename(other, g, "", &text), "before it was outlined");
    tosajit_mlir_close(module);
    tosajit_mlir_close(other);
    tosajit_mlir_function_release(f);
    tosajit_mlir_function_release(g);
}

/* ---------------------------------------------------------------------------------------------
 * For hosts that walk MLIR's operations */

static void types_and_elements_are_the_librarys(void **state) {
    static const char text[] =
        "func.func @f() -> tensor<2xi48> {\n"
        "  %a = \"tosa.const\"() <{values = dense<[-1, 140737488355327]> : tensor<2xi48>}> : () -> "
        "tensor<2xi48>\n"
        "  %b = \"tosa.const\"() <{values = dense<true> : tensor<3xi1>}> : () -> tensor<3xi1>\n"
        "  %c = \"tosa.const\"() <{values = dense_resource<none> : tensor<2xf32>}> : () -> "
        "tensor<2xf32>\n"
        "  %d = \"tosa.const\"() <{values = dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>}> : () -> "
        "tensor<1xcomplex<f32>>\n"
        "  return %a : tensor<2xi48>\n}\n";
    static const tosajit_status expected[] = {TOSAJIT_OK, TOSAJIT_OK, TOSAJIT_BAD_MODULE,
                                              TOSAJIT_TYPE_MISMATCH};
    notes n;
    tosajit_mlir *module = read_text(text, &n);
    MlirOperation function = {tosajit_mlir_operation(module, 0)};
    MlirOperation op =
        mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)));
    for (size_t k = 0; k < sizeof expected / sizeof *expected;
         k++, op = mlirOperationGetNextInBlock(op)) {
        MlirAttribute values =
            mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("values"));
        tosajit_tensor_type type = {0}, declared = {0};
        void *elements = NULL;
        assert_int_equal(tosajit_mlir_elements((void *)(uintptr_t)values.ptr, &type, &elements),
                         expected[k]);
        tosajit_status typed = tosajit_mlir_type(
            (void *)(uintptr_t)mlirValueGetType(mlirOperationGetResult(op, 0)).ptr, &declared);
        assert_int_equal(typed, k == 3 ? TOSAJIT_TYPE_MISMATCH : TOSAJIT_OK);
        if (expected[k] == TOSAJIT_OK)
            assert_true(type.element == declared.element && type.dims[0] == declared.dims[0]);
        if (k == 0)
            assert_true(((int64_t *)elements)[0] == -1 &&
                        ((int64_t *)elements)[1] == INT64_C(140737488355327));
        if (k == 1) assert_memory_equal(elements, "\1\1\1", 3);
        tosajit_mlir_elements_release(elements);
    }
    tosajit_mlir_close(module);
}

/* ---------------------------------------------------------------------------------------------
 * Memory, damage, processes and threads */

typedef struct hooks {
    size_t allowed, live;
} hooks;

static void *limited_allocate(void *context, size_t size) {
    hooks *h = context;
    void *memory = h->allowed > 0 ? malloc(size) : NULL;
    if (h->allowed > 0) h->allowed--;
    h->live += memory != NULL;
    return memory;
}

static void limited_release(void *context, void *memory, size_t size) {
    (void)size;
    ((hooks *)context)->live--;
    free(memory);
}

static void every_allocation_of_an_expression_may_fail(void **state) {
    notes n;
    tosajit_mlir *module = read_text(two, &n);
    size_t allowed = 0;
    tosajit_status status = TOSAJIT_OUT_OF_MEMORY;
    for (; status; allowed++) {
        hooks h = {allowed, 0};
        tosajit_allocator allocator = {limited_allocate, limited_release, &h};
        tosajit_expr_options options = {.size = sizeof options, .allocator = &allocator};
        tosajit_mlir_function *f = NULL;
        status = tosajit_mlir_build(module, 0, &options, &f);
        if (status) expect_error(status, TOSAJIT_OUT_OF_MEMORY, "memory");
        tosajit_mlir_function_release(f);
        assert_int_equal(h.live, 0);
    }
    assert_true(allowed > 3 && n.errors == allowed - 1);
    tosajit_mlir_close(module);
}

static void bytecode_cut_anywhere_is_refused(void **state) {
    size_t size;
    char *bytes = file_bytes(SOURCES "/tests/fuzz/inputs/mlir/gelu_bias.mlirbc", &size);
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 5) {
        tosajit_mlir *module;
        tosajit_status status = tosajit_mlir_read(bytes, cut, NULL, &module);
        if (status != TOSAJIT_BAD_MODULE || !tosajit_last_error()[0])
            fail_msg("%zu of %zu bytes: %s", cut, size, tosajit_status_name(status));
    }
    free(bytes);
}

/* MLIR writes the entries of a group beyond its table, if there are more of them than the table
 * has. Its numbers below 64 are 2 n + 1. */
static void bytecode_that_has_more_than_it_says_is_refused(void **state) {
    enum { VERSION = 4, OFFSETS = 3 };
    size_t size, at = VERSION;
    unsigned char *bytes =
        (unsigned char *)file_bytes(SOURCES "/tests/fuzz/inputs/mlir/gelu_bias.mlirbc", &size);
    while (bytes[at]) at++;
    for (at++; at < size && bytes[at] != OFFSETS;) at += 2 + bytes[at + 1] / 2;
    unsigned char *attributes = bytes + at + 2, *types = attributes + 1;
    unsigned char *const counts[] = {attributes, types};
    for (size_t k = 0; k < 2; k++) {
        tosajit_mlir *module;
        const unsigned char right = *counts[k];
        assert_true(right > 3 && right & 1);
        *counts[k] = 3;
        expect_error(tosajit_mlir_read(bytes, size, NULL, &module), TOSAJIT_BAD_MODULE,
                     "this bytecode is damaged");
        *counts[k] = right;
        require(tosajit_mlir_read(bytes, size, NULL, &module));
        tosajit_mlir_close(module);
    }
    free(bytes);
}

/* A constant whose type says more elements than it has, of which MLIR would print others' memory.
 */
static void bytecode_with_half_a_constant_is_refused(void **state) {
    tosajit_mlir *module;
    expect_error(tosajit_mlir_open(SOURCES "/tests/fuzz/inputs/mlir/a742d9fe7811", NULL, &module),
                 TOSAJIT_BAD_MODULE, "a constant does not have as many elements as its type");
}

/* Nested so deeply that MLIR's stack overflows, or a small mistake, in a process of its own; its
 * standard error. */
static int read_in_child(bool deep, int guard, char *errors, size_t capacity) {
    int ends[2];
    if (pipe(ends)) fail_msg("no pipe");
    pid_t child = fork();
    if (child == 0) {
        size_t depth = deep ? 400000 : 0;
        char *text = malloc(depth + 64);
        if (!text) _exit(9);
        dup2(ends[1], STDERR_FILENO);
        size_t used = (size_t)sprintf(text, "#a = ");
        memset(text + used, '[', depth);
        text[used + depth] = '\0';
        notes n;
        tosajit_mlir_options options = options_for(&n);
        options.guard = guard;
        tosajit_mlir *module;
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's may be there */
        tosajit_status status = tosajit_mlir_read(text, strlen(text), &options, &module);
        struct sigaction action;
        sigaction(SIGSEGV, NULL, &action);
        bool restored = action.sa_handler == SIG_DFL;
        _exit(status == TOSAJIT_BAD_MODULE && restored && n.handled == (guard != 0) ? 7 : 8);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got;
         used + 1 < capacity && (got = read(ends[0], errors + used, capacity - used - 1)) > 0;)
        used += (size_t)got;
    errors[used] = '\0';
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

static void the_guard_is_there_only_if_asked_for(void **state) {
    char errors[4096];
    int status = read_in_child(false, 0, errors, sizeof errors);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    status = read_in_child(false, 1, errors, sizeof errors);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    status = read_in_child(true, 1, errors, sizeof errors);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_non_null(strstr(errors, "t.mlir: error: MLIR's parser fails on this file"));
}

static void *divide_again_and_again(void *argument) {
    size_t *wrong = argument;
    for (int k = 0; k < 25; k++) {
        tosajit_mlir *module = NULL;
        tosajit_mlir_function *f = NULL;
        tosajit_mlir_outlined outlined = {.size = sizeof outlined};
        bool fine = !tosajit_mlir_read(mixed, strlen(mixed), NULL, &module) &&
                    !tosajit_mlir_outline(module, 0, &outlined) && outlined.regions == 2 &&
                    !tosajit_mlir_build(module, 1, NULL, &f) &&
                    tosajit_mlir_build(module, 9, NULL, &f) &&
                    strstr(tosajit_last_error(), "no function 9");
        tosajit_mlir_function_release(f);
        tosajit_mlir_close(module);
        *wrong += !fine;
    }
    return NULL;
}

static void threads_have_modules_of_their_own(void **state) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    size_t wrong[THREADS] = {0};
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, divide_again_and_again, &wrong[k]), 0);
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    for (int k = 0; k < THREADS; k++) assert_int_equal(wrong[k], 0);
}

int main(void) {
    return TEST_RUN(
        NULL, NULL, TEST(text_in_memory_becomes_a_kernel), TEST(an_op_with_every_attribute_is_read),
        TEST(text_and_bytecode_of_files_are_the_same_expression), TEST(findings_have_their_place),
        TEST(files_that_cannot_be_read_are_refused), TEST(functions_that_are_no_kernels_say_why),
        TEST(strictness_is_an_option), TEST(null_pointers_are_named),
        TEST(functions_are_found_by_name), TEST(models_are_divided),
        TEST(a_constant_that_reads_is_none), TEST(what_is_used_before_it_is_defined_is_refused),
        TEST(regions_that_cannot_be_one_stay_apart), TEST(long_functions_are_divided),
        TEST(values_have_the_names_of_the_file), TEST(types_and_elements_are_the_librarys),
        TEST(every_allocation_of_an_expression_may_fail), TEST(bytecode_cut_anywhere_is_refused),
        TEST(bytecode_that_has_more_than_it_says_is_refused),
        TEST(bytecode_with_half_a_constant_is_refused), TEST(the_guard_is_there_only_if_asked_for),
        TEST(threads_have_modules_of_their_own));
}

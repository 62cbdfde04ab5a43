/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit/mlir.h: functions as objects, and MLIR's types and constants, for hosts. Functions about
 * modules are in module.c. */
#include <mlir-c/IR.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/base/diag.h"
#include "runtime/base/options.h"
#include "tools/mlir/module.h"
#include "tools/mlir/values.h"

struct tosajit_mlir_function {
    tosa_function built;
    size_t index;
    uint64_t state; /* of the module that it was built from, then */
};

static tosajit_status refuse_null(const char *call, const char *what) {
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s: %s is null", call, what);
}

/* The first argument that is null: pairs of a pointer and its name. */
typedef struct argument {
    const void *pointer;
    const char *name;
} argument;

static tosajit_status check_arguments(const char *call, const argument *arguments, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!arguments[k].pointer) return refuse_null(call, arguments[k].name);
    return TOSAJIT_OK;
}

tosajit_status tosajit_mlir_build(tosajit_mlir *module, size_t index,
                                  const tosajit_expr_options *options,
                                  tosajit_mlir_function **function) {
    const argument arguments[] = {{module, "module"}, {function, "function"}};
    tosajit_expr_options known;
    tosajit_status status =
        check_arguments("tosajit_mlir_build", arguments, sizeof arguments / sizeof *arguments);
    if (!status) status = options_take(&known, sizeof known, options, "tosajit_expr_options");
    if (status) return status;
    tosajit_mlir_function *f = calloc(1, sizeof *f);
    if (!f) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a function");
    status = tosa_file_build(mlir_module_file(module), index, options, &f->built);
    if (status) {
        free(f);
        return status;
    }
    f->index = index;
    f->state = mlir_module_state(module);
    *function = f;
    return TOSAJIT_OK;
}

void tosajit_mlir_function_release(tosajit_mlir_function *function) {
    if (!function) return;
    tosa_function_release(&function->built);
    free(function);
}

const tosajit_expr *tosajit_mlir_function_expr(const tosajit_mlir_function *function) {
    return function ? function->built.expr : NULL;
}

size_t tosajit_mlir_function_input_count(const tosajit_mlir_function *function) {
    return function ? function->built.input_count : 0;
}

size_t tosajit_mlir_function_result_count(const tosajit_mlir_function *function) {
    return function ? function->built.result_count : 0;
}

tosajit_value tosajit_mlir_function_input(const tosajit_mlir_function *function, size_t index) {
    return function && index < function->built.input_count ? function->built.inputs[index] : -1;
}

tosajit_value tosajit_mlir_function_result(const tosajit_mlir_function *function, size_t index) {
    return function && index < function->built.result_count ? function->built.results[index] : -1;
}

/* A function knows its values by operations that the module must still have. */
static tosajit_status check_state(const char *call, const tosajit_mlir *module,
                                  const tosajit_mlir_function *function) {
    if (function->state == mlir_module_state(module)) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT,
                      "%s: the function was not built from this module, or before it was outlined",
                      call);
}

tosajit_status tosajit_mlir_rename(const tosajit_mlir *module,
                                   const tosajit_mlir_function *function, const char *text,
                                   char **renamed) {
    const argument arguments[] = {
        {module, "module"}, {function, "function"}, {text, "text"}, {renamed, "renamed"}};
    tosajit_status status =
        check_arguments("tosajit_mlir_rename", arguments, sizeof arguments / sizeof *arguments);
    if (!status) status = check_state("tosajit_mlir_rename", module, function);
    if (status) return status;
    char *copy = tosa_file_rename(mlir_module_file((tosajit_mlir *)(uintptr_t)module),
                                  function->index, &function->built, text);
    if (!copy)
        return diag_error(TOSAJIT_OUT_OF_MEMORY,
                          "out of memory for a text with the names of values");
    *renamed = copy;
    return TOSAJIT_OK;
}

tosajit_status tosajit_mlir_report(tosajit_mlir *module, const tosajit_mlir_function *function,
                                   const char *message) {
    const argument arguments[] = {{module, "module"}, {function, "function"}, {message, "message"}};
    tosajit_status status =
        check_arguments("tosajit_mlir_report", arguments, sizeof arguments / sizeof *arguments);
    if (!status) status = check_state("tosajit_mlir_report", module, function);
    if (!status)
        tosa_file_report(mlir_module_file(module), function->index, &function->built, message);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * For hosts that know MLIR */

tosajit_status tosajit_mlir_type(void *mlir_type, tosajit_tensor_type *type) {
    const argument arguments[] = {{mlir_type, "mlir_type"}, {type, "type"}};
    tosajit_status status =
        check_arguments("tosajit_mlir_type", arguments, sizeof arguments / sizeof *arguments);
    if (status) return status;
    tosajit_tensor_type found;
    char why[TOSA_WHY];
    status = mlir_tensor_type((MlirType){mlir_type}, &found, why);
    if (status) return diag_error(status, "%s", why);
    *type = found;
    return TOSAJIT_OK;
}

tosajit_status tosajit_mlir_elements(void *mlir_attribute, tosajit_tensor_type *type,
                                     void **elements) {
    const argument arguments[] = {
        {mlir_attribute, "mlir_attribute"}, {type, "type"}, {elements, "elements"}};
    tosajit_status status =
        check_arguments("tosajit_mlir_elements", arguments, sizeof arguments / sizeof *arguments);
    if (status) return status;
    tosajit_tensor_type found;
    char why[TOSA_WHY];
    void *data;
    status = mlir_constant((MlirAttribute){mlir_attribute}, &found, &data, why);
    if (status) return diag_error(status, "%s", why);
    *type = found;
    *elements = data;
    return TOSAJIT_OK;
}

void tosajit_mlir_elements_release(void *elements) { free(elements); }

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text, and types. Out: a kernel, compiled without Python's lock. */
#include "tools/python/compile.h"

#include <stdlib.h>

#include "tools/python/errors.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

/* Dimensions that do not repeat need no decision at each call. Operands that a text declares in
 * front are its first values. */
static tosajit_status promise(tosajit_expr *expr, const compile_given *given) {
    const tosajit_contract several = {.smallest = 2};
    for (tosajit_value v = 0; v < given->apart_count; v++) {
        tosajit_tensor_type type;
        tosajit_status status = tosajit_expr_type(expr, v, &type);
        for (int32_t d = 0; !status && d < type.rank; d++)
            if (given->apart >> (type.rank - 1 - d) & 1 && type.dims[d] == TOSAJIT_DYNAMIC)
                status = tosajit_expr_contract(expr, v, d, &several);
        if (status) return status;
    }
    return TOSAJIT_OK;
}

tosajit_status compile_kernel(tosajit_engine *engine, const compile_given *given,
                              tosajit_kernel **kernel, size_t *reductions) {
    Py_ssize_t length = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(given->text, &length);
    tosajit_parse_options options = {.size = sizeof options};
    options.types = given->types;
    options.type_count = given->type_count;
    options.drop_axes = given->drop_axes;
    tosajit_expr *expr = NULL;
    tosajit_status status = tosajit_expr_parse(bytes, (size_t)length, &options, &expr);
    if (!status) status = promise(expr, given);
    if (!status && reductions) *reductions = tosajit_expr_reductions(expr);
    Py_BEGIN_ALLOW_THREADS if (!status) status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    Py_END_ALLOW_THREADS return status;
}

/* Types of a kernel's operands, with sizes where these are known. Names are the caller's. */
static tosajit_named_type *fitted_types(const kernel_object *k, const compile_fit *fit) {
    tosajit_named_type *types = calloc((size_t)k->operand_count + 1, sizeof *types);
    for (Py_ssize_t i = 0; types && i < k->operand_count; i++) {
        tosajit_tensor_type *type = &types[i].type;
        types[i].name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(k->names, i), NULL);
        type->element = k->tensors[i].element;
        type->rank = k->tensors[i].rank;
        for (int32_t d = 0; d < type->rank; d++) type->dims[d] = TOSAJIT_DYNAMIC;
        if (fit->columns[i]) type->dims[type->rank - 1] = fit->columns[i];
    }
    return types;
}

tosajit_kernel *compile_fitted(engine_object *e, const kernel_object *k, const compile_fit *fit) {
    engine_made *made = engine_use(e);
    tosajit_named_type *types = made ? fitted_types(k, fit) : NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_engine *engine = types ? engine_made_compiling(e->state, made, &e->options) : NULL;
    const compile_given given = {.text = k->text,
                                 .types = types,
                                 .type_count = (size_t)k->operand_count,
                                 .drop_axes = k->drops,
                                 .apart = fit->apart ? UINT32_MAX : 0,
                                 .apart_count = k->operand_count};
    if (engine && !compile_kernel(engine, &given, &kernel, NULL)) engine_note(e, kernel);
    PyErr_Clear();
    free(types);
    engine_made_leave(made);
    return kernel;
}

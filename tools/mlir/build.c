/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a function of MLIR besides operations: a type, and attributes of ours. MLIR's verifier
 * has not run. */
#include "tools/mlir/build.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/options.h"
#include "runtime/base/words.h"
#include "tools/mlir/describe.h"
#include "tools/mlir/graph.h"
#include "tools/mlir/report.h"
#include "tools/tosa/build.h"

typedef struct builder {
    mlir_report *report;
    MlirOperation function;
    MlirType signature;
    mlir_graph g;
} builder;

static bool fail(const builder *b, tosajit_status status, const char *format, ...)
    DIAG_FORMAT(3, 4);
static bool fail(const builder *b, tosajit_status status, const char *format, ...) {
    char text[DIAG_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mlir_report_error(b->report, status, mlirOperationGetLocation(b->function), "func.func: %s",
                      text);
    return false;
}

/* The library refused something. */
static bool accept(const builder *b, tosajit_status status) {
    return !status || fail(b, status, "%s", tosajit_last_error());
}

static bool read_signature(builder *b) {
    const MlirStringRef name = mlirStringRefCreateFromCString("function_type");
    const MlirAttribute type = mlirOperationGetAttributeByName(b->function, name);
    const MlirBlock block = mlir_block_of(b->function);
    if (mlirAttributeIsNull(type) || !mlirAttributeIsAType(type) ||
        !mlirTypeIsAFunction(mlirTypeAttrGetValue(type)))
        return fail(b, TOSAJIT_BAD_MODULE, "attribute function_type is missing");
    b->signature = mlirTypeAttrGetValue(type);
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
        return fail(b, TOSAJIT_BAD_MODULE, "has several blocks; straight-line functions only");
    if (mlirBlockGetNumArguments(block) != mlirFunctionTypeGetNumInputs(b->signature))
        return fail(b, TOSAJIT_BAD_MODULE,
                    "the body has another number of arguments than the function's type");
    for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); k++)
        if (!mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, k)),
                           mlirFunctionTypeGetInput(b->signature, k)))
            return fail(b, TOSAJIT_BAD_MODULE,
                        "argument %d has another type than in the function's type", (int)k);
    return true;
}

static void check_returned(tosa_graph *g, int k, MlirType given, MlirType declared) {
    mlir_phrase found = {0}, expected = {0};
    if (mlirTypeEqual(given, declared)) return;
    mlirTypePrint(given, mlir_phrase_append, &found);
    mlirTypePrint(declared, mlir_phrase_append, &expected);
    snprintf(g->problem, sizeof g->problem,
             "operand %d is %.160s, result %d of the function %.160s", k, found.text, k,
             expected.text);
}

/* The function must return values of its declared type. An error about that comes last, when the
 * rest has been read. */
static void check_end(builder *b) {
    tosa_graph *g = &b->g.graph;
    const MlirOperation end = b->g.ops[g->op_count];
    const intptr_t declared = mlirFunctionTypeGetNumResults(b->signature);
    const size_t count = g->outputs.count;
    if (mlirOperationIsNull(end) || !mlir_is_called(end, "func.return")) {
        snprintf(g->problem, sizeof g->problem, "does not end in func.return");
        return;
    }
    g->end = g->op_count;
    if (count != (size_t)declared)
        snprintf(g->problem, sizeof g->problem, "returns %zu value%s, the function's type has %d",
                 count, plural(count), (int)declared);
    for (intptr_t k = 0; !*g->problem && k < declared; k++)
        check_returned(g, (int)k, mlirValueGetType(mlirOperationGetOperand(end, k)),
                       mlirFunctionTypeGetResult(b->signature, k));
}

static bool read_contracts(const builder *b, const tosa_function *built, intptr_t argument) {
    const intptr_t count = mlir_contract_count(b->function, argument);
    for (intptr_t k = 0; k < count; k++) {
        tosajit_contract contract;
        int32_t dimension;
        if (!mlir_describe_contract(b->function, argument, k, &dimension, &contract))
            return fail(b, TOSAJIT_BAD_MODULE,
                        "argument %d: a contract is [dimension, smallest, largest, multiple]",
                        (int)argument);
        if (!accept(b, tosajit_expr_contract(built->expr, built->inputs[argument], dimension,
                                             &contract)))
            return false;
    }
    return count >= 0 ||
           fail(b, TOSAJIT_BAD_MODULE, "argument %d: tosajit.contract must be a list of contracts",
                (int)argument);
}

static bool build(builder *b, tosajit_expr_options *options, tosa_function *built) {
    if (!mlir_describe_accuracy(b->function, &options->accuracy))
        return fail(b, TOSAJIT_BAD_MODULE,
                    "attribute tosajit.accuracy must be \"exact\", \"reproducible\" or "
                    "\"contracted\"");
    if (!read_signature(b)) return false;
    if (!mlir_graph_open(&b->g, b->function, b->report, &mlir_reader))
        return fail(b, TOSAJIT_OUT_OF_MEMORY, "out of memory");
    check_end(b);
    if (!tosa_build(&b->g.graph, options, b->report->base, built)) return false;
    for (size_t k = 0; k < built->input_count; k++)
        if (!read_contracts(b, built, (intptr_t)k)) return false;
    return true;
}

bool mlir_build(MlirOperation function, const tosajit_expr_options *options, mlir_report *report,
                tosa_function *built) {
    builder b = {.report = report, .function = function};
    tosajit_expr_options own = {0};
    memset(built, 0, sizeof *built);
    bool fine = accept(&b, options_take(&own, sizeof own, options, "tosajit_expr_options"));
    own.size = sizeof own;
    fine = fine && build(&b, &own, built);
    mlir_graph_release(&b.g);
    if (!fine) tosa_function_release(built);
    return fine;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a function to an expression, op by op: which value is which, and what is wrong at which
 * place. What ops take is known to tools/tosa. MLIR's verifier has not run, so nothing about an op
 * is taken for granted. */
#include "tools/mlir/build.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/options.h"
#include "runtime/base/words.h"
#include "tools/mlir/describe.h"
#include "tools/mlir/pointer_map.h"
#include "tools/mlir/values.h"
#include "tools/tosa/op_hint.h"

enum {
    MOST_ERRORS = 20, /* of a function, until the rest is left unread */
    UNKNOWN = -1,     /* the node of a value that an error left without one */
};

typedef struct builder {
    mlir_report *report;
    tosa_function *built;
    pointer_map values;        /* MLIR values to nodes of the expression */
    MlirOperation op;          /* the one being read */
    tosa_op described;         /* the same */
    MlirType signature;        /* of the function */
    int errors;                /* that were reported */
    char first[DIAG_CAPACITY]; /* the first one: the last error of the call */
} builder;

/* One more error was reported: false. Nothing works when there is no memory. */
static bool fail(builder *b, tosajit_status status) {
    b->errors += status == TOSAJIT_OUT_OF_MEMORY ? MOST_ERRORS + 1 : 1;
    return false;
}

static bool fail_op_as(builder *b, tosajit_status status, const char *text) {
    mlir_report_error(b->report, status, mlirOperationGetLocation(b->op), "%s: %s",
                      b->described.name, text);
    return fail(b, status);
}

static bool fail_op(builder *b, const char *format, ...) {
    char text[DIAG_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_op_as(b, TOSAJIT_BAD_MODULE, text);
}

/* Repeat why a type or a constant was refused. */
static bool refuse_phrase(builder *b, const char *what, const mlir_phrase *why) {
    char text[512];
    snprintf(text, sizeof text, "%s%.300s", what, why->text);
    return fail_op_as(b, why->status, text);
}

/* Repeat what the library said. False unless status is OK. */
static bool accept(builder *b, tosajit_status status) {
    return status == TOSAJIT_OK || fail_op_as(b, status, tosa_bare_error());
}

static void begin(builder *b, MlirOperation op) {
    b->op = op;
    mlir_describe(op, &b->described);
}

static bool is_called(const builder *b, const char *name) {
    return strcmp(b->described.name, name) == 0;
}

static bool define(builder *b, MlirValue value, tosajit_value node) {
    return pointer_map_add(&b->values, value.ptr, node) ||
           fail_op_as(b, TOSAJIT_OUT_OF_MEMORY, "out of memory");
}

static MlirAttribute attribute_of(MlirOperation op, const char *name) {
    return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* The node of operand `index`. False also where an error, which has been reported, left it without
 * one. */
static bool find_operand(builder *b, intptr_t index, tosajit_value *value) {
    MlirValue operand = mlirOperationGetOperand(b->op, index);
    if (pointer_map_find(&b->values, operand.ptr, value)) return *value != UNKNOWN;
    if (mlirValueIsAOpResult(operand) && mlir_is_shape(mlirOpResultGetOwner(operand)))
        return fail_op(b, "operand %d is a shape; a tensor is expected", (int)index);
    return fail_op(b, "operand %d is used before it is defined", (int)index);
}

/* Of an op that has one. */
static bool describe_result(builder *b) {
    mlir_phrase why = {0};
    return mlir_tensor_type(mlirValueGetType(mlirOperationGetResult(b->op, 0)),
                            &b->described.result, &why) ||
           refuse_phrase(b, "result: ", &why);
}

/* The op is the next step, or was refused in words that name it. */
static bool finish(builder *b, tosajit_status status, tosajit_value value) {
    if (!status) return define(b, mlirOperationGetResult(b->op, 0), value);
    mlir_report_error(b->report, status, mlirOperationGetLocation(b->op), "%s",
                      tosajit_last_error());
    return fail(b, status);
}

static bool build_op(builder *b) {
    tosa_op *op = &b->described;
    tosajit_value value = UNKNOWN;
    tosajit_status status = tosa_check_counts(op);
    for (size_t k = 0, tensors = 0; !status && k < op->operand_count; k++)
        if (!tosa_shape_name(op, k) && !find_operand(b, (intptr_t)k, &op->operands[tensors++]))
            return false;
    if (!status && !describe_result(b)) return false;
    if (!status) status = tosa_add(b->built, op, &value);
    return finish(b, status, value);
}

/* tensor.cast changes what is known of a shape and no element: an identity with a declared result.
 */
static bool build_tensor_cast(builder *b) {
    b->described.op = TOSAJIT_OP_identity;
    return build_op(b);
}

/* Where a constant has its elements: arith.constant calls them value, as tosa.const did until
 * MLIR 20. Whether it does here is not to be seen: a property that MLIR does not know is lost in
 * parsing. */
static bool constant_elements(builder *b, MlirAttribute *elements) {
    const bool arith = is_called(b, "arith.constant");
    const char *name = arith ? "value" : "values";
    *elements = attribute_of(b->op, name);
    if (!mlirAttributeIsNull(*elements)) return true;
    return fail_op(b, "attribute %s is missing%s", name,
                   arith ? "" : "; where an older file says value, it must be renamed");
}

static bool build_constant(builder *b) {
    mlir_phrase why = {0};
    tosajit_tensor_type type;
    MlirAttribute attribute;
    tosajit_value value = UNKNOWN;
    tosajit_status status = tosa_check_counts(&b->described);
    if (status) return finish(b, status, value);
    if (!constant_elements(b, &attribute) || !describe_result(b)) return false;
    void *elements = mlir_constant(attribute, &type, &why);
    if (!elements) return refuse_phrase(b, "", &why);
    status = tosa_add_constant(b->built, &b->described, &type, elements, &value);
    return finish(b, status, value);
}

/* Who reads the shape has it as an attribute. */
static bool build_shape(builder *b) {
    return mlir_is_shape(b->op) || fail_op(b, "a constant has no operands, and one result");
}

static bool build_return(builder *b) {
    intptr_t count = mlirOperationGetNumOperands(b->op);
    intptr_t declared = mlirFunctionTypeGetNumResults(b->signature);
    if (count != declared)
        return fail_op(b, "returns %d value%s, the function's type has %d", (int)count,
                       plural(count), (int)declared);
    for (intptr_t k = 0; k < count; k++) {
        tosajit_value value;
        if (!mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(b->op, k)),
                           mlirFunctionTypeGetResult(b->signature, k)))
            return fail_op(b, "operand %d has another type than result %d of the function", (int)k,
                           (int)k);
        if (!find_operand(b, k, &value)) return false;
        if (!accept(b, tosa_function_result(b->built, value))) return false;
    }
    MlirOperation next = mlirOperationGetNextInBlock(b->op);
    return mlirOperationIsNull(next) || fail_op(b, "must be the last operation of the function");
}

/* An op that MLIR knows is another kind of op; one that it does not know may be misspelt. */
static bool refuse_op(builder *b) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(b->op));
    char hint[OP_HINT] = "";
    if (is_called(b, "tosa.custom"))
        return fail_op(b, "domain_name \"tosajit\" and as operator_name an extension, such as "
                          "\"sqrt\", make it an elementwise operation; others are unknown");
    if (!mlirContextIsRegisteredOperation(mlirOperationGetContext(b->op), name))
        op_hint(name.data, name.length, hint);
    return fail_op(b,
                   "not an elementwise operation of TOSA, which `tosajit ops` lists%s; outline "
                   "divides a function that has others",
                   hint);
}

static bool build_any(builder *b) {
    static const struct {
        const char *name;
        bool (*build)(builder *);
    } special[] = {
        {"func.return", build_return},      {"tosa.const", build_constant},
        {"arith.constant", build_constant}, {"tensor.cast", build_tensor_cast},
        {"tosa.const_shape", build_shape},
    };
    for (size_t k = 0; k < sizeof special / sizeof *special; k++)
        if (is_called(b, special[k].name)) return special[k].build(b);
    if (b->described.op == TOSAJIT_OP_COUNT) return refuse_op(b);
    bool plain =
        mlirOperationGetNumRegions(b->op) == 0 && mlirOperationGetNumSuccessors(b->op) == 0;
    return plain ? build_op(b) : fail_op(b, "must not have regions or successors");
}

/* ---------------------------------------------------------------------------------------------
 * The function */

static bool read_contracts(builder *b, MlirOperation function, intptr_t argument,
                           tosajit_value value) {
    const intptr_t count = mlir_contract_count(function, argument);
    for (intptr_t k = 0; k < count; k++) {
        tosajit_contract contract;
        int32_t dimension;
        if (!mlir_describe_contract(function, argument, k, &dimension, &contract))
            return fail_op(b, "argument %d: a contract is [dimension, smallest, largest, multiple]",
                           (int)argument);
        if (!accept(b, tosajit_expr_contract(b->built->expr, value, dimension, &contract)))
            return false;
    }
    return count >= 0 ||
           fail_op(b, "argument %d: tosajit.contract must be a list of contracts", (int)argument);
}

static bool build_inputs(builder *b, MlirOperation function, MlirBlock block) {
    intptr_t count = mlirBlockGetNumArguments(block);
    if (count != mlirFunctionTypeGetNumInputs(b->signature))
        return fail_op(b, "the body has another number of arguments than the function's type");
    for (intptr_t k = 0; k < count; k++) {
        MlirValue argument = mlirBlockGetArgument(block, k);
        mlir_phrase why = {0};
        tosajit_tensor_type type;
        tosajit_value value;
        if (!mlirTypeEqual(mlirValueGetType(argument), mlirFunctionTypeGetInput(b->signature, k)))
            return fail_op(b, "argument %d has another type than in the function's type", (int)k);
        if (!mlir_tensor_type(mlirValueGetType(argument), &type, &why)) {
            mlir_report_error(b->report, why.status, mlirValueGetLocation(argument),
                              "argument %d: %.300s", (int)k, why.text);
            return false;
        }
        tosajit_status status = tosa_function_input(b->built, &type, &value);
        if (status) {
            mlir_report_error(b->report, status, mlirValueGetLocation(argument), "%s",
                              tosa_bare_error());
            return false;
        }
        if (!read_contracts(b, function, k, value) || !define(b, argument, value)) return false;
    }
    return true;
}

/* An op was refused. Its results become inputs of the declared types, so that what reads them is
 * checked, too: all errors of a function are found in one go. False where that makes no sense. */
static bool go_on(builder *b) {
    if (b->first[0] == '\0') memcpy(b->first, tosajit_private_message, sizeof b->first);
    if (b->errors == MOST_ERRORS)
        mlir_report_error(b->report, TOSAJIT_BAD_MODULE, mlirOperationGetLocation(b->op),
                          "after %d errors the rest of the function is not read", MOST_ERRORS);
    if (b->report->silent || b->errors >= MOST_ERRORS) return false;
    for (intptr_t k = 0; k < mlirOperationGetNumResults(b->op); k++) {
        MlirValue result = mlirOperationGetResult(b->op, k);
        mlir_phrase why = {0};
        tosajit_tensor_type type;
        tosajit_value value = UNKNOWN;
        if (mlir_tensor_type(mlirValueGetType(result), &type, &why) &&
            tosajit_expr_input(b->built->expr, &type, &value))
            value = UNKNOWN;
        if (!pointer_map_find(&b->values, result.ptr, NULL) && !define(b, result, value))
            return false;
    }
    return true;
}

static bool build_ops(builder *b, MlirOperation function, MlirBlock block) {
    bool returned = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        begin(b, op);
        if (!build_any(b) && !go_on(b)) return false;
        returned = is_called(b, "func.return");
    }
    begin(b, function);
    return (returned || fail_op(b, "does not end in func.return")) && b->errors == 0;
}

static bool build_body(builder *b, MlirOperation function) {
    MlirAttribute type = attribute_of(function, "function_type");
    if (mlirAttributeIsNull(type) || !mlirAttributeIsAType(type) ||
        !mlirTypeIsAFunction(mlirTypeAttrGetValue(type)))
        return fail_op(b, "attribute function_type is missing");
    b->signature = mlirTypeAttrGetValue(type);
    if (mlirFunctionTypeGetNumResults(b->signature) == 0)
        return fail_op(b, "has no results; a kernel computes at least one");
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
        return fail_op(b, "has several blocks; straight-line functions only");
    return build_inputs(b, function, block) && build_ops(b, function, block);
}

static bool read_accuracy(builder *b, MlirOperation function, tosajit_accuracy *accuracy) {
    return mlir_describe_accuracy(function, accuracy) ||
           fail_op(b, "attribute tosajit.accuracy must be \"exact\" or \"fast\"");
}

bool mlir_build(MlirOperation function, const tosajit_expr_options *options, mlir_report *report,
                tosa_function *built) {
    builder b = {.report = report, .built = built};
    tosajit_expr_options own = {0};
    memset(built, 0, sizeof *built);
    begin(&b, function);
    bool fine = accept(&b, options_take(&own, sizeof own, options, "tosajit_expr_options"));
    own.size = sizeof own;
    fine = fine && read_accuracy(&b, function, &own.accuracy) &&
           accept(&b, tosajit_expr_create(&own, &built->expr));
    fine = fine && build_body(&b, function);
    if (b.first[0]) memcpy(tosajit_private_message, b.first, sizeof b.first);
    pointer_map_release(&b.values);
    if (!fine) tosa_function_release(built);
    return fine;
}

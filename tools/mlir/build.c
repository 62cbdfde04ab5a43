/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a function to an expression, op by op. MLIR's verifier has not run, so nothing about an op
 * is taken for granted: operand counts, attributes and types are checked here, shapes and element
 * types by the library. */
#include "tools/mlir/build.h"

#include <inttypes.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/options.h"
#include "tools/mlir/op_columns.h"
#include "tools/mlir/op_hint.h"
#include "tools/mlir/op_of.h"
#include "runtime/base/escape.h"
#include "runtime/base/words.h"
#include "tools/mlir/values.h"
#include "tools/mlir/pointer_map.h"
#include "tools/mlir/value_names.h"

enum {
    NAME_CAPACITY = 128,
    MOST_ERRORS = 20, /* of a function, until the rest is left unread */
    UNKNOWN = -1,     /* the node of a value that an error left without one */
};

typedef struct builder {
    mlir_report *report;
    mlir_function *built;
    tosajit_expr *expr;        /* built's */
    pointer_map values;        /* MLIR values to nodes of expr */
    MlirOperation op;          /* the one being read */
    MlirType signature;        /* of the function */
    char name[NAME_CAPACITY];  /* of op */
    int errors;                /* that were reported */
    char first[DIAG_CAPACITY]; /* the first one: the last error of the call */
} builder;

static bool fail_op_as(builder *b, tosajit_status status, const char *text) {
    mlir_report_error(b->report, status, mlirOperationGetLocation(b->op), "%s: %s", b->name, text);
    b->errors += status == TOSAJIT_OUT_OF_MEMORY ? MOST_ERRORS + 1 : 1; /* nothing works then */
    return false;
}

static bool fail_op(builder *b, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_op_as(b, TOSAJIT_BAD_MODULE, text);
}

static bool fail_op_memory(builder *b) {
    return fail_op_as(b, TOSAJIT_OUT_OF_MEMORY, "out of memory");
}

/* Repeat why a type or a constant was refused. */
static bool refuse_phrase(builder *b, const char *what, const mlir_phrase *why) {
    char text[512];
    snprintf(text, sizeof text, "%s%.300s", what, why->text);
    return fail_op_as(b, why->status, text);
}

/* Repeat what the library said, beginning with the name of the op. False unless status is OK. */
static bool accept(builder *b, tosajit_status status) {
    if (status == TOSAJIT_OK) return true;
    const char *message = value_names_bare_error();
    size_t length = strlen(b->name);
    if (strncmp(message, b->name, length) == 0 && message[length] == ':') message += length + 1;
    while (*message == ' ') message++;
    return fail_op_as(b, status, message);
}

static void remember_name(builder *b, MlirOperation op) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    /* With a 0 inside it must not pass for another op. */
    escape_name(name.data, name.length, b->name, sizeof b->name);
    b->op = op;
}

static bool define(builder *b, MlirValue value, tosajit_value node) {
    return pointer_map_add(&b->values, value.ptr, node) || fail_op_memory(b);
}

static MlirAttribute attribute_of(MlirOperation op, const char *name) {
    return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

/* ---------------------------------------------------------------------------------------------
 * Attributes. One reader per op that has any. What TOSA has as operands of the op (a mul's shift)
 * are the library's parameters. */

/* A flag that is false where it is missing. */
static bool read_flag(builder *b, const char *name, uint8_t *flag) {
    MlirAttribute attribute = attribute_of(b->op, name);
    if (mlirAttributeIsNull(attribute)) return true;
    if (mlirAttributeIsAUnit(attribute))
        *flag = 1;
    else if (mlirAttributeIsABool(attribute))
        *flag = mlirBoolAttrGetValue(attribute);
    else
        return fail_op(b, "attribute %s must be true or false", name);
    return true;
}

/* #tosa.nan_mode<IGNORE>: the C API cannot look into the attributes of a dialect, but it can print
 * them. False if the attribute is missing or not TOSA's. */
static bool print_tosa_attribute(const builder *b, const char *name, mlir_phrase *text) {
    MlirAttribute attribute = attribute_of(b->op, name);
    if (mlirAttributeIsNull(attribute)) return false;
    MlirDialect dialect = mlirAttributeGetDialect(attribute);
    if (!mlirStringRefEqual(mlirDialectGetNamespace(dialect),
                            mlirStringRefCreateFromCString("tosa")))
        return false;
    mlirAttributePrint(attribute, mlir_phrase_append, text);
    return true;
}

static bool read_nan_mode(builder *b, tosajit_attributes *attributes) {
    mlir_phrase text = {0};
    if (mlirAttributeIsNull(attribute_of(b->op, "nan_mode"))) return true;
    if (!print_tosa_attribute(b, "nan_mode", &text))
        return fail_op(b, "attribute nan_mode must be PROPAGATE or IGNORE");
    bool ignore = strstr(text.text, "IGNORE") != NULL;
    if (!ignore && !strstr(text.text, "PROPAGATE"))
        return fail_op(b, "attribute nan_mode must be PROPAGATE or IGNORE, not %.80s", text.text);
    attributes->nan_mode = ignore ? TOSAJIT_NAN_IGNORE : TOSAJIT_NAN_PROPAGATE;
    return true;
}

static bool read_bound(builder *b, const char *name, tosajit_scalar *bound) {
    MlirAttribute attribute = attribute_of(b->op, name);
    if (mlirAttributeIsNull(attribute)) return fail_op(b, "attribute %s is missing", name);
    bool integer = mlirAttributeIsAInteger(attribute);
    if (!integer && !mlirAttributeIsAFloat(attribute))
        return fail_op(b, "attribute %s must be a number", name);
    MlirType element =
        mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetOperand(b->op, 0)));
    /* Both print in a few letters: numbers have plain types. */
    if (!mlirTypeEqual(mlirAttributeGetType(attribute), element)) {
        mlir_phrase found = {0}, expected = {0};
        mlirTypePrint(mlirAttributeGetType(attribute), mlir_phrase_append, &found);
        mlirTypePrint(element, mlir_phrase_append, &expected);
        return fail_op(b, "attribute %s has type %.80s, the elements have %.80s", name, found.text,
                       expected.text);
    }
    if (integer)
        bound->i = mlirIntegerAttrGetValueInt(attribute);
    else
        bound->f = mlirFloatAttrGetValueDouble(attribute);
    return true;
}

static bool read_limits(builder *b, tosajit_attributes *attributes) {
    return read_bound(b, "min_val", &attributes->min_val) &&
           read_bound(b, "max_val", &attributes->max_val) && read_nan_mode(b, attributes);
}

static bool read_round(builder *b, tosajit_attributes *attributes) {
    return read_flag(b, "round", &attributes->round);
}

static bool read_input_unsigned(builder *b, tosajit_attributes *attributes) {
    return read_flag(b, "input_unsigned", &attributes->input_unsigned);
}

static bool read_rounding_mode(builder *b, tosajit_attributes *attributes) {
    static const struct {
        const char *name;
        tosajit_rounding_mode mode;
    } modes[] = {{"SINGLE_ROUND", TOSAJIT_SINGLE_ROUND},
                 {"INEXACT_ROUND", TOSAJIT_INEXACT_ROUND},
                 {"DOUBLE_ROUND", TOSAJIT_DOUBLE_ROUND}};
    mlir_phrase text = {0};
    if (!print_tosa_attribute(b, "rounding_mode", &text))
        return fail_op(
            b, "attribute rounding_mode must be SINGLE_ROUND, INEXACT_ROUND or DOUBLE_ROUND");
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (strstr(text.text, modes[k].name)) {
            attributes->rounding_mode = modes[k].mode;
            return true;
        }
    return fail_op(
        b, "attribute rounding_mode must be SINGLE_ROUND, INEXACT_ROUND or DOUBLE_ROUND, not %.80s",
        text.text);
}

static bool read_scaling(builder *b, tosajit_attributes *attributes) {
    return read_flag(b, "scale32", &attributes->scale32) &&
           read_flag(b, "per_channel", &attributes->per_channel) &&
           read_flag(b, "input_unsigned", &attributes->input_unsigned) &&
           read_flag(b, "output_unsigned", &attributes->output_unsigned) &&
           read_rounding_mode(b, attributes);
}

/* By the attributes that ops take; parameters are operands. The operands are known to be tensors of
 * a known element type. */
typedef struct op_reading {
    unsigned takes; /* TAKES_* */
    bool (*read)(builder *, tosajit_attributes *);
} op_reading;

static const op_reading readings[] = {
    {TAKES_LIMITS, read_limits},   {TAKES_NAN_MODE, read_nan_mode},
    {TAKES_ROUND, read_round},     {TAKES_UNSIGNED, read_input_unsigned},
    {TAKES_SCALING, read_scaling},
};

static bool read_attributes(builder *b, tosajit_op op, tosajit_attributes *attributes) {
    for (size_t k = 0; k < sizeof readings / sizeof *readings; k++)
        if (readings[k].takes & op_columns_of[op].takes) return readings[k].read(b, attributes);
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* The node of operand `index`. False also where an error, which has been reported, left it without
 * one. */
static bool find_operand(builder *b, intptr_t index, tosajit_value *value) {
    MlirValue operand = mlirOperationGetOperand(b->op, index);
    if (pointer_map_find(&b->values, operand.ptr, value)) return *value != UNKNOWN;
    return fail_op(b, "operand %d is used before it is defined", (int)index);
}

static bool result_type(builder *b, tosajit_tensor_type *type) {
    mlir_phrase why = {0};
    intptr_t count = mlirOperationGetNumResults(b->op);
    if (count != 1) return fail_op(b, "has %d result%s, 1 expected", (int)count, plural(count));
    return mlir_tensor_type(mlirValueGetType(mlirOperationGetResult(b->op, 0)), type, &why) ||
           refuse_phrase(b, "result: ", &why);
}

/* Remember a value, of which step says how it was made. */
static bool add_step(builder *b, const mlir_step *step) {
    mlir_function *f = b->built;
    if (!mlir_function_reserve(f)) return fail_op_memory(b);
    f->steps[f->step_count] = *step;
    f->steps[f->step_count++].origin = b->op.ptr;
    return true;
}

static bool add_op(builder *b, mlir_step *step) {
    return accept(b, tosajit_expr_op(b->expr, step->op, step->operands, step->operand_count,
                                     &step->attributes, &step->type, &step->value)) &&
           add_step(b, step);
}

/* Add op with its operands, 0 to count - 1, and define the MLIR result. */
static bool add_node(builder *b, tosajit_op op, int count, const tosajit_attributes *attributes,
                     const tosajit_tensor_type *type) {
    mlir_step step = {
        .op = op, .operand_count = (size_t)count, .attributes = *attributes, .type = *type};
    for (int k = 0; k < count; k++)
        if (!find_operand(b, k, &step.operands[k])) return false;
    return add_op(b, &step) && define(b, mlirOperationGetResult(b->op, 0), step.value);
}

static bool build_op(builder *b, tosajit_op op) {
    int arity = tosajit_op_arity(op), parameters = tosajit_op_parameters(op, NULL),
        count = arity + parameters;
    tosajit_attributes attributes = {0};
    tosajit_tensor_type type;
    intptr_t found = mlirOperationGetNumOperands(b->op);
    if (found != count && parameters > 0)
        return fail_op(b, "has %d operand%s; %d expected: %d tensor%s and %d parameter%s",
                       (int)found, plural(found), count, arity, plural(arity), parameters,
                       plural(parameters));
    if (found != count)
        return fail_op(b, "has %d operand%s; %d expected: %d tensor%s", (int)found, plural(found),
                       count, arity, plural(arity));
    tosajit_value ignored;
    /* Defined values are tensors, which the attribute readers rely on. */
    for (int k = 0; k < count; k++)
        if (!find_operand(b, k, &ignored)) return false;
    return result_type(b, &type) && read_attributes(b, op, &attributes) &&
           add_node(b, op, count, &attributes, &type);
}

/* Where a constant has its elements: arith.constant calls them value, as tosa.const did until
 * MLIR 20. Whether it does here is not to be seen: a property that MLIR does not know is lost in
 * parsing. */
static bool constant_elements(builder *b, MlirAttribute *elements) {
    bool arith = strcmp(b->name, "arith.constant") == 0;
    const char *name = arith ? "value" : "values";
    *elements = attribute_of(b->op, name);
    if (!mlirAttributeIsNull(*elements)) return true;
    return fail_op(b, "attribute %s is missing%s", name,
                   arith ? "" : "; where an older file says value, it must be renamed");
}

/* Whether a result may be declared so: as the elements' type, or less precisely, as tensor<?xf32>.
 */
static bool declares(const tosajit_tensor_type *declared, const tosajit_tensor_type *type) {
    if (declared->element != type->element) return false;
    bool same = declared->rank == type->rank;
    for (int32_t d = 0; same && d < type->rank; d++)
        same = declared->dims[d] == TOSAJIT_DYNAMIC || declared->dims[d] == type->dims[d];
    return same || declared->rank == TOSAJIT_UNRANKED;
}

static bool refuse_declared(builder *b, const tosajit_tensor_type *declared,
                            const tosajit_tensor_type *type) {
    char result[512], found[512]; /* 16 dimensions of 20 characters fit */
    tosajit_type_print(declared, result, sizeof result);
    tosajit_type_print(type, found, sizeof found);
    return fail_op(b, "the values are %s, but the result is %s", found, result);
}

static bool build_constant(builder *b, tosajit_op op) {
    (void)op;
    mlir_phrase why = {0};
    tosajit_tensor_type declared, type;
    MlirAttribute attribute;
    const intptr_t operands = mlirOperationGetNumOperands(b->op);
    if (operands) return fail_op(b, "a constant has no operands, this one has %d", (int)operands);
    if (!constant_elements(b, &attribute) || !result_type(b, &declared)) return false;
    mlir_step step = {.op = TOSAJIT_OP_COUNT};
    step.data = mlir_constant(attribute, &type, &why);
    if (!step.data) return refuse_phrase(b, "", &why);
    if (!declares(&declared, &type)) {
        free(step.data);
        return refuse_declared(b, &declared, &type);
    }
    step.type = type;
    bool fine = accept(b, tosajit_expr_constant(b->expr, &type, step.data, &step.value)) &&
                add_step(b, &step);
    if (!fine) {
        free(step.data);
        return false;
    }
    MlirValue result = mlirOperationGetResult(b->op, 0);
    if (mlirTypeEqual(mlirAttributeGetType(attribute), mlirValueGetType(result)))
        return define(b, result, step.value);
    /* A result declared less precisely than the values, as tensor<?xf32>, is a change of type only.
     */
    mlir_step change = {
        .op = TOSAJIT_OP_identity, .operand_count = 1, .operands = {step.value}, .type = declared};
    return add_op(b, &change) && define(b, result, change.value);
}

/* tensor.cast changes what is known of a shape and no element: an identity with a declared result.
 */
static bool build_tensor_cast(builder *b, tosajit_op op) {
    const tosajit_attributes attributes = {0};
    tosajit_tensor_type type;
    intptr_t found = mlirOperationGetNumOperands(b->op);
    if (found != 1) return fail_op(b, "has %d operand%s, 1 expected", (int)found, plural(found));
    return result_type(b, &type) && add_node(b, op, 1, &attributes, &type);
}

static bool build_return(builder *b, tosajit_op op) {
    (void)op;
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
        if (!accept(b, tosajit_expr_result(b->expr, value))) return false;
        if (b->built->result_count == TOSAJIT_MAX_TENSORS)
            return fail_op(b, "returns more than %d values", TOSAJIT_MAX_TENSORS);
        b->built->results[b->built->result_count++] = value;
    }
    MlirOperation next = mlirOperationGetNextInBlock(b->op);
    return mlirOperationIsNull(next) || fail_op(b, "must be the last operation of the function");
}

/* An op that MLIR knows is another kind of op; one that it does not know may be misspelt. */
static bool refuse_op(builder *b) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(b->op));
    char hint[OP_HINT] = "";
    if (strcmp(b->name, "tosa.custom") == 0)
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
        bool (*build)(builder *, tosajit_op);
        tosajit_op op;
    } special[] = {
        {"func.return", build_return, TOSAJIT_OP_COUNT},
        {"tosa.const", build_constant, TOSAJIT_OP_COUNT},
        {"arith.constant", build_constant, TOSAJIT_OP_COUNT},
        {"tensor.cast", build_tensor_cast, TOSAJIT_OP_identity},
    };
    for (size_t k = 0; k < sizeof special / sizeof *special; k++)
        if (strcmp(b->name, special[k].name) == 0) return special[k].build(b, special[k].op);
    const tosajit_op op = mlir_op_of(b->op);
    if (op == TOSAJIT_OP_COUNT) return refuse_op(b);
    bool plain =
        mlirOperationGetNumRegions(b->op) == 0 && mlirOperationGetNumSuccessors(b->op) == 0;
    if (!plain) return fail_op(b, "must not have regions or successors");
    return build_op(b, op);
}

/* ---------------------------------------------------------------------------------------------
 * The function */

/* The integers of an array attribute; false unless there are `count`. */
static bool read_integers(MlirAttribute array, intptr_t count, int64_t *values) {
    if (!mlirAttributeIsAArray(array) || mlirArrayAttrGetNumElements(array) != count) return false;
    for (intptr_t k = 0; k < count; k++) {
        MlirAttribute element = mlirArrayAttrGetElement(array, k);
        if (!mlirAttributeIsAInteger(element)) return false;
        values[k] = mlirIntegerAttrGetValueInt(element);
    }
    return true;
}

/* tosajit.contract = [[dimension, smallest, largest, multiple], ...], which tosajit_expr_print
 * writes. */
static bool read_contracts(builder *b, MlirOperation function, intptr_t argument,
                           tosajit_value value) {
    enum { DIMENSION, SMALLEST, LARGEST, MULTIPLE, NUMBERS };
    MlirAttribute all = attribute_of(function, "arg_attrs"), contracts = {NULL};
    if (!mlirAttributeIsNull(all) && mlirAttributeIsAArray(all) &&
        argument < mlirArrayAttrGetNumElements(all)) {
        MlirAttribute own = mlirArrayAttrGetElement(all, argument);
        if (mlirAttributeIsADictionary(own))
            contracts = mlirDictionaryAttrGetElementByName(
                own, mlirStringRefCreateFromCString("tosajit.contract"));
    }
    if (mlirAttributeIsNull(contracts)) return true;
    intptr_t count = mlirAttributeIsAArray(contracts) ? mlirArrayAttrGetNumElements(contracts) : 0;
    for (intptr_t k = 0; k < count; k++) {
        int64_t n[NUMBERS];
        bool fine = read_integers(mlirArrayAttrGetElement(contracts, k), NUMBERS, n) &&
                    n[DIMENSION] >= 0 && n[DIMENSION] < TOSAJIT_MAX_RANK;
        if (!fine)
            return fail_op(b, "argument %d: a contract is [dimension, smallest, largest, multiple]",
                           (int)argument);
        tosajit_contract contract = {
            .smallest = n[SMALLEST], .largest = n[LARGEST], .multiple = n[MULTIPLE]};
        if (!accept(b, tosajit_expr_contract(b->expr, value, (int32_t)n[DIMENSION], &contract)))
            return false;
    }
    return count > 0 ||
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
        tosajit_status status = tosajit_expr_input(b->expr, &type, &value);
        if (status) {
            mlir_report_error(b->report, status, mlirValueGetLocation(argument), "%s",
                              value_names_bare_error());
            return false;
        }
        if (b->built->input_count == TOSAJIT_MAX_TENSORS)
            return fail_op(b, "has more than %d arguments", TOSAJIT_MAX_TENSORS);
        b->built->inputs[b->built->input_count++] = value;
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
            tosajit_expr_input(b->expr, &type, &value))
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
        remember_name(b, op);
        if (!build_any(b) && !go_on(b)) return false;
        returned = strcmp(b->name, "func.return") == 0;
    }
    remember_name(b, function);
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

/* tosajit.accuracy = "fast" or "exact" of the function, which tosajit_expr_print writes. */
static bool read_accuracy(builder *b, MlirOperation function, tosajit_accuracy *accuracy) {
    MlirAttribute attribute = attribute_of(function, "tosajit.accuracy");
    if (mlirAttributeIsNull(attribute)) return true;
    bool text = mlirAttributeIsAString(attribute);
    bool fast = text && mlirStringRefEqual(mlirStringAttrGetValue(attribute),
                                           mlirStringRefCreateFromCString("fast"));
    bool exact = text && mlirStringRefEqual(mlirStringAttrGetValue(attribute),
                                            mlirStringRefCreateFromCString("exact"));
    if (fast) *accuracy = TOSAJIT_FAST;
    return fast || exact || fail_op(b, "attribute tosajit.accuracy must be \"exact\" or \"fast\"");
}

bool mlir_build(MlirOperation function, const tosajit_expr_options *options, mlir_report *report,
                mlir_function *built) {
    builder b = {.report = report, .built = built};
    tosajit_expr_options own = {0};
    memset(built, 0, sizeof *built);
    remember_name(&b, function);
    bool fine = accept(&b, options_take(&own, sizeof own, options, "tosajit_expr_options"));
    own.size = sizeof own;
    fine = fine && read_accuracy(&b, function, &own.accuracy) &&
           accept(&b, tosajit_expr_create(&own, &built->expr));
    b.expr = built->expr;
    fine = fine && build_body(&b, function);
    if (b.first[0]) memcpy(tosajit_private_message, b.first, sizeof b.first);
    pointer_map_release(&b.values);
    if (!fine) mlir_function_release(built);
    return fine;
}

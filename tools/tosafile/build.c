/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operator by operator: which tensor is which value, and what is wrong where. What ops take is
 * known to tools/tosa. */
#include "tools/tosafile/build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/escape.h"
#include "tools/tosa/op.h"
#include "tools/tosafile/describe.h"
#include "tools/tosafile/values.h"

enum {
    MOST_ERRORS = 20,           /* of a function, until the rest is left unread */
    UNDEFINED = FILE_UNDEFINED, /* a tensor that nobody has given so far */
    UNKNOWN = -1,               /* one that an error left without a value */
    NAME = 200,
};

typedef struct builder {
    const file_graph *g;
    file_report *report;
    tosa_function *built;
    tosajit_value *values; /* per tensor */
    int32_t op;            /* the one being read, or FILE_BLOCK */
    tosa_op described;     /* the same */
    int errors;
    char first[DIAG_CAPACITY]; /* the first one: the last error of the call */
} builder;

/* One more error: false. Nothing works when there is no memory. */
static bool fail(builder *b, tosajit_status status, const char *text) {
    file_report_error(b->report, status, b->g, b->op, "%s", text);
    b->errors += status == TOSAJIT_OUT_OF_MEMORY ? MOST_ERRORS + 1 : 1;
    return false;
}

static bool fail_op(builder *b, tosajit_status status, const char *format, ...) DIAG_FORMAT(3, 4);
static bool fail_op(builder *b, tosajit_status status, const char *format, ...) {
    char text[DIAG_CAPACITY], all[DIAG_CAPACITY + TOSA_NAME + 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(all, sizeof all, "%s: %s", b->described.name, text);
    return fail(b, status, all);
}

static const char *show(flat_text name, char shown[NAME]) {
    escape_name(name.bytes, name.length, shown, NAME);
    return shown;
}

/* ---------------------------------------------------------------------------------------------
 * Operators */

/* False also where an error, which has been reported, left the operand without a value. */
static bool find_operand(builder *b, const flat_operator *op, size_t index, tosajit_value *value) {
    char shown[NAME];
    const flat_text name = flat_text_at(op->inputs, index);
    const int32_t found = file_graph_find(b->g, name);
    if (found < 0)
        return fail_op(b, TOSAJIT_BAD_MODULE, "operand %zu, %s, is no tensor of this block", index,
                       show(name, shown));
    if (!file_graph_is_tensor(b->g, found))
        return fail_op(b, TOSAJIT_BAD_MODULE, "operand %zu, %s, is a shape; a tensor is expected",
                       index, show(name, shown));
    *value = b->values[found];
    if (*value == UNDEFINED)
        return fail_op(b, TOSAJIT_BAD_MODULE, "operand %zu, %s, is %s", index, show(name, shown),
                       file_graph_is_variable(b->g, found) ? "a variable, which the host keeps"
                                                           : "given by nothing");
    return *value != UNKNOWN;
}

/* The tensor that an operator of one result gives. */
static bool find_result(builder *b, const flat_operator *op, flat_tensor *tensor, int32_t *number) {
    char shown[NAME], reason[VALUE_REASON];
    const flat_text name = flat_text_at(op->outputs, 0);
    *number = file_graph_find(b->g, name);
    if (!file_graph_is_tensor(b->g, *number))
        return fail_op(b, TOSAJIT_BAD_MODULE, "its result, %s, is %s", show(name, shown),
                       *number < 0 ? "no tensor of this block" : "a shape; a tensor is expected");
    if (file_graph_is_variable(b->g, *number))
        return fail_op(b, TOSAJIT_BAD_MODULE, "its result, %s, is a variable, which the host keeps",
                       show(name, shown));
    *tensor = flat_tensor_at(b->g->block.tensors, (size_t)*number);
    const tosajit_status status = file_tensor_type(tensor, &b->described.result, reason);
    return !status || fail_op(b, status, "result: %s", reason);
}

/* The op is the next step, or was refused in words that name it. */
static bool finish(builder *b, tosajit_status status, int32_t number, tosajit_value value) {
    if (status) return fail(b, status, tosajit_last_error());
    b->values[number] = value;
    return true;
}

static bool build_op(builder *b, const flat_operator *op) {
    tosajit_value value = UNKNOWN;
    flat_tensor tensor;
    int32_t number = -1;
    tosajit_status status = tosa_check_counts(&b->described);
    for (size_t k = 0, tensors = 0; !status && k < op->inputs.count; k++)
        if (!tosa_shape_name(&b->described, k) &&
            !find_operand(b, op, k, &b->described.operands[tensors++]))
            return false;
    if (!status && !find_result(b, op, &tensor, &number)) return false;
    if (!status) status = tosa_add(b->built, &b->described, &value);
    return finish(b, status, number, value);
}

static bool build_constant(builder *b, const flat_operator *op) {
    char reason[VALUE_REASON];
    void *elements = NULL;
    flat_tensor tensor;
    int32_t number = -1;
    tosajit_value value = UNKNOWN;
    tosajit_status status = tosa_check_counts(&b->described);
    if (status) return finish(b, status, number, value);
    if (!find_result(b, op, &tensor, &number)) return false;
    if (b->values[number] != UNDEFINED) return true; /* an input stands for it */
    status = file_constant(b->g, &tensor, &b->described.result, &elements, reason);
    if (status) return fail_op(b, status, "%s", reason);
    status = tosa_add_constant(b->built, &b->described, &b->described.result, elements, &value);
    return finish(b, status, number, value);
}

static bool build_any(builder *b) {
    const flat_operator op = file_graph_operator(b->g, b->op);
    file_describe(b->g, b->op, &b->described);
    if (strcmp(b->described.name, "tosa.const") == 0) return build_constant(b, &op);
    if (strcmp(b->described.name, "tosa.const_shape") == 0) return true; /* see tosa_shape_name */
    if (b->described.op != TOSAJIT_OP_COUNT) return build_op(b, &op);
    if (strcmp(b->described.name, "tosa.custom") == 0)
        return fail_op(b, TOSAJIT_BAD_MODULE,
                       "domain_name \"tosajit\" and as operator_name an extension, such as "
                       "\"sqrt\", make it an elementwise operation; others are unknown");
    return fail_op(b, TOSAJIT_BAD_MODULE,
                   "not an elementwise operation of TOSA, which `tosajit ops` lists; outline "
                   "divides a function that has others");
}

/* An operator was refused. Its results become inputs of the declared types, so that what reads them
 * is checked, too: all errors of a function are found in one go. False where that makes no sense.
 */
static bool go_on(builder *b) {
    const flat_list outputs = file_graph_operator(b->g, b->op).outputs;
    if (b->first[0] == '\0') memcpy(b->first, tosajit_private_message, sizeof b->first);
    if (b->errors == MOST_ERRORS)
        file_report_error(b->report, TOSAJIT_BAD_MODULE, b->g, b->op,
                          "after %d errors the rest of the function is not read", MOST_ERRORS);
    if (b->report->silent || b->errors >= MOST_ERRORS) return false;
    for (size_t k = 0; k < outputs.count; k++) {
        char reason[VALUE_REASON];
        const int32_t found = file_graph_find(b->g, flat_text_at(outputs, k));
        tosajit_tensor_type type;
        tosajit_value value;
        if (!file_graph_is_tensor(b->g, found) || b->values[found] != UNDEFINED) continue;
        const flat_tensor tensor = flat_tensor_at(b->g->block.tensors, (size_t)found);
        const bool known = !file_tensor_type(&tensor, &type, reason) &&
                           !tosajit_expr_input(b->built->expr, &type, &value);
        b->values[found] = known ? value : UNKNOWN;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The function */

static bool build_inputs(builder *b, const file_part *part) {
    for (size_t k = 0; k < part->input_count; k++) {
        char reason[VALUE_REASON], shown[NAME];
        if (!file_graph_is_tensor(b->g, part->inputs[k])) /* a shape that no constant gives */
            return fail_op(b, TOSAJIT_BAD_MODULE, "input %zu is no tensor of this block", k);
        const flat_tensor tensor = flat_tensor_at(b->g->block.tensors, (size_t)part->inputs[k]);
        tosajit_tensor_type type;
        if (b->values[part->inputs[k]] != UNDEFINED)
            return fail_op(b, TOSAJIT_BAD_MODULE, "%s is an input twice", show(tensor.name, shown));
        tosajit_status status = file_tensor_type(&tensor, &type, reason);
        if (status)
            return fail_op(b, status, "input %zu, %s: %s", k, show(tensor.name, shown), reason);
        status = tosa_function_input(b->built, &type, &b->values[part->inputs[k]]);
        if (status) return fail(b, status, tosa_bare_error());
    }
    return true;
}

static bool build_outputs(builder *b, const file_part *part) {
    for (size_t k = 0; k < part->output_count; k++) {
        char shown[NAME];
        const tosajit_value value = b->values[part->outputs[k]];
        if (value == UNDEFINED)
            return fail_op(
                b, TOSAJIT_BAD_MODULE, "output %zu, %s, is given by nothing", k,
                show(flat_tensor_at(b->g->block.tensors, (size_t)part->outputs[k]).name, shown));
        if (value == UNKNOWN) return false;
        const tosajit_status status = tosa_function_result(b->built, value);
        if (status) return fail(b, status, tosa_bare_error());
    }
    return part->output_count > 0 ||
           fail_op(b, TOSAJIT_BAD_MODULE, "has no outputs; a kernel computes at least one");
}

static void begin(builder *b) {
    b->op = FILE_BLOCK;
    snprintf(b->described.name, sizeof b->described.name, "the block");
}

static bool build_all(builder *b, const file_part *part) {
    begin(b);
    if (!build_inputs(b, part)) return false;
    for (size_t k = 0; k < part->operator_count; k++) {
        b->op = part->operators[k];
        if (!build_any(b) && !go_on(b)) return false;
    }
    begin(b);
    return build_outputs(b, part) && b->errors == 0;
}

/* Where a part has been, nothing is left of it. */
static void forget(builder *b, const file_part *part) {
    for (size_t k = 0; k < part->input_count; k++) b->values[part->inputs[k]] = UNDEFINED;
    for (size_t k = 0; k < part->operator_count; k++) {
        const flat_list outputs = file_graph_operator(b->g, part->operators[k]).outputs;
        for (size_t o = 0; o < outputs.count; o++) {
            const int32_t value = file_graph_find(b->g, flat_text_at(outputs, o));
            if (file_graph_is_tensor(b->g, value)) b->values[value] = UNDEFINED;
        }
    }
}

static bool make_values(builder *b) {
    b->values = malloc((b->g->block.tensors.count + 1) * sizeof *b->values);
    for (size_t k = 0; b->values && k < b->g->block.tensors.count; k++) b->values[k] = UNDEFINED;
    return b->values || fail(b, TOSAJIT_OUT_OF_MEMORY, "out of memory");
}

bool file_build_part(const file_graph *g, const file_part *part,
                     const tosajit_expr_options *options, file_report *report,
                     tosa_function *built) {
    builder b = {.g = g, .report = report, .built = built, .values = part->values};
    memset(built, 0, sizeof *built);
    begin(&b);
    bool fine = b.values || make_values(&b);
    const tosajit_status status = fine ? tosajit_expr_create(options, &built->expr) : TOSAJIT_OK;
    if (status) fine = fail(&b, status, tosajit_last_error());
    fine = fine && build_all(&b, part);
    if (b.first[0]) memcpy(tosajit_private_message, b.first, sizeof b.first);
    if (part->values)
        forget(&b, part);
    else
        free(b.values);
    if (!fine) tosa_function_release(built);
    return fine;
}

/* The numbers of tensors that a block names; null after an error. */
static int32_t *list_tensors(const file_graph *g, flat_list names, const char *what,
                             file_report *report) {
    int32_t *numbers = malloc((names.count + 1) * sizeof *numbers);
    if (!numbers) {
        file_report_error(report, TOSAJIT_OUT_OF_MEMORY, g, FILE_BLOCK, "out of memory");
        return NULL;
    }
    for (size_t k = 0; k < names.count; k++) {
        char shown[NAME];
        const flat_text name = flat_text_at(names, k);
        numbers[k] = file_graph_find(g, name);
        if (file_graph_is_tensor(g, numbers[k])) continue;
        file_report_error(report, TOSAJIT_BAD_MODULE, g, FILE_BLOCK, "%s %zu, %s, is %s", what, k,
                          show(name, shown),
                          numbers[k] < 0 ? "no tensor of this block" : "a shape");
        free(numbers);
        return NULL;
    }
    return numbers;
}

bool file_build(const file_graph *g, const tosajit_expr_options *options, file_report *report,
                tosa_function *built) {
    memset(built, 0, sizeof *built);
    int32_t *inputs = list_tensors(g, g->block.inputs, "input", report),
            *outputs = inputs ? list_tensors(g, g->block.outputs, "output", report) : NULL;
    const file_part part = {.operators = g->order,
                            .inputs = inputs,
                            .outputs = outputs,
                            .operator_count = g->block.operators.count,
                            .input_count = g->block.inputs.count,
                            .output_count = g->block.outputs.count};
    const bool fine = outputs && file_build_part(g, &part, options, report, built);
    free(inputs);
    free(outputs);
    return fine;
}

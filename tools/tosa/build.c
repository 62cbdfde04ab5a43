/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operation by operation: the expression's value for each value of the graph, and the errors with
 * their places. Nobody has verified an operation, so nothing about it is taken for granted. */
#include "tools/tosa/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tosa/op_hint.h"

enum {
    MOST_ERRORS = 20, /* of a function, until the rest is left unread */
    UNDEFINED = TOSA_UNDEFINED,
    UNKNOWN = -1, /* a value that an error left without one */
};

typedef struct builder {
    const tosa_graph *g;
    tosa_report *report;
    tosa_function *built;
    tosajit_value *values; /* per value of the graph */
    int32_t op;            /* the one being read, or TOSA_BLOCK */
    tosa_op described;     /* the same */
    int errors;
} builder;

static bool fail_at(builder *b, tosajit_status status, int32_t op, const char *text) {
    tosa_graph_error(b->g, b->report, status, op, text);
    b->errors += status == TOSAJIT_OUT_OF_MEMORY ? MOST_ERRORS + 1 : 1; /* nothing works without */
    return false;
}

static bool fail(builder *b, tosajit_status status, const char *text) {
    return fail_at(b, status, b->op, text);
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

static void begin(builder *b, int32_t op) {
    b->op = op;
    if (op != TOSA_BLOCK)
        tosa_graph_describe(b->g, op, &b->described);
    else
        snprintf(b->described.name, sizeof b->described.name, "%s", b->g->reader->block);
}

enum { BEHIND = TOSA_SHOWN + 4 };

/* ", layer_3" of what has a name: value `value`, or its substitute if the expression has none. */
static const char *name_of(const builder *b, tosa_slot slot, size_t index, int32_t value,
                           char shown[BEHIND]) {
    char name[TOSA_SHOWN] = "";
    const bool known = value >= 0;
    if (b->g->reader->name)
        b->g->reader->name(b->g, b->op, known ? TOSA_VALUE : slot, known ? (size_t)value : index,
                           name);
    snprintf(shown, BEHIND, "%s%s", *name ? ", " : "", name);
    return shown;
}

/* "operand 1, layer_3, is given by nothing" */
static bool refuse_value(builder *b, const char *what, tosa_slot slot, size_t index, int32_t value,
                         const char *why) {
    char shown[BEHIND], number[24] = "";
    if (slot != TOSA_RESULT) snprintf(number, sizeof number, " %zu", index);
    name_of(b, slot, index, value, shown);
    return fail_op(b, TOSAJIT_BAD_MODULE, "%s%s%s%s is %s", what, number, shown, *shown ? "," : "",
                   why);
}

/* ---------------------------------------------------------------------------------------------
 * Operations */

/* Why there is no tensor; null: there is one. */
static const char *objection_to(const tosa_graph *g, int32_t value) {
    if (value < 0) return "no tensor of this block";
    return g->kinds.at[value] == TOSA_VALUE_SHAPE ? "a shape; a tensor is expected" : NULL;
}

/* The same, and of a variable why no operation gives it or reads it. */
static const char *objection_to_use(const tosa_graph *g, int32_t value) {
    const bool kept = value >= 0 && g->kinds.at[value] == TOSA_VARIABLE;
    return kept ? "a variable, which the host keeps" : objection_to(g, value);
}

/* A value that is read. It is false, too, after a reported error has left the value undefined. */
static bool find_value(builder *b, int32_t value, const char *what, tosa_slot slot, size_t index,
                       tosajit_value *found) {
    const char *wrong = objection_to_use(b->g, value);
    *found = value < 0 ? UNDEFINED : b->values[value];
    if (*found != UNDEFINED) return *found != UNKNOWN;
    if (!wrong)
        wrong = b->g->producers.at[value] < 0 ? "given by nothing" : "used before it is defined";
    return refuse_value(b, what, slot, index, value, wrong);
}

/* The result of an operation that gives a single tensor. */
static bool find_result(builder *b, int32_t *number) {
    char why[TOSA_WHY];
    *number = tosa_graph_results(b->g, b->op).at[0];
    const char *wrong = objection_to_use(b->g, *number);
    if (wrong) return refuse_value(b, "its result", TOSA_RESULT, 0, *number, wrong);
    const tosajit_status status = b->g->reader->type(b->g, *number, &b->described.result, why);
    return !status || fail_op(b, status, "result: %s", why);
}

/* The op is the next step, or was refused in words that name it. */
static bool finish(builder *b, tosajit_status status, int32_t number, tosajit_value value) {
    if (status) return fail(b, status, tosajit_last_error());
    b->values[number] = value;
    return true;
}

static bool build_op(builder *b) {
    tosa_op *op = &b->described;
    const tosa_numbers operands = tosa_graph_operands(b->g, b->op);
    tosajit_value value = UNKNOWN;
    int32_t number = -1;
    tosajit_status status = tosa_check_counts(op);
    for (size_t k = 0, tensors = 0; !status && k < op->operand_count; k++)
        if (!tosa_shape_name(op, k) &&
            !find_value(b, operands.at[k], "operand", TOSA_OPERAND, k, &op->operands[tensors++]))
            return false;
    if (!status && !find_result(b, &number)) return false;
    if (!status) status = tosa_add(b->built, op, &value);
    return finish(b, status, number, value);
}

static bool build_constant(builder *b) {
    char why[TOSA_WHY];
    void *elements = NULL;
    tosajit_tensor_type type;
    tosajit_value value = UNKNOWN;
    int32_t number = -1;
    tosajit_status status = tosa_check_counts(&b->described);
    if (status) return finish(b, status, number, value);
    if (!find_result(b, &number)) return false;
    if (b->values[number] != UNDEFINED) return true; /* an input stands for it */
    status = b->g->reader->constant(b->g, b->op, &type, &elements, why);
    if (status) return fail_op(b, status, "%s", why);
    status = tosa_add_constant(b->built, &b->described, &type, elements, &value);
    return finish(b, status, number, value);
}

static bool refuse_op(builder *b) {
    char hint[OP_HINT] = "";
    const tosa_op *op = &b->described;
    if (strcmp(op->name, "func.return") == 0)
        return fail_op(b, TOSAJIT_BAD_MODULE, "must be the last operation of the function");
    if (strcmp(op->name, "tosa.custom") == 0)
        return fail_op(b, TOSAJIT_BAD_MODULE,
                       "domain_name \"tosajit\" and as operator_name an extension, such as "
                       "\"sqrt\", make it an elementwise operation; others are unknown");
    if (op->unknown) op_hint(op->name, strlen(op->name), hint);
    return fail_op(b, TOSAJIT_BAD_MODULE,
                   "not an elementwise operation of TOSA, which `tosajit ops` lists%s; outline "
                   "divides a function that has others",
                   hint);
}

static bool build_any(builder *b) {
    switch ((tosa_role)b->g->roles.at[b->op]) {
    case TOSA_CONSTANT: return build_constant(b);
    case TOSA_SHAPE: return true;
    case TOSA_RETYPES: b->described.op = TOSAJIT_OP_identity; return build_op(b);
    case TOSA_COMPUTES: break;
    }
    if (b->described.op == TOSAJIT_OP_COUNT) return refuse_op(b);
    return b->described.nests
               ? fail_op(b, TOSAJIT_BAD_MODULE, "must not have regions or successors")
               : build_op(b);
}

/* An operation was refused. Its results become inputs of the declared types, so that their readers
 * are checked, too: all errors of a function are found in one go. False where that makes no sense.
 */
static bool go_on(builder *b) {
    const tosa_numbers results = tosa_graph_results(b->g, b->op);
    char text[80];
    snprintf(text, sizeof text, "after %d errors the rest of the function is not read",
             MOST_ERRORS);
    if (b->errors == MOST_ERRORS)
        tosa_graph_error(b->g, b->report, TOSAJIT_BAD_MODULE, b->op, text);
    if (b->report->trial || b->errors >= MOST_ERRORS) return false;
    for (size_t k = 0; k < results.count; k++) {
        char why[TOSA_WHY];
        tosajit_tensor_type type;
        tosajit_value value;
        if (objection_to(b->g, results.at[k]) || b->values[results.at[k]] != UNDEFINED) continue;
        const bool known = !b->g->reader->type(b->g, results.at[k], &type, why) &&
                           !tosajit_expr_input(b->built->expr, &type, &value);
        b->values[results.at[k]] = known ? value : UNKNOWN;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * The function */

static bool build_input(builder *b, int32_t value, size_t index) {
    const tosa_graph *g = b->g;
    char why[TOSA_WHY], shown[BEHIND], text[TOSA_WHY + BEHIND + 40];
    tosajit_tensor_type type;
    tosajit_status status = TOSAJIT_BAD_MODULE;
    const char *wrong = objection_to(g, value);
    if (!wrong && b->values[value] != UNDEFINED) wrong = "an input before";
    if (!wrong) status = g->reader->type(g, value, &type, why);
    if (!wrong && !status) {
        status = tosa_function_input(b->built, &type, &b->values[value]);
        snprintf(why, sizeof why, "%s", tosa_bare_error());
    }
    snprintf(text, sizeof text, "%s %zu%s%s%s", g->reader->input, index,
             name_of(b, TOSA_INPUT, index, value, shown), wrong ? ", is " : ": ",
             wrong ? wrong : why);
    return !status || fail_at(b, status, TOSA_AT_INPUT(index), text);
}

static bool build_outputs(builder *b, const tosa_part *part) {
    const bool whole = !part->ops.at;
    begin(b, whole ? b->g->end : TOSA_BLOCK);
    if (whole && *b->g->problem) return fail_op(b, TOSAJIT_BAD_MODULE, "%s", b->g->problem);
    for (size_t k = 0; k < part->outputs.count; k++) {
        const int32_t output = part->outputs.at[k];
        tosajit_value value;
        if (!find_value(b, output, b->g->reader->output, TOSA_OUTPUT, k, &value)) return false;
        const tosajit_status status = tosa_function_result(b->built, value);
        if (status) return fail_op(b, status, "%s", tosa_bare_error());
    }
    return b->errors == 0;
}

static bool build_all(builder *b, const tosa_part *part) {
    const bool ends = part->ops.at || !*b->g->problem;
    for (size_t k = 0; k < part->inputs.count; k++)
        if (!build_input(b, part->inputs.at[k], k)) return false;
    if (part->outputs.count == 0 && ends)
        return fail_op(b, TOSAJIT_BAD_MODULE, "has no %ss; a kernel computes at least one",
                       b->g->reader->output);
    for (size_t k = 0; k < part->ops.count; k++) {
        begin(b, part->ops.at ? part->ops.at[k] : (int32_t)k);
        if (!build_any(b) && !go_on(b)) return false;
    }
    return build_outputs(b, part);
}

static void forget_values(builder *b, tosa_numbers values) {
    for (size_t k = 0; k < values.count; k++)
        if (values.at[k] >= 0) b->values[values.at[k]] = UNDEFINED;
}

/* Where a part has been, nothing is left of it. */
static void forget(builder *b, const tosa_part *part) {
    forget_values(b, part->inputs);
    for (size_t k = 0; k < part->ops.count; k++)
        forget_values(b, tosa_graph_results(b->g, part->ops.at[k]));
}

static bool make_values(builder *b) {
    const size_t count = (size_t)b->g->value_count;
    b->values = malloc((count + 1) * sizeof *b->values);
    for (size_t k = 0; b->values && k < count; k++) b->values[k] = UNDEFINED;
    return b->values || fail(b, TOSAJIT_OUT_OF_MEMORY, "out of memory");
}

bool tosa_build_part(const tosa_graph *g, const tosa_part *part,
                     const tosajit_expr_options *options, tosa_report *report,
                     tosa_function *built) {
    builder b = {.g = g, .report = report, .built = built, .values = part->values};
    memset(built, 0, sizeof *built);
    begin(&b, TOSA_BLOCK);
    bool fine = b.values || make_values(&b);
    const tosajit_status status = fine ? tosajit_expr_create(options, &built->expr) : TOSAJIT_OK;
    if (status) fine = fail_op(&b, status, "%s", tosajit_last_error());
    fine = fine && build_all(&b, part);
    if (part->values)
        forget(&b, part);
    else
        free(b.values);
    if (!fine) tosa_function_release(built);
    return fine;
}

bool tosa_build(const tosa_graph *g, const tosajit_expr_options *options, tosa_report *report,
                tosa_function *built) {
    const tosa_part whole = {.ops = {NULL, (size_t)g->op_count},
                             .inputs = {g->inputs.at, g->inputs.count},
                             .outputs = {g->outputs.at, g->outputs.count}};
    return tosa_build_part(g, &whole, options, report, built);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit ops: the op table as a person reads it, as a list or as a page. Types come from asking
 * the library, so that they are what it accepts; the rest from the columns of ops.def. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/words.h"
#include "tools/command/commands.h"
#include "tools/tosa/op_columns.h"
#include "runtime/expr/keys.h"
#include "tosajit/inspect.h"

enum { TYPES_CAPACITY = 1024 };

typedef struct line {
    char text[TYPES_CAPACITY];
    size_t used;
} line;

static void append(line *l, const char *separator, const char *text) {
    int length = snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s",
                          l->used ? separator : "", text);
    if (length > 0) l->used += (size_t)length;
    if (l->used >= sizeof l->text) l->used = sizeof l->text - 1;
}

static const char *type_name(int type) { return tosajit_type_name((tosajit_type)type); }

/* True if op takes `element` for its data, the operands behind a select's condition and beside an
 * index, and gives `result`. */
static bool accepts(tosajit_op op, int element, int result) {
    tosajit_type operands[TOSAJIT_MAX_ARITY];
    int arity = tosajit_op_arity(op);
    for (int k = 0; k < arity; k++)
        operands[k] = k == 0 && op == TOSAJIT_OP_select ? TOSAJIT_I1 : (tosajit_type)element;
    if (op_columns_of[op].indexed) operands[1] = TOSAJIT_I32;
    return tosajit_op_accepts(op, operands, (tosajit_type)result);
}

/* "i8 i16 i32": what op takes for its data. */
static line list_types(tosajit_op op) {
    line l = {"", 0};
    for (int type = 0; type < TOSAJIT_TYPE_COUNT; type++) {
        bool taken = false;
        for (int result = 0; result < TOSAJIT_TYPE_COUNT; result++)
            taken = taken || accepts(op, type, result);
        if (taken) append(&l, " ", type_name(type));
    }
    return l;
}

/* A parameter is an operand behind the others; an attribute is part of the op. The result's type is
 * neither. */
static line list_features(tosajit_op op, bool parameters) {
    line l = {"", 0};
    const op_key *key;
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++)
        if (key->kind != KEY_TYPE && (key->kind == KEY_PARAMETER) == parameters)
            append(&l, ", ", key->name);
    return l;
}

/* ---------------------------------------------------------------------------------------------
 * The list */

static int print_list(void) {
    int types = 0, parameters = 0;
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) {
        int used = (int)list_types((tosajit_op)op).used,
            listed = (int)list_features((tosajit_op)op, true).used;
        types = used > types ? used : types;
        parameters = listed > parameters ? listed : parameters;
    }
    printf("%-23s %-6s %-*s %-*s %s\n", "op", "arity", parameters, "parameters", types, "types",
           "result r of operands a, b, c");
    for (int k = 0; k < TOSAJIT_OP_COUNT; k++) {
        tosajit_op op = (tosajit_op)k;
        printf("%-23s %-6d %-*s %-*s %s\n", tosajit_op_name(op), tosajit_op_arity(op), parameters,
               list_features(op, true).text, types, list_types(op).text, tosajit_op_formula(op));
    }
    return EXIT_FINE;
}

/* ---------------------------------------------------------------------------------------------
 * The page */

/* How far results may be from the exact value. */
static const char *accuracy(tosajit_op op) {
    const bool has_integers = strstr(list_types(op).text, "i32") != NULL;
    switch (op_columns_of[op].result) {
    case RESULT_FUNCTION:
        if (op >= TOSAJIT_OP_exp2)
            return "within 1 ulp of `f64`, and rounded to narrower types from there; "
                   "where `reproducible`, within 1 ulp of `f32`, too";
        return "rounded correctly; within 1 ulp where `reproducible`, and of `f64`";
    case RESULT_ROUNDED:
        if (op == TOSAJIT_OP_erfc)
            return "within 1 ulp of `f64`, and rounded to narrower types from there";
        return has_integers ? "exact in integers; rounded correctly in floating point"
                            : "rounded correctly";
    default: return "exact";
    }
}

/* A line per operand type with its other results, and one line for the types whose result is the
 * same. */
static void print_rows(tosajit_op op) {
    const char *mask = op == TOSAJIT_OP_select ? "`i1`, " : "",
               *operands = *mask ? "operands (behind an `i1` mask) and result of one type"
                           : op_columns_of[op].indexed
                               ? tosajit_op_arity(op) == 2
                                     ? "operand and result (indices: `i32`, `i64`)"
                                     : "operands and result (indices: `i32`, `i64`)"
                               : "operands and result of one type";
    line same = {"", 0};
    for (int type = 0; type < TOSAJIT_TYPE_COUNT; type++) {
        line others = {"", 0};
        for (int result = 0; result < TOSAJIT_TYPE_COUNT; result++) {
            if (!accepts(op, type, result)) continue;
            char name[16];
            snprintf(name, sizeof name, "`%s`", type_name(result));
            append(result == type ? &same : &others, ", ", name);
        }
        if (others.used > 0) printf("- %s`%s` to %s\n", mask, type_name(type), others.text);
    }
    if (same.used > 0) printf("- %s: %s\n", operands, same.text);
}

static void print_op(tosajit_op op) {
    line attributes = list_features(op, false), parameters = list_features(op, true);
    int required, arity = tosajit_op_arity(op);
    tosajit_op_parameters(op, &required);
    printf("\n## %s\n\n    %s\n\n", tosajit_op_name(op), tosajit_op_formula(op));
    printf("%d operand%s", arity, plural(arity));
    if (parameters.used > 0)
        printf("; parameters: %s%s", parameters.text,
               required ? "" : " (or the attributes of these names)");
    if (attributes.used > 0)
        printf(";%sattributes: %s", parameters.used > 0 ? "\n" : " ", attributes.text);
    printf(". Results: %s.%s\n\n", accuracy(op),
           op_columns_of[op].view        ? " A view."
           : op_columns_of[op].gathers   ? " An extension where index_mode is not `strict`."
           : op_columns_of[op].extension ? " An extension."
                                         : "");
    print_rows(op);
}

static int print_page(void) {
    printf("# Operations\n\n"
           "Written by `tosajit ops --markdown` from the op table, `include/tosajit/ops.def`, and "
           "from what the library accepts. In the\n"
           "formulas a, b and c are the operands and r is the result; what follows a semicolon is "
           "a corner result.\n"
           "[semantics.md](semantics.md) says more about those, about parameters and about "
           "conversions. Strict expressions refuse\n"
           "extensions: operations that say so, and the element types that TOSA's rows lack. Views "
           "are\nTOSA's; one that TOSA's form cannot say is `tosa.custom` in files, with its list "
           "as an "
           "attribute. Reductions take neighbours\n"
           "of the axis, too, as in `reduce_sum(x, axis=(1, 2))`: an extension, whose attribute in "
           "files and in C is `joined`.\n");
    for (int op = 0; op < TOSAJIT_OP_COUNT; op++) print_op((tosajit_op)op);
    return EXIT_FINE;
}

/* ---------------------------------------------------------------------------------------------
 * JSON */

static void write_types(json *j, tosajit_op op) {
    json_open(j, "types", '[');
    for (int type = 0; type < TOSAJIT_TYPE_COUNT; type++)
        for (int result = 0; result < TOSAJIT_TYPE_COUNT; result++) {
            if (!accepts(op, type, result)) continue;
            json_open(j, NULL, '{');
            json_text(j, "operands", type_name(type));
            json_text(j, "result", type_name(result));
            json_close(j, '}');
        }
    json_close(j, ']');
}

static void write_features(json *j, tosajit_op op, const char *name, bool parameters) {
    const op_key *key;
    json_open(j, name, '[');
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++)
        if (key->kind != KEY_TYPE && (key->kind == KEY_PARAMETER) == parameters)
            json_text(j, NULL, key->name);
    json_close(j, ']');
}

static int print_json(void) {
    json j = json_begin();
    json_open(&j, "ops", '[');
    for (int k = 0; k < TOSAJIT_OP_COUNT; k++) {
        const tosajit_op op = (tosajit_op)k;
        json_open(&j, NULL, '{');
        json_text(&j, "op", tosajit_op_name(op));
        json_integer(&j, "arity", tosajit_op_arity(op));
        write_features(&j, op, "parameters", true);
        write_features(&j, op, "attributes", false);
        json_text(&j, "formula", tosajit_op_formula(op));
        json_text(&j, "accuracy", accuracy(op));
        write_types(&j, op);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_end(&j);
    return EXIT_FINE;
}

int cmd_ops(const options *o) {
    if (o->markdown && o->json)
        return usage_error("ops", "--markdown and --json exclude each other");
    return o->json ? print_json() : o->markdown ? print_page() : print_list();
}

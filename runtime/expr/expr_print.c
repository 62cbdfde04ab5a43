/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expressions as text: a function of MLIR's TOSA dialect that reads back as the same expression.
 * In: an expression; out: the generic form of its ops, which every reader of MLIR knows. What TOSA
 * has no word for (contracts, accuracy) are attributes of ours. */
#include "runtime/expr/expr_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/expr/convert.h"
#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/expr/keys.h"
#include "runtime/expr/ops.h"
#include "runtime/expr/view_shape.h"
#include "runtime/base/types.h"
#include "runtime/system/system.h"
#include "tosajit/inspect.h"

/* Values are numbered anew where an op has parameters that the expression keeps as attributes:
 * those become constants. */
typedef struct printer {
    const tosajit_expr *expr;
    FILE *out;
    const char *newline; /* between ops */
    int next;            /* the number of the next value */
    int *numbers;        /* of each node */
    bool *named;         /* nodes that are called by their names, because no other one has it */
} printer;

/* ---------------------------------------------------------------------------------------------
 * Values */

static void print_value(const printer *p, tosajit_value value) {
    const expr_node *node = &p->expr->nodes[value];
    if (p->named[value])
        fprintf(p->out, "%%%s", expr_given_name(p->expr, value));
    else if (node->kind == NODE_INPUT)
        fprintf(p->out, "%%arg%d", (int)node->tensor);
    else
        fprintf(p->out, "%%%d", p->numbers[value]);
}

/* MLIR's u8 is ui8. */
static void print_element(const printer *p, tosajit_type type) {
    const char *name = tosajit_type_name(type);
    if (type_is_unsigned(type))
        fprintf(p->out, "ui%s", name + 1);
    else
        fputs(name, p->out);
}

static void print_type(const printer *p, const tosajit_tensor_type *type) {
    const size_t name = strlen(tosajit_type_name(type->element)) + sizeof ">" - 1;
    const type_text t = type_print(type);
    fprintf(p->out, "%.*s", (int)(strlen(t.text) - name), t.text);
    print_element(p, type->element);
    fputc('>', p->out);
}

/* Floating point by its bits, which says NaN and infinity, too. */
static void print_bits(const printer *p, tosajit_type type, uint64_t bits) {
    const int digits = 2 * (int)tosajit_type_size(type);
    if (type == TOSAJIT_I1)
        fputs(bits & 0xff ? "true" : "false", p->out);
    else if (type_is_float(type))
        fprintf(p->out, "0x%0*" PRIX64, digits, bits & (UINT64_MAX >> (64 - 4 * digits)));
    else
        fputs(type_print_integer(type, convert_decode(type, bits).i).text, p->out);
}

/* Nested brackets around the elements from *at on. */
static void print_elements(const printer *p, const tosajit_tensor_type *type, int32_t d,
                           const char **at) {
    if (d == type->rank) {
        print_bits(p, type->element, convert_load(type->element, *at));
        *at += tosajit_type_size(type->element);
        return;
    }
    for (int64_t k = 0; k < type->dims[d]; k++) {
        fputs(k ? ", " : "[", p->out);
        print_elements(p, type, d + 1, at);
    }
    fputc(']', p->out);
}

static void print_dense(const printer *p, const tosajit_tensor_type *type, bool splat,
                        const void *data) {
    const char *at = data;
    fputs("dense<", p->out);
    if (splat)
        print_bits(p, type->element, convert_load(type->element, data));
    else
        print_elements(p, type, 0, &at);
    fputs("> : ", p->out);
    print_type(p, type);
}

static int print_constant(printer *p, const tosajit_tensor_type *type, bool splat,
                          const void *data) {
    fprintf(p->out, "%s%%%d = \"tosa.const\"() <{values = ", p->newline, p->next);
    print_dense(p, type, splat, data);
    fputs("}> : () -> ", p->out);
    print_type(p, type);
    return p->next++;
}

/* ---------------------------------------------------------------------------------------------
 * Views in TOSA's own words: shapes as operands, where the library has lists of numbers; or the
 * fact that TOSA has no word for this view.
 */

typedef struct tosa_view {
    bool has; /* TOSA has a word for it */
    int shape_count;
    size_t counts[2]; /* of the numbers of each shape */
    int64_t shapes[2][2 * TOSAJIT_MAX_RANK];
} tosa_view;

static void copy_list(const expr_node *node, tosa_view *v) {
    v->shape_count = 1;
    v->counts[0] = node->attributes.number_count;
    for (size_t k = 0; k < v->counts[0]; k++) v->shapes[0][k] = node->attributes.numbers[k];
}

/* TOSA has known sizes, and one open size. The size of an operand's dimension must be known. */
static void find_sizes(const expr_node *node, tosa_view *v) {
    copy_list(node, v);
    for (size_t d = 0; d < v->counts[0]; d++) {
        if (v->shapes[0][d] < -1) v->shapes[0][d] = node->type.dims[d];
        if (v->shapes[0][d] == TOSAJIT_DYNAMIC && node->attributes.numbers[d] < -1) v->has = false;
    }
}

/* TOSA has where a range begins and how long it is; ours may also count from the end, and step. */
static void find_ranges(const tosajit_tensor_type *operand, const expr_node *node, tosa_view *v) {
    v->shape_count = 2;
    v->counts[0] = v->counts[1] = (size_t)operand->rank;
    for (int32_t d = 0; d < operand->rank; d++) {
        const int64_t *numbers = node->attributes.numbers + 3 * d, n = operand->dims[d];
        int64_t begin = numbers[0] == TOSAJIT_DYNAMIC ? 0 : numbers[0], size = -1;
        const int64_t end = numbers[1];
        view_range range;
        if (n != TOSAJIT_DYNAMIC && view_find_range(numbers, n, &range)) {
            begin = range.begin;
            if (end != TOSAJIT_DYNAMIC) size = range.count;
        } else if (end != TOSAJIT_DYNAMIC) {
            v->has &= begin >= 0 && end > begin;
            if (v->has) size = end - begin;
        }
        v->has &= numbers[2] == 1 && begin >= 0;
        v->shapes[0][d] = begin;
        v->shapes[1][d] = size;
    }
}

static tosa_view tosa_view_of(const tosajit_expr *expr, const expr_node *node) {
    tosa_view v = {.has = true};
    switch (node->op) {
    case TOSAJIT_OP_reshape: find_sizes(node, &v); break;
    case TOSAJIT_OP_slice: find_ranges(&expr->nodes[node->operands[0]].type, node, &v); break;
    case TOSAJIT_OP_tile: copy_list(node, &v); break;
    case TOSAJIT_OP_pad: /* TOSA's element has one dimension */
        v.has = expr->nodes[node->operands[1]].type.rank == 1;
        copy_list(node, &v);
        break;
    default: break; /* of the others the list is an attribute */
    }
    return v;
}

/* ---------------------------------------------------------------------------------------------
 * Attributes */

static void print_scalar(const printer *p, tosajit_type type, tosajit_scalar value) {
    if (type_is_float(type))
        print_bits(p, type, convert_encode(type, value));
    else
        fputs(type_print_integer(type, value.i).text, p->out);
    fputs(" : ", p->out);
    print_element(p, type);
}

/* Word `index` of the key, in capitals. */
static void print_word(const printer *p, const op_key *key, int32_t index) {
    const char *word = key->words;
    while (index-- > 0) word = strchr(word, ' ') + 1;
    for (; *word && *word != ' '; word++) fputc(op_key_capital(*word), p->out);
}

/* TOSA's own lists are of i32. */
static void print_list(const printer *p, const tosajit_attributes *attributes, bool custom) {
    fputs(custom ? "array<i64" : "array<i32", p->out);
    for (size_t k = 0; k < attributes->number_count; k++)
        fprintf(p->out, "%s%" PRId64, k ? ", " : ": ", attributes->numbers[k]);
    fputc('>', p->out);
}

/* True if TOSA has no word for it: tosa.custom. Its argmax has no dimension where the axis was. */
static bool is_custom(const printer *p, const expr_node *node) {
    return op_views(node->op) ? !tosa_view_of(p->expr, node).has
                              : op_table[node->op].attributes & ATTRIBUTE_EXTENSION ||
                                    op_has_index(node->op) || node->attributes.joined > 0 ||
                                    op_table[node->op].signature == SIGNATURE_POSITION;
}

/* A list that TOSA has as an operand. */
static bool is_shape(const printer *p, const expr_node *node, const op_key *key) {
    return key->kind == KEY_LIST && !is_custom(p, node) &&
           tosa_view_of(p->expr, node).shape_count > 0;
}

static void print_attribute(const printer *p, const expr_node *node, const op_key *key) {
    tosajit_attributes attributes = node->attributes;
    const bool number = key->kind == KEY_NUMBER || key->kind == KEY_AXIS || key->kind == KEY_LIST;
    const int32_t what = number ? 0 : op_key_get(key, &attributes);
    fprintf(p->out, "%s = ", key->name);
    if (key->kind == KEY_NUMBER) {
        print_scalar(p, p->expr->nodes[node->operands[0]].type.element,
                     *op_key_number(key, &attributes));
    } else if (key->kind == KEY_AXIS) {
        fprintf(p->out, "%" PRId64 " : i32", op_key_number(key, &attributes)->i);
    } else if (key->kind == KEY_LIST) {
        print_list(p, &attributes, is_custom(p, node));
    } else if (key->feature == ATTRIBUTE_INDEX_MODE) { /* no word of TOSA's */
        fputc('"', p->out);
        print_word(p, key, what);
        fputc('"', p->out);
    } else if (key->kind == KEY_FLAG) {
        fputs(what ? "true" : "false", p->out);
    } else {
        fprintf(p->out, "#tosa.%s<", key->name);
        print_word(p, key, what);
        fputc('>', p->out);
    }
}

/* Properties of the op, <{...}>, and what is no property of TOSA's, {...}. */
static void print_attributes(const printer *p, const expr_node *node) {
    const unsigned taken = op_table[node->op].attributes;
    const bool ours = is_custom(p, node) || taken & ATTRIBUTE_UNSIGNED;
    const op_key *key;
    int count = 0;
    if (is_custom(p, node))
        fprintf(p->out,
                " <{operator_name = \"%s\", domain_name = \"tosajit\", implementation_attrs = "
                "\"\"}>",
                op_table[node->op].name);
    for (size_t k = 0; (key = op_key_at(node->op, k)) != NULL; k++) {
        if (!op_key_is_attribute(key) || is_shape(p, node, key) ||
            (taken & ATTRIBUTE_UNSIGNED && !op_key_get(key, &node->attributes)))
            continue;
        fputs(count++ > 0 ? ", " : ours ? " {" : " <{", p->out);
        print_attribute(p, node, key);
    }
    if (node->attributes.joined)
        fprintf(p->out, ", joined = %d : i32", (int)node->attributes.joined);
    if (count > 0) fputs(ours ? "}" : "}>", p->out);
}

/* ---------------------------------------------------------------------------------------------
 * Ops */

/* Parameters that are attributes here and operands in TOSA, as constants; returns the number of the
 * first one. */
static int print_implied(printer *p, const expr_node *node, int count) {
    int first = p->next;
    tosajit_type operand = p->expr->nodes[node->operands[0]].type.element;
    const tosajit_attributes *a = &node->attributes;
    const int64_t one = 1;
    for (int k = 0; k < count; k++) {
        op_parameter parameter = op_describe_parameter(node->op, k, operand, node->type.element, a);
        bool shift = op_table[node->op].attributes & ATTRIBUTE_SHIFT;
        tosajit_tensor_type type = tosajit_ranked(parameter.element, 1, &one);
        cell value = {.i = shift ? a->shift : k == 0 ? a->input_zp : a->output_zp};
        unsigned char data[sizeof(uint64_t)] = {0}; /* of floating point: 0, the only legal value */
        if (!type_is_float(parameter.element))
            convert_store(parameter.element, data, convert_encode(parameter.element, value));
        print_constant(p, &type, true, data);
    }
    return first;
}

static tosajit_tensor_type parameter_type(const printer *p, const expr_node *node, int k) {
    const int64_t one = 1;
    tosajit_type operand = p->expr->nodes[node->operands[0]].type.element;
    return tosajit_ranked(
        op_describe_parameter(node->op, k, operand, node->type.element, &node->attributes).element,
        1, &one);
}

/* Shapes that are lists here and operands in TOSA, as constants; the number of the first one. */
static int print_shapes(printer *p, const tosa_view *view) {
    const int first = p->next;
    for (int s = 0; s < view->shape_count; s++) {
        fprintf(p->out, "%s%%%d = \"tosa.const_shape\"() <{values = dense<", p->newline, p->next++);
        for (size_t k = 0; k < view->counts[s]; k++)
            fprintf(p->out, "%s%" PRId64, k ? ", " : "[", view->shapes[s][k]);
        fprintf(p->out, "%s> : tensor<%zuxindex>}> : () -> !tosa.shape<%zu>",
                view->counts[s] ? "]" : "", view->counts[s], view->counts[s]);
    }
    return first;
}

/* Attributes behind the operands of a node: constants of ours. */
typedef struct behind_operands {
    int missing, implied; /* parameters, and the first one's number */
    tosa_view view;
    int shapes;
} behind_operands;

/* The operands of a node, or their types; shapes are TOSA's second one, and third. */
static void print_operands(const printer *p, const expr_node *node, const behind_operands *b,
                           bool types) {
    for (int k = 0; k < node->operand_count; k++) {
        if (k) fputs(", ", p->out);
        if (types)
            print_type(p, &p->expr->nodes[node->operands[k]].type);
        else
            print_value(p, node->operands[k]);
        for (int s = 0; k == 0 && s < b->view.shape_count; s++)
            if (types)
                fprintf(p->out, ", !tosa.shape<%zu>", b->view.counts[s]);
            else
                fprintf(p->out, ", %%%d", b->shapes + s);
    }
    for (int k = 0; k < b->missing; k++) {
        const tosajit_tensor_type type = parameter_type(p, node, k);
        fputs(", ", p->out);
        if (types)
            print_type(p, &type);
        else
            fprintf(p->out, "%%%d", b->implied + k);
    }
}

static void print_op(printer *p, tosajit_value value) {
    const expr_node *node = &p->expr->nodes[value];
    const bool custom = is_custom(p, node);
    behind_operands b = {.missing = op_table[node->op].arity +
                                    tosajit_op_parameters(node->op, NULL) - node->operand_count};
    b.implied = print_implied(p, node, b.missing);
    if (op_views(node->op) && !custom) b.view = tosa_view_of(p->expr, node);
    b.shapes = print_shapes(p, &b.view);
    p->numbers[value] = p->named[value] ? -1 : p->next++;
    fputs(p->newline, p->out);
    print_value(p, value);
    fprintf(p->out, " = \"tosa.%s\"(", custom ? "custom" : op_table[node->op].name);
    print_operands(p, node, &b, false);
    fputc(')', p->out);
    print_attributes(p, node);
    fputs(" : (", p->out);
    print_operands(p, node, &b, true);
    fputs(") -> ", p->out);
    print_type(p, &node->type);
}

/* {tosajit.contract = [[dimension, smallest, largest, multiple]]} behind an argument's type. */
static void print_contracts(const printer *p, tosajit_value input) {
    bool any = false;
    for (size_t k = 0; k < p->expr->contract_count; k++) {
        const expr_contract *promise = &p->expr->contracts[k];
        const tosajit_contract *c = &promise->contract;
        if (promise->input != input) continue;
        fputs(any ? ", " : " {tosajit.contract = [", p->out);
        fprintf(p->out, "[%d, %" PRId64 ", %" PRId64 ", %" PRId64 "]", (int)promise->dimension,
                c->smallest, c->largest, c->multiple);
        any = true;
    }
    if (any) fputs("]}", p->out);
}

static void print_head(const printer *p, const char *name) {
    const tosajit_expr *expr = p->expr;
    const char *comma = "";
    if (expr->maps_bytes && p->newline[0] == '\n')
        fputs("// Tables of f8 are the kernel's own. TOSA has none, so no command reads this.\n",
              p->out);
    fprintf(p->out, "func.func @%s(", name);
    for (size_t k = 0; k < expr->count; k++) {
        if (expr->nodes[k].kind != NODE_INPUT) continue;
        fputs(comma, p->out);
        print_value(p, (tosajit_value)k);
        fputs(": ", p->out);
        print_type(p, &expr->nodes[k].type);
        print_contracts(p, (tosajit_value)k);
        comma = ", ";
    }
    fputs(") -> (", p->out);
    for (int32_t r = 0; r < expr->result_count; r++) {
        if (r) fputs(", ", p->out);
        print_type(p, &expr->nodes[expr->results[r]].type);
    }
    static const char *const words[] = {"exact", "reproducible", "contracted"};
    const tosajit_accuracy accuracy = expr_accuracy(expr);
    fputs(")", p->out);
    if (accuracy != TOSAJIT_EXACT)
        fprintf(p->out, " attributes {tosajit.accuracy = \"%s\"}", words[accuracy]);
    fputs(" {", p->out);
}

static void print_return(const printer *p) {
    const tosajit_expr *expr = p->expr;
    fprintf(p->out, "%sreturn", p->newline);
    for (int32_t r = 0; r < expr->result_count; r++) {
        fputs(r ? ", " : " ", p->out);
        print_value(p, expr->results[r]);
    }
    for (int32_t r = 0; r < expr->result_count; r++) {
        fputs(r ? ", " : " : ", p->out);
        print_type(p, &expr->nodes[expr->results[r]].type);
    }
}

typedef struct given {
    const char *name;
    tosajit_value value;
} given;

static int compare_given(const void *a, const void *b) {
    const given *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* The first value of a name keeps it. An input without a name is called "arg1", by its number. */
static bool find_names(const tosajit_expr *expr, bool *named) {
    size_t count = 0;
    if (!expr->names) return true;
    given *list = calloc(expr->count + 1, sizeof *list);
    if (!list) return false;
    for (size_t k = 0; k < expr->count; k++) {
        const char *name = expr_given_name(expr, (tosajit_value)k);
        if (!name || strncmp(name, "arg", 3) == 0 || expr->nodes[k].kind == NODE_CONSTANT) continue;
        list[count++] = (given){name, (tosajit_value)k};
    }
    qsort(list, count, sizeof *list, compare_given);
    for (size_t k = 0; k < count; k++)
        named[list[k].value] = k == 0 || strcmp(list[k - 1].name, list[k].name) != 0;
    free(list);
    return true;
}

bool expr_print(const tosajit_expr *expr, const char *name, bool one_line, FILE *out) {
    printer p = {.expr = expr, .out = out, .newline = one_line ? " " : "\n  "};
    p.numbers = calloc(expr->count + 1, sizeof *p.numbers);
    p.named = calloc(expr->count + 1, sizeof *p.named);
    if (!p.numbers || !p.named || !find_names(expr, p.named)) {
        free(p.numbers);
        free(p.named);
        return false;
    }
    print_head(&p, name);
    for (size_t k = 0; k < expr->count; k++) {
        const expr_node *node = &expr->nodes[k];
        if (node->kind == NODE_CONSTANT)
            p.numbers[k] = print_constant(&p, &node->type, node->splat, node->data);
        if (node->kind == NODE_OP) print_op(&p, (tosajit_value)k);
    }
    print_return(&p);
    fputs(one_line ? " }" : "\n}\n", out);
    free(p.numbers);
    free(p.named);
    return true;
}

/* Names that need no quotes in MLIR. */
static bool is_plain_name(const char *name) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char others[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789$.";
    return *name && strchr(letters, *name) && name[strspn(name, others)] == '\0';
}

tosajit_status tosajit_expr_print(const tosajit_expr *expr, const char *name, char **text) {
    if (!expr || !text)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_print: expr or text is a null pointer");
    if (name && !is_plain_name(name))
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "expr_print: \"%s\" is no plain name of a function", name);
    if (expr->result_count == 0)
        return diag_error(
            TOSAJIT_INVALID_ARGUMENT,
            "expr_print: the expression has no result; name one with tosajit_expr_result");
    char *printed = NULL;
    size_t size;
    fpenv environment;
    fpenv_hold(&environment);
    FILE *out = system_text_open(&printed, &size);
    bool fine = out && expr_print(expr, name ? name : "main", false, out) && !ferror(out);
    if (out && !system_text_close(out)) fine = false;
    fpenv_restore(&environment);
    if (fine) {
        *text = printed;
        return TOSAJIT_OK;
    }
    free(printed);
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the text of an expression");
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of operators. In a text $0, $1, ... are operands, $T is the name of the result's
 * element type, and $alpha an attribute; what an attribute is by default stands beside it. A text
 * may have several statements; %0 is the value of the first statement. An operator of any number of
 * operands is written once for each further operand; $0 is the value so far. An operator that
 * depends on more has a function. */
#include "tools/onnx/lowering/forms.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/onnx/lowering/rows.h"
#include "tools/onnx/lowering/views.h"

typedef bool write_form(onnx_site *s, byte_writer *text);

/* The operand whose element type it has, or what else says it. */
typedef enum gives { FIRST, SECOND, LOGIC, CAST, QUANTIZED, PLACE } gives;

struct onnx_form {
    const char *op, *text, *attributes;
    int8_t least, most; /* operands; most 0: any number */
    int8_t weight;
    gives result;
    bool bytes; /* of integers of 8 and 16 bits, too, signed or not: it looks at bits alone, or
                   knows */
    write_form *write;
};

static write_form write_clip, write_pow, write_neg, write_cast, write_mod, write_equal,
    write_infinite, write_gelu, write_mean, write_quantize, write_dequantize, write_linear,
    write_rows, write_view, write_scatter, write_sign;

#define ERF_GELU "0.5 * ($0) * (erf(($0) * 0.70710678118654752) + 1)"
#define TANH_GELU "0.5 * $0 * (tanh(0.79788456080286536 * ($0 + 0.044715 * $0 * $0 * $0)) + 1)"

/* x * tanh(log(1 + w)) with w = exp(x) is x * w * (w + 2) / (w * (w + 2) + 2). Below 0 the product
 * of x and w comes in halves, because w is lost long before it. */
#define MISH                                                                                       \
    "exp(abs($0) * -0.5); %0 * %0; "                                                               \
    "where($0 < 0, $0 * %0 * (%0 * ((%1 + 2) / (%1 * (%1 + 2) + 2))), "                            \
    "$0 * ((%1 * 2 + 1) / (%1 * (%1 + 1) * 2 + 1)))"

/* clang-format off */
static const onnx_form forms[] = {
    {"Add",             "$0 + $1",                               "", 2, 2, 1, FIRST, false, NULL},
    {"Sub",             "$0 - $1",                               "", 2, 2, 1, FIRST, false, NULL},
    {"Mul",             "$0 * $1",                               "", 2, 2, 1, FIRST, false, NULL},
    {"Div",             "$0 / $1",                               "", 2, 2, 1, FIRST, false, NULL},
    {"Mod", NULL, "", 2, 2, 3, FIRST, false, write_mod},
    {"Pow", NULL, "", 2, 2, 1, FIRST, false, write_pow},
    {"Sum",             "$0 + $1",                               "", 1, 0, 1, FIRST, false, NULL},
    {"Max",             "maximum($0, $1)",                       "", 1, 0, 1, FIRST, false, NULL},
    {"Min",             "minimum($0, $1)",                       "", 1, 0, 1, FIRST, false, NULL},
    {"Mean", NULL, "", 1, 0, 2, FIRST, false, write_mean},
    {"Neg", NULL, "", 1, 1, 1, FIRST, false, write_neg},
    {"Abs",             "abs($0)",                               "", 1, 1, 1, FIRST, false, NULL},
    {"Sign", NULL, "", 1, 1, 1, FIRST, false, write_sign},
    {"Floor",           "floor($0)",                             "", 1, 1, 1, FIRST, false, NULL},
    {"Ceil",            "ceil($0)",                              "", 1, 1, 1, FIRST, false, NULL},
    {"Round",           "round($0)",                             "", 1, 1, 1, FIRST, false, NULL},
    {"Reciprocal",      "reciprocal($0)",                        "", 1, 1, 1, FIRST, false, NULL},
    {"Sqrt",            "sqrt($0)",                              "", 1, 1, 1, FIRST, false, NULL},
    {"Exp",             "exp($0)",                               "", 1, 1, 1, FIRST, false, NULL},
    {"Log",             "log($0)",                               "", 1, 1, 1, FIRST, false, NULL},
    {"Sin",             "sin($0)",                               "", 1, 1, 1, FIRST, false, NULL},
    {"Cos",             "cos($0)",                               "", 1, 1, 1, FIRST, false, NULL},
    {"Tanh",            "tanh($0)",                              "", 1, 1, 1, FIRST, false, NULL},
    {"Erf",             "erf($0)",                               "", 1, 1, 1, FIRST, false, NULL},
    {"Sigmoid",         "sigmoid($0)",                           "", 1, 1, 1, FIRST, false, NULL},
    {"Relu",            "maximum($0, 0)",                        "", 1, 1, 1, FIRST, false, NULL},
    {"LeakyRelu", "where($0 < 0, $0 * $alpha, $0)", "alpha=0.01", 1, 1, 1, FIRST, false, NULL},
    {"PRelu",           "where($0 < 0, $0 * $1, $0)",            "", 2, 2, 1, FIRST, false, NULL},
    {"ThresholdedRelu", "where($0 > $alpha, $0, $T(0))", "alpha=1", 1, 1, 1, FIRST, false, NULL},
    {"Clip", NULL, "", 1, 3, 1, FIRST, false, write_clip},
    {"HardSigmoid",     "minimum(maximum($0 * $alpha + $beta, 0), 1)",
                                               "alpha=0.2 beta=0.5", 1, 1, 1, FIRST, false, NULL},
    /* By HardSigmoid, whose factor is an f32, of f64 operands, too. */
    {"HardSwish",       "$0 * minimum(maximum($0 * 0.16666667163372040 + 0.5, 0), 1)",
                                                                 "", 1, 1, 2, FIRST, false, NULL},
    {"Elu",             "where($0 < 0, $alpha * (exp($0) - 1), $0)",
                                                          "alpha=1", 1, 1, 1, FIRST, false, NULL},
    {"Selu",            "where($0 > 0, $gamma * $0, $gamma * ($alpha * exp($0) - $alpha))",
                                "alpha=1.67326319 gamma=1.05070102", 1, 1, 1, FIRST, false, NULL},
    {"Softplus",        "softplus($0)",                          "", 1, 1, 1, FIRST, false, NULL},
    {"Softsign",        "$0 / (abs($0) + 1)",                    "", 1, 1, 1, FIRST, false, NULL},
    {"Mish",            MISH,                                    "", 1, 1, 3, FIRST, false, NULL},
    {"Gelu", NULL, "", 1, 1, 2, FIRST, false, write_gelu},
    {"com.microsoft.Gelu",      ERF_GELU,                        "", 1, 1, 1, FIRST, false, NULL},
    {"com.microsoft.BiasGelu",  "0.5 * ($0 + $1) * (erf(($0 + $1) * 0.70710678118654752) + 1)",
                                                                 "", 2, 2, 1, FIRST, false, NULL},
    {"com.microsoft.FastGelu",  TANH_GELU,                       "", 1, 1, 1, FIRST, false, NULL},
    {"com.microsoft.QuickGelu", "$0 * sigmoid($0 * $alpha)",
                                                      "alpha=1.702", 1, 1, 1, FIRST, false, NULL},
    {"Shrink", "where($0 < -$lambd, $0 + $bias, where($0 > $lambd, $0 - $bias, $T(0)))",
                                                 "lambd=0.5 bias=0", 1, 1, 1, FIRST, false, NULL},
    {"BatchNormalization", "$0 * $1 + $2",                       "", 3, 3, 1, FIRST, false, NULL},
    {"Equal", NULL, "", 2, 2, 1, LOGIC, false, write_equal},
    {"Greater",         "$0 > $1",                               "", 2, 2, 1, LOGIC, false, NULL},
    {"GreaterOrEqual",  "$0 >= $1",                              "", 2, 2, 1, LOGIC, false, NULL},
    {"Less",            "$0 < $1",                               "", 2, 2, 1, LOGIC, false, NULL},
    {"LessOrEqual",     "$0 <= $1",                              "", 2, 2, 1, LOGIC, false, NULL},
    {"And",             "$0 & $1",                               "", 2, 2, 1, LOGIC, false, NULL},
    {"Or",              "$0 | $1",                               "", 2, 2, 1, LOGIC, false, NULL},
    {"Xor",             "$0 ^ $1",                               "", 2, 2, 1, LOGIC, false, NULL},
    {"Not",             "!$0",                                   "", 1, 1, 1, LOGIC, false, NULL},
    {"IsNaN",           "$0 != $0",                              "", 1, 1, 1, LOGIC, false, NULL},
    {"IsInf", NULL, "", 1, 1, 1, LOGIC, false, write_infinite},
    {"BitwiseAnd",      "$0 & $1",                               "", 2, 2, 1, FIRST, true, NULL},
    {"BitwiseOr",       "$0 | $1",                               "", 2, 2, 1, FIRST, true, NULL},
    {"BitwiseXor",      "$0 ^ $1",                               "", 2, 2, 1, FIRST, true, NULL},
    {"BitwiseNot",      "~$0",                                   "", 1, 1, 1, FIRST, true, NULL},
    {"Where",           "where($0, $1, $2)",                     "", 3, 3, 1, SECOND, true, NULL},
    {"Cast", NULL, "", 1, 1, 1, CAST, true, write_cast},
    {"QuantizeLinear", NULL, "", 2, 3, 2, QUANTIZED, true, write_quantize},
    {"DequantizeLinear", NULL, "", 2, 3, 2, SECOND, true, write_dequantize},
    {"com.microsoft.QLinearSigmoid", "round(sigmoid(($0 - $2) * $1) / $3) + $4",
                                                         "", 4, 5, 2, FIRST, true, write_linear},
    {"com.microsoft.QLinearLeakyRelu",
     "round(where($0 < $2, ($0 - $2) * $1 * $alpha, ($0 - $2) * $1) / $3) + $4",
                                               "alpha=0.01", 4, 5, 2, FIRST, true, write_linear},
    {"com.microsoft.QLinearMul", "($0 - $2) * ($1 - $3) * $4 + $5",
                                                         "", 6, 8, 2, FIRST, true, write_linear},
    {"com.microsoft.QLinearAdd", "$0 * $2 + $4 + $1 * $3",
                                                         "", 5, 8, 2, FIRST, true, write_linear},
    {"Identity",        "identity($0)",                          "", 1, 1, 0, FIRST, true, NULL},
    {"Slice", NULL, "", 1, 5, 1, FIRST, true, write_view},
    {"Split", NULL, "", 1, 2, 1, FIRST, true, write_view},
    {"Concat", NULL, "", 1, 0, 1, FIRST, true, write_view},
    {"Transpose", NULL, "", 1, 1, 1, FIRST, true, write_view},
    {"Reshape", NULL, "", 2, 2, 0, FIRST, true, write_view},
    {"Squeeze", NULL, "", 1, 2, 0, FIRST, true, write_view},
    {"Unsqueeze", NULL, "", 1, 2, 0, FIRST, true, write_view},
    {"Gather", NULL, "", 2, 2, 1, FIRST, true, write_view},
    {"GatherElements", NULL, "", 2, 2, 1, FIRST, true, write_view},
    {"GatherND", NULL, "", 2, 2, 1, FIRST, true, write_view},
    {"Expand", NULL, "", 2, 2, 0, FIRST, true, write_view},
    {"ScatterElements", NULL, "", 3, 3, 4, FIRST, true, write_scatter},
    {"ScatterND", NULL, "", 3, 3, 4, FIRST, true, write_scatter},
    {"Softmax", NULL, "", 1, 1, 1, FIRST, false, write_rows},
    {"LogSoftmax", NULL, "", 1, 1, 1, FIRST, false, write_rows},
    {"ReduceSum", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceMean", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceMax", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceMin", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceProd", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ArgMax", NULL, "", 1, 1, 2, PLACE, true, write_rows},
    {"ArgMin", NULL, "", 1, 1, 2, PLACE, true, write_rows},
    {"CumSum", NULL, "", 2, 2, 1, FIRST, false, write_rows},
    {"ReduceL1", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceL2", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceSumSquare", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceLogSum", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"ReduceLogSumExp", NULL, "", 1, 2, 1, FIRST, false, write_rows},
    {"LayerNormalization", NULL, "", 2, 3, 1, FIRST, false, write_rows},
    {"RMSNormalization", NULL, "", 2, 2, 1, FIRST, false, write_rows},
    {"SimplifiedLayerNormalization", NULL, "", 2, 2, 1, FIRST, false, write_rows},
    {"com.microsoft.SkipLayerNormalization", NULL, "", 3, 5, 2, FIRST, false, write_rows},
    {"com.microsoft.SkipSimplifiedLayerNormalization", NULL, "", 3, 4, 2, FIRST, false, write_rows},
    {"InstanceNormalization", NULL, "", 3, 3, 1, FIRST, false, write_rows},
    {"GlobalAveragePool", NULL, "", 1, 1, 1, FIRST, false, write_rows},
    {"GlobalMaxPool", NULL, "", 1, 1, 1, FIRST, false, write_rows},
    {"MeanVarianceNormalization", NULL, "", 1, 1, 1, FIRST, false, write_rows},
};
/* clang-format on */

static const onnx_form table = {"", "table($0, $1)", "", 2, 2, 2, FIRST, true, NULL};

const onnx_form *onnx_form_of(const onnx_node *node) {
    if (node->table) return &table;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (onnx_is(node, forms[k].op)) return &forms[k];
    return NULL;
}

int32_t onnx_form_weight(const onnx_form *form) { return form->weight; }

bool onnx_form_is_rows(const onnx_form *form) { return form->write == write_rows; }

bool onnx_form_is_view(const onnx_form *form) { return form->write == write_view; }

bool onnx_form_is_scatter(const onnx_form *form) { return form->write == write_scatter; }

bool onnx_form_is_elementwise(const onnx_form *form) {
    return !onnx_form_is_rows(form) && !onnx_form_is_view(form) && !onnx_form_is_scatter(form);
}

bool onnx_form_gives(const onnx_node *node, int32_t output) {
    return output == 0 || onnx_is(node, "Split") ||
           (output == ONNX_SUM &&
            (onnx_is(node, "com.microsoft.SkipLayerNormalization") ||
             onnx_is(node, "com.microsoft.SkipSimplifiedLayerNormalization")));
}

/* ---------------------------------------------------------------------------------------------
 * Types */

static int32_t cast_to(const onnx_node *node) {
    const Onnx__AttributeProto *to = onnx_attribute(node->proto, "to");
    return to && to->has_i && to->i > 0 && to->i < 64 ? (int32_t)to->i : 0;
}

static bool is_quantising(const onnx_node *node) {
    return onnx_is(node, "QuantizeLinear") || onnx_is(node, "DequantizeLinear");
}

/* Of the zero point, or as an attribute says; uint8 otherwise. */
static int32_t quantized_to(const onnx_graph *g, const onnx_node *node) {
    const onnx_value *zero = onnx_input(g, node, 2);
    const Onnx__AttributeProto *to = onnx_attribute(node->proto, "output_dtype");
    if (zero) return zero->type.element;
    return to && to->has_i && to->i > 0 && to->i < 64 ? (int32_t)to->i
                                                      : ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
}

onnx_type onnx_form_type(const onnx_graph *g, const onnx_node *node, const onnx_form *form) {
    onnx_type result = {.rank = -1};
    for (int32_t k = 0; k < node->input_count; k++) {
        const onnx_value *value = onnx_input(g, node, k);
        /* Statistics and scales, and what is only left out, have no say. */
        if (!value || (k > 0 && (onnx_is(node, "BatchNormalization") || is_quantising(node) ||
                                 onnx_form_is_rows(form))))
            continue;
        result = k == 0 ? value->type : onnx_broadcast(&result, &value->type);
    }
    const onnx_value *second = onnx_input(g, node, 1);
    if (form->result == PLACE) result.element = ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    if (form->result == SECOND) result.element = second ? second->type.element : 0;
    if (form->result == LOGIC) result.element = ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    if (form->result == CAST) result.element = cast_to(node);
    if (form->result == QUANTIZED) result.element = quantized_to(g, node);
    return result;
}

/* The name of the element type that the data has. */
static const char *type_name(const onnx_site *s) {
    const onnx_value *second = onnx_input(s->g, s->node, 1);
    const onnx_value *data =
        onnx_is(s->node, "Where") && second ? second : onnx_input(s->g, s->node, 0);
    return tosajit_type_name(onnx_element(data ? data->type.element : 0));
}

static tosajit_type element(const onnx_site *s, int32_t k) {
    const onnx_value *value = onnx_input(s->g, s->node, k);
    return onnx_element(value ? value->type.element : 0);
}

/* Data of 8 or 16 bits, of which it is not known whether it is signed. */
static bool is_byte(const onnx_site *s) {
    const char *name = type_name(s);
    return strcmp(name, "i8") == 0 || strcmp(name, "i16") == 0;
}

static bool is_float(tosajit_type type) {
    return type == TOSAJIT_F16 || type == TOSAJIT_BF16 || type == TOSAJIT_F32 ||
           type == TOSAJIT_F64;
}

static bool refuse(onnx_site *s, const char *why) {
    s->why = why;
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Texts */

static void put(byte_writer *text, const char *word) { bytes_put(text, word, strlen(word)); }

/* The default of an attribute: "alpha=0.2 beta=0.5". */
static float default_of(const onnx_form *form, const char *name, size_t length) {
    const char *at = form->attributes;
    while (*at && (strncmp(at, name, length) != 0 || at[length] != '=')) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return *at ? strtof(at + length + 1, NULL) : 0;
}

static void put_attribute(const onnx_form *form, const onnx_site *s, const char *name,
                          size_t length, byte_writer *text) {
    char key[32], number[32];
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, key);
    const float value = a && a->has_f ? a->f : default_of(form, name, length);
    onnx_number_text(value, number);
    if (element(s, 0) == TOSAJIT_F64 &&
        isfinite(value)) /* an f32, all of whose digits count there */
        snprintf(number, sizeof number, "(%.17g)", (double)value);
    put(text, number);
}

/* "; t7 =", and the 7 counts on; or "t5", a statement of this form. */
static void put_statement(const onnx_site *s, bool begins, int32_t number, byte_writer *text) {
    char word[32];
    snprintf(word, sizeof word, begins ? "; t%d =" : "t%d", number);
    put(text, word);
    if (begins) *s->statement = number;
}

static void expand(const onnx_form *form, const onnx_site *s, const char *from,
                   const char *const *operands, byte_writer *text) {
    const int32_t first = *s->statement;
    while (*from) {
        size_t plain = strcspn(from, "$%;"), length = 0;
        bytes_put(text, from, plain);
        from += plain;
        if (!*from) return;
        const char sign = *from++;
        while (sign == '$' && islower((unsigned char)from[length])) length++;
        if (length > 0)
            put_attribute(form, s, from, length, text);
        else if (sign == '$')
            put(text, *from == 'T' ? type_name(s) : operands[*from - '0']);
        else if (sign == '%')
            put_statement(s, false, first + *from - '0', text);
        else
            put_statement(s, true, *s->statement + 1, text);
        from += length > 0 ? length : sign != ';';
    }
}

/* An operator of any number of operands, or of as many as the text names. */
static bool expand_all(const onnx_form *form, const onnx_site *s, byte_writer *text) {
    if (form->most > 0) {
        expand(form, s, form->text, s->operands, text);
        return true;
    }
    byte_writer sum = {.allocator = text->allocator}, more = sum;
    put(&sum, s->operands[0]);
    for (int32_t k = 1; k < s->node->input_count; k++) {
        bytes_put(&sum, "", 1);
        const char *operands[2] = {(const char *)sum.bytes, s->operands[k]};
        more = (byte_writer){.allocator = text->allocator};
        if (!sum.failed) put(&more, "(");
        if (!sum.failed) expand(form, s, form->text, operands, &more);
        put(&more, ")");
        bytes_release(&sum);
        sum = more;
    }
    if (!sum.failed) bytes_put(text, sum.bytes, sum.size);
    text->failed = text->failed || sum.failed;
    bytes_release(&sum);
    return true;
}

static void print(onnx_site *s, byte_writer *text, const char *from) {
    const onnx_form none = {.attributes = ""};
    expand(&none, s, from, s->operands, text);
}

/* ---------------------------------------------------------------------------------------------
 * Operators that a text alone does not say */

/* An operand that is one number and does not change the rank of operand 0. */
static bool scalar(const onnx_site *s, int32_t k, double *value) {
    const onnx_value *operand = onnx_input(s->g, s->node, k);
    return operand && operand->constant && onnx_elements(&operand->type) == 1 &&
           operand->type.rank <= onnx_input(s->g, s->node, 0)->type.rank &&
           onnx_constant_at(operand->constant, 0, value);
}

/* The least or greatest number: the bound where a node has none; null: it bounds nothing. */
static const char *outermost(tosajit_type type, bool high, char text[32]) {
    static const struct {
        tosajit_type type;
        const char *most;
    } floats[] = {{TOSAJIT_F32, "3.4028235e38"},
                  {TOSAJIT_F64, "1.7976931348623157e308"},
                  {TOSAJIT_F16, "65504"},
                  {TOSAJIT_BF16, "3.3895314e38"}};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        if (floats[k].type == type)
            return snprintf(text, 32, high ? "%s" : "(-%s)", floats[k].most), text;
    return NULL;
}

/* Numbers beyond a bound become the bound. A NaN is beyond none, and nothing is beyond NaN. */
static void put_bounded(byte_writer *text, const char *from, const char *bound, bool high) {
    put(text, "where("), put(text, high ? bound : from), put(text, " < ");
    put(text, high ? from : bound), put(text, ", "), put(text, bound), put(text, ", ");
    put(text, from), put(text, ")");
}

static bool write_clip(onnx_site *s, byte_writer *text) {
    static const char *const names[2] = {"min", "max"};
    char limits[2][32], low[16];
    const char *bounds[2] = {NULL, NULL}, *from = s->operands[0];
    const bool attributes = s->g->opset < 11;
    if (attributes && s->node->input_count > 1)
        return refuse(s, "before opset 11 its bounds are no operands");
    for (int k = 0; k < 2; k++) {
        const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, names[k]);
        if (!attributes && s->node->input_count > 1 + k) bounds[k] = s->operands[1 + k];
        if (attributes && a && a->has_f)
            onnx_number_text(a->f, limits[k]), bounds[k] = limits[k];
        else if (!bounds[k])
            bounds[k] = outermost(element(s, 0), k == 1, limits[k]);
    }
    if (!bounds[0] && !bounds[1]) print(s, text, "identity($0)");
    if (bounds[0]) put_bounded(text, from, bounds[0], false);
    if (bounds[0] && bounds[1]) {
        snprintf(low, sizeof low, "t%d", (int)*s->statement);
        from = low;
        print(s, text, "; ");
    }
    if (bounds[1]) put_bounded(text, from, bounds[1], true);
    return true;
}

/* The exponent may have another type than the base; a constant exponent has the type of the base.
 */
static bool write_pow(onnx_site *s, byte_writer *text) {
    char exponent[32];
    double value;
    if (!is_float(element(s, 0))) return refuse(s, "there is no power of integers");
    if (!scalar(s, 1, &value)) {
        if (element(s, 0) != element(s, 1)) return refuse(s, "base and exponent differ in type");
        print(s, text, "pow($0, $1)");
        return true;
    }
    onnx_number_text((float)value, exponent);
    put(text, "pow("), put(text, s->operands[0]), put(text, ", "), put(text, exponent);
    put(text, ")");
    return true;
}

static bool write_mean(onnx_site *s, byte_writer *text) {
    const onnx_form sum = {.text = "$0 + $1", .attributes = ""};
    char quotient[32];
    snprintf(quotient, sizeof quotient, ") / %d", (int)s->node->input_count);
    put(text, "(");
    bool fine = expand_all(&sum, s, text);
    put(text, quotient);
    return fine;
}

/* The negative of the smallest integer is itself, where negate saturates. */
static bool write_neg(onnx_site *s, byte_writer *text) {
    print(s, text, is_float(element(s, 0)) ? "-$0" : "0 - $0");
    return true;
}

/* Of NaN the engine makes NaN, but 0 in half precision. */
static bool write_sign(onnx_site *s, byte_writer *text) {
    const bool half = element(s, 0) == TOSAJIT_F16 || element(s, 0) == TOSAJIT_BF16;
    print(s, text,
          half ? "where($0 > 0, $T(1), where($0 < 0, $T(-1), $T(0)))"
               : "where($0 > 0, $T(1), where($0 < 0, $T(-1), $0))");
    return true;
}

/* "cast($0, to=f32)", which reads unsigned integers as such. */
static void put_extended(onnx_site *s, byte_writer *text, const char *to) {
    const onnx_value *value = onnx_input(s->g, s->node, 0);
    const bool is_unsigned = value && onnx_element_is_unsigned(value->type.element);
    print(s, text, "cast($0, to=");
    put(text, to), put(text, is_unsigned ? ", input_unsigned=true)" : ")");
}

/* From floating point to an integer ONNX drops the fraction, and the language rounds. Beyond the
 * integer's limits ONNX defines nothing. Here it is the engine's result, and so the result of the
 * processor's instruction: on x86 the least integer of 32 or 64 bits, also for NaN, and elsewhere
 * the nearest one. Of 32 bits the lower ones stay. */
static void put_truncated(onnx_site *s, byte_writer *text, tosajit_type to) {
    const char *whole = "%0";
#if defined __x86_64__
    if (element(s, 0) == TOSAJIT_F16) /* it has no other number beyond */
        whole = "where(abs(%0) < inf, %0, (-inf))";
    else
        whole = to == TOSAJIT_I64 ? "where(abs(%0) < 9.2233720368547758e18, %0, (-inf))"
                                  : "where(abs(%0) < 2147483648, %0, (-inf))";
#endif
    const bool narrow = to == TOSAJIT_I8 || to == TOSAJIT_I16;
    char from[160];
    snprintf(from, sizeof from, "where($0 < 0, ceil($0), floor($0)); %s(%s%s%s)",
             tosajit_type_name(to), narrow ? "i32(" : "", whole, narrow ? ")" : "");
    print(s, text, from);
}

static bool write_cast(onnx_site *s, byte_writer *text) {
    const int32_t target = cast_to(s->node);
    const tosajit_type from = element(s, 0), to = onnx_element(target);
    const char *name = tosajit_type_name(to);
    if (!name || from == TOSAJIT_TYPE_COUNT) return refuse(s, "it has no such element type");
    if (from == to) {
        print(s, text, "identity($0)");
    } else if (to == TOSAJIT_I1 && from != TOSAJIT_I8 && from != TOSAJIT_I16) {
        print(s, text, "$0 != 0");
    } else if (is_float(from) && !is_float(to)) {
        put_truncated(s, text, to);
    } else if (from == TOSAJIT_I64 && to == TOSAJIT_BF16) {
        print(s, text, "cast(cast($0, to=f32), to=bf16)"); /* the engine rounds twice */
    } else {
        if (!is_float(from) && from != TOSAJIT_I1 && !is_float(to) && to != TOSAJIT_I1 && to < from)
            return refuse(s, "the language narrows integers in another way");
        put_extended(s, text, name);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * To integers of 8 and 16 bits and back */

/* Both have f32 constants for scale and zero point, which onnx_fold has made. */
static bool has_scale(onnx_site *s) {
    for (int32_t k = 1; k < s->node->input_count; k++)
        if (element(s, k) != TOSAJIT_F32)
            return refuse(
                s, "scale and zero point must be constants, of f32 and of the integers' type");
    return onnx_input(s->g, s->node, 1)->fresh ||
           refuse(s, "its scale is no constant for all elements or along an axis");
}

/* A cast rounds halves to even and saturates; so must the quotient before a zero point is added. A
 * sum that f32 has not is beyond the limits. NaN becomes 0. Unsigned integers pass between nodes as
 * signed integers with the same bits. */
static bool write_quantize(onnx_site *s, byte_writer *text) {
    const onnx_value *result = &s->g->values[s->node->outputs[0]];
    const tosajit_type to = onnx_element(result->type.element);
    const bool has_zero = s->node->input_count > 2;
    const bool is_unsigned = onnx_element_is_unsigned(result->type.element);
    if (element(s, 0) != TOSAJIT_F32) return refuse(s, "only f32 is quantized");
    if (to != TOSAJIT_I8 && to != TOSAJIT_I16)
        return refuse(s, "it gives no integers of 8 or 16 bits");
    if (!has_scale(s)) return false;
    put(text, tosajit_type_name(to)), put(text, "(");
    if (is_unsigned) put(text, to == TOSAJIT_I8 ? "u8(" : "u16(");
    print(s, text, has_zero ? "round($0 / $1) + $2)" : "$0 / $1)");
    if (is_unsigned) put(text, ")");
    return true;
}

/* The difference is exact in f32, but of i32, which has no zero point. */
static bool write_dequantize(onnx_site *s, byte_writer *text) {
    const tosajit_type from = element(s, 0);
    const bool has_zero = s->node->input_count > 2;
    if (from != TOSAJIT_I8 && from != TOSAJIT_I16 && (from != TOSAJIT_I32 || has_zero))
        return refuse(s, "it reads no integers of 8 or 16 bits");
    if (!has_scale(s)) return false;
    if (has_zero) put(text, "(");
    put_extended(s, text, "f32");
    print(s, text, has_zero ? " - $2) * $1" : " * $1");
    return true;
}

/* Data of 8 bits as f32, in brackets of a cast that rounds halves to even and saturates; other
 * operands are the numbers that onnx_fold has made. */
static bool write_linear(onnx_site *s, byte_writer *text) {
    const onnx_form *form = onnx_form_of(s->node);
    const onnx_value *data = onnx_input(s->g, s->node, 0);
    const bool is_unsigned = onnx_element_is_unsigned(data->type.element);
    const char *operands[TOSAJIT_MAX_TENSORS];
    char extended[ONNX_LINEAR_DATA][96];
    if (!onnx_input(s->g, s->node, s->node->input_count - 1)->fresh || element(s, 0) != TOSAJIT_I8)
        return refuse(s, "scales and zero points must be constants, of data of 8 bits");
    for (int32_t k = 0; k < s->node->input_count; k++) {
        operands[k] = s->operands[k];
        if (k >= ONNX_LINEAR_DATA || element(s, k) != TOSAJIT_I8) continue;
        snprintf(extended[k], sizeof extended[k], "cast(%s, to=f32%s)", s->operands[k],
                 is_unsigned ? ", input_unsigned=true" : "");
        operands[k] = extended[k];
    }
    put(text, is_unsigned ? "i8(u8(" : "i8(");
    expand(form, s, form->text, operands, text);
    put(text, is_unsigned ? "))" : ")");
    return true;
}

/* The sign is the divisor's, or with fmod the dividend's. */
static bool write_mod(onnx_site *s, byte_writer *text) {
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, "fmod");
    if (is_float(element(s, 0))) return refuse(s, "there is no exact remainder of floats");
    if (a && a->has_i && a->i != 0)
        print(s, text, "$0 - ($0 / $1) * $1");
    else
        print(s, text,
              "where(((($0 - ($0 / $1) * $1) ^ $1) < 0) & (($0 - ($0 / $1) * $1) != 0), "
              "$0 - ($0 / $1) * $1 + $1, $0 - ($0 / $1) * $1)");
    return true;
}

static bool write_equal(onnx_site *s, byte_writer *text) {
    print(s, text, element(s, 0) == TOSAJIT_I1 ? "!($0 ^ $1)" : "$0 == $1");
    return true;
}

static bool write_infinite(onnx_site *s, byte_writer *text) {
    const Onnx__AttributeProto *low = onnx_attribute(s->node->proto, "detect_negative");
    const Onnx__AttributeProto *high = onnx_attribute(s->node->proto, "detect_positive");
    bool negative = !low || low->i != 0, positive = !high || high->i != 0;
    if (!negative && !positive) return refuse(s, "it looks for nothing");
    print(s, text,
          negative && positive ? "abs($0) == inf"
          : positive           ? "$0 == inf"
                               : "$0 == (-inf)");
    return true;
}

static bool write_gelu(onnx_site *s, byte_writer *text) {
    const Onnx__AttributeProto *a = onnx_attribute(s->node->proto, "approximate");
    bool tanh_form = a && a->s.len == 4 && memcmp(a->s.data, "tanh", 4) == 0;
    print(s, text, tanh_form ? TANH_GELU : ERF_GELU);
    return true;
}

static bool write_rows(onnx_site *s, byte_writer *text) {
    char from[ONNX_ROWS_TEXT];
    s->sum = *s->statement;
    if (!onnx_rows_text(s, from)) return false;
    print(s, text, from);
    return true;
}

static bool write_view(onnx_site *s, byte_writer *text) { return onnx_views_text(s, text); }

static bool write_scatter(onnx_site *s, byte_writer *text) { return onnx_scatter_text(s, text); }

/* ---------------------------------------------------------------------------------------------
 * A node */

/* Before opset 7 operands were broadcast as an attribute said. */
static bool broadcasts_otherwise(const onnx_site *s) {
    return onnx_attribute(s->node->proto, "broadcast") || onnx_attribute(s->node->proto, "axis") ||
           onnx_attribute(s->node->proto, "consumed_inputs");
}

static bool has_operands(onnx_site *s, const onnx_form *form) {
    int32_t count = s->node->input_count;
    if (count < form->least || (form->most > 0 && count > form->most) || s->node->output_count < 1)
        return refuse(s, "it has a number of operands that this form of it has not");
    for (int32_t k = 1; k < s->node->output_count; k++)
        if (s->node->outputs[k] >= 0 && !onnx_form_gives(s->node, k) &&
            (!onnx_form_is_rows(form) || s->g->values[s->node->outputs[k]].uses > 0))
            return refuse(s, "it has more than one result");
    const int32_t first = onnx_is(s->node, "Clip")                            ? 1
                          : !onnx_form_is_elementwise(form) && form->most > 0 ? form->least
                                                                              : count;
    for (int32_t k = 0; k < first; k++)
        if (!s->operands[k]) return refuse(s, "an operand is left out");
    return s->node->outputs[0] >= 0 || refuse(s, "it has no result");
}

bool onnx_form_write(const onnx_form *form, onnx_site *site, byte_writer *text) {
    if (!has_operands(site, form)) return false;
    if (!is_quantising(site->node) && onnx_form_is_elementwise(form) && broadcasts_otherwise(site))
        return refuse(site, "it is of an opset before 7");
    if (!type_name(site)) return refuse(site, "it has no such element type");
    if (!form->bytes && is_byte(site))
        return refuse(site, "there is no arithmetic of int8, uint8, int16 and uint16");
    return form->write ? form->write(site, text) : expand_all(form, site, text);
}

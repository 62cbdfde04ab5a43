/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Workloads: the tables, and kernels of their texts. */
#include "bench/workloads.h"

#include <stdio.h>
#include <string.h>

#define F16 TOSAJIT_F16
#define BF16 TOSAJIT_BF16
#define F32 TOSAJIT_F32
#define I1 TOSAJIT_I1
#define I8 TOSAJIT_I8
#define I16 TOSAJIT_I16
#define I32 TOSAJIT_I32

#define CASE(title, expression, ...)                                                               \
    { .name = title, .text = expression, __VA_ARGS__ }
#define ONE(from, to) .operand_count = 1, .types = {from}, .result = to
#define TWO(from, to) .operand_count = 2, .types = {from, from}, .result = to
#define THREE(first, from, to) .operand_count = 3, .types = {first, from, from}, .result = to
#define WITH(form) .forms = {FORM_FULL, FORM_##form}
#define OUTER .forms = {FORM_COLUMN, FORM_ROW}
#define OP(name) .is_op = true, .op = TOSAJIT_OP_##name
#define LOOP(name) .loop = peer_##name
#define COPY(name) .copy = peer_##name
#define END                                                                                        \
    { 0 }

#define BROADCASTS(prefix, op, same, text)                                                         \
    CASE(prefix "same", text, TWO(F32, F32), OP(op), .loop = same, COPY(copy_same)),               \
        CASE(prefix "scalar", text, TWO(F32, F32), WITH(SCALAR), OP(op), LOOP(op##_scalar),        \
             COPY(copy_other)),                                                                    \
        CASE(prefix "row", text, TWO(F32, F32), WITH(ROW), OP(op), LOOP(op##_row),                 \
             COPY(copy_other)),                                                                    \
        CASE(prefix "column", text, TWO(F32, F32), WITH(COLUMN), OP(op), LOOP(op##_column),        \
             COPY(copy_other)),                                                                    \
        CASE(prefix "outer", text, TWO(F32, F32), OUTER, OP(op), LOOP(op##_outer), COPY(fill))

const workload workload_adds[] = {BROADCASTS("", add, peer_add_same, "x + y"), END};

const workload workload_broadcasts[] = {
    BROADCASTS("mul_", mul, peer_mul_same, "x * y"),
    BROADCASTS("maximum_", maximum, peer_maximum, "maximum(x, y)"),
    END,
};

/* TOSA has no maximum of i8. */
const workload workload_ops[] = {
    CASE("maximum_f32", "maximum(x, y)", TWO(F32, F32), OP(maximum), LOOP(maximum)),
    CASE("select_f32", "select(x, y, z)", THREE(I1, F32, F32), LOOP(select)),
    CASE("add_f16", "x + y", TWO(F16, F16), LOOP(add_f16)),
    CASE("mul_bf16", "x * y", TWO(BF16, BF16), LOOP(mul_bf16)),
    CASE("maximum_i8", "i8(maximum(i32(x), i32(y)))", TWO(I8, I8), LOOP(maximum_i8)),
    CASE("clamp_i8", "clamp(x, min=-100, max=90)", ONE(I8, I8), LOOP(clamp_i8)),
    CASE("cast_f32_i8", "i8(x)", ONE(F32, I8), LOOP(cast_f32_i8)),
    CASE("cast_i8_f32", "f32(x)", ONE(I8, F32), LOOP(cast_i8_f32)),
    CASE("mul_i32_shift", "mul(x, y, shift=20)", TWO(I32, I32), LOOP(mul_shift)),
    CASE("shift_right_i32", "x >> y", TWO(I32, I32), LOOP(shift_right)),
    CASE("shift_right_logical_i32", "x >>> y", TWO(I32, I32), LOOP(shift_right_logical)),
    CASE("shift_left_i32", "x << y", TWO(I32, I32), LOOP(shift_left)),
    END,
};

#define FUNCTION(name, ...)                                                                        \
    CASE(#name, #name "(x)", ONE(F32, F32), OP(name), .functions = true, .tolerance = 1e-5,        \
         LOOP(name), __VA_ARGS__)
const workload workload_maths[] = {
    FUNCTION(exp, .positive = false),
    FUNCTION(log, .positive = true),
    FUNCTION(tanh, .positive = false),
    FUNCTION(erf, .positive = false),
    FUNCTION(sin, .positive = false),
    FUNCTION(cos, .positive = false),
    CASE("pow", "pow(x, y)", TWO(F32, F32), OP(pow), .functions = true, .positive = true,
         .tolerance = 1e-5, LOOP(pow)),
    FUNCTION(sigmoid, .positive = false),
    FUNCTION(rsqrt, .positive = true),
    FUNCTION(reciprocal, .positive = true),
    END,
};

#define CHAIN(name, text, type, ...)                                                               \
    CASE(#name, text, ONE(F32, F32), .function = type, .functions = true, .tolerance = 1e-5,       \
         LOOP(name), .sleef = &peer_sleef_##name, COPY(copy_other))
const workload workload_chains[] = {
    CASE("bias_clamp", "clamp(x + y, min=0, max=6)", TWO(F32, F32), WITH(ROW), OP(add), .low = 0,
         .high = 6, LOOP(bias_clamp), COPY(copy_other)),
    CASE("requantise", "rescale(x + y, multiplier=1518500250, shift=31, scale32=true, to=i8)",
         TWO(I32, I8), WITH(ROW), LOOP(requantise)),
    CASE("layer_norm_tail", "(x - y) * z * u + v", .operand_count = 5,
         .types = {F32, F32, F32, F32, F32}, .result = F32,
         .forms = {FORM_FULL, FORM_COLUMN, FORM_COLUMN, FORM_ROW, FORM_ROW}, .tolerance = 1e-5,
         LOOP(layer_norm_tail), COPY(copy_other)),
    CHAIN(silu, "x * sigmoid(x)", EXTERNAL_SWISH),
    CHAIN(gelu_erf, "x * 0.5 * (erf(x * 0.7071067812) + 1)", EXTERNAL_GELU_ERF),
    CASE("ten_ops",
         "s = x + y; q = s * (x - y) + x; (abs(minimum(maximum(q, y), 2)) * y - s) * 0.5",
         TWO(F32, F32), .tolerance = 1e-5, LOOP(ten_ops), COPY(copy_same)),
    CHAIN(gelu, "x * 0.5 * (tanh((x * x * x * 0.044715 + x) * 0.7978845608) + 1)",
          EXTERNAL_GELU_TANH),
    END,
};

/* By where their buffers begin. */
const workload workload_offsets[] = {
    CASE("abs", "abs(x)", ONE(F32, F32), LOOP(abs)),
    CASE("clamp", "clamp(x, min=0, max=6)", ONE(F32, F32), LOOP(clamp)),
    CASE("add", "x + y", TWO(F32, F32), LOOP(add_same)),
    END,
};

const workload workload_narrows[] = {
    CASE("and_same", "logical_and(x, y)", TWO(I1, I1), LOOP(and_same)),
    CASE("and_row", "logical_and(x, y)", TWO(I1, I1), WITH(ROW), LOOP(and_row)),
    CASE("and_column", "logical_and(x, y)", TWO(I1, I1), WITH(COLUMN), LOOP(and_column)),
    CASE("xor_i16_same", "x ^ y", TWO(I16, I16), LOOP(xor_i16_same)),
    CASE("xor_i16_row", "x ^ y", TWO(I16, I16), WITH(ROW), LOOP(xor_i16_row)),
    CASE("xor_i16_column", "x ^ y", TWO(I16, I16), WITH(COLUMN), LOOP(xor_i16_column)),
    CASE("mul_bf16_row", "x * y", TWO(BF16, BF16), WITH(ROW), LOOP(mul_bf16_row)),
    CASE("mul_bf16_column", "x * y", TWO(BF16, BF16), WITH(COLUMN), LOOP(mul_bf16_column)),
    END,
};

/* Between products of bytes: sums back to bytes, by one scale or one per channel; residual
 * connections. */
#define RESCALE(x) "rescale(" x ", #, to=i8)"
#define WIDE(x) "rescale(" x ", multiplier=1293842134, shift=12, scale32=true, to=i32)"
#define NARROW(x) "rescale(" x ", multiplier=1173489143, shift=49, scale32=true, to=i8)"
const workload workload_bytes[] = {
    CASE("scale", RESCALE("x"), ONE(I32, I8), .sums = true),
    CASE("channels_8", RESCALE("x"), ONE(I32, I8), .sums = true, .channels = 8),
    CASE("channels_64", RESCALE("x"), ONE(I32, I8), .sums = true, .channels = 64),
    CASE("channels_256", RESCALE("x"), ONE(I32, I8), .sums = true, .channels = 256),
    CASE("channels_outer", "i8(x * y)", TWO(F32, I8), WITH(COLUMN)),
    CASE("to_uint8",
         "rescale(x, multiplier=1293842134, shift=30, scale32=true, output_unsigned=true, to=i8)",
         ONE(I8, I8)),
    CASE("residual", NARROW(WIDE("x") " + " WIDE("y")), TWO(I8, I8)),
    CASE("residual_relu", "clamp(" NARROW(WIDE("x") " + " WIDE("y")) ", min=0, max=127)",
         TWO(I8, I8)),
    CASE("residual_of_i32", NARROW(WIDE(RESCALE("x")) " + " WIDE("y")), .operand_count = 2,
         .types = {I32, I8}, .result = I8, .sums = true, .channels = 64),
    CASE("quantised_sum", "i8(round((f32(x) - 3) * 0.0173 + (f32(y) + 7) * 0.0291) + 5)",
         TWO(I8, I8)),
    CASE("residual_of_three", NARROW(WIDE("x") " + " WIDE("y") " + " WIDE("z")), THREE(I8, I8, I8)),
    END,
};

const workload *workload_find(const char *name) {
    static const workload *const lists[] = {workload_adds, workload_maths, workload_chains};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (const workload *w = lists[k]; w->name; w++)
            if (strcmp(w->name, name) == 0) return w;
    return NULL;
}

int64_t workload_traffic(const workload *w, int64_t rows, int64_t cols) {
    int64_t bytes = rows * cols * (int64_t)tosajit_type_size(w->result), dims[2];
    for (int k = 0; k < w->operand_count; k++) {
        workload_dims(w->forms[k], rows, cols, dims);
        bytes += dims[0] * dims[1] * (int64_t)tosajit_type_size(w->types[k]);
    }
    return bytes;
}

void workload_dims(form f, int64_t rows, int64_t cols, int64_t *dims) {
    dims[0] = f == FORM_FULL || f == FORM_COLUMN ? rows : 1;
    dims[1] = f == FORM_FULL || f == FORM_ROW ? cols : 1;
}

enum { MAX_TEXT = 8192 };

/* Scales of 2^-13 and less; those of channels differ in multiplier and shift. */
static size_t write_scales(int64_t channels, char *text, size_t size) {
    static const char *const kinds[] = {"multiplier=[", "], shift=["};
    const int64_t count = channels ? channels : 1;
    size_t at = 0;
    for (int kind = 0; kind < 2; kind++)
        for (int64_t k = 0; k < count && at < size; k++)
            at += (size_t)snprintf(text + at, size - at, "%s%d", k ? "," : kinds[kind],
                                   (int)(kind ? 43 + k % 3 : 1518500250 + k * 1234567));
    if (at < size)
        at += (size_t)snprintf(text + at, size - at, "], scale32=true, per_channel=%s",
                               channels ? "true" : "false");
    return at;
}

/* The text with its scales. */
static bool write_text(const workload *w, char *text) {
    const char *hash = strchr(w->text, '#');
    size_t at = hash ? (size_t)(hash - w->text) : 0;
    memcpy(text, w->text, at);
    if (hash) at += write_scales(w->channels, text + at, MAX_TEXT - at);
    if (at < MAX_TEXT)
        at += (size_t)snprintf(text + at, MAX_TEXT - at, "%s", hash ? hash + 1 : w->text);
    return at < MAX_TEXT;
}

tosajit_kernel *workload_compile(tosajit_engine *engine, const workload *w,
                                 tosajit_accuracy accuracy, int64_t rows, int64_t cols,
                                 bool dynamic) {
    static const char *const names[WORKLOAD_MAX_OPERANDS] = {"x", "y", "z", "u", "v"};
    tosajit_named_type types[WORKLOAD_MAX_OPERANDS];
    const tosajit_parse_options options = {.size = sizeof options,
                                           .accuracy = accuracy,
                                           .types = types,
                                           .type_count = (size_t)w->operand_count};
    tosajit_expr *expr;
    tosajit_kernel *kernel = NULL;
    char text[MAX_TEXT];
    for (int k = 0; k < w->operand_count; k++) {
        int64_t dims[2];
        workload_dims(w->forms[k], rows, cols, dims);
        for (int d = 0; dynamic && d < (w->channels ? 1 : 2); d++) dims[d] = TOSAJIT_DYNAMIC;
        types[k] = (tosajit_named_type){names[k], tosajit_ranked(w->types[k], 2, dims)};
    }
    if (!write_text(w, text) || tosajit_expr_parse(text, strlen(text), &options, &expr))
        return NULL;
    tosajit_compile_expr(engine, expr, &kernel);
    tosajit_expr_destroy(expr);
    return kernel;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Workloads: the tables, and building their steps as expressions. */
#include "bench/workloads.h"

#include <string.h>

#include "tosajit/inspect.h"

#define F32 TOSAJIT_F32
#define OPERAND(k) (VALUE_OPERAND + (k))
#define CONSTANT(k) (VALUE_CONSTANT + (k))
#define STEP(k) (VALUE_STEP + (k))
#define UNARY(op) .step_count = 1, .steps = {{TOSAJIT_OP_##op, {OPERAND(0)}, 0}}
#define BINARY(op) .step_count = 1, .steps = {{TOSAJIT_OP_##op, {OPERAND(0), OPERAND(1)}, 0}}
#define PAIR(op) .operand_count = 2, .types = {F32, F32}, .result = F32, BINARY(op)
#define ADD PAIR(add)
#define MATH(op, accuracy)                                                                         \
    .operand_count = 1, .types = {F32}, .result = F32, UNARY(op), .tolerance = accuracy

const workload workload_adds[] = {
    {.name = "same", ADD, .loop = peer_add_same, .copy = peer_copy_same},
    {.name = "scalar",
     ADD,
     .forms = {FORM_FULL, FORM_SCALAR},
     .loop = peer_add_scalar,
     .copy = peer_copy_other},
    {.name = "row",
     ADD,
     .forms = {FORM_FULL, FORM_ROW},
     .loop = peer_add_row,
     .copy = peer_copy_other},
    {.name = "column",
     ADD,
     .forms = {FORM_FULL, FORM_COLUMN},
     .loop = peer_add_column,
     .copy = peer_copy_other},
    {.name = "outer",
     ADD,
     .forms = {FORM_COLUMN, FORM_ROW},
     .loop = peer_add_outer,
     .copy = peer_fill},
};
const int workload_add_count = sizeof workload_adds / sizeof *workload_adds;

#define BROADCASTS(op)                                                                             \
    {.name = #op "_scalar",                                                                        \
     PAIR(op),                                                                                     \
     .forms = {FORM_FULL, FORM_SCALAR},                                                            \
     .loop = peer_##op##_scalar,                                                                   \
     .copy = peer_copy_other},                                                                     \
        {.name = #op "_row",                                                                       \
         PAIR(op),                                                                                 \
         .forms = {FORM_FULL, FORM_ROW},                                                           \
         .loop = peer_##op##_row,                                                                  \
         .copy = peer_copy_other},                                                                 \
        {.name = #op "_column",                                                                    \
         PAIR(op),                                                                                 \
         .forms = {FORM_FULL, FORM_COLUMN},                                                        \
         .loop = peer_##op##_column,                                                               \
         .copy = peer_copy_other},                                                                 \
    {                                                                                              \
        .name = #op "_outer", PAIR(op), .forms = {FORM_COLUMN, FORM_ROW},                          \
        .loop = peer_##op##_outer, .copy = peer_fill                                               \
    }

const workload workload_broadcasts[] = {
    {.name = "mul_same", PAIR(mul), .loop = peer_mul_same, .copy = peer_copy_same},
    BROADCASTS(mul),
    {.name = "maximum_same", PAIR(maximum), .loop = peer_maximum, .copy = peer_copy_same},
    BROADCASTS(maximum),
};
const int workload_broadcast_count = sizeof workload_broadcasts / sizeof *workload_broadcasts;

const workload workload_ops[] = {
    {.name = "maximum_f32",
     .operand_count = 2,
     .types = {F32, F32},
     .result = F32,
     BINARY(maximum),
     .loop = peer_maximum},
    {.name = "select_f32",
     .operand_count = 3,
     .types = {TOSAJIT_I1, F32, F32},
     .result = F32,
     .step_count = 1,
     .steps = {{TOSAJIT_OP_select, {OPERAND(0), OPERAND(1), OPERAND(2)}, 0}},
     .loop = peer_select},
    {.name = "add_f16",
     .operand_count = 2,
     .types = {TOSAJIT_F16, TOSAJIT_F16},
     .result = TOSAJIT_F16,
     BINARY(add),
     .loop = peer_add_f16},
    {.name = "mul_bf16",
     .operand_count = 2,
     .types = {TOSAJIT_BF16, TOSAJIT_BF16},
     .result = TOSAJIT_BF16,
     BINARY(mul),
     .loop = peer_mul_bf16},
    /* TOSA has no maximum of i8. */
    {.name = "maximum_i8",
     .operand_count = 2,
     .types = {TOSAJIT_I8, TOSAJIT_I8},
     .result = TOSAJIT_I8,
     .step_count = 4,
     .steps = {{TOSAJIT_OP_cast, {OPERAND(0)}, 1},
               {TOSAJIT_OP_cast, {OPERAND(1)}, 2},
               {TOSAJIT_OP_maximum, {STEP(0), STEP(1)}, 1},
               {TOSAJIT_OP_cast, {STEP(2)}, 0}},
     .widens = true,
     .loop = peer_maximum_i8},
    {.name = "clamp_i8",
     .operand_count = 1,
     .types = {TOSAJIT_I8},
     .result = TOSAJIT_I8,
     UNARY(clamp),
     .attributes = {.min_val = {.i = PEER_CLAMP_LOW}, .max_val = {.i = PEER_CLAMP_HIGH}},
     .loop = peer_clamp_i8},
    {.name = "cast_f32_i8",
     .operand_count = 1,
     .types = {F32},
     .result = TOSAJIT_I8,
     UNARY(cast),
     .loop = peer_cast_f32_i8},
    {.name = "cast_i8_f32",
     .operand_count = 1,
     .types = {TOSAJIT_I8},
     .result = F32,
     UNARY(cast),
     .loop = peer_cast_i8_f32},
    {.name = "mul_i32_shift",
     .operand_count = 2,
     .types = {TOSAJIT_I32, TOSAJIT_I32},
     .result = TOSAJIT_I32,
     BINARY(mul),
     .attributes = {.shift = PEER_MUL_SHIFT},
     .loop = peer_mul_shift},
    {.name = "shift_right_i32",
     .operand_count = 2,
     .types = {TOSAJIT_I32, TOSAJIT_I32},
     .result = TOSAJIT_I32,
     BINARY(arithmetic_right_shift),
     .loop = peer_shift_right},
    {.name = "shift_right_logical_i32",
     .operand_count = 2,
     .types = {TOSAJIT_I32, TOSAJIT_I32},
     .result = TOSAJIT_I32,
     BINARY(logical_right_shift),
     .loop = peer_shift_right_logical},
    {.name = "shift_left_i32",
     .operand_count = 2,
     .types = {TOSAJIT_I32, TOSAJIT_I32},
     .result = TOSAJIT_I32,
     BINARY(logical_left_shift),
     .loop = peer_shift_left},
};
const int workload_op_count = sizeof workload_ops / sizeof *workload_ops;

const workload workload_maths[] = {
    {.name = "exp", MATH(exp, 1e-5), .loop = peer_exp},
    {.name = "log", MATH(log, 1e-5), .positive = true, .loop = peer_log},
    {.name = "tanh", MATH(tanh, 1e-5), .loop = peer_tanh},
    {.name = "erf", MATH(erf, 1e-5), .loop = peer_erf},
    {.name = "sin", MATH(sin, 1e-5), .loop = peer_sin},
    {.name = "cos", MATH(cos, 1e-5), .loop = peer_cos},
    {.name = "pow", PAIR(pow), .positive = true, .tolerance = 1e-5, .loop = peer_pow},
    {.name = "sigmoid", MATH(sigmoid, 1e-5), .loop = peer_sigmoid},
    {.name = "rsqrt", MATH(rsqrt, 1e-5), .positive = true, .loop = peer_rsqrt},
    {.name = "reciprocal", MATH(reciprocal, 1e-5), .positive = true, .loop = peer_reciprocal},
};
const int workload_math_count = sizeof workload_maths / sizeof *workload_maths;

const workload workload_chains[] = {
    {.name = "bias_clamp",
     .operand_count = 2,
     .types = {F32, F32},
     .forms = {FORM_FULL, FORM_ROW},
     .result = F32,
     .step_count = 2,
     .steps = {{TOSAJIT_OP_add, {OPERAND(0), OPERAND(1)}, 0}, {TOSAJIT_OP_clamp, {STEP(0)}, 0}},
     .attributes = {.min_val = {.f = 0}, .max_val = {.f = 6}},
     .loop = peer_bias_clamp,
     .copy = peer_copy_other},
    {.name = "requantise",
     .operand_count = 2,
     .types = {TOSAJIT_I32, TOSAJIT_I32},
     .forms = {FORM_FULL, FORM_ROW},
     .result = TOSAJIT_I8,
     .step_count = 2,
     .steps = {{TOSAJIT_OP_add, {OPERAND(0), OPERAND(1)}, 1}, {TOSAJIT_OP_rescale, {STEP(0)}, 0}},
     .attributes = {.scale32 = 1},
     .multiplier = PEER_MULTIPLIER,
     .shift = PEER_REQUANTISE_SHIFT,
     .loop = peer_requantise},
    {.name = "layer_norm_tail",
     .operand_count = 5,
     .types = {F32, F32, F32, F32, F32},
     .forms = {FORM_FULL, FORM_COLUMN, FORM_COLUMN, FORM_ROW, FORM_ROW},
     .result = F32,
     .step_count = 4,
     .steps = {{TOSAJIT_OP_sub, {OPERAND(0), OPERAND(1)}, 1},
               {TOSAJIT_OP_mul, {STEP(0), OPERAND(2)}, 2},
               {TOSAJIT_OP_mul, {STEP(1), OPERAND(3)}, 1},
               {TOSAJIT_OP_add, {STEP(2), OPERAND(4)}, 0}},
     .tolerance = 1e-5,
     .loop = peer_layer_norm_tail,
     .copy = peer_copy_other},
    {.name = "silu",
     .operand_count = 1,
     .types = {F32},
     .result = F32,
     .step_count = 2,
     .steps = {{TOSAJIT_OP_sigmoid, {OPERAND(0)}, 1}, {TOSAJIT_OP_mul, {OPERAND(0), STEP(0)}, 0}},
     .tolerance = 1e-5,
     .function = EXTERNAL_SWISH,
     .loop = peer_silu,
     .sleef = &peer_sleef_silu,
     .copy = peer_copy_other},
    {.name = "gelu_erf",
     .operand_count = 1,
     .types = {F32},
     .result = F32,
     .step_count = 5,
     .steps = {{TOSAJIT_OP_mul, {OPERAND(0), CONSTANT(0)}, 1},
               {TOSAJIT_OP_erf, {STEP(0)}, 1},
               {TOSAJIT_OP_add, {STEP(1), CONSTANT(1)}, 1},
               {TOSAJIT_OP_mul, {OPERAND(0), CONSTANT(2)}, 2},
               {TOSAJIT_OP_mul, {STEP(3), STEP(2)}, 0}},
     .constants = {0.7071067812f, 1.0f, 0.5f},
     .tolerance = 1e-5,
     .function = EXTERNAL_GELU_ERF,
     .loop = peer_gelu_erf,
     .sleef = &peer_sleef_gelu_erf,
     .copy = peer_copy_other},
    {.name = "ten_ops",
     .operand_count = 2,
     .types = {F32, F32},
     .result = F32,
     .step_count = 10,
     .steps = {{TOSAJIT_OP_add, {OPERAND(0), OPERAND(1)}, 0},
               {TOSAJIT_OP_sub, {OPERAND(0), OPERAND(1)}, 1},
               {TOSAJIT_OP_mul, {STEP(0), STEP(1)}, 1},
               {TOSAJIT_OP_add, {STEP(2), OPERAND(0)}, 1},
               {TOSAJIT_OP_maximum, {STEP(3), OPERAND(1)}, 1},
               {TOSAJIT_OP_minimum, {STEP(4), CONSTANT(0)}, 1},
               {TOSAJIT_OP_abs, {STEP(5)}, 1},
               {TOSAJIT_OP_mul, {STEP(6), OPERAND(1)}, 1},
               {TOSAJIT_OP_sub, {STEP(7), STEP(0)}, 0},
               {TOSAJIT_OP_mul, {STEP(8), CONSTANT(1)}, 0}},
     .constants = {2.0f, 0.5f},
     .tolerance = 1e-5,
     .loop = peer_ten_ops,
     .copy = peer_copy_same},
    {.name = "gelu",
     .operand_count = 1,
     .types = {F32},
     .result = F32,
     .step_count = 9,
     .steps = {{TOSAJIT_OP_mul, {OPERAND(0), OPERAND(0)}, 0},
               {TOSAJIT_OP_mul, {STEP(0), OPERAND(0)}, 0},
               {TOSAJIT_OP_mul, {STEP(1), CONSTANT(0)}, 0},
               {TOSAJIT_OP_add, {STEP(2), OPERAND(0)}, 0},
               {TOSAJIT_OP_mul, {STEP(3), CONSTANT(1)}, 0},
               {TOSAJIT_OP_tanh, {STEP(4)}, 0},
               {TOSAJIT_OP_add, {STEP(5), CONSTANT(2)}, 0},
               {TOSAJIT_OP_mul, {OPERAND(0), CONSTANT(3)}, 1},
               {TOSAJIT_OP_mul, {STEP(7), STEP(6)}, 0}},
     .constants = {0.044715f, 0.7978845608f, 1.0f, 0.5f},
     .tolerance = 1e-5,
     .function = EXTERNAL_GELU_TANH,
     .loop = peer_gelu,
     .sleef = &peer_sleef_gelu,
     .copy = peer_copy_other},
};
const int workload_chain_count = sizeof workload_chains / sizeof *workload_chains;

/* By where their buffers begin. */
const workload workload_offsets[] = {
    {.name = "abs", MATH(abs, 0), .loop = peer_abs},
    {.name = "clamp",
     MATH(clamp, 0),
     .attributes = {.min_val = {.f = 0}, .max_val = {.f = 6}},
     .loop = peer_clamp},
    {.name = "add", ADD, .loop = peer_add_same},
};
const int workload_offset_count = sizeof workload_offsets / sizeof *workload_offsets;

#define NARROW(op, type) .operand_count = 2, .types = {type, type}, .result = type, BINARY(op)

const workload workload_narrows[] = {
    {.name = "and_same", NARROW(logical_and, TOSAJIT_I1), .loop = peer_and_same},
    {.name = "and_row",
     NARROW(logical_and, TOSAJIT_I1),
     .forms = {FORM_FULL, FORM_ROW},
     .loop = peer_and_row},
    {.name = "and_column",
     NARROW(logical_and, TOSAJIT_I1),
     .forms = {FORM_FULL, FORM_COLUMN},
     .loop = peer_and_column},
    {.name = "xor_i16_same", NARROW(bitwise_xor, TOSAJIT_I16), .loop = peer_xor_i16_same},
    {.name = "xor_i16_row",
     NARROW(bitwise_xor, TOSAJIT_I16),
     .forms = {FORM_FULL, FORM_ROW},
     .loop = peer_xor_i16_row},
    {.name = "xor_i16_column",
     NARROW(bitwise_xor, TOSAJIT_I16),
     .forms = {FORM_FULL, FORM_COLUMN},
     .loop = peer_xor_i16_column},
    {.name = "mul_bf16_row",
     NARROW(mul, TOSAJIT_BF16),
     .forms = {FORM_FULL, FORM_ROW},
     .loop = peer_mul_bf16_row},
    {.name = "mul_bf16_column",
     NARROW(mul, TOSAJIT_BF16),
     .forms = {FORM_FULL, FORM_COLUMN},
     .loop = peer_mul_bf16_column},
};
const int workload_narrow_count = sizeof workload_narrows / sizeof *workload_narrows;

static const workload *find_in(const workload *list, int count, const char *name) {
    for (int k = 0; k < count; k++)
        if (strcmp(list[k].name, name) == 0) return &list[k];
    return NULL;
}

const workload *workload_find(const char *name) {
    const workload *w = find_in(workload_adds, workload_add_count, name);
    if (!w) w = find_in(workload_broadcasts, workload_broadcast_count, name);
    if (!w) w = find_in(workload_ops, workload_op_count, name);
    if (!w) w = find_in(workload_maths, workload_math_count, name);
    return w ? w : find_in(workload_chains, workload_chain_count, name);
}

tosajit_type workload_step_type(const workload *w, int step) {
    return step + 1 == w->step_count ? w->result : w->widens ? TOSAJIT_I32 : w->types[0];
}

bool workload_has_function(const workload *w) {
    enum { MOVED, MASKED, EXACT, ROUNDED, FUNCTION };
    static const int results[] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, result, ...)                      \
    [TOSAJIT_OP_##name] = result,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
    };
    for (int k = 0; k < w->step_count; k++) {
        const tosajit_op op = w->steps[k].op;
        if (results[op] == FUNCTION || op == TOSAJIT_OP_reciprocal) return true;
    }
    return false;
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

/* An expression under construction; `values` maps a workload's values to the expression's, -1 where
 * it has none yet. */
typedef struct building {
    tosajit_expr *expr;
    const workload *w;
    int64_t rows, cols;
    int dynamic, operand_count, *sources;
    tosajit_value values[VALUE_STEP + WORKLOAD_MAX_STEPS];
    tosajit_status status;
} building;

static void make_constant(building *b, int value) {
    tosajit_tensor_type type = tosajit_ranked(F32, 2, (int64_t[]){1, 1});
    b->status = tosajit_expr_constant(b->expr, &type, &b->w->constants[value - VALUE_CONSTANT],
                                      &b->values[value]);
}

static void make_input(building *b, int value) {
    bool is_operand = value < VALUE_CONSTANT;
    int64_t dims[2];
    workload_dims(is_operand ? b->w->forms[value] : FORM_FULL, b->rows, b->cols, dims);
    for (int d = 0; b->dynamic && d < 2; d++) dims[d] = TOSAJIT_DYNAMIC;
    tosajit_tensor_type type = tosajit_ranked(
        is_operand ? b->w->types[value] : workload_step_type(b->w, value - VALUE_STEP), 2, dims);
    b->sources[b->operand_count++] = value;
    b->status = tosajit_expr_input(b->expr, &type, &b->values[value]);
}

/* multiplier, shift and two zero points, of the types that rescale wants. */
static void make_scaling(building *b, tosajit_value *parameters) {
    const tosajit_type types[4] = {TOSAJIT_I32, TOSAJIT_I8, b->w->types[0], b->w->result};
    const int32_t numbers[4] = {b->w->multiplier, b->w->shift, 0, 0};
    for (int p = 0; p < 4 && !b->status; p++) {
        tosajit_tensor_type type = tosajit_ranked(types[p], 1, (int64_t[]){1});
        /* Little-endian: the low bytes. */
        b->status = tosajit_expr_constant(b->expr, &type, &numbers[p], &parameters[p]);
    }
}

static void make_step(building *b, int k) {
    const step *s = &b->w->steps[k];
    bool last = k + 1 == b->w->step_count, scales = s->op == TOSAJIT_OP_rescale;
    tosajit_value operands[TOSAJIT_MAX_ARITY + 4];
    int arity = tosajit_op_arity(s->op);
    for (int o = 0; o < arity && !b->status; o++) {
        int value = s->operands[o];
        if (b->values[value] < 0)
            (value >= VALUE_CONSTANT && value < VALUE_STEP ? make_constant : make_input)(b, value);
        operands[o] = b->values[value];
    }
    tosajit_tensor_type type = {workload_step_type(b->w, k), TOSAJIT_UNRANKED, {0}};
    if (scales) make_scaling(b, operands + arity);
    size_t count = (size_t)arity + (scales ? 4 : 0);
    if (!b->status)
        b->status = tosajit_expr_op(
            b->expr, s->op, operands, count, last ? &b->w->attributes : NULL,
            scales || s->op == TOSAJIT_OP_cast ? &type : NULL, &b->values[VALUE_STEP + k]);
}

static tosajit_kernel *compile_steps(tosajit_engine *engine, building *b, tosajit_accuracy accuracy,
                                     int first, int count) {
    const tosajit_expr_options options = {.size = sizeof options, .accuracy = accuracy};
    tosajit_kernel *kernel = NULL;
    for (size_t k = 0; k < sizeof b->values / sizeof *b->values; k++) b->values[k] = -1;
    b->status = tosajit_expr_create(&options, &b->expr);
    for (int k = first; k < first + count && !b->status; k++) make_step(b, k);
    if (!b->status)
        b->status = tosajit_expr_result(b->expr, b->values[VALUE_STEP + first + count - 1]);
    if (!b->status) b->status = tosajit_compile_expr(engine, b->expr, &kernel);
    tosajit_expr_destroy(b->expr);
    return b->status ? NULL : kernel;
}

tosajit_kernel *workload_compile(tosajit_engine *engine, const workload *w, int first, int count,
                                 int64_t rows, int64_t cols, int dynamic, int *sources) {
    building b = {.w = w, .rows = rows, .cols = cols, .dynamic = dynamic, .sources = sources};
    /* Unless the engine says otherwise. */
    return compile_steps(engine, &b, TOSAJIT_EXACT, first, count);
}

tosajit_kernel *workload_compile_all(tosajit_engine *engine, const workload *w,
                                     tosajit_accuracy accuracy, int64_t rows, int64_t cols,
                                     bool dynamic, int *sources) {
    building b = {.w = w, .rows = rows, .cols = cols, .dynamic = dynamic, .sources = sources};
    return compile_steps(engine, &b, accuracy, 0, w->step_count);
}

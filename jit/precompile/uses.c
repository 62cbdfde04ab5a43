/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses: the op table's rows, times what attributes can say; and pairs of a few of them. */
#include "jit/precompile/uses.h"

#include <string.h>

#include "runtime/expr/ops.h"

/* The switches of a use, each a bit of a number that is counted up. */
enum {
    SWITCH_FAST = 1,
    SWITCH_PARAMETERS = 2,
    SWITCH_NAN = 4,
    SWITCH_ROUND = 8,
    SWITCH_INPUT_UNSIGNED = 16,
    SWITCH_OUTPUT_UNSIGNED = 32,
    SWITCH_SCALE32 = 64,
    SWITCH_CHANNEL = 128,
    SWITCH_ROUNDING = 256, /* and the next bit */
    SWITCH_END = 1024,
};

/* Those that an op has. */
static unsigned switches_of(tosajit_op op) {
    const op_row *row = &op_table[op];
    unsigned has = row->result == RESULT_FUNCTION ? SWITCH_FAST : 0;
    if (rows_parameter_count(op)) has |= SWITCH_PARAMETERS;
    if (row->attributes & ATTRIBUTE_NAN_MODE) has |= SWITCH_NAN;
    if (row->attributes & ATTRIBUTE_ROUND) has |= SWITCH_ROUND;
    if (row->attributes & ATTRIBUTE_UNSIGNED) has |= SWITCH_INPUT_UNSIGNED;
    if (row->attributes & ATTRIBUTE_SCALING)
        has |= SWITCH_INPUT_UNSIGNED | SWITCH_OUTPUT_UNSIGNED | SWITCH_SCALE32 | SWITCH_CHANNEL |
               3 * SWITCH_ROUNDING;
    return has;
}

static rows_use use_of(tosajit_op op, tosajit_type operand, tosajit_type result, unsigned on) {
    rows_use use = {.op = op,
                    .operand = operand,
                    .result = result,
                    .fast = on & SWITCH_FAST,
                    .has_parameters = on & SWITCH_PARAMETERS};
    use.attributes.nan_mode = on & SWITCH_NAN ? TOSAJIT_NAN_IGNORE : TOSAJIT_NAN_PROPAGATE;
    use.attributes.round = (on & SWITCH_ROUND) != 0;
    use.attributes.input_unsigned = (on & SWITCH_INPUT_UNSIGNED) != 0;
    use.attributes.output_unsigned = (on & SWITCH_OUTPUT_UNSIGNED) != 0;
    use.attributes.scale32 = (on & SWITCH_SCALE32) != 0;
    use.attributes.per_channel = (on & SWITCH_CHANNEL) != 0;
    use.attributes.rounding_mode = (tosajit_rounding_mode)(on / SWITCH_ROUNDING & 3);
    return use;
}

static tosajit_type operand_type(const rows_use *use, int k) {
    return op_table[use->op].signature == SIGNATURE_SELECT && k == 0 ? TOSAJIT_I1 : use->operand;
}

static bool is_legal(const rows_use *use) {
    int required = 0;
    tosajit_op_parameters(use->op, &required);
    const bool always = required || op_table[use->op].attributes & ATTRIBUTE_MIN_MAX;
    if (always && !use->has_parameters) return false;
    return !op_check_attributes(use->op, use->operand, use->result, &use->attributes);
}

typedef struct taker {
    tosajit_status (*take)(void *context, const rows_code *code);
    void *context;
} taker;

static tosajit_status take_single(const taker *t, const rows_use *use) {
    return t->take(t->context, &(rows_code){.first = *use, .position = ROWS_SINGLE});
}

/* Every number whose bits are among those of `set` is made of the one before. */
static tosajit_status each_of_types(tosajit_op op, tosajit_type operand, tosajit_type result,
                                    const taker *t) {
    const unsigned set = switches_of(op);
    unsigned on = 0;
    do {
        const rows_use use = use_of(op, operand, result, on);
        tosajit_status status = is_legal(&use) ? take_single(t, &use) : TOSAJIT_OK;
        if (status) return status;
        on = (on - set) & set;
    } while (on);
    return TOSAJIT_OK;
}

static tosajit_status each_single(const taker *t) {
    const int types = TOSAJIT_TYPE_COUNT;
    for (int n = 0; n < TOSAJIT_OP_COUNT * types * types; n++) {
        const tosajit_op op = (tosajit_op)(n / types / types);
        const rows_use use =
            use_of(op, (tosajit_type)(n / types % types), (tosajit_type)(n % types), 0);
        tosajit_type operands[TOSAJIT_MAX_ARITY];
        for (int k = 0; k < op_table[op].arity; k++) operands[k] = operand_type(&use, k);
        if (op_reduces(op) || op_views(op) || op_scans(op) || op_scatters(op) ||
            !tosajit_op_accepts(op, operands, use.result))
            continue;
        tosajit_status status = each_of_types(op, use.operand, use.result, t);
        if (status) return status;
    }
    return TOSAJIT_OK;
}

/* Pairs are made of these, on f32: ops of an instruction or two, which take as long as their tile
 * takes to the L1 cache and back. */
static const tosajit_op paired[] = {TOSAJIT_OP_abs,     TOSAJIT_OP_clamp,  TOSAJIT_OP_negate,
                                    TOSAJIT_OP_add,     TOSAJIT_OP_sub,    TOSAJIT_OP_mul,
                                    TOSAJIT_OP_maximum, TOSAJIT_OP_minimum};

static rows_use paired_use(tosajit_op op) {
    const bool limits = op_table[op].attributes & ATTRIBUTE_MIN_MAX;
    return use_of(op, TOSAJIT_F32, TOSAJIT_F32, limits ? SWITCH_PARAMETERS : 0);
}

/* A clamp of a clamp is one clamp in every program (runtime/expr/simplify.c). */
static bool is_one_clamp(const rows_code *pair) {
    return pair->first.op == TOSAJIT_OP_clamp && pair->second.op == TOSAJIT_OP_clamp;
}

static tosajit_status each_pair(const taker *t) {
    const int count = sizeof paired / sizeof *paired;
    for (int n = 0; n < count * count * TOSAJIT_MAX_ARITY; n++) {
        const rows_code pair = {.first = paired_use(paired[n / TOSAJIT_MAX_ARITY / count]),
                                .second = paired_use(paired[n / TOSAJIT_MAX_ARITY % count]),
                                .position = n % TOSAJIT_MAX_ARITY};
        if (pair.position >= op_table[pair.second.op].arity || is_one_clamp(&pair)) continue;
        tosajit_status status = t->take(t->context, &pair);
        if (status) return status;
    }
    return TOSAJIT_OK;
}

tosajit_status uses_each(tosajit_status (*take)(void *context, const rows_code *code),
                         void *context) {
    const taker t = {take, context};
    tosajit_status status = each_single(&t);
    return status ? status : each_pair(&t);
}

/* Sizes of parameter k; clamp's are not the op table's. */
static tosajit_tensor_type parameter_type(const rows_use *use, int k) {
    int64_t count = 1;
    if (!(op_table[use->op].attributes & ATTRIBUTE_MIN_MAX))
        count =
            op_describe_parameter(use->op, k, use->operand, use->result, &use->attributes).count;
    if (count == 0) count = TOSAJIT_DYNAMIC;
    return tosajit_ranked(rows_parameter_type(use, k), 1, &count);
}

static int parameter_count(const rows_use *use) {
    return use->has_parameters ? rows_parameter_count(use->op) : 0;
}

/* An expression in the making: its inputs are the operands of the code. */
typedef struct maker {
    tosajit_expr *expr;
    int32_t rank;
    int input_count;
    tosajit_value inputs[TOSAJIT_MAX_OPERANDS];
} maker;

static tosajit_status add_input(maker *mk, const tosajit_tensor_type *type) {
    return tosajit_expr_input(mk->expr, type, &mk->inputs[mk->input_count++]);
}

static tosajit_tensor_type open_type(const maker *mk, tosajit_type element) {
    static const int64_t dims[3] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    return tosajit_ranked(element, mk->rank, dims);
}

/* Data operands of the use, but for the one at `position`, which another op computes. */
static tosajit_status add_operands(maker *mk, const rows_use *use, int position) {
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < op_table[use->op].arity; k++) {
        const tosajit_tensor_type type = open_type(mk, operand_type(use, k));
        if (k != position) status = add_input(mk, &type);
    }
    return status;
}

static tosajit_status add_parameters(maker *mk, const rows_use *use) {
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; !status && k < parameter_count(use); k++) {
        const tosajit_tensor_type type = parameter_type(use, k);
        status = add_input(mk, &type);
    }
    return status;
}

/* Append the op on these values, its data operands and then its parameters. Limits are no operands
 * of clamp in TOSA, but its emitter takes them. */
static tosajit_status add_op(const maker *mk, const rows_use *use, const tosajit_value *values,
                             tosajit_value *result) {
    const int arity = op_table[use->op].arity, count = arity + parameter_count(use);
    const bool limits = op_table[use->op].attributes & ATTRIBUTE_MIN_MAX;
    const tosajit_tensor_type type = open_type(mk, use->result);
    tosajit_status status =
        tosajit_expr_op(mk->expr, use->op, values, (size_t)(limits ? arity : count),
                        &use->attributes, &type, result);
    if (status) return status;
    expr_node *node = &mk->expr->nodes[*result];
    node->operand_count = count;
    for (int k = arity; k < count; k++) node->operands[k] = values[k];
    return TOSAJIT_OK;
}

static tosajit_status add_first(maker *mk, const rows_code *code, tosajit_value *result) {
    tosajit_status status = add_operands(mk, &code->first, ROWS_SINGLE);
    if (!status && code->position != ROWS_SINGLE)
        status = add_operands(mk, &code->second, code->position);
    const int data = mk->input_count, arity = op_table[code->first.op].arity;
    if (!status) status = add_parameters(mk, &code->first);
    tosajit_value values[TOSAJIT_MAX_OPERANDS];
    memcpy(values, mk->inputs, sizeof values);
    memcpy(values + arity, mk->inputs + data,
           sizeof *values * (size_t)parameter_count(&code->first));
    return status ? status : add_op(mk, &code->first, values, result);
}

static tosajit_status add_second(maker *mk, const rows_code *code, tosajit_value *result) {
    int next = op_table[code->first.op].arity;
    const int arity = op_table[code->second.op].arity, parameters = mk->input_count;
    tosajit_value values[TOSAJIT_MAX_OPERANDS];
    tosajit_status status = add_parameters(mk, &code->second);
    for (int k = 0; k < arity; k++) values[k] = k == code->position ? *result : mk->inputs[next++];
    for (int k = 0; k < parameter_count(&code->second); k++)
        values[arity + k] = mk->inputs[parameters + k];
    return status ? status : add_op(mk, &code->second, values, result);
}

/* Planes of rows where operands can repeat: a single one is walked as a row. */
tosajit_status uses_expression(const rows_code *code, tosajit_expr **expr) {
    const bool is_pair = code->position != ROWS_SINGLE;
    int operands = op_table[code->first.op].arity + parameter_count(&code->first);
    if (is_pair) operands += op_table[code->second.op].arity + parameter_count(&code->second) - 1;
    maker mk = {.rank = operands > 1 ? 3 : 1};
    const tosajit_expr_options options = {.size = sizeof options,
                                          .accuracy = code->first.fast ? TOSAJIT_REPRODUCIBLE
                                                                       : TOSAJIT_EXACT};
    tosajit_value result;
    tosajit_status status = tosajit_expr_create(&options, &mk.expr);
    if (status) return status;
    status = add_first(&mk, code, &result);
    if (!status && is_pair) status = add_second(&mk, code, &result);
    if (!status) status = tosajit_expr_result(mk.expr, result);
    if (status)
        tosajit_expr_destroy(mk.expr);
    else
        *expr = mk.expr;
    return status;
}

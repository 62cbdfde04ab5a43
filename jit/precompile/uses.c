/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses: the op table's rows, times what attributes can say. */
#include "jit/precompile/uses.h"

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

/* Every number whose bits are among those of `set` is made of the one before. */
static tosajit_status each_of_types(tosajit_op op, tosajit_type operand, tosajit_type result,
                                    tosajit_status (*take)(void *, const rows_use *),
                                    void *context) {
    const unsigned set = switches_of(op);
    unsigned on = 0;
    do {
        const rows_use use = use_of(op, operand, result, on);
        tosajit_status status = is_legal(&use) ? take(context, &use) : TOSAJIT_OK;
        if (status) return status;
        on = (on - set) & set;
    } while (on);
    return TOSAJIT_OK;
}

tosajit_status uses_each(tosajit_status (*take)(void *context, const rows_use *use),
                         void *context) {
    const int types = TOSAJIT_TYPE_COUNT;
    for (int n = 0; n < TOSAJIT_OP_COUNT * types * types; n++) {
        const tosajit_op op = (tosajit_op)(n / types / types);
        const rows_use use =
            use_of(op, (tosajit_type)(n / types % types), (tosajit_type)(n % types), 0);
        tosajit_type operands[TOSAJIT_MAX_ARITY];
        for (int k = 0; k < op_table[op].arity; k++) operands[k] = operand_type(&use, k);
        if (!tosajit_op_accepts(op, operands, use.result)) continue;
        tosajit_status status = each_of_types(op, use.operand, use.result, take, context);
        if (status) return status;
    }
    return TOSAJIT_OK;
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

/* Append the op. Limits are no operands of clamp in TOSA, but its emitter takes them. */
static tosajit_status add_op(const rows_use *use, const tosajit_value *values, int count,
                             const tosajit_tensor_type *type, tosajit_expr *expr) {
    const int arity = op_table[use->op].arity;
    const bool limits = op_table[use->op].attributes & ATTRIBUTE_MIN_MAX;
    tosajit_value result;
    tosajit_status status = tosajit_expr_op(expr, use->op, values, (size_t)(limits ? arity : count),
                                            &use->attributes, type, &result);
    if (status) return status;
    expr_node *node = &expr->nodes[result];
    node->operand_count = count;
    for (int k = arity; k < count; k++) node->operands[k] = values[k];
    return tosajit_expr_result(expr, result);
}

/* Planes of rows where operands can repeat: a single one is walked as a row. */
tosajit_status uses_expression(const rows_use *use, tosajit_expr **expr) {
    const int arity = op_table[use->op].arity;
    const int parameters = use->has_parameters ? rows_parameter_count(use->op) : 0;
    const int32_t rank = arity + parameters > 1 ? 3 : 1;
    const int64_t dims[3] = {TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC, TOSAJIT_DYNAMIC};
    const tosajit_tensor_type result = tosajit_ranked(use->result, rank, dims);
    const tosajit_expr_options options = {.size = sizeof options,
                                          .accuracy = use->fast ? TOSAJIT_FAST : TOSAJIT_EXACT};
    tosajit_value values[TOSAJIT_MAX_OPERANDS];
    tosajit_expr *made;
    tosajit_status status = tosajit_expr_create(&options, &made);
    if (status) return status;
    for (int k = 0; !status && k < arity + parameters; k++) {
        const tosajit_tensor_type type = k < arity
                                             ? tosajit_ranked(operand_type(use, k), rank, dims)
                                             : parameter_type(use, k - arity);
        status = tosajit_expr_input(made, &type, &values[k]);
    }
    if (!status) status = add_op(use, values, arity + parameters, &result, made);
    if (status)
        tosajit_expr_destroy(made);
    else
        *expr = made;
    return status;
}

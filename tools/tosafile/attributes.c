/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schema of TOSA 1.1 in numbers; that of 1.0 is its beginning. */
#include "tools/tosafile/attributes.h"

#include <string.h>

/* Of operators from 1 on, one behind the other. */
static const char names[] =
    "argmax\0avg_pool2d\0conv2d\0conv3d\0depthwise_conv2d\0fft2d\0matmul\0max_pool2d\0rfft2d\0"
    "transpose_conv2d\0clamp\0erf\0sigmoid\0tanh\0add\0arithmetic_right_shift\0bitwise_and\0"
    "bitwise_or\0bitwise_xor\0intdiv\0logical_and\0logical_left_shift\0logical_right_shift\0"
    "logical_or\0logical_xor\0maximum\0minimum\0mul\0pow\0sub\0table\0abs\0bitwise_not\0ceil\0"
    "clz\0cos\0exp\0floor\0log\0logical_not\0negate\0reciprocal\0rsqrt\0sin\0select\0equal\0"
    "greater\0greater_equal\0reduce_all\0reduce_any\0reduce_max\0reduce_min\0reduce_product\0"
    "reduce_sum\0concat\0pad\0reshape\0reverse\0slice\0tile\0transpose\0gather\0scatter\0resize\0"
    "cast\0rescale\0const\0identity\0custom\0cond_if\0while_loop\0variable\0variable_write\0"
    "variable_read\0const_shape\0matmul_t_block_scaled\0cast_from_block_scaled\0"
    "cast_to_block_scaled\0dim\0concat_shape\0add_shape\0sub_shape\0mul_shape\0slice_shape\0"
    "exp2_shape\0log2_ceil_shape\0log2_floor_shape\0max_shape\0min_shape\0mod_shape\0"
    "div_ceil_shape\0div_floor_shape\0assert_equal_shape\0conv2d_block_scaled\0"
    "max_pool2d_adaptive\0avg_pool2d_adaptive\0reshape_block_scaled\0row_gather_block_scaled\0"
    "row_gather\0matmul_t\0";

static const attribute_row rows[] = {
    {"clamp", "min_val", 0, ATTRIBUTE_NUMBER},
    {"clamp", "max_val", 1, ATTRIBUTE_NUMBER},
    {"clamp", "nan_mode", 2, ATTRIBUTE_NAN_MODE},
    {"maximum", "nan_mode", 0, ATTRIBUTE_NAN_MODE},
    {"minimum", "nan_mode", 0, ATTRIBUTE_NAN_MODE},
    {"arithmetic_right_shift", "round", 0, ATTRIBUTE_FLAG},
    {"rescale", "scale32", 0, ATTRIBUTE_FLAG},
    {"rescale", "rounding_mode", 1, ATTRIBUTE_ROUNDING_MODE},
    {"rescale", "per_channel", 2, ATTRIBUTE_FLAG},
    {"rescale", "input_unsigned", 3, ATTRIBUTE_FLAG},
    {"rescale", "output_unsigned", 4, ATTRIBUTE_FLAG},
    {"custom", "operator_name", 0, ATTRIBUTE_TEXT},
    {"custom", "domain_name", 1, ATTRIBUTE_TEXT},
    {"argmax", "axis", 0, ATTRIBUTE_INTEGER},
    {"argmax", "nan_mode", 1, ATTRIBUTE_NAN_MODE},
    {"reduce_all", "axis", 0, ATTRIBUTE_INTEGER},
    {"reduce_any", "axis", 0, ATTRIBUTE_INTEGER},
    {"reduce_max", "axis", 0, ATTRIBUTE_INTEGER},
    {"reduce_max", "nan_mode", 1, ATTRIBUTE_NAN_MODE},
    {"reduce_min", "axis", 0, ATTRIBUTE_INTEGER},
    {"reduce_min", "nan_mode", 1, ATTRIBUTE_NAN_MODE},
    {"reduce_product", "axis", 0, ATTRIBUTE_INTEGER},
    {"reduce_sum", "axis", 0, ATTRIBUTE_INTEGER},
    {"concat", "axis", 0, ATTRIBUTE_INTEGER},
    {"reverse", "axis", 0, ATTRIBUTE_INTEGER},
    {"transpose", "perms", 0, ATTRIBUTE_LIST},
};

const char *attribute_op_name(uint32_t op) {
    const char *name = op ? names : "";
    for (; *name && op > 1; op--) name += strlen(name) + 1;
    return *name ? name : NULL;
}

const attribute_row *attribute_row_at(uint32_t op, size_t index) {
    const char *name = attribute_op_name(op);
    for (size_t k = 0; name && k < sizeof rows / sizeof *rows; k++)
        if (strcmp(rows[k].op, name) == 0 && index-- == 0) return &rows[k];
    return NULL;
}

const char *attribute_word(attribute_form form, uint32_t number) {
    static const char *const nan_modes[] = {NULL, "PROPAGATE", "IGNORE"};
    static const char *const rounding_modes[] = {NULL, "SINGLE_ROUND", "INEXACT_ROUND",
                                                 "DOUBLE_ROUND"};
    if (form == ATTRIBUTE_NAN_MODE)
        return number < sizeof nan_modes / sizeof *nan_modes ? nan_modes[number] : NULL;
    return number < sizeof rounding_modes / sizeof *rounding_modes ? rounding_modes[number] : NULL;
}

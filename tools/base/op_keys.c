/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One row per name; ops.def says which ops take it. */
#include "tools/base/op_keys.h"

#include <string.h>

#include "tools/mlir/op_columns.h"

static const op_key keys[] = {
    {TAKES_LIMITS, "min_val", "min", KEY_NUMBER, NULL},
    {TAKES_LIMITS, "max_val", "max", KEY_NUMBER, NULL},
    {TAKES_LIMITS | TAKES_NAN_MODE, "nan_mode", "nan", KEY_WORD, "propagate ignore"},
    {TAKES_SHIFT, "shift", NULL, KEY_PARAMETER, NULL},
    {TAKES_ROUND, "round", NULL, KEY_FLAG, NULL},
    {TAKES_TABLE, "table", NULL, KEY_PARAMETER, NULL},
    {TAKES_SCALING, "multiplier", NULL, KEY_PARAMETER, NULL},
    {TAKES_SCALING, "shift", NULL, KEY_PARAMETER, NULL},
    {TAKES_ZERO_POINTS | TAKES_SCALING, "input_zp", NULL, KEY_PARAMETER, NULL},
    {TAKES_ZERO_POINTS | TAKES_SCALING, "output_zp", NULL, KEY_PARAMETER, NULL},
    {TAKES_SCALING, "scale32", NULL, KEY_FLAG, NULL},
    {TAKES_SCALING, "rounding_mode", NULL, KEY_WORD, "single_round inexact_round double_round"},
    {TAKES_SCALING, "per_channel", NULL, KEY_FLAG, NULL},
    {TAKES_UNSIGNED | TAKES_SCALING, "input_unsigned", NULL, KEY_FLAG, NULL},
    {TAKES_SCALING, "output_unsigned", NULL, KEY_FLAG, NULL},
    {TAKES_UNSIGNED | TAKES_SCALING, "to", NULL, KEY_TYPE, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

const op_key *op_key_at(tosajit_op op, size_t index) {
    for (size_t k = 0; k < KEYS; k++)
        if ((keys[k].feature & op_columns_of[op].takes) && index-- == 0) return &keys[k];
    return NULL;
}

static bool is_called(const char *name, const char *text, size_t length) {
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

const op_key *op_key_find(tosajit_op op, const char *name, size_t length) {
    const op_key *key;
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL; k++)
        if (is_called(key->name, name, length) || is_called(key->less, name, length)) return key;
    return NULL;
}

int op_key_parameter(tosajit_op op, const op_key *wanted) {
    const op_key *key;
    int parameter = 0;
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL && key != wanted; k++)
        parameter += key->kind == KEY_PARAMETER;
    return parameter;
}

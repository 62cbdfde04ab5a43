/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One row per name; ops.def says which ops take it. */
#include "jit/text/keys.h"

#include <string.h>

#include "runtime/expr/ops.h"

/* The attributes column. */
static const uint16_t attributes_of[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, ...) ATTRIBUTE_##attributes,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

static const op_key keys[] = {
    {ATTRIBUTE_MIN_MAX, "min_val", "min", KEY_NUMBER, NULL},
    {ATTRIBUTE_MIN_MAX, "max_val", "max", KEY_NUMBER, NULL},
    {ATTRIBUTE_NAN_MODE, "nan_mode", "nan", KEY_WORD, "propagate ignore"},
    {ATTRIBUTE_SHIFT, "shift", NULL, KEY_PARAMETER, NULL},
    {ATTRIBUTE_ROUND, "round", NULL, KEY_FLAG, NULL},
    {ATTRIBUTE_TABLE, "table", NULL, KEY_PARAMETER, NULL},
    {ATTRIBUTE_SCALING, "multiplier", NULL, KEY_PARAMETER, NULL},
    {ATTRIBUTE_SCALING, "shift", NULL, KEY_PARAMETER, NULL},
    {ATTRIBUTE_ZERO_POINTS | ATTRIBUTE_SCALING, "input_zp", NULL, KEY_PARAMETER, NULL},
    {ATTRIBUTE_ZERO_POINTS | ATTRIBUTE_SCALING, "output_zp", NULL, KEY_PARAMETER, NULL},
    {ATTRIBUTE_SCALING, "scale32", NULL, KEY_FLAG, NULL},
    {ATTRIBUTE_SCALING, "rounding_mode", NULL, KEY_WORD, "single_round inexact_round double_round"},
    {ATTRIBUTE_SCALING, "per_channel", NULL, KEY_FLAG, NULL},
    {ATTRIBUTE_UNSIGNED | ATTRIBUTE_SCALING, "input_unsigned", NULL, KEY_FLAG, NULL},
    {ATTRIBUTE_SCALING, "output_unsigned", NULL, KEY_FLAG, NULL},
    {ATTRIBUTE_UNSIGNED | ATTRIBUTE_SCALING, "to", NULL, KEY_TYPE, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

const op_key *op_key_at(tosajit_op op, size_t index) {
    for (size_t k = 0; k < KEYS; k++)
        if ((keys[k].feature & attributes_of[op]) && index-- == 0) return &keys[k];
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

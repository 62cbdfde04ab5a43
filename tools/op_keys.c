/* One row per name; ops.def says which ops take it. */
#include "tools/op_keys.h"

#include <string.h>

enum { NONE, MIN_MAX = 1, NAN_MODE = 2, SHIFT = 4, ZERO_POINTS = 8, ROUND = 16, UNSIGNED = 32, TABLE = 64, SCALING = 128 };

static const unsigned taken[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, formula) attributes,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

static const op_key keys[] = {
    {MIN_MAX, "min_val", "min", KEY_NUMBER, NULL},
    {MIN_MAX, "max_val", "max", KEY_NUMBER, NULL},
    {NAN_MODE, "nan_mode", "nan", KEY_WORD, "propagate ignore"},
    {SHIFT, "shift", NULL, KEY_PARAMETER, NULL},
    {ROUND, "round", NULL, KEY_FLAG, NULL},
    {TABLE, "table", NULL, KEY_PARAMETER, NULL},
    {SCALING, "multiplier", NULL, KEY_PARAMETER, NULL},
    {SCALING, "shift", NULL, KEY_PARAMETER, NULL},
    {ZERO_POINTS | SCALING, "input_zp", NULL, KEY_PARAMETER, NULL},
    {ZERO_POINTS | SCALING, "output_zp", NULL, KEY_PARAMETER, NULL},
    {SCALING, "scale32", NULL, KEY_FLAG, NULL},
    {SCALING, "rounding_mode", NULL, KEY_WORD, "single_round inexact_round double_round"},
    {SCALING, "per_channel", NULL, KEY_FLAG, NULL},
    {UNSIGNED | SCALING, "input_unsigned", NULL, KEY_FLAG, NULL},
    {SCALING, "output_unsigned", NULL, KEY_FLAG, NULL},
    {UNSIGNED | SCALING, "to", NULL, KEY_TYPE, NULL},
};
enum { KEYS = sizeof keys / sizeof *keys };

const op_key *op_key_at(tosajit_op op, size_t index) {
    for (size_t k = 0; k < KEYS; k++)
        if ((keys[k].feature & taken[op]) && index-- == 0) return &keys[k];
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
    for (size_t k = 0; (key = op_key_at(op, k)) != NULL && key != wanted; k++) parameter += key->kind == KEY_PARAMETER;
    return parameter;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One row per name; ops.def says which ops take it. Sharing a row, ops share the name and the
 * member. */
#include "runtime/expr/keys.h"

#include <string.h>

#include "runtime/expr/ops.h"

/* The attributes column. */
static const uint32_t attributes_of[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, ...) ATTRIBUTE_##attributes,
#define TOSAJIT_VIEW_OP TOSAJIT_OP
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

#define AT(name) offsetof(tosajit_attributes, name)

static const char flag[] = "false true";

static const op_key keys[] = {
    {ATTRIBUTE_MIN_MAX, "min_val", "min", KEY_NUMBER, NULL, AT(min_val)},
    {ATTRIBUTE_MIN_MAX, "max_val", "max", KEY_NUMBER, NULL, AT(max_val)},
    {ATTRIBUTE_NAN_MODE, "nan_mode", "nan", KEY_WORD, "propagate ignore", AT(nan_mode)},
    {ATTRIBUTE_INDEX_MODE, "index_mode", "mode", KEY_WORD, "strict signed clip wrap",
     AT(index_mode)},
    {ATTRIBUTE_AXIS, "axis", NULL, KEY_AXIS, NULL, AT(axis)},
    {ATTRIBUTE_FORM, "exclusive", NULL, KEY_FLAG, flag, AT(exclusive)},
    {ATTRIBUTE_FORM, "reverse", NULL, KEY_FLAG, flag, AT(reverse)},
    {ATTRIBUTE_SHAPE, "shape", NULL, KEY_LIST, NULL, AT(numbers)},
    {ATTRIBUTE_PERMS, "perms", NULL, KEY_LIST, NULL, AT(numbers)},
    {ATTRIBUTE_RANGES, "ranges", NULL, KEY_LIST, NULL, AT(numbers)},
    {ATTRIBUTE_MULTIPLES, "multiples", NULL, KEY_LIST, NULL, AT(numbers)},
    {ATTRIBUTE_PADDING, "padding", NULL, KEY_LIST, NULL, AT(numbers)},
    {ATTRIBUTE_SHIFT, "shift", NULL, KEY_PARAMETER, NULL, 0},
    {ATTRIBUTE_ROUND, "round", NULL, KEY_FLAG, flag, AT(round)},
    {ATTRIBUTE_TABLE, "table", NULL, KEY_PARAMETER, NULL, 0},
    {ATTRIBUTE_SCALING, "multiplier", NULL, KEY_PARAMETER, NULL, 0},
    {ATTRIBUTE_SCALING, "shift", NULL, KEY_PARAMETER, NULL, 0},
    {ATTRIBUTE_ZERO_POINTS | ATTRIBUTE_SCALING, "input_zp", NULL, KEY_PARAMETER, NULL, 0},
    {ATTRIBUTE_ZERO_POINTS | ATTRIBUTE_SCALING, "output_zp", NULL, KEY_PARAMETER, NULL, 0},
    {ATTRIBUTE_SCALING, "scale32", NULL, KEY_FLAG, flag, AT(scale32)},
    {ATTRIBUTE_SCALING, "rounding_mode", NULL, KEY_WORD, "single_round inexact_round double_round",
     AT(rounding_mode)},
    {ATTRIBUTE_SCALING, "per_channel", NULL, KEY_FLAG, flag, AT(per_channel)},
    {ATTRIBUTE_UNSIGNED | ATTRIBUTE_SCALING, "input_unsigned", NULL, KEY_FLAG, flag,
     AT(input_unsigned)},
    {ATTRIBUTE_SCALING, "output_unsigned", NULL, KEY_FLAG, flag, AT(output_unsigned)},
    {ATTRIBUTE_UNSIGNED | ATTRIBUTE_SCALING, "to", NULL, KEY_TYPE, NULL, 0},
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

/* ---------------------------------------------------------------------------------------------
 * Words */

bool op_key_is_attribute(const op_key *key) {
    return key->kind != KEY_PARAMETER && key->kind != KEY_TYPE;
}

int32_t op_key_word(const op_key *key, const char *word, size_t length) {
    const char *words = key->words;
    for (int32_t index = 0;; index++) {
        size_t own = strcspn(words, " "), k = 0;
        while (k < own && k < length && (word[k] | 0x20) == (words[k] | 0x20)) k++;
        if (k == own && k == length) return index;
        if (!words[own]) return -1;
        words += own + 1;
    }
}

const char *op_key_choice(const op_key *key, bool capitals, char choice[OP_KEY_CHOICE]) {
    size_t used = 0;
    for (const char *at = key->words; *at && used < OP_KEY_CHOICE - 5; at++) {
        const char *between = strchr(at + 1, ' ') ? ", " : " or ";
        if (*at != ' ') choice[used++] = capitals ? op_key_capital(*at) : *at;
        for (; *at == ' ' && *between; between++) choice[used++] = *between;
    }
    choice[used] = '\0';
    return choice;
}

/* ---------------------------------------------------------------------------------------------
 * Members */

_Static_assert(sizeof(tosajit_nan_mode) == sizeof(int32_t) &&
                   sizeof(tosajit_rounding_mode) == sizeof(int32_t) &&
                   sizeof(tosajit_index_mode) == sizeof(int32_t),
               "a word's member is an enum of this size");

tosajit_scalar *op_key_number(const op_key *key, tosajit_attributes *attributes) {
    return (tosajit_scalar *)(void *)((char *)attributes + key->offset);
}

void op_key_set(const op_key *key, tosajit_attributes *attributes, int32_t what) {
    char *member = (char *)attributes + key->offset;
    if (key->kind == KEY_WORD)
        memcpy(member, &what, sizeof what);
    else
        *member = (char)what;
}

int32_t op_key_get(const op_key *key, const tosajit_attributes *attributes) {
    const char *member = (const char *)attributes + key->offset;
    int32_t what = *member;
    if (key->kind == KEY_WORD) memcpy(&what, member, sizeof what);
    return what;
}

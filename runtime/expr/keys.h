/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arguments that an op takes beside its operands, by name. In: the attributes column of ops.def;
 * out: TOSA's names and shorter names for people, the form of each value, its member of
 * tosajit_attributes, and the order in which parameters follow the operands. Whoever reads or
 * writes an op's attributes in any form asks here. */
#ifndef TOSAJIT_RUNTIME_EXPR_KEYS_H
#define TOSAJIT_RUNTIME_EXPR_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "tosajit/tosajit.h"

typedef enum op_key_kind {
    KEY_NUMBER,    /* a number of the operand's element type */
    KEY_FLAG,      /* true or false */
    KEY_WORD,      /* one of `words` */
    KEY_AXIS,      /* a dimension: an integer */
    KEY_LIST,      /* integers: numbers and number_count */
    KEY_TYPE,      /* an element type: of the result */
    KEY_PARAMETER, /* a tensor behind the operands */
} op_key_kind;

typedef struct op_key {
    unsigned feature;        /* ATTRIBUTE_*: what the ops that have it take */
    const char *name, *less; /* less: a shorter name; may be null */
    op_key_kind kind;
    const char *words; /* "propagate ignore", numbered as in the public enum; of a flag, too */
    size_t offset;     /* of the member of tosajit_attributes: numbers, flags, words */
} op_key;

enum { OP_KEY_CHOICE = 96 };

/* The keys of op, in order; the parameters among them in the order of the op's operands. Null
 * behind the last one. */
const op_key *op_key_at(tosajit_op op, size_t index);
/* The key of that name, or null. */
const op_key *op_key_find(tosajit_op op, const char *name, size_t length);
/* Which parameter of op the key is. */
int op_key_parameter(tosajit_op op, const op_key *key);

/* True if the key is a member of tosajit_attributes. */
bool op_key_is_attribute(const op_key *key);
/* The number of a word among the key's, compared without regard to case; -1. */
int32_t op_key_word(const op_key *key, const char *word, size_t length);
/* Words have small letters and _ here, TOSA's have capitals. No locale changes that. */
static inline char op_key_capital(char c) { return (char)(c >= 'a' ? c - 'a' + 'A' : c); }
/* "propagate or ignore": the words, in TOSA's capitals or not. Returns choice. */
const char *op_key_choice(const op_key *key, bool capitals, char choice[OP_KEY_CHOICE]);

/* The member that a number, or a flag or word, is. */
tosajit_scalar *op_key_number(const op_key *key, tosajit_attributes *attributes);
void op_key_set(const op_key *key, tosajit_attributes *attributes, int32_t what);
int32_t op_key_get(const op_key *key, const tosajit_attributes *attributes);

#endif

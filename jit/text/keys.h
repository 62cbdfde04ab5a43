/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an op takes beside its operands, by name. In: the attributes column of ops.def; out: the
 * names that a person may write, what is written behind each, and in which order parameters follow
 * the operands. */
#ifndef TOSAJIT_JIT_TEXT_KEYS_H
#define TOSAJIT_JIT_TEXT_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "tosajit/tosajit.h"

typedef enum op_key_kind {
    KEY_NUMBER,    /* a number of the operand's element type */
    KEY_FLAG,      /* true or false */
    KEY_WORD,      /* one of `words` */
    KEY_TYPE,      /* an element type: of the result */
    KEY_PARAMETER, /* a tensor behind the operands */
} op_key_kind;

typedef struct op_key {
    unsigned feature;        /* ATTRIBUTE_*: what the ops that have it take */
    const char *name, *less; /* less: a shorter name; may be null */
    op_key_kind kind;
    const char *words; /* of KEY_WORD: "propagate ignore", numbered as in the public enum */
} op_key;

/* The keys of op, in order; the parameters among them in the order of the op's operands. Null
 * behind the last one. */
const op_key *op_key_at(tosajit_op op, size_t index);
/* The key of that name, or null. */
const op_key *op_key_find(tosajit_op op, const char *name, size_t length);
/* Which parameter of op the key is. */
int op_key_parameter(tosajit_op op, const op_key *key);

#endif

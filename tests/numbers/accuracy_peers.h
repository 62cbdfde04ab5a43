/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Vector math of others on f32, as functions over arrays, for comparing their accuracy:
 * accuracy_peers.c measures, accuracy_peers_x86.c wraps what the build found. */
#ifndef TOSAJIT_TESTS_NUMBERS_ACCURACY_PEERS_H
#define TOSAJIT_TESTS_NUMBERS_ACCURACY_PEERS_H

#include <stddef.h>

#include "tosajit/tosajit.h"

/* count is a multiple of 8; y is null for functions of one operand. */
typedef void peer_function(const float *x, const float *y, float *r, size_t count);

typedef struct peer {
    const char *name;
    tosajit_op op;
    peer_function *function;
} peer;

/* The last row has no function. */
extern const peer x86_peers[];
/* Peers that were not found when this was built, as sentences; empty if nothing. */
extern const char peers_missing[];

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A directory for a test, and processes that work in it until they are killed. */
#ifndef TOSAJIT_TESTS_SUPPORT_SCRATCH_H
#define TOSAJIT_TESTS_SUPPORT_SCRATCH_H

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "tosajit/tosajit.h"

enum { SCRATCH_SIZE = 64 };
/* Its path. */
extern char scratch[SCRATCH_SIZE];

/* Setup and teardown of a test, for cmocka. */
int scratch_create(void **state);
int scratch_remove(void **state);

/* The body runs in a child, as this user if it is not 0, and must not end with a REQUIRE. */
void scratch_in_child(void (*body)(void), uid_t user);

/* For children, which have no cmocka. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition,                    \
                    tosajit_last_error());                                                         \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* So many processes do the work, which never ends, each with another seed. One of them is killed at
 * a random moment within so many microseconds, and another one begins, `kills` times; then all are
 * killed. The test fails if one ended by itself. */
typedef struct storm {
    void (*work)(unsigned seed);
    unsigned processes, kills, longest_pause;
} storm;
void scratch_storm(const storm *s);

#endif

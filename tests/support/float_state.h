/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Floating-point settings that a host may have, to be set around calls of the library.
 * In: the number of one. Out: the thread's settings, and whether a call has left them alone. */
#ifndef TOSAJIT_TESTS_SUPPORT_FLOAT_STATE_H
#define TOSAJIT_TESTS_SUPPORT_FLOAT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of a setting; null from the number of settings on. */
const char *float_state_name(size_t setting);
/* Set it, with no exception flag raised. False if this machine lacks it. */
bool float_state_set(size_t setting);
/* Back to how programs start. */
void float_state_reset(void);

typedef struct float_state {
    uint64_t control, x87; /* how is computed, and which exceptions trap */
    uint64_t flags;        /* which exceptions were raised */
} float_state;
float_state float_state_get(void);
/* The difference of the state after a call that found `before`, or null. Flags may be raised by
 * code that ran in the settings programs start with; in any others they must be as they were. */
const char *float_state_compare(const float_state *before);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start of tests with guarded tensors: every engine, three operands and a result. */
#ifndef TOSAJIT_TESTS_SUPPORT_GUARDED_H
#define TOSAJIT_TESTS_SUPPORT_GUARDED_H

#include "tests/support/guard.h"
#include "tests/support/support.h"

typedef struct guarded {
    test_engine engines[TEST_MAX_ENGINES];
    size_t engine_count;
    guard_tensor operands[3], result;
} guarded;

/* Setup and teardown of a group of tests, for cmocka, with this room in each tensor. */
enum { GUARDED_ROOM = 1 << 18 };
int guarded_setup(void **state);
int guarded_teardown(void **state);

#endif

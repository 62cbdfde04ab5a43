/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random tests of operations that move elements: kernels in all forms, tensors as they may lie, and
 * indices, with the meaning that each mode gives them. In: random numbers. */
#ifndef TOSAJIT_TESTS_NUMBERS_DRAWN_H
#define TOSAJIT_TESTS_NUMBERS_DRAWN_H

#include "tests/numbers/forms.h"
#include "tests/support/guard.h"

/* The expression on every engine, in the next form, whose number goes on; each piece of a part is
 * worth a thread. The test fails as `what` where a kernel cannot be made. */
void drawn_kernels(forms *f, uint64_t *form, const char *what, const tosajit_expr *expr,
                   tosajit_kernel **kernels);

/* Dense, or transposed, backwards and with gaps; at either edge. */
void drawn_place(test_random *random, guard_tensor *guard, tosajit_type type, int32_t rank,
                 const int64_t *dims);

/* True if there are indices that are errors. */
bool drawn_may_fail(tosajit_index_mode mode);
/* A legal index of so many elements; or a hostile one. */
int64_t drawn_index(test_random *random, tosajit_type type, tosajit_index_mode mode, int64_t count,
                    bool hostile);

/* An index in memory, of i32 or i64. */
int64_t drawn_read(tosajit_type type, const unsigned char *at);
void drawn_write(tosajit_type type, unsigned char *at, int64_t index);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The forms in which a kernel comes to who runs it: compiled alone, in a list or in the background,
 * saved and loaded, with an image beside its expression, out of a cache directory. In: an engine
 * and an expression. Out: a kernel. */
#ifndef TOSAJIT_TESTS_NUMBERS_FORMS_H
#define TOSAJIT_TESTS_NUMBERS_FORMS_H

#include "tests/support/support.h"

typedef struct forms forms;

/* A directory for files; null if the system gives none. */
forms *forms_open(void);
void forms_close(forms *f);

/* The form with this number, modulo that of the forms that the engine has. */
const char *forms_name(const test_engine *engine, uint64_t number);
/* Fails the way the public functions fail, and where code did not come as the form says. */
tosajit_status forms_make(forms *f, const test_engine *engine, uint64_t number,
                          const tosajit_expr *expr, tosajit_kernel **kernel);
/* True if a thread may be compiling the kernel, so that nothing of it may be changed. */
bool forms_is_later(const test_engine *engine, uint64_t number);

#endif

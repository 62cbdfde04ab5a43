/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host program: matrices of f32, an engine, and a kernel that adds. What fails, fails the test.
 */
#ifndef TOSAJIT_TESTS_SUPPORT_HOST_H
#define TOSAJIT_TESTS_SUPPORT_HOST_H

#include "tosajit/tosajit.h"

/* Two sizes; they stay for fifteen more calls. */
int64_t *host_dims(int64_t a, int64_t b);
/* Of a x b elements. */
tosajit_tensor_type host_type(int64_t a, int64_t b);
tosajit_tensor host_tensor(float *data, int64_t a, int64_t b);

/* That remembers no kernel. */
tosajit_engine *host_engine(tosajit_backend backend, const tosajit_allocator *allocator);

/* a + b of any sizes, and that it is that, for 4x3 and 1x3. */
tosajit_kernel *host_add_kernel(tosajit_engine *engine);
void host_assert_adds(const tosajit_kernel *kernel);

/* The status, and words of its message. */
void host_assert_error(tosajit_status status, tosajit_status expected, const char *words);

#endif

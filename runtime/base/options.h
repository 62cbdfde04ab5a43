/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Option structs. The first member is the size of the struct as the caller was compiled with it, so
 * the struct can grow. */
#ifndef TOSAJIT_RUNTIME_BASE_OPTIONS_H
#define TOSAJIT_RUNTIME_BASE_OPTIONS_H

#include "tosajit/tosajit.h"

/* Fill `known` with zeros and what the caller's struct has of it; null stands for all zero.
 * INVALID_ARGUMENT if the caller set no size. `what` names the struct in the message. */
tosajit_status options_take(void *known, size_t known_size, const void *given, const char *what);

/* The other way: give the caller what its struct has room for. It keeps its size. */
tosajit_status options_give(void *given, const void *known, size_t known_size, const char *what);

/* INVALID_ARGUMENT for hooks of which one is missing. */
tosajit_status options_check_allocator(const tosajit_allocator *hooks);

#endif

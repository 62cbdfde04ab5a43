/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An allocator that counts, and of whose allocations one fails, or all from there on. */
#ifndef TOSAJIT_TESTS_SUPPORT_ACCOUNT_H
#define TOSAJIT_TESTS_SUPPORT_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "tosajit/tosajit.h"

typedef struct account {
    atomic_size_t live;       /* bytes */
    atomic_size_t count;      /* allocations that were asked for */
    atomic_size_t fail_at;    /* which of them fails, from 1; 0: none */
    atomic_bool from_then_on; /* and all after it */
} account;

/* Used no longer than the account lives. */
tosajit_allocator account_allocator(account *a);

#endif

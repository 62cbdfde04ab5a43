/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bandwidth of memory: the speed of memcpy, to compare kernels with. In: how many bytes shall be
 * read and written; out: bytes per second. */
#ifndef TOSAJIT_TOOLS_DATA_BANDWIDTH_H
#define TOSAJIT_TOOLS_DATA_BANDWIDTH_H

#include "tools/data/timing.h"

/* Two buffers of equal size, for as many measurements as wanted. */
typedef struct bandwidth {
    char *from, *to; /* owned */
    size_t half;     /* bytes of each */
} bandwidth;

/* Buffers that have `bytes` together. False if there is no such memory. */
bool bandwidth_create(double bytes, bandwidth *b);
void bandwidth_destroy(bandwidth *b);
/* Bytes read and written per second; 0 if stopped before the first sample. */
double bandwidth_measure(const bandwidth *b, const timing_limits *limits);

#endif

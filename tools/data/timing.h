/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long something takes that can be repeated. In: a call, and how much of it to measure. Out:
 * the median time of one call and what it says of a kernel: time per element and bytes per second.
 */
#ifndef TOSAJIT_TOOLS_DATA_TIMING_H
#define TOSAJIT_TOOLS_DATA_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

/* How much to measure; a member that is 0 has its usual value. */
typedef struct timing_limits {
    int rounds;           /* each times a batch of calls and gives one sample; 31 */
    double round_seconds; /* how long a batch takes, about; 0.001 */
    double total_seconds; /* after that no further round begins; 2 */
    double warm_seconds;  /* calls are made for so long before; 0: a few */
    double *samples;      /* receives the samples, at most `rounds`; may be null */
    /* Asked between rounds, may be null: whether to leave with the samples that are there. */
    bool (*stop)(void);
} timing_limits;

/* Seconds of one call: the median of the samples, the smallest, and the largest. */
typedef struct timing {
    double median, least, most;
    int rounds;    /* samples; 0 if stopped before the first one, then the times are 0 */
    int64_t calls; /* measured, in all rounds */
} timing;

/* How samples are spread. An outlier is further from the middle half than 1.5 times its width
 * (Tukey's fences); it counts in everything else, too. */
typedef struct timing_spread {
    double mean, deviation; /* the standard deviation of a sample; 0 of one */
    double low, high;       /* quartiles: the middle half lies between */
    size_t fast, slow;      /* outliers */
} timing_spread;

/* Sorts values. All 0 of none. */
timing_spread timing_describe(double *values, size_t count);

/* Time call(context), which is also run a few times before. limits may be null. */
void timing_measure(void (*call)(void *context), void *context, const timing_limits *limits,
                    timing *t);

/* Time tosajit_run on these tensors. The status of the first run; when it is not OK nothing has
 * been measured. */
tosajit_status timing_run(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                          size_t operand_count, const tosajit_tensor *results, size_t result_count,
                          const timing_limits *limits, timing *t);

/* "22.4 ms", "813 ns": three digits and a unit. */
typedef struct timing_text {
    char text[16];
} timing_text;
timing_text timing_print(double seconds);

/* Seconds since some moment. */
double timing_now(void);
/* Bytes that a kernel must move at least: each element of these tensors once; a stride of 0 repeats
 * no byte. */
double timing_bytes(const tosajit_tensor *tensors, size_t count);
/* Sorts values; 0 of none. */
double timing_median(double *values, size_t count);

#endif

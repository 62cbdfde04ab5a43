/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two models that should compute the same: how far apart their outputs are, and how long each
 * takes. In: two sessions with equal inputs, and tensors for these; out: figures. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_PAIR_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_PAIR_H

#include "tools/onnxruntime/host.h"

/* How a dimension that each call decides gets its size: by its symbol ("batch") or, with name
 * "input:2", by its place. */
typedef struct pair_size {
    const char *name;
    int64_t size; /* >= 0 */
} pair_size;

/* Made inputs: floating-point numbers in [-1, 1), integers in 0..15, false and true; the same for
 * the same seed. */
typedef struct pair_inputs {
    ort_tensor *tensors; /* one for each input; owned, with their data */
    size_t count;
} pair_inputs;

/* Tensors for every input of a session. Dimensions that each call decides have the size that
 * `sizes` gives them, else `size`. False with the input that cannot be made. */
bool pair_make_inputs(const ort_session *session, const pair_size *sizes, size_t size_count,
                      int64_t size, uint64_t seed, pair_inputs *inputs, ort_message *why);
void pair_release_inputs(pair_inputs *inputs);

/* An output of both models. */
typedef struct pair_difference {
    size_t elements, different; /* different: other bits, but for two NaNs */
    size_t nans;                /* a NaN in one of them alone */
    double largest;             /* |a - b| of numbers; infinity where one is infinite */
    double scale;               /* the largest |a| that is a number */
    double rms, rms_scale;      /* root of the mean of (a - b)^2, and of a^2 */
} pair_difference;

/* Compare output by output. False where types or shapes differ, with the output that does. */
bool pair_compare(const ort_results *a, const ort_results *b, size_t count,
                  pair_difference *differences, ort_message *why);

/* Seconds of a call. */
typedef struct pair_times {
    double a, b;  /* medians */
    double ratio; /* median of b / a of neighbouring calls: below 1, b is faster */
    int rounds;
} pair_times;

/* Call a and b in turns for about `seconds`, at least 5 times each; two calls of each come before
 * that are not timed. */
bool pair_time(ort_session *a, ort_session *b, const ort_tensor *inputs, double seconds,
               pair_times *times, ort_message *why);

/* Sorts values; there is at least one. */
double pair_median(double *values, int count);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs: inputs are made, outputs compared, calls timed in turns so that what disturbs one model
 * disturbs the other. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tools/onnxruntime/pair.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------------------------------------
 * Elements */

static double half_value(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                        : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

/* The nearest half of a number in (-2, 2); ties away from 0. */
static uint16_t half_bits(double value) {
    int exponent;
    const double size = fabs(value), fraction = frexp(size, &exponent);
    const uint16_t sign = value < 0 ? 0x8000 : 0;
    if (size < 0x1p-14) return (uint16_t)(sign | (uint16_t)lround(ldexp(size, 24)));
    return (uint16_t)(sign | ((exponent + 13) * 1024 + lround(ldexp(fraction, 11))));
}

static double element_of(ort_type type, const void *at) {
    union {
        float f;
        double d;
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint32_t u32;
        uint64_t u64;
    } u;
    memcpy(&u, at, ort_type_size(type));
    switch (type) {
    case ORT_F32: return (double)u.f;
    case ORT_F64: return u.d;
    case ORT_BOOL:
    case ORT_U8: return u.u8;
    case ORT_I8: return u.i8;
    case ORT_U16: return u.u16;
    case ORT_I16: return u.i16;
    case ORT_I32: return u.i32;
    case ORT_I64: return (double)u.i64;
    case ORT_U32: return u.u32;
    case ORT_U64: return (double)u.u64;
    case ORT_F16: return half_value(u.u16);
    default: u.u32 = (uint32_t)u.u16 << 16; return (double)u.f; /* bf16 */
    }
}

/* ---------------------------------------------------------------------------------------------
 * Inputs */

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static void make_element(ort_type type, uint64_t *state, void *at) {
    const uint32_t bits = next_random(state);
    const double number = (double)(bits >> 8) * 0x1p-23 - 1;
    const float single = (float)number;
    const int64_t integer = type == ORT_BOOL ? bits >> 31 : bits >> 28;
    uint32_t raw;
    memcpy(&raw, &single, sizeof raw);
    const uint16_t half = type == ORT_F16 ? half_bits(number) : (uint16_t)(raw >> 16);
    switch (type) {
    case ORT_F32: memcpy(at, &single, sizeof single); break;
    case ORT_F64: memcpy(at, &number, sizeof number); break;
    case ORT_F16:
    case ORT_BF16: memcpy(at, &half, sizeof half); break;
    default: memcpy(at, &integer, ort_type_size(type)); /* of a machine with the low byte first */
    }
}

static int64_t size_of(const ort_port *port, int32_t d, const pair_size *sizes, size_t count,
                       int64_t usual) {
    char place[256];
    if (port->dims[d] >= 0) return port->dims[d];
    snprintf(place, sizeof place, "%s:%d", port->name, (int)d);
    for (size_t k = 0; k < count; k++)
        if (strcmp(sizes[k].name, place) == 0) return sizes[k].size;
    for (size_t k = 0; k < count; k++)
        if (*port->symbols[d] && strcmp(sizes[k].name, port->symbols[d]) == 0) return sizes[k].size;
    return usual;
}

static bool make_input(const ort_port *port, const pair_size *sizes, size_t size_count,
                       int64_t size, uint64_t *state, ort_tensor *t, ort_message *why) {
    const size_t unit = ort_type_size(port->type);
    if (unit == 0)
        return snprintf(why->text, sizeof why->text,
                        "input %s is no tensor of numbers, so it must be given", port->name),
               false;
    t->type = port->type;
    t->rank = port->rank;
    t->bytes = unit;
    for (int32_t d = 0; d < port->rank; d++) {
        t->dims[d] = size_of(port, d, sizes, size_count, size);
        if (__builtin_mul_overflow(t->bytes, (size_t)t->dims[d], &t->bytes) ||
            t->bytes > PTRDIFF_MAX)
            return snprintf(why->text, sizeof why->text,
                            "input %s would have more bytes than memory can", port->name),
                   false;
    }
    t->data = malloc(t->bytes ? t->bytes : 1);
    if (!t->data)
        return snprintf(why->text, sizeof why->text, "out of memory for %zu bytes of input %s",
                        t->bytes, port->name),
               false;
    for (size_t at = 0; at < t->bytes; at += unit)
        make_element(t->type, state, (char *)t->data + at);
    return true;
}

bool pair_make_inputs(const ort_session *session, const pair_size *sizes, size_t size_count,
                      int64_t size, uint64_t seed, pair_inputs *inputs, ort_message *why) {
    const size_t count = ort_session_input_count(session);
    *inputs = (pair_inputs){calloc(count + 1, sizeof *inputs->tensors), count};
    bool ok = inputs->tensors != NULL;
    if (!ok) snprintf(why->text, sizeof why->text, "out of memory");
    for (size_t k = 0; ok && k < count; k++)
        ok = make_input(ort_session_input(session, k), sizes, size_count, size, &seed,
                        &inputs->tensors[k], why);
    if (!ok) pair_release_inputs(inputs);
    return ok;
}

void pair_release_inputs(pair_inputs *inputs) {
    for (size_t k = 0; inputs->tensors && k < inputs->count; k++) free(inputs->tensors[k].data);
    free(inputs->tensors);
    *inputs = (pair_inputs){0};
}

/* ---------------------------------------------------------------------------------------------
 * Comparison */

static void compare_element(ort_type type, const void *a, const void *b, pair_difference *d) {
    const double x = element_of(type, a), y = element_of(type, b);
    d->elements++;
    if (isnan(x) || isnan(y)) {
        d->different += isnan(x) != isnan(y);
        d->nans += isnan(x) != isnan(y);
        return;
    }
    d->different += memcmp(a, b, ort_type_size(type)) != 0;
    if (isfinite(x)) d->rms_scale += x * x;
    if (isfinite(x) && fabs(x) > d->scale) d->scale = fabs(x);
    const double far = x == y ? 0 : fabs(x - y);
    if (far > d->largest) d->largest = far;
    d->rms += far * far;
}

static bool compare(size_t index, const ort_tensor *a, const ort_tensor *b, pair_difference *d,
                    ort_message *why) {
    const size_t unit = ort_type_size(a->type);
    *d = (pair_difference){0};
    if (unit == 0) /* no tensor of numbers */
        return a->type == b->type ||
               (snprintf(why->text, sizeof why->text, "output %zu has other types", index), false);
    bool same = a->type == b->type && a->rank == b->rank;
    for (int32_t k = 0; same && k < a->rank; k++) same = a->dims[k] == b->dims[k];
    if (!same)
        return snprintf(why->text, sizeof why->text,
                        "output %zu is of %s with %zu bytes in one model, and of %s with %zu "
                        "bytes in the other",
                        index, ort_type_name(a->type), a->bytes, ort_type_name(b->type), b->bytes),
               false;
    for (size_t at = 0; at < a->bytes; at += unit)
        compare_element(a->type, (char *)a->data + at, (char *)b->data + at, d);
    if (d->elements) d->rms = sqrt(d->rms / (double)d->elements);
    if (d->elements) d->rms_scale = sqrt(d->rms_scale / (double)d->elements);
    return true;
}

bool pair_compare(const ort_results *a, const ort_results *b, size_t count,
                  pair_difference *differences, ort_message *why) {
    for (size_t k = 0; k < count; k++)
        if (!compare(k, ort_result(a, k), ort_result(b, k), &differences[k], why)) return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Time */

enum { LEAST_ROUNDS = 5, MOST_ROUNDS = 2000, WARM_CALLS = 2 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double pair_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return 0.5 * (values[count / 2] + values[(count - 1) / 2]);
}

/* Seconds of one call; negative if it failed. */
static double call(ort_session *session, const ort_tensor *inputs, ort_message *why) {
    ort_results *results;
    const double start = now();
    if (!ort_session_run(session, inputs, &results, why)) return -1;
    const double seconds = now() - start;
    ort_results_release(results);
    return seconds;
}

bool pair_time(ort_session *a, ort_session *b, const ort_tensor *inputs, double seconds,
               pair_times *times, ort_message *why) {
    static double of_a[MOST_ROUNDS], of_b[MOST_ROUNDS], ratios[MOST_ROUNDS];
    for (int k = 0; k < WARM_CALLS; k++)
        if (call(a, inputs, why) < 0 || call(b, inputs, why) < 0) return false;
    const double end = now() + seconds;
    int rounds = 0;
    while (rounds < LEAST_ROUNDS || (rounds < MOST_ROUNDS && now() < end)) {
        /* who is first changes, because the second finds the caches as the first left them */
        const bool swapped = rounds % 2;
        const double first = call(swapped ? b : a, inputs, why),
                     second = call(swapped ? a : b, inputs, why);
        if (first < 0 || second < 0) return false;
        of_a[rounds] = swapped ? second : first;
        of_b[rounds] = swapped ? first : second;
        ratios[rounds] = of_b[rounds] / of_a[rounds];
        rounds++;
    }
    *times = (pair_times){pair_median(of_a, rounds), pair_median(of_b, rounds),
                          pair_median(ratios, rounds), rounds};
    return true;
}

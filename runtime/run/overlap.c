/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Overlap: ranges of bytes, told apart by strides where they meet. */
#include "runtime/run/overlap.h"

#include <inttypes.h>

#include "runtime/base/diag.h"
#include "runtime/base/types.h"

static bool ranges_meet(const view *a, const view *b) {
    if (a->empty || b->empty) return false;
    uintptr_t a_data = (uintptr_t)a->tensor.data, b_data = (uintptr_t)b->tensor.data;
    return a_data + (uintptr_t)a->low < b_data + (uintptr_t)b->high &&
           b_data + (uintptr_t)b->low < a_data + (uintptr_t)a->high;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return size_without_sign(a);
}

/* The bytes of a view modulo `period`, as one range that has them all. Dimensions whose stride is a
 * multiple of the period add nothing: they repeat the same residues. The left half of a matrix with
 * rows of 64 bytes is [0, 32) modulo 64, the right half [32, 64). */
typedef struct pattern {
    uintptr_t start;
    int64_t length;
} pattern;

static pattern pattern_of(const view *v, int64_t period) {
    pattern p = {(uintptr_t)v->tensor.data, (int64_t)tosajit_type_size(v->tensor.element)};
    for (int32_t d = 0; d < v->tensor.rank; d++) {
        if (v->strides[d] % period == 0) continue;
        int64_t span = v->strides[d] * (v->tensor.dims[d] - 1);
        if (span < 0) p.start += (uintptr_t)span;
        p.length += size_without_sign(span);
    }
    return p;
}

static bool apart_modulo(const view *a, const view *b, int64_t period) {
    if (period == 0) return false;
    pattern p = pattern_of(a, period), q = pattern_of(b, period);
    int64_t distance = q.start >= p.start
                           ? (int64_t)((q.start - p.start) % (uintptr_t)period)
                           : (period - (int64_t)((p.start - q.start) % (uintptr_t)period)) % period;
    return distance >= p.length && q.length <= period - distance;
}

/* Whether two views whose ranges meet have no byte in common, as the left and the right half of a
 * matrix, or its even and its odd columns. They have none if their residues modulo some period are
 * apart. Every stride of either view is tried as the period, and then their common divisor. */
static bool interleave(const view *a, const view *b) {
    int64_t common = 0;
    const view *views[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (int32_t d = 0; d < views[k]->tensor.rank; d++) {
            int64_t stride = size_without_sign(views[k]->strides[d]);
            if (apart_modulo(a, b, stride)) return true;
            common = gcd(common, stride);
        }
    return apart_modulo(a, b, common);
}

bool overlap_same_places(const view *operand, const view *result) {
    if (tosajit_type_size(operand->tensor.element) != tosajit_type_size(result->tensor.element))
        return false;
    int32_t shift = result->tensor.rank - operand->tensor.rank;
    if (shift < 0) return false;
    for (int32_t d = 0; d < result->tensor.rank; d++) {
        int64_t size = d < shift ? 1 : operand->tensor.dims[d - shift];
        if (size != result->tensor.dims[d] ||
            (size != 1 && operand->strides[d - shift] != result->strides[d]))
            return false;
    }
    return true;
}

/* A strided result must not hit a byte twice: sorted by stride, each dimension must step over all
 * inner ones. */
tosajit_status overlap_check_result(const view *result, size_t index) {
    if (result->empty) return TOSAJIT_OK;
    int64_t covered = (int64_t)tosajit_type_size(result->tensor.element), passed = 0;
    for (int32_t round = 0; round < result->tensor.rank; round++) {
        int64_t best = INT64_MAX;
        int32_t at = -1;
        for (int32_t d = 0; d < result->tensor.rank; d++) {
            int64_t stride = size_without_sign(result->strides[d]);
            if (!(passed >> d & 1) && stride <= best) best = stride, at = d;
        }
        passed |= INT64_C(1) << at;
        if (result->tensor.dims[at] == 1) continue;
        if (best < covered)
            return diag_error(TOSAJIT_OVERLAP,
                              "result %zu dimension %d: a stride of %" PRId64
                              " bytes does not step over the dimensions of smaller strides",
                              index, (int)at, result->strides[at]);
        covered += best * (result->tensor.dims[at] - 1);
    }
    return TOSAJIT_OK;
}

static tosajit_status check_operand_overlap(const tosajit_kernel *kernel, const view *tensors,
                                            const view *results, int32_t reader, int32_t writer) {
    const plan_part *reads = &kernel->plan.parts[reader], *writes = &kernel->plan.parts[writer];
    for (int32_t r = 0; r < writes->result_count; r++)
        for (int32_t k = 0; k < reads->operand_count; k++) {
            if (writes->results[r] >= kernel->plan.result_count) break; /* scratch shares nothing */
            const view *operand = &tensors[reads->leaves[k].tensor],
                       *result = &results[writes->results[r]];
            if (!ranges_meet(operand, result) || interleave(operand, result)) continue;
            const bool in_place =
                operand->tensor.data == result->tensor.data && overlap_same_places(operand, result);
            if (in_place && writer >= reader && !reads->leaves[k].table) continue;
            return diag_error(TOSAJIT_OVERLAP,
                              "result %d and operand %d share memory%s; only an operand of the "
                              "same data, strides and sizes can be computed in place",
                              (int)writes->results[r], (int)reads->leaves[k].tensor,
                              writer < reader ? ", and a later result still reads that operand"
                                              : "");
        }
    return TOSAJIT_OK;
}

tosajit_status overlap_check(const tosajit_kernel *kernel, const view *operands,
                             const view *results) {
    for (int32_t reader = 0; reader < kernel->plan.part_count; reader++)
        for (int32_t writer = 0; writer < kernel->plan.part_count; writer++) {
            tosajit_status status =
                check_operand_overlap(kernel, operands, results, reader, writer);
            if (status) return status;
        }
    for (int32_t a = 1; a < kernel->program->result_count; a++)
        for (int32_t b = 0; b < a; b++)
            if (ranges_meet(&results[a], &results[b]) && !interleave(&results[a], &results[b]))
                return diag_error(TOSAJIT_OVERLAP, "results %d and %d share memory", (int)b,
                                  (int)a);
    return TOSAJIT_OK;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Overlap: ranges of bytes, told apart by strides where they meet. */
#include "runtime/check/overlap.h"

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

/* Where elements of a view are: any sum of steps from `start`. */
typedef struct places {
    uintptr_t start;
    int64_t size; /* of an element */
    int32_t count;
    int64_t strides[TOSAJIT_MAX_RANK], steps[TOSAJIT_MAX_RANK];
} places;

static places places_of(const view *v) {
    places p; /* not cleared: as many as counted are written */
    p.start = (uintptr_t)v->tensor.data;
    p.size = (int64_t)tosajit_type_size(v->tensor.element);
    p.count = 0;
    for (int32_t d = 0; d < v->tensor.rank; d++) {
        if (v->tensor.dims[d] == 1 || v->strides[d] == 0) continue;
        p.steps[p.count] = v->tensor.dims[d] - 1;
        p.strides[p.count++] = v->strides[d];
    }
    return p;
}

/* Bytes modulo `period`, as one range that has them all. Dimensions whose stride is a multiple of
 * the period add nothing: they repeat the same residues. The left half of a matrix with rows of 64
 * bytes is [0, 32) modulo 64, the right half [32, 64). */
typedef struct pattern {
    uintptr_t start;
    int64_t length;
} pattern;

static pattern pattern_of(const places *v, int64_t period) {
    pattern p = {v->start, v->size};
    for (int32_t d = 0; d < v->count; d++) {
        if (v->strides[d] % period == 0) continue;
        int64_t span = v->strides[d] * v->steps[d];
        if (span < 0) p.start += (uintptr_t)span;
        p.length += size_without_sign(span);
    }
    return p;
}

/* How far q begins behind p, modulo the period. */
static int64_t distance_of(const pattern *p, const pattern *q, int64_t period) {
    return q->start >= p->start
               ? (int64_t)((q->start - p->start) % (uintptr_t)period)
               : (period - (int64_t)((p->start - q->start) % (uintptr_t)period)) % period;
}

static bool apart_modulo(const places *a, const places *b, int64_t period) {
    if (period == 0) return false;
    const pattern p = pattern_of(a, period), q = pattern_of(b, period);
    const int64_t distance = distance_of(&p, &q, period);
    return distance >= p.length && q.length <= period - distance;
}

/* Every stride of either view is tried as the period, and then their common divisor. */
static bool apart_modulo_any(const places *a, const places *b) {
    int64_t common = 0;
    const places *both[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (int32_t d = 0; d < both[k]->count; d++) {
            const int64_t stride = size_without_sign(both[k]->strides[d]);
            if (apart_modulo(a, b, stride)) return true;
            common = gcd(common, stride);
        }
    return apart_modulo(a, b, common);
}

static void drop_multiples(places *v, int64_t period) {
    int32_t kept = 0;
    for (int32_t d = 0; d < v->count; d++) {
        if (v->strides[d] % period == 0) continue;
        v->strides[kept] = v->strides[d];
        v->steps[kept++] = v->steps[d];
    }
    v->count = kept;
}

/* Reduce both to one period, if the residues of each lie within one: then bytes can only meet in
 * the same period. So two columns of pixels are compared alike in rows of any pitch. */
static bool drop_period(places *a, places *b, int64_t period) {
    if (period == 0) return false;
    const pattern p = pattern_of(a, period), q = pattern_of(b, period);
    int64_t distance = distance_of(&p, &q, period);
    if (p.length > period || q.length > period) return false;
    if (q.length > period - distance) distance -= period; /* q begins before p */
    if (distance >= 0 ? p.length > period : p.length > period + distance) return false;
    b->start = p.start + (uintptr_t)distance + (b->start - q.start);
    drop_multiples(a, period);
    drop_multiples(b, period);
    return true;
}

/* The longest of the periods that can be dropped. */
static bool drop_longest(places *a, places *b) {
    int64_t limit = INT64_MAX;
    for (;;) {
        int64_t longest = 0;
        const places *both[2] = {a, b};
        for (int k = 0; k < 2; k++)
            for (int32_t d = 0; d < both[k]->count; d++) {
                const int64_t stride = size_without_sign(both[k]->strides[d]);
                if (stride < limit && stride > longest) longest = stride;
            }
        if (longest == 0) return false;
        if (drop_period(a, b, longest)) return true;
        limit = longest;
    }
}

/* True if two views have no byte in common though their ranges meet, as the left and the right half
 * of a matrix, or its even and its odd columns. They have none if their residues modulo some period
 * are apart, compared within the same longer period. */
static bool interleave(const view *a, const view *b) {
    places p = places_of(a), q = places_of(b);
    do
        if (apart_modulo_any(&p, &q)) return true;
    while (drop_longest(&p, &q));
    return false;
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
            return diag_result(
                diag_error(TOSAJIT_OVERLAP,
                           "result %zu dimension %d: a stride of %" PRId64
                           " bytes does not step over the dimensions of smaller strides",
                           index, (int)at, result->strides[at]),
                (int64_t)index, at, result->tensor.dims[at], DIAG_NONE);
        covered += best * (result->tensor.dims[at] - 1);
    }
    return TOSAJIT_OK;
}

/* The caller's numbers for them: views are of its tensors, and pieces of its results. */
static int caller_operand(const callee *kernel, int32_t operand) {
    const expr_views *views = kernel->views;
    return views ? (int)views->source->nodes[views->operands[operand].value].tensor : (int)operand;
}

static int caller_result(const callee *kernel, int32_t piece) {
    int result = 0, open = 1;
    if (!kernel->views) return (int)piece;
    for (const piece_node *node = kernel->views->pieces.nodes;; node++) {
        if (node->axis == PIECE && piece-- == 0) return result;
        open += node->children - 1;
        if (open == 0) result++, open = 1;
    }
}

/* True if a result of a part may lie exactly on leaf k of another one, or of its own. A part that
 * scatters writes anywhere: on its base, which it has read then, and on what an earlier phase read.
 */
static bool may_write_over(const callee *kernel, int32_t reader, int32_t k, int32_t writer) {
    const plan_part *reads = &kernel->plan->parts[reader], *writes = &kernel->plan->parts[writer];
    if (reads->leaves[k].table || (reads->gathers && reads->leaves[k].gathered)) return false;
    if (reads->phase < writes->phase) return true;
    if (writes->scatters) return reader == writer && reads->leaves[k].gathered;
    return writer >= reader && !reads->leaves[k].gathered;
}

static tosajit_status check_operand_overlap(const callee *kernel, const view *tensors,
                                            const view *results, int32_t reader, int32_t writer) {
    const plan_part *reads = &kernel->plan->parts[reader], *writes = &kernel->plan->parts[writer];
    for (int32_t r = 0; r < writes->result_count; r++)
        for (int32_t k = 0; k < reads->operand_count; k++) {
            if (writes->results[r] >= kernel->plan->result_count)
                break; /* scratch shares nothing */
            const view *operand = &tensors[reads->leaves[k].tensor],
                       *result = &results[writes->results[r]];
            if (!ranges_meet(operand, result) || interleave(operand, result)) continue;
            const bool in_place =
                operand->tensor.data == result->tensor.data && overlap_same_places(operand, result);
            if (in_place && may_write_over(kernel, reader, k, writer)) continue;
            diag_subject both = diag_nothing();
            both.operand = caller_operand(kernel, reads->leaves[k].tensor);
            both.result = caller_result(kernel, writes->results[r]);
            diag_error(TOSAJIT_OVERLAP,
                       "result %d and operand %d share memory%s; only an operand of the same data, "
                       "strides and sizes can be computed in place",
                       (int)both.result, (int)both.operand,
                       writer < reader ? ", and a later result still reads that operand" : "");
            return diag_on(TOSAJIT_OVERLAP, &both);
        }
    return TOSAJIT_OK;
}

tosajit_status overlap_check(const callee *kernel, const view *operands, const view *results) {
    for (int32_t reader = 0; reader < kernel->plan->part_count; reader++)
        for (int32_t writer = 0; writer < kernel->plan->part_count; writer++) {
            tosajit_status status =
                check_operand_overlap(kernel, operands, results, reader, writer);
            if (status) return status;
        }
    for (int32_t a = 1; a < kernel->program->result_count; a++)
        for (int32_t b = 0; b < a; b++)
            if (ranges_meet(&results[a], &results[b]) && !interleave(&results[a], &results[b]))
                return diag_result(diag_error(TOSAJIT_OVERLAP, "results %d and %d share memory",
                                              caller_result(kernel, b), caller_result(kernel, a)),
                                   caller_result(kernel, a), -1, DIAG_NONE, DIAG_NONE);
    return TOSAJIT_OK;
}

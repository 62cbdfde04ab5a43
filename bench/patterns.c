/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Patterns of broadcasting: every combination of {full, size 1} per operand and dimension up to
 * rank 4, with inner sizes around the vector lengths. */
#include <stddef.h>

#include "bench/sweep.h"

enum {
    ELEMENTS =
        16 * 1024, /* of a result, about: a call's cost shows little, and everything lies in L2 */
};

/* How the two operands cover a dimension. */
typedef enum cover { BOTH, ONLY_B, ONLY_A, NEITHER, COVER_COUNT } cover;

/* Repeatable, and without a rhythm of its own. */
uint32_t sweep_scramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* The sizes of a pattern: the inner one as given, the outermost that is one as large as the rest
 * demands, those between small. */
static void choose_sizes(sweep_pattern *p, const cover *covers, int64_t inner, uint32_t seed) {
    int64_t *sizes = p->dims[2], rest = ELEMENTS / inner;
    int32_t last = p->rank - 1, large = -1;
    for (int32_t d = last; d >= 0; d--) {
        sizes[d] = 1;
        if (covers[d] == NEITHER) continue;
        large = d;
        if (d < last) sizes[d] = 2 + (int64_t)(sweep_scramble(seed + (uint32_t)d) % 7);
    }
    if (covers[last] != NEITHER) sizes[last] = inner;
    if (large < 0 || large == last) return;
    for (int32_t d = large + 1; d < last; d++) rest /= sizes[d];
    sizes[large] = rest > 2 ? rest : 2;
}

static bool make_pattern(int32_t rank, uint32_t covers, int64_t inner, sweep_pattern *p) {
    cover each[SWEEP_RANK];
    *p = (sweep_pattern){.rank = rank, .count = 1};
    for (int32_t d = 0; d < rank; d++) each[d] = (cover)(covers >> (2 * d) & 3);
    if (each[rank - 1] == NEITHER && inner != 1) return false; /* the same for every inner size */
    if (rank == 1) inner += ELEMENTS;
    choose_sizes(p, each, inner, covers * 64 + (uint32_t)inner);
    for (int k = 0; k < 3; k++)
        for (int32_t d = 0; d < rank && k < 2; d++)
            p->dims[k][d] = each[d] == BOTH || each[d] == (k ? ONLY_B : ONLY_A) ? p->dims[2][d] : 1;
    for (int32_t d = 0; d < SWEEP_RANK; d++)
        p->nest.sizes[d] = d < SWEEP_RANK - rank ? 1 : p->dims[2][d - SWEEP_RANK + rank];
    for (int k = 0; k < 2; k++) {
        int64_t stride = 1;
        for (int32_t d = rank; d-- > 0;) {
            p->nest.strides[k][d + SWEEP_RANK - rank] = p->dims[k][d] == 1 ? 0 : stride;
            stride *= p->dims[k][d];
        }
    }
    for (int32_t d = 0; d < rank; d++) p->count *= p->dims[2][d];
    return p->count >= ELEMENTS / 8; /* others measure calls */
}

bool sweep_visit(sweep_visitor *visit, void *context) {
    static const int64_t inner[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                    13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000};
    uint32_t index = 0;
    for (int32_t rank = 1; rank <= SWEEP_RANK; rank++)
        for (uint32_t covers = 0; covers < 1u << (2 * rank); covers++)
            for (size_t k = 0; k < sizeof inner / sizeof *inner; k++) {
                sweep_pattern p;
                if (make_pattern(rank, covers, inner[k], &p) && !visit(&p, index++, context))
                    return false;
            }
    return true;
}

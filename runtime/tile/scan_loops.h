/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of scans of one type and way of combining, for one level of a CPU: runtime/tile/scan.c
 * includes this file for each. In: SCAN_NAME(loop), SCAN_TYPE, SCAN_NEUTRAL, and SCAN(a, b), of
 * vectors, SCAN_ONE of numbers; SCAN_TARGET, an attribute; SCAN_ORDERED where the order matters,
 * SCAN_STEPS where that of steps 1, 2, 4 pays along a line. A vector of a line is a block, whatever
 * registers there are, so that every CPU has the same order. */

/* Whole blocks of elements that lie side by side, of one segment, in place or not. */
SCAN_TARGET static void SCAN_NAME(line)(const scan_piece *p) {
    SCAN_TYPE base, last;
    memcpy(&last, p->carry, sizeof last);
#if SCAN_STEPS
    typedef SCAN_TYPE vector __attribute__((vector_size(SCAN_BLOCK * sizeof(SCAN_TYPE))));
    const vector none = SCAN_ALL(SCAN_NEUTRAL);
    memcpy(&base, p->base, sizeof base);
    if (p->begins) base = SCAN_ONE(base, last), last = SCAN_NEUTRAL;
    const vector first = SCAN_ALL(base);
    vector carry = SCAN_ALL(last), x, made;
    for (int64_t k = 0; k < p->count; k += SCAN_BLOCK) {
        memcpy(&x, p->from + k * (int64_t)sizeof last, sizeof x);
        x = SCAN(__builtin_shufflevector(x, none, 8, 0, 8, 2, 8, 4, 8, 6), x);
        x = SCAN(__builtin_shufflevector(x, none, 8, 8, 1, 1, 8, 8, 5, 5), x);
        x = SCAN(__builtin_shufflevector(x, none, 8, 8, 8, 8, 3, 3, 3, 3), x);
        made = SCAN(first, SCAN(carry, x));
        memcpy(p->to + k * (int64_t)sizeof last, &made, sizeof made);
        carry = SCAN(carry, __builtin_shufflevector(x, x, 7, 7, 7, 7, 7, 7, 7, 7));
    }
    memcpy(p->base, &base, sizeof base);
    last = carry[0];
#else
    for (int64_t k = 0; k < p->count; k++) {
        memcpy(&base, p->from + k * (int64_t)sizeof last, sizeof last);
        last = SCAN_ONE(last, base);
        memcpy(p->to + k * (int64_t)sizeof last, &last, sizeof last);
    }
#endif
    memcpy(p->carry, &last, sizeof last);
}

/* A block of lines, whose elements lie beside each other: multiples of SCAN_LANES of them. Of each
 * there are base and carry. Where the block begins a segment, that before it ends first. */
SCAN_TARGET static void SCAN_NAME(lines)(const scan_piece *p) {
    typedef SCAN_TYPE vector __attribute__((vector_size(SCAN_LANES * 4)));
    const SCAN_TYPE eight[] = SCAN_ALL(SCAN_NEUTRAL);
    vector none;
    memcpy(&none, eight, sizeof none);
    const int64_t size = p->count * (int64_t)sizeof(SCAN_TYPE);
    for (int64_t at = 0; at < size; at += (int64_t)sizeof(vector)) {
        vector x[SCAN_BLOCK], base, carry, made;
        memcpy(&carry, p->carry + at, sizeof carry);
        for (int k = 0; k < SCAN_BLOCK; k++)
            memcpy(&x[k], p->from + k * p->from_stride + at, sizeof *x);
#if SCAN_ORDERED
        memcpy(&base, p->base + at, sizeof base);
        if (p->begins) base = SCAN(base, carry), carry = none;
        x[1] = SCAN(x[0], x[1]), x[3] = SCAN(x[2], x[3]), x[5] = SCAN(x[4], x[5]);
        x[7] = SCAN(x[6], x[7]), x[2] = SCAN(x[1], x[2]), x[3] = SCAN(x[1], x[3]);
        x[6] = SCAN(x[5], x[6]), x[7] = SCAN(x[5], x[7]), x[4] = SCAN(x[3], x[4]);
        x[5] = SCAN(x[3], x[5]), x[6] = SCAN(x[3], x[6]), x[7] = SCAN(x[3], x[7]);
        for (int k = 0; k < SCAN_BLOCK; k++) {
            made = SCAN(base, SCAN(carry, x[k]));
            memcpy(p->to + k * p->to_stride + at, &made, sizeof made);
        }
        carry = SCAN(carry, x[SCAN_BLOCK - 1]);
        memcpy(p->base + at, &base, sizeof base);
#else
        (void)base, (void)none;
        for (int k = 0; k < SCAN_BLOCK; k++) {
            carry = made = SCAN(carry, x[k]);
            memcpy(p->to + k * p->to_stride + at, &made, sizeof made);
        }
#endif
        memcpy(p->carry + at, &carry, sizeof carry);
    }
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loops of scans of one type and way of combining, for one level of a CPU: runtime/tile/scan.c
 * includes this file for each. In: SCAN_OF, a name; SCAN_TYPE, of SCAN_SIZE bytes; SCAN_NEUTRAL;
 * SCAN(a, b), of vectors, SCAN_ONE of numbers; SCAN_TARGET, an attribute; SCAN_REGISTER, bytes of a
 * register; SCAN_ORDERED where the order matters, SCAN_STEPS where that of steps 1, 2, 4 pays along
 * a line. A block is 8 elements whatever registers there are, so that every CPU has the same order.
 */

/* Elements of a register, of which a block takes one, two or four. */
#if SCAN_REGISTER >= 8 * SCAN_SIZE
#define SCAN_PER 8
#elif SCAN_REGISTER == 4 * SCAN_SIZE
#define SCAN_PER 4
#else
#define SCAN_PER 2
#endif

#if SCAN_STEPS
typedef SCAN_TYPE SCAN_NAME(part) __attribute__((vector_size(SCAN_PER * SCAN_SIZE)));

/* The steps of a block: within a register; then what follows is combined with a last element. */
SCAN_TARGET static inline void SCAN_NAME(combine)(SCAN_NAME(part) * x) {
    const SCAN_NAME(part) none = SCAN_ALL(SCAN_NAME(part), SCAN_NEUTRAL);
    for (int k = 0; k < SCAN_BLOCK / SCAN_PER; k++) {
        x[k] = SCAN(SCAN_PICK(SCAN_STEP_1)(x[k], none), x[k]);
#if SCAN_PER > 2
        x[k] = SCAN(SCAN_PICK(SCAN_STEP_2)(x[k], none), x[k]);
#endif
#if SCAN_PER > 4
        x[k] = SCAN(SCAN_PICK(SCAN_STEP_4)(x[k], none), x[k]);
#endif
    }
#if SCAN_PER == 4
    x[1] = SCAN(SCAN_PICK(SCAN_LAST)(x[0]), x[1]);
#elif SCAN_PER == 2
    x[1] = SCAN(SCAN_PICK(SCAN_LAST)(x[0]), x[1]), x[3] = SCAN(SCAN_PICK(SCAN_LAST)(x[2]), x[3]);
    x[2] = SCAN(SCAN_PICK(SCAN_LAST)(x[1]), x[2]), x[3] = SCAN(SCAN_PICK(SCAN_LAST)(x[1]), x[3]);
#endif
}
#endif

/* Whole blocks of elements that lie side by side, of one segment, in place or not. */
SCAN_TARGET static void SCAN_NAME(line)(const scan_piece *p) {
    const int64_t count = p->count, size = (int64_t)sizeof(SCAN_TYPE);
    const char *from = p->from;
    char *to = p->to;
    SCAN_TYPE base, last;
    memcpy(&last, p->carry, sizeof last);
#if SCAN_STEPS
    enum { PARTS = SCAN_BLOCK / SCAN_PER };
    memcpy(&base, p->base, sizeof base);
    if (p->begins) base = SCAN_ONE(base, last), last = SCAN_NEUTRAL;
    const SCAN_NAME(part) first = SCAN_ALL(SCAN_NAME(part), base);
    SCAN_NAME(part) carry = SCAN_ALL(SCAN_NAME(part), last), x[PARTS];
    for (int64_t at = 0; at < count * size; at += SCAN_BLOCK * size) {
        memcpy(x, from + at, sizeof x);
        SCAN_NAME(combine)(x);
        const SCAN_NAME(part) before = carry;
        carry = SCAN(carry, SCAN_PICK(SCAN_LAST)(x[PARTS - 1]));
        for (int k = 0; k < PARTS; k++) x[k] = SCAN(first, SCAN(before, x[k]));
        memcpy(to + at, x, sizeof x);
    }
    memcpy(p->base, &base, sizeof base);
    last = carry[0];
#else
    for (int64_t at = 0; at < count * size; at += size) {
        memcpy(&base, from + at, sizeof last);
        last = SCAN_ONE(last, base);
        memcpy(to + at, &last, sizeof last);
    }
#endif
    memcpy(p->carry, &last, sizeof last);
}

/* A block of lines, whose elements lie beside each other: multiples of SCAN_LANES of them. Of each
 * there are base and carry. Where the block begins a segment, that before it ends first. Where the
 * order is that of the lines, each is combined with the results of the line before it. The piece is
 * copied, as no store through `to` changes a copy. */
#if SCAN_ORDERED
SCAN_TARGET static void SCAN_NAME(lines)(const scan_piece *piece) {
    typedef SCAN_TYPE vector __attribute__((vector_size(SCAN_REGISTER)));
    const scan_piece p = *piece;
    const int64_t size = p.count * (int64_t)sizeof(SCAN_TYPE);
    const vector none = SCAN_ALL(vector, SCAN_NEUTRAL);
    for (int64_t at = 0; at < size; at += (int64_t)sizeof(vector)) {
        vector x[SCAN_BLOCK], base, carry, made;
        memcpy(&carry, p.carry + at, sizeof carry);
        memcpy(&base, p.base + at, sizeof base);
        for (int k = 0; k < SCAN_BLOCK; k++)
            memcpy(&x[k], p.from + k * p.from_stride + at, sizeof *x);
        if (p.begins) base = SCAN(base, carry), carry = none;
        x[1] = SCAN(x[0], x[1]), x[3] = SCAN(x[2], x[3]), x[5] = SCAN(x[4], x[5]);
        x[7] = SCAN(x[6], x[7]), x[2] = SCAN(x[1], x[2]), x[3] = SCAN(x[1], x[3]);
        x[6] = SCAN(x[5], x[6]), x[7] = SCAN(x[5], x[7]), x[4] = SCAN(x[3], x[4]);
        x[5] = SCAN(x[3], x[5]), x[6] = SCAN(x[3], x[6]), x[7] = SCAN(x[3], x[7]);
        for (int k = 0; k < SCAN_BLOCK; k++) {
            made = SCAN(base, SCAN(carry, x[k]));
            memcpy(p.to + k * p.to_stride + at, &made, sizeof made);
        }
        carry = SCAN(carry, x[SCAN_BLOCK - 1]);
        memcpy(p.base + at, &base, sizeof base);
        memcpy(p.carry + at, &carry, sizeof carry);
    }
}
#else
SCAN_TARGET static void SCAN_NAME(lines)(const scan_piece *piece) {
    typedef SCAN_TYPE vector __attribute__((vector_size(SCAN_REGISTER)));
    const scan_piece p = *piece;
    const int64_t size = p.count * (int64_t)sizeof(SCAN_TYPE);
    const char *before = p.carry;
    for (int k = 0; k < SCAN_BLOCK; k++) {
        const char *from = p.from + k * p.from_stride;
        char *to = p.to + k * p.to_stride;
        for (int64_t at = 0; at < size; at += (int64_t)sizeof(vector)) {
            vector x, carry;
            memcpy(&x, from + at, sizeof x);
            memcpy(&carry, before + at, sizeof carry);
            x = SCAN(carry, x);
            memcpy(to + at, &x, sizeof x);
        }
        before = to;
    }
    memcpy(p.carry, before, (size_t)size);
}
#endif

#undef SCAN_PER
#undef SCAN_OF
#undef SCAN_TYPE
#undef SCAN_SIZE
#undef SCAN_NEUTRAL

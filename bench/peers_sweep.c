/* The peer of the pattern sweep: a loop nest over four dimensions, with an inner loop for each way in which its operands move. */
#include "bench/sweep.h"

/* MOVES_A, MOVES_B: 1 or 0 elements per column. Constants, so that the inner loop is made of plain vector loads. */
#define NEST(name, MOVES_A, MOVES_B)                                                                                                       \
    static void name(const sweep_nest *n, const float *restrict a, const float *restrict b, float *restrict r) {                           \
        const int64_t *size = n->sizes, *sa = n->strides[0], *sb = n->strides[1];                                                          \
        for (int64_t i = 0; i < size[0]; i++)                                                                                              \
            for (int64_t j = 0; j < size[1]; j++)                                                                                          \
                for (int64_t k = 0; k < size[2]; k++) {                                                                                    \
                    const float *x = a + i * sa[0] + j * sa[1] + k * sa[2], *y = b + i * sb[0] + j * sb[1] + k * sb[2];                    \
                    for (int64_t l = 0; l < size[3]; l++) r[l] = x[MOVES_A * l] + y[MOVES_B * l];                                          \
                    r += size[3];                                                                                                          \
                }                                                                                                                          \
    }

NEST(both_move, 1, 1)
NEST(a_moves, 1, 0)
NEST(b_moves, 0, 1)
NEST(none_moves, 0, 0)

void sweep_loop(const sweep_nest *nest, const float *a, const float *b, float *result) {
    static void (*const nests[2][2])(const sweep_nest *, const float *restrict, const float *restrict,
                                     float *restrict) = {{none_moves, b_moves}, {a_moves, both_move}};
    nests[nest->strides[0][3] != 0][nest->strides[1][3] != 0](nest, a, b, result);
}

/* Peers that the build has made with MLIR, for static sizes. In: an op, a form and sizes. Out: a function; null where there is none. */
#include "bench/peers.h"

#include <stddef.h>
#include <string.h>

#if defined(TOSAJIT_BENCH_MLIR)
#define MLIR_PEER(op, form, height, width, name)                                                                                           \
    void mlir_##op##_##form##_##height##x##width(const float *, const float *, float *);                                                   \
    static void peer_##op##_##form##_##height##x##width(void *const *operands, void *result, int64_t rows, int64_t cols) {                 \
        (void)rows, (void)cols;                                                                                                            \
        name(operands[0], operands[1], result);                                                                                            \
    }
#include "peer_mlir.def"
#undef MLIR_PEER

static const struct {
    tosajit_op op;
    const char *form;
    int64_t rows, cols;
    peer *function;
} made[] = {
#define MLIR_PEER(op, form, height, width, name) {TOSAJIT_OP_##op, #form, height, width, peer_##op##_##form##_##height##x##width},
#include "peer_mlir.def"
#undef MLIR_PEER
};

peer *peer_mlir(tosajit_op op, const char *form, int64_t rows, int64_t cols) {
    for (size_t k = 0; k < sizeof made / sizeof *made; k++)
        if (made[k].op == op && made[k].rows == rows && made[k].cols == cols && strcmp(made[k].form, form) == 0) return made[k].function;
    return NULL;
}
#else
peer *peer_mlir(tosajit_op op, const char *form, int64_t rows, int64_t cols) {
    (void)op, (void)form, (void)rows, (void)cols;
    return NULL;
}
#endif

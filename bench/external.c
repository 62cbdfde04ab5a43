/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* External peers: which of them this build has. */
#include "bench/external.h"

#include <stddef.h>
#include <string.h>

const external *externals[] = {
#if defined(TOSAJIT_BENCH_XNNPACK)
    &external_xnnpack,
#endif
#if defined(TOSAJIT_BENCH_ONEDNN)
    &external_onednn,
#endif
#if defined(TOSAJIT_BENCH_MLIR)
    &external_mlir,
#endif
    NULL,
};

void externals_keep_to(const char *level) {
    size_t kept = 0;
    for (size_t k = 0; externals[k]; k++)
        if (!*level || !externals[k]->own_vectors) externals[kept++] = externals[k];
    externals[kept] = NULL;
}

const char *externals_absent(void) {
    static const char absent[] = ""
#if !defined(TOSAJIT_BENCH_XNNPACK)
                                 ", XNNPACK (libxnnpack-dev, libpthreadpool-dev)"
#endif
#if !defined(TOSAJIT_BENCH_ONEDNN)
                                 ", oneDNN (libdnnl-dev)"
#endif
#if !defined(TOSAJIT_BENCH_SLEEF)
                                 ", SLEEF (libsleef-dev)"
#endif
#if !defined(TOSAJIT_BENCH_MLIR)
                                 ", MLIR (libmlir-22-dev)"
#endif
        ;
    return *absent ? absent + 2 : absent;
}

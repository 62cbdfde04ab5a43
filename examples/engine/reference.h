/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two models once more, each as one plain function, written from their formulas and not from
 * the engine. */
#ifndef ENGINE_REFERENCE_H
#define ENGINE_REFERENCE_H

#include <stdint.h>

/* x[tokens][16], in double precision; r as x. Others as in mlp.mlir. */
void reference_mlp(int64_t tokens, const float *x, const float *w1, const float *b1,
                   const float *w2, const float *b2, const float *gamma, const float *beta,
                   double *r);
/* x[images][6][6][8]; r as x. Others as in mobile.mlir. */
void reference_mobile(int64_t images, const int8_t *x, const int8_t *we, const int32_t *be,
                      const int8_t *wd, const int32_t *bd, const int8_t *wp, const int32_t *bp,
                      int8_t *r);

#endif

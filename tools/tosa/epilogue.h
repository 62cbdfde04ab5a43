/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Epilogues: regions that read the result of a product of matrices or a convolution. A host
 * computes the region while a tile of the product is still in cache. In: regions, as front ends
 * divide functions; out: a list for the host. */
#ifndef TOSAJIT_TOOLS_TOSA_EPILOGUE_H
#define TOSAJIT_TOOLS_TOSA_EPILOGUE_H

#include <stdbool.h>

#include "tools/tosa/function.h"

typedef struct tosa_epilogue {
    const char *product; /* "tosa.conv2d"; constant */
    char *region;        /* its function; owned */
    size_t operand;      /* of that function */
    bool alone;          /* nobody else reads what the product gives */
} tosa_epilogue;

typedef struct tosa_epilogues {
    tosa_epilogue *list;
    size_t count, capacity;
} tosa_epilogues;

/* The name of an op of length bytes if it is a product, else null. */
const char *tosa_product(const char *name, size_t length);
/* epilogue->region is copied. False if out of memory; a null list takes nothing. */
bool tosa_epilogues_add(tosa_epilogues *list, const tosa_epilogue *epilogue);
void tosa_epilogues_release(tosa_epilogues *list);

/* True if each element of each result is computed of the same element of the operand, as the types
 * have it: then a tile of the operand becomes that tile of the results. */
bool tosa_function_keeps_tiles(const tosa_function *function, size_t operand);

#endif

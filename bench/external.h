/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* External peers: libraries that compute an op from a description, as found when this was
 * configured. In: one op with its shapes and memory. Out: an operator that is prepared once and run
 * many times, as those libraries are meant to be used. */
#ifndef TOSAJIT_BENCH_EXTERNAL_H
#define TOSAJIT_BENCH_EXTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

enum { EXTERNAL_MAX_RANK = 4 };

/* Functions of several ops that libraries have as one. */
typedef enum external_function {
    EXTERNAL_OP,
    EXTERNAL_SWISH,
    EXTERNAL_GELU_ERF,
    EXTERNAL_GELU_TANH,
    EXTERNAL_FUNCTIONS
} external_function;

/* f32 operands and result, dense; operands have the result's rank. */
typedef struct external_request {
    tosajit_op op;              /* of EXTERNAL_OP */
    external_function function; /* any other takes one operand */
    int operand_count;          /* 1 or 2 */
    int32_t rank;
    int64_t dims[3][EXTERNAL_MAX_RANK]; /* operands, then the result */
    void *pointers[3];
    float low, high; /* bounds of the result; infinite: none */
} external_request;

typedef struct external {
    const char *name;
    bool compiles; /* create takes milliseconds, too long for thousands of shapes */
    /* By op and shapes; pointers are not looked at. */
    bool (*supports)(const external_request *request);
    /* An operator, ready to run; null: refused. */
    void *(*create)(const external_request *request);
    bool (*setup)(void *operator); /* bind shapes and pointers again, as a program of changing
                                      shapes does at each call; null: it need not */
    void (*run)(void *operator);
    void (*destroy)(void *operator);
    bool own_vectors; /* the machine's widest, whatever the level */
} external;

extern const external external_xnnpack, external_onednn, external_mlir;

/* The peers that are there, ended by a null; of a level those that keep to it. */
extern const external *externals[];
void externals_keep_to(const char *level);

/* "XNNPACK (libxnnpack-dev), ...": the peers that the build has not found, SLEEF and MLIR among
 * them; empty if none is missing. */
const char *externals_absent(void);

/* Elements of the result. */
static inline int64_t external_count(const external_request *request) {
    int64_t count = 1;
    for (int32_t d = 0; d < request->rank; d++) count *= request->dims[request->operand_count][d];
    return count;
}

#endif

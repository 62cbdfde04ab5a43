/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit-bench-fresh: a process that computes one sum by precompiled ops, and nothing else. Out:
 * the seconds from the creation of an engine to the result, and whether LLVM is mapped. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tosajit/tosajit.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int is_mapped(const char *name) {
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, name) != NULL;
    if (maps) fclose(maps);
    return found || !maps;
}

int main(void) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_PRECOMPILED};
    const int64_t any[1] = {TOSAJIT_DYNAMIC}, dims[1] = {3};
    const tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, any);
    float a[3] = {1, 2, 3}, r[3] = {0};
    const tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims), operands[2] = {x, x},
                         result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    tosajit_engine *engine = NULL;
    tosajit_kernel *kernel = NULL;
    const double begin = now();
    tosajit_status status = tosajit_engine_create(&options, &engine);
    if (!status)
        status = tosajit_compile(engine, TOSAJIT_OP_add, (tosajit_tensor_type[]){type, type}, 2,
                                 NULL, NULL, &kernel);
    if (!status) status = tosajit_run(kernel, operands, 2, &result, 1);
    const double seconds = now() - begin;
    if (status) return fprintf(stderr, "%s\n", tosajit_last_error()), 1;
    printf("%.9f %d\n", seconds, is_mapped("libLLVM") || is_mapped("libtosajit-codegen"));
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return r[2] != 6.0f;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An interpreter that gives wrong answers, preloaded in front of the library's, to see `tosajit run
 * --check` fail. In: LIE_CALLS, the numbers of the calls to falsify, "0,3"; LIE_BY, what is added
 * to the bits of the first element of their first result. Out: the library's results, but for that
 * element. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tosajit/inspect.h"

typedef tosajit_status run_function(const tosajit_kernel *, const tosajit_tensor *, size_t,
                                    const tosajit_tensor *, size_t);

static bool is_listed(const char *list, long number) {
    while (list && *list) {
        char *end;
        if (strtol(list, &end, 10) == number) return true;
        list = *end ? end + 1 : end;
    }
    return false;
}

static bool is_empty(const tosajit_tensor *tensor) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] == 0) return true;
    return false;
}

static void falsify(const tosajit_tensor *result) {
    const char *by = getenv("LIE_BY");
    uint64_t bits = 0;
    size_t size = tosajit_type_size(result->element);
    if (!by || is_empty(result)) return;
    memcpy(&bits, result->data, size); /* little-endian */
    bits += strtoull(by, NULL, 10);
    memcpy(result->data, &bits, size);
}

TOSAJIT_API tosajit_status tosajit_run_interpreted(const tosajit_kernel *kernel,
                                                   const tosajit_tensor *operands,
                                                   size_t operand_count,
                                                   const tosajit_tensor *results,
                                                   size_t result_count) {
    static long calls;
    void *symbol = dlsym(RTLD_NEXT, "tosajit_run_interpreted");
    run_function *honest;
    memcpy(&honest, &symbol, sizeof honest); /* C has no cast from data to a function */
    tosajit_status status = honest(kernel, operands, operand_count, results, result_count);
    if (status == TOSAJIT_OK && is_listed(getenv("LIE_CALLS"), calls++)) falsify(&results[0]);
    return status;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Results are compared with the interpreter's, bit for bit: every function is defined to the bit,
 * fast or not. */
#include "tools/command/check.h"

#include <inttypes.h>
#include <string.h>

#include "tools/data/compare.h"
#include "tosajit/inspect.h"

enum { TEXT_CAPACITY = 640 };

static bool interpret(const check_case *c, npy_array *plain) {
    const tosa_function *f = &c->entry->function;
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    for (size_t k = 0; k < f->input_count; k++) operands[k] = array_view(&c->operands[k]);
    for (size_t k = 0; k < f->result_count; k++) {
        const npy_array *r = &c->results[k];
        if (!array_make(r->element, r->rank, r->dims, &plain[k]))
            return command_error("check: out of memory") == EXIT_FINE;
        results[k] = array_view(&plain[k]);
    }
    return tosajit_run_interpreted(c->kernel, operands, f->input_count, results, f->result_count) ==
               TOSAJIT_OK ||
           entry_refuse(c->entry) == EXIT_FINE;
}

static int64_t count_different(const check_case *c, const npy_array *plain, int64_t *elements,
                               char *first, size_t capacity) {
    int64_t different = 0;
    *elements = 0;
    for (size_t k = 0; k < c->entry->function.result_count; k++) {
        const npy_array *r = &c->results[k];
        comparison found = compare_elements(r->element, r->data, plain[k].data, array_count(r));
        *elements += array_count(r);
        if (found.different > 0 && different == 0) {
            size_t used = (size_t)snprintf(first, capacity, "result %zu ", k);
            compare_describe(r->element, r->rank, r->dims, r->data, plain[k].data, found.first,
                             first + used, capacity - used);
        }
        different += found.different;
    }
    return different;
}

int check_results(const check_case *c, check_figures *figures) {
    npy_array plain[TOSAJIT_MAX_TENSORS];
    memset(plain, 0, sizeof plain);
    char first[TEXT_CAPACITY];
    int64_t elements;
    int code = EXIT_REFUSED;
    if (interpret(c, plain)) {
        int64_t different = count_different(c, plain, &elements, first, sizeof first);
        code = different == 0 ? EXIT_FINE
                              : command_error("check: %" PRId64 " of %" PRId64
                                              " elements differ, the first is %s",
                                              different, elements, first);
        if (different == 0 && !c->quiet)
            printf("check: kernel and interpreter agree in all %" PRId64 " elements, bit for bit\n",
                   elements);
        *figures = (check_figures){elements, different};
    }
    for (size_t k = 0; k < c->entry->function.result_count; k++) npy_release(&plain[k]);
    return code;
}

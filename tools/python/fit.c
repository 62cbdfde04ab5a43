/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: sizes of a call. Out: the kernel that is best for them. */
#include "tools/python/fit.h"

#include <string.h>

#include "tools/python/compile.h"
#include "tosajit/inspect.h"

/* Of more columns a loop that does not know them takes about the same time. With fewer elements a
 * call takes longer than what it computes. */
enum { MOST_COLUMNS = 128, FEWEST_ELEMENTS = 1024, MOST_KERNELS = 8 };

struct fitted {
    size_t count;
    struct {
        compile_fit fit;
        bool tried;
        tosajit_kernel *kernel; /* null: none, or not yet */
    } known[MOST_KERNELS];
};

void fit_release(fitted *f) {
    for (size_t i = 0; f && i < f->count; i++) tosajit_kernel_release(f->known[i].kernel);
    PyMem_Free(f);
}

/* True if so many elements are computed, wherever operands repeat. */
static bool is_large(const kernel_object *k, const tosajit_tensor *operands) {
    int64_t elements = 1;
    for (int32_t end = 1; elements < FEWEST_ELEMENTS && end <= TOSAJIT_MAX_RANK; end++) {
        int64_t most = 1;
        for (Py_ssize_t i = 0; i < k->operand_count; i++) {
            const tosajit_tensor *t = &operands[i];
            if (t->rank >= end && t->dims[t->rank - end] > most) most = t->dims[t->rank - end];
        }
        elements *= most;
    }
    return elements >= FEWEST_ELEMENTS;
}

/* Where something is reduced a loop for a few columns takes a third to a tenth of the time. Results
 * and sums of several operands are one loop if none of these repeats. False: neither holds. */
static bool find_fit(const kernel_object *k, const tosajit_tensor *operands, compile_fit *fit) {
    bool narrow = false;
    int arrays = 0;
    fit->apart = true;
    for (Py_ssize_t i = 0; i < k->operand_count; i++) {
        const int32_t rank = operands[i].rank;
        const int64_t last = rank ? operands[i].dims[rank - 1] : 1;
        for (int32_t d = 0; d < rank; d++) fit->apart &= operands[i].dims[d] > 1;
        arrays += rank > 0;
        fit->columns[i] = k->reductions && last > 1 && last <= MOST_COLUMNS ? (uint8_t)last : 0;
        narrow |= fit->columns[i] && rank > 1;
    }
    fit->apart &= arrays > 1 && (k->reductions > 1 || k->result_count > 1);
    return (narrow || fit->apart) && is_large(k, operands);
}

static bool is_same(const kernel_object *k, const compile_fit *a, const compile_fit *b) {
    return a->apart == b->apart && !memcmp(a->columns, b->columns, (size_t)k->operand_count);
}

/* Sizes that come for the first time are noted: what comes once is not worth compiling. */
static const tosajit_kernel *find(engine_object *e, kernel_object *k, const compile_fit *fit) {
    if (!k->fitted && (k->fitted = PyMem_Malloc(sizeof *k->fitted))) k->fitted->count = 0;
    fitted *f = k->fitted;
    size_t i = 0;
    if (!f) return k->kernel;
    while (i < f->count && !is_same(k, &f->known[i].fit, fit)) i++;
    if (i == MOST_KERNELS) return k->kernel;
    if (i == f->count) {
        f->known[f->count++].fit = *fit;
        f->known[i].tried = false;
        f->known[i].kernel = NULL;
    } else if (!f->known[i].tried) {
        f->known[i].tried = true;
        tosajit_kernel *made = compile_fitted(e, k, fit); /* others may come meanwhile */
        f->known[i].kernel = made;
    }
    const tosajit_kernel *own = f->known[i].kernel;
    return own && tosajit_kernel_is_native(own) ? own : k->kernel;
}

const tosajit_kernel *fit_kernel(engine_object *e, kernel_object *k,
                                 const tosajit_tensor *operands) {
    compile_fit fit;
    if (!e || !k->compiles || (!k->reductions && k->result_count == 1) ||
        !find_fit(k, operands, &fit))
        return k->kernel;
    return find(e, k, &fit);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recurring: a kernel is asked for when calls have taken about as long as making it will. */
#include "runtime/run/recurring.h"

enum {
    PIECES = 1000, /* of work worth waking a thread, which are 10 us: ten ms in all */
    SMALL = 64,    /* a call of less than such a part of a piece gains nothing */
};

bool recurring_serves(const tosajit_kernel *kernel, int64_t elements) {
    return kernel->specialises && elements > kernel->plan.parts[0].piece_elements / SMALL;
}

void recurring_begin(recurring *r, const tosajit_kernel *kernel, int64_t elements) {
    r->elements = recurring_serves(kernel, elements) ? elements : 0;
    atomic_init(&r->left, PIECES * kernel->plan.parts[0].piece_elements);
    atomic_init(&r->special, NULL);
}

/* If that is not even begun, the same calls count again. */
static void ask(recurring *r, const tosajit_kernel *kernel, const tosajit_tensor *operands) {
    tosajit_tensor_type types[TOSAJIT_MAX_TENSORS];
    for (int32_t k = 0; k < kernel->program->input_count; k++)
        types[k] = tosajit_ranked(operands[k].element, operands[k].rank, operands[k].dims);
    if (!kernel->owner->specialise((tosajit_kernel *)(uintptr_t)kernel, types, &r->special))
        atomic_store_explicit(&r->left, PIECES * kernel->plan.parts[0].piece_elements,
                              memory_order_relaxed);
}

tosajit_kernel *recurring_count(recurring *r, const tosajit_kernel *kernel,
                                const tosajit_tensor *operands) {
    tosajit_kernel *special = atomic_load_explicit(&r->special, memory_order_acquire);
    int64_t left = atomic_load_explicit(&r->left, memory_order_relaxed);
    if (special || left < 0) return special;
    /* Of calls at once one counts, and so one asks. */
    if (atomic_compare_exchange_strong_explicit(&r->left, &left, left - r->elements,
                                                memory_order_relaxed, memory_order_relaxed) &&
        left < r->elements)
        ask(r, kernel, operands);
    return NULL;
}

void recurring_end(recurring *r) {
    tosajit_kernel *special = atomic_load_explicit(&r->special, memory_order_acquire);
    if (special && atomic_fetch_sub_explicit(&special->references, 1, memory_order_acq_rel) == 1)
        special->owner->release(special);
}

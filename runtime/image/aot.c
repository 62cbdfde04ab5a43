/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ahead of time: kernels whose code was linked into the program. In: what the object says of
 * itself. Out: a kernel over code that stays where it is. */
#include <stdatomic.h>

#include "runtime/base/diag.h"
#include "runtime/image/image.h"
#include "runtime/base/memory.h"
#include "tosajit/image.h"

static tosajit_status load_linked(const tosajit_aot *aot, tosajit_kernel **kernel) {
    if (aot->size != sizeof *aot)
        return diag_error(
            TOSAJIT_BAD_IMAGE,
            "aot_kernel: the object was made by another version of this library; compile it anew");
    const tosajit_allocator heap = memory_allocator(NULL);
    const image_code code = {aot->code, aot->code_size};
    return image_to_kernel(aot->image, aot->image_size, &code, TOSAJIT_BACKEND_AUTO, &heap, kernel);
}

tosajit_status tosajit_aot_kernel(tosajit_aot *aot, tosajit_kernel **kernel) {
    if (!aot || !kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "aot_kernel: aot or kernel is a null pointer");
    /* The header is C++'s, too, which has another word for it. */
    _Atomic(void *) *slot = (_Atomic(void *) *)&aot->kernel;
    void *known = atomic_load_explicit(slot, memory_order_acquire);
    if (!known) {
        tosajit_kernel *made;
        tosajit_status status = load_linked(aot, &made);
        if (status) return status;
        if (atomic_compare_exchange_strong_explicit(slot, &known, made, memory_order_acq_rel,
                                                    memory_order_acquire))
            known = made;
        else
            tosajit_kernel_release(made); /* another thread was faster */
    }
    *kernel = known;
    return TOSAJIT_OK;
}

tosajit_status tosajit_aot_run(tosajit_aot *aot, const tosajit_tensor *operands,
                               size_t operand_count, const tosajit_tensor *results,
                               size_t result_count) {
    tosajit_kernel *kernel = NULL;
    tosajit_status status = tosajit_aot_kernel(aot, &kernel);
    return status ? status : tosajit_run(kernel, operands, operand_count, results, result_count);
}

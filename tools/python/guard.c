/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: views of operands. Out: whether a kernel may have them. */
#include "tools/python/guard.h"

#include "tools/python/errors.h"

/* Numbers and bools again, as what the kernel takes them for. */
bool guard_take_loose(const kernel_object *k, const call_given *g, view *views) {
    for (Py_ssize_t i = 0; i < k->operand_count; i++) {
        const tosajit_type element = k->tensors[i].element;
        if (views[i].tensor.element == element || !guard_is_loose(g->objects[i])) continue;
        const request ask = {"operand", PyTuple_GetItem(k->names, i), element, 0, false};
        if (!view_take(k->state, &views[i], g->objects[i], &ask)) return false;
    }
    return true;
}

static bool is_guarded(const kernel_object *k, const view *views) {
    bool guarded = k->guard && k->guards_all;
    for (Py_ssize_t i = 0; k->guard && !guarded && i < k->operand_count; i++)
        for (int32_t d = 0; d < views[i].tensor.rank; d++) guarded |= views[i].tensor.dims[d] == 0;
    return guarded;
}

/* Checks elements of the operands that only a call can know. */
static bool passes(const kernel_object *k, const view *views) {
    static const int64_t ones[TOSAJIT_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const kernel_object *guard = (const kernel_object *)k->guard;
    int32_t found = 0;
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS];
    for (Py_ssize_t i = 0; i < k->operand_count; i++) operands[i] = views[i].tensor;
    const tosajit_tensor result =
        tosajit_dense(TOSAJIT_I32, &found, guard->tensors[guard->operand_count].rank, ones);
    tosajit_status status;
    Py_BEGIN_ALLOW_THREADS status =
        tosajit_run(guard->kernel, operands, (size_t)guard->operand_count, &result, 1);
    Py_END_ALLOW_THREADS if (errors_raise(k->state, status)) return false;
    if (found)
        errors_say(k->state, TOSAJIT_INVALID_ARGUMENT, "%U",
                   PyTuple_GetItem(k->sentences, found - 1));
    return !found;
}

bool guard_passes(const kernel_object *k, const view *views) {
    return !is_guarded(k, views) || passes(k, views);
}

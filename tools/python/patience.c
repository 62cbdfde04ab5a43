/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a kernel that is not compiled yet, and a call. Out: whether to wait. */
#include "tools/python/patience.h"

#include "tosajit/graph.h"
#include "tosajit/inspect.h"

/* Loading LLVM and compiling take as long together. So do only computations of more elements, by
 * all that operands may be combined to. Where code never comes nobody goes on asking. */
static const double LONG_NS = 30e6, FEWEST = 1e5;
enum { MOST_LOOKS = 16 };

static bool may_be_long(const kernel_object *k, const view *views) {
    double elements = 1, most = 1;
    for (Py_ssize_t i = 0; i < k->operand_count; i++) {
        const tosajit_tensor *t = &views[i].tensor;
        double own = 1;
        for (int32_t d = 0; d < t->rank; d++) own *= (double)t->dims[d];
        elements *= own;
        if (own > most) most = own;
    }
    return elements * most >= FEWEST; /* a text may combine an operand with itself */
}

bool patience_pays(const engine_object *e, kernel_object *k, const view *views) {
    if (!e || e->options.backend != TOSAJIT_BACKEND_BACKGROUND || k->looks == MOST_LOOKS ||
        tosajit_kernel_is_native(k->kernel) || !may_be_long(k, views))
        return false;
    tosajit_explanation x = {.size = sizeof x};
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS];
    for (Py_ssize_t i = 0; i < k->operand_count; i++) operands[i] = views[i].tensor;
    k->looks++;
    return !tosajit_explain(k->kernel, operands, (size_t)k->operand_count, NULL, 0, &x, NULL) &&
           x.nanoseconds >= LONG_NS;
}

void patience_wait(const engine_object *e, kernel_object *k, const view *views) {
    if (!patience_pays(e, k, views)) return;
    Py_BEGIN_ALLOW_THREADS tosajit_kernel_wait(k->kernel);
    Py_END_ALLOW_THREADS
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bound calls: what tosajit_run finds out of types, sizes and strides, found out once. In: tensors
 * without memory. Out: a call that looks at pointers only, and at these completely: null pointers,
 * memory that is shared. What is one tile for the code goes there at once; all else takes the walk
 * that a run takes behind its checks. */
#include "runtime/base/diag.h"
#include "runtime/base/memory.h"
#include "runtime/run/parallel.h"
#include "runtime/run/prepared.h"
#include "runtime/run/run.h"
#include "runtime/run/verbose.h"

/* A tensor of the call; its sizes and strides are its own. */
typedef struct bound_tensor {
    view view;
    int64_t dims[TOSAJIT_MAX_RANK];
} bound_tensor;

typedef bool bound_function(const tosajit_bound *bound, tosajit_entry entry, void *const *data);

struct tosajit_bound {
    bound_function *run;    /* null: the call is not one tile */
    prepared_counts n;      /* of the tile */
    bool floating;          /* the code depends on the floating-point environment */
    tosajit_kernel *kernel; /* a reference */
    prepared tile;
    size_t operand_count, tensor_count, result_count; /* tensors are operands and constants */
    bound_tensor tensors[];                           /* and then results */
};

/* ---------------------------------------------------------------------------------------------
 * Running */

/* False if some memory is missing, or shared in a way that needs a closer look. */
SPECIALISED bool run_tile(const tosajit_bound *b, tosajit_entry entry, prepared_counts n,
                          void *const *data) {
    void *room[1 + PREPARED_TENSORS];
    void **pointers = tile_pointers(&b->kernel->plan.parts[0], room);
    for (int32_t k = 0; k < n.operands + n.results; k++)
        if (!data[k]) return false;
    for (int32_t k = 0; k < n.operands; k++) pointers[k] = data[k];
    for (int32_t k = n.operands; k < n.leaves; k++)
        pointers[k] = (void *)(uintptr_t)b->kernel->plan.parts[0].constants[k - n.operands];
    for (int32_t r = 0; r < n.results; r++) pointers[n.leaves + r] = data[n.operands + r];
    return prepared_run(&b->tile, entry, b->floating, n, pointers);
}

APART bool run_unary(const tosajit_bound *b, tosajit_entry entry, void *const *data) {
    return run_tile(b, entry, (prepared_counts){1, 1, 1}, data);
}

APART bool run_binary(const tosajit_bound *b, tosajit_entry entry, void *const *data) {
    return run_tile(b, entry, (prepared_counts){2, 2, 1}, data);
}

APART bool run_any(const tosajit_bound *b, tosajit_entry entry, void *const *data) {
    return run_tile(b, entry, b->n, data);
}

/* Views of tensors from..to with their memory. */
static tosajit_status place(const tosajit_bound *b, size_t from, size_t to, const char *kind,
                            void *const *data, view *views) {
    for (size_t t = from; t < to; t++) {
        view *v = &views[t - from];
        *v = b->tensors[t].view;
        v->tensor.strides = v->strides;
        v->tensor.data = data[t - from];
        if (!v->tensor.data && !v->empty)
            return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s %zu: data is a null pointer", kind,
                              t - from);
    }
    return TOSAJIT_OK;
}

static tosajit_status run_completely(const tosajit_bound *b, const kernel_code *code,
                                     void *const *data) {
    view tensors[TOSAJIT_MAX_TENSORS], written[TOSAJIT_MAX_TENSORS];
    tosajit_status status = place(b, 0, b->operand_count, "operand", data, tensors);
    for (size_t t = b->operand_count; t < b->tensor_count; t++) tensors[t] = b->tensors[t].view;
    if (!status)
        status = place(b, b->tensor_count, b->tensor_count + b->result_count, "result",
                       data + b->operand_count, written);
    return status ? status : run_checked(b->kernel, code, &b->kernel->parallel, tensors, written);
}

/* The same with a line about it. */
static tosajit_status run_loud(const tosajit_bound *b, const kernel_code *code, void *const *data) {
    tosajit_tensor tensors[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    for (size_t t = 0; t < b->operand_count; t++) tensors[t] = b->tensors[t].view.tensor;
    for (size_t r = 0; r < b->result_count; r++)
        results[r] = b->tensors[b->tensor_count + r].view.tensor;
    verbose_call call = {.operands = tensors,
                         .results = results,
                         .operand_count = b->operand_count,
                         .result_count = b->result_count,
                         .parallel = &b->kernel->parallel,
                         .way = code ? "bound" : "interpreted"};
    const int64_t start = verbose_clock();
    if (!code || !b->run || !b->run(b, code->entries[0], data))
        call.status = run_completely(b, code, data);
    call.nanoseconds = verbose_clock() - start;
    verbose_ran(b->kernel, &call);
    return call.status;
}

tosajit_status tosajit_bound_run(const tosajit_bound *bound, void *const *data) {
    if (!bound || !data)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "bound_run: bound or data is a null pointer");
    const kernel_code *code = atomic_load_explicit(&bound->kernel->code, memory_order_acquire);
    if (bound->kernel->loud) return run_loud(bound, code, data);
    if (code && bound->run && bound->run(bound, code->entries[0], data)) return TOSAJIT_OK;
    return run_completely(bound, code, data);
}

/* ---------------------------------------------------------------------------------------------
 * Binding */

/* Operands that a result of as many bytes may lie on, as bits. Bound tensors have one place. */
static uint64_t operands_in_place(const plan_part *part, const view *operands,
                                  const view *results) {
    uint64_t found = 0;
    for (int32_t k = 0; k < part->operand_count; k++) {
        bool fits = !part->leaves[k].table;
        for (int32_t r = 0; r < part->result_count; r++)
            fits &=
                operands[k].high != results[r].high || overlap_in_place(&operands[k], &results[r]);
        found |= (uint64_t)fits << k;
    }
    return found;
}

/* Whether the pointers of a call are those of the part, in the same order, and each is where its
 * tensor's bytes begin. */
static bool is_straight(const tosajit_kernel *kernel, const view *operands, const view *results) {
    const plan_part *part = &kernel->plan.parts[0];
    bool straight =
        kernel->plan.part_count == 1 && part->operand_count == kernel->program->input_count;
    for (int32_t k = 0; straight && k < part->operand_count; k++)
        straight = part->operands[k] == k && operands[k].low == 0;
    for (int32_t r = 0; straight && r < part->result_count; r++)
        straight = part->results[r] == r && results[r].low == 0 && !results[r].empty;
    return straight;
}

/* Make the tile, if the call is one. */
static void prepare(tosajit_bound *b, const view *operands, const view *results) {
    static bound_function *const functions[] = {run_any, run_unary, run_binary};
    const plan_part *part = &b->kernel->plan.parts[0];
    walk w; /* not cleared, like the next one: see walk.h */
    tile_tensors tensors;
    if (!is_straight(b->kernel, operands, results)) return;
    run_walk(b->kernel, 0, operands, results, &w, &tensors);
    if (parallel_pays(&b->kernel->parallel, part, walk_elements(&w)) ||
        !prepared_make(part, &w, &tensors, &b->tile))
        return;
    prepared_in_place(part, &w, tensors.element_sizes, operands_in_place(part, operands, results),
                      &b->tile);
    b->n = (prepared_counts){part->operand_count, part->leaf_count, part->result_count};
    for (int32_t k = 0; k < b->n.operands; k++) b->tile.bytes[k] = operands[k].high;
    for (int32_t r = 0; r < b->n.results; r++) b->tile.bytes[b->n.operands + r] = results[r].high;
    b->floating = prepared_floats(b->kernel->program);
    const bool small = b->n.results == 1 && b->n.leaves == b->n.operands && b->n.operands <= 2;
    b->run = functions[small ? b->n.operands : 0];
}

static void keep(bound_tensor *to, const view *from) {
    to->view = *from;
    to->view.tensor.strides = to->view.strides;
    for (int32_t d = 0; d < from->tensor.rank; d++) to->dims[d] = from->tensor.dims[d];
    to->view.tensor.dims = to->dims;
}

static size_t bytes_of(const tosajit_kernel *kernel) {
    const int32_t tensors = kernel->tensor_count + kernel->program->result_count;
    return sizeof(tosajit_bound) + (size_t)tensors * sizeof(bound_tensor);
}

/* A copy that lies in one place with all others, since no memory is looked at. Of a wrong count no
 * more is read than the kernel has; it is refused next. */
static void set_aside(const tosajit_tensor *from, size_t count, int32_t had, tosajit_tensor *to) {
    static char nowhere[8];
    for (size_t k = 0; k < count && k < (size_t)had; k++) {
        to[k] = from[k];
        to[k].data = nowhere;
    }
}

tosajit_status tosajit_bind(tosajit_kernel *kernel, const tosajit_tensor *operands,
                            size_t operand_count, const tosajit_tensor *results,
                            size_t result_count, tosajit_bound **bound) {
    tosajit_tensor in[TOSAJIT_MAX_TENSORS], out[TOSAJIT_MAX_TENSORS];
    view tensors[TOSAJIT_MAX_TENSORS], written[TOSAJIT_MAX_TENSORS];
    if (!kernel || (operand_count && !operands) || !results || !bound)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "bind: kernel, operands, results or bound is a null pointer");
    set_aside(operands, operand_count, kernel->program->input_count, in);
    set_aside(results, result_count, kernel->program->result_count, out);
    tosajit_status status =
        run_check(kernel, in, operand_count, out, result_count, tensors, written);
    if (status) return status;
    tosajit_bound *b = memory_new(&kernel->allocator, 1, bytes_of(kernel));
    if (!b) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a bound call");
    tosajit_kernel_retain(kernel);
    b->kernel = kernel;
    b->operand_count = operand_count;
    b->tensor_count = (size_t)kernel->tensor_count;
    b->result_count = result_count;
    for (size_t t = 0; t < b->tensor_count; t++) keep(&b->tensors[t], &tensors[t]);
    for (size_t r = 0; r < result_count; r++) keep(&b->tensors[b->tensor_count + r], &written[r]);
    prepare(b, tensors, written);
    *bound = b;
    return TOSAJIT_OK;
}

void tosajit_bound_release(tosajit_bound *bound) {
    if (!bound) return;
    tosajit_kernel *kernel = bound->kernel;
    memory_free(&kernel->allocator, bound, 1, bytes_of(kernel));
    tosajit_kernel_release(kernel);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running a kernel: check the call completely, then compute. Nothing is written before every check
 * of every part has passed. Nothing is allocated, but by the interpreter for large programs.
 *
 *     tosajit_run
 *       quick_run                   quick.c       a remembered call: the code at once
 *         slots, prepared_run       slots.h
 *       run
 *         run_check                               types, ranks, sizes, strides
 *         overlap_check             overlap.c     memory that tensors share
 *         quick_learn               quick.c       work out how it goes, remember that, compute
 *         compute_natively                        or what can't be remembered, for each part:
 *           tile_walk               tile.c          sizes and strides of this call, coalesced
 *           parallel_run            parallel.c      pieces for threads, or the whole
 *             tile_run              tile.c          the way that choose.c chooses:
 *               run_direct                            columns, rows and planes as they lie
 *               tile_run_packed     packed.c, pack.c  short rows as one long row; strided
 *                                                     columns through a buffer
 *                 the code          jit/emit/rows.c
 *         compute_interpreted       interpret.c   where there is no code: element by element
 *
 * docs/a-call.md follows one call. */
#include "runtime/run/run.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/run/interpret.h"
#include "runtime/run/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/run/overlap.h"
#include "runtime/run/parallel.h"
#include "runtime/run/quick.h"
#include "runtime/base/types.h"
#include "runtime/run/verbose.h"
#include "runtime/plan/walk.h"

/* Which tensor a message is about: "operand 1", "result 0". */
typedef struct tensor_id {
    const char *kind;
    size_t index;
} tensor_id;

/* The type of a tensor of the call, for messages. */
static type_text print_dims(const tosajit_tensor *tensor) {
    tosajit_tensor_type type = tosajit_ranked(tensor->element, tensor->rank, tensor->dims);
    return type_print(&type);
}

static tosajit_status check_type(const tosajit_tensor *tensor, const tosajit_tensor_type *type,
                                 tensor_id id) {
    if (tensor->element != type->element) {
        const char *given = tosajit_type_name(tensor->element);
        return diag_error(TOSAJIT_TYPE_MISMATCH,
                          "%s %zu has elements of %s, but the kernel was compiled for %s", id.kind,
                          id.index, given ? given : "no known type", type_print(type).text);
    }
    if (tensor->rank != type->rank)
        return diag_error(TOSAJIT_SHAPE_MISMATCH,
                          "%s %zu has rank %d, but the kernel was compiled for %s of rank %d",
                          id.kind, id.index, (int)tensor->rank, type_print(type).text,
                          (int)type->rank);
    if (tensor->rank > 0 && !tensor->dims)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s %zu: dims is a null pointer", id.kind,
                          id.index);
    for (int32_t d = 0; d < tensor->rank; d++) {
        if (tensor->dims[d] < 0)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "%s %zu dimension %d: %" PRId64 " is not a size", id.kind, id.index,
                              (int)d, tensor->dims[d]);
        if (type->dims[d] != TOSAJIT_DYNAMIC && tensor->dims[d] != type->dims[d])
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "%s %zu dimension %d is %" PRId64
                              ", but the kernel was compiled for %s",
                              id.kind, id.index, (int)d, tensor->dims[d], type_print(type).text);
    }
    return TOSAJIT_OK;
}

/* Strides that were counted in elements would compute something else without a word. */
static tosajit_status refuse_stride(const tosajit_tensor *tensor, tensor_id id, int32_t d) {
    return diag_error(TOSAJIT_INVALID_ARGUMENT,
                      "%s %zu dimension %d: a stride of %" PRId64
                      " is no multiple of the %zu bytes of an %s; strides are in bytes "
                      "(the option any_strides allows any)",
                      id.kind, id.index, (int)d, tensor->strides[d],
                      tosajit_type_size(tensor->element), tosajit_type_name(tensor->element));
}

/* A tensor's own strides, and the range of bytes that they reach. */
static tosajit_status resolve_strides(const tosajit_tensor *tensor, tensor_id id, bool any_strides,
                                      view *v) {
    const int64_t size = (int64_t)tosajit_type_size(tensor->element), unit = any_strides ? 1 : size;
    v->high = size;
    for (int32_t d = 0; d < tensor->rank; d++) {
        int64_t stride = tensor->strides[d], steps = tensor->dims[d] - 1, span;
        v->strides[d] = steps ? stride : 0; /* that of a single index is not used */
        if (steps == 0) continue;
        if (stride == INT64_MIN || !size_multiply(steps, size_without_sign(stride), &span) ||
            span > INT64_MAX / 4 - v->high + v->low)
            return diag_error(TOSAJIT_OVERFLOW,
                              "%s %zu dimension %d: %" PRId64 " elements with a stride of %" PRId64
                              " bytes exceed the address space",
                              id.kind, id.index, (int)d, tensor->dims[d], stride);
        if (stride % unit != 0) return refuse_stride(tensor, id, d);
        if (stride < 0)
            v->low -= span;
        else
            v->high += span;
    }
    return TOSAJIT_OK;
}

/* Fill in strides and the range of bytes; every address computed later lies in that range. */
static tosajit_status resolve(const tosajit_tensor *tensor, tensor_id id, bool any_strides,
                              view *v) {
    int64_t bytes = (int64_t)tosajit_type_size(tensor->element);
    bool fits = true;
    v->tensor = *tensor;
    v->tensor.strides = v->strides;
    v->low = 0;
    v->empty = false;
    for (int32_t d = tensor->rank; d-- > 0;) {
        v->strides[d] = bytes;
        v->empty |= tensor->dims[d] == 0;
        fits &= size_multiply(bytes, tensor->dims[d], &bytes);
    }
    v->high = bytes;
    if (v->empty) {
        memset(v->strides, 0, sizeof v->strides);
        v->high = 0;
    } else if (!fits) {
        return diag_error(TOSAJIT_OVERFLOW, "%s %zu: %s has more than 2^63 - 1 bytes", id.kind,
                          id.index, print_dims(tensor).text);
    } else if (tensor->strides) {
        tosajit_status status = resolve_strides(tensor, id, any_strides, v);
        if (status) return status;
    }
    if (!tensor->data && !v->empty)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "%s %zu: data is a null pointer", id.kind,
                          id.index);
    return TOSAJIT_OK;
}

/* A run-time size that does not fit the iteration space; find the operand that set it, for the
 * message. */
static tosajit_status size_mismatch(const plan_part *part, const view *operands, int32_t leaf,
                                    int32_t d, int64_t expected) {
    const tosajit_tensor *tensor = &operands[part->leaves[leaf].tensor].tensor;
    int32_t own = d - (part->rank - tensor->rank);
    for (int32_t k = 0; k < leaf; k++) {
        const tosajit_tensor *other = &operands[part->leaves[k].tensor].tensor;
        int32_t at = d - (part->rank - other->rank);
        if (at >= 0 && other->dims[at] == expected && k < part->operand_count &&
            leaf < part->operand_count)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "operand %d dimension %d: size %" PRId64
                              " does not broadcast with %" PRId64
                              " of operand %d dimension %d (%s and %s); the sizes must be equal, "
                              "or one of them 1",
                              (int)part->leaves[leaf].tensor, (int)own, tensor->dims[own], expected,
                              (int)part->leaves[k].tensor, (int)at, print_dims(tensor).text,
                              print_dims(other).text);
    }
    return diag_error(TOSAJIT_SHAPE_MISMATCH,
                      "operand %d dimension %d: size %" PRId64
                      " does not broadcast with the static size %" PRId64 " (%s)",
                      (int)part->leaves[leaf].tensor, (int)own, tensor->dims[own], expected,
                      print_dims(tensor).text);
}

tosajit_status run_iteration_space(const plan_part *part, const view *tensors, int64_t *sizes) {
    for (int32_t d = 0; d < part->rank; d++)
        sizes[d] = part->extents[d] == TOSAJIT_DYNAMIC ? 1 : part->extents[d];
    for (int32_t k = 0; k < part->leaf_count; k++) {
        if (part->leaves[k].table) continue;
        const tosajit_tensor *tensor = &tensors[part->leaves[k].tensor].tensor;
        /* Below 0 for a parameter of one element, in a part of rank 0. */
        int32_t shift = part->rank - tensor->rank;
        for (int32_t d = shift < 0 ? 0 : shift; d < part->rank; d++) {
            int64_t size = tensor->dims[d - shift];
            if (size == sizes[d] || size == 1) continue;
            if (sizes[d] != 1 || part->extents[d] == 1)
                return size_mismatch(part, tensors, k, d, sizes[d]);
            sizes[d] = size;
        }
    }
    return TOSAJIT_OK;
}

/* What the dimension of these tensors, counted from the end, broadcasts to. */
static tosajit_status broadcast_size(const tosajit_kernel *kernel, const view *tensors,
                                     uint64_t set, int32_t from_end, int64_t *size) {
    *size = 1;
    for (int32_t t = 0; t < kernel->tensor_count; t++) {
        if (!(set >> t & 1)) continue;
        const tosajit_tensor *tensor = &tensors[t].tensor;
        int32_t d = tensor->rank - from_end;
        int64_t own = tensor->dims[d];
        if (own != 1 && *size != 1 && own != *size)
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "operand %d dimension %d: size %" PRId64
                              " does not broadcast with %" PRId64,
                              (int)t, (int)d, own, *size);
        if (own != 1) *size = own;
    }
    return TOSAJIT_OK;
}

/* Sizes that the declared type of a value, or its use as a parameter, demands. */
static tosajit_status check_demands(const tosajit_kernel *kernel, const view *tensors) {
    for (size_t k = 0; k < kernel->plan.check_count; k++) {
        const plan_check *check = &kernel->plan.checks[k];
        const tosajit_tensor_type *type = &kernel->program->nodes[check->value].type;
        int64_t size, expected = check->size;
        tosajit_status status =
            broadcast_size(kernel, tensors, check->dynamic, check->from_end, &size);
        if (!status && expected == TOSAJIT_DYNAMIC)
            status = broadcast_size(kernel, tensors, check->other, check->from_end, &expected);
        if (status) return status;
        if (size != expected)
            return diag_error(
                TOSAJIT_SHAPE_MISMATCH,
                "%s : %s: dimension %d is %" PRId64 " in this call, but must be %" PRId64,
                expr_value_name(kernel->program, check->value).text, type_print(type).text,
                (int)(type->rank - check->from_end), size, expected);
    }
    return TOSAJIT_OK;
}

static tosajit_status check_result_sizes(const view *result, tensor_id id, int32_t rank,
                                         const int64_t *sizes) {
    for (int32_t d = 0; d < rank; d++) {
        if (result->tensor.dims[d] == sizes[d]) continue;
        tosajit_tensor_type expected = tosajit_ranked(result->tensor.element, rank, sizes);
        return diag_error(TOSAJIT_SHAPE_MISMATCH,
                          "%s %zu dimension %d: the given size is %" PRId64
                          ", but the operands give %" PRId64 " (result %s, expected %s)",
                          id.kind, id.index, (int)d, result->tensor.dims[d], sizes[d],
                          print_dims(&result->tensor).text, type_print(&expected).text);
    }
    return TOSAJIT_OK;
}

/* Computing. */

static void run_native(const tosajit_kernel *kernel, const kernel_code *code,
                       const tosajit_parallel *parallel, int32_t part_index, const view *tensors,
                       const view *results) {
    walk w; /* not cleared, like the next one: see walk.h */
    tile_tensors tile;
    const plan_part *part = &kernel->plan.parts[part_index];
    tile_walk(part, tensors, results, &w, &tile);
    parallel_run(parallel, part, code->entries[part_index], &w, &tile);
}

static void run_interpreted(const tosajit_kernel *kernel, int32_t part_index, const view *tensors,
                            const view *results, uint64_t *bits) {
    const plan_part *part = &kernel->plan.parts[part_index];
    tosajit_tensor leaves[TOSAJIT_MAX_TENSORS], written[TOSAJIT_MAX_TENSORS];
    for (int32_t k = 0; k < part->leaf_count; k++)
        leaves[k] = tensors[part->leaves[k].tensor].tensor;
    for (int32_t r = 0; r < part->result_count; r++) written[r] = results[part->results[r]].tensor;
    interpret_part(kernel, part_index, leaves, written, bits);
}

/* Compute every part that is not empty with its code. */
static void compute_natively(const tosajit_kernel *kernel, const kernel_code *code,
                             const tosajit_parallel *parallel, const view *tensors,
                             const view *results) {
    uint64_t environment = fpenv_enter();
    for (int32_t p = 0; p < kernel->plan.part_count; p++)
        if (!results[kernel->plan.parts[p].results[0]].empty)
            run_native(kernel, code, parallel, p, tensors, results);
    fpenv_leave(environment);
}

/* The same without code. OUT_OF_MEMORY before anything is written. */
static tosajit_status compute_interpreted(const tosajit_kernel *kernel, const view *tensors,
                                          const view *results) {
    enum { STACK_NODES = 512 };
    uint64_t stack[STACK_NODES], *bits = stack;
    size_t count = kernel->program->count;
    if (count > STACK_NODES && !(bits = memory_new(&kernel->allocator, count, sizeof *bits)))
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for interpreting %zu nodes", count);
    fpenv environment;
    fpenv_hold(&environment);
    for (int32_t p = 0; p < kernel->plan.part_count; p++)
        if (!results[kernel->plan.parts[p].results[0]].empty)
            run_interpreted(kernel, p, tensors, results, bits);
    fpenv_restore(&environment);
    if (bits != stack) memory_free(&kernel->allocator, bits, count, sizeof *bits);
    return TOSAJIT_OK;
}

/* Operands and constants as views, with their types checked; with shapes_only nothing but their
 * sizes is looked at. */
static tosajit_status view_operands(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                    size_t count, bool shapes_only, view *tensors) {
    size_t inputs = (size_t)kernel->program->input_count;
    if (count != inputs)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "the kernel takes %zu operands, not %zu",
                          inputs, count);
    for (size_t k = 0; k < (size_t)kernel->tensor_count; k++) {
        const expr_node *node = kernel->inputs[k];
        bool is_operand = k < inputs;
        tensor_id id = is_operand ? (tensor_id){"operand", k} : (tensor_id){"constant", k - inputs};
        tosajit_tensor tensor = is_operand ? operands[k]
                                           : tosajit_dense(node->type.element, node->data,
                                                           node->type.rank, node->type.dims);
        tosajit_status status = is_operand ? check_type(&tensor, &node->type, id) : TOSAJIT_OK;
        if (!status && !shapes_only)
            status = resolve(&tensor, id, kernel->any_strides, &tensors[k]);
        if (shapes_only) tensors[k].tensor = tensor;
        if (status) return status;
    }
    return TOSAJIT_OK;
}

static const tosajit_tensor_type *result_type(const tosajit_kernel *kernel, int32_t result) {
    return &kernel->program->nodes[kernel->program->results[result]].type;
}

static tosajit_status check_contracts(const tosajit_kernel *kernel,
                                      const tosajit_tensor *operands) {
    const tosajit_expr *program = kernel->program;
    for (size_t k = 0; k < program->contract_count; k++) {
        const expr_contract *promise = &program->contracts[k];
        const tosajit_contract *c = &promise->contract;
        int32_t operand = program->nodes[promise->input].tensor;
        int64_t size = operands[operand].dims[promise->dimension];
        if (!kernel_keeps(c, size))
            return diag_error(TOSAJIT_SHAPE_MISMATCH,
                              "operand %d dimension %d is %" PRId64
                              ", against the contract: at least %" PRId64 ", at most %" PRId64
                              ", a multiple of %" PRId64,
                              (int)operand, (int)promise->dimension, size, c->smallest,
                              c->largest ? c->largest : INT64_MAX, c->multiple ? c->multiple : 1);
    }
    return TOSAJIT_OK;
}

tosajit_status run_check_operands(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                  size_t operand_count, bool shapes_only, view *tensors) {
    tosajit_status status = view_operands(kernel, operands, operand_count, shapes_only, tensors);
    if (!status) status = check_contracts(kernel, operands);
    return status ? status : check_demands(kernel, tensors);
}

tosajit_status run_check(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                         size_t operand_count, const tosajit_tensor *results, size_t result_count,
                         view *tensors, view *written) {
    if (result_count != (size_t)kernel->program->result_count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "the kernel has %d results, not %zu",
                          (int)kernel->program->result_count, result_count);
    tosajit_status status = run_check_operands(kernel, operands, operand_count, false, tensors);
    for (int32_t p = 0; !status && p < kernel->plan.part_count; p++) {
        const plan_part *part = &kernel->plan.parts[p];
        int64_t sizes[TOSAJIT_MAX_RANK];
        status = run_iteration_space(part, tensors, sizes);
        for (int32_t k = 0; !status && k < part->result_count; k++) {
            int32_t r = part->results[k];
            tensor_id id = {"result", (size_t)r};
            status = check_type(&results[r], result_type(kernel, r), id);
            if (!status) status = resolve(&results[r], id, kernel->any_strides, &written[r]);
            if (!status) status = check_result_sizes(&written[r], id, part->rank, sizes);
            if (!status && results[r].strides)
                status = overlap_check_result(&written[r], (size_t)r);
        }
    }
    return status;
}

static tosajit_status run(const tosajit_kernel *kernel, const kernel_code *code,
                          const tosajit_parallel *parallel, const tosajit_tensor *operands,
                          size_t operand_count, const tosajit_tensor *results,
                          size_t result_count) {
    view tensors[TOSAJIT_MAX_TENSORS], written[TOSAJIT_MAX_TENSORS];
    tosajit_status status =
        run_check(kernel, operands, operand_count, results, result_count, tensors, written);
    if (!status) status = overlap_check(kernel, tensors, written);
    if (status || !code) return status ? status : compute_interpreted(kernel, tensors, written);
    if (parallel != &kernel->parallel ||
        !quick_learn(kernel, code->entries[0], operands, results, tensors, written))
        compute_natively(kernel, code, parallel, tensors, written);
    return TOSAJIT_OK;
}

/* A call that is remembered. What a kernel for its sizes alone refuses is left to this one. */
static bool run_quickly(const tosajit_kernel *kernel, const kernel_code *code,
                        const tosajit_tensor *operands, size_t operand_count,
                        const tosajit_tensor *results, size_t result_count) {
    if (!code || operand_count != (size_t)kernel->program->input_count ||
        result_count != (size_t)kernel->program->result_count)
        return false;
    const tosajit_kernel *by = quick_run(kernel, code->entries[0], operands, results);
    return by == kernel || (by && !tosajit_run(by, operands, operand_count, results, result_count));
}

/* The same with a line about it. */
static tosajit_status run_loud(const tosajit_kernel *kernel, const kernel_code *code,
                               verbose_call *call) {
    const int64_t start = verbose_clock();
    bool quick = call->parallel == &kernel->parallel &&
                 run_quickly(kernel, code, call->operands, call->operand_count, call->results,
                             call->result_count);
    if (!quick)
        call->status = run(kernel, code, call->parallel, call->operands, call->operand_count,
                           call->results, call->result_count);
    call->nanoseconds = verbose_clock() - start;
    call->way = !code               ? "interpreted"
                : code->precompiled ? "precompiled"
                : quick             ? "quick"
                                    : "native";
    verbose_ran(kernel, call);
    return call->status;
}

/* A call that no quick one has answered. */
static tosajit_status run_any(const tosajit_kernel *kernel, const tosajit_parallel *parallel,
                              const tosajit_tensor *operands, size_t operand_count,
                              const tosajit_tensor *results, size_t result_count) {
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    if (!kernel->loud)
        return run(kernel, code, parallel, operands, operand_count, results, result_count);
    return run_loud(kernel, code,
                    &(verbose_call){operands, results, operand_count, result_count, parallel,
                                    TOSAJIT_OK, "", 0});
}

tosajit_status tosajit_run(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                           size_t operand_count, const tosajit_tensor *results,
                           size_t result_count) {
    if (!kernel || (operand_count && !operands) || !results)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "run: kernel, operands or results is a null pointer");
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    if (!kernel->loud && run_quickly(kernel, code, operands, operand_count, results, result_count))
        return TOSAJIT_OK;
    return run_any(kernel, &kernel->parallel, operands, operand_count, results, result_count);
}

/* Whether no threads would divide the call; what is wrong with it is for tosajit_run to say. */
static bool is_short(const tosajit_kernel *kernel, const tosajit_tensor *result) {
    int64_t elements;
    return result->rank == result_type(kernel, 0)->rank && (result->rank == 0 || result->dims) &&
           size_count(result->rank, result->dims, &elements) &&
           elements / 2 < kernel->plan.parts[0].piece_elements;
}

tosajit_status tosajit_run_parallel(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                    size_t operand_count, const tosajit_tensor *results,
                                    size_t result_count, const tosajit_parallel *parallel) {
    if (!kernel || (operand_count && !operands) || !results || result_count == 0 ||
        is_short(kernel, results))
        return tosajit_run(kernel, operands, operand_count, results, result_count);
    static const tosajit_parallel alone;
    return run_any(kernel, parallel && parallel->parallel_for ? parallel : &alone, operands,
                   operand_count, results, result_count);
}

tosajit_status tosajit_run_interpreted(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                       size_t operand_count, const tosajit_tensor *results,
                                       size_t result_count) {
    if (!kernel || (operand_count && !operands) || !results)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "run_interpreted: kernel, operands or results is a null pointer");
    return run(kernel, NULL, NULL, operands, operand_count, results, result_count);
}

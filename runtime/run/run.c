/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running a kernel: check the call completely, then compute. Nothing is written before every check
 * of every part has passed. Nothing is allocated, but by stages.c for large blocks, and by the
 * interpreter for large programs and several parts.
 *
 *     tosajit_run
 *       call_cache_run          call_cache.c    a cached call: its launch (launch.h), at once
 *       run
 *         run_check                             types, ranks, sizes, strides
 *           viewed_make         viewed.c        through views: the program's tensors
 *         overlap_check         overlap.c       memory that tensors share
 *         call_cache_learn      call_cache.c    plan the launch, remember it
 *         launch_call           launch.h        run it
 *         compute_natively                      what cannot be launched, for each part:
 *           tile_walk           tile.c          sizes and strides of this call, coalesced
 *           parallel_run        parallel.c      pieces for threads, or the whole
 *             tile_run          tile.c          by the strategy that choose.c chooses:
 *               run_direct                      columns, rows and planes as they lie
 *               tile_run_packed packed.c, pack.c  collapsed rows; strided columns by a buffer
 *                 the code      jit/emit/rows.c
 *           stages_run          stages.c        parts that read each other's results, by blocks
 *         interpret_run         interpret.c     where there is no code: element by element
 *
 * docs/a-call.md follows one call. */
#include "runtime/run/run.h"

#include <inttypes.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/check/check.h"
#include "runtime/interpret/interpret.h"
#include "runtime/check/gather.h"
#include "runtime/check/index.h"
#include "runtime/check/iteration_space.h"
#include "runtime/run/kernel.h"
#include "runtime/check/overlap.h"
#include "runtime/run/stages.h"
#include "runtime/tile/parallel.h"
#include "runtime/run/call_cache.h"
#include "runtime/base/types.h"
#include "runtime/run/verbose.h"
#include "runtime/check/viewed.h"
#include "runtime/plan/walk.h"
#include "runtime/system/system.h"

/* Sizes that the declared type of a value, or its use as a parameter, demands. */
static tosajit_status check_demands(const tosajit_kernel *kernel, const view *tensors) {
    for (size_t k = 0; k < kernel->plan.check_count; k++) {
        const plan_check *check = &kernel->plan.checks[k];
        const tosajit_tensor_type *type = &kernel->program->nodes[check->value].type;
        int64_t size, expected = check->size;
        tosajit_status status =
            run_broadcast_size(tensors, check->dynamic, check->from_end, TOSAJIT_DYNAMIC, &size);
        if (!status && expected == TOSAJIT_DYNAMIC)
            status =
                run_broadcast_size(tensors, check->other, check->from_end, expected, &expected);
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

/* Computing. */

/* Compute every part that is not empty with its code. */
static tosajit_status compute_natively(const tosajit_kernel *kernel, const kernel_code *code,
                                       const tosajit_parallel *parallel, view *tensors) {
    if (kernel->staged) return stages_run(kernel, code->parts, parallel, tensors);
    const view *results = tensors + kernel->tensor_count;
    walk w; /* not cleared, like the next one: see walk.h */
    tile_tensors tile;
    uint64_t environment = fpenv_enter();
    for (int32_t p = 0; p < kernel->plan.part_count; p++) {
        const plan_part *part = &kernel->plan.parts[p];
        if (results[part->results[0]].empty) continue;
        tile_walk(part, tensors, results, &w, &tile);
        parallel_run(parallel, part, &code->parts[p], &w, &tile);
    }
    fpenv_leave(environment);
    return TOSAJIT_OK;
}

/* Operands and constants as views, with their types checked. */
static tosajit_status view_operands(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                    size_t count, view *tensors) {
    const size_t inputs = (size_t)kernel->program->input_count;
    tosajit_status status = TOSAJIT_OK;
    if (count != inputs)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "the kernel takes %zu operands, not %zu",
                          inputs, count);
    for (size_t k = 0; !status && k < inputs; k++) {
        const tensor_id id = {"operand", k};
        status = check_type(&operands[k], &kernel->inputs[k]->type, id);
        if (!status) status = check_strides(&operands[k], id, kernel->any_strides, &tensors[k]);
    }
    for (size_t k = inputs; !status && k < (size_t)kernel->tensor_count; k++) {
        const expr_node *node = kernel->inputs[k];
        if (node_is_index(node)) continue;
        const tosajit_tensor constant =
            tosajit_dense(node->type.element, node->data, node->type.rank, node->type.dims);
        status = check_strides(&constant, (tensor_id){"constant", k - inputs}, false, &tensors[k]);
    }
    return status;
}

static const tosajit_tensor_type *result_type(const tosajit_kernel *kernel, int32_t result) {
    return &kernel->program->nodes[kernel->program->results[result]].type;
}

tosajit_status run_check_operands(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                  size_t operand_count, view *tensors) {
    const callee called = kernel_callee(kernel);
    tosajit_status status = view_operands(kernel, operands, operand_count, tensors);
    if (!status) status = check_contracts(kernel->program, operands);
    if (!status) status = check_demands(kernel, tensors);
    return status ? status : index_views(&called, tensors);
}

/* The same of the program's own tensors. */
static tosajit_status check_all(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                size_t operand_count, const tosajit_tensor *results,
                                size_t result_count, view *tensors) {
    view *written = tensors + kernel->tensor_count;
    if (result_count != (size_t)kernel->program->result_count)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "the kernel has %d results, not %zu",
                          (int)kernel->program->result_count, result_count);
    tosajit_status status = run_check_operands(kernel, operands, operand_count, tensors);
    for (int32_t p = 0; !status && p < kernel->plan.part_count; p++) {
        const plan_part *part = &kernel->plan.parts[p];
        int64_t sizes[TOSAJIT_MAX_RANK];
        status = run_iteration_space(part, tensors, sizes);
        if (!status) status = index_check(kernel->program, part, sizes);
        for (int32_t k = 0; !status && k < part->result_count; k++) {
            int32_t r = part->results[k];
            tensor_id id = {"result", (size_t)r};
            if (r >= kernel->plan.result_count || part->values[k] != kernel->program->results[r])
                continue; /* for later parts alone */
            int64_t own[TOSAJIT_MAX_RANK];
            status = run_result_sizes(part, k, tensors, sizes, own);
            if (!status) status = check_type(&results[r], result_type(kernel, r), id);
            if (!status) status = check_strides(&results[r], id, kernel->any_strides, &written[r]);
            if (!status) status = check_result_sizes(&written[r], id, part->rank, own);
            if (!status && results[r].strides)
                status = overlap_check_result(&written[r], (size_t)r);
        }
    }
    return status;
}

tosajit_status run_check(const tosajit_kernel *kernel, const run_call *c, viewed *v,
                         view *tensors) {
    if (!kernel->views)
        return check_all(kernel, c->operands, c->operand_count, c->results, c->result_count,
                         tensors);
    const callee called = kernel_callee(kernel);
    const tosajit_status status =
        viewed_make(&called, c->operands, c->operand_count, c->results, c->result_count, v);
    return status ? status
                  : check_all(kernel, v->tensors, v->operand_count, v->tensors + v->operand_count,
                              v->result_count, tensors);
}

static tosajit_status check_data(const tosajit_tensor *tensor, tensor_id id) {
    bool empty = false;
    if (tensor->data) return TOSAJIT_OK;
    for (int32_t d = 0; d < tensor->rank; d++) empty |= tensor->dims[d] == 0;
    return empty ? TOSAJIT_OK
                 : diag_error(TOSAJIT_INVALID_ARGUMENT, "%s %zu: data is a null pointer", id.kind,
                              id.index);
}

/* Checks a call's memory, also of an operand that no view reads. */
static tosajit_status check_memory(const tosajit_kernel *kernel, const run_call *c,
                                   const view *tensors) {
    const callee called = kernel_callee(kernel);
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < c->operand_count; k++)
        status = check_data(&c->operands[k], (tensor_id){"operand", k});
    for (size_t r = 0; !status && r < c->result_count; r++)
        status = check_data(&c->results[r], (tensor_id){"result", r});
    return status ? status : overlap_check(&called, tensors, tensors + kernel->tensor_count);
}

bool run_writes_nothing(const tosajit_kernel *kernel, const view *tensors) {
    const view *written = tensors + kernel->tensor_count;
    for (int32_t r = 0; r < kernel->program->result_count; r++)
        if (!written[r].empty) return false;
    return true;
}

static tosajit_status check_indices(const tosajit_kernel *kernel, const view *tensors) {
    const callee called = kernel_callee(kernel);
    return gather_check(&called, tensors);
}

static tosajit_status interpret(const tosajit_kernel *kernel, view *tensors) {
    const callee called = kernel_callee(kernel);
    return interpret_run(&called, tensors);
}

/* Check the call, and compute it, or plan its launch: then *planned. What checks take of the stack
 * is then given back before the launch. */
APART tosajit_status check_and_plan(const tosajit_kernel *kernel, const kernel_code *code,
                                    const run_call *c, launch *p, void **bases, bool *planned) {
    tosajit_tensor seen[viewed_count(kernel->views)]; /* not cleared, like the next three */
    viewed_numbers numbers[viewed_count(kernel->views)];
    viewed_caller callers[viewed_caller_count(kernel->views)];
    viewed v = {.tensors = seen, .numbers = numbers, .callers = callers};
    view tensors[kernel_view_count(kernel)];
    tosajit_status status = run_check(kernel, c, &v, tensors);
    if (!status) status = check_memory(kernel, c, tensors);
    if (!status) status = check_indices(kernel, tensors);
    if (status) return status;
    if (!kernel->plan.checked_parts && run_writes_nothing(kernel, tensors)) return TOSAJIT_OK;
    if (!code) return interpret(kernel, tensors);
    *planned =
        call_cache_learn(kernel, code->parts, c, tensors, kernel->views ? &v : NULL, p, bases);
    return *planned ? TOSAJIT_OK : compute_natively(kernel, code, c->parallel, tensors);
}

static tosajit_status run(const tosajit_kernel *kernel, const kernel_code *code,
                          const run_call *c) {
    /* No more of a launch than is used: code runs below it on the stack. */
    _Alignas(launch) char room[launch_most_words(kernel) * sizeof(int64_t)];
    launch *p = (launch *)room; /* not cleared: see walk.h */
    void *bases[LAUNCH_BASES];
    bool planned = false;
    const tosajit_status status = check_and_plan(kernel, code, c, p, bases, &planned);
    if (planned) launch_call(p, kernel, code->parts, bases);
    return status;
}

/* A call that is remembered. */
static bool run_cached(const tosajit_kernel *kernel, const kernel_code *code, const run_call *c) {
    return code && c->operand_count == (size_t)kernel->counts.operands &&
           c->result_count == (size_t)kernel->counts.results &&
           (c->parallel == &kernel->parallel ? call_cache_run : call_cache_run_short)(
               kernel, code->parts, c->operands, c->results);
}

/* A call that is not remembered; or any, and a line about it, where the kernel is verbose. */
static tosajit_status run_any(const tosajit_kernel *kernel, const kernel_code *code,
                              const run_call *c) {
    if (!kernel->verbose) return run(kernel, code, c);
    verbose_run how = {.start = system_clock()};
    how.cached = run_cached(kernel, code, c);
    how.status = how.cached ? TOSAJIT_OK : run(kernel, code, c);
    verbose_ran(kernel, code, c, &how);
    return how.status;
}

tosajit_status tosajit_run(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                           size_t operand_count, const tosajit_tensor *results,
                           size_t result_count) {
    if (!kernel || (operand_count && !operands) || !results)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "run: kernel, operands or results is a null pointer");
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    const run_call c = {operands, results, operand_count, result_count, &kernel->parallel};
    return !kernel->verbose && run_cached(kernel, code, &c) ? TOSAJIT_OK
                                                            : run_any(kernel, code, &c);
}

tosajit_status tosajit_run_parallel(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                    size_t operand_count, const tosajit_tensor *results,
                                    size_t result_count, const tosajit_parallel *parallel) {
    static const tosajit_parallel alone;
    if (!kernel || (operand_count && !operands) || !results)
        return tosajit_run(kernel, operands, operand_count, results, result_count);
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    const run_call c = {operands, results, operand_count, result_count,
                        parallel && parallel->parallel_for ? parallel : &alone};
    return !kernel->verbose && run_cached(kernel, code, &c) ? TOSAJIT_OK
                                                            : run_any(kernel, code, &c);
}

tosajit_status tosajit_run_interpreted(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                       size_t operand_count, const tosajit_tensor *results,
                                       size_t result_count) {
    if (!kernel || (operand_count && !operands) || !results)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "run_interpreted: kernel, operands or results is a null pointer");
    return run(kernel, NULL,
               &(run_call){operands, results, operand_count, result_count, &kernel->parallel});
}

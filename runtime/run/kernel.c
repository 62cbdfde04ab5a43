/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels: making, counting references, answering questions. */
#include "runtime/run/kernel.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/base/memory.h"
#include "runtime/expr/ops.h"
#include "runtime/run/launch.h"
#include "runtime/run/call_cache.h"
#include "runtime/base/options.h"

/* Find the nodes behind the tensor numbers. */
static void index_tensors(tosajit_kernel *kernel) {
    const tosajit_expr *program = kernel->program;
    kernel->tensor_count = program->input_count + program->constant_count;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (node->tensor >= 0) kernel->inputs[node->tensor] = node;
    }
}

/* By its last op, as a profiler's user can tell it from others. */
static void name_kernel(tosajit_kernel *kernel) {
    static atomic_uint counter;
    unsigned number = atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    const tosajit_expr *program = kernel->program;
    const expr_node *last = &program->nodes[program->results[program->result_count - 1]];
    const char *op = last->kind == NODE_OP ? op_table[last->op].name : "copy";
    snprintf(kernel->name, sizeof kernel->name, "tosajit_%s_%s_%u", op,
             tosajit_type_name(last->type.element), number);
}

tosajit_status kernel_adopt(program_made *program, const tosajit_allocator *allocator,
                            tosajit_kernel **kernel) {
    tosajit_kernel *made = memory_new(allocator, 1, sizeof *made);
    tosajit_status status =
        made ? TOSAJIT_OK : diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a kernel");
    if (!status) status = plan_make(program->program, allocator, &made->plan);
    if (!status) {
        made->allocator = *allocator;
        made->program = program->program;
        made->views = program->views;
        atomic_init(&made->references, 1);
        atomic_init(&made->code, NULL);
        atomic_init(&made->too_large, false);
        made->staged = plan_is_staged(&made->plan);
        index_tensors(made);
        launch_analyse(made);
        status = call_cache_make(made, &made->calls);
        if (status) plan_destroy(&made->plan);
    }
    if (status) {
        program_drop(program);
        memory_free(allocator, made, 1, sizeof *made);
        return status;
    }
    name_kernel(made);
    made->verbose = environment_get()->verbose & VERBOSE_RUN;
    *kernel = made;
    return TOSAJIT_OK;
}

tosajit_status kernel_create(const tosajit_expr *expr, const tosajit_allocator *allocator,
                             const program_aids *aids, tosajit_kernel **kernel) {
    program_made made;
    tosajit_status status = program_make(expr, allocator, aids, &made);
    return status ? status : kernel_adopt(&made, allocator, kernel);
}

void tosajit_kernel_retain(tosajit_kernel *kernel) {
    if (kernel) atomic_fetch_add_explicit(&kernel->references, 1, memory_order_relaxed);
}

void kernel_destroy(tosajit_kernel *kernel) {
    tosajit_allocator allocator = kernel->allocator;
    call_cache_destroy(&allocator, kernel->calls);
    plan_destroy(&kernel->plan);
    tosajit_expr_destroy(kernel->program);
    views_destroy(kernel->views);
    memory_free(&allocator, kernel, 1, sizeof *kernel);
}

/* Nobody has a reference, or can get one. */
static void take_apart(tosajit_kernel *kernel) {
    if (kernel->owner)
        kernel->owner->release(kernel);
    else
        kernel_destroy(kernel);
}

void tosajit_kernel_release(tosajit_kernel *kernel) {
    if (kernel && atomic_fetch_sub_explicit(&kernel->references, 1, memory_order_acq_rel) == 1)
        take_apart(kernel);
}

bool kernel_release_last(tosajit_kernel *kernel) {
    int last = 1;
    if (!atomic_compare_exchange_strong_explicit(&kernel->references, &last, 0,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return false;
    take_apart(kernel);
    return true;
}

tosajit_status tosajit_expr_verify(const tosajit_expr *expr) {
    if (!expr) return diag_error(TOSAJIT_INVALID_ARGUMENT, "expr_verify: expr is a null pointer");
    plan p;
    program_made made;
    tosajit_status status =
        program_make(expr, &expr->allocator, &(program_aids){.lowers = true}, &made);
    if (status) return status;
    status = plan_make(made.program, &expr->allocator, &p);
    if (!status) plan_destroy(&p);
    program_drop(&made);
    return status;
}

tosajit_status tosajit_kernel_wait(tosajit_kernel *kernel) {
    if (!kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "kernel_wait: kernel is a null pointer");
    return kernel->owner ? kernel->owner->wait(kernel) : TOSAJIT_OK;
}

int tosajit_kernel_is_native(const tosajit_kernel *kernel) {
    if (!kernel) return 0;
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    return code && !code->precompiled;
}

size_t tosajit_kernel_operand_count(const tosajit_kernel *kernel) {
    return kernel ? (size_t)kernel_source(kernel)->input_count : 0;
}
size_t tosajit_kernel_result_count(const tosajit_kernel *kernel) {
    return kernel ? (size_t)kernel_source(kernel)->result_count : 0;
}
size_t tosajit_kernel_part_count(const tosajit_kernel *kernel) {
    return kernel ? (size_t)kernel->plan.part_count : 0;
}

static const tosajit_tensor_type no_type = {TOSAJIT_TYPE_COUNT, TOSAJIT_UNRANKED, {0}};

/* The node of an operand; null if there is none. */
static const expr_node *operand_node(const tosajit_kernel *kernel, size_t index) {
    if (index >= tosajit_kernel_operand_count(kernel)) return NULL;
    if (!kernel->views) return kernel->inputs[index];
    const expr_node *node = kernel->views->caller->nodes;
    while (node->kind != NODE_INPUT || (size_t)node->tensor != index) node++;
    return node;
}

tosajit_tensor_type tosajit_kernel_operand_type(const tosajit_kernel *kernel, size_t index) {
    const expr_node *node = operand_node(kernel, index);
    return node ? node->type : no_type;
}

tosajit_tensor_type tosajit_kernel_result_type(const tosajit_kernel *kernel, size_t index) {
    if (index >= tosajit_kernel_result_count(kernel)) return no_type;
    const tosajit_expr *source = kernel_source(kernel);
    return source->nodes[source->results[index]].type;
}

const char *tosajit_kernel_operand_name(const tosajit_kernel *kernel, size_t index) {
    const expr_node *node = operand_node(kernel, index);
    const tosajit_expr *source = node ? kernel_source(kernel) : NULL;
    return node ? expr_given_name(source, (tosajit_value)(node - source->nodes)) : NULL;
}

const char *tosajit_kernel_result_name(const tosajit_kernel *kernel, size_t index) {
    if (index >= tosajit_kernel_result_count(kernel)) return NULL;
    const tosajit_expr *source = kernel_source(kernel);
    return expr_given_name(source, source->results[index]);
}

/* A part's code must give its results without what only tosajit_run does. */
static tosajit_status check_raw(const tosajit_kernel *kernel) {
    if (kernel->plan.index_count)
        return diag_error(TOSAJIT_NOT_EXECUTABLE,
                          "kernel_raw: the kernel counts along dimensions, which only tosajit_run "
                          "can do");
    if (kernel->views || kernel->staged)
        return diag_error(
            TOSAJIT_NOT_EXECUTABLE,
            "kernel_raw: the parts of a kernel with reductions, scans or gather read each other's "
            "results, and views its operands in other shapes; only tosajit_run can "
            "do that");
    return TOSAJIT_OK;
}

tosajit_status tosajit_kernel_raw(const tosajit_kernel *kernel, size_t part_index,
                                  tosajit_raw *raw) {
    if (!kernel || !raw)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "kernel_raw: kernel or raw is a null pointer");
    if (part_index >= tosajit_kernel_part_count(kernel))
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "kernel_raw: there is no part %zu; the kernel has %zu", part_index,
                          tosajit_kernel_part_count(kernel));
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    if (!code)
        return diag_error(TOSAJIT_NOT_EXECUTABLE,
                          "kernel_raw: the kernel is interpreted and has no code");
    const tosajit_status status = check_raw(kernel);
    if (status) return status;
    const plan_part *part = &kernel->plan.parts[part_index];
    const tosajit_raw known = {
        .entry = code->parts[part_index].entry,
        .context = code->parts[part_index].context,
        .operand_count = part->operand_count,
        .constant_count = part->leaf_count - part->operand_count,
        .result_count = part->result_count,
        .cols_multiple = part->cols_multiple,
        .tables = plan_tables(part),
        .operand_index = part->operands,
        .constants = part->constants,
        .result_index = part->results,
        .variant_count = part->variant_count,
        .variants = part->variants,
        .has_planes = part->has_planes,
    };
    return options_give(raw, &known, sizeof known, "tosajit_raw");
}

tosajit_status tosajit_kernel_describe(const tosajit_kernel *kernel, tosajit_kernel_info *info) {
    if (!kernel || !info)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "kernel_describe: kernel or info is a null pointer");
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    tosajit_kernel_info known = {.backend = TOSAJIT_BACKEND_INTERPRET};
    if (code) {
        known = code->info;
        known.backend = code->precompiled ? TOSAJIT_BACKEND_PRECOMPILED : TOSAJIT_BACKEND_NATIVE;
    }
    return options_give(info, &known, sizeof known, "tosajit_kernel_info");
}

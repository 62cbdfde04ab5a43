/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Verbose: each line is written in one piece, so that the lines of several threads do not mix. */
#include "runtime/run/verbose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/fpenv.h"
#include "runtime/expr/expr_print.h"
#include "runtime/base/types.h"
#include "runtime/plan/walk.h"
#include "runtime/system/system.h"

enum { LONGEST_EXPRESSION = 32 * 1024 }; /* characters of an expression that a line repeats */

double verbose_since(int64_t start) {
    fpenv environment;
    fpenv_hold(&environment);
    double milliseconds = (double)(system_clock() - start) * 1e-6;
    fpenv_computed(&milliseconds);
    fpenv_restore(&environment);
    return milliseconds;
}

typedef struct line {
    FILE *out;
    char *text;
    size_t size;
    fpenv environment;
} line;

static bool begin(line *l) {
    *l = (line){0};
    l->out = system_text_open(&l->text, &l->size);
    if (l->out) fpenv_hold(&l->environment);
    return l->out != NULL;
}

/* Without memory there is no line. */
static void end(line *l) {
    fputc('\n', l->out);
    if (system_text_close(l->out)) fputs(l->text, stderr);
    free(l->text);
    fpenv_restore(&l->environment);
}

/* "tosajit bench --cpu x86-64-v3 --expr '...'" */
static void put_command(const tosajit_kernel *kernel, const tosajit_parallel *parallel, FILE *out) {
    char *text;
    size_t size;
    fputs(": tosajit bench", out);
    if (kernel->cpu) fprintf(out, " --cpu %s", kernel->cpu);
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    if (code && code->precompiled) fputs(" --backend precompiled", out);
    if (parallel->threads > 1) fprintf(out, " --threads %zu", parallel->threads);
    FILE *print = system_text_open(&text, &size);
    if (!print) return;
    bool fine = expr_print(kernel->program, "f", true, print);
    fine = system_text_close(print) && fine;
    if (fine && size <= LONGEST_EXPRESSION)
        fprintf(out, " --expr '%s'", text);
    else
        fprintf(out, " %s.mlir (an expression of %zu characters, which TOSAJIT_DUMP=mlir writes)",
                kernel->name, size);
    free(text);
}

static bool is_dense(const tosajit_tensor *tensor) {
    int64_t expected[TOSAJIT_MAX_RANK];
    if (!tensor->strides) return true;
    walk_dense_strides(tensor->rank, tensor->dims, (int64_t)tosajit_type_size(tensor->element),
                       expected);
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != 1 && tensor->strides[d] != expected[d]) return false;
    return true;
}

static void put_shape(const tosajit_tensor *tensor, FILE *out) {
    fputs(" --shape ", out);
    if (tensor->rank == 0) fputs("scalar", out);
    for (int32_t d = 0; d < tensor->rank; d++)
        fprintf(out, "%s%" PRId64, d ? "x" : "", tensor->dims[d]);
    if (is_dense(tensor)) return;
    for (int32_t d = 0; d < tensor->rank; d++)
        fprintf(out, "%s%" PRId64, d ? "," : ":", tensor->strides[d]);
}

void verbose_compiled(const tosajit_kernel *kernel, tosajit_status status,
                      const tosajit_kernel_info *info) {
    line l;
    if (!begin(&l)) return;
    fprintf(l.out, "tosajit: compile %s", kernel->name);
    if (status)
        fprintf(l.out, " %s, %s", kernel->too_large ? "has no code of its own" : "failed",
                tosajit_last_error());
    else if (info && info->codegen_ms == 0)
        fprintf(l.out, " native, %zu bytes from the cache in %.2f ms", info->code_bytes,
                info->link_ms);
    else if (info)
        fprintf(
            l.out, " native, %zu bytes in %.2f ms (IR %.2f, passes %.2f, code %.2f, linking %.2f)",
            info->code_bytes, info->emit_ms + info->passes_ms + info->codegen_ms + info->link_ms,
            info->emit_ms, info->passes_ms, info->codegen_ms, info->link_ms);
    else if (atomic_load_explicit(&kernel->code, memory_order_acquire))
        fputs(" precompiled", l.out);
    else
        fputs(" interpreted", l.out);
    put_command(kernel, &kernel->parallel, l.out);
    end(&l);
}

void verbose_loaded(const tosajit_kernel *kernel) {
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    line l;
    if (!begin(&l)) return;
    fprintf(l.out, "tosajit: load %s ", kernel->name);
    if (code && !code->precompiled)
        fprintf(l.out, "native, %zu bytes", code->image.size);
    else
        fputs(code ? "precompiled" : "interpreted", l.out);
    put_command(kernel, &kernel->parallel, l.out);
    end(&l);
}

void verbose_ran(const tosajit_kernel *kernel, const kernel_code *code, const run_call *call,
                 const verbose_run *how) {
    const int64_t nanoseconds = system_clock() - how->start;
    line l;
    if (!begin(&l)) return;
    fprintf(l.out, "tosajit: run %s", kernel->name);
    if (how->status) {
        fprintf(l.out, " refused, %s", tosajit_last_error());
        end(&l);
        return;
    }
    fprintf(l.out, " %s in %.2f us",
            !code               ? "interpreted"
            : code->precompiled ? "precompiled"
            : how->cached       ? "cached"
                                : "native",
            (double)nanoseconds * 1e-3);
    put_command(kernel, call->parallel, l.out);
    bool strided = false;
    for (size_t k = 0; k < call->operand_count; k++) put_shape(&call->operands[k], l.out);
    for (size_t k = 0; k < call->result_count; k++) strided |= !is_dense(&call->results[k]);
    for (size_t k = 0; strided && k < call->result_count; k++) put_shape(&call->results[k], l.out);
    end(&l);
}

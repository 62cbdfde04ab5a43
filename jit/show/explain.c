/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Explain: the decisions of a run, printed. They are asked of the functions that a run asks, which
 * are pure: call_cache_serves, parallel_divide, tile_choose. No tensor is looked at. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "jit/schedule/nest.h"
#include "runtime/base/memory.h"
#include "runtime/base/options.h"
#include "runtime/precompiled/precompiled.h"
#include "runtime/tile/parallel.h"
#include "runtime/run/call_cache.h"
#include "runtime/tile/segments.h"
#include "runtime/run/run.h"
#include "runtime/check/viewed.h"
#include "runtime/check/iteration_space.h"
#include "runtime/tile/reduce_tile.h"
#include "runtime/check/scratch.h"
#include "runtime/run/stages.h"
#include "runtime/base/types.h"
#include "runtime/base/words.h"
#include "runtime/system/system.h"

/* ---------------------------------------------------------------------------------------------
 * Tensors without memory */

typedef struct stage {
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    int64_t dims[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK]; /* of results that the caller left out */
    tosajit_tensor seen[TOSAJIT_MAX_TENSORS]; /* of a kernel with views, like the next three */
    viewed_numbers numbers[TOSAJIT_MAX_TENSORS];
    viewed_caller callers[TOSAJIT_MAX_TENSORS];
    viewed all;
} stage;

static tosajit_status set_stage(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                                size_t operand_count, const tosajit_tensor *results,
                                size_t result_count, stage *s) {
    static char nowhere[8]; /* not null, which is wrong, and not read */
    size_t own = tosajit_kernel_result_count(kernel);
    if (operand_count != tosajit_kernel_operand_count(kernel) || (results && result_count != own))
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "explain: the kernel takes %zu operands and %zu results, not %zu and %zu",
                          tosajit_kernel_operand_count(kernel), own, operand_count, result_count);
    for (size_t k = 0; k < operand_count; k++) {
        s->operands[k] = operands[k];
        s->operands[k].data = nowhere;
    }
    for (size_t r = 0; r < own; r++) {
        if (results) {
            s->results[r] = results[r];
        } else {
            const tosajit_type element = tosajit_kernel_result_type(kernel, r).element;
            int32_t rank;
            tosajit_status status = tosajit_kernel_result_dims(kernel, s->operands, operand_count,
                                                               r, &rank, s->dims[r]);
            if (status) return status;
            s->results[r] = tosajit_dense(element, NULL, rank, s->dims[r]);
        }
        s->results[r].data = nowhere;
    }
    return TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * What is decided */

typedef struct part_report {
    walk w, first;                            /* the whole; its first piece, or itself */
    tile_choice choice;                       /* for the first piece */
    int64_t strides[3 * TOSAJIT_MAX_TENSORS]; /* that its code is told */
    int64_t pieces;                           /* 1: not divided */
    bool empty;
    uint64_t splat; /* without tables */
    nest nest;
    int32_t variant; /* -1: none is needed */
    double elements, nanoseconds;
    size_t threads;
} part_report;

/* Of the walk, in bytes. */
static int64_t inner_stride(const part_report *p, int32_t t) {
    return walk_strides(&p->first, p->first.rank - 1)[t];
}

static int64_t tail_columns(const part_report *p) {
    return p->nest.tail == TOSAJIT_TAIL_NONE ? 0 : p->choice.cols % (int64_t)p->nest.lanes;
}

/* How threads divide a part: of a staged kernel they share blocks, or a part where its block is all
 * there is. */
static parallel_cut cut_of(const tosajit_kernel *kernel, const plan_part *part,
                           const stage_blocks *blocks, const walk *w) {
    if (kernel->staged && blocks->count > 1) return (parallel_cut){0, 0, blocks->tasks};
    if (part->axis < 0) return parallel_divide(&kernel->parallel, part, w);
    const bool shared = segments_bytes(&kernel->parallel, kernel->program, part, w) > 0;
    return (parallel_cut){part->axis, 0,
                          shared ? segments_tasks(&kernel->parallel, reduce_tile_elements(part, w))
                                 : 1};
}

static double cost_of_part(const plan_part *part, const precompiled *m, int32_t index,
                           const part_report *p) {
    const double code = p->elements * part->element_ns;
    if (!m) return code;
    const precompiled_part *own = &m->parts[index];
    const bool rows = own->fold_count && part->axis + part->joined == part->rank - 1;
    const double instructions =
        own->instruction_count > 1 ? (double)own->instruction_count * p->elements : 0;
    return code + cost_instruction * instructions +
           (rows ? cost_summed_row * p->elements / (double)p->w.sizes[p->w.rank - 1] : 0);
}

static void decide(const tosajit_kernel *kernel, const kernel_code *code, int32_t index,
                   const stage_blocks *blocks, const tile_tensors *tile, part_report *p) {
    const plan_part *part = &kernel->plan.parts[index];
    const size_t most = kernel->parallel.threads;
    const uint64_t tables = plan_tables(part);
    const parallel_cut cut = cut_of(kernel, part, blocks, &p->w);
    if (part->axis >= 0) {
        reduce_tile_choose(part, &p->w, &p->choice);
        walk_copy(&p->first, &p->w);
    } else if (kernel->staged) {
        walk_copy(&p->first, &p->w);
        tile_choose(part, &code->parts[index], &p->first, false, &p->choice);
    } else {
        parallel_piece(&cut, &p->w, 0, &p->first);
        tile_choose(part, &code->parts[index], &p->first, false, &p->choice);
    }
    tile_strides(part, &p->choice, &p->first, tile, p->strides);
    p->pieces = cut.pieces;
    p->threads = cut.pieces > 1 && (size_t)cut.pieces > most ? most : (size_t)cut.pieces;
    p->splat = p->choice.splat & ~tables;
    const cpu_level *level = cpu_level_of(code->image.machine, code->features);
    if (!level) level = cpu_floor(code->image.machine); /* an image may claim to need nothing */
    p->nest = nest_make(&kernel->plan, index, kernel->program, (nest_target){.level = level});
    for (int32_t v = part->variant_count; v-- > 0;)
        if (((p->choice.splat ^ part->variants[v].splat) & ~part->variants[v].either) == 0)
            p->variant = v;
    p->nanoseconds = cost_of_part(part, precompiled_of(code), index, p) / (double)p->threads;
}

static double unique_bytes(const view *v) {
    double bytes = v->empty ? 0 : (double)tosajit_type_size(v->tensor.element);
    for (int32_t d = 0; !v->empty && d < v->tensor.rank; d++)
        if (v->tensor.dims[d] > 1 && v->strides[d] != 0) bytes *= (double)v->tensor.dims[d];
    return bytes;
}

/* ---------------------------------------------------------------------------------------------
 * Sentences */

typedef struct call_report {
    const tosajit_kernel *kernel;
    const view *tensors, *written;
    bool native, cached, nothing;   /* nothing: all results are empty */
    stage_blocks blocks;            /* of a staged kernel */
    const precompiled *precompiled; /* the precompiled ops that compute it, or null */
    double bytes;
} call_report;

static void tell_call(FILE *out, const call_report *c) {
    const tosajit_kernel *kernel = c->kernel;
    if (c->precompiled)
        fprintf(out, "precompiled ops compute it, one after the other: %s\n",
                kernel->too_large ? "it is too large for code of its own" : "nothing was compiled");
    if (!c->native)
        fputs("the interpreter computes it, element by element: there is no code\n", out);
    else if (c->cached)
        fputs("a cached call: when it comes again, the complete check is spared\n", out);
    else
        fputs("a call with the complete check", out);
    if (!c->native || c->cached) return;
    bool backwards = false, empty = false;
    for (int32_t t = 0; t < kernel->program->input_count; t++) {
        empty |= c->tensors[t].empty;
        backwards |= c->tensors[t].low < 0;
    }
    if (kernel->staged && !c->nothing) {
        fputs(": parts in turn", out);
        if (c->blocks.phases > 1) fprintf(out, " in %d phases, the first", (int)c->blocks.phases);
        fprintf(out, "%s on %" PRId64 " block%s of [", c->blocks.phases > 1 ? "" : ",",
                c->blocks.count, plural((double)c->blocks.count));
        for (int32_t d = 0; d < c->blocks.rank; d++)
            fprintf(out, "%s%" PRId64, d ? ", " : "", c->blocks.sizes[d]);
        fprintf(out, "], with %" PRId64 " bytes of scratch\n", c->blocks.scratch_bytes);
        return;
    }
    fprintf(out, "%s\n",
            empty                         ? ": a size is 0"
            : kernel->counts.results == 0 ? ": the kernel has more tensors or parts than those"
            : backwards                   ? ": an operand runs backwards"
                                          : "");
}

/* A result of the kernel, or scratch. */
static void tell_memory(FILE *out, const call_report *c, int32_t r) {
    const int32_t count = c->kernel->plan.result_count;
    fprintf(out, r < count ? "  result %d" : "  scratch %d", (int)(r < count ? r : r - count));
}

static void tell_tensor(FILE *out, const call_report *c, const plan_part *part,
                        const part_report *p, int32_t t) {
    const int64_t stride = inner_stride(p, t), own = p->strides[2 * t + 1];
    const bool packed = p->choice.packed >> t & 1;
    bool is_leaf = t < part->leaf_count;
    const int32_t carried = t - part->leaf_count + part->carried_count;
    if (!is_leaf)
        tell_memory(out, c, part->results[t - part->leaf_count]);
    else if (carried >= 0)
        tell_memory(out, c, part->leaves[t].tensor - c->kernel->tensor_count);
    else if (t < part->operand_count)
        fprintf(out, "  operand %d", (int)part->operands[t]);
    else
        fprintf(out, "  constant %d", (int)(t - part->operand_count));
    if (is_leaf && part->leaves[t].table) {
        fputs(": a table, looked up\n", out);
        return;
    }
    fprintf(out, ": %s",
            p->splat >> t & 1 ? "one value per row"
            : is_leaf         ? "contiguous"
                              : "written contiguously");
    if (!packed && p->choice.rows > 1 && p->strides[2 * t] == 0)
        fputs(", the same for every row", out);
    else if (!packed && p->choice.rows > 1)
        fprintf(out, ", rows %" PRId64 " bytes apart", p->strides[2 * t]);
    else if (packed && stride == own)
        fputs(", through a buffer, because its rows are too short for a loop of their own", out);
    else if (packed)
        fprintf(out, ", through a buffer, because its columns are %" PRId64 " bytes apart", stride);
    fputc('\n', out);
}

static void tell_tail(FILE *out, const plan_part *part, const part_report *p) {
    static const char *const kinds[] = {
        [TOSAJIT_TAIL_NONE] = "none",
        [TOSAJIT_TAIL_MASKED] = "masked, one vector with lanes left out",
        [TOSAJIT_TAIL_OVERLAP] = "overlaps the vector before, or has narrower ones"};
    fprintf(out, "  vectors: of %u lanes, up to %u in a step\n  tail: %s", p->nest.lanes,
            nest_step(&p->nest) / p->nest.lanes, kinds[nest_tail_at(&p->nest, p->choice.cols)]);
    if (p->nest.tail == TOSAJIT_TAIL_NONE)
        fprintf(out, ", columns are always a multiple of %" PRId64 "\n", part->cols_multiple);
    else if (tail_columns(p) > 0)
        fprintf(out, "; here %" PRId64 " column%s\n", tail_columns(p),
                plural((double)tail_columns(p)));
    else
        fputs("; not needed here\n", out);
}

static void tell_tiles(FILE *out, const part_report *p, bool staged) {
    const tile_choice *t = &p->choice;
    const double calls = p->elements / ((double)t->planes * (double)t->rows * (double)t->cols);
    fputs("  tiles: ", out);
    if (t->planes > 1) fprintf(out, "%" PRId64 " planes of ", t->planes);
    fprintf(out, "%" PRId64 " row%s of %" PRId64 " column%s%s", t->rows, plural((double)t->rows),
            t->cols, plural((double)t->cols),
            p->pieces > 1 && !staged ? ", of the first piece" : "");
    if (calls > 1.5) fprintf(out, "; about %.0f of them", calls);
    fputc('\n', out);
}

/* How many ops precompiled code passes to the next by memory. */
static void tell_instructions(FILE *out, const precompiled_part *part) {
    const size_t ops = part->instruction_count + part->pair_count;
    fprintf(out, "  instructions: %zu for %zu op%s%s\n", part->instruction_count, ops,
            plural((double)ops), part->pair_count ? "; a pair of light ops is one" : "");
}

static void tell_part(FILE *out, const call_report *c, int32_t index, const part_report *p) {
    const plan_part *part = &c->kernel->plan.parts[index];
    if (c->kernel->plan.part_count > 1)
        fprintf(out, "part %d of %d\n", (int)index, (int)c->kernel->plan.part_count);
    if (p->empty) {
        fputs("  empty: nothing is computed\n", out);
        return;
    }
    fputs("  coalesced: [", out);
    for (int32_t d = 0; d < p->w.rank; d++)
        fprintf(out, "%s%" PRId64, d ? ", " : "", p->w.sizes[d]);
    fprintf(out, "], of %d dimension%s\n", (int)part->rank, plural(part->rank));
    if (part->gathers) fputs("  gathered: by the index, without code\n", out);
    if (part->scatters) fputs("  scattered: by the index, without code\n", out);
    if (part->scans)
        fprintf(out, "  scanned: along dimension %d, without code\n", (int)part->along);
    if (!c->native || plan_is_bare(part)) return;
    for (int32_t t = 0; t < p->w.tensors; t++) tell_tensor(out, c, part, p, t);
    tell_tiles(out, p, c->kernel->staged);
    if (p->variant >= 0)
        fprintf(out, "  loop %d of %d\n", (int)p->variant, (int)part->variant_count);
    if (c->precompiled) tell_instructions(out, &c->precompiled->parts[index]);
    tell_tail(out, part, p);
    if (p->pieces > 1)
        fprintf(out, "  threads: %zu of %zu, which share %" PRId64 " pieces\n", p->threads,
                c->kernel->parallel.threads, p->pieces);
    else
        fprintf(out, "  threads: 1%s\n",
                c->kernel->parallel.threads > 1 ? ", because the work is too little for more"
                                                : ", because the engine has no more");
    fprintf(out, "  cost model: about %.3g us\n", p->nanoseconds * 1e-3);
}

/* The gain of compiling where precompiled ops compute. */
static void tell_gain(FILE *out, const precompiled_part *part) {
    fputs("  faster: compiled, with an engine that may; ", out);
    if (part->instruction_count > 1)
        fprintf(out,
                "what %zu instructions pass on would stay in registers, instead of the cache\n",
                part->instruction_count);
    else
        fputs("this one instruction gains little\n", out);
}

/* Advice: reasons why it is not faster that the caller can change. */
static void tell_advice(FILE *out, const call_report *c, int32_t index, const part_report *p) {
    static const double SHORT_COLUMNS = 32, FEW_BYTES = 4e6;
    const plan_part *part = &c->kernel->plan.parts[index];
    bool said = false;
    if (!c->native || p->empty || plan_is_bare(part)) return;
    if (c->precompiled && !c->kernel->too_large)
        tell_gain(out, &c->precompiled->parts[index]), said = true;
    if (p->choice.packed)
        fputs("  faster: with operands and results whose innermost dimension is dense nothing goes "
              "through a buffer\n",
              out),
            said = true;
    if ((double)p->choice.cols < SHORT_COLUMNS && p->elements > SHORT_COLUMNS)
        fprintf(out, "  faster: with longer rows; %" PRId64 " columns fill few vectors\n",
                p->choice.cols),
            said = true;
    /* Alone, it is as fast as others would be. */
    if (p->variant >= 0 && part->variant_count > 1 && part->variants[p->variant].either)
        fputs("  faster: with static sizes or contracts; so many operands may repeat that one loop "
              "serves all cases\n",
              out),
            said = true;
    if (!said && c->bytes > FEW_BYTES && c->kernel->parallel.threads <= 1)
        fputs("  faster: with threads, as far as memory gives more to several\n", out), said = true;
    if (!said) fputs("  faster: nothing that the library knows\n", out);
}

static tosajit_status tell(const call_report *c, const part_report *parts, char **text) {
    size_t size;
    char *printed = NULL;
    FILE *out = system_text_open(&printed, &size);
    if (!out)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the text of an explanation");
    tell_call(out, c);
    for (int32_t k = 0; k < c->kernel->plan.part_count; k++) {
        tell_part(out, c, k, &parts[k]);
        tell_advice(out, c, k, &parts[k]);
    }
    fprintf(out, "memory: %.0f bytes read or written\n", c->bytes);
    bool failed = ferror(out);
    if (system_text_close(out) && !failed) {
        *text = printed;
        return TOSAJIT_OK;
    }
    free(printed);
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the text of an explanation");
}

/* ---------------------------------------------------------------------------------------------
 * The whole */

static void summarise(const call_report *c, const part_report *parts, tosajit_explanation *e) {
    const part_report *largest = &parts[0];
    *e = (tosajit_explanation){
        .native = c->native, .cached = c->cached, .bytes = c->bytes, .threads = 1, .pieces = 1};
    for (int32_t k = 0; k < c->kernel->plan.part_count; k++) {
        e->elements += parts[k].elements;
        e->nanoseconds += parts[k].nanoseconds;
        if (parts[k].elements > largest->elements) largest = &parts[k];
    }
    if (largest->empty) return;
    e->rank = largest->w.rank;
    memcpy(e->sizes, largest->w.sizes, (size_t)largest->w.rank * sizeof *e->sizes);
    e->variant = largest->variant;
    if (!c->native) return;
    e->threads = largest->threads;
    e->pieces = (size_t)largest->pieces;
    e->planes = largest->choice.planes;
    e->rows = largest->choice.rows;
    e->columns = largest->choice.cols;
    e->splat = largest->splat;
    e->packed = largest->choice.packed;
    e->lanes = (int32_t)largest->nest.lanes;
    e->tail = nest_tail_at(&largest->nest, largest->choice.cols);
    e->tail_columns = tail_columns(largest);
}

/* code is null where the interpreter computes. */
static void explain_part(const tosajit_kernel *kernel, const kernel_code *code, int32_t index,
                         const stage_blocks *blocks, const view *tensors, const view *written,
                         part_report *p) {
    tile_tensors tile;
    p->empty = written[kernel->plan.parts[index].results[0]].empty;
    p->variant = -1;
    if (p->empty) return;
    const plan_part *part = &kernel->plan.parts[index];
    if (kernel->staged) {
        int64_t sizes[TOSAJIT_MAX_RANK];
        run_iteration_space(part, tensors, sizes); /* which has been checked */
        for (int32_t d = 0; d < part->rank && part->scatters; d++) p->empty |= sizes[d] == 0;
        if (p->empty) return;
        tile_whole_walk(part, tensors, written, sizes, &p->w, &tile);
        p->w.apart = plan_kept_dims(part);
        if (part->axis < 0) tile_coalesce(part, &p->w);
    } else {
        tile_walk(part, tensors, written, &p->w, &tile);
    }
    p->elements = (double)walk_elements(&p->w);
    if (code) decide(kernel, code, index, blocks, &tile, p);
}

static tosajit_status explain_staged(const tosajit_kernel *kernel, stage *s, size_t operand_count,
                                     part_report *parts, tosajit_explanation *explanation,
                                     char **text) {
    view tensors[3 * TOSAJIT_MAX_TENSORS], *written = tensors + kernel->tensor_count;
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_acquire);
    const run_call call = {s->operands, s->results, operand_count,
                           tosajit_kernel_result_count(kernel), &kernel->parallel};
    s->all = (viewed){.tensors = s->seen, .numbers = s->numbers, .callers = s->callers};
    tosajit_status status = run_check(kernel, &call, &s->all, tensors);
    if (status) return status;
    scratch_value values[TOSAJIT_MAX_TENSORS];
    scratch laid = {.values = values};
    call_report c = {.kernel = kernel,
                     .tensors = tensors,
                     .written = written,
                     .native = code != NULL,
                     .nothing = run_writes_nothing(kernel, tensors),
                     .precompiled = precompiled_of(code)};
    c.cached = code && !c.nothing &&
               call_cache_serves(kernel, code->parts, tensors, kernel->views ? &s->all : NULL);
    for (int32_t t = 0; t < kernel->tensor_count + kernel->plan.result_count; t++)
        c.bytes += unique_bytes(&tensors[t]);
    if (kernel->staged && !c.nothing) status = stages_explain(kernel, tensors, &c.blocks);
    const callee called = kernel_callee(kernel);
    if (!status && !c.nothing) status = scratch_make(&called, tensors, 0, NULL, &laid);
    if (status) return status;
    for (int32_t k = 0; k < kernel->plan.part_count; k++)
        if (c.nothing)
            parts[k].empty = true;
        else
            explain_part(kernel, code, k, &c.blocks, tensors, written, &parts[k]);
    tosajit_explanation known;
    summarise(&c, parts, &known);
    if (explanation)
        status = options_give(explanation, &known, sizeof known, "tosajit_explanation");
    return status || !text ? status : tell(&c, parts, text);
}

tosajit_status tosajit_explain(const tosajit_kernel *kernel, const tosajit_tensor *operands,
                               size_t operand_count, const tosajit_tensor *results,
                               size_t result_count, tosajit_explanation *explanation, char **text) {
    if (!kernel || (operand_count && !operands))
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "explain: kernel or operands is a null pointer");
    const size_t part_count = (size_t)kernel->plan.part_count;
    fpenv environment;
    fpenv_hold(&environment);
    stage *s = memory_new(&kernel->allocator, 1, sizeof *s);
    part_report *parts = memory_new(&kernel->allocator, part_count, sizeof *parts);
    tosajit_status status = TOSAJIT_OK;
    if (!s || !parts)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for an explanation");
    if (!status) status = set_stage(kernel, operands, operand_count, results, result_count, s);
    if (!status) status = explain_staged(kernel, s, operand_count, parts, explanation, text);
    memory_free(&kernel->allocator, s, 1, sizeof *s);
    memory_free(&kernel->allocator, parts, part_count, sizeof *parts);
    fpenv_restore(&environment);
    return status;
}

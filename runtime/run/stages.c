/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stages. A dimension that no part reduces, and that all parts have, is cut into blocks. All parts
 * compute a block, in turn, before the next block begins: so what they read again is in the cache,
 * and scratch is no larger than a block needs. Softmax of 1000x512, in blocks of 16 rows:
 *
 *     for each of 63 blocks
 *         part 0    m (16 elements of scratch) = the greatest of each row
 *         part 1    y = e^(x - m), s (16 elements of scratch) = its sum
 *         part 2    y = y * (1 / s)
 *
 * Threads share the blocks. A dimension that is reduced is never divided, reordered, or joined with
 * another one.
 *
 * Where a part scatters, blocks along its updates follow each other, and threads share those of
 * other dimensions. What is scattered is there when all its updates are: so parts that read it are
 * another phase, with blocks of its own (plan_phases in runtime/plan/plan.c). Scratch that one
 * phase leaves to another is for the call. */
#include "runtime/run/stages.h"

#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/reduce.h"
#include "runtime/tile/reduce_tile.h"
#include "runtime/tile/gather.h"
#include "runtime/tile/scan.h"
#include "runtime/tile/scatter.h"
#include "runtime/tile/parallel.h"
#include "runtime/check/scratch.h"
#include "runtime/tile/segments.h"
#include "runtime/check/iteration_space.h"

enum {
    /* Of a block, about. Of larger ones memory would wait while they are computed, and then the
     * other way round: the processor looks no further ahead than some thousand instructions. But
     * pieces of rows are to be long. Nobody waits for an L2 cache, so that what lies there has
     * blocks as long as an L1 cache allows; beyond all caches they are as short as a launch of each
     * allows. */
    BLOCK_ELEMENTS = 2048,
    NEAR_BLOCK_ELEMENTS = 4096,
    NEAR_ELEMENTS = 1 << 18,
    FAR_BLOCK_ELEMENTS = 1024,
    FAR_ELEMENTS = 1 << 21,
    PIECES_ELEMENTS = 8192,
    ONCE_ELEMENTS = 32768, /* at least, where no operand is read again */
    GRAIN = 64,            /* elements of the innermost dimension */
    STACK_BYTES = LAUNCH_SCRATCH_BYTES,
};

/* A pass for the indices that the kernel computes. Its results are scratch. */
typedef struct first_pass {
    _Atomic(const plan_part *) part; /* that gathers at a wrong index; null: none does */
    _Atomic int64_t bad;             /* the index */
} first_pass;

/* Facts that are the same for all blocks of a call. Dimensions are those of the part of the highest
 * rank; others align at the end. */
typedef struct staging {
    const tosajit_kernel *kernel;
    first_pass *first_pass; /* null: this is not the first one, or the only one */
    int32_t begin, end;     /* the parts of a phase, which run */
    const code_part *code;
    view *tensors; /* operands, constants, results, scratch */
    int32_t rank;
    int64_t sizes[TOSAJIT_MAX_RANK], block[TOSAJIT_MAX_RANK], counts[TOSAJIT_MAX_RANK];
    int64_t blocks, chains; /* chains: of blocks, which follow each other in one task */
    int64_t tasks, task_bytes;
    char *memory; /* task_bytes for each task */
    scratch scratch;
    int64_t (*part_sizes)[TOSAJIT_MAX_RANK];
} staging;

/* Where dimension d of a tensor of this rank is among `all` dimensions, counted from the end. */
static int32_t aligned(int32_t d, int32_t rank, int32_t all) { return d + all - rank; }

/* ---------------------------------------------------------------------------------------------
 * Blocks */

static void find_sizes(staging *s) {
    const plan *p = &s->kernel->plan;
    s->rank = 0;
    for (int32_t k = s->begin; k < s->end; k++)
        if (p->parts[k].rank > s->rank) s->rank = p->parts[k].rank;
    for (int32_t d = 0; d < s->rank; d++) s->sizes[d] = 1;
    for (int32_t k = s->begin; k < s->end; k++) {
        run_iteration_space(&p->parts[k], s->tensors, s->part_sizes[k]); /* which was checked */
        for (int32_t d = 0; d < p->parts[k].rank; d++) {
            int64_t *all = &s->sizes[aligned(d, p->parts[k].rank, s->rank)];
            if (s->part_sizes[k][d] > *all) *all = s->part_sizes[k][d];
        }
    }
}

/* True if blocks follow each other along a dimension. */
static bool is_sequential(const staging *s, int32_t d) {
    for (int32_t k = s->begin; k < s->end; k++) {
        const plan_part *part = &s->kernel->plan.parts[k];
        if (plan_is_sequential(part, d - (s->rank - part->rank))) return true;
    }
    return false;
}

/* True if all parts have the dimension, and none reduces or scans along it. A first pass looks at
 * all indices along it. */
static bool may_cut(const staging *s, int32_t d) {
    if (s->first_pass && is_sequential(s, d)) return false;
    for (int32_t k = s->begin; k < s->end; k++) {
        const plan_part *part = &s->kernel->plan.parts[k];
        const int32_t own = d - (s->rank - part->rank);
        if (own < 0 || plan_keeps(part, own) || s->part_sizes[k][own] != s->sizes[d]) return false;
    }
    return true;
}

/* Numbers of which blocks take multiples, along each dimension: what a part's plan has promised of
 * its columns, which are its innermost dimension but for static 1s. Of t = max(x, axis=2) and
 * mean(t, axis=1), x of 8x1265x1, these are d2, d1, and of what becomes of 8x1x1 then d0. All are
 * powers of two, so the largest is a multiple of the others. A piece of one column would coalesce
 * into a walk along another dimension, for which the code may have no loop. */
static void find_multiples(const staging *s, int64_t *multiples) {
    int32_t inner = s->rank - 1;
    while (inner > 0 && s->sizes[inner] == 1) inner--;
    for (int32_t d = 0; d < s->rank; d++) multiples[d] = d == inner ? GRAIN : 1;
    for (int32_t k = s->begin; k < s->end; k++) {
        const plan_part *part = &s->kernel->plan.parts[k];
        int32_t d = part->rank - 1;
        while (d > 0 && part->extents[d] == 1) d--;
        if (part->columns >= 0) d = part->columns;
        if (d < 0) continue;
        int64_t *own = &multiples[aligned(d, part->rank, s->rank)];
        if (*own < GRAIN) *own = GRAIN;
        if (part->cols_multiple > *own) *own = part->cols_multiple;
    }
}

/* A phase: that of the part with which it begins, before part `end`. */
static void begin_phase(staging *s, int32_t part, int32_t end) {
    const plan_part *parts = s->kernel->plan.parts;
    s->begin = s->end = part;
    while (s->end < end && parts[s->end].phase == parts[part].phase) s->end++;
    s->scratch.begin = s->begin;
    s->scratch.end = s->end;
}

/* Before phases are planned. Arrays have room for each part, and each value of scratch. */
static void begin(staging *s, const tosajit_kernel *kernel, view *tensors,
                  int64_t (*sizes)[TOSAJIT_MAX_RANK], scratch_value *values) {
    s->kernel = kernel;
    s->tensors = tensors;
    s->first_pass = NULL;
    s->part_sizes = sizes;
    s->scratch = (scratch){.values = values, .choice = SCRATCH_BLOCK};
}

/* As many indices as fit, from the innermost dimension outwards. */
static void cut_blocks(staging *s, int64_t elements) {
    bool cuts[TOSAJIT_MAX_RANK];
    int64_t multiples[TOSAJIT_MAX_RANK];
    find_multiples(s, multiples);
    for (int32_t d = 0; d < s->rank; d++) {
        cuts[d] = may_cut(s, d);
        if (!cuts[d] && s->sizes[d] > 0) elements /= s->sizes[d];
    }
    for (int32_t d = s->rank; d-- > 0;) {
        int64_t take = elements > 1 ? elements : 1;
        take = (take + multiples[d] - 1) / multiples[d] * multiples[d];
        while (multiples[d] > 1 && take < s->sizes[d] && s->sizes[d] % take == 1)
            take += multiples[d];
        s->block[d] = cuts[d] && take < s->sizes[d] ? take : s->sizes[d];
        if (cuts[d] && s->sizes[d] > 0) elements /= s->block[d];
    }
    s->blocks = s->chains = 1;
    for (int32_t d = 0; d < s->rank; d++) {
        s->counts[d] = s->block[d] > 0 ? (s->sizes[d] + s->block[d] - 1) / s->block[d] : 1;
        s->blocks *= s->counts[d];
        if (!is_sequential(s, d)) s->chains *= s->counts[d];
    }
}

/* True if blocks have pieces of rows. */
static bool are_pieces(const staging *s) {
    int32_t inner = s->rank - 1;
    while (inner > 0 && s->sizes[inner] == 1) inner--;
    return inner >= 0 && s->block[inner] < s->sizes[inner];
}

/* ---------------------------------------------------------------------------------------------
 * Running */

static const view *view_of(const staging *s, const plan_part *part, int32_t t) {
    return t < part->leaf_count
               ? &s->tensors[part->leaves[t].tensor]
               : &s->tensors[s->kernel->tensor_count + part->results[t - part->leaf_count]];
}

/* True if a tensor is scratch of a block. That of the call has a place like a result. */
static bool is_scratch(const staging *s, const plan_part *part, int32_t t) {
    const int32_t results = s->first_pass ? 0 : s->kernel->plan.result_count,
                  r = t < part->leaf_count ? part->leaves[t].tensor - s->kernel->tensor_count
                                           : part->results[t - part->leaf_count];
    return r >= results && !(s->kernel->plan.whole >> r & 1);
}

/* True if the first dimension of a tensor is none of the part's, but one that is indexed. */
static bool is_indexed(const plan_part *part, int32_t t) {
    return t < part->leaf_count ? part->leaves[t].gathered : part->scatters;
}

/* A part's walk over a block that begins at `start`; `memory` has the task's scratch. Addresses are
 * numbers here: what has no elements may be null, and C adds nothing to that. */
static void block_walk(const staging *s, int32_t p, const int64_t *start, char *memory, walk *w,
                       tile_tensors *tile) {
    const plan_part *part = &s->kernel->plan.parts[p];
    w->rank = part->rank;
    w->tensors = part->leaf_count + part->result_count;
    w->apart = plan_kept_dims(part);
    for (int32_t d = 0; d < part->rank; d++) {
        const int32_t all = aligned(d, part->rank, s->rank);
        const int64_t left = s->part_sizes[p][d] - start[all];
        w->sizes[d] = left < s->block[all] ? left : s->block[all];
    }
    for (int32_t t = 0; t < w->tensors; t++) {
        const view *v = view_of(s, part, t);
        const bool table = t < part->leaf_count && part->leaves[t].table,
                   indexed = is_indexed(part, t), own = is_scratch(s, part, t);
        const int32_t shift = part->rank - v->tensor.rank;
        uintptr_t at = (uintptr_t)v->tensor.data + (own ? (uintptr_t)memory : 0);
        tile->splat_strides[t] = table ? v->strides[0] : 0;
        for (int32_t d = 0; d < part->rank; d++) {
            const bool moves = !table && d - shift >= indexed && v->tensor.dims[d - shift] != 1;
            walk_mutable_strides(w, d)[t] = moves ? v->strides[d - shift] : 0;
            if (moves && !own)
                at += (uintptr_t)(start[aligned(d, part->rank, s->rank)] * v->strides[d - shift]);
        }
        tile->pointers[t] = (void *)at;
    }
}

/* A block along the updates begins at `first`. A base that is an index repeats along all dimensions
 * but its own. */
static void scatter_block(const staging *s, const plan_part *part, const gather_call *call,
                          int64_t first, const walk *w, const tile_tensors *tile) {
    const int32_t base = plan_scatter_of(part, s->kernel->program).base;
    scatter_call scattered = {*call, 0, first == 0};
    scattered.to.stride = view_of(s, part, part->leaf_count)->strides[0];
    const view *from = base < 0 ? NULL : view_of(s, part, base);
    if (from && from->tensor.dims[0] != 1) scattered.base_stride = from->strides[0];
    scatter_run(s->kernel->program, part, &scattered, w, tile);
}

/* A block of what is gathered or scattered. Where indices are looked at for the first time, and one
 * is wrong, the call is: nobody reads what is not gathered then. An operand without elements has no
 * strides, by which it would seem to repeat. */
static void gather_block(const staging *s, const plan_part *part, int64_t first, walk *w,
                         const tile_tensors *tile) {
    const callee called = kernel_callee(s->kernel);
    const gather_call call = gather_call_of(&called, part, s->tensors);
    const bool none = view_of(s, part, plan_index_of(part, s->kernel->program))->empty;
    int64_t bad;
    if (!s->first_pass || none || gather_is_legal(&called, part, &call, w, tile, &bad)) {
        if (part->scatters)
            scatter_block(s, part, &call, first, w, tile);
        else if (walk_elements(w) > 0)
            gather_run(part, &call, w, tile);
        return;
    }
    atomic_store_explicit(&s->first_pass->bad, bad, memory_order_relaxed);
    atomic_store_explicit(&s->first_pass->part, part, memory_order_release);
}

static void run_part(const staging *s, int32_t p, const int64_t *start, char *memory) {
    const plan_part *part = &s->kernel->plan.parts[p];
    /* No more of a walk than is used: code runs below it on the stack. */
    _Alignas(walk) char room[walk_bytes(part->rank, part->leaf_count + part->result_count)];
    walk *w = (walk *)room; /* not cleared, like the next one: see walk.h */
    tile_tensors tile;
    block_walk(s, p, start, memory, w, &tile);
    if (part->gathers || part->scatters) { /* what gives no elements may have a wrong index */
        const int64_t first = part->rank > 0 ? start[aligned(0, part->rank, s->rank)] : 0;
        gather_block(s, part, first, w, &tile);
        return;
    }
    for (int32_t d = 0; d < w->rank; d++)
        if (w->sizes[d] <= 0 && !plan_reduces(part, d)) return;
    if (part->axis >= 0) {
        reduce_tile_run(s->kernel->program, part, &s->code[p], w, &tile, memory + s->scratch.bytes);
    } else if (part->scans) {
        scan_run(s->kernel->program, part, w, &tile);
    } else {
        tile_coalesce(part, w);
        tile_run(part, &s->code[p], w, &tile);
    }
}

/* A single block is a row, or as many as there are: its parts divide it, each as it may. */
static void run_part_by_threads(const staging *s, const tosajit_parallel *parallel, int32_t p,
                                char *memory) {
    const plan_part *part = &s->kernel->plan.parts[p];
    const int64_t zero[TOSAJIT_MAX_RANK] = {0};
    walk w; /* not cleared, like the next one: see walk.h */
    tile_tensors tile;
    block_walk(s, p, zero, memory, &w, &tile);
    if (segments_bytes(parallel, s->kernel->program, part, &w) > 0) {
        segments_run(parallel, s->kernel->program, part, &s->code[p], &w, &tile,
                     memory + s->scratch.bytes);
    } else if (part->axis < 0 && !plan_is_bare(part) && walk_elements(&w) > 0) {
        tile_coalesce(part, &w);
        parallel_run(parallel, part, &s->code[p], &w, &tile);
    } else {
        run_part(s, p, zero, memory);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Whole blocks: they differ in their pointers only. How code is given a block is found once, so
 * that blocks may be small. */

enum { READY_RANK = 4 };

/* A part of which a whole block is one call of its code. */
typedef struct ready_part {
    bool is_single;
    const void *context;
    launch_step step;                          /* of the first block; `at` are addresses */
    int64_t moves[READY_RANK][LAUNCH_TENSORS]; /* bytes, to the next index of a dimension */
} ready_part;

/* Tells the code of the first block of a part; false if it has no elements. */
static bool choose(const staging *s, int32_t p, walk *w, const tile_tensors *tile,
                   tile_choice *choice) {
    const plan_part *part = &s->kernel->plan.parts[p];
    for (int32_t d = 0; d < w->rank; d++)
        if (w->sizes[d] <= 0) return false;
    if (part->axis >= 0) {
        reduce_tile_choose(part, w, choice);
    } else {
        tile_coalesce(part, w);
        tile_choose(part, launch_code(s->code, p), w, tile_in_place(part, tile), choice);
    }
    return true;
}

static void find_moves(const staging *s, const plan_part *part, const walk *w, ready_part *g) {
    for (int32_t t = 0; t < w->tensors; t++)
        for (int32_t d = 0; d < s->rank; d++) {
            const int32_t mine = d - (s->rank - part->rank);
            g->moves[d][t] = is_scratch(s, part, t) || mine < 0 ? 0 : walk_strides(w, mine)[t];
        }
}

static int64_t count_elements(const int64_t *sizes, int32_t rank) {
    int64_t elements = 1;
    for (int32_t d = 0; d < rank; d++) elements *= sizes[d];
    return elements;
}

/* Bytes of the results of a phase's last part. */
static int64_t result_bytes(const staging *s) {
    const plan_part *last = &s->kernel->plan.parts[s->end - 1];
    const int64_t elements = count_elements(s->part_sizes[s->end - 1], last->rank);
    int64_t bytes = 0;
    for (int32_t t = last->leaf_count; t < last->leaf_count + last->result_count; t++)
        if (!is_scratch(s, last, t)) bytes += last->element_sizes[t] * elements;
    return bytes;
}

static void make_ready(const staging *s, int32_t p, char *memory, ready_part *g) {
    const plan_part *part = &s->kernel->plan.parts[p];
    const int64_t zero[TOSAJIT_MAX_RANK] = {0};
    _Alignas(walk) char room[walk_bytes(part->rank, part->leaf_count + part->result_count)];
    walk *w = (walk *)room; /* not cleared, like the next two: see walk.h */
    tile_tensors tile;
    tile_choice choice;
    g->context = s->code[p].context;
    if (!g->context && p + 1 == s->kernel->plan.part_count)
        g->context = (const void *)(intptr_t)result_bytes(s);
    g->is_single = !plan_is_bare(part) && part->leaf_count + part->result_count <= LAUNCH_TENSORS &&
                   s->rank <= READY_RANK;
    if (!g->is_single) return;
    block_walk(s, p, zero, memory, w, &tile);
    find_moves(s, part, w, g);
    g->is_single =
        choose(s, p, w, &tile, &choice) && launch_tell(part, &choice, w, &tile, &g->step);
    for (int32_t t = 0; t < w->tensors; t++) g->step.at[t] = (intptr_t)tile.pointers[t];
}

static void run_ready(const staging *s, int32_t p, const ready_part *g, const int64_t *start) {
    const launch_step *step = &g->step;
    void *pointers[LAUNCH_TENSORS];
    for (int32_t t = 0; t < step->tensors; t++) {
        pointers[t] = (void *)step->at[t];
        for (int32_t d = 0; d < s->rank; d++)
            pointers[t] = (char *)pointers[t] + start[d] * g->moves[d][t];
    }
    s->code[p].entry(g->context, pointers, step->strides, step->planes, step->rows, step->cols);
}

static bool is_whole(const staging *s, const int64_t *start) {
    for (int32_t d = 0; d < s->rank; d++)
        if (s->sizes[d] - start[d] < s->block[d]) return false;
    return true;
}

/* Where block b of a task's chains begins: of each chain the blocks follow each other. */
static void find_start(const staging *s, int64_t b, int64_t *start) {
    const int64_t length = s->blocks / s->chains;
    int64_t chain = b / length, link = b % length;
    for (int32_t d = s->rank; d-- > 0;) {
        int64_t *rest = is_sequential(s, d) ? &link : &chain;
        start[d] = *rest % s->counts[d] * s->block[d];
        *rest /= s->counts[d];
    }
}

/* Dimensions along which blocks follow each other, as bits. */
static uint32_t find_sequential(const staging *s) {
    uint32_t sequential = 0;
    for (int32_t d = 0; d < s->rank; d++) sequential |= (uint32_t)is_sequential(s, d) << d;
    return sequential;
}

/* From a block to the one behind it, as find_start has it: the next of a chain, or of the next
 * chain the first. */
static void advance(const staging *s, uint32_t sequential, int64_t *start) {
    for (int chained = 1; chained >= 0; chained--)
        for (int32_t d = s->rank; d-- > 0;) {
            if ((int)(sequential >> d & 1) != chained) continue;
            start[d] += s->block[d];
            if (start[d] < s->counts[d] * s->block[d]) return;
            start[d] = 0;
        }
}

static void run_task(void *argument, size_t index) {
    const staging *s = argument;
    const int64_t length = s->blocks / s->chains,
                  first = s->chains * (int64_t)index / s->tasks * length,
                  end = s->chains * ((int64_t)index + 1) / s->tasks * length;
    const int32_t parts = s->end - s->begin;
    char *memory = s->memory + (int64_t)index * s->task_bytes;
    ready_part ready[LAUNCH_STEPS]; /* not cleared: see walk.h */
    for (int32_t p = 0; p < parts && p < LAUNCH_STEPS; p++)
        make_ready(s, s->begin + p, memory, &ready[p]);
    uint64_t environment = fpenv_enter(); /* of this thread */
    const uint32_t sequential = find_sequential(s);
    int64_t start[TOSAJIT_MAX_RANK];
    find_start(s, first, start);
    for (int64_t b = first; b < end; b++, advance(s, sequential, start)) {
        const bool whole = is_whole(s, start);
        for (int32_t p = 0; p < parts; p++)
            if (whole && p < LAUNCH_STEPS && ready[p].is_single)
                run_ready(s, s->begin + p, &ready[p], start);
            else
                run_part(s, s->begin + p, start, memory);
    }
    atomic_thread_fence(memory_order_seq_cst); /* stores past the caches have none of their own */
    fpenv_leave(environment);
}

static void run_by_threads(const staging *s, const tosajit_parallel *parallel) {
    const uint64_t environment = fpenv_enter();
    for (int32_t p = s->begin; p < s->end; p++) run_part_by_threads(s, parallel, p, s->memory);
    fpenv_leave(environment);
}

/* Memory for tensors that must be packed, or for segments, besides scratch: the most that a part
 * needs. */
static tosajit_status packed_bytes(const staging *s, const tosajit_parallel *parallel,
                                   int64_t *most) {
    const int64_t zero[TOSAJIT_MAX_RANK] = {0};
    *most = 0;
    for (int32_t p = s->begin; p < s->end; p++) {
        walk w; /* not cleared, like the next one: see walk.h */
        tile_tensors tile;
        int64_t bytes;
        if (s->kernel->plan.parts[p].axis < 0) continue;
        block_walk(s, p, zero, NULL, &w, &tile);
        if (!reduce_tile_bytes(&s->kernel->plan.parts[p], &w, &bytes))
            return diag_error(TOSAJIT_OVERFLOW, "packed operands have more than 2^63 - 1 bytes, or "
                                                "reduced dimensions as many elements");
        if (s->blocks == 1 && bytes == 0)
            bytes = segments_bytes(parallel, s->kernel->program, &s->kernel->plan.parts[p], &w);
        if (bytes > *most) *most = bytes;
    }
    return TOSAJIT_OK;
}

/* Blocks of so many elements; fewer where threads share them. */
static tosajit_status plan_blocks_of(staging *s, const tosajit_parallel *parallel, int64_t most) {
    const plan_part *last = &s->kernel->plan.parts[s->end - 1];
    const int64_t elements = count_elements(s->sizes, s->rank);
    int64_t packed;
    cut_blocks(s, most);
    s->tasks = 1;
    if (parallel_pays(parallel, last, elements)) {
        const int64_t tasks = parallel_pieces(parallel);
        if (s->blocks < tasks && elements / tasks < most) cut_blocks(s, elements / tasks);
        s->tasks = s->chains < tasks ? s->chains : tasks;
    }
    const callee called = kernel_callee(s->kernel);
    tosajit_status status = scratch_make(&called, s->tensors, s->rank, s->block, &s->scratch);
    scratch_place(&called, s->tensors, &s->scratch, NULL); /* offsets, of each task's memory */
    if (!status) status = packed_bytes(s, parallel, &packed);
    s->task_bytes = status ? 0 : s->scratch.bytes + packed;
    return status;
}

/* True if operands are read by the first part alone, as those of a mean are. */
static bool reads_once(const staging *s) {
    for (int32_t p = s->begin + 1; p < s->end; p++) {
        const plan_part *part = &s->kernel->plan.parts[p];
        for (int32_t t = 0; t < part->leaf_count; t++)
            if (t < part->operand_count ||
                (!is_scratch(s, part, t) && part->leaves[t].tensor >= s->kernel->tensor_count))
                return false;
    }
    return true;
}

/* Where nothing is read again only scratch is to be small: blocks as large as it allows, and one
 * where there is none. But what must be packed is never packed as a whole. */
static tosajit_status plan_blocks_once(staging *s, const tosajit_parallel *parallel) {
    const bool single = s->end - s->begin == 1;
    const int64_t first = single ? INT64_MAX / 2 : ONCE_ELEMENTS;
    const tosajit_status status = plan_blocks_of(s, parallel, first);
    const int64_t times = s->scratch.bytes > 0 ? STACK_BYTES / s->scratch.bytes : 1;
    if (status || s->blocks == 1 || times < 2) return status;
    return plan_blocks_of(s, parallel, ONCE_ELEMENTS * times);
}

static tosajit_status plan_blocks(staging *s, const tosajit_parallel *parallel) {
    find_sizes(s);
    if (reads_once(s)) {
        const tosajit_status status = plan_blocks_once(s, parallel);
        if (!status && s->task_bytes == s->scratch.bytes) return status;
    }
    const int64_t elements = count_elements(s->sizes, s->rank),
                  most = elements <= NEAR_ELEMENTS  ? NEAR_BLOCK_ELEMENTS
                         : elements <= FAR_ELEMENTS ? BLOCK_ELEMENTS
                                                    : FAR_BLOCK_ELEMENTS;
    const tosajit_status status = plan_blocks_of(s, parallel, most);
    return status || !are_pieces(s) ? status : plan_blocks_of(s, parallel, PIECES_ELEMENTS);
}

/* The views of what phases leave to each other, which blocks of each phase look at. */
static tosajit_status make_whole(staging *s) {
    const callee called = kernel_callee(s->kernel);
    s->scratch.choice = SCRATCH_WHOLE;
    return scratch_make(&called, s->tensors, 0, NULL, &s->scratch);
}

tosajit_status stages_explain(const tosajit_kernel *kernel, view *tensors, stage_blocks *b) {
    int64_t sizes[kernel->plan.part_count][TOSAJIT_MAX_RANK]; /* not cleared: see walk.h */
    scratch_value values[kernel->plan.scratch_count + 1];     /* there may be none */
    staging s;
    begin(&s, kernel, tensors, sizes, values);
    tosajit_status status = make_whole(&s);
    s.scratch.choice = SCRATCH_BLOCK;
    begin_phase(&s, 0, kernel->plan.part_count);
    if (!status) status = plan_blocks(&s, &kernel->parallel);
    if (status) return status;
    b->phases = kernel->plan.parts[kernel->plan.part_count - 1].phase + 1;
    b->rank = s.rank;
    b->count = s.blocks;
    b->tasks = s.tasks;
    b->scratch_bytes = s.task_bytes;
    for (int32_t d = 0; d < s.rank; d++) b->sizes[d] = s.block[d];
    return TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * A single block is a launch */

/* True if one thread computes one block, and its scratch is on the stack. */
static bool is_one_block(const staging *s) {
    const plan *p = &s->kernel->plan;
    return s->blocks == 1 && s->task_bytes == s->scratch.bytes && s->task_bytes <= STACK_BYTES &&
           !parallel_pays(&s->kernel->parallel, &p->parts[p->part_count - 1],
                          count_elements(s->sizes, s->rank));
}

bool stages_launch(const tosajit_kernel *kernel, const code_part *code, view *tensors, launch *p) {
    const int64_t zero[TOSAJIT_MAX_RANK] = {0};
    int64_t sizes[kernel->plan.part_count][TOSAJIT_MAX_RANK]; /* not cleared: see walk.h */
    scratch_value values[kernel->plan.scratch_count + 1];     /* there may be none */
    staging s;
    begin(&s, kernel, tensors, sizes, values);
    s.code = code;
    begin_phase(&s, 0, kernel->plan.part_count); /* no part scatters: launch.c */
    if (plan_blocks(&s, &kernel->parallel) || !is_one_block(&s)) return false;
    p->scratch_bytes = s.task_bytes;
    for (int32_t k = 0; k < p->step_count; k++) {
        const plan_part *part = &kernel->plan.parts[k];
        launch_step *step = k ? &p->later[k - 1] : &p->step;
        _Alignas(walk) char room[walk_bytes(part->rank, part->leaf_count + part->result_count)];
        walk *w = p->step_count == 1 ? &p->whole.w : (walk *)room; /* not cleared, like the next */
        tile_choice other, *choice = p->step_count == 1 ? &p->whole.choice : &other;
        tile_tensors tile;
        block_walk(&s, k, zero, NULL, w, &tile);
        if (!choose(&s, k, w, &tile, choice)) return false;
        p->walked = !launch_tell(part, choice, w, &tile, step);
        p->is_short &= count_elements(s.sizes, s.rank) / 2 < part->piece_elements;
        if (p->walked && (p->step_count > 1 || choice->packed)) return false;
    }
    return true;
}

/* All blocks of what is planned. */
static tosajit_status run_blocks(staging *s, const tosajit_parallel *parallel) {
    const tosajit_allocator *allocator = &s->kernel->allocator;
    int64_t bytes;
    if (!size_multiply(s->task_bytes, s->tasks, &bytes) || (uint64_t)bytes > SIZE_MAX)
        return diag_error(TOSAJIT_OVERFLOW, "scratch has more than 2^63 - 1 bytes");
    _Alignas(64) char stack[bytes <= STACK_BYTES ? bytes + 1 : 1];
    s->memory = bytes <= STACK_BYTES ? stack : memory_uncleared(allocator, (size_t)bytes);
    if (!s->memory)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %lld bytes of scratch",
                          (long long)bytes);
    if (s->blocks == 1 && parallel->threads > 1)
        run_by_threads(s, parallel);
    else if (s->tasks == 1)
        run_task(s, 0);
    else
        parallel->parallel_for(parallel->context, (size_t)s->tasks, run_task, s);
    if (s->memory != stack) memory_free(allocator, s->memory, (size_t)bytes, 1);
    return TOSAJIT_OK;
}

/* The parts before `end`, a phase after the other. */
static tosajit_status run_phases(staging *s, int32_t end, const tosajit_parallel *parallel) {
    const callee called = kernel_callee(s->kernel);
    const tosajit_allocator *allocator = &s->kernel->allocator;
    char *whole = NULL;
    tosajit_status status = make_whole(s);
    const size_t bytes = status ? 0 : (size_t)s->scratch.bytes;
    if (bytes) whole = memory_uncleared(allocator, bytes);
    if (bytes && !whole)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %zu bytes of scratch", bytes);
    if (!status) scratch_place(&called, s->tensors, &s->scratch, whole);
    s->scratch.choice = SCRATCH_BLOCK;
    for (int32_t p = 0; !status && p < end; p = s->end) {
        begin_phase(s, p, end);
        status = plan_blocks(s, parallel);
        if (!status) status = run_blocks(s, parallel);
    }
    memory_free(allocator, whole, bytes, 1);
    return status;
}

/* Compute the indices that parts compute, and whatever these need. The views of results are scratch
 * meanwhile: their numbers are their own, so they stay where they are. */
static tosajit_status look_first(const tosajit_kernel *kernel, const code_part *code,
                                 const tosajit_parallel *parallel, view *tensors) {
    const callee called = kernel_callee(kernel);
    int64_t sizes[kernel->plan.part_count][TOSAJIT_MAX_RANK]; /* not cleared: see walk.h */
    scratch_value values[kernel->plan.result_count + kernel->plan.scratch_count];
    view results[kernel->plan.result_count];
    view *const own = tensors + kernel->tensor_count;
    first_pass pass = {NULL, 0};
    staging s;
    begin(&s, kernel, tensors, sizes, values);
    s.code = code;
    s.first_pass = &pass;
    s.scratch.results = true;
    memcpy(results, own, sizeof results);
    const tosajit_status status = run_phases(&s, kernel->plan.checked_parts, parallel);
    memcpy(own, results, sizeof results);
    const plan_part *part = atomic_load_explicit(&pass.part, memory_order_acquire);
    return status || !part ? status : gather_refuse(&called, part, tensors, pass.bad);
}

tosajit_status stages_run(const tosajit_kernel *kernel, const code_part *code,
                          const tosajit_parallel *parallel, view *tensors) {
    int64_t sizes[kernel->plan.part_count][TOSAJIT_MAX_RANK]; /* not cleared: see walk.h */
    scratch_value values[kernel->plan.scratch_count + 1];     /* there may be none */
    staging s;
    tosajit_status status =
        kernel->plan.checked_parts ? look_first(kernel, code, parallel, tensors) : TOSAJIT_OK;
    if (status) return status;
    begin(&s, kernel, tensors, sizes, values);
    s.code = code;
    return run_phases(&s, kernel->plan.part_count, parallel);
}

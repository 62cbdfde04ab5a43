/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Schedule: from what is known of a part to its loop nest. Wide steps, which LLVM splits into
 * several registers, give independent instructions to overlap; the larger the body, the fewer are
 * needed and the sooner they spill. */
#include "jit/facts/work.h"
#include "jit/schedule/costs.h"
#include "jit/schedule/nest.h"

#include "runtime/expr/reduce.h"

#include "runtime/base/types.h"
#include "runtime/expr/ops.h"

/* What is asked. */
typedef struct asked {
    const plan_part *part;
    const cpu_level *level;
    part_work work;
} asked;

static bool has_splat_buffers(const plan_part *part) {
    bool any = false;
    for (int32_t v = 0; v < part->variant_count; v++) any |= part->variants[v].either != 0;
    return any;
}

/* Whether a few ops, as `rescale` is one, make bytes in lanes of 32 bits: then four vectors are
 * packed to one. */
static bool packs_bytes(const part_work *w) {
    return w->heavy > 0 && w->heavy <= COST_PACKED_HEAVY && !w->is_long && w->widest == 4 &&
           w->to_bytes;
}

/* The same of f32 that is rounded, of light ops. */
static bool rounds_to_bytes(const asked *a) {
    const part_work *w = &a->work;
    return w->rounds_to_bytes && w->widest == 4 && w->heavy == 0 && w->light <= COST_PACKED_LIGHT;
}

/* exact erf has 27 multiply-adds in independent groups, enough to overlap: where there is no other
 * op a second vector gains nothing, and is as much code again. With exp from pairs of f32
 * (jit/math/double_float.c) it gains a twentieth, for a quarter more to compile; so it does with
 * sigmoid.
 */
static bool fills_a_vector(const asked *a) {
    const part_work *w = &a->work;
    const unsigned full = w->erf + (a->level->entries == 8 ? w->exp_double_float : 0);
    return full > 0 && full == w->heavy + w->light;
}

/* Vectors of a step. Each row writes its splat buffers anew, and they are as long as a step: two
 * vectors of a cache line each are enough. */
static unsigned choose_unroll(const asked *a) {
    const part_work *w = &a->work;
    const bool buffered = has_splat_buffers(a->part) && a->level->vector_bytes >= COST_LINE_BYTES;
    const unsigned most_light = a->part->leaf_count > COST_MANY_LEAVES
                                    ? COST_TWO_VECTORS_LIGHT_MANY_LEAVES
                                    : COST_TWO_VECTORS_LIGHT;
    if (packs_bytes(w) || rounds_to_bytes(a)) return 4;
    if (fills_a_vector(a) || w->heavy > COST_TWO_VECTORS_HEAVY || w->light > most_light) return 1;
    if (w->heavy || w->light > COST_FOUR_VECTORS_OPS || buffered) return 2;
    return 4;
}

/* Whether the vectors of a step may be separate. Results that are narrower than operands are packed
 * together. On 128 bits, taking a few bytes apart costs more than it gains. */
static bool may_separate(const asked *a) {
    const part_work *w = &a->work;
    return w->least_result == w->largest &&
           (a->level->vector_bytes > 16 || w->narrowest == w->largest);
}

/* How rows are peeled, if they are: in `lanes` and `unroll`, and whether a step's vectors are
 * separate.
 *
 * Few light ops are bound by memory. What is aligned then is memory: a vector of NEON is as long as
 * a pair of registers, which one instruction loads or stores. On x86 one of f16 is as long as what
 * is converted at once, since one instruction converts and stores it: of two, put together before,
 * a sum takes 1.25 times as long. LLVM stores what it has divided in any order. Of vectors that are
 * part of a cache line, that takes up to twice as long where lines come from L2; so these are
 * separate. */
static bool choose_peeled(const asked *a, unsigned *lanes, unsigned *unroll, bool *separate) {
    const part_work *w = &a->work;
    const unsigned vector = a->level->vector_bytes;
    const bool few = w->heavy == 0 && w->light <= COST_PEELED_OPS,
               single = (w->f16 && vector > 16) || (w->bf16 && vector >= COST_LINE_BYTES);
    *separate = few && (vector < COST_LINE_BYTES || single) && may_separate(a);
    const bool peeled = few && (*separate || vector >= COST_LINE_BYTES);
    const unsigned lane_bytes = single ? w->widest : w->largest;
    for (; peeled && *unroll > 2 && *lanes * lane_bytes < a->level->access_bytes; *unroll /= 2)
        *lanes *= 2;
    return peeled;
}

/* Rows have a tail, unless they are known to be whole vectors. It is masked where masks are free,
 * or cost little beside the ops: on AVX2 not in peeled rows, since Zen takes 3 ns for a masked
 * store. */
static tosajit_tail choose_tail(const asked *a, unsigned lanes) {
    const unsigned mask = a->level->mask_bytes;
    const bool masked = mask && mask <= a->work.narrowest && (a->work.heavy || mask == 1);
    if (a->part->cols_multiple % lanes == 0) return TOSAJIT_TAIL_NONE;
    return masked ? TOSAJIT_TAIL_MASKED : TOSAJIT_TAIL_OVERLAP;
}

/* FastISel is for ops of one or two instructions each. Rows with splat buffers have many addresses,
 * which it makes one by one: rows of 100 columns take 1.4 times as long. */
static bool suits_fast_isel(const asked *a) {
    const part_work *w = &a->work;
    const unsigned ops = w->light + w->heavy;
    return a->level->fast_isel && ops <= COST_FAST_ISEL_OPS && !has_splat_buffers(a->part) &&
           (w->most == WORK_ONE || (w->most == WORK_FEW && ops >= COST_FAST_ISEL_CHAIN));
}

/* The elements of a result whose sizes are all known; else 0. */
static int64_t known_elements(const plan_part *part) {
    int64_t elements = 1;
    for (int32_t d = 0; d < part->rank; d++) {
        const int64_t size = part->extents[d];
        if (size < 1 || elements > (INT64_MAX / 8) / size) return 0;
        elements *= size;
    }
    return elements;
}

/* Whether results lie beyond the caches, and one vector of each is whole registers. That must be
 * known: in kernels of dynamic sizes this would take a fifth to a third of their compilation. */
static bool may_stream(const asked *a, unsigned lanes, int64_t cache_bytes) {
    const part_work *w = &a->work;
    const int64_t bytes = known_elements(a->part) * w->least_result;
    return a->level->fence && cache_bytes > 0 && bytes >= cache_bytes &&
           w->least_result * lanes >= COST_LEAST_REGISTER &&
           w->most_result * lanes <= COST_LINE_BYTES;
}

static void add_level(nest *n, nest_level level) { n->levels[n->level_count++] = level; }

/* Whether rows may be a few whole steps, as where two operands of 64 columns broadcast rows. */
static bool is_exact(const asked *a, const nest *n) {
    const int64_t columns = a->part->cols_multiple, step = (int64_t)nest_step(n);
    const int32_t last = a->part->rank - 1;
    return a->part->leaf_count > 1 && last >= 0 && a->part->extents[last] == columns &&
           columns > (int64_t)n->lanes && columns % step == 0 && columns / step <= COST_EXACT_STEPS;
}

/* Most of the time of rows of at most a vector goes into jumps and addresses; a loop of their own
 * has fewer of both. Other code asks in each row: what is hoisted out of its loops may be long. */
static void schedule_peeled(const asked *a, int64_t cache_bytes, nest *n) {
    const bool short_vector = n->tail == TOSAJIT_TAIL_MASKED ||
                              (n->tail == TOSAJIT_TAIL_NONE && a->part->cols_multiple == n->lanes);
    add_level(n, (nest_level){.lanes = n->lanes, .repeats = 1});
    if (n->tail == TOSAJIT_TAIL_OVERLAP) n->merged[n->merged_count++] = NEST_HALVES;
    if (may_stream(a, n->lanes, cache_bytes)) n->merged[n->merged_count++] = NEST_STREAMED;
    if (short_vector && n->fast_isel) n->rows[n->row_count++] = NEST_MASKED;
    if (is_exact(a, n)) n->rows[n->row_count++] = NEST_EXACT;
    n->rows[n->row_count++] = short_vector && !n->fast_isel ? NEST_MASKED_OR_PEELED : NEST_PEELED;
}

/* Up to two vectors remain where the wide level takes two, four where it packs four; then a masked
 * tail is a loop. A body of dozens of instructions is in the code once: its tail is a step. */
static void schedule_tail(const asked *a, unsigned unroll, nest *n) {
    const bool any = n->tail != TOSAJIT_TAIL_NONE, masked = n->tail == TOSAJIT_TAIL_MASKED,
               whole = a->part->cols_multiple % (n->lanes * unroll) == 0;
    const unsigned most_masked = packs_bytes(&a->work) ? 4 : 2;
    n->rows[n->row_count++] = NEST_TAIL;
    n->levels[0].shared =
        any && !whole && a->work.is_long && (!masked || n->lanes * unroll <= CPU_MASK_LANES);
    if (n->levels[0].shared) return;
    if (!whole && (unroll > most_masked || (unroll > 1 && !masked)))
        add_level(n, (nest_level){.lanes = n->lanes, .repeats = 1});
    if (masked) add_level(n, (nest_level){.lanes = n->lanes, .repeats = 1, .masked = true});
}

/* Whether it is a maximum or minimum of floats that NaN wins: of two values these are five
 * instructions, where a CPU has no instruction for it. */
static bool is_long_extreme(const asked *a, const expr_node *node) {
    return a->level->extremes != CPU_EXTREMES_NATIVE &&
           (node->op == TOSAJIT_OP_reduce_max || node->op == TOSAJIT_OP_reduce_min) &&
           type_is_float(node->type.element) && node->attributes.nan_mode == TOSAJIT_NAN_PROPAGATE;
}

/* Whether a part's only reduction is a maximum or minimum of f32 over many elements, with few ops
 * before it: then it is kept as three values. A CPU that has an instruction needs no such thing,
 * and where numbers win over NaN there is nothing to keep. */
static bool is_kept_in_three(const asked *a, const tosajit_expr *program) {
    const plan_part *part = a->part;
    const int64_t size = part->extents[part->axis];
    int32_t k = 0;
    while (!(part->reductions >> k & 1)) k++;
    const expr_node *node = &program->nodes[part->values[k]];
    return part->reductions >> k == 1 && is_long_extreme(a, node) && a->work.heavy == 0 &&
           a->work.light <= COST_IN_THREE_LIGHT &&
           reduce_accumulator(node->type.element) == TOSAJIT_F32 &&
           (size == TOSAJIT_DYNAMIC || size > (int64_t)REDUCE_PARTIALS);
}

unsigned nest_partials(const plan_part *part) {
    const int64_t size = part->extents[part->axis];
    unsigned partials = REDUCE_PARTIALS;
    while (size > 0 && (int64_t)partials / 2 >= size) partials /= 2;
    return partials;
}

static int64_t known_columns(const plan_part *part) {
    const int64_t size = part->columns >= 0 ? part->extents[part->columns] : 1;
    return size == TOSAJIT_DYNAMIC ? INT64_MAX : size;
}

/* Segments side by side: a single vector would wait for its own last addition. */
static unsigned choose_side(const asked *a, unsigned lanes) {
    const int64_t rows = a->part->extents[a->part->axis];
    const unsigned vectors =
        (lanes * a->work.widest + a->level->vector_bytes - 1) / a->level->vector_bytes;
    if (a->work.heavy || a->work.light > COST_SIDE_LIGHT || vectors > 2) return 1;
    const unsigned side = vectors == 1 ? COST_SIDE : COST_SIDE / 2;
    return rows != TOSAJIT_DYNAMIC && rows < (int64_t)(side * REDUCE_RUN) ? 1 : side;
}

/* Columns of a strip: whole steps, whose partial results and totals take some 8 KiB. A vector of
 * i1 is no bytes, and rows that are known to be short stay in registers. */
static unsigned choose_strip(const plan_part *part, const tosajit_expr *program, unsigned lanes) {
    unsigned bytes = 0;
    for (int32_t k = 0; k < part->result_count; k++) {
        const tosajit_type type = program->nodes[part->values[k]].type.element;
        if (!(part->reductions >> k & 1)) continue;
        if (type == TOSAJIT_I1) return 0;
        bytes += (unsigned)tosajit_type_size(reduce_accumulator(type));
    }
    const unsigned columns = COST_STRIP / bytes / lanes * lanes;
    const bool is_short = known_columns(part) < (NEST_STRIP_STEPS + 1) * (int64_t)lanes;
    return is_short || columns <= NEST_STRIP_STEPS * lanes ? 0 : columns;
}

/* Several rows at once read and write the partial results once. Ops between would take the
 * registers, and stores of other results might be what the next row reads. */
static unsigned choose_strip_rows(const asked *a) {
    const plan_part *part = a->part;
    const bool only = part->reductions == UINT64_MAX >> (64 - part->result_count);
    return only && !a->work.heavy && a->work.light <= COST_SIDE_LIGHT ? NEST_STRIP_ROWS : 1;
}

/* Whether folding rows together pays. A loop reads rows one behind the other, and in the time of a
 * fold of its own the next row arrives: so longer rows want it only where a fold is long. */
static bool pays_together(const asked *a, const tosajit_expr *program) {
    const plan_part *part = a->part;
    const int64_t size = part->extents[part->axis],
                  most = (int64_t)COST_TOGETHER_VECTORS * a->level->vector_bytes / 4;
    bool any_row = false, is_long = false;
    for (int32_t d = 0; d < part->rank; d++) any_row |= d != part->axis && part->extents[d] != 1;
    for (int32_t k = 0; k < part->result_count; k++)
        is_long |=
            part->reductions >> k & 1 && is_long_extreme(a, &program->nodes[part->values[k]]);
    if (size == TOSAJIT_DYNAMIC) return any_row && is_long;
    return any_row && size <= (is_long ? most : COST_UNROLLED);
}

/* Rows that are folded together: as many as a vector has lanes of the widest accumulator. */
static unsigned choose_together(const asked *a, const tosajit_expr *program, unsigned partials) {
    const plan_part *part = a->part;
    unsigned widest = 1, rows;
    for (int32_t k = 0; k < part->result_count; k++) {
        const tosajit_type type = program->nodes[part->values[k]].type.element;
        if (!(part->reductions >> k & 1)) continue;
        if (type == TOSAJIT_I1) return 0;
        const unsigned bytes = (unsigned)tosajit_type_size(reduce_accumulator(type));
        widest = bytes > widest ? bytes : widest;
    }
    rows = a->level->vector_bytes / widest;
    if (rows > NEST_MOST_TOGETHER) rows = NEST_MOST_TOGETHER;
    if (rows > partials) rows = partials;
    return pays_together(a, program) && rows >= 4 ? rows : 0;
}

/* Whether there are few elements along the axis, and light ops: then they need no loop. */
static bool is_brief(const asked *a) {
    const int64_t size = a->part->extents[a->part->axis];
    return size != TOSAJIT_DYNAMIC && size <= COST_UNROLLED && a->work.heavy == 0 &&
           a->work.light <= COST_UNROLLED_LIGHT;
}

/* A loop over columns that are reduced has as many lanes as there are partial results, or a whole
 * part of them. One whose rows are reduced has vectors side by side. */
static void schedule_reduced(const asked *a, const tosajit_expr *program, unsigned unroll,
                             nest *n) {
    const bool inner = a->part->axis == a->part->columns;
    const unsigned partials = nest_partials(a->part);
    unsigned lanes = n->lanes * unroll;
    for (int64_t columns = known_columns(a->part); !inner && lanes / 2 >= columns;) lanes /= 2;
    n->together = inner ? choose_together(a, program, partials) : 0;
    n->in_three = inner && is_kept_in_three(a, program) &&
                  (!n->together || a->part->extents[a->part->axis] == TOSAJIT_DYNAMIC);
    if (n->in_three)
        lanes = 2 * (a->level->vector_bytes / 4);
    else if (inner && (lanes > partials || (!a->work.is_long && !a->work.heavy)))
        lanes = partials;
    if (lanes > CPU_MASK_LANES) lanes = CPU_MASK_LANES;
    const bool whole = a->part->cols_multiple % lanes == 0;
    n->unrolled = (!inner || n->together) && is_brief(a);
    n->strip = inner || n->unrolled ? 0 : choose_strip(a->part, program, lanes);
    n->strip_rows = n->strip ? choose_strip_rows(a) : 0;
    n->side = inner ? 1 : choose_side(a, lanes);
    n->lanes = lanes;
    n->tail = whole ? TOSAJIT_TAIL_NONE : TOSAJIT_TAIL_MASKED;
    n->fast_isel = n->any_order = false;
    n->rows[n->row_count++] = inner ? NEST_REDUCED : NEST_REDUCED_COLUMNS;
    add_level(n, (nest_level){.lanes = lanes, .repeats = 1});
    n->levels[0].shared = inner && !whole && a->work.is_long;
    if (!whole && !n->levels[0].shared)
        add_level(n, (nest_level){.lanes = lanes, .repeats = 1, .masked = true});
}

/* The columns of rows that no call can join, as one of their operands is one value per row; else as
 * many as there may be. */
static int64_t columns_of(const plan_part *part) {
    const int64_t size = part->columns >= 0 ? part->extents[part->columns] : TOSAJIT_DYNAMIC;
    bool splat = false;
    for (int32_t k = 0; k < part->leaf_count; k++)
        splat |= part->columns >= 0 && part->leaves[k].maps[part->columns] == MAP_ZERO;
    return splat && size != TOSAJIT_DYNAMIC ? size : INT64_MAX;
}

nest nest_make(const plan *p, int32_t part, const tosajit_expr *program, nest_target target) {
    const asked a = {&p->parts[part], target.level, find_work(p, part, program)};
    unsigned lanes = target.level->vector_bytes / a.work.widest, unroll = choose_unroll(&a);
    bool separate;
    while (lanes * unroll / 2 >= columns_of(a.part)) *(unroll > 1 ? &unroll : &lanes) /= 2;
    const bool peeled = choose_peeled(&a, &lanes, &unroll, &separate);
    nest n = {.lanes = lanes,
              .tail = choose_tail(&a, lanes),
              .fast_isel = suits_fast_isel(&a),
              .any_order = a.work.any_order};
    if (a.part->axis >= 0) {
        schedule_reduced(&a, program, choose_unroll(&a), &n);
        return n;
    }
    separate |= n.fast_isel;
    add_level(&n, separate ? (nest_level){.lanes = lanes, .repeats = unroll}
                           : (nest_level){.lanes = lanes * unroll, .repeats = 1});
    if (peeled)
        schedule_peeled(&a, target.cache_bytes, &n);
    else
        schedule_tail(&a, unroll, &n);
    return n;
}

unsigned nest_step(const nest *n) { return n->levels[0].lanes * n->levels[0].repeats; }

bool nest_is_peeled(const nest *n) {
    return n->rows[0] != NEST_TAIL && !nest_reduces_rows(n) && n->rows[0] != NEST_REDUCED_COLUMNS;
}

bool nest_reduces_rows(const nest *n) { return n->rows[0] == NEST_REDUCED; }

tosajit_tail nest_tail_at(const nest *n, int64_t columns) {
    const bool overlaps = nest_is_peeled(n) && columns > (int64_t)n->lanes;
    return n->tail == TOSAJIT_TAIL_MASKED && overlaps ? TOSAJIT_TAIL_OVERLAP : n->tail;
}

uint64_t nest_differing(const plan_part *part) {
    uint64_t differing = part->variants[0].either;
    for (int32_t v = 1; v < part->variant_count; v++)
        differing |= (part->variants[v].splat ^ part->variants[0].splat) | part->variants[v].either;
    return differing;
}

uint64_t nest_masked(const plan *p, const tosajit_expr *program, nest_target target) {
    uint64_t masked = 0;
    for (int32_t part = 0; part < p->part_count; part++)
        if (nest_make(p, part, program, target).tail == TOSAJIT_TAIL_MASKED)
            masked |= UINT64_C(1) << part;
    return masked;
}

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

/* The accumulators of a part's reductions. */
typedef struct reductions {
    unsigned bytes, widest;         /* of an element of all of them, and of the widest */
    bool of_bits;                   /* one is of i1, which has no bytes */
    bool has_position, is_position; /* one is; the only one */
    bool is_long;                   /* one takes many instructions */
    const expr_node *only;          /* null: there are several */
} reductions;

/* The question. */
typedef struct asked {
    const plan_part *part;
    const cpu_level *level;
    part_work work;
    reductions reduced;
    bool writes_blocks; /* after other parts, which take turns with it; and not in place */
} asked;

static bool has_splat_buffers(const plan_part *part) {
    bool any = false;
    for (int32_t v = 0; v < part->variant_count; v++) any |= part->variants[v].either != 0;
    return any;
}

/* True if a few ops, as `rescale` is one, make bytes in lanes of 32 bits: then four vectors are
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

/* True if the vectors of a step may be separate. Results that are narrower than operands are packed
 * together. On 128 bits, taking a few bytes apart costs more than it gains. */
static bool may_separate(const asked *a) {
    const part_work *w = &a->work;
    return w->least_result == w->largest &&
           (a->level->vector_bytes > 16 || w->narrowest == w->largest);
}

/* The columns of rows that no call can join, as one of their operands is one value per row; else as
 * many as there may be. */
static int64_t columns_of(const plan_part *part) {
    const int64_t size = plan_reduces_columns(part) ? plan_reduced_size(part)
                         : part->columns >= 0       ? part->extents[part->columns]
                                                    : TOSAJIT_DYNAMIC;
    bool splat = false;
    for (int32_t k = 0; k < part->leaf_count; k++)
        splat |= part->columns >= 0 && part->leaves[k].maps[part->columns] == MAP_ZERO;
    return splat && size != TOSAJIT_DYNAMIC ? size : INT64_MAX;
}

/* A step of rows of elements. */
typedef struct step {
    unsigned lanes, unroll; /* of a vector; vectors */
    bool separate;          /* these are not one long vector */
    bool peeled;            /* rows begin and end with a vector of their own */
} step;

/* Vectors of a step, as rows are peeled, if they are.
 *
 * Few light ops are bound by memory, so the vector in memory is aligned. A vector of NEON is as
 * long as a pair of registers, which one instruction loads or stores. On x86 a vector of f16 is as
 * long as one conversion, since one instruction converts and stores: two conversions joined before
 * a store take 1.25 times as long in a sum. LLVM stores the halves of a divided vector in any
 * order. Vectors that are part of a cache line then take up to twice as long where lines come from
 * L2, so these are separate. */
static step choose_step(const asked *a) {
    const part_work *w = &a->work;
    const unsigned vector = a->level->vector_bytes;
    const bool few = w->heavy == 0 && w->light <= COST_PEELED_OPS,
               single = (w->f16 && vector > 16) || (w->bf16 && vector >= COST_LINE_BYTES);
    step s = {.lanes = vector / w->widest, .unroll = choose_unroll(a)};
    while (s.lanes * s.unroll / 2 >= columns_of(a->part))
        *(s.unroll > 1 ? &s.unroll : &s.lanes) /= 2;
    s.separate = few && (vector < COST_LINE_BYTES || single) && may_separate(a);
    s.peeled = few && (s.separate || vector >= COST_LINE_BYTES);
    const unsigned lane_bytes = single ? w->widest : w->largest;
    for (; s.peeled && s.unroll > 2 && s.lanes * lane_bytes < a->level->access_bytes; s.unroll /= 2)
        s.lanes *= 2;
    return s;
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
 * and FastISel makes each of them anew: rows of 100 columns take 1.4 times as long. */
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

/* True if one vector of each result is whole registers, on a machine of which the caches are known.
 */
static bool has_streams(const asked *a, unsigned lanes, int64_t cache_bytes) {
    const part_work *w = &a->work;
    return a->level->fence && cache_bytes > 0 && w->least_result * lanes >= COST_LEAST_REGISTER &&
           w->most_result * lanes <= COST_LINE_BYTES;
}

/* True if results lie beyond the caches. That must be known: in kernels of dynamic sizes this would
 * take a fifth to a third of their compilation. */
static bool may_stream(const asked *a, unsigned lanes, int64_t cache_bytes) {
    return has_streams(a, lanes, cache_bytes) &&
           known_elements(a->part) * a->work.least_result >= cache_bytes;
}

/* True if results are written block by block: of these the call says how large the whole is. Rows
 * must be whole cache lines, so that no line is in two rows. */
static bool may_stream_blocks(const asked *a, unsigned lanes, int64_t cache_bytes) {
    return a->writes_blocks && has_streams(a, lanes, cache_bytes) &&
           (a->part->cols_multiple == 1 ||
            a->part->cols_multiple * a->work.least_result % COST_LINE_BYTES == 0);
}

static void add_level(nest *n, nest_level level) { n->levels[n->level_count++] = level; }

/* True if rows may be a few whole steps, as where two operands of 64 columns broadcast rows. */
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
    if (may_stream_blocks(a, n->lanes, cache_bytes))
        n->merged[n->merged_count++] = NEST_STREAMED_BLOCKS;
    else if (may_stream(a, n->lanes, cache_bytes))
        n->merged[n->merged_count++] = NEST_STREAMED;
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

/* True if it is a maximum or minimum of floats that NaN wins: of two values these are five
 * instructions, where a CPU has no instruction for it. */
static bool is_long_extreme(const cpu_level *level, const expr_node *node) {
    return level->extremes != CPU_EXTREMES_NATIVE &&
           (node->op == TOSAJIT_OP_reduce_max || node->op == TOSAJIT_OP_reduce_min) &&
           type_is_float(node->type.element) && node->attributes.nan_mode == TOSAJIT_NAN_PROPAGATE;
}

/* A position is kept with its element. */
static unsigned accumulator_bytes(const tosajit_expr *program, const expr_node *node) {
    const unsigned bytes =
        (unsigned)tosajit_type_size(reduce_accumulator(reduce_element(program, node)));
    return !reduce_is_position(node) ? bytes : bytes == 8 ? 16 : 8;
}

static reductions find_reductions(const plan_part *part, const tosajit_expr *program,
                                  const cpu_level *level) {
    reductions r = {.widest = 1};
    int count = 0;
    for (int32_t k = 0; k < part->result_count; k++) {
        const expr_node *node = &program->nodes[part->values[k]];
        if (!(part->reductions >> k & 1)) continue;
        const unsigned bytes = accumulator_bytes(program, node);
        r.bytes += bytes;
        if (bytes > r.widest) r.widest = bytes;
        r.of_bits |= node->type.element == TOSAJIT_I1;
        r.is_long |= is_long_extreme(level, node);
        r.has_position |= reduce_is_position(node);
        r.only = count++ ? NULL : node;
    }
    r.is_position = r.only && r.has_position;
    return r;
}

/* True if a part's only reduction is a maximum or minimum of f32 over many elements, with few ops
 * before it: then it is kept as three values. A CPU that has an instruction needs no such thing,
 * and where numbers win over NaN there is nothing to keep. */
static bool is_kept_in_three(const asked *a) {
    const int64_t size = plan_reduced_size(a->part);
    return a->reduced.only && a->reduced.is_long && a->work.heavy == 0 &&
           a->work.light <= COST_IN_THREE_LIGHT &&
           reduce_accumulator(a->reduced.only->type.element) == TOSAJIT_F32 &&
           (size == TOSAJIT_DYNAMIC || size > (int64_t)REDUCE_PARTIALS);
}

unsigned nest_partials(const plan_part *part) {
    const int64_t size = plan_reduced_size(part);
    unsigned partials = REDUCE_PARTIALS;
    while (size > 0 && (int64_t)partials / 2 >= size) partials /= 2;
    return partials;
}

static int64_t known_columns(const plan_part *part) {
    const int64_t size = part->columns >= 0 ? part->extents[part->columns] : 1;
    return size == TOSAJIT_DYNAMIC ? INT64_MAX : size;
}

/* Steps side by side, where a CPU has registers for as many pairs: behind a comparison by which
 * another one is masked each waits for twelve cycles. */
static unsigned position_repeats(const asked *a, unsigned lanes) {
    const int64_t size = plan_reduced_size(a->part);
    const bool pays = a->reduced.is_position && !a->work.heavy && !a->work.is_long &&
                      a->level->vector_bytes >= COST_LINE_BYTES;
    return pays && (size == TOSAJIT_DYNAMIC || size >= 2 * (int64_t)lanes) ? 2 : 1;
}

/* Segments side by side: a single vector would wait for its own last addition. */
static unsigned choose_side(const asked *a, unsigned lanes) {
    const int64_t rows = plan_reduced_size(a->part);
    const unsigned vectors =
        (lanes * a->work.widest + a->level->vector_bytes - 1) / a->level->vector_bytes;
    if (a->work.heavy || a->work.light > COST_SIDE_LIGHT) return 1;
    if (vectors > 2 && position_repeats(a, lanes) == 1) return 1;
    const unsigned side = vectors == 1 ? COST_SIDE : COST_SIDE / vectors;
    return rows != TOSAJIT_DYNAMIC && rows < (int64_t)(side * REDUCE_RUN) ? 1 : side;
}

/* True if rows of few columns have a loop: where a call decides how many there are, of one vector,
 * whose segments are side by side. Long code for them would be compiled for longer than it gains.
 */
static bool may_be_narrow(const asked *a, unsigned vector, unsigned lanes) {
    return known_columns(a->part) == INT64_MAX && vector < lanes && choose_side(a, vector) > 1;
}

/* Columns of a strip: whole steps, whose partial results and totals take some 8 KiB. A vector of
 * i1 is no bytes, and rows that are known to be short stay in registers. */
static unsigned choose_strip(const asked *a, unsigned lanes) {
    if (a->reduced.of_bits) return 0;
    const unsigned columns = COST_STRIP / a->reduced.bytes / lanes * lanes;
    const bool is_short = known_columns(a->part) < (NEST_STRIP_STEPS + 1) * (int64_t)lanes;
    return is_short || columns <= NEST_STRIP_STEPS * lanes ? 0 : columns;
}

/* Several rows at once read and write the partial results once. Ops between would take the
 * registers, and stores of other results might be what the next row reads. */
static unsigned choose_strip_rows(const asked *a) {
    const plan_part *part = a->part;
    const bool only = part->reductions == UINT64_MAX >> (64 - part->result_count);
    return only && !a->work.heavy && a->work.light <= COST_SIDE_LIGHT ? NEST_STRIP_ROWS : 1;
}

/* True if folding rows together pays. A loop reads rows one behind the other, and while it folds
 * one row the next row arrives. So longer rows want it only where a fold is long. */
static bool pays_together(const asked *a) {
    const plan_part *part = a->part;
    const int64_t size = plan_reduced_size(part),
                  most = (int64_t)COST_TOGETHER_VECTORS * a->level->vector_bytes / 4;
    bool any_row = false;
    for (int32_t d = 0; d < part->rank; d++)
        any_row |= !plan_reduces(part, d) && part->extents[d] != 1;
    if (size == TOSAJIT_DYNAMIC) return any_row && a->reduced.is_long;
    return any_row && size <= (a->reduced.is_long ? most : COST_UNROLLED);
}

/* Rows that are folded together: as many as a vector has lanes of the widest accumulator; or 1. */
static unsigned choose_together(const asked *a, unsigned partials) {
    unsigned rows = a->level->vector_bytes / a->reduced.widest;
    if (rows > NEST_MOST_TOGETHER) rows = NEST_MOST_TOGETHER;
    if (rows > partials) rows = partials;
    return !a->reduced.of_bits && !a->reduced.has_position && pays_together(a) && rows >= 4 ? rows
                                                                                            : 1;
}

/* True if there are few elements along the axis, and light ops: then they need no loop. */
static bool is_brief(const asked *a) {
    const int64_t size = plan_reduced_size(a->part);
    return size != TOSAJIT_DYNAMIC && size <= COST_UNROLLED && a->work.heavy == 0 &&
           a->work.light <= COST_UNROLLED_LIGHT;
}

static void add_reduced(nest *n, nest_row kind, nest_accumulator accumulator) {
    n->accumulators[n->row_count] = accumulator;
    n->rows[n->row_count++] = kind;
}

/* The steps of a reduction, and a masked one behind them, unless the tail is a step like them. */
static void add_reduced_levels(const asked *a, unsigned lanes, unsigned repeats, bool shared,
                               nest *n) {
    const bool whole = a->part->cols_multiple % (lanes * repeats) == 0;
    n->lanes = lanes;
    n->tail = whole ? TOSAJIT_TAIL_NONE : TOSAJIT_TAIL_MASKED;
    add_level(n, (nest_level){.lanes = lanes, .repeats = repeats, .shared = shared && !whole});
    if (!whole && !shared) add_level(n, (nest_level){.lanes = lanes, .repeats = 1, .masked = true});
}

/* Lanes of positions, of which a step has as many as keep a CPU from waiting: selections follow
 * comparisons. */
static unsigned position_lanes(const asked *a, unsigned lanes) {
    const int64_t size = plan_reduced_size(a->part);
    if (!a->work.heavy && !a->work.is_long)
        lanes = COST_POSITION_VECTORS * (a->level->vector_bytes / (a->reduced.widest / 2));
    while (size != TOSAJIT_DYNAMIC && lanes > 1 && (int64_t)lanes / 2 >= size) lanes /= 2;
    return lanes;
}

/* A loop over reduced columns has as many lanes as there are partial results, or a whole fraction
 * of them; for a maximum in three values, two vectors. */
static void schedule_reduced_rows(const asked *a, unsigned lanes, nest *n) {
    const int64_t size = plan_reduced_size(a->part);
    const unsigned partials = nest_partials(a->part), together = choose_together(a, partials);
    const bool brief = together > 1 && is_brief(a),
               three = is_kept_in_three(a) &&
                       (together == 1 || plan_reduced_size(a->part) == TOSAJIT_DYNAMIC),
               any_order = three || a->reduced.is_position;
    if (three)
        lanes = 2 * (a->level->vector_bytes / 4);
    else if (a->reduced.is_position)
        lanes = position_lanes(a, lanes);
    else if (lanes > partials || (!a->work.is_long && !a->work.heavy))
        lanes = partials;
    if (lanes > CPU_MASK_LANES) lanes = CPU_MASK_LANES;
    const unsigned repeats = position_repeats(a, lanes);
    nest_accumulator alone = {.lanes = lanes,
                              .kept = three ? NEST_THREE : NEST_VALUE,
                              .count = any_order           ? repeats
                                       : lanes >= partials ? 1
                                                           : partials / lanes,
                              .rows = 1},
                     several = alone;
    several.rows = together;
    several.where = brief || together == 1 ? NEST_REGISTERS : NEST_MEMORY;
    if (a->reduced.is_position && size == TOSAJIT_DYNAMIC && !a->work.heavy && !a->work.is_long)
        add_reduced(
            n, NEST_REDUCED_FOUND,
            (nest_accumulator){.kept = NEST_ELEMENTS, .lanes = lanes, .count = 1, .rows = 1});
    if (a->reduced.is_position && size != TOSAJIT_DYNAMIC && size <= (int64_t)lanes)
        alone.kept = several.kept = NEST_ELEMENTS;
    if (brief) add_reduced(n, NEST_REDUCED_BRIEF, several);
    add_reduced(n, NEST_REDUCED, brief ? alone : several);
    add_reduced_levels(a, lanes, repeats, a->work.is_long, n);
}

/* A loop whose rows are reduced has vectors side by side. */
static void schedule_reduced_columns(const asked *a, unsigned lanes, nest *n) {
    const unsigned vector = n->lanes;
    while (lanes / 2 >= known_columns(a->part)) lanes /= 2;
    if (lanes > CPU_MASK_LANES) lanes = CPU_MASK_LANES;
    const bool few = is_brief(a);
    const unsigned strip = few ? 0 : choose_strip(a, lanes);
    if (may_be_narrow(a, vector, lanes))
        add_reduced(n, NEST_REDUCED_NARROW,
                    (nest_accumulator){.lanes = vector, .count = NEST_NARROW_SIDE, .rows = 1});
    if (strip)
        add_reduced(n, NEST_REDUCED_STRIPS,
                    (nest_accumulator){.where = NEST_MEMORY,
                                       .lanes = lanes,
                                       .count = strip,
                                       .rows = choose_strip_rows(a)});
    add_reduced(n, few ? NEST_REDUCED_FEW : NEST_REDUCED_COLUMNS,
                (nest_accumulator){.lanes = lanes, .count = choose_side(a, lanes), .rows = 1});
    add_reduced_levels(a, lanes, 1, false, n);
}

/* Rows of elements, of which none waits for another. */
static void schedule_elementwise(const asked *a, step s, int64_t cache_bytes, nest *n) {
    n->tail = choose_tail(a, s.lanes);
    n->fast_isel = suits_fast_isel(a);
    n->any_order = a->work.any_order;
    add_level(n, s.separate || n->fast_isel
                     ? (nest_level){.lanes = s.lanes, .repeats = s.unroll}
                     : (nest_level){.lanes = s.lanes * s.unroll, .repeats = 1});
    /* Exact rows begin anywhere in a line, which is to be written whole before the next one. */
    if (s.peeled && is_exact(a, n))
        n->levels[0] = (nest_level){.lanes = s.lanes, .repeats = s.unroll};
    if (s.peeled)
        schedule_peeled(a, cache_bytes, n);
    else
        schedule_tail(a, s.unroll, n);
}

/* True if a part is the last of several, and no part before has kept a value in the memory of its
 * result: that is in the cache, and what bypasses the caches takes longer there. */
static bool writes_blocks(const plan *p, int32_t part) {
    const plan_part *last = &p->parts[part];
    bool own = part > 0 && part + 1 == p->part_count;
    for (int32_t t = 0; t < last->leaf_count; t++)
        for (int32_t k = 0; k < last->result_count; k++)
            own &= last->leaves[t].tensor != p->tensor_count + last->results[k];
    return own;
}

nest nest_make(const plan *p, int32_t part, const tosajit_expr *program, nest_target target) {
    const asked a = {&p->parts[part], target.level, find_work(p, part, program),
                     find_reductions(&p->parts[part], program, target.level),
                     writes_blocks(p, part)};
    const step s = choose_step(&a);
    nest n = {.lanes = s.lanes};
    if (a.part->axis < 0)
        schedule_elementwise(&a, s, target.cache_bytes, &n);
    else
        (plan_reduces_columns(a.part) ? schedule_reduced_rows : schedule_reduced_columns)(
            &a, s.lanes * choose_unroll(&a), &n);
    return n;
}

unsigned nest_step(const nest *n) { return n->levels[0].lanes * n->levels[0].repeats; }

bool nest_is_peeled(const nest *n) { return n->rows[0] != NEST_TAIL && !nest_reduces(n); }

bool nest_reduces(const nest *n) { return n->rows[0] >= NEST_REDUCED_BRIEF; }

bool nest_reduces_rows(const nest *n) { return n->rows[n->row_count - 1] == NEST_REDUCED; }

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

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops: lane counts. Wide vectors, which LLVM splits into several registers, give independent
 * instructions to overlap; the larger the body, the fewer are needed and the sooner they spill. */
#include "jit/target/loops.h"

#include "runtime/expr/ops.h"
#include "runtime/base/types.h"

enum { LINE = 64 }; /* bytes of a cache line */

/* Bytes per lane of a node at work: narrow floating point is computed in f32, integers in what the
 * op table says, but for a table of bytes that is held in registers. Bytes that nobody computed
 * count by the ops that read them. */
static unsigned working_size(const expr_node *node) {
    const unsigned size = (unsigned)tosajit_type_size(node->type.element);
    const bool reads = node->kind == NODE_OP || size > 1;
    unsigned least = type_is_float(node->type.element) && reads ? 4 : 1;
    if (node->kind == NODE_OP && op_lane_bytes(node->op) > least) least = op_lane_bytes(node->op);
    if (node->kind == NODE_OP && op_has_table(node->op) && size == 1) least = 1;
    return size < least ? least : size;
}

/* exact erf has 27 multiply-adds in independent groups, enough to overlap: where there is no other
 * op a second vector gains nothing, and is as much code again. With exp from pairs of f32
 * (jit/emit/pairs.c) it gains a twentieth, for a quarter more to compile; so it does with sigmoid.
 */
static bool fills_a_vector(const tosajit_expr *program, const expr_node *node,
                           const cpu_level *level) {
    const bool exact = node->type.element == TOSAJIT_F32 && !program->fast,
               is_pair = node->op == TOSAJIT_OP_exp || node->op == TOSAJIT_OP_sigmoid;
    return exact && (node->op == TOSAJIT_OP_erf || (is_pair && level->entries == 8));
}

/* What a part has: bytes per lane at work at most, stored at least and at most; ops, and those of
 * them that fill a vector. */
typedef struct part_nodes {
    unsigned widest, narrowest, largest, heavy, light, full;
    bool is_long, f16, bf16; /* some are computed in f32 */
} part_nodes;

static part_nodes count_nodes(const plan *p, int32_t part, const tosajit_expr *program,
                              const cpu_level *level) {
    part_nodes n = {.widest = 1, .narrowest = 8, .largest = 1};
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!(p->node_parts[k] >> part & 1)) continue;
        unsigned size = working_size(node),
                 stored = (unsigned)tosajit_type_size(node->type.element);
        if (size > n.widest) n.widest = size;
        if (stored < n.narrowest) n.narrowest = stored;
        if (stored > n.largest) n.largest = stored;
        n.f16 |= node->type.element == TOSAJIT_F16 && size == 4;
        n.bf16 |= node->type.element == TOSAJIT_BF16 && size == 4;
        if (node->kind != NODE_OP) continue;
        n.full += fills_a_vector(program, node, level);
        if (op_is_heavy(node->op))
            n.heavy++;
        else
            n.light++;
        n.is_long |= op_is_long(node->op);
    }
    return n;
}

static bool has_patterns(const plan_part *part) {
    bool any = false;
    for (int32_t v = 0; v < part->variant_count; v++) any |= part->variants[v].either != 0;
    return any;
}

/* Whether the vectors of a step may be apart: where there are patterns, which are as long as what
 * is divided, and where results are narrower than operands and packed together, they may not. On
 * 128 bits, taking a few bytes apart costs more than it gains. */
static bool may_be_apart(const plan_part *part, const tosajit_expr *program, const part_nodes *n,
                         const cpu_level *level) {
    bool may = !has_patterns(part) && (level->vector_bytes > 16 || n->narrowest == n->largest);
    for (int32_t r = 0; r < part->result_count; r++) {
        const expr_node *node = &program->nodes[program->results[part->results[r]]];
        may &= tosajit_type_size(node->type.element) == n->largest;
    }
    return may;
}

/* Few light ops are bound by memory, so they have ends. What is aligned then is memory: a vector of
 * NEON is as long as a pair of registers, which one instruction loads or stores. On x86 one of f16
 * is as long as what is converted at once, since one instruction converts and stores it: of two,
 * put together before, a sum takes 1.25 times as long. LLVM stores what it has divided in any
 * order. Of vectors that are part of a cache line, that takes up to twice as long where lines come
 * from L2; so ends want these apart. */
static void choose_ends(const plan_part *part, const tosajit_expr *program, const part_nodes *n,
                        const cpu_level *level, loop_choice *c) {
    enum { MOST_ENDS = 12 };
    c->ends = c->heavy == 0 && c->light <= MOST_ENDS;
    const bool alone =
        (n->f16 && level->vector_bytes > 16) || (n->bf16 && level->vector_bytes >= LINE);
    c->apart =
        c->ends && (level->vector_bytes < LINE || alone) && may_be_apart(part, program, n, level);
    c->ends &= c->apart || level->vector_bytes >= LINE;
    const unsigned lane_bytes = alone ? n->widest : n->largest;
    for (; c->ends && c->unroll > 2 && c->lanes * lane_bytes < level->access_bytes; c->unroll /= 2)
        c->lanes *= 2;
}

/* Whether a few ops, as `rescale` is one, make bytes in lanes of 32 bits: then four vectors are
 * packed to one. */
static bool packs_bytes(const plan_part *part, const tosajit_expr *program, const part_nodes *n) {
    enum { MOST_HEAVY = 4 };
    bool packs = n->heavy > 0 && n->heavy <= MOST_HEAVY && !n->is_long && n->widest == 4;
    for (int32_t r = 0; r < part->result_count; r++)
        packs &= program->nodes[program->results[part->results[r]]].type.element == TOSAJIT_I8;
    return packs;
}

/* Rows without ends have a tail, unless they are known to be whole vectors. It is masked where
 * masks are free, or cost little beside the ops: on AVX2 not in rows with ends, since Zen takes 3
 * ns for a masked store. Up to two vectors remain where the wide loop takes two, four where it
 * packs four; then a masked tail is a loop. */
loop_choice loop_choose(const plan *p, int32_t part, const tosajit_expr *program,
                        const cpu_level *level) {
    const part_nodes n = count_nodes(p, part, program, level);
    loop_choice c = {.tail = TOSAJIT_TAIL_NONE, .heavy = n.heavy, .light = n.light};
    c.lanes = level->vector_bytes / n.widest;
    /* Each op of a chain waits for the one before, so that longer ones need a second vector, too;
     * many operands spill with it. */
    const unsigned most_heavy = 16, most_light = p->parts[part].leaf_count > 8 ? 24 : 96;
    c.unroll = c.heavy > most_heavy || c.light > most_light ? 1 : c.heavy || c.light > 8 ? 2 : 4;
    /* Each row writes its patterns anew, and they are as long as a step. */
    if (c.unroll == 4 && has_patterns(&p->parts[part])) c.unroll = 2;
    if (n.full > 0 && n.full == n.heavy + n.light) c.unroll = 1;
    const bool packs = packs_bytes(&p->parts[part], program, &n);
    if (packs) c.unroll = 4;
    choose_ends(&p->parts[part], program, &n, level, &c);
    const int64_t multiple = p->parts[part].cols_multiple;
    const bool masked = level->mask_bytes && level->mask_bytes <= n.narrowest &&
                        (c.heavy || level->mask_bytes == 1);
    if (multiple % c.lanes != 0) c.tail = masked ? TOSAJIT_TAIL_MASKED : TOSAJIT_TAIL_OVERLAP;
    c.has_single = c.ends;
    const bool whole = multiple % (c.lanes * c.unroll) == 0;
    if (c.ends || whole) return c;
    c.shared = c.tail != TOSAJIT_TAIL_NONE && n.is_long &&
               (c.tail == TOSAJIT_TAIL_OVERLAP || c.lanes * c.unroll <= LOOP_MAX_MASK);
    const unsigned most_masked = packs ? 4 : 2;
    c.has_single =
        !c.shared && (c.unroll > most_masked || (c.unroll > 1 && c.tail != TOSAJIT_TAIL_MASKED));
    return c;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Making instructions: the ops of each part become instructions, and what they compute gets slots.
 * A slot is used again as soon as nobody reads it any more, by the next instruction if both are
 * equally large. Two ops become one instruction where nothing else reads the first one's result,
 * and the library has code for the pair: then it stays in a register. */
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/base/types.h"
#include "runtime/expr/convert.h"
#include "runtime/expr/ops.h"
#include "runtime/precompiled/precompiled.h"

enum { NEVER = -1, TILE_MOST = 2048, TILE_UNIT = 64 };

/* Facts about a node of the program while a part is made. */
typedef struct node_state {
    precompiled_value value;
    int64_t last_use; /* the last node whose instruction reads it; of results, the one behind all */
    int64_t uses;     /* operands and results that it is */
    tosajit_value
        partner; /* that the same instruction computes: an operand, or a user; NEVER: none */
} node_state;

/* An instruction to be made: a node, and the node before it that makes a pair with it. */
typedef struct instruction_job {
    const expr_node *first, *node; /* first: null but for a pair */
    int position;                  /* of the first's result among the node's operands */
    int64_t number;                /* of the node */
    int count;
    tosajit_value reads[TOSAJIT_MAX_OPERANDS];
} instruction_job;

/* Facts while a part is made. */
typedef struct maker {
    const tosajit_kernel *kernel;
    const rows_library *library;
    int level;
    precompiled *m;
    precompiled_part *part;
    const plan_part *plan;
    node_state *nodes;
    uint32_t *free_slots; /* a stack */
    size_t free_count;
    uint32_t slot_count;
    int64_t widest;                                /* element of a slot */
    size_t instructions, copies, folds, constants; /* taken from m's */
} maker;

static const expr_node *node_at(const maker *mk, tosajit_value value) {
    return &mk->kernel->program->nodes[value];
}

/* ---------------------------------------------------------------------------------------------
 * Slots */

static uint32_t take_slot(maker *mk) {
    return mk->free_count ? mk->free_slots[--mk->free_count] : mk->slot_count++;
}

static bool ends_here(const maker *mk, tosajit_value value, int64_t number) {
    const node_state *n = &mk->nodes[value];
    return n->value.place == PLACE_SLOT && n->last_use == number;
}

static operand_role role_of(const instruction_job *job, int o) {
    return job->first ? ROLE_DATA : expr_role(job->node, o);
}

/* An operand whose slot the result may take: no later instruction reads it, and it varies as the
 * result does. So each element is written where it was read. */
static tosajit_value successor_of(const maker *mk, const instruction_job *job,
                                  const precompiled_value *to) {
    for (int o = 0; o < job->count; o++) {
        const precompiled_value *v = &mk->nodes[job->reads[o]].value;
        if (role_of(job, o) == ROLE_DATA && ends_here(mk, job->reads[o], job->number) &&
            v->leaves == to->leaves && v->size == to->size)
            return job->reads[o];
    }
    return NEVER;
}

/* A slot for what the instruction computes; then those of operands that are not read again are
 * free. */
static uint32_t assign_slot(maker *mk, const instruction_job *job, const precompiled_value *to) {
    const tosajit_value successor = successor_of(mk, job, to);
    const uint32_t slot = successor == NEVER ? take_slot(mk) : mk->nodes[successor].value.index;
    for (int o = 0; o < job->count; o++) {
        node_state *n = &mk->nodes[job->reads[o]];
        if (!ends_here(mk, job->reads[o], job->number)) continue;
        if (n->value.index != slot) mk->free_slots[mk->free_count++] = n->value.index;
        n->last_use = NEVER; /* an operand may be named twice */
    }
    if (to->size > mk->widest) mk->widest = to->size;
    return slot;
}

/* ---------------------------------------------------------------------------------------------
 * Instructions */

static precompiled_value leaf_value(const maker *mk, tosajit_value value, bool table) {
    precompiled_value v = {.place = table ? PLACE_TABLE : PLACE_LEAF, .result = -1};
    v.size = (uint8_t)tosajit_type_size(node_at(mk, value)->type.element);
    for (int32_t k = 0; k < mk->plan->leaf_count; k++)
        if (mk->plan->leaves[k].value == value && mk->plan->leaves[k].table == table) {
            v.index = (uint32_t)k;
            v.leaves = table ? 0 : UINT64_C(1) << k;
        }
    return v;
}

/* The value of a node that is no op, for its readers. */
static precompiled_value source_value(const maker *mk, tosajit_value value) {
    const expr_node *node = node_at(mk, value);
    if (node->kind == NODE_CONSTANT && node->splat)
        return (precompiled_value){.place = PLACE_CONSTANT,
                                   .size = (uint8_t)node->data_size,
                                   .result = -1,
                                   .constant = node->data};
    return leaf_value(mk, value, false);
}

/* An attribute as an element, for code that takes it as an operand. */
static precompiled_value own_constant(maker *mk, tosajit_type type, cell value) {
    uint64_t *place = &mk->m->constants[mk->constants++];
    *place = convert_encode(type, value);
    return (precompiled_value){.place = PLACE_CONSTANT,
                               .size = (uint8_t)tosajit_type_size(type),
                               .result = -1,
                               .constant = place};
}

/* Parameters that the node has as attributes, if the code wants them. */
static void add_attributes(maker *mk, const expr_node *node, const rows_use *use,
                           precompiled_instruction *s) {
    if (!use->has_parameters || node->operand_count > op_table[node->op].arity) return;
    const tosajit_attributes *a = &node->attributes;
    const bool limits = op_table[node->op].attributes & ATTRIBUTE_MIN_MAX;
    const bool shift = op_table[node->op].attributes & ATTRIBUTE_SHIFT;
    const cell values[2] = {
        {.i = limits  ? a->min_val.i
              : shift ? a->shift
                      : a->input_zp},
        {.i = limits ? a->max_val.i : a->output_zp},
    };
    _Static_assert(sizeof(cell) >= sizeof(tosajit_scalar), "a cell holds limits of any type");
    for (int k = 0; k < rows_parameter_count(node->op); k++)
        s->operands[s->operand_count++] = own_constant(mk, rows_parameter_type(use, k), values[k]);
}

static void read_operands(const maker *mk, const instruction_job *job, precompiled_instruction *s) {
    s->operand_count = job->count;
    for (int o = 0; o < job->count; o++) {
        const tosajit_value value = job->reads[o];
        s->operands[o] =
            role_of(job, o) == ROLE_TABLE ? leaf_value(mk, value, true) : mk->nodes[value].value;
        if (s->operands[o].place != PLACE_CONSTANT) s->to.leaves |= s->operands[o].leaves;
    }
}

/* The row that a node asks for. TOSA gives every mul a shift and every negate zero points; but they
 * change only products of i32 and negatives of i8, so that other code takes none. */
static rows_use use_of(const maker *mk, const expr_node *node) {
    rows_use use = rows_of(mk->kernel->program, node);
    const uint32_t taken = op_table[node->op].attributes;
    if (taken & ATTRIBUTE_SHIFT && use.operand != TOSAJIT_I32) use.has_parameters = false;
    if (taken & ATTRIBUTE_ZERO_POINTS && use.operand != TOSAJIT_I8) use.has_parameters = false;
    return use;
}

/* The operands of a node that its code reads: all, or those of data. */
static int read_count(const maker *mk, const expr_node *node) {
    return use_of(mk, node).has_parameters ? node->operand_count : op_table[node->op].arity;
}

/* Operands of a node's instruction; of a pair what the first reads, then what else the second
 * does. */
static instruction_job job_of(const maker *mk, const expr_node *node, int64_t number,
                              tosajit_value partner) {
    instruction_job job = {.node = node, .number = number, .position = ROWS_SINGLE};
    if (partner != NEVER) {
        job.first = node_at(mk, partner);
        for (int o = 0; o < read_count(mk, job.first); o++)
            job.reads[job.count++] = job.first->operands[o];
    }
    for (int o = 0; o < read_count(mk, node); o++)
        if (partner != NEVER && node->operands[o] == partner)
            job.position = o;
        else
            job.reads[job.count++] = node->operands[o];
    return job;
}

/* The row of a node, or of a pair. */
static rows_code code_of(const maker *mk, const expr_node *first, const expr_node *node,
                         int position) {
    const rows_use use = use_of(mk, node);
    if (!first) return (rows_code){.first = use, .position = ROWS_SINGLE};
    return (rows_code){use_of(mk, first), use, position};
}

/* The instruction of a job; *value is what it computes. */
static tosajit_status add_instruction(maker *mk, const instruction_job *job,
                                      precompiled_value *value) {
    precompiled_instruction *s = &mk->m->instructions[mk->instructions++];
    const rows_code code = code_of(mk, job->first, job->node, job->position);
    *s = (precompiled_instruction){.to = {.place = PLACE_SLOT, .result = -1}};
    mk->part->instruction_count++;
    mk->part->pair_count += job->first != NULL;
    read_operands(mk, job, s);
    s->to.size = (uint8_t)tosajit_type_size(job->node->type.element);
    s->whole = job->node->attributes.per_channel;
    if (job->first) add_attributes(mk, job->first, &code.first, s);
    add_attributes(mk, job->node, job->first ? &code.second : &code.first, s);
    s->to.index = assign_slot(mk, job, &s->to);
    *value = s->to;
    s->code = rows_find(mk->library, mk->level, rows_key(&code));
    if (s->code) return TOSAJIT_OK;
    return diag_error(TOSAJIT_NOT_EXECUTABLE, "there is no precompiled code for tosa.%s",
                      op_table[job->node->op].name);
}

/* ---------------------------------------------------------------------------------------------
 * Results */

static bool is_leaf(const precompiled_value *v) { return v->place <= PLACE_TABLE; }

static bool reads_leaf(const precompiled_instruction *s) {
    for (int o = 0; o < s->operand_count; o++)
        if (is_leaf(&s->operands[o])) return true;
    return false;
}

/* From which instruction on nothing of a tile reads an operand any more, so that a result, which
 * may be in the same memory, can be written. A tile is computed in this order, which is run.c's:
 *
 *     instructions    read operands and slots, write slots, and from here on results
 *     folds           read operands and slots
 *     copies          read slots, write results
 */
static size_t first_writer(const maker *mk, const precompiled_instruction *instructions) {
    size_t first = 0;
    for (size_t k = 0; k < mk->part->instruction_count; k++)
        if (reads_leaf(&instructions[k])) first = k;
    for (size_t k = 0; k < mk->part->fold_count; k++)
        if (is_leaf(&mk->part->folds[k].from)) first = mk->part->instruction_count;
    return first;
}

/* A value that is no op's is brought into a slot first, because its memory may be a result's. */
static tosajit_status add_source_copy(maker *mk, tosajit_value value, precompiled_value *copy) {
    const expr_node *source = node_at(mk, value);
    const expr_node identity = {.kind = NODE_OP,
                                .op = TOSAJIT_OP_identity,
                                .operand_count = 1,
                                .operands = {value},
                                .type = source->type};
    const instruction_job job = job_of(mk, &identity, INT64_MAX - 1, NEVER);
    return add_instruction(mk, &job, copy);
}

/* The operand of a reduction, as its accumulator's type: f16 and bf16 are cast to f32 before. */
static tosajit_status add_fold(maker *mk, int32_t r) {
    const expr_node *node = node_at(mk, mk->plan->values[r]);
    if (mk->part->fold_count == PRECOMPILED_FOLDS)
        return diag_error(TOSAJIT_NOT_EXECUTABLE,
                          "precompiled code has no more than %d reductions in a pass",
                          PRECOMPILED_FOLDS);
    precompiled_fold *made = &mk->m->folds[mk->folds++];
    const tosajit_type type = reduce_element(mk->kernel->program, node),
                       own = reduce_accumulator(type);
    made->result = r;
    made->from = mk->nodes[node->operands[0]].value;
    mk->part->fold_count++;
    tosajit_status status =
        fold_make(node, own, plan_reduces_columns(mk->plan), mk->library, mk->level, &made->how);
    if (!status && node->op == TOSAJIT_OP_reduce_count) {
        made->from = own_constant(mk, own, type_is_float(own) ? (cell){.f = 1} : (cell){.i = 1});
    } else if (!status && type != own) {
        const expr_node wide = {.kind = NODE_OP,
                                .op = TOSAJIT_OP_cast,
                                .operand_count = 1,
                                .operands = {node->operands[0]},
                                .type = {own, node->type.rank, {0}}};
        const instruction_job job = job_of(mk, &wide, INT64_MAX - 1, NEVER);
        status = add_instruction(mk, &job, &made->from);
    }
    return status;
}

/* Every result is a copy at the end of a tile, or a fold; which of them an instruction writes
 * itself comes later. */
static tosajit_status add_copies(maker *mk) {
    mk->part->copies = &mk->m->copies[mk->copies];
    mk->part->folds = &mk->m->folds[mk->folds];
    for (int32_t r = 0; r < mk->plan->result_count; r++) {
        const tosajit_value value = mk->plan->values[r];
        precompiled_value from = mk->nodes[value].value;
        tosajit_status status = TOSAJIT_OK;
        if (mk->plan->reductions >> r & 1)
            status = add_fold(mk, r);
        else if (!node_is_computed(node_at(mk, value)))
            status = add_source_copy(mk, value, &from);
        if (status) return status;
        if (mk->plan->reductions >> r & 1) continue;
        mk->m->copies[mk->copies++] = (precompiled_copy){from, r};
        mk->part->copy_count++;
    }
    return TOSAJIT_OK;
}

/* Let the instruction that computes a result write it, where nothing behind it reads an operand.
 * Slots of results are not used again, so the slot names the value. */
static void write_directly(maker *mk) {
    precompiled_instruction *instructions =
        &mk->m->instructions[mk->instructions - mk->part->instruction_count];
    const size_t count = mk->part->instruction_count, first = first_writer(mk, instructions);
    for (size_t c = 0; c < mk->part->copy_count; c++) {
        precompiled_copy *copy = &mk->m->copies[mk->copies - mk->part->copy_count + c];
        size_t writer = count;
        while (writer-- > 0 && instructions[writer].to.index != copy->from.index) continue;
        if (writer < first || instructions[writer].to.result >= 0) continue;
        instructions[writer].to.result = (int16_t)copy->result;
    }
    for (size_t c = 0; c < mk->part->copy_count; c++) {
        precompiled_copy *copy = &mk->m->copies[mk->copies - mk->part->copy_count + c];
        size_t writer = count;
        while (writer-- > 0 && instructions[writer].to.index != copy->from.index) continue;
        copy->from.result = instructions[writer].to.result;
        for (size_t k = writer + 1; k < count; k++)
            for (int o = 0; o < instructions[k].operand_count; o++) {
                precompiled_value *v = &instructions[k].operands[o];
                if (v->place == PLACE_SLOT && v->index == copy->from.index)
                    v->result = copy->from.result;
            }
        for (size_t k = 0; k < mk->part->fold_count; k++) {
            precompiled_value *v = &mk->m->folds[mk->folds - mk->part->fold_count + k].from;
            if (v->place == PLACE_SLOT && v->index == copy->from.index)
                v->result = copy->from.result;
        }
    }
}

/* ---------------------------------------------------------------------------------------------
 * Parts */

static bool is_instruction(const maker *mk, size_t k, int32_t part) {
    const expr_node *node = &mk->kernel->program->nodes[k];
    return node_is_computed(node) && !node_reduces(node) &&
           mk->kernel->plan.node_parts[k] >> part & 1;
}

/* The value that an element of the tile is for result r: the value, or what is reduced to it. */
static tosajit_value element_of(const maker *mk, int32_t r) {
    const tosajit_value value = mk->plan->values[r];
    return mk->plan->reductions >> r & 1 ? node_at(mk, value)->operands[0] : value;
}

static void count_uses(maker *mk, int32_t part) {
    const tosajit_expr *program = mk->kernel->program;
    for (size_t k = 0; k < program->count; k++)
        mk->nodes[k] = (node_state){.last_use = NEVER, .partner = NEVER};
    for (size_t k = 0; k < program->count; k++)
        for (int o = 0; is_instruction(mk, k, part) && o < program->nodes[k].operand_count; o++)
            mk->nodes[program->nodes[k].operands[o]].uses++;
    for (int32_t r = 0; r < mk->plan->result_count; r++)
        mk->nodes[element_of(mk, r)].uses += 2; /* nobody's alone */
}

/* Pair the node with an operand that nobody else reads, and that is not paired yet, if there is
 * code for both. */
static void find_partner(maker *mk, size_t k, int32_t part) {
    const expr_node *node = &mk->kernel->program->nodes[k];
    for (int o = 0; o < read_count(mk, node); o++) {
        const tosajit_value value = node->operands[o];
        const node_state *n = &mk->nodes[value];
        if (!is_instruction(mk, (size_t)value, part) || n->uses != 1 || n->partner != NEVER)
            continue;
        const rows_code code = code_of(mk, node_at(mk, value), node, o);
        if (!rows_find(mk->library, mk->level, rows_key(&code))) continue;
        mk->nodes[value].partner = (tosajit_value)k;
        mk->nodes[k].partner = value;
        return;
    }
}

/* True if another node's instruction computes this one, too. */
static bool is_first(const maker *mk, size_t k) {
    return mk->nodes[k].partner != NEVER && (size_t)mk->nodes[k].partner > k;
}

/* Whose instruction reads each node last. */
static void find_last_uses(maker *mk, int32_t part) {
    const tosajit_expr *program = mk->kernel->program;
    for (size_t k = 0; k < program->count; k++) {
        const int64_t reader = is_first(mk, k) ? mk->nodes[k].partner : (int64_t)k;
        for (int o = 0; is_instruction(mk, k, part) && o < program->nodes[k].operand_count; o++) {
            int64_t *last = &mk->nodes[program->nodes[k].operands[o]].last_use;
            if (*last < reader) *last = reader;
        }
    }
    for (int32_t r = 0; r < mk->plan->result_count; r++)
        mk->nodes[element_of(mk, r)].last_use = INT64_MAX;
}

/* As many elements as the slots have room for. */
static tosajit_status size_tile(maker *mk) {
    precompiled_part *part = mk->part;
    const uint32_t slots = mk->slot_count ? mk->slot_count : 1; /* a fold may read operands alone */
    const int64_t each = slots * mk->widest,
                  state = (int64_t)(part->fold_count * sizeof(fold_state)),
                  room = state < PRECOMPILED_SCRATCH * 2 / 3 ? PRECOMPILED_SCRATCH - state
                                                             : PRECOMPILED_SCRATCH / 3;
    int64_t tile = (room < TILE_UNIT * each ? PRECOMPILED_SCRATCH : room) / each;
    if (tile > TILE_MOST) tile = TILE_MOST;
    if (tile > TILE_UNIT) tile -= tile % TILE_UNIT;
    if (tile == 0)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                          "%u intermediate values live at once, which no tile has room for",
                          (unsigned)mk->slot_count);
    part->tile = tile;
    part->slots = slots;
    part->widest = mk->widest;
    return TOSAJIT_OK;
}

/* True if the part reads what an earlier one has computed. */
static bool is_carried(const maker *mk, tosajit_value value) {
    bool is = false;
    for (int32_t k = mk->plan->leaf_count - mk->plan->carried_count; k < mk->plan->leaf_count; k++)
        is |= mk->plan->leaves[k].value == value;
    return is;
}

static tosajit_status make_instructions(maker *mk, int32_t index) {
    const tosajit_expr *program = mk->kernel->program;
    precompiled_part *part = mk->part = &mk->m->parts[index];
    mk->plan = &mk->kernel->plan.parts[index];
    mk->free_count = mk->slot_count = 0;
    mk->widest = 1;
    part->instructions = &mk->m->instructions[mk->instructions];
    part->leaf_count = mk->plan->leaf_count;
    part->result_count = mk->plan->result_count;
    part->tables = plan_tables(mk->plan);
    count_uses(mk, index);
    for (size_t k = 0; k < program->count; k++)
        if (is_instruction(mk, k, index)) find_partner(mk, k, index);
    find_last_uses(mk, index);
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < program->count; k++) {
        if (!node_is_computed(&program->nodes[k]))
            mk->nodes[k].value = source_value(mk, (tosajit_value)k);
        if (is_carried(mk, (tosajit_value)k))
            mk->nodes[k].value = leaf_value(mk, (tosajit_value)k, false);
        if (!is_instruction(mk, k, index) || is_first(mk, k)) continue;
        const instruction_job job =
            job_of(mk, &program->nodes[k], (int64_t)k, mk->nodes[k].partner);
        status = add_instruction(mk, &job, &mk->nodes[k].value);
    }
    if (!status) status = add_copies(mk);
    if (!status) status = size_tile(mk);
    if (!status) write_directly(mk);
    return status;
}

/* True if a part's only instruction takes its leaves in their order and writes its only result:
 * then a run can call the op's code itself. That has no loop for rows in which all operands repeat,
 * and, of one operand, none for planes. */
static bool is_direct(const precompiled_part *part, const plan_part *plan) {
    const precompiled_instruction *s = part->instructions;
    if (part->instruction_count != 1 || part->copy_count != 1 || part->fold_count ||
        s->operand_count != plan->leaf_count || (plan->has_planes && plan->leaf_count == 1))
        return false;
    for (int o = 0; o < s->operand_count; o++)
        if (s->operands[o].place > PLACE_TABLE || s->operands[o].index != (uint32_t)o) return false;
    const uint64_t data = (~UINT64_C(0) >> (64 - plan->leaf_count)) & ~part->tables;
    for (int32_t v = 0; v < plan->variant_count; v++)
        if ((plan->variants[v].splat & data) == data ||
            (s->whole && (plan->variants[v].splat | plan->variants[v].either) & 1))
            return false;
    return true;
}

static tosajit_status make_parts(maker *mk, tosajit_kernel *kernel) {
    for (int32_t p = 0; p < kernel->plan.part_count; p++) {
        if (plan_is_bare(&kernel->plan.parts[p])) continue;
        tosajit_status status = make_instructions(mk, p);
        if (status) return status;
    }
    const bool masked = features_masked(mk->library->features[mk->level]);
    for (int32_t p = 0; p < kernel->plan.part_count; p++) {
        precompiled_part *part = &mk->m->parts[p];
        if (plan_is_bare(&kernel->plan.parts[p])) continue;
        const bool direct = is_direct(part, &kernel->plan.parts[p]);
        const tosajit_entry run = part->fold_count ? precompiled_reduce : precompiled_run;
        mk->m->code_parts[p] = direct ? (code_part){part->instructions[0].code, NULL, masked, true}
                                      : (code_part){run, part, masked, false};
    }
    return TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Memory */

static void count_room(const tosajit_kernel *kernel, precompiled *m) {
    const plan *p = &kernel->plan;
    for (int32_t k = 0; k < p->part_count; k++) m->copy_room += (size_t)p->parts[k].result_count;
    m->instruction_room = m->fold_room =
        m->copy_room; /* a result may need an instruction of its own */
    for (size_t k = 0; k < kernel->program->count; k++) {
        if (!node_is_computed(&kernel->program->nodes[k])) continue;
        size_t uses = 0; /* a value may be computed in several parts */
        for (uint64_t parts = p->node_parts[k]; parts; parts &= parts - 1) uses++;
        m->instruction_room += uses;
        m->constant_room += uses * 2;
    }
    m->constant_room += 1 + m->fold_room; /* no array is empty */
}

void precompiled_destroy(const tosajit_kernel *kernel, precompiled *m) {
    if (!m) return;
    const tosajit_allocator *allocator = &kernel->allocator;
    const size_t parts = (size_t)kernel->plan.part_count;
    memory_free(allocator, m->parts, parts, sizeof *m->parts);
    memory_free(allocator, m->code_parts, parts, sizeof *m->code_parts);
    memory_free(allocator, m->instructions, m->instruction_room, sizeof *m->instructions);
    memory_free(allocator, m->copies, m->copy_room, sizeof *m->copies);
    memory_free(allocator, m->folds, m->fold_room, sizeof *m->folds);
    memory_free(allocator, m->constants, m->constant_room, sizeof *m->constants);
    memory_free(allocator, m, 1, sizeof *m);
}

static precompiled *new_precompiled(const tosajit_kernel *kernel) {
    const tosajit_allocator *allocator = &kernel->allocator;
    const size_t parts = (size_t)kernel->plan.part_count;
    precompiled *m = memory_new(allocator, 1, sizeof *m);
    if (!m) return NULL;
    count_room(kernel, m);
    m->parts = memory_new(allocator, parts, sizeof *m->parts);
    m->code_parts = memory_new(allocator, parts, sizeof *m->code_parts);
    m->instructions = memory_new(allocator, m->instruction_room, sizeof *m->instructions);
    m->copies = memory_new(allocator, m->copy_room, sizeof *m->copies);
    m->folds = memory_new(allocator, m->fold_room, sizeof *m->folds);
    m->constants = memory_new(allocator, m->constant_room, sizeof *m->constants);
    if (m->parts && m->code_parts && m->instructions && m->copies && m->folds && m->constants)
        return m;
    precompiled_destroy(kernel, m);
    return NULL;
}

/* With room for what is needed only while it is made. */
static tosajit_status make_with(maker *mk, tosajit_kernel *kernel) {
    const tosajit_allocator *allocator = &kernel->allocator;
    const size_t nodes = kernel->program->count, slots = mk->m->instruction_room;
    mk->nodes = memory_new(allocator, nodes, sizeof *mk->nodes);
    mk->free_slots = memory_new(allocator, slots, sizeof *mk->free_slots);
    tosajit_status status = TOSAJIT_OUT_OF_MEMORY;
    if (mk->nodes && mk->free_slots) {
        fpenv environment;
        fpenv_hold(&environment); /* limits become elements */
        status = make_parts(mk, kernel);
        fpenv_restore(&environment);
    } else {
        diag_error(status, "out of memory for the instructions of a kernel");
    }
    memory_free(allocator, mk->nodes, nodes, sizeof *mk->nodes);
    memory_free(allocator, mk->free_slots, slots, sizeof *mk->free_slots);
    return status;
}

tosajit_status precompiled_make(tosajit_kernel *kernel, const rows_library *library, int level,
                                precompiled **made) {
    precompiled *m = new_precompiled(kernel);
    if (!m)
        return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the instructions of a kernel");
    maker mk = {.kernel = kernel, .library = library, .level = level, .m = m};
    tosajit_status status = make_with(&mk, kernel);
    if (status) {
        precompiled_destroy(kernel, m);
        return status;
    }
    m->code.parts = m->code_parts;
    m->code.precompiled = true;
    m->code.info.size = sizeof m->code.info;
    m->code.features = library->features[level];
    m->code.image.machine = features_machine();
    *made = m;
    return TOSAJIT_OK;
}

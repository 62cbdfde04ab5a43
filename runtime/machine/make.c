/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Making a machine: the ops of each part become steps, and what they compute gets slots. A slot is
 * used again as soon as nobody reads it any more, by the next step if both are equally large. */
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/base/fpenv.h"
#include "runtime/base/memory.h"
#include "runtime/expr/convert.h"
#include "runtime/expr/ops.h"
#include "runtime/machine/machine.h"

enum { NEVER = -1, TILE_MOST = 2048, TILE_UNIT = 64 };

/* What is known while a part is made. */
typedef struct maker {
    const tosajit_kernel *kernel;
    const rows_library *library;
    int level;
    machine *m;
    machine_part *part;
    const plan_part *plan;
    machine_value *values; /* of nodes */
    int64_t *last_uses;    /* steps; of results, the one behind all */
    uint32_t *free_slots;  /* a stack */
    size_t free_count;
    uint32_t slot_count;
    int64_t widest;                  /* element of a slot */
    size_t steps, copies, constants; /* taken from m's */
} maker;

static const expr_node *node_at(const maker *mk, tosajit_value value) {
    return &mk->kernel->program->nodes[value];
}

/* ---------------------------------------------------------------------------------------------
 * Slots */

static uint32_t take_slot(maker *mk) {
    return mk->free_count ? mk->free_slots[--mk->free_count] : mk->slot_count++;
}

static bool ends_here(const maker *mk, tosajit_value value, int64_t step) {
    return mk->values[value].place == PLACE_SLOT && mk->last_uses[value] == step;
}

/* An operand whose slot the result may take: nobody reads it later, and it varies as the result
 * does, so that each element is written where it was read. */
static tosajit_value successor_of(const maker *mk, const expr_node *node, uint64_t leaves,
                                  size_t size, int64_t step) {
    for (int o = 0; o < node->operand_count; o++) {
        const machine_value *v = &mk->values[node->operands[o]];
        if (expr_role(node, o) == ROLE_DATA && ends_here(mk, node->operands[o], step) &&
            v->leaves == leaves && v->size == size)
            return node->operands[o];
    }
    return NEVER;
}

/* A slot for what the step computes; then those of operands that are not read again are free. */
static uint32_t assign_slot(maker *mk, const expr_node *node, const machine_value *to,
                            int64_t step) {
    const tosajit_value successor = successor_of(mk, node, to->leaves, to->size, step);
    const uint32_t slot = successor == NEVER ? take_slot(mk) : mk->values[successor].index;
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_value value = node->operands[o];
        if (!ends_here(mk, value, step)) continue;
        if (mk->values[value].index != slot)
            mk->free_slots[mk->free_count++] = mk->values[value].index;
        mk->last_uses[value] = NEVER; /* an operand may be named twice */
    }
    if (to->size > mk->widest) mk->widest = to->size;
    return slot;
}

/* ---------------------------------------------------------------------------------------------
 * Steps */

static machine_value leaf_value(const maker *mk, tosajit_value value, bool table) {
    machine_value v = {.place = table ? PLACE_TABLE : PLACE_LEAF, .result = -1};
    v.size = (uint8_t)tosajit_type_size(node_at(mk, value)->type.element);
    for (int32_t k = 0; k < mk->plan->leaf_count; k++)
        if (mk->plan->leaves[k].value == value && mk->plan->leaves[k].table == table) {
            v.index = (uint32_t)k;
            v.leaves = table ? 0 : UINT64_C(1) << k;
        }
    return v;
}

/* What a node that is no op is to those who read it. */
static machine_value source_value(const maker *mk, tosajit_value value) {
    const expr_node *node = node_at(mk, value);
    if (node->kind == NODE_CONSTANT && node->splat)
        return (machine_value){.place = PLACE_CONSTANT,
                               .size = (uint8_t)node->data_size,
                               .result = -1,
                               .constant = node->data};
    return leaf_value(mk, value, false);
}

/* An attribute as an element, for code that takes it as an operand. */
static machine_value own_constant(maker *mk, tosajit_type type, cell value) {
    uint64_t *place = &mk->m->constants[mk->constants++];
    *place = convert_encode(type, value);
    return (machine_value){.place = PLACE_CONSTANT,
                           .size = (uint8_t)tosajit_type_size(type),
                           .result = -1,
                           .constant = place};
}

/* Parameters that the node has as attributes. */
static void add_attributes(maker *mk, const expr_node *node, const rows_use *use, machine_step *s) {
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

static void read_operands(const maker *mk, const expr_node *node, machine_step *s) {
    s->operand_count = node->operand_count;
    for (int o = 0; o < node->operand_count; o++) {
        const tosajit_value value = node->operands[o];
        s->operands[o] =
            expr_role(node, o) == ROLE_TABLE ? leaf_value(mk, value, true) : mk->values[value];
        s->to.leaves |= s->operands[o].leaves;
    }
}

static tosajit_status find_code(const maker *mk, const expr_node *node, const rows_use *use,
                                machine_step *s) {
    s->code = rows_find(mk->library, mk->level, rows_key(use));
    if (s->code) return TOSAJIT_OK;
    return diag_error(TOSAJIT_NOT_EXECUTABLE, "there is no precompiled code for tosa.%s",
                      op_table[node->op].name);
}

/* The step of a node; `value` is null for the copy of one that is no op. */
static tosajit_status add_step(maker *mk, const expr_node *node, machine_value *value) {
    const int64_t number = (int64_t)mk->part->step_count;
    machine_step *s = &mk->m->steps[mk->steps++];
    const rows_use use = rows_of(mk->kernel->program, node);
    *s = (machine_step){.to = {.place = PLACE_SLOT, .result = -1}};
    mk->part->step_count++;
    read_operands(mk, node, s);
    s->to.size = (uint8_t)tosajit_type_size(node->type.element);
    s->whole = node->attributes.per_channel;
    if (use.has_parameters && node->operand_count == op_table[node->op].arity)
        add_attributes(mk, node, &use, s);
    s->to.index = assign_slot(mk, node, &s->to, number);
    *value = s->to;
    return find_code(mk, node, &use, s);
}

/* ---------------------------------------------------------------------------------------------
 * Results */

static bool reads_leaf(const machine_step *s) {
    for (int o = 0; o < s->operand_count; o++)
        if (s->operands[o].place <= PLACE_TABLE) return true;
    return false;
}

/* A value that is no op's is brought into a slot first, because its memory may be a result's. */
static tosajit_status add_source_copy(maker *mk, tosajit_value value, machine_value *copy) {
    const expr_node *source = node_at(mk, value);
    const expr_node identity = {.kind = NODE_OP,
                                .op = TOSAJIT_OP_identity,
                                .operand_count = 1,
                                .operands = {value},
                                .type = source->type};
    return add_step(mk, &identity, copy);
}

/* Every result is a copy at the end of a tile; which of them a step writes itself comes later. */
static tosajit_status add_copies(maker *mk) {
    mk->part->copies = &mk->m->copies[mk->copies];
    for (int32_t r = 0; r < mk->plan->result_count; r++) {
        const tosajit_value value = mk->kernel->program->results[mk->plan->results[r]];
        machine_value from = mk->values[value];
        tosajit_status status = TOSAJIT_OK;
        if (node_at(mk, value)->kind != NODE_OP) status = add_source_copy(mk, value, &from);
        if (status) return status;
        mk->m->copies[mk->copies++] = (machine_copy){from, r};
        mk->part->copy_count++;
    }
    return TOSAJIT_OK;
}

/* Let the step that computes a result write it, where no later step reads an operand, which may be
 * in the same memory. Slots of results are not used again, so the slot names the value. */
static void write_directly(maker *mk) {
    machine_step *steps = &mk->m->steps[mk->steps - mk->part->step_count];
    const size_t count = mk->part->step_count;
    size_t last_read = 0;
    for (size_t k = 0; k < count; k++)
        if (reads_leaf(&steps[k])) last_read = k;
    for (size_t c = 0; c < mk->part->copy_count; c++) {
        machine_copy *copy = &mk->m->copies[mk->copies - mk->part->copy_count + c];
        size_t writer = count;
        while (writer-- > 0 && steps[writer].to.index != copy->from.index) continue;
        if (writer < last_read || steps[writer].to.result >= 0) continue;
        steps[writer].to.result = (int16_t)copy->result;
    }
    for (size_t c = 0; c < mk->part->copy_count; c++) {
        machine_copy *copy = &mk->m->copies[mk->copies - mk->part->copy_count + c];
        size_t writer = count;
        while (writer-- > 0 && steps[writer].to.index != copy->from.index) continue;
        copy->from.result = steps[writer].to.result;
        for (size_t k = writer + 1; k < count; k++)
            for (int o = 0; o < steps[k].operand_count; o++) {
                machine_value *v = &steps[k].operands[o];
                if (v->place == PLACE_SLOT && v->index == copy->from.index)
                    v->result = copy->from.result;
            }
    }
}

/* ---------------------------------------------------------------------------------------------
 * Parts */

static bool is_step(const maker *mk, size_t k, int32_t part) {
    return mk->kernel->program->nodes[k].kind == NODE_OP &&
           mk->kernel->plan.node_parts[k] >> part & 1;
}

/* Who reads each node last. */
static void find_last_uses(maker *mk, int32_t part) {
    const tosajit_expr *program = mk->kernel->program;
    int64_t step = 0;
    for (size_t k = 0; k < program->count; k++) mk->last_uses[k] = NEVER;
    for (size_t k = 0; k < program->count; k++) {
        if (!is_step(mk, k, part)) continue;
        for (int o = 0; o < program->nodes[k].operand_count; o++)
            mk->last_uses[program->nodes[k].operands[o]] = step;
        step++;
    }
    for (int32_t r = 0; r < mk->plan->result_count; r++)
        mk->last_uses[program->results[mk->plan->results[r]]] = INT64_MAX;
}

/* As many elements as the slots have room for. */
static tosajit_status size_tile(maker *mk) {
    machine_part *part = mk->part;
    int64_t tile = MACHINE_SCRATCH / (mk->slot_count * mk->widest);
    if (tile > TILE_MOST) tile = TILE_MOST;
    if (tile > TILE_UNIT) tile -= tile % TILE_UNIT;
    if (tile == 0)
        return diag_error(TOSAJIT_LIMIT_EXCEEDED,
                          "%u intermediate values live at once, which no tile has room for",
                          (unsigned)mk->slot_count);
    part->tile = tile;
    part->slot_bytes = tile * mk->widest;
    return TOSAJIT_OK;
}

static tosajit_status make_steps(maker *mk, int32_t index) {
    const tosajit_expr *program = mk->kernel->program;
    machine_part *part = mk->part = &mk->m->parts[index];
    mk->plan = &mk->kernel->plan.parts[index];
    mk->free_count = mk->slot_count = 0;
    mk->widest = 1;
    part->steps = &mk->m->steps[mk->steps];
    part->leaf_count = mk->plan->leaf_count;
    part->result_count = mk->plan->result_count;
    part->tables = plan_tables(mk->plan);
    find_last_uses(mk, index);
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < program->count; k++)
        if (is_step(mk, k, index))
            status = add_step(mk, &program->nodes[k], &mk->values[k]);
        else if (program->nodes[k].kind != NODE_OP)
            mk->values[k] = source_value(mk, (tosajit_value)k);
    if (!status) status = add_copies(mk);
    if (!status) status = size_tile(mk);
    if (!status) write_directly(mk);
    return status;
}

/* Whether a part's only step takes its leaves in their order and writes its only result: then a run
 * can call the op's code itself. That has no loop for rows in which all operands repeat. */
static bool is_direct(const machine_part *part, const plan_part *plan) {
    const machine_step *s = part->steps;
    if (part->step_count != 1 || part->copy_count != 1 || s->operand_count != plan->leaf_count)
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
        tosajit_status status = make_steps(mk, p);
        if (status) return status;
    }
    for (int32_t p = 0; p < kernel->plan.part_count; p++) {
        machine_part *part = &mk->m->parts[p];
        const bool direct = is_direct(part, &kernel->plan.parts[p]);
        mk->m->entries[p] = direct ? part->steps[0].code : machine_run;
        kernel->plan.parts[p].machine = direct ? NULL : part;
    }
    return TOSAJIT_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Memory */

static void count_room(const tosajit_kernel *kernel, machine *m) {
    const plan *p = &kernel->plan;
    for (int32_t k = 0; k < p->part_count; k++) m->copy_room += (size_t)p->parts[k].result_count;
    m->step_room = m->copy_room;
    for (size_t k = 0; k < kernel->program->count; k++) {
        if (kernel->program->nodes[k].kind != NODE_OP) continue;
        size_t uses = 0; /* a value may be computed in several parts */
        for (uint64_t parts = p->node_parts[k]; parts; parts &= parts - 1) uses++;
        m->step_room += uses;
        m->constant_room += uses * 2;
    }
    m->constant_room++; /* no array is empty */
}

static void free_machine(const tosajit_kernel *kernel, machine *m) {
    const tosajit_allocator *allocator = &kernel->allocator;
    const size_t parts = (size_t)kernel->plan.part_count;
    memory_free(allocator, m->parts, parts, sizeof *m->parts);
    memory_free(allocator, m->entries, parts, sizeof *m->entries);
    memory_free(allocator, m->steps, m->step_room, sizeof *m->steps);
    memory_free(allocator, m->copies, m->copy_room, sizeof *m->copies);
    memory_free(allocator, m->constants, m->constant_room, sizeof *m->constants);
    memory_free(allocator, m, 1, sizeof *m);
}

static machine *new_machine(const tosajit_kernel *kernel) {
    const tosajit_allocator *allocator = &kernel->allocator;
    const size_t parts = (size_t)kernel->plan.part_count;
    machine *m = memory_new(allocator, 1, sizeof *m);
    if (!m) return NULL;
    count_room(kernel, m);
    m->parts = memory_new(allocator, parts, sizeof *m->parts);
    m->entries = memory_new(allocator, parts, sizeof *m->entries);
    m->steps = memory_new(allocator, m->step_room, sizeof *m->steps);
    m->copies = memory_new(allocator, m->copy_room, sizeof *m->copies);
    m->constants = memory_new(allocator, m->constant_room, sizeof *m->constants);
    if (m->parts && m->entries && m->steps && m->copies && m->constants) return m;
    free_machine(kernel, m);
    return NULL;
}

/* With room for what is needed only while it is made. */
static tosajit_status make_with(maker *mk, tosajit_kernel *kernel) {
    const tosajit_allocator *allocator = &kernel->allocator;
    const size_t nodes = kernel->program->count, slots = mk->m->step_room;
    mk->values = memory_new(allocator, nodes, sizeof *mk->values);
    mk->last_uses = memory_new(allocator, nodes, sizeof *mk->last_uses);
    mk->free_slots = memory_new(allocator, slots, sizeof *mk->free_slots);
    tosajit_status status = TOSAJIT_OUT_OF_MEMORY;
    if (mk->values && mk->last_uses && mk->free_slots) {
        fpenv environment;
        fpenv_hold(&environment); /* limits become elements */
        status = make_parts(mk, kernel);
        fpenv_restore(&environment);
    } else {
        diag_error(status, "out of memory for the steps of a kernel");
    }
    memory_free(allocator, mk->values, nodes, sizeof *mk->values);
    memory_free(allocator, mk->last_uses, nodes, sizeof *mk->last_uses);
    memory_free(allocator, mk->free_slots, slots, sizeof *mk->free_slots);
    return status;
}

tosajit_status machine_make(tosajit_kernel *kernel, const rows_library *library, int level) {
    machine *m = new_machine(kernel);
    if (!m) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the steps of a kernel");
    maker mk = {.kernel = kernel, .library = library, .level = level, .m = m};
    tosajit_status status = make_with(&mk, kernel);
    if (status) {
        free_machine(kernel, m);
        return status;
    }
    m->code.entries = m->entries;
    m->code.precompiled = true;
    m->code.info.size = sizeof m->code.info;
    m->code.features = library->features[level];
    kernel_expect(kernel, m->code.features);
    m->code.image.machine = features_machine();
    kernel->machine = m;
    return TOSAJIT_OK;
}

void machine_release(tosajit_kernel *kernel) {
    if (kernel->machine) free_machine(kernel, kernel->machine);
    kernel->machine = NULL;
}

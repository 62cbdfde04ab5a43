/* Loops: lane counts. Wide vectors, which LLVM splits into several registers, give independent instructions to overlap; the larger
 * the body, the fewer are needed and the sooner they spill. */
#include "runtime/loops.h"

#include <elf.h>

#include "runtime/features.h"
#include "runtime/ops.h"
#include "runtime/types.h"

loop_registers loop_registers_of(uint16_t machine, uint64_t features) {
    static const struct {
        const char *needs;
        loop_registers registers;
    } levels[] = {{"+avx2,+fma,+avx512f,+avx512bw,+avx512dq,+avx512vl", {64, 1, false}}, {"+avx2,+fma", {32, 4, false}}};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        const uint64_t needs = features_of(machine, levels[k].needs);
        if (needs && (features & needs) == needs) return levels[k].registers;
    }
    return (loop_registers){16, 0, machine == EM_AARCH64};
}

/* Bytes per lane of a node at work: narrow floating point is computed in f32, scaled values are of 32 bits, indices take 8 unless the table
 * is in registers. */
static unsigned working_size(const expr_node *node, loop_registers registers) {
    unsigned size = (unsigned)tosajit_type_size(node->type.element);
    bool is_op = node->kind == NODE_OP;
    if (is_op && node->op == TOSAJIT_OP_table) return registers.byte_tables && size == 1 ? 1 : 8;
    bool widens = type_is_float(node->type.element) || (is_op && node->op == TOSAJIT_OP_rescale);
    return widens && size < 4 ? 4 : size;
}

/* A masked tail pays where masks are free, and where a scalar tail would be long. Up to two vectors remain where the wide loop takes
 * two; then the tail is a loop. Where the columns are known to be whole vectors there is none. */
loop_choice loop_choose(const plan *p, int32_t part, const tosajit_expr *program, loop_registers registers) {
    unsigned widest = 1, narrowest = 8;
    bool is_long = false;
    loop_choice c = {.tail = TOSAJIT_TAIL_NONE};
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!(p->node_parts[k] >> part & 1)) continue;
        unsigned size = working_size(node, registers), stored = (unsigned)tosajit_type_size(node->type.element);
        if (size > widest) widest = size;
        if (stored < narrowest) narrowest = stored;
        if (node->kind != NODE_OP) continue;
        *(op_is_heavy(node->op) ? &c.heavy : &c.light) += 1;
        is_long |= op_is_long(node->op);
    }
    c.lanes = registers.vector_bytes / widest;
    /* Each op of a chain waits for the one before, so that longer ones need a second vector, too; many operands spill with it. */
    const unsigned most_heavy = 16, most_light = p->parts[part].leaf_count > 8 ? 24 : 96;
    c.unroll = c.heavy > most_heavy || c.light > most_light ? 1 : c.heavy || c.light > 8 ? 2 : 4;
    const int64_t multiple = p->parts[part].cols_multiple;
    if (multiple % (c.lanes * c.unroll) == 0) return c;
    const bool masked = registers.mask_bytes && registers.mask_bytes <= narrowest && (c.heavy || registers.mask_bytes == 1);
    if (multiple % c.lanes != 0) c.tail = masked ? TOSAJIT_TAIL_MASKED : TOSAJIT_TAIL_SCALAR;
    c.shared = c.tail == TOSAJIT_TAIL_MASKED && is_long && c.lanes * c.unroll <= LOOP_MAX_MASK;
    c.has_single = !c.shared && (c.unroll > 2 || (c.unroll > 1 && (c.tail == TOSAJIT_TAIL_NONE || !masked)));
    return c;
}

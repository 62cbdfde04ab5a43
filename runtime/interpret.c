/* The interpreter's walk over the elements: every index of the iteration space, every node, in order. It shares no walking
 * code with the kernels, so that each is a check of the other. */
#include "runtime/interpret.h"

#include <string.h>

#include "runtime/ops.h"
#include "runtime/types.h"

static cell load(tosajit_type type, const void *address) {
    cell value = {.i = 0};
    switch (tosajit_type_size(type)) {
    case 1: { int8_t v; memcpy(&v, address, sizeof v); value.i = v; break; }
    case 2: { int16_t v; memcpy(&v, address, sizeof v); value.i = v; break; }
    case 4: { int32_t v; memcpy(&v, address, sizeof v); value.i = v; break; }
    default: memcpy(&value.i, address, sizeof value.i); break;
    }
    if (type == TOSAJIT_I1) value.i = value.i != 0;
    if (type == TOSAJIT_F32) memcpy(&value.f, address, sizeof value.f);
    return value;
}

static void store(tosajit_type type, void *address, cell value) {
    if (type == TOSAJIT_F32) {
        memcpy(address, &value.f, sizeof value.f);
        return;
    }
    switch (tosajit_type_size(type)) {
    case 1: { int8_t v = (int8_t)value.i; memcpy(address, &v, sizeof v); break; }
    case 2: { int16_t v = (int16_t)value.i; memcpy(address, &v, sizeof v); break; }
    case 4: { int32_t v = (int32_t)value.i; memcpy(address, &v, sizeof v); break; }
    default: memcpy(address, &value.i, sizeof value.i); break;
    }
}

/* The address of the element that index of the iteration space reads: dimensions align at the end, size 1 repeats. */
static char *element(const tosajit_tensor *tensor, int32_t rank, const int64_t *index) {
    char *address = tensor->data;
    int32_t shift = rank - tensor->rank;
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != 1) address += index[d + shift] * tensor->strides[d];
    return address;
}

/* Evaluate every node of the part for one element. */
static void evaluate(const tosajit_kernel *kernel, int32_t part_index, cell *cells) {
    const tosajit_expr *program = kernel->program;
    for (size_t k = 0; k < program->count; k++) {
        const expr_node *node = &program->nodes[k];
        if (!(kernel->plan.node_parts[k] >> part_index & 1)) continue;
        if (node->kind == NODE_CONSTANT && node->splat) cells[k] = load(node->type.element, node->data);
        if (node->kind != NODE_OP) continue;
        cell operands[TOSAJIT_MAX_ARITY];
        for (int o = 0; o < op_table[node->op].arity; o++) operands[o] = cells[node->operands[o]];
        interpret_op op = {&node->attributes, program->nodes[node->operands[0]].type.element, node->type.element};
        cells[k] = interpret_table[node->op](&op, operands);
    }
}

/* Step to the next index, the last dimension fastest; false after the last one. */
static bool next(int32_t rank, const int64_t *sizes, int64_t *index) {
    for (int32_t d = rank; d-- > 0;) {
        if (++index[d] < sizes[d]) return true;
        index[d] = 0;
    }
    return false;
}

void interpret_part(const tosajit_kernel *kernel, int32_t part_index, const tosajit_tensor *leaves, const tosajit_tensor *results,
                    cell *cells) {
    const plan_part *part = &kernel->plan.parts[part_index];
    const tosajit_expr *program = kernel->program;
    int64_t count, index[TOSAJIT_MAX_RANK] = {0};
    if (!size_count(part->rank, results[0].dims, &count) || count == 0) return; /* sizes were checked: empty */
    do {
        for (int32_t k = 0; k < part->leaf_count; k++)
            cells[part->leaves[k].value] = load(leaves[k].element, element(&leaves[k], part->rank, index));
        evaluate(kernel, part_index, cells);
        for (int32_t r = 0; r < part->result_count; r++)
            store(results[r].element, element(&results[r], part->rank, index), cells[program->results[part->results[r]]]);
    } while (next(part->rank, results[0].dims, index));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/order.h"

typedef struct schedule {
    const onnx_graph *g;
    const onnx_choices *choices;
    int32_t *stack, *next; /* next: per number, the operand to go to; -1: it is in the order */
    onnx_order *order;
} schedule;

static int32_t operand_of(const schedule *s, int32_t number, int32_t k) {
    int32_t nodes = s->g->node_count;
    if (number < nodes)
        return k < s->g->nodes[number].read_count ? s->g->nodes[number].reads[k] : -1;
    const onnx_region *r = &s->choices->list[number - nodes].region;
    return k < r->input_count ? r->inputs[k] : -1;
}

/* Who gives a value: a node, or the region that it is in; -1: nobody. */
static int32_t giver(const schedule *s, int32_t value) {
    int32_t node = s->g->values[value].producer;
    if (node < 0 || s->choices->owners[node] < 0 || s->choices->again[node]) return node;
    return s->g->node_count + s->choices->owners[node];
}

/* Places the numbers that a number needs, then itself. */
static void place(schedule *s, int32_t number) {
    int32_t depth = 0;
    if (s->next[number] < 0) return;
    s->stack[depth++] = number;
    while (depth > 0) {
        int32_t top = s->stack[depth - 1];
        int32_t value = s->next[top] < 0 ? -1 : operand_of(s, top, s->next[top]);
        if (value < 0) {
            if (s->next[top] >= 0) s->order->list[s->order->count++] = top;
            s->next[top] = -1;
            depth--;
            continue;
        }
        s->next[top]++;
        int32_t need = giver(s, value);
        /* Convex regions have no circles; a number is on the stack once. */
        if (need >= 0 && s->next[need] == 0) s->stack[depth++] = need;
    }
}

bool onnx_order_make(onnx_order *o, const onnx_graph *g, const onnx_choices *choices) {
    size_t numbers = (size_t)g->node_count + (size_t)choices->count + 1;
    schedule s = {g, choices, arena_array(g->memory, numbers, sizeof(int32_t)),
                  arena_array(g->memory, numbers, sizeof(int32_t)), o};
    *o = (onnx_order){arena_array(g->memory, numbers, sizeof(int32_t)), 0};
    if (!s.stack || !s.next || !o->list) return false;
    for (int32_t k = 0; k < g->node_count; k++) {
        if (choices->owners[k] < 0 || choices->again[k]) place(&s, k);
        if (choices->owners[k] >= 0) place(&s, g->node_count + choices->owners[k]);
    }
    return true;
}

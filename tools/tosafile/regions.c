/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The block as numbers, for tosajit_partition: op k stands at position k of the graph's order,
 * value k is tensor or shape k. Behind these come values that nobody sees: what one operator with
 * effects leaves to the next one, so that they stay in order. Constants come from nowhere, because
 * each region has those that it reads for itself. */
#include "tools/tosafile/regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tosafile/describe.h"

typedef struct region_work {
    size_t ops, values; /* of the graph; values with those of effects */
    file_kind *kinds;   /* per position */
    int32_t *heads;     /* per position */
    uint8_t *members, *kept, *constants, *views;
    int32_t *operands, *first_operand, *producers; /* positions */
    int32_t *operators, *inputs, *outputs;         /* of the part at hand */
    tosajit_value *built;                          /* per tensor, for file_part.values */
    tosajit_status status;
} region_work;

static flat_operator operator_at(const file_graph *g, int32_t position) {
    return file_graph_operator(g, g->order[position]);
}

/* ---------------------------------------------------------------------------------------------
 * Parts */

/* A constant joins the part that reads it, once. */
static void add_constant(file_regions *r, file_part *part, int32_t value) {
    if (r->inside[value]++ > 0) return;
    r->work->operators[part->operator_count++] = r->g->order[r->work->producers[value]];
}

/* Operands that come from elsewhere: a value is inside once it is listed or given. */
static void list_inputs(file_regions *r, const file_region *region, file_part *part) {
    region_work *w = r->work;
    for (size_t k = 0; k < region->count; k++)
        for (int32_t e = w->first_operand[region->positions[k]];
             e < w->first_operand[region->positions[k] + 1]; e++) {
            const int32_t value = w->operands[e];
            if (w->constants[value])
                add_constant(r, part, value);
            else if (r->inside[value]++ == 0)
                w->inputs[part->input_count++] = value;
        }
}

/* What it gives: read by others, an output of the block, or read by nobody. */
static void list_outputs(file_regions *r, const file_region *region, file_part *part) {
    for (size_t k = 0; k < region->count; k++) {
        const flat_list outputs = operator_at(r->g, region->positions[k]).outputs;
        const int32_t value = file_graph_find(r->g, flat_text_at(outputs, 0));
        if (r->kept[value] || r->reads[value] == 0 || r->reads[value] > r->inside[value])
            r->work->outputs[part->output_count++] = value;
    }
}

/* Inputs that the region itself gives are none. */
static void drop_own(file_regions *r, const file_region *region, file_part *part) {
    size_t left = 0;
    for (size_t k = 0; k < region->count; k++) {
        const int32_t position = region->positions[k];
        r->work->heads[position] = -2 - r->work->heads[position]; /* a mark */
    }
    for (size_t k = 0; k < part->input_count; k++) {
        const int32_t value = r->work->inputs[k], producer = r->work->producers[value];
        const bool own = producer >= 0 && r->work->heads[producer] <= -2;
        if (!own) r->work->inputs[left++] = value;
    }
    for (size_t k = 0; k < region->count; k++) {
        const int32_t position = region->positions[k];
        r->work->heads[position] = -2 - r->work->heads[position];
    }
    part->input_count = left;
}

bool file_regions_part(file_regions *r, const file_region *region, file_part *part) {
    region_work *w = r->work;
    *part = (file_part){
        .operators = w->operators, .inputs = w->inputs, .outputs = w->outputs, .values = w->built};
    list_inputs(r, region, part);
    drop_own(r, region, part);
    list_outputs(r, region, part);
    for (size_t k = 0; k < region->count; k++) {
        const int32_t position = region->positions[k];
        w->operators[part->operator_count++] = r->g->order[position];
        for (int32_t e = w->first_operand[position]; e < w->first_operand[position + 1]; e++)
            r->inside[w->operands[e]] = 0;
    }
    return true;
}

static void keep_message(void *text, const tosajit_mlir_finding *finding) {
    char *kept = text;
    const char *message = strstr(finding->message, "tosa.");
    if (!*kept) snprintf(kept, REGION_TEXT, "%s", message ? message : finding->message);
}

/* OK: a kernel can be made of it; why not may be null. */
static tosajit_status try_region(file_regions *r, const file_region *region, char *why) {
    file_report report = {
        .file = "", .silent = true, .say = why ? keep_message : NULL, .context = why};
    file_part part;
    tosa_function built;
    file_regions_part(r, region, &part);
    if (!file_build_part(r->g, &part, NULL, &report, &built)) return report.status;
    tosajit_status status = tosajit_expr_verify(built.expr);
    if (status && why && !*why) snprintf(why, REGION_TEXT, "%s", tosa_bare_error());
    tosa_function_release(&built);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Numbers */

/* Whether it may do more than give its results. */
static bool has_effects(const file_graph *g, const tosa_op *op, const flat_operator *flat) {
    static const char *const names[] = {
        "tosa.variable", "tosa.variable_read", "tosa.variable_write",    "tosa.custom",
        "tosa.cond_if",  "tosa.while_loop",    "tosa.assert_equal_shape"};
    if (file_graph_uses_variable(g, flat)) return true;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(op->name, names[k]) == 0) return op->op == TOSAJIT_OP_COUNT;
    return strncmp(op->name, "tosa.", 5) != 0;
}

/* Of constants the elements are in the file; an input may stand for those without. */
static bool is_constant(const file_graph *g, const tosa_op *op, const flat_operator *flat) {
    flat_shape shape;
    if (flat->outputs.count != 1 || flat->inputs.count) return false;
    const int32_t value = file_graph_find(g, flat_text_at(flat->outputs, 0));
    if (strcmp(op->name, "tosa.const") != 0) return file_graph_constant_shape(g, value, &shape);
    return file_graph_is_tensor(g, value) && g->producers[value] >= 0;
}

/* One tensor comes out, and only tensors and constant shapes of the op's form go in. */
static bool has_tensors_only(const file_graph *g, const flat_operator *op,
                             const tosa_op *described) {
    for (size_t k = 0; k < op->inputs.count; k++) {
        const char *shape = tosa_shape_name(described, k);
        if (shape ? tosa_attribute_find(described, shape)->kind != TOSA_LIST
                  : !file_graph_is_tensor(g, file_graph_find(g, flat_text_at(op->inputs, k))))
            return false;
    }
    return op->outputs.count == 1 &&
           file_graph_is_tensor(g, file_graph_find(g, flat_text_at(op->outputs, 0)));
}

/* Operands, results and effects of the operator at a position. */
static void number_op(file_regions *r, int32_t position, int32_t *last_effect) {
    region_work *w = r->work;
    const flat_operator op = operator_at(r->g, position);
    tosa_op described;
    file_describe(r->g, r->g->order[position], &described);
    int32_t at = w->first_operand[position];
    for (size_t k = 0; k < op.inputs.count; k++) {
        const int32_t value = file_graph_find(r->g, flat_text_at(op.inputs, k));
        if (value < 0) continue;
        w->operands[at++] = value;
        r->reads[value]++;
    }
    const bool constant = is_constant(r->g, &described, &op);
    for (size_t k = 0; k < op.outputs.count; k++) {
        const int32_t value = file_graph_find(r->g, flat_text_at(op.outputs, k));
        if (value < 0 || r->g->producers[value] != r->g->order[position]) continue;
        w->producers[value] = position;
        w->constants[value] = constant;
    }
    const bool effects = has_effects(r->g, &described, &op);
    if (effects) {
        if (*last_effect >= 0) w->operands[at++] = *last_effect;
        *last_effect = (int32_t)(w->values - w->ops) + position;
        w->producers[*last_effect] = position;
    }
    w->first_operand[position + 1] = at;
    w->views[position] = tosa_is_view(&described);
    if (constant) w->kinds[position] = FILE_CONSTANT;
    if (!effects && described.op != TOSAJIT_OP_COUNT && has_tensors_only(r->g, &op, &described))
        w->kinds[position] = FILE_MEMBER;
}

static bool classify(file_regions *r) {
    region_work *w = r->work;
    for (int32_t k = 0; k < (int32_t)w->ops; k++) {
        const file_region single = {&k, 1, FILE_MEMBER};
        if (w->kinds[k] != FILE_MEMBER) continue;
        const tosajit_status status = try_region(r, &single, NULL);
        if (status == TOSAJIT_OUT_OF_MEMORY) return false;
        if (status) w->kinds[k] = FILE_REST;
        w->members[k] = !status;
    }
    return true;
}

static void number_all(file_regions *r) {
    region_work *w = r->work;
    const flat_list outputs = r->g->block.outputs;
    int32_t last_effect = -1;
    for (size_t k = 0; k < w->values; k++) w->producers[k] = -1;
    for (size_t k = 0; k < w->ops; k++) number_op(r, (int32_t)k, &last_effect);
    for (size_t k = 0; k < outputs.count; k++) {
        const int32_t value = file_graph_find(r->g, flat_text_at(outputs, k));
        if (value < 0) continue;
        r->kept[value] = true;
        w->kept[value] = 1;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Regions */

static tosajit_status accepts(void *context, const int32_t *ops, size_t count, int *accepted) {
    file_regions *r = context;
    const file_region region = {(int32_t *)(uintptr_t)ops, count, FILE_MEMBER};
    const tosajit_status status = try_region(r, &region, NULL);
    *accepted = status == TOSAJIT_OK;
    return status == TOSAJIT_OUT_OF_MEMORY ? status : TOSAJIT_OK;
}

static bool divide(file_regions *r) {
    region_work *w = r->work;
    int32_t *nowhere = malloc((w->values + 1) * sizeof *nowhere);
    if (!nowhere) return false;
    for (size_t k = 0; k < w->values; k++) nowhere[k] = w->constants[k] ? -1 : w->producers[k];
    const tosajit_graph graph = {.size = sizeof graph,
                                 .op_count = (int32_t)w->ops,
                                 .value_count = (int32_t)w->values,
                                 .members = w->members,
                                 .operands = w->operands,
                                 .first_operand = w->first_operand,
                                 .producers = nowhere,
                                 .kept = w->kept,
                                 .constants = w->constants,
                                 .views = w->views,
                                 .accepts = accepts,
                                 .context = r};
    int32_t *heads = malloc((w->ops + 1) * sizeof *heads);
    const bool fine = heads && !tosajit_partition(&graph, heads);
    for (size_t k = 0; fine && k < w->ops; k++) {
        if (heads[k] < 0 && w->kinds[k] == FILE_MEMBER) w->kinds[k] = FILE_LEFT;
        w->heads[k] = heads[k] < 0 ? (int32_t)k : heads[k];
    }
    free(heads);
    free(nowhere);
    return fine;
}

/* Regions by their heads, which stand first in them. */
static bool gather(file_regions *r) {
    region_work *w = r->work;
    int32_t *ends = calloc(w->ops + 2, sizeof *ends);
    if (!ends) return false;
    for (size_t k = 0; k < w->ops; k++) ends[w->heads[k] + 1]++;
    for (size_t k = 0; k < w->ops; k++) ends[k + 1] += ends[k];
    for (size_t k = 0; k < w->ops; k++) {
        file_region *region = &r->list[w->heads[k]];
        if (region->count == 0)
            *region = (file_region){r->storage + ends[w->heads[k]], 0, w->kinds[k]};
        region->positions[region->count++] = (int32_t)k;
    }
    free(ends);
    return true;
}

/* The heads of what a region reads that is not placed yet go onto the stack. */
static bool push_missing(const file_regions *r, int32_t head, const uint8_t *placed, int32_t *stack,
                         size_t *depth) {
    const region_work *w = r->work;
    const file_region *region = &r->list[head];
    const size_t before = *depth;
    for (size_t k = 0; k < region->count; k++)
        for (int32_t e = w->first_operand[region->positions[k]];
             e < w->first_operand[region->positions[k] + 1]; e++) {
            const int32_t producer = w->producers[w->operands[e]];
            const int32_t other = producer < 0 ? head : w->heads[producer];
            if (other != head && !placed[other]) stack[(*depth)++] = other;
        }
    return *depth > before;
}

/* Each behind what it reads, in the old order otherwise. No circle leads through regions. */
static bool arrange(file_regions *r) {
    region_work *w = r->work;
    uint8_t *placed = calloc(w->ops + 1, sizeof *placed);
    int32_t *stack = malloc(((size_t)w->first_operand[w->ops] + w->ops + 1) * sizeof *stack);
    file_region *list = malloc((w->ops + 1) * sizeof *list);
    const bool fine = placed && stack && list;
    for (size_t k = 0, depth = 0; fine && k < w->ops; k++) {
        if (w->heads[k] == (int32_t)k && !placed[k]) stack[depth++] = (int32_t)k;
        while (depth > 0) {
            const int32_t head = stack[depth - 1];
            if (!placed[head] && push_missing(r, head, placed, stack, &depth)) continue;
            depth--;
            if (!placed[head]) list[r->count++] = r->list[head];
            placed[head] = 1;
        }
    }
    free(placed);
    free(stack);
    free(fine ? r->list : list);
    if (fine) r->list = list;
    return fine;
}

static bool allocate(file_regions *r, size_t operands) {
    region_work *w = r->work;
    const size_t ops = w->ops + 2, values = w->values + 1;
    r->list = calloc(ops, sizeof *r->list);
    r->storage = calloc(ops, sizeof *r->storage);
    r->reads = calloc(values, sizeof *r->reads);
    r->inside = calloc(values, sizeof *r->inside);
    r->kept = calloc(values, sizeof *r->kept);
    w->kinds = calloc(ops, sizeof *w->kinds);
    w->heads = calloc(ops, sizeof *w->heads);
    w->members = calloc(ops, sizeof *w->members);
    w->views = calloc(ops, sizeof *w->views);
    w->kept = calloc(values, sizeof *w->kept);
    w->constants = calloc(values, sizeof *w->constants);
    w->operands = calloc(operands, sizeof *w->operands);
    w->first_operand = calloc(ops, sizeof *w->first_operand);
    w->producers = calloc(values, sizeof *w->producers);
    w->operators = calloc(operands + ops, sizeof *w->operators);
    w->inputs = calloc(operands, sizeof *w->inputs);
    w->outputs = calloc(ops, sizeof *w->outputs);
    w->built = malloc(values * sizeof *w->built);
    for (size_t k = 0; w->built && k < values; k++) w->built[k] = FILE_UNDEFINED;
    return r->list && r->storage && r->reads && r->inside && r->kept && w->kinds && w->heads &&
           w->members && w->views && w->kept && w->constants && w->operands && w->first_operand &&
           w->producers && w->operators && w->inputs && w->outputs && w->built;
}

bool file_regions_open(file_regions *r, const file_graph *g) {
    *r = (file_regions){.g = g, .work = calloc(1, sizeof *r->work)};
    if (!r->work) return false;
    r->work->ops = g->block.operators.count;
    r->work->values = g->block.tensors.count + g->block.shapes.count + r->work->ops;
    size_t operands = r->work->ops + 1;
    for (size_t k = 0; k < r->work->ops; k++)
        operands += file_graph_operator(g, (int32_t)k).inputs.count;
    if (!allocate(r, operands)) return false;
    number_all(r);
    return classify(r) && divide(r) && gather(r) && arrange(r);
}

void file_regions_close(file_regions *r) {
    region_work *w = r->work;
    void *const owned[] = {r->list,
                           r->storage,
                           r->reads,
                           r->inside,
                           r->kept,
                           w ? w->kinds : NULL,
                           w ? w->heads : NULL,
                           w ? w->members : NULL,
                           w ? w->views : NULL,
                           w ? w->kept : NULL,
                           w ? w->constants : NULL,
                           w ? w->operands : NULL,
                           w ? w->first_operand : NULL,
                           w ? w->producers : NULL,
                           w ? w->operators : NULL,
                           w ? w->inputs : NULL,
                           w ? w->outputs : NULL,
                           w ? w->built : NULL,
                           w};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) free(owned[k]);
    memset(r, 0, sizeof *r);
}

void file_regions_refusal(file_regions *r, int32_t position, char text[REGION_TEXT]) {
    tosa_op described;
    const file_region single = {&position, 1, FILE_MEMBER};
    const flat_operator op = operator_at(r->g, position);
    file_describe(r->g, r->g->order[position], &described);
    *text = '\0';
    if (file_graph_uses_variable(r->g, &op))
        snprintf(text, REGION_TEXT, "%s: reads or writes a variable, which the host keeps",
                 described.name);
    else if (described.op != TOSAJIT_OP_COUNT && has_tensors_only(r->g, &op, &described))
        (void)try_region(r, &single, text);
    else
        snprintf(text, REGION_TEXT, "%s: not an elementwise operation of TOSA on tensors",
                 described.name);
}

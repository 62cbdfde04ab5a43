/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans as JSON. docs/json.md has the schema. */
#include "jit/show/json.h"
#include "jit/show/plan_print.h"
#include "runtime/base/types.h"

/* An operand's walk along each dimension of the iteration space. */
static void write_walk(json *j, const plan_part *part, const plan_leaf *leaf) {
    static const char *const words[] = {
        [MAP_IDENTITY] = "moves", [MAP_ZERO] = "repeats", [MAP_RUNTIME] = "decided by the call"};
    json_open(j, "walk", '[');
    for (int32_t d = 0; d < part->rank && !leaf->table; d++)
        json_text(j, NULL, words[leaf->maps[d]]);
    json_close(j, ']');
}

static void write_value(json *j, const char *name, const tosajit_tensor_type *type) {
    json_text(j, "value", name);
    json_text(j, "type", type_print(type).text);
}

static void write_operands(json *j, const plan_part *part, const tosajit_expr *program) {
    json_open(j, "operands", '[');
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const plan_leaf *leaf = &part->leaves[k];
        json_open(j, NULL, '{');
        write_value(j, plan_leaf_name(program, leaf).text, &program->nodes[leaf->value].type);
        json_flag(j, "constant", k >= part->operand_count);
        json_flag(j, "table", leaf->table);
        write_walk(j, part, leaf);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_results(json *j, const plan_part *part, const tosajit_expr *program) {
    json_open(j, "results", '[');
    for (int32_t k = 0; k < part->result_count; k++) {
        const tosajit_value value = part->values[k];
        json_open(j, NULL, '{');
        const int32_t r = part->results[k], count = program->result_count;
        const bool own = r < count && program->results[r] == value;
        if (!own) json_text(j, "memory", r < count ? "kept" : "scratch");
        json_integer(j, "index", r < count ? r : r - count);
        write_value(j, expr_value_name(program, value).text, &program->nodes[value].type);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Per loop, how it reads each operand. */
static void write_loops(json *j, const plan_part *part) {
    json_open(j, "loops", '[');
    for (int32_t v = 0; v < part->variant_count; v++) {
        const tosajit_variant *variant = &part->variants[v];
        json_open(j, NULL, '[');
        for (int32_t k = 0; k < part->leaf_count; k++)
            json_text(j, NULL,
                      part->leaves[k].table       ? "table"
                      : variant->either >> k & 1U ? "either"
                      : variant->splat >> k & 1U  ? "one value"
                                                  : "contiguous");
        json_close(j, ']');
    }
    json_close(j, ']');
}

static const char *const rows[] = {
    [NEST_TAIL] = "tail",
    [NEST_PEELED] = "peeled",
    [NEST_MASKED] = "masked",
    [NEST_EXACT] = "exact",
    [NEST_MASKED_OR_PEELED] = "masked or peeled",
    [NEST_HALVES] = "halves",
    [NEST_STREAMED] = "streamed",
    [NEST_STREAMED_BLOCKS] = "streamed blocks",
    [NEST_REDUCED_BRIEF] = "reduced along columns, brief",
    [NEST_REDUCED_FOUND] = "reduced along columns, found",
    [NEST_REDUCED] = "reduced along columns",
    [NEST_REDUCED_NARROW] = "reduced along rows, narrow",
    [NEST_REDUCED_STRIPS] = "reduced along rows, in strips",
    [NEST_REDUCED_COLUMNS] = "reduced along rows",
    [NEST_REDUCED_FEW] = "reduced along rows, few",
};

static const char *const tails[] = {
    [TOSAJIT_TAIL_NONE] = "none",
    [TOSAJIT_TAIL_MASKED] = "masked",
    [TOSAJIT_TAIL_OVERLAP] = "overlapping",
};

static void write_rows(json *j, const char *key, const nest_row *kinds, int count) {
    json_open(j, key, '[');
    for (int k = 0; k < count; k++) json_text(j, NULL, rows[kinds[k]]);
    json_close(j, ']');
}

static void write_nest(json *j, const nest *n) {
    json_open(j, "nest", '{');
    json_integer(j, "lanes", n->lanes);
    json_text(j, "tail", tails[n->tail]);
    write_rows(j, "rows", n->rows, n->row_count);
    write_rows(j, "merged_rows", n->merged, n->merged_count);
    json_open(j, "levels", '[');
    for (int k = 0; k < n->level_count; k++) {
        json_open(j, NULL, '{');
        json_integer(j, "lanes", n->levels[k].lanes);
        json_integer(j, "repeats", n->levels[k].repeats);
        json_flag(j, "masked", n->levels[k].masked);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_flag(j, "fast_isel", n->fast_isel);
    json_close(j, '}');
}

static void write_part(json *j, const plan *p, int32_t index, const tosajit_expr *program,
                       nest_target target) {
    const plan_part *part = &p->parts[index];
    walk w;
    json_open(j, NULL, '{');
    json_integers(j, "iteration_space", part->extents, part->rank);
    if (part->axis >= 0) json_integer(j, "reduced", part->axis);
    if (part->joined) json_integer(j, "joined", part->joined);
    write_operands(j, part, program);
    write_results(j, part, program);
    if (plan_static_walk(part, program, &w))
        json_integers(j, "coalesced", w.sizes, w.rank);
    else
        json_text(j, "coalesced", NULL);
    json_integer(j, "columns_multiple", part->cols_multiple);
    write_loops(j, part);
    if (target.level) {
        const nest n = nest_make(p, index, program, target);
        write_nest(j, &n);
    }
    json_close(j, '}');
}

static void write_checks(json *j, const plan *p, const tosajit_expr *program) {
    json_open(j, "checks", '[');
    for (size_t k = 0; k < p->check_count; k++) {
        const plan_check *check = &p->checks[k];
        json_open(j, NULL, '{');
        json_text(j, "value", expr_value_mention(program, check->value).text);
        json_integer(j, "dimension", program->nodes[check->value].type.rank - check->from_end);
        if (check->size == TOSAJIT_DYNAMIC)
            json_text(j, "size", "one per channel");
        else
            json_integer(j, "size", check->size);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void plan_print_json(const plan *p, const tosajit_expr *program, nest_target target, FILE *out) {
    json j = {.out = out};
    json_open(&j, NULL, '{');
    json_open(&j, "parts", '[');
    for (int32_t k = 0; k < p->part_count; k++) write_part(&j, p, k, program, target);
    json_close(&j, ']');
    write_checks(&j, p, program);
    json_close(&j, '}');
}

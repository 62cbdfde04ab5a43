/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nests for people, one of each part. */
#include <inttypes.h>

#include "jit/schedule/nest.h"
#include "jit/show/plan_print.h"

/* Names of each kind of row; n is the number of columns of a call. */
static const char *const rows[] = {
    [NEST_TAIL] = "levels from column 0 on, then the tail",
    [NEST_PEELED] = "a first and a last vector, peeled; aligned levels between, which they overlap",
    [NEST_MASKED] = "one vector, by a mask",
    [NEST_EXACT] = "whole steps, without a loop",
    [NEST_MASKED_OR_PEELED] =
        "one vector where n is no more, else peeled vectors and levels between",
    [NEST_HALVES] = "two narrower vectors, which overlap",
    [NEST_STREAMED] = "whole cache lines, stored past the caches",
    [NEST_STREAMED_BLOCKS] = "whole cache lines, stored past the caches",
    [NEST_REDUCED_BRIEF] = "reduced along columns, without a loop",
    [NEST_REDUCED_FOUND] = "reduced along columns, one masked step",
    [NEST_REDUCED] = "reduced along columns, in segments of 4096",
    [NEST_REDUCED_NARROW] = "reduced along rows, one masked vector",
    [NEST_REDUCED_STRIPS] = "reduced along rows, in strips of columns",
    [NEST_REDUCED_COLUMNS] = "reduced along rows, in segments of 128",
    [NEST_REDUCED_FEW] = "reduced along rows, without a loop",
};

static const char *const tails[] = {
    [TOSAJIT_TAIL_NONE] = "none",
    [TOSAJIT_TAIL_MASKED] = "masked",
    [TOSAJIT_TAIL_OVERLAP] = "a vector that overlaps the one before",
};

static void print_result(FILE *out, const plan_part *part, const tosajit_expr *program, int32_t k) {
    const int32_t r = part->results[k];
    if (r < program->result_count && program->results[r] == part->values[k])
        fprintf(out, " result %d", (int)r);
    else
        fprintf(out, " %s", expr_value_mention(program, part->values[k]).text);
}

static void print_dimension(FILE *out, const plan_part *part, const tosajit_expr *program,
                            int32_t d) {
    if (part->extents[d] == TOSAJIT_DYNAMIC)
        fprintf(out, "  %s d%d = ?:", plan_reduces(part, d) ? "reduced" : "parallel", (int)d);
    else
        fprintf(out, "  %s d%d = %" PRId64 ":", plan_reduces(part, d) ? "reduced" : "parallel",
                (int)d, part->extents[d]);
    for (int32_t k = 0; k < part->leaf_count; k++)
        if (!part->leaves[k].table && part->leaves[k].maps[d] != MAP_ZERO)
            fprintf(out, " %s%s", plan_leaf_name(program, &part->leaves[k]).text,
                    part->leaves[k].maps[d] == MAP_RUNTIME ? " (or repeats)" : "");
    for (int32_t r = 0; r < part->result_count; r++)
        if (!(part->reductions >> r & 1) || !plan_reduces(part, d))
            print_result(out, part, program, r);
    fputc('\n', out);
}

static void print_row(FILE *out, const nest *n, const plan_part *part, nest_row row, bool merged) {
    fputs("  rows", out);
    if (row == NEST_HALVES) fprintf(out, " of n < %u", n->lanes);
    if (row == NEST_MASKED) fprintf(out, " of n <= %u", n->lanes);
    if (row == NEST_EXACT) fprintf(out, " of n = %" PRId64, part->cols_multiple);
    if (row == NEST_STREAMED) fputs(" of large tiles", out);
    if (row == NEST_STREAMED_BLOCKS) fputs(" of large results", out);
    if (row == NEST_REDUCED_NARROW) fprintf(out, " of n <= %u", n->accumulators[0].lanes);
    fprintf(out, ": %s%s\n", rows[row], merged ? "; one loop for all variants" : "");
}

static void print_accumulator(FILE *out, const nest_accumulator *a, bool rows) {
    if (!rows && a->where == NEST_MEMORY)
        fprintf(out, "    accumulators: %u columns in memory", a->count);
    else
        fprintf(out, "    accumulators: %u of %u lanes in %s", a->count, a->lanes,
                a->where == NEST_MEMORY ? "memory" : "registers");
    if (a->kept == NEST_THREE) fputs(", as three values", out);
    if (a->rows > 1) fprintf(out, "; %u rows are %s at once", a->rows, rows ? "folded" : "added");
    fputc('\n', out);
}

static void print_level(FILE *out, const nest_level *l) {
    fprintf(out, "  level: steps of %u, as %u of %u lanes%s%s\n", l->lanes * l->repeats, l->repeats,
            l->lanes, l->masked ? ", masked" : "", l->shared ? "; the tail is a step, too" : "");
}

static void print_nest(FILE *out, const nest *n, const plan_part *part,
                       const tosajit_expr *program) {
    for (int32_t d = 0; d < part->rank; d++) print_dimension(out, part, program, d);
    for (int k = 0; k < n->merged_count; k++) print_row(out, n, part, n->merged[k], true);
    for (int k = 0; k < n->row_count; k++) {
        print_row(out, n, part, n->rows[k], false);
        if (nest_reduces(n)) print_accumulator(out, &n->accumulators[k], nest_reduces_rows(n));
    }
    for (int k = 0; k < n->level_count; k++) print_level(out, &n->levels[k]);
    fprintf(out, "  vector: %u lanes; tail: %s; selection: %s\n", n->lanes, tails[n->tail],
            n->fast_isel ? "FastISel" : "SelectionDAG");
}

void nest_print(const plan *p, const tosajit_expr *program, nest_target target, FILE *out) {
    for (int32_t k = 0; k < p->part_count; k++) {
        const nest n = nest_make(p, k, program, target);
        fprintf(out, "nest %d of %d for %s\n", (int)k, (int)p->part_count, target.level->cpu);
        print_nest(out, &n, &p->parts[k], program);
    }
}

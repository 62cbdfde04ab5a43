/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans as text, in MLIR's vocabulary. A size that the call decides is a symbol of the affine map:
 * s0 is 0 where the operand repeats and 1 where it moves. The code multiplies with exactly that
 * stride. */
#include "jit/show/plan_print.h"

#include <inttypes.h>

#include "runtime/base/types.h"

static void print_size(FILE *out, int64_t size) {
    if (size == TOSAJIT_DYNAMIC)
        fputc('?', out);
    else
        fprintf(out, "%" PRId64, size);
}

static void print_sizes(FILE *out, int32_t rank, const int64_t *sizes) {
    fputc('[', out);
    for (int32_t d = 0; d < rank; d++) {
        if (d) fputs(", ", out);
        print_size(out, sizes[d]);
    }
    fputs("]\n", out);
}

/* d0, d1, ... */
static void print_names(FILE *out, char letter, int first, int end) {
    for (int k = first; k < end; k++) fprintf(out, "%s%c%d", k > first ? ", " : "", letter, k);
}

/* affine_map<(d0, d1)[s0] -> (0, d1 * s0)>; the symbols are numbered from *symbol on. */
static void print_map(FILE *out, const plan_part *part, const plan_leaf *leaf, int32_t leaf_rank,
                      int *symbol) {
    int next = *symbol, end = next;
    for (int32_t d = 0; d < part->rank; d++) end += leaf->maps[d] == MAP_RUNTIME;
    fputs("affine_map<(", out);
    print_names(out, 'd', 0, part->rank);
    fputc(')', out);
    if (end > next) {
        fputc('[', out);
        print_names(out, 's', next, end);
        fputc(']', out);
    }
    fputs(" -> (", out);
    for (int32_t d = part->rank - leaf_rank; d < part->rank; d++) {
        if (d > part->rank - leaf_rank) fputs(", ", out);
        if (d < 0 || leaf->maps[d] == MAP_ZERO) /* below 0: a parameter in a part of rank 0 */
            fputc('0', out);
        else
            fprintf(out, "d%d", (int)d);
        if (d >= 0 && leaf->maps[d] == MAP_RUNTIME) fprintf(out, " * s%d", next++);
    }
    fputs(")>", out);
    *symbol = end;
}

leaf_name plan_leaf_name(const tosajit_expr *program, const plan_leaf *leaf) {
    const tosajit_value number = program->nodes[leaf->value].number;
    tosajit_value named = leaf->value;
    leaf_name name;
    for (size_t k = 0; leaf->table && k < program->count; k++)
        if (program->nodes[k].kind == NODE_OP && program->nodes[k].number == number)
            named = (tosajit_value)k;
    snprintf(name.text, sizeof name.text, "%s%s", named == leaf->value ? "" : "looked up by ",
             expr_value_name(program, named).text);
    return name;
}

static void print_leaves(FILE *out, const plan_part *part, const tosajit_expr *program) {
    int symbol = 0;
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const plan_leaf *leaf = &part->leaves[k];
        const tosajit_tensor_type *type = &program->nodes[leaf->value].type;
        fprintf(out, "  %s : %s  ", plan_leaf_name(program, leaf).text, type_print(type).text);
        if (leaf->table)
            fputs("table", out);
        else
            print_map(out, part, leaf, type->rank, &symbol);
        fputc('\n', out);
    }
}

/* One line per decision that is left for the call. */
static void print_decisions(FILE *out, const plan_part *part, const tosajit_expr *program) {
    int symbol = 0;
    for (int32_t k = 0; k < part->leaf_count; k++) {
        const plan_leaf *leaf = &part->leaves[k];
        int32_t shift = part->rank - program->nodes[leaf->value].type.rank;
        for (int32_t d = 0; d < part->rank; d++)
            if (leaf->maps[d] == MAP_RUNTIME)
                fprintf(out, "  s%d = scf.if tensor.dim %s, %d == 1 { 0 } else { 1 }\n", symbol++,
                        expr_value_mention(program, leaf->value).text, (int)(d - shift));
    }
}

static void print_class(FILE *out, const char *what, uint64_t set, const plan_part *part,
                        const tosajit_expr *program) {
    if (!set) return;
    fprintf(out, " %s", what);
    for (int32_t k = 0; k < part->leaf_count; k++)
        if (set >> k & 1)
            fprintf(out, " %s", expr_value_mention(program, part->leaves[k].value).text);
    fputc(';', out);
}

static void print_variants(FILE *out, const plan_part *part, const tosajit_expr *program) {
    uint64_t tables = plan_tables(part),
             all = (part->leaf_count ? ~UINT64_C(0) >> (64 - part->leaf_count) : 0) & ~tables;
    for (int32_t v = 0; v < part->variant_count; v++) {
        const tosajit_variant *variant = &part->variants[v];
        fprintf(out, "  loop %d:", (int)v);
        print_class(out, "contiguous", all & ~variant->splat & ~variant->either, part, program);
        print_class(out, "splat", variant->splat & ~tables, part, program);
        print_class(out, "either", variant->either, part, program);
        fputc('\n', out);
    }
}

/* A result of the kernel; what a later part reads, in a result's memory or in scratch. */
static void print_result(FILE *out, const plan_part *part, const tosajit_expr *program, int32_t k) {
    const tosajit_value value = part->values[k];
    const int32_t r = part->results[k], count = program->result_count;
    const bool own = r < count && program->results[r] == value;
    fprintf(out, "  %s %d: %s : %s\n",
            own         ? "result"
            : r < count ? "kept in the memory of result"
                        : "scratch",
            (int)(r < count ? r : r - count), expr_value_name(program, value).text,
            type_print(&program->nodes[value].type).text);
}

static void print_part(FILE *out, const plan_part *part, const tosajit_expr *program) {
    for (int32_t k = 0; k < part->result_count; k++) print_result(out, part, program, k);
    if (part->axis >= 0)
        fprintf(out, "  reduced: dimension%s %d", part->joined ? "s" : "", (int)part->axis);
    for (int32_t d = 1; d <= part->joined; d++) fprintf(out, ", %d", (int)(part->axis + d));
    if (part->axis >= 0) fprintf(out, "%s\n", part->joined ? ", as one" : "");
    fputs("  iteration space: ", out);
    print_sizes(out, part->rank, part->extents);
    print_leaves(out, part, program);
    print_decisions(out, part, program);
    walk w;
    fputs("  coalesced: ", out);
    if (plan_static_walk(part, program, &w))
        print_sizes(out, w.rank, w.sizes);
    else
        fprintf(out, "when called, neighbouring dimensions that every tensor walks as one%s\n",
                part->columns < 0 ? "" : "; block by block");
    if (part->cols_multiple > 1)
        fprintf(out, "  columns: a multiple of %" PRId64 "\n", part->cols_multiple);
    print_variants(out, part, program);
}

void plan_print(const plan *p, const tosajit_expr *program, nest_target target, FILE *out) {
    (void)target; /* a plan knows nothing of code */
    for (int32_t k = 0; k < p->part_count; k++) {
        fprintf(out, "part %d of %d\n", (int)k, (int)p->part_count);
        print_part(out, &p->parts[k], program);
    }
    for (size_t k = 0; k < p->check_count; k++) {
        const plan_check *check = &p->checks[k];
        const tosajit_tensor_type *type = &program->nodes[check->value].type;
        fprintf(out, "check when called: %s dimension %d is ",
                expr_value_mention(program, check->value).text,
                (int)(type->rank - check->from_end));
        if (check->size == TOSAJIT_DYNAMIC)
            fputs("one per channel\n", out);
        else
            fprintf(out, "%" PRId64 "\n", check->size);
    }
}

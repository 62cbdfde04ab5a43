/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Steps that both formats share when a function is divided: names, counts, reasons and epilogues.
 */
#include "tools/tosa/outline.h"

#include <stdio.h>
#include <string.h>

typedef struct outliner {
    const tosa_graph *g;
    const char *name;
    const tosa_writer *writer;
    tosa_report *report;
    tosajit_mlir_outlined *counted;
    tosa_epilogues *epilogues;
    tosa_division division;
    int number; /* of the next region's name */
} outliner;

enum { NAME = TOSA_NAME_LIMIT + 32 };

static bool name_region(outliner *o, char name[NAME]) {
    bool free = false;
    while (!free) {
        snprintf(name, NAME, "%.*s_region_%d", TOSA_NAME_LIMIT, o->name, o->number++);
        if (!o->writer->take(o->writer->context, name, &free)) return false;
    }
    return true;
}

/* Operands that a product gives. A writer may have no more of regions that it has written. */
static bool add_epilogues(const outliner *o, const tosa_part *part, char *name) {
    for (size_t k = 0; o->epilogues && k < part->inputs.count; k++) {
        const int32_t value = part->inputs.at[k], producer = o->g->producers.at[value];
        tosa_op described;
        if (producer < 0 || tosa_division_fate(&o->division, producer) != TOSA_REST) continue;
        tosa_graph_describe(o->g, producer, &described);
        const char *product = tosa_product(described.name, strlen(described.name));
        const bool alone = tosa_division_is_alone(&o->division, value);
        const tosa_epilogue found = {product, name, k, alone};
        if (product && !tosa_epilogues_add(o->epilogues, &found)) return false;
    }
    return true;
}

static bool place_region(outliner *o, const tosa_region *region) {
    char name[NAME];
    const tosa_part part = tosa_division_part(&o->division, region);
    o->counted->regions++;
    o->counted->inside += region->count;
    return name_region(o, name) && add_epilogues(o, &part, name) &&
           o->writer->region(o->writer->context, name, &part);
}

/* The host may want to know why. */
static bool place_left(outliner *o, const tosa_region *left) {
    char why[TOSA_WHY];
    const int32_t op = left->ops[0];
    o->counted->outside += left->fate != TOSA_COPIED;
    if (left->fate != TOSA_COPIED && o->report->say) {
        tosa_division_reason(&o->division, left, why);
        tosa_graph_remark(o->g, o->report, op, why);
    }
    const bool wanted = left->fate != TOSA_COPIED || tosa_division_is_wanted(&o->division, op);
    return !wanted || o->writer->keep(o->writer->context, op);
}

bool tosa_outline(const tosa_graph *g, const char *name, const tosa_writer *writer,
                  tosa_report *report, tosajit_mlir_outlined *count, tosa_epilogues *epilogues) {
    outliner o = {.g = g,
                  .name = name,
                  .writer = writer,
                  .report = report,
                  .counted = count,
                  .epilogues = epilogues};
    *count = (tosajit_mlir_outlined){.size = count->size};
    bool fine = tosa_division_open(&o.division, g);
    for (size_t k = 0; fine && k < o.division.count; k++) {
        const tosa_region *region = &o.division.list[k];
        fine = (region->fate == TOSA_MEMBER ? place_region : place_left)(&o, region);
    }
    tosa_division_close(&o.division);
    return fine;
}

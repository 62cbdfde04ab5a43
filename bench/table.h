/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Table: collects measurements and writes medians and ratios as Markdown. In: results, one per
 * repetition. Out: a table per family, a row per case, a column per contender, each with its ratio
 * to the first contender. */
#ifndef TOSAJIT_BENCH_TABLE_H
#define TOSAJIT_BENCH_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "bench/benchmark_shim.h"

typedef struct table table;

table *table_create(void);
void table_destroy(table *t);
/* A bench_sink; context is the table. */
void table_add(const bench_result *result, void *context);
void table_print(table *t, FILE *out);
/* Show that family as a ranking instead: over all rows how the column compares with each other one,
 * and the `rows` rows where it is slowest beside the first column, and those beside the second. The
 * strings must outlive the table. */
void table_rank(table *t, const char *family, const char *column, int rows);
/* How many cases could not be measured. */
int table_failures(const table *t);

/* Sorts values. */
double median(double *values, size_t count);

#endif

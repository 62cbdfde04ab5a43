/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Table: medians over repetitions, pivoted. In: results in any order. Out: rows and columns in the
 * order in which the cases were registered. */
#include "bench/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96, BUCKETS = 8192, MAX_NAMES = 32, RANKINGS = 2 };

typedef struct series {
    double *samples;
    size_t count, capacity;
} series;

/* One case of one contender. */
typedef struct entry {
    struct entry *next; /* of its bucket */
    char family[NAME], row[NAME], column[NAME], error[NAME];
    int order;
    bool per_item;
    series time; /* seconds per item, or per iteration */
    int counter_count;
    char counter_names[BENCH_MAX_COUNTERS][NAME];
    series counters[BENCH_MAX_COUNTERS];
} entry;

struct table {
    entry **entries;
    size_t count, capacity;
    entry *buckets[BUCKETS]; /* by row and column */
    bool out_of_memory;
    const char *ranked_family, *ranked_column;
    int ranked_rows;
};

table *table_create(void) { return calloc(1, sizeof(table)); }

void table_destroy(table *t) {
    if (!t) return;
    for (size_t k = 0; k < t->count; k++) {
        free(t->entries[k]->time.samples);
        for (int c = 0; c < t->entries[k]->counter_count; c++)
            free(t->entries[k]->counters[c].samples);
        free(t->entries[k]);
    }
    free(t->entries);
    free(t);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, size_t count) {
    if (!count) return 0;
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static bool series_add(series *s, double value) {
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 4;
        double *grown = realloc(s->samples, capacity * sizeof *grown);
        if (!grown) return false;
        s->samples = grown;
        s->capacity = capacity;
    }
    s->samples[s->count++] = value;
    return true;
}

/* Sorts the samples, whose order means nothing. */
static double series_median(const series *s) { return median(s->samples, s->count); }

/* "family/any/thing/contender" in three; a name with fewer parts is a row of its own. */
static void split(const char *name, entry *e) {
    const char *first = strchr(name, '/'), *last = strrchr(name, '/');
    if (!first || first == last) {
        snprintf(e->family, NAME, "other");
        snprintf(e->row, NAME, "%s", name);
        snprintf(e->column, NAME, "time");
        return;
    }
    snprintf(e->family, NAME, "%.*s", (int)(first - name), name);
    snprintf(e->row, NAME, "%.*s", (int)(last - first - 1), first + 1);
    snprintf(e->column, NAME, "%s", last + 1);
}

static size_t bucket_of(const char *row, const char *column) {
    size_t hash = 5381;
    for (; *row; row++) hash = hash * 33 + (unsigned char)*row;
    for (; *column; column++) hash = hash * 33 + (unsigned char)*column;
    return hash % BUCKETS;
}

static entry *find(const table *t, const char *family, const char *row, const char *column) {
    entry *e = t->buckets[bucket_of(row, column)];
    while (e && (strcmp(e->row, row) != 0 || strcmp(e->column, column) != 0 ||
                 strcmp(e->family, family) != 0))
        e = e->next;
    return e;
}

static entry *new_entry(table *t, const entry *names) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64;
        entry **grown = realloc(t->entries, capacity * sizeof *grown);
        if (!grown) return NULL;
        t->entries = grown;
        t->capacity = capacity;
    }
    entry *e = malloc(sizeof *e);
    if (!e) return NULL;
    entry **bucket = &t->buckets[bucket_of(names->row, names->column)];
    *e = *names;
    e->next = *bucket;
    *bucket = e;
    t->entries[t->count++] = e;
    return e;
}

static bool add_counter(entry *e, const bench_counter_value *counter) {
    int k = 0;
    while (k < e->counter_count && strcmp(e->counter_names[k], counter->name) != 0) k++;
    if (k == BENCH_MAX_COUNTERS) return true;
    if (k == e->counter_count)
        snprintf(e->counter_names[e->counter_count++], NAME, "%s", counter->name);
    return series_add(&e->counters[k], counter->value);
}

void table_add(const bench_result *result, void *context) {
    table *t = context;
    entry names = {0};
    split(result->name, &names);
    entry *e = find(t, names.family, names.row, names.column);
    if (!e) e = new_entry(t, &names);
    if (!e) {
        t->out_of_memory = true;
        return;
    }
    e->order = result->order;
    if (result->error) {
        snprintf(e->error, NAME, "%s", result->error);
        return;
    }
    e->per_item = result->items > 0;
    bool added =
        series_add(&e->time, result->seconds / (double)(result->items ? result->items : 1));
    for (int k = 0; k < result->counter_count; k++) added &= add_counter(e, &result->counters[k]);
    t->out_of_memory |= !added;
}

int table_failures(const table *t) {
    int failures = t->out_of_memory;
    for (size_t k = 0; k < t->count; k++) failures += *t->entries[k]->error != 0;
    return failures;
}

void table_rank(table *t, const char *family, const char *column, int rows) {
    t->ranked_family = family;
    t->ranked_column = column;
    t->ranked_rows = rows;
}

/* Distinct strings in order of appearance. */
typedef struct name_list {
    const char *names[MAX_NAMES];
    int count;
} name_list;

static void list_add(name_list *l, const char *name) {
    for (int k = 0; k < l->count; k++)
        if (strcmp(l->names[k], name) == 0) return;
    if (l->count == MAX_NAMES) {
        fprintf(stderr, "tosajit-bench: a table has no room for %s\n", name);
        exit(EXIT_FAILURE);
    }
    l->names[l->count++] = name;
}

static void print_time(const entry *e, FILE *out) {
    double t = series_median(&e->time);
    if (e->per_item)
        fprintf(out, "%.4f", t * 1e9);
    else if (t < 1e-5)
        fprintf(out, "%.1f ns", t * 1e9);
    else
        fprintf(out, "%.2f ms", t * 1e3);
}

static void print_row(const table *t, const entry *row, const name_list *columns, FILE *out) {
    const entry *first = find(t, row->family, row->row, columns->names[0]);
    fprintf(out, "| %s |", row->row);
    for (int c = 0; c < columns->count; c++) {
        const entry *e = find(t, row->family, row->row, columns->names[c]);
        fputc(' ', out);
        if (!e)
            fputs("-", out);
        else if (!e->time.count)
            fputs("failed", out);
        else
            print_time(e, out);
        if (e && e != first && first && first->time.count && e->time.count)
            fprintf(out, " (%.2f)", series_median(&first->time) / series_median(&e->time));
        fputs(" |", out);
    }
    fputc('\n', out);
}

static void print_head(const name_list *columns, const char *title, FILE *out) {
    fprintf(out, "\n| %s |", title);
    for (int c = 0; c < columns->count; c++) fprintf(out, " %s |", columns->names[c]);
    fputs("\n| --- |", out);
    for (int c = 0; c < columns->count; c++) fputs(" ---: |", out);
    fputc('\n', out);
}

static bool is_first_of_row(const table *t, size_t k) {
    for (size_t j = 0; j < k; j++)
        if (strcmp(t->entries[j]->family, t->entries[k]->family) == 0 &&
            strcmp(t->entries[j]->row, t->entries[k]->row) == 0)
            return false;
    return true;
}

static void print_counters(const table *t, const char *family, FILE *out) {
    name_list columns = {0};
    for (size_t k = 0; k < t->count; k++)
        for (int c = 0;
             c < t->entries[k]->counter_count && strcmp(t->entries[k]->family, family) == 0; c++)
            list_add(&columns, t->entries[k]->counter_names[c]);
    if (!columns.count) return;
    print_head(&columns, family, out);
    for (size_t k = 0; k < t->count; k++) {
        const entry *e = t->entries[k];
        if (strcmp(e->family, family) != 0 || !e->counter_count) continue;
        fprintf(out, "| %s, %s |", e->row, e->column);
        for (int c = 0; c < columns.count; c++) {
            int at = 0;
            while (at < e->counter_count && strcmp(e->counter_names[at], columns.names[c]) != 0)
                at++;
            if (at < e->counter_count)
                fprintf(out, " %.4g |", series_median(&e->counters[at]));
            else
                fputs(" - |", out);
        }
        fputc('\n', out);
    }
}

/* How many times as fast as column `base` column `of` is in a row; 0: not measured. */
static double ratio(const table *t, const entry *row, const char *of, const char *base) {
    const entry *a = find(t, row->family, row->row, of), *b = find(t, row->family, row->row, base);
    return a && b && a->time.count && b->time.count
               ? series_median(&b->time) / series_median(&a->time)
               : 0;
}

typedef struct ranked_row {
    const entry *row;
    double ratio;
} ranked_row;

static int by_ratio(const void *a, const void *b) {
    double x = ((const ranked_row *)a)->ratio, y = ((const ranked_row *)b)->ratio;
    return (x > y) - (x < y);
}

/* One line: quantiles of the ratio to a column. */
static void print_comparison(const table *t, const ranked_row *rows, size_t count, const char *base,
                             FILE *out) {
    double *ratios = malloc(count * sizeof *ratios);
    size_t measured = 0, slower = 0;
    for (size_t k = 0; ratios && k < count; k++) {
        double r = ratio(t, rows[k].row, t->ranked_column, base);
        if (r <= 0) continue;
        ratios[measured++] = r;
        slower += r < 1;
    }
    if (measured) {
        double middle = median(ratios, measured); /* sorts */
        fprintf(out, "| %s | %zu | %zu | %.2f | %.2f | %.2f | %.2f |\n", base, measured, slower,
                ratios[0], ratios[measured / 20], middle, ratios[measured - 1]);
    }
    free(ratios);
}

/* The rows of a family, slowest first; the caller frees them. */
static ranked_row *rank_rows(const table *t, const char *family, const char *base, size_t *count) {
    ranked_row *rows = malloc((t->count + 1) * sizeof *rows);
    *count = 0;
    for (size_t k = 0; rows && k < t->count; k++) {
        const entry *e = t->entries[k];
        if (strcmp(e->family, family) == 0 && strcmp(e->column, t->ranked_column) == 0)
            rows[(*count)++] = (ranked_row){e, ratio(t, e, t->ranked_column, base)};
    }
    if (rows) qsort(rows, *count, sizeof *rows, by_ratio);
    return rows;
}

static void print_ranking(const table *t, const char *family, const name_list *columns,
                          const char *title, FILE *out) {
    size_t count;
    ranked_row *rows = rank_rows(t, family, columns->names[0], &count);
    if (!rows) return;
    fprintf(out, "\n| %s: %s beside | rows | slower in | worst ratio | 5%% | median | best |\n",
            family, t->ranked_column);
    fputs("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", out);
    for (int c = 0; c < columns->count; c++)
        if (strcmp(columns->names[c], t->ranked_column) != 0)
            print_comparison(t, rows, count, columns->names[c], out);
    free(rows);
    for (int c = 0; c < columns->count && c < RANKINGS; c++) {
        rows = rank_rows(t, family, columns->names[c], &count);
        fprintf(out, "\nWorst of %s beside %s:\n", t->ranked_column, columns->names[c]);
        print_head(columns, title, out);
        for (size_t k = 0; rows && k < count && k < (size_t)t->ranked_rows; k++)
            print_row(t, rows[k].row, columns, out);
        free(rows);
    }
}

static void print_family(const table *t, const char *family, FILE *out) {
    name_list columns = {0};
    bool per_item = false;
    for (size_t k = 0; k < t->count; k++) {
        if (strcmp(t->entries[k]->family, family) != 0) continue;
        list_add(&columns, t->entries[k]->column);
        per_item |= t->entries[k]->per_item;
    }
    char title[2 * NAME];
    snprintf(title, sizeof title, "%s%s", family, per_item ? ", ns/element" : "");
    if (t->ranked_family && strcmp(t->ranked_family, family) == 0) {
        print_ranking(t, family, &columns, title, out);
        return;
    }
    print_head(&columns, title, out);
    for (size_t k = 0; k < t->count; k++)
        if (strcmp(t->entries[k]->family, family) == 0 && is_first_of_row(t, k))
            print_row(t, t->entries[k], &columns, out);
    print_counters(t, family, out);
}

static void print_error(const entry *e, FILE *out) {
    if (*e->error) fprintf(out, "\nfailed: %s/%s/%s: %s\n", e->family, e->row, e->column, e->error);
}

static int by_order(const void *a, const void *b) {
    const entry *x = *(entry *const *)a, *y = *(entry *const *)b;
    return x->order - y->order;
}

void table_print(table *t, FILE *out) {
    if (t->count) qsort(t->entries, t->count, sizeof *t->entries, by_order);
    name_list families = {0};
    for (size_t k = 0; k < t->count; k++) list_add(&families, t->entries[k]->family);
    if (families.count)
        fputs("Medians; in parentheses how many times as fast as the first column.\n", out);
    for (int f = 0; f < families.count; f++) print_family(t, families.names[f], out);
    for (size_t k = 0; k < t->count; k++) print_error(t->entries[k], out);
}

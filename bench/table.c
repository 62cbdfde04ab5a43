/* Table: medians over repetitions, pivoted. In: results in any order. Out: rows and columns in the order in which the cases were
 * registered. */
#include "bench/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96, MAX_SAMPLES = 256, MAX_COLUMNS = 16 };

typedef struct series {
    double samples[MAX_SAMPLES];
    size_t count;
} series;

/* One case of one contender. */
typedef struct entry {
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
    bool out_of_memory;
};

table *table_create(void) { return calloc(1, sizeof(table)); }

void table_destroy(table *t) {
    if (!t) return;
    for (size_t k = 0; k < t->count; k++) free(t->entries[k]);
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

static void series_add(series *s, double value) {
    if (s->count < MAX_SAMPLES) s->samples[s->count++] = value;
}

static double series_median(const series *s) {
    series copy = *s;
    return median(copy.samples, copy.count);
}

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

static entry *find(const table *t, const char *family, const char *row, const char *column) {
    for (size_t k = 0; k < t->count; k++) {
        entry *e = t->entries[k];
        if (strcmp(e->family, family) == 0 && strcmp(e->row, row) == 0 && strcmp(e->column, column) == 0) return e;
    }
    return NULL;
}

static entry *new_entry(table *t) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64;
        entry **grown = realloc(t->entries, capacity * sizeof *grown);
        if (!grown) return NULL;
        t->entries = grown;
        t->capacity = capacity;
    }
    entry *e = calloc(1, sizeof *e);
    if (e) t->entries[t->count++] = e;
    return e;
}

static void add_counter(entry *e, const bench_counter_value *counter) {
    int k = 0;
    while (k < e->counter_count && strcmp(e->counter_names[k], counter->name) != 0) k++;
    if (k == BENCH_MAX_COUNTERS) return;
    if (k == e->counter_count) snprintf(e->counter_names[e->counter_count++], NAME, "%s", counter->name);
    series_add(&e->counters[k], counter->value);
}

void table_add(const bench_result *result, void *context) {
    table *t = context;
    entry names = {0};
    split(result->name, &names);
    entry *e = find(t, names.family, names.row, names.column);
    if (!e && (e = new_entry(t))) *e = names;
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
    series_add(&e->time, result->seconds / (double)(result->items ? result->items : 1));
    for (int k = 0; k < result->counter_count; k++) add_counter(e, &result->counters[k]);
}

int table_failures(const table *t) {
    int failures = t->out_of_memory;
    for (size_t k = 0; k < t->count; k++) failures += *t->entries[k]->error != 0;
    return failures;
}

/* Distinct strings in order of appearance. */
typedef struct name_list {
    const char *names[MAX_COLUMNS];
    int count;
} name_list;

static void list_add(name_list *l, const char *name) {
    for (int k = 0; k < l->count; k++)
        if (strcmp(l->names[k], name) == 0) return;
    if (l->count < MAX_COLUMNS) l->names[l->count++] = name;
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
        if (strcmp(t->entries[j]->family, t->entries[k]->family) == 0 && strcmp(t->entries[j]->row, t->entries[k]->row) == 0) return false;
    return true;
}

static void print_counters(const table *t, const char *family, FILE *out) {
    name_list columns = {0};
    for (size_t k = 0; k < t->count; k++)
        for (int c = 0; c < t->entries[k]->counter_count && strcmp(t->entries[k]->family, family) == 0; c++)
            list_add(&columns, t->entries[k]->counter_names[c]);
    if (!columns.count) return;
    print_head(&columns, family, out);
    for (size_t k = 0; k < t->count; k++) {
        const entry *e = t->entries[k];
        if (strcmp(e->family, family) != 0 || !e->counter_count) continue;
        fprintf(out, "| %s, %s |", e->row, e->column);
        for (int c = 0; c < columns.count; c++) {
            int at = 0;
            while (at < e->counter_count && strcmp(e->counter_names[at], columns.names[c]) != 0) at++;
            if (at < e->counter_count)
                fprintf(out, " %.4g |", series_median(&e->counters[at]));
            else
                fputs(" - |", out);
        }
        fputc('\n', out);
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
    print_head(&columns, title, out);
    for (size_t k = 0; k < t->count; k++)
        if (strcmp(t->entries[k]->family, family) == 0 && is_first_of_row(t, k)) print_row(t, t->entries[k], &columns, out);
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
    if (families.count) fputs("Medians; in parentheses how many times as fast as the first column.\n", out);
    for (int f = 0; f < families.count; f++) print_family(t, families.names[f], out);
    for (size_t k = 0; k < t->count; k++) print_error(t->entries[k], out);
}

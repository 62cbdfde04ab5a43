/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions and their engine. A session makes and drops its regions one after the other, and a
 * process may have many sessions; equal regions of all of them share one kernel, as do all but the
 * first of those that differ in numbers and sizes alone. TOSAJIT_CACHE_DIR keeps their code. */
#define _POSIX_C_SOURCE 200809L /* pthread */
#include "tools/onnxruntime/region.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Regions that one kernel can serve, by the text of that kernel. */
typedef struct family {
    struct family *next;
    char *text, *first; /* owned: of all, and of the one that came first */
} family;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tosajit_engine *engine; /* while there are regions */
static family *families;       /* likewise */
static size_t regions;

static tosajit_status hold_engine(void) {
    pthread_mutex_lock(&lock);
    tosajit_status status = regions ? TOSAJIT_OK : tosajit_engine_create(NULL, &engine);
    if (!status) regions++;
    pthread_mutex_unlock(&lock);
    return status;
}

static void drop_families(void) {
    for (family *f; (f = families);) {
        families = f->next;
        free(f->text);
        free(f->first);
        free(f);
    }
}

static void drop_engine(void) {
    pthread_mutex_lock(&lock);
    if (--regions == 0) {
        drop_families();
        tosajit_engine_destroy(engine);
        engine = NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* Whether a text is the second of its family, or a later one. The first has code of its own, which
 * is the best that there is; and most families have no second. */
static bool has_relatives(const char *general_text, const char *text) {
    pthread_mutex_lock(&lock);
    family *f = families;
    while (f && strcmp(f->text, general_text) != 0) f = f->next;
    const bool found = f && strcmp(f->first, text) != 0;
    if (!f && (f = calloc(1, sizeof *f))) {
        *f = (family){families, strdup(general_text), strdup(text)};
        families = f;
        if (!f->text || !f->first) { /* then nothing is shared */
            families = f->next;
            free(f->text);
            free(f->first);
            free(f);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static tosajit_status compile(const char *text, tosajit_accuracy accuracy,
                              tosajit_kernel **kernel) {
    const tosajit_parse_options options = {
        .size = sizeof options, .accuracy = accuracy, .name = "expression"};
    tosajit_expr *expr;
    tosajit_status status = tosajit_expr_parse(text, strlen(text), &options, &expr);
    if (status) return status;
    status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

/* The kernel of the text's family, or its own. */
static tosajit_status compile_shared(region *r, const char *text, size_t results,
                                     tosajit_accuracy accuracy) {
    r->numbers = generalise(text, results);
    char *shared = r->numbers.text;
    r->numbers.text = NULL;
    bool made = shared && has_relatives(shared, text) && !compile(shared, accuracy, &r->kernel);
    free(shared);
    if (made) return TOSAJIT_OK;
    r->numbers.count = 0;
    return compile(text, accuracy, &r->kernel);
}

tosajit_status region_create(const ort_api *api, int has_shapes, const char *text, size_t results,
                             tosajit_accuracy accuracy, region **made) {
    region *r = calloc(1, sizeof *r);
    if (!r) return TOSAJIT_OUT_OF_MEMORY;
    tosajit_status status = hold_engine();
    if (!status && (status = compile_shared(r, text, results, accuracy))) drop_engine();
    if (status) {
        free(r);
        return status;
    }
    r->api = api;
    r->has_shapes = has_shapes;
    r->operand_count = tosajit_kernel_operand_count(r->kernel) - r->numbers.count;
    r->result_count = tosajit_kernel_result_count(r->kernel);
    for (size_t k = 0; k < r->operand_count; k++)
        r->elements[k] = tosajit_kernel_operand_type(r->kernel, k).element;
    *made = r;
    return TOSAJIT_OK;
}

void region_destroy(region *r) {
    if (!r) return;
    tosajit_kernel_release(r->kernel);
    drop_engine();
    free(r);
}

/* Types by the engine's numbers, with what kernels take them as. */
static const struct {
    const char *name;
    tosajit_type element;
} types[] = {
    [1] = {"f32", TOSAJIT_F32},        [2] = {"u8", TOSAJIT_I8},
    [3] = {"i8", TOSAJIT_I8},          [4] = {"u16", TOSAJIT_I16},
    [5] = {"i16", TOSAJIT_I16},        [6] = {"i32", TOSAJIT_I32},
    [7] = {"i64", TOSAJIT_I64},        [9] = {"bool", TOSAJIT_I1},
    [10] = {"f16", TOSAJIT_F16},       [11] = {"f64", TOSAJIT_F64},
    [12] = {"u32", TOSAJIT_I32},       [13] = {"u64", TOSAJIT_I64},
    [16] = {"bf16", TOSAJIT_BF16},     [17] = {"f8E4M3FN", TOSAJIT_F8E4M3FN},
    [19] = {"f8E5M2", TOSAJIT_F8E5M2},
};

const char *region_type_name(int engine_type) {
    const size_t count = sizeof types / sizeof *types;
    const char *name =
        engine_type < 0 || (size_t)engine_type >= count ? NULL : types[engine_type].name;
    return name ? name : "a type that kernels do not know";
}

int region_takes(tosajit_type element, int engine_type) {
    const size_t count = sizeof types / sizeof *types;
    return engine_type >= 0 && (size_t)engine_type < count && types[engine_type].name &&
           types[engine_type].element == element;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions and their engines. A session makes and drops its regions one after the other, and a
 * process may have many sessions; equal regions of all of them share one kernel. TOSAJIT_CACHE_DIR
 * keeps their code.
 *
 * LLVM takes longer to load than most models. So kernels begin as code of single ops, in the same
 * bits, and a thread replaces it; or what compiles has come with the model, and LLVM stays away. */
#define _POSIX_C_SOURCE 200809L /* pthread */
#include "tools/onnxruntime/region.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/onnxruntime/types.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

/* The regions of all sessions that ask for code in the same way. */
struct pool {
    const settings *asked;  /* of operators, which stay registered */
    tosajit_engine *engine; /* while there are regions */
    size_t regions;
    pool *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pool *pools; /* for ever: as many as there are ways to ask */

static pool *find_pool(const settings *asked) {
    pthread_mutex_lock(&lock);
    pool *p = pools;
    while (p && !settings_same(p->asked, asked)) p = p->next;
    if (!p && (p = calloc(1, sizeof *p))) {
        p->asked = asked;
        p->next = pools;
        pools = p;
    }
    pthread_mutex_unlock(&lock);
    return p;
}

/* Without a thread for the background, code is made at once. */
static tosajit_status create_in(const settings *asked, const char *cache, tosajit_engine **engine) {
    tosajit_engine_options options = {.size = sizeof options,
                                      .backend = TOSAJIT_BACKEND_BACKGROUND,
                                      .quiesce_at_exit = 1,
                                      .cache_directory = cache};
    if (!asked->compile_now && !tosajit_engine_create(&options, engine)) return TOSAJIT_OK;
    options.backend = TOSAJIT_BACKEND_AUTO;
    return tosajit_engine_create(&options, engine);
}

/* A folder that others can write by now is not used, and code is not kept. */
static tosajit_status create_engine(const settings *asked, tosajit_engine **engine) {
    if (asked->cache && !create_in(asked, asked->cache, engine)) return TOSAJIT_OK;
    return create_in(asked, NULL, engine);
}

static tosajit_status hold_engine(pool *p) {
    pthread_mutex_lock(&lock);
    tosajit_status status = p->regions ? TOSAJIT_OK : create_engine(p->asked, &p->engine);
    if (!status) p->regions++;
    pthread_mutex_unlock(&lock);
    return status;
}

static void drop_engine(pool *p) {
    pthread_mutex_lock(&lock);
    if (--p->regions == 0) {
        tosajit_engine_destroy(p->engine);
        p->engine = NULL;
    }
    pthread_mutex_unlock(&lock);
}

static tosajit_status compile(region *r, const region_request *q, tosajit_kernel **kernel) {
    const tosajit_parse_options options = {
        .size = sizeof options, .accuracy = q->accuracy, .name = "expression"};
    tosajit_engine *engine = r->pool->engine;
    tosajit_expr *expr;
    tosajit_status status = tosajit_expr_parse(q->text, strlen(q->text), &options, &expr);
    if (status) return status;
    status = q->image ? tosajit_compile_with_image(engine, expr, q->image, q->image_size, kernel,
                                                   &r->refused)
                      : tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static tosajit_status begin(region *r, const region_request *q) {
    tosajit_kernel *kernel = NULL;
    tosajit_status status = hold_engine(r->pool);
    if (status) return status;
    if ((status = compile(r, q, &kernel))) {
        drop_engine(r->pool);
        return status;
    }
    tosajit_kernel_release(r->kernel);
    r->kernel = kernel;
    atomic_store_explicit(&r->begun, true, memory_order_release);
    return TOSAJIT_OK;
}

/* A thread that loads LLVM takes time from the one that makes the session. So the background starts
 * with the first call; until then the region knows its types. A folder of code most likely has
 * this region's, which is taken at once. */
static bool postpone(region *r, const region_request *q) {
    if (q->settings->compile_now || q->settings->cache || q->image) return false;
    r->kernel = types_kernel(q->text);
    r->text = strdup(q->text);
    r->accuracy = q->accuracy;
    return r->kernel && r->text;
}

tosajit_status region_begin(region *r) {
    static pthread_mutex_t one_begins = PTHREAD_MUTEX_INITIALIZER;
    if (atomic_load_explicit(&r->begun, memory_order_acquire)) return TOSAJIT_OK;
    pthread_mutex_lock(&one_begins);
    const region_request q = {.text = r->text, .accuracy = r->accuracy};
    const tosajit_status status = atomic_load(&r->begun) ? TOSAJIT_OK : begin(r, &q);
    pthread_mutex_unlock(&one_begins);
    return status;
}

tosajit_status region_create(const ort_api *api, int has_shapes, const region_request *request,
                             region **made) {
    region *r = calloc(1, sizeof *r);
    if (!r) return TOSAJIT_OUT_OF_MEMORY;
    r->pool = find_pool(request->settings);
    if (!r->pool) {
        free(r);
        return TOSAJIT_OUT_OF_MEMORY;
    }
    const tosajit_status status = postpone(r, request) ? TOSAJIT_OK : begin(r, request);
    if (status) {
        region_destroy(r);
        return status;
    }
    r->api = api;
    r->has_shapes = has_shapes;
    r->operand_count = tosajit_kernel_operand_count(r->kernel);
    r->result_count = tosajit_kernel_result_count(r->kernel);
    for (size_t k = 0; k < r->operand_count; k++)
        r->elements[k] = tosajit_kernel_operand_type(r->kernel, k).element;
    *made = r;
    return TOSAJIT_OK;
}

void region_destroy(region *r) {
    if (!r) return;
    tosajit_kernel_release(r->kernel);
    if (atomic_load(&r->begun)) drop_engine(r->pool);
    free(r->text);
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

static int is_known(int64_t engine_type) {
    return engine_type > 0 && engine_type < (int64_t)(sizeof types / sizeof *types) &&
           types[engine_type].name;
}

const char *region_type_name(int engine_type) {
    return is_known(engine_type) ? types[engine_type].name : "a type that kernels do not know";
}

int region_takes(tosajit_type element, int engine_type) {
    return is_known(engine_type) && types[engine_type].element == element;
}

int region_result_type(tosajit_type element, int64_t said) {
    int only = 0;
    if (said) return is_known(said) ? (int)said : 0;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (region_takes(element, (int)k)) only = only ? -1 : (int)k;
    return only > 0 ? only : 0;
}

int region_is_widened(const tosajit_kernel *kernel, size_t operand, int engine_type) {
    return operand < tosajit_kernel_operand_count(kernel) &&
           region_takes(TOSAJIT_F32, engine_type) &&
           tosajit_kernel_operand_type(kernel, operand).element == TOSAJIT_F16;
}

void region_widen(char *text) {
    for (char *at = text; (at = strstr(at, "f16")); at++)
        if (at == text || at[-1] != 'b') memcpy(at, "f32", 3);
}

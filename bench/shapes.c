/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shapes: the cases of shape_cases.c, out of place and a few in place. In: nothing. Out: cases
 * "shape/..." beside loops and libraries, "view/..." beside a loop in blocks, timed in turns. Every
 * contender's result is compared, once, with what an odometer over indices gives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/external.h"
#include "bench/families.h"
#include "bench/shape_cases.h"
#include "bench/turns.h"

enum { RANK = SHAPE_RANK };

typedef enum contender { LOOP, STATIC, DYNAMIC, PRECOMPILED, BLOCKED, COPY, EXTERNAL } contender;

typedef struct job {
    struct job *next;
    const shape_case *shape;
    contender who;
    const external *library;
    void *operator; /* or null */
    tosajit_kernel *kernel;
    shape_layout layout;
    void *pointers[3]; /* operands, result */
    tosajit_tensor tensors[3];
} job;

static job *jobs;
enum { ENGINES = 2 };
static tosajit_engine *engines[ENGINES]; /* the usual one; of precompiled ops */

static bool set_tensors(job *j) {
    const shape_case *s = j->shape;
    for (int k = 0; k < 3; k++)
        if (!(j->pointers[k] = shape_memory(j->layout.count, k))) return false;
    if (s->in_place) {
        memcpy(j->pointers[2], j->pointers[0], (size_t)j->layout.count * sizeof(float));
        j->pointers[0] = j->pointers[2];
    } else {
        /* Another contender's result would be taken for its own. */
        memset(j->pointers[2], 0xff, (size_t)j->layout.count * sizeof(float));
    }
    for (int k = 0; k < 2; k++) {
        j->tensors[k] = tosajit_dense(TOSAJIT_F32, j->pointers[k], RANK, s->dims[k]);
        if (k == 0 && s->seen != VIEW_DENSE) j->tensors[k].strides = j->layout.strides[k];
    }
    j->tensors[2] = tosajit_dense(TOSAJIT_F32, j->pointers[2], RANK, j->layout.sizes);
    return true;
}

static tosajit_status compile(job *j) {
    tosajit_tensor_type types[2];
    const bool precompiled = j->who == PRECOMPILED;
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = precompiled ? TOSAJIT_BACKEND_PRECOMPILED
                                                                   : TOSAJIT_BACKEND_AUTO,
                                            .uncached = 1};
    tosajit_engine **engine = &engines[precompiled];
    for (int k = 0; k < 2; k++) {
        types[k] = tosajit_ranked(TOSAJIT_F32, RANK, j->shape->dims[k]);
        for (int d = 0; j->who != STATIC && d < RANK; d++) types[k].dims[d] = TOSAJIT_DYNAMIC;
    }
    tosajit_status status = *engine ? TOSAJIT_OK : tosajit_engine_create(&options, engine);
    const size_t operands = (size_t)j->layout.operand_count;
    if (!status)
        status = tosajit_compile(*engine, j->shape->op, types, operands, NULL, NULL, &j->kernel);
    return status;
}

static bool make_request(const job *j, external_request *request) {
    const shape_case *s = j->shape;
    if (s->seen != VIEW_DENSE || s->in_place || j->layout.count > BUFFER_MAX_F32) return false;
    *request = (external_request){
        .op = s->op, .operand_count = 2, .rank = RANK, .low = -INFINITY, .high = INFINITY};
    for (int k = 0; k < 3; k++) {
        memcpy(request->dims[k], k < 2 ? s->dims[k] : j->layout.sizes, sizeof j->layout.sizes);
        request->pointers[k] = j->pointers[k];
    }
    return true;
}

static void run_once(const job *j) {
    const shape_case *s = j->shape;
    peer *function = j->who == BLOCKED ? s->blocked : j->who == COPY ? s->copy : s->loop;
    const int64_t cols = j->layout.sizes[RANK - 1];
    if (j->kernel)
        tosajit_run(j->kernel, j->tensors, (size_t)j->layout.operand_count, &j->tensors[2], 1);
    else if (j->who == EXTERNAL)
        j->library->run(j->operator);
    else if (function)
        function(j->pointers, j->pointers[2], j->layout.count / cols, cols);
    else
        (s->op == TOSAJIT_OP_mul ? sweep_loop_mul : sweep_loop)(&j->layout.nest, j->pointers[0],
                                                                j->pointers[1], j->pointers[2]);
}

/* In place, every element was overwritten: those of operand 0 are in the shared buffers still. */
static bool agrees(const job *j) {
    void *operands[2];
    int64_t strides[RANK], stride = sizeof(float);
    for (int k = 0; k < 2; k++) operands[k] = shape_memory(j->layout.count, k);
    for (int d = RANK; d-- > 0; stride *= j->layout.sizes[d]) strides[d] = stride;
    return shape_agrees(j->shape, &j->layout, operands, j->pointers[2], strides);
}

static const char *prepare(void *context) {
    job *j = context;
    external_request request;
    if (!set_tensors(j)) return "no memory";
    if (j->who >= STATIC && j->who <= PRECOMPILED && compile(j)) return tosajit_last_error();
    if (j->who == EXTERNAL &&
        !(make_request(j, &request) && (j->operator= j->library->create(&request))))
        return "the library refuses the shapes";
    if (j->kernel &&
        tosajit_run(j->kernel, j->tensors, (size_t)j->layout.operand_count, &j->tensors[2], 1))
        return tosajit_last_error();
    if (!j->kernel) run_once(j);
    return j->who == BLOCKED || j->who == COPY || agrees(j) ? NULL : "the results are wrong";
}

static void run(void *context, int64_t passes) {
    for (int64_t k = 0; k < passes; k++) {
        run_once(context);
        bench_clobber();
    }
}

static bool add_job(turns *group, const shape_case *shape, const job *values, const char *name) {
    job *j = malloc(sizeof *j);
    if (!j) return false;
    *j = *values;
    j->shape = shape;
    j->layout = shape_layout_of(shape);
    j->next = jobs;
    jobs = j;
    char full_name[128];
    snprintf(full_name, sizeof full_name, "%s/%s/%s", shape->family, shape->name, name);
    return turns_add(group, &(turns_contender){.name = full_name,
                                               .prepare = prepare,
                                               .run = run,
                                               .context = j,
                                               .items = j->layout.count,
                                               .bytes = j->layout.bytes});
}

static bool add_externals(turns *group, const shape_case *shape) {
    job probe = {.shape = shape, .layout = shape_layout_of(shape)};
    external_request request;
    for (int k = 0; externals[k] && make_request(&probe, &request); k++)
        if (externals[k]->supports(&request) &&
            !add_job(group, shape, &(job){.who = EXTERNAL, .library = externals[k]},
                     externals[k]->name))
            return false;
    return true;
}

bool shapes_register(void) {
    bool ok = true;
    for (int k = 0; ok && k < shape_case_count; k++) {
        const shape_case *s = &shape_cases[k];
        turns *group = turns_create(1, false);
        ok = group && add_job(group, s, &(job){.who = LOOP}, "loop") &&
             add_job(group, s, &(job){.who = STATIC}, "static") &&
             add_job(group, s, &(job){.who = DYNAMIC}, "dynamic") &&
             add_job(group, s, &(job){.who = PRECOMPILED}, "precompiled") &&
             (!s->blocked || add_job(group, s, &(job){.who = BLOCKED}, "blocked")) &&
             (!s->copy || add_job(group, s, &(job){.who = COPY}, "copy")) &&
             add_externals(group, s);
    }
    return ok;
}

void shapes_release(void) {
    while (jobs) {
        job *next = jobs->next;
        tosajit_kernel_release(jobs->kernel);
        if (jobs->operator) jobs->library->destroy(jobs->operator);
        free(jobs);
        jobs = next;
    }
    for (int k = 0; k < ENGINES; k++) {
        tosajit_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}

/* Shapes: broadcasts that models are made of, views of larger or transposed matrices, results in place, and more memory than any cache
 * holds; on f32. In: a table. Out: cases "shape/..." beside loops and libraries, "view/..." beside a loop in blocks. Every contender's
 * result is compared, once, with what an odometer over indices gives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmark_shim.h"
#include "bench/buffers.h"
#include "bench/external.h"
#include "bench/families.h"
#include "bench/peers.h"
#include "bench/sweep.h"

enum { RANK = SWEEP_RANK, LARGE = 64 << 20 };

/* How an operand lies in memory: dense; the transpose of a dense one; every second column, or the left half, of one that is twice as
 * wide. */
typedef enum view { DENSE, TRANSPOSED, SECOND, WIDE } view;

typedef struct shape_case {
    const char *family, *name;
    tosajit_op op; /* add, mul, or abs of operand 0 alone */
    int64_t dims[2][RANK];
    view seen; /* operand 0 */
    bool in_place;
    peer *loop, *blocked, *copy; /* loop null: a nest of four loops. blocked: of views. copy: moves as many bytes */
} shape_case;

#define ADD(sizes_a, sizes_b, ...) .op = TOSAJIT_OP_add, .dims = {sizes_a, sizes_b}, __VA_ARGS__
#define SIZES(...)                                                                                                                         \
    { __VA_ARGS__ }
#define SQUARE(n) SIZES(1, 1, n, n)
/* A view in three sizes: L2, L3, and rows that are no multiple of a block or a page. */
#define VIEWS(view_name, operation, kind, ...)                                                                                             \
    {"view", view_name "/64K", operation, {SQUARE(256), SQUARE(256)}, kind, __VA_ARGS__},                                                  \
        {"view", view_name "/1M", operation, {SQUARE(1024), SQUARE(1024)}, kind, __VA_ARGS__}, {                                           \
        "view", view_name "/1000x1030", operation, {SIZES(1, 1, 1000, 1030), SIZES(1, 1, 1000, 1030)}, kind, __VA_ARGS__                   \
    }

static const shape_case shape_cases[] = {
    {"shape", "channel_8x64x56x56", ADD(SIZES(8, 64, 56, 56), SIZES(1, 64, 1, 1), .copy = peer_add_scalar)},
    {"shape", "two_sided_8x64x56x56", .op = TOSAJIT_OP_mul, .dims = {{8, 1, 56, 1}, {1, 64, 1, 56}}, .copy = peer_fill},
    {"shape", "Nx1_and_Nx3", ADD(SIZES(1, 1, 21845, 1), SIZES(1, 1, 21845, 3), .copy = peer_add_scalar)},
    {"shape", "1x3_and_Nx3", ADD(SIZES(1, 1, 1, 3), SIZES(1, 1, 21845, 3), .copy = peer_add_scalar)},
    {"shape", "3x5x7x1_and_1x5x1x11", ADD(SIZES(3, 5, 7, 1), SIZES(1, 5, 1, 11), .copy = peer_fill)},
    {"shape", "same_64M", ADD(SQUARE(8192), SQUARE(8192), .loop = peer_add_same, .copy = peer_copy_same)},
    {"shape", "in_place_4K", ADD(SQUARE(64), SQUARE(64), .in_place = true, .loop = peer_add_in_place)},
    {"shape", "in_place_64K", ADD(SQUARE(256), SQUARE(256), .in_place = true, .loop = peer_add_in_place)},
    {"shape", "in_place_1M", ADD(SQUARE(1024), SQUARE(1024), .in_place = true, .loop = peer_add_in_place)},
    {"shape", "in_place_16M", ADD(SQUARE(4096), SQUARE(4096), .in_place = true, .loop = peer_add_in_place)},
    VIEWS("transposed_abs", TOSAJIT_OP_abs, TRANSPOSED, .loop = peer_abs_transposed, .blocked = peer_copy_transposed_blocked),
    VIEWS("transposed_add", TOSAJIT_OP_add, TRANSPOSED, .loop = peer_add_transposed, .blocked = peer_add_transposed_blocked),
    VIEWS("every_second_abs", TOSAJIT_OP_abs, SECOND, .loop = peer_abs_second, .blocked = peer_copy_second),
    VIEWS("left_half_add", TOSAJIT_OP_add, WIDE, .loop = peer_add_wide, .blocked = peer_copy_wide),
};

typedef enum contender { LOOP, STATIC, DYNAMIC, BLOCKED, COPY, EXTERNAL } contender;

typedef struct job {
    struct job *next;
    const shape_case *shape;
    contender who;
    const external *library;
    void *operator; /* or null */
    tosajit_kernel *kernel;
    sweep_nest nest;
    int64_t count, sizes[RANK], strides[2][RANK]; /* of the result, and of the operands in bytes */
    int operand_count;
    void *pointers[3];
    tosajit_tensor tensors[3];
    bool ready;
} job;

static job *jobs;
static tosajit_engine *engine;
static float *large[3]; /* two operands and a result; the buffers of all families are smaller */

static float *large_buffer(int index) {
    if (large[index]) return large[index];
    float *made = malloc((size_t)LARGE * sizeof *made);
    for (int64_t k = 0; made && k < LARGE; k++) made[k] = (float)(k % 1021 + index);
    return large[index] = made;
}

static void set_sizes(job *j) {
    const shape_case *s = j->shape;
    j->operand_count = s->op == TOSAJIT_OP_abs ? 1 : 2;
    j->count = 1;
    for (int d = 0; d < RANK; d++) {
        j->sizes[d] = s->dims[0][d] == 1 ? s->dims[1][d] : s->dims[0][d];
        j->count *= j->sizes[d];
    }
    for (int k = 0; k < 2; k++) {
        int64_t stride = sizeof(float);
        for (int d = RANK; d-- > 0; stride *= s->dims[k][d]) j->strides[k][d] = s->dims[k][d] == 1 ? 0 : stride;
    }
    const int64_t element = sizeof(float), width = (s->seen == DENSE ? 1 : 2) * element * j->sizes[RANK - 1];
    if (s->seen != DENSE) j->strides[0][RANK - 2] = s->seen == TRANSPOSED ? element : width;
    if (s->seen != DENSE)
        j->strides[0][RANK - 1] = s->seen == TRANSPOSED ? element * j->sizes[RANK - 2] : s->seen == SECOND ? 2 * element : element;
    for (int d = 0; d < RANK; d++) {
        j->nest.sizes[d] = j->sizes[d];
        for (int k = 0; k < 2; k++) j->nest.strides[k][d] = j->strides[k][d] / element;
    }
}

static bool set_tensors(job *j) {
    const shape_case *s = j->shape;
    for (int k = 0; k < 3; k++) {
        j->pointers[k] = j->count == LARGE ? large_buffer(k) : k < 2 ? buffer_operand(TOSAJIT_F32, k) : buffer_result(0);
        if (!j->pointers[k]) return false;
    }
    if (s->in_place) {
        memcpy(j->pointers[2], j->pointers[0], (size_t)j->count * sizeof(float));
        j->pointers[0] = j->pointers[2];
    }
    for (int k = 0; k < 2; k++) {
        j->tensors[k] = tosajit_dense(TOSAJIT_F32, j->pointers[k], RANK, s->dims[k]);
        if (k == 0 && s->seen != DENSE) j->tensors[k].strides = j->strides[k];
    }
    j->tensors[2] = tosajit_dense(TOSAJIT_F32, j->pointers[2], RANK, j->sizes);
    return true;
}

static tosajit_status compile(job *j) {
    tosajit_tensor_type types[2];
    for (int k = 0; k < 2; k++) {
        types[k] = tosajit_ranked(TOSAJIT_F32, RANK, j->shape->dims[k]);
        for (int d = 0; j->who == DYNAMIC && d < RANK; d++) types[k].dims[d] = TOSAJIT_DYNAMIC;
    }
    tosajit_status status = engine ? TOSAJIT_OK : tosajit_engine_create(NULL, &engine);
    return status ? status : tosajit_compile(engine, j->shape->op, types, (size_t)j->operand_count, NULL, NULL, &j->kernel);
}

static bool make_request(const job *j, external_request *request) {
    const shape_case *s = j->shape;
    if (s->seen != DENSE || s->in_place || j->count == LARGE) return false;
    *request = (external_request){.op = s->op, .operand_count = 2, .rank = RANK, .low = -INFINITY, .high = INFINITY};
    for (int k = 0; k < 3; k++) {
        memcpy(request->dims[k], k < 2 ? s->dims[k] : j->sizes, sizeof j->sizes);
        request->pointers[k] = j->pointers[k];
    }
    return true;
}

static void run_once(const job *j) {
    const shape_case *s = j->shape;
    peer *function = j->who == BLOCKED ? s->blocked : j->who == COPY ? s->copy : s->loop;
    if (j->who == STATIC || j->who == DYNAMIC)
        tosajit_run(j->kernel, j->tensors, (size_t)j->operand_count, &j->tensors[2], 1);
    else if (j->who == EXTERNAL)
        j->library->run(j->operator);
    else if (function)
        function(j->pointers, j->pointers[2], j->count / j->sizes[RANK - 1], j->sizes[RANK - 1]);
    else
        (s->op == TOSAJIT_OP_mul ? sweep_loop_mul : sweep_loop)(&j->nest, j->pointers[0], j->pointers[1], j->pointers[2]);
}

static float expected_at(const job *j, const int64_t *index) {
    float values[2];
    for (int k = 0; k < 2; k++) {
        const char *at = j->pointers[k];
        for (int d = 0; d < RANK; d++) at += index[d] * j->strides[k][d];
        memcpy(&values[k], at, sizeof(float));
    }
    return j->shape->op == TOSAJIT_OP_abs   ? fabsf(values[0])
           : j->shape->op == TOSAJIT_OP_mul ? values[0] * values[1]
                                            : values[0] + values[1];
}

/* In place, every element was overwritten: those of operand 0 are in the shared buffers still. */
static bool agrees(job *j) {
    int64_t index[RANK] = {0};
    const float *result = j->pointers[2];
    if (j->shape->in_place) j->pointers[0] = buffer_operand(TOSAJIT_F32, 0);
    bool same = true;
    for (int64_t k = 0; k < j->count && same; k++) {
        same = result[k] == expected_at(j, index);
        for (int d = RANK; d-- > 0 && ++index[d] == j->sizes[d];) index[d] = 0;
    }
    if (j->shape->in_place) j->pointers[0] = j->pointers[2];
    return same;
}

static const char *make_ready(job *j) {
    external_request request;
    if (!set_tensors(j)) return "no memory";
    if ((j->who == STATIC || j->who == DYNAMIC) && compile(j)) return tosajit_last_error();
    if (j->who == EXTERNAL && !(make_request(j, &request) && (j->operator= j->library->create(&request))))
        return "the library refuses the shapes";
    if (j->kernel && tosajit_run(j->kernel, j->tensors, (size_t)j->operand_count, &j->tensors[2], 1)) return tosajit_last_error();
    if (!j->kernel) run_once(j);
    return j->who == BLOCKED || j->who == COPY || agrees(j) ? NULL : "the results are wrong";
}

static bool prepare(bench_run *run, void *context) {
    job *j = context;
    if (j->ready) return true;
    const char *wrong = make_ready(j);
    if (wrong) bench_fail(run, wrong);
    return j->ready = !wrong;
}

static void body(bench_run *run, int64_t iterations, void *context) {
    (void)run;
    for (int64_t i = 0; i < iterations; i++) {
        run_once(context);
        bench_clobber();
    }
}

static bool add_job(const shape_case *shape, const job *values, const char *name) {
    job *j = malloc(sizeof *j);
    if (!j) return false;
    *j = *values;
    j->shape = shape;
    j->next = jobs;
    jobs = j;
    set_sizes(j);
    int64_t bytes = j->count;
    for (int k = 0; k < j->operand_count; k++) bytes += shape->dims[k][0] * shape->dims[k][1] * shape->dims[k][2] * shape->dims[k][3];
    char full_name[128];
    snprintf(full_name, sizeof full_name, "%s/%s/%s", shape->family, shape->name, name);
    bench_register(&(bench_case){
        .name = full_name, .prepare = prepare, .body = body, .context = j, .items = j->count, .bytes = bytes * (int64_t)sizeof(float)});
    return true;
}

static bool add_externals(const shape_case *shape) {
    job probe = {.shape = shape};
    external_request request;
    set_sizes(&probe);
    for (int k = 0; externals[k] && make_request(&probe, &request); k++)
        if (externals[k]->supports(&request) && !add_job(shape, &(job){.who = EXTERNAL, .library = externals[k]}, externals[k]->name))
            return false;
    return true;
}

bool shapes_register(void) {
    bool ok = true;
    for (size_t k = 0; ok && k < sizeof shape_cases / sizeof *shape_cases; k++) {
        const shape_case *s = &shape_cases[k];
        ok = add_job(s, &(job){.who = LOOP}, "loop") && add_job(s, &(job){.who = STATIC}, "static") &&
             add_job(s, &(job){.who = DYNAMIC}, "dynamic") && (!s->blocked || add_job(s, &(job){.who = BLOCKED}, "blocked")) &&
             (!s->copy || add_job(s, &(job){.who = COPY}, "copy")) && add_externals(s);
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
    tosajit_engine_destroy(engine);
    engine = NULL;
    for (int k = 0; k < 3; k++) {
        free(large[k]);
        large[k] = NULL;
    }
}

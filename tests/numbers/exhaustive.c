/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The exhaustive proof: every op on all its operands, compared with a reference that is independent
 * of the library, on every instruction set of this machine, in the wide loops and in their tails.
 * In: options, see usage. Out: one table row per op and engine on stdout; status 1 if anything is
 * wrong. */
#include <ctype.h>
#include <inttypes.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/numbers/exhaustive.h"
#include "tests/support/support.h"
#include "tosajit/inspect.h"

static const char usage[] =
    "exhaustive [options] [name...]   jobs in whose names a word begins so; all without any\n"
    "  --list               print the names of the jobs\n"
    "  --stride N           every N-th point of the jobs of more than 65536 points (default 1: "
    "all)\n"
    "  --accuracy WHICH     exact (default): every result rounded correctly; reproducible: at most "
    "1 ulp "
    "off\n"
    "  --engine NAME        only this engine: native, x86-64-v2 to -v4, aarch64\n"
    "  --interpreter        the interpreter too, on all operands; without, only on those where "
    "rounding is hard\n"
    "  --tails N            the loops of one vector and for tails on every N-th chunk of 8192 "
    "points (default 8;\n"
    "                       1: all) of the jobs of more than 65536 points\n"
    "  --pairs N            points for pow on f32 (default 1000000000)\n"
    "  --threads N          default 2\n"
    "  --state DIR          keep the state in this directory, and go on from there\n"
    "  --restart            forget the state\n";

/* Jobs of at most this many points are never thinned out. */
enum { SMALL = 65536 };

typedef struct options {
    uint64_t stride, tails, pairs;
    int threads;
    tosajit_accuracy accuracy;
    const char *engine, *state;
    bool interpreter, restart, list;
    char **names;
    int name_count;
} options;

/* Ways of calling a kernel. WIDE: whole chunks, for the unrolled loop. ROW and TAIL: its code is
 * called for many short rows, of one vector of AVX2 or of one element less, which leaves them to
 * the loop of one vector, or to the last one, scalar or masked. HARD: only the operands whose
 * rounding MPFR had to decide. */
typedef enum way { WAY_WIDE, WAY_ROW, WAY_TAIL, WAY_HARD } way;

typedef struct test_lane {
    char name[40];
    way way;
    tosajit_kernel *kernel;
    tosajit_raw raw; /* ROW and TAIL */
} test_lane;

/* A job that is being run. */
typedef struct run {
    const job *job;
    const options *options;
    char id[80]; /* of the state file */
    test_lane lanes[MAX_LANES];
    int lane_count;
    tosajit_kernel *kernels[TEST_MAX_ENGINES];
    progress progress;
    pthread_mutex_t mutex; /* guards what follows, and progress */
    pthread_cond_t finished;
    uint64_t next_block, points_done;
    int running, logged;
    char failure[256]; /* a run that the library refused; empty: none */
} run;

typedef struct worker {
    run *run;
    expectation expected;
    finding findings[MAX_LANES];
    _Alignas(64) uint8_t operands[TOSAJIT_MAX_ARITY][CHUNK * MAX_ELEMENT];
    _Alignas(64) uint8_t actual[CHUNK * MAX_ELEMENT];
} worker;

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Calling. */

static tosajit_status run_dense(const job *j, const tosajit_kernel *kernel, void *const *operands,
                                void *result, size_t count) {
    const int64_t dims[1] = {(int64_t)count};
    tosajit_tensor tensors[TOSAJIT_MAX_ARITY], written = tosajit_dense(j->result, result, 1, dims);
    for (int k = 0; k < j->arity; k++)
        tensors[k] = tosajit_dense(j->operands[k], operands[k], 1, dims);
    return tosajit_run(kernel, tensors, (size_t)j->arity, &written, 1);
}

/* Elements of the widest type at work that a vector of AVX2 holds. Narrow floating point is
 * computed in f32. */
static size_t vector_elements(const job *j) {
    size_t widest = j->result_size;
    for (int k = 0; k < j->arity; k++) {
        if (j->sizes[k] > widest) widest = j->sizes[k];
        if (test_is_float(j->operands[k]) && widest < 4) widest = 4;
    }
    if (test_is_float(j->result) && widest < 4) widest = 4;
    return 32 / widest;
}

/* Through the kernel's own code: tosajit_run would collapse short rows. */
static void run_rows(const job *j, const tosajit_raw *raw, void *const *operands, void *result,
                     size_t count, size_t cols) {
    enum { TENSORS = TOSAJIT_MAX_ARITY + 1 };
    void *pointers[TENSORS];
    int64_t strides[2 * TENSORS];
    size_t arity = (size_t)j->arity, rows = count / cols, first = 0;
    for (int round = 0; round < 2; round++) { /* the rows, and what is left */
        for (size_t k = 0; k <= arity; k++) {
            int32_t index = k < arity ? raw->operand_index[k] : 0;
            size_t size = k < arity ? j->sizes[index] : j->result_size;
            pointers[k] = (uint8_t *)(k < arity ? operands[index] : result) + first * size;
            strides[2 * k] = (int64_t)(cols * size), strides[2 * k + 1] = (int64_t)size;
        }
        raw->entry(raw->context, pointers, strides, 1, (int64_t)rows, (int64_t)cols);
        first = rows * cols, rows = 1, cols = count - first;
    }
}

static tosajit_status run_lane(const job *j, const test_lane *lane, void *const *operands,
                               void *result, size_t count) {
    if (lane->way == WAY_WIDE) return run_dense(j, lane->kernel, operands, result, count);
    run_rows(j, &lane->raw, operands, result, count, vector_elements(j) - (lane->way == WAY_TAIL));
    return TOSAJIT_OK;
}

/* Comparing. */

static void get_operands(const worker *w, size_t k, uint64_t *bits) {
    const job *j = w->run->job;
    for (int o = 0; o < j->arity; o++) bits[o] = exhaustive_load(w->operands[o], k, j->sizes[o]);
}

static void print_bits(char *text, size_t capacity, const job *j, const uint64_t *operands) {
    size_t length = 0;
    for (int o = 0; o < j->arity; o++)
        length += (size_t)snprintf(text + length, capacity - length, "%s0x%0*" PRIx64, o ? " " : "",
                                   (int)(2 * j->sizes[o]), operands[o]);
}

/* The first wrong results of a job, each in a line. */
static void log_wrong(run *r, const char *lane, const finding *f) {
    enum { MAX_LOGGED = 64 };
    char at[80];
    print_bits(at, sizeof at, r->job, f->wrong_operands);
    pthread_mutex_lock(&r->mutex);
    if (r->logged++ < MAX_LOGGED)
        printf("wrong: %s on %s: %s gives 0x%" PRIx64 ", should be 0x%" PRIx64 ", %.12f ulp off\n",
               r->job->name, lane, at, f->wrong_result, f->expected_result, f->wrong_distance);
    pthread_mutex_unlock(&r->mutex);
}

static bool is_wrong(const run *r, const finding *f) {
    return r->options->accuracy == TOSAJIT_REPRODUCIBLE && r->job->function ? f->beyond > 0
                                                                            : f->wrong > 0;
}

static void compare_element(worker *w, void *const *operands, int lane, size_t k) {
    const job *j = w->run->job;
    uint64_t actual = exhaustive_load(w->actual, k, j->result_size),
             expected = exhaustive_load(w->expected.bits, k, j->result_size);
    bool same = exhaustive_same(j, actual, expected);
    double distance = !j->function ? 0
                      : same       ? w->expected.distance[k]
                                   : exhaustive_distance(j, operands, &w->expected, k, actual);
    finding found = {.checked = 1,
                     .wrong = !same,
                     .beyond = distance > 1,
                     .widest = distance,
                     .wrong_distance = distance};
    get_operands(w, k, found.widest_operands);
    memcpy(found.wrong_operands, found.widest_operands, sizeof found.wrong_operands);
    found.wrong_result = actual, found.expected_result = expected;
    if (is_wrong(w->run, &found)) log_wrong(w->run, w->run->lanes[lane].name, &found);
    finding_merge(&w->findings[lane], &found);
}

/* Where results are the expected ones their distances are, too. */
static void compare_chunk(worker *w, void *const *operands, int lane, size_t count) {
    const job *j = w->run->job;
    finding found = {.checked = count, .widest = j->function ? w->expected.widest : 0};
    if (memcmp(w->actual, w->expected.bits, count * j->result_size) != 0)
        for (size_t k = 0; k < count; k++) {
            uint64_t actual = exhaustive_load(w->actual, k, j->result_size),
                     expected = exhaustive_load(w->expected.bits, k, j->result_size);
            if (actual == expected || exhaustive_same(j, actual, expected)) continue;
            compare_element(w, operands, lane, k);
            found.checked--;
        }
    if (j->function) get_operands(w, w->expected.widest_at, found.widest_operands);
    finding_merge(&w->findings[lane], &found);
}

/* The hard operands of the chunk, one by one: they are few. */
static tosajit_status compare_hard(worker *w, int lane, void *const *operands) {
    const job *j = w->run->job;
    for (size_t h = 0; h < w->expected.hard_count; h++) {
        size_t k = w->expected.hard[h];
        void *one[TOSAJIT_MAX_ARITY];
        for (int o = 0; o < j->arity; o++) one[o] = w->operands[o] + k * j->sizes[o];
        tosajit_status status =
            run_dense(j, w->run->lanes[lane].kernel, one, w->actual + k * j->result_size, 1);
        if (status) return status;
        compare_element(w, operands, lane, k);
    }
    return TOSAJIT_OK;
}

static bool check_chunk(worker *w, uint64_t first, size_t count) {
    run *r = w->run;
    void *operands[TOSAJIT_MAX_ARITY] = {w->operands[0], w->operands[1], w->operands[2]};
    uint64_t tails = r->job->total > SMALL ? r->options->tails : 1;
    exhaustive_operands(r->job, first * r->progress.step, r->progress.step, count, operands);
    exhaustive_expect(r->job, operands, count, &w->expected);
    for (int k = 0; k < r->lane_count; k++) {
        const test_lane *lane = &r->lanes[k];
        if ((lane->way == WAY_ROW || lane->way == WAY_TAIL) && first / CHUNK % tails != 0) continue;
        tosajit_status status;
        if (lane->way == WAY_HARD) {
            status = compare_hard(w, k, operands);
        } else {
            status = run_lane(r->job, lane, operands, w->actual, count);
            if (!status) compare_chunk(w, operands, k, count);
        }
        if (!status) continue;
        pthread_mutex_lock(&r->mutex);
        snprintf(r->failure, sizeof r->failure, "%s: %.200s", lane->name, tosajit_last_error());
        pthread_mutex_unlock(&r->mutex);
        return false;
    }
    return true;
}

static uint64_t block_size(const progress *p, uint64_t block) {
    uint64_t start = block * BLOCK;
    return p->total - start < BLOCK ? p->total - start : BLOCK;
}

/* The next block that is not done, or block_count. */
static uint64_t take_block(run *r) {
    pthread_mutex_lock(&r->mutex);
    while (r->next_block < r->progress.block_count && r->progress.done[r->next_block])
        r->next_block++;
    uint64_t block = *r->failure ? r->progress.block_count : r->next_block;
    if (block < r->progress.block_count) r->next_block++;
    pthread_mutex_unlock(&r->mutex);
    return block;
}

static void *work(void *argument) {
    worker *w = argument;
    run *r = w->run;
    for (uint64_t block; (block = take_block(r)) < r->progress.block_count;) {
        uint64_t size = block_size(&r->progress, block);
        memset(w->findings, 0, sizeof w->findings);
        bool good = true;
        for (uint64_t at = 0; good && at < size; at += CHUNK)
            good = check_chunk(w, block * BLOCK + at, size - at < CHUNK ? size - at : CHUNK);
        if (!good) break;
        pthread_mutex_lock(&r->mutex);
        for (int k = 0; k < r->lane_count; k++)
            finding_merge(&r->progress.lanes[k], &w->findings[k]);
        r->progress.done[block] = 1;
        r->points_done += size;
        pthread_mutex_unlock(&r->mutex);
    }
    mpfr_free_cache();
    pthread_mutex_lock(&r->mutex);
    r->running--;
    pthread_cond_signal(&r->finished);
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

/* Kernels. */

static tosajit_status build(const job *j, tosajit_accuracy accuracy, tosajit_expr **expr) {
    tosajit_expr_options settings = {.size = sizeof settings, .accuracy = accuracy};
    const int64_t dims[1] = {TOSAJIT_DYNAMIC};
    tosajit_value operands[TOSAJIT_MAX_ARITY], value;
    tosajit_tensor_type result = tosajit_ranked(j->result, 1, dims);
    tosajit_status status = tosajit_expr_create(&settings, expr);
    for (int k = 0; !status && k < j->arity; k++) {
        tosajit_tensor_type type = tosajit_ranked(j->operands[k], 1, dims);
        status = tosajit_expr_input(*expr, &type, &operands[k]);
    }
    if (!status)
        status = tosajit_expr_op(*expr, j->op, operands, (size_t)j->arity, &j->attributes, &result,
                                 &value);
    return status ? status : tosajit_expr_result(*expr, value);
}

static void hash(uint64_t *state, const char *text) {
    for (; *text; text++) *state = (*state ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
}

static tosajit_status add_lane(run *r, const char *engine, way way, tosajit_kernel *kernel) {
    static const char *const suffixes[] = {
        [WAY_WIDE] = "", [WAY_ROW] = " row", [WAY_TAIL] = " tail", [WAY_HARD] = " hard"};
    test_lane *lane = &r->lanes[r->lane_count++];
    snprintf(lane->name, sizeof lane->name, "%s%s", engine, suffixes[way]);
    lane->way = way;
    lane->kernel = kernel;
    lane->raw.size = sizeof lane->raw;
    hash(&r->progress.fingerprint, lane->name);
    return way == WAY_ROW || way == WAY_TAIL ? tosajit_kernel_raw(kernel, 0, &lane->raw)
                                             : TOSAJIT_OK;
}

/* The assembly without the kernels' names, which are numbered. The interpreter has none: a later
 * one is not told from it, and needs
 * --restart. */
static tosajit_status hash_code(uint64_t *state, tosajit_engine *engine, const tosajit_expr *expr) {
    char *text;
    tosajit_status status = tosajit_print(engine, expr, TOSAJIT_VIEW_ASM, &text);
    if (status) return status;
    char *to = text;
    for (const char *from = text; *from;)
        if (strncmp(from, "tosajit_", 8) == 0)
            while (isalnum((unsigned char)*from) || *from == '_') from++;
        else
            *to++ = *from++;
    *to = 0;
    hash(state, text);
    tosajit_text_release(text);
    return TOSAJIT_OK;
}

/* One engine's kernel and its lanes. */
static tosajit_status prepare_engine(run *r, const test_engine *engine, size_t index,
                                     const tosajit_expr *expr) {
    const options *o = r->options;
    bool hard = !engine->native && !o->interpreter;
    if (o->engine && engine->native && strcmp(o->engine, engine->name) != 0) return TOSAJIT_OK;
    if (hard && (!r->job->function || o->accuracy == TOSAJIT_REPRODUCIBLE)) return TOSAJIT_OK;
    tosajit_status status = tosajit_compile_expr(engine->engine, expr, &r->kernels[index]);
    if (status) return status;
    if (engine->native) {
        status = o->state ? hash_code(&r->progress.fingerprint, engine->engine, expr) : TOSAJIT_OK;
        if (status) return status;
        status = add_lane(r, engine->name, WAY_TAIL, r->kernels[index]);
        /* With AVX-512 there is no such loop: the masked one serves. */
        if (!status && strcmp(engine->name, "x86-64-v3") == 0)
            status = add_lane(r, engine->name, WAY_ROW, r->kernels[index]);
    }
    return status ? status
                  : add_lane(r, engine->name, hard ? WAY_HARD : WAY_WIDE, r->kernels[index]);
}

static bool prepare(run *r, const test_engine *engines, size_t engine_count) {
    tosajit_expr *expr = NULL;
    progress *p = &r->progress;
    p->fingerprint = UINT64_C(0xcbf29ce484222325);
    hash(&p->fingerprint, r->job->name);
    hash(&p->fingerprint, r->options->accuracy == TOSAJIT_REPRODUCIBLE ? "fast" : "exact");
    p->fingerprint += r->options->tails;
    tosajit_status status = build(r->job, r->options->accuracy, &expr);
    for (size_t e = 0; !status && e < engine_count; e++)
        status = prepare_engine(r, &engines[e], e, expr);
    tosajit_expr_destroy(expr);
    if (status) snprintf(r->failure, sizeof r->failure, "%.200s", tosajit_last_error());
    p->step = r->job->total > SMALL ? r->options->stride : 1;
    p->total = (r->job->total + p->step - 1) / p->step;
    p->lane_count = r->lane_count;
    p->block_count = (p->total + BLOCK - 1) / BLOCK;
    p->done = calloc((size_t)p->block_count, 1);
    return !status && p->done;
}

/* Progress on stderr, once a job takes longer than two seconds. */

typedef struct estimate {
    double start, last;
    uint64_t selected, finished,
        computed; /* points of all jobs; finished ones; those that this process has computed */
    bool shown;
} estimate;

static void show_time(double seconds) {
    if (seconds < 100)
        fprintf(stderr, "%.0f s", seconds);
    else
        fprintf(stderr, "%.0f min", seconds / 60);
}

static void show_progress(const run *r, estimate *e, double job_start, uint64_t points) {
    double time = now(), all = (double)(e->computed + points) / (time - e->start),
           share = (double)points / (time - job_start);
    if (time - job_start < 2 || time - e->last < 1 || points == 0) return;
    uint64_t done = 0;
    for (uint64_t b = 0; b < r->progress.block_count; b++)
        done += r->progress.done[b] ? block_size(&r->progress, b) : 0;
    fprintf(stderr, "\r%-34s %5.1f %%, ", r->job->name,
            100 * (double)done / (double)r->progress.total);
    show_time((double)(r->progress.total - done) / share);
    fprintf(stderr, " left; all jobs %5.1f %%, ",
            100 * (double)(e->finished + done) / (double)e->selected);
    show_time((double)(e->selected - e->finished - done) / all);
    fprintf(stderr, " left   ");
    e->last = time, e->shown = true;
}

static void save(const run *r) {
    if (r->options->state && !progress_save(&r->progress, r->options->state, r->id))
        fprintf(stderr, "\nthe state of %s cannot be written to %s\n", r->job->name,
                r->options->state);
}

/* Start the threads and watch them; the state is written every few seconds. */
static void run_threads(run *r, estimate *e) {
    enum { MAX_THREADS = 64 };
    static const double save_interval = 5;
    pthread_t threads[MAX_THREADS];
    worker *workers[MAX_THREADS] = {0};
    int count = r->options->threads;
    if ((uint64_t)count > r->progress.block_count) count = (int)r->progress.block_count;
    double start = now(), saved = start;
    for (int k = 0; k < count; k++) {
        workers[k] = calloc(1, sizeof *workers[k]);
        if (!workers[k]) break;
        workers[k]->run = r;
        pthread_mutex_lock(&r->mutex);
        bool started = pthread_create(&threads[k], NULL, work, workers[k]) == 0;
        r->running += started;
        pthread_mutex_unlock(&r->mutex);
        if (started) continue;
        free(workers[k]);
        workers[k] = NULL;
        break;
    }
    if (count > 0 && !workers[0])
        snprintf(r->failure, sizeof r->failure, "no thread could be started");
    pthread_mutex_lock(&r->mutex);
    while (r->running > 0) {
        struct timespec until;
        timespec_get(&until, TIME_UTC);
        until.tv_sec++;
        pthread_cond_timedwait(&r->finished, &r->mutex, &until);
        show_progress(r, e, start, r->points_done);
        if (now() - saved > save_interval) save(r), saved = now();
    }
    pthread_mutex_unlock(&r->mutex);
    for (int k = 0; k < count && workers[k]; k++) {
        pthread_join(threads[k], NULL);
        free(workers[k]);
    }
}

/* Results. */

static bool report(const run *r) {
    bool good = !*r->failure;
    if (!good) printf("FAILED %s: %s\n", r->job->name, r->failure);
    for (int k = 0; k < r->lane_count; k++) {
        const finding *f = &r->progress.lanes[k];
        char at[80] = "-", ulp[32] = "-";
        if (r->job->function && f->checked > 0) {
            print_bits(at, sizeof at, r->job, f->widest_operands);
            snprintf(ulp, sizeof ulp, "%.12f", f->widest);
        }
        printf("%-34s %-16s %11" PRIu64 " %14s %10" PRIu64 "  %s\n", r->job->name, r->lanes[k].name,
               f->checked, ulp, f->wrong, at);
        if (!is_wrong(r, f)) continue;
        good = false;
        print_bits(at, sizeof at, r->job, f->wrong_operands);
        printf("FAILED %s on %s: %" PRIu64 " wrong, %" PRIu64
               " beyond 1 ulp; operands %s give 0x%" PRIx64 ", should be 0x%" PRIx64
               ", %.12f ulp off\n",
               r->job->name, r->lanes[k].name, f->wrong, f->beyond, at, f->wrong_result,
               f->expected_result, f->wrong_distance);
    }
    fflush(stdout);
    return good;
}

static bool run_job(const job *j, const options *o, const test_engine *engines, size_t engine_count,
                    estimate *e) {
    run *r = calloc(1, sizeof *r);
    if (!r) return false;
    r->job = j;
    r->options = o;
    snprintf(r->id, sizeof r->id, "%s%s", j->id,
             o->accuracy == TOSAJIT_REPRODUCIBLE ? "-fast" : "");
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->finished, NULL);
    if (prepare(r, engines, engine_count)) {
        if (o->state && !o->restart) progress_load(&r->progress, o->state, r->id);
        run_threads(r, e);
        save(r);
        if (e->shown) fprintf(stderr, "\r%110s\r", ""), e->shown = false;
    }
    bool good = report(r);
    e->finished += r->progress.total;
    e->computed += r->points_done;
    for (size_t k = 0; k < engine_count; k++) tosajit_kernel_release(r->kernels[k]);
    pthread_cond_destroy(&r->finished);
    pthread_mutex_destroy(&r->mutex);
    free(r->progress.done);
    free(r);
    return good;
}

/* True if a text is where a word of the name begins: "sqrt" is not in "rsqrt f32". */
static bool has_word(const char *name, const char *text) {
    for (const char *at = name; (at = strstr(at, text)); at++)
        if (at == name || at[-1] == ' ') return true;
    return false;
}

static bool is_selected(const options *o, const job *j) {
    bool selected = o->name_count == 0;
    for (int k = 0; k < o->name_count; k++) selected |= has_word(j->name, o->names[k]);
    return selected;
}

/* Options. */

static bool parse(options *o, int count, char **words) {
    int k = 1;
    for (; k < count && words[k][0] == '-'; k++) {
        const char *word = words[k], *next = k + 1 < count ? words[k + 1] : NULL;
        bool flag = true;
        if (strcmp(word, "--list") == 0)
            o->list = true;
        else if (strcmp(word, "--interpreter") == 0)
            o->interpreter = true;
        else if (strcmp(word, "--restart") == 0)
            o->restart = true;
        else
            flag = false;
        if (flag) continue;
        if (!next) return false;
        k++;
        if (strcmp(word, "--stride") == 0)
            o->stride = strtoull(next, NULL, 0);
        else if (strcmp(word, "--tails") == 0)
            o->tails = strtoull(next, NULL, 0);
        else if (strcmp(word, "--pairs") == 0)
            o->pairs = strtoull(next, NULL, 0);
        else if (strcmp(word, "--threads") == 0)
            o->threads = atoi(next);
        else if (strcmp(word, "--engine") == 0)
            o->engine = next;
        else if (strcmp(word, "--state") == 0)
            o->state = next;
        else if (strcmp(word, "--accuracy") == 0 && strcmp(next, "exact") == 0)
            o->accuracy = TOSAJIT_EXACT;
        else if (strcmp(word, "--accuracy") == 0 && strcmp(next, "reproducible") == 0)
            o->accuracy = TOSAJIT_REPRODUCIBLE;
        else
            return false;
    }
    o->names = words + k;
    o->name_count = count - k;
    return o->stride > 0 && o->tails > 0 && o->threads > 0 && o->threads <= 64 && o->pairs > 0;
}

static bool run_selected(const options *o, const job *jobs, size_t job_count) {
    test_engine engines[TEST_MAX_ENGINES];
    size_t engine_count = test_engines_open(engines, TOSAJIT_EXACT), ran = 0;
    estimate e = {.start = now()};
    bool good = engine_count > 0;
    for (size_t k = 0; k < job_count; k++)
        if (is_selected(o, &jobs[k]))
            e.selected += jobs[k].total / (jobs[k].total > SMALL ? o->stride : 1);
    printf("%-34s %-16s %11s %14s %10s  %s\n", "op", "engine", "operands", "max ulp", "misrounded",
           "operand of the maximum");
    for (size_t k = 0; good && k < job_count; k++) ran += is_selected(o, &jobs[k]);
    for (size_t k = 0; engine_count > 0 && k < job_count; k++)
        if (is_selected(o, &jobs[k])) good &= run_job(&jobs[k], o, engines, engine_count, &e);
    test_engines_close(engines, engine_count);
    printf("%zu jobs, %.0f s: %s\n", ran, now() - e.start,
           good && ran > 0 ? "nothing wrong" : "FAILED");
    return good && ran > 0;
}

int main(int count, char **words) {
    options o = {.stride = 1, .tails = 8, .pairs = 1000000000, .threads = 2};
    if (!parse(&o, count, words)) {
        fputs(usage, stderr);
        return 2;
    }
    size_t job_count;
    const job *jobs = exhaustive_jobs(&job_count, o.pairs);
    for (size_t k = 0; o.list && k < job_count; k++)
        printf("%-40s %" PRIu64 "\n", jobs[k].name, jobs[k].total);
    return o.list || run_selected(&o, jobs, job_count) ? 0 : 1;
}

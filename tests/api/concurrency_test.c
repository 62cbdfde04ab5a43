/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Concurrency beyond tests/api/thread_test.c: one compilation per expression however many threads
 * ask, kernels that live and die on many threads, processes that fork, engines side by side, and
 * the library loaded and unloaded. TOSAJIT_SECONDS=<n> lengthens the churn. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/process.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

#define CHECK(call) assert_int_equal(call, TOSAJIT_OK)
enum { THREADS = 8, SIZE = 70 };

static tosajit_engine *engine_of(const tosajit_engine_options *options) {
    tosajit_engine_options given =
        options ? *options : (tosajit_engine_options){.backend = TOSAJIT_BACKEND_AUTO};
    tosajit_engine *engine = NULL;
    given.size = sizeof given;
    CHECK(tosajit_engine_create(&given, &engine));
    return engine;
}

/* a + constant, a different kernel for every constant. */
static tosajit_status compile_add(tosajit_engine *engine, float constant, tosajit_kernel **kernel) {
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC}),
                        one = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){1});
    tosajit_expr *expr = NULL;
    tosajit_value x, c, sum;
    tosajit_status status = tosajit_expr_create(NULL, &expr);
    if (!status) status = tosajit_expr_input(expr, &type, &x);
    if (!status) status = tosajit_expr_constant(expr, &one, &constant, &c);
    if (!status)
        status =
            tosajit_expr_op(expr, TOSAJIT_OP_add, (tosajit_value[]){x, c}, 2, NULL, NULL, &sum);
    if (!status) status = tosajit_expr_result(expr, sum);
    if (!status) status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static bool adds(const tosajit_kernel *kernel, float constant) {
    float a[SIZE], r[SIZE];
    const int64_t dims[1] = {SIZE};
    for (int k = 0; k < SIZE; k++) a[k] = (float)k;
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    if (tosajit_run(kernel, &x, 1, &result, 1)) return false;
    for (int k = 0; k < SIZE; k++)
        if (r[k] != a[k] + constant) return false;
    return true;
}

static tosajit_stats stats_of(tosajit_engine *engine) {
    tosajit_stats stats = {.size = sizeof stats};
    CHECK(tosajit_engine_stats(engine, &stats));
    return stats;
}

typedef struct worker {
    tosajit_engine *engine;
    pthread_barrier_t *start;
    unsigned number;
    time_t end;
    uint64_t rounds;
    tosajit_kernel *kernels[4];
    char failure[200]; /* empty: none; cmocka's assertions belong to the main thread */
} worker;

static void report(worker *w, const char *what) {
    if (!*w->failure)
        snprintf(w->failure, sizeof w->failure, "%s: %.150s", what, tosajit_last_error());
}

static void run_workers(tosajit_engine *const *engines, size_t engine_count, void *(*work)(void *),
                        time_t seconds, worker *workers) {
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (unsigned k = 0; k < THREADS; k++) {
        workers[k] = (worker){.engine = engines[k % engine_count],
                              .start = &start,
                              .number = k,
                              .end = time(NULL) + seconds};
        assert_int_equal(pthread_create(&threads[k], NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&start);
    for (int k = 0; k < THREADS; k++)
        if (*workers[k].failure) fail_msg("thread %d: %s", k, workers[k].failure);
}

/* All ask for the same four kernels at the same time. */
static void *ask_at_once(void *argument) {
    worker *w = argument;
    for (int k = 0; k < 4; k++) {
        pthread_barrier_wait(w->start);
        if (compile_add(w->engine, (float)k, &w->kernels[k])) report(w, "compile");
        if (w->kernels[k] && !adds(w->kernels[k], (float)k)) report(w, "run");
    }
    return NULL;
}

static void one_compilation_however_many_threads_ask(void **state) {
    worker workers[THREADS];
    tosajit_engine *engine = engine_of(NULL);
    run_workers(&engine, 1, ask_at_once, 0, workers);
    tosajit_stats stats = stats_of(engine);
    assert_int_equal(stats.compilations, 4);
    assert_int_equal(stats.kernels, 4);
    assert_int_equal(stats.hits + stats.joined, 4 * (THREADS - 1));
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < THREADS; t++) {
            assert_ptr_equal(workers[t].kernels[k], workers[0].kernels[k]);
            tosajit_kernel_release(workers[t].kernels[k]);
        }
    stats = stats_of(engine);
    assert_int_equal(stats.kernels, 0);
    assert_int_equal(stats.code_bytes, 0);
    tosajit_engine_destroy(engine);
}

/* Those that wait get the reason, too. */
static void *fail_at_once(void *argument) {
    worker *w = argument;
    pthread_barrier_wait(w->start);
    tosajit_status status = compile_add(w->engine, 1, &w->kernels[0]);
    if (status != TOSAJIT_LIMIT_EXCEEDED || w->kernels[0] ||
        !strstr(tosajit_last_error(), "max_bytes is 100"))
        report(w, "no refusal");
    return NULL;
}

static void a_failure_is_everybodys(void **state) {
    worker workers[THREADS];
    tosajit_engine *engine = engine_of(&(tosajit_engine_options){.max_bytes = 100});
    run_workers(&engine, 1, fail_at_once, 0, workers);
    tosajit_stats stats = stats_of(engine);
    assert_int_equal(stats.refused + stats.joined, THREADS);
    assert_int_equal(stats.kernels, 0);
    tosajit_engine_destroy(engine);
}

/* Compile, run, retain and release the same and other kernels, until the time is up. */
static void *churn(void *argument) {
    worker *w = argument;
    test_random random = test_random_start(w->number + 1);
    pthread_barrier_wait(w->start);
    for (; w->rounds < 3 || time(NULL) < w->end; w->rounds++) {
        int slot = (int)test_random_range(&random, 0, 3);
        float constant = (float)test_random_range(&random, 0, 11);
        tosajit_kernel *kernel = NULL;
        if (compile_add(w->engine, constant, &kernel)) {
            report(w, "compile");
            break;
        }
        if (!adds(kernel, constant)) report(w, "run");
        tosajit_kernel_retain(kernel);
        tosajit_kernel_release(w->kernels[slot]);
        w->kernels[slot] = kernel;
        if (!adds(kernel, constant)) report(w, "run while held");
        tosajit_kernel_release(kernel);
    }
    for (int k = 0; k < 4; k++) tosajit_kernel_release(w->kernels[k]);
    return NULL;
}

static void kernels_come_and_go_on_many_threads(void **state) {
    time_t seconds = (time_t)test_setting("TOSAJIT_SECONDS", 3);
    for (int backend = TOSAJIT_BACKEND_AUTO; backend <= TOSAJIT_BACKEND_BACKGROUND;
         backend += TOSAJIT_BACKEND_BACKGROUND) {
        worker workers[THREADS];
        tosajit_engine *engine =
            engine_of(&(tosajit_engine_options){.backend = (tosajit_backend)backend});
        run_workers(&engine, 1, churn, seconds, workers);
        tosajit_stats stats = stats_of(engine);
        uint64_t rounds = 0;
        for (int k = 0; k < THREADS; k++) rounds += workers[k].rounds;
        if (backend == TOSAJIT_BACKEND_AUTO) assert_int_equal(stats.kernels, 0);
        print_message("%d threads: %llu kernels compiled or found, %zu compilations, %zu joined\n",
                      THREADS, (unsigned long long)rounds, stats.compilations, stats.joined);
        tosajit_engine_destroy(engine);
    }
}

static void engines_side_by_side(void **state) {
    worker workers[THREADS];
    tosajit_engine *engines[] = {
        engine_of(NULL), engine_of(&(tosajit_engine_options){.threads = 2}),
        engine_of(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND}),
        engine_of(&(tosajit_engine_options){.backend = TOSAJIT_BACKEND_INTERPRET})};
    run_workers(engines, 4, churn, 1, workers);
    for (int k = 0; k < 4; k++) tosajit_engine_destroy(engines[k]);
}

/* Fork. */

/* The child's exit code: 0 if all was well. */
static int in_child(int (*child)(void *argument), void *argument) {
    fflush(NULL);
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        test_limit_processor_time(60); /* a child that hangs fails */
        _exit(child(argument));
    }
    int status = 0;
    assert_int_equal(waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int run_inherited(void *argument) {
    tosajit_kernel *kernel = argument;
    if (!adds(kernel, 2)) return 1;
    tosajit_kernel_release(kernel);
    return 0;
}

/* Of a kernel whose compilation the parent's thread may not have begun. */
static int wait_inherited(void *argument) {
    tosajit_status status = tosajit_kernel_wait(argument);
    if (status && status != TOSAJIT_NOT_EXECUTABLE) return 1;
    return (status == TOSAJIT_OK) == (tosajit_kernel_is_native(argument) != 0) && adds(argument, 5)
               ? 0
               : 2;
}

static int compile_in_new_engine(void *argument) {
    tosajit_kernel *kernel;
    tosajit_engine *engine = NULL;
    (void)argument;
    if (tosajit_engine_create(NULL, &engine)) return 1;
    if (compile_add(engine, 9, &kernel) || !tosajit_kernel_is_native(kernel) || !adds(kernel, 9))
        return 2;
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return 0;
}

static int use_inherited_engine(void *argument) {
    tosajit_engine *engine = argument;
    tosajit_kernel *kernel;
    if (compile_add(engine, 3, &kernel) || !adds(kernel, 3)) return 1;
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return 0;
}

/* exp over enough elements to be divided among the engine's threads, which a child does not have.
 */
static int run_divided(void *argument) {
    enum { MANY = 1 << 18 };
    static float a[MANY], r[MANY];
    const int64_t dims[1] = {MANY};
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    if (tosajit_run(argument, &x, 1, &result, 1)) return 1;
    for (int k = 0; k < MANY; k++)
        if (r[k] != 1) return 2;
    return 0;
}

static void a_child_runs_what_its_parent_compiled(void **state) {
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    for (int backend = TOSAJIT_BACKEND_AUTO; backend <= TOSAJIT_BACKEND_BACKGROUND; backend++) {
        tosajit_engine *engine =
            engine_of(&(tosajit_engine_options){.backend = (tosajit_backend)backend, .threads = 3});
        tosajit_kernel *kernel, *divided;
        CHECK(compile_add(engine, 2, &kernel));
        CHECK(tosajit_compile(engine, TOSAJIT_OP_exp, &type, 1, NULL, NULL, &divided));
        CHECK(tosajit_kernel_wait(kernel));
        CHECK(tosajit_kernel_wait(divided));
        assert_int_equal(in_child(run_inherited, kernel), 0);
        assert_int_equal(run_divided(divided), 0);
        assert_int_equal(in_child(run_divided, divided), 0);
        assert_int_equal(in_child(compile_in_new_engine, NULL), 0);
        assert_int_equal(in_child(use_inherited_engine, engine), 0);
        assert_true(adds(kernel, 2));
        tosajit_kernel *pending[6];
        for (int k = 0; k < 6; k++) CHECK(compile_add(engine, 5 - (float)k, &pending[k]));
        if (backend != TOSAJIT_BACKEND_INTERPRET)
            assert_int_equal(in_child(wait_inherited, pending[0]), 0);
        for (int k = 0; k < 6; k++) tosajit_kernel_release(pending[k]);
        tosajit_kernel_release(kernel);
        tosajit_kernel_release(divided);
        tosajit_engine_destroy(engine);
    }
}

/* The background thread publishes a kernel's code, then gives memory back; there it is held up, and
 * the process forks. */
typedef struct holdup {
    pthread_t host;
    tosajit_kernel *_Atomic kernel;
    atomic_bool forked;
} holdup;

static void *allocate_at_once(void *context, size_t size) {
    (void)context;
    return malloc(size);
}

static void release_held_up(void *context, void *memory, size_t size) {
    holdup *h = context;
    (void)size;
    if (!pthread_equal(pthread_self(), h->host) && h->kernel && tosajit_kernel_is_native(h->kernel))
        while (!h->forked) usleep(1000);
    free(memory);
}

static void a_child_waits_for_nothing_that_is_its_parents(void **state) {
    holdup h = {.host = pthread_self()};
    const tosajit_allocator allocator = {allocate_at_once, release_held_up, &h};
    tosajit_engine *engine = engine_of(
        &(tosajit_engine_options){.backend = TOSAJIT_BACKEND_BACKGROUND, .allocator = &allocator});
    tosajit_kernel *kernel;
    CHECK(compile_add(engine, 5, &kernel));
    h.kernel = kernel;
    while (!tosajit_kernel_is_native(kernel)) usleep(100);
    assert_int_equal(in_child(wait_inherited, kernel), 0);
    h.forked = true;
    CHECK(tosajit_kernel_wait(kernel));
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
}

/* A thread of the parent's is in the midst of a compilation when the process forks. */
typedef struct standstill {
    pthread_t host;
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    atomic_bool reached, forked;
} standstill;

static void *allocate_and_stand(void *context, size_t size) {
    standstill *s = context;
    if (!pthread_equal(pthread_self(), s->host)) {
        s->reached = true;
        while (!s->forked) usleep(1000);
    }
    return malloc(size);
}

static void release_at_once(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
    free(memory);
}

static void *compile_and_stand(void *argument) {
    standstill *s = argument;
    tosajit_kernel *kernel = NULL;
    if (!compile_add(s->engine, 8, &kernel)) tosajit_kernel_release(kernel);
    return kernel;
}

static int keep_out(void *argument) {
    standstill *s = argument;
    tosajit_kernel *kernel = NULL;
    if (compile_add(s->engine, 8, &kernel) != TOSAJIT_CODEGEN_FAILED || kernel) return 1;
    if (!strstr(tosajit_last_error(), "parent")) return 2;
    if (!adds(s->kernel, 2)) return 3;
    tosajit_kernel_release(s->kernel);
    tosajit_engine_destroy(s->engine);
    return compile_in_new_engine(NULL);
}

static void a_child_keeps_out_where_its_parents_threads_were(void **state) {
    standstill s = {.host = pthread_self()};
    const tosajit_allocator allocator = {allocate_and_stand, release_at_once, &s};
    s.engine = engine_of(&(tosajit_engine_options){.allocator = &allocator});
    CHECK(compile_add(s.engine, 2, &s.kernel));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, compile_and_stand, &s), 0);
    while (!s.reached) usleep(1000);
    assert_int_equal(in_child(keep_out, &s), 0);
    s.forked = true;
    void *compiled = NULL;
    assert_int_equal(pthread_join(thread, &compiled), 0);
    assert_non_null(compiled);
    tosajit_kernel_release(s.kernel);
    tosajit_engine_destroy(s.engine);
}

static int count_threads(void) {
    int count = 0;
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    while (readdir(threads)) count++;
    closedir(threads);
    return count;
}

/* The directory is looked at after the thread was started. */
static void an_engine_that_cannot_be_made_leaves_no_thread(void **state) {
    const int before = count_threads();
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_BACKGROUND,
                                            .cache_directory = "/dev/null"};
    tosajit_engine *engine;
    assert_int_equal(tosajit_engine_create(&options, &engine), TOSAJIT_INVALID_ARGUMENT);
    /* One that was joined is listed for a moment longer, also one of the test before. */
    for (int k = 0; k < 5000 && count_threads() > before; k++) usleep(1000);
    assert_true(count_threads() <= before);
}

/* A child of a process whose other threads are compiling: its kernels run. */
static void *compile_until_told(void *argument) {
    worker *w = argument;
    tosajit_kernel *kernel;
    for (int k = 0; time(NULL) < w->end; k++) {
        if (compile_add(w->engine, (float)(k % 100), &kernel)) report(w, "compile");
        tosajit_kernel_release(kernel);
    }
    return NULL;
}

static int just_run(void *argument) { return adds(argument, 2) ? 0 : 1; }

static void a_child_runs_while_its_parent_compiles(void **state) {
    tosajit_engine *engine = engine_of(NULL), *busy = engine_of(NULL);
    tosajit_kernel *kernel;
    pthread_t thread;
    CHECK(compile_add(engine, 2, &kernel));
    worker w = {.engine = busy, .end = time(NULL) + 2};
    assert_int_equal(pthread_create(&thread, NULL, compile_until_told, &w), 0);
    while (time(NULL) < w.end) assert_int_equal(in_child(just_run, kernel), 0);
    pthread_join(thread, NULL);
    assert_string_equal(w.failure, "");
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    tosajit_engine_destroy(busy);
}

/* A process ends well while kernels wait for their compilation, once the engine is destroyed;
 * kernels may still be held. exit_test has those that do not destroy it. */
static int leave_while_kernels_wait(void *argument) {
    (void)argument;
    tosajit_engine_options options = {.size = sizeof options,
                                      .backend = TOSAJIT_BACKEND_BACKGROUND};
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    if (tosajit_engine_create(&options, &engine)) return 1;
    for (int k = 0; k < 20; k++)
        if (compile_add(engine, (float)k, &kernel)) return 2;
    usleep((useconds_t)(rand() % 20000));
    tosajit_engine_destroy(engine);
    exit(0);
}

static void leaving_while_kernels_wait_is_fine(void **state) {
    for (int k = 0; k < 10; k++) assert_int_equal(in_child(leave_while_kernels_wait, NULL), 0);
}

/* The library by its file, as a plugin of a plugin would load it. */

static void use_loaded(const char *path, bool compiles) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_msg("%s", dlerror());
    tosajit_status (*create)(const tosajit_engine_options *, tosajit_engine **);
    void (*destroy)(tosajit_engine *);
    *(void **)&create = dlsym(library, "tosajit_engine_create");
    *(void **)&destroy = dlsym(library, "tosajit_engine_destroy");
    tosajit_status (*parse)(const char *, size_t, const tosajit_parse_options *, tosajit_expr **);
    tosajit_status (*compile)(tosajit_engine *, const tosajit_expr *, tosajit_kernel **);
    void (*forget)(tosajit_expr *);
    void (*release)(tosajit_kernel *);
    *(void **)&parse = dlsym(library, "tosajit_expr_parse");
    *(void **)&compile = dlsym(library, "tosajit_compile_expr");
    *(void **)&forget = dlsym(library, "tosajit_expr_destroy");
    *(void **)&release = dlsym(library, "tosajit_kernel_release");
    assert_true(create && destroy && parse && compile && forget && release);
    tosajit_engine *engine = NULL;
    tosajit_kernel *kernel = NULL;
    tosajit_expr *expr = NULL;
    static const char text[] = "y = abs(x) : f32[?]";
    CHECK(create(NULL, &engine));
    CHECK(parse(text, sizeof text - 1, NULL, &expr));
    if (compiles) CHECK(compile(engine, expr, &kernel));
    forget(expr);
    release(kernel);
    destroy(engine);
    assert_int_equal(dlclose(library), 0);
}

static void loading_and_unloading_leaves_nothing(void **state) {
    const char *path = *state;
    for (int k = 0; k < 10; k++) use_loaded(path, true);
    size_t before = process_resident();
    for (int k = 0; k < 100; k++) use_loaded(path, false);
    size_t after = process_resident();
    print_message("100 times dlopen, engine, dlclose: %zd KiB\n",
                  ((ssize_t)after - (ssize_t)before) / 1024);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    print_message("*** NOT TESTED: resident memory; a sanitizer keeps what was freed\n");
#else
    if (test_is_emulated())
        print_message(
            "*** NOT TESTED: resident memory, in which the emulator keeps its translations\n");
    else
        assert_true(after < before + (1 << 20));
#endif
}

int main(int count, char **arguments) {
    char *library = count > 1 ? arguments[1] : NULL;
    if (!library) return fprintf(stderr, "usage: concurrency_test LIBRARY\n"), 2;
    return TEST_RUN(NULL, NULL, /* Before this process uses the library itself, so that its children
                                   start from nothing. */
                    TEST(leaving_while_kernels_wait_is_fine),
                    TEST(one_compilation_however_many_threads_ask), TEST(a_failure_is_everybodys),
                    TEST(kernels_come_and_go_on_many_threads), TEST(engines_side_by_side),
                    TEST(a_child_runs_what_its_parent_compiled),

                    TEST(an_engine_that_cannot_be_made_leaves_no_thread),
                    TEST(a_child_waits_for_nothing_that_is_its_parents),
                    TEST(a_child_keeps_out_where_its_parents_threads_were),
                    TEST(a_child_runs_while_its_parent_compiles),
                    cmocka_unit_test_prestate(loading_and_unloading_leaves_nothing, library));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The whole API under load: threads make every call of the table (state_calls.h) in any order, on
 * objects that all share, on those of an engine with a cache directory that is too small and with
 * kernels for frequent sizes, and on objects of their own, which are made anew now and then. Each
 * call gives what it gave to one thread. At the end all forbid compiling at once. It is for the
 * thread sanitizer above all.
 *   load_test    TOSAJIT_SECONDS=<n>, TOSAJIT_SEED=<n> */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/api/state_calls.h"
#include "tests/support/support.h"

enum {
    THREADS = 6,
    MOST_CALLS = 128,
    PATH = 128,
    CACHE_BYTES = 256 << 10,
    ANEW = 4 /* rounds of all calls */
};
enum { SHARED, CACHED, OWN, PLACES };
static const char *const places[PLACES] = {"shared", "cached", "own"};

static char directory[] = "/tmp/tosajit_load_XXXXXX";
static fixture shared, cached; /* as the first thread made them */
static outcome expected[MOST_CALLS];
static pthread_barrier_t start, stop;
static time_t end;

typedef struct worker {
    fixture places[PLACES];
    char directory[PATH], wrong[512];
    test_random random;
    uint64_t calls[MOST_CALLS];
} worker;

static size_t find_call(const char *name) {
    for (size_t k = 0; k < state_call_count; k++)
        if (strcmp(state_calls[k].name, name) == 0) return k;
    fprintf(stderr, "no call of %s\n", name);
    exit(2);
}

static bool finds(worker *w, const char *what, const char *where) {
    if (!*w->wrong)
        snprintf(w->wrong, sizeof w->wrong, "%s, %s: %.300s", what, where, tosajit_last_error());
    return false;
}

/* Of a kernel that is there already, no image is looked at: whether one is, is chance. */
static bool is_chance(size_t k, int place) {
    return place == CACHED && strcmp(state_calls[k].name, "tosajit_compile_with_image") == 0;
}

static bool make_call(worker *w, size_t k, int place) {
    if (is_chance(k, place)) place = OWN;
    const outcome given = state_calls[k].call(&w->places[place]);
    w->calls[k]++;
    if (given.status == expected[k].status && given.digest == expected[k].digest) return true;
    return finds(w, state_calls[k].name, places[place]);
}

/* Objects, and a file to load. */
static bool make_own(worker *w) {
    return (!fixture_make(&w->places[OWN], w->directory) || finds(w, "making objects", "own")) &&
           make_call(w, find_call("tosajit_kernel_save_file"), OWN);
}

/* The calls of the table in an order of the thread's own; the last is for the end. */
static void shuffle(worker *w, size_t *order, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const size_t other = (size_t)test_random_range(&w->random, 0, (int64_t)k);
        order[k] = order[other];
        order[other] = k;
    }
}

static bool call_all(worker *w, bool even_late) {
    size_t order[MOST_CALLS];
    shuffle(w, order, state_call_count - 1);
    for (size_t k = 0; k + 1 < state_call_count && (even_late || time(NULL) < end); k++)
        if (!make_call(w, order[k], (int)test_random_range(&w->random, 0, PLACES - 1)))
            return false;
    return true;
}

static bool call_until_the_end(worker *w) {
    bool fine = call_all(w, true);
    for (uint64_t n = 1; fine && time(NULL) < end; n++) {
        if (n % ANEW == 0) {
            fixture_release(&w->places[OWN], true);
            fine = make_own(w);
        }
        fine = fine && call_all(w, false);
    }
    return fine;
}

static void *work(void *given) {
    worker *w = given;
    pthread_barrier_wait(&start);
    const bool fine = !fixture_share(&w->places[SHARED], &shared) &&
                      !fixture_share(&w->places[CACHED], &cached) && make_own(w) &&
                      call_until_the_end(w);
    if (!fine) finds(w, "sharing objects", "any");
    pthread_barrier_wait(&stop);
    /* The last call of the table, after which nobody compiles. */
    const outcome last = state_calls[state_call_count - 1].call(&w->places[SHARED]);
    w->calls[state_call_count - 1]++;
    if (fine && last.status) finds(w, state_calls[state_call_count - 1].name, "shared");
    fixture_release(&w->places[SHARED], false);
    fixture_release(&w->places[CACHED], false);
    fixture_release(&w->places[OWN], true);
    return NULL;
}

/* The same objects, but for an engine that keeps code in files, and a kernel of it. */
static bool make_cached(void) {
    static char path[PATH];
    snprintf(path, sizeof path, "%s/cache", directory);
    const tosajit_engine_options options = {
        .size = sizeof options, .cache_directory = path, .cache_bytes = CACHE_BYTES};
    return !fixture_share(&cached, &shared) && !tosajit_engine_create(&options, &cached.engine) &&
           !tosajit_compile_expr(cached.engine, cached.expr, &cached.kernel);
}

static bool expect_all(void) {
    state_data_fill();
    if (!mkdtemp(directory) || fixture_make(&shared, directory) || !make_cached()) return false;
    for (size_t k = 0; k + 1 < state_call_count; k++) {
        expected[k] = state_calls[k].call(&shared);
        if (expected[k].status) return false;
    }
    return true;
}

static void run_workers(worker *workers, uint64_t seed) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    pthread_barrier_init(&stop, NULL, THREADS);
    for (int k = 0; k < THREADS; k++) {
        worker *w = &workers[k];
        w->random = test_random_start(seed + (uint64_t)k);
        snprintf(w->directory, sizeof w->directory, "%s/%d", directory, k);
        if (mkdir(w->directory, 0700) || pthread_create(&threads[k], NULL, work, w)) exit(2);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
}

static bool tell(const worker *workers) {
    uint64_t all = 0, fewest = UINT64_MAX;
    bool fine = true;
    for (size_t k = 0; k < state_call_count; k++) {
        uint64_t calls = 0;
        for (int t = 0; t < THREADS; t++) calls += workers[t].calls[k];
        all += calls;
        if (calls < fewest) fewest = calls;
    }
    for (int t = 0; t < THREADS; t++) {
        if (*workers[t].wrong) printf("FAILED: thread %d: %s\n", t, workers[t].wrong);
        fine &= !*workers[t].wrong;
    }
    printf("%d threads, %zu functions: %llu calls, each function %llu times or more, %.0f s of "
           "processor time\n",
           THREADS, state_call_count, (unsigned long long)all, (unsigned long long)fewest,
           (double)clock() / CLOCKS_PER_SEC);
    return fine;
}

int main(void) {
    const uint64_t seconds = test_setting("TOSAJIT_SECONDS", 5),
                   seed = test_setting("TOSAJIT_SEED", seconds > 5 ? (uint64_t)time(NULL) : 1);
    worker *workers = calloc(THREADS, sizeof *workers);
    if (!workers || state_call_count > MOST_CALLS || !expect_all()) {
        fprintf(stderr, "the objects cannot be made: %s\n", tosajit_last_error());
        return 2;
    }
    printf("TOSAJIT_SEED=%llu TOSAJIT_SECONDS=%llu\n", (unsigned long long)seed,
           (unsigned long long)seconds);
    end = time(NULL) + (time_t)seconds;
    run_workers(workers, seed);
    const bool fine = tell(workers);
    tosajit_kernel_release(cached.kernel);
    tosajit_engine_destroy(cached.engine);
    fixture_release(&cached, false);
    fixture_release(&shared, true);
    free(workers);
    char command[PATH];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) == 0 && fine ? 0 : 1;
}

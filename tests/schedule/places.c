/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scenarios about places that threads share: entries of the call cache, pages of code, the gate,
 * the directory of the store. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jit/engine/gate.h"
#include "jit/engine/pool.h"
#include "jit/engine/disk_cache.h"
#include "runtime/system/system.h"
#include "tests/schedule/fake.h"
#include "tests/schedule/scenarios.h"
#include "tosajit/graph.h"

/* ---------------------------------------------------------------------------------------------
 * Call cache: a kernel of dynamic sizes remembers shapes */

static tosajit_engine *engine;
static tosajit_kernel *dynamic;

static void begin_cached(void) {
    fake_reset();
    const tosajit_allocator allocator = schedule_allocator();
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_NATIVE, .allocator = &allocator};
    schedule_require(!tosajit_engine_create(&options, &engine), "no engine: %s",
                     tosajit_last_error());
    const tosajit_tensor_type a = tosajit_ranked(TOSAJIT_I32, 2, (int64_t[]){2, TOSAJIT_DYNAMIC}),
                              types[2] = {a, a};
    schedule_require(!tosajit_compile(engine, TOSAJIT_OP_add, types, 2, NULL, NULL, &dynamic),
                     "no kernel: %s", tosajit_last_error());
}

enum { COLUMNS = 9 };

/* b has as many columns as a, or one. */
static void run_dynamic(int64_t columns, int64_t b_columns) {
    int32_t a[2 * COLUMNS], b[2 * COLUMNS], sum[2 * COLUMNS + 1];
    const int64_t a_dims[2] = {2, columns}, b_dims[2] = {2, b_columns};
    for (int k = 0; k < 2 * COLUMNS; k++) b[k] = 100 * (a[k] = k + 1);
    memset(sum, 0x55, sizeof sum);
    const tosajit_tensor operands[2] = {tosajit_dense(TOSAJIT_I32, a, 2, a_dims),
                                        tosajit_dense(TOSAJIT_I32, b, 2, b_dims)},
                         result = tosajit_dense(TOSAJIT_I32, sum, 2, a_dims);
    schedule_require(!tosajit_run(dynamic, operands, 2, &result, 1), "run: %s",
                     tosajit_last_error());
    for (int64_t r = 0; r < 2; r++)
        for (int64_t c = 0; c < columns; c++)
            schedule_require(sum[r * columns + c] ==
                                 a[r * columns + c] + b[r * b_columns + (b_columns > 1 ? c : 0)],
                             "a torn entry: row %d, column %d is wrong", (int)r, (int)c);
    schedule_require(sum[2 * columns] == 0x55555555, "a torn entry: written behind the result");
}

static void run_shapes(int number) {
    run_dynamic(number == 2 ? 5 : 3, number == 2 ? 1 : 3);
    run_dynamic(number == 0 ? 3 : 5, number == 0 ? 1 : 5);
    run_dynamic(3, 3);
}

static void end_cached(void) {
    tosajit_kernel_release(dynamic);
    tosajit_engine_destroy(engine);
}

/* ---------------------------------------------------------------------------------------------
 * Pages: pieces of one mapping */

static size_t page;

static void begin_pages(void) { page = (size_t)sysconf(_SC_PAGESIZE); }

static void fill(unsigned char *piece, size_t size, int number) {
    schedule_require(piece != NULL, "no pages");
    for (size_t k = 0; k < size; k += page / 2) {
        schedule_require(!piece[k], "a piece that somebody else has, or had, was given");
        piece[k] = (unsigned char)(number + 1);
    }
}

static void look(const unsigned char *piece, size_t size, int number) {
    for (size_t k = 0; k < size; k += page / 2)
        schedule_require(piece[k] == number + 1, "somebody else has written into a piece");
}

/* Sixteen pages are one mapping: it is used up, given back and renewed. */
static void take_and_give(int number) {
    enum { ROUNDS = 3 };
    const size_t size = page * (number == 0 ? 4 : 3);
    for (int k = 0; k < ROUNDS; k++) {
        unsigned char *first = system_pages_take(size), *second = system_pages_take(size);
        fill(first, size, number);
        fill(second, size, number);
        schedule_require(system_pages_seal(first, size), "sealing fails");
        schedule_yield("a piece is in use");
        look(first, size, number);
        look(second, size, number);
        system_pages_give(first, size);
        system_pages_give(second, size);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Gate: nobody is inside once tosajit_quiesce has returned */

static int inside;
static bool quiet;

static void pass(int number) {
    if (number == 0) {
        tosajit_quiesce();
        schedule_require(inside == 0, "tosajit_quiesce returns while somebody is inside");
        quiet = true;
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (gate_enter()) continue;
        schedule_require(!quiet, "somebody gets in after tosajit_quiesce");
        inside++;
        schedule_yield("inside");
        inside--;
        gate_leave();
    }
}

/* ---------------------------------------------------------------------------------------------
 * Pool: every piece is computed once, and before its loop returns; nobody waits for ever */

enum { PIECES = 3, LOOPS = 2 };
static pool *threads;

typedef struct loop {
    int done[PIECES];
    bool over;
} loop;

static void begin_pool(void) {
    const tosajit_allocator allocator = schedule_allocator();
    threads = pool_create(&allocator, 2);
    schedule_require(threads != NULL, "no pool");
}

static void piece(void *argument, size_t index) {
    loop *l = argument;
    schedule_require(!l->over, "a piece of a loop that has returned");
    schedule_yield("in a piece");
    l->done[index]++;
}

static void run_loops(int number) {
    (void)number;
    for (int k = 0; k < LOOPS; k++) {
        loop l = {0};
        pool_run(threads, PIECES, piece, &l);
        l.over = true;
        for (int i = 0; i < PIECES; i++)
            schedule_require(l.done[i] == 1, "a piece was computed %d times", l.done[i]);
    }
}

static void end_pool(void) { pool_destroy(threads, false); }

/* ---------------------------------------------------------------------------------------------
 * Store: writers, readers and who makes room, in one directory */

enum { VALUE = 300, ROOM = 1200, PROCESSES = 3 };
static char directory[] = "/tmp/tosajit-schedule-XXXXXX";
static store stores[PROCESSES];

static void empty_directory(bool last) {
    DIR *stream = opendir(directory);
    schedule_require(stream != NULL, "no directory");
    for (struct dirent *d; (d = readdir(stream));) {
        char path[400];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", directory, d->d_name);
        schedule_require(stat(path, &status) == 0 || *d->d_name == '.', "no file");
        schedule_require(!last || strncmp(d->d_name, ".write-", 7) != 0,
                         "a file half written is left");
        if (S_ISREG(status.st_mode)) unlink(path);
    }
    closedir(stream);
}

static void remove_directory(void) { rmdir(directory); }

static void begin_store(void) {
    static bool made;
    if (!made) {
        schedule_require(mkdtemp(directory) != NULL, "no directory");
        atexit(remove_directory);
    }
    made = true;
    empty_directory(false);
    const tosajit_allocator allocator = schedule_allocator();
    for (int k = 0; k < PROCESSES; k++)
        schedule_require(!store_open(directory, ROOM, &allocator, &stores[k]), "no store: %s",
                         tosajit_last_error());
}

static void put(int number, char key, char letter) {
    char value[VALUE];
    memset(value, letter, sizeof value);
    (void)store_put(&stores[number], &key, 1, value, sizeof value);
}

static void find(int number, char key) {
    store_value value;
    if (!store_find(&stores[number], &key, 1, &value)) return;
    schedule_require(value.size == VALUE, "a value of %zu bytes", value.size);
    for (size_t k = 1; k < value.size; k++)
        schedule_require(value.bytes[k] == value.bytes[0], "a value of two writers");
    store_drop(&stores[number], &value);
}

static void write_and_read(int number) {
    put(number, 'k', (char)('a' + number));
    find(number, 'k');
    put(number, (char)('0' + number), 'x');
    find(number, (char)('0' + (number + 1) % 2));
}

static void end_store(void) {
    for (int k = 0; k < PROCESSES; k++) {
        find(k, 'k');
        schedule_require(atomic_load(&stores[k].counts.damaged) == 0,
                         "an entry that was read is damaged");
        store_close(&stores[k]);
    }
    empty_directory(true);
}

const scenario place_scenarios[PLACE_SCENARIOS] = {
    {"cached calls", "a shape that was met is remembered whole or not at all", 3, begin_cached,
     run_shapes, end_cached, NULL, false},
    {"pages", "a piece of the mapping is one owner's", 2, begin_pages, take_and_give, NULL, NULL,
     true},
    {"gate", "after tosajit_quiesce nobody is inside LLVM", 3, NULL, pass, NULL, NULL, true},
    {"pool", "every piece is computed once before its loop returns, and every loop returns", 2,
     begin_pool, run_loops, end_pool, NULL, false},
    {"store", "an entry is seen whole or not at all, whoever writes and makes room", 2, begin_store,
     write_and_read, end_store, NULL, false},
};

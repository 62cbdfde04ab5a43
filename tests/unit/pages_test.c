/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pages: pieces of memory for code that share mappings: apart, sealed, given back in any order, by
 * several threads, around a fork. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "runtime/system/system.h"
#include "tests/support/process.h"
#include "tests/support/support.h"

enum { PIECES = 200, MOST_SIZE = 40000, KEPT = 64 << 10 /* what may stay for the next */ };

typedef struct piece {
    unsigned char *memory;
    size_t size;
    unsigned char filling;
} piece;

static void fill(piece *p, test_random *random) {
    p->size =
        (size_t)test_random_range(random, 1, test_random_chance(random, 80) ? 4096 : MOST_SIZE);
    p->filling = (unsigned char)test_random_next(random);
    p->memory = system_pages_take(p->size);
    if (!p->memory) abort();
    memset(p->memory, p->filling, p->size);
    if (!system_pages_seal(p->memory, p->size)) abort();
}

static bool is_whole(const piece *p) {
    for (size_t k = 0; k < p->size; k++)
        if (p->memory[k] != p->filling) return false;
    return true;
}

static bool empty(piece *p) {
    const bool whole = is_whole(p);
    system_pages_give(p->memory, p->size);
    p->memory = NULL;
    return whole;
}

/* Rights of the page at an address, as "r-xp"; empty where nothing is mapped. */
#if defined(_WIN32)
static void rights_at(const void *address, char rights[8]) {
    MEMORY_BASIC_INFORMATION page;
    assert_true(VirtualQuery(address, &page, sizeof page));
    strcpy(rights, page.State != MEM_COMMIT            ? ""
                   : page.Protect == PAGE_READWRITE    ? "rw-p"
                   : page.Protect == PAGE_EXECUTE_READ ? "r-xp"
                                                       : "other");
}
#else
static void rights_at(const void *address, char rights[8]) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    *rights = 0;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        char found[8];
        if (sscanf(line, "%zx-%zx %7s", &begin, &end, found) == 3 && (uintptr_t)address >= begin &&
            (uintptr_t)address < end)
            memcpy(rights, found, sizeof found);
    }
    fclose(maps);
}
#endif

static void a_piece_is_writable_then_executable(void **state) {
    static const size_t sizes[] = {1, 4096, 4097, 16384, 16385, 1 << 20};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char rights[8];
        unsigned char *memory = system_pages_take(sizes[k]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % (uintptr_t)system_page_size(), 0);
        memset(memory, 0x90, sizes[k]);
        rights_at(memory, rights);
        assert_string_equal(rights, "rw-p");
        assert_true(system_pages_seal(memory, sizes[k]));
        for (int last = 0; last < 2; last++) {
            rights_at(memory + (last ? sizes[k] - 1 : 0), rights);
            assert_string_equal(rights, "r-xp");
        }
        system_pages_give(memory, sizes[k]);
    }
}

/* Takes and gives at random; returns how many pieces were not what had been written. */
static size_t churn(uint64_t seed, int steps) {
    static _Thread_local piece pieces[PIECES];
    test_random random = test_random_start(seed);
    size_t wrong = 0;
    for (int k = 0; k < steps; k++) {
        piece *p = &pieces[test_random_range(&random, 0, PIECES - 1)];
        if (p->memory)
            wrong += !empty(p);
        else
            fill(p, &random);
    }
    for (int k = 0; k < PIECES; k++)
        if (pieces[k].memory) wrong += !empty(&pieces[k]);
    return wrong;
}

static void pieces_are_apart_and_go_in_any_order(void **state) {
    const size_t before = process_executable();
    for (uint64_t seed = 1; seed < 6; seed++) {
        assert_int_equal(churn(seed, 4000), 0);
        assert_true(process_executable() <= before + KEPT);
    }
}

static void *churn_there(void *argument) {
    return churn(*(uint64_t *)argument, 3000) ? argument : NULL;
}

static void several_threads_take_and_give(void **state) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    uint64_t seeds[THREADS];
    const size_t before = process_executable();
    for (int k = 0; k < THREADS; k++) {
        seeds[k] = (uint64_t)k + 100;
        assert_int_equal(pthread_create(&threads[k], NULL, churn_there, &seeds[k]), 0);
    }
#if !defined(_WIN32)
    for (int k = 0; k < 20; k++) { /* children of a process whose threads are in the middle of it */
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(60);
            _exit(churn((uint64_t)k, 300) != 0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
#endif
    for (int k = 0; k < THREADS; k++) {
        void *failed;
        assert_int_equal(pthread_join(threads[k], &failed), 0);
        assert_null(failed);
    }
    assert_true(process_executable() <= before + KEPT);
}

/* A process may have 65,530 mappings. */
static void neighbours_are_one_mapping(void **state) {
    enum { MANY = 2000 };
    static unsigned char *memory[MANY];
    const size_t before = process_mappings();
    for (int k = 0; k < MANY; k++) {
        memory[k] = system_pages_take(1500);
        assert_non_null(memory[k]);
        memset(memory[k], 1, 1500);
        assert_true(system_pages_seal(memory[k], 1500));
    }
    print_message("%d pieces: %zu mappings\n", MANY, process_mappings() - before);
    assert_true(process_mappings() - before <= MANY / 8);
    for (int k = 0; k < MANY; k++) system_pages_give(memory[k], 1500);
    assert_true(process_mappings() <= before + 2);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(a_piece_is_writable_then_executable),
                    TEST(pieces_are_apart_and_go_in_any_order), TEST(several_threads_take_and_give),
                    TEST(neighbours_are_one_mapping));
}

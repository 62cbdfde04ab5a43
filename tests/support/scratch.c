/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A directory for a test, and processes that are killed in it. */
#define _DEFAULT_SOURCE
#include "tests/support/scratch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

enum { MOST_PROCESSES = 8 };
char scratch[SCRATCH_SIZE];

int scratch_create(void **state) {
    snprintf(scratch, sizeof scratch, "/tmp/tosajit-test-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

int scratch_remove(void **state) {
    char command[SCRATCH_SIZE + 16];
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command);
}

static pid_t start(const storm *s, unsigned seed) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) s->work(seed);
    return child;
}

void scratch_storm(const storm *s) {
    pid_t children[MOST_PROCESSES];
    unsigned seed = 1;
    assert_true(s->processes <= MOST_PROCESSES);
    for (unsigned k = 0; k < s->processes; k++) children[k] = start(s, seed++);
    for (unsigned k = 0; k < s->kills; k++) {
        struct timespec pause = {0, 1000L * (long)((unsigned)rand_r(&seed) % s->longest_pause)};
        nanosleep(&pause, NULL);
        pid_t *victim = &children[(unsigned)rand_r(&seed) % s->processes];
        int status;
        kill(*victim, SIGKILL);
        assert_int_equal(waitpid(*victim, &status, 0), *victim);
        /* And had not ended by itself. */
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        *victim = start(s, seed++);
    }
    for (unsigned k = 0; k < s->processes; k++) {
        kill(children[k], SIGKILL);
        waitpid(children[k], NULL, 0);
    }
}

void scratch_in_child(void (*body)(void), uid_t user) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (user && seteuid(user) != 0) _exit(2);
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

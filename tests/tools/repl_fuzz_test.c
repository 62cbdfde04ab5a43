/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whatever is typed and however the window changes, the REPL answers the next good line and leaves
 * with 0. repl_fuzz_test build/tools/tosajit [seed [sessions]] In: keys, words, pastes and window
 * sizes by a seed, which stands in front of each failure; TOSAJIT_SECONDS=<n> goes on for so long.
 * Left out are the keys that the terminal itself obeys: Ctrl-\ and Ctrl-Z, which end and stop any
 * program, and Ctrl-S. */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/pty.h"
#include "tests/support/scratch.h"
#include "tests/support/support.h"

enum {
    SESSIONS = 8,
    STEPS = 150,
    PASTE = 600,
    LOOK = 50, /* milliseconds between two looks at the command */
    QUIET = 3, /* looks in a row at which it waits */
    TURNS = 60 /* in which it is asked */
};
#define NOTHING "\1 is never shown"

static const char *tool;
static uint64_t first_seed, sessions;
static pty p;

/* ---------------------------------------------------------------------------------------------
 * What is typed */

static const char *const words[] = {
    "add f32 [?,3] [4,1]",
    "y = x * sigmoid(x + b) : ",
    "f32[?,64]",
    "x + ",
    "x * ",
    "exp",
    "bf16",
    "clamp(x, min_val=0)",
    "i48",
    "(",
    ")",
    "{",
    "}",
    ", ",
    " : ",
    "1e999",
    "0x",
    "\"",
    "'",
    "//",
    ":help ",
    ":run ",
    ":run 5x3",
    ":cpu v2",
    ":strict on",
    ":plan",
    ":accuracy reproducible",
    ":e",
    ":ops",
    ":save k.mlir",
    ":save /dev/null",
    "func.func @f(",
    "%a: tensor<4xf32>",
    "module {",
    "rescale",
    "\377\376",
    "\342\202",
    "\303\251\303\251",
    "\360\237\230\200",
    "\344\270\255\346\226\207",
    "tensor<?x3xf32>",
    "-9223372036854775808",
    "        ",
    "\t",
    "\t\t",
};
/* Keys that edit here or elsewhere, and what terminals send for others. */
static const char *const keys[] = {
    "\001",     "\002",      "\003",      "\005",        "\006",   "\007",        "\010",
    "\011",     "\013",      "\014",      "\016",        "\017",   "\020",        "\022",
    "\024",     "\025",      "\026",      "\027",        "\030",   "\031",        "\177",
    "\037",     "\033",      "\035",      "\033[A",      "\033[B", "\033[C",      "\033[D",
    "\033[H",   "\033[F",    "\033[3~",   "\033[Z",      "\033b",  "\033f",       "\033d",
    "\033\177", "\033t",     "\033u",     "\033c",       "\033l",  "\033w",       "\033y",
    "\033x",    "\033[200~", "\033[201~", "\033[99;99R", "\0339",  "\0339\0339x", "\030\030",
    "\022a",    "\022\022",
};

static const char *pick(test_random *r, const char *const *from, size_t count) {
    return from[test_random_range(r, 0, (int64_t)count - 1)];
}

/* So many times the same, as a paste is, or a key that is held down. */
static bool type_many(test_random *r, const char *what, int64_t most) {
    char pasted[PASTE];
    size_t length = strlen(what), count = (size_t)test_random_range(r, 1, most), at = 0;
    for (; count > 0 && at + length <= sizeof pasted; count--, at += length)
        memcpy(pasted + at, what, length);
    return pty_type_bytes(&p, pasted, at);
}

static bool obeyed_by_terminal(int byte) {
    return byte == 0x1c || byte == 0x1a || byte == 0x11 || byte == 0x13;
}

static bool type_noise(test_random *r) {
    char bytes[20];
    size_t count = (size_t)test_random_range(r, 1, sizeof bytes);
    for (size_t k = 0; k < count; k++) do
            bytes[k] = (char)test_random_next(r);
        while (obeyed_by_terminal((unsigned char)bytes[k]));
    return pty_type_bytes(&p, bytes, count);
}

/* From everyday sizes to none. */
static void resize(test_random *r) {
    static const unsigned short rows[] = {24, 50, 5, 3, 2, 1, 0, 100};
    static const unsigned short columns[] = {80, 200, 81, 40, 20, 9, 3, 2, 1, 0, 1000};
    pty_resize(&p, rows[test_random_range(r, 0, sizeof rows / sizeof *rows - 1)],
               columns[test_random_range(r, 0, sizeof columns / sizeof *columns - 1)]);
}

/* False where the session has ended, which Ctrl-D may do. */
static bool take_step(test_random *r) {
    static const char *const pasted[] = {"a", "(", "x + ", "\303\251", "\344\270\255", "\001\005y"};
    int64_t what = test_random_range(r, 0, 99);
    if (what < 35) return type_many(r, pick(r, words, sizeof words / sizeof *words), 2);
    if (what < 65) return type_many(r, pick(r, keys, sizeof keys / sizeof *keys), 4);
    if (what < 72) return type_many(r, "\r", 2);
    if (what < 77) return type_noise(r);
    if (what < 81) return type_many(r, pick(r, pasted, sizeof pasted / sizeof *pasted), PASTE);
    if (what < 83) return type_many(r, pick(r, keys, sizeof keys / sizeof *keys), 100);
    if (what < 84) return type_many(r, "\004", 1);
    if (what < 94) resize(r);
    return pty_read(&p, what < 98 ? 0 : 10);
}

/* ---------------------------------------------------------------------------------------------
 * Sessions */

static void start(test_random *r) {
    static const char *const terminals[] = {"TERM=xterm", "TERM=dumb",  "TERM=vt100",
                                            "TERM=",      "TERM=linux", "TERM=nonsense"};
    static const char *const locales[] = {"LC_ALL=C", "LC_ALL=C.UTF-8"};
    char history[SCRATCH_SIZE + 32], home[SCRATCH_SIZE + 8];
    snprintf(history, sizeof history, "TOSAJIT_HISTORY=%s/history", scratch);
    snprintf(home, sizeof home, "HOME=%s", scratch);
    char *const environment[] = {history,
                                 home,
                                 (char *)pick(r, terminals, 6),
                                 (char *)pick(r, locales, 2),
                                 (char *)"PAGER=cat",
                                 NULL};
    pty_start(&p, tool, environment);
    pty_wait_for(&p, "tosajit> ");
}

/* Read until the command has nothing left to do, shows a text, or has used its time. A Ctrl-C
 * before that would take away what has been typed and not been read. */
static bool settle(const char *text, double until) {
    for (int quiet = 0; quiet < QUIET && !pty_find(&p, text) && pty_seconds(&p) < until;) {
        double before = pty_seconds(&p);
        pty_read(&p, LOOK);
        quiet = pty_waits(&p) && pty_seconds(&p) == before ? quiet + 1 : 0;
    }
    return pty_find(&p, text) != NULL;
}

/* Leave whatever has been begun, ask for something that only a sound session answers, and leave.
 * The status of the process. One that uses a minute of a processor's time on that, or waits for
 * more, does not answer and is killed: how long it takes on the clock depends on the machine. */
static int finish(uint64_t number) {
    char line[64], answer[64];
    bool answered = false;
    int status = 0;
    const double until = pty_seconds(&p) + (double)PTY_PATIENCE;
    snprintf(line, sizeof line, "\r\rabs f32 [%llu]\r", (unsigned long long)number + 1000000);
    snprintf(answer, sizeof answer, "tensor<%lluxf32>\r\n", (unsigned long long)number + 1000000);
    for (int turn = 0; !pty_ended(&p, &status); turn++) {
        if (turn >= TURNS || pty_seconds(&p) >= until) kill(p.process, SIGKILL);
        pty_resize(&p, 24, 80);
        pty_type_bytes(&p, "\003", 1);
        settle(NOTHING, until);
        pty_type_bytes(&p, answered ? "\004" : line, answered ? 1 : strlen(line));
        answered = settle(answered ? NOTHING : answer, until) || answered;
    }
    return status;
}

static void session(uint64_t seed) {
    test_random r = test_random_start(seed);
    bool open = true;
    start(&r);
    for (int64_t k = test_random_range(&r, 10, STEPS); open && k > 0; k--) open = take_step(&r);
    int status = finish(seed);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    print_error("seed %llu of those from %llu: %s %d\n", (unsigned long long)seed,
                (unsigned long long)first_seed,
                !WIFSIGNALED(status)          ? "exit code"
                : WTERMSIG(status) == SIGKILL ? "no answer, ended by signal"
                                              : "ended by signal",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fail();
}

static void no_key_and_no_window_ends_a_session(void **state) {
    const time_t until = time(NULL) + (time_t)test_setting("TOSAJIT_SECONDS", 0);
    uint64_t count = 0;
    assert_int_equal(chdir(scratch), 0); /* for what :save writes */
    for (; count < sessions || time(NULL) < until; count++) session(first_seed + count);
    print_message("%llu sessions from seed %llu\n", (unsigned long long)count,
                  (unsigned long long)first_seed);
}

int main(int count, char **arguments) {
    if (count < 2) return 2;
    tool = arguments[1];
    first_seed = count > 2 ? strtoull(arguments[2], NULL, 0) : 1;
    sessions = count > 3 ? strtoull(arguments[3], NULL, 0) : SESSIONS;
    return TEST_RUN(NULL, NULL, TEST_IN_SCRATCH(no_key_and_no_window_ends_a_session));
}

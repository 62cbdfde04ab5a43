/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The REPL as somebody at a terminal meets it, through a pseudo-terminal: editing, completion,
 * history, Ctrl-C, Ctrl-D.
 *   repl_pty_test build/tools/tosajit
 * Every step waits for a text that only an answer has, never for a time. */
#define _DEFAULT_SOURCE /* mkdtemp, nanosleep */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cmocka.h"
#include "tests/support/pty.h"

static const char *tool;
static char directory[] = "/tmp/repl_pty_test.XXXXXX";
static pty s;

/* A session with a history of its own in the test's directory. */
static void start_usual(void) {
    static char history[64];
    snprintf(history, sizeof history, "TOSAJIT_HISTORY=%s/history", directory);
    char *const environment[] = {history,
                                 (char *)"TERM=xterm",
                                 (char *)"LC_ALL=C.UTF-8",
                                 (char *)"HOME=/dev/null/home",
                                 (char *)"PAGER=cat",
                                 NULL};
    pty_start(&s, tool, environment);
}

/* The prompt, and then keys. */
static void at_prompt(const char *keys) {
    pty_wait_for(&s, "tosajit> ");
    pty_type(&s, keys);
}

static void leave(void) {
    at_prompt("\004");
    pty_expect_exit(&s, 0);
}

/* ---------------------------------------------------------------------------------------------
 * Tests */

static void a_line_is_answered_and_control_d_leaves(void **state) {
    start_usual();
    pty_wait_for(&s, ":help tells what to type");
    at_prompt("add f32 [?,3] [4,1]\r");
    pty_wait_for(&s, "tensor<4x3xf32>\r\n");
    pty_wait_for(&s, "bytes of code");
    at_prompt("nonsense(x) : f32[?]\r");
    pty_wait_for(&s, "error: there is no op nonsense");
    leave();
}

static void quit_leaves(void **state) {
    start_usual();
    at_prompt(":quit\r");
    pty_expect_exit(&s, 0);
}

static void tab_completes_what_is_certain(void **state) {
    start_usual();
    at_prompt("sigm\t(x) : f32[?]\r");
    pty_wait_for(&s, "tosa.sigmoid : tensor<?xf32>");
    at_prompt(":ru\tramp 2\r"); /* a space behind :run is typed, too */
    pty_wait_for(&s, "2 of f32");
    at_prompt("clamp(x, max_\t6, min_\t0) : bf1\t[?]\r");
    pty_wait_for(&s, "tosa.clamp : tensor<?xbf16>");
    at_prompt(":accuracy re\t\r");
    pty_wait_for(&s, "accuracy reproducible");
    leave();
}

static void tab_lists_what_is_not(void **state) {
    start_usual();
    at_prompt("logical_\t");
    pty_wait_for(&s, "logical_not          logical_and          logical_or");
    pty_wait_for(&s, "logical_right_shift");
    pty_type(&s, "xo\t i1 [?] [?]\r"); /* and the line goes on */
    pty_wait_for(&s, "tosa.logical_xor");
    at_prompt("zzz\t\003"); /* nothing to complete */
    pty_wait_for(&s, "^C");
    leave();
}

static void write_array(const char *name) {
    static const char bytes[] = "\x93NUMPY\x01\0\x3e\0{'descr': '<f4', 'fortran_order': False, "
                                "'shape': (1,), }    \n\0\0\x28\x42"; /* 42 */
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes - 1, out), sizeof bytes - 1);
    assert_int_equal(fclose(out), 0);
}

static void tab_completes_files(void **state) {
    char line[128], spaced[64];
    snprintf(spaced, sizeof spaced, "%s/with space", directory);
    assert_int_equal(mkdir(spaced, 0700), 0);
    write_array("answer.npy");
    write_array("answers.npy");
    write_array("answer.txt"); /* no array by its name */
    write_array("with space/one.npy");
    start_usual();
    at_prompt("negate f32 [?]\r");
    snprintf(line, sizeof line, ":run %s/an\t", directory);
    at_prompt(line);
    pty_type(&s, "\t"); /* there are two */
    pty_wait_for(&s, "answer.npy   answers.npy");
    pty_type(&s, "s\t\r");
    pty_wait_for(&s, "[-42]");
    snprintf(line, sizeof line, ":run %s/wi\t", directory);
    at_prompt(line); /* a directory leads on, and a space needs quotes */
    pty_type(&s, "\t\r");
    pty_wait_for(&s, "[-42]");
    snprintf(line, sizeof line, ":run \"%s/wi\t\t\r", directory);
    at_prompt(line);
    pty_wait_for(&s, "[-42]");
    snprintf(line, sizeof line, ":run %s/no\t3\r", directory);
    at_prompt(line);
    pty_wait_for(&s, "no3: ");
    leave();
    assert_null(strstr(s.output, "answer.txt"));
}

static void a_line_longer_than_the_terminal_can_be_edited(void **state) {
    enum { TERMS = 1200 };
    static char line[4 * TERMS + 32];
    char *at = line;
    start_usual();
    for (int k = 0; k < TERMS; k++) at += sprintf(at, "%sx", k ? " + " : "");
    sprintf(at,
            " : f32[?]\001-\005"); /* Ctrl-A to its beginning, a sign there, and back to its end */
    at_prompt(line);
    pty_type(&s, "\r");
    pty_wait_for(&s, "tosa.add : tensor<?xf32>");
    at_prompt(":run [1]\r");
    pty_wait_for(&s, "[1198]");      /* -x + x + ... */
    at_prompt("\020\020\001\004\r"); /* two lines up, without the sign again */
    pty_wait_for(&s, "tosa.add : tensor<?xf32>");
    at_prompt(":run [1]\r");
    pty_wait_for(&s, "[1200]");
    leave();
}

static void resizing_keeps_the_line(void **state) {
    static const unsigned short widths[] = {20, 200, 3, 1, 80};
    start_usual();
    at_prompt("y = x * sigmoid(x) ");
    pty_wait_for(&s, "sigmoid(x) ");
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        pty_resize(&s, 24, widths[k]);
        pty_type(&s, "+ x ");
    }
    pty_type(&s, ": f32[?,7]\r");
    pty_wait_for(&s, "tensor<?x7xf32>");
    at_prompt("sin f32 [?]\r");
    at_prompt(":sweep\r");
    pty_wait_for(&s, "sweep\r\n");
    pty_resize(&s, 10, 40); /* a command goes on */
    pty_wait_for(&s, "GB/s");
    pty_wait_for(&s, "16777216");
    leave();
}

/* A line of more rows than the window has, in a window that shrinks, is moved in, and grows. */
static void a_window_smaller_than_the_line_keeps_it(void **state) {
    static const unsigned short sizes[][2] = {{5, 80}, {24, 10}, {1, 2}, {3, 200}, {24, 80}};
    enum { TERMS = 150 };
    static char line[4 * TERMS + 32];
    char *at = line;
    start_usual();
    for (int k = 0; k < TERMS; k++) at += sprintf(at, "%sx", k ? " + " : "");
    pty_resize(&s, 24, 80);
    at_prompt(line);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        pty_wait_for(&s, "x");
        pty_resize(&s, sizes[k][0], sizes[k][1]);
        pty_type(&s, "\001\005 + x\001\002\005"); /* to the beginning and back */
    }
    pty_type(&s, " : f32[?]\r");
    pty_wait_for(&s, "tosa.add : tensor<?xf32>");
    at_prompt(":run [1]\r");
    pty_wait_for(&s, "[155]");
    leave();
}

static void search_finds_the_latest_line_and_older_ones(void **state) {
    start_usual();
    at_prompt("abs f32 [31]\r");
    at_prompt("exp f32 [32]\r");
    at_prompt("abs f32 [33]\r");
    pty_wait_for(&s, "tensor<33xf32>\r\n");
    at_prompt("ab\022\r"); /* the latest with what has been typed */
    pty_wait_for(&s, "tensor<33xf32>\r\n");
    at_prompt("ab\022\022\r"); /* and an older one */
    pty_wait_for(&s, "tensor<31xf32>\r\n");
    at_prompt("f32\022\022\022\r"); /* 31, 33, 32 */
    pty_wait_for(&s, "tensor<32xf32>\r\n");
    at_prompt("abs f32 [34]\022\022\033[B\033[B\033[B\r"); /* the line as it was */
    pty_wait_for(&s, "tensor<34xf32>\r\n");
    at_prompt("exp\022\001\004\004\004abs\r"); /* what was found is edited */
    pty_wait_for(&s, "tensor<32xf32>\r\n");
    at_prompt("exp\022\003"); /* no part of it is left */
    pty_wait_for(&s, "^C");
    at_prompt("(a*)*\\1\022\025abs f32 [35]\r"); /* it is no regular expression */
    pty_wait_for(&s, "tensor<35xf32>\r\n");
    leave();
}

/* The whole line is there, however little of it the row shows. */
static void keys_edit_the_line(void **state) {
    static const char *const typed[] = {
        "xabs f32 [41]\001\033[3~\r", /* Home, Delete */
        "f32 [42]\033[Habs \r",       /* Home */
        "abs f32 [4]\002"
        "3\r",                              /* left */
        "abs f32 [4\002\002\002\033[F4]\r", /* left, End */
        "abs f32 nonsense\027[45]\r",       /* the word before */
        "nonsense\025abs f32 [46]\r",       /* all before */
        "abs f32 [47]nonsense\033b\013\r",  /* a word back, all behind */
        "exp f32 [48]\001\033d"
        "abs\r", /* the next word */
        "as f32 [49]\001\033[C"
        "b\r", /* right */
    };
    start_usual();
    for (size_t k = 0; k < sizeof typed / sizeof *typed; k++) {
        char answer[64];
        snprintf(answer, sizeof answer, "tosa.abs : tensor<%dxf32>", 41 + (int)k);
        at_prompt(typed[k]);
        pty_wait_for(&s, answer);
    }
    leave();
}

static void a_line_has_an_end(void **state) {
    static char line[70000];
    start_usual();
    pty_wait_for(&s, "tosajit> ");
    memset(line, '(', sizeof line);
    assert_true(pty_type_bytes(&s, line, sizeof line));
    pty_type(&s, "\r");
    pty_wait_for(&s, "error: a line has at most 65536 characters here");
    at_prompt("abs f32 [20]\r");
    pty_wait_for(&s, "tensor<20xf32>\r\n");
    leave();
}

static void control_d_leaves_only_an_empty_line(void **state) {
    start_usual();
    at_prompt("abs f32 [15]\004\004\001\004\r"); /* at the end nothing; at the beginning the
                                                    character goes */
    pty_wait_for(&s, "there is no op bs");
    at_prompt("func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\r");
    pty_wait_for(&s, "... ");
    pty_type(&s, "\004");
    pty_wait_for(&s, "the input ends within the module or function");
    pty_expect_exit(&s, 0);
}

static void pasted_lines_are_answered_one_by_one(void **state) {
    start_usual();
    at_prompt("abs f32 [16]\rabs f32 [17]\r:run ramp 17\rfunc.func @f(%x: tensor<18xf32>) -> "
              "tensor<18xf32> {\r  return %x : "
              "tensor<18xf32>\r}\r");
    pty_wait_for(&s, "tensor<16xf32>\r\n");
    pty_wait_for(&s, "tensor<17xf32>\r\n");
    pty_wait_for(&s, "17 of f32\r\n");
    pty_wait_for(&s, "tensor<18xf32>\r\n");
    leave();
}

static void control_c_drops_the_line(void **state) {
    start_usual();
    at_prompt("nonsense(x) : f32[?]\003");
    pty_wait_for(&s, "^C");
    at_prompt("abs f32 [5]\r");
    pty_wait_for(&s, "tensor<5xf32>\r\n");
    leave();
    assert_null(strstr(s.output, "there is no op"));
}

/* A terminal that takes no more output, as a slow line does not: Ctrl-C drops that output. */
static void control_c_frees_a_session_that_cannot_write(void **state) {
    static char line[2000], redraws[400];
    start_usual();
    pty_wait_for(&s, "tosajit> ");
    memset(line, 'x', sizeof line - 1);
    memset(redraws, '\014', sizeof redraws - 1);
    pty_type(&s, line);
    pty_type(&s, redraws);
    double used;
    do {
        used = pty_seconds(&s);
        poll(NULL, 0, 200);
    } while (!pty_waits(&s) || pty_seconds(&s) != used);
    pty_type(&s, "\003");
    poll(NULL, 0, 200);
    pty_type(&s, "abs f32 [22]\r");
    pty_wait_for(&s, "tensor<22xf32>\r\n");
    leave();
}

static void control_c_stops_a_command(void **state) {
    const struct timespec moment = {0, 50000000};
    start_usual();
    at_prompt("sin f32 [?]\r");
    at_prompt(":sweep\r");
    pty_wait_for(&s, "sweep\r\n"); /* the terminal is as usual again */
    nanosleep(&moment, NULL);      /* not what is waited for: a stop before the start is as good */
    pty_type(&s, "\003");
    pty_wait_for(&s, "error: interrupted");
    at_prompt("abs f32 [6]\r");
    pty_wait_for(&s, "tensor<6xf32>\r\n");
    leave();
}

/* A file without an end, and without the end of a line. */
static void control_c_stops_the_lines_of_a_file(void **state) {
    const struct timespec moment = {0, 50000000};
    start_usual();
    at_prompt(":load /dev/zero\r");
    pty_wait_for(&s, "zero\r\n");
    nanosleep(&moment, NULL);
    pty_type(&s, "\003");
    pty_wait_for(&s, "/dev/zero:1: error: interrupted; this line and all below are left out");
    at_prompt("abs f32 [7]\r");
    pty_wait_for(&s, "tensor<7xf32>\r\n");
    leave();
}

static void mlir_goes_on_until_braces_balance(void **state) {
    start_usual();
    at_prompt("func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\r");
    pty_wait_for(&s, "... ");
    pty_type(&s, "\003"); /* drops all of it */
    at_prompt("func.func @f(%x: tensor<9xf32>) -> tensor<9xf32> {\r");
    pty_wait_for(&s, "... ");
    pty_type(&s, "return %x : tensor<9xf32>\r");
    pty_wait_for(&s, "... ");
    pty_type(&s, "}\r");
    pty_wait_for(&s, "result 0: %x : tensor<9xf32>");
    leave();
}

static void history_lasts_over_sessions(void **state) {
    start_usual();
    at_prompt("exp f32 [11]\r");
    at_prompt("exp f32 [12]\r");
    leave();
    start_usual();
    at_prompt("\033[A\033[A\r");
    pty_wait_for(&s, "tensor<11xf32>\r\n");
    at_prompt("12\022\r"); /* Ctrl-R finds it */
    pty_wait_for(&s, "tensor<12xf32>\r\n");
    leave();
}

/* The arrow goes back over a statement, however many lines it had; a comment keeps lines apart. */
static void a_statement_is_one_entry_of_history(void **state) {
    start_usual();
    at_prompt("y = (x +\r");
    pty_wait_for(&s, "... ");
    pty_type(&s, "1) *\r");
    pty_wait_for(&s, "... ");
    pty_type(&s, "2 : f32[16]\r");
    pty_wait_for(&s, "tensor<16xf32>\r\n");
    at_prompt("\033[A");
    pty_wait_for(&s, "y = (x + 1) * 2 : f32[16]");
    pty_type(&s, "\r");
    pty_wait_for(&s, "tensor<16xf32>\r\n");
    at_prompt("y = (x + # one\r");
    pty_wait_for(&s, "... ");
    pty_type(&s, "1) : f32[17]\r");
    pty_wait_for(&s, "tensor<17xf32>\r\n");
    at_prompt("\033[A");
    pty_wait_for(&s, "1) : f32[17]");
    pty_type(&s, "\003");
    leave();
}

/* Long answers go to $PAGER, and the session goes on behind it. */
static void a_pager_shows_what_is_long(void **state) {
    char *const environment[] = {(char *)"TOSAJIT_HISTORY=", (char *)"TERM=xterm",
                                 (char *)"PAGER=sed s/^/page:/", NULL};
    char *const impatient[] = {(char *)"TOSAJIT_HISTORY=", (char *)"TERM=xterm",
                               (char *)"PAGER=true", NULL};
    for (int k = 0; k < 2; k++) {
        pty_start(&s, tool, k ? impatient : environment);
        at_prompt("exp f32 [?]\r");
        pty_wait_for(&s, "bytes of code");
        at_prompt(":ir\r");
        if (!k) pty_wait_for(&s, "page:");
        at_prompt("abs f32 [18]\r");
        pty_wait_for(&s, "tensor<18xf32>\r\n");
        leave();
    }
}

static void history_is_made_where_xdg_says(void **state) {
    char home[64], file[128], line[64] = "";
    snprintf(home, sizeof home, "XDG_STATE_HOME=%s/state", directory);
    snprintf(file, sizeof file, "%s/state/tosajit/history", directory);
    char *const environment[] = {home, (char *)"TERM=xterm", NULL};
    pty_start(&s, tool, environment);
    at_prompt("log f32 [13]\r");
    leave();
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    fclose(in);
    assert_string_equal(line, "log f32 [13]\n");
}

static void empty_history_variable_means_none(void **state) {
    char home[64], file[128];
    snprintf(home, sizeof home, "HOME=%s", directory);
    snprintf(file, sizeof file, "%s/.local", directory);
    char *const environment[] = {home, (char *)"TOSAJIT_HISTORY=", (char *)"TERM=xterm", NULL};
    pty_start(&s, tool, environment);
    at_prompt("log f32 [14]\r");
    pty_wait_for(&s, "tensor<14xf32>");
    leave();
    assert_int_not_equal(access(file, F_OK), 0);
}

/* Reading a device or a pipe might never end. */
static void history_is_a_file_or_none(void **state) {
    char pipe[64], named[80];
    snprintf(pipe, sizeof pipe, "%s/pipe", directory);
    snprintf(named, sizeof named, "TOSAJIT_HISTORY=%s", pipe);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    char *const piped[] = {named, (char *)"TERM=xterm", NULL};
    char *const endless[] = {(char *)"TOSAJIT_HISTORY=/dev/zero", (char *)"TERM=xterm", NULL};
    for (int k = 0; k < 2; k++) {
        pty_start(&s, tool, k ? endless : piped);
        at_prompt("log f32 [15]\r");
        pty_wait_for(&s, "tensor<15xf32>");
        leave();
    }
}

static void odd_keys_do_no_harm(void **state) {
    static char line[6000];
    start_usual();
    pty_wait_for(&s, "tosajit> ");
    assert_int_equal(write(s.terminal, "\0", 1), 1);   /* Ctrl-@ sets a mark */
    pty_type(&s, "\377\376 \303\251 \033[3~\033[Z\r"); /* no UTF-8; an e with an accent; delete and
                                                  another key */
    pty_wait_for(&s, "error: an operand expected");
    memset(line, '~', sizeof line - 8);
    memcpy(line + sizeof line - 8, "x\r", 3);
    at_prompt(line);
    pty_wait_for(&s, "error: nests more than 200 deep");
    leave();
}

/* Closing the window. */
static void a_lost_terminal_ends_it(void **state) {
    int status;
    start_usual();
    pty_wait_for(&s, "tosajit> ");
    close(s.terminal);
    const time_t until = time(NULL) + PTY_PATIENCE;
    while (waitpid(s.process, &status, WNOHANG) == 0) {
        if (time(NULL) >= until) kill(s.process, SIGKILL);
        assert_true(time(NULL) < until + 5);
        poll(NULL, 0, 50);
    }
    if (WIFSIGNALED(status)) assert_int_equal(WTERMSIG(status), SIGHUP);
}

static int make_directory(void **state) { return mkdtemp(directory) ? 0 : -1; }

static int remove_directory(void **state) {
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(int count, char **words) {
    if (count != 2) return 2;
    tool = words[1];
    return TEST_RUN(
        make_directory, remove_directory, TEST(a_line_is_answered_and_control_d_leaves),
        TEST(quit_leaves), TEST(tab_completes_what_is_certain), TEST(tab_lists_what_is_not),
        TEST(tab_completes_files), TEST(a_line_longer_than_the_terminal_can_be_edited),
        TEST(resizing_keeps_the_line), TEST(a_window_smaller_than_the_line_keeps_it),
        TEST(search_finds_the_latest_line_and_older_ones), TEST(keys_edit_the_line),
        TEST(a_line_has_an_end), TEST(control_d_leaves_only_an_empty_line),
        TEST(pasted_lines_are_answered_one_by_one), TEST(control_c_drops_the_line),
        TEST(control_c_frees_a_session_that_cannot_write), TEST(control_c_stops_a_command),
        TEST(control_c_stops_the_lines_of_a_file), TEST(mlir_goes_on_until_braces_balance),
        TEST(history_lasts_over_sessions), TEST(a_statement_is_one_entry_of_history),
        TEST(a_pager_shows_what_is_long), TEST(history_is_made_where_xdg_says),
        TEST(empty_history_variable_means_none), TEST(history_is_a_file_or_none),
        TEST(odd_keys_do_no_harm), TEST(a_lost_terminal_ends_it));
}

/* The REPL as somebody at a terminal meets it, through a pseudo-terminal: editing, completion, history, Ctrl-C, Ctrl-D.
 *   repl_pty_test build/tools/tosajit
 * Every step waits for a text that only an answer has, never for a time. */
#define _DEFAULT_SOURCE   /* struct winsize */
#define _XOPEN_SOURCE 700 /* posix_openpt and its like */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE = 60, CAPACITY = 1 << 20 }; /* seconds until a step has failed, also under an emulator; bytes of output of a session */

static const char *tool;
static char directory[] = "/tmp/repl_pty_test.XXXXXX";

typedef struct session {
    pid_t process;
    int terminal;
    char output[CAPACITY];
    size_t length, matched; /* what lies before `matched` has been waited for */
} session;

static session s;

static void become_tool(const char *slave, char *const *environment) {
    close(s.terminal); /* or it would never be told that this end is gone */
    setsid();
    int terminal = open(slave, O_RDWR); /* the first one of a session controls it */
    if (terminal < 0 || dup2(terminal, 0) < 0 || dup2(terminal, 1) < 0 || dup2(terminal, 2) < 0) _exit(126);
    if (terminal > 2) close(terminal);
    char *const words[] = {(char *)tool, NULL};
    char *whole[8] = {(char *)"ASAN_OPTIONS=detect_leaks=0"}; /* libedit keeps some text of each line until the process ends */
    for (size_t k = 0; environment[k]; k++) whole[k + 1] = environment[k];
    execve(tool, words, whole);
    _exit(127);
}

static void start(char *const *environment) {
    memset(&s, 0, sizeof s);
    s.terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(s.terminal >= 0);
    assert_int_equal(grantpt(s.terminal), 0);
    assert_int_equal(unlockpt(s.terminal), 0);
    char slave[128];
    snprintf(slave, sizeof slave, "%s", ptsname(s.terminal));
    s.process = fork();
    assert_true(s.process >= 0);
    if (s.process == 0) become_tool(slave, environment);
}

/* A session with a history of its own in the test's directory. */
static void start_usual(void) {
    static char history[64];
    snprintf(history, sizeof history, "TOSAJIT_HISTORY=%s/history", directory);
    char *const environment[] = {history, (char *)"TERM=xterm", (char *)"LC_ALL=C.UTF-8", (char *)"HOME=/nonexistent", NULL};
    start(environment);
}

/* Read what there is; false at the end of the terminal. */
static bool read_more(int milliseconds) {
    struct pollfd wanted = {s.terminal, POLLIN, 0};
    if (poll(&wanted, 1, milliseconds) <= 0) return true;
    assert_true(s.length + 1 < sizeof s.output);
    ssize_t count = read(s.terminal, s.output + s.length, sizeof s.output - 1 - s.length);
    if (count > 0) s.length += (size_t)count;
    s.output[s.length] = '\0';
    return count > 0;
}

static const char *find(const char *text) {
    for (size_t k = s.matched; k + strlen(text) <= s.length; k++)
        if (memcmp(s.output + k, text, strlen(text)) == 0) return s.output + k;
    return NULL;
}

static void show_output(const char *missing) {
    fprintf(stderr, "waiting for '%s', found:\n", missing);
    for (size_t k = s.matched; k < s.length; k++)
        if (s.output[k] == '\033')
            fputs("<ESC>", stderr);
        else
            fputc(s.output[k], stderr);
    fputc('\n', stderr);
}

static void wait_for(const char *text) {
    const time_t until = time(NULL) + PATIENCE;
    const char *found;
    while (!(found = find(text))) {
        bool open = time(NULL) < until && read_more(100);
        if (!open && !find(text)) {
            show_output(text);
            kill(s.process, SIGKILL);
            fail();
        }
    }
    s.matched = (size_t)(found - s.output) + strlen(text);
}

static void type(const char *keys) {
    size_t length = strlen(keys);
    assert_int_equal(write(s.terminal, keys, length), (ssize_t)length);
}

/* The prompt, and then keys. */
static void at_prompt(const char *keys) {
    wait_for("tosajit> ");
    type(keys);
}

static void expect_exit(int code) {
    int status = 0;
    const time_t until = time(NULL) + PATIENCE;
    while (waitpid(s.process, &status, WNOHANG) == 0) {
        if (time(NULL) >= until) {
            show_output("the end");
            kill(s.process, SIGKILL);
            fail();
        }
        read_more(50);
    }
    close(s.terminal);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

static void leave(void) {
    at_prompt("\004");
    expect_exit(0);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Tests */

static void a_line_is_answered_and_control_d_leaves(void **state) {
    (void)state;
    start_usual();
    wait_for(":help tells what to type");
    at_prompt("add f32 [?,3] [4,1]\r");
    wait_for("tensor<4x3xf32>\r\n");
    wait_for("bytes of code");
    at_prompt("nonsense(x) : f32[?]\r");
    wait_for("error: there is no op nonsense");
    leave();
}

static void quit_leaves(void **state) {
    (void)state;
    start_usual();
    at_prompt(":quit\r");
    expect_exit(0);
}

static void tab_completes_what_is_certain(void **state) {
    (void)state;
    start_usual();
    at_prompt("sigm\t(x) : f32[?]\r");
    wait_for("tosa.sigmoid : tensor<?xf32>");
    at_prompt(":ru\tramp 2\r"); /* a space behind :run is typed, too */
    wait_for("2 of f32");
    at_prompt("clamp(x, max_\t6, min_\t0) : bf1\t[?]\r");
    wait_for("tosa.clamp : tensor<?xbf16>");
    at_prompt(":accuracy fa\t\r");
    wait_for("accuracy fast");
    leave();
}

static void tab_lists_what_is_not(void **state) {
    (void)state;
    start_usual();
    at_prompt("logical_\t");
    wait_for("logical_not          logical_and          logical_or");
    wait_for("logical_right_shift");
    type("xo\t i1 [?] [?]\r"); /* and the line goes on */
    wait_for("tosa.logical_xor");
    at_prompt("zzz\t\003"); /* nothing to complete */
    wait_for("^C");
    leave();
}

static void write_array(const char *name) {
    static const char bytes[] = "\x93NUMPY\x01\0\x3e\0{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }    \n\0\0\x28\x42"; /* 42 */
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes - 1, out), sizeof bytes - 1);
    assert_int_equal(fclose(out), 0);
}

static void tab_completes_files(void **state) {
    (void)state;
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
    type("\t"); /* there are two */
    wait_for("answer.npy   answers.npy");
    type("s\t\r");
    wait_for("[-42]");
    snprintf(line, sizeof line, ":run %s/wi\t", directory);
    at_prompt(line); /* a directory leads on, and a space needs quotes */
    type("\t\r");
    wait_for("[-42]");
    snprintf(line, sizeof line, ":run \"%s/wi\t\t\r", directory);
    at_prompt(line);
    wait_for("[-42]");
    snprintf(line, sizeof line, ":run %s/no\t3\r", directory);
    at_prompt(line);
    wait_for("no3: ");
    leave();
    assert_null(strstr(s.output, "answer.txt"));
}

static void a_line_longer_than_the_terminal_can_be_edited(void **state) {
    enum { TERMS = 1200 };
    static char line[4 * TERMS + 32];
    char *at = line;
    (void)state;
    start_usual();
    for (int k = 0; k < TERMS; k++) at += sprintf(at, "%sx", k ? " + " : "");
    sprintf(at, " : f32[?]\001-\005"); /* Ctrl-A to its beginning, a sign there, and back to its end */
    at_prompt(line);
    type("\r");
    wait_for("tosa.add : tensor<?xf32>");
    at_prompt(":run [1]\r");
    wait_for("[1198]");              /* -x + x + ... */
    at_prompt("\020\020\001\004\r"); /* two lines up, without the sign again */
    wait_for("tosa.add : tensor<?xf32>");
    at_prompt(":run [1]\r");
    wait_for("[1200]");
    leave();
}

static void resize(unsigned short rows, unsigned short columns) {
    const struct winsize size = {.ws_row = rows, .ws_col = columns};
    assert_int_equal(ioctl(s.terminal, TIOCSWINSZ, &size), 0);
    assert_int_equal(kill(s.process, SIGWINCH), 0); /* also where the size was the same */
}

static void resizing_keeps_the_line(void **state) {
    static const unsigned short widths[] = {20, 200, 3, 1, 80};
    (void)state;
    start_usual();
    at_prompt("y = x * sigmoid(x) ");
    wait_for("sigmoid(x) ");
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        resize(24, widths[k]);
        type("+ x ");
    }
    type(": f32[?,7]\r");
    wait_for("tensor<?x7xf32>");
    at_prompt("sin f32 [?]\r");
    at_prompt(":sweep\r");
    wait_for("sweep\r\n");
    resize(10, 40); /* a command goes on */
    wait_for("GB/s");
    wait_for("16777216");
    leave();
}

static void control_d_leaves_only_an_empty_line(void **state) {
    (void)state;
    start_usual();
    at_prompt("abs f32 [15]\004\004\001\004\r"); /* at the end nothing; at the beginning the character goes */
    wait_for("there is no op bs");
    at_prompt("func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\r");
    wait_for("... ");
    type("\004");
    wait_for("the input ends within the module or function");
    expect_exit(0);
}

static void pasted_lines_are_answered_one_by_one(void **state) {
    (void)state;
    start_usual();
    at_prompt("abs f32 [16]\rabs f32 [17]\r:run ramp 17\rfunc.func @f(%x: tensor<18xf32>) -> tensor<18xf32> {\r  return %x : "
              "tensor<18xf32>\r}\r");
    wait_for("tensor<16xf32>\r\n");
    wait_for("tensor<17xf32>\r\n");
    wait_for("17 of f32\r\n");
    wait_for("tensor<18xf32>\r\n");
    leave();
}

static void control_c_drops_the_line(void **state) {
    (void)state;
    start_usual();
    at_prompt("this would be an error\003");
    wait_for("^C");
    at_prompt("abs f32 [5]\r");
    wait_for("tensor<5xf32>\r\n");
    leave();
    assert_null(strstr(s.output, "error"));
}

static void control_c_stops_a_command(void **state) {
    (void)state;
    const struct timespec moment = {0, 50000000};
    start_usual();
    at_prompt("sin f32 [?]\r");
    at_prompt(":sweep\r");
    wait_for("sweep\r\n");    /* libedit has given the terminal back */
    nanosleep(&moment, NULL); /* not what is waited for: a stop before the start is as good */
    type("\003");
    wait_for("error: interrupted");
    at_prompt("abs f32 [6]\r");
    wait_for("tensor<6xf32>\r\n");
    leave();
}

static void mlir_goes_on_until_braces_balance(void **state) {
    (void)state;
    start_usual();
    at_prompt("func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\r");
    wait_for("... ");
    type("\003"); /* drops all of it */
    at_prompt("func.func @f(%x: tensor<9xf32>) -> tensor<9xf32> {\r");
    wait_for("... ");
    type("return %x : tensor<9xf32>\r");
    wait_for("... ");
    type("}\r");
    wait_for("result 0: %x : tensor<9xf32>");
    leave();
}

static void history_lasts_over_sessions(void **state) {
    (void)state;
    start_usual();
    at_prompt("exp f32 [11]\r");
    at_prompt("exp f32 [12]\r");
    leave();
    start_usual();
    at_prompt("\033[A\033[A\r");
    wait_for("tensor<11xf32>\r\n");
    at_prompt("\02212\r"); /* Ctrl-R finds it */
    wait_for("tensor<12xf32>\r\n");
    leave();
}

static void history_is_made_where_xdg_says(void **state) {
    (void)state;
    char home[64], file[128], line[64] = "";
    snprintf(home, sizeof home, "XDG_STATE_HOME=%s/state", directory);
    snprintf(file, sizeof file, "%s/state/tosajit/history", directory);
    char *const environment[] = {home, (char *)"TERM=xterm", NULL};
    start(environment);
    at_prompt("log f32 [13]\r");
    leave();
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    fclose(in);
    assert_string_equal(line, "log f32 [13]\n");
}

static void empty_history_variable_means_none(void **state) {
    (void)state;
    char home[64], file[128];
    snprintf(home, sizeof home, "HOME=%s", directory);
    snprintf(file, sizeof file, "%s/.local", directory);
    char *const environment[] = {home, (char *)"TOSAJIT_HISTORY=", (char *)"TERM=xterm", NULL};
    start(environment);
    at_prompt("log f32 [14]\r");
    wait_for("tensor<14xf32>");
    leave();
    assert_int_not_equal(access(file, F_OK), 0);
}

/* Reading a device or a pipe might never end. */
static void history_is_a_file_or_none(void **state) {
    (void)state;
    char pipe[64], named[80];
    snprintf(pipe, sizeof pipe, "%s/pipe", directory);
    snprintf(named, sizeof named, "TOSAJIT_HISTORY=%s", pipe);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    char *const piped[] = {named, (char *)"TERM=xterm", NULL};
    char *const endless[] = {(char *)"TOSAJIT_HISTORY=/dev/zero", (char *)"TERM=xterm", NULL};
    for (int k = 0; k < 2; k++) {
        start(k ? endless : piped);
        at_prompt("log f32 [15]\r");
        wait_for("tensor<15xf32>");
        leave();
    }
}

static void hot_loops_are_bright(void **state) {
    (void)state;
    start_usual();
    at_prompt("add f32 [1024] [1024]\r");
    at_prompt(":asm\r");
    wait_for("\033[1;32m.LBB0_");
    wait_for("\033[0m");
    leave();
}

static void without_colour_they_are_not(void **state) {
    (void)state;
    char *const environment[] = {(char *)"TOSAJIT_HISTORY=", (char *)"TERM=xterm", (char *)"NO_COLOR=1", NULL};
    start(environment);
    at_prompt("add f32 [1024] [1024]\r");
    at_prompt(":asm\r");
    wait_for("Lfunc_end0");
    leave();
    assert_null(strstr(s.output, "\033[1;32m"));
}

static void odd_keys_do_no_harm(void **state) {
    static char line[6000];
    (void)state;
    start_usual();
    wait_for("tosajit> ");
    assert_int_equal(write(s.terminal, "\0", 1), 1); /* Ctrl-@ sets a mark */
    type("\377\376 \303\251 \033[3~\033[Z\r");       /* no UTF-8; an e with an accent; delete and another key */
    wait_for("error: an operand expected");
    memset(line, '~', sizeof line - 8);
    memcpy(line + sizeof line - 8, "x\r", 3);
    at_prompt(line);
    wait_for("error: nests more than 200 deep");
    leave();
}

/* Closing the window. */
static void a_lost_terminal_ends_it(void **state) {
    (void)state;
    int status;
    start_usual();
    wait_for("tosajit> ");
    close(s.terminal);
    const time_t until = time(NULL) + PATIENCE;
    while (waitpid(s.process, &status, WNOHANG) == 0) {
        if (time(NULL) >= until) kill(s.process, SIGKILL);
        assert_true(time(NULL) < until + 5);
        poll(NULL, 0, 50);
    }
    if (WIFSIGNALED(status)) assert_int_equal(WTERMSIG(status), SIGHUP);
}

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_answered_and_control_d_leaves),
        cmocka_unit_test(quit_leaves),
        cmocka_unit_test(tab_completes_what_is_certain),
        cmocka_unit_test(tab_lists_what_is_not),
        cmocka_unit_test(tab_completes_files),
        cmocka_unit_test(a_line_longer_than_the_terminal_can_be_edited),
        cmocka_unit_test(resizing_keeps_the_line),
        cmocka_unit_test(control_d_leaves_only_an_empty_line),
        cmocka_unit_test(pasted_lines_are_answered_one_by_one),
        cmocka_unit_test(control_c_drops_the_line),
        cmocka_unit_test(control_c_stops_a_command),
        cmocka_unit_test(mlir_goes_on_until_braces_balance),
        cmocka_unit_test(history_lasts_over_sessions),
        cmocka_unit_test(history_is_made_where_xdg_says),
        cmocka_unit_test(empty_history_variable_means_none),
        cmocka_unit_test(history_is_a_file_or_none),
        cmocka_unit_test(hot_loops_are_bright),
        cmocka_unit_test(without_colour_they_are_not),
        cmocka_unit_test(odd_keys_do_no_harm),
        cmocka_unit_test(a_lost_terminal_ends_it),
    };
    if (count != 2) return 2;
    tool = words[1];
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

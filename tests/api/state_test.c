/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The host's state, systematically: every public function in every unusual state that a host may be
 * in. It gives what it gives in the usual one, or the failure that the state is for, and leaves the
 * state as it was.
 *
 *   state_test HEADER...
 *
 * TOSAJIT_ROUNDS=<n> makes so many rounds under signals, and as many limits of address space. A
 * day has a quarter of the functions in each state, of each state another one; TOSAJIT_THIN=1 has
 * all. In: headers, all of whose functions must have a call in the table (state_calls.h). Out: a
 * line per state; states that this machine or its owner does not allow are named. Each state has a
 * child process: a call that traps or hangs is told by its name. */
#define _GNU_SOURCE /* unshare, timer_create with a thread */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/api/state_calls.h"
#include "tests/support/float_state.h"
#include "tests/support/process.h"
#include "tests/support/support.h"

/* The stack that every function makes do with. A kernel may take 32 KiB of it; the largest one here
 * takes 16, so its thread gets that much less. */
enum {
    MOST_CALLS = 128,
    CHILD_SECONDS = 120,
    STACK = 192 << 10,
    LEFT_BY_KERNEL = 16 << 10,
    LEAST_SIGNALS = 100,
    STANDARD_THINNING = 4
};

/* Memory that parent and child share. */
typedef struct shared {
    outcome expected[MOST_CALLS];
    char where[256]; /* the call that the child makes */
    char wrong[512]; /* what it has found */
    uint64_t calls, signals, refused;
    bool left_out; /* the state cannot be had */
} shared;

static shared *common;
static char directory[] = "/tmp/tosajit_state_XXXXXX";
static fixture objects;
static uint64_t rounds;

static bool finds(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(common->wrong, sizeof common->wrong, format, arguments);
    va_end(arguments);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * What a call must leave as it was, besides the floating-point state */

typedef struct process_state {
    sigset_t mask;
    stack_t alternate;
    struct sigaction actions[65];
    mode_t umask;
    uint64_t descriptors; /* of the first 64 */
    struct rlimit files, addresses;
    char working[256];
} process_state;

static void take_state(process_state *s) {
    memset(s, 0, sizeof *s);
    pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
    sigaltstack(NULL, &s->alternate);
    for (int k = 1; k < 65; k++) sigaction(k, NULL, &s->actions[k]);
    s->umask = umask(0);
    umask(s->umask);
    for (int k = 0; k < 64; k++) s->descriptors |= (uint64_t)(fcntl(k, F_GETFD) != -1) << k;
    getrlimit(RLIMIT_NOFILE, &s->files);
    getrlimit(RLIMIT_AS, &s->addresses);
    if (!getcwd(s->working, sizeof s->working)) s->working[0] = 0;
}

static const char *compare_states(const process_state *a, const process_state *b) {
    for (int k = 1; k < 65; k++)
        if (sigismember(&a->mask, k) != sigismember(&b->mask, k)) return "the signal mask";
    if (a->alternate.ss_sp != b->alternate.ss_sp || a->alternate.ss_flags != b->alternate.ss_flags)
        return "the signal stack";
    for (int k = 1; k < 65; k++)
        if (a->actions[k].sa_sigaction != b->actions[k].sa_sigaction ||
            a->actions[k].sa_flags != b->actions[k].sa_flags)
            return "a signal's handler";
    if (a->umask != b->umask) return "the mask of files";
    if (a->descriptors != b->descriptors) return "the open files";
    if (memcmp(&a->files, &b->files, sizeof a->files) != 0) return "the limit of files";
    if (memcmp(&a->addresses, &b->addresses, sizeof a->addresses) != 0) return "a limit of memory";
    return strcmp(a->working, b->working) != 0 ? "the working directory" : NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

/* Make a call; false, with words, if it has changed a state. */
static bool make_call(size_t k, outcome *given) {
    process_state before, after;
    snprintf(common->where, sizeof common->where, "%s", state_calls[k].name);
    take_state(&before);
    const float_state floats = float_state_get();
    *given = state_calls[k].call(&objects);
    const char *changed = float_state_compare(&floats);
    take_state(&after);
    common->calls++;
    if (!changed) changed = compare_states(&before, &after);
    return !changed || finds("%s has changed", changed);
}

static bool is_expected(size_t k, const outcome *given) {
    const outcome *expected = &common->expected[k];
    if (given->status != expected->status)
        return finds("%s instead of %s: %s", tosajit_status_name(given->status),
                     tosajit_status_name(expected->status), tosajit_last_error());
    return given->digest == expected->digest || finds("other bits");
}

static bool make_objects(void) {
    snprintf(common->where, sizeof common->where, "%s", "making objects");
    const tosajit_status status = fixture_make(&objects, directory);
    return !status || finds("%s: %s", tosajit_status_name(status), tosajit_last_error());
}

/* The functions of the day, as they do usually, another part in each turn. The one that ends
 * compiling is the last. */
static bool make_calls(size_t setting, bool with_last) {
    static size_t turn;
    turn++;
    for (size_t k = 0; k + !with_last < state_call_count; k++) {
        if (k + 1 < state_call_count && !test_is_drawn(k + setting + turn, STANDARD_THINNING))
            continue;
        outcome given;
        float_state_set(setting);
        const bool fine = make_call(k, &given);
        float_state_reset();
        if (!fine || !is_expected(k, &given)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * States: each is a child's work; false if something is wrong. LLVM is started in the state, too,
 * unless the state is one in which it cannot be. */

static bool in_usual_state(size_t unused) {
    (void)unused;
    if (!make_objects()) return false;
    for (size_t k = 0; k < state_call_count; k++) {
        if (!make_call(k, &common->expected[k])) return false;
        if (common->expected[k].status)
            return finds("%s: %s", tosajit_status_name(common->expected[k].status),
                         tosajit_last_error());
    }
    return true;
}

static bool in_float_state(size_t setting) {
    common->left_out = !float_state_set(setting);
    if (common->left_out) return true;
    const bool made = make_objects();
    float_state_reset();
    return made && make_calls(setting, true);
}

static volatile sig_atomic_t off_stack;
static char signal_stack[1 << 16];

/* A handler that uses registers of every kind, and checks that it is on its own stack. */
static void on_profile(int number, siginfo_t *info, void *context) {
    char here;
    (void)number, (void)info, (void)context;
    volatile long double x = 1.5L;
    volatile double y[8] = {1, 2, 3};
    for (int k = 1; k < 8; k++) y[k] += y[k - 1] * (double)(x * x);
    if (&here < signal_stack || &here >= signal_stack + sizeof signal_stack) off_stack = 1;
    common->signals++;
}

/* 10,000 signals a second to this thread, or as many as the system's timers give. */
static bool start_signals(timer_t *timer) {
    const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    struct sigaction action = {.sa_sigaction = on_profile, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    const struct itimerspec every = {{0, 100000}, {0, 100000}};
    return sigaltstack(&stack, NULL) == 0 && sigaction(SIGPROF, &action, NULL) == 0 &&
           timer_create(CLOCK_MONOTONIC, &event, timer) == 0 &&
           timer_settime(*timer, 0, &every, NULL) == 0;
}

static bool in_signals(size_t unused) {
    (void)unused;
    timer_t timer;
    if (!start_signals(&timer)) return finds("no timer: %s", strerror(errno));
    if (!make_objects()) return false;
    for (uint64_t k = 0; k < rounds || common->signals < LEAST_SIGNALS; k++)
        if (!make_calls(0, false)) return false;
    if (!make_calls(0, true)) return false;
    timer_delete(timer);
    return !off_stack || finds("a handler ran on another stack");
}

static void *on_small_stack(void *fine) {
    *(bool *)fine = make_objects() && make_calls(0, true);
    return NULL;
}

static bool in_small_stack(size_t unused) {
    (void)unused;
    pthread_attr_t attributes;
    pthread_t thread;
    bool fine = false;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, STACK - LEFT_BY_KERNEL) ||
        pthread_create(&thread, &attributes, on_small_stack, &fine))
        return finds("no thread with a stack of %d bytes", (int)STACK);
    pthread_join(thread, NULL);
    return fine;
}

/* Functions that open no file do what they do usually; the others say what is missing. */
static bool without_descriptors(size_t unused) {
    (void)unused;
    if (!make_objects()) return false;
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) != -1) {
    }
    for (size_t k = 0; k < state_call_count; k++) {
        outcome given;
        if (!make_call(k, &given)) return false;
        if (!state_calls[k].opens_files) {
            if (!is_expected(k, &given)) return false;
        } else if (given.status != TOSAJIT_INVALID_ARGUMENT ||
                   !strstr(tosajit_last_error(), strerror(EMFILE))) {
            return finds("%s: %s", tosajit_status_name(given.status), tosajit_last_error());
        }
    }
    return true;
}

static bool without_proc(size_t unused) {
    (void)unused;
    const bool entered =
        unshare(CLONE_NEWNS) == 0 || (errno == EPERM && unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0);
    common->left_out = !entered || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
                       mount("none", "/proc", "tmpfs", 0, NULL) != 0;
    if (common->left_out) return true;
    if (access("/proc/self", F_OK) == 0) return finds("/proc is still there");
    return make_objects() && make_calls(0, true);
}

static bool limit_addresses(size_t room) {
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = room == SIZE_MAX ? limit.rlim_max : (rlim_t)(process_addresses() + room);
    return setrlimit(RLIMIT_AS, &limit) == 0 || finds("no limit: %s", strerror(errno));
}

/* With so little room a call succeeds as ever, or says that memory is out; afterwards it succeeds.
 */
static bool call_in_room(size_t k, size_t room) {
    outcome given, again;
    if (!limit_addresses(room)) return false;
    const bool kept = make_call(k, &given);
    if (!limit_addresses(SIZE_MAX) || !kept) return false;
    if (given.status == TOSAJIT_OUT_OF_MEMORY)
        common->refused++;
    else if (!is_expected(k, &given))
        return false;
    return make_call(k, &again) && is_expected(k, &again);
}

/* A stack grows only while there are addresses; what every run may count on is taken before. In a
 * frame of its own, which ends: within the caller's, the calls would lie beyond it. */
__attribute__((noinline)) static void grow_stack(void) {
    volatile char taken[2 * STACK];
    for (size_t k = 0; k < sizeof taken; k += 1024) taken[k] = 1;
}

static bool at_the_edge_of_addresses(size_t unused) {
    enum { MOST_ROOM = 64 << 20 };
    (void)unused;
    grow_stack();
    if (!make_objects()) return false;
    for (size_t k = 0; k + 1 < state_call_count; k++)
        for (uint64_t step = 0; step < rounds; step++)
            if (test_is_drawn(k + step, STANDARD_THINNING) &&
                !call_in_room(k, (size_t)((uint64_t)MOST_ROOM * step * step / (rounds * rounds))))
                return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Children */

/* False if the child failed in any way; one that uses no processor time is ended, too. */
static bool run_child(const char *name, bool (*work)(size_t setting), size_t setting) {
    common->calls = common->signals = common->refused = 0;
    common->left_out = false;
    common->wrong[0] = common->where[0] = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(test_is_emulated() ? 0 : CHILD_SECONDS * (unsigned)rounds);
        _exit(work(setting) ? 0 : 1);
    }
    int status = 0;
    if (child == -1 || waitpid(child, &status, 0) != child) return finds("no child process");
    if (common->left_out)
        printf("*** NOT TESTED: %s: this machine does not allow it\n", name);
    else if (WIFSIGNALED(status))
        printf("FAILED: %s, %s: signal %d\n", name, common->where, WTERMSIG(status));
    else if (status)
        printf("FAILED: %s, %s: %s\n", name, common->where, common->wrong);
    else
        printf("%s: %llu calls, %llu signals, %llu times out of memory\n", name,
               (unsigned long long)common->calls, (unsigned long long)common->signals,
               (unsigned long long)common->refused);
    return status == 0;
}

/* ---------------------------------------------------------------------------------------------
 * The header */

static bool has_call(const char *name, size_t length) {
    for (size_t k = 0; k < state_call_count; k++)
        if (strlen(state_calls[k].name) == length && !strncmp(state_calls[k].name, name, length))
            return true;
    return false;
}

/* How many functions a header declares; those without a call here are told. */
static size_t functions_of(const char *path, bool *covered) {
    static char text[1 << 17];
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[size] = 0;
    size_t functions = 0;
    for (char *at = strstr(text, "\nTOSAJIT_API "); at; at = strstr(at + 1, "\nTOSAJIT_API ")) {
        char *end = strchr(at, '('), *name = end;
        if (!end) break;
        while (strchr("_abcdefghijklmnopqrstuvwxyz0123456789", name[-1])) name--;
        functions++;
        if (has_call(name, (size_t)(end - name))) continue;
        printf("FAILED: %.*s has no call in the table\n", (int)(end - name), name);
        *covered = false;
    }
    printf("%zu functions in %s\n", functions, path);
    return functions;
}

/* True if the table has a call of every function of these headers, and no other. */
static bool headers_are_covered(char **paths, int count) {
    size_t functions = 0;
    bool covered = true;
    for (int k = 0; k < count; k++) functions += functions_of(paths[k], &covered);
    printf("%zu functions, %zu calls\n", functions, state_call_count);
    return covered && functions == state_call_count;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    rounds = test_setting("TOSAJIT_ROUNDS", 4);
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED || !mkdtemp(directory) || state_call_count > MOST_CALLS) return 2;
    state_data_fill();
    bool fine =
        headers_are_covered(argv + 1, argc - 1) && run_child("usual state", in_usual_state, 0);
    if (fine) {
        for (size_t s = 0; float_state_name(s); s++)
            fine &= run_child(float_state_name(s), in_float_state, s);
        fine &= run_child("SIGPROF at 10 kHz on a stack of its own", in_signals, 0);
        fine &= run_child("a thread with a stack of 192 KiB", in_small_stack, 0);
        fine &= run_child("no free descriptor", without_descriptors, 0);
        fine &= run_child("no /proc", without_proc, 0);
        if (state_calls_end_without_memory)
            printf("addresses nearly out: left out, the header says that it ends the process\n");
        else if (STATE_SANITIZED)
            printf("*** NOT TESTED: addresses nearly out: sanitizers end the process\n");
        else if (!test_is_emulated())
            fine &= run_child("addresses nearly out", at_the_edge_of_addresses, 0);
        else
            printf("*** NOT TESTED: addresses nearly out: they are the emulator's\n");
    }
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) == 0 && fine ? 0 : 1;
}

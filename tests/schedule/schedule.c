/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Schedule: coroutines, decisions, and the search through them. */
#define _GNU_SOURCE
#include "tests/schedule/schedule.h"

#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/system/system.h"

enum {
    MAX_THREADS = 10,
    STACK_BYTES = 512 << 10,
    MAX_STEPS = 1 << 12,
    MAX_BLOCKS = 1 << 13,
    TLS_BYTES = 16 << 10
};

/* ---------------------------------------------------------------------------------------------
 * What a run consists of */

typedef enum state {
    READY,
    LOCKING, /* until the mutex `object` is free */
    WAITING, /* until the condition `object` is signalled */
    JOINING, /* until thread `object` has ended */
    PAUSED,  /* until anybody else has done something */
    ENDED,
    GHOST, /* of the parent: it is in the middle of something for ever */
} state;

typedef struct thread {
    ucontext_t context;
    char *stack;
    void *(*work)(void *argument);
    void *argument;
    state state;
    const void *object;
    const char *place;
    char tls[TLS_BYTES]; /* its thread-local variables while another one runs */
} thread;

typedef struct step {
    uint16_t taken, options;
    bool costs;     /* every option but the first is a preemption */
    uint32_t point; /* the number of the place */
} step;

typedef struct record {
    uint32_t count, planned; /* decisions; of them, those that are given beforehand */
    step steps[MAX_STEPS];
} record;

typedef struct trace {
    int thread;
    const char *place;
} trace;

typedef struct block {
    unsigned char *bytes;
    size_t size;
    bool released;
} block;

static struct {
    const scenario *scenario;
    thread threads[MAX_THREADS];
    int count, current;
    ucontext_t back;
    bool controlled; /* places are places to switch */
    bool forking;    /* and to fork */
    bool random;
    uint64_t seed, dice;
    uint32_t points, fork_from;
    trace trace[MAX_STEPS];
    block blocks[MAX_BLOCKS];
    int block_count;
    bool in_child;
    int preemptions;
} run;
static record own_record, *shared_record; /* what a run in a process of its own tells this one */
static record *decisions = &own_record;
static uint64_t forks;

static struct tls {
    char *address;
    size_t size;
    char fresh[TLS_BYTES];
} tls;

/* ---------------------------------------------------------------------------------------------
 * Failure */

static void explain(void) {
    enum { LAST = 60 };
    fprintf(stderr, "%s: %s\n", run.scenario->name, run.scenario->claim);
    if (run.random) fprintf(stderr, "seed %llu\n", (unsigned long long)run.seed);
    fprintf(stderr, "decisions:");
    for (uint32_t k = 0; k < decisions->count; k++)
        fprintf(stderr, " %d", decisions->steps[k].taken);
    fprintf(stderr, "\nthe last of %u steps:\n", run.points);
    for (uint32_t k = run.points > LAST ? run.points - LAST : 0; k < run.points; k++)
        fprintf(stderr, "  %*sthread %d  %s\n", 4 * run.trace[k].thread, "", run.trace[k].thread,
                run.trace[k].place);
}

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "\n*** %s", run.in_child ? "in the child: " : "");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    explain();
    fflush(stderr);
    _exit(1);
}

void schedule_require(bool holds, const char *format, ...) {
    if (holds) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail("%s", text);
}

static void on_signal(int number) { fail("signal %d", number); }

/* ---------------------------------------------------------------------------------------------
 * Memory */

static void *allocate(void *context, size_t size) {
    (void)context;
    if (run.scenario->child) schedule_yield("allocate");
    if (run.block_count == MAX_BLOCKS) fail("more than %d allocations", MAX_BLOCKS);
    unsigned char *bytes = malloc(size);
    run.blocks[run.block_count++] = (block){bytes, size, false};
    return bytes;
}

enum { RELEASED = 0xdb };

static void release(void *context, void *memory, size_t size) {
    (void)context;
    if (run.scenario->child) schedule_yield("release");
    for (int k = run.block_count - 1; k >= 0; k--) {
        block *b = &run.blocks[k];
        if (b->bytes != memory) continue;
        if (b->released) fail("released twice");
        if (b->size != size) fail("released %zu bytes of %zu", size, b->size);
        b->released = true;
        memset(b->bytes, RELEASED, b->size);
        return;
    }
    fail("released what was never allocated");
}

tosajit_allocator schedule_allocator(void) { return (tosajit_allocator){allocate, release, NULL}; }

static void check_object(const void *object, const char *place) {
    for (int k = 0; object && k < run.block_count; k++) {
        const block *b = &run.blocks[k];
        if (b->released && (const unsigned char *)object >= b->bytes &&
            (const unsigned char *)object < b->bytes + b->size)
            fail("%s: used after its release", place);
    }
}

static void check_blocks(void) {
    for (int k = 0; k < run.block_count; k++) {
        const block *b = &run.blocks[k];
        if (!b->released) fail("%zu bytes were never released", b->size);
        if (b->bytes[0] != RELEASED || memcmp(b->bytes, b->bytes + 1, b->size - 1) != 0)
            fail("%zu bytes were written after their release", b->size);
        free(b->bytes);
    }
    run.block_count = 0;
}

/* ---------------------------------------------------------------------------------------------
 * Decisions */

static uint32_t roll(uint32_t sides) {
    run.dice = run.dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(run.dice >> 33) % sides;
}

/* One of so many options; `costs`: the first is to go on. */
static int decide(int options, bool costs) {
    enum { RARELY = 6 };
    if (options == 1) return 0;
    if (decisions->count == MAX_STEPS) fail("this does not end");
    step *s = &decisions->steps[decisions->count++];
    if (decisions->count <= decisions->planned) {
        if (s->options != options || s->costs != costs)
            fail("not repeatable: %d options instead of %d", options, s->options);
    } else {
        *s = (step){0, (uint16_t)options, costs, run.points};
        if (run.random && !(costs && roll(RARELY))) s->taken = (uint16_t)roll((uint32_t)options);
    }
    return s->taken;
}

/* The next list of decisions within the bound; false if there is none. */
static bool next(int bound) {
    int used = 0, before[MAX_STEPS];
    for (uint32_t k = 0; k < decisions->count; k++) {
        before[k] = used;
        used += decisions->steps[k].costs && decisions->steps[k].taken;
    }
    for (uint32_t k = decisions->count; k-- > 0;) {
        step *s = &decisions->steps[k];
        if (s->taken + 1 >= s->options || before[k] + s->costs > bound) continue;
        s->taken++;
        decisions->planned = k + 1;
        run.fork_from = s->point;
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Threads */

typedef struct lock {
    uint32_t magic;
    int32_t owner; /* of a mutex: the thread's number + 1 */
} lock;
_Static_assert(sizeof(lock) <= sizeof(system_mutex) && sizeof(lock) <= sizeof(system_condition),
               "it lies in theirs");

enum {
    STATIC = 0,
    ALIVE = 0x600d10cc,
    DESTROYED = 0x0dead10c
}; /* what a static initialiser makes is 0 */

static bool is_enabled(const thread *t) {
    switch (t->state) {
    case READY: return true;
    case LOCKING: return ((const lock *)t->object)->owner == 0;
    case JOINING: return ((const thread *)t->object)->state == ENDED;
    default: return false;
    }
}

static void tell_deadlock(void) {
    char text[2048] = "";
    for (int k = 0; k < run.count; k++) {
        static const char *const words[] = {"can run", "locks",     "waits",          "joins",
                                            "pauses",  "has ended", "is the parent's"};
        const thread *t = &run.threads[k];
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "\n  thread %d %s at %s", k, words[t->state],
                 t->place ? t->place : "its start");
        if (t->state == LOCKING)
            snprintf(text + strlen(text), sizeof text - strlen(text), ", held by %d",
                     ((const lock *)t->object)->owner - 1);
    }
    fail("nobody can go on:%s", text);
}

/* Who runs next, the current one first if it can. */
static int choose(void) {
    int options[MAX_THREADS], count = 0;
    const bool goes_on = is_enabled(&run.threads[run.current]);
    if (goes_on) options[count++] = run.current;
    for (int k = 0; k < run.count; k++)
        if (k != run.current && is_enabled(&run.threads[k])) options[count++] = k;
    for (int k = 0; count == 0 && k < run.count; k++)
        if (run.threads[k].state == PAUSED) options[count++] = k;
    if (count == 0) tell_deadlock();
    return options[decide(count, goes_on)];
}

static void become(int number) {
    const int before = run.current;
    thread *t = &run.threads[number];
    t->state = READY;
    if (before == number) return;
    memcpy(run.threads[before].tls, tls.address, tls.size);
    run.current = number;
    memcpy(tls.address, t->tls, tls.size);
    swapcontext(&run.threads[before].context, &t->context);
}

static void block_on(state s, const void *object, const char *place) {
    thread *t = &run.threads[run.current];
    t->state = s;
    t->object = object;
    t->place = place;
    become(choose());
}

static void run_thread(void) {
    thread *t = &run.threads[run.current];
    t->work(t->argument);
    t->state = ENDED;
    bool left = false;
    for (int k = 0; k < run.count; k++) left |= run.threads[k].state != ENDED;
    if (!left) setcontext(&run.back);
    become(choose());
}

static int add_thread(void *(*work)(void *), void *argument) {
    if (run.count == MAX_THREADS) fail("more than %d threads", MAX_THREADS);
    thread *t = &run.threads[run.count];
    if (!t->stack)
        t->stack =
            mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *stack = t->stack;
    t->work = work;
    t->argument = argument;
    t->state = READY;
    t->place = NULL;
    memcpy(t->tls, tls.fresh, tls.size);
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = stack;
    t->context.uc_stack.ss_size = STACK_BYTES;
    t->context.uc_link = NULL;
    makecontext(&t->context, run_thread, 0);
    return run.count++;
}

/* ---------------------------------------------------------------------------------------------
 * Fork */

static void fork_here(void) {
    fflush(NULL);
    forks++;
    const pid_t process = fork();
    if (process < 0) fail("fork fails");
    if (process > 0) {
        int status;
        waitpid(process, &status, 0);
        if (status != 0) fail("the child ends with status %d", status);
        return;
    }
    run.in_child = true;
    run.forking = false;
    for (int k = 0; k < run.count; k++)
        if (run.threads[k].state != ENDED) run.threads[k].state = GHOST;
    run.current =
        add_thread(NULL, NULL); /* goes on here; the stack is the ghost's, who needs it no more */
    memcpy(tls.address, tls.fresh, tls.size);
    run.scenario->child();
    _exit(0);
}

/* ---------------------------------------------------------------------------------------------
 * What the sources call */

/* A condition may wake who waits without a signal. */
static void wake_for_nothing(void) {
    thread *t = &run.threads[roll((uint32_t)run.count)];
    if (t->state == WAITING) t->state = READY;
}

void schedule_point(const void *object, const char *place);
void schedule_point(const void *object, const char *place) {
    enum { SELDOM = 10 };
    check_object(object, place);
    if (!run.controlled) return;
    if (run.points < MAX_STEPS) run.trace[run.points] = (trace){run.current, place};
    if (++run.points >= MAX_STEPS) fail("this does not end");
    run.threads[run.current].place = place;
    if (run.forking && run.points > run.fork_from && (!run.random || roll(SELDOM) == 0))
        fork_here();
    for (int k = 0; k < run.count; k++)
        if (run.threads[k].state == PAUSED) run.threads[k].state = READY;
    if (run.random && roll(SELDOM) == 0) wake_for_nothing();
    become(choose());
}

void schedule_yield(const char *what) { schedule_point(NULL, what); }

static lock *alive(void *object, const char *place) {
    lock *l = object;
    check_object(object, place);
    if (l->magic != ALIVE && l->magic != STATIC)
        fail("%s: no lock is here, or none any more", place);
    return l;
}

void schedule_mutex_create(system_mutex *mutex);
void schedule_mutex_create(system_mutex *mutex) { memcpy(mutex, &(lock){ALIVE, 0}, sizeof(lock)); }

void schedule_mutex_destroy(system_mutex *mutex, const char *place);
void schedule_mutex_destroy(system_mutex *mutex, const char *place) {
    schedule_point(mutex, place);
    lock *l = alive(mutex, place);
    if (l->owner) fail("%s: destroyed while thread %d holds it", place, l->owner - 1);
    l->magic = DESTROYED;
}

void schedule_mutex_lock(system_mutex *mutex, const char *place);
void schedule_mutex_lock(system_mutex *mutex, const char *place) {
    schedule_point(mutex, place);
    lock *l = alive(mutex, place);
    if (l->owner == run.current + 1) fail("%s: locked twice by one thread", place);
    if (l->owner) block_on(LOCKING, l, place);
    alive(mutex, place);
    l->owner = run.current + 1;
}

void schedule_mutex_unlock(system_mutex *mutex, const char *place);
void schedule_mutex_unlock(system_mutex *mutex, const char *place) {
    lock *l = alive(mutex, place);
    if (l->owner != run.current + 1) fail("%s: unlocked by who does not hold it", place);
    if (run.forking) schedule_point(mutex, place); /* where it is held */
    l->owner = 0;
    schedule_point(NULL, place);
}

void schedule_condition_create(system_condition *condition);
void schedule_condition_create(system_condition *condition) {
    memcpy(condition, &(lock){ALIVE, 0}, sizeof(lock));
}

/* A ghost still waits: glibc's never returns then. */
void schedule_condition_destroy(system_condition *condition, const char *place);
void schedule_condition_destroy(system_condition *condition, const char *place) {
    schedule_point(condition, place);
    for (int k = 0; k < run.count; k++)
        if ((run.threads[k].state == WAITING || run.threads[k].state == GHOST) &&
            run.threads[k].object == condition)
            fail("%s: destroyed while thread %d waits, for ever", place, k);
    alive(condition, place)->magic = DESTROYED;
}

void schedule_condition_wait(system_condition *condition, system_mutex *mutex, const char *place);
void schedule_condition_wait(system_condition *condition, system_mutex *mutex, const char *place) {
    alive(condition, place);
    lock *l = alive(mutex, place);
    if (l->owner != run.current + 1) fail("%s: waits without the mutex", place);
    l->owner = 0;
    block_on(WAITING, condition, place);
    run.threads[run.current].object = NULL;
    l = alive(mutex, place);
    if (l->owner) block_on(LOCKING, l, place);
    alive(mutex, place)->owner = run.current + 1;
}

void schedule_condition_wake(system_condition *condition, bool all, const char *place);
void schedule_condition_wake(system_condition *condition, bool all, const char *place) {
    schedule_point(condition, place);
    alive(condition, place);
    int waiting[MAX_THREADS], count = 0;
    for (int k = 0; k < run.count; k++)
        if (run.threads[k].state == WAITING && run.threads[k].object == condition)
            waiting[count++] = k;
    if (count && !all) {
        run.threads[waiting[decide(count, false)]].state = READY;
    } else {
        for (int k = 0; k < count; k++) run.threads[waiting[k]].state = READY;
    }
}

bool schedule_thread_start(system_thread *started, void *(*work)(void *argument), void *argument,
                           const char *place);
bool schedule_thread_start(system_thread *started, void *(*work)(void *argument), void *argument,
                           const char *place) {
    *started = (system_thread)add_thread(work, argument);
    schedule_point(NULL, place);
    return true;
}

void schedule_thread_join(system_thread joined, const char *place);
void schedule_thread_join(system_thread joined, const char *place) {
    schedule_point(NULL, place);
    const thread *t = &run.threads[(int)joined];
    if (t->state != ENDED) block_on(JOINING, t, place);
}

void schedule_pause(const char *place);
void schedule_pause(const char *place) {
    schedule_point(NULL, place);
    block_on(PAUSED, NULL, place);
}

/* ---------------------------------------------------------------------------------------------
 * The search */

static void *run_host_thread(void *number) {
    run.scenario->thread((int)(intptr_t)number);
    return NULL;
}

/* Thread 0. */
static void *run_scenario(void *unused) {
    (void)unused;
    const scenario *s = run.scenario;
    if (s->prepare) s->prepare();
    const int first = run.count;
    for (int k = 0; k < s->threads; k++) add_thread(run_host_thread, (void *)(intptr_t)k);
    run.controlled = true;
    run.forking = s->child != NULL;
    for (int k = 0; k < s->threads; k++)
        schedule_thread_join((system_thread)(first + k), "the end of a thread");
    run.forking = false; /* what the child uses is given back */
    if (s->finish) s->finish();
    run.controlled = false;
    return NULL;
}

static void run_once(void) {
    decisions->count = 0;
    run.count = run.current = 0;
    run.points = 0;
    run.controlled = false;
    add_thread(run_scenario, NULL);
    memcpy(tls.address, tls.fresh, tls.size);
    volatile bool begun = false;
    getcontext(&run.back);
    if (!begun) {
        begun = true;
        setcontext(&run.threads[0].context);
    }
    check_blocks();
}

static void run_alone(void) {
    fflush(NULL);
    const pid_t process = fork();
    if (process == 0) {
        run_once();
        _exit(0);
    }
    int status = 0;
    if (process < 0 || waitpid(process, &status, 0) != process || status != 0) {
        fprintf(stderr, "%s: its process ends with status %d\n", run.scenario->name, status);
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int find_tls(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    for (int k = 0; k < info->dlpi_phnum; k++)
        if (info->dlpi_phdr[k].p_type == PT_TLS) {
            tls.address = info->dlpi_tls_data;
            tls.size = info->dlpi_phdr[k].p_memsz;
        }
    return 1; /* the program itself is the first */
}

static void start(void) {
    if (shared_record) return;
    shared_record = mmap(NULL, sizeof *shared_record, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    dl_iterate_phdr(find_tls, NULL);
    if (shared_record == MAP_FAILED || !tls.address || tls.size > TLS_BYTES) abort();
    memcpy(tls.fresh, tls.address, tls.size);
    static char stack[64 << 10];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        sigaction(faults[k], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_ONSTACK},
                  NULL);
}

static void run_next(void) {
    if (run.scenario->alone)
        run_alone();
    else
        run_once();
}

typedef struct budget {
    double end;
    uint64_t forks;
} budget;

static bool is_spent(const budget *b) { return now() >= b->end || forks >= b->forks; }

/* All interleavings with so many preemptions or fewer, unless it is cut short. */
static void explore_all(int preemptions, uint64_t most, const budget *b) {
    decisions->planned = 0;
    run.random = false;
    run.fork_from = 0;
    uint64_t count = 0;
    bool more = true;
    while (more && count < most && !is_spent(b)) {
        run_next();
        count++;
        more = next(preemptions);
    }
    printf("  %llu with up to %d preemption%s, %s;", (unsigned long long)count, preemptions,
           preemptions == 1 ? "" : "s", more ? "not all" : "all");
}

/* Any number of preemptions, at places that a seed decides. */
static void explore_some(uint64_t most, const budget *b) {
    run.random = true;
    run.fork_from = 0;
    uint64_t count = 0;
    for (; count < most && !is_spent(b); count++) {
        decisions->planned = 0;
        run.seed = run.dice = count + 1;
        run_next();
    }
    printf("  %llu at random", (unsigned long long)count);
}

void schedule_explore(const scenario *s, const schedule_bounds *bounds) {
    enum { DEARER = 4 }; /* a process each */
    start();
    decisions = s->alone ? shared_record : &own_record;
    run.scenario = s;
    forks = 0;
    const double begin = now();
    printf("%-18s", s->name);
    fflush(stdout); /* or a process of its own would print it, too */
    /* One preemption shows most defects, so all of those are run; the rest has what is left. */
    for (int p = 1; p <= bounds->preemptions; p++) {
        const uint64_t most = p == 1 ? UINT64_MAX : s->alone ? bounds->most / DEARER : bounds->most;
        const uint64_t parts = (uint64_t)bounds->preemptions + 1;
        explore_all(p, most,
                    &(budget){begin + bounds->seconds * p / (double)parts,
                              bounds->forks / parts * (uint64_t)p});
    }
    explore_some(bounds->randomly, &(budget){begin + bounds->seconds, bounds->forks});
    if (s->child) printf("; %llu forks", (unsigned long long)forks);
    printf("; %.1f s\n", now() - begin);
    fflush(stdout);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libedit does the editing. Keys are read here, so that a Ctrl-C ends the line at once and no
 * signal is lost between looking for it and waiting for a key. The history is a text file, to which
 * each line is appended when it is entered: sessions at the same time do not take each other's
 * lines away. */
#define _POSIX_C_SOURCE 200809L /* sigaction, pselect, getline, fdopen */
#include "tools/repl/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/base/escape.h"
#include "tools/repl/edit_guard.h"
#include "tools/repl/complete.h"
#include "tools/repl/history_search.h"
#include "tools/repl/interrupt.h"

enum { HISTORY = 1000, PATH = 4096, CANDIDATES = 1000, WIDTH = 80 };

struct repl_edit {
    EditLine *line;
    edit_guard guard;
    History *history;
    history_search search;
    const char *prompt;
    char path[PATH];  /* of the history; empty: none */
    int keys;         /* where they are read, without waiting; standard input if need be */
    sigset_t waiting; /* the signals that are blocked while a key is waited for: not ours */
};

static volatile sig_atomic_t resizes, resumptions;

static void on_signal(int number) {
    if (number == SIGINT) repl_interrupt();
    if (number == SIGWINCH) resizes = 1;
    if (number == SIGCONT) resumptions = 1;
}

/* ---------------------------------------------------------------------------------------------
 * Keys */

static void block_signals(const repl_edit *e, bool block) {
    sigset_t set = e->waiting;
    if (block) {
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGWINCH);
        sigaddset(&set, SIGCONT);
    }
    sigprocmask(SIG_SETMASK, &set, NULL);
}

/* Negative with EINTR after a signal. Signals are blocked only from looking for them until pselect
 * waits. While libedit writes they must not be: a terminal that takes no more throws its output
 * away at a Ctrl-C, but does not wake who waits for room in it; the signal does. */
static int wait_for_byte(const repl_edit *e) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(e->keys, &set);
    block_signals(e, true);
    bool signalled = repl_interrupted() || resumptions;
    int ready = signalled ? -1 : pselect(e->keys + 1, &set, NULL, NULL, NULL, &e->waiting);
    int reason = signalled ? EINTR : errno;
    block_signals(e, false);
    errno = reason;
    return ready;
}

/* After Ctrl-Z and fg. */
static void resume(const repl_edit *e) {
    resumptions = 0;
    el_set(e->line, EL_PREP_TERM, 1);
    el_set(e->line, EL_REFRESH);
}

/* Wait for a byte. 1, 0 at the end, -1 after Ctrl-C. */
static int read_byte(const repl_edit *e, char *byte) {
    for (;;) {
        if (repl_interrupted()) return -1;
        if (resumptions) resume(e);
        if (wait_for_byte(e) < 0) {
            if (errno == EINTR) continue;
            return 0;
        }
        ssize_t count = read(e->keys, byte, 1);
        if (count >= 0) return (int)count;
        if (errno != EINTR && errno != EAGAIN) return 0; /* EIO: the terminal is gone */
    }
}

/* A character. What is no character of the locale is left out. */
static int read_character(repl_edit *e, wchar_t *character) {
    mbstate_t state;
    char byte;
    memset(&state, 0, sizeof state);
    for (;;) {
        int got = read_byte(e, &byte);
        if (got <= 0) return got;
        size_t length = mbrtowc(character, &byte, 1, &state);
        if (length == (size_t)-1) {
            memset(&state, 0, sizeof state);
            continue;
        }
        if (length == (size_t)-2) continue;
        if (length == 0) *character = L'\0';
        return 1;
    }
}

/* A key, for libedit. The window's size is looked at when a key comes, not while somebody drags its
 * corner. */
static int read_key(EditLine *line, wchar_t *key) {
    repl_edit *e;
    int got;
    el_get(line, EL_CLIENTDATA, &e);
    do {
        got = history_search_return(&e->search, key) ? 1 : read_character(e, key);
        if (got > 0 && resizes) {
            resizes = 0;
            edit_guard_resize(&e->guard);
        }
    } while (got > 0 && !edit_guard_key(&e->guard, *key));
    if (got > 0) history_search_take(&e->search, key);
    return got;
}

/* A Ctrl-C throws away what has been typed. After pselect a read may thus find nothing, and would
 * wait for another key. The terminal is opened again for that, since others share standard input.
 */
static int open_keys(void) {
    char name[PATH];
    int keys = ttyname_r(STDIN_FILENO, name, sizeof name) == 0
                   ? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
                   : -1;
    return keys >= 0 && keys < FD_SETSIZE ? keys : STDIN_FILENO;
}

static void catch_signals(repl_edit *e) {
    static const int numbers[] = {SIGINT, SIGWINCH, SIGCONT};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(numbers[k], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, NULL, &e->waiting);
}

/* ---------------------------------------------------------------------------------------------
 * Completion */

typedef struct candidates {
    char *names[CANDIDATES]; /* owned */
    size_t count, common;    /* common: bytes that all begin with */
} candidates;

static void add_candidate(void *context, const char *name) {
    candidates *c = context;
    if (c->count == CANDIDATES) return;
    for (size_t k = 0; k < c->count; k++)
        if (strcmp(c->names[k], name) == 0) return;
    char *own = strdup(name);
    if (!own) return;
    const char *first = c->count ? c->names[0] : own;
    size_t common = 0, most = c->count ? c->common : strlen(own);
    while (common < most && own[common] == first[common]) common++;
    c->common = common;
    c->names[c->count++] = own;
}

static void release_candidates(candidates *c) {
    for (size_t k = 0; k < c->count; k++) free(c->names[k]);
    c->count = 0;
}

/* Of a file the part behind the directories that all have. */
static const char *shown(const candidates *c, size_t k) {
    size_t from = c->common;
    while (from > 0 && c->names[k][from - 1] != '/') from--;
    return c->names[k] + from;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_candidates(candidates *c, bool files) {
    size_t width = 0, column = 0;
    if (files) qsort(c->names, c->count, sizeof *c->names, compare_names);
    for (size_t k = 0; k < c->count; k++)
        width = strlen(shown(c, k)) > width ? strlen(shown(c, k)) : width;
    putchar('\n');
    for (size_t k = 0; k < c->count; k++) {
        char name[2 * NAME_MAX];
        bool last = column + 2 * (width + 2) > WIDTH || k + 1 == c->count;
        escape_name(shown(c, k), strlen(shown(c, k)), name, sizeof name);
        printf("%-*s", last ? 0 : (int)width + 2, name);
        column = last ? 0 : column + width + 2;
        if (last) putchar('\n');
    }
    fflush(stdout);
}

/* The word becomes what all candidates begin with; a path with spaces needs quotes. */
static unsigned char insert_common(EditLine *line, const candidates *c, const repl_place *place,
                                   size_t length) {
    char *text = malloc(c->common + 4);
    if (!text) return CC_REFRESH_BEEP;
    bool certain = c->count == 1, leads_on = certain && c->names[0][c->common - 1] == '/';
    bool quotes = place->is_file && !place->quoted && memchr(c->names[0], ' ', c->common);
    bool closing = certain && !leads_on && (place->quoted || quotes);
    bool space = certain && !leads_on && (place->is_file || c->names[0][0] == ':');
    sprintf(text, "%s%.*s%s%s", quotes ? "\"" : "", (int)c->common, c->names[0],
            closing ? "\"" : "", space ? " " : "");
    el_deletestr(line, (int)length);
    bool fine = el_insertstr(line, text) == 0;
    free(text);
    return fine ? CC_REFRESH : CC_REFRESH_BEEP;
}

static unsigned char complete(EditLine *line, int key) {
    static candidates c; /* too large for a stack */
    (void)key;
    const LineInfo *info = el_line(line);
    size_t all = (size_t)(info->cursor - info->buffer);
    repl_place place = repl_find_word(info->buffer, all);
    size_t length = all - place.begin;
    unsigned char answer = CC_REFRESH;
    c.common = 0;
    repl_complete(info->buffer, all, &place, add_candidate, &c);
    if (c.count == 0) {
        answer = CC_REFRESH_BEEP;
    } else if (c.count == 1 || c.common > length) {
        bool unfinished = c.common > length || place.is_file;
        if (unfinished) answer = insert_common(line, &c, &place, length);
    } else {
        list_candidates(&c, place.is_file);
        answer = CC_REDISPLAY;
    }
    release_candidates(&c);
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * History */

/* Make the directories that lead to a file; what fails is found when the file is opened. */
static void make_directories(const char *path) {
    char part[PATH];
    for (size_t k = 1; path[k] && k < sizeof part; k++) {
        if (path[k] != '/') continue;
        memcpy(part, path, k);
        part[k] = '\0';
        mkdir(part, 0700);
    }
}

/* TOSAJIT_HISTORY, which is empty for none, or the XDG state directory. */
static void find_history(char path[PATH]) {
    const char *own = getenv("TOSAJIT_HISTORY"), *state = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    int length = 0;
    path[0] = '\0';
    if (own)
        length = snprintf(path, PATH, "%s", own);
    else if (state && *state == '/')
        length = snprintf(path, PATH, "%s/tosajit/history", state);
    else if (home && *home == '/')
        length = snprintf(path, PATH, "%s/.local/state/tosajit/history", home);
    struct stat status;
    /* A pipe would not end; /dev/null means none, too. */
    bool other = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (length >= PATH || other) path[0] = '\0';
}

static void append_history(const repl_edit *e, const char *line, size_t length) {
    int file = open(e->path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0) return;
    char *whole = malloc(length + 1);
    if (whole) {
        memcpy(whole, line, length);
        whole[length] = '\n';
        /* In one piece, so that sessions do not mix within a line. */
        (void)!write(file, whole, length + 1);
        free(whole);
    }
    close(file);
}

/* Keep the last lines of a file that has grown: written anew beside it. */
static void shorten_history(const repl_edit *e) {
    char temporary[PATH + 8];
    HistEvent event;
    snprintf(temporary, sizeof temporary, "%s.tmp", e->path);
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!out) return;
    for (int more = history(e->history, &event, H_LAST); more >= 0;
         more = history(e->history, &event, H_PREV))
        fprintf(out, "%s\n", event.str);
    bool whole = !ferror(out);
    whole = fclose(out) == 0 && whole;
    if (!whole || rename(temporary, e->path) != 0) remove(temporary);
}

static void load_history(repl_edit *e) {
    HistEvent event;
    char *line = NULL;
    size_t capacity = 0, count = 0;
    ssize_t length;
    FILE *in = fopen(e->path, "r");
    while (in && (length = getline(&line, &capacity, in)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = '\0';
        bool fits = length <= EDIT_GUARD_REMEMBERED;
        if (*line && fits) history(e->history, &event, H_ENTER, line);
        count++;
    }
    free(line);
    if (in) fclose(in);
    if (count > 2 * (size_t)HISTORY) shorten_history(e);
}

void repl_edit_remember(repl_edit *e, const char *line, size_t length) {
    HistEvent event;
    char *text = malloc(length + 1);
    bool fits = length > 0 && length <= EDIT_GUARD_REMEMBERED;
    if (text && fits && !memchr(line, '\0', length)) {
        memcpy(text, line, length);
        text[length] = '\0';
        history(e->history, &event, H_ENTER, text);
        if (e->path[0]) append_history(e, line, length);
    }
    free(text);
}

static unsigned char begin_search(EditLine *line, int key) {
    repl_edit *e;
    (void)key;
    el_get(line, EL_CLIENTDATA, &e);
    return history_search_begin(&e->search);
}

static unsigned char step_search(EditLine *line, int key) {
    repl_edit *e;
    (void)key;
    el_get(line, EL_CLIENTDATA, &e);
    return history_search_step(&e->search);
}

/* ---------------------------------------------------------------------------------------------
 * Lines */

static char *show_prompt(EditLine *line) {
    repl_edit *e;
    el_get(line, EL_CLIENTDATA, &e);
    return (char *)e->prompt;
}

static void configure(repl_edit *e) {
    HistEvent event;
    char step[8];
    history(e->history, &event, H_SETSIZE, HISTORY);
    history(e->history, &event, H_SETUNIQUE, 1);
    el_set(e->line, EL_CLIENTDATA, e);
    el_set(e->line, EL_PROMPT, show_prompt);
    el_set(e->line, EL_EDITOR, "emacs");
    el_set(e->line, EL_SIGNAL, 0);
    el_set(e->line, EL_GETCFN, read_key);
    el_set(e->line, EL_HIST, history, e->history);
    el_set(e->line, EL_ADDFN, "tosajit-complete", "complete a name", complete);
    el_set(e->line, EL_ADDFN, "tosajit-search", "search the history", begin_search);
    el_set(e->line, EL_ADDFN, "tosajit-search-step", "a key of a search", step_search);
    edit_guard_open(&e->guard, e->line, &e->prompt);
    history_search_open(&e->search, e->line, e->history, &e->prompt);
    el_set(e->line, EL_BIND, "^I", "tosajit-complete", NULL);
    el_set(e->line, EL_BIND, "^R", "tosajit-search", NULL);
    snprintf(step, sizeof step, "\\%o", HISTORY_SEARCH_KEY);
    el_set(e->line, EL_BIND, step, "tosajit-search-step", NULL);
    el_source(e->line, NULL); /* ~/.editrc, where people keep their own keys */
}

repl_edit *repl_edit_open(void) {
    repl_edit *e = calloc(1, sizeof *e);
    setlocale(LC_CTYPE, ""); /* what a character is; numbers stay as they are */
    if (e) {
        e->prompt = "";
        e->line = el_init("tosajit", stdin, stdout, stderr);
        e->history = history_init();
    }
    if (!e || !e->line || !e->history) {
        fprintf(stderr, "tosajit: error: the terminal cannot be used for editing\n");
        repl_edit_close(e);
        return NULL;
    }
    e->keys = open_keys();
    catch_signals(e);
    configure(e);
    find_history(e->path);
    if (e->path[0]) {
        make_directories(e->path);
        load_history(e);
    }
    return e;
}

repl_input repl_edit_line(repl_edit *e, const char *prompt, const char **line, size_t *length) {
    int count = 0;
    e->prompt = prompt;
    edit_guard_begin(&e->guard);
    history_search_reset(&e->search);
    repl_listen();
    fflush(stdout);
    /* Before the prompt: what is typed at once must not be taken for a line of the terminal's own.
     */
    el_set(e->line, EL_PREP_TERM, 1);
    *line = el_gets(e->line, &count);
    bool interrupted = repl_interrupted();
    repl_listen();
    if (interrupted) {
        el_reset(e->line);
        printf("^C\n");
        return REPL_INTERRUPTED;
    }
    if (!*line || count <= 0) {
        putchar('\n');
        return REPL_END;
    }
    if (e->guard.cut) return REPL_CUT;
    *length = (size_t)count;
    if ((*line)[*length - 1] == '\n') (*length)--;
    return REPL_LINE;
}

void repl_edit_close(repl_edit *e) {
    if (!e) return;
    history_search_reset(&e->search);
    if (e->keys > STDERR_FILENO) close(e->keys);
    if (e->line) el_end(e->line);
    if (e->history) history_end(e->history);
    free(e);
}

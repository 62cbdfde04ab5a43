/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit-bench-sessions: what it takes ONNX Runtime to make a session of a converted model, beside
 * one of the original. Each session is the first one of a process of its own, in turns. Converted
 * models have been optimised, so sessions do not do it again. In: the models, and where the
 * libraries of operators are; out: the cells of a line of Markdown. */
#define _GNU_SOURCE /* setenv, clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/onnxruntime/host.h"
#include "tools/onnxruntime/pair.h"

enum { ORIGINAL, PLAIN, IMAGES, MODELS }; /* words 1 to 3 */
enum { NONE, LIBRARY, ALONE };            /* words 4 and 5: of operators */
enum { MOST_ROUNDS = 101, USUAL_ROUNDS = 11 };

static const char usage[] =
    "tosajit-bench-sessions ORIGINAL CONVERTED WITH_IMAGES LIBRARY LIBRARY_ALONE CACHE [ROUNDS]\n"
    "  ms of the original | of its time: code at once | in the background | from CACHE |\n"
    "  from the model | from the model, without libtosajit\n";

/* A way to have the code, in the order of the columns. */
static const struct way {
    int model, library;
    const char *compile, *images;
    bool cache;
} ways[] = {
    {ORIGINAL, NONE, "background", "0", false},  {PLAIN, LIBRARY, "now", "0", false},
    {PLAIN, LIBRARY, "background", "0", false},  {PLAIN, LIBRARY, "now", "0", true},
    {IMAGES, LIBRARY, "background", "1", false}, {IMAGES, ALONE, "background", "1", false},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Of this thread: what the background does is another's. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a session, in this process. */
static bool open_session(const struct way *w, char **words, double *seconds) {
    static ort_message why;
    const ort_entry entries[] = {{"tosajit.compile", w->compile}, {"tosajit.images", w->images}};
    const ort_session_options options = {.threads = 1,
                                         .level = w->model == ORIGINAL ? 0 : -1,
                                         .ops_library = w->library ? words[3 + w->library] : NULL,
                                         .entries = entries,
                                         .entry_count = sizeof entries / sizeof *entries};
    ort_host *host;
    ort_session *session;
    unsetenv("TOSAJIT_CACHE_DIR");
    if (w->cache) setenv("TOSAJIT_CACHE_DIR", words[6], 1);
    if (!ort_host_open(NULL, &host, &why)) return fprintf(stderr, "%s\n", why.text), false;
    const double start = now();
    const bool fine = ort_session_open(host, words[1 + w->model], &options, &session, &why);
    *seconds = now() - start;
    return fine || (fprintf(stderr, "%s: %s\n", words[1 + w->model], why.text), false);
}

/* The same in a process of its own, which ends without waiting for the background. */
static bool measure(const struct way *w, char **words, double *seconds) {
    int ends[2], status = 0;
    if (pipe(ends)) return perror("pipe"), false;
    const pid_t child = fork();
    if (child == 0) {
        double took;
        const bool fine = open_session(w, words, &took) &&
                          write(ends[1], &took, sizeof took) == (ssize_t)sizeof took;
        _exit(!fine);
    }
    close(ends[1]);
    const bool fine =
        child > 0 && read(ends[0], seconds, sizeof *seconds) == (ssize_t)sizeof *seconds;
    close(ends[0]);
    if (child > 0) waitpid(child, &status, 0);
    return fine && status == 0;
}

int main(int argc, char **argv) {
    static double seconds[WAYS][MOST_ROUNDS];
    const int rounds = argc == 8 ? atoi(argv[7]) : USUAL_ROUNDS;
    if (argc < 7 || argc > 8 || rounds < 1 || rounds > MOST_ROUNDS)
        return fputs(usage, stderr), EXIT_FAILURE;
    /* Before the first round each way goes once: files are read, and the cache is filled. */
    for (int round = -1; round < rounds; round++)
        for (int k = 0; k < WAYS; k++)
            if (!measure(&ways[k], argv, &seconds[k][round < 0 ? 0 : round])) return EXIT_FAILURE;
    const double original = pair_median(seconds[0], rounds);
    printf("%.1f", 1e3 * original);
    for (int k = 1; k < WAYS; k++) printf(" | %.2f", pair_median(seconds[k], rounds) / original);
    putchar('\n');
    return EXIT_SUCCESS;
}

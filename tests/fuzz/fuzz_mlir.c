/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the reader of TOSA files, text and bytecode. Every function is built, and what the
 * builder says must have a place. Most mutations of bytecode keep its sections: see
 * mutate_bytecode.h. A fault inside MLIR's parser ends the tool in production
 * (tools/mlir/crash_guard.h); here it only ends the input. So does a reading of bytecode, for which
 * MLIR may take exponential time, after two seconds, or memory as a damaged file says: it is left
 * to a process of its own, which can be killed. */
#define _GNU_SOURCE /* memfd_create, setitimer */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/crash_trap.h"
#include "tests/fuzz/mutate_bytecode.h"
#include "tools/mlir/bytecode.h"
#include "tools/mlir/module.h"
#include "tosajit/tosajit.h"

static size_t said;

static void say(void *context, const tosajit_mlir_finding *finding) {
    const char *line = finding->text;
    (void)context;
    if (!strstr(line, "error:") && !strstr(line, "note:") && !strstr(line, "warning:") &&
        !strstr(line, "remark:")) {
        fprintf(stderr, "a finding of no kind: %s\n", line);
        abort();
    }
    said++;
}

static void build_all(tosajit_mlir *file, tosajit_engine *engine) {
    for (size_t k = 0; k < tosajit_mlir_count(file); k++)
        for (int strict = 0; strict < 2; strict++) {
            tosa_function built;
            size_t before = said;
            tosajit_expr_options options = {.size = sizeof options, .strict = strict};
            if (tosa_file_build(mlir_module_file(file), k, &options, &built)) {
                if (said == before) abort(); /* refused in silence */
                continue;
            }
            tosajit_kernel *kernel = NULL;
            if (tosajit_compile_expr(engine, built.expr, &kernel))
                tosa_file_report(mlir_module_file(file), k, &built, tosajit_last_error());
            char *renamed =
                tosa_file_rename(mlir_module_file(file), k, &built, "%arg0 and %3 = tosa.add");
            free(renamed);
            for (size_t s = 0; s < built.step_count && s < 3; s++)
                tosa_file_report_step(mlir_module_file(file), k, &built.steps[s], "a message");
            tosajit_kernel_release(kernel);
            tosa_function_release(&built);
        }
    size_t index;
    tosajit_mlir_find(file, NULL, &index);
    tosajit_mlir_find(file, "@main", &index);
}

/* Every region that outlining makes is a kernel. */
static void outline_all(tosajit_mlir *file) {
    for (size_t k = tosajit_mlir_count(file); k-- > 0;) {
        tosajit_mlir_outlined outlined = {.size = sizeof outlined};
        if (tosajit_mlir_outline(file, k, &outlined)) continue;
        for (size_t r = 1; r <= outlined.regions; r++) {
            tosajit_mlir_function *region;
            if (tosajit_mlir_build(file, k + r, NULL, &region)) {
                fprintf(stderr, "a region that is refused: %s\n", tosajit_last_error());
                abort();
            }
            tosajit_mlir_function_release(region);
        }
    }
    char *text;
    if (tosajit_mlir_print(file, &text)) abort();
    tosajit_text_release(text);
}

static void read_input(const uint8_t *data, size_t size, tosajit_engine *engine) {
    char path[64];
    int descriptor = memfd_create("mlir", 0);
    if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (sigsetjmp(crash_trap, 1) == 0) {
        tosajit_mlir_options options = {.size = sizeof options, .say = say, .guard = 1};
        tosajit_mlir *file = NULL;
        if (!tosajit_mlir_open(path, &options, &file)) {
            build_all(file, engine);
            outline_all(file);
        }
        tosajit_mlir_close(file);
    }
    close(descriptor);
}

static bool is_apart;

/* Requests that production's allocator refuses, for which the parser ends, a sanitizer reports. */
void __sanitizer_report_error_summary(const char *summary);
void __sanitizer_report_error_summary(const char *summary) {
    if (is_apart && strstr(summary, "out-of-memory")) _exit(0);
    fprintf(stderr, "%s\n", summary);
}

static void read_apart(const uint8_t *data, size_t size, tosajit_engine *engine) {
    enum { SECONDS = 2 };
    int status;
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        is_apart = true;
        setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {.tv_sec = SECONDS}}, NULL);
        read_input(data, size, engine);
        _exit(0);
    }
    while (waitpid(child, &status, 0) != child) /* libFuzzer's clock interrupts it */
        if (errno != EINTR) abort();
    if (status != 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM)) abort();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    enum { ANY = 8 }; /* one in so many is of any bytes, as damage on the way is */
    size_t made = 0;
    if (seed % ANY) made = mutate_bytecode(data, size, capacity, seed);
    return made ? made : LLVMFuzzerMutate(data, size, capacity);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tosajit_engine *engine;
    tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET};
    if (!engine && tosajit_engine_create(&options, &engine)) abort();
    (bytecode_is(data, size) ? read_apart : read_input)(data, size, engine);
    return 0;
}

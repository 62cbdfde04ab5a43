/* Fuzzer of the reader of TOSA files, text and bytecode. Every function is built, and what the builder says must have a place. A fault
 * inside MLIR's parser ends the tool in production (tools/crash_guard.h); here it only ends the input. So does a reading of bytecode, for
 * which MLIR may take exponential time, after two seconds: it is left to a process of its own, which can be killed. */
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
#include "tools/mlir_reader.h"
#include "tosajit/tosajit.h"

static size_t said;

static void say(void *context, const char *line) {
    (void)context;
    if (!strstr(line, "error:") && !strstr(line, "note:") && !strstr(line, "warning:") && !strstr(line, "remark:")) {
        fprintf(stderr, "a finding of no kind: %s\n", line);
        abort();
    }
    said++;
}

static void build_all(mlir_file *file, tosajit_engine *engine) {
    for (size_t k = 0; k < mlir_file_count(file); k++)
        for (int strict = 0; strict < 2; strict++) {
            mlir_function built;
            size_t before = said;
            if (!mlir_file_build(file, k, strict, &built)) {
                if (said == before) abort(); /* refused in silence */
                continue;
            }
            tosajit_kernel *kernel = NULL;
            if (tosajit_compile_expr(engine, built.expr, &kernel)) mlir_file_report(file, k, &built, tosajit_last_error());
            char *renamed = mlir_file_rename(file, k, &built, "%arg0 and %3 = tosa.add");
            free(renamed);
            for (size_t s = 0; s < built.step_count && s < 3; s++) mlir_file_report_step(file, &built.steps[s], "a message");
            tosajit_kernel_release(kernel);
            mlir_function_release(&built);
        }
    size_t index;
    mlir_file_find(file, NULL, &index);
    mlir_file_find(file, "@main", &index);
}

static void read_input(const uint8_t *data, size_t size, tosajit_engine *engine) {
    char path[64];
    int descriptor = memfd_create("mlir", 0);
    if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (sigsetjmp(crash_trap, 1) == 0) {
        mlir_file *file = mlir_file_open(path, say, NULL);
        if (file) build_all(file, engine);
        mlir_file_close(file);
    }
    close(descriptor);
}

static bool is_bytecode(const uint8_t *data, size_t size) { return size >= 4 && memcmp(data, "ML\xefR", 4) == 0; }

static void read_apart(const uint8_t *data, size_t size, tosajit_engine *engine) {
    enum { SECONDS = 2 };
    int status;
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {.tv_sec = SECONDS}}, NULL);
        read_input(data, size, engine);
        _exit(0);
    }
    while (waitpid(child, &status, 0) != child) /* libFuzzer's clock interrupts it */
        if (errno != EINTR) abort();
    if (status != 0 && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tosajit_engine *engine;
    tosajit_engine_options options = {.size = sizeof options, .backend = TOSAJIT_BACKEND_INTERPRET};
    if (!engine && tosajit_engine_create(&options, &engine)) abort();
    (is_bytecode(data, size) ? read_apart : read_input)(data, size, engine);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf: jitdump. Its file is never followed through a symbolic link: its name in /tmp can be
 * guessed. */
#define _GNU_SOURCE /* gettid, O_CLOEXEC */
#include "jit/show/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "jit/engine/presence.h"
#include "runtime/base/environment.h"
#include "runtime/base/files.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static presence inside; /* a child does not wait for a mutex that its parent's thread had */

typedef struct jitdump_header {
    uint32_t magic, version, size, machine, padding, pid;
    uint64_t timestamp, flags;
} jitdump_header;

typedef struct jitdump_load {
    uint32_t id, size;
    uint64_t timestamp;
    uint32_t pid, tid;
    uint64_t virtual_address, address, code_size, index;
} jitdump_load; /* the name and the code follow */

enum { JITDUMP_MAGIC = 0x4A695444, JITDUMP_VERSION = 1, JITDUMP_LOAD = 0 };

static uint64_t timestamp(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* The file of this process, -1 if there is none; perf notices it by the executable mapping of its
 * first page, which is kept. */
static int open_jitdump(uint16_t machine) {
    static int file = -1;
    static pid_t owner;
    static bool warned;
    if (owner == getpid()) return file;
    owner = getpid(); /* a process that has forked begins a file of its own */
    char path[ENVIRONMENT_PATH + 64];
    snprintf(path, sizeof path, "%s/jit-%ld.dump", environment_get()->perf_directory, (long)owner);
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    const jitdump_header header = {
        JITDUMP_MAGIC, JITDUMP_VERSION, sizeof header, machine, 0, (uint32_t)owner, timestamp(), 0};
    bool fine = file >= 0 && files_write(file, &header, sizeof header) &&
                mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
                     0) != MAP_FAILED;
    if (fine) return file;
    if (!warned) fprintf(stderr, "tosajit: warning: TOSAJIT_PERF: %s: %s\n", path, strerror(errno));
    warned = true;
    if (file >= 0) close(file);
    return file = -1;
}

void perf_jitdump_add(const perf_code *code) {
    static uint64_t index;
    size_t name = strlen(code->name) + 1;
    if (!presence_enter(&inside)) return;
    pthread_mutex_lock(&mutex);
    int file = open_jitdump(code->machine);
    const jitdump_load load = {JITDUMP_LOAD,
                               (uint32_t)(sizeof load + name + code->size),
                               timestamp(),
                               (uint32_t)getpid(),
                               (uint32_t)gettid(),
                               code->address,
                               code->address,
                               code->size,
                               index++};
    if (file >= 0 && files_write(file, &load, sizeof load) && files_write(file, code->name, name))
        files_write(file, code->bytes, code->size);
    pthread_mutex_unlock(&mutex);
    presence_leave(&inside);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf: jitdump. Its file is never followed through a symbolic link: its name in /tmp can be
 * guessed. */
#include "jit/show/perf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "jit/engine/presence.h"
#include "runtime/base/environment.h"
#include "runtime/system/system.h"

static system_mutex mutex = SYSTEM_MUTEX;
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

static uint64_t timestamp(void) { return (uint64_t)system_clock(); }

/* The file of this process; perf notices it by the executable mapping of its first page, which is
 * kept. */
static struct {
    system_file file; /* SYSTEM_NO_FILE: nothing is written */
    long owner;       /* a process */
    bool warned;
    char path[ENVIRONMENT_PATH + 64];
} dump = {.file = SYSTEM_NO_FILE};

static void end_dump(void) {
    if (!dump.warned)
        fprintf(stderr, "tosajit: warning: TOSAJIT_PERF: %s: %s\n", dump.path, strerror(errno));
    dump.warned = true;
    if (dump.file != SYSTEM_NO_FILE) system_file_close(dump.file);
    dump.file = SYSTEM_NO_FILE;
}

static void open_dump(uint16_t machine) {
    if (dump.owner == system_process()) return;
    dump.owner = system_process(); /* a process that has forked begins a file of its own */
    snprintf(dump.path, sizeof dump.path, "%s/jit-%ld.dump", environment_get()->perf_directory,
             dump.owner);
    dump.file = system_file_open(SYSTEM_NO_FILE, dump.path, SYSTEM_REPLACE);
    const jitdump_header header = {JITDUMP_MAGIC,
                                   JITDUMP_VERSION,
                                   sizeof header,
                                   machine,
                                   0,
                                   (uint32_t)dump.owner,
                                   timestamp(),
                                   0};
    bool fine = dump.file != SYSTEM_NO_FILE &&
                system_file_write(dump.file, &header, sizeof header) &&
                system_file_map_as_code(dump.file);
    if (fine) return;
    const int reason = errno;
    if (dump.file != SYSTEM_NO_FILE) remove(dump.path);
    errno = reason;
    end_dump();
}

/* A record that there is no room for is taken back, and none follows: a reader stops at a piece of
 * one. */
static void add_record(const jitdump_load *load, const char *name, const void *code) {
    system_file_info before;
    if (!system_file_about(dump.file, &before)) {
        end_dump();
        return;
    }
    if (system_file_write(dump.file, load, sizeof *load) &&
        system_file_write(dump.file, name, strlen(name) + 1) &&
        system_file_write(dump.file, code, (size_t)load->code_size))
        return;
    const int reason = errno;
    (void)system_file_cut(dump.file, before.size);
    errno = reason;
    end_dump();
}

void perf_jitdump_add(const perf_code *code) {
    static uint64_t index;
    size_t name = strlen(code->name) + 1;
    if (!presence_enter(&inside)) return;
    system_mutex_lock(&mutex);
    open_dump(code->machine);
    const jitdump_load load = {JITDUMP_LOAD,
                               (uint32_t)(sizeof load + name + code->size),
                               timestamp(),
                               (uint32_t)system_process(),
                               (uint32_t)system_thread_number(),
                               code->address,
                               code->address,
                               code->size,
                               index++};
    if (dump.file != SYSTEM_NO_FILE) add_record(&load, code->name, code->bytes);
    system_mutex_unlock(&mutex);
    presence_leave(&inside);
}

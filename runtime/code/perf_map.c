/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf map: the file. It is never followed through a symbolic link: its name can be guessed. */
#include "runtime/code/perf_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/system/system.h"

/* perf looks for it in /tmp and nowhere else. A line goes out in one piece, so that those of
 * several threads do not mix. */
void perf_map_add(const char *name, uint64_t address, uint64_t size) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    char path[64], text[256];
    int length = snprintf(text, sizeof text, "%" PRIx64 " %" PRIx64 " %s\n", address, size, name);
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", system_process());
    const system_file file = system_file_open(SYSTEM_NO_FILE, path, SYSTEM_APPEND);
    bool written = file != SYSTEM_NO_FILE && system_file_write(file, text, (size_t)length);
    if (!written && !atomic_flag_test_and_set(&warned))
        fprintf(stderr, "tosajit: warning: TOSAJIT_PERF: %s: %s\n", path, strerror(errno));
    if (file != SYSTEM_NO_FILE) system_file_close(file);
}

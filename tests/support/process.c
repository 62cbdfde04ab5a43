/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that this process occupies, as the system tells it. */
#define _DEFAULT_SOURCE
#include "tests/support/process.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/cmocka.h"

static FILE *open_own(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    return file;
}

size_t process_mappings(void) {
    FILE *maps = open_own("/proc/self/maps");
    size_t lines = 0;
    for (int c = getc(maps); c != EOF; c = getc(maps)) lines += c == '\n';
    fclose(maps);
    return lines;
}

size_t process_executable(void) {
    FILE *maps = open_own("/proc/self/maps");
    char line[512];
    size_t total = 0;
    while (fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        char rights[8], name[8] = "";
        unsigned long inode;
        if (sscanf(line, "%zx-%zx %7s %*s %*s %lu %7s", &begin, &end, rights, &inode, name) >= 4 &&
            rights[2] == 'x' && !inode && !*name)
            total += end - begin;
    }
    fclose(maps);
    return total;
}

size_t process_heap(void) {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

static size_t statm(int column) {
    FILE *file = open_own("/proc/self/statm");
    size_t pages[2] = {0, 0};
    if (fscanf(file, "%zu %zu", &pages[0], &pages[1]) != 2)
        fail_msg("/proc/self/statm has no two numbers");
    fclose(file);
    return pages[column] * (size_t)sysconf(_SC_PAGESIZE);
}

size_t process_resident(void) { return statm(1); }

size_t process_addresses(void) { return statm(0); }

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/base/targets.h"

#include <string.h>

tosajit_status targets_add(targets *t, const char *cpu, tosajit_accuracy accuracy) {
    const tosajit_engine_options settings = {.size = sizeof settings,
                                             .backend = TOSAJIT_BACKEND_CROSS,
                                             .cpu = cpu,
                                             .accuracy = accuracy};
    tosajit_status status = tosajit_engine_create(&settings, &t->engines[t->count]);
    t->count += status == TOSAJIT_OK;
    return status;
}

static int add_checked(const char *command, const char *cpu, tosajit_accuracy accuracy,
                       targets *t) {
    if (t->count == TARGETS_MAX)
        return usage_error(command, "--targets has more than %d CPUs", (int)TARGETS_MAX);
    if (!options_check_cpu(command, cpu)) return EXIT_USAGE;
    return targets_add(t, cpu, accuracy) ? EXIT_REFUSED : EXIT_FINE;
}

int targets_open(const char *command, const char *list, tosajit_accuracy accuracy, targets *t) {
    enum { NAME = 128 };
    int code = EXIT_FINE;
    for (const char *at = list; code == EXIT_FINE && *at;) {
        char name[NAME];
        size_t length = strcspn(at, ",");
        if (length == 0 || length >= sizeof name)
            return usage_error(command, "--targets %s has an empty or overlong name", list);
        memcpy(name, at, length);
        name[length] = 0;
        code = add_checked(command, name, accuracy, t);
        at += length + (at[length] == ',');
    }
    return code != EXIT_FINE || t->count ? code : usage_error(command, "--targets is empty");
}

void targets_close(targets *t) {
    for (size_t k = 0; k < t->count; k++) tosajit_engine_destroy(t->engines[k]);
    *t = (targets){.count = 0};
}

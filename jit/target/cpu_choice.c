/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of a CPU: the names of jit/target/cpu.c against the features of
 * runtime/base/features.c. */
#include "jit/target/cpu_choice.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "jit/target/cpu.h"
#include "runtime/base/diag.h"
#include "runtime/base/environment.h"
#include "runtime/base/features.h"

static tosajit_status unknown_cpu(const char *name) {
    char names[1024] = "native";
    const cpu_model *model;
    for (size_t k = 0; (model = cpu_at(k)); k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", model->name);
    return diag_error(TOSAJIT_INVALID_ARGUMENT,
                      "there is no CPU \"%s\" to compile for; known are %s", name, names);
}

/* Features that code for a CPU may use. */
typedef struct cpu_use {
    const char *name; /* in full; null: this machine's */
    uint16_t machine;
    uint64_t features;
} cpu_use;

/* True if this machine has the level's features and the model's. */
static bool host_has(const cpu_level *level, const char *more, const char **missing) {
    char list[FEATURES_TEXT];
    features_print(features_machine(), features_host(), false, list, sizeof list);
    return cpu_has(list, level->features, missing) && cpu_has(list, more + (*more == ','), missing);
}

static tosajit_status check_native(cpu_use *use) {
    const char *missing = "";
    *use = (cpu_use){NULL, features_machine(), features_host()};
    if (cpu_level_of(use->machine, use->features)) return TOSAJIT_OK;
    host_has(cpu_floor(use->machine), "", &missing);
    return diag_error(TOSAJIT_NOT_EXECUTABLE, "this CPU lacks what native kernels need (%.*s)",
                      (int)strcspn(missing, ","), missing);
}

static tosajit_status check_named(const char *name, bool runs, cpu_use *use) {
    const cpu_model *model = cpu_find(name);
    const char *missing = "";
    if (!model) return unknown_cpu(name);
    use->name = model->name;
    use->machine = model->level->machine;
    use->features = features_of(use->machine, model->level->features) |
                    features_of(use->machine, model->features);
    if (!runs) return TOSAJIT_OK;
    if (model->level->machine != features_machine())
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "this machine cannot run code for %s, which is not %s", name,
                          cpu_floor(features_machine())->architecture);
    if (host_has(model->level, model->features, &missing)) return TOSAJIT_OK;
    return diag_error(TOSAJIT_INVALID_ARGUMENT,
                      "this machine cannot run code for %s: it lacks %.*s", name,
                      (int)strcspn(missing, ","), missing);
}

static tosajit_status check(const char *name, bool runs, cpu_use *use) {
    return name ? check_named(name, runs, use) : check_native(use);
}

static void warn_lower(const char *lower, const char *why) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned))
        fprintf(stderr, "tosajit: warning: TOSAJIT_CPU=%s is not used: %s\n", lower, why);
}

tosajit_status cpu_choose(const char *name, bool runs, const char **chosen) {
    const char *lower = environment_get()->cpu;
    cpu_use asked, lowered;
    tosajit_status status = check(name && strcmp(name, "native") == 0 ? NULL : name, runs, &asked);
    if (status) return status;
    *chosen = asked.name;
    /* Code for a CPU with a name may be for another machine; "native" lowers nothing. */
    if (!*lower || strcmp(lower, "native") == 0 || (*chosen && !runs)) return TOSAJIT_OK;
    if (check(lower, runs, &lowered))
        warn_lower(lower, tosajit_last_error());
    else if (lowered.machine == asked.machine && !(lowered.features & ~asked.features))
        *chosen = lowered.name;
    else if (lowered.machine != asked.machine || asked.features & ~lowered.features)
        warn_lower(lower, "it has what the engine's CPU has not");
    return TOSAJIT_OK;
}

uint64_t cpu_features(const char *chosen) {
    cpu_use use = {NULL, 0, 0};
    return check(chosen, false, &use) ? 0 : use.features & features_host();
}

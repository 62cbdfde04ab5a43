/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Targets: names, features, register widths. */
#include "jit/target/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/features.h"

/* LLVM's target registry is global and its initialisation is not thread-safe. What every engine
 * needs is apart from what only code for other architectures does. */
static system_once native_once = SYSTEM_ONCE, all_once = SYSTEM_ONCE;

static void initialize_native(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
}

#ifdef TOSAJIT_ONLY_NATIVE
static void initialize_all(void) { initialize_native(); }
#else
static void initialize_all(void) {
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllAsmPrinters();
}
#endif

#if defined(__aarch64__)
static char *host_features(void) {
    char text[FEATURES_TEXT];
    features_print(features_machine(), features_host(), true, text, sizeof text);
    return LLVMCreateMessage(text);
}

/* The model, by which LLVM knows the timing. It is in /proc/cpuinfo, and LLVM says on standard
 * error if that cannot be opened, as without a free file descriptor. So it is asked once, and only
 * if the file can be opened; one answer also gives all engines the same code. */
static system_once model_once = SYSTEM_ONCE;
static char model_name[64] = "generic";

static void find_model(void) {
    const system_file file = system_file_open(SYSTEM_NO_FILE, "/proc/cpuinfo", SYSTEM_READ);
    if (file == SYSTEM_NO_FILE) return;
    system_file_close(file);
    char *found = LLVMGetHostCPUName();
    snprintf(model_name, sizeof model_name, "%s", found);
    LLVMDisposeMessage(found);
}

static char *host_model(void) {
    system_call_once(&model_once, find_model);
    return LLVMCreateMessage(model_name);
}
#else
static char *host_features(void) {
    char *list = LLVMGetHostCPUFeatures();
    features_restrict(features_machine(), list);
    return list;
}

static char *host_model(void) { return LLVMGetHostCPUName(); } /* by CPUID */
#endif

static bool has(const target *t, const char *feature) {
    return feature && cpu_has(t->features, feature, NULL);
}

static void set_level(target *t, const cpu_level *level) {
    t->level = level;
    t->needs = features_of(level->machine, t->features);
    t->has_fma = has(t, level->fma);
    t->has_f16 = has(t, level->f16);
    t->has_f16_arithmetic = has(t, level->f16_arithmetic);
    t->has_bf16 = has(t, level->bf16);
    t->has_mul_i64 = has(t, level->mul_i64);
    t->has_byte_permute = has(t, level->byte_permute);
}

/* x86: the CPU's name implies features that a hypervisor may have masked; the feature list says +
 * or - of each. AArch64: the kernel tells of the features in the list and of no others, so the name
 * is for timing alone. */
static tosajit_status find_native(target *t) {
    t->triple = LLVMGetDefaultTargetTriple();
    t->features = host_features();
    const uint16_t machine = features_machine();
    const cpu_level *level = cpu_level_of(machine, features_of(machine, t->features));
    if (!level) {
        const char *missing = "";
        cpu_has(t->features, cpu_floor(machine)->features, &missing);
        return diag_error(TOSAJIT_NOT_EXECUTABLE, "this CPU lacks what native kernels need (%.*s)",
                          (int)strcspn(missing, ","), missing);
    }
    t->cpu = machine == MACHINE_AARCH64 ? LLVMCreateMessage(level->cpu) : host_model();
    if (machine == MACHINE_AARCH64) t->tune = host_model();
    set_level(t, level);
    return TOSAJIT_OK;
}

static void find_named(const cpu_model *model, target *t) {
    char triple[64], features[512];
    snprintf(triple, sizeof triple, "%s-unknown-linux-gnu", model->level->architecture);
    snprintf(features, sizeof features, "%s%s", model->level->features, model->features);
    bool host = model->level->machine == features_machine(),
         is_level = strcmp(model->name, model->level->cpu) == 0;
    t->triple = host ? LLVMGetDefaultTargetTriple() : LLVMCreateMessage(triple);
    t->cpu = LLVMCreateMessage(model->level->cpu);
    t->features = LLVMCreateMessage(features);
    if (!is_level && strcmp(model->name, model->level->architecture) != 0)
        t->tune = LLVMCreateMessage(model->name);
    set_level(t, model->level);
    if (!host) system_call_once(&all_once, initialize_all);
}

tosajit_status target_find(const char *name, target *t) {
    system_call_once(&native_once, initialize_native);
    *t = (target){0};
    bool native = !name || strcmp(name, "native") == 0;
    const cpu_model *model = native ? NULL : cpu_find(name);
    if (!native && !model)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "there is no CPU \"%s\" to compile for", name);
    if (model) return find_named(model, t), TOSAJIT_OK;
    tosajit_status status = find_native(t);
    if (status) target_destroy(t);
    return status;
}

void target_destroy(target *t) {
    if (t->triple) LLVMDisposeMessage(t->triple);
    if (t->cpu) LLVMDisposeMessage(t->cpu);
    if (t->features) LLVMDisposeMessage(t->features);
    if (t->tune) LLVMDisposeMessage(t->tune);
    *t = (target){0};
}

LLVMTargetMachineRef target_machine(const target *t, LLVMCodeGenOptLevel level) {
    LLVMTargetRef backend;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(t->triple, &backend, &message)) {
        diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM has no backend for %s: %s", t->triple,
                   message ? message : "");
        LLVMDisposeMessage(message);
        return NULL;
    }
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(backend, t->triple, t->cpu, t->features,
                                                           level, LLVMRelocPIC, LLVMCodeModelSmall);
    /* AArch64's choice without optimisation knows few vectors. */
    if (machine) LLVMSetTargetMachineGlobalISel(machine, false);
    if (!machine)
        diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM makes no code for %s on %s", t->cpu, t->triple);
    return machine;
}

void machine_pool_create(machine_pool *pool) {
    system_mutex_create(&pool->mutex);
    pool->count = 0;
}

void machine_pool_destroy(machine_pool *pool) {
    while (pool->count > 0) LLVMDisposeTargetMachine(pool->idle[--pool->count]);
    system_mutex_destroy(&pool->mutex);
}

LLVMTargetMachineRef machine_pool_take(machine_pool *pool, const target *t) {
    system_mutex_lock(&pool->mutex);
    LLVMTargetMachineRef machine = pool->count > 0 ? pool->idle[--pool->count] : NULL;
    system_mutex_unlock(&pool->mutex);
    return machine ? machine : target_machine(t, LLVMCodeGenLevelDefault);
}

void machine_pool_give(machine_pool *pool, LLVMTargetMachineRef machine) {
    enum { CAPACITY = sizeof pool->idle / sizeof *pool->idle };
    system_mutex_lock(&pool->mutex);
    bool kept = pool->count < CAPACITY;
    if (kept) pool->idle[pool->count++] = machine;
    system_mutex_unlock(&pool->mutex);
    if (!kept) LLVMDisposeTargetMachine(machine);
}

/* Targets: names, features, register widths. */
#include "jit/target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/diag.h"
#include "runtime/environment.h"
#include "runtime/features.h"

static void initialize_llvm(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
}

/* LLVM's target registry is global and its initialisation is not thread-safe. */
static pthread_once_t initialized = PTHREAD_ONCE_INIT;

/* A named CPU: needs lists host features that must all be there; the first row whose needs the host meets is native. */
typedef struct cpu_row {
    const char *name, *triple_prefix, *needs;
    unsigned vector_bytes, mask_bytes;
    lane_extremes extremes;
    bool quick_select;
} cpu_row;

#define X86_V3 "+cx16,+sahf,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2,+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"
static const cpu_row cpu_rows[] = {
    {"x86-64-v4", "x86_64", X86_V3 ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl", 64, 1, LANE_EXTREMES_TERNARY, true},
    {"x86-64-v3", "x86_64", X86_V3, 32, 4, LANE_EXTREMES_SUBTRACT, true},
    {"generic", "aarch64", "+neon", 16, 0, LANE_EXTREMES_NATIVE, false},
};

/* Whether list has every one of the comma-separated words of needs, as whole words. */
static bool has_all(const char *list, const char *needs) {
    while (*needs) {
        size_t length = strcspn(needs, ",");
        bool found = false;
        for (const char *word = list; !found && *word; word += strcspn(word, ","), word += *word == ',')
            found = strcspn(word, ",") == length && strncmp(word, needs, length) == 0;
        if (!found) return false;
        needs += length;
        needs += *needs == ',';
    }
    return true;
}

static tosajit_status unknown_cpu(const char *name, const char *triple) {
    char names[128] = "native";
    for (size_t k = 0; k < sizeof cpu_rows / sizeof *cpu_rows; k++)
        if (strncmp(triple, cpu_rows[k].triple_prefix, strlen(cpu_rows[k].triple_prefix)) == 0)
            snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", cpu_rows[k].name);
    return diag_error(TOSAJIT_INVALID_ARGUMENT, "there is no CPU \"%s\" to compile for; known are %s", name, names);
}

static tosajit_status find(const char *name, target *t) {
    pthread_once(&initialized, initialize_llvm);
    bool native = !name || strcmp(name, "native") == 0;
    *t = (target){.triple = LLVMGetDefaultTargetTriple(), .features = LLVMGetHostCPUFeatures()};
    const cpu_row *chosen = NULL, *named = NULL;
    for (size_t k = 0; k < sizeof cpu_rows / sizeof *cpu_rows && !chosen; k++) {
        const cpu_row *row = &cpu_rows[k];
        if (strncmp(t->triple, row->triple_prefix, strlen(row->triple_prefix)) != 0 || (!native && strcmp(row->name, name) != 0)) continue;
        named = row;
        if (has_all(t->features, row->needs)) chosen = row;
    }
    tosajit_status status = TOSAJIT_OK;
    if (!native && !named)
        status = unknown_cpu(name, t->triple);
    else if (!native && !chosen)
        status = diag_error(TOSAJIT_INVALID_ARGUMENT, "this machine cannot run code for %s: it lacks one of %s", name, named->needs);
    else if (!chosen)
        status =
            diag_error(TOSAJIT_NOT_EXECUTABLE, "this CPU lacks what native kernels need (%s)", named ? named->needs : "x86-64 or AArch64");
    if (status) {
        target_destroy(t);
        return status;
    }
    /* The native CPU's name implies features that a hypervisor may have masked; the feature list says + or - of each. */
    t->cpu = native ? LLVMGetHostCPUName() : LLVMCreateMessage(chosen->name);
    if (!native) {
        LLVMDisposeMessage(t->features);
        t->features = LLVMCreateMessage("");
    }
    if (native) features_restrict(features_machine(), t->features);
    t->needs = features_of(features_machine(), native ? t->features : chosen->needs);
    t->vector_bytes = chosen->vector_bytes;
    t->mask_bytes = chosen->mask_bytes;
    t->extremes = chosen->extremes;
    t->quick_select = chosen->quick_select;
    return TOSAJIT_OK;
}

static void warn_lower(const char *lower, const char *why) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&warned)) fprintf(stderr, "tosajit: warning: TOSAJIT_CPU=%s is not used: %s\n", lower, why);
}

/* TOSAJIT_CPU may only lower what would be used. */
tosajit_status target_find(const char *name, target *t) {
    const char *lower = environment_get()->cpu;
    tosajit_status status = find(name, t);
    if (status || !*lower) return status;
    target lowered;
    if (find(lower, &lowered)) {
        warn_lower(lower, tosajit_last_error());
        return TOSAJIT_OK;
    }
    bool higher = lowered.vector_bytes > t->vector_bytes;
    if (higher) warn_lower(lower, "that is more than what the engine asks for");
    target_destroy(higher ? &lowered : t);
    if (!higher) *t = lowered;
    return TOSAJIT_OK;
}

void target_destroy(target *t) {
    if (t->triple) LLVMDisposeMessage(t->triple);
    if (t->cpu) LLVMDisposeMessage(t->cpu);
    if (t->features) LLVMDisposeMessage(t->features);
    *t = (target){0};
}

LLVMTargetMachineRef target_machine(const target *t) {
    LLVMTargetRef backend;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(t->triple, &backend, &message)) {
        diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM has no backend for %s: %s", t->triple, message ? message : "");
        LLVMDisposeMessage(message);
        return NULL;
    }
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(backend, t->triple, t->cpu, t->features, LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    if (!machine) diag_error(TOSAJIT_CODEGEN_FAILED, "LLVM makes no code for %s on %s", t->cpu, t->triple);
    return machine;
}

void machine_pool_create(machine_pool *pool) {
    pthread_mutex_init(&pool->mutex, NULL);
    pool->count = 0;
}

void machine_pool_destroy(machine_pool *pool) {
    while (pool->count > 0) LLVMDisposeTargetMachine(pool->idle[--pool->count]);
    pthread_mutex_destroy(&pool->mutex);
}

LLVMTargetMachineRef machine_pool_take(machine_pool *pool, const target *t) {
    pthread_mutex_lock(&pool->mutex);
    LLVMTargetMachineRef machine = pool->count > 0 ? pool->idle[--pool->count] : NULL;
    pthread_mutex_unlock(&pool->mutex);
    return machine ? machine : target_machine(t);
}

void machine_pool_give(machine_pool *pool, LLVMTargetMachineRef machine) {
    enum { CAPACITY = sizeof pool->idle / sizeof *pool->idle };
    pthread_mutex_lock(&pool->mutex);
    bool kept = pool->count < CAPACITY;
    if (kept) pool->idle[pool->count++] = machine;
    pthread_mutex_unlock(&pool->mutex);
    if (!kept) LLVMDisposeTargetMachine(machine);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stacks of threads, by Windows. */
#include "tools/python/deep_stack.h"

#include <process.h>
#include <stdint.h>
#include <windows.h>

const char *deep_stack_end(void) {
    ULONG_PTR low, high;
    GetCurrentThreadStackLimits(&low, &high);
    return (const char *)low;
}

typedef struct job {
    void (*work)(void *data);
    void *data;
} job;

static unsigned __stdcall begin(void *given) {
    const job *j = given;
    j->work(j->data);
    return 0;
}

void deep_stack_run(size_t size, void (*work)(void *data), void *data) {
    job j = {work, data};
    const uintptr_t thread =
        _beginthreadex(NULL, (unsigned)size, begin, &j, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    if (!thread) return;
    WaitForSingleObject((HANDLE)thread, INFINITE);
    CloseHandle((HANDLE)thread);
}

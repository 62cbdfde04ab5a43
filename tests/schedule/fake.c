/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fake: the table of a compiler, and the provider that finds it. */
#include "tests/schedule/fake.h"

#include <stdlib.h>
#include <string.h>

#include "jit/engine/compiler.h"
#include "runtime/base/diag.h"
#include "runtime/base/features.h"
#include "runtime/base/memory.h"
#include "tests/schedule/schedule.h"
#include "runtime/system/system.h"

fake_state fake;

void fake_reset(void) { fake = (fake_state){0}; }

struct compiler {
    tosajit_allocator allocator;
    system_mutex session;
};

/* Kernels of this test add; the strides say which operand repeats. */
static void add(const void *context, void *const *pointers, const int64_t *strides, int64_t planes,
                int64_t rows, int64_t cols) {
    (void)context;
    enum { TENSORS = 3 };
    const char *at[TENSORS];
    for (int64_t p = 0; p < planes; p++)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < cols; c++) {
                for (int t = 0; t < TENSORS; t++) {
                    const int64_t plane = p ? rows * strides[2 * t] + strides[2 * TENSORS + t] : 0;
                    at[t] = (const char *)pointers[t] + p * plane + r * strides[2 * t] +
                            c * strides[2 * t + 1];
                }
                const int32_t sum = *(const int32_t *)at[0] + *(const int32_t *)at[1];
                memcpy((void *)(uintptr_t)at[2], &sum, sizeof sum);
            }
}

static void destroy(compiler *c) {
    const tosajit_allocator allocator = c->allocator;
    system_mutex_destroy(&c->session);
    fake.live--;
    memory_free(&allocator, c, 1, sizeof *c);
}

static tosajit_status create(const char *cpu, bool runs, const tosajit_allocator *allocator,
                             compiler **made) {
    (void)cpu;
    (void)runs;
    compiler *c = memory_new(allocator, 1, sizeof *c);
    if (!c) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a compiler");
    c->allocator = *allocator;
    system_mutex_create(&c->session);
    fake.live++;
    *made = c;
    return TOSAJIT_OK;
}

static int number_of(const compiler_input *input) {
    const int64_t size = input->program->nodes[0].type.dims[0];
    if (size == TOSAJIT_DYNAMIC) return 0;
    schedule_require(size >= 0 && size < NUMBERS, "the kernel is no kernel of this test");
    return (int)size;
}

static tosajit_status compile(compiler *c, const compiler_batch *batch, compiler_output *outputs) {
    static const unsigned char code[16] = {0xc3};
    tosajit_status status = TOSAJIT_OK;
    fake.inside++;
    for (size_t k = 0; k < batch->count; k++) {
        const compiler_input *input = &batch->inputs[k];
        const int number = number_of(input);
        schedule_require(!fake.making[number] ||
                             (fake.background && fake.making[number] != input->program),
                         "kernel %d is compiled twice", number);
        fake.making[number] = input->program;
        fake.compiled[number]++;
        schedule_yield("compile");
        unsigned char *bytes = memory_new(&input->plan->allocator, sizeof code, 1);
        schedule_require(bytes != NULL, "memory is out");
        memcpy(bytes, code, sizeof code);
        outputs[k] = (compiler_output){.info = {.code_bytes = sizeof code}};
        outputs[k].image = (code_image){bytes, sizeof code, features_machine(), 16, 1, {0}, 0};
    }
    if (fake.fail_next > 0) {
        fake.fail_next--;
        for (size_t k = 0; k < batch->count; k++) {
            code_release(&outputs[k].image, &batch->inputs[k].plan->allocator);
            fake.making[number_of(&batch->inputs[k])] = NULL;
        }
        status = diag_error(TOSAJIT_CODEGEN_FAILED, "this compilation fails");
    }
    (void)c;
    fake.inside--;
    return status;
}

static tosajit_status link_image(compiler *c, const code_image *image, char *const *names,
                                 const tosajit_allocator *allocator, const unsigned char **bytes,
                                 void **handle) {
    (void)names;
    schedule_require(image->size == 16, "the code is another kernel's");
    system_mutex_lock(&c->session);
    *handle = memory_new(allocator, 1, sizeof *allocator);
    if (*handle) memcpy(*handle, allocator, sizeof *allocator);
    memcpy(bytes, &(tosajit_entry){add}, sizeof *bytes);
    *bytes -= image->entries[0];
    fake.linked++;
    system_mutex_unlock(&c->session);
    return *handle ? TOSAJIT_OK : TOSAJIT_OUT_OF_MEMORY;
}

static void unlink_image(compiler *c, void *handle) {
    system_mutex_lock(&c->session);
    tosajit_allocator allocator;
    memcpy(&allocator, handle, sizeof allocator);
    memory_free(&allocator, handle, 1, sizeof allocator);
    fake.linked--;
    system_mutex_unlock(&c->session);
}

static tosajit_status print(compiler *c, const compiler_input *input, tosajit_view view,
                            char **text) {
    (void)c;
    (void)input;
    (void)view;
    *text = calloc(1, 1);
    return TOSAJIT_OK;
}

static size_t describe(const compiler *c, char *text, size_t capacity) {
    (void)c;
    if (capacity) *text = 0;
    return 0;
}

const char tosajit_build[] = "schedule";

const compiler_table *compiler_find(void) {
    static const compiler_table table = {
        tosajit_build,      create, destroy, compile, link_image, unlink_image, print, describe,
        tosajit_last_error,
    };
    return &table;
}

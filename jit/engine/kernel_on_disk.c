/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stored: what keys are made of, and images as values. */
#include "jit/engine/kernel_on_disk.h"

#include <string.h>

#include "jit/engine/compiler.h"
#include "runtime/base/features.h"
#include "runtime/expr/program.h"

static bool is_storable(const tosajit_engine *engine, const tosajit_kernel *kernel) {
    if (!engine->store) return false;
    for (size_t k = 0; k < kernel->program->count; k++)
        if (kernel->program->nodes[k].data_size > CACHE_LARGEST_CONSTANT) return false;
    return true;
}

static void put_text(byte_writer *w, const char *text) { bytes_put(w, text, strlen(text) + 1); }

/* Everything that the code depends on: this build and its LLVM, the CPU of the engine, the CPU of
 * this machine, and the program. */
static bool make_key(const tosajit_engine *engine, const tosajit_kernel *kernel, byte_writer *w) {
    char features[FEATURES_TEXT];
    features_print(features_machine(), features_host(), true, features, sizeof features);
    *w = (byte_writer){.allocator = engine->allocator};
    put_text(w, tosajit_build);
    put_text(w, engine->chosen_cpu ? engine->chosen_cpu : "native");
    put_text(w, features);
    program_write(kernel->program, w);
    if (w->failed) bytes_release(w);
    return !w->failed;
}

bool stored_find(tosajit_engine *engine, const tosajit_kernel *kernel, stored_code *found) {
    byte_writer key;
    if (!is_storable(engine, kernel) || !make_key(engine, kernel, &key)) return false;
    bool have = store_find(engine->store, key.bytes, key.size, &found->value);
    bytes_release(&key);
    if (have && image_find_code(found->value.bytes, found->value.size, kernel, features_host(),
                                &found->build)) {
        stored_drop(engine, found);
        have = false;
    }
    return have;
}

void stored_drop(const tosajit_engine *engine, stored_code *found) {
    store_drop(engine->store, &found->value);
}

void stored_keep(tosajit_engine *engine, const tosajit_kernel *kernel, const image_build *fresh) {
    byte_writer key, image = {.allocator = engine->allocator};
    if (!is_storable(engine, kernel) || !make_key(engine, kernel, &key)) return;
    image_write(kernel, fresh, 1, NULL, &image);
    if (!image.failed) store_put(engine->store, key.bytes, key.size, image.bytes, image.size);
    bytes_release(&image);
    bytes_release(&key);
}

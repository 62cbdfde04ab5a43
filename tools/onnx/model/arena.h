/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is given back as a whole, up to a limit. In: sizes; out: memory. A model's parts have
 * one life, and a hostile file may ask for much. */
#ifndef TOSAJIT_TOOLS_ONNX_MODEL_ARENA_H
#define TOSAJIT_TOOLS_ONNX_MODEL_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct arena {
    struct arena_block *blocks;
    size_t limit, taken; /* bytes, of all blocks */
} arena;

/* Memory of zeros, aligned for any object; null if there is none, or beyond the limit. */
void *arena_take(arena *a, size_t size);
/* The same for count objects; null where count * size is more than there can be. */
void *arena_array(arena *a, size_t count, size_t size);
/* A copy of length bytes, terminated. */
char *arena_text(arena *a, const char *bytes, size_t length);
/* A text as printf makes it. */
char *arena_print(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_release(arena *a);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map from pointers to numbers. In: MLIR's values and names, which are unique pointers; out: the
 * number stored for one. */
#ifndef TOSAJIT_TOOLS_MLIR_POINTER_MAP_H
#define TOSAJIT_TOOLS_MLIR_POINTER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pointer_map {
    struct pointer_slot {
        const void *key;
        int32_t value;
    } * slots;
    size_t capacity, count; /* capacity is 0 or a power of 2 */
} pointer_map;

/* Add a key that is not null and not there yet. False if out of memory. */
bool pointer_map_add(pointer_map *map, const void *key, int32_t value);
/* False if the key is not there. value may be null. */
bool pointer_map_find(const pointer_map *map, const void *key, int32_t *value);
void pointer_map_release(pointer_map *map);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map from pointers to numbers: open addressing, linear probing, at most half full. */
#include "tools/mlir/pointer_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static size_t slot_of(const pointer_map *map, const void *key) {
    /* 2^64 / golden ratio: spreads aligned addresses. */
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
    size_t slot = (size_t)(hash >> 32) & (map->capacity - 1);
    while (map->slots[slot].key && map->slots[slot].key != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static bool grow(pointer_map *map) {
    pointer_map larger = {NULL, map->capacity ? 2 * map->capacity : FIRST_CAPACITY, map->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t k = 0; k < map->capacity; k++)
        if (map->slots[k].key) larger.slots[slot_of(&larger, map->slots[k].key)] = map->slots[k];
    free(map->slots);
    *map = larger;
    return true;
}

bool pointer_map_add(pointer_map *map, const void *key, int32_t value) {
    if (2 * map->count >= map->capacity && !grow(map)) return false;
    size_t slot = slot_of(map, key);
    map->slots[slot].key = key;
    map->slots[slot].value = value;
    map->count++;
    return true;
}

bool pointer_map_find(const pointer_map *map, const void *key, int32_t *value) {
    if (map->capacity == 0) return false;
    size_t slot = slot_of(map, key);
    if (!map->slots[slot].key) return false;
    if (value) *value = map->slots[slot].value;
    return true;
}

void pointer_map_release(pointer_map *map) {
    free(map->slots);
    memset(map, 0, sizeof *map);
}

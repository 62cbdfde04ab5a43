/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame of bytecode: see bytecode.h.
 *
 *     "ML\xefR", version, producer, 0
 *     sections: identifier; length; alignment and padding, where the identifier says so; contents
 *
 * A number has as many zeros below its lowest one as it has further bytes. */
#include "tools/mlir/bytecode.h"

#include <string.h>

enum { MAGIC = 4, ATTRIBUTE_AND_TYPE_OFFSETS = 3, WHOLE = 9 /* bytes, one of them without bits */ };

bool bytecode_is(const uint8_t *data, size_t size) {
    return size >= MAGIC && memcmp(data, "ML\xefR", MAGIC) == 0;
}

bool bytecode_number(const uint8_t *data, size_t size, size_t *at, uint64_t *number) {
    if (*at >= size) return false;
    size_t bytes = 1;
    while (bytes < WHOLE && !(data[*at] >> (bytes - 1) & 1)) bytes++;
    if (bytes > size - *at) return false;
    uint64_t value = 0;
    for (size_t k = bytes; k-- > (bytes == WHOLE);) value = value << 8 | data[*at + k];
    *number = bytes == WHOLE ? value : value >> bytes;
    *at += bytes;
    return true;
}

static bool take_section(const uint8_t *data, size_t size, size_t *at, bytecode_section *s) {
    uint64_t length;
    *s = (bytecode_section){.identifier = data[(*at)++]};
    if (!bytecode_number(data, size, at, &length)) return false;
    if (s->identifier & BYTECODE_ALIGNED) {
        if (!bytecode_number(data, size, at, &s->alignment)) return false;
        if (s->alignment == 0 || s->alignment > BYTECODE_MOST_ALIGNMENT) return false;
        while (*at < size && *at % s->alignment) ++*at;
    }
    if (length > size - *at) return false;
    s->contents = data + *at;
    s->size = (size_t)length;
    *at += s->size;
    return true;
}

bool bytecode_open(const uint8_t *data, size_t size, bytecode_file *f) {
    uint64_t version;
    size_t at = MAGIC;
    if (!bytecode_is(data, size) || !bytecode_number(data, size, &at, &version)) return false;
    while (at < size && data[at]) at++;
    *f = (bytecode_file){.head = ++at};
    for (; at < size; f->count++)
        if (f->count == BYTECODE_MOST_SECTIONS ||
            !take_section(data, size, &at, &f->sections[f->count]))
            return false;
    return f->count > 0;
}

/* Groups of a dialect's entries, until there are so many. MLIR finds a file that is cut off. */
static bool groups_fit(const bytecode_section *s, size_t *at, uint64_t entries) {
    uint64_t dialect, count, ignored;
    while (entries > 0) {
        if (!bytecode_number(s->contents, s->size, at, &dialect) ||
            !bytecode_number(s->contents, s->size, at, &count))
            return true;
        if (count > entries) return false;
        entries -= count;
        for (; count > 0; count--)
            if (!bytecode_number(s->contents, s->size, at, &ignored)) return true;
    }
    return true;
}

static bool offsets_fit(const bytecode_section *s) {
    uint64_t attributes, types;
    size_t at = 0;
    return !bytecode_number(s->contents, s->size, &at, &attributes) ||
           !bytecode_number(s->contents, s->size, &at, &types) ||
           (groups_fit(s, &at, attributes) && groups_fit(s, &at, types));
}

bool bytecode_is_sound(const uint8_t *data, size_t size) {
    bytecode_file f;
    if (!bytecode_open(data, size, &f)) return false;
    for (size_t k = 0; k < f.count; k++)
        if ((f.sections[k].identifier & ~BYTECODE_ALIGNED) == ATTRIBUTE_AND_TYPE_OFFSETS &&
            !offsets_fit(&f.sections[k]))
            return false;
    return true;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Escaping of control characters and of what is no UTF-8. */
#include "runtime/base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t used, capacity;
} writer;

static bool put(writer *w, const char *bytes, size_t length) {
    if (length >= w->capacity - w->used) return false;
    memcpy(w->text + w->used, bytes, length);
    w->used += length;
    w->text[w->used] = '\0';
    return true;
}

static bool put_escaped(writer *w, unsigned char byte) {
    static const char digits[] = "0123456789ABCDEF";
    const char escaped[3] = {'\\', digits[byte >> 4], digits[byte & 15]};
    return put(w, escaped, sizeof escaped);
}

/* Bytes of the printable character at `at`; 0 if there is none: a control character (U+0080 to
 * U+009F are some, too), or no UTF-8. */
static size_t printable(const unsigned char *at, size_t length) {
    if (at[0] < 0x80) return at[0] >= 0x20 && at[0] != 0x7f;
    size_t size = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || size > length) return 0;
    uint32_t code = at[0] & (0x7fU >> size);
    for (size_t k = 1; k < size; k++) {
        if ((at[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[k] & 0x3f);
    }
    static const uint32_t least[5] = {0, 0, 0xa0, 0x800, 0x10000};
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= least[size] && code <= 0x10ffff && !surrogate ? size : 0;
}

void escape_name(const char *bytes, size_t length, char *text, size_t capacity) {
    writer w = {text, 0, capacity};
    text[0] = '\0';
    for (size_t k = 0, size; k < length; k += size ? size : 1) {
        size = bytes[k] == '\\' ? 0 : printable((const unsigned char *)bytes + k, length - k);
        if (!(size ? put(&w, bytes + k, size) : put_escaped(&w, (unsigned char)bytes[k]))) return;
    }
}

void escape_message(const char *message, char *text, size_t capacity) {
    static const char next_line[] = "\n    ";
    size_t length = strlen(message);
    writer w = {text, 0, capacity};
    text[0] = '\0';
    for (size_t k = 0, size; k < length; k += size ? size : 1) {
        size = printable((const unsigned char *)message + k, length - k);
        bool fits = size                 ? put(&w, message + k, size)
                    : message[k] == '\n' ? put(&w, next_line, sizeof next_line - 1)
                                         : put_escaped(&w, (unsigned char)message[k]);
        if (!fits) return;
    }
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A writer of JSON (RFC 8259). It keeps no stack: a comma is due behind every value but the first
 * of an object or array, and the end of an object or array is the end of a value. */
#include "jit/show/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tosajit/tosajit.h"

/* Bytes of the UTF-8 character at `at`, which a 0 terminates; 0 if there is none. */
static size_t character(const unsigned char *at) {
    const size_t size = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (size == 1) return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
    for (size_t k = 1; k < size; k++)
        if ((at[k] & 0xc0) != 0x80) return 0;
    const bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const bool surrogate = at[0] == 0xed && at[1] > 0x9f, beyond = at[0] == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : size;
}

static void put_string(FILE *out, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', out);
    for (size_t size; *at; at += size ? size : 1) {
        size = character(at);
        if (size == 0)
            fputs("\\ufffd", out);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)*at);
        else
            fprintf(out, "%s%.*s", *at == '"' || *at == '\\' ? "\\" : "", (int)size,
                    (const char *)at);
    }
    fputc('"', out);
}

/* The text before a value. */
static void begin(json *j, const char *key) {
    if (j->behind) fputs(", ", j->out);
    j->behind = true;
    if (!key) return;
    put_string(j->out, key);
    fputs(": ", j->out);
}

void json_open(json *j, const char *key, char bracket) {
    begin(j, key);
    fputc(bracket, j->out);
    j->behind = false;
}

void json_close(json *j, char bracket) {
    fputc(bracket, j->out);
    j->behind = true;
}

void json_text(json *j, const char *key, const char *text) {
    begin(j, key);
    if (text)
        put_string(j->out, text);
    else
        fputs("null", j->out);
}

void json_integer(json *j, const char *key, int64_t number) {
    begin(j, key);
    fprintf(j->out, "%" PRId64, number);
}

void json_number(json *j, const char *key, double number) {
    char text[40];
    begin(j, key);
    snprintf(text, sizeof text, "%.6g", number);
    for (char *at = text; *at; at++)
        if (!strchr("0123456789+-e", *at)) *at = '.'; /* a locale's comma */
    fputs(isfinite(number) ? text : "null", j->out);
}

void json_count(json *j, const char *key, double number) {
    begin(j, key);
    fprintf(j->out, "%.0f", number);
}

void json_flag(json *j, const char *key, bool flag) {
    begin(j, key);
    fputs(flag ? "true" : "false", j->out);
}

void json_value(json *j, const char *key, const char *value) {
    begin(j, key);
    fputs(value, j->out);
}

void json_integers(json *j, const char *key, const int64_t *numbers, int32_t count) {
    json_open(j, key, '[');
    for (int32_t d = 0; d < count; d++) {
        const bool known = numbers[d] != TOSAJIT_DYNAMIC;
        if (known)
            json_integer(j, NULL, numbers[d]);
        else
            json_text(j, NULL, NULL);
    }
    json_close(j, ']');
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON for other programs. In: values, one after the other; out: one document on a stream, whose
 * failures are the caller's to see. Members of an object have a key, all others have a null one:
 *
 *     json j = {.out = stdout};
 *     json_open(&j, NULL, '{');
 *     json_text(&j, "type", "f32");
 *     json_open(&j, "shape", '[');
 *     json_integer(&j, NULL, 64);
 *     json_close(&j, ']');
 *     json_close(&j, '}');                            // {"type": "f32", "shape": [64]}
 */
#ifndef TOSAJIT_JIT_SHOW_JSON_H
#define TOSAJIT_JIT_SHOW_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    bool behind; /* another value: a comma is due */
} json;

/* An object, '{', or an array, '['. */
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);

/* A string; bytes that are no UTF-8 become U+FFFD. Null for null. */
void json_text(json *j, const char *key, const char *text);
void json_integer(json *j, const char *key, int64_t number);
/* Six digits, whatever the locale; null for infinities and NaN, which JSON does not have. */
void json_number(json *j, const char *key, double number);
/* A whole number that an int64_t may be too small for, with all digits. */
void json_count(json *j, const char *key, double number);
void json_flag(json *j, const char *key, bool flag);
/* A value that is JSON already. */
void json_value(json *j, const char *key, const char *value);
/* Sizes or strides; TOSAJIT_DYNAMIC becomes null. */
void json_integers(json *j, const char *key, const int64_t *numbers, int32_t count);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names, engines and bytes of an object made ahead of time. */
#include "tools/base/aot_object.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tosajit/image.h"

/* A C identifier of a text: other characters become underscores. */
static void identifier(const char *text, size_t length, char *name, size_t capacity) {
    size_t used = 0;
    if (length && isdigit((unsigned char)*text) && used + 1 < capacity) name[used++] = '_';
    for (size_t k = 0; k < length && used + 1 < capacity; k++)
        name[used++] = isalnum((unsigned char)text[k]) ? text[k] : '_';
    name[used] = 0;
}

bool aot_object_open(const char *path, aot_object *object) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
               *dot = strrchr(base, '.');
    *object = (aot_object){0};
    identifier(base, dot ? (size_t)(dot - base) : strlen(base), object->stem, sizeof object->stem);
    return *object->stem != '\0';
}

void aot_object_close(aot_object *object) {
    tosajit_text_release(object->bytes);
    targets_close(&object->targets);
    *object = (aot_object){0};
}

void aot_object_name(const aot_object *object, const char *shown, aot_function *function) {
    char name[AOT_NAME];
    snprintf(function->shown, sizeof function->shown, "%s", shown);
    for (char *c = function->shown; *c; c++)
        if (*c == '/' || *c == '*') *c = '_'; /* it becomes part of a comment */
    identifier(function->shown, strlen(function->shown), name, sizeof name);
    snprintf(function->name, sizeof function->name, "%s_%s", object->stem, name);
    snprintf(function->symbol, sizeof function->symbol, "%s_aot", function->name);
}

tosajit_status aot_object_compile(aot_object *object) {
    tosajit_function functions[AOT_MAX_FUNCTIONS];
    for (size_t k = 0; k < object->function_count; k++)
        functions[k] = (tosajit_function){.name = object->functions[k].symbol,
                                          .expr = object->functions[k].expr};
    return tosajit_compile_object(object->targets.engines, object->targets.count, functions,
                                  object->function_count, &object->bytes, &object->size);
}

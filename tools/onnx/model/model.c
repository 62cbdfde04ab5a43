/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading and writing. A file of 2 GiB or more is no message of protobuf, so that larger models
 * keep their weights in files beside it; those are never opened. */
#include "tools/onnx/model/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/data/output_file.h"
#include "tools/onnx/model/wire.h"

enum {
    MESSAGE_LIMIT = 0x7fffffff,
    GROWTH = 128,           /* a message of two bytes is a struct of a hundred */
    LEAST_MEMORY = 1 << 24, /* what converting takes of a small model */
};

bool onnx_refuse(onnx_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

static void *take(void *memory, size_t size) { return arena_take(memory, size); }
static void keep(void *memory, void *piece) { (void)memory, (void)piece; }

bool onnx_model_read(onnx_model *model, const void *bytes, size_t size, onnx_error *error) {
    char why[256];
    size_t at;
    memset(model, 0, sizeof *model);
    model->memory.limit = LEAST_MEMORY + GROWTH * size;
    if (size > MESSAGE_LIMIT)
        return onnx_refuse(error, "%zu bytes; a model has less than 2 GiB", size);
    if (!wire_check(bytes, size, &onnx__model_proto__descriptor, &at, why, sizeof why))
        return onnx_refuse(error, "no ONNX model: byte %zu: %s", at, why);
    ProtobufCAllocator allocator = {take, keep, &model->memory};
    model->proto = onnx__model_proto__unpack(&allocator, size, bytes);
    if (!model->proto)
        return onnx_refuse(error, "no ONNX model, or more than %zu bytes of memory are needed",
                           model->memory.limit);
    if (!model->proto->graph) return onnx_refuse(error, "no ONNX model: it has no graph");
    return true;
}

/* All bytes of a stream; null: see errno. */
static unsigned char *read_all(FILE *stream, size_t *size) {
    size_t capacity = 1 << 16;
    unsigned char *bytes = malloc(capacity);
    *size = 0;
    while (bytes) {
        *size += fread(bytes + *size, 1, capacity - *size, stream);
        if (*size < capacity || capacity > MESSAGE_LIMIT) break;
        unsigned char *more = realloc(bytes, capacity *= 2);
        if (!more) free(bytes);
        bytes = more;
    }
    if (bytes && !ferror(stream)) return bytes;
    if (!bytes) errno = ENOMEM;
    free(bytes);
    return NULL;
}

bool onnx_model_open(onnx_model *model, const char *path, onnx_error *error) {
    size_t size;
    memset(model, 0, sizeof *model);
    bool standard = strcmp(path, "-") == 0;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    unsigned char *bytes = stream ? read_all(stream, &size) : NULL;
    int reason = errno;
    if (stream && !standard) fclose(stream);
    if (!bytes) return onnx_refuse(error, "%s", strerror(reason));
    bool fine = onnx_model_read(model, bytes, size, error);
    free(bytes);
    return fine;
}

typedef struct sink {
    ProtobufCBuffer base;
    FILE *stream;
} sink;

/* Of an empty text there are no bytes, and fwrite must not be given a null pointer. */
static void append(ProtobufCBuffer *buffer, size_t length, const uint8_t *bytes) {
    if (length) fwrite(bytes, 1, length, ((sink *)(void *)buffer)->stream);
}

bool onnx_model_write(const onnx_model *model, const char *path, onnx_error *error) {
    output_file file;
    size_t size = onnx__model_proto__get_packed_size(model->proto);
    if (size > MESSAGE_LIMIT)
        return onnx_refuse(error, "%s: %zu bytes; a model has less than 2 GiB", path, size);
    if (!output_file_open(path, &file)) return onnx_refuse(error, "%s: %s", path, strerror(errno));
    sink out = {{append}, file.stream};
    onnx__model_proto__pack_to_buffer(model->proto, &out.base);
    if (ferror(file.stream)) {
        int reason = errno;
        output_file_abort(&file);
        return onnx_refuse(error, "%s: %s", path, strerror(reason));
    }
    if (output_file_finish(&file) && output_file_commit(&file)) return true;
    return onnx_refuse(error, "%s: %s", path, strerror(errno));
}

void onnx_model_release(onnx_model *model) {
    arena_release(&model->memory);
    memset(model, 0, sizeof *model);
}

const char *onnx_text(const char *text) { return text ? text : ""; }

const Onnx__AttributeProto *onnx_attribute(const Onnx__NodeProto *node, const char *name) {
    for (size_t k = 0; k < node->n_attribute; k++)
        if (strcmp(onnx_text(node->attribute[k]->name), name) == 0) return node->attribute[k];
    return NULL;
}

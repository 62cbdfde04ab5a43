/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tensor may stand anywhere in a model, so all messages are looked at by their descriptors. */
#define _POSIX_C_SOURCE 200809L /* fchmod, mkdir, stat */
#include "tools/onnx/model/weights.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/data/output_file.h"

/* ---------------------------------------------------------------------------------------------
 * Names */

typedef struct names {
    const char **list; /* null: they are only counted */
    size_t count;
} names;

static void add_tensor(const Onnx__TensorProto *tensor, names *found) {
    if (!tensor->has_data_location ||
        tensor->data_location != ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return;
    for (size_t k = 0; k < tensor->n_external_data; k++) {
        if (strcmp(onnx_text(tensor->external_data[k]->key), "location") != 0) continue;
        if (found->list) found->list[found->count] = onnx_text(tensor->external_data[k]->value);
        found->count++;
    }
}

static void visit(const ProtobufCMessage *message, names *found);

static void visit_field(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
                        names *found) {
    const char *base = (const char *)message;
    const void *member = base + field->offset, *quantifier = base + field->quantifier_offset;
    if (field->type != PROTOBUF_C_TYPE_MESSAGE) return;
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        const bool other = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
                           *(const uint32_t *)quantifier != field->id;
        const ProtobufCMessage *inner = other ? NULL : *(ProtobufCMessage *const *)member;
        if (inner) visit(inner, found);
        return;
    }
    ProtobufCMessage *const *list = *(ProtobufCMessage *const *const *)member;
    for (size_t k = 0; k < *(const size_t *)quantifier; k++) visit(list[k], found);
}

static void visit(const ProtobufCMessage *message, names *found) {
    if (message->descriptor == &onnx__tensor_proto__descriptor)
        add_tensor((const Onnx__TensorProto *)(const void *)message, found);
    for (unsigned k = 0; k < message->descriptor->n_fields; k++)
        visit_field(message, &message->descriptor->fields[k], found);
}

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each name once. False if out of memory. */
static bool find_names(onnx_model *model, names *found) {
    size_t kept = 0;
    *found = (names){NULL, 0};
    visit(&model->proto->base, found);
    const size_t all = found->count;
    *found = (names){arena_array(&model->memory, all + 1, sizeof *found->list), 0};
    if (!found->list) return false;
    visit(&model->proto->base, found);
    qsort(found->list, all, sizeof *found->list, compare);
    for (size_t k = 0; k < all; k++)
        if (kept == 0 || strcmp(found->list[kept - 1], found->list[k]) != 0)
            found->list[kept++] = found->list[k];
    found->count = kept;
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Folders */

bool onnx_weights_has_folder(const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0) return false;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* A name as seen from the folder of a path. */
static char *beside(arena *memory, const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    return arena_print(memory, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
}

static bool is_same_folder(arena *memory, const char *a, const char *b) {
    struct stat one, other;
    const char *first = beside(memory, a, "."), *second = beside(memory, b, ".");
    return first && second && stat(first, &one) == 0 && stat(second, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* "weights/a.bin", and nothing that leads elsewhere. */
static bool is_within(const char *name) {
    if (!*name || *name == '/') return false;
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2])) return false;
    return true;
}

/* Folders that a name has, in the folder of the model. */
static bool make_folders(arena *memory, const char *model, const char *name) {
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *part = arena_text(memory, name, (size_t)(slash - name));
        const char *folder = part ? beside(memory, model, part) : NULL;
        if (!folder || (mkdir(folder, 0777) != 0 && errno != EEXIST)) return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Files */

enum { PIECE = 1 << 20 };

static bool is_equal(FILE *a, FILE *b, char *memory) {
    char *first = memory, *second = memory + PIECE;
    size_t size;
    do {
        size = fread(first, 1, PIECE, a);
        if (fread(second, 1, PIECE, b) != size || memcmp(first, second, size) != 0) return false;
    } while (size == PIECE);
    return !ferror(a) && !ferror(b);
}

/* Nobody may read a copy who may not read the file. False: see errno. */
static bool copy(FILE *from, const char *to, char *memory, uint64_t *bytes) {
    struct stat old, made;
    output_file file;
    if (fstat(fileno(from), &old) != 0 || !output_file_open(to, &file)) return false;
    if (fstat(fileno(file.stream), &made) == 0)
        (void)!fchmod(fileno(file.stream), old.st_mode & made.st_mode & 0777);
    for (size_t size = PIECE; size == PIECE;) {
        size = fread(memory, 1, PIECE, from);
        *bytes += fwrite(memory, 1, size, file.stream);
    }
    if (!ferror(from)) return output_file_finish(&file) && output_file_commit(&file);
    output_file_abort(&file);
    return false;
}

/* A pipe would be waited for. */
static FILE *open_file(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return NULL;
    errno = EINVAL;
    return S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
}

/* The file `to` becomes the same as `from`, or is that already. */
static bool provide(FILE *from, const char *source, const char *to, char *memory,
                    onnx_weights *done, onnx_error *error) {
    FILE *there = fopen(to, "rb");
    if (there) {
        const bool same = is_equal(from, there, memory);
        fclose(there);
        return same || onnx_refuse(error,
                                   "%s: there are other weights than in %s; another folder "
                                   "is needed for the new model",
                                   to, source);
    }
    if (errno != ENOENT || !copy(from, to, memory, &done->bytes))
        return onnx_refuse(error, "%s: %s", to, strerror(errno));
    done->copied++;
    return true;
}

static bool provide_one(onnx_model *model, const char *from, const char *to, const char *name,
                        onnx_weights *done, onnx_error *error) {
    arena *memory = &model->memory;
    if (!is_within(name))
        return onnx_refuse(error,
                           "the model's weights are in `%s`, which is not in its folder, so "
                           "the new model has to be in the same one",
                           name);
    const char *source = beside(memory, from, name), *target = beside(memory, to, name);
    char *pieces = malloc(2 * PIECE);
    FILE *file = source ? open_file(source) : NULL;
    bool fine = source && target && pieces;
    if (!fine)
        onnx_refuse(error, "out of memory for weights");
    else if (!file)
        fine = onnx_refuse(error, "%s, where the model has weights: %s", source, strerror(errno));
    else if (!make_folders(memory, to, name))
        fine = onnx_refuse(error, "%s: %s", target, strerror(errno));
    else
        fine = provide(file, source, target, pieces, done, error);
    if (file) fclose(file);
    free(pieces);
    return fine;
}

bool onnx_weights_copy(onnx_model *model, const char *from, const char *to, onnx_weights *done,
                       onnx_error *error) {
    names found;
    *done = (onnx_weights){0, 0, 0};
    if (!find_names(model, &found)) return onnx_refuse(error, "out of memory for weights");
    done->files = found.count;
    if (!onnx_weights_has_folder(from) || !onnx_weights_has_folder(to)) return true;
    if (found.count == 0 || is_same_folder(&model->memory, from, to)) return true;
    for (size_t k = 0; k < found.count; k++)
        if (!provide_one(model, from, to, found.list[k], done, error)) return false;
    return true;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tools/onnx/model/external.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/data/output_file.h"

enum {
    LEAST = 4096, /* bytes: a page. The engine maps each constant by itself. */
    LINE = 64,    /* where vectors begin */
    ENTRIES = 3,
};

/* The engine reads them as they lie in memory. */
static bool is_moved(const Onnx__TensorProto *tensor) {
    return tensor->has_raw_data && tensor->raw_data.len >= LEAST;
}

static Onnx__StringStringEntryProto *make_entry(arena *memory, const char *key, const char *value) {
    Onnx__StringStringEntryProto *entry = arena_take(memory, sizeof *entry);
    if (!entry || !value) return NULL;
    onnx__string_string_entry_proto__init(entry);
    entry->key = (char *)(uintptr_t)key; /* the messages' own type; nobody writes to it */
    entry->value = (char *)(uintptr_t)value;
    return entry;
}

/* False if out of memory. */
static bool refer(arena *memory, Onnx__TensorProto *tensor, const char *file, uint64_t offset) {
    const char *values[ENTRIES] = {file, arena_print(memory, "%" PRIu64, offset),
                                   arena_print(memory, "%zu", tensor->raw_data.len)};
    static const char *const keys[ENTRIES] = {"location", "offset", "length"};
    tensor->external_data = arena_array(memory, ENTRIES, sizeof *tensor->external_data);
    if (!tensor->external_data) return false;
    for (size_t k = 0; k < ENTRIES; k++)
        if (!(tensor->external_data[k] = make_entry(memory, keys[k], values[k]))) return false;
    tensor->n_external_data = ENTRIES;
    tensor->has_data_location = true;
    tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    tensor->has_raw_data = false;
    return true;
}

static bool move(onnx_model *model, const char *file, FILE *to) {
    static const char zeros[LINE];
    const Onnx__GraphProto *graph = model->proto->graph;
    uint64_t at = 0;
    for (size_t k = 0; k < graph->n_initializer; k++) {
        Onnx__TensorProto *tensor = graph->initializer[k];
        if (!is_moved(tensor)) continue;
        const size_t gap = (LINE - at % LINE) % LINE;
        fwrite(zeros, 1, gap, to);
        fwrite(tensor->raw_data.data, 1, tensor->raw_data.len, to);
        if (!refer(&model->memory, tensor, file, at + gap)) return false;
        at += gap + tensor->raw_data.len;
    }
    return true;
}

bool onnx_external_move(onnx_model *model, const char *path, onnx_error *error) {
    const char *data = arena_print(&model->memory, "%s.data", path);
    const Onnx__GraphProto *graph = model->proto->graph;
    size_t count = 0;
    output_file file;
    if (!data) return onnx_refuse(error, "out of memory for weights");
    for (size_t k = 0; k < graph->n_initializer; k++) count += is_moved(graph->initializer[k]);
    if (count == 0) return true;
    if (!output_file_open(data, &file)) return onnx_refuse(error, "%s: %s", data, strerror(errno));
    const char *slash = strrchr(data, '/');
    if (!move(model, slash ? slash + 1 : data, file.stream)) {
        output_file_abort(&file);
        return onnx_refuse(error, "out of memory for weights");
    }
    if (output_file_finish(&file) && output_file_commit(&file)) return true;
    return onnx_refuse(error, "%s: %s", data, strerror(errno));
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An image is an initialiser of the graph, because many nodes can name an initialiser: 38 regions
 * of a model have 8 of them, which are stored once. */
#include "tools/onnx/images.h"

#include <stdlib.h>
#include <string.h>

#include "tosajit/image.h"

typedef struct maker {
    onnx_graph *g;
    const onnx_options *options;
    size_t *number;
    onnx_report *report;
    onnx_error *error;
} maker;

/* A text that code is made of, and the constant with its image. */
typedef struct known {
    const char *text;
    char *name;
} known;

static bool is_taken(const onnx_graph *g, const char *name) {
    for (; g; g = g->outer)
        if (onnx_graph_find(g, name) >= 0) return true;
    return false;
}

static char *new_name(const maker *m) {
    char *name;
    do name = arena_print(m->g->memory, "tosajit/image_%zu", (*m->number)++);
    while (name && is_taken(m->g, name));
    return name;
}

static Onnx__TensorProto *make_tensor(const maker *m, const void *bytes, size_t size) {
    arena *memory = m->g->memory;
    Onnx__TensorProto *tensor = arena_take(memory, sizeof *tensor);
    int64_t *dims = arena_array(memory, 1, sizeof *dims);
    uint8_t *data = arena_array(memory, size, 1);
    if (!tensor || !dims || !data) return NULL;
    onnx__tensor_proto__init(tensor);
    memcpy(data, bytes, size);
    *dims = (int64_t)size;
    tensor->n_dims = 1;
    tensor->dims = dims;
    tensor->has_data_type = 1;
    tensor->data_type = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    tensor->has_raw_data = 1;
    tensor->raw_data = (ProtobufCBinaryData){size, data};
    return tensor;
}

static tosajit_status compile(const maker *m, const char *text, char **image, size_t *size) {
    const tosajit_parse_options options = {.size = sizeof options,
                                           .accuracy = m->options->accuracy};
    tosajit_expr *expr;
    tosajit_status status = tosajit_expr_parse(text, strlen(text), &options, &expr);
    if (status) return status;
    status =
        tosajit_compile_image(m->options->engines, m->options->engine_count, expr, image, size);
    tosajit_expr_destroy(expr);
    return status;
}

/* A constant with the text's image. */
static bool add(const maker *m, known *k) {
    char *image;
    size_t size;
    if (compile(m, k->text, &image, &size))
        return onnx_refuse(m->error, "%.200s: %s", k->text, tosajit_last_error());
    Onnx__TensorProto *tensor = make_tensor(m, image, size);
    tosajit_text_release(image);
    k->name = new_name(m);
    if (!tensor || !k->name) return onnx_refuse(m->error, "out of memory for images");
    tensor->name = k->name;
    m->g->proto->initializer[m->g->proto->n_initializer++] = tensor;
    m->report->image_count++;
    m->report->image_bytes += size;
    return true;
}

/* Room for as many initialisers more. */
static bool make_room(const maker *m, size_t count) {
    Onnx__GraphProto *proto = m->g->proto;
    Onnx__TensorProto **list =
        arena_array(m->g->memory, proto->n_initializer + count, sizeof *list);
    if (list && proto->n_initializer)
        memcpy(list, proto->initializer, proto->n_initializer * sizeof *list);
    if (list) proto->initializer = list;
    return list;
}

bool onnx_add_images(onnx_graph *g, const onnx_options *options, onnx_choices *choices,
                     size_t *number, onnx_report *report, onnx_error *error) {
    const maker m = {g, options, number, report, error};
    const size_t count = (size_t)choices->count;
    if (!options->engine_count || !count) return true;
    known *all = arena_array(g->memory, count, sizeof *all);
    if (!all || !make_room(&m, count)) return onnx_refuse(error, "out of memory for images");
    size_t known_count = 0;
    for (size_t k = 0; k < count; k++) {
        const char *text = choices->list[k].text;
        size_t at = 0;
        if (!text) return onnx_refuse(error, "out of memory for images");
        while (at < known_count && strcmp(all[at].text, text) != 0) at++;
        if (at == known_count) {
            all[known_count++].text = text;
            if (!add(&m, &all[at])) return false;
        }
        choices->list[k].image = all[at].name;
    }
    return true;
}

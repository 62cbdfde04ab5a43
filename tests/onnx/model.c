/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of protobuf: a field is its number and kind, then a number, or a length and bytes. */
#include "tests/onnx/model.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 0, BYTES = 2 };

static void put(model_bytes *b, const void *data, size_t size) {
    if (size > sizeof b->data - b->size) abort(); /* a test that outgrew its model */
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_varint(model_bytes *b, uint64_t value) {
    do {
        const unsigned char byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        put(b, &byte, 1);
        value >>= 7;
    } while (value);
}

static void put_number(model_bytes *b, unsigned field, uint64_t value) {
    put_varint(b, field << 3 | NUMBER);
    put_varint(b, value);
}

static void put_bytes(model_bytes *b, unsigned field, const void *data, size_t size) {
    put_varint(b, field << 3 | BYTES);
    put_varint(b, size);
    put(b, data, size);
}

static void put_text(model_bytes *b, unsigned field, const char *text) {
    put_bytes(b, field, text, strlen(text));
}

/* Words as repeated strings. */
static void put_words(model_bytes *b, unsigned field, const char *words) {
    while (*words) {
        const size_t length = strcspn(words, " ");
        put_bytes(b, field, words, length);
        words += length + (words[length] == ' ');
    }
}

void model_begin(model *m) {
    m->graph.size = 0;
    put_text(&m->graph, 2, "test");
}

static void put_attribute(model_bytes *node, const model_attribute *a) {
    enum { STRING = 3 };
    model_bytes attribute = {0};
    put_text(&attribute, 1, a->key);
    put_text(&attribute, 4, a->text);
    put_number(&attribute, 20, STRING);
    put_bytes(node, 5, attribute.data, attribute.size);
}

void model_node(model *m, const char *domain, const char *op, const char *inputs,
                const char *outputs, const model_attribute *attributes, size_t attribute_count) {
    static model_bytes node;
    node.size = 0;
    put_words(&node, 1, inputs);
    put_words(&node, 2, outputs);
    put_text(&node, 3, outputs); /* its name */
    put_text(&node, 4, op);
    put_text(&node, 7, domain);
    for (size_t k = 0; k < attribute_count; k++) put_attribute(&node, &attributes[k]);
    put_bytes(&m->graph, 1, node.data, node.size);
}

void model_region(model *m, const char *inputs, const char *outputs, const char *expression,
                  const char *accuracy) {
    const model_attribute attributes[2] = {{"expression", expression}, {"accuracy", accuracy}};
    model_node(m, "tosajit", "Region", inputs, outputs, attributes, accuracy ? 2 : 1);
}

/* "N,64" as a TensorShapeProto. */
static void put_shape(model_bytes *tensor, const char *dims) {
    model_bytes shape = {0};
    while (*dims) {
        model_bytes dim = {0};
        const size_t length = strcspn(dims, ",");
        if (isdigit((unsigned char)*dims))
            put_number(&dim, 1, strtoull(dims, NULL, 10));
        else if (*dims != '?')
            put_bytes(&dim, 2, dims, length);
        put_bytes(&shape, 1, dim.data, dim.size);
        dims += length + (dims[length] == ',');
    }
    put_bytes(tensor, 2, shape.data, shape.size);
}

static void put_port(model *m, unsigned field, const char *name, int type, const char *dims) {
    static model_bytes tensor, whole, port;
    tensor.size = whole.size = port.size = 0;
    put_number(&tensor, 1, (uint64_t)type);
    put_shape(&tensor, dims);
    put_bytes(&whole, 1, tensor.data, tensor.size);
    put_text(&port, 1, name);
    put_bytes(&port, 2, whole.data, whole.size);
    put_bytes(&m->graph, field, port.data, port.size);
}

void model_bytes_constant(model *m, const char *name, const void *bytes, size_t size) {
    enum { UINT8 = 2 };
    static model_bytes tensor;
    tensor.size = 0;
    put_number(&tensor, 1, size);
    put_number(&tensor, 2, UINT8);
    put_text(&tensor, 8, name);
    put_bytes(&tensor, 9, bytes, size);
    put_bytes(&m->graph, 5, tensor.data, tensor.size);
}

void model_input(model *m, const char *name, int type, const char *dims) {
    put_port(m, 11, name, type, dims);
}
void model_output(model *m, const char *name, int type, const char *dims) {
    put_port(m, 12, name, type, dims);
}
void model_value(model *m, const char *name, int type, const char *dims) {
    put_port(m, 13, name, type, dims);
}

static void put_opset(model_bytes *file, const char *domain, uint64_t version) {
    model_bytes opset = {0};
    put_text(&opset, 1, domain);
    put_number(&opset, 2, version);
    put_bytes(file, 8, opset.data, opset.size);
}

int model_write(const model *m, const char *path) {
    static model_bytes file;
    file.size = 0;
    put_number(&file, 1, 8); /* the format's version */
    put_bytes(&file, 7, m->graph.data, m->graph.size);
    put_opset(&file, "", 18);
    put_opset(&file, "tosajit", 1);
    FILE *out = fopen(path, "wb");
    if (!out) return 0;
    const int written = fwrite(file.data, 1, file.size, out) == file.size;
    return fclose(out) == 0 && written;
}

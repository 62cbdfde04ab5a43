/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A message is a sequence of fields: a number with the field's own number and its encoding, then
 * the field's bytes. Source: "Encoding" in the documentation of Protocol Buffers. */
#include "tools/onnx/model/wire.h"

#include <stdio.h>

typedef enum form { VARINT = 0, EIGHT = 1, BLOCK = 2, FOUR = 5 } form;

typedef struct cursor {
    const uint8_t *bytes;
    size_t at;
    const char *why; /* null: nothing is wrong */
    const ProtobufCMessageDescriptor *message;
    const char *field; /* of the message; null: unknown */
} cursor;

static bool refuse(cursor *c, const char *why) {
    if (!c->why) c->why = why;
    return false;
}

static bool number(cursor *c, size_t end, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (c->at >= end) return refuse(c, "ends within a number");
        uint8_t byte = c->bytes[c->at++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return refuse(c, "has a number of more than ten bytes");
}

/* How a field of that type is written. */
static form form_of(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return FOUR;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return EIGHT;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return BLOCK;
    default: return VARINT;
    }
}

/* Numbers of a list may stand in one block. */
static bool fits(const ProtobufCFieldDescriptor *field, form found) {
    form own = form_of(field->type);
    return own == found ||
           (found == BLOCK && own != BLOCK && field->label == PROTOBUF_C_LABEL_REPEATED);
}

static bool check_message(cursor *c, size_t end, const ProtobufCMessageDescriptor *message,
                          int depth);

static bool check_block(cursor *c, size_t end, const ProtobufCFieldDescriptor *field, int depth) {
    uint64_t length;
    if (!number(c, end, &length)) return false;
    if (length > end - c->at) return refuse(c, "is longer than what it is in");
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
        return check_message(c, c->at + (size_t)length, field->descriptor, depth + 1);
    c->at += (size_t)length;
    return true;
}

static bool check_field(cursor *c, size_t end, int depth) {
    uint64_t tag, ignored;
    if (!number(c, end, &tag)) return false;
    form found = (form)(tag & 7);
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return refuse(c, "has a number that no field has");
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(c->message, (unsigned)(tag >> 3));
    c->field = field ? field->name : NULL;
    if (field && !fits(field, found)) return refuse(c, "is not written as its type asks for");
    size_t size = found == FOUR ? 4 : 8;
    switch (found) {
    case VARINT: return number(c, end, &ignored);
    case BLOCK: return check_block(c, end, field, depth);
    case FOUR:
    case EIGHT:
        if (size > end - c->at) return refuse(c, "ends within a number");
        c->at += size;
        return true;
    default: return refuse(c, "is written in a way that there is none of");
    }
}

static bool check_message(cursor *c, size_t end, const ProtobufCMessageDescriptor *message,
                          int depth) {
    const ProtobufCMessageDescriptor *outer = c->message;
    c->message = message;
    if (depth > WIRE_MAX_DEPTH) return refuse(c, "is a hundred messages deep");
    while (c->at < end)
        if (!check_field(c, end, depth)) return false;
    c->message = outer;
    return true;
}

bool wire_check(const uint8_t *bytes, size_t size, const ProtobufCMessageDescriptor *message,
                size_t *at, char *why, size_t capacity) {
    cursor c = {.bytes = bytes};
    if (check_message(&c, size, message, 0)) return true;
    *at = c.at;
    snprintf(why, capacity, "%s %s %s", c.message->short_name, c.field ? c.field : "field", c.why);
    return false;
}

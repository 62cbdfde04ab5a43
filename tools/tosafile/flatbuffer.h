/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The flatbuffer of a TOSA file. In: bytes of anybody; out: whether they are sound, and then what
 * stands in them, as C. Fields are known by their numbers in the schema. Nothing is copied: all
 * texts, lists and bytes lie in the file. */
#ifndef TOSAJIT_TOOLS_TOSAFILE_FLATBUFFER_H
#define TOSAJIT_TOOLS_TOSAFILE_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FLAT_LONGEST_NAME = 4096, /* bytes; searching for names of hostile files must end */
};

typedef struct flat_text {
    const char *bytes; /* ends in a 0, and may contain others; never null */
    size_t length;
} flat_text;

typedef struct flat_bytes {
    const uint8_t *bytes;
    size_t size;
} flat_bytes;

typedef struct flat_list {
    const void *entries;
    size_t count;
} flat_list;

typedef struct flat_graph {
    int32_t major, minor;
    uint64_t features; /* that a reader must know */
    flat_list regions;
} flat_graph;

typedef struct flat_region {
    flat_text name;
    flat_list blocks;
} flat_region;

typedef struct flat_block {
    flat_text name;
    flat_list operators, tensors, shapes; /* tables */
    flat_list inputs, outputs;            /* texts */
} flat_block;

typedef struct flat_operator {
    uint32_t op;
    const void *attributes;    /* null: none, or another op's */
    flat_list inputs, outputs; /* texts */
} flat_operator;

typedef struct flat_tensor {
    flat_text name;
    uint32_t type;
    const int32_t *dims;
    size_t rank;
    bool unranked, variable;
    uint32_t scale_type;   /* not 0: elements of blocks with a common scale */
    flat_bytes data;       /* in the flatbuffer */
    uint64_t offset, size; /* or behind it, in the file */
} flat_tensor;

typedef struct flat_shape {
    flat_text name;
    uint32_t rank;
    flat_bytes data; /* of a constant: rank numbers of 8 bytes, in a file that is right */
} flat_shape;

/* True if bytes begin as a TOSA file does. */
bool flat_is_tosa(const uint8_t *bytes, size_t size);
/* True if all that the functions below look at lies in the file. Tables and lists may be shared,
 * but not by everything: a block's elements are not more than the file has bytes, nor are all lists
 * together more than 32 times as many. Else the reason. bytes are aligned as malloc's. */
bool flat_verify(const uint8_t *bytes, size_t size, const char **reason);

/* Of a file that is sound; indices are below the count. */
flat_graph flat_graph_of(const uint8_t *bytes);
flat_region flat_region_at(flat_list regions, size_t index);
flat_block flat_block_at(flat_list blocks, size_t index);
flat_operator flat_operator_at(flat_list operators, size_t index);
flat_tensor flat_tensor_at(flat_list tensors, size_t index);
flat_shape flat_shape_at(flat_list shapes, size_t index);
flat_text flat_text_at(flat_list texts, size_t index);

/* A field of an operator's attributes, by a row of attributes.h; 0 and empty where it is left out.
 */
uint8_t flat_flag(const flat_operator *op, unsigned field);
uint32_t flat_word(const flat_operator *op, unsigned field);
int32_t flat_integer(const flat_operator *op, unsigned field);
flat_bytes flat_number(const flat_operator *op, unsigned field);
/* Of entries that are int32_t. */
flat_list flat_integers(const flat_operator *op, unsigned field);
flat_text flat_string(const flat_operator *op, unsigned field);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file keeps i48 in six bytes and pads what it keeps to eight; numbers are little-endian, as
 * every machine's that the library knows. */
#include "tools/tosafile/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/tosa/elements.h"

enum { PADDED = 8, INT4 = 2 };

static const struct {
    const char *name;
    tosajit_type type;
} elements_of[] = {{"UNKNOWN", TOSAJIT_TYPE_COUNT},
                   {"BOOL", TOSAJIT_I1},
                   {"INT4", TOSAJIT_TYPE_COUNT},
                   {"INT8", TOSAJIT_I8},
                   {"INT16", TOSAJIT_I16},
                   {"INT32", TOSAJIT_I32},
                   {"INT48", TOSAJIT_I48},
                   {"FP32", TOSAJIT_F32},
                   {"FP16", TOSAJIT_F16},
                   {"BF16", TOSAJIT_BF16},
                   {"SHAPE", TOSAJIT_TYPE_COUNT},
                   {"FP8E4M3", TOSAJIT_F8E4M3FN},
                   {"FP8E5M2", TOSAJIT_F8E5M2},
                   {"FP6E2M3", TOSAJIT_TYPE_COUNT},
                   {"FP6E3M2", TOSAJIT_TYPE_COUNT},
                   {"FP4E2M1", TOSAJIT_TYPE_COUNT},
                   {"FP8UE8M0", TOSAJIT_TYPE_COUNT},
                   {"INT64", TOSAJIT_I64},
                   {"MXINT8", TOSAJIT_TYPE_COUNT}};

static tosajit_status read_element(const flat_tensor *tensor, tosajit_type *element,
                                   char why[TOSA_WHY]) {
    const bool known = tensor->type < sizeof elements_of / sizeof *elements_of;
    *element = known ? elements_of[tensor->type].type : TOSAJIT_TYPE_COUNT;
    if (tensor->scale_type)
        snprintf(why, TOSA_WHY, "its elements are in blocks that share a scale");
    else if (!known)
        snprintf(why, TOSA_WHY,
                 "its element type is number %" PRIu32 ", which is of a later schema",
                 tensor->type);
    else if (*element == TOSAJIT_TYPE_COUNT)
        snprintf(why, TOSA_WHY,
                 "its element type is %s%s; there are BOOL INT8 INT16 INT32 INT48 INT64 FP16 BF16 "
                 "FP32 FP8E4M3 FP8E5M2",
                 elements_of[tensor->type].name,
                 tensor->type == INT4 ? ", of which two share a byte" : "");
    else
        return TOSAJIT_OK;
    return TOSAJIT_TYPE_MISMATCH;
}

tosajit_status file_tensor_type(const flat_tensor *tensor, tosajit_tensor_type *type,
                                char why[TOSA_WHY]) {
    memset(type, 0, sizeof *type);
    tosajit_status status = read_element(tensor, &type->element, why);
    type->rank = TOSAJIT_UNRANKED;
    if (status || tensor->unranked) return status;
    if (tensor->rank > TOSAJIT_MAX_RANK) {
        snprintf(why, TOSA_WHY, "it has %zu dimensions, more than %d", tensor->rank,
                 TOSAJIT_MAX_RANK);
        return TOSAJIT_LIMIT_EXCEEDED;
    }
    type->rank = (int32_t)tensor->rank;
    for (int32_t d = 0; d < type->rank; d++)
        type->dims[d] = tensor->dims[d] < 0 ? TOSAJIT_DYNAMIC : tensor->dims[d];
    return TOSAJIT_OK;
}

/* The bytes of a tensor's elements, which are `size`, wherever the file has them. */
static tosajit_status find_data(const file_graph *g, const flat_tensor *tensor, size_t size,
                                const uint8_t **data, char why[TOSA_WHY]) {
    const bool behind = tensor->data.size == 0 && tensor->offset > 1;
    const size_t padded = (size + PADDED - 1) / PADDED * PADDED,
                 found = behind ? (size_t)tensor->size : tensor->data.size;
    *data = behind ? g->bytes + tensor->offset : tensor->data.bytes;
    if (behind && (tensor->offset > g->size || tensor->size > g->size - tensor->offset))
        snprintf(why, TOSA_WHY, "its data is said to lie behind the end of the file");
    else if (found == 0 && size > 0)
        snprintf(why, TOSA_WHY, "it has no data");
    else if (found != size && found != padded)
        snprintf(why, TOSA_WHY, "it has %zu bytes of data, but its type needs %zu", found, size);
    else
        return TOSAJIT_OK;
    return TOSAJIT_BAD_MODULE;
}

tosajit_status file_constant(const file_graph *g, int32_t value, const tosajit_tensor_type *type,
                             void **elements, char why[TOSA_WHY]) {
    const flat_tensor tensor = flat_tensor_at(g->block.tensors, (size_t)value);
    const uint8_t *data = NULL;
    int64_t count;
    tosajit_status status = tosa_count_constant(type, &count, why);
    if (status) return status;
    const size_t each = type->element == TOSAJIT_I48 ? (size_t)TOSA_I48_PACKED_SIZE
                                                     : tosajit_type_size(type->element);
    status = find_data(g, &tensor, (size_t)count * each, &data, why);
    if (status) return status;
    *elements = tosa_copy_elements(type->element, data, count, true, count);
    if (*elements) return TOSAJIT_OK;
    snprintf(why, TOSA_WHY, "out of memory");
    return TOSAJIT_OUT_OF_MEMORY;
}

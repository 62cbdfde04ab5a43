/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file keeps i48 in six bytes and pads what it keeps to eight; numbers are little-endian, as
 * every machine's that the library knows. */
#include "tools/tosafile/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
                                   char reason[VALUE_REASON]) {
    const bool known = tensor->type < sizeof elements_of / sizeof *elements_of;
    *element = known ? elements_of[tensor->type].type : TOSAJIT_TYPE_COUNT;
    if (tensor->scale_type)
        snprintf(reason, VALUE_REASON, "its elements are in blocks that share a scale");
    else if (!known)
        snprintf(reason, VALUE_REASON,
                 "its element type is number %" PRIu32 ", which is of a later schema",
                 tensor->type);
    else if (*element == TOSAJIT_TYPE_COUNT)
        snprintf(reason, VALUE_REASON,
                 "its element type is %s%s; there are BOOL INT8 INT16 INT32 INT48 INT64 FP16 BF16 "
                 "FP32 FP8E4M3 FP8E5M2",
                 elements_of[tensor->type].name,
                 tensor->type == INT4 ? ", of which two share a byte" : "");
    else
        return TOSAJIT_OK;
    return TOSAJIT_TYPE_MISMATCH;
}

tosajit_status file_tensor_type(const flat_tensor *tensor, tosajit_tensor_type *type,
                                char reason[VALUE_REASON]) {
    memset(type, 0, sizeof *type);
    tosajit_status status = read_element(tensor, &type->element, reason);
    type->rank = TOSAJIT_UNRANKED;
    if (status || tensor->unranked) return status;
    if (tensor->rank > TOSAJIT_MAX_RANK) {
        snprintf(reason, VALUE_REASON, "it has %zu dimensions, more than %d", tensor->rank,
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
                                const uint8_t **data, char reason[VALUE_REASON]) {
    const bool behind = tensor->data.size == 0 && tensor->offset > 1;
    const size_t padded = (size + PADDED - 1) / PADDED * PADDED,
                 found = behind ? (size_t)tensor->size : tensor->data.size;
    *data = behind ? g->bytes + tensor->offset : tensor->data.bytes;
    if (behind && (tensor->offset > g->size || tensor->size > g->size - tensor->offset))
        snprintf(reason, VALUE_REASON, "its data is said to lie behind the end of the file");
    else if (found == 0 && size > 0)
        snprintf(reason, VALUE_REASON, "it has no data");
    else if (found != size && found != padded)
        snprintf(reason, VALUE_REASON, "it has %zu bytes of data, but its type needs %zu", found,
                 size);
    else
        return TOSAJIT_OK;
    return TOSAJIT_BAD_MODULE;
}

static tosajit_status copy(const tosajit_tensor_type *type, const uint8_t *data, int64_t count,
                           void **elements) {
    const size_t size = (size_t)count * tosajit_type_size(type->element);
    uint8_t *copied = malloc(size ? size : 1);
    if (!copied) return TOSAJIT_OUT_OF_MEMORY;
    if (type->element == TOSAJIT_I48)
        tosa_unpack_i48(data, count, (int64_t *)(void *)copied);
    else if (size > 0)
        memcpy(copied, data, size);
    for (size_t k = 0; type->element == TOSAJIT_I1 && k < size; k++) copied[k] = copied[k] != 0;
    *elements = copied;
    return TOSAJIT_OK;
}

tosajit_status file_constant(const file_graph *g, const flat_tensor *tensor,
                             const tosajit_tensor_type *type, void **elements,
                             char reason[VALUE_REASON]) {
    const uint8_t *data;
    int64_t count;
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC) {
            snprintf(reason, VALUE_REASON, "its size along dimension %d is dynamic", (int)d);
            return TOSAJIT_SHAPE_MISMATCH;
        }
    if (type->rank == TOSAJIT_UNRANKED) {
        snprintf(reason, VALUE_REASON, "it has no rank");
        return TOSAJIT_UNRANKED_SHAPE;
    }
    if (!tosa_count_elements(type, &count)) {
        snprintf(reason, VALUE_REASON, "it has more than 2^63 - 1 bytes");
        return TOSAJIT_OVERFLOW;
    }
    const size_t each = type->element == TOSAJIT_I48 ? (size_t)TOSA_I48_PACKED_SIZE
                                                     : tosajit_type_size(type->element);
    tosajit_status status = find_data(g, tensor, (size_t)count * each, &data, reason);
    if (!status) status = copy(type, data, count, elements);
    if (status == TOSAJIT_OUT_OF_MEMORY) snprintf(reason, VALUE_REASON, "out of memory");
    return status;
}

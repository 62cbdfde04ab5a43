/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tensors of --shape's sizes, filled with numbers that no function finds special. */
#include "tools/command/call_tensors.h"

#include <stdlib.h>
#include <string.h>

#include "tosajit/inspect.h"

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* Small integers, and floating point in [-4, 4): patterns that no function finds special. */
static uint64_t random_bits(tosajit_type type, uint64_t *state) {
    uint32_t bits = next_random(state);
    float f = (float)(bits >> 8) * 0x1p-21f - 4.0f;
    double d = (double)f;
    uint32_t f_bits;
    uint64_t d_bits;
    memcpy(&f_bits, &f, sizeof f_bits);
    memcpy(&d_bits, &d, sizeof d_bits);
    switch (type) {
    case TOSAJIT_I1: return bits >> 31;
    case TOSAJIT_I8:
    case TOSAJIT_U8: return bits >> 24;
    case TOSAJIT_F8E4M3FN: return (bits >> 24) & 0xbf;       /* below 2 */
    case TOSAJIT_F8E5M2: return (bits >> 24) & 0xbf;         /* below 2 */
    case TOSAJIT_F16: return (bits >> 16 & 0x8fff) | 0x3000; /* from 1/8 to 2 */
    case TOSAJIT_BF16: return f_bits >> 16;
    case TOSAJIT_F32: return f_bits;
    case TOSAJIT_F64: return d_bits;
    default: return bits >> 27;
    }
}

static void fill(const call_tensor *t, size_t bytes, uint64_t seed) {
    size_t size = tosajit_type_size(t->view.element);
    for (size_t at = 0; at + size <= bytes; at += size) {
        uint64_t bits = random_bits(t->view.element, &seed);
        /* The machine is little-endian, as all that the library has code for. */
        memcpy((char *)t->memory + at, &bits, size);
    }
}

static int make_tensor(const entry *e, const tosajit_kernel *kernel, size_t k, call_tensor *t) {
    tosajit_type element = call_tensor_type(e, kernel, k).element;
    int64_t low, high;
    char text[CALL_TEXT];
    if (!shape_extent(&t->shape, (int64_t)tosajit_type_size(element), &low, &high) ||
        (uint64_t)(high - low) > SIZE_MAX / 2)
        return command_error("%s: these sizes exceed the address space",
                             call_describe(e, kernel, k, text));
    size_t bytes = (size_t)(high - low);
    t->memory = malloc(bytes ? bytes : 1);
    if (!t->memory)
        return command_error("out of memory for %zu bytes of %s", bytes,
                             call_describe(e, kernel, k, text));
    t->view = (tosajit_tensor){element, t->shape.rank, (char *)t->memory - low, t->shape.dims,
                               t->shape.strided ? t->shape.strides : NULL};
    fill(t, bytes, k + 1);
    return EXIT_FINE;
}

int call_make_tensors(const options *o, const entry *e, const tosajit_kernel *kernel,
                      call_tensor *tensors) {
    const size_t arguments = e->function.input_count, all = arguments + e->function.result_count;
    tosajit_tensor views[TOSAJIT_MAX_TENSORS] = {0};
    for (size_t k = 0; k < arguments; k++) {
        int code = make_tensor(e, kernel, k, &tensors[k]);
        if (code != EXIT_FINE) return code;
        views[k] = tensors[k].view;
    }
    for (size_t k = arguments; k < all; k++) {
        shape_word *s = &tensors[k].shape;
        if (o->shape_count <= arguments &&
            tosajit_kernel_result_dims(kernel, views, arguments, k - arguments, &s->rank,
                                       s->dims) != TOSAJIT_OK)
            return entry_refuse(e);
        int code = make_tensor(e, kernel, k, &tensors[k]);
        if (code != EXIT_FINE) return code;
    }
    return EXIT_FINE;
}

void call_release_tensors(call_tensor *tensors) {
    for (size_t k = 0; k < TOSAJIT_MAX_TENSORS; k++) free(tensors[k].memory);
}

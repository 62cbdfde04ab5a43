/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The engine's own ops, as their definitions say and no faster. Source: TOSA 1.0, sections on
 * MATMUL, RESHAPE, CONV2D and DEPTHWISE_CONV2D. */
#include <stdio.h>
#include <string.h>

#include "engine.h"

static bool refuse(const char *text) {
    fprintf(stderr, "engine: %s\n", text);
    return false;
}

/* a[n, h, c] times b[n, c, w], of f32. */
bool run_matmul(const step *s, array *values) {
    const array *a = &values[s->inputs[0]], *b = &values[s->inputs[1]];
    array *r = &values[s->outputs[0]];
    if (s->element != TOSAJIT_F32 || a->rank != 3 || b->rank != 3 || a->dims[0] != b->dims[0] ||
        a->dims[2] != b->dims[1])
        return refuse("matmul: f32 of [n, h, c] and [n, c, w] expected");
    int64_t n = a->dims[0], h = a->dims[1], c = a->dims[2], w = b->dims[2];
    if (!array_allocate(r, TOSAJIT_F32, 3, (int64_t[]){n, h, w})) return false;
    const float *x = a->data, *y = b->data;
    float *z = r->data;
    memset(z, 0, (size_t)(n * h * w) * sizeof *z);
    for (int64_t k = 0; k < n * h; k++)
        for (int64_t i = 0; i < c; i++)
            for (int64_t j = 0; j < w; j++)
                z[k * w + j] += x[k * c + i] * y[(k / h * c + i) * w + j];
    return true;
}

/* The elements stay where they are. */
bool run_reshape(const step *s, array *values) {
    const array *a = &values[s->inputs[0]];
    array *r = &values[s->outputs[0]];
    int64_t known = 1, rest = array_elements(a);
    int32_t rank = (int32_t)s->numbers[0], open = -1;
    r->element = a->element;
    r->rank = rank;
    r->data = a->data;
    for (int32_t d = 0; d < rank; d++) {
        r->dims[d] = s->numbers[1 + d];
        if (r->dims[d] < 0)
            open = d;
        else
            known *= r->dims[d];
    }
    if (open >= 0 && known > 0) r->dims[open] = rest / known;
    return array_elements(r) == rest || refuse("reshape: another number of elements");
}

/* Members that both convolutions have: x[n, h, w, c], zero points, pad [top, bottom, left, right]
 * and stride [y, x]. */
typedef struct window {
    const int8_t *x, *weights;
    const int32_t *bias;
    int32_t x_zero, weight_zero;
    int64_t images, height, width, channels, out_height, out_width;
    const int64_t *pad, *stride;
} window;

static bool open_window(const step *s, const array *values, int64_t kernel_height,
                        int64_t kernel_width, window *w) {
    const array *x = &values[s->inputs[0]], *weights = &values[s->inputs[1]],
                *bias = &values[s->inputs[2]];
    bool fits = x->rank == 4 && weights->rank == 4 && x->element == TOSAJIT_I8 &&
                weights->element == TOSAJIT_I8 && bias->element == TOSAJIT_I32 &&
                s->input_count == 5;
    if (!fits) return refuse("convolution: i8 of rank 4 and a bias of i32 expected");
    const int8_t *x_zero = values[s->inputs[3]].data, *weight_zero = values[s->inputs[4]].data;
    *w = (window){x->data,    weights->data, bias->data,    *x_zero,    *weight_zero,
                  x->dims[0], x->dims[1],    x->dims[2],    x->dims[3], 0,
                  0,          s->numbers,    s->numbers + 4};
    w->out_height = (w->height + w->pad[0] + w->pad[1] - kernel_height) / w->stride[0] + 1;
    w->out_width = (w->width + w->pad[2] + w->pad[3] - kernel_width) / w->stride[1] + 1;
    return true;
}

/* The element at a place that may be in the padding, where it is 0, without its zero point. */
static int32_t element_at(const window *w, int64_t image, int64_t y, int64_t x, int64_t channel) {
    if (y < 0 || x < 0 || y >= w->height || x >= w->width) return 0;
    return w->x[((image * w->height + y) * w->width + x) * w->channels + channel] - w->x_zero;
}

/* weights[out, kh, kw, in]; all outputs of one place, from the last index on. */
bool run_conv2d(const step *s, array *values) {
    const array *weights = &values[s->inputs[1]];
    const int64_t outputs = weights->dims[0], kh = weights->dims[1], kw = weights->dims[2];
    window w;
    if (!open_window(s, values, kh, kw, &w)) return false;
    array *r = &values[s->outputs[0]];
    if (!array_allocate(r, TOSAJIT_I32, 4,
                        (int64_t[]){w.images, w.out_height, w.out_width, outputs}))
        return false;
    int32_t *z = r->data;
    for (int64_t k = 0; k < array_elements(r); k++) {
        int64_t output = k % outputs, x = k / outputs % w.out_width,
                y = k / outputs / w.out_width % w.out_height;
        int64_t image = k / outputs / w.out_width / w.out_height;
        const int8_t *own = w.weights + output * kh * kw * w.channels;
        z[k] = w.bias[output];
        for (int64_t i = 0; i < kh * kw; i++)
            for (int64_t c = 0; c < w.channels; c++)
                z[k] += element_at(&w, image, y * w.stride[0] - w.pad[0] + i / kw,
                                   x * w.stride[1] - w.pad[2] + i % kw, c) *
                        (own[i * w.channels + c] - w.weight_zero);
    }
    return true;
}

/* weights[kh, kw, channels, 1]. */
bool run_depthwise_conv2d(const step *s, array *values) {
    const array *weights = &values[s->inputs[1]];
    const int64_t kh = weights->dims[0], kw = weights->dims[1];
    window w;
    if (!open_window(s, values, kh, kw, &w)) return false;
    if (weights->dims[3] != 1) return refuse("depthwise_conv2d: one output per channel expected");
    array *r = &values[s->outputs[0]];
    if (!array_allocate(r, TOSAJIT_I32, 4,
                        (int64_t[]){w.images, w.out_height, w.out_width, w.channels}))
        return false;
    int32_t *z = r->data;
    for (int64_t k = 0; k < array_elements(r); k++) {
        int64_t c = k % w.channels, x = k / w.channels % w.out_width,
                y = k / w.channels / w.out_width % w.out_height;
        int64_t image = k / w.channels / w.out_width / w.out_height;
        z[k] = w.bias[c];
        for (int64_t i = 0; i < kh * kw; i++)
            z[k] += element_at(&w, image, y * w.stride[0] - w.pad[0] + i / kw,
                               x * w.stride[1] - w.pad[2] + i % kw, c) *
                    (w.weights[i * w.channels + c] - w.weight_zero);
    }
    return true;
}

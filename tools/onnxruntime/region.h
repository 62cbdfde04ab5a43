/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region: what one node of a model computes. In: its expression as text, and perhaps its code.
 * Out: a kernel of the engine that all regions of the process share, from the first one to the
 * last. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_REGION_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_REGION_H

#include <stdatomic.h>

#include "tools/onnxruntime/abi.h"
#include "tools/onnxruntime/settings.h"
#include "tosajit/tosajit.h"

/* The request of a node. */
typedef struct region_request {
    const char *text;    /* of the language of docs/language.md */
    size_t result_count; /* of the node */
    tosajit_accuracy accuracy;
    const void *image;        /* code of the text; null: none */
    size_t image_size;        /* bytes */
    const settings *settings; /* of operators, which stay registered */
} region_request;

typedef struct pool pool;

typedef struct region {
    const ort_api *api;
    pool *pool;             /* whose engine it holds, once it has begun */
    tosajit_kernel *kernel; /* owned; until then it tells types alone */
    char *text;             /* owned, until it has begun */
    tosajit_accuracy accuracy;
    atomic_bool begun;
    tosajit_status refused;                     /* the image; OK: it was taken, or there is none */
    size_t operand_count, result_count;         /* of the node */
    tosajit_type elements[TOSAJIT_MAX_TENSORS]; /* of operands */
    int has_shapes;                             /* the engine lends the sizes of tensors */
} region;

/* On failure the library's last error says what is wrong; if an image was refused, that too. */
tosajit_status region_create(const ort_api *api, int has_shapes, const region_request *request,
                             region **made);
/* Prepares a call: with the first one its code begins to be made. */
tosajit_status region_begin(region *r);
/* Null is allowed. */
void region_destroy(region *r);

/* True if elements of a tensor of the engine's can be read as those of a kernel's operand, or
 * written as its result: unsigned ones as signed ones of as many bits. */
int region_takes(tosajit_type element, int engine_type);
/* The engine's type of a result: what is said of it, or with 0 the only one that it can be. 0:
 * there are several, or kernels do not know what is said. */
int region_result_type(tosajit_type element, int64_t said);
/* "f32" for 1; never null. */
const char *region_type_name(int engine_type);

/* On processors the engine computes f16 beside operators that have only f32 in f32, too, and brings
 * operands of f32. Whether it does so here: an operand that is f16 in a kernel is f32 in the node.
 */
int region_is_widened(const tosajit_kernel *kernel, size_t operand, int engine_type);
/* The text with f32 in place of f16. */
void region_widen(char *text);

/* Compute a call of the node: KernelComputeV2 of the interface. */
ort_status *region_compute(void *kernel, ort_context *context);

#endif

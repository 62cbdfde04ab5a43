/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A region: what one node of a model computes. In: its expression as text. Out: a kernel of the
 * engine that all regions of the process share, from the first one to the last. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_REGION_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_REGION_H

#include "tools/onnxruntime/abi.h"
#include "tools/onnxruntime/generalise.h"
#include "tosajit/tosajit.h"

typedef struct region {
    const ort_api *api;
    tosajit_kernel *kernel;             /* owned */
    size_t operand_count, result_count; /* of the node; the kernel's last operands are numbers */
    general numbers;                    /* without its text */
    tosajit_type elements[TOSAJIT_MAX_TENSORS]; /* of operands */
    int has_shapes;                             /* the engine lends the sizes of tensors */
} region;

/* Compile a text of the language of docs/language.md, for a node of so many results. On failure the
 * library's last error says what is wrong. */
tosajit_status region_create(const ort_api *api, int has_shapes, const char *text, size_t results,
                             tosajit_accuracy accuracy, region **made);
/* Null is allowed. */
void region_destroy(region *r);

/* Whether elements of a tensor of the engine's can be read as those of a kernel's operand, or
 * written as its result: unsigned ones as signed ones of as many bits. */
int region_takes(tosajit_type element, int engine_type);
/* "f32" for 1; never null. */
const char *region_type_name(int engine_type);

/* Compute a call of the node: KernelComputeV2 of the interface. */
ort_status *region_compute(void *kernel, ort_context *context);

#endif

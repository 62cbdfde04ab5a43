/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function of some ops of a block. In: the ops, in order; out: what they read and give, a
 * func.func that computes them. */
#ifndef TOSAJIT_TOOLS_MLIR_REGION_FUNCTION_H
#define TOSAJIT_TOOLS_MLIR_REGION_FUNCTION_H

#include <mlir-c/IR.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/mlir/report.h"

/* Ops of tensors with one result each. */
typedef struct members {
    MlirOperation *ops;
    int32_t count;
} members;

/* What members read of others, but for constants, which every function has for itself; and which of
 * their results others read, or nobody. */
typedef struct interface {
    MlirValue *inputs, *outputs; /* owned */
    intptr_t input_count, output_count;
} interface;

/* False if out of memory; in either case interface_release. */
bool interface_open(const members *m, interface *i);
void interface_release(interface *i);

bool region_is_constant(MlirOperation op);
/* Whether its name and its types are those of an op that may be a member. */
bool region_may_have(MlirOperation op);
/* Whether an op moves elements and computes none. */
bool region_is_view(MlirOperation op);
/* func.func @name(inputs) -> outputs of the members, not in any module; a null operation if out of
 * memory. */
MlirOperation region_function(const members *m, const interface *i, const char *name);
/* Why an op that is no member is none. */
void region_refusal(MlirOperation op, mlir_phrase *why);
/* Whether the library makes a kernel of the members. False if out of memory, which says nothing of
 * them. */
bool region_makes_kernel(const members *m, bool *kernel);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stored: kernels' code in the store on disk. In: a kernel without code, or its fresh code. Out:
 * the code that an earlier compilation of the same program for the same CPU by the same build has
 * left, as an image. */
#ifndef TOSAJIT_JIT_ENGINE_KERNEL_ON_DISK_H
#define TOSAJIT_JIT_ENGINE_KERNEL_ON_DISK_H

#include "jit/engine/engine.h"
#include "runtime/image/image.h"

typedef struct stored_code {
    image_build build; /* inside of value */
    store_value value;
} stored_code;

/* The code of such a kernel, for stored_drop; false if there is none. */
bool stored_find(tosajit_engine *engine, const tosajit_kernel *kernel, stored_code *found);
void stored_drop(const tosajit_engine *engine, stored_code *found);

/* Keep a kernel's fresh code. What does not work out is just not kept. */
void stored_keep(tosajit_engine *engine, const tosajit_kernel *kernel, const image_build *fresh);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tensors of a call that is made to be measured. In: the shapes of its arguments, and of its
 * results if they are given. Out: memory with random numbers. */
#ifndef TOSAJIT_TOOLS_COMMAND_CALL_TENSORS_H
#define TOSAJIT_TOOLS_COMMAND_CALL_TENSORS_H

#include "tools/command/call.h"

/* A tensor that a call reads or writes. */
typedef struct call_tensor {
    tosajit_tensor view;
    shape_word shape;
    void *memory; /* owned */
} call_tensor;

/* Arguments, then results, whose shapes are found unless --shape gave them. An exit code; in either
 * case call_release_tensors. There is room for TOSAJIT_MAX_TENSORS, all 0 but for their shapes. */
int call_make_tensors(const options *o, const entry *e, const tosajit_kernel *kernel,
                      call_tensor *tensors);
void call_release_tensors(call_tensor *tensors);

#endif

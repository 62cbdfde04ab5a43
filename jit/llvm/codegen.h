/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Codegen: from a program and its plan to an LLVM module, and from the module to an object or to
 * assembly. */
#ifndef TOSAJIT_JIT_LLVM_CODEGEN_H
#define TOSAJIT_JIT_LLVM_CODEGEN_H

#include <llvm-c/TargetMachine.h>

#include "jit/engine/compiler.h"
#include "jit/target/target.h"

/* A module in a context of its own; both are released together. */
typedef struct codegen {
    LLVMContextRef context;
    LLVMModuleRef module;
    const target *target;
    bool is_optnone; /* one kernel of so many instructions that its code is generated quickly */
    bool is_slow;    /* it may be generated well; of both, if the quick code needs too much stack */
    size_t bytes;    /* that generating its code well may take */
} codegen;

/* OUT_OF_MEMORY if the system would not give what making the kernels' module takes, where LLVM
 * would end the process. */
tosajit_status codegen_reserve(const compiler_batch *batch);

/* Emit the functions of all parts of all kernels, verify them and run the passes; where there are
 * several kernels, each function has a section of its own. emit_ms and passes_ms of info are set.
 * LIMIT_EXCEEDED, CODEGEN_FAILED, OUT_OF_MEMORY. */
tosajit_status codegen_create(const compiler_batch *batch, const target *t,
                              LLVMTargetMachineRef machine, tosajit_kernel_info *info, codegen *c);
void codegen_destroy(codegen *c);

/* The module as machine code, without optimisation if it is very large; the buffer is the caller's.
 * codegen_ms of info is set. */
tosajit_status codegen_emit(const codegen *c, LLVMTargetMachineRef machine,
                            LLVMCodeGenFileType type, tosajit_kernel_info *info,
                            LLVMMemoryBufferRef *buffer);

/* Milliseconds on a clock that only runs forward. */
double codegen_clock(void);

#endif

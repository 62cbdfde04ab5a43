/* Objects: what LLVM's code generator made, checked before it is linked. A kernel stands alone: an undefined symbol would be a
 * call into a library whose bits, speed and presence nobody promised. */
#ifndef TOSAJIT_JIT_OBJECT_H
#define TOSAJIT_JIT_OBJECT_H

#include <stddef.h>

#include "tosajit/tosajit.h"

/* Check a 64-bit ELF object of this machine's byte order; code_bytes receives what its code and constants take. CODEGEN_FAILED
 * names the first undefined symbol. Source: System V ABI, chapter 4. */
tosajit_status object_check(const void *bytes, size_t size, size_t *code_bytes);

#endif

/* Linker: objects become executable memory, through ORC's LLJIT. One resource tracker per object, so that releasing a kernel
 * gives its memory back. */
#ifndef TOSAJIT_JIT_LINKER_H
#define TOSAJIT_JIT_LINKER_H

#include <llvm-c/LLJIT.h>
#include <stdint.h>

#include "tosajit/tosajit.h"

typedef struct linker {
    LLVMOrcLLJITRef jit;
} linker;

/* NOT_EXECUTABLE if this process may not have executable memory. */
tosajit_status linker_probe(void);

/* CODEGEN_FAILED with LLVM's reason. */
tosajit_status linker_create(linker *l);
void linker_destroy(linker *l);

/* Link an object, copied under `name`; entries receives the addresses of its functions. tracker gives it back. Thread-safe. */
tosajit_status linker_add(linker *l, const char *name, LLVMMemoryBufferRef object, char *const *functions, int32_t count,
                          tosajit_entry *entries, LLVMOrcResourceTrackerRef *tracker);
/* Unmap what linker_add mapped. Thread-safe. */
void linker_remove(linker *l, LLVMOrcResourceTrackerRef tracker);

#endif

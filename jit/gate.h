/* Gate: which threads are inside LLVM, so that none is when the process takes LLVM's own objects away. In: calls that come and go.
 * Out: at exit those that are inside are waited for, and nobody else gets in. */
#ifndef TOSAJIT_JIT_GATE_H
#define TOSAJIT_JIT_GATE_H

#include "tosajit/tosajit.h"

/* Before a call that needs LLVM; CODEGEN_FAILED once the process exits. After OK, gate_leave. */
tosajit_status gate_enter(void);
/* The same for what only gives memory back, which is always let in. */
void gate_enter_to_release(void);
void gate_leave(void);
/* See to it that exit waits: before a thread starts that will compile, and again when LLVM has just been loaded. */
void gate_watch(void);
void gate_renew(void);

#endif

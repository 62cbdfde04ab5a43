/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Features: the instructions of this CPU, found without LLVM and named as LLVM names them. Code may
 * use no feature beyond this table, so that a kernel knows where it can run. */
#ifndef TOSAJIT_RUNTIME_BASE_FEATURES_H
#define TOSAJIT_RUNTIME_BASE_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Machines that code is made for. The numbers are ELF's (EM_*), and images store them. */
enum { MACHINE_NONE = 0, MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183 };

/* Of these the one that this code runs on; MACHINE_NONE where there are no kernels. */
uint16_t features_machine(void);

/* Of this CPU, and usable: the operating system saves their registers. Bit k is row k of the
 * machine's table. */
uint64_t features_host(void);

/* Bytes of the registers in which this CPU puts 4-byte lanes into any order with one instruction,
 * on x86: 64, 32; 0: it has none. */
int32_t features_permuted_bytes(void);

/* True if code that may use these has masks that cost nothing: AVX-512's. */
bool features_masked(uint64_t features);

/* The bits of the features that LLVM's list, "+avx2,-avx512f", says are there. */
uint64_t features_of(uint16_t machine, const char *list);

/* Turn what the list says is there, but the table does not know, into what is not there. */
void features_restrict(uint16_t machine, char *list);

/* The list of a set, "+avx,+avx2"; with absent, the table's others too, "-avx512f". Always
 * terminated. */
void features_print(uint16_t machine, uint64_t features, bool absent, char *text, size_t capacity);

enum { FEATURES_TEXT = 1024 }; /* holds every list */

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that this process occupies, as the system tells it. In: /proc/self. Out: numbers; a file
 * that cannot be read fails the test. */
#ifndef TOSAJIT_TESTS_SUPPORT_PROCESS_H
#define TOSAJIT_TESTS_SUPPORT_PROCESS_H

#include <stddef.h>

/* Mappings, of which a process has 65,530 by default. */
size_t process_mappings(void);
/* Bytes of the mappings that are executable and of no file. An emulator tells those of the program
 * that it runs. */
size_t process_executable(void);
/* Bytes that malloc has given and not got back, whatever it keeps besides. An emulator's own are
 * not among them. */
size_t process_heap(void);
/* Bytes of memory that are in use; under an emulator, by the emulator too. */
size_t process_resident(void);
/* Bytes of addresses that are taken. */
size_t process_addresses(void);

#endif

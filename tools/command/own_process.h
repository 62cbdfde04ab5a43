/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process of the command: its streams, its stack, and what would end it. */
#ifndef TOSAJIT_TOOLS_COMMAND_OWN_PROCESS_H
#define TOSAJIT_TOOLS_COMMAND_OWN_PROCESS_H

#include "tools/command/command.h"

enum { OWN_PROCESS_STACK = 8 * 1024 * 1024 };

/* Dispatch where standard streams are what they are called, files are written as they are, and the
 * stack is large. False if the system gives none. */
bool own_process_dispatch(int count, char *const *words, command_dispatch *dispatch, int *code);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outlining: a function is divided into what the library computes and the rest. In: its graph; out:
 * the writer's output: a function for each region, and the operations outside of them. */
#ifndef TOSAJIT_TOOLS_TOSA_OUTLINE_H
#define TOSAJIT_TOOLS_TOSA_OUTLINE_H

#include "tools/tosa/divide.h"
#include "tools/tosa/epilogue.h"

enum { TOSA_NAME_LIMIT = 400 }; /* bytes of the name of a function that is divided */

/* False, of each: out of memory. */
typedef struct tosa_writer {
    void *context;
    /* True if a function has that name; free tells whether none has, and it is taken from now on.
     */
    bool (*take)(void *context, const char *name, bool *free);
    /* A call of a new function of that name stands here. */
    bool (*region)(void *context, const char *name, const tosa_part *part);
    /* An operation stays, and stands here. Constants that nobody reads any longer do not. */
    bool (*keep)(void *context, int32_t op);
} tosa_writer;

/* Regions become NAME_region_0, ..., with numbers that are free. They are maximal: no two connected
 * regions could be joined. Ops keep their meaning, not their order. Each that is left is a remark.
 * Epilogues are added to their list, which may be null. False if out of memory. */
bool tosa_outline(const tosa_graph *g, const char *name, const tosa_writer *writer,
                  tosa_report *report, tosajit_mlir_outlined *count, tosa_epilogues *epilogues);

#endif

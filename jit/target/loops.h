/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops: how the code of a part is cut into vectors. It follows from the part's plan, ops and
 * element types and from the CPU's level alone. So what emits the code and what explains it agree.
 */
#ifndef TOSAJIT_JIT_TARGET_LOOPS_H
#define TOSAJIT_JIT_TARGET_LOOPS_H

#include "jit/target/cpu.h"
#include "runtime/plan/plan.h"

typedef struct loop_choice {
    unsigned lanes, unroll; /* of one vector; vectors in a step of the wide loop */
    unsigned heavy, light;  /* ops */
    tosajit_tail tail;
    bool has_single; /* a loop of single vectors follows the wide one */
    bool shared;     /* the wide loop's last step is the tail */
    bool apart;      /* a step's vectors are apart, not one that LLVM divides */
    bool ends;       /* rows begin and end with a vector apart from the loops (jit/emit/ends.c) */
} loop_choice;

enum { LOOP_MAX_MASK = 64 /* lanes of a masked step */ };

/* The loops of a part of a plan, in code for the level. */
loop_choice loop_choose(const plan *p, int32_t part, const tosajit_expr *program,
                        const cpu_level *level);

#endif

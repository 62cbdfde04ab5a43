/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Engines and guarded tensors. */
#include "tests/support/guarded.h"

#include <stdlib.h>

int guarded_setup(void **state) {
    guarded *g = calloc(1, sizeof *g);
    if (!g) return -1;
    *state = g;
    g->engine_count = test_engines_open(g->engines, TOSAJIT_EXACT);
    bool ok = g->engine_count > 0 && guard_create(&g->result, GUARDED_ROOM);
    for (int k = 0; ok && k < 3; k++) ok = guard_create(&g->operands[k], GUARDED_ROOM);
    if (!ok) guarded_teardown(state);
    return ok ? 0 : -1;
}

int guarded_teardown(void **state) {
    guarded *g = *state;
    test_engines_close(g->engines, g->engine_count);
    guard_destroy(&g->result);
    for (int k = 0; k < 3; k++) guard_destroy(&g->operands[k]);
    free(g);
    return 0;
}

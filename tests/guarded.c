/* Engines and guarded tensors. */
#include "tests/guarded.h"

#include <stdlib.h>

guarded *guarded_open(size_t room) {
    guarded *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->engine_count = test_engines_open(g->engines, TOSAJIT_EXACT);
    bool ok = g->engine_count > 0 && guard_create(&g->result, room);
    for (int k = 0; ok && k < 3; k++) ok = guard_create(&g->operands[k], room);
    if (ok) return g;
    guarded_close(g);
    return NULL;
}

void guarded_close(guarded *g) {
    test_engines_close(g->engines, g->engine_count);
    guard_destroy(&g->result);
    for (int k = 0; k < 3; k++) guard_destroy(&g->operands[k]);
    free(g);
}

/* What tests with guarded tensors start from: every engine, three operands and a result. */
#ifndef TOSAJIT_TESTS_GUARDED_H
#define TOSAJIT_TESTS_GUARDED_H

#include "tests/guard.h"
#include "tests/support.h"

typedef struct guarded {
    test_engine engines[TEST_MAX_ENGINES];
    size_t engine_count;
    guard_tensor operands[3], result;
} guarded;

/* With room for so many bytes in each tensor; null if something is missing. */
guarded *guarded_open(size_t room);
void guarded_close(guarded *g);

#endif

/* A directory for a test, and processes that work in it until they are killed. */
#ifndef TOSAJIT_TESTS_SCRATCH_H
#define TOSAJIT_TESTS_SCRATCH_H

enum { SCRATCH_SIZE = 64 };
/* Its path. */
extern char scratch[SCRATCH_SIZE];

/* Setup and teardown of a test, for cmocka. */
int scratch_make(void **state);
int scratch_remove(void **state);

/* So many processes do the work, which never ends, each with another seed. One of them is killed at a random moment within so many
 * microseconds, and another one begins, `kills` times; then all are killed. The test fails if one ended by itself. */
typedef struct storm {
    void (*work)(unsigned seed);
    unsigned processes, kills, longest_pause;
} storm;
void scratch_storm(const storm *s);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where nothing is compiled: cases of a test that need it are left out, and said to be. The linker
 * gives cmocka's calls to this function (--wrap), and TOSAJIT_LEFT_OUT names the cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int __real__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

/* True if a word is in a list that commas divide. */
static bool is_in(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length])) return true;
    return false;
}

int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown) {
    const char *left_out = getenv("TOSAJIT_LEFT_OUT");
    struct CMUnitTest *kept = malloc(count * sizeof *kept);
    size_t kept_count = 0;
    if (!kept) return 1;
    for (size_t k = 0; k < count; k++)
        if (is_in(left_out, tests[k].name))
            printf("*** NOT TESTED %s: nothing is compiled here\n", tests[k].name);
        else
            kept[kept_count++] = tests[k];
    const int failed = __real__cmocka_run_group_tests(group, kept, kept_count, setup, teardown);
    free(kept);
    return failed;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that is run gets the words that it was given, whatever is in them. It is this one. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/cmocka.h"
#include "tools/base/run_program.h"

static char *given[] = {"plain", "a word", "",       "\"quoted\"", "back\\", "two\\\\ of them\\\\",
                        "\\\"",  "*.c",    "%PATH%", "tab\there"};
enum { COUNT = sizeof given / sizeof *given, SAME = 5, OTHER = 6 };
static char *self;

static void words_arrive_as_they_are(void **state) {
    char *words[COUNT + 2] = {self};
    memcpy(words + 1, given, sizeof given);
    assert_int_equal(run_program(words, 0), SAME);
    words[2] = "another";
    assert_int_equal(run_program(words, 0), OTHER);
}

static void an_absent_program_is_told(void **state) {
    char *words[] = {"tosajit-there-is-no-such-program", NULL};
    assert_int_equal(run_program(words, 0), NO_PROGRAM);
}

#if defined(_WIN32) /* or the C library would put names of files in the place of patterns */
extern int _dowildcard;
int _dowildcard = 0;
#endif

int main(int argc, char **argv) {
    self = argv[0];
    if (argc == 1)
        return TEST_RUN(NULL, NULL, TEST(words_arrive_as_they_are),
                        TEST(an_absent_program_is_told));
    if (argc != COUNT + 1) return OTHER;
    for (int k = 0; k < COUNT; k++)
        if (strcmp(argv[k + 1], given[k]) != 0) return OTHER;
    return SAME;
}

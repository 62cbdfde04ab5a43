/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Diagnostics: the thread's last error, as a message and as values.
 * In: a status and a printf format. Out: the same status, so that `return diag_error(...)` reports
 * and fails at once. Who knows what the error is about says so around it:
 *
 *     return diag_operand(diag_error(status, "operand %d ...", k), k, d, found, expected);
 */
#ifndef TOSAJIT_RUNTIME_BASE_DIAG_H
#define TOSAJIT_RUNTIME_BASE_DIAG_H

#include "tosajit/tosajit.h"

#if defined(__MINGW32__) && !defined(__clang__) /* its headers bring C99's printf */
#define DIAG_FORMAT(at, first) __attribute__((format(gnu_printf, at, first), cold))
#elif defined(__GNUC__)
#define DIAG_FORMAT(at, first) __attribute__((format(printf, at, first), cold))
#else
#define DIAG_FORMAT(at, first)
#endif

/* The subject of an error; members as in tosajit_failure. */
typedef struct diag_subject {
    tosajit_op op;
    int32_t operand, result, dimension;
    int64_t found, expected;
} diag_subject;

/* The last error itself, which every library of a process writes. */
enum { DIAG_CAPACITY = 1024 };
typedef struct diag_last {
    tosajit_status status;
    diag_subject subject;
    size_t line, column, sentence; /* of a text; where in the message the sentence begins */
    int system_error;              /* errno of what the system refused of a file; 0: nothing */
    char message[DIAG_CAPACITY];
} diag_last;
#if defined(_WIN32) /* where a library can give others no data of a thread, but a function */
TOSAJIT_API diag_last *tosajit_private_last_here(void);
#define tosajit_private_last (*tosajit_private_last_here())
#else
TOSAJIT_API extern _Thread_local diag_last tosajit_private_last;
#endif

tosajit_status diag_error(tosajit_status status, const char *format, ...) DIAG_FORMAT(2, 3);

/* Put text in front of the message of an error that is on its way up: the path to where it
 * happened. */
tosajit_status diag_prefix(tosajit_status status, const char *format, ...) DIAG_FORMAT(2, 3);

/* Say what the error is about; the status is returned, and OK changes nothing. dimension: -1 where
 * it is about no one; DIAG_NONE in place of a size or rank that there is not. */
#define DIAG_NONE TOSAJIT_DYNAMIC
tosajit_status diag_operand(tosajit_status status, int64_t operand, int64_t dimension,
                            int64_t found, int64_t expected);
tosajit_status diag_result(tosajit_status status, int64_t result, int64_t dimension, int64_t found,
                           int64_t expected);
tosajit_status diag_op(tosajit_status status, tosajit_op op);

/* That the system refused something of a file, by errno. */
tosajit_status diag_system(tosajit_status status, int error);

/* The subject of the last error, and a later error about the same. */
diag_subject diag_about(void);
tosajit_status diag_on(tosajit_status status, const diag_subject *subject);
/* That the error lies in a text: from `sentence` on the message says what is wrong there. */
tosajit_status diag_place(tosajit_status status, size_t line, size_t column, size_t sentence);

/* An error about nothing. */
static inline diag_subject diag_nothing(void) {
    return (diag_subject){TOSAJIT_OP_COUNT, -1, -1, -1, DIAG_NONE, DIAG_NONE};
}

#endif

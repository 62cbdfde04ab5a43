/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The thread's last error as values, for the caller's version of the struct. */
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/base/options.h"
#include "tosajit/inspect.h"

tosajit_status tosajit_last_failure(tosajit_failure *failure) {
    if (!failure) return TOSAJIT_INVALID_ARGUMENT; /* the last error stays what it is */
    const diag_last *last = &tosajit_private_last;
    const diag_subject none = diag_nothing(), *about = last->status ? &last->subject : &none;
    const size_t length = strlen(last->message),
                 begin = last->sentence < length ? last->sentence : 0;
    const tosajit_failure known = {
        .status = last->status,
        .op = about->op,
        .operand = about->operand,
        .result = about->result,
        .dimension = about->dimension,
        .system_error = last->status ? last->system_error : 0,
        .found = about->found,
        .expected = about->expected,
        .line = last->line,
        .column = last->column,
        .sentence = last->message + begin,
        .sentence_length = strcspn(last->message + begin, "\n"),
    };
    return options_give(failure, &known, sizeof known, "tosajit_failure");
}

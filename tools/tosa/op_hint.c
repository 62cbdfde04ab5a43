/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ops of other dialects often have the name of one of TOSA: only what is behind the dialect is
 * compared. */
#include "tools/tosa/op_hint.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "jit/text/suggest.h"
#include "tools/tosa/op_columns.h"
#include "tosajit/inspect.h"

const char *op_hint(const char *name, size_t length, char hint[OP_HINT]) {
    suggestion s = {.word = name, .length = length};
    for (size_t k = 0; k < length; k++)
        if (name[k] == '.') s = (suggestion){.word = name + k + 1, .length = length - k - 1};
    const bool is_of_others = s.word != name && strncmp(name, "tosa.", 5);
    suggest_ops(&s);
    hint[0] = '\0';
    const tosajit_op op = tosajit_op_find(s.name);
    const bool extends = op != TOSAJIT_OP_COUNT && op_columns_of[op].extension;
    if (extends)
        snprintf(hint, OP_HINT, "; did you mean the tosa.custom of operator_name \"%s\"?", s.name);
    else if (s.name && is_of_others && strlen(s.name) == s.length &&
             !memcmp(s.name, s.word, s.length))
        snprintf(hint, OP_HINT, "; in TOSA it is tosa.%s", s.name);
    else if (s.name)
        snprintf(hint, OP_HINT, "; did you mean tosa.%s?", s.name);
    return hint;
}

/* MLIR's diagnostics have a severity, a place and a text, and no code, so the text decides. */
const char *op_hint_of_message(const char *message, char hint[OP_HINT]) {
    static const char *const before[] = {"custom op '", "unregistered operation '"};
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
        const char *name = strstr(message, before[k]);
        if (!name) continue;
        name += strlen(before[k]);
        return op_hint(name, strcspn(name, "'"), hint);
    }
    hint[0] = '\0';
    return hint;
}

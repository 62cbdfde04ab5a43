/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Answers: a line becomes a kernel or a command. A line that fails leaves the kernel of the last
 * one that did not. */
#include "tools/repl/answer.h"

#include <string.h>

#include "tools/repl/commands.h"
#include "tools/repl/kernel.h"

/* Finds commands that people type without a colon. None of them is an expression. */
static const char *find_command(const char *text, size_t length) {
    static const char *const words[][2] = {
        {"help", ":help"}, {"?", ":help"}, {"quit", ":quit"}, {"exit", ":quit"}};
    while (length > 0 && strchr(" \t\r", text[length - 1])) length--;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k][0]) == length && memcmp(words[k][0], text, length) == 0)
            return words[k][1];
    return NULL;
}

/* Nothing but spaces and a comment. */
static bool is_comment(const char *text, size_t length) {
    while (length > 0 && strchr(" \t\r", *text)) text++, length--;
    return length == 0 || *text == '#';
}

void repl_answer(repl *r, const char *text, size_t length, size_t line) {
    repl_line parsed;
    text_error error;
    const char *command = find_command(text, length);
    repl_begin(r, command ? command : text, command ? strlen(command) : length, line);
    if (!repl_is_command(r->text, r->length)) {
        if (!is_comment(r->text, r->length)) repl_take_line(r);
    } else if (repl_parse_command(r->text, r->length, &parsed, &error)) {
        repl_command(r, &parsed);
        repl_line_release(&parsed);
    } else {
        repl_fail_at(r, &error);
    }
}

void repl_answer_mlir(repl *r, const char *text, size_t length, size_t line) {
    repl_begin(r, text, length, line);
    repl_take_mlir(r);
}

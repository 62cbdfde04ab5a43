/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a text of MLIR begins and ends, among lines of the REPL's own language: by its brackets. */
#include "tools/repl/scan.h"

#include <string.h>

#include "jit/text/lex.h"

bool repl_is_mlir(const char *text, size_t length) {
    static const char *const openings[] = {"module", "func.func", "builtin.module",
                                           "\"builtin.module\"", "\"func.func\""};
    lexer p = {.text = text, .length = length, .argument = -1};
    while (p.at < length && lex_is_space(text[p.at])) p.at++;
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++) {
        if (!lex_begins(&p, openings[k])) continue;
        char next = lex_peek_at(&p, strlen(openings[k]));
        if (!lex_is_letter(next) && !lex_is_digit(next) && next != '.' && next != '=' &&
            next != '_')
            return true;
    }
    return false;
}

static bool is_mlir_comment(const char *text, size_t length) {
    return length > 1 && text[0] == '/' && text[1] == '/';
}

bool repl_is_mlir_comment(const char *line, size_t length) {
    while (length > 0 && lex_is_space(*line)) line++, length--;
    return is_mlir_comment(line, length);
}

bool repl_has_comment(const char *line, size_t length) {
    for (size_t k = 0; k < length; k++)
        if (line[k] == '#' || is_mlir_comment(line + k, length - k)) return true;
    return false;
}

/* Where a string that begins at `at` ends. */
static size_t skip_string(const char *text, size_t length, size_t at) {
    for (at++; at < length && text[at] != '"'; at++) at += text[at] == '\\';
    return at;
}

repl_extent repl_scan_line(repl_scan *s, const char *line, size_t length) {
    static const char attributes[] = "attributes";
    const size_t word = sizeof attributes - 1;
    for (size_t k = 0; k < length; k++) {
        char c = line[k];
        if (c == '"') {
            k = skip_string(line, length, k);
            continue;
        }
        if (is_mlir_comment(line + k, length - k)) break;
        if (s->depth == 0 && length - k >= word && memcmp(line + k, attributes, word) == 0)
            s->dictionary = true;
        s->depth += c == '(' || c == '[' || c == '{';
        s->depth -= (c == ')' || c == ']' || c == '}') && s->depth > 0;
        s->angles += c == '<';
        s->angles -= c == '>' && s->angles > 0 && (k == 0 || line[k - 1] != '-');
        if (s->depth > TEXT_MAX_DEPTH || s->angles > TEXT_MAX_DEPTH) return REPL_TOO_DEEP;
        if (c != '}' || s->depth > 0) continue;
        s->bodies += !s->dictionary;
        s->dictionary = false;
    }
    return s->depth > 0 ? REPL_OPEN : s->bodies > 0 ? REPL_COMPLETE : REPL_BEGUN;
}

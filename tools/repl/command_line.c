/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words of a command. They may be paths, so comments do not exist here. */
#include "tools/repl/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "jit/text/lex.h"

bool repl_is_command(const char *text, size_t length) {
    size_t at = 0;
    while (at < length && lex_is_space(text[at])) at++;
    return at < length && text[at] == ':';
}

/* One word, in brackets or quotes where it has spaces. */
static bool parse_word(lexer *p, text_span *word) {
    *word = (text_span){p->at, 0};
    if (p->text[p->at] == '"') {
        word->at = ++p->at;
        while (p->at < p->length && p->text[p->at] != '"') p->at++;
        word->length = p->at - word->at;
        if (p->at == p->length)
            return lex_fail(p, (text_span){word->at - 1, 1}, "this quote is not closed");
        p->at++;
        return true;
    }
    int depth = 0;
    for (; p->at < p->length && (depth > 0 || !lex_is_space(p->text[p->at])); p->at++) {
        depth += p->text[p->at] == '[';
        depth -= p->text[p->at] == ']' && depth > 0;
    }
    word->length = p->at - word->at;
    return true;
}

static bool parse_name(lexer *p, repl_line *line) {
    line->command = lex_word(p);
    if (line->command.length) return true;
    if (!lex_take(p, '?')) return lex_fail_expected(p, "the name of a command, which :help lists,");
    line->command = (text_span){p->at - 1, 1};
    return true;
}

bool repl_parse_command(const char *text, size_t length, repl_line *line, text_error *error) {
    lexer p = {.text = text, .length = length, .error = error, .argument = -1};
    memset(line, 0, sizeof *line);
    memset(error, 0, sizeof *error);
    line->words = malloc((length / 2 + 1) * sizeof *line->words); /* a space behind each */
    bool fine = line->words ? lex_take(&p, ':') && parse_name(&p, line)
                            : lex_fail(&p, (text_span){0, 0}, "out of memory");
    while (fine) {
        while (p.at < length && lex_is_space(text[p.at])) p.at++;
        if (p.at == length) return true;
        fine = parse_word(&p, &line->words[line->word_count++]);
    }
    repl_line_release(line);
    return false;
}

void repl_line_release(repl_line *line) {
    free(line->words);
    memset(line, 0, sizeof *line);
}

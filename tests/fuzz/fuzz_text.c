/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the language of expressions. In: bytes as a text. It becomes an expression that can be
 * verified, and read again from what is printed of its operands; or the message has words, no
 * control characters but newlines, and nothing is left allocated. */
#define _DEFAULT_SOURCE /* mmap */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jit/text/parse.h"
#include "tests/fuzz/bytes.h"
#include "tests/fuzz/place.h"
#include "tosajit/inspect.h"

static size_t held; /* bytes */

static void check(bool holds) {
    if (!holds) abort();
}

static void *allocate(void *context, size_t size) {
    (void)context;
    held += size;
    return malloc(size);
}

static void release(void *context, void *memory, size_t size) {
    (void)context;
    held -= size;
    free(memory);
}

static void check_message(void) {
    const char *message = tosajit_last_error();
    check(strstr(message, "error: ") != NULL);
    for (; *message; message++) check((unsigned char)*message >= ' ' || *message == '\n');
}

static void read(const char *text, size_t size, int strict) {
    static const tosajit_named_type types[] = {{"x", {TOSAJIT_F32, 1, {TOSAJIT_DYNAMIC}}},
                                               {"i", {TOSAJIT_I32, 2, {3, TOSAJIT_DYNAMIC}}}};
    const tosajit_allocator allocator = {allocate, release, NULL};
    const tosajit_parse_options options = {.size = sizeof options,
                                           .allocator = &allocator,
                                           .strict = strict,
                                           .types = types,
                                           .type_count = 2,
                                           .name = "fuzz"};
    tosajit_expr *expr = NULL;
    if (tosajit_expr_parse(text, size, &options, &expr) == TOSAJIT_OK) {
        check(tosajit_expr_verify(expr) == TOSAJIT_OK);
        tosajit_expr_destroy(expr);
    } else {
        check_message();
    }
    check(held == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)fuzz_place(data, size);
    char *names = NULL;
    text_line line;
    text_error error;
    int32_t rank;
    int64_t dims[TOSAJIT_MAX_RANK];
    if (!text) return 0;
    for (int strict = 0; strict < 2; strict++) read(text, size, strict);
    if (tosajit_expr_operands(text, size, &names) == TOSAJIT_OK)
        tosajit_text_release(names);
    else
        check_message();
    if (text_parse_list(text, size, &line, &error))
        text_line_release(&line);
    else
        check(error.where.at + error.where.length <= size && error.text[0]);
    if (text_parse_sizes(text, size, true, &rank, dims))
        check(rank > 0 && rank <= TOSAJIT_MAX_RANK);
    return 0;
}

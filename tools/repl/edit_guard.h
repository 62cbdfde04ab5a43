/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libedit must be kept from. It has a picture of the screen and buffers that are sound only
 * while a line fits into the window and the window stays. In: each key, before libedit has it; out:
 * whether libedit may have it. */
#ifndef TOSAJIT_TOOLS_REPL_EDIT_GUARD_H
#define TOSAJIT_TOOLS_REPL_EDIT_GUARD_H

#include <histedit.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

enum {
    EDIT_GUARD_LONGEST = 65536, /* characters of a line */
    /* Of one in the history: each key of a search reads all of them. */
    EDIT_GUARD_REMEMBERED = 8192,
};

typedef struct edit_guard {
    EditLine *line;
    const char **prompt; /* what the line shows in front */
    bool astray;         /* libedit may not know where the cursor is */
    bool cut;            /* the line is longer than it may be, and its end was left out */
} edit_guard;

/* Before libedit is used; it is configured, its keys and the history are not. */
void edit_guard_open(edit_guard *g, EditLine *line, const char **prompt);
/* A line begins. */
void edit_guard_begin(edit_guard *g);
/* The window has another size. Only while a line is edited. */
void edit_guard_resize(edit_guard *g);
/* A key was read. False: libedit must not have it. */
bool edit_guard_key(edit_guard *g, wchar_t key);

#endif

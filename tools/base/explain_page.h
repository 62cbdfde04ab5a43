/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A page of what the library does with a function, to look at: HTML that needs no other file and
 * no server. In: texts that the library has written, and times. Out: HTML on a stream, whose
 * failures are the caller's to see. */
#ifndef TOSAJIT_TOOLS_EXPLAIN_PAGE_H
#define TOSAJIT_TOOLS_EXPLAIN_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* A bar beside others. */
typedef struct page_time {
    const char *what, *text; /* "memcpy of as many bytes", "1.3 us" */
    double seconds;
} page_time;

/* Members may be null but for title, plan and function. */
typedef struct explain_page {
    const char *title, *subtitle;
    const char *plan;     /* as TOSAJIT_VIEW_JSON has it */
    const char *function; /* its name in the drawing */
    const char *nest;     /* as TOSAJIT_VIEW_NEST has it */
    const char *call;     /* the sentences of tosajit_explain */
    const page_time *times;
    int time_count;
    const char *verdict; /* what the times say, in a sentence */
} explain_page;

/* A document. False without memory. */
bool explain_page_document(const explain_page *page, FILE *out);
/* The same as an element within one, for a notebook. */
bool explain_page_element(const explain_page *page, FILE *out);

#endif

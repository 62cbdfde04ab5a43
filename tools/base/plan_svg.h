/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A plan as a drawing. In: the JSON that tosajit_print gives of it, and the name of the function.
 * Out: an SVG document on a stream, whose failures are the caller's to see. */
#ifndef TOSAJIT_TOOLS_PLAN_SVG_H
#define TOSAJIT_TOOLS_PLAN_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* False without memory. */
bool plan_svg(const char *plan, const char *function, FILE *out);

#endif

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report of a conversion, for people and for programs. In: a report; out: lines, or a JSON
 * object.
 */
#ifndef TOSAJIT_TOOLS_ONNX_REPORT_H
#define TOSAJIT_TOOLS_ONNX_REPORT_H

#include <stdio.h>

#include "tools/onnx/convert.h"

void onnx_report_print(const onnx_report *report, const char *model, bool details, FILE *to);
void onnx_report_json(const onnx_report *report, const char *model, FILE *to);

#endif

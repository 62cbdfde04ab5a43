/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings of a session for its regions. In: the entries of its configuration, else variables of
 * the environment. Out: when code is made, where it is kept, and whether code that a model brings
 * is run. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_SETTINGS_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_SETTINGS_H

#include <stdbool.h>

#include "tools/onnxruntime/abi.h"

typedef struct settings {
    char *cache;               /* the folder that code is kept in; null: the engine's usual one */
    unsigned char compile_now; /* when the session is made; else behind its back */
    unsigned char images;      /* machine code in a model is run */
} settings;

/* The status names an entry or variable whose word is none of its own. */
ort_status *settings_read(const ort_api *api, const ort_options *options, settings *made);
/* Gives back what they own. */
void settings_release(settings *s);
bool settings_same(const settings *a, const settings *b);

#endif

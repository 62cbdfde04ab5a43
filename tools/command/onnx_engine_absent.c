/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Both models in ONNX Runtime, where the command was built without what loads it. */
#include "tools/command/commands.h"

static int absent(void) {
    return command_error("this tosajit was built without ONNX Runtime as a host; the cmake option "
                         "TOSAJIT_BUILD_ONNXRUNTIME brings it");
}

int onnx_check_words(const options *o) {
    (void)o;
    return absent();
}

int onnx_run_both(const options *o, bool had_regions, bool has_regions) {
    (void)o, (void)had_regions, (void)has_regions;
    return absent();
}

int onnx_optimize(const char *from, const char *to) {
    (void)from, (void)to;
    return absent();
}

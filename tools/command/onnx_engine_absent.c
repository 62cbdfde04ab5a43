/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Both models in ONNX Runtime, where the command was built without what loads it. */
#include "tools/command/commands.h"

int onnx_run_both(const options *o) {
    (void)o;
    return command_error("this tosajit was built without ONNX Runtime as a host; the cmake option "
                         "TOSAJIT_BUILD_ONNXRUNTIME brings it");
}

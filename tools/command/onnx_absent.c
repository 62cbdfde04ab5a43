/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit onnx where the command was built without protobuf-c. */
#include "tools/command/command.h"

int cmd_onnx(const options *o) {
    (void)o;
    return command_error("this tosajit was built without ONNX; install protobuf-c-compiler, "
                         "libprotobuf-c-dev and libonnx-dev, and build it again");
}

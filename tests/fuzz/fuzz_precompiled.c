/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fuzzer of the C API with an engine of precompiled ops; see api_program.h. */
#include "tests/fuzz/api_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tosajit_engine *shared;
    const tosajit_engine_options options = {
        .size = sizeof options, .backend = TOSAJIT_BACKEND_PRECOMPILED, .any_strides = 1};
    if (!shared) REQUIRE(tosajit_engine_create(&options, &shared) == TOSAJIT_OK);
    api_program_run(data, size, shared);
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host that runs a kernel which another program compiled: r = a + b. */
#include <stdio.h>
#include <string.h>
#include <tosajit/image.h>
#include <tosajit/inspect.h>

int main(int argc, char **argv) {
    tosajit_kernel *kernel;
    float a[3] = {1, 2, 3}, r[3] = {0};
    const int64_t dims[1] = {3}, wrong[1] = {2};
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    if (argc < 2 || tosajit_kernel_load_file(argv[1], NULL, &kernel) ||
        tosajit_run(kernel, (tosajit_tensor[]){x, x}, 2, &result, 1)) {
        puts(tosajit_last_error());
        return 1;
    }
    printf("%g %g %g, native: %d\n", (double)r[0], (double)r[1], (double)r[2],
           tosajit_kernel_is_native(kernel));
    x.dims = wrong;
    int refused =
        tosajit_run(kernel, (tosajit_tensor[]){x, x}, 2, &result, 1) == TOSAJIT_SHAPE_MISMATCH;
    tosajit_kernel_release(kernel);
#ifdef BOTH
    /* Errors of the one library are told by the other. */
    tosajit_engine_options options = {.size = sizeof options, .cpu = "abacus"};
    tosajit_engine *engine;
    if (!tosajit_engine_create(&options, &engine) || !strstr(tosajit_last_error(), "abacus"))
        return 1;
#endif
    return !(r[2] == 6 && refused && tosajit_last_error()[0]);
}

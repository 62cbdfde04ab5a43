/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host with names of its own that the library uses inside: they must not meet. */
#include <stdio.h>
#include <tosajit/image.h>
#include <tosajit/inspect.h>

int plan_make(void);
int plan_make(void) { return 7; }
int memory_free(void);
int memory_free(void) { return 8; }

int main(int argc, char **argv) {
    tosajit_engine *engine;
    tosajit_kernel *kernel;
    tosajit_tensor_type type = tosajit_ranked(TOSAJIT_F32, 1, (int64_t[]){TOSAJIT_DYNAMIC});
    float a[3] = {1, 2, 3}, r[3] = {0};
    const int64_t dims[1] = {3};
    tosajit_tensor x = tosajit_dense(TOSAJIT_F32, a, 1, dims),
                   result = tosajit_dense(TOSAJIT_F32, r, 1, dims);
    if (tosajit_engine_create(NULL, &engine) ||
        tosajit_compile(engine, TOSAJIT_OP_add, (tosajit_tensor_type[]){type, type}, 2, NULL, NULL,
                        &kernel) ||
        tosajit_run(kernel, (tosajit_tensor[]){x, x}, 2, &result, 1)) {
        puts(tosajit_last_error());
        return 1;
    }
    printf("%g %g %g, native: %d\n", (double)r[0], (double)r[1], (double)r[2],
           tosajit_kernel_is_native(kernel));
    if (argc > 1 && tosajit_kernel_save_file(kernel, argv[1])) {
        puts(tosajit_last_error());
        return 1;
    }
    tosajit_kernel_release(kernel);
    tosajit_engine_destroy(engine);
    return !(r[2] == 6 && plan_make() == 7 && memory_free() == 8);
}

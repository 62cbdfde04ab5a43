/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A host that knows nothing of this project but a library of operators, for processes that must
 * not have a compiler. It calls a model once, and says what the outputs and the process have:
 *
 *     onnxruntime_session LIBRARY MODEL IMAGES COMPILE   IMAGES: 0 or 1; COMPILE: background or now
 *
 * It prints a line with the numbers of each output of f32, and one "mapped NAME" for each library
 * of a compiler in the process. The inputs are 3 x 64 numbers from -96 * 0.0371 on. The session is
 * not closed, as hosts do that end in a hurry: what it holds is static, so that it is no leak. */
#include <stdio.h>
#include <string.h>

#include "tools/onnxruntime/host.h"

enum { ROWS = 3, COLS = 64, MOST_INPUTS = 2 };

static int fail(const ort_message *why) {
    fprintf(stderr, "%s\n", why->text);
    return 1;
}

static void print_mapped(void) {
    static const char *const names[] = {"libLLVM", "libtosajit-codegen", "libtosajit.so"};
    char line[4096];
    int found[3] = {0};
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        for (int k = 0; k < 3; k++) found[k] |= strstr(line, names[k]) != NULL;
    for (int k = 0; k < 3; k++)
        if (found[k]) printf("mapped %s\n", names[k]);
    if (maps) fclose(maps);
}

int main(int argc, char **argv) {
    static ort_message why;
    static float x[ROWS * COLS];
    static ort_host *host;
    static ort_session *session;
    static ort_results *results;
    if (argc != 5) return 2;
    const ort_entry entries[2] = {{"tosajit.images", argv[3]}, {"tosajit.compile", argv[4]}};
    const ort_session_options options = {
        .ops_library = argv[1], .threads = 1, .entries = entries, .entry_count = 2};
    for (int k = 0; k < ROWS * COLS; k++) x[k] = (float)(k - 96) * 0.0371f;
    const ort_tensor input = {ORT_F32, 2, {ROWS, COLS}, x, sizeof x},
                     inputs[MOST_INPUTS] = {input, input};
    if (!ort_host_open(NULL, &host, &why) ||
        !ort_session_open(host, argv[2], &options, &session, &why) ||
        !ort_session_run(session, inputs, &results, &why))
        return fail(&why);
    for (size_t k = 0; k < ort_session_output_count(session); k++) {
        const ort_tensor *y = ort_result(results, k);
        for (size_t i = 0; i < y->bytes / sizeof(float); i++)
            printf("%a ", (double)((const float *)y->data)[i]);
        putchar('\n');
    }
    print_mapped();
    return 0;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that are written whole: see output_file.h. The systems' rules for names are in
 * output_name.h. */
#include "tools/data/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/data/output_name.h"

bool output_file_open(const char *path, output_file *file) {
    *file = (output_file){0};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        return true;
    }
    file->stream = output_name_open(path, &file->target, &file->temporary);
    if (!file->stream) output_file_abort(file);
    return file->stream != NULL;
}

bool output_file_finish(output_file *file) {
    bool fine = !ferror(file->stream) && fflush(file->stream) == 0;
    if (fine && file->temporary) fine = output_name_keep(file->stream);
    int reason = errno;
    if (file->stream != stdout && fclose(file->stream) != 0 && fine) {
        reason = errno;
        fine = false;
    }
    file->stream = NULL;
    errno = reason;
    if (!fine) output_file_abort(file);
    return fine;
}

bool output_file_commit(output_file *file) {
    bool fine = !file->temporary || output_name_give(file->temporary, file->target);
    if (fine) {
        free(file->temporary);
        file->temporary = NULL;
    }
    output_file_abort(file); /* of a file that did not get its name; else only memory is left */
    return fine;
}

void output_file_abort(output_file *file) {
    int reason = errno;
    if (file->stream && file->stream != stdout) fclose(file->stream);
    if (file->temporary) remove(file->temporary);
    free(file->temporary);
    free(file->target);
    *file = (output_file){0};
    errno = reason;
}

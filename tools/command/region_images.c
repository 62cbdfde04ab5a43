/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names are the file's, whoever wrote it, so they may not lead out of the directory. */
#define _POSIX_C_SOURCE 200809L
#include "tools/command/region_images.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/system.h"
#include "tools/command/command.h"
#include "tools/data/output_file.h"
#include "tosajit/image.h"

int region_images_open(const options *o, region_images *images) {
    tosajit_accuracy accuracy;
    if (!options_accuracy("outline", o, &accuracy)) return EXIT_USAGE;
    if (!system_directory_make(images->directory) && errno != EEXIST)
        return command_error("%s: cannot be made: %s", images->directory, strerror(errno));
    int code = EXIT_FINE;
    if (o->targets)
        code = targets_open("outline", o->targets, accuracy, &images->targets);
    else if (targets_add(&images->targets, NULL, accuracy))
        code = EXIT_REFUSED;
    return code == EXIT_REFUSED ? command_error("%s", tosajit_last_error()) : code;
}

static bool is_file_name(const char *name) {
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c)) return false;
    return *name && *name != '.';
}

static int write_file(const char *path, const char *image, size_t size) {
    output_file out;
    bool fine = output_file_open(path, &out);
    if (fine) fwrite(image, 1, size, out.stream);
    fine = fine && output_file_finish(&out) && output_file_commit(&out);
    return fine ? EXIT_FINE : command_error("%s: cannot write: %s", path, strerror(errno));
}

int region_images_write(const region_images *images, const char *name, const tosajit_expr *expr) {
    const size_t capacity = strlen(images->directory) + strlen(name) + sizeof "/.image";
    char *path = malloc(capacity), *image = NULL;
    size_t size;
    int code = EXIT_FINE;
    if (!is_file_name(name))
        code = command_error("region @%s: an image cannot have that name", name);
    else if (!path)
        code = command_error("out of memory");
    else if (tosajit_compile_image(images->targets.engines, images->targets.count, expr, &image,
                                   &size))
        code = command_error("region @%s: %s", name, tosajit_last_error());
    if (code == EXIT_FINE) {
        snprintf(path, capacity, "%s/%s.image", images->directory, name);
        code = write_file(path, image, size);
    }
    tosajit_text_release(image);
    free(path);
    return code;
}

void region_images_close(region_images *images) { targets_close(&images->targets); }

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions as kernel images. In: their names and expressions; out: a file NAME.image for each in a
 * directory. */
#ifndef TOSAJIT_TOOLS_COMMAND_REGION_IMAGES_H
#define TOSAJIT_TOOLS_COMMAND_REGION_IMAGES_H

#include "tools/base/targets.h"

typedef struct region_images {
    const char *directory;
    targets targets;
} region_images;

/* Make the directory if there is none, and engines for the CPUs of o->targets, or for this one. An
 * exit code, after a message; in either case region_images_close. */
int region_images_open(const options *o, region_images *images);
/* The same. A name that is none of a file in the directory is refused. */
int region_images_write(const region_images *images, const char *name, const tosajit_expr *expr);
void region_images_close(region_images *images);

#endif

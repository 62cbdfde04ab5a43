/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forms of kernels: see forms.h. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "tests/numbers/forms.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum { PATH_SIZE = 64, CACHE_BYTES = 4 << 20 };

/* Engines for the same CPU as another one's, by its name. */
typedef struct relative {
    const char *name;
    tosajit_engine *background, *cached;
} relative;

struct forms {
    char directory[PATH_SIZE], file[PATH_SIZE + 16];
    relative relatives[TEST_MAX_ENGINES];
    size_t relative_count;
};

static const tosajit_load_options any_strides = {.size = sizeof any_strides, .any_strides = 1};

static tosajit_status relative_of(forms *f, const test_engine *engine, relative **found) {
    for (size_t k = 0; k < f->relative_count; k++)
        if (strcmp(f->relatives[k].name, engine->name) == 0)
            return *found = &f->relatives[k], TOSAJIT_OK;
    relative made = {.name = engine->name};
    tosajit_engine_options options = {.size = sizeof options,
                                      .backend = TOSAJIT_BACKEND_BACKGROUND,
                                      .cpu = engine->cpu,
                                      .any_strides = 1};
    tosajit_status status = tosajit_engine_create(&options, &made.background);
    options.backend = TOSAJIT_BACKEND_NATIVE;
    options.cache_directory = f->directory;
    options.cache_bytes = CACHE_BYTES;
    if (!status) status = tosajit_engine_create(&options, &made.cached);
    if (status) return tosajit_engine_destroy(made.background), status;
    *found = &f->relatives[f->relative_count++];
    **found = made;
    return TOSAJIT_OK;
}

static tosajit_status alone(forms *f, const test_engine *engine, const tosajit_expr *expr,
                            tosajit_kernel **kernel) {
    (void)f;
    return tosajit_compile_expr(engine->engine, expr, kernel);
}

static tosajit_status in_list(forms *f, const test_engine *engine, const tosajit_expr *expr,
                              tosajit_kernel **kernel) {
    (void)f;
    const tosajit_expr *twice[2] = {expr, expr};
    tosajit_kernel *made[2];
    const tosajit_status status = tosajit_compile_many(engine->engine, twice, 2, made, NULL);
    if (status) return status;
    tosajit_kernel_release(made[1]);
    *kernel = made[0];
    return TOSAJIT_OK;
}

/* Bytes of an image, which end where nothing of the library's own follows. */
static tosajit_status save(forms *f, const test_engine *engine, const tosajit_expr *expr,
                           void **image, size_t *size) {
    tosajit_kernel *made = NULL;
    tosajit_status status = alone(f, engine, expr, &made);
    if (!status) status = tosajit_kernel_save(made, NULL, 0, size);
    *image = status ? NULL : malloc(*size);
    if (!status && !*image) status = TOSAJIT_OUT_OF_MEMORY;
    if (!status) status = tosajit_kernel_save(made, *image, *size, size);
    tosajit_kernel_release(made);
    return status;
}

static tosajit_status from_image(forms *f, const test_engine *engine, const tosajit_expr *expr,
                                 tosajit_kernel **kernel) {
    void *image;
    size_t size;
    tosajit_status status = save(f, engine, expr, &image, &size);
    if (!status) status = tosajit_kernel_load(image, size, &any_strides, kernel);
    free(image);
    return status;
}

static tosajit_status from_file(forms *f, const test_engine *engine, const tosajit_expr *expr,
                                tosajit_kernel **kernel) {
    tosajit_kernel *made = NULL;
    tosajit_status status = alone(f, engine, expr, &made);
    if (!status) status = tosajit_kernel_save_file(made, f->file);
    tosajit_kernel_release(made);
    return status ? status : tosajit_kernel_load_file(f->file, &any_strides, kernel);
}

static tosajit_status with_image(forms *f, const test_engine *engine, const tosajit_expr *expr,
                                 tosajit_kernel **kernel) {
    (void)f;
    char *image;
    size_t size;
    tosajit_status refused = TOSAJIT_OK,
                   status = tosajit_compile_image(&engine->engine, 1, expr, &image, &size);
    if (status) return status;
    status = tosajit_compile_with_image(engine->engine, expr, image, size, kernel, &refused);
    tosajit_text_release(image);
    return status ? status : refused;
}

/* The first kernel leaves its code in the directory, where the second one finds it. */
static tosajit_status from_cache(forms *f, const test_engine *engine, const tosajit_expr *expr,
                                 tosajit_kernel **kernel) {
    relative *own;
    tosajit_kernel *first = NULL;
    tosajit_stats before = {.size = sizeof before}, behind = {.size = sizeof behind};
    tosajit_status status = relative_of(f, engine, &own);
    if (!status) status = tosajit_compile_expr(own->cached, expr, &first);
    tosajit_kernel_release(first);
    if (!status) status = tosajit_engine_stats(own->cached, &before);
    if (!status) status = tosajit_compile_expr(own->cached, expr, kernel);
    if (!status) status = tosajit_engine_stats(own->cached, &behind);
    if (status || behind.restored > before.restored) return status;
    tosajit_kernel_release(*kernel);
    return TOSAJIT_BAD_IMAGE;
}

static tosajit_status in_background(forms *f, const test_engine *engine, const tosajit_expr *expr,
                                    tosajit_kernel **kernel) {
    relative *own;
    const tosajit_status status = relative_of(f, engine, &own);
    return status ? status : tosajit_compile_expr(own->background, expr, kernel);
}

static const struct {
    const char *name;
    tosajit_status (*make)(forms *f, const test_engine *engine, const tosajit_expr *expr,
                           tosajit_kernel **kernel);
} all[] = {{"compiled", alone},
           {"in a list", in_list},
           {"from an image", from_image},
           {"from a file", from_file},
           {"with an image", with_image},
           {"from a cache", from_cache},
           {"in the background", in_background}};
enum { EVERYWHERE = 2, ALL = sizeof all / sizeof *all }; /* others need native code */

static size_t row_of(const test_engine *engine, uint64_t number) {
    return (size_t)(number % (engine->native ? ALL : EVERYWHERE));
}

const char *forms_name(const test_engine *engine, uint64_t number) {
    return all[row_of(engine, number)].name;
}

bool forms_is_later(const test_engine *engine, uint64_t number) {
    return all[row_of(engine, number)].make == in_background;
}

tosajit_status forms_make(forms *f, const test_engine *engine, uint64_t number,
                          const tosajit_expr *expr, tosajit_kernel **kernel) {
    return all[row_of(engine, number)].make(f, engine, expr, kernel);
}

forms *forms_open(void) {
    forms *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    snprintf(f->directory, sizeof f->directory, "/tmp/tosajit-forms-XXXXXX");
    if (!mkdtemp(f->directory)) {
        free(f);
        return NULL;
    }
    snprintf(f->file, sizeof f->file, "%s/kernel", f->directory);
    return f;
}

static void remove_directory(const char *path) {
    DIR *stream = opendir(path);
    char file[PATH_SIZE + 256];
    for (struct dirent *d; stream && (d = readdir(stream));) { /* "." and ".." stay */
        snprintf(file, sizeof file, "%s/%.200s", path, d->d_name);
        unlink(file);
    }
    if (stream) closedir(stream);
    rmdir(path);
}

void forms_close(forms *f) {
    if (!f) return;
    for (size_t k = 0; k < f->relative_count; k++) {
        tosajit_engine_destroy(f->relatives[k].background);
        tosajit_engine_destroy(f->relatives[k].cached);
    }
    remove_directory(f->directory);
    free(f);
}

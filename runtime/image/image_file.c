/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernel images: the public functions, in memory and in files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/diag.h"
#include "runtime/image/image.h"
#include "runtime/base/memory.h"
#include "runtime/base/options.h"
#include "runtime/system/system.h"
#include "tosajit/image.h"

tosajit_status tosajit_kernel_save(const tosajit_kernel *kernel, void *image, size_t capacity,
                                   size_t *size) {
    if (!kernel || !size)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "kernel_save: kernel or size is a null pointer");
    byte_writer w = {.allocator = kernel->allocator};
    tosajit_status status = image_of_kernel(kernel, &w);
    if (!status) {
        *size = w.size;
        if (image && w.size > capacity)
            status = diag_error(TOSAJIT_LIMIT_EXCEEDED,
                                "kernel_save: the image has %zu bytes, and there is room for %zu",
                                w.size, capacity);
        else if (image)
            memcpy(image, w.bytes, w.size);
    }
    bytes_release(&w);
    return status;
}

/* Arguments of every loading. */
typedef struct load_settings {
    tosajit_load_options options;
    tosajit_allocator allocator;
} load_settings;

static tosajit_status take_options(const tosajit_load_options *given, load_settings *s) {
    tosajit_status status =
        options_take(&s->options, sizeof s->options, given, "tosajit_load_options");
    if (!status) status = options_check_allocator(s->options.allocator);
    if (status) return status;
    if ((unsigned)s->options.backend > TOSAJIT_BACKEND_INTERPRET)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "kernel_load: backend %d loads no kernels",
                          (int)s->options.backend);
    if (s->options.parallel && !s->options.parallel->parallel_for)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "kernel_load: parallel->parallel_for is a null pointer");
    s->allocator = memory_allocator(s->options.allocator);
    return TOSAJIT_OK;
}

static tosajit_status load_image(const load_settings *s, const void *image, size_t size,
                                 const image_code *apart, tosajit_kernel **kernel) {
    tosajit_kernel *made;
    tosajit_status status =
        image_to_kernel(image, size, apart, s->options.backend, &s->allocator, &made);
    if (status) return status;
    if (s->options.parallel) made->parallel = *s->options.parallel;
    made->any_strides = s->options.any_strides != 0;
    *kernel = made;
    return TOSAJIT_OK;
}

tosajit_status tosajit_kernel_load(const void *image, size_t size,
                                   const tosajit_load_options *options, tosajit_kernel **kernel) {
    if (!image || !kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "kernel_load: image or kernel is a null pointer");
    load_settings s;
    tosajit_status status = take_options(options, &s);
    return status ? status : load_image(&s, image, size, NULL, kernel);
}

/* Files. */

static tosajit_status file_error(const char *what, const char *path) {
    const int error = errno;
    return diag_system(
        diag_error(TOSAJIT_INVALID_ARGUMENT, "%s %s: %s", what, path, strerror(error)), error);
}

/* Write beside the file and rename, so that the name is always that of a whole image. */
static tosajit_status write_file(const char *path, const byte_writer *w) {
    static atomic_uint counter;
    enum { SUFFIX = 48 };
    size_t capacity = strlen(path) + SUFFIX;
    char *temporary = memory_new(&w->allocator, capacity, 1);
    if (!temporary) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for a file name");
    snprintf(temporary, capacity, "%s.%ld.%u.tmp", path, system_process(),
             atomic_fetch_add(&counter, 1));
    const system_file file = system_file_open(SYSTEM_NO_FILE, temporary, SYSTEM_CREATE);
    const bool created = file != SYSTEM_NO_FILE;
    bool fine = created && system_file_write(file, w->bytes, w->size);
    if (created) fine = system_file_close(file) && fine;
    if (fine) fine = system_file_rename(SYSTEM_NO_FILE, temporary, path);
    tosajit_status status = fine ? TOSAJIT_OK : file_error("cannot write", path);
    if (!fine && created) (void)system_file_remove(SYSTEM_NO_FILE, temporary);
    memory_free(&w->allocator, temporary, capacity, 1);
    return status;
}

tosajit_status tosajit_kernel_save_file(const tosajit_kernel *kernel, const char *path) {
    if (!kernel || !path)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "kernel_save_file: kernel or path is a null pointer");
    system_file_info about;
    /* A device or pipe would be replaced; a directory, rename refuses. */
    if (system_file_look(SYSTEM_NO_FILE, path, true, &about) && !about.is_regular &&
        !about.is_directory)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "cannot write %s: it is no regular file", path);
    byte_writer w = {.allocator = kernel->allocator};
    tosajit_status status = image_of_kernel(kernel, &w);
    if (!status) status = write_file(path, &w);
    bytes_release(&w);
    return status;
}

static tosajit_status load_open_file(const load_settings *s, system_file file, const char *path,
                                     tosajit_kernel **kernel) {
    enum { LARGEST = 1 << 30 };
    system_file_info about;
    if (!system_file_about(file, &about)) return file_error("cannot read", path);
    if (!about.is_regular || about.size > LARGEST)
        return diag_error(TOSAJIT_BAD_IMAGE, "%s is no kernel image", path);
    size_t size = (size_t)about.size, got;
    unsigned char *bytes = memory_new(&s->allocator, size, 1);
    if (!bytes) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for %s", path);
    /* Fewer bytes if the file has become shorter; the image's checksum tells. */
    tosajit_status status =
        system_file_read(file, bytes, size, &got) ? TOSAJIT_OK : file_error("cannot read", path);
    if (!status) {
        status = load_image(s, bytes, got, NULL, kernel);
        if (status) diag_prefix(status, "%s: ", path);
    }
    memory_free(&s->allocator, bytes, size, 1);
    return status;
}

tosajit_status tosajit_kernel_load_file(const char *path, const tosajit_load_options *options,
                                        tosajit_kernel **kernel) {
    if (!path || !kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT,
                          "kernel_load_file: path or kernel is a null pointer");
    load_settings s;
    tosajit_status status = take_options(options, &s);
    if (status) return status;
    const system_file file = system_file_open(SYSTEM_NO_FILE, path, SYSTEM_READ);
    if (file == SYSTEM_NO_FILE) return file_error("cannot open", path);
    status = load_open_file(&s, file, path, kernel);
    system_file_close(file);
    return status;
}

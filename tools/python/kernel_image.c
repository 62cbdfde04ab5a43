/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a kernel. Out: an image. */
#include "tools/python/kernel_image.h"

#include "tools/python/errors.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"

/* Only native code can be saved, and it may still be in the making. */
static void settle(const kernel_object *k) {
    Py_BEGIN_ALLOW_THREADS tosajit_kernel_wait(k->kernel);
    Py_END_ALLOW_THREADS
}

PyObject *kernel_save(PyObject *self, PyObject *path) {
    const kernel_object *k = (kernel_object *)self;
    PyObject *bytes = NULL;
    if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
    settle(k);
    tosajit_status status = tosajit_kernel_save_file(k->kernel, PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    return errors_raise_file(k->state, status, path) ? NULL : Py_NewRef(Py_None);
}

PyObject *kernel_to_bytes(PyObject *self, PyObject *unused) {
    const kernel_object *k = (kernel_object *)self;
    size_t size = 0;
    (void)unused;
    settle(k);
    if (errors_raise(k->state, tosajit_kernel_save(k->kernel, NULL, 0, &size))) return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!bytes) return NULL;
    tosajit_status status = tosajit_kernel_save(k->kernel, PyBytes_AsString(bytes), size, &size);
    if (!errors_raise(k->state, status)) return bytes;
    Py_DECREF(bytes);
    return NULL;
}

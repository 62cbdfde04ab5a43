/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: an image. Out: a kernel. */
#include "tools/python/load.h"

#include "tools/python/errors.h"
#include "tools/python/kernel.h"
#include "tosajit/image.h"

static tosajit_status load_file(PyObject *path, const tosajit_load_options *options,
                                tosajit_kernel **kernel) {
    PyObject *bytes = NULL;
    if (!PyUnicode_FSConverter(path, &bytes)) return TOSAJIT_OK;
    tosajit_status status = tosajit_kernel_load_file(PyBytes_AsString(bytes), options, kernel);
    Py_DECREF(bytes);
    return status;
}

static tosajit_status load_bytes(PyObject *image, const tosajit_load_options *options,
                                 tosajit_kernel **kernel) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(image, &buffer, PyBUF_SIMPLE)) return TOSAJIT_OK;
    tosajit_status status = tosajit_kernel_load(buffer.buf, (size_t)buffer.len, options, kernel);
    PyBuffer_Release(&buffer);
    return status;
}

PyObject *kernel_load(PyObject *module, PyObject *image) {
    module_state *state = PyModule_GetState(module);
    const tosajit_load_options options = {.size = sizeof options, .any_strides = 1};
    tosajit_kernel *kernel = NULL;
    /* bytes could be a path, too; here they are what to_bytes gave */
    tosajit_status status = PyObject_CheckBuffer(image) ? load_bytes(image, &options, &kernel)
                                                        : load_file(image, &options, &kernel);
    if (errors_raise_file(state, status, image) || !kernel) return NULL;
    return kernel_make(state, kernel);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Demands on an object that a caller gives, and its refusal. */
#ifndef TOSAJIT_TOOLS_PYTHON_REQUEST_H
#define TOSAJIT_TOOLS_PYTHON_REQUEST_H

#include "tools/python/module.h"

typedef struct request {
    const char *role;     /* of the object in messages: "operand" or "result" */
    PyObject *name;       /* and its name, a str; null: none */
    tosajit_type element; /* that the kernel has there; TOSAJIT_TYPE_COUNT: any */
    int32_t rank;         /* the rank that one element stretches to; below 1: none */
    bool writable;
} request;

/* Raise "operand x: ...". The format is PyUnicode_FromFormat's, with one object. False always. */
bool request_refuse(module_state *state, const request *r, tosajit_status status,
                    const char *format, PyObject *detail);

#endif

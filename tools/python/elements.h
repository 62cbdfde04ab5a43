/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Element types by the names that others have for them. */
#ifndef TOSAJIT_TOOLS_PYTHON_ELEMENTS_H
#define TOSAJIT_TOOLS_PYTHON_ELEMENTS_H

#include "tools/python/dlpack.h"
#include "tools/python/module.h"

/* The type of a buffer's elements; TOSAJIT_TYPE_COUNT if it is none. wanted, the type that the
 * kernel has there (or TOSAJIT_TYPE_COUNT), decides where one format serves several types: bf16 and
 * the f8 have no format and come as unsigned bits, i48 comes in i64. */
tosajit_type elements_of_format(const char *format, Py_ssize_t size, tosajit_type wanted);
/* The same of a DLPack tensor. */
tosajit_type elements_of_dlpack(dlpack_element element, tosajit_type wanted);

/* The format of the extension's own arrays. */
const char *elements_format(tosajit_type element);
dlpack_element elements_dlpack(tosajit_type element);
/* "float32", the attribute of module numpy; uint16 and uint8 for bits that have no type there. */
const char *elements_numpy(tosajit_type element);

#endif

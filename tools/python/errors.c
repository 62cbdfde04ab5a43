/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a status and a sentence. Out: a Python exception that carries both. */
#include "tools/python/errors.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "tools/python/help.h"
#include "tosajit/inspect.h"

/* Each class is also one of Python's own, so a program that knows nothing of tosajit catches it. */
static const struct {
    const char *name, *doc;
    PyObject **python;
} CLASSES[MODULE_ERROR_COUNT] = {
    [MODULE_ERROR] = {"tosajit.Error", HELP_ERROR, &PyExc_Exception},
    [MODULE_ARGUMENT] = {"tosajit.ArgumentError", HELP_ARGUMENT_ERROR, &PyExc_ValueError},
    [MODULE_SHAPE] = {"tosajit.ShapeError", HELP_SHAPE_ERROR, &PyExc_ValueError},
    [MODULE_TYPE] = {"tosajit.ElementTypeError", HELP_TYPE_ERROR, &PyExc_TypeError},
    [MODULE_MEMORY] = {"tosajit.OutOfMemoryError", HELP_MEMORY_ERROR, &PyExc_MemoryError},
    [MODULE_COMPILE] = {"tosajit.CompileError", HELP_COMPILE_ERROR, &PyExc_RuntimeError},
    [MODULE_INDEX] = {"tosajit.IndexOutOfRangeError", HELP_INDEX_ERROR, &PyExc_IndexError},
};

static const module_error KINDS[] = {
    [TOSAJIT_INVALID_ARGUMENT] = MODULE_ARGUMENT,
    [TOSAJIT_TYPE_MISMATCH] = MODULE_TYPE,
    [TOSAJIT_SHAPE_MISMATCH] = MODULE_SHAPE,
    [TOSAJIT_UNRANKED_SHAPE] = MODULE_SHAPE,
    [TOSAJIT_BAD_ATTRIBUTE] = MODULE_ARGUMENT,
    [TOSAJIT_OVERLAP] = MODULE_SHAPE,
    [TOSAJIT_OVERFLOW] = MODULE_SHAPE,
    [TOSAJIT_LIMIT_EXCEEDED] = MODULE_ARGUMENT,
    [TOSAJIT_OUT_OF_MEMORY] = MODULE_MEMORY,
    [TOSAJIT_NOT_EXECUTABLE] = MODULE_COMPILE,
    [TOSAJIT_CODEGEN_FAILED] = MODULE_COMPILE,
    [TOSAJIT_BAD_IMAGE] = MODULE_ARGUMENT,
    [TOSAJIT_BAD_MODULE] = MODULE_ARGUMENT,
    [TOSAJIT_INDEX_OUT_OF_RANGE] = MODULE_INDEX,
};

/* Fields of an error beside its sentence; None where it has none. */
static const char *const FIELDS[] = {"status", "operation", "operand",
                                     "result", "dimension", "sizes"};

static PyObject *make_class(module_state *state, module_error kind) {
    if (kind == MODULE_ERROR) {
        PyObject *fields = PyDict_New(), *made = NULL;
        bool fine = fields != NULL;
        for (size_t k = 0; fine && k < sizeof FIELDS / sizeof *FIELDS; k++)
            fine = PyDict_SetItemString(fields, FIELDS[k], Py_None) == 0;
        if (fine)
            made = PyErr_NewExceptionWithDoc(CLASSES[kind].name, CLASSES[kind].doc, PyExc_Exception,
                                             fields);
        Py_XDECREF(fields);
        return made;
    }
    PyObject *bases = PyTuple_Pack(2, state->errors[MODULE_ERROR], *CLASSES[kind].python);
    if (!bases) return NULL;
    PyObject *made = PyErr_NewExceptionWithDoc(CLASSES[kind].name, CLASSES[kind].doc, bases, NULL);
    Py_DECREF(bases);
    return made;
}

bool errors_add(PyObject *module, module_state *state) {
    for (module_error k = MODULE_ERROR; k < MODULE_ERROR_COUNT; k++) {
        state->errors[k] = make_class(state, k);
        const char *name = CLASSES[k].name + sizeof "tosajit." - 1;
        if (!state->errors[k] || PyModule_AddObjectRef(module, name, state->errors[k]))
            return false;
    }
    return true;
}

/* Takes the value's reference. */
static bool set(PyObject *error, const char *field, PyObject *value) {
    const bool fine = value && PyObject_SetAttrString(error, field, value) == 0;
    Py_XDECREF(value);
    return fine;
}

static bool set_position(PyObject *error, const char *field, int32_t position) {
    return position < 0 || set(error, field, PyLong_FromLong(position));
}

static bool set_fields(PyObject *error, const tosajit_failure *f) {
    const char *op = tosajit_op_name(f->op);
    return (!op || set(error, "operation", PyUnicode_FromString(op))) &&
           set_position(error, "operand", f->operand) && set_position(error, "result", f->result) &&
           set_position(error, "dimension", f->dimension) &&
           (f->found == TOSAJIT_DYNAMIC || f->expected == TOSAJIT_DYNAMIC ||
            set(error, "sizes",
                Py_BuildValue("(LL)", (long long)f->found, (long long)f->expected)));
}

/* Takes the sentence's reference. failure may be null. */
static void raise(module_state *state, tosajit_status status, PyObject *sentence,
                  const tosajit_failure *failure) {
    module_error kind =
        (size_t)status < sizeof KINDS / sizeof *KINDS ? KINDS[status] : MODULE_ERROR;
    PyObject *error =
        sentence ? PyObject_CallFunctionObjArgs(state->errors[kind], sentence, NULL) : NULL;
    if (error && set(error, "status", PyUnicode_FromString(tosajit_status_name(status))) &&
        (!failure || set_fields(error, failure)))
        PyErr_SetObject(state->errors[kind], error);
    Py_XDECREF(error);
    Py_XDECREF(sentence);
}

bool errors_raise(module_state *state, tosajit_status status) {
    if (status == TOSAJIT_OK) return false;
    const char *text = tosajit_last_error();
    tosajit_failure failure = {.size = sizeof failure};
    tosajit_last_failure(&failure);
    raise(state, status, PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"), &failure);
    return true;
}

bool errors_raise_file(module_state *state, tosajit_status status, PyObject *path) {
    tosajit_failure failure = {.size = sizeof failure};
    if (!status || tosajit_last_failure(&failure) || !failure.system_error)
        return errors_raise(state, status);
    errno = failure.system_error;
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    return true;
}

/* "operand 1 " as "operand b "; takes the sentence's reference. */
static PyObject *name_operand(PyObject *sentence, Py_ssize_t position, PyObject *name) {
    PyObject *number = PyUnicode_FromFormat("operand %zd ", position);
    PyObject *word = PyUnicode_FromFormat("operand %U ", name);
    PyObject *named = number && word ? PyUnicode_Replace(sentence, number, word, -1) : NULL;
    Py_XDECREF(number);
    Py_XDECREF(word);
    Py_DECREF(sentence);
    return named;
}

void errors_name(const module_state *state, PyObject *names, Py_ssize_t operand_count) {
    PyObject *type, *value, *trace;
    if (!PyErr_Occurred() || !PyErr_ExceptionMatches(state->errors[MODULE_ERROR])) return;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *sentence = PyObject_Str(value);
    for (Py_ssize_t i = 0; sentence && i < operand_count; i++)
        sentence = name_operand(sentence, i, PyTuple_GetItem(names, i));
    PyObject *only = sentence ? PyTuple_Pack(1, sentence) : NULL;
    if (!only || PyObject_SetAttrString(value, "args", only)) PyErr_Clear(); /* as it was */
    Py_XDECREF(only);
    Py_XDECREF(sentence);
    PyErr_Restore(type, value, trace);
}

PyObject *errors_say(module_state *state, tosajit_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    raise(state, status, PyUnicode_FromFormatV(format, list), NULL);
    va_end(list);
    return NULL;
}

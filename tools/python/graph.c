/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: the arrays of a tosajit_graph as buffers, and a function. Out: its regions. A function of
 * Python's is called with Python's lock, which nobody else has meanwhile. */
#include "tools/python/graph.h"

#include "tools/python/errors.h"
#include "tosajit/graph.h"

enum {
    MEMBERS,
    OPERANDS,
    FIRST,
    PRODUCERS,
    KEPT,
    CONSTANTS,
    VIEWS,
    DUPLICATED,
    READ_ONCE,
    REGIONS,
    BUFFERS
};

static PyObject *list_numbers(const int32_t *numbers, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t k = 0; list && k < count; k++) {
        PyObject *number = PyLong_FromLong(numbers[k]);
        if (number && !PyList_SetItem(list, (Py_ssize_t)k, number)) continue;
        Py_DECREF(list);
        return NULL;
    }
    return list;
}

/* Asks the function about a region. With an exception it is any error, which nobody sees. */
static tosajit_status ask(void *function, const int32_t *ops, size_t count, int *accepted) {
    PyObject *list = list_numbers(ops, count);
    PyObject *answer = list ? PyObject_CallFunctionObjArgs(function, list, NULL) : NULL;
    const int truth = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    Py_XDECREF(list);
    *accepted = truth > 0;
    return truth < 0 ? TOSAJIT_INVALID_ARGUMENT : TOSAJIT_OK;
}

/* True if the buffers are as long as each other say. The library checks what is in them. */
static bool fit(const Py_buffer *b) {
    const Py_ssize_t size = sizeof(int32_t), ops = b[MEMBERS].len, values = b[KEPT].len;
    if (ops > INT32_MAX || values > INT32_MAX || b[FIRST].len != size * (ops + 1)) return false;
    const int32_t *first = b[FIRST].buf;
    return b[OPERANDS].len == size * first[ops] && b[PRODUCERS].len == size * values &&
           b[CONSTANTS].len == values && b[READ_ONCE].len == values && b[VIEWS].len == ops &&
           b[DUPLICATED].len == ops && b[REGIONS].len == size * ops;
}

static tosajit_status divide(const tosajit_graph *g, int32_t *regions) {
    if (g->accepts) return tosajit_partition(g, regions);
    tosajit_status status;
    Py_BEGIN_ALLOW_THREADS status = tosajit_partition(g, regions);
    Py_END_ALLOW_THREADS return status;
}

static PyObject *partition(module_state *state, const Py_buffer *b, tosajit_graph *g) {
    int32_t none; /* regions of no ops */
    if (!fit(b))
        return errors_say(state, TOSAJIT_INVALID_ARGUMENT,
                          "partition: the buffers do not fit together");
    g->op_count = (int32_t)b[MEMBERS].len;
    g->value_count = (int32_t)b[KEPT].len;
    g->members = b[MEMBERS].buf;
    g->operands = b[OPERANDS].buf;
    g->first_operand = b[FIRST].buf;
    g->producers = b[PRODUCERS].buf;
    g->kept = b[KEPT].buf;
    g->constants = b[CONSTANTS].buf;
    g->views = b[VIEWS].buf;
    g->duplicated = b[DUPLICATED].buf;
    g->read_once = b[READ_ONCE].buf;
    const tosajit_status status = divide(g, g->op_count ? b[REGIONS].buf : &none);
    if (PyErr_Occurred() || errors_raise(state, status)) return NULL;
    return Py_NewRef(Py_None);
}

PyObject *graph_partition(PyObject *module, PyObject *arguments, PyObject *named) {
    static char *names[] = {"members",      "operands", "first_operand", "producers", "kept",
                            "constants",    "views",    "duplicated",    "read_once", "most_ops",
                            "most_tensors", "accepts",  "regions",       NULL};
    Py_buffer b[BUFFERS] = {{0}};
    tosajit_graph g = {.size = sizeof g};
    PyObject *accepts;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "$y*y*y*y*y*y*y*y*y*iiOw*:partition", names,
                                     &b[MEMBERS], &b[OPERANDS], &b[FIRST], &b[PRODUCERS], &b[KEPT],
                                     &b[CONSTANTS], &b[VIEWS], &b[DUPLICATED], &b[READ_ONCE],
                                     &g.most_ops, &g.most_tensors, &accepts, &b[REGIONS]))
        return NULL;
    if (accepts != Py_None) g.accepts = ask, g.context = accepts;
    PyObject *result = partition(PyModule_GetState(module), b, &g);
    for (int k = 0; k < BUFFERS; k++) PyBuffer_Release(&b[k]);
    return result;
}

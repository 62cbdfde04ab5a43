/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text and arrays by name. Out: results, by a kernel for the arrays' types. An engine keeps
 * for each text the names of its operands, and a kernel for each list of types that it met. */
#include "tools/python/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "tools/python/call.h"
#include "tools/python/compile.h"
#include "tools/python/errors.h"

enum { MAX_TEXTS = 512, MAX_KERNELS = 32 };

/* Element types and ranks of all operands; kernels are dynamic in all sizes. */
typedef struct signature {
    uint8_t element[TOSAJIT_MAX_TENSORS], rank[TOSAJIT_MAX_TENSORS];
} signature;

typedef struct remembered {
    PyObject *names;  /* of operands: a tuple of str */
    Py_ssize_t count; /* of names */
    size_t kernels;   /* that were made; the last MAX_KERNELS of them are here */
    struct {
        signature types;
        kernel_object *kernel;
    } known[MAX_KERNELS];
} remembered;

static void forget_kernels(remembered *r) {
    const size_t count = r->kernels < MAX_KERNELS ? r->kernels : MAX_KERNELS;
    r->kernels = 0;
    for (size_t i = 0; i < count; i++) Py_DECREF((PyObject *)r->known[i].kernel);
}

static void forget(PyObject *capsule) {
    remembered *r = PyCapsule_GetPointer(capsule, NULL);
    forget_kernels(r);
    Py_XDECREF(r->names);
    free(r);
}

/* Lines as a tuple of interned strings. */
static PyObject *split(const char *lines) {
    PyObject *list = PyList_New(0);
    while (list && *lines) {
        size_t length = strcspn(lines, "\n");
        PyObject *name = PyUnicode_FromStringAndSize(lines, (Py_ssize_t)length);
        if (name) PyUnicode_InternInPlace(&name);
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
        lines += length + (lines[length] == '\n');
    }
    PyObject *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

static PyObject *read_names(engine_object *e, PyObject *text) {
    Py_ssize_t length = 0;
    char *lines = NULL;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (!bytes || errors_raise(e->state, tosajit_expr_operands(bytes, (size_t)length, &lines)))
        return NULL;
    PyObject *names = split(lines);
    tosajit_text_release(lines);
    return names;
}

/* The oldest text goes when there are too many. */
static bool make_room(PyObject *dict) {
    Py_ssize_t at = 0;
    PyObject *oldest;
    if (PyDict_Size(dict) < MAX_TEXTS || !PyDict_Next(dict, &at, &oldest, NULL)) return true;
    Py_INCREF(oldest);
    int failed = PyDict_DelItem(dict, oldest);
    Py_DECREF(oldest);
    return !failed;
}

/* What is known of a text, as a new reference to its capsule. */
static PyObject *look_up(engine_object *e, PyObject *text) {
    PyObject *capsule = PyDict_GetItemWithError(e->remembered, text);
    if (capsule || PyErr_Occurred()) return Py_XNewRef(capsule);
    PyObject *names = read_names(e, text);
    if (!names) return NULL;
    remembered *r = calloc(1, sizeof *r);
    capsule = r ? PyCapsule_New(r, NULL, forget) : PyErr_NoMemory();
    if (!capsule) {
        free(r);
        Py_DECREF(names);
        return NULL;
    }
    r->names = names;
    r->count = PyTuple_Size(names);
    if (make_room(e->remembered) && !PyDict_SetItem(e->remembered, text, capsule)) return capsule;
    Py_DECREF(capsule);
    return NULL;
}

/* The operand of a name, with i as the place where it usually is; -1: none. */
static Py_ssize_t place(const remembered *r, PyObject *name, Py_ssize_t i) {
    if (i < r->count && PyTuple_GetItem(r->names, i) == name) return i;
    for (i = 0; i < r->count; i++)
        if (!PyUnicode_Compare(PyTuple_GetItem(r->names, i), name)) return i;
    return -1;
}

static bool bind(const remembered *r, PyObject *keywords, PyObject *const *values, call_given *g) {
    Py_ssize_t count = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < r->count; i++) g->objects[i] = NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GetItem(keywords, i);
        Py_ssize_t operand = place(r, name, i);
        if (operand >= 0)
            g->objects[operand] = values[i];
        else if (!PyUnicode_CompareWithASCIIString(name, "out"))
            g->out = values[i];
        else {
            PyErr_Format(PyExc_TypeError, "the text has no operand %R; it has %R", name, r->names);
            return false;
        }
    }
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (g->objects[i]) continue;
        PyErr_Format(PyExc_TypeError, "operand %R is missing", PyTuple_GetItem(r->names, i));
        return false;
    }
    return true;
}

/* Numbers have the element type of the arrays, which must be one then. TOSAJIT_TYPE_COUNT with an
 * exception if there is none. */
static tosajit_type common_type(engine_object *e, const remembered *r, const call_given *g,
                                const view *views) {
    tosajit_type common = TOSAJIT_TYPE_COUNT;
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (view_is_number(g->objects[i]) || PyBool_Check(g->objects[i])) continue;
        tosajit_type element = views[i].tensor.element;
        if (common != TOSAJIT_TYPE_COUNT && common != element) {
            errors_say(e->state, TOSAJIT_TYPE_MISMATCH,
                       "the arrays are of %s and %s, so a number has no type; pass it as an array",
                       tosajit_type_name(common), tosajit_type_name(element));
            return TOSAJIT_TYPE_COUNT;
        }
        common = element;
    }
    if (common == TOSAJIT_TYPE_COUNT)
        errors_say(e->state, TOSAJIT_TYPE_MISMATCH, "at least one operand is an array");
    return common;
}

/* Arrays and bools first, then numbers: taken[i] tells which are held. */
static bool take(engine_object *e, const remembered *r, const call_given *g, view *views,
                 bool *taken) {
    Py_ssize_t numbers = 0;
    request ask = {"operand", NULL, TOSAJIT_TYPE_COUNT, 0, false};
    for (Py_ssize_t i = 0; i < r->count; i++) {
        taken[i] = false;
        if (view_is_number(g->objects[i])) {
            numbers++;
            continue;
        }
        ask.name = PyTuple_GetItem(r->names, i);
        ask.element = PyBool_Check(g->objects[i]) ? TOSAJIT_I1 : TOSAJIT_TYPE_COUNT;
        taken[i] = view_take(e->state, &views[i], g->objects[i], &ask);
        if (!taken[i]) {
            while (++i < r->count) taken[i] = false;
            return false;
        }
    }
    if (!numbers) return true;
    ask.element = common_type(e, r, g, views);
    for (Py_ssize_t i = 0; i < r->count && ask.element != TOSAJIT_TYPE_COUNT; i++) {
        ask.name = PyTuple_GetItem(r->names, i);
        if (taken[i]) continue;
        if (!view_take(e->state, &views[i], g->objects[i], &ask)) return false;
        taken[i] = true;
    }
    return ask.element != TOSAJIT_TYPE_COUNT;
}

/* Where the kernel for these types is; MAX_KERNELS: nowhere. */
static size_t find(const remembered *r, const signature *types) {
    for (size_t i = 0; i < MAX_KERNELS && i < r->kernels; i++) {
        const signature *known = &r->known[i].types;
        if (!memcmp(known->element, types->element, (size_t)r->count) &&
            !memcmp(known->rank, types->rank, (size_t)r->count))
            return i;
    }
    return MAX_KERNELS;
}

static kernel_object *compile_for(engine_object *e, PyObject *text, const remembered *r,
                                  const signature *types, bool quick) {
    tosajit_named_type *named = calloc((size_t)r->count + 1, sizeof *named);
    if (!named) return (kernel_object *)PyErr_NoMemory();
    bool ready = true;
    for (Py_ssize_t i = 0; i < r->count && ready; i++) {
        named[i].name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(r->names, i), NULL);
        named[i].type.element = (tosajit_type)types->element[i];
        named[i].type.rank = types->rank[i];
        for (int32_t d = 0; d < types->rank[i]; d++) named[i].type.dims[d] = TOSAJIT_DYNAMIC;
        ready = named[i].name;
    }
    const compile_given given = {text, named, (size_t)r->count, quick};
    PyObject *kernel = ready ? compile_text(e, &given) : NULL;
    free(named);
    return (kernel_object *)kernel;
}

/* The types with bools as numbers. False if there are none, or an exception says why not. */
static bool count_bools(engine_object *e, const remembered *r, const call_given *g,
                        const view *views, signature *types) {
    const tosajit_type common = common_type(e, r, g, views);
    bool any = false;
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (!PyBool_Check(g->objects[i])) continue;
        types->element[i] = (uint8_t)common;
        any = true;
    }
    return any && common != TOSAJIT_TYPE_COUNT;
}

/* Bools are i1, as masks are. Where the text is defined for numbers alone they are numbers, as in
 * NumPy; where for neither, the exception is about i1. */
static kernel_object *compile(engine_object *e, PyObject *text, const remembered *r,
                              const call_given *g, const view *views, signature types, bool quick) {
    PyObject *type, *value, *trace;
    kernel_object *kernel = compile_for(e, text, r, &types, quick);
    if (kernel) return kernel;
    PyErr_Fetch(&type, &value, &trace);
    if (count_bools(e, r, g, views, &types)) kernel = compile_for(e, text, r, &types, quick);
    PyErr_Restore(type, value, trace);
    if (kernel) PyErr_Clear();
    return kernel;
}

/* A text that comes again is worth compiling. Where that fails the quick one goes on answering. */
static void improve(engine_object *e, PyObject *text, remembered *r, const call_given *g,
                    const view *views, size_t slot) {
    kernel_object *old = r->known[slot].kernel;
    const signature types = r->known[slot].types;
    old->quick = false; /* once */
    Py_INCREF((PyObject *)old);
    kernel_object *kernel = compile(e, text, r, g, views, types, false);
    if (!kernel) PyErr_Clear();
    if (kernel && find(r, &types) == slot) { /* other threads may have come meanwhile */
        Py_DECREF((PyObject *)r->known[slot].kernel);
        r->known[slot].kernel = (kernel_object *)Py_NewRef((PyObject *)kernel);
    }
    Py_XDECREF((PyObject *)kernel);
    Py_DECREF((PyObject *)old);
}

/* A new reference to the kernel for these views. */
static kernel_object *kernel_for(engine_object *e, PyObject *text, remembered *r,
                                 const call_given *g, const view *views) {
    signature types;
    for (Py_ssize_t i = 0; i < r->count; i++) {
        types.element[i] = (uint8_t)views[i].tensor.element;
        types.rank[i] = (uint8_t)views[i].tensor.rank;
    }
    size_t slot = find(r, &types);
    if (slot < MAX_KERNELS) {
        if (r->known[slot].kernel->quick) improve(e, text, r, g, views, slot);
        return (kernel_object *)Py_NewRef((PyObject *)r->known[slot].kernel);
    }
    kernel_object *kernel = compile(e, text, r, g, views, types, true);
    if (!kernel && r->kernels && PyErr_ExceptionMatches(e->state->errors[MODULE_ARGUMENT])) {
        PyErr_Clear(); /* there may be no room for more kernels of this text */
        forget_kernels(r);
        kernel = compile(e, text, r, g, views, types, true);
    }
    if (!kernel) return NULL;
    slot = r->kernels++ % MAX_KERNELS;
    PyObject *old = r->kernels > MAX_KERNELS ? (PyObject *)r->known[slot].kernel : NULL;
    r->known[slot].types = types;
    r->known[slot].kernel = (kernel_object *)Py_NewRef((PyObject *)kernel);
    Py_XDECREF(old);
    return kernel;
}

/* Bools again, as what the kernel takes them for. */
static bool take_bools(const kernel_object *k, const call_given *g, view *views) {
    for (Py_ssize_t i = 0; i < k->operand_count; i++) {
        const request ask = {"operand", PyTuple_GetItem(k->names, i), k->tensors[i].element, 0,
                             false};
        if (PyBool_Check(g->objects[i]) && !view_take(k->state, &views[i], g->objects[i], &ask))
            return false;
    }
    return true;
}

static PyObject *run(engine_object *e, PyObject *text, remembered *r, call_given *given) {
    view views[TOSAJIT_MAX_TENSORS];
    bool taken[TOSAJIT_MAX_TENSORS];
    PyObject *result = NULL;
    kernel_object *kernel = NULL;
    if (take(e, r, given, views, taken)) kernel = kernel_for(e, text, r, given, views);
    if (kernel && take_bools(kernel, given, views)) result = call_run(kernel, given, views);
    for (Py_ssize_t i = 0; i < r->count; i++)
        if (taken[i]) view_release(&views[i]);
    Py_XDECREF((PyObject *)kernel);
    return result;
}

PyObject *evaluate(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    engine_object *e = (engine_object *)self;
    if (count != 1 || !PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "evaluate takes a text, and operands by their names");
        return NULL;
    }
    PyObject *capsule = look_up(e, args[0]);
    if (!capsule) return NULL;
    remembered *r = PyCapsule_GetPointer(capsule, NULL);
    call_given given;
    given.out = NULL;
    PyObject *result = NULL;
    if (r->count > TOSAJIT_MAX_TENSORS)
        errors_say(e->state, TOSAJIT_LIMIT_EXCEEDED, "the text has %zd operands; 64 is the most",
                   r->count);
    else if (bind(r, keywords, args + 1, &given))
        result = run(e, args[0], r, &given);
    Py_DECREF(capsule);
    return result;
}

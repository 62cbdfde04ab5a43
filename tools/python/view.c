/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: an object and what is asked of it. Out: a tensor that refers to the object's memory. */
#include "tools/python/view.h"

#include <string.h>

#include "tools/data/element.h"
#include "tools/python/elements.h"
#include "tools/python/numpy.h"
#include "tools/python/view_dlpack.h"

/* One element stretches to any rank. */
static const int64_t ONES[TOSAJIT_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static bool integer_fits(tosajit_type type, long long value) {
    if (type == TOSAJIT_I1) return value == 0 || value == 1;
    if (type == TOSAJIT_I64) return true;
    if (type == TOSAJIT_U64) return value >= 0;
    int bits = type == TOSAJIT_I48 ? 48 : (int)tosajit_type_size(type) * 8;
    if (element_is_unsigned(type)) return 0 <= value && value >> bits == 0;
    long long half = 1LL << (bits - 1);
    return -half <= value && value < half;
}

view *view_room(view few[VIEW_FEW], Py_ssize_t count) {
    view *room = count > VIEW_FEW ? PyMem_Malloc((size_t)count * sizeof *room) : few;
    if (!room) PyErr_NoMemory();
    return room;
}

/* The bits of a number of the type; false, without an exception, if it is none. One of u64 may be
 * beyond long long. */
static bool take_integer(PyObject *integer, tosajit_type type, int64_t *bits) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    *bits = value;
    if (overflow <= 0 || type != TOSAJIT_U64) return !overflow && integer_fits(type, value);
    const unsigned long long natural = PyLong_AsUnsignedLongLong(integer);
    const bool fits = natural != (unsigned long long)-1 || !PyErr_Occurred();
    if (!fits) PyErr_Clear();
    *bits = (int64_t)natural;
    return fits;
}

bool view_fits(PyObject *integer, tosajit_type type) {
    int64_t bits;
    return take_integer(integer, type, &bits);
}

/* The format is for the name of the request's type. */
static bool refuse_number(module_state *state, const request *r, tosajit_status status,
                          const char *format) {
    PyObject *type = PyUnicode_FromString(tosajit_type_name(r->element));
    if (type) request_refuse(state, r, status, format, type);
    Py_XDECREF(type);
    return false;
}

static bool store_integer(module_state *state, view *v, PyObject *object, const request *r) {
    int64_t value;
    if (PyFloat_CheckExact(object))
        return refuse_number(state, r, TOSAJIT_TYPE_MISMATCH, "a float is no value of %U");
    const bool fits = take_integer(object, r->element, &value);
    if (value == -1 && PyErr_Occurred()) return false;
    if (!fits)
        return refuse_number(state, r, TOSAJIT_BAD_ATTRIBUTE, "the number is no value of %U");
    element_store_integer(r->element, value, &v->from.number);
    return true;
}

static bool take_number(module_state *state, view *v, PyObject *object, const request *r) {
    if (r->writable)
        return request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT, "%R is no array", object);
    v->source = VIEW_NUMBER;
    v->from.number = 0;
    v->tensor = tosajit_dense(r->element, &v->from.number, 0, ONES);
    if (!element_is_float(r->element)) return store_integer(state, v, object, r);
    double value = PyFloat_AsDouble(object);
    if (value == -1 && PyErr_Occurred()) return false;
    element_store_float(r->element, value, &v->from.number);
    return true;
}

/* Names of formats among those who have such arrays. */
static const char *called(const char *format) {
    static const char *const names[][2] = {{"Zf", "complex64"},
                                           {"Zd", "complex128"},
                                           {"Zg", "clongdouble"},
                                           {"g", "longdouble"},
                                           {"O", "object"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(format, names[k][0])) return names[k][1];
    return NULL;
}

static bool refuse_format(module_state *state, const char *format, const request *r) {
    if (!format) format = "B";
    const char *name = called(format);
    const bool big_endian = *format && strchr(">!", *format);
    PyObject *text = PyUnicode_DecodeUTF8(name ? name : format,
                                          (Py_ssize_t)strlen(name ? name : format), "replace");
    if (!text) return false;
    request_refuse(state, r, TOSAJIT_TYPE_MISMATCH,
                   big_endian ? "elements of format '%U' are big-endian, which this machine is not"
                   : name ? "elements of %U are none of bool, int8, int16, int32, int64, uint8, "
                            "uint16, uint32, uint64, float16, float32 and float64"
                          : "elements of format '%U' are none of bool, int8, int16, int32, int64, "
                            "uint8, uint16, uint32, uint64, float16, float32 and float64",
                   text);
    Py_DECREF(text);
    return false;
}

static bool has_pointers(const Py_buffer *b) {
    for (int d = 0; d < b->ndim && b->suboffsets; d++)
        if (b->suboffsets[d] >= 0) return true;
    return false;
}

/* Complains of answers that an exporter should not give to the flags of take_buffer, but may. */
static const char *complaint(const Py_buffer *b) {
    if (b->ndim < 0) return "%R has a negative number of dimensions";
    if (b->ndim > 1 && !b->shape) return "%R has several dimensions, but tells no sizes";
    if (has_pointers(b)) return "%R has pointers to its rows (suboffsets), and no strides";
    return NULL;
}

/* The protocol lets an exporter leave out sizes of one dimension, and strides of dense ones. */
static bool view_buffer(module_state *state, view *v, PyObject *type, const request *r) {
    const Py_buffer *b = &v->from.buffer;
    tosajit_type element = elements_of_format(b->format, b->itemsize, r->element);
    if (element == TOSAJIT_TYPE_COUNT) return refuse_format(state, b->format, r);
    if (b->ndim > TOSAJIT_MAX_RANK)
        return request_refuse(state, r, TOSAJIT_LIMIT_EXCEEDED, "%R of more than 16 dimensions",
                              type);
    const char *wrong = complaint(b);
    if (wrong) return request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT, wrong, type);
    if (r->writable && b->readonly)
        return request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT, "the %R is read-only", type);
    v->size = b->len / b->itemsize;
    const int64_t *dims = b->shape ? (const int64_t *)b->shape : &v->size;
    const int64_t *strides = (const int64_t *)b->strides;
    v->tensor = (tosajit_tensor){element, b->ndim, b->buf, dims, NULL};
    if (!view_is_dense(b->ndim, dims, strides, b->itemsize)) v->tensor.strides = strides;
    return true;
}

/* The bits of an array whose elements have no format. */
static bool take_bits(module_state *state, view *v, PyObject *bits, tosajit_type element,
                      const request *r) {
    request own = *r;
    if (r->element != TOSAJIT_TYPE_COUNT && r->element != element) {
        PyObject *name = PyUnicode_FromString(tosajit_type_name(element));
        if (name) request_refuse(state, r, TOSAJIT_TYPE_MISMATCH, "its elements are of %U", name);
        Py_XDECREF(name);
        return false;
    }
    own.element = element;
    v->bits = true;
    if (PyObject_GetBuffer(bits, &v->from.buffer, PyBUF_STRIDES | PyBUF_FORMAT)) return false;
    if (view_buffer(state, v, (PyObject *)Py_TYPE(bits), &own)) return true;
    PyBuffer_Release(&v->from.buffer);
    return false;
}

/* Of an object that has the protocol, but refused; the exception says why. It stays if there is no
 * other way either. */
static bool take_otherwise(module_state *state, view *v, PyObject *object, const request *r) {
    PyObject *type, *value, *trace;
    tosajit_type element;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *bits = numpy_bits(state, object, &element);
    const bool lends =
        !bits && !numpy_is_array(state, object) && PyObject_HasAttrString(object, "__dlpack__");
    const bool taken = bits ? take_bits(state, v, bits, element, r)
                            : lends && view_take_dlpack(state, v, object, r);
    Py_XDECREF(bits);
    if (bits || lends) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    } else {
        PyErr_Restore(type, value, trace);
    }
    return taken;
}

static bool take_buffer(module_state *state, view *v, PyObject *object, const request *r) {
    v->source = VIEW_BUFFER;
    if (numpy_is_masked(state, object))
        return request_refuse(state, r, TOSAJIT_INVALID_ARGUMENT,
                              "%R has a mask, which would be lost; pass x.data or x.filled(value)",
                              (PyObject *)Py_TYPE(object));
    if (PyObject_GetBuffer(object, &v->from.buffer, PyBUF_STRIDES | PyBUF_FORMAT))
        return take_otherwise(state, v, object, r);
    bool taken = view_buffer(state, v, (PyObject *)Py_TYPE(object), r);
    if (taken && v->tensor.rank && numpy_is_scalar(state, object)) /* of a date: its bytes */
        taken = request_refuse(state, r, TOSAJIT_TYPE_MISMATCH, "a %R is no number",
                               (PyObject *)Py_TYPE(object));
    if (!taken) PyBuffer_Release(&v->from.buffer);
    return taken;
}

/* A scalar of NumPy where the type is known: a number. */
static bool take_plain(module_state *state, view *v, PyObject *object, const request *r) {
    PyObject *plain = r->element == TOSAJIT_TYPE_COUNT ? NULL : numpy_plain(state, object);
    if (!plain) return !PyErr_Occurred() && take_buffer(state, v, object, r);
    const bool taken = take_number(state, v, plain, r);
    Py_DECREF(plain);
    return taken;
}

/* Others may drop the array while it is computed with, without Python's lock. */
static bool take_array(view *v, PyObject *array, const numpy_sight *seen) {
    v->source = VIEW_ARRAY;
    v->bits = seen->bits;
    v->from.array = Py_NewRef(array);
    for (int32_t d = 0; d < seen->rank; d++) {
        v->dims[d] = seen->dims[d];
        v->strides[d] = seen->strides[d];
    }
    const int64_t unit = (int64_t)tosajit_type_size(seen->element);
    v->tensor = (tosajit_tensor){seen->element, seen->rank, seen->data, v->dims, NULL};
    if (!view_is_dense(seen->rank, v->dims, v->strides, unit)) v->tensor.strides = v->strides;
    return true;
}

bool view_take(module_state *state, view *v, PyObject *object, const request *r) {
    numpy_sight seen;
    v->bits = false;
    bool taken = numpy_see(state, object, r->element, r->writable, &seen)
                     ? take_array(v, object, &seen)
                 : view_is_number(object) || PyBool_Check(object) ? take_number(state, v, object, r)
                 : PyObject_CheckBuffer(object)                   ? take_plain(state, v, object, r)
                                                : view_take_dlpack(state, v, object, r);
    if (taken && v->tensor.rank == 0 && r->rank > 0 && !r->writable) {
        v->tensor.rank = r->rank;
        v->tensor.dims = ONES;
    }
    return taken;
}

void view_release(view *v) {
    if (v->source == VIEW_BUFFER)
        PyBuffer_Release(&v->from.buffer);
    else if (v->source == VIEW_ARRAY)
        Py_DECREF(v->from.array);
    else if (v->source == VIEW_DLPACK || v->source == VIEW_VERSIONED)
        view_release_dlpack(v);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: an element type and sizes. Out: an object with memory of its own. */
#include "tools/python/array.h"

#include "tools/data/element.h"
#include "tools/python/array_dlpack.h"
#include "tools/python/dlpack.h"
#include "tools/python/elements.h"
#include "tools/python/help.h"

PyObject *array_object_make(module_state *state, tosajit_type element, int32_t rank,
                            const int64_t *dims) {
    array_object *a = PyObject_New(array_object, state->array);
    if (!a) return NULL;
    a->memory = NULL;
    a->element = element;
    a->rank = rank;
    a->bytes = (Py_ssize_t)tosajit_type_size(element);
    bool overflow = false;
    for (int32_t d = rank; d-- > 0;) {
        a->dims[d] = dims[d];
        a->strides[d] = a->bytes;
        overflow |= __builtin_mul_overflow(a->bytes, dims[d], &a->bytes);
    }
    a->memory = overflow ? NULL : array_memory_make((size_t)a->bytes);
    if (a->memory) return (PyObject *)a;
    Py_DECREF(a);
    return PyErr_NoMemory();
}

static void array_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    array_memory *memory = ((array_object *)self)->memory;
    if (memory) array_memory_release(memory);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* True if Fortran's order is C's, too: at most one size is not 1. */
static bool either_order(const array_object *a) {
    int larger = 0;
    for (int32_t d = 0; d < a->rank; d++) larger += a->dims[d] != 1;
    return larger <= 1 || !a->bytes;
}

static int array_buffer(PyObject *self, Py_buffer *buffer, int flags) {
    array_object *a = (array_object *)self;
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !either_order(a)) {
        buffer->obj = NULL;
        PyErr_SetString(PyExc_BufferError, "the last dimension is the innermost one");
        return -1;
    }
    *buffer = (Py_buffer){.buf = a->memory->data,
                          .obj = Py_NewRef(self),
                          .len = a->bytes,
                          .itemsize = (Py_ssize_t)tosajit_type_size(a->element),
                          .ndim = a->rank};
    if (flags & PyBUF_FORMAT) buffer->format = (char *)elements_format(a->element);
    if (flags & PyBUF_ND) buffer->shape = a->dims;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) buffer->strides = a->strides;
    if (!(flags & PyBUF_ND)) buffer->ndim = 1; /* bytes, as the protocol has it */
    return 0;
}

static PyObject *sizes(const array_object *a, int32_t rank) {
    PyObject *tuple = PyTuple_New(rank);
    for (int32_t d = 0; tuple && d < rank; d++) {
        PyObject *size = PyLong_FromSsize_t(a->dims[d]);
        if (size && !PyTuple_SetItem(tuple, d, size)) continue;
        Py_DECREF(tuple);
        return NULL;
    }
    return tuple;
}

static PyObject *get_shape(PyObject *self, void *unused) {
    (void)unused;
    return sizes((array_object *)self, ((array_object *)self)->rank);
}
static PyObject *get_dtype(PyObject *self, void *unused) {
    (void)unused;
    return PyUnicode_FromString(tosajit_type_name(((array_object *)self)->element));
}
static PyObject *get_ndim(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLong(((array_object *)self)->rank);
}
static PyObject *get_nbytes(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSsize_t(((array_object *)self)->bytes);
}

static PyObject *element_object(tosajit_type element, const char *at) {
    if (element_is_float(element)) return PyFloat_FromDouble(element_value(element, at));
    if (element == TOSAJIT_I1) return PyBool_FromLong(*at);
    uint64_t bits = element_bits(element, at);
    if (element_is_unsigned(element)) return PyLong_FromUnsignedLongLong(bits);
    int shift = 64 - 8 * (int)tosajit_type_size(element);
    return PyLong_FromLongLong((long long)(bits << shift) >> shift);
}

static PyObject *list_from(const array_object *a, int32_t d, const char *at) {
    if (d == a->rank) return element_object(a->element, at);
    PyObject *list = PyList_New(a->dims[d]);
    for (Py_ssize_t i = 0; list && i < a->dims[d]; i++) {
        PyObject *item = list_from(a, d + 1, at + i * a->strides[d]);
        if (item && !PyList_SetItem(list, i, item)) continue;
        Py_DECREF(list);
        return NULL;
    }
    return list;
}
static PyObject *array_tolist(PyObject *self, PyObject *unused) {
    (void)unused;
    return list_from((array_object *)self, 0, ((array_object *)self)->memory->data);
}

static PyObject *array_device(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return Py_BuildValue("(ii)", DLPACK_CPU, 0);
}

static Py_ssize_t array_length(PyObject *self) {
    const array_object *a = (array_object *)self;
    if (a->rank > 0) return a->dims[0];
    PyErr_SetString(PyExc_TypeError, "an array without dimensions has no length");
    return -1;
}

static PyObject *array_repr(PyObject *self) {
    const array_object *a = (array_object *)self;
    PyObject *shape = sizes(a, a->rank);
    PyObject *text = shape ? PyUnicode_FromFormat("tosajit.Array(shape=%R, dtype='%s')", shape,
                                                  tosajit_type_name(a->element))
                           : NULL;
    Py_XDECREF(shape);
    return text;
}

static PyMethodDef METHODS[] = {
    {"tolist", array_tolist, METH_NOARGS, HELP_TOLIST},
    {"__dlpack__", MODULE_FUNCTION(array_dlpack), METH_VARARGS | METH_KEYWORDS,
     "A DLPack capsule of the same memory."},
    {"__dlpack_device__", array_device, METH_NOARGS, "(1, 0): the CPU."},
    {0}};

static PyGetSetDef ATTRIBUTES[] = {
    {"shape", get_shape, NULL, "The size of each dimension, as a tuple.", NULL},
    {"dtype", get_dtype, NULL, "The element type by the library's name: 'f32'.", NULL},
    {"ndim", get_ndim, NULL, "The number of dimensions.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
    {0}};

bool array_type_add(PyObject *module, module_state *state) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, array_dealloc}, {Py_tp_repr, array_repr},
                                  {Py_tp_methods, METHODS},       {Py_tp_getset, ATTRIBUTES},
                                  {Py_sq_length, array_length},   {Py_bf_getbuffer, array_buffer},
                                  {Py_tp_doc, HELP_ARRAY},        {0, NULL}};
    static PyType_Spec spec = {
        "tosajit.Array", sizeof(array_object), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};
    state->array = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->array && !PyModule_AddType(module, state->array);
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NumPy is found among the modules that the program has imported, and used by its names. */
#include "tools/python/numpy.h"

#include "tools/python/elements.h"

/* As every extension that is compiled with NumPy has it within, from 1.7 to 2.x. */
typedef struct array_fields {
    PyObject_HEAD char *data;
    int rank;
    int64_t *dims, *strides;
    PyObject *base, *dtype;
    int flags;
} array_fields;
enum { FLAG_WRITEABLE = 0x400 };

/* Another NumPy may come with other arrays: a known array must look as its buffer does. */
static bool is_as_known(const module_numpy *n) {
    PyObject *shape = Py_BuildValue("(ii)", 2, 3);
    PyObject *dtype = n->dtypes[TOSAJIT_F64];
    PyObject *array = shape ? PyObject_CallFunctionObjArgs(n->empty, shape, dtype, NULL) : NULL;
    const array_fields *a = (const array_fields *)(void *)array;
    Py_buffer b;
    bool same = false;
    Py_XDECREF(shape);
    if (array && Py_TYPE(array) == n->array &&
        !PyObject_GetBuffer(array, &b, PyBUF_STRIDES | PyBUF_FORMAT)) {
        same = b.ndim == 2 && a->rank == 2 && a->data == b.buf && a->dtype == dtype && !a->base &&
               a->dims[0] == 2 && a->dims[1] == 3 && a->strides[0] == 24 && a->strides[1] == 8 &&
               a->flags & FLAG_WRITEABLE;
        PyBuffer_Release(&b);
    }
    Py_XDECREF(array);
    PyErr_Clear();
    return same;
}

/* The functions of NumPy's table for C by which arrays are made: the call by Python's names takes
 * three times as long. Their places in the table are part of NumPy's binary interface, of which 1.x
 * and 2.x have these versions. */
static void find_makers(module_numpy *n) {
    enum { VERSION, LAY = 94, EMPTY = 184, ABI_1 = 0x01000009, ABI_2 = 0x02000000 };
    static const char *const names[] = {"numpy._core.multiarray", "numpy.core.multiarray"};
    n->make = NULL;
    for (size_t k = 0; !n->make && k < sizeof names / sizeof *names; k++) {
        PyObject *name = PyUnicode_FromString(names[k]);
        PyObject *module = name ? PyImport_GetModule(name) : NULL;
        PyObject *capsule = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
        void **api = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
        const unsigned version = api ? ((unsigned (*)(void))api[VERSION])() : 0;
        if (version == ABI_1 || version == ABI_2) {
            n->make = (numpy_make_function *)api[EMPTY];
            n->lay = (numpy_lay_function *)api[LAY];
        }
        Py_XDECREF(capsule);
        Py_XDECREF(module);
        Py_XDECREF(name);
        PyErr_Clear();
    }
}

/* The element type that NumPy itself has for a dtype. */
static tosajit_type own_element(const module_numpy *n, const PyObject *dtype) {
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++)
        if (n->dtypes[t] == dtype && t != TOSAJIT_I48 && t != TOSAJIT_BF16 &&
            t != TOSAJIT_F8E4M3FN && t != TOSAJIT_F8E5M2)
            return (tosajit_type)t;
    return TOSAJIT_TYPE_COUNT;
}

static tosajit_type added_element(const module_numpy *n, const PyObject *dtype) {
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++)
        if (n->bits[t] == dtype) return (tosajit_type)t;
    return TOSAJIT_TYPE_COUNT;
}

bool numpy_see(const module_state *state, PyObject *object, tosajit_type wanted, bool writable,
               numpy_sight *sight) {
    const module_numpy *n = &state->numpy;
    if (!n->seen || Py_TYPE(object) != n->array) return false;
    const array_fields *a = (const array_fields *)(void *)object;
    if (a->rank > TOSAJIT_MAX_RANK || (writable && !(a->flags & FLAG_WRITEABLE))) return false;
    const bool as_wanted = wanted != TOSAJIT_TYPE_COUNT && n->dtypes[wanted] == a->dtype;
    tosajit_type element = as_wanted ? wanted : own_element(n, a->dtype);
    const bool bits = element == TOSAJIT_TYPE_COUNT;
    if (bits) {
        element = added_element(n, a->dtype);
        /* another one than is wanted is refused elsewhere, with words */
        if (wanted != TOSAJIT_TYPE_COUNT && wanted != element) return false;
    }
    if (element == TOSAJIT_TYPE_COUNT) return false;
    *sight = (numpy_sight){a->data, a->rank, a->dims, a->strides, element, bits};
    return true;
}

static bool find(module_numpy *n, PyObject *numpy) {
    n->array = (PyTypeObject *)PyObject_GetAttrString(numpy, "ndarray");
    n->generic = n->array ? (PyTypeObject *)PyObject_GetAttrString(numpy, "generic") : NULL;
    n->empty = n->generic ? PyObject_GetAttrString(numpy, "empty") : NULL;
    PyObject *dtype = n->empty ? PyObject_GetAttrString(numpy, "dtype") : NULL;
    bool found =
        dtype && PyType_Check((PyObject *)n->array) && PyType_Check((PyObject *)n->generic);
    for (int t = 0; found && t < TOSAJIT_TYPE_COUNT; t++) {
        PyObject *scalar = PyObject_GetAttrString(numpy, elements_numpy((tosajit_type)t));
        n->dtypes[t] = scalar ? PyObject_CallFunctionObjArgs(dtype, scalar, NULL) : NULL;
        Py_XDECREF(scalar);
        found = n->dtypes[t];
    }
    Py_XDECREF(dtype);
    if (!found) numpy_forget(n);
    n->seen = found && is_as_known(n);
    n->make = NULL;
    if (n->seen && sizeof(Py_ssize_t) == sizeof(int64_t)) find_makers(n);
    return found;
}

bool numpy_is_array(module_state *state, PyObject *object) {
    module_numpy *n = &state->numpy;
    if (Py_TYPE(object) == n->array) return true;
    if (!n->array) {
        PyObject *name = PyUnicode_FromString("numpy");
        PyObject *numpy = name ? PyImport_GetModule(name) : NULL;
        Py_XDECREF(name);
        if (!numpy || !find(n, numpy)) PyErr_Clear(); /* still being imported, or another numpy */
        Py_XDECREF(numpy);
    }
    return n->array && PyType_IsSubtype(Py_TYPE(object), n->array);
}

/* numpy.asarray of it. */
static PyObject *as_array(PyObject *object) {
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *name = numpy ? PyUnicode_FromString("asarray") : NULL;
    PyObject *array = name ? PyObject_CallMethodObjArgs(numpy, name, object, NULL) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(numpy);
    return array;
}

bool numpy_is_scalar(module_state *state, PyObject *object) {
    return !numpy_is_array(state, object) && state->numpy.array &&
           PyType_IsSubtype(Py_TYPE(object), state->numpy.generic);
}

PyObject *numpy_array(module_state *state, PyObject *object) {
    PyObject *type = (PyObject *)Py_TYPE(object);
    if (numpy_is_array(state, object) || !state->numpy.array || PyObject_CheckBuffer(object) ||
        PyObject_HasAttrString(type, "__dlpack__") || !PyObject_HasAttrString(type, "__array__"))
        return NULL;
    return as_array(object);
}

PyObject *numpy_plain(module_state *state, PyObject *object) {
    if (numpy_is_array(state, object) || !state->numpy.array) return NULL;
    if (PyList_Check(object) || PyTuple_Check(object)) return as_array(object);
    if (!numpy_is_scalar(state, object)) return NULL;
    PyObject *name = PyUnicode_FromString("item");
    PyObject *item = name ? PyObject_CallMethodObjArgs(object, name, NULL) : NULL;
    Py_XDECREF(name);
    if (!item || PyBool_Check(item) || PyFloat_CheckExact(item) || PyLong_CheckExact(item))
        return item;
    Py_DECREF(item); /* complex, dates, text */
    return NULL;
}

bool numpy_is_masked(module_state *state, PyObject *object) {
    if (Py_TYPE(object) == state->numpy.array || !numpy_is_array(state, object)) return false;
    PyObject *name = PyUnicode_FromString("numpy.ma");
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    PyObject *type = module ? PyObject_GetAttrString(module, "MaskedArray") : NULL;
    const bool masked = type && PyObject_IsInstance(object, type) > 0;
    Py_XDECREF(type);
    Py_XDECREF(module);
    Py_XDECREF(name);
    PyErr_Clear(); /* who has no such module has no such array */
    return masked;
}

static const struct {
    const char *name; /* of the dtype */
    tosajit_type element;
} BITS[] = {{"bfloat16", TOSAJIT_BF16},
            {"float8_e4m3fn", TOSAJIT_F8E4M3FN},
            {"float8_e5m2", TOSAJIT_F8E5M2}};

static bool find_bits(PyObject *dtype, tosajit_type *element) {
    PyObject *name = PyObject_GetAttrString(dtype, "name");
    bool found = false;
    for (size_t k = 0; name && PyUnicode_Check(name) && k < sizeof BITS / sizeof *BITS; k++) {
        if (PyUnicode_CompareWithASCIIString(name, BITS[k].name)) continue;
        *element = BITS[k].element;
        found = true;
    }
    Py_XDECREF(name);
    return found;
}

PyObject *numpy_bits(module_state *state, PyObject *object, tosajit_type *element) {
    module_numpy *n = &state->numpy;
    PyObject *dtype =
        numpy_is_array(state, object) ? PyObject_GetAttrString(object, "dtype") : NULL;
    PyObject *bits = NULL, *view = NULL;
    if (dtype && find_bits(dtype, element)) {
        PyObject *old = n->bits[*element];
        n->bits[*element] = Py_NewRef(dtype);
        Py_XDECREF(old);
        view = PyUnicode_FromString("view");
    }
    if (view) bits = PyObject_CallMethodObjArgs(object, view, n->dtypes[*element], NULL);
    Py_XDECREF(view);
    Py_XDECREF(dtype);
    if (!bits) PyErr_Clear();
    return bits;
}

static PyObject *make_by_name(const module_numpy *n, PyObject *dtype, int32_t rank,
                              const int64_t *dims) {
    PyObject *shape = PyTuple_New(rank);
    for (int32_t d = 0; shape && d < rank; d++) {
        PyObject *size = PyLong_FromLongLong(dims[d]);
        if (size && !PyTuple_SetItem(shape, d, size)) continue;
        Py_DECREF(shape);
        return NULL;
    }
    PyObject *array = shape ? PyObject_CallFunctionObjArgs(n->empty, shape, dtype, NULL) : NULL;
    Py_XDECREF(shape);
    return array;
}

PyObject *numpy_make(module_state *state, const tosajit_tensor *like, bool bits) {
    const module_numpy *n = &state->numpy;
    PyObject *added = bits ? n->bits[like->element] : NULL;
    PyObject *dtype = added ? added : n->dtypes[like->element];
    if (!n->make) return make_by_name(n, dtype, like->rank, like->dims);
    if (like->strides)
        return n->lay(n->array, Py_NewRef(dtype), like->rank, like->dims, like->strides, NULL, 0,
                      NULL);
    return n->make(like->rank, like->dims, Py_NewRef(dtype), 0);
}

void numpy_forget(module_numpy *n) {
    Py_CLEAR(n->array);
    Py_CLEAR(n->generic);
    Py_CLEAR(n->empty);
    for (int t = 0; t < TOSAJIT_TYPE_COUNT; t++) {
        Py_CLEAR(n->dtypes[t]);
        Py_CLEAR(n->bits[t]);
    }
}

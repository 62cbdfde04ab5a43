/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: views of operands. Out: results, computed without Python's lock where they are large. */
#include "tools/python/call.h"

#include "tools/python/apart.h"
#include "tools/python/array.h"
#include "tools/python/errors.h"
#include "tools/python/exchange.h"
#include "tools/python/fit.h"
#include "tools/python/layout.h"
#include "tools/python/numpy.h"
#include "tools/python/patience.h"
#include "tools/python/space.h"

/* Giving the lock away and waiting for it again costs more than a short run. */
enum { LOCKED_BYTES = 16384 };

void call_release(view *views, Py_ssize_t count) {
    while (count > 0) view_release(&views[--count]);
}

static request ask(const kernel_object *k, Py_ssize_t tensor, bool writable) {
    return (request){writable ? "result" : "operand", PyTuple_GetItem(k->names, tensor),
                     k->tensors[tensor].element, k->tensors[tensor].rank, writable};
}

bool call_take(const kernel_object *k, const call_given *given, view *views) {
    for (Py_ssize_t i = 0; i < k->operand_count; i++) {
        request r = ask(k, i, false);
        if (view_take(k->state, &views[i], given->objects[i], &r)) continue;
        call_release(views, i);
        return false;
    }
    return true;
}

/* Whose arrays the results are: the kind of the first operand that can make arrays. */
typedef struct call_home {
    bool numpy, bits; /* bits: bf16 and f8 by the types that others have added to NumPy */
    const dlpack_exchange *exchange;
    PyObject *space; /* an operand whose library takes results by DLPack, as jax does; borrowed */
} call_home;

static call_home find_home(const kernel_object *k, const call_given *given, const view *views) {
    call_home home = {false, false, NULL, NULL};
    bool arrays = false;
    for (Py_ssize_t i = 0; i < k->operand_count && !home.numpy && !home.exchange; i++) {
        PyObject *object = given->objects[i];
        if (view_is_number(object) || PyBool_Check(object)) continue;
        arrays = true;
        home.numpy = numpy_is_array(k->state, object) || numpy_is_scalar(k->state, object);
        if (!home.numpy && !PyObject_CheckBuffer(object))
            home.exchange = exchange_of(k->state, object);
        if (!home.numpy && !home.exchange && !home.space && space_has(k->state, object))
            home.space = object;
    }
    for (Py_ssize_t i = 0; i < k->operand_count; i++) home.bits |= views[i].bits;
    /* of numbers alone, too, where the program uses NumPy */
    if (!arrays && !numpy_is_array(k->state, Py_None)) home.numpy = k->state->numpy.array;
    return home;
}

/* The type and sizes that a result must have. */
static bool describe(const kernel_object *k, const tosajit_tensor *operands, Py_ssize_t i,
                     int64_t dims[TOSAJIT_MAX_RANK], tosajit_tensor *tensor) {
    int32_t rank = 0;
    const tosajit_status status = tosajit_kernel_result_dims(
        k->kernel, operands, (size_t)k->operand_count, (size_t)i, &rank, dims);
    *tensor = (tosajit_tensor){k->tensors[k->operand_count + i].element, rank, NULL, dims, NULL};
    return !errors_raise(k->state, status);
}

static PyObject *make_result(const kernel_object *k, const tosajit_tensor *operands, Py_ssize_t i,
                             const call_home *home) {
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
    tosajit_tensor t;
    if (!describe(k, operands, i, dims, &t)) return NULL;
    if (!home->numpy) return array_object_make(k->state, t.element, t.rank, dims);
    if (k->layouts &&
        layout_strides(PyTuple_GetItem(k->layouts, i), operands, k->operand_count, &t, strides))
        t.strides = strides;
    return numpy_make(k->state, &t, home->bits);
}

static PyObject *take_results(const kernel_object *k, PyObject *out) {
    if (!PyTuple_Check(out) && k->result_count == 1) return PyTuple_Pack(1, out);
    if (PyTuple_Check(out) && PyTuple_Size(out) == k->result_count) return Py_NewRef(out);
    return errors_say(k->state, TOSAJIT_INVALID_ARGUMENT,
                      "out: a tuple of %zd arrays is needed, one for each result", k->result_count);
}

/* New results as a tuple. */
static PyObject *make_results(const kernel_object *k, const tosajit_tensor *operands,
                              const call_home *home) {
    PyObject *results = PyTuple_New(k->result_count);
    for (Py_ssize_t i = 0; results && i < k->result_count; i++) {
        PyObject *result = make_result(k, operands, i, home);
        if (result && !PyTuple_SetItem(results, i, result)) continue;
        Py_DECREF(results);
        return NULL;
    }
    return results;
}

typedef struct running {
    const kernel_object *k;
    const tosajit_kernel *kernel; /* k's, or one for these sizes */
    const tosajit_tensor *operands;
} running;

static tosajit_status run(const running *r, const tosajit_tensor *results, Py_ssize_t bytes) {
    const size_t operands = (size_t)r->k->operand_count, count = (size_t)r->k->result_count;
    if (bytes < LOCKED_BYTES) return tosajit_run(r->kernel, r->operands, operands, results, count);
    tosajit_status status;
    Py_BEGIN_ALLOW_THREADS status = tosajit_run(r->kernel, r->operands, operands, results, count);
    Py_END_ALLOW_THREADS return status;
}

/* Bytes of a tensor; a large number instead of one beyond all memory. */
static Py_ssize_t bytes_of(const tosajit_tensor *t) {
    Py_ssize_t bytes = (Py_ssize_t)tosajit_type_size(t->element);
    for (int32_t d = 0; d < t->rank; d++)
        if (__builtin_mul_overflow(bytes, t->dims[d], &bytes)) return PY_SSIZE_T_MAX;
    return bytes;
}

static Py_ssize_t largest_of(const tosajit_tensor *results, Py_ssize_t count) {
    Py_ssize_t largest = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        const Py_ssize_t bytes = bytes_of(&results[i]);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

/* As NumPy does where a result would be written over an operand that is still read. */
static bool run_apart(const running *r, const tosajit_tensor *results, Py_ssize_t bytes) {
    const kernel_object *k = r->k;
    tosajit_tensor tensors[TOSAJIT_MAX_TENSORS];
    const running own = {k, r->kernel, tensors};
    apart_copy *copies;
    for (Py_ssize_t i = 0; i < k->operand_count; i++) tensors[i] = r->operands[i];
    const bool ran = apart_take(tensors, k->operand_count, results, k->result_count, &copies) &&
                     !errors_raise(k->state, run(&own, results, bytes));
    apart_release(copies);
    return ran;
}

static bool run_into_views(const running *r, PyObject *objects, view *views) {
    const kernel_object *k = r->k;
    tosajit_tensor results[TOSAJIT_MAX_TENSORS];
    for (Py_ssize_t i = 0; i < k->result_count; i++) {
        const request asked = ask(k, k->operand_count + i, true);
        if (!view_take(k->state, &views[i], PyTuple_GetItem(objects, i), &asked)) {
            call_release(views, i);
            return false;
        }
        results[i] = views[i].tensor;
    }
    const Py_ssize_t bytes = largest_of(results, k->result_count);
    const tosajit_status status = run(r, results, bytes);
    const bool ran =
        status == TOSAJIT_OVERLAP ? run_apart(r, results, bytes) : !errors_raise(k->state, status);
    call_release(views, k->result_count);
    return ran;
}

static bool run_into(const running *r, PyObject *objects) {
    view few[VIEW_FEW], *views = view_room(few, r->k->result_count);
    const bool ran = views && run_into_views(r, objects, views);
    view_leave(views, few);
    return ran;
}

/* Tensors of a library with functions in C: their memory first, which nobody has to ask for, and
 * then the objects. */
static bool allocate_results(const kernel_object *k, const tosajit_tensor *operands,
                             const dlpack_exchange *api, dlpack_versioned **made,
                             tosajit_tensor *results) {
    for (Py_ssize_t i = 0; i < k->result_count; i++) {
        int64_t dims[TOSAJIT_MAX_RANK];
        if (!describe(k, operands, i, dims, &results[i])) return false;
        made[i] = exchange_make(api, &results[i]);
        if (!made[i]) return false;
        const dlpack_tensor *t = &made[i]->tensor;
        results[i].data = t->data ? (char *)t->data + t->byte_offset : NULL;
        results[i].dims = t->dims;
    }
    return true;
}

/* Each is another's from here on, also where that fails. */
static PyObject *wrap_results(const kernel_object *k, const dlpack_exchange *api,
                              dlpack_versioned **made) {
    PyObject *objects = PyTuple_New(k->result_count);
    for (Py_ssize_t i = 0; objects && i < k->result_count; i++) {
        PyObject *object = exchange_wrap(api, made[i]);
        made[i] = NULL;
        if (!object || PyTuple_SetItem(objects, i, object)) Py_CLEAR(objects);
    }
    return objects;
}

static PyObject *run_exchanged(const running *r, const dlpack_exchange *api) {
    const kernel_object *k = r->k;
    dlpack_versioned *made[TOSAJIT_MAX_TENSORS];
    tosajit_tensor results[TOSAJIT_MAX_TENSORS];
    PyObject *objects = NULL;
    for (Py_ssize_t i = 0; i < k->result_count; i++) made[i] = NULL;
    if (allocate_results(k, r->operands, api, made, results)) {
        const Py_ssize_t largest = largest_of(results, k->result_count);
        if (!errors_raise(k->state, run(r, results, largest))) objects = wrap_results(k, api, made);
    }
    for (Py_ssize_t i = 0; i < k->result_count; i++)
        if (made[i] && made[i]->deleter) made[i]->deleter(made[i]);
    return objects;
}

/* New results, of the library whose operands they are made of. */
static PyObject *run_new(const running *r, const call_given *given, const view *views) {
    const kernel_object *k = r->k;
    const call_home home = find_home(k, given, views);
    if (home.exchange) return run_exchanged(r, home.exchange);
    PyObject *results = make_results(k, r->operands, &home);
    if (results && !run_into(r, results)) Py_CLEAR(results);
    return results && home.space && !home.numpy ? space_give(k->state, home.space, results)
                                                : results;
}

PyObject *call_run(engine_object *e, kernel_object *k, const call_given *given, const view *views) {
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS];
    for (Py_ssize_t i = 0; i < k->operand_count; i++) operands[i] = views[i].tensor;
    patience_wait(e, k, views);
    const running r = {k, fit_kernel(e, k, operands), operands};
    PyObject *results = NULL;
    if (!given->out || given->out == Py_None)
        results = run_new(&r, given, views);
    else if ((results = take_results(k, given->out)) && !run_into(&r, results))
        Py_CLEAR(results);
    if (!results || k->result_count != 1) return results;
    PyObject *only = Py_NewRef(PyTuple_GetItem(results, 0));
    Py_DECREF(results);
    return only;
}

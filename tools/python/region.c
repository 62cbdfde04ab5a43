/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: tensors, and for each dimension of the kernel the tensor's dimensions. Out: new tensors, or
 * operands that nobody needs any more with results in their memory. The host's own function
 * computes a call with unexpected tensors, and tells errors. */
#include "tools/python/region.h"

#include <string.h>

#include "tools/python/compile.h"
#include "tools/python/elements.h"
#include "tools/python/exchange.h"
#include "tools/python/view.h"
#include "tosajit/inspect.h"

/* Giving the lock away costs more than a run of few bytes takes. */
enum { REGION_LOCKED_BYTES = 65536 };

typedef struct region_operand {
    int32_t rank;
    /* Per dimension of the kernel: the tensor's; -1: none, size 1. In front of the kernel's own one
     * stands what an index counts through, if it takes elements of the operand. */
    int8_t from[TOSAJIT_MAX_RANK];
    int8_t runs[TOSAJIT_MAX_RANK]; /* how many neighbouring dimensions of the tensor it is */
} region_operand;

typedef struct region_result {
    int32_t rank;
    int8_t from[TOSAJIT_MAX_RANK]; /* as of operands */
    /* Per dimension of the tensor: the operand and its dimension that tell the size; -1: it is
     * known. */
    int8_t operand[TOSAJIT_MAX_RANK], dim[TOSAJIT_MAX_RANK];
    int64_t sizes[TOSAJIT_MAX_RANK]; /* the size, or how much longer than the operand's it is */
    int8_t order[TOSAJIT_MAX_RANK];  /* its dimensions as they lie in memory, the outermost first */
    uint64_t over;                   /* operands whose memory it may have */
    PyObject *dtype;                 /* the host's */
} region_result;

typedef struct region_object {
    PyObject_HEAD module_state *state;
    kernel_object *kernel;
    int32_t rank; /* of the kernel */
    region_operand operands[TOSAJIT_MAX_TENSORS];
    region_result results[TOSAJIT_MAX_TENSORS];
    PyObject *make, *otherwise; /* functions: an empty tensor; everything, in the host's way */
    bool apart;                 /* no result goes into an operand's memory */
    Py_ssize_t runs, others;    /* how often the kernel ran, and how often it could not */
} region_object;

/* A tensor as its library shows it, and as the kernel takes it. */
typedef struct region_view {
    dlpack_tensor shown;
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
} region_view;

/* ---------------------------------------------------------------------------------------------
 * A call */

static bool see(const region_object *r, PyObject *object, Py_ssize_t tensor, int32_t rank,
                dlpack_tensor *shown) {
    const dlpack_exchange *api = exchange_of(r->state, object);
    if (!api || !api->show) return false;
    if (api->show(object, shown)) {
        PyErr_Clear();
        return false;
    }
    const tosajit_type element = r->kernel->tensors[tensor].element;
    return shown->device == DLPACK_CPU && shown->rank == rank && (!rank || shown->strides) &&
           elements_of_dlpack(shown->element, element) == element;
}

/* Neighbouring dimensions of a tensor as one. False if no stride goes through all of them. */
static bool join(const dlpack_tensor *t, int32_t first, int32_t count, int64_t *size,
                 int64_t *stride) {
    *size = 1;
    *stride = 0;
    for (int32_t d = first + count; d-- > first;) {
        if (t->dims[d] == 1) continue;
        if (*size != 1 && t->strides[d] != *stride * *size) return false;
        if (*size == 1) *stride = t->strides[d];
        *size *= t->dims[d];
    }
    return true;
}

/* False if an operand's dimensions lie so that the kernel cannot see them. */
static bool as_the_kernel_sees(const region_object *r, Py_ssize_t tensor, const int8_t *from,
                               const int8_t *runs, region_view *v, tosajit_tensor *seen) {
    const tosajit_type element = r->kernel->tensors[tensor].element;
    const int32_t rank = r->kernel->tensors[tensor].rank;
    const int64_t size = (int64_t)tosajit_type_size(element);
    char *data = v->shown.data ? (char *)v->shown.data + v->shown.byte_offset : NULL;
    for (int32_t d = 0; d < rank; d++) {
        v->dims[d] = from[d] < 0 ? 1 : v->shown.dims[from[d]];
        v->strides[d] = from[d] < 0 ? 0 : v->shown.strides[from[d]];
        if (runs && runs[d] > 1 && !join(&v->shown, from[d], runs[d], &v->dims[d], &v->strides[d]))
            return false;
        v->strides[d] *= size;
    }
    const bool dense = view_is_dense(rank, v->dims, v->strides, size);
    *seen = (tosajit_tensor){element, rank, data, v->dims, dense ? NULL : v->strides};
    return true;
}

/* Sizes and strides, in elements, that a result shall have; how many bytes that is. -1: an operand
 * is too short. */
static int64_t lay_out(const region_result *result, size_t element, const region_view *views,
                       int64_t *dims, int64_t *strides) {
    int64_t unit = 1, count = 1;
    for (int32_t k = result->rank; k-- > 0;) {
        const int32_t d = result->order[k];
        const int8_t operand = result->operand[d];
        dims[d] = result->sizes[d] + (operand < 0 ? 0 : views[operand].shown.dims[result->dim[d]]);
        if (dims[d] < 0) return -1;
        strides[d] = unit;
        unit *= dims[d] > 1 ? dims[d] : 1;
        count *= dims[d];
    }
    return count * (int64_t)element;
}

/* True if a tensor has these strides, as far as it has several elements. */
static bool lies(const dlpack_tensor *t, const region_result *result, const int64_t *dims,
                 const int64_t *strides) {
    if (t->rank != result->rank) return false;
    for (int32_t d = 0; d < t->rank; d++)
        if (t->dims[d] != dims[d] || (dims[d] != 1 && t->strides[d] != strides[d])) return false;
    return true;
}

static PyObject *numbers(const int64_t *values, int32_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (int32_t k = 0; tuple && k < count; k++) {
        PyObject *number = PyLong_FromLongLong(values[k]);
        if (!number || PyTuple_SetItem(tuple, k, number)) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *make(const region_object *r, const region_result *result, const int64_t *dims,
                      const int64_t *strides) {
    PyObject *sizes = numbers(dims, result->rank), *steps = numbers(strides, result->rank);
    PyObject *made = sizes && steps
                         ? PyObject_CallFunctionObjArgs(r->make, sizes, steps, result->dtype, NULL)
                         : NULL;
    Py_XDECREF(steps);
    Py_XDECREF(sizes);
    return made;
}

typedef struct region_call {
    PyObject *const *objects;
    region_view operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    PyObject *made[TOSAJIT_MAX_TENSORS]; /* results */
    uint64_t taken;                      /* operands that have become results */
    int64_t largest;                     /* bytes of a result */
    tosajit_status status;               /* the kernel's */
} region_call;

/* A tensor for result i: an operand's memory, or new. */
static bool place(const region_object *r, region_call *c, Py_ssize_t i) {
    const region_result *result = &r->results[i];
    const Py_ssize_t tensor = r->kernel->operand_count + i;
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK];
    const int64_t bytes = lay_out(result, tosajit_type_size(r->kernel->tensors[tensor].element),
                                  c->operands, dims, strides);
    if (bytes < 0) return false;
    if (bytes > c->largest) c->largest = bytes;
    const uint64_t over = r->apart ? 0 : result->over & ~c->taken;
    for (uint64_t left = over; left; left &= left - 1) {
        const int k = __builtin_ctzll(left);
        if (!lies(&c->operands[k].shown, result, dims, strides)) continue;
        c->taken |= 1ull << k;
        c->results[i].shown = c->operands[k].shown;
        c->made[i] = Py_NewRef(c->objects[k]);
        return true;
    }
    c->made[i] = make(r, result, dims, strides);
    return c->made[i] && see(r, c->made[i], tensor, result->rank, &c->results[i].shown);
}

static tosajit_status run(const region_object *r, region_call *c) {
    const kernel_object *k = r->kernel;
    tosajit_tensor tensors[TOSAJIT_MAX_TENSORS], *results = tensors + k->operand_count;
    bool seen = true;
    for (Py_ssize_t i = 0; i < k->operand_count; i++)
        seen = seen && as_the_kernel_sees(r, i, r->operands[i].from, r->operands[i].runs,
                                          &c->operands[i], &tensors[i]);
    for (Py_ssize_t i = 0; i < k->result_count; i++)
        seen = seen && as_the_kernel_sees(r, k->operand_count + i, r->results[i].from, NULL,
                                          &c->results[i], &results[i]);
    if (!seen) return TOSAJIT_SHAPE_MISMATCH;
    const size_t operand_count = (size_t)k->operand_count, result_count = (size_t)k->result_count;
    if (c->largest < REGION_LOCKED_BYTES)
        return tosajit_run(k->kernel, tensors, operand_count, results, result_count);
    tosajit_status status;
    Py_BEGIN_ALLOW_THREADS status =
        tosajit_run(k->kernel, tensors, operand_count, results, result_count);
    Py_END_ALLOW_THREADS return status;
}

/* One result, or a tuple of several; takes them over. */
static PyObject *give(region_call *c, Py_ssize_t count) {
    if (count == 1) return c->made[0];
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (tuple)
            PyTuple_SetItem(tuple, i, c->made[i]);
        else
            Py_DECREF(c->made[i]);
    }
    return tuple;
}

static PyObject *run_otherwise(region_object *r, PyObject *const *objects, Py_ssize_t count) {
    PyObject *arguments = PyTuple_New(count);
    for (Py_ssize_t i = 0; arguments && i < count; i++)
        PyTuple_SetItem(arguments, i, Py_NewRef(objects[i]));
    PyObject *result = arguments ? PyObject_Call(r->otherwise, arguments, NULL) : NULL;
    Py_XDECREF(arguments);
    r->others++;
    return result;
}

static void drop(region_call *c, Py_ssize_t made) {
    while (made > 0) Py_DECREF(c->made[--made]);
}

/* Results in place or new, and the kernel. Null with an exception, or without: nothing is done. */
static PyObject *compute(region_object *r, region_call *c) {
    Py_ssize_t made = 0;
    bool fine = true;
    c->taken = 0;
    c->largest = 0;
    c->status = TOSAJIT_OK;
    while (fine && made < r->kernel->result_count) {
        fine = place(r, c, made);
        made += c->made[made] != NULL;
    }
    if (fine) c->status = run(r, c);
    if (fine && !c->status) {
        r->runs++;
        return give(c, made);
    }
    drop(c, made);
    return NULL;
}

/* Arguments behind the operands are for the other function alone. Where the library refuses
 * results in the memory of operands, it is not asked again. */
static PyObject *region_run(PyObject *self, PyObject *const *objects, Py_ssize_t count) {
    region_object *r = (region_object *)self;
    const kernel_object *k = r->kernel;
    region_call c;
    c.objects = objects;
    bool fine = count >= k->operand_count;
    for (Py_ssize_t i = 0; fine && i < k->operand_count; i++)
        fine = see(r, objects[i], i, r->operands[i].rank, &c.operands[i].shown);
    PyObject *result = fine ? compute(r, &c) : NULL;
    if (!result && fine && c.taken && c.status == TOSAJIT_OVERLAP && !PyErr_Occurred()) {
        r->apart = true;
        result = compute(r, &c);
    }
    if (result || PyErr_Occurred()) return result;
    return run_otherwise(r, objects, count);
}

/* ---------------------------------------------------------------------------------------------
 * The object */

/* Bytes are numbers of one byte each, 255 for -1. */
static bool copy_numbers(int8_t *to, const char *bytes, Py_ssize_t count, Py_ssize_t wanted,
                         int below) {
    if (count != wanted) return false;
    memcpy(to, bytes, (size_t)count);
    for (Py_ssize_t k = 0; k < count; k++)
        if (to[k] < -1 || to[k] >= below) return false;
    return true;
}

static bool read_operand(int32_t rank, PyObject *given, region_operand *to) {
    const char *from, *runs;
    Py_ssize_t length, run_length;
    if (!PyArg_ParseTuple(given, "iy#y#", &to->rank, &from, &length, &runs, &run_length) ||
        to->rank < 0 || to->rank > TOSAJIT_MAX_RANK ||
        !copy_numbers(to->from, from, length, rank, to->rank) ||
        !copy_numbers(to->runs, runs, run_length, rank, to->rank + 2))
        return false;
    for (int32_t d = 0; d < rank; d++)
        if (to->runs[d] < 1 || to->from[d] + to->runs[d] > to->rank) return false;
    return true;
}

/* True if the kernel gives a size of 1 exactly where the tensor has no dimension. */
static bool fits_kernel(const region_object *r, Py_ssize_t i) {
    const tosajit_tensor_type type = tosajit_kernel_result_type(r->kernel->kernel, (size_t)i);
    for (int32_t d = 0; d < r->rank; d++)
        if ((type.dims[d] == 1) != (r->results[i].from[d] < 0)) return false;
    return true;
}

/* Each dimension once. */
static bool is_order(const int8_t *order, int32_t rank) {
    uint32_t seen = 0;
    for (int32_t d = 0; d < rank; d++)
        if (order[d] >= 0) seen |= 1u << order[d];
    return seen == (1u << rank) - 1;
}

static bool read_result(const region_object *r, PyObject *given, region_result *to) {
    const char *from, *operand, *dim, *sizes, *order;
    Py_ssize_t lengths[5];
    unsigned long long over;
    PyObject *dtype;
    if (!PyArg_ParseTuple(given, "iy#y#y#y#y#KO", &to->rank, &from, &lengths[0], &operand,
                          &lengths[1], &dim, &lengths[2], &sizes, &lengths[3], &order, &lengths[4],
                          &over, &dtype) ||
        to->rank < 0 || to->rank > TOSAJIT_MAX_RANK || lengths[3] != 8 * (Py_ssize_t)to->rank)
        return false;
    memcpy(to->sizes, sizes, (size_t)lengths[3]);
    const int operands = (int)r->kernel->operand_count;
    const bool fine = copy_numbers(to->from, from, lengths[0], r->rank, to->rank) &&
                      copy_numbers(to->operand, operand, lengths[1], to->rank, operands) &&
                      copy_numbers(to->dim, dim, lengths[2], to->rank, TOSAJIT_MAX_RANK) &&
                      copy_numbers(to->order, order, lengths[4], to->rank, to->rank) &&
                      is_order(to->order, to->rank) && (operands == 64 || !(over >> operands));
    for (int32_t d = 0; fine && d < to->rank; d++)
        if (to->operand[d] < 0 ? to->sizes[d] < 1
                               : to->dim[d] < 0 || to->dim[d] >= r->operands[to->operand[d]].rank)
            return false;
    to->over = over;
    to->dtype = Py_NewRef(dtype);
    return fine;
}

static bool read_tensors(region_object *r, PyObject *operands, PyObject *results) {
    const kernel_object *k = r->kernel;
    bool fine =
        PyTuple_Size(operands) == k->operand_count && PyTuple_Size(results) == k->result_count;
    r->rank = k->tensors[k->operand_count].rank;
    for (Py_ssize_t i = 0; i < k->operand_count; i++)
        fine = fine && k->tensors[i].rank >= r->rank && k->tensors[i].rank <= r->rank + 1;
    for (Py_ssize_t i = k->operand_count; i < k->operand_count + k->result_count; i++)
        fine = fine && k->tensors[i].rank == r->rank;
    for (Py_ssize_t i = 0; fine && i < k->operand_count; i++)
        fine = read_operand(k->tensors[i].rank, PyTuple_GetItem(operands, i), &r->operands[i]);
    for (Py_ssize_t i = 0; fine && i < k->result_count; i++)
        fine = read_result(r, PyTuple_GetItem(results, i), &r->results[i]) && fits_kernel(r, i);
    if (!fine && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "Region: the tensors are not those of the text");
    return fine;
}

/* A kernel as it is, or an engine's of the text. */
static PyObject *kernel_of(module_state *state, PyObject *source, const compile_given *given) {
    if (PyObject_TypeCheck(source, state->kernel)) return Py_NewRef(source);
    if (!PyObject_TypeCheck(source, state->engine)) {
        PyErr_SetString(PyExc_TypeError, "Region: neither an Engine nor a Kernel");
        return NULL;
    }
    PyObject *kernel = compile_text((engine_object *)source, given);
    if (!kernel) return NULL;
    ((kernel_object *)kernel)->engine = Py_NewRef(source);
    return kernel;
}

static PyObject *region_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"engine",  "text", "apart",     "operands",
                            "results", "make", "otherwise", NULL};
    module_state *state = PyType_GetModuleState(type);
    PyObject *engine, *text, *operands, *results, *make_empty, *otherwise;
    unsigned int apart;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OUIO!O!OO:Region", names, &engine, &text,
                                     &apart, &PyTuple_Type, &operands, &PyTuple_Type, &results,
                                     &make_empty, &otherwise))
        return NULL;
    const compile_given given = {
        .text = text, .apart = apart, .apart_count = PyTuple_Size(operands)};
    PyObject *kernel = kernel_of(state, engine, &given);
    if (!kernel) return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    region_object *r = (region_object *)allocate(type, 0); /* filled with 0 */
    if (!r) {
        Py_DECREF(kernel);
        return NULL;
    }
    r->state = state;
    r->kernel = (kernel_object *)kernel;
    r->make = Py_NewRef(make_empty);
    r->otherwise = Py_NewRef(otherwise);
    if (read_tensors(r, operands, results)) return (PyObject *)r;
    Py_DECREF((PyObject *)r);
    return NULL;
}

static void region_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    region_object *r = (region_object *)self;
    for (size_t i = 0; i < TOSAJIT_MAX_TENSORS; i++) Py_XDECREF(r->results[i].dtype);
    Py_XDECREF((PyObject *)r->kernel);
    Py_XDECREF(r->make);
    Py_XDECREF(r->otherwise);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *get_kernel(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef((PyObject *)((region_object *)self)->kernel);
}
static PyObject *get_runs(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSsize_t(((region_object *)self)->runs);
}
static PyObject *get_others(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromSsize_t(((region_object *)self)->others);
}

static PyObject *get_apart(PyObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(((region_object *)self)->apart);
}

static PyMethodDef METHODS[] = {
    {"run", MODULE_FUNCTION(region_run), METH_FASTCALL, "Results of tensors."}, {0}};
static PyGetSetDef ATTRIBUTES[] = {
    {"kernel", get_kernel, NULL, "What computes it.", NULL},
    {"runs", get_runs, NULL, "How often the kernel ran.", NULL},
    {"apart", get_apart, NULL, "Whether results were found not to go into operands.", NULL},
    {"others", get_others, NULL, "How often the other function ran instead.", NULL},
    {0}};

bool region_type_add(PyObject *module, module_state *state) {
    (void)state;
    static PyType_Slot slots[] = {
        {Py_tp_new, region_new},
        {Py_tp_dealloc, region_dealloc},
        {Py_tp_methods, METHODS},
        {Py_tp_getset, ATTRIBUTES},
        {Py_tp_doc, "A kernel amid a graph of tensors; of tosajit.torch."},
        {0, NULL}};
    static PyType_Spec spec = {"tosajit._tosajit.Region", sizeof(region_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    const bool added = type && !PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return added;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: operands. Out: what the kernel for their types computes, or whoever else answers. */
#include "tools/python/function.h"

#include <math.h>
#include <string.h>
#include <structmember.h>

#include "tools/python/call.h"
#include "tools/python/deep.h"
#include "tools/python/errors.h"
#include "tools/python/guard.h"
#include "tools/python/numpy.h"
#include "tools/python/patience.h"
#include "tools/python/texts.h"

/* The kernel that was made for operands of these types. */
typedef struct made {
    signature types;
    PyObject *dims;   /* bytes: sizes that it is made for, in a row, -1 for any but 1; null: any */
    PyObject *values; /* a tuple: numbers that it is made for, and None; null: any */
    PyObject *kernel; /* null: `finish` computes */
    PyObject *constants; /* a tuple: operands behind those of the call */
    PyObject *finish;    /* null: results are what the kernel gives */
} made;

typedef struct function_object {
    PyObject_HEAD module_state *state;
    kernel_vectorcall *call;
    PyObject *weak;      /* references */
    PyObject *owner;     /* has all other attributes (tosajit/_jit.py) */
    PyObject *maker;     /* makes a tuple of what stands in `made` behind the types */
    PyObject *otherwise; /* answers calls that no kernel can have */
    PyObject *captured;  /* a tuple of pairs: a dict and a key, or an object and an attribute */
    PyObject *watched;   /* a tuple of triples: the same, and what must be there */
    Py_ssize_t count;    /* of operands that a call gives; the captured follow */
    size_t next;
    made known[TEXTS_KERNELS];
} function_object;

/* ---------------------------------------------------------------------------------------------
 * Operands */

typedef struct calling {
    function_object *f;
    call_given given;
    PyObject *kept[TOSAJIT_MAX_TENSORS]; /* the captured, held */
    Py_ssize_t captured, count;          /* count: with these */
    signature types;
} calling;

/* A new reference; null, perhaps with an exception. */
static PyObject *find(PyObject *pair) {
    PyObject *holder = PyTuple_GetItem(pair, 0), *key = PyTuple_GetItem(pair, 1);
    if (PyDict_Check(holder)) return Py_XNewRef(PyDict_GetItemWithError(holder, key));
    return PyObject_GetAttr(holder, key);
}

/* True if what the function has read beside its operands is still the same. */
static bool is_unchanged(const function_object *f) {
    const Py_ssize_t count = PyTuple_Size(f->watched);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *triple = PyTuple_GetItem(f->watched, i), *now = find(triple);
        Py_XDECREF(now); /* who holds it lives on */
        if (now != PyTuple_GetItem(triple, 2)) return false;
    }
    return true;
}

static bool gather(calling *c, PyObject *const *args) {
    const Py_ssize_t more = PyTuple_Size(c->f->captured);
    for (Py_ssize_t i = 0; i < c->f->count; i++) c->given.objects[i] = args[i];
    for (; c->captured < more; c->captured++) {
        PyObject *found = find(PyTuple_GetItem(c->f->captured, c->captured));
        if (!found) return false;
        c->given.objects[c->count++] = c->kept[c->captured] = found;
    }
    return true;
}

/* True if it is a number, which is no array in any type: its kind is part of the signature. */
static bool take_one(calling *c, Py_ssize_t i, view *v) {
    PyObject *object = c->given.objects[i];
    request ask = {"operand", NULL, TOSAJIT_TYPE_COUNT, 0, false};
    const bool real = PyFloat_CheckExact(object);
    if (PyBool_Check(object))
        ask.element = TOSAJIT_I1;
    else if (real || PyLong_CheckExact(object))
        ask.element = real ? TOSAJIT_F64 : TOSAJIT_I64;
    if (ask.element != TOSAJIT_TYPE_COUNT) c->types.weak |= 1ull << i;
    if (real) c->types.floats |= 1ull << i;
    /* what derives from NumPy's arrays has a meaning of its own, as matrices have */
    if (numpy_is_array(c->f->state, object) && Py_TYPE(object) != c->f->state->numpy.array)
        return false;
    if (!view_take(c->f->state, v, object, &ask)) return false;
    c->types.element[i] = (uint8_t)v->tensor.element;
    c->types.rank[i] = (uint8_t)v->tensor.rank;
    return true;
}

static bool take(calling *c, view *views) {
    for (Py_ssize_t i = 0; i < c->count; i++) {
        if (take_one(c, i, &views[i])) continue;
        call_release(views, i);
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * What is known */

static bool has_types(const made *m, const calling *c) {
    const size_t count = (size_t)c->count;
    return m->types.weak == c->types.weak && m->types.floats == c->types.floats &&
           !memcmp(m->types.element, c->types.element, count) &&
           !memcmp(m->types.rank, c->types.rank, count);
}

static bool has_dims(const made *m, const calling *c, const view *views) {
    const char *dims = m->dims ? PyBytes_AsString(m->dims) : NULL;
    for (Py_ssize_t i = 0; dims && i < c->count; i++) {
        for (int32_t d = 0; d < views[i].tensor.rank; d++, dims += sizeof(int64_t)) {
            const int64_t size = views[i].tensor.dims[d];
            int64_t wanted;
            memcpy(&wanted, dims, sizeof wanted);
            if (wanted < 0 ? size == 1 : size != wanted) return false;
        }
    }
    return true;
}

/* -0.0 is equal to 0.0, and is another number. */
static bool is_negative(PyObject *number) {
    if (PyLong_CheckExact(number) || PyBool_Check(number)) return false;
    const double value = PyFloat_AsDouble(number);
    if (PyErr_Occurred()) PyErr_Clear();
    return signbit(value);
}

static bool has_values(const made *m, const calling *c) {
    for (Py_ssize_t i = 0; m->values && i < c->count; i++) {
        PyObject *wanted = PyTuple_GetItem(m->values, i), *found = c->given.objects[i];
        if (wanted == Py_None || wanted == found) continue;
        if (Py_TYPE(wanted) != Py_TYPE(found)) return false;
        const int same = PyObject_RichCompareBool(wanted, found, Py_EQ);
        if (same < 0) PyErr_Clear();
        if (same <= 0 || is_negative(wanted) != is_negative(found)) return false;
    }
    return true;
}

static made *look(const calling *c, const view *views) {
    function_object *f = c->f;
    const size_t count = f->next < TEXTS_KERNELS ? f->next : TEXTS_KERNELS;
    for (size_t i = 0; i < count; i++)
        if (has_types(&f->known[i], c) && has_dims(&f->known[i], c, views) &&
            has_values(&f->known[i], c))
            return &f->known[i];
    return NULL;
}

static void forget(made *m) {
    PyObject *objects[] = {m->dims, m->values, m->kernel, m->constants, m->finish};
    m->dims = m->values = m->kernel = m->constants = m->finish = NULL;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) Py_XDECREF(objects[i]);
}

/* `ones`: only which of them repeat. */
static PyObject *dims_of(const calling *c, const view *views, bool ones) {
    int64_t room[TOSAJIT_MAX_TENSORS * TOSAJIT_MAX_RANK];
    size_t count = 0;
    for (Py_ssize_t i = 0; i < c->count; i++)
        for (int32_t d = 0; d < views[i].tensor.rank; d++) {
            const int64_t size = views[i].tensor.dims[d];
            room[count++] = ones && size != 1 ? -1 : size;
        }
    return PyBytes_FromStringAndSize((const char *)room, (Py_ssize_t)(count * sizeof *room));
}

static PyObject *operands_of(const calling *c) {
    PyObject *tuple = PyTuple_New(c->count);
    for (Py_ssize_t i = 0; tuple && i < c->count; i++)
        PyTuple_SetItem(tuple, i, Py_NewRef(c->given.objects[i]));
    return tuple;
}

static PyObject *some(PyObject *tuple, Py_ssize_t i) {
    PyObject *object = PyTuple_GetItem(tuple, i);
    return object == Py_None ? NULL : Py_NewRef(object);
}

static void set_guard(kernel_object *k, PyObject *guard, PyObject *sentences, bool all) {
    if (guard == Py_None || k->guard) return;
    k->guard = Py_NewRef(guard);
    k->sentences = Py_NewRef(sentences);
    k->guards_all = all;
}

/* In the place of the oldest, where there are too many. The maker gives a tuple: kernel, constants,
 * finish, values, a flag, and a guard (kernel.h) in three parts. The flag is true for these sizes
 * alone, and None for sizes that repeat along the same dimensions. */
static made *keep(calling *c, const view *views, PyObject *given) {
    made new = {.types = c->types,
                .kernel = some(given, 0),
                .constants = some(given, 1),
                .finish = some(given, 2),
                .values = some(given, 3)};
    const PyObject *sized = PyTuple_GetItem(given, 4);
    if (sized != Py_False && !(new.dims = dims_of(c, views, sized == Py_None))) {
        forget(&new);
        return NULL;
    }
    if (new.kernel)
        set_guard((kernel_object *)new.kernel, PyTuple_GetItem(given, 5), PyTuple_GetItem(given, 6),
                  PyTuple_GetItem(given, 7) == Py_True);
    made *m = &c->f->known[c->f->next++ % TEXTS_KERNELS], old = *m;
    *m = new;
    forget(&old);
    return m;
}

/* Names of element types. */
static PyObject *types_of(const calling *c) {
    PyObject *tuple = PyTuple_New(c->count);
    for (Py_ssize_t i = 0; tuple && i < c->count; i++) {
        const char *name = tosajit_type_name((tosajit_type)c->types.element[i]);
        PyObject *text = PyUnicode_InternFromString(name);
        if (text && !PyTuple_SetItem(tuple, i, text)) continue;
        Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *sizes_of(const tosajit_tensor *t) {
    PyObject *sizes = PyTuple_New(t->rank);
    for (int32_t d = 0; sizes && d < t->rank; d++) {
        PyObject *size = PyLong_FromLongLong(t->dims[d]);
        if (size && !PyTuple_SetItem(sizes, d, size)) continue;
        Py_CLEAR(sizes);
    }
    return sizes;
}

static PyObject *shapes_of(const calling *c, const view *views) {
    PyObject *tuple = PyTuple_New(c->count);
    for (Py_ssize_t i = 0; tuple && i < c->count; i++) {
        PyObject *sizes = sizes_of(&views[i].tensor);
        if (sizes && !PyTuple_SetItem(tuple, i, sizes)) continue;
        Py_CLEAR(tuple);
    }
    return tuple;
}

typedef struct making {
    const function_object *f;
    PyObject *operands, *types, *shapes, *given;
} making;

/* Functions are traced by functions of functions, where a thread may have little stack. */
static void make_deep(void *data) {
    making *m = data;
    Py_CLEAR(m->given); /* of a first attempt */
    m->given = PyObject_CallFunctionObjArgs(m->f->maker, m->operands, m->types, m->shapes, NULL);
}

/* As `look`, but makes it. Null with an exception. */
static made *make(calling *c, const view *views) {
    making m = {c->f, operands_of(c), types_of(c), shapes_of(c, views), NULL};
    if (m.operands && m.types && m.shapes) deep_call(c->f->state, make_deep, &m);
    Py_XDECREF(m.operands);
    Py_XDECREF(m.types);
    Py_XDECREF(m.shapes);
    made *found = m.given ? keep(c, views, m.given) : NULL;
    Py_XDECREF(m.given);
    return found;
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

/* Where NumPy's functions give scalars. */
static PyObject *scalars(const kernel_object *k, PyObject *result) {
    if (!result || k->result_count != 1 || k->tensors[k->operand_count].rank) return result;
    if (!numpy_is_array(k->state, result)) return result;
    PyObject *nothing = PyTuple_New(0);
    PyObject *scalar = nothing ? PyObject_GetItem(result, nothing) : NULL;
    Py_XDECREF(nothing);
    Py_DECREF(result);
    return scalar;
}

static PyObject *run_guarded(calling *c, kernel_object *k, view *views) {
    PyObject *result = NULL;
    if (guard_take_loose(k, &c->given, views) && guard_passes(k, views))
        result = call_run((engine_object *)k->engine, k, &c->given, views);
    return c->given.out ? result : scalars(k, result);
}

/* Behind the operands, whose views stay where they are held, come constants. */
static PyObject *run_with(calling *c, kernel_object *k, PyObject *constants, view *views) {
    const Py_ssize_t more = PyTuple_Size(constants);
    view few[VIEW_FEW], *all = view_room(few, c->count + more);
    PyObject *result = NULL;
    if (!all) return NULL;
    memcpy(all, views, (size_t)c->count * sizeof *views);
    Py_ssize_t i = 0;
    for (; i < more; i++) {
        const Py_ssize_t at = c->count + i;
        const request ask = {"operand", NULL, k->tensors[at].element, 0, false};
        c->given.objects[at] = PyTuple_GetItem(constants, i);
        if (!view_take(k->state, &all[at], c->given.objects[at], &ask)) break;
    }
    if (i == more) result = run_guarded(c, k, all);
    call_release(all + c->count, i);
    view_leave(all, few);
    return result;
}

static PyObject *run(calling *c, const made *m, view *views) {
    kernel_object *k = (kernel_object *)m->kernel;
    return m->constants ? run_with(c, k, m->constants, views) : run_guarded(c, k, views);
}

static PyObject *finish(const calling *c, PyObject *how, PyObject *result) {
    PyObject *operands = operands_of(c), *finished = NULL;
    PyObject *out = c->given.out ? c->given.out : Py_None;
    if (operands)
        finished =
            PyObject_CallFunctionObjArgs(how, result ? result : Py_None, operands, out, NULL);
    Py_XDECREF(operands);
    Py_XDECREF(result);
    return finished;
}

/* Calls that come again are worth compiling. Where that fails the quick one goes on answering. */
static void improve(const calling *c, const view *views, made *m) {
    kernel_object *quick = (kernel_object *)m->kernel;
    quick->quick = false; /* once */
    Py_INCREF((PyObject *)quick);
    PyObject *name = PyUnicode_FromString("improved");
    PyObject *better =
        name ? PyObject_CallMethodObjArgs(c->f->owner, name, (PyObject *)quick, NULL) : NULL;
    Py_XDECREF(name);
    if (!better) PyErr_Clear();
    m = look(c, views); /* other threads may have come meanwhile */
    if (better && m && m->kernel == (PyObject *)quick) {
        kernel_object *k = (kernel_object *)better;
        if (quick->guard && !k->guard)
            set_guard(k, quick->guard, quick->sentences, quick->guards_all);
        if (quick->layouts && !kernel_lay(k, quick->layouts)) PyErr_Clear();
        m->kernel = better;
        better = (PyObject *)quick;
    }
    Py_XDECREF(better);
    Py_DECREF(quick);
}

static bool is_quick(const made *m) { return m->kernel && ((kernel_object *)m->kernel)->quick; }

/* Constants have no views yet. */
static bool pays(const made *m, const view *views) {
    kernel_object *k = (kernel_object *)m->kernel;
    return !m->constants && patience_pays((engine_object *)k->engine, k, views);
}

/* Null without an exception: no kernel can have the call. */
static PyObject *answer(calling *c, view *views) {
    made *m = look(c, views);
    const bool again = m;
    if (!m && !(m = make(c, views))) return NULL;
    if (is_quick(m) && (again || pays(m, views))) {
        improve(c, views, m);
        if (!(m = look(c, views)) && !(m = make(c, views))) return NULL;
    }
    PyObject *kernel = Py_XNewRef(m->kernel), *how = Py_XNewRef(m->finish), *result = NULL;
    const made now = *m; /* others may come meanwhile, and take its place */
    PyObject *constants = Py_XNewRef(now.constants);
    if (kernel) {
        result = run(c, &now, views);
        if (!result && PyErr_ExceptionMatches(c->f->state->errors[MODULE_ERROR])) PyErr_Clear();
    }
    if (how && (result || (!kernel && !PyErr_Occurred()))) result = finish(c, how, result);
    Py_XDECREF(constants);
    Py_XDECREF(kernel);
    Py_XDECREF(how);
    return result;
}

static PyObject *call_with(calling *c, PyObject *const *args) {
    view few[VIEW_FEW], *views = NULL;
    PyObject *result = NULL;
    if (gather(c, args)) views = view_room(few, c->count);
    if (views && take(c, views)) {
        result = answer(c, views);
        call_release(views, c->count);
    } else if (!PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear(); /* an operand is no tensor */
    }
    if (views) view_leave(views, few);
    for (Py_ssize_t i = 0; i < c->captured; i++) Py_DECREF(c->kept[i]);
    return result;
}

static PyObject *call_otherwise(const function_object *f, PyObject *const *args, Py_ssize_t count,
                                PyObject *names) {
    PyObject *tuple = PyTuple_New(count), *keywords = names ? PyDict_New() : NULL;
    bool fine = tuple && (keywords || !names);
    for (Py_ssize_t i = 0; fine && i < count; i++) PyTuple_SetItem(tuple, i, Py_NewRef(args[i]));
    for (Py_ssize_t i = 0; fine && names && i < PyTuple_Size(names); i++)
        fine = !PyDict_SetItem(keywords, PyTuple_GetItem(names, i), args[count + i]);
    PyObject *result = fine ? PyObject_Call(f->otherwise, tuple, keywords) : NULL;
    Py_XDECREF(tuple);
    Py_XDECREF(keywords);
    return result;
}

static bool is_only_out(PyObject *names) {
    return PyTuple_Size(names) == 1 &&
           !PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "out");
}

static PyObject *function_call_quickly(PyObject *self, PyObject *const *args, size_t count,
                                       PyObject *names) {
    function_object *f = (function_object *)self;
    const Py_ssize_t own = (Py_ssize_t)(count & SIZE_MAX >> 1); /* its highest bit is a flag */
    if (own == f->count && own + PyTuple_Size(f->captured) <= TOSAJIT_MAX_TENSORS &&
        (!names || is_only_out(names)) && is_unchanged(f)) {
        calling c;
        c.f = f;
        c.given.out = names && args[own] != Py_None ? args[own] : NULL;
        c.captured = 0;
        c.count = own;
        c.types.weak = c.types.floats = 0;
        PyObject *result = call_with(&c, args);
        if (result || PyErr_Occurred()) return result;
    }
    PyErr_Clear(); /* of what was read beside the operands */
    return call_otherwise(f, args, own, names);
}

static PyObject *function_call(PyObject *self, PyObject *args, PyObject *keywords) {
    return PyObject_Call(((function_object *)self)->otherwise, args, keywords);
}

/* ---------------------------------------------------------------------------------------------
 * The type */

/* The captured and the watched are nothing until there are others. */
static PyObject *function_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *owner, *maker, *otherwise;
    Py_ssize_t count;
    if (keywords && PyDict_Size(keywords)) return PyErr_Format(PyExc_TypeError, "no keywords");
    if (!PyArg_ParseTuple(args, "OOOn", &owner, &maker, &otherwise, &count)) return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    function_object *f = (function_object *)allocate(type, 0); /* filled with 0 */
    if (!f) return NULL;
    f->state = PyType_GetModuleState(type);
    f->call = function_call_quickly;
    f->owner = Py_NewRef(owner);
    f->maker = Py_NewRef(maker);
    f->otherwise = Py_NewRef(otherwise);
    f->captured = PyTuple_New(0);
    f->watched = PyTuple_New(0);
    f->count = count;
    if (f->captured && f->watched) return (PyObject *)f;
    Py_DECREF(f);
    return NULL;
}

static void forget_all(function_object *f) {
    f->next = 0;
    for (size_t i = 0; i < TEXTS_KERNELS; i++) forget(&f->known[i]);
}

static PyObject *function_renew(PyObject *self, PyObject *args) {
    function_object *f = (function_object *)self;
    PyObject *captured, *watched;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &captured, &PyTuple_Type, &watched))
        return NULL;
    PyObject *old[] = {f->captured, f->watched};
    f->captured = Py_NewRef(captured);
    f->watched = Py_NewRef(watched);
    forget_all(f);
    for (int k = 0; k < 2; k++) Py_XDECREF(old[k]);
    return Py_NewRef(Py_None);
}

/* As functions of Python are methods of classes. */
static PyObject *function_bind(PyObject *self, PyObject *instance, PyObject *type) {
    (void)type;
    if (!instance || instance == Py_None) return Py_NewRef(self);
    PyObject *types = PyImport_ImportModule("types");
    PyObject *method = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
    PyObject *bound = method ? PyObject_CallFunctionObjArgs(method, self, instance, NULL) : NULL;
    Py_XDECREF(method);
    Py_XDECREF(types);
    return bound;
}

static PyObject *owners(PyObject *self, PyObject *name) {
    return PyObject_GetAttr(((function_object *)self)->owner, name);
}

static PyObject *function_attribute(PyObject *self, PyObject *name) {
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    return owners(self, name);
}

/* The text of a function, which every type has. */
static PyObject *function_text(PyObject *self, void *name) {
    PyObject *wrapped = PyObject_GetAttrString(((function_object *)self)->owner, "__wrapped__");
    PyObject *text = wrapped ? PyObject_GetAttrString(wrapped, name) : NULL;
    Py_XDECREF(wrapped);
    return text;
}

static PyObject *function_repr(PyObject *self) {
    return PyObject_Repr(((function_object *)self)->owner);
}

static int function_traverse(PyObject *self, visitproc visit, void *arg) {
    function_object *f = (function_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(f->owner);
    Py_VISIT(f->maker);
    Py_VISIT(f->otherwise);
    Py_VISIT(f->captured);
    Py_VISIT(f->watched);
    for (size_t i = 0; i < TEXTS_KERNELS; i++) {
        Py_VISIT(f->known[i].constants);
        Py_VISIT(f->known[i].finish);
    }
    return 0;
}

static int function_clear(PyObject *self) {
    function_object *f = (function_object *)self;
    Py_CLEAR(f->owner);
    Py_CLEAR(f->maker);
    Py_CLEAR(f->otherwise);
    Py_CLEAR(f->captured);
    Py_CLEAR(f->watched);
    forget_all(f);
    return 0;
}

static void function_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (((function_object *)self)->weak) PyObject_ClearWeakRefs(self);
    function_clear(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

enum { HAS_VECTORCALL = 1 << 11 }; /* Py_TPFLAGS_HAVE_VECTORCALL */
static PyMemberDef MEMBERS[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(function_object, call), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(function_object, weak), READONLY, NULL},
    {0}};
static PyMethodDef METHODS[] = {{"_renew", function_renew, METH_VARARGS, "Other surroundings."},
                                {0}};
static PyGetSetDef ATTRIBUTES[] = {{"__doc__", function_text, NULL, NULL, "__doc__"},
                                   {"__module__", function_text, NULL, NULL, "__module__"},
                                   {0}};

bool function_type_add(PyObject *module) {
    static PyType_Slot slots[] = {{Py_tp_new, function_new},
                                  {Py_tp_dealloc, function_dealloc},
                                  {Py_tp_traverse, function_traverse},
                                  {Py_tp_clear, function_clear},
                                  {Py_tp_call, function_call},
                                  {Py_tp_members, MEMBERS},
                                  {Py_tp_methods, METHODS},
                                  {Py_tp_getset, ATTRIBUTES},
                                  {Py_tp_getattro, function_attribute},
                                  {Py_tp_descr_get, function_bind},
                                  {Py_tp_repr, function_repr},
                                  {0, NULL}};
    static PyType_Spec spec = {
        "tosajit._tosajit.Function", sizeof(function_object), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC | HAS_VECTORCALL, slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    const bool added = type && !PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return added;
}

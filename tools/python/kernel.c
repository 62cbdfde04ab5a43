/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a kernel of the library. Out: an object that can be called and asked. */
#include "tools/python/kernel.h"

#include <string.h>
#include <structmember.h>

#include "tools/python/call.h"
#include "tools/python/errors.h"
#include "tools/python/fit.h"
#include "tools/python/help.h"
#include "tools/python/kernel_image.h"
#include "tools/python/kernel_show.h"
#include "tosajit/graph.h"
#include "tosajit/inspect.h"

static void note(kernel_object *k, Py_ssize_t tensor, tosajit_tensor_type type) {
    k->tensors[tensor] = (kernel_tensor){type.element, type.rank};
}

static PyObject *names_of(const tosajit_kernel *kernel, size_t operands, size_t results) {
    PyObject *names = PyTuple_New((Py_ssize_t)(operands + results));
    for (size_t i = 0; names && i < operands + results; i++) {
        const char *text = i < operands ? tosajit_kernel_operand_name(kernel, i)
                                        : tosajit_kernel_result_name(kernel, i - operands);
        PyObject *name = text ? PyUnicode_InternFromString(text)
                              : PyUnicode_FromFormat("%zu", i < operands ? i : i - operands);
        if (name && !PyTuple_SetItem(names, (Py_ssize_t)i, name)) continue;
        Py_DECREF(names);
        return NULL;
    }
    return names;
}

static kernel_vectorcall kernel_call_quickly;

PyObject *kernel_make(module_state *state, tosajit_kernel *kernel) {
    kernel_object *k = PyObject_New(kernel_object, state->kernel);
    if (!k) {
        tosajit_kernel_release(kernel);
        return NULL;
    }
    size_t operands = tosajit_kernel_operand_count(kernel);
    size_t results = tosajit_kernel_result_count(kernel);
    k->state = state;
    k->call = kernel_call_quickly;
    k->kernel = kernel;
    k->engine = k->text = k->guard = k->sentences = k->layouts = NULL;
    k->quick = k->guards_all = k->drops = k->compiles = false;
    k->looks = 0;
    k->reductions = 0;
    k->fitted = NULL;
    k->operand_count = (Py_ssize_t)operands;
    k->result_count = (Py_ssize_t)results;
    for (size_t i = 0; i < operands; i++)
        note(k, (Py_ssize_t)i, tosajit_kernel_operand_type(kernel, i));
    for (size_t i = 0; i < results; i++)
        note(k, (Py_ssize_t)(operands + i), tosajit_kernel_result_type(kernel, i));
    k->names = names_of(kernel, operands, results);
    if (k->names) return (PyObject *)k;
    Py_DECREF(k);
    return NULL;
}

bool kernel_lay(kernel_object *k, PyObject *layouts) {
    PyObject *old = k->layouts;
    if (!layouts || (layouts != Py_None &&
                     !(PyTuple_Check(layouts) && PyTuple_Size(layouts) == k->result_count))) {
        PyErr_SetString(PyExc_TypeError, "_layouts: a tuple with one for each result, or None");
        return false;
    }
    k->layouts = layouts == Py_None ? NULL : Py_NewRef(layouts);
    Py_XDECREF(old);
    return true;
}

static void kernel_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    kernel_object *k = (kernel_object *)self;
    tosajit_kernel_release(k->kernel);
    fit_release(k->fitted);
    Py_XDECREF(k->names);
    Py_XDECREF(k->engine);
    Py_XDECREF(k->text);
    Py_XDECREF(k->guard);
    Py_XDECREF(k->sentences);
    Py_XDECREF(k->layouts);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *refuse_name(const kernel_object *k, const char *format, PyObject *name) {
    PyErr_Format(PyExc_TypeError, format, name, k->names);
    return NULL;
}

/* Which operand has this name; -1: none. Names are interned, so most are the same object. */
static Py_ssize_t operand_named(const kernel_object *k, PyObject *name) {
    for (Py_ssize_t i = 0; i < k->operand_count; i++)
        if (PyTuple_GetItem(k->names, i) == name) return i;
    for (Py_ssize_t i = 0; i < k->operand_count; i++)
        if (!PyUnicode_Compare(PyTuple_GetItem(k->names, i), name)) return i;
    return -1;
}

static bool bind_keyword(const kernel_object *k, PyObject *name, PyObject *value, call_given *g) {
    Py_ssize_t i = operand_named(k, name);
    if (i >= 0 && !g->objects[i]) {
        g->objects[i] = value;
        return true;
    }
    if (i < 0 && !PyUnicode_CompareWithASCIIString(name, "out"))
        g->out = value;
    else
        refuse_name(k, i < 0 ? "the kernel has no operand %R" : "operand %R is given twice", name);
    return !PyErr_Occurred();
}

static bool bind_count(const kernel_object *k, Py_ssize_t count) {
    if (count <= k->operand_count) return true;
    PyErr_Format(PyExc_TypeError, "the kernel takes %zd operands, found %zd", k->operand_count,
                 count);
    return false;
}

static bool bind_all(const kernel_object *k, Py_ssize_t count, const call_given *g) {
    for (Py_ssize_t i = count; i < k->operand_count; i++)
        if (!g->objects[i])
            return refuse_name(k, "operand %R is missing", PyTuple_GetItem(k->names, i));
    return true;
}

static bool bind(const kernel_object *k, PyObject *args, PyObject *keywords, call_given *g) {
    Py_ssize_t count = PyTuple_Size(args), at = 0;
    if (!bind_count(k, count)) return false;
    for (Py_ssize_t i = 0; i < k->operand_count; i++)
        g->objects[i] = i < count ? PyTuple_GetItem(args, i) : NULL;
    PyObject *name, *value;
    while (keywords && PyDict_Next(keywords, &at, &name, &value))
        if (!bind_keyword(k, name, value, g)) return false;
    return bind_all(k, count, g);
}

/* The same of a call without tuple and dict: values of keywords stand behind the others. */
static bool bind_quickly(const kernel_object *k, PyObject *const *args, Py_ssize_t count,
                         PyObject *names, call_given *g) {
    const Py_ssize_t more = names ? PyTuple_Size(names) : 0;
    if (!bind_count(k, count)) return false;
    for (Py_ssize_t i = 0; i < k->operand_count; i++) g->objects[i] = i < count ? args[i] : NULL;
    for (Py_ssize_t i = 0; i < more; i++)
        if (!bind_keyword(k, PyTuple_GetItem(names, i), args[count + i], g)) return false;
    return bind_all(k, count, g);
}

static PyObject *call_given_operands(kernel_object *k, const call_given *given) {
    view few[VIEW_FEW], *views = view_room(few, k->operand_count);
    PyObject *result = NULL;
    if (views && call_take(k, given, views)) {
        result = call_run((engine_object *)k->engine, k, given, views);
        if (!result) errors_name(k->state, k->names, k->operand_count);
        call_release(views, k->operand_count);
    }
    view_leave(views, few);
    return result;
}

static PyObject *kernel_call(PyObject *self, PyObject *args, PyObject *keywords) {
    kernel_object *k = (kernel_object *)self;
    call_given given;
    given.out = NULL;
    return bind(k, args, keywords, &given) ? call_given_operands(k, &given) : NULL;
}

static PyObject *kernel_call_quickly(PyObject *self, PyObject *const *args, size_t count,
                                     PyObject *names) {
    kernel_object *k = (kernel_object *)self;
    const Py_ssize_t own = (Py_ssize_t)(count & SIZE_MAX >> 1); /* its highest bit is a flag */
    call_given given;
    given.out = NULL;
    return bind_quickly(k, args, own, names, &given) ? call_given_operands(k, &given) : NULL;
}

/* ("x", "tensor<?x64xf32>"), ... */
static PyObject *describe(const kernel_object *k, Py_ssize_t from, Py_ssize_t count) {
    PyObject *list = PyTuple_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        char text[512];
        tosajit_tensor_type type = from ? tosajit_kernel_result_type(k->kernel, (size_t)i)
                                        : tosajit_kernel_operand_type(k->kernel, (size_t)i);
        tosajit_type_print(&type, text, sizeof text);
        PyObject *pair = Py_BuildValue("(Os)", PyTuple_GetItem(k->names, from + i), text);
        if (pair && !PyTuple_SetItem(list, i, pair)) continue;
        Py_DECREF(list);
        return NULL;
    }
    return list;
}
static PyObject *get_operands(PyObject *self, void *unused) {
    (void)unused;
    return describe((kernel_object *)self, 0, ((kernel_object *)self)->operand_count);
}
static PyObject *get_results(PyObject *self, void *unused) {
    const kernel_object *k = (kernel_object *)self;
    (void)unused;
    return describe(k, k->operand_count, k->result_count);
}
static PyObject *get_native(PyObject *self, void *unused) {
    (void)unused;
    return PyBool_FromLong(tosajit_kernel_is_native(((kernel_object *)self)->kernel));
}

static PyObject *get_text(PyObject *self, void *unused) {
    (void)unused;
    PyObject *text = ((kernel_object *)self)->text;
    return Py_NewRef(text ? text : Py_None);
}
static PyObject *get_engine(PyObject *self, void *unused) {
    (void)unused;
    PyObject *engine = ((kernel_object *)self)->engine;
    return Py_NewRef(engine ? engine : Py_None);
}

static PyObject *get_layouts(PyObject *self, void *unused) {
    (void)unused;
    PyObject *layouts = ((kernel_object *)self)->layouts;
    return Py_NewRef(layouts ? layouts : Py_None);
}

static int set_layouts(PyObject *self, PyObject *layouts, void *unused) {
    kernel_object *k = (kernel_object *)self;
    (void)unused;
    return kernel_lay(k, layouts) ? 0 : -1;
}

static PyObject *kernel_explain(PyObject *self, PyObject *args) {
    const kernel_object *k = (kernel_object *)self;
    call_given given;
    view views[TOSAJIT_MAX_TENSORS];
    given.out = NULL;
    if (!bind(k, args, NULL, &given) || !call_take(k, &given, views)) return NULL;
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS];
    for (Py_ssize_t i = 0; i < k->operand_count; i++) operands[i] = views[i].tensor;
    char *text = NULL;
    tosajit_status status =
        tosajit_explain(k->kernel, operands, (size_t)k->operand_count, NULL, 0, NULL, &text);
    PyObject *result = errors_raise(k->state, status) ? NULL : PyUnicode_FromString(text);
    tosajit_text_release(text);
    call_release(views, k->operand_count);
    return result;
}

/* A kernel that cannot be compiled here goes on as without waiting; `computes` tells. */
static bool cannot(tosajit_status status) {
    return status == TOSAJIT_CODEGEN_FAILED || status == TOSAJIT_NOT_EXECUTABLE;
}

static PyObject *kernel_wait(PyObject *self, PyObject *unused) {
    const kernel_object *k = (kernel_object *)self;
    tosajit_status status;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS status = tosajit_kernel_wait(k->kernel);
    Py_END_ALLOW_THREADS if (cannot(status)) return Py_NewRef(self);
    return errors_raise(k->state, status) ? NULL : Py_NewRef(self);
}

static PyMethodDef METHODS[] = {
    {"explain", kernel_explain, METH_VARARGS, HELP_EXPLAIN},
    {"plan", MODULE_FUNCTION(kernel_plan), METH_VARARGS | METH_KEYWORDS, HELP_PLAN},
    {"save", kernel_save, METH_O, HELP_SAVE},
    {"to_bytes", kernel_to_bytes, METH_NOARGS, HELP_TO_BYTES},
    {"wait", kernel_wait, METH_NOARGS, HELP_WAIT},
    {"_repr_html_", kernel_html, METH_NOARGS, "For notebooks."},
    {0}};
static PyGetSetDef ATTRIBUTES[] = {
    {"operands", get_operands, NULL, "Name and type of each operand.", NULL},
    {"results", get_results, NULL, "Name and type of each result.", NULL},
    {"is_native", get_native, NULL, "Whether calls run code of its own.", NULL},
    {"computes", kernel_computes, NULL, "'compiled', 'precompiled' or 'interpreted', now.", NULL},
    {"text", get_text, NULL, "What was compiled, with its types; None of an image.", NULL},
    {"engine", get_engine, NULL, "Who compiled it; None of an image.", NULL},
    {"__signature__", kernel_signature, NULL, "For inspect.signature.", NULL},
    {"_layouts", get_layouts, set_layouts, "In which order results are laid.", NULL},
    {0}};

enum { HAS_VECTORCALL = 1 << 11 }; /* Py_TPFLAGS_HAVE_VECTORCALL */
static PyMemberDef MEMBERS[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(kernel_object, call), READONLY, NULL}, {0}};

bool kernel_type_add(PyObject *module, module_state *state) {
    static PyType_Slot slots[] = {{Py_tp_dealloc, kernel_dealloc}, {Py_tp_call, kernel_call},
                                  {Py_tp_members, MEMBERS},        {Py_tp_repr, kernel_repr},
                                  {Py_tp_methods, METHODS},        {Py_tp_getset, ATTRIBUTES},
                                  {Py_tp_doc, HELP_KERNEL},        {0, NULL}};
    static PyType_Spec spec = {"tosajit.Kernel", sizeof(kernel_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                   Py_TPFLAGS_IMMUTABLETYPE | HAS_VECTORCALL,
                               slots};
    state->kernel = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->kernel && !PyModule_AddType(module, state->kernel);
}

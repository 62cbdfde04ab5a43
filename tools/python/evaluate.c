/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a text and arrays by name. Out: results, by a kernel for the arrays' types. */
#include "tools/python/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "tools/python/call.h"
#include "tools/python/compile.h"
#include "tools/python/deep.h"
#include "tools/python/errors.h"
#include "tools/python/guard.h"
#include "tools/python/manners.h"
#include "tools/python/numpy.h"
#include "tools/python/patience.h"
#include "tools/python/texts.h"

/* ---------------------------------------------------------------------------------------------
 * Arguments */

/* Options, which are no operands, in the order of positional arguments, the text left out. */
typedef enum option {
    LOCALS,
    GLOBALS,
    OUT,
    ORDER,
    CASTING,
    NOTHING, /* from here on: of numexpr, without a meaning here */
    OPTIONS = NOTHING + 4
} option;
static const char *const OPTION_NAMES[OPTIONS] = {"local_dict",   "global_dict", "out",
                                                  "order",        "casting",     "sanitize",
                                                  "optimization", "truediv",     "_frame_depth"};

typedef struct arguments {
    PyObject *text; /* a str */
    call_given given;
    PyObject *options[OPTIONS]; /* borrowed; null: not given */
    bool recalled;              /* options are those of the last call, where none is given */
    PyObject *kept;             /* a list of what given.objects refers to and nobody else holds */
    manners_casting casting;
} arguments;

/* Hold a new reference as long as the call lasts; null stays null. */
static PyObject *keep(arguments *a, PyObject *object) {
    if (!a->kept) a->kept = PyList_New(0);
    const bool held = object && a->kept && !PyList_Append(a->kept, object);
    Py_XDECREF(object);
    return held ? object : NULL;
}

/* The operand of a name, with i as the place where it usually is; -1: none. */
static Py_ssize_t place(const remembered *r, PyObject *name, Py_ssize_t i) {
    if (i < r->count && PyTuple_GetItem(r->names, i) == name) return i;
    for (i = 0; i < r->count; i++)
        if (!PyUnicode_Compare(PyTuple_GetItem(r->names, i), name)) return i;
    return -1;
}

static option find_option(PyObject *name) {
    int k = 0;
    while (k < OPTIONS && PyUnicode_CompareWithASCIIString(name, OPTION_NAMES[k]) != 0) k++;
    return (option)k;
}

/* Arguments that are given by name. An operand counts before an option of the same name. */
static bool bind_named(const remembered *r, PyObject *keywords, PyObject *const *values,
                       arguments *a) {
    Py_ssize_t count = keywords ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < r->count; i++) a->given.objects[i] = NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GetItem(keywords, i);
        Py_ssize_t operand = place(r, name, i);
        option k = operand < 0 ? find_option(name) : OPTIONS;
        if (operand >= 0)
            a->given.objects[operand] = values[i];
        else if (k < OPTIONS && (!a->options[k] || a->recalled))
            a->options[k] = values[i];
        else {
            PyErr_Format(PyExc_TypeError,
                         k < OPTIONS ? "%R is given twice"
                                     : "the text has no operand %R; it has %R",
                         name, r->names);
            return false;
        }
    }
    return true;
}

static PyObject *given(PyObject *object) { return object == Py_None ? NULL : object; }

/* The constant of a name that the caller has not. */
static PyObject *constant(PyObject *name) {
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", 0x1.921fb54442d18p+1}, {"e", 0x1.5bf0a8b145769p+1}};
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        if (PyUnicode_CompareWithASCIIString(name, constants[k].name) == 0)
            return PyFloat_FromDouble(constants[k].value);
    return NULL;
}

/* A variable of one of the places where numexpr looks, as a new reference; null, perhaps with an
 * exception. */
static PyObject *look(const arguments *a, PyObject *name) {
    PyObject *own = given(a->options[LOCALS]), *wide = given(a->options[GLOBALS]);
    PyObject *places[2] = {own ? own : PyEval_GetLocals(), wide ? wide : PyEval_GetGlobals()};
    for (int k = 0; k < 2; k++) {
        PyObject *found = places[k] ? PyObject_GetItem(places[k], name) : NULL;
        if (found) return found;
        if (!places[k] || PyErr_ExceptionMatches(PyExc_KeyError)) PyErr_Clear();
        if (PyErr_Occurred()) return NULL;
    }
    return constant(name);
}

/* The caller's variables are what is not given by name. */
static bool bind_rest(const remembered *r, arguments *a) {
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (a->given.objects[i]) continue;
        PyObject *name = PyTuple_GetItem(r->names, i);
        a->given.objects[i] = keep(a, look(a, name));
        if (a->given.objects[i]) continue;
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError,
                         "operand %R is missing; the caller has no such variable either", name);
        return false;
    }
    return true;
}

/* Scalars of NumPy are Python's numbers beside arrays; among themselves they have their types. */
static bool make_plain(const engine_object *e, const remembered *r, arguments *a) {
    PyObject *plain[TOSAJIT_MAX_TENSORS];
    bool arrays = false;
    for (Py_ssize_t i = 0; i < r->count; i++) {
        PyObject *object = a->given.objects[i];
        plain[i] = NULL;
        if (view_is_number(object) || PyBool_Check(object)) continue;
        if (Py_TYPE(object) == e->state->numpy.array) {
            arrays = true;
            continue;
        }
        PyObject *found = numpy_plain(e->state, object);
        if (!found && !PyErr_Occurred()) found = numpy_array(e->state, object);
        if (!found && PyErr_Occurred()) return false;
        if (found && !(plain[i] = keep(a, found))) return false;
        arrays |= !found || !(view_is_number(found) || PyBool_Check(found));
    }
    for (Py_ssize_t i = 0; i < r->count; i++)
        if (plain[i] && arrays) a->given.objects[i] = plain[i];
    return true;
}

static bool read_options(const engine_object *e, arguments *a) {
    PyObject *order = given(a->options[ORDER]), *casting = given(a->options[CASTING]);
    a->given.out = a->options[OUT];
    a->casting = casting ? manners_find_casting(e->state, casting) : MANNERS_SAME_KIND;
    if (a->casting == MANNERS_CASTINGS) return false;
    if (!order || (PyUnicode_Check(order) && PyUnicode_GetLength(order) == 1 &&
                   PyUnicode_FindChar(order, 'F', 0, 1, 1) < 0))
        return true;
    errors_say(e->state, TOSAJIT_INVALID_ARGUMENT,
               "order: %R is none of K, A, C; give out= an array of another order", order);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Types */

/* The element type that all arrays have; TOSAJIT_TYPE_COUNT if they have several, or there is none.
 */
static tosajit_type common_type(const remembered *r, const call_given *g, const view *views) {
    tosajit_type common = TOSAJIT_TYPE_COUNT;
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (guard_is_loose(g->objects[i])) continue;
        tosajit_type element = views[i].tensor.element;
        if (common != TOSAJIT_TYPE_COUNT && common != element) return TOSAJIT_TYPE_COUNT;
        common = element;
    }
    return common;
}

static bool is_float(tosajit_type type) {
    return type >= TOSAJIT_F16 && type <= TOSAJIT_F64 && type != TOSAJIT_TYPE_COUNT;
}

/* A number comes in the type of the arrays, where that has this number, and else in the widest
 * type. The text's reader decides its type. */
static tosajit_type number_type(PyObject *number, tosajit_type common) {
    const bool fraction = PyFloat_CheckExact(number);
    if (common != TOSAJIT_TYPE_COUNT && common != TOSAJIT_I1 &&
        (is_float(common) ||
         (!fraction && (view_fits(number, common) || !view_fits(number, TOSAJIT_I64)))))
        return common;
    return fraction ? TOSAJIT_F64 : TOSAJIT_I64;
}

/* Arrays and bools first, then numbers: taken[i] tells which are held. */
static bool take(const engine_object *e, const remembered *r, const call_given *g, view *views,
                 bool *taken, signature *types) {
    request ask = {"operand", NULL, TOSAJIT_TYPE_COUNT, 0, false};
    memset(taken, 0, (size_t)r->count * sizeof *taken);
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (view_is_number(g->objects[i])) continue;
        ask.name = PyTuple_GetItem(r->names, i);
        ask.element = PyBool_Check(g->objects[i]) ? TOSAJIT_I1 : TOSAJIT_TYPE_COUNT;
        taken[i] = view_take(e->state, &views[i], g->objects[i], &ask);
        if (!taken[i]) return false;
        if (ask.element == TOSAJIT_I1) types->weak |= 1ull << i;
    }
    const tosajit_type common = common_type(r, g, views);
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (taken[i]) continue;
        ask.name = PyTuple_GetItem(r->names, i);
        ask.element = number_type(g->objects[i], common);
        taken[i] = view_take(e->state, &views[i], g->objects[i], &ask);
        if (!taken[i]) return false;
        types->weak |= 1ull << i;
        if (PyFloat_CheckExact(g->objects[i])) types->floats |= 1ull << i;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Kernels */

static kernel_object *compile_text_for(engine_object *e, PyObject *text, const remembered *r,
                                       const signature *types, bool quick) {
    tosajit_named_type *named = calloc((size_t)r->count + 1, sizeof *named);
    bool ready = named;
    if (!named) PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < r->count && ready; i++) {
        named[i].name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(r->names, i), NULL);
        named[i].type.element = (tosajit_type)types->element[i];
        named[i].type.rank = types->rank[i];
        for (int32_t d = 0; d < types->rank[i]; d++) named[i].type.dims[d] = TOSAJIT_DYNAMIC;
        ready = named[i].name;
    }
    const compile_given given = {.text = text,
                                 .types = named,
                                 .type_count = (size_t)r->count,
                                 .drop_axes = true,
                                 .quick = quick};
    PyObject *kernel = ready ? compile_text(e, &given) : NULL;
    free(named);
    return (kernel_object *)kernel;
}

/* Operands are called as the caller calls them, whatever the language can. */
static bool call_by_names(kernel_object *k, const remembered *r) {
    PyObject *names = PyTuple_New(k->operand_count + k->result_count);
    for (Py_ssize_t i = 0; names && i < k->operand_count + k->result_count; i++)
        PyTuple_SetItem(names, i,
                        Py_NewRef(PyTuple_GetItem(i < r->count ? r->names : k->names, i)));
    if (!names) return false;
    Py_DECREF(k->names);
    k->names = names;
    return true;
}

static kernel_object *compile_for(engine_object *e, const arguments *a, remembered *r,
                                  const view *views, const signature *types, bool quick) {
    const manners_text m = {.text = a->text,
                            .names = r->names,
                            .objects = a->given.objects,
                            .views = views,
                            .element = types->element,
                            .weak = types->weak,
                            .floats = types->floats,
                            .out = (tosajit_type)types->out,
                            .casting = (manners_casting)types->casting};
    manners_made made;
    if (!manners_translate(e->state, &m, &made)) return NULL;
    if (made.function) {
        r->function = made.function;
        return NULL;
    }
    kernel_object *kernel = compile_text_for(e, made.text, r, types, quick);
    bool whole = kernel && kernel->operand_count == r->count && call_by_names(kernel, r);
    if (whole && made.guard) {
        kernel->guard = (PyObject *)compile_text_for(e, made.guard, r, types, quick);
        kernel->sentences = Py_NewRef(made.sentences);
        kernel->guards_all = made.guards_all;
        whole = kernel->guard;
    }
    if (whole && made.layouts) whole = kernel_lay(kernel, made.layouts);
    if (!whole && PyErr_Occurred() && made.text != a->text) manners_reword(&m);
    manners_release(&made);
    if (!whole) Py_CLEAR(kernel);
    return kernel;
}

/* The types with bools as numbers. False if there are none. */
static bool count_bools(const remembered *r, const call_given *g, const view *views,
                        signature *types) {
    const tosajit_type common = common_type(r, g, views);
    bool any = false;
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (!PyBool_Check(g->objects[i])) continue;
        types->element[i] = (uint8_t)common;
        any = true;
    }
    return any && common != TOSAJIT_TYPE_COUNT;
}

/* Of a text of the language bools are i1, as masks are. Where it is defined for numbers alone they
 * are numbers; where for neither, the exception is about i1. */
static kernel_object *compile_here(engine_object *e, const arguments *a, remembered *r,
                                   const view *views, signature types, bool quick) {
    PyObject *type, *value, *trace;
    kernel_object *kernel = compile_for(e, a, r, views, &types, quick);
    if (kernel || !r->declares || r->function) return kernel;
    PyErr_Fetch(&type, &value, &trace);
    if (count_bools(r, &a->given, views, &types))
        kernel = compile_for(e, a, r, views, &types, quick);
    PyErr_Restore(type, value, trace);
    if (kernel) PyErr_Clear();
    return kernel;
}

typedef struct compiling {
    engine_object *e;
    const arguments *a;
    remembered *r;
    const view *views;
    const signature *types;
    bool quick;
    kernel_object *kernel;
} compiling;

static void compile_deep(void *data) {
    compiling *c = data;
    c->kernel = compile_here(c->e, c->a, c->r, c->views, *c->types, c->quick);
}

static kernel_object *compile(engine_object *e, const arguments *a, remembered *r,
                              const view *views, const signature *types, bool quick) {
    compiling c = {e, a, r, views, types, quick, NULL};
    deep_call(e->state, compile_deep, &c);
    return c.kernel;
}

/* A text that comes again is worth compiling. Where that fails the quick one goes on answering. */
static void improve(engine_object *e, const arguments *a, remembered *r, const view *views,
                    size_t slot) {
    const signature types = r->known[slot].types;
    r->known[slot].kernel->quick = false; /* once */
    kernel_object *kernel = compile(e, a, r, views, &types, false);
    if (!kernel) PyErr_Clear();
    slot = texts_kernel(r, &types); /* other threads may have come meanwhile */
    if (kernel && slot < TEXTS_KERNELS) texts_replace(r, slot, kernel);
    Py_XDECREF((PyObject *)kernel);
}

/* A new reference to the kernel for these views. */
static kernel_object *kernel_for(engine_object *e, const arguments *a, remembered *r,
                                 const view *views, const signature *types) {
    size_t slot = texts_kernel(r, types);
    if (slot < TEXTS_KERNELS && r->known[slot].kernel->quick) {
        improve(e, a, r, views, slot);
        slot = texts_kernel(r, types);
    }
    if (slot < TEXTS_KERNELS) return (kernel_object *)Py_NewRef((PyObject *)r->known[slot].kernel);
    kernel_object *kernel = compile(e, a, r, views, types, true);
    if (!kernel && r->kernels && PyErr_Occurred() &&
        PyErr_ExceptionMatches(e->state->errors[MODULE_ARGUMENT])) {
        PyErr_Clear(); /* there may be no room for more kernels of this text */
        texts_forget_kernels(r);
        kernel = compile(e, a, r, views, types, true);
    }
    if (!kernel) return NULL;
    texts_keep(r, types, kernel);
    if (!kernel->quick || !patience_pays(e, kernel, views)) return kernel;
    improve(e, a, r, views, texts_kernel(r, types));
    slot = texts_kernel(r, types);
    if (slot == TEXTS_KERNELS) return kernel; /* other threads have come meanwhile */
    Py_DECREF((PyObject *)kernel);
    return (kernel_object *)Py_NewRef((PyObject *)r->known[slot].kernel);
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

static PyObject *call(engine_object *e, const arguments *a, remembered *r, view *views,
                      const signature *types, tosajit_type *element) {
    kernel_object *kernel = kernel_for(e, a, r, views, types);
    PyObject *result = NULL;
    if (!kernel) return NULL;
    *element = kernel->result_count == 1 ? kernel->tensors[kernel->operand_count].element
                                         : TOSAJIT_TYPE_COUNT;
    if (guard_take_loose(kernel, &a->given, views) && guard_passes(kernel, views))
        result = call_run(e, kernel, &a->given, views);
    if (!result) errors_name(e->state, r->names, r->count);
    Py_DECREF((PyObject *)kernel);
    return result;
}

/* The element type of the caller's array for the result, if it is another one than the result's;
 * TOSAJIT_TYPE_COUNT otherwise. */
static tosajit_type other_type(const engine_object *e, const arguments *a, tosajit_type element) {
    const request ask = {"result", NULL, TOSAJIT_TYPE_COUNT, 0, true};
    PyObject *out = a->given.out;
    view v;
    if (!out || out == Py_None || PyTuple_Check(out) || element == TOSAJIT_TYPE_COUNT)
        return TOSAJIT_TYPE_COUNT;
    if (!view_take(e->state, &v, out, &ask)) return TOSAJIT_TYPE_COUNT;
    const tosajit_type own = v.tensor.element;
    view_release(&v);
    return own == element ? TOSAJIT_TYPE_COUNT : own;
}

/* An array of another type for the result has the result cast. */
static PyObject *call_cast(engine_object *e, const arguments *a, remembered *r, view *views,
                           signature *types, tosajit_type element) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    const tosajit_type own = other_type(e, a, element);
    if (own == TOSAJIT_TYPE_COUNT) {
        PyErr_Restore(type, value, trace); /* also in the place of one that came meanwhile */
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    types->out = (uint8_t)own;
    return call(e, a, r, views, types, &element);
}

static PyObject *run_with(engine_object *e, const arguments *a, remembered *r, view *views) {
    bool taken[TOSAJIT_MAX_TENSORS];
    signature types = {
        .weak = 0, .floats = 0, .out = TOSAJIT_TYPE_COUNT, .casting = (uint8_t)a->casting};
    tosajit_type element = TOSAJIT_TYPE_COUNT;
    PyObject *result = NULL;
    if (take(e, r, &a->given, views, taken, &types)) {
        for (Py_ssize_t i = 0; i < r->count; i++) {
            types.element[i] = (uint8_t)views[i].tensor.element;
            types.rank[i] = (uint8_t)views[i].tensor.rank;
        }
        result = call(e, a, r, views, &types, &element);
        if (!result && PyErr_Occurred() && PyErr_ExceptionMatches(e->state->errors[MODULE_TYPE]))
            result = call_cast(e, a, r, views, &types, element);
    }
    for (Py_ssize_t i = 0; i < r->count; i++)
        if (taken[i]) view_release(&views[i]);
    return result;
}

/* Runs texts that are more than a kernel's. */
static PyObject *run_function(engine_object *e, const arguments *a, const remembered *r) {
    PyObject *operands = PyTuple_New(r->count), *result = NULL;
    PyObject *casting = PyUnicode_FromString(manners_casting_word(a->casting));
    for (Py_ssize_t i = 0; operands && i < r->count; i++)
        PyTuple_SetItem(operands, i, Py_NewRef(a->given.objects[i]));
    if (operands && casting)
        result = PyObject_CallFunctionObjArgs(r->function, (PyObject *)e, operands,
                                              a->given.out ? a->given.out : Py_None, casting, NULL);
    Py_XDECREF(casting);
    Py_XDECREF(operands);
    return result;
}

/* True if the exception is about sizes, and not about memory that results share with operands. */
static bool is_about_sizes(PyObject *error) {
    PyObject *status = PyObject_GetAttrString(error, "status");
    const bool sizes = status && PyUnicode_Check(status) &&
                       PyUnicode_CompareWithASCIIString(status, "TOSAJIT_OVERLAP") != 0;
    Py_XDECREF(status);
    PyErr_Clear();
    return sizes;
}

/* An operand has a type or is a number that no kernel has, or a view that no strides say: NumPy may
 * compute the text, or a part of it. If it does not either, the exception is the one that was. */
static PyObject *run_by_numpy(engine_object *e, const arguments *a, remembered *r, bool shapes) {
    PyObject *type, *value, *trace, *found = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    remembered own = {.names = r->names, .count = r->count};
    if (!r->declares && (!shapes || is_about_sizes(value)))
        own.function = manners_numpy(a->text, r->names, a->given.objects, shapes);
    if (own.function) found = run_function(e, a, &own);
    if (found && shapes && !r->kernels && !r->function) /* no kernel was to be had */
        r->function = Py_NewRef(own.function);
    if (!found && (shapes || !own.function || PyErr_ExceptionMatches(PyExc_OverflowError))) {
        PyErr_Clear();
        PyErr_Restore(type, value, trace);
    } else {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    }
    Py_XDECREF(own.function);
    return found;
}

static PyObject *run_by_kernel(engine_object *e, const arguments *a, remembered *r) {
    view few[VIEW_FEW], *views = view_room(few, r->count);
    PyObject *result = views ? run_with(e, a, r, views) : NULL;
    if (views) view_leave(views, few);
    return result;
}

/* The call that a function was made for may have been an odd one, as of no elements: whether it is
 * time to look again, which takes as long as a new text. */
static bool is_due(remembered *r) {
    size_t calls = ++r->by_function;
    while (calls > 1 && calls % 8 == 0) calls /= 8;
    return calls == 1 && r->by_function > 1;
}

/* True: there is a kernel now, and `result` is what it has made of the call. */
static bool look_again(engine_object *e, const arguments *a, remembered *r, PyObject **result) {
    PyObject *old = r->function;
    r->function = NULL;
    *result = run_by_kernel(e, a, r);
    if (r->kernels || PyErr_ExceptionMatches(PyExc_MemoryError)) {
        Py_DECREF(old);
        return true;
    }
    PyErr_Clear();
    PyObject *new = r->function; /* the old one has kernels of its own */
    r->function = old;
    Py_XDECREF(new);
    return false;
}

/* True if a number of the call is beyond i64: NumPy compares with such numbers. */
static bool has_large(const arguments *a, const remembered *r) {
    for (Py_ssize_t i = 0; i < r->count; i++)
        if (PyLong_CheckExact(a->given.objects[i]) && !view_fits(a->given.objects[i], TOSAJIT_I64))
            return true;
    return false;
}

static PyObject *run(engine_object *e, const arguments *a, remembered *r) {
    PyObject *result = NULL;
    if (!r->function)
        result = run_by_kernel(e, a, r);
    else if (!is_due(r) || !look_again(e, a, r, &result))
        return run_function(e, a, r);
    if (result) return result;
    if (!PyErr_Occurred()) return run_function(e, a, r);
    const bool shapes = PyErr_ExceptionMatches(e->state->errors[MODULE_SHAPE]);
    if (!shapes && !PyErr_ExceptionMatches(e->state->errors[MODULE_TYPE]) && !has_large(a, r))
        return NULL;
    return run_by_numpy(e, a, r, shapes);
}

/* ---------------------------------------------------------------------------------------------
 * The last text again */

/* The last evaluation of a thread: a tuple of the text, a weak reference to out, or None, and
 * casting. */
static PyObject *last_of_thread(const engine_object *e, PyObject **dict) {
    *dict = PyThreadState_GetDict();
    return *dict ? PyDict_GetItemWithError(*dict, (PyObject *)e->state->engine) : NULL;
}

static PyObject *weak(PyObject *object) {
    PyObject *reference = object ? PyWeakref_NewRef(object, NULL) : NULL;
    if (reference) return reference;
    PyErr_Clear(); /* of a type that allows none */
    return Py_NewRef(Py_None);
}

/* A loop that evaluates the same again and again has nothing to note. */
static bool note_last(engine_object *e, const arguments *a) {
    const void *thread = PyThreadState_Get();
    PyObject *out = given(a->options[OUT]), *casting = given(a->options[CASTING]), *dict;
    if (e->state->noted.text == a->text && e->state->noted.out == out &&
        e->state->noted.thread == thread)
        return true;
    PyObject *reference = weak(out);
    PyObject *last = PyTuple_Pack(3, a->text, reference, casting ? casting : Py_None);
    last_of_thread(e, &dict);
    const bool kept = last && dict && !PyDict_SetItem(dict, (PyObject *)e->state->engine, last);
    if (kept) {
        e->state->noted.text = a->text;
        e->state->noted.out = out;
        e->state->noted.thread = thread;
    }
    Py_XDECREF(last);
    Py_DECREF(reference);
    return kept || !PyErr_Occurred();
}

static PyObject *evaluate_text(engine_object *e, arguments *a, PyObject *keywords,
                               PyObject *const *values) {
    PyObject *capsule = texts_find(e, a->text);
    if (!capsule) return NULL;
    remembered *r = texts_of(capsule);
    PyObject *result = NULL;
    if (r->count > TOSAJIT_MAX_TENSORS)
        errors_say(e->state, TOSAJIT_LIMIT_EXCEEDED, "the text has %zd operands; 64 is the most",
                   r->count);
    else if (bind_named(r, keywords, values, a) && read_options(e, a) && bind_rest(r, a) &&
             make_plain(e, r, a) && note_last(e, a))
        result = run(e, a, r);
    Py_XDECREF(a->kept);
    Py_DECREF(capsule);
    return result;
}

PyObject *evaluate(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    engine_object *e = (engine_object *)self;
    if (count < 1 || count > 1 + NOTHING || !PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "evaluate takes a text, and operands by their names");
        return NULL;
    }
    arguments a;
    a.text = args[0];
    a.kept = NULL;
    a.recalled = false;
    memset(a.options, 0, sizeof a.options);
    for (Py_ssize_t i = 1; i < count; i++) a.options[i - 1] = args[i];
    return evaluate_text(e, &a, keywords, args + count);
}

static void recall(PyObject *last, arguments *a) {
    PyObject *casting = given(PyTuple_GetItem(last, 2)), *reference = PyTuple_GetItem(last, 1);
    PyObject *out = reference == Py_None ? NULL : PyObject_CallNoArgs(reference);
    memset(a->options, 0, sizeof a->options);
    a->text = PyTuple_GetItem(last, 0);
    a->kept = NULL;
    a->recalled = true;
    a->options[OUT] = given(keep(a, out));
    a->options[CASTING] = casting;
}

PyObject *re_evaluate(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    engine_object *e = (engine_object *)self;
    PyObject *dict, *last = last_of_thread(e, &dict);
    if (!last || count > NOTHING) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError,
                            last ? "re_evaluate takes operands by their names"
                                 : "re_evaluate: this thread has evaluated nothing before");
        return NULL;
    }
    arguments a;
    Py_INCREF(last);
    recall(last, &a);
    for (Py_ssize_t i = 0; i < count; i++) a.options[i] = args[i];
    PyObject *result = evaluate_text(e, &a, keywords, args + count);
    Py_DECREF(last);
    return result;
}

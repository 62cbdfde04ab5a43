/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a kernel. Out: texts and drawings. */
#include "tools/python/kernel_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/system.h"
#include "tools/base/plan_svg.h"
#include "tools/python/engine.h"
#include "tools/python/errors.h"
#include "tosajit/inspect.h"

static const char *computes(const kernel_object *k) {
    tosajit_kernel_info info = {.size = sizeof info};
    if (tosajit_kernel_describe(k->kernel, &info)) return "interpreted";
    return info.backend == TOSAJIT_BACKEND_NATIVE        ? "compiled"
           : info.backend == TOSAJIT_BACKEND_PRECOMPILED ? "precompiled"
                                                         : "interpreted";
}

PyObject *kernel_computes(PyObject *self, void *unused) {
    (void)unused;
    return PyUnicode_FromString(computes((kernel_object *)self));
}

PyObject *kernel_repr(PyObject *self) {
    const kernel_object *k = (kernel_object *)self;
    if (k->text) return PyUnicode_FromFormat("<tosajit.Kernel %R, %s>", k->text, computes(k));
    PyObject *operands = PyObject_GetAttrString(self, "operands");
    PyObject *results = operands ? PyObject_GetAttrString(self, "results") : NULL;
    PyObject *text = results ? PyUnicode_FromFormat("<tosajit.Kernel %R -> %R, %s>", operands,
                                                    results, computes(k))
                             : NULL;
    Py_XDECREF(results);
    Py_XDECREF(operands);
    return text;
}

static const struct {
    const char *name;
    tosajit_view view;
} VIEWS[] = {{"text", TOSAJIT_VIEW_PLAN},    {"json", TOSAJIT_VIEW_JSON},
             {"svg", TOSAJIT_VIEW_JSON},     {"nest", TOSAJIT_VIEW_NEST},
             {"ir", TOSAJIT_VIEW_IR},        {"asm", TOSAJIT_VIEW_ASM},
             {"passes", TOSAJIT_VIEW_PASSES}};

/* The drawing of a plan that is given as JSON. */
static PyObject *draw(const char *json) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = system_text_open(&text, &size);
    bool drawn = stream && plan_svg(json, "kernel", stream);
    if (stream && !system_text_close(stream)) drawn = false;
    PyObject *drawing =
        drawn ? PyUnicode_FromStringAndSize(text, (Py_ssize_t)size) : PyErr_NoMemory();
    free(text);
    return drawing;
}

static tosajit_status print(const kernel_object *k, tosajit_engine *engine, tosajit_view view,
                            char **text) {
    Py_ssize_t length = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(k->text, &length);
    tosajit_expr *expr = NULL;
    tosajit_status status = tosajit_expr_parse(bytes, (size_t)length, NULL, &expr);
    Py_BEGIN_ALLOW_THREADS /* code is generated for some */
        if (!status) status = tosajit_print(engine, expr, view, text);
    tosajit_expr_destroy(expr);
    Py_END_ALLOW_THREADS return status;
}

static PyObject *plan(const kernel_object *k, size_t view) {
    if (!k->text || !k->engine)
        return errors_say(k->state, TOSAJIT_INVALID_ARGUMENT,
                          "plan: the kernel came as an image, which keeps no plan to show");
    engine_object *e = (engine_object *)k->engine;
    engine_made *made = engine_use(e);
    tosajit_engine *engine = made ? engine_made_compiling(k->state, made, &e->options) : NULL;
    char *text = NULL;
    tosajit_status status = engine ? print(k, engine, VIEWS[view].view, &text) : TOSAJIT_OK;
    engine_made_leave(made);
    if (!engine) return NULL;
    PyObject *shown = errors_raise(k->state, status)         ? NULL
                      : strcmp(VIEWS[view].name, "svg") == 0 ? draw(text)
                                                             : PyUnicode_FromString(text);
    tosajit_text_release(text);
    return shown;
}

static size_t find_view(const char *name) {
    size_t view = 0;
    while (view < sizeof VIEWS / sizeof *VIEWS && strcmp(VIEWS[view].name, name) != 0) view++;
    return view;
}

PyObject *kernel_plan(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"view", NULL};
    const kernel_object *k = (kernel_object *)self;
    const char *name = "text";
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|s:plan", names, &name)) return NULL;
    const size_t view = find_view(name);
    if (view < sizeof VIEWS / sizeof *VIEWS) return plan(k, view);
    return errors_say(k->state, TOSAJIT_INVALID_ARGUMENT,
                      "plan: '%s' is none of text, json, svg, nest, ir, asm, passes", name);
}

/* A function of tosajit/_show.py, called with the kernel. */
static PyObject *ask_python(PyObject *self, const char *function, PyObject *argument) {
    PyObject *module = PyImport_ImportModule("tosajit._show");
    PyObject *f = module ? PyObject_GetAttrString(module, function) : NULL;
    PyObject *answer = f ? PyObject_CallFunctionObjArgs(f, self, argument, NULL) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(module);
    return answer;
}

PyObject *kernel_html(PyObject *self, PyObject *unused) {
    const kernel_object *k = (kernel_object *)self;
    PyObject *drawing = k->text ? plan(k, find_view("svg")) : Py_NewRef(Py_None);
    (void)unused;
    if (!drawing) return NULL;
    PyObject *html = ask_python(self, "html", drawing);
    Py_DECREF(drawing);
    return html;
}

PyObject *kernel_signature(PyObject *self, void *unused) {
    (void)unused;
    return ask_python(self, "signature", NULL);
}

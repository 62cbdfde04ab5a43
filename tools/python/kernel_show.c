/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In: a kernel. Out: texts and drawings. */
#include "tools/python/kernel_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/system/system.h"
#include "tools/base/explain_page.h"
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
} VIEWS[] = {{"text", TOSAJIT_VIEW_PLAN}, {"json", TOSAJIT_VIEW_JSON},
             {"svg", TOSAJIT_VIEW_JSON},  {"html", TOSAJIT_VIEW_JSON},
             {"nest", TOSAJIT_VIEW_NEST}, {"ir", TOSAJIT_VIEW_IR},
             {"asm", TOSAJIT_VIEW_ASM},   {"passes", TOSAJIT_VIEW_PASSES}};

enum drawn { DRAWING, DOCUMENT, ELEMENT };

/* A plan that is given as JSON, drawn; with its loops, for a page. */
static PyObject *draw(const char *json, const char *title, const char *who, const char *nest,
                      enum drawn what) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = system_text_open(&text, &size);
    const explain_page page = {
        .title = title, .subtitle = who, .plan = json, .function = "kernel", .nest = nest};
    bool drawn = stream && (what == DRAWING    ? plan_svg(json, "kernel", stream)
                            : what == DOCUMENT ? explain_page_document(&page, stream)
                                               : explain_page_element(&page, stream));
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

/* The drawing of a plan, or the page about it; loops are left out where there are none to show. */
static PyObject *draw_plan(const kernel_object *k, tosajit_engine *engine, const char *json,
                           enum drawn what) {
    char *nest = NULL;
    if (what != DRAWING && print(k, engine, TOSAJIT_VIEW_NEST, &nest)) nest = NULL;
    const char *title = PyUnicode_AsUTF8AndSize(k->text, NULL);
    PyObject *drawn = title ? draw(json, title, computes(k), nest, what) : NULL;
    tosajit_text_release(nest);
    return drawn;
}

static PyObject *plan(const kernel_object *k, size_t view, enum drawn what) {
    if (!k->text || !k->engine)
        return errors_say(k->state, TOSAJIT_INVALID_ARGUMENT,
                          "plan: the kernel came as an image, which keeps no plan to show");
    engine_object *e = (engine_object *)k->engine;
    engine_made *made = engine_use(e);
    tosajit_engine *engine = made ? engine_made_compiling(k->state, made, &e->options) : NULL;
    char *text = NULL;
    tosajit_status status = engine ? print(k, engine, VIEWS[view].view, &text) : TOSAJIT_OK;
    PyObject *shown =
        !engine || errors_raise(k->state, status) ? NULL
        : VIEWS[view].view == TOSAJIT_VIEW_JSON && strcmp(VIEWS[view].name, "json") != 0
            ? draw_plan(k, engine, text, what)
            : PyUnicode_FromString(text);
    engine_made_leave(made);
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
    if (view < sizeof VIEWS / sizeof *VIEWS)
        return plan(k, view, strcmp(name, "html") == 0 ? DOCUMENT : DRAWING);
    return errors_say(k->state, TOSAJIT_INVALID_ARGUMENT,
                      "plan: '%s' is none of text, json, svg, html, nest, ir, asm, passes", name);
}

/* A function of tosajit/_show.py, called with the kernel. */
static PyObject *ask_python(PyObject *self, const char *function) {
    PyObject *module = PyImport_ImportModule("tosajit._show");
    PyObject *f = module ? PyObject_GetAttrString(module, function) : NULL;
    PyObject *answer = f ? PyObject_CallFunctionObjArgs(f, self, NULL) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(module);
    return answer;
}

PyObject *kernel_html(PyObject *self, PyObject *unused) {
    const kernel_object *k = (kernel_object *)self;
    (void)unused;
    return k->text ? plan(k, find_view("html"), ELEMENT) : ask_python(self, "html");
}

PyObject *kernel_signature(PyObject *self, void *unused) {
    (void)unused;
    return ask_python(self, "signature");
}

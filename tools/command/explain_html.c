/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call can take no less than moving its bytes, and no less than its arithmetic. Both are measured
 * beside it: memcpy of as many bytes, and the same kernel on tensors that lie in the first cache,
 * for as many elements. The larger one is the roof. */
#include "tools/command/explain_html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/explain_page.h"
#include "tools/command/call_tensors.h"
#include "tools/data/bandwidth.h"
#include "tools/data/output_file.h"
#include "tosajit/inspect.h"

enum { ROUNDS = 3, TEXT = 256 };
static const double FIRST_CACHE = 16384; /* bytes of arguments that surely lie in it */

/* A call that can be made. */
typedef struct made {
    call_tensor tensors[TOSAJIT_MAX_TENSORS];
    tosajit_tensor views[TOSAJIT_MAX_TENSORS];
    size_t arguments, results;
    tosajit_explanation x;
    char *text; /* the sentences; of the library */
    bool here;
} made;

typedef struct figures {
    double call, copy, cached; /* seconds; 0: not known */
} figures;

/* Tensors of these shapes, and what the library says of a call on them. */
static int make(const options *o, const entry *e, const tosajit_kernel *kernel,
                const shape_word *shapes, made *m) {
    *m = (made){.arguments = e->function.input_count,
                .results = e->function.result_count,
                .x = {.size = sizeof m->x}};
    for (size_t k = 0; k < m->arguments + m->results; k++) m->tensors[k].shape = shapes[k];
    int code = call_make_tensors(o, e, kernel, m->tensors);
    for (size_t k = 0; code == EXIT_FINE && k < m->arguments + m->results; k++)
        m->views[k] = m->tensors[k].view;
    if (code == EXIT_FINE &&
        tosajit_explain(kernel, m->views, m->arguments, m->views + m->arguments, m->results, &m->x,
                        &m->text) != TOSAJIT_OK)
        code = entry_refuse(e);
    m->here = code == EXIT_FINE;
    return code;
}

static void drop(made *m) {
    call_release_tensors(m->tensors);
    tosajit_text_release(m->text);
}

static tosajit_status measure(const tosajit_kernel *kernel, const made *m, double *seconds) {
    const timing_limits limits = {.total_seconds = 0.3, .warm_seconds = 0.05};
    timing t;
    tosajit_status status = timing_run(kernel, m->views, m->arguments, m->views + m->arguments,
                                       m->results, &limits, &t);
    *seconds = t.median;
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * The same call in the first cache */

static double argument_bytes(const entry *e, const tosajit_kernel *kernel,
                             const shape_word *shapes) {
    double all = 0;
    for (size_t k = 0; k < e->function.input_count; k++) {
        double bytes = (double)tosajit_type_size(call_tensor_type(e, kernel, k).element);
        for (int32_t d = 0; d < shapes[k].rank; d++) bytes *= (double)shapes[k].dims[d];
        all += bytes;
    }
    return all;
}

/* Halve the dimension that is `place` from the last, where the type allows it. False: no longer. */
static bool halve(const entry *e, const tosajit_kernel *kernel, int32_t place, shape_word *shapes) {
    bool halved = false;
    for (size_t k = 0; k < e->function.input_count; k++) {
        const tosajit_tensor_type type = call_tensor_type(e, kernel, k);
        const int32_t d = shapes[k].rank - 1 - place;
        if (d < 0 || type.rank != shapes[k].rank || type.dims[d] != TOSAJIT_DYNAMIC ||
            shapes[k].dims[d] < 2)
            continue;
        shapes[k].dims[d] /= 2;
        halved = true;
    }
    return halved;
}

/* Fewer of the outer dimensions, until all of it is small; false if the types do not let it be. */
static bool shrink(const entry *e, const tosajit_kernel *kernel, shape_word *shapes) {
    for (size_t k = 0; k < e->function.input_count; k++)
        if (shapes[k].strided) return false;
    for (int32_t place = TOSAJIT_MAX_RANK - 1; place >= 0; place--)
        while (argument_bytes(e, kernel, shapes) > FIRST_CACHE)
            if (!halve(e, kernel, place, shapes)) break;
    return argument_bytes(e, kernel, shapes) <= FIRST_CACHE;
}

/* Nothing is said where a smaller call is refused: its sizes were found without asking anybody. */
static bool make_small(const options *o, const entry *e, const tosajit_kernel *kernel,
                       const shape_word *shapes, made *small) {
    shape_word fewer[TOSAJIT_MAX_TENSORS];
    memcpy(fewer, shapes, sizeof fewer);
    options dense = *o;
    dense.shape_count = e->function.input_count;
    if (argument_bytes(e, kernel, shapes) <= FIRST_CACHE || !shrink(e, kernel, fewer)) return false;
    tosajit_tensor views[TOSAJIT_MAX_TENSORS];
    for (size_t k = 0; k < e->function.input_count; k++)
        views[k] = (tosajit_tensor){call_tensor_type(e, kernel, k).element, fewer[k].rank, NULL,
                                    fewer[k].dims, NULL};
    return tosajit_explain(kernel, views, e->function.input_count, NULL, 0, NULL, NULL) ==
               TOSAJIT_OK &&
           make(&dense, e, kernel, fewer, small) == EXIT_FINE && small->x.elements > 0;
}

/* ---------------------------------------------------------------------------------------------
 * The page */

/* All take turns, so that what disturbs the machine disturbs all. */
static int measure_all(const entry *e, const tosajit_kernel *kernel, const made *m,
                       const made *small, figures *f) {
    const double bytes = m->x.bytes;
    const timing_limits limits = {.total_seconds = 0.3, .warm_seconds = 0.05};
    double calls[ROUNDS], copies[ROUNDS], cached[ROUNDS] = {0};
    bandwidth copy;
    if (!bandwidth_create(bytes, &copy)) return command_error("out of memory for a copy");
    tosajit_status status = TOSAJIT_OK;
    for (int k = 0; k < ROUNDS && !status; k++) {
        status = measure(kernel, m, &calls[k]);
        if (!status && small->here) status = measure(kernel, small, &cached[k]);
        copies[k] = bandwidth_measure(&copy, &limits);
    }
    bandwidth_destroy(&copy);
    if (status) return entry_refuse(e);
    const double speed = timing_median(copies, ROUNDS);
    f->call = timing_median(calls, ROUNDS);
    f->copy = speed > 0 ? bytes / speed : 0;
    if (small->here)
        f->cached = timing_median(cached, ROUNDS) * m->x.elements / small->x.elements /
                    (double)(m->x.threads ? m->x.threads : 1);
    return EXIT_FINE;
}

static void describe(const entry *e, const tosajit_kernel *kernel, const made *m, const options *o,
                     char text[TEXT]) {
    size_t at = 0;
    for (size_t k = 0; m->here && k < m->arguments + m->results && at + 64 < TEXT; k++) {
        at += (size_t)snprintf(text + at, TEXT - at, "%s",
                               k == m->arguments ? " -> "
                               : k               ? ", "
                                                 : "");
        for (int32_t d = 0; d < m->views[k].rank && at + 64 < TEXT; d++)
            at += (size_t)snprintf(text + at, TEXT - at, "%lldx", (long long)m->views[k].dims[d]);
        at += (size_t)snprintf(text + at, TEXT - at, "%s", tosajit_type_name(m->views[k].element));
    }
    snprintf(text + at, TEXT - at, "%s@%s, by %s%s%s", at ? " · " : "",
             tosa_file_name(e->file.any, e->index), options_answerer(kernel), o->cpu ? " for " : "",
             o->cpu ? o->cpu : "");
}

static int write_page(const explain_page *page, const char *path) {
    output_file out;
    bool fine = output_file_open(path, &out);
    if (fine && !explain_page_document(page, out.stream)) {
        output_file_abort(&out);
        return command_error("out of memory");
    }
    fine = fine && output_file_finish(&out) && output_file_commit(&out);
    if (strcmp(path, "-") == 0) path = "standard output";
    return fine ? EXIT_FINE : command_error("%s: cannot write: %s", path, strerror(errno));
}

/* A text of the library's, with the names that the file has. */
static char *view(const entry *e, tosajit_engine *engine, tosajit_view which) {
    char *text = NULL, *renamed = NULL;
    if (tosajit_print(engine, e->function.expr, which, &text) != TOSAJIT_OK) return NULL;
    renamed = tosa_file_rename(e->file.any, e->index, &e->function, text);
    if (!renamed && (renamed = malloc(strlen(text) + 1))) strcpy(renamed, text);
    tosajit_text_release(text);
    return renamed;
}

static void judge(const figures *f, char text[TEXT]) {
    const bool computes = f->cached > f->copy;
    const double roof = computes ? f->cached : f->copy, of = roof > 0 ? f->call / roof : 0;
    const int length = snprintf(
        text, TEXT,
        "The roof is %s, %s. This call takes %.2f of it. Median times, measured here in turns.",
        timing_print(roof).text, computes ? "for its arithmetic" : "for its memory", of);
    if (of < 0.95)
        snprintf(text + length, TEXT - (size_t)length,
                 " Less than 1 says that something else ran beside the measurement.");
}

static int tell(const options *o, const entry *e, tosajit_engine *engine,
                const tosajit_kernel *kernel, const made *m, const figures *f) {
    timing_text texts[] = {timing_print(f->call), timing_print(f->copy), timing_print(f->cached)};
    const page_time times[] = {
        {"this call", texts[0].text, f->call},
        {"memcpy of as many bytes", texts[1].text, f->copy},
        {"its arithmetic, with everything in the first cache", texts[2].text, f->cached}};
    char subtitle[TEXT], verdict[TEXT];
    describe(e, kernel, m, o, subtitle);
    judge(f, verdict);
    char *plan = view(e, engine, TOSAJIT_VIEW_JSON), *nest = view(e, engine, TOSAJIT_VIEW_NEST);
    const explain_page page = {.title = o->expr ? o->expr : o->file,
                               .subtitle = subtitle,
                               .plan = plan,
                               .function = tosa_file_name(e->file.any, e->index),
                               .nest = nest,
                               .call = m->text,
                               .times = times,
                               .time_count = f->call <= 0    ? 0
                                             : f->cached > 0 ? 3
                                                             : 2,
                               .verdict = verdict};
    int code = plan ? write_page(&page, o->html) : entry_refuse(e);
    free(plan);
    free(nest);
    return code;
}

int explain_html(const options *o, const entry *e, tosajit_engine *engine,
                 const tosajit_kernel *kernel, const shape_word *shapes) {
    static made whole, small; /* too large for a stack; the command runs once */
    figures f = {0};
    int code = shapes ? make(o, e, kernel, shapes, &whole) : EXIT_FINE;
    if (code == EXIT_FINE && shapes && whole.x.elements > 0) {
        make_small(o, e, kernel, shapes, &small);
        code = measure_all(e, kernel, &whole, &small, &f);
    }
    if (code == EXIT_FINE) code = tell(o, e, engine, kernel, &whole, &f);
    drop(&whole);
    drop(&small);
    return code;
}

/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* tosajit bench: how fast a kernel is on tensors of given sizes, and how that compares with copying
 * as many bytes. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/system/system.h"
#include "tools/data/bandwidth.h"
#include "tools/command/call.h"
#include "tools/command/call_tensors.h"
#include "tools/command/commands.h"
#include "tosajit/inspect.h"

enum { ROUNDS = 3, SAMPLES = 31, COMPILATIONS = 5 }; /* samples: of a round */
static const double SLICE_SECONDS = 0.5, /* of a measurement; kernel and copy take turns */
    WARM_SECONDS = 0.1,                  /* of calls before each */
    PATIENCE_SECONDS = 2;                /* until progress is shown */

typedef struct bench_figures {
    timing time; /* the least, the median and the most of all rounds */
    double samples[ROUNDS * SAMPLES];
    size_t sample_count;
    timing_spread spread; /* of the samples */
    double bytes, copy_bytes_per_second, elements;
    double first_seconds,
        compile_seconds;   /* of the first kernel, with the start of LLVM; of a later one */
    double beside_seconds; /* a call of the kernel beside this one; or 0 */
    tosajit_kernel_info info;
} bench_figures;

typedef struct bench {
    const options *o;
    entry entry;
    tosajit_accuracy accuracy;
    size_t threads;
    tosajit_backend backend;
    tosajit_engine *engine, *compiler;
    tosajit_kernel *kernel, *beside;          /* beside: see compile_beside */
    call_tensor tensors[TOSAJIT_MAX_TENSORS]; /* arguments, then results */
    bench_figures figures;
} bench;

static size_t argument_count(const bench *b) { return b->entry.function.input_count; }
static size_t result_count(const bench *b) { return b->entry.function.result_count; }

/* ---------------------------------------------------------------------------------------------
 * Words */

static int read_shapes(bench *b, bool *known) {
    shape_word shapes[TOSAJIT_MAX_TENSORS];
    int code = call_read_shapes("bench", b->o, &b->entry, b->kernel, shapes, known);
    for (size_t k = 0; code == EXIT_FINE && k < TOSAJIT_MAX_TENSORS; k++)
        b->tensors[k].shape = shapes[k];
    return code;
}

/* ---------------------------------------------------------------------------------------------
 * Measuring */

static double begun, told; /* seconds; the command runs once */

/* Asked between rounds; it never stops. On a terminal it shows that something happens. */
static bool show_progress(void) {
    double now = timing_now();
    if (isatty(STDERR_FILENO) && now - begun > PATIENCE_SECONDS && now - told > 0.5) {
        told = now;
        fprintf(stderr, "\rmeasuring, %.0f s ... ", now - begun);
        fflush(stderr);
    }
    return false;
}

static tosajit_status open_engine(const bench *b, tosajit_backend backend,
                                  tosajit_engine **engine) {
    const tosajit_engine_options settings = {.size = sizeof settings,
                                             .backend = backend,
                                             .cpu = b->o->cpu,
                                             .accuracy = b->accuracy,
                                             .uncached = 1,
                                             .threads = b->threads > 1 ? b->threads : 0};
    return tosajit_engine_create(&settings, engine);
}

static bool is_precompiled(const bench *b) {
    return b->figures.info.backend == TOSAJIT_BACKEND_PRECOMPILED;
}

/* Precompiled ops are compared with native code, where that can be made. */
static void compile_beside(bench *b) {
    if (is_precompiled(b) && open_engine(b, TOSAJIT_BACKEND_NATIVE, &b->compiler) == TOSAJIT_OK &&
        tosajit_compile_expr(b->compiler, b->entry.function.expr, &b->beside) != TOSAJIT_OK)
        b->beside = NULL;
    if (b->beside && !tosajit_kernel_is_native(b->beside)) { /* too large for it */
        tosajit_kernel_release(b->beside);
        b->beside = NULL;
    }
}

static int compile(bench *b) {
    bench_figures *f = &b->figures;
    double start = timing_now(), samples[COMPILATIONS];
    if (open_engine(b, b->backend, &b->engine) != TOSAJIT_OK)
        return command_error("%s", tosajit_last_error());
    if (tosajit_compile_expr(b->engine, b->entry.function.expr, &b->kernel) != TOSAJIT_OK)
        return entry_refuse(&b->entry);
    f->first_seconds = timing_now() - start;
    f->info.size = sizeof f->info;
    for (int k = 0; k < COMPILATIONS; k++) { /* as an engine that goes on compiling has it */
        tosajit_kernel *again;
        start = timing_now();
        if (tosajit_compile_expr(b->engine, b->entry.function.expr, &again) != TOSAJIT_OK)
            return entry_refuse(&b->entry);
        samples[k] = timing_now() - start;
        tosajit_kernel_describe(again, &f->info);
        tosajit_kernel_release(again);
    }
    f->compile_seconds = timing_median(samples, COMPILATIONS);
    compile_beside(b);
    return EXIT_FINE;
}

/* Bytes that a call moves, and elements of its largest result. */
static void count_work(bench *b, const tosajit_tensor *views) {
    const size_t arguments = argument_count(b), all = arguments + result_count(b);
    bench_figures *f = &b->figures;
    f->bytes = timing_bytes(views, all);
    for (size_t k = arguments; k < all; k++) {
        double elements = 1;
        for (int32_t d = 0; d < views[k].rank; d++) elements *= (double)views[k].dims[d];
        if (elements > f->elements) f->elements = elements;
    }
}

/* One round of the kernel, whose figures are added. */
static tosajit_status measure_kernel(bench *b, const tosajit_tensor *views, timing_limits limits,
                                     double *median) {
    bench_figures *f = &b->figures;
    const tosajit_tensor *results = views + argument_count(b);
    timing t;
    limits.samples = f->samples + f->sample_count;
    tosajit_status status =
        timing_run(b->kernel, views, argument_count(b), results, result_count(b), &limits, &t);
    if (f->sample_count == 0 || t.least < f->time.least) f->time.least = t.least;
    if (t.most > f->time.most) f->time.most = t.most;
    f->time.calls += t.calls;
    f->sample_count += (size_t)t.rounds;
    *median = t.median;
    return status;
}

static tosajit_status measure_beside(bench *b, const tosajit_tensor *views,
                                     const timing_limits *limits, double *median) {
    timing t = {0};
    tosajit_status status = TOSAJIT_OK;
    if (b->beside)
        status = timing_run(b->beside, views, argument_count(b), views + argument_count(b),
                            result_count(b), limits, &t);
    *median = t.median;
    return status;
}

/* The kernel, the one beside it and the copy take turns, so that what disturbs the machine disturbs
 * all.
 */
static tosajit_status measure_rounds(bench *b, const tosajit_tensor *views, bandwidth *copy) {
    const timing_limits limits = {.rounds = SAMPLES,
                                  .total_seconds = SLICE_SECONDS,
                                  .warm_seconds = WARM_SECONDS,
                                  .stop = show_progress};
    double medians[ROUNDS], copies[ROUNDS], others[ROUNDS];
    bench_figures *f = &b->figures;
    begun = timing_now();
    for (int k = 0; k < ROUNDS; k++) {
        tosajit_status status = measure_kernel(b, views, limits, &medians[k]);
        if (!status) status = measure_beside(b, views, &limits, &others[k]);
        if (status) return status;
        copies[k] = bandwidth_measure(copy, &limits);
    }
    f->time.median = timing_median(medians, ROUNDS);
    f->spread = timing_describe(f->samples, f->sample_count);
    f->beside_seconds = timing_median(others, ROUNDS);
    f->copy_bytes_per_second = timing_median(copies, ROUNDS);
    return TOSAJIT_OK;
}

static int measure(bench *b) {
    tosajit_tensor views[TOSAJIT_MAX_TENSORS] = {0};
    bench_figures *f = &b->figures;
    for (size_t k = 0; k < argument_count(b) + result_count(b); k++) views[k] = b->tensors[k].view;
    count_work(b, views);
    bandwidth copy;
    if (!bandwidth_create(f->bytes, &copy))
        return command_error("out of memory for a copy of %.0f bytes", f->bytes);
    tosajit_status status = measure_rounds(b, views, &copy);
    bandwidth_destroy(&copy);
    if (told > 0) fputs("\r                              \r", stderr);
    return status ? entry_refuse(&b->entry) : EXIT_FINE;
}

/* ---------------------------------------------------------------------------------------------
 * Telling */

static double gigabytes_per_second(const bench_figures *f) {
    return f->time.median > 0 ? f->bytes / f->time.median * 1e-9 : 0;
}
static double percent_of_copy(const bench_figures *f) {
    return f->copy_bytes_per_second > 0
               ? 100 * gigabytes_per_second(f) / (f->copy_bytes_per_second * 1e-9)
               : 0;
}
static double nanoseconds_per_element(const bench_figures *f) {
    return f->elements > 0 ? f->time.median * 1e9 / f->elements : 0;
}

/* True if the system may move this process between CPUs. */
static bool is_pinned(void) { return system_processors() <= 1; }

/* Who computed, if it was not native code, and what compiling gains. */
static void tell_backend(const bench *b, bool measured) {
    const bench_figures *f = &b->figures;
    if (f->info.backend == TOSAJIT_BACKEND_NATIVE) return;
    printf("computed by      %s", options_answerer(b->kernel));
    if (is_precompiled(b) && !b->beside)
        fputs("; no native code can be made here", stdout);
    else if (measured && f->beside_seconds > 0)
        printf("; native code takes %.1f ns, %.2f of the time", f->beside_seconds * 1e9,
               f->beside_seconds / f->time.median);
    putchar('\n');
}

static void tell_compile(const bench *b) {
    const tosajit_kernel_info *info = &b->figures.info;
    if (info->backend != TOSAJIT_BACKEND_NATIVE) {
        printf("making it        %.4f ms, the first kernel of the process %.3f; nothing is "
               "compiled\n",
               b->figures.compile_seconds * 1e3, b->figures.first_seconds * 1e3);
        return;
    }
    printf("compiling        %.2f ms (IR %.2f, passes %.2f, code %.2f, linking %.2f), the first "
           "kernel of the process %.1f; %zu bytes\n",
           b->figures.compile_seconds * 1e3, info->emit_ms, info->passes_ms, info->codegen_ms,
           info->link_ms, b->figures.first_seconds * 1e3, info->code_bytes);
}

static void tell_shape(const call_tensor *t) {
    for (int32_t d = 0; d < t->shape.rank; d++)
        printf("%s%" PRId64, d ? "x" : "", t->shape.dims[d]);
    printf("%s%s", t->shape.rank ? "x" : "", tosajit_type_name(t->view.element));
    if (t->shape.strided) fputs(" strided", stdout);
}

static void tell_spread(const bench_figures *f) {
    const timing_spread *s = &f->spread;
    printf("spread           mean %.1f ns, standard deviation %.1f (%.1f %%), the middle half "
           "from %.1f to %.1f\n",
           s->mean * 1e9, s->deviation * 1e9, s->mean > 0 ? 100 * s->deviation / s->mean : 0,
           s->low * 1e9, s->high * 1e9);
    printf("outliers         %zu slow and %zu fast of %zu samples%s\n", s->slow, s->fast,
           f->sample_count,
           10 * (s->slow + s->fast) > f->sample_count ? "; something else runs beside it" : "");
}

static void tell_text(const bench *b, bool measured) {
    const bench_figures *f = &b->figures;
    const size_t arguments = argument_count(b), all = arguments + result_count(b);
    printf("@%s", tosa_file_name(b->entry.file.any, b->entry.index));
    for (size_t k = 0; measured && k < all; k++) {
        fputs(k == arguments ? " -> " : k ? ", " : ": ", stdout);
        tell_shape(&b->tensors[k]);
    }
    putchar('\n');
    if (measured && f->elements > 0) {
        printf("a call           %.1f ns, the median of %" PRId64 " (from %.1f to %.1f)\n",
               f->time.median * 1e9, f->time.calls, f->time.least * 1e9, f->time.most * 1e9);
        tell_spread(f);
        printf("an element       %.4f ns\n", nanoseconds_per_element(f));
        printf("memory           %.2f GB/s: %.0f bytes read or written\n", gigabytes_per_second(f),
               f->bytes);
        printf("compared with    memcpy of as many bytes: %.2f GB/s here and now; this is %.0f %% "
               "of it\n",
               f->copy_bytes_per_second * 1e-9, percent_of_copy(f));
    } else if (measured) {
        printf("a call           %.1f ns; the tensors are empty\n", f->time.median * 1e9);
    }
    tell_backend(b, measured);
    tell_compile(b);
    char example[CALL_TEXT];
    if (!measured)
        printf("not measured     sizes are dynamic; give them with --shape, once per argument, as "
               "%s\n",
               call_example(&b->entry, b->kernel, example));
    if (measured && b->threads == 1 && !is_pinned())
        puts("advice           taskset -c 1 tosajit bench ... keeps the system from moving it to "
             "another CPU");
}

static void write_tensors(json *j, const bench *b, const char *name, size_t first, size_t end) {
    json_open(j, name, '[');
    for (size_t k = first; k < end; k++) {
        const call_tensor *t = &b->tensors[k];
        json_open(j, NULL, '{');
        json_text(j, "type", tosajit_type_name(t->view.element));
        json_integers(j, "shape", t->shape.dims, t->shape.rank);
        if (t->shape.strided) json_integers(j, "strides", t->shape.strides, t->shape.rank);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_times(json *j, const bench_figures *f) {
    json_integer(j, "calls", f->time.calls);
    json_number(j, "median_ns", f->time.median * 1e9);
    json_number(j, "mean_ns", f->spread.mean * 1e9);
    json_number(j, "deviation_ns", f->spread.deviation * 1e9);
    json_number(j, "quartile_low_ns", f->spread.low * 1e9);
    json_number(j, "quartile_high_ns", f->spread.high * 1e9);
    json_number(j, "least_ns", f->time.least * 1e9);
    json_number(j, "most_ns", f->time.most * 1e9);
    json_integer(j, "samples", (int64_t)f->sample_count);
    json_integer(j, "fast_outliers", (int64_t)f->spread.fast);
    json_integer(j, "slow_outliers", (int64_t)f->spread.slow);
    json_number(j, "ns_per_element", nanoseconds_per_element(f));
}

static void write_memory(json *j, const bench_figures *f) {
    json_count(j, "bytes", f->bytes);
    json_number(j, "gb_per_s", gigabytes_per_second(f));
    json_number(j, "copy_gb_per_s", f->copy_bytes_per_second * 1e-9);
    json_number(j, "percent_of_copy", percent_of_copy(f));
    json_flag(j, "pinned", is_pinned());
}

static void write_compile(json *j, const bench_figures *f) {
    const tosajit_kernel_info *i = &f->info;
    json_number(j, "compile_ms", f->compile_seconds * 1e3);
    json_number(j, "first_compile_ms", f->first_seconds * 1e3);
    json_number(j, "emit_ms", i->emit_ms);
    json_number(j, "passes_ms", i->passes_ms);
    json_number(j, "codegen_ms", i->codegen_ms);
    json_number(j, "link_ms", i->link_ms);
    json_integer(j, "code_bytes", (int64_t)i->code_bytes);
}

static void tell_json(const bench *b, bool measured) {
    const size_t arguments = argument_count(b), all = arguments + result_count(b);
    json j = json_begin();
    json_text(&j, "function", tosa_file_name(b->entry.file.any, b->entry.index));
    json_text(&j, "accuracy", options_accuracy_name(b->accuracy));
    json_integer(&j, "threads", (int64_t)b->threads);
    json_text(&j, "backend", options_backend_name(b->figures.info.backend));
    if (measured && b->beside) json_number(&j, "native_median_ns", b->figures.beside_seconds * 1e9);
    if (measured) {
        write_tensors(&j, b, "arguments", 0, arguments);
        write_tensors(&j, b, "results", arguments, all);
        write_times(&j, &b->figures);
        write_memory(&j, &b->figures);
    }
    write_compile(&j, &b->figures);
    json_end(&j);
}

static int run_bench(bench *b) {
    int code = compile(b);
    bool measured = false;
    if (code == EXIT_FINE) code = read_shapes(b, &measured);
    if (code == EXIT_FINE && measured)
        code = call_make_tensors(b->o, &b->entry, b->kernel, b->tensors);
    if (code == EXIT_FINE && measured) code = measure(b);
    if (code == EXIT_FINE) (b->o->json ? tell_json : tell_text)(b, measured);
    return code;
}

int cmd_bench(const options *o) {
    static bench b; /* too large for a stack; the command runs once */
    b.o = o;
    const bool fine =
        options_accuracy("bench", o, &b.accuracy) && options_backend("bench", o, &b.backend);
    int code = fine ? call_read_threads("bench", o, &b.threads) : EXIT_USAGE;
    if (code == EXIT_FINE) code = entry_open(o, &b.entry);
    if (code != EXIT_FINE) return code;
    code = run_bench(&b);
    call_release_tensors(b.tensors);
    tosajit_kernel_release(b.kernel);
    tosajit_kernel_release(b.beside);
    tosajit_engine_destroy(b.engine);
    tosajit_engine_destroy(b.compiler);
    entry_close(&b.entry);
    return code;
}

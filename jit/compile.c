/* Compile: the public ways from an op or an expression to a kernel, or to a text about it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/native.h"
#include "runtime/diag.h"
#include "runtime/environment.h"
#include "runtime/verbose.h"

static void release_engine(void *engine) {
    tosajit_engine *maker = engine;
    atomic_fetch_sub_explicit(&maker->kernels, 1, memory_order_relaxed);
    engine_release(maker);
}

tosajit_status compile_begin(tosajit_engine *engine, const tosajit_expr *expr, tosajit_kernel **kernel) {
    tosajit_kernel *made;
    tosajit_status status = kernel_create(expr, &engine->allocator, &made);
    if (status) return status;
    engine_retain(engine);
    atomic_fetch_add_explicit(&engine->kernels, 1, memory_order_relaxed);
    made->maker = engine;
    made->release_maker = release_engine;
    made->program->fast |= engine->fast;
    made->parallel = engine->parallel;
    made->cpu = engine_cpu(engine);
    status = engine_check_cap(engine);
    if (status) {
        tosajit_kernel_release(made);
        return status;
    }
    if (engine->backend != TOSAJIT_BACKEND_INTERPRET) native_restore(engine, made);
    *kernel = made;
    return TOSAJIT_OK;
}

/* A kernel that was not there yet. */
static tosajit_status make_kernel(tosajit_engine *engine, const tosajit_expr *expr, tosajit_kernel **kernel) {
    tosajit_kernel *made;
    tosajit_status status = compile_begin(engine, expr, &made);
    if (status) return status;
    const bool interpreted = engine->backend == TOSAJIT_BACKEND_INTERPRET;
    const bool later = engine->backend == TOSAJIT_BACKEND_BACKGROUND && !engine_is_inherited(engine);
    if (!interpreted && !tosajit_kernel_is_native(made))
        status = later ? background_add(&engine->background, made) : native_compile(engine, made);
    if ((status || interpreted) && environment_get()->verbose) verbose_compiled(made, status, NULL);
    if (status)
        tosajit_kernel_release(made);
    else
        *kernel = made;
    return status;
}

tosajit_status tosajit_compile_expr(tosajit_engine *engine, const tosajit_expr *expr, tosajit_kernel **kernel) {
    if (!engine || !expr || !kernel) return diag_error(TOSAJIT_INVALID_ARGUMENT, "compile_expr: engine, expr or kernel is a null pointer");
    if (engine->backend == TOSAJIT_BACKEND_CROSS)
        return diag_error(TOSAJIT_NOT_EXECUTABLE, "compile: an engine for another CPU (TOSAJIT_BACKEND_CROSS) makes no kernels");
    if (engine->uncached) return make_kernel(engine, expr, kernel);
    cache_key key = cache_make_key(expr, &engine->allocator);
    cache_flight *flight;
    tosajit_kernel *known = NULL;
    tosajit_status status;
    switch (cache_begin(&engine->cache, &key, &engine->allocator, true, &known, &status, &flight)) {
    case CACHE_HIT: atomic_fetch_add_explicit(&engine->hits, 1, memory_order_relaxed); break;
    case CACHE_BUSY: /* only for those who do not wait */
    case CACHE_JOINED: atomic_fetch_add_explicit(&engine->joined, 1, memory_order_relaxed); break;
    case CACHE_MISS:
        status = make_kernel(engine, expr, &known);
        cache_finish(&engine->cache, &key, &engine->allocator, known, status, flight);
        break;
    }
    cache_drop_key(&key, &engine->allocator);
    if (!status) *kernel = known;
    return status;
}

/* The expression with one node of this op. */
static tosajit_status single_op(tosajit_expr *expr, tosajit_op op, const tosajit_tensor_type *operands, size_t operand_count,
                                const tosajit_attributes *attributes, const tosajit_tensor_type *result) {
    tosajit_value inputs[TOSAJIT_MAX_OPERANDS] = {0}, value;
    if (operand_count > TOSAJIT_MAX_OPERANDS) /* refused, with how many the op takes */
        return tosajit_expr_op(expr, op, inputs, operand_count, attributes, result, &value);
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < operand_count; k++) status = tosajit_expr_input(expr, &operands[k], &inputs[k]);
    if (!status) status = tosajit_expr_op(expr, op, inputs, operand_count, attributes, result, &value);
    return status ? status : tosajit_expr_result(expr, value);
}

tosajit_status tosajit_compile(tosajit_engine *engine, tosajit_op op, const tosajit_tensor_type *operands, size_t operand_count,
                               const tosajit_attributes *attributes, const tosajit_tensor_type *result, tosajit_kernel **kernel) {
    if (!engine || !operands || !kernel)
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "compile: engine, operands or kernel is a null pointer");
    tosajit_expr_options options = {.size = sizeof options, .allocator = &engine->meter.hooks};
    tosajit_expr *expr;
    tosajit_status status = tosajit_expr_create(&options, &expr);
    if (status) return status;
    status = single_op(expr, op, operands, operand_count, attributes, result);
    if (!status) status = tosajit_compile_expr(engine, expr, kernel);
    tosajit_expr_destroy(expr);
    return status;
}

static tosajit_status print_plan(const tosajit_kernel *kernel, tosajit_view view, char **text) {
    size_t size;
    FILE *out = open_memstream(text, &size);
    if (!out) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the text of a plan");
    (view == TOSAJIT_VIEW_SVG ? plan_print_svg : plan_print)(&kernel->plan, kernel->program, out);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed) return TOSAJIT_OK;
    free(*text);
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the text of a plan");
}

tosajit_status compile_print(tosajit_engine *engine, const tosajit_kernel *kernel, tosajit_view view, char **text) {
    char *printed = NULL;
    const bool planned = view == TOSAJIT_VIEW_PLAN || view == TOSAJIT_VIEW_SVG;
    if (!planned && engine->backend == TOSAJIT_BACKEND_INTERPRET)
        return diag_error(TOSAJIT_NOT_EXECUTABLE, "print: an engine that interprets has no code to show");
    tosajit_status status = planned ? print_plan(kernel, view, &printed) : native_print(engine, kernel, view, &printed);
    if (!status) *text = printed;
    return status;
}

tosajit_status tosajit_print(tosajit_engine *engine, const tosajit_expr *expr, tosajit_view view, char **text) {
    if (!engine || !expr || !text) return diag_error(TOSAJIT_INVALID_ARGUMENT, "print: engine, expr or text is a null pointer");
    if ((unsigned)view > TOSAJIT_VIEW_SVG) return diag_error(TOSAJIT_INVALID_ARGUMENT, "print: there is no view %d", (int)view);
    tosajit_kernel *kernel;
    tosajit_status status = kernel_create(expr, &engine->allocator, &kernel);
    if (status) return status;
    kernel->program->fast |= engine->fast;
    status = compile_print(engine, kernel, view, text);
    tosajit_kernel_release(kernel);
    return status;
}

void tosajit_text_release(char *text) { free(text); }

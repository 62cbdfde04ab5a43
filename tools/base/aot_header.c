/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C header of an ahead-of-time object. A function's arguments are, for each operand and then
 * each result, a pointer to its elements and, if its shape is not static, its sizes; tensors are
 * dense and row-major. */
#include "tools/base/aot_header.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "tosajit/inspect.h"

static const char *c_type(tosajit_type element) {
    static const char *const names[TOSAJIT_TYPE_COUNT] = {
        [TOSAJIT_I1] = "uint8_t",   [TOSAJIT_I8] = "int8_t",        [TOSAJIT_I16] = "int16_t",
        [TOSAJIT_I32] = "int32_t",  [TOSAJIT_I48] = "int64_t",      [TOSAJIT_I64] = "int64_t",
        [TOSAJIT_F16] = "uint16_t", [TOSAJIT_BF16] = "uint16_t",    [TOSAJIT_F32] = "float",
        [TOSAJIT_F64] = "double",   [TOSAJIT_F8E4M3FN] = "uint8_t", [TOSAJIT_F8E5M2] = "uint8_t",
        [TOSAJIT_U8] = "uint8_t",   [TOSAJIT_U16] = "uint16_t",     [TOSAJIT_U32] = "uint32_t",
        [TOSAJIT_U64] = "uint64_t",
    };
    return names[element];
}

static void print_element(FILE *out, tosajit_type element) {
    fputs("TOSAJIT_", out);
    for (const char *c = tosajit_type_name(element); *c; c++)
        fputc(toupper((unsigned char)*c), out);
}

tosajit_status aot_function_open(const tosajit_expr *expr, aot_function *function) {
    const tosajit_engine_options options = {.size = sizeof options,
                                            .backend = TOSAJIT_BACKEND_INTERPRET};
    tosajit_engine *engine = NULL;
    tosajit_status status = tosajit_engine_create(&options, &engine);
    function->expr = expr;
    if (!status) status = tosajit_compile_expr(engine, expr, &function->kernel);
    tosajit_engine_destroy(engine);
    return status;
}

void aot_function_close(aot_function *function) {
    tosajit_kernel_release(function->kernel);
    function->kernel = NULL;
}

/* One tensor of a function, by its own name, or "operand0" or "result0". */
typedef struct tensor {
    char name[72];
    bool is_result, is_static;
    tosajit_tensor_type type;
} tensor;

static size_t operand_count(const aot_function *f) {
    return tosajit_kernel_operand_count(f->kernel);
}

static size_t tensor_count(const aot_function *f) {
    return operand_count(f) + tosajit_kernel_result_count(f->kernel);
}

static const char *given_name(const aot_function *f, size_t index) {
    const size_t operands = operand_count(f);
    return index < operands ? tosajit_kernel_operand_name(f->kernel, index)
                            : tosajit_kernel_result_name(f->kernel, index - operands);
}

/* True if a name may be a parameter's: no word of C or C++, nothing that the header has, and no
 * other tensor's. */
static bool is_free(const aot_function *f, size_t index, const char *name) {
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl "
        "concept const constexpr consteval constinit continue co_await co_return co_yield decltype "
        "default delete do double else enum explicit export extern false float for friend goto if "
        "inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq "
        "private protected public register reinterpret_cast requires restrict return short signed "
        "sizeof static struct switch template this throw true try typedef typeid typename union "
        "unsigned using virtual void volatile wchar_t while xor xor_eq NULL operands results ";
    char word[80];
    snprintf(word, sizeof word, " %s ", name);
    const size_t length = strlen(name);
    bool taken = strstr(words, word) || strpbrk(name, "$.") || name[0] == '_' ||
                 strncmp(name, "tosajit", 7) == 0 || strncmp(name, "TOSAJIT", 7) == 0 ||
                 (length > 5 && strcmp(name + length - 5, "_dims") == 0);
    bool upper = true; /* may be a macro */
    for (const char *c = name; *c; c++) upper = upper && !islower((unsigned char)*c);
    for (size_t k = 0; k < tensor_count(f) && !taken; k++)
        taken = k != index && given_name(f, k) && strcmp(given_name(f, k), name) == 0;
    return !taken && !upper;
}

static tensor tensor_at(const aot_function *f, size_t index) {
    const size_t operands = operand_count(f);
    tensor t = {.is_result = index >= operands, .is_static = true};
    size_t own = t.is_result ? index - operands : index;
    const char *given = given_name(f, index);
    snprintf(t.name, sizeof t.name, "%s%zu", t.is_result ? "result" : "operand", own);
    if (given && is_free(f, index, given)) snprintf(t.name, sizeof t.name, "%s", given);
    t.type = t.is_result ? tosajit_kernel_result_type(f->kernel, own)
                         : tosajit_kernel_operand_type(f->kernel, own);
    for (int32_t d = 0; d < t.type.rank; d++) t.is_static &= t.type.dims[d] != TOSAJIT_DYNAMIC;
    return t;
}

static void print_comment(FILE *out, const aot_function *a) {
    fprintf(out, "/* @%s\n", a->shown);
    for (size_t k = 0; k < tensor_count(a); k++) {
        const tensor t = tensor_at(a, k);
        char text[512];
        tosajit_type_print(&t.type, text, sizeof text);
        fprintf(out, " *   %s: %s\n", t.name, text);
    }
    fprintf(out, " * Tensors are dense and row-major. Checks and errors as tosajit_run. */\n");
}

static void print_parameters(FILE *out, const aot_function *f) {
    for (size_t k = 0; k < tensor_count(f); k++) {
        const tensor t = tensor_at(f, k);
        fprintf(out, "%s%s%s *%s", k ? ", " : "", t.is_result ? "" : "const ",
                c_type(t.type.element), t.name);
        if (!t.is_static) fprintf(out, ", const int64_t %s_dims[%d]", t.name, (int)t.type.rank);
    }
}

static void print_static_dims(FILE *out, const tensor *t) {
    if (!t->is_static || t->type.rank == 0) return;
    fprintf(out, "    static const int64_t %s_dims[%d] = {", t->name, (int)t->type.rank);
    for (int32_t d = 0; d < t->type.rank; d++)
        fprintf(out, "%s%" PRId64, d ? ", " : "", t->type.dims[d]);
    fprintf(out, "};\n");
}

/* A tensor's members are set one by one, which C and C++ read alike; operands are not written
 * through the pointer. */
static void print_tensor(FILE *out, const tensor *t, const char *array, size_t at) {
    fprintf(out, "    %s[%zu] = tosajit_dense(", array, at);
    print_element(out, t->type.element);
    fprintf(out, ", (void *)(uintptr_t)%s, %d, ", t->name, (int)t->type.rank);
    fprintf(out, t->type.rank ? "%s_dims);\n" : "NULL);\n", t->name);
}

static void print_function(FILE *out, const aot_function *a) {
    const size_t inputs = operand_count(a), results = tensor_count(a) - inputs;
    fputc('\n', out);
    print_comment(out, a);
    fprintf(out, "extern tosajit_aot %s;\nstatic inline tosajit_status %s(", a->symbol, a->name);
    print_parameters(out, a);
    fprintf(out, ") {\n    tosajit_tensor operands[%zu], results[%zu];\n", inputs ? inputs : 1,
            results);
    for (size_t k = 0; k < inputs + results; k++) {
        const tensor t = tensor_at(a, k);
        print_static_dims(out, &t);
        print_tensor(out, &t, t.is_result ? "results" : "operands", t.is_result ? k - inputs : k);
    }
    fprintf(out, "    return tosajit_aot_run(&%s, operands, %zu, results, %zu);\n}\n", a->symbol,
            inputs, results);
}

/* The name of a file within a comment, which it must not end. Without its folder, so that every
 * build writes the same header. */
static void print_path(FILE *out, const char *path) {
    const char *folder = strrchr(path, '/');
    if (folder) path = folder + 1;
    for (; *path; path++)
        fputc((unsigned char)*path < ' ' || *path == '*' || *path == '\\' ? '_' : *path, out);
}

void aot_header_write(FILE *out, const char *name, const char *source,
                      const aot_function *functions, size_t count) {
    fputs(AOT_HEADER_BEGIN " from ", out);
    print_path(out, source);
    fprintf(out,
            ", tosajit %s. Link the object of the same name and the library tosajit-runtime.\n"
            " * For views with strides and for results' sizes: tosajit_aot_kernel, tosajit_run, "
            "tosajit_kernel_result_dims. */\n",
            tosajit_version());
    fprintf(out,
            "#ifndef TOSAJIT_AOT_%s_H\n#define TOSAJIT_AOT_%s_H\n\n#include <tosajit/image.h>\n\n",
            name, name);
    fputs("#ifdef __cplusplus\nextern \"C\" {\n#endif\n", out);
    for (size_t k = 0; k < count; k++) print_function(out, &functions[k]);
    fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", out);
}

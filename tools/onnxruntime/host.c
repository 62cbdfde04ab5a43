/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The engine as a host: it is found, loaded and called through its table of functions. */
#define _GNU_SOURCE /* asprintf, dlfcn.h */
#include "tools/onnxruntime/host.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/onnxruntime/abi.h"

struct ort_host {
    const ort_api *api;
    const char *version; /* the engine's */
    ort_env *env;
    ort_memory_info *memory;
    ort_allocator *allocator; /* the engine's */
};

struct ort_session {
    ort_host *host;
    ort_model *model;
    size_t input_count, output_count;
    ort_port *ports;    /* owned: inputs, then outputs */
    const char **names; /* owned array: theirs */
};

struct ort_results {
    const ort_api *api;
    size_t count;
    struct ort_output {
        ort_value *value;
        ort_tensor tensor;
    } outputs[];
};

static bool fail(ort_message *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

/* Whether a call succeeded; what the engine says otherwise goes to why. */
static bool fine(const ort_api *api, ort_status *status, ort_message *why) {
    if (!status) return true;
    fail(why, "%s", ORT(api, GetErrorMessage)(status));
    ORT(api, ReleaseStatus)(status);
    return false;
}

/* ---------------------------------------------------------------------------------------------
 * Types */

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [ORT_F32] = {"f32", 4}, [ORT_U8] = {"u8", 1},      [ORT_I8] = {"i8", 1},
    [ORT_U16] = {"u16", 2}, [ORT_I16] = {"i16", 2},    [ORT_I32] = {"i32", 4},
    [ORT_I64] = {"i64", 8}, [ORT_STRING] = {"str", 0}, [ORT_BOOL] = {"bool", 1},
    [ORT_F16] = {"f16", 2}, [ORT_F64] = {"f64", 8},    [ORT_U32] = {"u32", 4},
    [ORT_U64] = {"u64", 8}, [ORT_BF16] = {"bf16", 2},
};
enum { TYPES = sizeof types / sizeof *types };

const char *ort_type_name(ort_type type) {
    return (size_t)type < TYPES && types[type].name ? types[type].name : "?";
}

size_t ort_type_size(ort_type type) { return (size_t)type < TYPES ? types[type].size : 0; }

/* ---------------------------------------------------------------------------------------------
 * Finding the engine */

/* A library that was tried, and why it is not it. */
static void note(ort_message *tried, const char *path, const char *why) {
    const size_t length = strlen(tried->text);
    snprintf(tried->text + length, sizeof tried->text - length, "\n  %s: %s", path, why);
}

static void *load(const char *path, ort_message *tried) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library && dlsym(library, "OrtGetApiBase")) return library;
    note(tried, path, library ? "it has no OrtGetApiBase" : dlerror());
    if (library) dlclose(library);
    return NULL;
}

static int is_engine(const struct dirent *entry) {
    return strncmp(entry->d_name, "libonnxruntime.so", strlen("libonnxruntime.so")) == 0;
}

/* A file, or the first of a folder's libonnxruntime.so*. */
static void *load_path(const char *path, ort_message *tried) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISDIR(about.st_mode)) {
        char *whole = realpath(path, NULL); /* a bare name would be looked up elsewhere */
        void *library = whole ? load(whole, tried) : NULL;
        free(whole);
        return library;
    }
    struct dirent **entries;
    const int count = scandir(path, &entries, is_engine, alphasort);
    if (count < 0) return note(tried, path, strerror(errno)), NULL;
    if (count == 0) note(tried, path, "there is no libonnxruntime.so in it");
    void *library = NULL;
    for (int k = 0; k < count; k++) {
        char *file = NULL;
        if (!library && asprintf(&file, "%s/%s", path, entries[k]->d_name) >= 0) {
            library = load(file, tried);
            free(file);
        }
        free(entries[k]);
    }
    free(entries);
    return library;
}

#if defined(__aarch64__)
#define NPM_MACHINE "arm64"
#else
#define NPM_MACHINE "x64"
#endif

static int is_napi(const struct dirent *entry) { return strncmp(entry->d_name, "napi-v", 6) == 0; }

/* The library of npm's package in a folder's node_modules. */
static void *load_package(const char *folder, ort_message *tried) {
    char *bin = NULL, *inner = NULL;
    struct dirent **entries;
    void *library = NULL;
    if (asprintf(&bin, "%s/node_modules/onnxruntime-node/bin", folder) < 0) return NULL;
    const int count = scandir(bin, &entries, is_napi, alphasort);
    for (int k = 0; k < count; k++) {
        if (!library &&
            asprintf(&inner, "%s/%s/linux/" NPM_MACHINE, bin, entries[k]->d_name) >= 0) {
            library = load_path(inner, tried);
            free(inner);
        }
        free(entries[k]);
    }
    if (count >= 0) free(entries);
    free(bin);
    return library;
}

/* That of the current folder, or of one above. */
static void *load_package_above(ort_message *tried) {
    char *folder = getcwd(NULL, 0), *slash;
    void *library = NULL;
    if (!folder) return NULL;
    do {
        library = load_package(folder, tried);
        slash = strrchr(folder, '/');
        if (slash) *slash = 0;
    } while (!library && slash);
    if (!library) note(tried, "node_modules/onnxruntime-node", "not here, nor in a folder above");
    free(folder);
    return library;
}

static void *find(const char *path, ort_message *tried) {
    const char *named = getenv("TOSAJIT_ONNXRUNTIME");
    if (path) return load_path(path, tried);
    if (named && *named) return load_path(named, tried);
    void *library = load("libonnxruntime.so.1", tried);
    return library ? library : load_package_above(tried);
}

/* The newest version of the interface that both know. */
static const ort_api *table_of(void *library, const char **version, ort_message *why) {
    const ort_api_base *(*base)(void);
    *(void **)&base = dlsym(library, "OrtGetApiBase");
    *version = base()->version();
    const unsigned long release =
        strncmp(*version, "1.", 2) == 0 ? strtoul(*version + 2, NULL, 10) : 0;
    const ort_api *api = release >= ORT_VERSION_LEAST ? base()->get_api(ORT_VERSION_LEAST) : NULL;
    if (!api) fail(why, "ONNX Runtime is version %s; 1.17 or a later 1.x is needed", *version);
    return api;
}

static bool prepare(ort_host *host, ort_message *why) {
    const ort_api *api = host->api;
    /* What fails is told by statuses. */
    return fine(api, ORT(api, CreateEnv)(ORT_LOG_FATAL, "tosajit", &host->env), why) &&
           fine(api,
                ORT(api, CreateCpuMemoryInfo)(ORT_ALLOCATOR_ARENA, ORT_MEMORY_DEFAULT,
                                              &host->memory),
                why) &&
           fine(api, ORT(api, GetAllocatorWithDefaultOptions)(&host->allocator), why);
}

bool ort_host_open(const char *path, ort_host **host, ort_message *why) {
    ort_message tried = {""};
    void *library = find(path, &tried);
    if (!library)
        return fail(why,
                    "ONNX Runtime was not found; `npm install --ignore-scripts "
                    "onnxruntime-node` brings it, and TOSAJIT_ONNXRUNTIME names another "
                    "one. Tried:%s",
                    tried.text);
    ort_host *made = calloc(1, sizeof *made);
    if (!made) return fail(why, "out of memory");
    made->api = table_of(library, &made->version, why);
    if (!made->api || !prepare(made, why)) return ort_host_close(made), false;
    *host = made;
    return true;
}

void ort_host_close(ort_host *host) {
    if (!host) return;
    if (host->memory) ORT(host->api, ReleaseMemoryInfo)(host->memory);
    if (host->env) ORT(host->api, ReleaseEnv)(host->env);
    free(host);
}

const char *ort_host_version(const ort_host *host) { return host->version; }

/* ---------------------------------------------------------------------------------------------
 * Sessions */

/* Before the library of operators, which reads them. */
static bool add_entries(const ort_api *api, ort_options *o, const ort_session_options *given,
                        ort_message *why) {
    for (size_t k = 0; k < given->entry_count; k++)
        if (!fine(
                api,
                ORT(api, AddSessionConfigEntry)(o, given->entries[k].key, given->entries[k].value),
                why))
            return false;
    return true;
}

static bool set_options(const ort_api *api, ort_options *o, const ort_session_options *given,
                        ort_message *why) {
    static const int levels[] = {[0] = 0, [1] = 99, [2] = 1, [3] = 2}; /* from -1 on */
    if (given->level < -1 || given->level > 2 || given->threads < 0)
        return fail(why, "there is no optimisation level %d, or there are no %d threads",
                    given->level, given->threads);
    return fine(api, ORT(api, SetSessionGraphOptimizationLevel)(o, levels[given->level + 1]),
                why) &&
           (!given->threads || fine(api, ORT(api, SetIntraOpNumThreads)(o, given->threads), why)) &&
           (!given->save || fine(api, ORT(api, SetOptimizedModelFilePath)(o, given->save), why)) &&
           add_entries(api, o, given, why) &&
           (!given->ops_library ||
            fine(api, ORT(api, RegisterCustomOpsLibrary_V2)(o, given->ops_library), why));
}

static bool describe_tensor(const ort_api *api, const ort_tensor_info *tensor, ort_port *port,
                            ort_message *why) {
    int type = 0;
    size_t rank = 0;
    if (!fine(api, ORT(api, GetTensorElementType)(tensor, &type), why) ||
        !fine(api, ORT(api, GetDimensionsCount)(tensor, &rank), why))
        return false;
    if (rank > ORT_MAX_RANK) return fail(why, "%s has %zu dimensions", port->name, rank);
    port->type = (ort_type)type;
    port->rank = (int32_t)rank;
    return fine(api, ORT(api, GetDimensions)(tensor, port->dims, rank), why) &&
           fine(api, ORT(api, GetSymbolicDimensions)(tensor, port->symbols, rank), why);
}

/* The engine owns the texts of symbols only as long as the type; so they are copied. */
static bool keep_symbols(ort_port *port, ort_message *why) {
    bool kept = true;
    for (int32_t d = 0; d < port->rank; d++) {
        port->symbols[d] = strdup(port->symbols[d] ? port->symbols[d] : "");
        kept &= port->symbols[d] != NULL;
    }
    return kept || fail(why, "out of memory");
}

static bool describe(ort_session *s, size_t index, bool is_input, ort_message *why) {
    const ort_api *api = s->host->api;
    ort_port *port = &s->ports[is_input ? index : s->input_count + index];
    char *own = NULL;
    if (!fine(api,
              (is_input ? ORT(api, SessionGetInputName) : ORT(api, SessionGetOutputName))(
                  s->model, index, s->host->allocator, &own),
              why))
        return false;
    port->name = strdup(own);
    ort_status *freed = ORT(api, AllocatorFree)(s->host->allocator, own);
    if (freed) ORT(api, ReleaseStatus)(freed);
    if (!port->name) return fail(why, "out of memory");
    s->names[port - s->ports] = port->name;
    ort_type_info *type = NULL;
    const ort_tensor_info *tensor = NULL;
    bool ok = fine(api,
                   (is_input ? ORT(api, SessionGetInputTypeInfo)
                             : ORT(api, SessionGetOutputTypeInfo))(s->model, index, &type),
                   why) &&
              fine(api, ORT(api, CastTypeInfoToTensorInfo)(type, &tensor), why);
    if (ok && tensor) ok = describe_tensor(api, tensor, port, why) && keep_symbols(port, why);
    if (type) ORT(api, ReleaseTypeInfo)(type);
    return ok;
}

static bool describe_all(ort_session *s, ort_message *why) {
    const ort_api *api = s->host->api;
    if (!fine(api, ORT(api, SessionGetInputCount)(s->model, &s->input_count), why) ||
        !fine(api, ORT(api, SessionGetOutputCount)(s->model, &s->output_count), why))
        return false;
    const size_t count = s->input_count + s->output_count;
    s->ports = calloc(count, sizeof *s->ports);
    s->names = calloc(count, sizeof *s->names);
    if (!s->ports || !s->names) return fail(why, "out of memory");
    bool ok = true;
    for (size_t k = 0; ok && k < s->input_count; k++) ok = describe(s, k, true, why);
    for (size_t k = 0; ok && k < s->output_count; k++) ok = describe(s, k, false, why);
    return ok;
}

bool ort_session_open(ort_host *host, const char *model, const ort_session_options *options,
                      ort_session **session, ort_message *why) {
    static const ort_session_options usual;
    const ort_api *api = host->api;
    ort_options *o = NULL;
    ort_session *s = calloc(1, sizeof *s);
    if (!s) return fail(why, "out of memory");
    s->host = host;
    bool ok = fine(api, ORT(api, CreateSessionOptions)(&o), why) &&
              set_options(api, o, options ? options : &usual, why) &&
              fine(api, ORT(api, CreateSession)(host->env, model, o, &s->model), why) &&
              describe_all(s, why);
    if (o) ORT(api, ReleaseSessionOptions)(o);
    if (ok)
        *session = s;
    else
        ort_session_close(s);
    return ok;
}

void ort_session_close(ort_session *s) {
    if (!s) return;
    if (s->model) ORT(s->host->api, ReleaseSession)(s->model);
    for (size_t k = 0; s->ports && k < s->input_count + s->output_count; k++) {
        free((void *)(uintptr_t)s->ports[k].name);
        for (int32_t d = 0; d < ORT_MAX_RANK; d++) free((void *)(uintptr_t)s->ports[k].symbols[d]);
    }
    free(s->ports);
    free(s->names);
    free(s);
}

size_t ort_session_input_count(const ort_session *s) { return s->input_count; }
size_t ort_session_output_count(const ort_session *s) { return s->output_count; }
const ort_port *ort_session_input(const ort_session *s, size_t index) { return &s->ports[index]; }
const ort_port *ort_session_output(const ort_session *s, size_t index) {
    return &s->ports[s->input_count + index];
}

/* ---------------------------------------------------------------------------------------------
 * Calls */

static bool view_value(const ort_api *api, ort_value *value, ort_tensor *tensor, ort_message *why) {
    int is_tensor = 0, type = 0;
    size_t rank = 0, bytes;
    ort_tensor_info *info;
    if (!value || !fine(api, ORT(api, IsTensor)(value, &is_tensor), why) || !is_tensor)
        return value != NULL;
    if (!fine(api, ORT(api, GetTensorTypeAndShape)(value, &info), why)) return false;
    bool ok = fine(api, ORT(api, GetTensorElementType)(info, &type), why) &&
              fine(api, ORT(api, GetDimensionsCount)(info, &rank), why) &&
              (rank <= ORT_MAX_RANK || fail(why, "an output has %zu dimensions", rank)) &&
              fine(api, ORT(api, GetDimensions)(info, tensor->dims, rank), why);
    ORT(api, ReleaseTensorTypeAndShapeInfo)(info);
    if (!ok || ort_type_size((ort_type)type) == 0) return ok;
    bytes = ort_type_size((ort_type)type);
    for (size_t d = 0; d < rank; d++) bytes *= (size_t)tensor->dims[d];
    tensor->type = (ort_type)type;
    tensor->rank = (int32_t)rank;
    tensor->bytes = bytes;
    return fine(api, ORT(api, GetTensorMutableData)(value, &tensor->data), why);
}

static bool wrap_inputs(const ort_session *s, const ort_tensor *inputs, ort_value **values,
                        ort_message *why) {
    const ort_api *api = s->host->api;
    for (size_t k = 0; k < s->input_count; k++) {
        const ort_tensor *t = &inputs[k];
        if (!fine(api,
                  ORT(api, CreateTensorWithDataAsOrtValue)(s->host->memory, t->data, t->bytes,
                                                           t->dims, (size_t)t->rank, (int)t->type,
                                                           &values[k]),
                  why))
            return false;
    }
    return true;
}

static bool run(ort_session *s, ort_value **values, ort_results *made, ort_message *why) {
    const ort_api *api = s->host->api;
    ort_value **outputs = values + s->input_count;
    const bool ran =
        fine(api,
             ORT(api, Run)(s->model, NULL, s->names, (const ort_value *const *)values,
                           s->input_count, s->names + s->input_count, s->output_count, outputs),
             why);
    for (size_t k = 0; ran && k < s->output_count; k++) made->outputs[k].value = outputs[k];
    bool ok = ran;
    for (size_t k = 0; ok && k < s->output_count; k++)
        ok = view_value(api, outputs[k], &made->outputs[k].tensor, why);
    return ok;
}

bool ort_session_run(ort_session *s, const ort_tensor *inputs, ort_results **results,
                     ort_message *why) {
    const ort_api *api = s->host->api;
    ort_value **values = calloc(s->input_count + s->output_count + 1, sizeof *values);
    ort_results *made = calloc(1, sizeof *made + s->output_count * sizeof *made->outputs);
    bool ok = (values && made) || fail(why, "out of memory");
    if (ok) {
        made->api = api;
        made->count = s->output_count;
        ok = wrap_inputs(s, inputs, values, why) && run(s, values, made, why);
    }
    for (size_t k = 0; values && k < s->input_count; k++)
        if (values[k]) ORT(api, ReleaseValue)(values[k]);
    free(values);
    if (ok)
        *results = made;
    else
        ort_results_release(made);
    return ok;
}

const ort_tensor *ort_result(const ort_results *results, size_t index) {
    return &results->outputs[index].tensor;
}

void ort_results_release(ort_results *results) {
    if (!results) return;
    for (size_t k = 0; k < results->count; k++)
        if (results->outputs[k].value) ORT(results->api, ReleaseValue)(results->outputs[k].value);
    free(results);
}

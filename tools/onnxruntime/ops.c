/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libtosajit-onnxruntime: the operator `Region` of the domain `tosajit`, for any host that lets
 * ONNX Runtime load a library of operators. A node computes its attribute `expression`, a text of
 * the language of docs/language.md:
 *
 *     x: f32[?,64], b: f32[64]; y = x * sigmoid(x + b)
 *
 * Its inputs are the text's operands in their order, its outputs the results. The attribute
 * `accuracy` is "exact", which is the default, "reproducible" or "contracted". One input more than
 * there are operands is an image: a constant of uint8, which many nodes may name. Outputs may be of
 * uint8, uint16 and so on, which the expression computes as i8 and i16. The attribute `types` has
 * the element type of each output, by ONNX's number; without it the model declares outputs of
 * integers.
 *
 * `Region2` is the same with two outputs at least, and so on. The engine checks their number, which
 * it does not tell whoever infers their types. */
#define _POSIX_C_SOURCE 200809L /* pthread */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/onnxruntime/infer.h"
#include "tools/onnxruntime/region.h"
#include "tosajit/inspect.h"

enum { SENTENCE = 2048, NAME = 256, OPERATORS = 8 };

/* An operator as it was registered with one engine, for sessions that ask for the same. */
typedef struct operator_n {
    ort_custom_op op;
    size_t least; /* outputs */
    const struct registered *own;
} operator_n;

typedef struct registered {
    operator_n operators[OPERATORS];
    const ort_api *api;
    uint32_t version;
    settings settings;
    ort_domain *domain;
    struct registered *next;
} registered;

static const operator_n *operator_of(const ort_custom_op *op) {
    return (const operator_n *)(const void *)op; /* its first member */
}

/* ---------------------------------------------------------------------------------------------
 * What the operator is */

static const char *name(const ort_custom_op *op) {
    static const char *const names[OPERATORS] = {"Region",  "Region2", "Region3", "Region4",
                                                 "Region5", "Region6", "Region7", "Region8"};
    return names[operator_of(op)->least - 1];
}
static const char *provider(const ort_custom_op *op) { return (void)op, NULL; }
static int any_type(const ort_custom_op *op, size_t index) { return (void)op, (void)index, 0; }
static size_t one(const ort_custom_op *op) { return (void)op, 1; }
static int variadic(const ort_custom_op *op, size_t index) {
    return (void)op, (void)index, ORT_INPUT_VARIADIC;
}
static int default_memory(const ort_custom_op *op, size_t index) {
    return (void)op, (void)index, ORT_MEMORY_DEFAULT;
}
static int at_least_one(const ort_custom_op *op) { return (void)op, 1; }
static int least_outputs(const ort_custom_op *op) { return (int)operator_of(op)->least; }
static int different_types(const ort_custom_op *op) { return (void)op, 0; }
static int version_one(const ort_custom_op *op) { return (void)op, 1; }
static int every_version(const ort_custom_op *op) { return (void)op, INT32_MAX; }

static ort_status *infer(const ort_custom_op *op, ort_inference *node) {
    const operator_n *o = operator_of(op);
    infer_outputs(o->own->api, o->least, node);
    return NULL;
}

/* The first result may take the place of any operand of its sizes that nobody else reads. */
enum { IN_PLACE = 8 };
static size_t may_in_place(int **inputs, int **outputs) {
    int *pairs = calloc(2 * IN_PLACE, sizeof *pairs);
    *inputs = pairs;
    *outputs = pairs ? pairs + IN_PLACE : NULL;
    for (int k = 0; pairs && k < IN_PLACE; k++) pairs[k] = k;
    return pairs ? IN_PLACE : 0;
}
static void release_in_place(int *inputs, int *outputs) {
    (void)outputs; /* a part of the same memory */
    free(inputs);
}

/* ---------------------------------------------------------------------------------------------
 * Nodes */

/* A string of the node, owned; null with *status null where there is none. */
static char *attribute(const ort_api *api, const ort_kernel_info *info, const char *key) {
    size_t size = 0;
    ort_status *status = ORT(api, KernelInfoGetAttribute_string)(info, key, NULL, &size);
    if (status) ORT(api, ReleaseStatus)(status);
    char *text = status || !size ? NULL : malloc(size);
    if (!text) return NULL;
    status = ORT(api, KernelInfoGetAttribute_string)(info, key, text, &size);
    if (!status) return text;
    ORT(api, ReleaseStatus)(status);
    free(text);
    return NULL;
}

/* "tosajit.Region NODE: ..." */
static ort_status *refuse(const ort_api *api, const ort_kernel_info *info, const char *why) {
    char node[NAME] = "", text[SENTENCE];
    size_t size = sizeof node;
    ort_status *status = ORT(api, KernelInfo_GetNodeName)(info, node, &size);
    if (status) ORT(api, ReleaseStatus)(status);
    snprintf(text, sizeof text, "tosajit.Region %s: %s", status || !*node ? "(no name)" : node,
             why);
    return ORT(api, CreateStatus)(ORT_CODE_INVALID_ARGUMENT, text);
}

typedef ort_status *type_function(const ort_kernel_info *info, size_t index, ort_type_info **type);

/* The element type that the model gives an input or output; 0 if it is no tensor or not known. */
static int declared_type(const ort_api *api, const ort_kernel_info *info, size_t index,
                         type_function *ask) {
    ort_type_info *type = NULL;
    const ort_tensor_info *tensor = NULL;
    int element = 0;
    ort_status *status = ask(info, index, &type);
    if (!status) status = ORT(api, CastTypeInfoToTensorInfo)(type, &tensor);
    if (!status && tensor) status = ORT(api, GetTensorElementType)(tensor, &element);
    if (status) ORT(api, ReleaseStatus)(status);
    if (type) ORT(api, ReleaseTypeInfo)(type);
    return status ? 0 : element;
}

/* Results are computed into memory that the engine allocates by the model's types. */
static ort_status *check_types(const region *r, const ort_kernel_info *info, const char *kind,
                               size_t count) {
    const ort_api *api = r->api;
    const int is_operand = kind[0] == 'o';
    for (size_t k = 0; k < count; k++) {
        const tosajit_tensor_type expected = is_operand ? tosajit_kernel_operand_type(r->kernel, k)
                                                        : tosajit_kernel_result_type(r->kernel, k);
        const char *own = is_operand ? tosajit_kernel_operand_name(r->kernel, k)
                                     : tosajit_kernel_result_name(r->kernel, k);
        const int type = declared_type(api, info, k,
                                       is_operand ? ORT(api, KernelInfo_GetInputTypeInfo)
                                                  : ORT(api, KernelInfo_GetOutputTypeInfo));
        if (region_takes(expected.element, type)) continue;
        char shape[256], text[SENTENCE];
        tosajit_type_print(&expected, shape, sizeof shape);
        snprintf(text, sizeof text, "%s %zu (%s) is %s in the model, but %s in the expression",
                 kind, k, own ? own : "no name", region_type_name(type), shape);
        return refuse(api, info, text);
    }
    return NULL;
}

/* Behind the operands there may be an image, whether or not it is used. */
static int is_image(const ort_api *api, const ort_kernel_info *info, size_t index) {
    enum { UINT8 = 2 };
    return declared_type(api, info, index, ORT(api, KernelInfo_GetInputTypeInfo)) == UINT8;
}

static ort_status *check_counts(const region *r, const ort_kernel_info *info) {
    const ort_api *api = r->api;
    size_t inputs = 0, outputs = 0;
    ort_status *status = ORT(api, KernelInfo_GetInputCount)(info, &inputs);
    if (!status) status = ORT(api, KernelInfo_GetOutputCount)(info, &outputs);
    if (status) return status;
    const int operands_fit = inputs == r->operand_count || (inputs == r->operand_count + 1 &&
                                                            is_image(api, info, r->operand_count));
    if (operands_fit && outputs == r->result_count) return NULL;
    char text[SENTENCE];
    snprintf(text, sizeof text,
             "inputs of the node: %zu, operands of the expression: %zu; outputs: %zu, results: %zu",
             inputs, r->operand_count, outputs, r->result_count);
    return refuse(api, info, text);
}

static ort_status *read_accuracy(const ort_api *api, const ort_kernel_info *info,
                                 tosajit_accuracy *accuracy) {
    char *word = attribute(api, info, "accuracy");
    static const char *const words[] = {"exact", "reproducible", "contracted"};
    int k = 0;
    while (word && k <= TOSAJIT_CONTRACTED && strcmp(word, words[k]) != 0) k++;
    ort_status *status = NULL;
    if (k > TOSAJIT_CONTRACTED)
        status = refuse(api, info,
                        "the attribute `accuracy` is none of `exact`, `reproducible` and "
                        "`contracted`");
    else
        *accuracy = (tosajit_accuracy)k;
    free(word);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Images */

/* The bytes of a constant, which the session keeps at least until its kernels are made. */
static ort_status *constant_bytes(const ort_api *api, const ort_kernel_info *info, size_t index,
                                  const void **bytes, size_t *size) {
    const ort_value *value = NULL;
    ort_tensor_info *tensor = NULL;
    int is_constant = 0;
    size_t rank = 0;
    int64_t dims[1] = {0};
    void *data = NULL;
    ort_status *status =
        ORT(api, KernelInfoGetConstantInput_tensor)(info, index, &is_constant, &value);
    if (status || !is_constant || !value) return status;
    status = ORT(api, GetTensorTypeAndShape)(value, &tensor);
    if (status) return status;
    status = ORT(api, GetDimensionsCount)(tensor, &rank);
    if (!status && rank == 1) status = ORT(api, GetDimensions)(tensor, dims, 1);
    ORT(api, ReleaseTensorTypeAndShapeInfo)(tensor);
    /* The function is for reading and writing; an image is only read. */
    if (!status) status = ORT(api, GetTensorMutableData)((ort_value *)(uintptr_t)value, &data);
    if (status || dims[0] <= 0) return status;
    *bytes = data;
    *size = (size_t)dims[0];
    return NULL;
}

/* The last input, if it can be an image. Whether it is one, the number of operands tells later; an
 * operand is no image of the expression, and refused as one. */
static ort_status *find_image(const ort_api *api, const ort_kernel_info *info,
                              region_request *request) {
    size_t inputs = 0;
    ort_status *status = ORT(api, KernelInfo_GetInputCount)(info, &inputs);
    if (status || inputs < 2 || !is_image(api, info, inputs - 1)) return status;
    return constant_bytes(api, info, inputs - 1, &request->image, &request->image_size);
}

/* The session goes on without the image; its log says why. */
static void log_refused(const region *r, const ort_kernel_info *info, const char *why) {
    const ort_api *api = r->api;
    const ort_logger *logger = NULL;
    size_t inputs = 0;
    char text[SENTENCE];
    ort_status *status = ORT(api, KernelInfo_GetInputCount)(info, &inputs);
    if (!status && inputs > r->operand_count) {
        snprintf(text, sizeof text, "tosajit: an image of the model is not used: %s", why);
        status = ORT(api, KernelInfo_GetLogger)(info, &logger);
        if (!status)
            status =
                ORT(api, Logger_LogMessage)(logger, ORT_LOG_WARNING, text, "tosajit", 0, "Region");
    }
    if (status) ORT(api, ReleaseStatus)(status);
}

/* ---------------------------------------------------------------------------------------------
 * Kernels */

static ort_status *check(const region *r, const ort_kernel_info *info) {
    ort_status *status = check_counts(r, info);
    if (!status) status = check_types(r, info, "operand", r->operand_count);
    return status ? status : check_types(r, info, "result", r->result_count);
}

/* The region of a node, of f32 where the engine has f32 for f16. */
static tosajit_status create_region(const registered *own, const ort_kernel_info *info,
                                    region_request *request, char *text, region **made) {
    const int has_shapes = own->version >= ORT_VERSION_SHAPES;
    int widened = 0;
    request->text = text;
    const tosajit_status status = region_create(own->api, has_shapes, request, made);
    for (size_t k = 0; !status && k < (*made)->operand_count; k++)
        widened += region_is_widened(
            (*made)->kernel, k,
            declared_type(own->api, info, k, ORT(own->api, KernelInfo_GetInputTypeInfo)));
    if (!widened) return status;
    region_destroy(*made);
    region_widen(text);
    request->image = NULL; /* it is of the text as it was */
    return region_create(own->api, has_shapes, request, made);
}

/* All of the request but its text. */
static ort_status *read_request(const registered *own, const ort_kernel_info *info,
                                region_request *request) {
    const ort_api *api = own->api;
    *request = (region_request){.settings = &own->settings};
    ort_status *status = read_accuracy(api, info, &request->accuracy);
    if (!status) status = ORT(api, KernelInfo_GetOutputCount)(info, &request->result_count);
    return status || !own->settings.images ? status : find_image(api, info, request);
}

static ort_status *create_kernel(const ort_custom_op *op, const ort_api *api,
                                 const ort_kernel_info *info, void **kernel) {
    const registered *own = operator_of(op)->own;
    region_request request;
    ort_status *status = read_request(own, info, &request);
    if (status) return status;
    char *text = attribute(api, info, "expression");
    if (!text) return refuse(api, info, "the node has no attribute `expression`");
    region *r;
    const tosajit_status made = create_region(own, info, &request, text, &r);
    free(text);
    if (made) return refuse(api, info, tosajit_last_error());
    if (r->refused) log_refused(r, info, tosajit_last_error());
    status = check(r, info);
    if (status)
        region_destroy(r);
    else
        *kernel = r;
    return status;
}

static void destroy_kernel(void *kernel) { region_destroy(kernel); }

/* ---------------------------------------------------------------------------------------------
 * Registration */

static const ort_custom_op region_op = {
    .name = name,
    .provider = provider,
    .input_type = any_type,
    .input_count = one,
    .output_type = any_type,
    .output_count = one,
    .destroy = destroy_kernel,
    .input_characteristic = variadic,
    .output_characteristic = variadic,
    .input_memory = default_memory,
    .input_least = at_least_one,
    .input_homogeneous = different_types,
    .output_least = least_outputs,
    .output_homogeneous = different_types,
    .create_kernel = create_kernel,
    .compute = region_compute,
    .infer = infer,
    .start_version = version_one,
    .end_version = every_version,
    .may_in_place = may_in_place,
    .release_in_place = release_in_place,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static registered *all; /* of the process; sessions refer to it until the end */

/* All operators in a domain of their own. */
static ort_status *add_operators(registered *own) {
    ort_status *status = ORT(own->api, CreateCustomOpDomain)("tosajit", &own->domain);
    for (size_t k = 0; !status && k < OPERATORS; k++) {
        operator_n *o = &own->operators[k];
        *o = (operator_n){region_op, k + 1, own};
        o->op.version = own->version;
        status = ORT(own->api, CustomOpDomain_Add)(own->domain, &o->op);
    }
    return status;
}

static ort_status *add(const ort_api *api, uint32_t version, const settings *asked,
                       registered **made) {
    registered *own = calloc(1, sizeof *own);
    if (!own)
        return ORT(api, CreateStatus)(ORT_CODE_FAIL, "tosajit: out of memory for its operators");
    own->api = api;
    own->version = version;
    own->settings = *asked;
    ort_status *status = add_operators(own);
    if (status) {
        if (own->domain) ORT(api, ReleaseCustomOpDomain)(own->domain);
        free(own);
        return status;
    }
    own->next = all;
    all = own;
    *made = own;
    return NULL;
}

static registered *find(const ort_api *api, const settings *asked) {
    registered *own = all;
    while (own && (own->api != api || !settings_same(&own->settings, asked))) own = own->next;
    return own;
}

/* The minor number of "1.30.0"; 0 if there is none. */
static uint32_t release_of(const char *version) {
    return version && strncmp(version, "1.", 2) == 0 ? (uint32_t)strtoul(version + 2, NULL, 10) : 0;
}

/* ONNX Runtime calls it for the options of each session that names this library. */
__attribute__((visibility("default"))) ort_status *RegisterCustomOps(ort_options *options,
                                                                     const ort_api_base *base);

ort_status *RegisterCustomOps(ort_options *options, const ort_api_base *base) {
    uint32_t version = release_of(base->version());
    if (version > ORT_VERSION_SHAPES) version = ORT_VERSION_SHAPES;
    const ort_api *api = base->get_api(version ? version : 1);
    if (!api) return NULL; /* no function to complain with; the model's nodes will be refused */
    if (version < ORT_VERSION_LEAST)
        return ORT(api, CreateStatus)(ORT_CODE_FAIL,
                                      "tosajit needs ONNX Runtime 1.19 or a later 1.x");
    settings asked;
    ort_status *status = settings_read(api, options, &asked);
    if (status) return status;
    pthread_mutex_lock(&lock);
    registered *own = find(api, &asked);
    const int known = own != NULL;
    if (!known) status = add(api, version, &asked, &own);
    pthread_mutex_unlock(&lock);
    if (known || status) settings_release(&asked);
    return status ? status : ORT(api, AddCustomOpDomain)(options, own->domain);
}

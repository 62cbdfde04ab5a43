/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ONNX Runtime's C interface, as far as this folder calls it. The engine hands out a table of
 * functions, in which each keeps its position in all later versions; so a position and a signature
 * are all that is needed of it.
 *
 *     ort_status *status = ORT(api, CreateCustomOpDomain)("tosajit", &domain);
 *
 * Functions return null, or a status that the caller releases. Sizes of arrays are in elements.
 * Source: the interface's documentation, https://onnxruntime.ai/docs/api/c/struct_ort_api.html. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_ABI_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The engine's objects. */
typedef struct ort_status ort_status;
typedef struct ort_options ort_options;
typedef struct ort_value ort_value;
typedef struct ort_type_info ort_type_info;
typedef struct ort_tensor_info ort_tensor_info;
typedef struct ort_domain ort_domain;
typedef struct ort_logger ort_logger;           /* of a session */
typedef struct ort_kernel_info ort_kernel_info; /* a node, when its kernel is made */
typedef struct ort_context ort_context;         /* a call of a kernel */
typedef struct ort_inference ort_inference;     /* a node, before there is a kernel */
typedef struct ort_attribute ort_attribute;     /* of such a node */
typedef struct ort_custom_op ort_custom_op;

/* FUNCTION(position, name, result, arguments) */
#define ORT_FUNCTIONS(FUNCTION)                                                                    \
    FUNCTION(0, CreateStatus, ort_status *, (int code, const char *message))                       \
    FUNCTION(26, CreateCustomOpDomain, ort_status *, (const char *name, ort_domain **domain))      \
    FUNCTION(27, CustomOpDomain_Add, ort_status *, (ort_domain * domain, const ort_custom_op *op)) \
    FUNCTION(28, AddCustomOpDomain, ort_status *, (ort_options * options, ort_domain * domain))    \
    FUNCTION(51, GetTensorMutableData, ort_status *, (ort_value * value, void **data))             \
    FUNCTION(55, CastTypeInfoToTensorInfo, ort_status *,                                           \
             (const ort_type_info *info, const ort_tensor_info **tensor)) /* null: another type */ \
    FUNCTION(57, CreateTensorTypeAndShapeInfo, ort_status *, (ort_tensor_info * *info))            \
    FUNCTION(58, SetTensorElementType, ort_status *, (ort_tensor_info * info, int type))           \
    FUNCTION(59, SetDimensions, ort_status *,                                                      \
             (ort_tensor_info * info, const int64_t *dims, size_t rank))                           \
    FUNCTION(60, GetTensorElementType, ort_status *, (const ort_tensor_info *info, int *type))     \
    FUNCTION(61, GetDimensionsCount, ort_status *, (const ort_tensor_info *info, size_t *rank))    \
    FUNCTION(62, GetDimensions, ort_status *,                                                      \
             (const ort_tensor_info *info, int64_t *dims, size_t rank))                            \
    FUNCTION(63, GetSymbolicDimensions, ort_status *,                                              \
             (const ort_tensor_info *info, const char **names, size_t rank))                       \
    FUNCTION(65, GetTensorTypeAndShape, ort_status *,                                              \
             (const ort_value *value, ort_tensor_info **info))                                     \
    FUNCTION(87, KernelInfoGetAttribute_string, ort_status *,                                      \
             (const ort_kernel_info *info, const char *name, char *text, size_t *capacity))        \
    FUNCTION(90, KernelContext_GetInput, ort_status *,                                             \
             (const ort_context *context, size_t index, const ort_value **value))                  \
    FUNCTION(91, KernelContext_GetOutput, ort_status *,                                            \
             (ort_context * context, size_t index, const int64_t *dims, size_t rank,               \
              ort_value **value))                                                                  \
    FUNCTION(93, ReleaseStatus, void, (ort_status * status))                                       \
    FUNCTION(98, ReleaseTypeInfo, void, (ort_type_info * info))                                    \
    FUNCTION(99, ReleaseTensorTypeAndShapeInfo, void, (ort_tensor_info * info))                    \
    FUNCTION(101, ReleaseCustomOpDomain, void, (ort_domain * domain))                              \
    FUNCTION(230, KernelInfo_GetInputCount, ort_status *,                                          \
             (const ort_kernel_info *info, size_t *count))                                         \
    FUNCTION(231, KernelInfo_GetOutputCount, ort_status *,                                         \
             (const ort_kernel_info *info, size_t *count))                                         \
    FUNCTION(234, KernelInfo_GetInputTypeInfo, ort_status *,                                       \
             (const ort_kernel_info *info, size_t index, ort_type_info **type))                    \
    FUNCTION(235, KernelInfo_GetOutputTypeInfo, ort_status *,                                      \
             (const ort_kernel_info *info, size_t index, ort_type_info **type))                    \
    FUNCTION(237, HasSessionConfigEntry, ort_status *,                                             \
             (const ort_options *options, const char *key, int *has))                              \
    FUNCTION(238, GetSessionConfigEntry, ort_status *,                                             \
             (const ort_options *options, const char *key, char *value, size_t *capacity))         \
    FUNCTION(244, KernelInfo_GetNodeName, ort_status *,                                            \
             (const ort_kernel_info *info, char *text, size_t *capacity))                          \
    FUNCTION(245, KernelInfo_GetLogger, ort_status *,                                              \
             (const ort_kernel_info *info, const ort_logger **logger))                             \
    FUNCTION(247, Logger_LogMessage, ort_status *,                                                 \
             (const ort_logger *logger, int severity, const char *message, const char *file,       \
              int line, const char *function))                                                     \
    FUNCTION(                                                                                      \
        249, KernelInfoGetConstantInput_tensor, ort_status *,                                      \
        (const ort_kernel_info *info, size_t index, int *is_constant, const ort_value **value))    \
    FUNCTION(267, ShapeInferContext_GetInputCount, ort_status *,                                   \
             (const ort_inference *node, size_t *count))                                           \
    FUNCTION(268, ShapeInferContext_GetInputTypeShape, ort_status *,                               \
             (const ort_inference *node, size_t index, ort_tensor_info **lent))                    \
    FUNCTION(269, ShapeInferContext_GetAttribute, ort_status *,                                    \
             (const ort_inference *node, const char *name, const ort_attribute **lent))            \
    FUNCTION(270, ShapeInferContext_SetOutputTypeShape, ort_status *,                              \
             (const ort_inference *node, size_t index, const ort_tensor_info *info))               \
    FUNCTION(271, SetSymbolicDimensions, ort_status *,                                             \
             (ort_tensor_info * info, const char **names, size_t rank))                            \
    FUNCTION(                                                                                      \
        272, ReadOpAttr, ort_status *,                                                             \
        (const ort_attribute *attribute, int type, void *data, size_t capacity, size_t *bytes))    \
    FUNCTION(274, KernelContext_ParallelFor, ort_status *,                                         \
             (const ort_context *context, void (*task)(void *argument, size_t index),              \
              size_t count, size_t batches, void *argument))                                       \
    FUNCTION(414, GetTensorElementTypeAndShapeDataReference, ort_status *,                         \
             (const ort_value *value, int *type, const int64_t **dims, size_t *rank))

#define ORT_POSITION(position, name, result, arguments) ORT_AT_##name = position,
enum { ORT_FUNCTIONS(ORT_POSITION) };
#undef ORT_POSITION
#define ORT_SIGNATURE(position, name, result, arguments)                                           \
    typedef result ort_function_##name arguments;
ORT_FUNCTIONS(ORT_SIGNATURE)
#undef ORT_SIGNATURE

typedef void ort_function(void);

/* The table. A version of the interface has its first so many functions. */
typedef struct ort_api {
    ort_function *at[ORT_AT_GetTensorElementTypeAndShapeDataReference + 1];
} ort_api;

#define ORT(api, name) ((ort_function_##name *)(api)->at[ORT_AT_##name])

/* Versions of the interface: release 1.17 brought 17. */
enum {
    ORT_VERSION_LEAST = 19,  /* ShapeInferContext_SetOutputTypeShape sets the element type */
    ORT_VERSION_SHAPES = 24, /* with GetTensorElementTypeAndShapeDataReference; no later one is
                                needed */
};

/* The result of OrtGetApiBase(), which RegisterCustomOps is given. */
typedef struct ort_api_base {
    const ort_api *(*get_api)(uint32_t version); /* null for a version that is not known */
    const char *(*version)(void);                /* "1.30.0" */
} ort_api_base;

enum { ORT_CODE_FAIL = 1, ORT_CODE_INVALID_ARGUMENT = 2 };
enum { ORT_LOG_WARNING = 2 };
enum { ORT_MEMORY_DEFAULT = 0 };
enum { ORT_INPUT_VARIADIC = 2 };
enum { ORT_ATTRIBUTE_INTS = 2, ORT_ATTRIBUTE_STRING = 5 };

/* An operator of a library, as of version 18. Functions of the first three lines are asked when
 * the library is registered. A version later than the engine's is refused. */
struct ort_custom_op {
    uint32_t version;
    void *(*create_kernel_v1)(const ort_custom_op *op, const ort_api *api,
                              const ort_kernel_info *info);
    const char *(*name)(const ort_custom_op *op);
    const char *(*provider)(const ort_custom_op *op);         /* null: the processor */
    int (*input_type)(const ort_custom_op *op, size_t index); /* 0: any */
    size_t (*input_count)(const ort_custom_op *op);
    int (*output_type)(const ort_custom_op *op, size_t index);
    size_t (*output_count)(const ort_custom_op *op);
    void (*compute_v1)(void *kernel, ort_context *context);
    void (*destroy)(void *kernel);
    int (*input_characteristic)(const ort_custom_op *op, size_t index);
    int (*output_characteristic)(const ort_custom_op *op, size_t index);
    int (*input_memory)(const ort_custom_op *op, size_t index);
    int (*input_least)(const ort_custom_op *op); /* of a variadic input */
    int (*input_homogeneous)(const ort_custom_op *op);
    int (*output_least)(const ort_custom_op *op);
    int (*output_homogeneous)(const ort_custom_op *op);
    ort_status *(*create_kernel)(const ort_custom_op *op, const ort_api *api,
                                 const ort_kernel_info *info, void **kernel);
    ort_status *(*compute)(void *kernel, ort_context *context);
    /* It gives no output that the node has not: the engine does not check the index. */
    ort_status *(*infer)(const ort_custom_op *op, ort_inference *node);
    int (*start_version)(const ort_custom_op *op);
    int (*end_version)(const ort_custom_op *op);
    /* Pairs of an input and an output that may lie in its memory, as two arrays; how many. */
    size_t (*may_in_place)(int **inputs, int **outputs);
    void (*release_in_place)(int *inputs, int *outputs);
    size_t (*aliases)(int **inputs, int **outputs);
    void (*release_aliases)(int *inputs, int *outputs);
};

#endif

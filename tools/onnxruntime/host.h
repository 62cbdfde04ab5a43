/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* ONNX Runtime as a library that is loaded while the program runs: sessions of models, and their
 * calls. In: the paths of the engine, of a model and of a library of operators; out: tensors, or a
 * sentence that says what was refused. Nothing of the engine is needed to build this.
 *
 *     ort_host *host;
 *     ort_session *session;
 *     ort_message why;
 *     ort_session_options options = {.threads = 1, .ops_library = "libtosajit-onnxruntime.so"};
 *     if (!ort_host_open(NULL, &host, &why)) return complain(why.text);
 *     if (!ort_session_open(host, "faster.onnx", &options, &session, &why)) ...
 *     ort_tensor inputs[1] = {{ORT_F32, 2, {1, 3}, data, sizeof data}}; // in the model's order
 *     ort_results *results;
 *     if (!ort_session_run(session, inputs, &results, &why)) ...
 *     const ort_tensor *y = ort_result(results, 0);
 *
 * One thread at a time may use a host and its sessions. */
#ifndef TOSAJIT_TOOLS_ONNXRUNTIME_HOST_H
#define TOSAJIT_TOOLS_ONNXRUNTIME_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORT_MAX_RANK = 16, ORT_MESSAGE_CAPACITY = 1024 };

/* Why something failed: one sentence, or those of the engine. */
typedef struct ort_message {
    char text[ORT_MESSAGE_CAPACITY];
} ort_message;

/* Element types, by the numbers that ONNX gives them (TensorProto.DataType). */
typedef enum ort_type {
    ORT_F32 = 1,
    ORT_U8 = 2,
    ORT_I8 = 3,
    ORT_U16 = 4,
    ORT_I16 = 5,
    ORT_I32 = 6,
    ORT_I64 = 7,
    ORT_STRING = 8,
    ORT_BOOL = 9,
    ORT_F16 = 10,
    ORT_F64 = 11,
    ORT_U32 = 12,
    ORT_U64 = 13,
    ORT_BF16 = 16,
} ort_type;

/* "f32", "u8", "bool"; "type 14" is "?". */
const char *ort_type_name(ort_type type);
/* Bytes of an element; 0 for types that have no fixed size or that are not listed above. */
size_t ort_type_size(ort_type type);

/* A dense row-major tensor in memory. It owns nothing. */
typedef struct ort_tensor {
    ort_type type;
    int32_t rank;
    int64_t dims[ORT_MAX_RANK]; /* the first `rank` count */
    void *data;
    size_t bytes; /* of data; elements times ort_type_size */
} ort_tensor;

/* An input or output of a model. */
typedef struct ort_port {
    const char *name; /* lives as long as the session */
    ort_type type;    /* 0 where it is no tensor */
    int32_t rank;
    int64_t dims[ORT_MAX_RANK];        /* -1: decided by each call */
    const char *symbols[ORT_MAX_RANK]; /* names of such dimensions; "" where there is none */
} ort_port;

typedef struct ort_host ort_host;       /* the engine */
typedef struct ort_session ort_session; /* a model that can be called */
typedef struct ort_results ort_results; /* what a call gave */

/* Load the engine: the shared library at `path`, which may be a folder that has it. Null: what the
 * environment variable TOSAJIT_ONNXRUNTIME names; else libonnxruntime.so.1 where the system looks
 * for libraries; else that of npm's package onnxruntime-node in node_modules, here or in a folder
 * above. False with all places that were tried. */
bool ort_host_open(const char *path, ort_host **host, ort_message *why);
/* After its sessions. The engine itself stays in the process. Null is allowed. */
void ort_host_close(ort_host *host);
/* "1.30.0" */
const char *ort_host_version(const ort_host *host);

/* An entry of a session's configuration, "tosajit.images" and "1" for instance. */
typedef struct ort_entry {
    const char *key, *value;
} ort_entry;

/* How a session is made. Zero-initialise. */
typedef struct ort_session_options {
    const char *ops_library;  /* a library with RegisterCustomOps; null: none */
    const char *save;         /* write the model as the engine has optimised it here; null: no */
    const ort_entry *entries; /* for the engine and for the library of operators; null: none */
    size_t entry_count;
    int threads; /* within an operator; 0: as many as the engine likes */
    int level;   /* of optimisation; 0: all, 1: basic, 2: extended, -1: none */
} ort_session_options;

/* Load a model. options may be null. False with what the engine said. */
bool ort_session_open(ort_host *host, const char *model, const ort_session_options *options,
                      ort_session **session, ort_message *why);
/* Null is allowed. */
void ort_session_close(ort_session *session);

size_t ort_session_input_count(const ort_session *session);
size_t ort_session_output_count(const ort_session *session);
/* `index` must be in range. */
const ort_port *ort_session_input(const ort_session *session, size_t index);
const ort_port *ort_session_output(const ort_session *session, size_t index);

/* Call the model with a tensor for each input, in order. *results is the caller's to release. */
bool ort_session_run(ort_session *session, const ort_tensor *inputs, ort_results **results,
                     ort_message *why);
/* Output `index`, which must be in range; type 0 where it is no tensor of ort_type. */
const ort_tensor *ort_result(const ort_results *results, size_t index);
/* Null is allowed. */
void ort_results_release(ort_results *results);

#endif

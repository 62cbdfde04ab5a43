/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call cache: the calls that engines make again and again. The launch for a call's sizes and
 * strides is remembered, so that the next call is compared and run without the complete check. New,
 * unusual and wrong calls are left to that check and its messages. */
#ifndef TOSAJIT_RUNTIME_RUN_CALL_CACHE_H
#define TOSAJIT_RUNTIME_RUN_CALL_CACHE_H

#include "runtime/run/launch.h"
#include "runtime/run/run.h"

/* Make room for what a kernel will remember, for its member; null if its calls can't be planned.
 * OUT_OF_MEMORY. */
tosajit_status call_cache_make(const tosajit_kernel *kernel, call_cache **q);
void call_cache_destroy(const tosajit_allocator *allocator, call_cache *q);

/* Run a call that is remembered; false, and nothing done, if it is not. */
bool call_cache_run(const tosajit_kernel *kernel, const code_part *code,
                    const tosajit_tensor *operands, const tosajit_tensor *results);
/* The same on a host's threads: calls that none of these would divide. */
bool call_cache_run_short(const tosajit_kernel *kernel, const code_part *code,
                          const tosajit_tensor *operands, const tosajit_tensor *results);

/* Plan a call that has passed every check, as these views say, and remember it. v: how they are
 * seen, or null; bases[LAUNCH_BASES] receives where its tensors begin. False if its kind is none to
 * remember, or there is no room. */
bool call_cache_learn(const tosajit_kernel *kernel, const code_part *code, const run_call *c,
                      view *tensors, const viewed *v, launch *p, void **bases);

/* True if such a call is one to remember. */
bool call_cache_serves(const tosajit_kernel *kernel, const code_part *code, view *tensors,
                       const viewed *v);

#endif

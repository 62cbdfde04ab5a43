/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches: making them, and what few of them need. */
#include "runtime/run/launch.h"

#include "runtime/expr/ops.h"
#include "runtime/tile/parallel.h"
#include "runtime/run/stages.h"

/* ---------------------------------------------------------------------------------------------
 * Once for each kernel */

static bool has_room(const tosajit_kernel *kernel, int32_t tensors) {
    bool has = kernel->plan.part_count <= LAUNCH_STEPS && tensors <= LAUNCH_TENSORS;
    for (int32_t p = 0; has && p < kernel->plan.part_count; p++) {
        const plan_part *part = &kernel->plan.parts[p];
        has = part->leaf_count + part->result_count <= LAUNCH_TENSORS && !plan_is_bare(part);
    }
    return has;
}

static bool is_float_code(const expr_node *nodes, const expr_node *node) {
    if (node->kind != NODE_OP) return false;
    const tosajit_value last = node->operands[tosajit_op_arity(node->op) - 1];
    return op_is_float_code(node->op, nodes[last].type.element, node->type.element);
}

void launch_analyse(tosajit_kernel *kernel) {
    const tosajit_expr *program = kernel->program, *caller = kernel_source(kernel);
    kernel->counts = (kernel_counts){0};
    if (has_room(kernel, caller->input_count + caller->result_count))
        kernel->counts = (kernel_counts){caller->input_count, caller->result_count};
    for (size_t k = 0; k < program->count; k++)
        kernel->floats |= is_float_code(program->nodes, &program->nodes[k]);
}

static size_t words_of(bool walked, int32_t steps, int32_t rank, int32_t tensors) {
    if (walked)
        return offsetof(launch, whole.w.strides) / sizeof(int64_t) +
               (size_t)((rank ? rank : 1) * tensors);
    return (offsetof(launch, later) + (size_t)(steps - 1) * sizeof(launch_step)) / sizeof(int64_t);
}

size_t launch_words(const launch *p) {
    return p->walked ? words_of(true, 1, p->whole.w.rank, p->whole.w.tensors)
                     : words_of(false, p->step_count, 0, 0);
}

size_t launch_most_words(const tosajit_kernel *kernel) {
    const plan_part *part = &kernel->plan.parts[0];
    if (kernel->counts.results == 0) return 1; /* no array has no elements */
    return words_of(kernel->plan.part_count == 1, kernel->plan.part_count, part->rank,
                    part->leaf_count + part->result_count);
}

/* ---------------------------------------------------------------------------------------------
 * Where tensors lie */

/* A tensor of the kernel, counted from where one of the caller's begins. */
typedef struct place {
    int32_t base;
    intptr_t at;
} place;

/* Parts of a launch. */
typedef struct maker {
    const tosajit_kernel *kernel;
    view *tensors;
    const viewed *v; /* null: the caller's tensors are the program's */
} maker;

/* Tensor t of the caller, operands and then results. */
static viewed_caller caller_at(const maker *m, int32_t t) {
    const int32_t operands = m->kernel->counts.operands;
    if (m->v) return m->v->callers[t];
    const view *own = &m->tensors[t < operands ? t : m->kernel->tensor_count + t - operands];
    return (viewed_caller){own->tensor.data, own->low, own->high, own->empty};
}

static place place_of(const maker *m, int32_t tensor) {
    const tosajit_kernel *kernel = m->kernel;
    const int32_t result = tensor - kernel->tensor_count, operands = kernel->program->input_count;
    const uintptr_t data = (uintptr_t)m->tensors[tensor].tensor.data;
    int32_t base = LAUNCH_CONSTANT;
    if (result >= kernel->plan.result_count) return (place){LAUNCH_SCRATCH, (intptr_t)data};
    if (result >= 0)
        base = m->v ? m->v->numbers[operands + result].from : kernel->counts.operands + result;
    else if (tensor < operands && (!m->v || m->v->numbers[tensor].from >= 0))
        base = m->v ? m->v->numbers[tensor].from : tensor;
    if (base == LAUNCH_CONSTANT) return (place){base, (intptr_t)data};
    return (place){base, (intptr_t)(data - (uintptr_t)caller_at(m, base).data)};
}

static int32_t tensor_of(const tosajit_kernel *kernel, const plan_part *part, int32_t t) {
    return t < part->leaf_count ? part->leaves[t].tensor
                                : kernel->tensor_count + part->results[t - part->leaf_count];
}

/* True if the tensors are all of the caller's, as they are. */
static bool place_step(const maker *m, const plan_part *part, launch_step *step) {
    const kernel_counts n = m->kernel->counts;
    bool same = step->tensors == n.operands + n.results;
    for (int32_t t = 0; t < step->tensors; t++) {
        const place p = place_of(m, tensor_of(m->kernel, part, t));
        step->base[t] = (uint8_t)p.base;
        step->at[t] = p.at;
        same &= p.base == t && p.at == 0;
    }
    return same;
}

/* ---------------------------------------------------------------------------------------------
 * What calls are compared with */

/* True if a result that begins where an operand does may be written: they share no byte; or they
 * are in the same places, and nothing reads the operand afterwards (overlap.h). */
static bool may_replace(const view *operand, intptr_t from, const view *result, intptr_t to,
                        bool in_turn) {
    if (from + operand->low >= to + result->high || to + result->low >= from + operand->high)
        return true;
    return in_turn && from == to && overlap_same_places(operand, result);
}

/* Of what a part reads and another, or the same, writes: operands that results can't lie on. */
static uint64_t refused_places(const maker *m, int32_t reader, int32_t writer) {
    const plan_part *reads = &m->kernel->plan.parts[reader],
                    *writes = &m->kernel->plan.parts[writer];
    const int32_t operands = m->kernel->counts.operands;
    uint64_t refused = 0;
    for (int32_t w = 0; w < writes->result_count; w++) {
        const int32_t result = m->kernel->tensor_count + writes->results[w];
        const place to = place_of(m, result);
        if (to.base >= LAUNCH_TENSORS) continue;
        for (int32_t k = 0; k < reads->operand_count; k++) {
            const plan_leaf *leaf = &reads->leaves[k];
            const place from = place_of(m, leaf->tensor);
            if (from.base < LAUNCH_TENSORS &&
                !may_replace(&m->tensors[leaf->tensor], from.at, &m->tensors[result], to.at,
                             writer >= reader && !leaf->table))
                refused |= UINT64_C(1) << ((to.base - operands) * LAUNCH_TENSORS + from.base);
        }
    }
    return refused;
}

/* False if a pointer is not where its tensor's bytes begin. */
static bool measure(const maker *m, launch *p) {
    const kernel_counts n = m->kernel->counts;
    p->in_place = ~UINT64_C(0);
    for (int32_t t = 0; t < n.operands + n.results; t++) {
        const viewed_caller own = caller_at(m, t);
        p->bytes[t] = own.high;
        if (own.low < 0 || own.empty) return false;
    }
    for (int32_t reader = 0; reader < m->kernel->plan.part_count; reader++)
        for (int32_t writer = 0; writer < m->kernel->plan.part_count; writer++)
            p->in_place &= ~refused_places(m, reader, writer);
    return true;
}

/* ---------------------------------------------------------------------------------------------
 * Steps */

/* A part that reads nothing that others compute. False if it has no elements, or is more than a
 * call of its code and not alone. */
static bool make_step(const maker *m, const code_part *code, int32_t index, bool shared, launch *p,
                      launch_step *step) {
    const plan_part *part = &m->kernel->plan.parts[index];
    const view *results = m->tensors + m->kernel->tensor_count;
    _Alignas(walk) char room[walk_bytes(part->rank, part->leaf_count + part->result_count)];
    walk *w = p->step_count == 1 ? &p->whole.w : (walk *)room; /* not cleared, like the next one */
    tile_choice other, *choice = p->step_count == 1 ? &p->whole.choice : &other;
    tile_tensors tensors;
    if (results[part->results[0]].empty) return false;
    tile_walk(part, m->tensors, results, w, &tensors);
    tile_choose(part, launch_code(code, index), w, shared, choice);
    const int64_t elements = walk_elements(w);
    p->is_short &= elements / 2 < part->piece_elements;
    p->divided = parallel_pays(&m->kernel->parallel, part, elements);
    p->walked = !launch_tell(part, choice, w, &tensors, step) || p->divided;
    p->direct &= place_step(m, part, step);
    return !p->walked || p->step_count == 1;
}

bool launch_make(const tosajit_kernel *kernel, const code_part *code, view *tensors,
                 const viewed *v, bool shared, launch *p) {
    const maker m = {kernel, tensors, v};
    bool made = measure(&m, p);
    p->step_count = kernel->plan.part_count;
    p->walked = p->divided = false;
    p->is_short = true;
    p->scratch_bytes = 0;
    p->direct = p->step_count == 1;
    if (made && kernel->staged) made = stages_launch(kernel, code, tensors, p);
    for (int32_t k = 0; made && k < p->step_count; k++) {
        launch_step *step = k ? &p->later[k - 1] : &p->step;
        if (kernel->staged)
            p->direct &= place_step(&m, &kernel->plan.parts[k], step);
        else
            made = make_step(&m, code, k, shared, p, step);
    }
    p->direct &= !p->walked;
    return made;
}

/* ---------------------------------------------------------------------------------------------
 * Running */

static void find_pointers(const launch_step *step, void *const *bases, void **pointers) {
    for (int32_t t = 0; t < step->tensors; t++)
        pointers[t] = (void *)((uintptr_t)bases[step->base[t]] + (uintptr_t)step->at[t]);
}

/* More than one call of the code; it needs no scratch. */
APART void run_walk(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                    void *const *bases) {
    const plan_part *part = &kernel->plan.parts[0];
    void *pointers[LAUNCH_TENSORS];
    find_pointers(&p->step, bases, pointers);
    if (!p->divided) {
        tile_run_choice(
            &(tile_job){part, code, &p->whole.w, pointers, &p->whole.choice, p->step.strides});
        return;
    }
    tile_tensors tensors; /* not cleared: see walk.h */
    for (int32_t t = 0; t < p->step.tensors; t++) {
        tensors.pointers[t] = pointers[t];
        const bool table = t < part->leaf_count && part->leaves[t].table;
        tensors.splat_strides[t] = table ? p->step.strides[2 * t + 1] : 0;
    }
    parallel_run(&kernel->parallel, part, code, &p->whole.w, &tensors);
}

APART void run_steps(const launch *p, const code_part *code, void **bases) {
    _Alignas(64) char scratch[p->scratch_bytes + 1]; /* there may be none */
    bases[LAUNCH_SCRATCH] = scratch;
    for (int32_t k = 0; k < p->step_count; k++) {
        const launch_step *step = launch_step_at(p, k);
        void *pointers[LAUNCH_TENSORS];
        find_pointers(step, bases, pointers);
        code[k].entry(code[k].context, pointers, step->strides, step->planes, step->rows,
                      step->cols);
    }
    bases[LAUNCH_SCRATCH] = NULL;
}

void launch_steps(const launch *p, const tosajit_kernel *kernel, const code_part *code,
                  void **bases) {
    const uint64_t environment = kernel->floats ? fpenv_enter() : 0;
    bases[LAUNCH_CONSTANT] = NULL;
    if (p->walked)
        run_walk(p, kernel, code, bases);
    else
        run_steps(p, code, bases);
    if (kernel->floats) fpenv_leave(environment);
}

SPECIALISED bool run_either(const launch *const *either, const tosajit_kernel *kernel,
                            const code_part *code, kernel_counts n, void *const *data) {
    void *bases[LAUNCH_BASES];
    for (int32_t t = 0; t < n.operands + n.results; t++)
        if (!(bases[t] = data[t])) return false;
    return launch_run(either[launch_is_shared(n, data)], kernel, code, n, bases);
}

APART bool run_unary(const launch *const *either, const tosajit_kernel *kernel,
                     const code_part *code, void *const *data) {
    return run_either(either, kernel, code, (kernel_counts){1, 1}, data);
}

APART bool run_binary(const launch *const *either, const tosajit_kernel *kernel,
                      const code_part *code, void *const *data) {
    return run_either(either, kernel, code, (kernel_counts){2, 1}, data);
}

APART bool run_any(const launch *const *either, const tosajit_kernel *kernel, const code_part *code,
                   void *const *data) {
    return run_either(either, kernel, code, kernel->counts, data);
}

launch_function *launch_function_of(const tosajit_kernel *kernel) {
    static launch_function *const functions[] = {run_any, run_unary, run_binary};
    return functions[launch_arity(kernel)];
}

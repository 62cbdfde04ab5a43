/* Quick calls: planning and running. A few nanoseconds in all, so the loops below do nothing but compare. */
#include "runtime/quick.h"

#include "runtime/fpenv.h"
#include "runtime/kernel.h"
#include "runtime/parallel.h"
#include "runtime/types.h"

static const tosajit_tensor_type *result_type(const tosajit_expr *program, int32_t r) { return &program->nodes[program->results[r]].type; }

/* The element size of a leaf or result of the part. */
static int64_t element_size(const tosajit_expr *program, const plan_part *part, int32_t t) {
    tosajit_value value = t < part->leaf_count ? part->leaves[t].value : program->results[part->results[t - part->leaf_count]];
    return (int64_t)tosajit_type_size(program->nodes[value].type.element);
}

static bool same_dims(const tosajit_tensor_type *a, const tosajit_tensor_type *b) {
    if (a->rank != b->rank) return false;
    for (int32_t d = 0; d < a->rank; d++)
        if (a->dims[d] != b->dims[d]) return false;
    return true;
}

/* The bytes of a dense tensor of this type; false if it is not static or too large. */
static bool static_bytes(const tosajit_tensor_type *type, int64_t *bytes) {
    int64_t count;
    for (int32_t d = 0; d < type->rank; d++)
        if (type->dims[d] == TOSAJIT_DYNAMIC) return false;
    return size_count(type->rank, type->dims, &count) && size_multiply(count, (int64_t)tosajit_type_size(type->element), bytes);
}

static bool plan_bytes(const tosajit_kernel *kernel, quick *q) {
    const tosajit_expr *program = kernel->program;
    for (int32_t k = 0; k < program->input_count; k++) {
        const tosajit_tensor_type *type = &kernel->inputs[k]->type;
        if (!static_bytes(type, &q->bytes[k])) return false;
        q->in_place |= (uint64_t)same_dims(type, result_type(program, 0)) << k;
    }
    for (int32_t r = 0; r < program->result_count; r++)
        if (!static_bytes(result_type(program, r), &q->bytes[program->input_count + r])) return false;
    return true;
}

static bool plan_static(const tosajit_kernel *kernel, const plan_part *part, quick *q) {
    const tosajit_expr *program = kernel->program;
    walk w;
    if (!plan_bytes(kernel, q) || !plan_static_walk(part, program, &w) || w.rank > 2) return false;
    q->cols = w.sizes[w.rank - 1];
    q->rows = w.rank > 1 ? w.sizes[0] : 1;
    const int64_t *columns = walk_strides(&w, w.rank - 1), *rows = walk_strides(&w, 0);
    for (int32_t t = 0; t < part->leaf_count + part->result_count; t++) {
        int32_t in_walk = t < part->leaf_count ? t : part->leaf_count; /* the results share one column of the walk */
        int64_t size = element_size(program, part, t), splat = part->variants[0].splat >> t & 1 && t < part->leaf_count;
        if (q->cols > 1 && columns[in_walk] != !splat) return false;
        q->strides[2 * t] = w.rank > 1 ? rows[in_walk] * size : 0;
        q->strides[2 * t + 1] = splat ? 0 : size;
    }
    return true;
}

/* Whether the code has a loop in which every tensor is contiguous, and every size may be the result's. */
static bool plan_linear(const tosajit_kernel *kernel, const plan_part *part, quick *q) {
    if (part->leaf_count != part->operand_count) return false;
    const tosajit_expr *program = kernel->program;
    bool has_loop = false;
    for (int32_t v = 0; v < part->variant_count; v++) has_loop |= (part->variants[v].splat & ~part->variants[v].either) == 0;
    for (int32_t t = 0; t < part->leaf_count + part->result_count; t++) q->strides[2 * t + 1] = element_size(program, part, t);
    for (int32_t k = 0; k < program->input_count; k++) q->bytes[k] = (int64_t)tosajit_type_size(kernel->inputs[k]->type.element);
    for (int32_t r = 0; r < program->result_count; r++)
        q->bytes[program->input_count + r] = (int64_t)tosajit_type_size(result_type(program, r)->element);
    q->in_place = ~UINT64_C(0);
    return has_loop;
}

void quick_plan(const tosajit_kernel *kernel, quick *q) {
    const plan *p = &kernel->plan;
    *q = (quick){0};
    const plan_part *part = &p->parts[0];
    for (size_t k = 0; k < kernel->program->count; k++) q->floating |= type_is_float(kernel->program->nodes[k].type.element);
    if (p->part_count != 1 || p->check_count > 0 || plan_tables(part)) return;
    if (plan_static(kernel, part, q))
        q->kind = QUICK_STATIC;
    else if (plan_linear(kernel, part, q))
        q->kind = QUICK_LINEAR;
}

/* Whether a tensor is dense, present, and of a type's element and rank; dims are checked apart. */
static inline bool is_plain(const tosajit_tensor *tensor, const tosajit_tensor_type *type) {
    return tensor->element == type->element && tensor->rank == type->rank && !tensor->strides && tensor->data &&
           (tensor->dims || tensor->rank == 0);
}

static inline bool has_dims(const tosajit_tensor *tensor, const int64_t *dims) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (tensor->dims[d] != dims[d]) return false;
    return true;
}

static inline bool fits_type(const tosajit_tensor *tensor, const tosajit_tensor_type *type) {
    for (int32_t d = 0; d < tensor->rank; d++)
        if (type->dims[d] != TOSAJIT_DYNAMIC && tensor->dims[d] != type->dims[d]) return false;
    return true;
}

static inline bool are_apart(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    return (uintptr_t)a + (uintptr_t)a_bytes <= (uintptr_t)b || (uintptr_t)b + (uintptr_t)b_bytes <= (uintptr_t)a;
}

/* The tile of a call, and what quick.bytes are multiplied with. */
typedef struct extent {
    int64_t rows, cols, scale;
} extent;

static bool check_static(const tosajit_kernel *kernel, const tosajit_tensor *operands, const tosajit_tensor *results, extent *e) {
    const tosajit_expr *program = kernel->program;
    for (int32_t k = 0; k < program->input_count; k++) {
        const tosajit_tensor_type *type = &kernel->inputs[k]->type;
        if (!is_plain(&operands[k], type) || !has_dims(&operands[k], type->dims)) return false;
    }
    for (int32_t r = 0; r < program->result_count; r++) {
        const tosajit_tensor_type *type = result_type(program, r);
        if (!is_plain(&results[r], type) || !has_dims(&results[r], type->dims)) return false;
    }
    *e = (extent){kernel->quick.rows, kernel->quick.cols, 1};
    return true;
}

/* Sizes of 0, and those whose product may overflow, are left to the complete check. */
static bool linear_count(const tosajit_tensor *tensor, int64_t *count) {
    *count = 1;
    for (int32_t d = 0; d < tensor->rank; d++) {
        if (tensor->dims[d] <= 0 || tensor->dims[d] >> 31 || *count >> 31) return false;
        *count *= tensor->dims[d];
    }
    return true;
}

static bool check_linear(const tosajit_kernel *kernel, const tosajit_tensor *operands, const tosajit_tensor *results, extent *e) {
    const tosajit_expr *program = kernel->program;
    const tosajit_tensor *first = &results[0];
    for (int32_t k = 0; k < program->input_count; k++) {
        const tosajit_tensor_type *type = &kernel->inputs[k]->type;
        if (!is_plain(&operands[k], type) || operands[k].rank != first->rank || !has_dims(&operands[k], first->dims) ||
            !fits_type(&operands[k], type))
            return false;
    }
    for (size_t k = 0; k < program->contract_count; k++) {
        const expr_contract *promise = &program->contracts[k];
        if (!kernel_keeps(&promise->contract, operands[program->nodes[promise->input].tensor].dims[promise->dimension])) return false;
    }
    for (int32_t r = 0; r < program->result_count; r++)
        if (!is_plain(&results[r], result_type(program, r)) || results[r].rank != first->rank || !has_dims(&results[r], first->dims))
            return false;
    if (!linear_count(first, &e->cols)) return false;
    e->rows = 1;
    e->scale = e->cols;
    return true;
}

/* Whether no result shares memory with an operand or another result but exactly in place. */
static bool check_overlap(const tosajit_kernel *kernel, const tosajit_tensor *operands, const tosajit_tensor *results, int64_t scale) {
    const quick *q = &kernel->quick;
    const int32_t inputs = kernel->program->input_count;
    for (int32_t r = 0; r < kernel->program->result_count; r++) {
        int64_t bytes = q->bytes[inputs + r];
        for (int32_t k = 0; k < inputs; k++) {
            bool in_place = operands[k].data == results[r].data && q->bytes[k] == bytes && q->in_place >> k & 1;
            if (!in_place && !are_apart(operands[k].data, q->bytes[k] * scale, results[r].data, bytes * scale)) return false;
        }
        for (int32_t other = 0; other < r; other++)
            if (!are_apart(results[other].data, q->bytes[inputs + other] * scale, results[r].data, bytes * scale)) return false;
    }
    return true;
}

bool quick_run(const tosajit_kernel *kernel, tosajit_entry entry, const tosajit_tensor *operands, const tosajit_tensor *results) {
    const quick *q = &kernel->quick;
    const plan_part *part = &kernel->plan.parts[0];
    extent e;
    if (q->kind == QUICK_NONE) return false;
    if (!(q->kind == QUICK_STATIC ? check_static : check_linear)(kernel, operands, results, &e)) return false;
    if (parallel_pays(&kernel->parallel, part, e.rows * e.cols)) return false;
    if (!check_overlap(kernel, operands, results, e.scale)) return false;
    void *pointers[TOSAJIT_MAX_TENSORS];
    for (int32_t k = 0; k < part->operand_count; k++) pointers[k] = operands[part->operands[k]].data;
    for (int32_t k = part->operand_count; k < part->leaf_count; k++)
        pointers[k] = (void *)(uintptr_t)part->constants[k - part->operand_count];
    for (int32_t r = 0; r < part->result_count; r++) pointers[part->leaf_count + r] = results[r].data;
    if (!q->floating) {
        entry(pointers, q->strides, e.rows, e.cols);
        return true;
    }
    uint64_t environment = fpenv_enter();
    entry(pointers, q->strides, e.rows, e.cols);
    fpenv_leave(environment);
    return true;
}

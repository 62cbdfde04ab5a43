/* Explain: a run in which the code is replaced by a function that writes down what it is given and leaves. Nothing is decided here, so
 * nothing can differ from what a run decides. Tensors have addresses without memory behind them, but for the few pages that packing reads.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, open_memstream */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/diag.h"
#include "runtime/fpenv.h"
#include "runtime/loops.h"
#include "runtime/memory.h"
#include "runtime/options.h"
#include "runtime/parallel.h"
#include "runtime/run.h"
#include "runtime/types.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Recording */

typedef struct recorder {
    jmp_buf leave;
    int32_t tensors;
    size_t pieces; /* into which the host's threads were to divide it; 0: not divided */
    void *pointers[TOSAJIT_MAX_TENSORS];
    int64_t strides[2 * TOSAJIT_MAX_TENSORS], planes, rows, columns;
} recorder;

static _Thread_local recorder *active;

/* In the place of a part's code. The frames that are left hold nothing but the floating-point environment, which the caller restores. */
static void record(void *const *pointers, const int64_t *strides, int64_t planes, int64_t rows, int64_t columns) {
    memcpy(active->pointers, pointers, (size_t)active->tensors * sizeof *pointers);
    memcpy(active->strides, strides, 2 * (size_t)active->tensors * sizeof *strides);
    active->planes = planes;
    active->rows = rows;
    active->columns = columns;
    longjmp(active->leave, 1);
}

/* In the place of the threads. */
static void record_division(void *context, size_t count, void (*task)(void *argument, size_t index), void *argument) {
    recorder *r = context;
    r->pieces = count;
    task(argument, 0);
}

/* Whether the call is recognised quickly; then it is recorded. The kernel is a copy, so that no other one remembers this call. */
static bool record_quick(tosajit_kernel *shadow, recorder *r, const tosajit_tensor *operands, const tosajit_tensor *results) {
    volatile bool quick = false;
    uint64_t environment = fpenv_enter();
    active = r;
    if (setjmp(r->leave) == 0)
        quick_run(shadow, record, operands, results); /* comes back only if it is not */
    else
        quick = true;
    active = NULL;
    fpenv_leave(environment);
    return quick;
}

static void record_part(const tosajit_kernel *shadow, recorder *r, int32_t part, const walk *w, const tile_tensors *tile) {
    uint64_t environment = fpenv_enter();
    active = r;
    r->tensors = w->tensors;
    r->pieces = 0;
    if (setjmp(r->leave) == 0) parallel_run(&shadow->parallel, &shadow->plan.parts[part], record, w, tile);
    active = NULL;
    fpenv_leave(environment);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Tensors without memory */

typedef struct stage {
    tosajit_tensor operands[TOSAJIT_MAX_TENSORS], results[TOSAJIT_MAX_TENSORS];
    int64_t dims[TOSAJIT_MAX_TENSORS][TOSAJIT_MAX_RANK]; /* of results that the caller left out */
    void *mapped[2 * TOSAJIT_MAX_TENSORS];
    size_t lengths[2 * TOSAJIT_MAX_TENSORS], mapped_count;
} stage;

static void unmap(stage *s) {
    while (s->mapped_count > 0) {
        s->mapped_count--;
        munmap(s->mapped[s->mapped_count], s->lengths[s->mapped_count]);
    }
}

/* Give a tensor addresses; what is wrong with its sizes or strides is for the check of the run to say. */
static tosajit_status place(stage *s, tosajit_tensor *tensor) {
    int64_t low = 0, high = (int64_t)tosajit_type_size(tensor->element), dense = high;
    enum { MOST = 46 }; /* bits of an address space */
    static char nowhere[8];
    tensor->data = nowhere;
    if (tensor->rank < 0 || tensor->rank > TOSAJIT_MAX_RANK || (tensor->rank > 0 && !tensor->dims) || high == 0) return TOSAJIT_OK;
    for (int32_t d = tensor->rank; d-- > 0;) {
        int64_t size = tensor->dims[d], stride = tensor->strides ? tensor->strides[d] : dense, span;
        if (size <= 0) return TOSAJIT_OK;
        if (stride == INT64_MIN || !size_multiply(size - 1, stride < 0 ? -stride : stride, &span) || !size_multiply(dense, size, &dense) ||
            span >> MOST || dense >> MOST)
            return diag_error(TOSAJIT_OVERFLOW, "explain: the sizes of a tensor exceed the address space");
        *(stride < 0 ? &low : &high) += stride < 0 ? -span : span;
    }
    const size_t slack = 4096;
    size_t length = (size_t)(high - low) + slack;
    void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return diag_error(TOSAJIT_OUT_OF_MEMORY, "explain: no addresses for a tensor of %zu bytes", length);
    s->mapped[s->mapped_count] = memory;
    s->lengths[s->mapped_count++] = length;
    tensor->data = (char *)memory - low;
    return TOSAJIT_OK;
}

static tosajit_status set_stage(const tosajit_kernel *kernel, const tosajit_tensor *operands, size_t operand_count,
                                const tosajit_tensor *results, size_t result_count, stage *s) {
    size_t own = tosajit_kernel_result_count(kernel);
    if (operand_count != tosajit_kernel_operand_count(kernel) || (results && result_count != own))
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "explain: the kernel takes %zu operands and %zu results, not %zu and %zu",
                          tosajit_kernel_operand_count(kernel), own, operand_count, result_count);
    tosajit_status status = TOSAJIT_OK;
    for (size_t k = 0; !status && k < operand_count; k++) {
        s->operands[k] = operands[k];
        status = place(s, &s->operands[k]);
    }
    for (size_t r = 0; !status && r < own; r++) {
        if (results) {
            s->results[r] = results[r];
        } else {
            int32_t rank;
            status = tosajit_kernel_result_dims(kernel, s->operands, operand_count, r, &rank, s->dims[r]);
            if (!status) s->results[r] = tosajit_dense(tosajit_kernel_result_type(kernel, r).element, NULL, rank, s->dims[r]);
        }
        if (!status) status = place(s, &s->results[r]);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What was recorded */

typedef struct part_report {
    walk w;
    recorder r;
    bool empty;
    uint64_t splat, packed;
    bool streamed;
    loop_choice loops;
    int32_t variant; /* -1: none is needed */
    double elements, nanoseconds;
    size_t threads;
} part_report;

static double count_elements(const walk *w) {
    double count = 1;
    for (int32_t d = 0; d < w->rank; d++) count *= (double)w->sizes[d];
    return count;
}

/* Whether an address is one of a tensor's own: those of a buffer are not. */
static bool is_own(const view *v, const void *address) {
    uintptr_t at = (uintptr_t)address, data = (uintptr_t)v->tensor.data;
    return at >= data + (uintptr_t)v->low && at < data + (uintptr_t)v->high;
}

/* Of the walk, in bytes. */
static int64_t inner_stride(const part_report *p, int32_t t) { return p->w.strides[(p->w.rank - 1) * p->w.tensors + t]; }

static int64_t tail_columns(const part_report *p) {
    return p->loops.tail == TOSAJIT_TAIL_NONE ? 0 : p->r.columns % (int64_t)p->loops.lanes;
}

static void read_record(const tosajit_kernel *kernel, int32_t index, const view *tensors, const view *written, part_report *p) {
    const plan_part *part = &kernel->plan.parts[index];
    for (int32_t t = 0; t < p->r.tensors; t++) {
        bool is_leaf = t < part->leaf_count;
        const view *v = is_leaf ? &tensors[part->leaves[t].tensor] : &written[part->results[t - part->leaf_count]];
        if (is_leaf && !part->leaves[t].table && p->r.strides[2 * t + 1] == 0) p->splat |= UINT64_C(1) << t;
        const bool buffered = !is_own(v, p->r.pointers[t]), dense = inner_stride(p, t) == p->r.strides[2 * t + 1];
        if (buffered && !is_leaf && dense)
            p->streamed = true;
        else if (buffered)
            p->packed |= UINT64_C(1) << t;
    }
    const kernel_code *code = atomic_load_explicit(&kernel->code, memory_order_relaxed); /* the shadow's, which does not change */
    p->loops = loop_choose(&kernel->plan, index, kernel->program, loop_registers_of(code->image.machine, code->features));
    uint64_t tables = plan_tables(part);
    p->variant = -1;
    for (int32_t v = part->variant_count; v-- > 0;)
        if (((p->splat ^ (part->variants[v].splat & ~tables)) & ~part->variants[v].either) == 0) p->variant = v;
    p->threads = p->r.pieces > kernel->parallel.threads ? kernel->parallel.threads : p->r.pieces ? p->r.pieces : 1;
    p->elements = count_elements(&p->w);
    p->nanoseconds = p->elements * part->element_ns / (double)p->threads;
}

static double unique_bytes(const view *v) {
    double bytes = v->empty ? 0 : (double)tosajit_type_size(v->tensor.element);
    for (int32_t d = 0; !v->empty && d < v->tensor.rank; d++)
        if (v->tensor.dims[d] > 1 && v->strides[d] != 0) bytes *= (double)v->tensor.dims[d];
    return bytes;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Sentences */

typedef struct call_report {
    const tosajit_kernel *kernel;
    const view *tensors, *written;
    bool native, quick;
    double bytes;
} call_report;

static const char *plural(double count) { return count == 1 ? "" : "s"; }

static void tell_call(FILE *out, const call_report *c) {
    const tosajit_kernel *kernel = c->kernel;
    if (!c->native)
        fputs("the interpreter computes it, element by element: there is no code\n", out);
    else if (c->quick)
        fputs("a quick call: it is recognised without the complete check\n", out);
    else
        fputs("a call with the complete check", out);
    if (!c->native || c->quick) return;
    bool strided = false, tables = false, empty = false;
    for (int32_t t = 0; t < kernel->program->input_count; t++) {
        int64_t dense[TOSAJIT_MAX_RANK];
        const view *v = &c->tensors[t];
        walk_dense_strides(v->tensor.rank, v->tensor.dims, (int64_t)tosajit_type_size(v->tensor.element), dense);
        empty |= v->empty;
        for (int32_t d = 0; d < v->tensor.rank; d++) strided |= v->tensor.dims[d] > 1 && v->strides[d] != dense[d];
    }
    for (int32_t p = 0; p < kernel->plan.part_count; p++) tables |= plan_tables(&kernel->plan.parts[p]) != 0;
    fprintf(out, "%s\n",
            empty                          ? ": a size is 0"
            : kernel->plan.part_count > 1  ? ": the kernel has several parts"
            : kernel->plan.check_count > 0 ? ": a declared size or a parameter must be checked"
            : tables                       ? ": a table takes part"
            : strided                      ? ": an operand is a strided view"
                                           : "");
}

static void tell_tensor(FILE *out, const plan_part *part, const part_report *p, int32_t t) {
    const int64_t stride = inner_stride(p, t), own = p->r.strides[2 * t + 1];
    bool is_leaf = t < part->leaf_count;
    if (!is_leaf)
        fprintf(out, "  result %d", (int)part->results[t - part->leaf_count]);
    else if (t < part->operand_count)
        fprintf(out, "  operand %d", (int)part->operands[t]);
    else
        fprintf(out, "  constant %d", (int)(t - part->operand_count));
    if (is_leaf && part->leaves[t].table) {
        fputs(": a table, looked up\n", out);
        return;
    }
    fprintf(out, ": %s", p->splat >> t & 1 ? "one value per row" : is_leaf ? "contiguous" : "written contiguously");
    if (!(p->packed >> t & 1) && p->r.rows > 1 && p->r.strides[2 * t] == 0)
        fputs(", the same for every row", out);
    else if (!(p->packed >> t & 1) && p->r.rows > 1)
        fprintf(out, ", rows %" PRId64 " bytes apart", p->r.strides[2 * t]);
    else if (p->packed >> t & 1 && stride == own)
        fputs(", through a buffer, because its rows are too short for a loop of their own", out);
    else if (p->packed >> t & 1)
        fprintf(out, ", through a buffer, because its columns are %" PRId64 " bytes apart", stride);
    fputc('\n', out);
}

static void tell_tail(FILE *out, const plan_part *part, const part_report *p) {
    static const char *const kinds[] = {[TOSAJIT_TAIL_NONE] = "none",
                                        [TOSAJIT_TAIL_MASKED] = "masked, one vector with lanes left out",
                                        [TOSAJIT_TAIL_SCALAR] = "scalar, one element at a time"};
    fprintf(out, "  vectors: of %u lanes, up to %u in a step\n  tail: %s", p->loops.lanes, p->loops.unroll, kinds[p->loops.tail]);
    if (p->loops.tail == TOSAJIT_TAIL_NONE)
        fprintf(out, ", columns are always a multiple of %" PRId64 "\n", part->cols_multiple);
    else if (tail_columns(p) > 0)
        fprintf(out, "; here %" PRId64 " column%s\n", tail_columns(p), plural((double)tail_columns(p)));
    else
        fputs("; not needed here\n", out);
}

static void tell_part(FILE *out, const call_report *c, int32_t index, const part_report *p) {
    const plan_part *part = &c->kernel->plan.parts[index];
    if (c->kernel->plan.part_count > 1) fprintf(out, "part %d of %d\n", (int)index, (int)c->kernel->plan.part_count);
    if (p->empty) {
        fputs("  empty: nothing is computed\n", out);
        return;
    }
    fputs("  coalesced: [", out);
    for (int32_t d = 0; d < p->w.rank; d++) fprintf(out, "%s%" PRId64, d ? ", " : "", p->w.sizes[d]);
    fprintf(out, "], of %d dimension%s\n", (int)part->rank, plural(part->rank));
    if (!c->native) return;
    for (int32_t t = 0; t < p->r.tensors; t++) tell_tensor(out, part, p, t);
    double calls = p->elements / ((double)p->r.planes * (double)p->r.rows * (double)p->r.columns);
    fputs("  tiles: ", out);
    if (p->r.planes > 1) fprintf(out, "%" PRId64 " planes of ", p->r.planes);
    fprintf(out, "%" PRId64 " row%s of %" PRId64 " column%s%s", p->r.rows, plural((double)p->r.rows), p->r.columns,
            plural((double)p->r.columns), p->r.pieces ? ", of the first piece" : "");
    if (calls > 1.5) fprintf(out, "; about %.0f of them", calls);
    fputc('\n', out);
    if (p->variant >= 0) fprintf(out, "  loop %d of %d\n", (int)p->variant, (int)part->variant_count);
    tell_tail(out, part, p);
    if (p->streamed) fputs("  stores: past the caches, which would not hold the result\n", out);
    if (!p->streamed) fputs("  stores: to the caches\n", out);
    if (p->r.pieces)
        fprintf(out, "  threads: %zu of %zu, which share %zu pieces\n", p->threads, c->kernel->parallel.threads, p->r.pieces);
    else
        fprintf(out, "  threads: 1%s\n",
                c->kernel->parallel.threads > 1 ? ", because the work is too little for more" : ", because the engine has no more");
    fprintf(out, "  cost model: about %.3g us\n", p->nanoseconds * 1e-3);
}

/* What keeps it from being faster, of what the caller can change. */
static void tell_advice(FILE *out, const call_report *c, int32_t index, const part_report *p) {
    static const double SHORT_COLUMNS = 32, FEW_BYTES = 4e6;
    const plan_part *part = &c->kernel->plan.parts[index];
    bool said = false;
    if (!c->native || p->empty) return;
    if (p->packed)
        fputs("  faster: with operands and results whose innermost dimension is dense nothing goes through a buffer\n", out), said = true;
    if ((double)p->r.columns < SHORT_COLUMNS && p->elements > SHORT_COLUMNS)
        fprintf(out, "  faster: with longer rows; %" PRId64 " columns fill few vectors\n", p->r.columns), said = true;
    if (p->variant >= 0 && part->variant_count > 1 && part->variants[p->variant].either) /* alone, it is as fast as others would be */
        fputs("  faster: with static sizes or contracts; so many operands may repeat that one loop serves all cases\n", out), said = true;
    if (!said && c->bytes > FEW_BYTES && c->kernel->parallel.threads <= 1)
        fputs("  faster: with threads, as far as memory gives more to several\n", out), said = true;
    if (!said) fputs("  faster: nothing that the library knows\n", out);
}

static tosajit_status tell(const call_report *c, const part_report *parts, char **text) {
    size_t size;
    char *printed = NULL;
    FILE *out = open_memstream(&printed, &size);
    if (!out) return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the text of an explanation");
    tell_call(out, c);
    for (int32_t k = 0; k < c->kernel->plan.part_count; k++) {
        tell_part(out, c, k, &parts[k]);
        tell_advice(out, c, k, &parts[k]);
    }
    fprintf(out, "memory: %.0f bytes read or written\n", c->bytes);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed) {
        *text = printed;
        return TOSAJIT_OK;
    }
    free(printed);
    return diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for the text of an explanation");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The whole */

static void summarise(const call_report *c, const part_report *parts, tosajit_explanation *e) {
    const part_report *largest = &parts[0];
    *e = (tosajit_explanation){.native = c->native, .quick = c->quick, .bytes = c->bytes, .threads = 1, .pieces = 1};
    for (int32_t k = 0; k < c->kernel->plan.part_count; k++) {
        e->elements += parts[k].elements;
        e->nanoseconds += parts[k].nanoseconds;
        if (parts[k].elements > largest->elements) largest = &parts[k];
    }
    if (largest->empty) return;
    e->rank = largest->w.rank;
    memcpy(e->sizes, largest->w.sizes, (size_t)largest->w.rank * sizeof *e->sizes);
    e->variant = largest->variant;
    if (!c->native) return;
    e->threads = largest->threads;
    if (largest->r.pieces) e->pieces = largest->r.pieces;
    e->planes = largest->r.planes;
    e->rows = largest->r.rows;
    e->columns = largest->r.columns;
    e->splat = largest->splat;
    e->packed = largest->packed;
    e->streamed = largest->streamed;
    e->lanes = (int32_t)largest->loops.lanes;
    e->tail = largest->loops.tail;
    e->tail_columns = tail_columns(largest);
}

/* A kernel's copy whose threads are recorded and which remembers no call. */
static void make_shadow(const tosajit_kernel *kernel, recorder *r, tosajit_kernel *shadow) {
    atomic_init(&shadow->code, atomic_load_explicit(&kernel->code, memory_order_acquire));
    shadow->program = kernel->program;
    shadow->plan = kernel->plan;
    shadow->quick = kernel->quick;
    shadow->quick.memory = NULL;
    shadow->parallel = kernel->parallel;
    shadow->tensor_count = kernel->tensor_count;
    memcpy(shadow->inputs, kernel->inputs, sizeof shadow->inputs);
    if (shadow->parallel.threads > 1) {
        shadow->parallel.parallel_for = record_division;
        shadow->parallel.context = r;
    }
}

/* quick: what was recorded of a quick call, which has one part; null for others. */
static void explain_part(const tosajit_kernel *shadow, int32_t index, const view *tensors, const view *written, bool native,
                         const recorder *quick, part_report *p) {
    const plan_part *part = &shadow->plan.parts[index];
    tile_tensors tile;
    p->empty = written[part->results[0]].empty;
    if (p->empty) return;
    run_walk(shadow, index, tensors, written, &p->w, &tile);
    p->elements = count_elements(&p->w);
    p->variant = -1;
    if (!native) return;
    if (quick)
        memcpy(&p->r, quick, sizeof *quick);
    else
        record_part(shadow, &p->r, index, &p->w, &tile);
    read_record(shadow, index, tensors, written, p);
}

static tosajit_status explain_staged(const tosajit_kernel *kernel, const stage *s, size_t operand_count, part_report *parts,
                                     tosajit_explanation *explanation, char **text) {
    view tensors[TOSAJIT_MAX_TENSORS], written[TOSAJIT_MAX_TENSORS];
    const size_t result_count = tosajit_kernel_result_count(kernel);
    tosajit_status status = run_check(kernel, s->operands, operand_count, s->results, result_count, tensors, written);
    if (status) return status;
    call_report c = {.kernel = kernel, .tensors = tensors, .written = written, .native = tosajit_kernel_is_native(kernel)};
    tosajit_kernel shadow;
    recorder quick = {.tensors = kernel->plan.parts[0].leaf_count + kernel->plan.parts[0].result_count};
    make_shadow(kernel, &quick, &shadow);
    c.quick = c.native && record_quick(&shadow, &quick, s->operands, s->results);
    for (int32_t t = 0; t < kernel->tensor_count; t++) c.bytes += unique_bytes(&tensors[t]);
    for (size_t r = 0; r < result_count; r++) c.bytes += unique_bytes(&written[r]);
    for (int32_t k = 0; k < kernel->plan.part_count; k++) {
        make_shadow(kernel, &parts[k].r, &shadow);
        explain_part(&shadow, k, tensors, written, c.native, c.quick ? &quick : NULL, &parts[k]);
    }
    tosajit_explanation known;
    summarise(&c, parts, &known);
    if (explanation) status = options_give(explanation, &known, sizeof known, "tosajit_explanation");
    return status || !text ? status : tell(&c, parts, text);
}

tosajit_status tosajit_explain(const tosajit_kernel *kernel, const tosajit_tensor *operands, size_t operand_count,
                               const tosajit_tensor *results, size_t result_count, tosajit_explanation *explanation, char **text) {
    if (!kernel || (operand_count && !operands))
        return diag_error(TOSAJIT_INVALID_ARGUMENT, "explain: kernel or operands is a null pointer");
    const size_t part_count = (size_t)kernel->plan.part_count;
    stage *s = memory_new(&kernel->allocator, 1, sizeof *s);
    part_report *parts = memory_new(&kernel->allocator, part_count, sizeof *parts);
    tosajit_status status = TOSAJIT_OK;
    if (!s || !parts) status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for an explanation");
    if (!status) status = set_stage(kernel, operands, operand_count, results, result_count, s);
    if (!status) status = explain_staged(kernel, s, operand_count, parts, explanation, text);
    if (s) unmap(s);
    memory_free(&kernel->allocator, s, 1, sizeof *s);
    memory_free(&kernel->allocator, parts, part_count, sizeof *parts);
    return status;
}

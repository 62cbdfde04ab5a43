/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs of calls; see api_program.h. */
#include "tests/fuzz/api_program.h"

#include <string.h>

#include "tests/fuzz/bytes.h"
#include "tests/fuzz/check.h"
#include "tests/support/support.h"
#include "tosajit/graph.h"
#include "tosajit/image.h"
#include "tosajit/inspect.h"

enum {
    ENGINES = 2,
    EXPRS = 2,
    KERNELS = 4,
    ARENA = 64 << 10,
    MARGIN = 256,
    SPACE = ARENA + 2 * MARGIN,
    MOST_CALLS = 120,
    MAX_TENSORS = 8
};

typedef struct state {
    fuzz_bytes bytes;
    fuzz_account memory;
    tosajit_allocator allocator;
    tosajit_engine *engines[ENGINES], *shared; /* by all inputs */
    tosajit_expr *exprs[EXPRS];
    int32_t values[EXPRS]; /* an upper bound of their number */
    tosajit_kernel *kernels[KERNELS];
    unsigned char *arena, *before;
} state;

/* Every failure has a name and a sentence. */
static tosajit_status checked(tosajit_status status) {
    REQUIRE(tosajit_status_name(status) && *tosajit_status_name(status));
    if (status) REQUIRE(strlen(tosajit_last_error()) > 8);
    return status;
}

/* Random things. */

static int64_t take_size(fuzz_bytes *b) {
    static const int64_t sizes[] = {1,  2,  3, TOSAJIT_DYNAMIC, 4, 8, 1, TOSAJIT_DYNAMIC, 5,
                                    16, 17, 64};
    static const int64_t hostile[] = {
        0,    -1, INT64_C(1) << 31, INT64_C(1) << 40, INT64_C(1) << 62, INT64_MAX, INT64_MIN + 1,
        65536};
    if (take_rarely(b, 16))
        return take_rarely(b, 4) ? (int64_t)take_word(b)
                                 : hostile[take_below(b, sizeof hostile / sizeof *hostile)];
    return sizes[take_below(b, sizeof sizes / sizeof *sizes)];
}

static tosajit_tensor_type take_type(fuzz_bytes *b) {
    static const int32_t ranks[] = {-1, 16, 17, -2, 5, 9, INT32_MAX, INT32_MIN};
    tosajit_tensor_type type = {
        (tosajit_type)take_below(b, TOSAJIT_TYPE_COUNT), (int32_t)take_below(b, 4), {0}};
    if (take_rarely(b, 32)) type.element = (tosajit_type)(int)take_byte(b);
    if (take_rarely(b, 12)) type.rank = ranks[take_below(b, sizeof ranks / sizeof *ranks)];
    for (int32_t d = 0; d < TOSAJIT_MAX_RANK && d < type.rank; d++) type.dims[d] = take_size(b);
    return type;
}

static tosajit_attributes take_attributes(fuzz_bytes *b) {
    tosajit_attributes a = {.scale32 = 0};
    unsigned which = take_byte(b);
    if (which & 1) a.min_val.i = (int64_t)take_word(b);
    if (which & 1) a.max_val.i = (int64_t)take_word(b);
    if (which & 2) a.nan_mode = (tosajit_nan_mode)take_below(b, 3);
    if (which & 4) a.shift = (int32_t)take_byte(b) - 8;
    if (which & 8) a.input_zp = (int64_t)take_byte(b) - 128;
    if (which & 8)
        a.output_zp = take_rarely(b, 4) ? (int64_t)take_word(b) : (int64_t)take_byte(b) - 128;
    if (which & 16) a.rounding_mode = (tosajit_rounding_mode)take_below(b, 4);
    if (which & 32) a.round = (uint8_t)take_below(b, 3);
    if (which & 64) a.input_unsigned = a.output_unsigned = (uint8_t)take_below(b, 3);
    if (which & 128) a.scale32 = (uint8_t)take_below(b, 3);
    if (which & 128) a.per_channel = (uint8_t)take_below(b, 2);
    if (take_rarely(b, 3)) a.axis = take_rarely(b, 16) ? (int64_t)take_word(b) : take_below(b, 5);
    if (take_rarely(b, 8)) a.joined = (int32_t)take_byte(b) - 2;
    return a;
}

static tosajit_engine *take_engine(state *s) {
    unsigned choice = take_below(&s->bytes, ENGINES + 1);
    return choice == ENGINES ? s->shared : s->engines[choice];
}

/* Bytes of a static type; -1 if it has none or too many. */
static int64_t small_bytes(const tosajit_tensor_type *type) {
    int64_t bytes = (int64_t)tosajit_type_size(type->element);
    if (bytes == 0 || type->rank < 0 || type->rank > TOSAJIT_MAX_RANK) return -1;
    for (int32_t d = 0; d < type->rank; d++) {
        if (type->dims[d] < 1 || type->dims[d] > ARENA) return -1;
        bytes *= type->dims[d];
        if (bytes > ARENA) return -1;
    }
    return bytes;
}

/* True if a call with this type must be refused before its data is looked at. */
static int is_illegal(const tosajit_tensor_type *type) {
    double bytes = (double)tosajit_type_size(type->element);
    if (bytes == 0 || type->rank < 0 || type->rank > TOSAJIT_MAX_RANK) return 1;
    for (int32_t d = 0; d < type->rank; d++) {
        if (type->dims[d] < 1) return 1;
        bytes *= (double)type->dims[d];
    }
    return bytes > 1e19;
}

/* Building. */

static void create_expr(state *s) {
    unsigned k = take_below(&s->bytes, EXPRS);
    tosajit_expr_options options = {.size = sizeof options,
                                    .allocator = &s->allocator,
                                    .strict = (int)take_below(&s->bytes, 2)};
    if (take_rarely(&s->bytes, 8)) options.size = take_below(&s->bytes, 64);
    options.accuracy = (tosajit_accuracy)take_below(&s->bytes, 4);
    tosajit_expr *made = NULL;
    if (checked(tosajit_expr_create(&options, &made))) return;
    tosajit_expr_destroy(s->exprs[k]);
    s->exprs[k] = made;
    s->values[k] = 0;
}

static void add_input(state *s, unsigned e) {
    tosajit_tensor_type type = take_type(&s->bytes);
    tosajit_value value;
    if (!checked(
            tosajit_expr_input(s->exprs[e], take_rarely(&s->bytes, 64) ? NULL : &type, &value)))
        s->values[e] = value + 1;
}

static void add_constant(state *s, unsigned e) {
    tosajit_tensor_type type = take_type(&s->bytes);
    for (int32_t d = 0; d < type.rank && d < TOSAJIT_MAX_RANK; d++)
        if (type.dims[d] == TOSAJIT_DYNAMIC && !take_rarely(&s->bytes, 16)) type.dims[d] = 1;
    int64_t bytes = small_bytes(&type);
    if (bytes < 0 && !is_illegal(&type)) return;
    unsigned char *data = malloc(bytes < 0 ? 1 : (size_t)bytes);
    unsigned fill = take_byte(&s->bytes), step = take_below(&s->bytes, 3);
    for (int64_t k = 0; k < (bytes < 0 ? 1 : bytes); k++)
        data[k] = (unsigned char)(fill + step * (unsigned)k);
    tosajit_value value;
    if (!checked(tosajit_expr_constant(s->exprs[e], &type, data, &value))) s->values[e] = value + 1;
    free(data);
}

/* The list of a view of this rank: of the right length, and mostly of numbers that fit. */
static size_t take_list(fuzz_bytes *b, tosajit_op op, int32_t rank, int64_t *numbers) {
    const unsigned kind = take_byte(b);
    const int32_t turn = (int32_t)(kind % 4);
    int32_t each = op == TOSAJIT_OP_slice ? 3 : op == TOSAJIT_OP_pad ? 2 : 1, count = each * rank;
    if (op == TOSAJIT_OP_reshape) count += (int32_t)(kind / 4 % 3) - (rank > 0);
    for (int32_t k = 0; k < count; k++) {
        if (op == TOSAJIT_OP_transpose)
            numbers[k] = kind & 128 ? rank - 1 - k : (k + turn) % rank;
        else if (op == TOSAJIT_OP_reshape)
            numbers[k] = k < rank && !take_rarely(b, 4) ? -2 - k : (int64_t)take_below(b, 4) - 1;
        else if (op == TOSAJIT_OP_slice)
            numbers[k] = k % 3 == 2          ? (take_rarely(b, 4) ? -1 : 1 + (int64_t)(kind & 1))
                         : take_rarely(b, 3) ? (int64_t)take_below(b, 5) - 1
                                             : TOSAJIT_DYNAMIC;
        else
            numbers[k] = op == TOSAJIT_OP_pad ? (int64_t)take_below(b, 3) : 1 + take_rarely(b, 3);
    }
    if (count > 0 && take_rarely(b, 24))
        numbers[take_below(b, (unsigned)count)] = (int64_t)take_word(b);
    return (size_t)count;
}

static int takes_list(tosajit_op op) {
    return op == TOSAJIT_OP_transpose || op == TOSAJIT_OP_reshape || op == TOSAJIT_OP_slice ||
           op == TOSAJIT_OP_tile || op == TOSAJIT_OP_pad;
}

/* Attributes of a view: a list, or an axis. */
static tosajit_attributes take_view(fuzz_bytes *b, tosajit_op op, int32_t rank, int64_t *numbers) {
    tosajit_attributes a = {.axis = 0};
    if (rank < 0 || rank > TOSAJIT_MAX_RANK) rank = 0;
    if (!takes_list(op)) a.axis = take_below(b, 3);
    if (takes_list(op)) a.number_count = take_list(b, op, rank, numbers);
    if (takes_list(op)) a.numbers = numbers;
    return a;
}

static int is_view(tosajit_op op) {
    return takes_list(op) || op == TOSAJIT_OP_reverse || op == TOSAJIT_OP_concat;
}

/* An op on any values, legal or not; or one that accepts the element types of the latest ones. */
static void add_op(state *s, unsigned e) {
    tosajit_value operands[TOSAJIT_MAX_OPERANDS + 1] = {0}, value;
    tosajit_tensor_type declared = {TOSAJIT_I8, TOSAJIT_UNRANKED, {0}};
    int guided = !take_rarely(&s->bytes, 6);
    tosajit_op op = (tosajit_op)take_below(&s->bytes, TOSAJIT_OP_COUNT + 1);
    for (int k = 0; k <= TOSAJIT_MAX_OPERANDS; k++)
        operands[k] =
            s->values[e] ? (tosajit_value)(take_byte(&s->bytes) % (unsigned)s->values[e]) : 0;
    if (take_rarely(&s->bytes, 24))
        operands[take_below(&s->bytes, 3)] = (tosajit_value)take_word(&s->bytes);
    tosajit_type types[TOSAJIT_MAX_ARITY] = {0};
    for (int k = 0; k < TOSAJIT_MAX_ARITY; k++) {
        tosajit_tensor_type type;
        if (!tosajit_expr_type(s->exprs[e], operands[k], &type)) types[k] = type.element;
    }
    unsigned result = take_below(&s->bytes, TOSAJIT_TYPE_COUNT);
    for (int tried = 0; guided && tried < (int)TOSAJIT_OP_COUNT * (int)TOSAJIT_TYPE_COUNT;
         tried++) {
        if (tosajit_op_accepts(op, types, (tosajit_type)result)) break;
        result = (result + 1) % TOSAJIT_TYPE_COUNT;
        if (tried % (int)TOSAJIT_TYPE_COUNT == (int)TOSAJIT_TYPE_COUNT - 1)
            op = (tosajit_op)(((unsigned)op + 1) % TOSAJIT_OP_COUNT);
    }
    declared.element = (tosajit_type)result;
    if (take_rarely(&s->bytes, 8)) declared = take_type(&s->bytes);
    int required = 0, parameters = tosajit_op_parameters(op, &required);
    size_t count =
        (size_t)(tosajit_op_arity(op) + (required || take_rarely(&s->bytes, 4) ? parameters : 0));
    if (take_rarely(&s->bytes, 24)) count = take_below(&s->bytes, TOSAJIT_MAX_OPERANDS + 2);
    tosajit_attributes attributes = {.shift = 0};
    if (take_rarely(&s->bytes, 3)) attributes = take_attributes(&s->bytes);
    if (op == TOSAJIT_OP_clamp && declared.element < TOSAJIT_F16 && !attributes.max_val.i)
        attributes.max_val.i = 5;
    if (op < TOSAJIT_OP_COUNT && test_reduces(op) && !take_rarely(&s->bytes, 8)) {
        attributes = (tosajit_attributes){.axis = take_below(&s->bytes, 3)};
        declared = (tosajit_tensor_type){declared.element, TOSAJIT_UNRANKED, {0}};
    }
    int64_t numbers[3 * TOSAJIT_MAX_RANK + 2];
    tosajit_tensor_type first = {TOSAJIT_I8, 0, {0}};
    if (is_view(op) && !take_rarely(&s->bytes, 8)) {
        tosajit_expr_type(s->exprs[e], operands[0], &first);
        attributes = take_view(&s->bytes, op, first.rank, numbers);
        declared = (tosajit_tensor_type){declared.element, TOSAJIT_UNRANKED, {0}};
    }
    if (!checked(tosajit_expr_op(s->exprs[e], op, operands, count,
                                 take_rarely(&s->bytes, 16) ? NULL : &attributes,
                                 take_rarely(&s->bytes, 8) ? NULL : &declared, &value)))
        s->values[e] = value + 1;
}

static void add_result(state *s, unsigned e) {
    int64_t value = s->values[e] - 1 - (int32_t)take_below(&s->bytes, 4);
    if (take_rarely(&s->bytes, 16)) value = (int32_t)take_word(&s->bytes);
    checked(tosajit_expr_result(s->exprs[e], (tosajit_value)value));
}

static void add_contract(state *s, unsigned e) {
    tosajit_contract contract = {0};
    contract.smallest = take_below(&s->bytes, 6);
    contract.largest = take_below(&s->bytes, 40);
    contract.multiple = take_below(&s->bytes, 17);
    if (take_rarely(&s->bytes, 6)) contract.smallest = (int64_t)take_word(&s->bytes);
    if (take_rarely(&s->bytes, 6)) contract.largest = (int64_t)take_word(&s->bytes);
    if (take_rarely(&s->bytes, 6)) contract.multiple = (int64_t)take_word(&s->bytes);
    checked(tosajit_expr_contract(s->exprs[e], (tosajit_value)take_byte(&s->bytes) - 1,
                                  (int32_t)take_below(&s->bytes, 6) - 1, &contract));
}

/* Engines and kernels. */

static void create_engine(state *s) {
    unsigned k = take_below(&s->bytes, ENGINES);
    tosajit_engine_options options = {
        .size = sizeof options, .allocator = &s->allocator, .backend = TOSAJIT_BACKEND_INTERPRET};
    options.uncached = (int)take_below(&s->bytes, 2);
    options.accuracy = (tosajit_accuracy)take_below(&s->bytes, 4);
    if (take_rarely(&s->bytes, 32)) options.backend = (tosajit_backend)take_below(&s->bytes, 5);
    if (take_rarely(&s->bytes, 8)) options.size = take_below(&s->bytes, 80);
    options.any_strides = k & 1;
    if (take_rarely(&s->bytes, 16)) options.cpu = "x86-64-v3";
    tosajit_engine *made = NULL;
    if (checked(tosajit_engine_create(&options, &made))) return;
    tosajit_engine_destroy(s->engines[k]);
    s->engines[k] = made;
}

static void keep_kernel(state *s, tosajit_kernel *kernel) {
    unsigned k = take_below(&s->bytes, KERNELS);
    tosajit_kernel_release(s->kernels[k]);
    s->kernels[k] = kernel;
}

static void compile_expr(state *s, unsigned e) {
    tosajit_kernel *kernel = NULL;
    if (checked(tosajit_compile_expr(take_engine(s), s->exprs[e], &kernel)) == TOSAJIT_OK)
        keep_kernel(s, kernel);
}

static void compile_op(state *s) {
    tosajit_tensor_type types[TOSAJIT_MAX_OPERANDS], result = take_type(&s->bytes);
    types[0] = take_type(&s->bytes);
    for (int k = 1; k < TOSAJIT_MAX_OPERANDS; k++)
        types[k] = take_rarely(&s->bytes, 3) ? take_type(&s->bytes) : types[0];
    tosajit_attributes attributes = take_attributes(&s->bytes);
    tosajit_op op = (tosajit_op)take_below(&s->bytes, TOSAJIT_OP_COUNT + 1);
    size_t count = take_rarely(&s->bytes, 16) ? take_below(&s->bytes, TOSAJIT_MAX_OPERANDS + 1)
                                              : (size_t)tosajit_op_arity(op);
    const tosajit_attributes *given = take_rarely(&s->bytes, 3) ? &attributes : NULL;
    const tosajit_tensor_type *declared = take_rarely(&s->bytes, 3) ? &result : NULL;
    tosajit_tensor_type inferred;
    tosajit_kernel *kernel = NULL;
    tosajit_status legal = checked(tosajit_verify(op, types, count, given, declared, 0, &inferred));
    tosajit_status status =
        checked(tosajit_compile(take_engine(s), op, types, count, given, declared, &kernel));
    if (legal) REQUIRE(status != TOSAJIT_OK);
    if (!status) keep_kernel(s, kernel);
    checked(tosajit_infer_shape(types, count, (int)take_below(&s->bytes, 2), &inferred));
    checked(tosajit_verify_result(&types[0], &result, (int)take_below(&s->bytes, 2)));
}

/* Runs. */

typedef struct operand {
    tosajit_tensor tensor;
    int64_t dims[TOSAJIT_MAX_RANK], strides[TOSAJIT_MAX_RANK], low,
        high; /* of its bytes, from data */
    int huge, empty;
} operand;

static void measure(operand *o) {
    int64_t step = (int64_t)tosajit_type_size(o->tensor.element);
    double low = 0, high = (double)step, dense = (double)step;
    int negative = 0;
    o->empty = 0;
    for (int32_t d = 0; d < o->tensor.rank; d++) {
        o->empty |= o->dims[d] == 0;
        negative |= o->dims[d] < 0;
    }
    o->empty &= !negative;
    for (int32_t d = o->tensor.rank; d-- > 0;) {
        double reach = o->tensor.strides ? (double)o->strides[d] * ((double)o->dims[d] - 1) : 0;
        *(reach < 0 ? &low : &high) += reach;
        dense *= (double)o->dims[d];
    }
    if (!o->tensor.strides) high = dense;
    o->huge = !o->empty && (negative || high - low > ARENA / 4 || dense > 4 * ARENA);
    o->low = o->huge || o->empty ? 0 : (int64_t)low;
    o->high = o->huge || o->empty ? 0 : (int64_t)high;
}

/* A tensor like the type, or as result_dims says, in a region of its own or anywhere. */
static void make_tensor(state *s, const tosajit_tensor_type *type, const int64_t *dims,
                        unsigned region, operand *o) {
    fuzz_bytes *b = &s->bytes;
    int64_t element = (int64_t)tosajit_type_size(type->element), step = element;
    *o = (operand){.tensor = {type->element, type->rank, NULL, o->dims, NULL}};
    for (int32_t d = 0; d < type->rank; d++) {
        o->dims[d] = dims ? dims[d] : type->dims[d];
        if (o->dims[d] == TOSAJIT_DYNAMIC)
            o->dims[d] =
                take_rarely(b, 4) ? (int64_t)take_below(b, 40) : 1 + (int64_t)take_below(b, 2) * 3;
        if (take_rarely(b, 64)) o->dims[d] = take_size(b);
    }
    if (take_rarely(b, 64)) o->tensor.element = (tosajit_type)take_below(b, 16);
    if (take_rarely(b, 4)) o->tensor.strides = o->strides;
    for (int32_t d = type->rank; d-- > 0;) {
        o->strides[d] = step;
        if (take_rarely(b, 8))
            o->strides[d] = (int64_t)(int8_t)take_byte(b) * (take_rarely(b, 3) ? 1 : element);
        if (take_rarely(b, 64)) o->strides[d] = (int64_t)take_word(b);
        if (o->dims[d] > 0 && o->dims[d] < ARENA && step < ARENA) step *= o->dims[d];
    }
    measure(o);
    int64_t room = ARENA - (o->high - o->low), at = (int64_t)region * (ARENA / (2 * MAX_TENSORS));
    if (take_rarely(b, 12)) at = (int64_t)(take_word(b) >> 40);
    o->tensor.data = o->huge ? NULL : s->arena + MARGIN + (at % (room + 1)) - o->low;
    if (take_rarely(b, 64)) o->tensor.data = NULL;
    if (take_rarely(b, 96)) o->tensor.dims = NULL;
    if (take_rarely(b, 96)) o->tensor.rank = (int32_t)take_below(b, 18) - 1;
    if (o->tensor.rank > type->rank)
        o->tensor.rank = type->rank + 1 > TOSAJIT_MAX_RANK ? type->rank : type->rank + 1;
}

/* Take the elements of a result as what should be there. */
static void accept_elements(state *s, const operand *o, int32_t d, const unsigned char *at) {
    if (d == o->tensor.rank) {
        memcpy(s->before + (at - s->arena), at, tosajit_type_size(o->tensor.element));
        return;
    }
    int64_t dense = (int64_t)tosajit_type_size(o->tensor.element);
    for (int32_t inner = o->tensor.rank; --inner > d;) dense *= o->dims[inner];
    for (int64_t k = 0; k < o->dims[d]; k++)
        accept_elements(s, o, d + 1, at + k * (o->tensor.strides ? o->strides[d] : dense));
}

/* Only bytes of the results may have changed, and only if the run succeeded. */
static void check_written(state *s, const operand *results, size_t count, tosajit_status status) {
    for (size_t k = 0; k < count && !status; k++)
        if (!results[k].empty) accept_elements(s, &results[k], 0, results[k].tensor.data);
    REQUIRE(memcmp(s->arena, s->before, SPACE) == 0);
}

/* The same call, explained: it writes nothing. */
static void explain(const state *s, const tosajit_kernel *kernel, const tosajit_tensor *in,
                    size_t operand_count, const tosajit_tensor *out, size_t result_count) {
    tosajit_explanation explanation = {.size = sizeof explanation};
    char *text = NULL;
    if (!checked(
            tosajit_explain(kernel, in, operand_count, out, result_count, &explanation, &text)))
        REQUIRE(*text);
    tosajit_text_release(text);
    REQUIRE(memcmp(s->arena, s->before, SPACE) == 0);
}

/* The same call, bound and run. */
static tosajit_status run_bound(tosajit_kernel *kernel, const tosajit_tensor *in,
                                size_t operand_count, const tosajit_tensor *out,
                                size_t result_count) {
    void *data[2 * MAX_TENSORS];
    tosajit_bound *bound = NULL;
    tosajit_status status = tosajit_bind(kernel, in, operand_count, out, result_count, &bound);
    for (size_t k = 0; k < operand_count; k++) data[k] = in[k].data;
    for (size_t k = 0; k < result_count; k++) data[operand_count + k] = out[k].data;
    if (!status) status = tosajit_bound_run(bound, data);
    tosajit_bound_release(bound);
    return status;
}

static void run(state *s, tosajit_kernel *kernel) {
    operand operands[MAX_TENSORS], results[MAX_TENSORS];
    tosajit_tensor in[MAX_TENSORS], out[MAX_TENSORS];
    size_t operand_count = tosajit_kernel_operand_count(kernel),
           result_count = tosajit_kernel_result_count(kernel);
    int huge = 0;
    if (operand_count > MAX_TENSORS || result_count > MAX_TENSORS || result_count == 0) return;
    for (size_t k = 0; k < operand_count; k++) {
        tosajit_tensor_type type = tosajit_kernel_operand_type(kernel, k);
        make_tensor(s, &type, NULL, (unsigned)k, &operands[k]);
        in[k] = operands[k].tensor;
    }
    for (size_t k = 0; k < result_count; k++) {
        tosajit_tensor_type type = tosajit_kernel_result_type(kernel, k);
        int64_t dims[TOSAJIT_MAX_RANK];
        int32_t rank;
        tosajit_status status =
            checked(tosajit_kernel_result_dims(kernel, in, operand_count, k, &rank, dims));
        make_tensor(s, &type, status ? NULL : dims, (unsigned)(MAX_TENSORS + k), &results[k]);
        if (take_rarely(&s->bytes, 6) && !results[k].huge)
            results[k].tensor.data = k < operand_count ? in[k].data : NULL;
        out[k] = results[k].tensor;
    }
    for (size_t k = 0; k < operand_count; k++) huge |= operands[k].huge;
    for (size_t k = 0; k < result_count; k++) {
        const unsigned char *data = out[k].data;
        huge |= results[k].huge;
        int outside = data && !results[k].empty &&
                      (data + results[k].low < s->arena ||
                       data + results[k].high > s->arena + ARENA + MARGIN);
        if (outside) out[k].data = results[k].tensor.data = NULL;
    }
    if (take_rarely(&s->bytes, 32)) operand_count = take_below(&s->bytes, MAX_TENSORS);
    if (s->bytes.left % 8 == 1) explain(s, kernel, in, operand_count, out, result_count);
    int bound = s->bytes.left % 8 == 2, interpreted = take_rarely(&s->bytes, 3);
    tosajit_status status =
        checked(interpreted ? tosajit_run_interpreted(kernel, in, operand_count, out, result_count)
                : bound     ? run_bound(kernel, in, operand_count, out, result_count)
                            : tosajit_run(kernel, in, operand_count, out, result_count));
    if (huge) REQUIRE(status != TOSAJIT_OK); /* their data is null */
    check_written(s, results, result_count, status);
}

/* Questions. */

static void ask(state *s, const tosajit_kernel *kernel) {
    unsigned char space[256];
    size_t size =
        take_rarely(&s->bytes, 3) ? take_below(&s->bytes, sizeof space) : sizeof(tosajit_raw);
    memcpy(space, &size, sizeof size);
    checked(tosajit_kernel_raw(kernel, take_below(&s->bytes, 3), (tosajit_raw *)(void *)space));
    memcpy(space, &size, sizeof size);
    checked(tosajit_kernel_describe(kernel, (tosajit_kernel_info *)(void *)space));
    tosajit_kernel_is_native(kernel);
    tosajit_kernel_operand_type(kernel, take_byte(&s->bytes));
    tosajit_kernel_result_type(kernel, take_byte(&s->bytes));
}

static void ask_names(state *s) {
    char text[64];
    unsigned any = take_byte(&s->bytes);
    tosajit_tensor_type type = take_type(&s->bytes);
    size_t capacity = any % sizeof text;
    tosajit_type_print(&type, capacity ? text : NULL, capacity);
    tosajit_op_name((tosajit_op)any);
    tosajit_op_formula((tosajit_op)any);
    tosajit_op_arity((tosajit_op)any);
    tosajit_op_parameters((tosajit_op)any, NULL);
    REQUIRE(tosajit_status_name((tosajit_status)any));
    for (size_t k = 0; k + 1 < sizeof text; k++) text[k] = (char)take_byte(&s->bytes);
    text[sizeof text - 1] = 0;
    tosajit_op_find(text);
    tosajit_type_find(text);
}

static void print_view(state *s, unsigned e) {
    char *text = NULL;
    if (!checked(tosajit_print(take_engine(s), s->exprs[e], (tosajit_view)take_below(&s->bytes, 4),
                               &text)))
        REQUIRE(*text);
    tosajit_text_release(text);
}

static void print_expr(state *s, unsigned e) {
    char *text = NULL;
    if (!checked(tosajit_expr_print(s->exprs[e], NULL, &text))) REQUIRE(*text);
    tosajit_text_release(text);
}

static void compile_many(state *s, tosajit_engine *engine) {
    tosajit_kernel *made[EXPRS];
    tosajit_status statuses[EXPRS];
    tosajit_status status =
        tosajit_compile_many(engine, (const tosajit_expr *const *)s->exprs, EXPRS, made, statuses);
    if (checked(status) == TOSAJIT_INVALID_ARGUMENT && !engine) return;
    for (int k = 0; k < EXPRS; k++) {
        REQUIRE((statuses[k] == TOSAJIT_OK) == (made[k] != NULL));
        if (made[k]) keep_kernel(s, made[k]);
    }
}

static void compile_object(state *s, tosajit_engine *engine) {
    const tosajit_function functions[EXPRS] = {{.name = "one", .expr = s->exprs[0]},
                                               {.name = "two", .expr = s->exprs[1]}};
    char *object = NULL;
    size_t size;
    if (!checked(tosajit_compile_object(&engine, 1, functions, EXPRS, &object, &size)))
        REQUIRE(size > 64 && memcmp(object,
                                    "\x7f"
                                    "ELF",
                                    4) == 0);
    tosajit_text_release(object);
}

/* A kernel as an image, and back. */
static void reload(state *s, const tosajit_kernel *kernel) {
    const tosajit_load_options options = {.size = sizeof options, .allocator = &s->allocator};
    size_t size;
    tosajit_kernel *loaded = NULL;
    if (checked(tosajit_kernel_save(kernel, NULL, 0, &size))) return;
    unsigned char *image = malloc(size);
    REQUIRE(image);
    if (!checked(tosajit_kernel_save(kernel, image, size, &size)))
        checked(tosajit_kernel_load(image, size, &options, &loaded));
    if (loaded) keep_kernel(s, loaded);
    free(image);
}

/* Calls that take no byte of the program: their number decides. */
static void use_more(state *s, unsigned e, unsigned k) {
    const size_t choice = s->bytes.left % 6, engine = s->bytes.left / 6 % (ENGINES + 1);
    tosajit_engine *on = engine == ENGINES ? s->shared : s->engines[engine];
    tosajit_stats stats = {.size = sizeof stats};
    if (choice < 2) print_expr(s, e);
    if (choice == 2) compile_many(s, on);
    if (choice == 3) compile_object(s, on);
    if (choice == 4 && s->kernels[k]) reload(s, s->kernels[k]);
    if (choice == 5) checked(tosajit_engine_stats(on, &stats));
}

static void step(state *s) {
    fuzz_bytes *b = &s->bytes;
    unsigned choice = take_below(b, 20), e = take_below(b, EXPRS), k = take_below(b, KERNELS);
    if (choice == 0) create_expr(s);
    if (choice == 1) create_engine(s);
    if (choice == 2 || choice == 3) add_input(s, e);
    if (choice == 4) add_constant(s, e);
    if (choice >= 5 && choice <= 7) add_op(s, e);
    if (choice == 8) add_result(s, e);
    if (choice == 9) add_contract(s, e);
    if (choice == 10) compile_expr(s, e);
    if (choice == 11) compile_op(s);
    if (choice >= 12 && choice <= 14) run(s, s->kernels[k]);
    if (choice == 15) ask(s, s->kernels[k]);
    if (choice == 16) ask_names(s);
    if (choice == 17 && take_rarely(b, 3))
        print_view(s, e);
    else if (choice == 17)
        use_more(s, e, k);
    if (choice == 18) checked(tosajit_expr_verify(s->exprs[e]));
    if (choice == 19) {
        tosajit_kernel_retain(s->kernels[k]);
        checked(tosajit_kernel_wait(s->kernels[k]));
        tosajit_kernel_release(s->kernels[k]);
        tosajit_kernel_release(s->kernels[k]);
        s->kernels[k] = NULL;
    }
}

void api_program_run(const uint8_t *data, size_t size, tosajit_engine *shared) {
    static unsigned char arena[SPACE], before[SPACE], pattern[SPACE];
    state s = {.bytes = {data, size}, .shared = shared, .arena = arena, .before = before};
    s.allocator = fuzz_allocator(&s.memory);
    for (size_t k = 0; pattern[SPACE - 1] == 0 && k < SPACE; k++)
        pattern[k] = (unsigned char)(k * 37 | 1);
    memcpy(arena, pattern, SPACE);
    memcpy(before, pattern, SPACE);
    if (take_rarely(&s.bytes, 4)) s.memory.fail_at = 1 + take_byte(&s.bytes);
    for (int k = 0; k < EXPRS; k++) {
        tosajit_expr_options options = {
            .size = sizeof options, .allocator = &s.allocator, .strict = k};
        tosajit_engine_options engine = {
            .size = sizeof engine, .allocator = &s.allocator, .backend = TOSAJIT_BACKEND_INTERPRET};
        engine.any_strides = (size_t)k;
        checked(tosajit_expr_create(&options, &s.exprs[k]));
        checked(tosajit_engine_create(&engine, &s.engines[k]));
    }
    for (int calls = 0; s.bytes.left > 0 && calls < MOST_CALLS; calls++) step(&s);
    for (int k = 0; k < EXPRS; k++) tosajit_expr_destroy(s.exprs[k]);
    for (int k = 0; k < ENGINES; k++) tosajit_engine_destroy(s.engines[k]);
    for (int k = 0; k < KERNELS; k++) tosajit_kernel_release(s.kernels[k]);
    REQUIRE(s.memory.live == 0);
}

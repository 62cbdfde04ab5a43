/* Outlining. Every op that makes a kernel begins as a region of its own; two regions become one along an edge between them, unless a path
 * through other ops leads from the one to the other, or the library refuses them together. */
#include "tools/mlir/outline.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/mlir/build.h"
#include "tools/mlir/pointer_map.h"

enum { NAME_LIMIT = 400 }; /* bytes of a function's name */

typedef enum node_kind { REST, CONSTANT, MEMBER } node_kind;

typedef struct node {
    MlirOperation op;
    node_kind kind;
    int32_t region;  /* of a MEMBER: the number of its first node */
    int32_t next;    /* the next node of the region, in any order, or -1 */
    bool inside;     /* scratch: it is one of the members that are looked at */
    bool in_order;   /* REST: may have effects, so that it stays behind others of this kind */
    int32_t waiting; /* ordering: how many it depends on that have not been placed; of a region in its first node */
    bool placed;
} node;

typedef struct outliner {
    mlir_report *report;
    MlirOperation function;
    MlirBlock block;
    node *nodes; /* the ops of the block but its last one */
    int32_t count;
    pointer_map index;                  /* from op to node */
    MlirOperation *members;             /* scratch: the ops of a region, in order */
    MlirValue *inputs, *outputs;        /* scratch: what a region takes and gives */
    intptr_t input_count, output_count; /* of these */
    intptr_t constant_count;            /* scratch: operands that are constants */
    intptr_t value_capacity;            /* of these */
    bool careful;                       /* regions are tried before they are joined */
    uint8_t *reached;                   /* scratch: per node */
    int32_t *stack, stacked;            /* scratch: nodes to look at */
    mlir_outline_count *counted;
} outliner;

static MlirStringRef word(const char *text) { return mlirStringRefCreateFromCString(text); }
static MlirStringRef op_name(MlirOperation op) { return mlirIdentifierStr(mlirOperationGetName(op)); }
static bool is_called(MlirOperation op, const char *name) { return mlirStringRefEqual(op_name(op), word(name)); }

static bool refuse_as(const outliner *o, tosajit_status status, const char *text) {
    mlir_report_error(o->report, status, mlirOperationGetLocation(o->function), "outline: %s", text);
    return false;
}

static bool refuse(const outliner *o, const char *text) { return refuse_as(o, TOSAJIT_BAD_MODULE, text); }
static bool refuse_memory(const outliner *o) { return refuse_as(o, TOSAJIT_OUT_OF_MEMORY, "out of memory"); }

/* ---------------------------------------------------------------------------------------------------------------------
 * What depends on what */

/* The op of the block that holds this one, which may be nested. */
static int32_t node_of(const outliner *o, MlirOperation op) {
    int32_t found;
    while (!mlirOperationIsNull(op)) {
        if (pointer_map_find(&o->index, op.ptr, &found)) return found;
        op = mlirOperationGetParentOperation(op);
    }
    return -1; /* the block's last op, which follows all others */
}

/* The node of an op that stands for its region. */
static int32_t head(const outliner *o, int32_t k) { return o->nodes[k].kind == MEMBER ? o->nodes[k].region : k; }

/* Call visit for each op that must follow node k; false as soon as visit says so. */
static bool each_follower(outliner *o, int32_t k, bool (*visit)(outliner *o, int32_t follower, void *context), void *context) {
    const node *n = &o->nodes[k];
    for (intptr_t r = 0; r < mlirOperationGetNumResults(n->op); r++)
        for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(n->op, r)); !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use)) {
            int32_t user = node_of(o, mlirOpOperandGetOwner(use));
            if (user >= 0 && !visit(o, user, context)) return false;
        }
    for (int32_t next = k + 1; n->in_order && next < o->count; next++)
        if (o->nodes[next].in_order) return visit(o, next, context);
    return true;
}

/* Call visit for each op that must follow one of the region, or single op, of node k. */
static bool each_follower_of_all(outliner *o, int32_t k, bool (*visit)(outliner *o, int32_t follower, void *context), void *context) {
    for (int32_t m = head(o, k); m >= 0; m = o->nodes[m].next)
        if (!each_follower(o, m, visit, context)) return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Functions of regions */

static bool same_value(MlirValue a, MlirValue b) { return mlirValueEqual(a, b); }

static void add_value(MlirValue *list, intptr_t *count, MlirValue value) {
    for (intptr_t k = 0; k < *count; k++)
        if (same_value(list[k], value)) return;
    list[(*count)++] = value;
}

static bool is_constant(const outliner *o, MlirValue value) {
    int32_t k;
    return mlirValueIsAOpResult(value) && pointer_map_find(&o->index, mlirOpResultGetOwner(value).ptr, &k) && o->nodes[k].kind == CONSTANT;
}

static bool is_inside(const outliner *o, MlirOperation op) {
    int32_t k;
    return pointer_map_find(&o->index, op.ptr, &k) && o->nodes[k].inside;
}

static void mark_members(outliner *o, int32_t count, bool inside) {
    int32_t k;
    for (int32_t m = 0; m < count; m++)
        if (pointer_map_find(&o->index, o->members[m].ptr, &k)) o->nodes[k].inside = inside;
}

/* What members read of others, and which of their results others read. */
static void list_values(outliner *o, int32_t count) {
    o->input_count = o->output_count = o->constant_count = 0;
    mark_members(o, count, true);
    for (int32_t m = 0; m < count; m++) {
        MlirOperation op = o->members[m];
        for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
            MlirValue value = mlirOperationGetOperand(op, k);
            bool own = mlirValueIsAOpResult(value) && is_inside(o, mlirOpResultGetOwner(value));
            bool constant = !own && is_constant(o, value);
            o->constant_count += constant;
            if (!own && !constant) add_value(o->inputs, &o->input_count, value);
        }
        MlirValue result = mlirOperationGetResult(op, 0);
        bool read = false, used = false;
        for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
            used = true;
            read = read || !is_inside(o, mlirOpOperandGetOwner(use));
        }
        if (read || !used) o->outputs[o->output_count++] = result;
    }
    mark_members(o, count, false);
}

/* A copy of op at the end of block, with its operands and result looked up in and added to values (pairs of old and new). */
typedef struct value_map {
    MlirValue *from, *to;
    intptr_t count;
} value_map;

static MlirValue mapped(const value_map *map, MlirValue value) {
    for (intptr_t k = map->count; k-- > 0;)
        if (same_value(map->from[k], value)) return map->to[k];
    return (MlirValue){NULL};
}

static void map_value(value_map *map, MlirValue from, MlirValue to) {
    map->from[map->count] = from;
    map->to[map->count++] = to;
}

static void copy_op(MlirOperation op, MlirBlock block, value_map *map) {
    MlirOperation copy = mlirOperationClone(op);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
        MlirValue old = mlirOperationGetOperand(op, k), new = mapped(map, old);
        if (mlirValueIsNull(new)) { /* a constant, which every region has for itself */
            copy_op(mlirOpResultGetOwner(old), block, map);
            new = mapped(map, old);
        }
        mlirOperationSetOperand(copy, k, new);
    }
    mlirBlockAppendOwnedOperation(block, copy);
    map_value(map, mlirOperationGetResult(op, 0), mlirOperationGetResult(copy, 0));
}

static void list_types(const MlirValue *values, intptr_t count, MlirType *types) {
    for (intptr_t k = 0; k < count; k++) types[k] = mlirValueGetType(values[k]);
}

/* func.func @name(inputs) -> outputs of the members, not in any module; a null operation if out of memory. */
static MlirOperation make_function(outliner *o, int32_t count, const char *name) {
    MlirContext context = mlirOperationGetContext(o->function);
    MlirLocation place = mlirOperationGetLocation(o->members[0]);
    list_values(o, count);
    const intptr_t all = o->input_count + o->output_count, most = o->value_capacity;
    MlirType *types = malloc((size_t)all * sizeof *types);
    MlirLocation *places = malloc((size_t)(all + 1) * sizeof *places);
    value_map map = {malloc((size_t)most * sizeof *map.from), malloc((size_t)most * sizeof *map.to), 0};
    MlirOperation made = {NULL};
    if (types && places && map.from && map.to) {
        list_types(o->inputs, o->input_count, types);
        list_types(o->outputs, o->output_count, types + o->input_count);
        for (intptr_t k = 0; k < all; k++) places[k] = place;
        MlirType type = mlirFunctionTypeGet(context, o->input_count, types, o->output_count, types + o->input_count);
        MlirNamedAttribute attributes[2] = {
            mlirNamedAttributeGet(mlirIdentifierGet(context, word("sym_name")), mlirStringAttrGet(context, word(name))),
            mlirNamedAttributeGet(mlirIdentifierGet(context, word("function_type")), mlirTypeAttrGet(type))};
        MlirBlock block = mlirBlockCreate(o->input_count, types, places);
        MlirRegion region = mlirRegionCreate();
        mlirRegionAppendOwnedBlock(region, block);
        for (intptr_t k = 0; k < o->input_count; k++) map_value(&map, o->inputs[k], mlirBlockGetArgument(block, k));
        for (int32_t m = 0; m < count; m++) copy_op(o->members[m], block, &map);
        for (intptr_t k = 0; k < o->output_count; k++) map.from[k] = mapped(&map, o->outputs[k]); /* the map is not needed any more */
        MlirOperationState end = mlirOperationStateGet(word("func.return"), place);
        mlirOperationStateAddOperands(&end, o->output_count, map.from);
        mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&end));
        MlirOperationState state = mlirOperationStateGet(word("func.func"), place);
        mlirOperationStateAddAttributes(&state, 2, attributes);
        mlirOperationStateAddOwnedRegions(&state, 1, &region);
        made = mlirOperationCreate(&state);
    }
    free(types);
    free(places);
    free(map.from);
    free(map.to);
    return made;
}

/* Whether the library makes a kernel of the members. */
static bool makes_kernel(outliner *o, int32_t count) {
    mlir_report silent = {.file = "", .silent = true};
    mlir_function built;
    MlirOperation trial = make_function(o, count, "trial");
    if (mlirOperationIsNull(trial)) return false;
    bool fine = mlir_build(trial, NULL, &silent, &built);
    if (fine) {
        fine = tosajit_expr_verify(built.expr) == TOSAJIT_OK;
        mlir_function_release(&built);
    }
    mlirOperationDestroy(trial);
    return fine;
}

/* Whether members that are kernels in two regions may become one. As a rule there can only be too many of them; trying each time would take
 * quadratic time. */
static bool may_be_one(outliner *o, int32_t count) {
    list_values(o, count);
    intptr_t tensors = o->input_count + o->output_count + o->constant_count;
    bool few = tensors <= TOSAJIT_MAX_TENSORS && count + tensors <= TOSAJIT_MAX_NODES;
    return (few && !o->careful) || makes_kernel(o, count);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Regions */

static bool has_tensors_only(MlirOperation op) {
    if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) || mlirOperationGetNumSuccessors(op)) return false;
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++)
        if (!mlirTypeIsATensor(mlirValueGetType(mlirOperationGetOperand(op, k)))) return false;
    return mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

/* Ops of TOSA compute and do nothing else, but for these. */
static bool has_effects(MlirOperation op) {
    MlirStringRef name = op_name(op);
    bool tosa = name.length > 5 && memcmp(name.data, "tosa.", 5) == 0;
    return !tosa || mlirOperationGetNumRegions(op) > 0 || (name.length > 13 && memcmp(name.data, "tosa.variable", 13) == 0);
}

static void classify(outliner *o, int32_t k) {
    node *n = &o->nodes[k];
    bool constant = is_called(n->op, "tosa.const") || is_called(n->op, "arith.constant");
    char name[64] = "";
    MlirStringRef whole = op_name(n->op);
    if (whole.length < sizeof name) memcpy(name, whole.data, whole.length);
    if (constant && has_tensors_only(n->op)) {
        n->kind = CONSTANT;
    } else if (strncmp(name, "tosa.", 5) == 0 && tosajit_op_find(name) != TOSAJIT_OP_COUNT && has_tensors_only(n->op)) {
        o->members[0] = n->op;
        if (makes_kernel(o, 1)) n->kind = MEMBER;
    }
    n->region = k;
    n->next = -1;
    n->in_order = n->kind == REST && !constant && has_effects(n->op);
}

static int32_t list_members(const outliner *o, int32_t a, int32_t b, MlirOperation *members) {
    int32_t count = 0;
    for (int32_t k = 0; k < o->count; k++)
        if (o->nodes[k].kind == MEMBER && (o->nodes[k].region == a || o->nodes[k].region == b)) members[count++] = o->nodes[k].op;
    return count;
}

/* Whether a path leads from one region to another that touches something else: what has been reached and is neither of the two. */
typedef struct search {
    int32_t from, to;
    bool outside; /* the steps now are from something else */
    bool found;
} search;

static bool step(outliner *o, int32_t follower, void *context) {
    search *s = context;
    int32_t at = head(o, follower);
    if (at == s->to && s->outside) s->found = true;
    if (at != s->from && at != s->to && !o->reached[at]) {
        o->reached[at] = 1;
        o->stack[o->stacked++] = at;
    }
    return !s->found;
}

static bool has_detour(outliner *o, int32_t from, int32_t to) {
    search s = {from, to, false, false};
    memset(o->reached, 0, (size_t)o->count);
    o->stacked = 0;
    each_follower_of_all(o, from, step, &s);
    s.outside = true;
    while (o->stacked > 0 && !s.found) each_follower_of_all(o, o->stack[--o->stacked], step, &s);
    return s.found;
}

static void join(outliner *o, int32_t producer, int32_t consumer) {
    int32_t a = head(o, producer), b = head(o, consumer), low = a < b ? a : b;
    if (a == b || has_detour(o, a, b) || !may_be_one(o, list_members(o, a, b, o->members))) return;
    int32_t last = low, other = low == a ? b : a;
    while (o->nodes[last].next >= 0) last = o->nodes[last].next;
    o->nodes[last].next = other;
    for (int32_t k = other; k >= 0; k = o->nodes[k].next) o->nodes[k].region = low;
}

static void join_all(outliner *o) {
    for (int32_t k = 0; k < o->count; k++) {
        MlirOperation op = o->nodes[k].op;
        for (intptr_t p = 0; o->nodes[k].kind == MEMBER && p < mlirOperationGetNumOperands(op); p++) {
            MlirValue value = mlirOperationGetOperand(op, p);
            int32_t producer;
            if (mlirValueIsAOpResult(value) && pointer_map_find(&o->index, mlirOpResultGetOwner(value).ptr, &producer) &&
                o->nodes[producer].kind == MEMBER)
                join(o, producer, k);
        }
    }
}

static bool all_make_kernels(outliner *o) {
    for (int32_t k = 0; k < o->count; k++)
        if (o->nodes[k].kind == MEMBER && head(o, k) == k && !makes_kernel(o, list_members(o, k, k, o->members))) return false;
    return true;
}

/* Rarely the library refuses together what it takes one by one: a table that an op computes, sizes that are declared and cannot be. Then
 * every step is tried. */
static void find_regions(outliner *o) {
    join_all(o);
    if (all_make_kernels(o)) return;
    o->careful = true;
    for (int32_t k = 0; k < o->count; k++) {
        o->nodes[k].region = k;
        o->nodes[k].next = -1;
    }
    join_all(o);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The new order */

static bool count_follower(outliner *o, int32_t follower, void *context) {
    if (head(o, follower) != *(const int32_t *)context) o->nodes[head(o, follower)].waiting++;
    return true;
}

static bool release_follower(outliner *o, int32_t follower, void *context) {
    if (head(o, follower) != *(const int32_t *)context) o->nodes[head(o, follower)].waiting--;
    return true;
}

static bool is_taken(const outliner *o, const char *name) {
    MlirOperation op = mlirBlockGetFirstOperation(mlirOperationGetBlock(o->function));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        MlirAttribute own = mlirOperationGetAttributeByName(op, word("sym_name"));
        if (!mlirAttributeIsNull(own) && mlirAttributeIsAString(own) && mlirStringRefEqual(mlirStringAttrGetValue(own), word(name)))
            return true;
    }
    return false;
}

static MlirStringRef own_name(const outliner *o) {
    return mlirStringAttrGetValue(mlirOperationGetAttributeByName(o->function, word("sym_name")));
}

/* "main_region_0", with a number that is free. */
static void name_region(const outliner *o, int *number, char *name, size_t capacity) {
    MlirStringRef own = own_name(o);
    do snprintf(name, capacity, "%.*s_region_%d", (int)own.length, own.data, (*number)++);
    while (is_taken(o, name));
}

/* Replace a region by a call, at the end of what has been placed. */
static bool place_region(outliner *o, int32_t region, MlirOperation end, MlirOperation *last, int *number) {
    char name[NAME_LIMIT + 32];
    MlirContext context = mlirOperationGetContext(o->function);
    int32_t count = list_members(o, region, region, o->members);
    MlirLocation place = mlirOperationGetLocation(o->members[0]);
    name_region(o, number, name, sizeof name);
    MlirOperation made = make_function(o, count, name);
    MlirType *types = malloc((size_t)o->output_count * sizeof *types);
    if (mlirOperationIsNull(made) || !types) {
        if (!mlirOperationIsNull(made)) mlirOperationDestroy(made);
        free(types);
        return refuse_memory(o);
    }
    list_types(o->outputs, o->output_count, types);
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(o->function), *last, made);
    *last = made;
    MlirOperationState state = mlirOperationStateGet(word("func.call"), place);
    MlirNamedAttribute callee =
        mlirNamedAttributeGet(mlirIdentifierGet(context, word("callee")), mlirFlatSymbolRefAttrGet(context, word(name)));
    mlirOperationStateAddAttributes(&state, 1, &callee);
    mlirOperationStateAddOperands(&state, o->input_count, o->inputs);
    mlirOperationStateAddResults(&state, o->output_count, types);
    MlirOperation call = mlirOperationCreate(&state);
    mlirBlockInsertOwnedOperationBefore(o->block, end, call);
    for (intptr_t k = 0; k < o->output_count; k++) mlirValueReplaceAllUsesOfWith(o->outputs[k], mlirOperationGetResult(call, k));
    for (int32_t m = count; m-- > 0;) mlirOperationDestroy(o->members[m]);
    free(types);
    o->counted->regions++;
    o->counted->inside += count;
    return true;
}

/* The first op or region that waits for nothing, in the old order. */
static int32_t next_ready(const outliner *o) {
    for (int32_t k = 0; k < o->count; k++)
        if (!o->nodes[k].placed && head(o, k) == k && o->nodes[k].waiting == 0) return k;
    return -1;
}

static bool place_all(outliner *o) {
    MlirOperation end = mlirBlockGetTerminator(o->block), last = o->function;
    int number = 0;
    for (int32_t k = 0; k < o->count; k++) {
        int32_t own = head(o, k);
        each_follower(o, k, count_follower, &own);
    }
    for (int32_t k; (k = next_ready(o)) >= 0;) {
        o->nodes[k].placed = true;
        each_follower_of_all(o, k, release_follower, &k);
        if (o->nodes[k].kind == MEMBER) {
            if (!place_region(o, k, end, &last, &number)) return false;
            for (int32_t m = 0; m < o->count; m++)
                if (o->nodes[m].kind == MEMBER && o->nodes[m].region == k) o->nodes[m].op = (MlirOperation){NULL};
            continue;
        }
        mlirOperationMoveBefore(o->nodes[k].op, end);
        o->counted->outside += o->nodes[k].kind == REST;
    }
    return true;
}

/* Constants that only regions use. */
static void drop_unused(outliner *o) {
    for (int32_t k = 0; k < o->count; k++)
        if (o->nodes[k].kind == CONSTANT && mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(o->nodes[k].op, 0))))
            mlirOperationDestroy(o->nodes[k].op);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The whole */

static bool list_nodes(outliner *o) {
    MlirOperation end = mlirBlockGetTerminator(o->block);
    intptr_t values = 1;
    for (MlirOperation op = mlirBlockGetFirstOperation(o->block); !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
        o->count++;
        values += mlirOperationGetNumOperands(op) + mlirOperationGetNumResults(op);
    }
    size_t count = (size_t)o->count + 1;
    o->value_capacity = 2 * values;
    o->nodes = calloc(count, sizeof *o->nodes);
    o->members = malloc(count * sizeof *o->members);
    o->inputs = malloc((size_t)values * sizeof *o->inputs);
    o->outputs = malloc((size_t)values * sizeof *o->outputs);
    o->reached = malloc(count);
    o->stack = malloc(count * sizeof *o->stack);
    bool fine = o->nodes && o->members && o->inputs && o->outputs && o->reached && o->stack;
    MlirOperation op = mlirBlockGetFirstOperation(o->block);
    for (int32_t k = 0; fine && k < o->count; k++, op = mlirOperationGetNextInBlock(op)) {
        o->nodes[k].op = op;
        fine = pointer_map_add(&o->index, op.ptr, k);
    }
    return fine || refuse_memory(o);
}

bool mlir_outline(MlirOperation function, mlir_report *report, mlir_outline_count *count) {
    outliner o = {.report = report, .function = function, .counted = count};
    *count = (mlir_outline_count){0};
    o.block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    MlirStringRef name = own_name(&o);
    if (name.length > NAME_LIMIT || memchr(name.data, '\0', name.length))
        return refuse(&o, "the function's name is too long, or has a 0 in it");
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(o.block))) return refuse(&o, "has several blocks; straight-line functions only");
    if (mlirOperationIsNull(mlirBlockGetTerminator(o.block))) return refuse(&o, "does not end in func.return");
    bool fine = list_nodes(&o);
    if (fine) {
        for (int32_t k = 0; k < o.count; k++) classify(&o, k);
        find_regions(&o);
        fine = place_all(&o);
        if (fine) drop_unused(&o);
    }
    pointer_map_release(&o.index);
    free(o.nodes);
    free(o.members);
    free(o.inputs);
    free(o.outputs);
    free(o.reached);
    free(o.stack);
    return fine;
}

/* Kernels in IR. A function checks which of the part's loop variants its column strides ask for, then walks planes x rows x cols:
 *
 *     for each plane, and each row of it:
 *         load splats, and compute what depends on nothing else
 *         for each level, from the widest lane count to the narrowest:
 *             while whole steps are left, or, in the last level, anything is left
 *                 load lanes, compute every node, store lanes
 *
 * The body is the same code at every level; only the lane count differs. All loads of a step come before its stores, so that
 * a result may be computed in place of an operand. Where rows are shorter than a vector, or of few static columns, parts of few
 * instructions have loops over rows in which there is none over columns. */
#include "jit/emit_kernel.h"

#include <string.h>

#include "jit/emit.h"
#include "runtime/diag.h"
#include "runtime/loops.h"
#include "runtime/memory.h"
#include "runtime/ops.h"
#include "runtime/types.h"

emitter *const emitters[TOSAJIT_OP_COUNT] = {
#define TOSAJIT_OP(name, arity, signature, elements, attributes, formula) emit_##name,
#include "tosajit/ops.def"
#undef TOSAJIT_OP
};

enum { MAX_LEVELS = 3 };

/* A loop over columns from where the level before ended to `end`, in steps of `repeats` bodies of `lanes`. A masked level goes to the
 * last column. */
typedef struct level {
    unsigned lanes, repeats;
    bool masked, shared; /* shared: only the last step is masked, if it is short; whole ones run the same body */
    LLVMValueRef end;    /* of the variant's columns; the same in every row */
    LLVMValueRef mask;   /* of a masked level that is a single step */
} level;

/* Everything that emitting one part needs; the arrays belong to emit_kernel. */
typedef struct part_emitter {
    const tosajit_expr *program;
    const target *target;
    const plan_part *part;
    const uint64_t *node_parts;
    uint64_t part_bit;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function, planes, rows, cols, strides, planes_left;
    LLVMBasicBlockRef done; /* returns */
    LLVMTypeRef i64, ptr;
    level levels[MAX_LEVELS];
    int level_count;
    int64_t fixed_cols;    /* of the rows that are being emitted; 0: any number */
    bool plain, freeze;    /* the part's code needs no optimiser; nor do its ops care which operands are constants */
    LLVMValueRef *scalars; /* per node: its value for the whole row, or null */
    LLVMValueRef *splats;  /* per node: that in every lane of the level that is being emitted, or null */
    LLVMValueRef *values;  /* per node: its lanes in the body that is being emitted */
    LLVMValueRef row_pointers[TOSAJIT_MAX_TENSORS];
    LLVMValueRef loaded[TOSAJIT_MAX_TENSORS][LANE_TABLE_REGISTERS]; /* tables of bytes in registers; of others the first is null */
    LLVMValueRef tail, tail_bytes[8]; /* of plain parts: the column of a last single step, and its distance for elements of 1..8 bytes */
    LLVMValueRef patterns[TOSAJIT_MAX_TENSORS];      /* of `either` leaves: memory for a splat's pattern */
    LLVMValueRef pattern_masks[TOSAJIT_MAX_TENSORS]; /* 0 for a splat, or -1: to mask the column with */
    LLVMValueRef pattern_bases[TOSAJIT_MAX_TENSORS]; /* the pattern, or where the row starts */
} part_emitter;

static unsigned step_size(const level *lv) { return lv->lanes * lv->repeats; }
static int32_t tensor_count(const part_emitter *e) { return e->part->leaf_count + e->part->result_count; }
static bool has_bit(uint64_t set, int32_t t) { return set >> t & 1; }

static const expr_node *tensor_node(const part_emitter *e, int32_t t) {
    int32_t leaves = e->part->leaf_count;
    return &e->program->nodes[t < leaves ? e->part->leaves[t].value : e->program->results[e->part->results[t - leaves]]];
}

static lane lane_of(const part_emitter *e, unsigned lanes) { return (lane){e->context, e->module, e->builder, e->target, lanes}; }

static LLVMBasicBlockRef new_block(const part_emitter *e, const char *name) {
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

/* Go on in a block that has been branched to: here, so that blocks lie in the order in which they run. */
static void continue_in(const part_emitter *e, LLVMBasicBlockRef block) {
    LLVMAppendExistingBasicBlock(e->function, block);
    LLVMPositionBuilderAtEnd(e->builder, block);
}

static LLVMValueRef int64_constant(const part_emitter *e, int64_t value) { return LLVMConstInt(e->i64, (unsigned long long)value, 1); }

/* Plain parts are those whose vectors become few instructions. LLVM's quick instruction selection, which is that of unoptimised code,
 * makes the same loops of them if the wide step is written as single vectors, in half the time: there is nothing to schedule or to
 * combine, and constants are hoisted here. Ops of a few instructions lose some of them to it, which only long chains do not feel. */
enum { MAX_PLAIN_OPS = 12, MIN_CHAIN_OPS = 4 };

typedef enum plainness { NOT_PLAIN, FEW_INSTRUCTIONS, ONE_INSTRUCTION } plainness;

static plainness node_plainness(const expr_node *node) {
    static const uint8_t ops[TOSAJIT_OP_COUNT] = {
        [TOSAJIT_OP_add] = ONE_INSTRUCTION,         [TOSAJIT_OP_bitwise_and] = ONE_INSTRUCTION, [TOSAJIT_OP_bitwise_or] = ONE_INSTRUCTION,
        [TOSAJIT_OP_bitwise_xor] = ONE_INSTRUCTION, [TOSAJIT_OP_ceil] = ONE_INSTRUCTION,        [TOSAJIT_OP_floor] = ONE_INSTRUCTION,
        [TOSAJIT_OP_identity] = ONE_INSTRUCTION,    [TOSAJIT_OP_mul] = ONE_INSTRUCTION,         [TOSAJIT_OP_sub] = ONE_INSTRUCTION,
        [TOSAJIT_OP_abs] = FEW_INSTRUCTIONS,        [TOSAJIT_OP_clamp] = FEW_INSTRUCTIONS,      [TOSAJIT_OP_maximum] = FEW_INSTRUCTIONS,
        [TOSAJIT_OP_minimum] = FEW_INSTRUCTIONS,    [TOSAJIT_OP_negate] = FEW_INSTRUCTIONS,
    };
    tosajit_type element = node->type.element;
    bool is_integer = element == TOSAJIT_I8 || element == TOSAJIT_I16 || element == TOSAJIT_I32;
    if (!is_integer && element != TOSAJIT_F32 && element != TOSAJIT_F64) return NOT_PLAIN;
    if (node->kind != NODE_OP) return ONE_INSTRUCTION;
    if (is_integer && (node->op == TOSAJIT_OP_mul || node->op == TOSAJIT_OP_negate)) return NOT_PLAIN;
    return (plainness)ops[node->op];
}

static void find_plainness(part_emitter *e, unsigned ops) {
    plainness least = ONE_INSTRUCTION;
    for (size_t k = 0; k < e->program->count; k++) {
        if (!(e->node_parts[k] & e->part_bit)) continue;
        plainness own = node_plainness(&e->program->nodes[k]);
        if (own < least) least = own;
    }
    e->plain = ops <= MAX_PLAIN_OPS && (least == ONE_INSTRUCTION || (least == FEW_INSTRUCTIONS && ops >= MIN_CHAIN_OPS));
    for (int32_t v = 0; e->plain && v < e->part->variant_count; v++) e->plain = !e->part->variants[v].either;
    e->freeze = e->plain && least == ONE_INSTRUCTION;
}

static void choose_levels(part_emitter *e, const loop_choice *c) {
    e->plain = e->freeze = false;
    if (e->target->quick_select) find_plainness(e, c->light + c->heavy);
    e->level_count = 0;
    e->levels[e->level_count++] =
        e->plain ? (level){.lanes = c->lanes, .repeats = c->unroll} : (level){.lanes = c->lanes * c->unroll, .repeats = 1};
    e->levels[0].shared = c->shared;
    if (c->has_single) e->levels[e->level_count++] = (level){.lanes = c->lanes, .repeats = 1};
    if (c->shared || c->tail == TOSAJIT_TAIL_NONE) return;
    const bool masked = c->tail == TOSAJIT_TAIL_MASKED;
    e->levels[e->level_count++] = (level){.lanes = masked ? c->lanes : 1, .repeats = 1, .masked = masked};
}

/* Nodes. */

/* A splat constant as a value in every lane. */
static LLVMValueRef constant_lanes(const lane *l, const expr_node *node) {
    tosajit_type element = node->type.element;
    uint64_t bits = 0;
    memcpy(&bits, node->data, node->data_size); /* little-endian: the low bytes */
    if (element == TOSAJIT_I1) return bits ? LLVMConstAllOnes(lane_bool_type(l)) : LLVMConstNull(lane_bool_type(l));
    LLVMValueRef integer = lane_int(l, (unsigned)node->data_size * 8, (int64_t)bits);
    return element == TOSAJIT_F32 || element == TOSAJIT_F64 ? lane_bitcast(l, integer, lane_element_type(l, element)) : integer;
}

/* Whether an op needs no more of a floating-point value than its bits. */
static bool works_on_bits(tosajit_op op) {
    return op == TOSAJIT_OP_identity || op == TOSAJIT_OP_select || op == TOSAJIT_OP_abs || op == TOSAJIT_OP_negate;
}

/* Whether a floating-point result is always a value of its type, before it is rounded to it. */
static bool is_exact(tosajit_op op) {
    return op == TOSAJIT_OP_maximum || op == TOSAJIT_OP_minimum || op == TOSAJIT_OP_clamp || op == TOSAJIT_OP_ceil ||
           op == TOSAJIT_OP_floor;
}

/* The leaf behind the table that a node looks up; -1 for other ops. */
static int32_t table_leaf(const part_emitter *e, const expr_node *node) {
    for (int32_t t = 0; node->op == TOSAJIT_OP_table && t < e->part->leaf_count; t++)
        if (e->part->leaves[t].table && e->part->leaves[t].value == node->operands[1]) return t;
    return -1;
}

static LLVMValueRef column_stride(const part_emitter *e, int32_t t) {
    LLVMValueRef at = int64_constant(e, 2 * t + 1);
    return LLVMBuildLoad2(e->builder, e->i64, LLVMBuildGEP2(e->builder, e->i64, e->strides, &at, 1, ""), "");
}

static LLVMValueRef emit_node(const part_emitter *e, const lane *l, size_t k, LLVMValueRef *const values) {
    const expr_node *node = &e->program->nodes[k];
    LLVMValueRef operands[TOSAJIT_MAX_OPERANDS];
    for (int o = 0; o < node->operand_count; o++) {
        operands[o] = values[node->operands[o]];
        if (operands[o] && !works_on_bits(node->op))
            operands[o] = lane_widen(l, e->program->nodes[node->operands[o]].type.element, operands[o]);
    }
    int32_t table = table_leaf(e, node);
    emit_op op = {node->op,
                  &node->attributes,
                  e->program->nodes[node->operands[0]].type.element,
                  node->type.element,
                  node->operand_count,
                  table < 0 ? NULL : e->row_pointers[table],
                  table < 0 ? NULL : column_stride(e, table),
                  table < 0 || !e->loaded[table][0] ? NULL : e->loaded[table]};
    emitter *fast = e->program->fast ? fast_emitters[node->op] : NULL;
    LLVMValueRef result = (fast ? fast : emitters[node->op])(l, &op, operands);
    if (works_on_bits(node->op)) return result;
    return (is_exact(node->op) ? lane_narrow_exact : lane_narrow)(l, node->type.element, result);
}

/* What is the same for the whole row: splats, constants, and ops of nothing else. Computed once, in scalars. */
static void emit_row_scalars(part_emitter *e, const tosajit_variant *variant) {
    lane l = lane_of(e, 1);
    memset(e->scalars, 0, e->program->count * sizeof *e->scalars);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (has_bit(variant->splat, t) && !e->part->leaves[t].table)
            e->scalars[e->part->leaves[t].value] = lane_load(&l, tensor_node(e, t)->type.element, e->row_pointers[t], NULL);
    for (size_t k = 0; k < e->program->count; k++) {
        const expr_node *node = &e->program->nodes[k];
        if (!(e->node_parts[k] & e->part_bit) || node->kind == NODE_INPUT) continue;
        if (node->kind == NODE_CONSTANT) {
            if (node->splat) e->scalars[k] = constant_lanes(&l, node);
            continue;
        }
        bool uniform = true;
        for (int o = 0; o < node->operand_count; o++) uniform &= e->scalars[node->operands[o]] != NULL || expr_role(node, o) == ROLE_TABLE;
        if (uniform) e->scalars[k] = emit_node(e, &l, k, e->scalars);
    }
}

/* For leaves that may be either: a splat becomes a short pattern in memory that the loop reads again and again. */
static void emit_row_patterns(part_emitter *e, const tosajit_variant *variant) {
    lane wide = lane_of(e, e->levels[0].lanes), one = lane_of(e, 1);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(variant->either, t)) continue;
        LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), fill = new_block(e, "splat"), after = new_block(e, "either");
        LLVMValueRef moves = LLVMBuildICmp(e->builder, LLVMIntNE, e->pattern_masks[t], int64_constant(e, 0), "");
        LLVMBuildCondBr(e->builder, moves, after, fill);
        LLVMPositionBuilderAtEnd(e->builder, fill);
        LLVMTypeRef element = lane_memory_type(&one, tensor_node(e, t)->type.element);
        LLVMValueRef first = LLVMBuildLoad2(e->builder, element, e->row_pointers[t], "");
        LLVMSetAlignment(first, 1); /* operands may lie anywhere */
        LLVMBuildStore(e->builder, lane_splat(&wide, first), e->patterns[t]);
        LLVMBuildBr(e->builder, after);
        LLVMPositionBuilderAtEnd(e->builder, after);
        e->pattern_bases[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(e->pattern_bases[t], (LLVMValueRef[]){e->row_pointers[t], e->patterns[t]}, (LLVMBasicBlockRef[]){before, fill}, 2);
    }
}

/* Of column + offset, which is 0 for leaves that may be either. */
static LLVMValueRef element_address(const part_emitter *e, const tosajit_variant *variant, int32_t t, LLVMValueRef column,
                                    unsigned offset) {
    lane one = lane_of(e, 1);
    LLVMTypeRef element = lane_memory_type(&one, tensor_node(e, t)->type.element);
    LLVMValueRef base = e->row_pointers[t];
    if (t < e->part->leaf_count && has_bit(variant->either, t)) {
        base = e->pattern_bases[t];
        column = LLVMBuildAnd(e->builder, column, e->pattern_masks[t], "");
    }
    if (column == e->tail)
        return LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), base,
                             (LLVMValueRef[]){e->tail_bytes[tosajit_type_size(tensor_node(e, t)->type.element) - 1]}, 1, "");
    LLVMValueRef address = LLVMBuildGEP2(e->builder, element, base, &column, 1, ""), more = int64_constant(e, offset);
    return offset ? LLVMBuildGEP2(e->builder, element, address, &more, 1, "") : address;
}

/* What is the same for the whole row, in every lane; what the level does not use is dropped by LLVM. The quick selection would make a
 * constant anew in every step; frozen, it is a value like others, of which no op can make use, though. */
static void emit_splats(part_emitter *e, unsigned lanes) {
    lane l = lane_of(e, lanes);
    for (size_t k = 0; k < e->program->count; k++) {
        LLVMValueRef scalar = e->scalars[k];
        if (scalar && e->freeze && LLVMIsConstant(scalar)) scalar = LLVMBuildFreeze(e->builder, scalar, "");
        e->splats[k] = scalar ? lane_splat(&l, scalar) : NULL;
    }
}

/* Set the values of the leaves that the body walks to the lanes at column + offset. */
static void emit_loads(part_emitter *e, const tosajit_variant *variant, unsigned lanes, LLVMValueRef column, unsigned offset,
                       LLVMValueRef mask) {
    lane l = lane_of(e, lanes);
    for (int32_t t = 0; t < e->part->leaf_count; t++)
        if (!has_bit(variant->splat, t))
            e->values[e->part->leaves[t].value] =
                lane_load(&l, tensor_node(e, t)->type.element, element_address(e, variant, t, column, offset), mask);
}

static void emit_nodes(part_emitter *e, unsigned lanes) {
    lane l = lane_of(e, lanes);
    for (size_t k = 0; k < e->program->count; k++)
        if ((e->node_parts[k] & e->part_bit) && !e->values[k]) e->values[k] = emit_node(e, &l, k, e->values);
}

static void emit_stores(part_emitter *e, const tosajit_variant *variant, unsigned lanes, LLVMValueRef column, unsigned offset,
                        LLVMValueRef mask) {
    lane l = lane_of(e, lanes);
    for (int32_t t = e->part->leaf_count; t < tensor_count(e); t++) {
        tosajit_value value = e->program->results[e->part->results[t - e->part->leaf_count]];
        lane_store(&l, e->program->nodes[value].type.element, e->values[value], element_address(e, variant, t, column, offset), mask);
    }
}

/* Load, compute and store. */
static void emit_body(part_emitter *e, const tosajit_variant *variant, unsigned lanes, LLVMValueRef column, unsigned offset,
                      LLVMValueRef mask) {
    memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
    emit_loads(e, variant, lanes, column, offset, mask);
    emit_nodes(e, lanes);
    emit_stores(e, variant, lanes, column, offset, mask);
}

/* The same of a step that may be the last and shorter one: it branches around a mask, so that a long body is there only once. */
static void emit_shared_body(part_emitter *e, const tosajit_variant *variant, const level *lv, LLVMValueRef column) {
    lane l = lane_of(e, lv->lanes);
    LLVMValueRef left = LLVMBuildSub(e->builder, lv->end, column, "left"), loaded[2][TOSAJIT_MAX_TENSORS];
    LLVMValueRef is_short = LLVMBuildICmp(e->builder, LLVMIntSLT, left, int64_constant(e, lv->lanes), "short");
    LLVMBasicBlockRef from[2], load[2] = {new_block(e, "load"), new_block(e, "load.short")}, body = new_block(e, "body"), store[2];
    lane_mark_unlikely(&l, LLVMBuildCondBr(e->builder, is_short, load[1], load[0]));
    memcpy(e->values, e->splats, e->program->count * sizeof *e->values);
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(e->builder, load[k]);
        emit_loads(e, variant, lv->lanes, column, 0, k ? lane_mask(&l, left) : NULL);
        for (int32_t t = 0; t < e->part->leaf_count; t++) loaded[k][t] = e->values[e->part->leaves[t].value];
        LLVMBuildBr(e->builder, body);
        from[k] = LLVMGetInsertBlock(e->builder);
    }
    LLVMPositionBuilderAtEnd(e->builder, body);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (has_bit(variant->splat, t)) continue;
        LLVMValueRef phi = LLVMBuildPhi(e->builder, LLVMTypeOf(loaded[0][t]), "");
        LLVMAddIncoming(phi, (LLVMValueRef[]){loaded[0][t], loaded[1][t]}, from, 2);
        e->values[e->part->leaves[t].value] = phi;
    }
    emit_nodes(e, lv->lanes);
    for (int k = 0; k < 2; k++) store[k] = new_block(e, k ? "store.short" : "store");
    LLVMBasicBlockRef after = new_block(e, "stored");
    lane_mark_unlikely(&l, LLVMBuildCondBr(e->builder, is_short, store[1], store[0]));
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(e->builder, store[k]);
        emit_stores(e, variant, lv->lanes, column, 0, k ? lane_mask(&l, left) : NULL);
        LLVMBuildBr(e->builder, after);
    }
    LLVMPositionBuilderAtEnd(e->builder, after);
}

/* One step of a level's loop, from column on. */
static void emit_step(part_emitter *e, const tosajit_variant *variant, const level *lv, LLVMValueRef column) {
    if (lv->shared) {
        emit_shared_body(e, variant, lv, column);
        return;
    }
    lane l = lane_of(e, lv->lanes);
    LLVMValueRef mask = lv->masked ? lane_mask(&l, LLVMBuildSub(e->builder, lv->end, column, "left")) : NULL;
    for (unsigned k = 0; k < lv->repeats; k++) emit_body(e, variant, lv->lanes, column, k * lv->lanes, mask);
}

/* LLVM analyses the induction variables of loops even where it then changes none; of a frozen one there is nothing to say. */
static LLVMValueRef hide(const part_emitter *e, LLVMValueRef induction) {
    return e->plain ? LLVMBuildFreeze(e->builder, induction, "") : induction;
}

/* An unconditional way to the next block. The quick selection makes a jump of one that is alone in its block. */
static void fall_into(const part_emitter *e, LLVMBasicBlockRef next) {
    if (e->plain) LLVMBuildFreeze(e->builder, e->cols, "");
    LLVMBuildBr(e->builder, next);
}

/* `if (start < end) { do step; while (column < end); }`: a loop that is entered in the middle of the row has an induction variable of
 * its own, so that the ones before it stay simple. It has a block before and after it to itself, as LLVM wants. */
static void emit_level(part_emitter *e, const tosajit_variant *variant, const level *lv, LLVMValueRef start) {
    LLVMBasicBlockRef enter = new_block(e, "columns"), after = LLVMCreateBasicBlockInContext(e->context, "columns.end");
    /* All levels of a plain part but a scalar one have the same lanes. */
    if (e->plain && lv->lanes != e->levels[0].lanes) emit_splats(e, lv->lanes);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, lv->end, start, ""), enter, after);
    LLVMPositionBuilderAtEnd(e->builder, enter);
    if (!e->plain) emit_splats(e, lv->lanes);
    if (lv->mask) {
        emit_body(e, variant, lv->lanes, start, 0, lv->mask);
        LLVMBuildBr(e->builder, after);
        continue_in(e, after);
        return;
    }
    LLVMBasicBlockRef step = new_block(e, "step"), leave = LLVMCreateBasicBlockInContext(e->context, "columns.leave");
    fall_into(e, step);
    LLVMPositionBuilderAtEnd(e->builder, step);
    LLVMValueRef column = LLVMBuildPhi(e->builder, e->i64, "column");
    emit_step(e, variant, lv, column);
    LLVMValueRef next = hide(e, LLVMBuildAdd(e->builder, column, int64_constant(e, step_size(lv)), "next"));
    LLVMAddIncoming(column, (LLVMValueRef[]){start, next}, (LLVMBasicBlockRef[]){enter, LLVMGetInsertBlock(e->builder)}, 2);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, lv->end, ""), step, leave);
    continue_in(e, leave);
    fall_into(e, after);
    continue_in(e, after);
}

/* The quick selection would multiply in every row. */
static void emit_tail_bytes(part_emitter *e, LLVMValueRef column) {
    e->tail = column;
    for (int32_t t = 0; t < tensor_count(e); t++) {
        size_t size = tosajit_type_size(tensor_node(e, t)->type.element);
        if (!e->tail_bytes[size - 1]) e->tail_bytes[size - 1] = LLVMBuildMul(e->builder, column, int64_constant(e, (int64_t)size), "");
    }
}

/* Where each level ends, and the mask of a last single step: once for all variants and rows. */
static void emit_limits(part_emitter *e) {
    e->tail = NULL;
    memset(e->tail_bytes, 0, sizeof e->tail_bytes);
    for (int k = 0; k < e->level_count; k++) {
        level *lv = &e->levels[k];
        bool to_the_end = lv->masked || lv->shared || lv->lanes == 1,
             single = k > 0 && lv->masked && step_size(&e->levels[k - 1]) == lv->lanes;
        lv->end = to_the_end ? e->cols : LLVMBuildAnd(e->builder, e->cols, int64_constant(e, -(int64_t)step_size(lv)), "end");
        lane l = lane_of(e, lv->lanes);
        lv->mask = single ? lane_mask(&l, LLVMBuildSub(e->builder, e->cols, e->levels[k - 1].end, "left")) : NULL;
        if (single && e->plain) emit_tail_bytes(e, e->levels[k - 1].end);
    }
}

/* Pattern buffers live in the entry block, so that a row loop does not grow the stack. */
static void emit_pattern_buffers(part_emitter *e, const tosajit_variant *variant) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), entry = LLVMGetEntryBasicBlock(e->function);
    lane wide = lane_of(e, e->levels[0].lanes);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(variant->either, t)) continue;
        LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(entry));
        e->patterns[t] = LLVMBuildAlloca(e->builder, lane_memory_type(&wide, tensor_node(e, t)->type.element), "pattern");
        LLVMPositionBuilderAtEnd(e->builder, here);
        /* The stride is 0 or the element size. Of a comparison LLVM would make a selection in every step. */
        int64_t size = (int64_t)tosajit_type_size(tensor_node(e, t)->type.element), shift = 0;
        while (INT64_C(1) << shift < size) shift++;
        LLVMValueRef moves = LLVMBuildLShr(e->builder, column_stride(e, t), int64_constant(e, shift), "");
        e->pattern_masks[t] = LLVMBuildNeg(e->builder, moves, "");
    }
}

static LLVMValueRef load_at(const part_emitter *e, LLVMTypeRef type, LLVMValueRef array, int64_t index) {
    LLVMValueRef at = int64_constant(e, index);
    return LLVMBuildLoad2(e->builder, type, LLVMBuildGEP2(e->builder, type, array, &at, 1, ""), "");
}

/* Begin the block of a loop over planes or rows: a pointer per tensor, at first where `pointers` are. */
static LLVMBasicBlockRef enter_loop(const part_emitter *e, const char *name, const LLVMValueRef *pointers, LLVMValueRef *moving) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), head = new_block(e, name);
    LLVMBuildBr(e->builder, head);
    LLVMPositionBuilderAtEnd(e->builder, head);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef first = pointers[t];
        moving[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(moving[t], &first, &before, 1);
    }
    return head;
}

/* Move the row pointers; `moving` go on with them when this block branches to their loop. */
static void step_pointers(part_emitter *e, const LLVMValueRef *moving, const LLVMValueRef *steps) {
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        LLVMValueRef step = steps[t];
        e->row_pointers[t] = hide(e, LLVMBuildGEP2(e->builder, LLVMInt8TypeInContext(e->context), e->row_pointers[t], &step, 1, ""));
        LLVMAddIncoming(moving[t], &e->row_pointers[t], &last, 1);
    }
}

/* From the last row of a plane to the first of the next. The registers are for the rows: the steps are read when they are taken, and the
 * planes that are left are counted in memory. */
static void emit_plane_end(part_emitter *e, LLVMBasicBlockRef planes, const LLVMValueRef *moving) {
    LLVMValueRef steps[TOSAJIT_MAX_TENSORS];
    LLVMBasicBlockRef more = LLVMCreateBasicBlockInContext(e->context, "planes.more");
    LLVMValueRef left = LLVMBuildSub(e->builder, LLVMBuildLoad2(e->builder, e->i64, e->planes_left, ""), int64_constant(e, 1), "");
    LLVMBuildStore(e->builder, left, e->planes_left);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, left, int64_constant(e, 0), ""), more, e->done);
    continue_in(e, more);
    for (int32_t t = 0; t < tensor_count(e); t++) steps[t] = load_at(e, e->i64, e->strides, 2 * tensor_count(e) + t);
    step_pointers(e, moving, steps);
    LLVMBuildBr(e->builder, planes);
}

/* Whether rows without a whole vector have a loop over rows of their own: jumps and addresses are most of what they cost. */
static bool has_short_rows(const part_emitter *e) { return e->plain && e->level_count > 2 && e->levels[e->level_count - 1].mask; }

/* All levels in turn. A row without a whole vector jumps to the tail at once, where it has no loop of its own. */
static void emit_levels(part_emitter *e, const tosajit_variant *variant) {
    LLVMBasicBlockRef tail = NULL;
    const int last = e->level_count - 1;
    if (e->plain) emit_splats(e, e->levels[0].lanes);
    for (int k = 0; k <= last; k++) {
        LLVMValueRef start = k ? e->levels[k - 1].end : int64_constant(e, 0);
        if (k == 0 && last > 1 && !has_short_rows(e)) {
            LLVMBasicBlockRef whole = new_block(e, "whole");
            tail = LLVMCreateBasicBlockInContext(e->context, "tail");
            LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, e->levels[last - 1].end, start, ""), whole, tail);
            LLVMPositionBuilderAtEnd(e->builder, whole);
        }
        if (k == last && tail) {
            fall_into(e, tail);
            continue_in(e, tail);
        }
        emit_level(e, variant, &e->levels[k], start);
    }
}

/* The columns that a part's short rows have whenever they go to the code as they are, if few instructions make a row of them; 0 if not.
 * Other calls, of joined rows or pieces, take any number. */
static int64_t fixed_columns(const part_emitter *e, const tosajit_variant *variant) {
    enum { MOST_VECTORS = 4 };
    walk w;
    if (!e->plain || !plan_static_walk(e->part, e->program, &w) || w.rank < 2) return 0;
    const int64_t cols = w.sizes[w.rank - 1], lanes = e->levels[0].lanes;
    bool applies = cols <= MOST_VECTORS * lanes && (cols % lanes == 0 || e->levels[e->level_count - 1].mask);
    for (int32_t t = 0; t < e->part->leaf_count; t++) applies &= has_bit(variant->splat, t) == (walk_strides(&w, w.rank - 1)[t] == 0);
    return applies ? cols : 0;
}

/* A row of so many columns, without a loop. */
static void emit_fixed_columns(part_emitter *e, const tosajit_variant *variant) {
    const unsigned lanes = e->levels[0].lanes, cols = (unsigned)e->fixed_cols;
    emit_splats(e, lanes);
    for (unsigned column = 0; column < cols; column += lanes)
        emit_body(e, variant, lanes, int64_constant(e, 0), column, cols - column < lanes ? e->levels[e->level_count - 1].mask : NULL);
}

typedef enum row_kind { ROW_LEVELS, ROW_FIXED, ROW_SHORT } row_kind; /* by levels; of known columns; below a vector */

static void emit_row(part_emitter *e, const tosajit_variant *variant, row_kind kind) {
    const level *tail = &e->levels[e->level_count - 1];
    if (kind == ROW_LEVELS) {
        emit_levels(e, variant);
    } else if (kind == ROW_FIXED) {
        emit_fixed_columns(e, variant);
    } else {
        emit_splats(e, tail->lanes);
        emit_body(e, variant, tail->lanes, int64_constant(e, 0), 0, tail->mask);
    }
}

/* All rows of a variant's plane; then to `after`. row_pointers are those behind the last row then. */
static void emit_row_loop(part_emitter *e, const tosajit_variant *variant, row_kind kind, const LLVMValueRef *pointers,
                          const LLVMValueRef *row_strides, LLVMBasicBlockRef after) {
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS], zero = int64_constant(e, 0);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), head = enter_loop(e, "rows", pointers, moving);
    LLVMValueRef row = LLVMBuildPhi(e->builder, e->i64, "row");
    memcpy(e->row_pointers, moving, (size_t)tensor_count(e) * sizeof *moving);
    emit_row_scalars(e, variant);
    emit_row_patterns(e, variant);
    emit_row(e, variant, kind);

    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    LLVMValueRef next = hide(e, LLVMBuildAdd(e->builder, row, int64_constant(e, 1), ""));
    LLVMAddIncoming(row, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, last}, 2);
    step_pointers(e, moving, row_strides);
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, next, e->rows, ""), head, after);
}

/* The same, in the loop that the columns ask for; `after` is emitted, and row_pointers are what it sees. */
static void emit_rows(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers, const LLVMValueRef *row_strides,
                      LLVMBasicBlockRef after) {
    if (e->fixed_cols || !has_short_rows(e)) {
        emit_row_loop(e, variant, e->fixed_cols ? ROW_FIXED : ROW_LEVELS, pointers, row_strides, after);
        if (after != e->done) continue_in(e, after);
        return;
    }
    LLVMValueRef ends[2][TOSAJIT_MAX_TENSORS], none = int64_constant(e, 0);
    LLVMBasicBlockRef from[2], brief = new_block(e, "short"), whole = LLVMCreateBasicBlockInContext(e->context, "whole");
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, e->levels[e->level_count - 2].end, none, ""), whole, brief);
    for (int k = 0; k < 2; k++) {
        if (k)
            continue_in(e, whole);
        else
            LLVMPositionBuilderAtEnd(e->builder, brief);
        emit_row_loop(e, variant, k ? ROW_LEVELS : ROW_SHORT, pointers, row_strides, after);
        from[k] = LLVMGetInsertBlock(e->builder);
        memcpy(ends[k], e->row_pointers, (size_t)tensor_count(e) * sizeof *ends[k]);
    }
    if (after == e->done) return;
    continue_in(e, after);
    for (int32_t t = 0; t < tensor_count(e); t++) {
        e->row_pointers[t] = LLVMBuildPhi(e->builder, e->ptr, "");
        LLVMAddIncoming(e->row_pointers[t], (LLVMValueRef[]){ends[0][t], ends[1][t]}, from, 2);
    }
}

/* All planes of a variant; then to the function's last block. */
static void emit_planes(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    if (!e->part->has_planes) {
        emit_rows(e, variant, pointers, row_strides, e->done);
        return;
    }
    LLVMValueRef moving[TOSAJIT_MAX_TENSORS];
    LLVMBuildStore(e->builder, e->planes, e->planes_left);
    LLVMBasicBlockRef planes = enter_loop(e, "planes", pointers, moving), end = LLVMCreateBasicBlockInContext(e->context, "rows.end");
    emit_rows(e, variant, moving, row_strides, end);
    emit_plane_end(e, planes, moving);
}

/* One variant, from its first block to the function's last. */
static void emit_variant(part_emitter *e, const tosajit_variant *variant, const LLVMValueRef *pointers, const LLVMValueRef *row_strides) {
    emit_pattern_buffers(e, variant);
    e->fixed_cols = fixed_columns(e, variant);
    if (e->fixed_cols) {
        LLVMBasicBlockRef fixed = new_block(e, "fixed"), any = LLVMCreateBasicBlockInContext(e->context, "any");
        LLVMValueRef same = LLVMBuildICmp(e->builder, LLVMIntEQ, e->cols, int64_constant(e, e->fixed_cols), "");
        LLVMBuildCondBr(e->builder, same, fixed, any);
        LLVMPositionBuilderAtEnd(e->builder, fixed);
        emit_planes(e, variant, pointers, row_strides);
        e->fixed_cols = 0;
        continue_in(e, any);
    }
    emit_planes(e, variant, pointers, row_strides);
}

/* Whether the column strides of the call ask for this variant. Only leaves that differ between variants are looked at. */
static LLVMValueRef emit_matches(const part_emitter *e, const tosajit_variant *variant, uint64_t differing) {
    LLVMValueRef all = NULL;
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        if (!has_bit(differing & ~variant->either, t)) continue;
        LLVMIntPredicate predicate = has_bit(variant->splat, t) ? LLVMIntEQ : LLVMIntNE;
        LLVMValueRef one = LLVMBuildICmp(e->builder, predicate, column_stride(e, t), int64_constant(e, 0), "");
        all = all ? LLVMBuildAnd(e->builder, all, one, "") : one;
    }
    return all ? all : LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, 0);
}

/* Once for all planes and rows. */
static void emit_tables(part_emitter *e, const LLVMValueRef *pointers) {
    lane one = lane_of(e, 1);
    for (int32_t t = 0; t < e->part->leaf_count; t++) {
        e->loaded[t][0] = NULL;
        if (e->target->has_byte_tables && e->part->leaves[t].table && tensor_node(e, t)->type.element == TOSAJIT_I8)
            lane_table_load(&one, pointers[t], column_stride(e, t), e->loaded[t]);
    }
}

static void emit_part(part_emitter *e) {
    LLVMBasicBlockRef check = new_block(e, "entry"), entry = new_block(e, "tile");
    LLVMPositionBuilderAtEnd(e->builder, check);
    if (e->part->has_planes) e->planes_left = LLVMBuildAlloca(e->builder, e->i64, "planes.left");
    e->done = LLVMCreateBasicBlockInContext(e->context, "done");
    LLVMValueRef zero = int64_constant(e, 0);
    LLVMValueRef any = LLVMBuildAnd(e->builder, LLVMBuildICmp(e->builder, LLVMIntSGT, e->rows, zero, ""),
                                    LLVMBuildICmp(e->builder, LLVMIntSGT, e->cols, zero, ""), "");
    if (e->part->has_planes) any = LLVMBuildAnd(e->builder, any, LLVMBuildICmp(e->builder, LLVMIntSGT, e->planes, zero, ""), "");
    LLVMBuildCondBr(e->builder, any, entry, e->done);
    LLVMPositionBuilderAtEnd(e->builder, entry);

    LLVMValueRef pointers[TOSAJIT_MAX_TENSORS], row_strides[TOSAJIT_MAX_TENSORS];
    for (int32_t t = 0; t < tensor_count(e); t++) {
        pointers[t] = load_at(e, e->ptr, LLVMGetParam(e->function, 0), t);
        row_strides[t] = load_at(e, e->i64, e->strides, 2 * t);
    }
    emit_tables(e, pointers);
    emit_limits(e);
    uint64_t differing = 0;
    for (int32_t v = 1; v < e->part->variant_count; v++)
        differing |= (e->part->variants[v].splat ^ e->part->variants[0].splat) | e->part->variants[v].either;
    for (int32_t v = 0; v < e->part->variant_count; v++) {
        const tosajit_variant *variant = &e->part->variants[v];
        if (v + 1 < e->part->variant_count) {
            LLVMBasicBlockRef chosen = new_block(e, "variant"), other = LLVMCreateBasicBlockInContext(e->context, "other");
            LLVMBuildCondBr(e->builder, emit_matches(e, variant, differing), chosen, other);
            LLVMPositionBuilderAtEnd(e->builder, chosen);
            emit_variant(e, variant, pointers, row_strides);
            continue_in(e, other);
        } else {
            emit_variant(e, variant, pointers, row_strides);
        }
    }
    continue_in(e, e->done);
    LLVMBuildRetVoid(e->builder);
}

static void add_attribute(LLVMValueRef function, const char *key, const char *value) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void add_flag(LLVMValueRef function, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), kind, 0);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void declare_function(part_emitter *e, const char *name) {
    LLVMTypeRef parameters[5] = {e->ptr, e->ptr, e->i64, e->i64, e->i64};
    e->function = LLVMAddFunction(e->module, name, LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 5, 0));
    e->strides = LLVMGetParam(e->function, 1);
    e->planes = LLVMGetParam(e->function, 2);
    e->rows = LLVMGetParam(e->function, 3);
    e->cols = LLVMGetParam(e->function, 4);
}

/* Of every function that has a body; emitters may have added some. */
static void set_attributes(LLVMModuleRef module, const target *t) {
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function)) continue;
        /* Without unwind tables the object is text and constants only. */
        add_flag(function, "nounwind");
        add_attribute(function, "target-cpu", t->cpu);
        add_attribute(function, "target-features", t->features);
        if (t->tune) add_attribute(function, "tune-cpu", t->tune);
        /* A larger frame is reported through the context's diagnostics. */
        add_attribute(function, "warn-stack-size", EMIT_STACK_LIMIT);
        /* Tuning models prefer narrower registers than the loops were planned for. */
        if (t->vector_bytes > 16) add_attribute(function, "prefer-vector-width", t->vector_bytes == 64 ? "512" : "256");
    }
}

tosajit_status emit_kernel(const tosajit_expr *program, const plan *p, const target *t, LLVMModuleRef module, char *const *names) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    part_emitter e = {
        .program = program,
        .target = t,
        .node_parts = p->node_parts,
        .context = context,
        .module = module,
        .i64 = LLVMInt64TypeInContext(context),
        .ptr = LLVMPointerTypeInContext(context, 0),
        .scalars = memory_new(&p->allocator, program->count, sizeof *e.scalars),
        .splats = memory_new(&p->allocator, program->count, sizeof *e.splats),
        .values = memory_new(&p->allocator, program->count, sizeof *e.values),
    };
    tosajit_status status = TOSAJIT_OK;
    if (!e.scalars || !e.splats || !e.values)
        status = diag_error(TOSAJIT_OUT_OF_MEMORY, "out of memory for emitting %zu nodes", program->count);
    e.builder = LLVMCreateBuilderInContext(context);
    for (int32_t k = 0; !status && k < p->part_count; k++) {
        e.part = &p->parts[k];
        e.part_bit = UINT64_C(1) << k;
        const loop_choice loops = loop_choose(p, k, program, (loop_registers){t->vector_bytes, t->mask_bytes, t->has_byte_tables});
        choose_levels(&e, &loops);
        declare_function(&e, names[k]);
        emit_part(&e);
        if (e.plain) add_flag(e.function, "optnone"), add_flag(e.function, "noinline");
    }
    LLVMDisposeBuilder(e.builder);
    set_attributes(module, t);
    memory_free(&p->allocator, e.scalars, program->count, sizeof *e.scalars);
    memory_free(&p->allocator, e.splats, program->count, sizeof *e.splats);
    memory_free(&p->allocator, e.values, program->count, sizeof *e.values);
    return status;
}

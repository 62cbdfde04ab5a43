/* Kernels in IR: a function per part, which checks which of the part's loop variants its column strides ask for. Then it walks planes x
 * rows x columns (jit/emit_rows.c). */
#include "jit/emit_kernel.h"

#include <string.h>

#include "jit/emit_part.h"
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

/* Objects: what may be linked. The objects are made by LLVM from a few lines of IR; one of them calls a function that it does not
 * have, as a vector exp would become a call of libm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "jit/object.h"
#include "jit/target.h"

static LLVMMemoryBufferRef compile(const char *ir) {
    target t;
    assert_int_equal(target_find(NULL, &t), TOSAJIT_OK);
    LLVMTargetMachineRef machine = target_machine(&t);
    assert_non_null(machine);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    LLVMMemoryBufferRef source = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "test"), object;
    char *message = NULL;
    if (LLVMParseIRInContext(context, source, &module, &message)) fail_msg("%s", message);
    LLVMSetTarget(module, t.triple);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) fail_msg("%s", message);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    target_destroy(&t);
    return object;
}

static void complete_objects_pass(void **state) {
    (void)state;
    LLVMMemoryBufferRef object = compile("@t = private constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n"
                                         "define i32 @f(i64 %i) nounwind {\n"
                                         "  %p = getelementptr i32, ptr @t, i64 %i\n  %v = load i32, ptr %p\n  ret i32 %v\n}\n");
    size_t code_bytes = 0;
    assert_int_equal(object_check(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &code_bytes), TOSAJIT_OK);
    assert_true(code_bytes >= 16 && code_bytes < 200);
    LLVMDisposeMemoryBuffer(object);
}

static void foreign_symbols_are_refused(void **state) {
    (void)state;
    LLVMMemoryBufferRef object = compile("declare float @llvm.exp.f32(float)\n"
                                         "define float @f(float %x) nounwind {\n"
                                         "  %e = call float @llvm.exp.f32(float %x)\n  ret float %e\n}\n");
    size_t code_bytes;
    assert_int_equal(object_check(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &code_bytes), TOSAJIT_CODEGEN_FAILED);
    assert_non_null(strstr(tosajit_last_error(), "\"expf\""));
    LLVMDisposeMemoryBuffer(object);
}

/* Cut or changed files are answered, whatever the answer; the sanitizers and the page behind the heap see to the rest. */
static void damaged_objects_do_no_harm(void **state) {
    (void)state;
    LLVMMemoryBufferRef object = compile("define i32 @f() nounwind {\n  ret i32 1\n}\n");
    size_t size = LLVMGetBufferSize(object), code_bytes, refused = 0;
    for (size_t cut = 0; cut < size; cut++) {
        char *copy = malloc(cut + 1);
        memcpy(copy, LLVMGetBufferStart(object), cut);
        refused += object_check(copy, cut, &code_bytes) == TOSAJIT_CODEGEN_FAILED;
        free(copy);
    }
    assert_true(refused > size / 2);
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        char *copy = malloc(size);
        memcpy(copy, LLVMGetBufferStart(object), size);
        for (int k = 0; k < 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            copy[(random >> 33) % size] = (char)(random >> 24);
        }
        object_check(copy, size, &code_bytes);
        free(copy);
    }
    LLVMDisposeMemoryBuffer(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(complete_objects_pass), cmocka_unit_test(foreign_symbols_are_refused),
                                       cmocka_unit_test(damaged_objects_do_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

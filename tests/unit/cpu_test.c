/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of CPUs and of features agree: a feature that one names and the other does not know
 * would be dropped silently. In: nothing. */
#include <elf.h>
#include <string.h>

#include "jit/target/cpu.h"
#include "runtime/base/features.h"
#include "tests/support/cmocka.h"
#include "tosajit/inspect.h"

/* How many words a list has. */
static int words_in(const char *list) {
    int words = 0;
    for (; *list; list += strcspn(list, ","), list += *list == ',') words += *list == '+';
    return words;
}

static void expect_known(const cpu_level *level, const char *list, const char *name) {
    if (__builtin_popcountll(features_of(level->machine, list)) != words_in(list))
        fail_msg("%s: features.c does not know all of \"%s\"", name, list);
}

static void every_feature_is_known(void **state) {
    const cpu_model *model;
    for (size_t k = 0; (model = cpu_at(k)); k++) {
        const cpu_level *level = model->level;
        expect_known(level, level->features, model->name);
        expect_known(level, model->features, model->name);
        const char *const abilities[] = {level->fma, level->f16, level->f16_arithmetic, level->bf16,
                                         level->mul_i64};
        for (size_t a = 0; a < sizeof abilities / sizeof *abilities; a++)
            if (abilities[a]) expect_known(level, abilities[a], model->name);
    }
}

/* cpu_level_of takes the first level that fits. So each must have all that the lower ones have. */
static void a_higher_level_has_what_a_lower_one_has(void **state) {
    const cpu_model *model;
    for (size_t k = 0; (model = cpu_at(k)); k++) {
        const cpu_level *level = model->level, *floor = cpu_floor(level->machine);
        const uint64_t own = features_of(level->machine, level->features);
        assert_ptr_equal(cpu_level_of(level->machine, own), level);
        assert_int_equal(features_of(level->machine, floor->features) & ~own, 0);
        assert_true(level->vector_bytes >= floor->vector_bytes);
        /* Features of a model beyond its level make it no other level. */
        const uint64_t all = own | features_of(level->machine, model->features);
        if (cpu_level_of(level->machine, all) != level)
            fail_msg("%s is of a higher level", model->name);
    }
    assert_null(cpu_level_of(EM_X86_64, 0));
    assert_null(cpu_level_of(EM_RISCV, UINT64_MAX));
    assert_null(cpu_floor(EM_RISCV));
}

static void names_are_found(void **state) {
    const cpu_model *model;
    for (size_t k = 0; (model = cpu_at(k)); k++) {
        assert_ptr_equal(cpu_find(model->name), model);
        assert_string_equal(tosajit_cpu_name(k), model->name);
    }
    assert_ptr_equal(cpu_find("v3"), cpu_find("x86-64-v3"));
    const char *const none[] = {"x86-64-v5", "v5", "86-64-v3", "x86-64-", "64", "-v3", ""};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) assert_null(cpu_find(none[k]));
}

/* Images hold these bits, also those that were written by older versions. */
static void bits_of_images_stay(void **state) {
    static const struct {
        uint16_t machine;
        int bit;
        const char *feature;
    } rows[] = {{EM_X86_64, 0, "+sse3"},        {EM_X86_64, 7, "+fma"},
                {EM_X86_64, 13, "+avx2"},       {EM_X86_64, 16, "+avx512f"},
                {EM_X86_64, 29, "+avx512fp16"}, {EM_X86_64, 34, "+avxneconvert"},
                {EM_AARCH64, 0, "+fp-armv8"},   {EM_AARCH64, 8, "+bf16"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(features_of(rows[k].machine, rows[k].feature), UINT64_C(1) << rows[k].bit);
}

int main(void) {
    return TEST_RUN(NULL, NULL, TEST(every_feature_is_known),
                    TEST(a_higher_level_has_what_a_lower_one_has), TEST(names_are_found),
                    TEST(bits_of_images_stay));
}

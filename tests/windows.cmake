# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is tested on Windows: the library's own tests, as far as they need neither a compiler nor
# POSIX, with precompiled operations and the interpreter; and the command, by scripts that run here.
# The emulator is wine. docs/platforms.md lists what is not.
add_library(test_support STATIC support/account.c support/assembly.c support/float_state.c
  support/golden.c support/guard.c support/guarded.c
  support/host.c support/process_windows.c support/random_program.c support/support.c support/text.c
  support/without_compiler.c)
target_include_directories(test_support SYSTEM PRIVATE ${TOSAJIT_LLVM_INCLUDE})
target_link_libraries(test_support PUBLIC psapi)
# of threads, C++ and GCC nothing lies beside a test
add_link_options(-static -Wl,--wrap=_cmocka_run_group_tests)
set(engines TOSAJIT_ENGINES=precompiled)
set(runtime ${PROJECT_SOURCE_DIR}/runtime)
foreach(name broadcast walk plan choose call_cache simplify)
  tosajit_test(unit/${name}_test tosajit_runtime)
endforeach()
tosajit_test(unit/call_entries_test)
tosajit_test(unit/pages_test ${runtime}/system/pages.c)
tosajit_test(unit/pack_test ${runtime}/tile/pack.c)
tosajit_test(api/system_test ../jit/engine/disk_cache.c ../jit/engine/disk_entry.c tosajit_runtime)
foreach(name api call text bound object reduce_errors stack partition)
  tosajit_test(api/${name}_test)
endforeach()
foreach(name op_rows precompiled common slices shapes)
  tosajit_test(numbers/${name}_test)
endforeach()
target_sources(shapes_test PRIVATE numbers/shape_walk.c)
target_compile_definitions(op_rows_test PRIVATE TOSAJIT_GOLDEN_DIRECTORY="${here}/numbers/golden")
add_library(tosajit_oracle OBJECT numbers/oracle.c numbers/reduce_reference.c
  numbers/integer_reference.c)
if(TARGET tosajit-cli)
  tosajit_test(tools/tosa_op_test tosajit_tosa)
  tosajit_test(tools/tosafile_test tosajit_tosafile)
  tosajit_test(tools/compare_test tosajit_arrays)
  tosajit_test(tools/timing_test tosajit_arrays)
  tosajit_test(tools/run_program_test ../tools/base/windows/run_program.c)
  tosajit_test(tools/repl_parse_test tosajit_repl)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  file(GENERATE OUTPUT ${made}/tosajit CONTENT
    "#!/bin/sh\n# The command in its emulator, for scripts.\nexec ${emulator} $<TARGET_FILE:tosajit-cli> \"$@\"\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  script_test(without_mlir_test tools/without_mlir_test.sh ${made}/tosajit ${source} PROPERTIES
    ENVIRONMENT TOSAJIT_TEST_COMPILER=0)
endif()
if(TARGET tosajit_python)
  script_test(python_windows_test tools/python_windows_test.sh ${build} ${source}
    ${CMAKE_CROSSCOMPILING_EMULATOR} PROPERTIES COST 40)
endif()
# Objects that hold vectors of 32 or 64 bytes on the stack, which GCC does not align there on
# Windows (its bug 54412).
file(GENERATE OUTPUT ${made}/objects.txt CONTENT
  "$<JOIN:$<TARGET_OBJECTS:tosajit_runtime>;$<TARGET_OBJECTS:tosajit_jit>;$<TARGET_OBJECTS:tosajit_common>;$<TARGET_OBJECTS:tosajit_loaded>,\n>\n")
script_test(stack_vectors_test install/stack_vectors_test.sh ${CMAKE_OBJDUMP} ${made}/objects.txt)
script_test(header_windows_test install/header_windows_test.sh ${source})
get_property(tests DIRECTORY PROPERTY TESTS)
set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT "${engines}" "TOSAJIT_EMULATOR=wine"
  WINEDEBUG=-all)
# Cases that need what is compiled: left_out(<test> <case>...)
function(left_out test)
  list(JOIN ARGN "," cases)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "TOSAJIT_LEFT_OUT=${cases}")
endfunction()
left_out(api_test kernels_outlive_their_engine background_becomes_native
  a_destroyed_engine_compiles_no_more views_show_what_is_compiled
  every_failing_allocation_is_reported_and_leaks_nothing runs_allocate_nothing
  the_same_expression_is_the_same_kernel older_option_structs_are_taken
  runs_need_192_kib_of_stack)
left_out(call_test raw_entries_compute raw_entries_walk_planes contracts_are_checked_and_used)
left_out(reduce_errors_test calls_write_nothing overlap_is_refused)
left_out(stack_test native_kernels_run)
left_out(shapes_test huge_results_are_written_to_the_last_byte)
left_out(object_test engines_are_checked objects_are_for_their_cpu)

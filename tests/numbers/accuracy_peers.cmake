# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The accuracy of others, measured by the reference of `exhaustive`: whichever of them are found.
add_executable(accuracy_peers numbers/accuracy_peers.c numbers/accuracy_peers_x86.c
  numbers/exhaustive_jobs.c numbers/exhaustive_reference.c)
target_link_libraries(accuracy_peers PRIVATE test_support tosajit mpfr gmp Threads::Threads m)
set(peers_options -mavx2 -mfma)
find_path(SLEEF_INCLUDE sleef.h)
find_library(SLEEF sleef)
find_library(LIBMVEC mvec)
find_program(MLIR_OPT NAMES mlir-opt-22 mlir-opt HINTS ${TOSAJIT_MLIR_ROOT}/bin)
find_program(MLIR_TRANSLATE NAMES mlir-translate-22 mlir-translate HINTS ${TOSAJIT_MLIR_ROOT}/bin)
find_program(CLANG_22 NAMES clang-22 HINTS ${TOSAJIT_MLIR_ROOT}/bin)
if(SLEEF_INCLUDE AND SLEEF)
  target_include_directories(accuracy_peers SYSTEM PRIVATE ${SLEEF_INCLUDE})
  target_link_libraries(accuracy_peers PRIVATE ${SLEEF})
  list(APPEND peers_options -DPEERS_SLEEF=1)
endif()
if(LIBMVEC)
  target_link_libraries(accuracy_peers PRIVATE ${LIBMVEC})
  list(APPEND peers_options -DPEERS_LIBMVEC=1)
endif()
if(MLIR_OPT AND MLIR_TRANSLATE AND CLANG_22)
  set(bufferize
    "func.func(tosa-to-linalg),eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries=1}")
  set(loops "func.func(convert-linalg-to-loops,test-math-polynomial-approximation,math-expand-ops)")
  set(math
    "convert-math-to-llvm,convert-math-to-libm,convert-scf-to-cf,convert-cf-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm")
  set(calls "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts")
  set(pipeline "builtin.module(${bufferize},${loops},${math},${calls})")
  set(peers_mlir ${CMAKE_CURRENT_SOURCE_DIR}/numbers/accuracy_peers.mlir)
  add_custom_command(OUTPUT accuracy_peers_mlir.o DEPENDS ${peers_mlir} VERBATIM
    COMMAND ${MLIR_OPT} ${peers_mlir} --pass-pipeline=${pipeline} -o accuracy_peers_llvm.mlir
    COMMAND ${MLIR_TRANSLATE} --mlir-to-llvmir accuracy_peers_llvm.mlir -o accuracy_peers.ll
    COMMAND ${CLANG_22} -O2 -fPIE -mavx2 -mfma -ffp-contract=off -Wno-override-module -c
    accuracy_peers.ll -o accuracy_peers_mlir.o)
  set_source_files_properties(accuracy_peers_mlir.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(accuracy_peers PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/accuracy_peers_mlir.o)
  list(APPEND peers_options -DPEERS_MLIR=1)
endif()
set_source_files_properties(numbers/accuracy_peers_x86.c PROPERTIES COMPILE_OPTIONS
  "${peers_options}")

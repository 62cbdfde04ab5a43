# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where MLIR 22 is: MLIR_INCLUDE, MLIR_LIBRARY, the archives of its C API by part, MLIR_CAPI_<part>,
# and the LLVM that it was built with, MLIR_LLVM, which may be another one than the library's.
# MLIR's own CMake package would bring its whole target list and LLVM's settings, so it is asked
# only where TOSAJIT_MLIR_ROOT has none.
set(TOSAJIT_MLIR_ROOT /usr/lib/llvm-22 CACHE PATH
  "Root of MLIR 22, for the command and the tests; empty: find_package(MLIR)")
set(_tosajit_mlir_places PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH)
if(TOSAJIT_MLIR_ROOT)
  find_library(MLIR_LIBRARY MLIR HINTS ${TOSAJIT_MLIR_ROOT} ${_tosajit_mlir_places})
endif()
if(NOT MLIR_LIBRARY)
  find_package(MLIR 22.1 CONFIG QUIET)
  if(MLIR_FOUND)
    set(TOSAJIT_MLIR_ROOT ${MLIR_INSTALL_PREFIX} CACHE PATH
      "Root of MLIR 22, for the command and the tests" FORCE)
  endif()
  find_library(MLIR_LIBRARY MLIR HINTS ${TOSAJIT_MLIR_ROOT} ${_tosajit_mlir_places} REQUIRED)
endif()
find_path(MLIR_INCLUDE mlir-c/Dialect/Tosa.h HINTS ${TOSAJIT_MLIR_ROOT} PATH_SUFFIXES include
  NO_DEFAULT_PATH REQUIRED)
find_library(MLIR_LLVM LLVM HINTS ${TOSAJIT_MLIR_ROOT} ${_tosajit_mlir_places} REQUIRED)
foreach(part Arith Func Tensor Tosa IR)
  find_library(MLIR_CAPI_${part} MLIRCAPI${part} HINTS ${TOSAJIT_MLIR_ROOT} ${_tosajit_mlir_places}
    REQUIRED)
  mark_as_advanced(MLIR_CAPI_${part})
endforeach()
mark_as_advanced(MLIR_INCLUDE MLIR_LIBRARY MLIR_LLVM)

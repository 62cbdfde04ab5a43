# Where MLIR 22 is: MLIR_INCLUDE, MLIR_LIBRARY, the archives of its C API by part, MLIR_CAPI_<part>, and the LLVM that it was built with,
# MLIR_LLVM, which may be another one than the library's. MLIR's own CMake package would bring its whole target list and LLVM's settings.
set(TOSAJIT_MLIR_ROOT /usr/lib/llvm-22 CACHE PATH "Root of MLIR 22, for the command and the tests")
find_path(MLIR_INCLUDE mlir-c/Dialect/Tosa.h HINTS ${TOSAJIT_MLIR_ROOT}/include NO_DEFAULT_PATH REQUIRED)
find_library(MLIR_LIBRARY MLIR HINTS ${TOSAJIT_MLIR_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
find_library(MLIR_LLVM LLVM HINTS ${TOSAJIT_MLIR_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
foreach(part Arith Func Tensor Tosa IR)
  find_library(MLIR_CAPI_${part} MLIRCAPI${part} HINTS ${TOSAJIT_MLIR_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
  mark_as_advanced(MLIR_CAPI_${part})
endforeach()
mark_as_advanced(MLIR_INCLUDE MLIR_LIBRARY MLIR_LLVM)

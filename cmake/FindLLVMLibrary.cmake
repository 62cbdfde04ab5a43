# Where LLVM 22 is: TOSAJIT_LLVM, the shared library with its C API, and TOSAJIT_LLVM_INCLUDE. TOSAJIT_LLVM_ROOT chooses another one than
# the system's.
set(TOSAJIT_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "Root of LLVM 22")
find_library(TOSAJIT_LLVM NAMES LLVM-22 LLVM HINTS ${TOSAJIT_LLVM_ROOT}/lib REQUIRED)
find_path(TOSAJIT_LLVM_INCLUDE llvm-c/LLJIT.h HINTS ${TOSAJIT_LLVM_ROOT}/include NO_DEFAULT_PATH)
mark_as_advanced(TOSAJIT_LLVM TOSAJIT_LLVM_INCLUDE)

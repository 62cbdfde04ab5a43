# Where LLVM is: TOSAJIT_LLVM, the shared library with its C API, and TOSAJIT_LLVM_INCLUDE. TOSAJIT_LLVM_ROOT chooses another one than
# Debian's LLVM 22; LLVM 19 serves as well. Header and library come from the same root.
set(TOSAJIT_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "Root of LLVM, 22 or 19")
find_library(TOSAJIT_LLVM NAMES LLVM HINTS ${TOSAJIT_LLVM_ROOT}/lib NO_DEFAULT_PATH REQUIRED)
find_path(TOSAJIT_LLVM_INCLUDE llvm-c/LLJIT.h HINTS ${TOSAJIT_LLVM_ROOT}/include NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(TOSAJIT_LLVM TOSAJIT_LLVM_INCLUDE)

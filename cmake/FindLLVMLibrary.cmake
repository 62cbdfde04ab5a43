# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where LLVM is: TOSAJIT_LLVM, the shared library with its C API, and TOSAJIT_LLVM_INCLUDE. Header
# and library come from the same root, TOSAJIT_LLVM_ROOT: Debian's LLVM 22, unless another one is
# given; LLVM 19 serves as well. Where there is none, or with an empty root, it is the root of what
# find_package(LLVM) finds, which LLVM_DIR and CMAKE_PREFIX_PATH guide. It is an error if there is
# none at all, unless _tosajit_llvm_need says nothing.
if(NOT DEFINED _tosajit_llvm_need)
  set(_tosajit_llvm_need REQUIRED)
endif()
set(TOSAJIT_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH
  "Root of LLVM, 22 or 19; empty: find_package(LLVM)")
set(_tosajit_llvm_places PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH)
if(TOSAJIT_LLVM_ROOT)
  find_library(TOSAJIT_LLVM NAMES LLVM HINTS ${TOSAJIT_LLVM_ROOT} ${_tosajit_llvm_places})
endif()
if(NOT TOSAJIT_LLVM)
  foreach(version 22.1 19.1)
    find_package(LLVM ${version} CONFIG QUIET)
    if(LLVM_FOUND)
      set(TOSAJIT_LLVM_ROOT ${LLVM_INSTALL_PREFIX} CACHE PATH "Root of LLVM, 22 or 19" FORCE)
      break()
    endif()
  endforeach()
  find_library(TOSAJIT_LLVM NAMES LLVM HINTS ${TOSAJIT_LLVM_ROOT} ${_tosajit_llvm_places})
endif()
find_path(TOSAJIT_LLVM_INCLUDE llvm-c/LLJIT.h HINTS ${TOSAJIT_LLVM_ROOT} PATH_SUFFIXES include
  NO_DEFAULT_PATH)
if(_tosajit_llvm_need AND NOT (TOSAJIT_LLVM AND TOSAJIT_LLVM_INCLUDE))
  message(FATAL_ERROR
    "Building tosajit needs LLVM 22 or 19, because operations are compiled ahead, too. On Debian "
    "`sh tools/install-dependencies.sh --library` installs it. TOSAJIT_LLVM_ROOT or LLVM_DIR tells another place.")
endif()
mark_as_advanced(TOSAJIT_LLVM TOSAJIT_LLVM_INCLUDE)

# The same as static libraries, with what they need, for a library that has LLVM within. Of the
# others that llvm-config names, generating code takes two. Their links without a version may not be
# installed.
function(tosajit_static_llvm list)
  find_program(TOSAJIT_LLVM_CONFIG llvm-config HINTS ${TOSAJIT_LLVM_ROOT}/bin NO_DEFAULT_PATH
    REQUIRED)
  find_library(TOSAJIT_ZLIB NAMES z libz.so.1 REQUIRED)
  find_library(TOSAJIT_ZSTD NAMES libzstd.a zstd libzstd.so.1 REQUIRED) # not every Linux has one
  mark_as_advanced(TOSAJIT_LLVM_CONFIG TOSAJIT_ZLIB TOSAJIT_ZSTD)
  set(targets all-targets)
  if(TOSAJIT_ONLY_NATIVE)
    set(targets native)
    if(CMAKE_CROSSCOMPILING) # this machine's llvm-config is asked for the other one's
      string(TOLOWER ${CMAKE_SYSTEM_PROCESSOR} targets)
    endif()
  endif()
  execute_process(COMMAND ${TOSAJIT_LLVM_CONFIG} --link-static --libfiles core passes ${targets}
    orcjit object COMMAND_ERROR_IS_FATAL ANY
    OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(files)
  list(TRANSFORM files PREPEND "${CMAKE_SYSROOT}")
  # A wheel brings its own C++, or it would need one as new as this machine's. Who unwinds is the
  # system's: ours would ask its C library in today's way.
  set(cxx stdc++)
  if(SKBUILD)
    set(cxx -l:libstdc++.a)
  endif()
  set(${list} ${files} ${TOSAJIT_ZLIB} ${TOSAJIT_ZSTD} ${cxx} ${CMAKE_DL_LIBS} PARENT_SCOPE)
endfunction()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: AArch64 Linux from another Debian, with the compilers, the emulator and the libraries
# that tools/install-aarch64.sh installs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(TOSAJIT_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-aarch64/sysroot CACHE PATH
  "What tools/install-aarch64.sh has made")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TOSAJIT_SYSROOT)

get_filename_component(CMAKE_SYSROOT ${TOSAJIT_SYSROOT} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# Debian's libLLVM and libMLIR need libraries that nothing here names; the linker looks for them
# where the loader would.
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-Wl,-rpath-link,${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu:${CMAKE_SYSROOT}/lib/aarch64-linux-gnu")
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${CMAKE_EXE_LINKER_FLAGS_INIT})
# The CPU is in the variable QEMU_CPU of the environment; without it qemu has all that it can.
find_program(TOSAJIT_QEMU qemu-aarch64 REQUIRED) # by its path: a test may empty PATH
mark_as_advanced(TOSAJIT_QEMU)
set(CMAKE_CROSSCOMPILING_EMULATOR ${TOSAJIT_QEMU} -L ${CMAKE_SYSROOT})

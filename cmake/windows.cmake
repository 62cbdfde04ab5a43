# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: Windows on x86-64, by Debian's mingw-w64; programs run under Debian's wine.
# run-tests-windows.sh installs both, and makes TOSAJIT_WINDOWS, a folder of what is built of
# sources for Windows (tools/install-windows.sh).
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(TOSAJIT_WINDOWS ${CMAKE_CURRENT_LIST_DIR}/../build-windows/installed CACHE PATH
  "What tools/install-windows.sh has made")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TOSAJIT_WINDOWS)
get_filename_component(installed ${TOSAJIT_WINDOWS} ABSOLUTE)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-win32)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-win32)
set(CMAKE_C_FLAGS_INIT "-isystem ${installed}/include")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_FIND_ROOT_PATH ${installed} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
find_program(TOSAJIT_WINE NAMES wine64 wine PATHS /usr/lib/wine)
mark_as_advanced(TOSAJIT_WINE)
if(TOSAJIT_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TOSAJIT_WINE})
endif()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The library on Windows: one DLL, with precompiled operations within and no code generator. A DLL
# can share neither data of a thread nor data without relocations with another one, so operations
# are no library of their own. Their code is that of Linux, to the byte: ops.o has two sections and
# one reference between them, and is put into an object as it is.
set(ops ${CMAKE_CURRENT_BINARY_DIR}/ops.o)
add_custom_command(OUTPUT ${ops} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/build.c ${TOSAJIT_MADE}/ops.o
  VERBATIM
  COMMAND ${CMAKE_COMMAND} -DMADE=${TOSAJIT_MADE}/ops.o -DBUILD=${CMAKE_CURRENT_BINARY_DIR}/build.c
  -DOUT=${ops} -P ${PROJECT_SOURCE_DIR}/cmake/TakeOps.cmake)
set(text ${CMAKE_CURRENT_BINARY_DIR}/ops_text.bin)
set(rows ${CMAKE_CURRENT_BINARY_DIR}/ops_rows.bin)
set(coff ${CMAKE_CURRENT_BINARY_DIR}/ops_coff.o)
add_custom_command(OUTPUT ${coff} DEPENDS ${ops} precompiled_coff.S VERBATIM
  COMMAND ${CMAKE_OBJCOPY} -O binary -j .text ${ops} ${text}
  COMMAND ${CMAKE_OBJCOPY} -O binary -j .rodata ${ops} ${rows}
  COMMAND ${CMAKE_C_COMPILER} -c -DOPS_TEXT="${text}" -DOPS_ROWS="${rows}" -o ${coff}
  ${CMAKE_CURRENT_SOURCE_DIR}/precompiled_coff.S)
add_library(tosajit_shared SHARED $<TARGET_OBJECTS:tosajit_jit> $<TARGET_OBJECTS:tosajit_common>
  $<TARGET_OBJECTS:tosajit_loaded>
  $<TARGET_OBJECTS:tosajit_linked_ops> $<TARGET_OBJECTS:tosajit_runtime> ${coff})
set_source_files_properties(${coff} PROPERTIES EXTERNAL_OBJECT ON)
add_library(tosajit ALIAS tosajit_shared)
set_target_properties(tosajit_shared PROPERTIES PREFIX "" IMPORT_PREFIX lib OUTPUT_NAME tosajit
  EXPORT_NAME tosajit)
target_include_directories(tosajit_shared INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_options(tosajit_shared PRIVATE -Wl,--gc-sections)
target_link_libraries(tosajit_shared PRIVATE ntdll advapi32 m)
# Programs find the DLL where they are.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin PARENT_SCOPE)
set_target_properties(tosajit_shared PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
include(GNUInstallDirs)
set(bin ${CMAKE_INSTALL_BINDIR})
if(SKBUILD) # beside the module
  set(bin ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS tosajit_shared RUNTIME DESTINATION ${bin} COMPONENT library ARCHIVE COMPONENT
  development)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tosajit COMPONENT development)

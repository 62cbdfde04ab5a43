# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The libraries of a wheel where no LLVM is: precompiled operations, of which the sources have the
# code, and no code generator. The wheel tosajit-llvm of the same sources may bring that one.
set(ops ${CMAKE_CURRENT_BINARY_DIR}/ops.o)
add_custom_command(OUTPUT ${ops} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/build.c ${TOSAJIT_MADE}/ops.o
  VERBATIM
  COMMAND ${CMAKE_COMMAND} -DMADE=${TOSAJIT_MADE}/ops.o -DBUILD=${CMAKE_CURRENT_BINARY_DIR}/build.c
  -DOUT=${ops} -P ${PROJECT_SOURCE_DIR}/cmake/TakeOps.cmake)
add_library(tosajit_shared SHARED $<TARGET_OBJECTS:tosajit_jit> $<TARGET_OBJECTS:tosajit_common>
  $<TARGET_OBJECTS:tosajit_loaded>
  $<TARGET_OBJECTS:tosajit_linked_ops> $<TARGET_OBJECTS:tosajit_runtime>)
add_library(tosajit_ops_shared SHARED ${ops})
add_library(tosajit ALIAS tosajit_shared)
set_target_properties(tosajit_shared PROPERTIES OUTPUT_NAME tosajit INSTALL_RPATH "$ORIGIN")
set_target_properties(tosajit_ops_shared PROPERTIES OUTPUT_NAME tosajit-ops LINKER_LANGUAGE C)
foreach(kind shared ops_shared)
  set(map ${PROJECT_SOURCE_DIR}/cmake/$<IF:$<STREQUAL:${kind},shared>,public,ops>.map)
  set_target_properties(tosajit_${kind} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION
    ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map})
  target_link_options(tosajit_${kind} PRIVATE -Wl,-z,nodelete -Wl,--no-undefined
    -Wl,-Bsymbolic-functions -Wl,--gc-sections -Wl,--version-script=${map})
endforeach()
target_link_libraries(tosajit_shared PRIVATE tosajit_ops_shared Threads::Threads ${CMAKE_DL_LIBS} m)
target_link_options(tosajit_ops_shared PRIVATE -nostdlib -s)
install(TARGETS tosajit_shared tosajit_ops_shared LIBRARY COMPONENT library NAMELINK_SKIP)

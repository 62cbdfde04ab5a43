# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is installed beside libraries and command: the licence, man pages, completion, documents,
# examples; and the reference. Packages are debian/'s work.
include(GNUInstallDirs)

set(man ${PROJECT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${man})
set(man_api ${PROJECT_SOURCE_DIR}/tools/man_api.sh)
# man_of_headers(<page> <pkg-config's name> <component> <what the library does> <header>...)
function(man_of_headers page package component summary)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/include/tosajit/ OUTPUT_VARIABLE paths)
  add_custom_command(OUTPUT ${man}/${page}.3 DEPENDS ${paths} ${man_api} VERBATIM
    COMMAND sh ${man_api} ${PROJECT_VERSION} ${page} ${package} ${summary} ${paths} >
    ${man}/${page}.3)
  set(pages ${pages} ${man}/${page}.3 PARENT_SCOPE)
  install(FILES ${man}/${page}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT ${component})
endfunction()
set(pages "")
man_of_headers(libtosajit tosajit development "TOSA operations, compiled into SIMD kernels"
  tosajit.h image.h inspect.h graph.h)
if(TARGET tosajit_mlir)
  man_of_headers(libtosajit-mlir tosajit-mlir mlir_development
    "TOSA files as expressions of libtosajit" mlir.h)
endif()
if(TARGET tosajit-cli)
  set(man_page ${PROJECT_SOURCE_DIR}/tools/man_page.sh)
  add_custom_command(OUTPUT ${man}/tosajit.1 DEPENDS tosajit-cli ${man_page}
    ${PROJECT_SOURCE_DIR}/docs/environment.md VERBATIM
    COMMAND sh ${man_page} ${PROJECT_SOURCE_DIR}/docs/environment.md
    ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:tosajit-cli> > ${man}/tosajit.1)
  list(APPEND pages ${man}/tosajit.1)
  install(FILES ${man}/tosajit.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  set(completions ${PROJECT_BINARY_DIR}/completions)
  file(MAKE_DIRECTORY ${completions})
  set(completion ${PROJECT_SOURCE_DIR}/tools/completion.sh)
  add_custom_command(OUTPUT ${completions}/tosajit DEPENDS tosajit-cli ${completion} VERBATIM
    COMMAND sh ${completion} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:tosajit-cli> >
    ${completions}/tosajit)
  list(APPEND pages ${completions}/tosajit)
  install(FILES ${completions}/tosajit DESTINATION
    ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
endif()
add_custom_target(man ALL DEPENDS ${pages})

# The licence asks to come with every copy; so it comes with every component.
foreach(component runtime library codegen development mlir mlir_development command onnxruntime
  python)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT
    ${component})
endforeach()
# Documents and examples, in the folders that their links expect.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "functions.json" PATTERN
  "math.json")
install(FILES ${PROJECT_SOURCE_DIR}/bench/README.md ${PROJECT_SOURCE_DIR}/bench/onnx.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench COMPONENT documents)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/plots DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench
  COMPONENT documents)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT
  documents)

# `cmake --build build --target reference`: the C API as HTML. Doxygen's warnings are errors.
find_program(DOXYGEN doxygen)
mark_as_advanced(DOXYGEN)
if(DOXYGEN)
  configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
  add_custom_target(reference COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile VERBATIM)
  # `cmake --build build --target site`: all pages, with search, references, charts, and a gallery
  # that is run (docs/site).
  if(TARGET tosajit_python)
    add_custom_target(site COMMAND sh ${PROJECT_SOURCE_DIR}/docs/site/build.sh ${PROJECT_SOURCE_DIR}
      ${PROJECT_BINARY_DIR} ${Python3_EXECUTABLE}
      DEPENDS tosajit_python VERBATIM USES_TERMINAL)
  endif()
endif()


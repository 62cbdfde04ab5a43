# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Copy the code of single ops that the sources have, if it is of these sources:
# cmake -DMADE=.../ops.o -DBUILD=.../build.c -DOUT=... -P TakeOps.cmake
file(STRINGS ${BUILD} build REGEX "tosajit_ops_build\\[\\] =")
string(REGEX REPLACE ".*\"([0-9a-f]+)\".*" "\\1" build "${build}")
file(STRINGS ${MADE} found REGEX "${build}" LIMIT_COUNT 1)
if(NOT found)
  message(FATAL_ERROR
    "${MADE} is of other sources than these. Building tosajit of changed sources needs LLVM 22 or 19; on Debian "
    "`sh tools/install-dependencies.sh --library` installs it.")
endif()
file(COPY_FILE ${MADE} ${OUT})

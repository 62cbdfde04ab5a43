# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The C library for vcpkg, of the checkout that this port lies in: `vcpkg install tosajit
# --overlay-ports=packaging/vcpkg`. LLVM is the machine's, as vcpkg has neither 22 nor 19. The
# library is both shared and static, and names its targets itself.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
set(VCPKG_POLICY_DLLS_IN_STATIC_LIBRARY enabled)
set(options "")
if(DEFINED ENV{TOSAJIT_LLVM_ROOT})
  set(options "-DTOSAJIT_LLVM_ROOT=$ENV{TOSAJIT_LLVM_ROOT}")
endif()
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DTOSAJIT_BUILD_TOOLS=OFF
  -DTOSAJIT_BUILD_MLIR=OFF -DTOSAJIT_BUILD_TESTS=OFF
  -DTOSAJIT_BUILD_BENCH=OFF -DTOSAJIT_BUILD_PYTHON=OFF -DTOSAJIT_BUILD_ONNXRUNTIME=OFF ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tosajit)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc" "${CURRENT_PACKAGES_DIR}/share/man")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C library for conan 2: `conan create packaging/conan`. LLVM is the machine's."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class Tosajit(ConanFile):
    name = "tosajit"
    description = "Elementwise expressions on arrays, compiled into SIMD kernels while the program runs"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("array", "expression", "jit", "llvm", "simd", "tosa")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "llvm_root": ["ANY"]}
    default_options = {"shared": True, "llvm_root": "/usr/lib/llvm-22"}

    @property
    def _checkout(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        self.version = re.search(r"project\(tosajit VERSION ([0-9.]+)", load(self, os.path.join(self._checkout, "CMakeLists.txt")))[1]

    def export_sources(self):
        for folder in ("cmake", "include", "jit", "runtime", "debian"):
            copy(self, f"{folder}/*", self._checkout, self.export_sources_folder)
        for file in ("CMakeLists.txt", "LICENSE", "README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"):
            copy(self, file, self._checkout, self.export_sources_folder)
        for folder in ("docs", "examples", "bench", "tools"):
            copy(self, f"{folder}/*", self._checkout, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration(f"tosajit compiles on Linux, for x86-64 and AArch64, not on {self.settings.os}, {self.settings.arch}")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TOOLS", "MLIR", "TESTS", "BENCH", "PYTHON", "ONNXRUNTIME"):
            toolchain.cache_variables[f"TOSAJIT_BUILD_{part}"] = False
        toolchain.cache_variables["TOSAJIT_LLVM_ROOT"] = os.environ.get("TOSAJIT_LLVM_ROOT", str(self.options.llvm_root))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        # The package's own files for CMake name its targets, tosajit::shared and tosajit::static.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/tosajit"]
        self.cpp_info.libs = ["tosajit"]

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The script `tosajit` of a wheel. It runs the program beside this file, which converts ONNX
models. For everything else there may be another tosajit in PATH, which has all commands."""
import os
import sys

_OWN = ("onnx", "help", "--help", "-h", "version", "--version", "-V")


def _is_program(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def _other() -> str:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, "tosajit")
        if _is_program(path):
            return path
    return ""


def main() -> None:
    words = sys.argv[1:]
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tosajit")
    if words[:1] and words[0] not in _OWN:
        program = _other() or program
    if not os.path.exists(program):
        sys.exit("tosajit: error: this package was built without ONNX, which needs protobuf-c and "
                 "ONNX's messages")
    # it has what is installed beside this package
    os.environ.setdefault("TOSAJIT_PYTHON", sys.executable)
    os.execv(program, ["tosajit", *words])

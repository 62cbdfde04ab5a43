#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make a wheel of built files, which needs nothing but Python itself.

    make_wheel.py VERSION MACHINE DIRECTORY FILE...     prints the wheel's path in DIRECTORY

A file named LICENSE goes to the metadata, all others into the package. Equal files make equal
wheels, byte by byte."""
import base64
import hashlib
import os
import sys
import zipfile

METADATA = """Metadata-Version: 2.1
Name: tosajit
Version: {version}
Summary: TOSA elementwise operations, compiled into SIMD kernels
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.11
"""
WHEEL = """Wheel-Version: 1.0
Generator: tosajit
Root-Is-Purelib: false
Tag: {tag}
"""


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main(version, machine, directory, paths):
    tag = f"cp311-abi3-linux_{machine}"
    info = f"tosajit-{version}.dist-info"
    contents = {}
    for path in paths:
        name = os.path.basename(path)
        with open(path, "rb") as file:
            contents[f"{info if name == 'LICENSE' else 'tosajit'}/{name}"] = file.read()
    contents[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    contents[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = "".join(record_line(name, content) for name, content in contents.items())
    contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = os.path.join(directory, f"tosajit-{version}-{tag}.whl")
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name)  # of 1980, for everybody
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(wheel)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])

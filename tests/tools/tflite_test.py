# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFLite models from end to end, by examples/tflite, compared with LiteRT: one of integers that has
variables, one of floats, and one with sparse weights. No region of them is a constant.

    python3 tests/tools/tflite_test.py TOOL PACKAGES CONFORMANCE PEERS WORK [--all]

PACKAGES has the Python package tosajit; CONFORMANCE is where tests/conformance keeps TOSA's tools,
and PEERS the environment of python_peers.sh, which has PyTorch. --all: every model that the
packages have. Exit code 77: what is needed is not to be had, which a line says."""
import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "conformance"))
from run import Tools

BESIDE = ["tosa-converter-for-tflite==2026.2.0", "ai-edge-litert==2.3.0"]
MODELS = ["alexa", "face_detection_short_range", "face_detection_full_range_sparse"]


def not_tested(why):
    print(f"*** NOT TESTED: TFLite models from end to end: {why}")
    sys.exit(77)


def main():
    tool, packages, conformance, peers, work = (Path(word).resolve() for word in sys.argv[1:6])
    conformance.mkdir(parents=True, exist_ok=True)
    tools = Tools(conformance)
    python, complete = tools.root / "bin" / "python", tools.root / f"complete-{'-'.join(BESIDE)}"
    torch = next(peers.glob("lib/python*/site-packages/torch"), None)
    if not torch:
        not_tested(f"PyTorch is not in {peers}")
    if not complete.exists():
        pip = tools.pip("pip", *BESIDE)  # the example downloads models by the pip beside it
        if pip.returncode:
            not_tested(f"pip does not bring {' and '.join(BESIDE)}: "
                       f"{(pip.stderr.strip().splitlines() or ['it does not say why'])[-1]}")
        complete.touch()
    # The environment's own packages come first, as its tools want their versions.
    begin = (f"import runpy, sys; sys.path.append({str(torch.parent)!r}); del sys.argv[0]; "
             f"sys.path.insert(0, {str(SOURCE / 'examples' / 'tflite')!r}); ")
    words = [SOURCE / "examples" / "tflite" / "compare.py", work, "--tool",
             tool] + ([] if "--all" in sys.argv else ["--only", *MODELS])
    done = subprocess.run([python, "-c", begin + "runpy.run_path(sys.argv[0], run_name='__main__')",
                           *map(str, words)],
                          env={**os.environ, "PYTHONPATH": str(packages),
                               "PYTHONPYCACHEPREFIX": str(tools.root / "pycache"),
                               "PYTHONDONTWRITEBYTECODE": ""}, capture_output=True, text=True)
    print(done.stdout)
    if "cannot be downloaded" in done.stderr:
        not_tested(done.stderr.strip().splitlines()[-1])
    if done.returncode:
        print(done.stderr)
    sys.exit(done.returncode or " 0 are constants" not in done.stdout)


if __name__ == "__main__":
    main()

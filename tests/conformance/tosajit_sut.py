# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tosajit as a system under test of tosa_verif_run_tests: `tosajit run --strict` on the files that
a test names. The argument is the command's path. Elements that the command has as bits are written
as the checker wants them."""
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
from runner.tosa_test_runner import TosaTestRunner

# Of files, by types; of others the command has the same.
THEIRS = {"BF16": ml_dtypes.bfloat16, "FP8E4M3": ml_dtypes.float8_e4m3fn}


class TosaSUTRunner(TosaTestRunner):
    """One test: its inputs as the command reads them, its results as the checker does."""

    def _input(self, name, number):
        path = self.testDirPath / name
        array = np.load(path)
        if array.dtype.kind == "V" or array.dtype.name.startswith(("bfloat", "float8")):
            array = array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)
        own = self.testDirPath / f"tosajit_input_{number}.npy"
        np.save(own, array)
        return own

    def _result(self, own, path, element):
        array = np.load(own)
        if element in THEIRS:
            array = array.view(THEIRS[element])
        np.save(path, array)

    def runTestGraph(self):
        """Run it, and say what became of it."""
        desc, folder = self.testDesc, self.testDirPath
        words = [self.runnerArgs[0], "run", str(folder / desc["tosa_file"]), "--strict"]
        for k, name in enumerate(desc["ifm_file"]):
            words += ["--input", str(self._input(name, k))]
        own = [folder / f"tosajit_result_{k}.npy" for k in range(len(desc["ofm_file"]))]
        for path in own:
            words += ["--output", str(path)]
        done = subprocess.run(words, capture_output=True, text=True)
        (folder / "tosajit.log").write_text(done.stderr)
        if done.returncode == 1:
            return TosaTestRunner.TosaGraphResult.TOSA_ERROR, done.stderr
        if done.returncode != 0:
            return TosaTestRunner.TosaGraphResult.OTHER_ERROR, done.stderr
        tensors = desc.get("meta", {}).get("compliance", {}).get("tensors", {})
        for path, file, name in zip(own, desc["ofm_file"], desc["ofm_name"]):
            self._result(path, folder / file, tensors.get(name, {}).get("data_type"))
        return TosaTestRunner.TosaGraphResult.TOSA_VALID, ""

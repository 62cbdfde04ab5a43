# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pandas' own tests of eval and query, with import tosajit.as_numexpr in numexpr's place. Cases
that are left out are listed with the reason.

    python3 tests/tools/python_pandas_test.py [PYTEST'S ARGUMENTS]   # without any: those of the engine numexpr

A quarter of them a day, another one on the next day or by TOSAJIT_SEED; TOSAJIT_THIN=1: all."""
import os
import sys
import time
import zlib

import tosajit.as_numexpr  # noqa: F401  # before pandas

import pytest  # noqa: E402

MESSAGE = "numexpr's message, couldn't find matching opcode, is expected; here it is NumPy's reason"
LEFT_OUT = {
    "test_frame_invert[numexpr": MESSAGE, "test_series_invert[numexpr": MESSAGE,
            "test_frame_negate[numexpr": MESSAGE,
    "test_series_negate[numexpr": MESSAGE, "test_scalar_unary[numexpr": MESSAGE,
    **{f"test_{kind}_pos[numexpr-{parser}-lhs2": MESSAGE for kind in ("frame", "series")
       for parser in ("python", "pandas")},
}


THIN = int(os.environ.get("TOSAJIT_THIN", 4))
SEED = int(os.environ.get("TOSAJIT_SEED", time.time() // 86400))


class Lists:
    """The tests that pytest runs, and their subject."""

    def __init__(self):
        self.left_out = {}

    def pytest_collection_modifyitems(self, config, items):
        kept = []
        for item in items:
            reason = next((why for name, why in LEFT_OUT.items() if name in item.nodeid), None)
            if reason:
                self.left_out[reason] = self.left_out.get(reason, 0) + 1
            else:
                kept.append(item)
        items[:] = [item for item in kept
                    if zlib.crc32(item.nodeid.encode()) % THIN == SEED % THIN]


if __name__ == "__main__":
    lists = Lists()
    print(f"TOSAJIT_SEED={SEED}")
    code = pytest.main(["-q", "--pyargs", "pandas.tests.computation", "-p", "no:cacheprovider",
                        *(sys.argv[1:] or ["-k", "numexpr"])], plugins=[lists])
    for reason, count in lists.left_out.items():
        print(f"left out, {count}: {reason}")
    sys.exit(code or not lists.left_out)

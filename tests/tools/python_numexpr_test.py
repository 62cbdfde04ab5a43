# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numexpr's own tests, with this package's evaluate in the place of numexpr's. What is left out is
listed with its reason; whatever else fails is a failure. Needs numexpr with its tests, and
pytest."""
import inspect
import sys
import textwrap
import unittest
import warnings

import numexpr
import numpy as np

import tosajit

for name in ("evaluate", "re_evaluate", "validate", "set_num_threads"):
    setattr(numexpr, name, getattr(tosajit, name))
import numexpr.tests.test_numexpr as theirs  # noqa: E402  (it takes these names)

theirs.validate = tosajit.validate

COMPLEX, STRINGS = "there are no complex numbers", "there are no strings"
OWN = "it is about numexpr's own machinery"
ALONE, WEAK = ("an integer alone is an int64, as in NumPy",
               "scalars of NumPy are weak, as numbers of Python are")
CLASSES = "errors are tosajit.Error and TypeError; nothing of a text is ever run by Python"
# Names of classes, of tests, or their beginnings.
LEFT_OUT = {
    "test_strings": STRINGS, "test_str_contains": STRINGS,
    "test_threading_config": OWN, "test_subprocess": OWN,
    "test_small_int": ALONE, "test_small_uint32": "a uint32 alone stays one, as in NumPy",
            "test_long_constant_promotion": WEAK, "test_uint32_constant_promotion": WEAK,
    "test_complex": COMPLEX, "test_bool_funcs": COMPLEX, "test_sign_round": COMPLEX,
    "test_illegal_value": "[0, 0, 0] is a constant of the language",
    "test_validate_missing_var": CLASSES, "test_validate_syntax": CLASSES,
            "test_boolean_operator": CLASSES,
    "test_sanitize": CLASSES, "test_no_sanitize": CLASSES,
    "test_unaligned_singleton": "out has the sizes of the result",
    "test_axis": "an axis may be negative, as in NumPy",
}


# Its last lines are about complex numbers; all before them are run.
source, marker, _ = textwrap.dedent(inspect.getsource(theirs.test_numexpr.test_reductions)).partition("# Check complex")
assert marker and "astype(int)" in source
exec(source, vars(theirs))
theirs.test_numexpr.test_reductions = vars(theirs).pop("test_reductions")


def reason_of(expression, dtype):
    if dtype is complex or any(word in expression for word in ("conj", "complex")):
        return COMPLEX
    return None


def run_expressions(left_out):
    """Each text with arrays and scalars of each type; how many were computed, and what failed."""
    parameters = theirs.test_expressions.pytestmark[0].args[1]
    done, failures = 0, []
    for expression, scalar, dtype, optimization, exact, section in parameters:
        reason = reason_of(expression, dtype)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
            continue
        try:
            theirs.test_expressions(expression, scalar, dtype, optimization, exact, section)
        except BaseException as error:  # pytest's own is no Exception
            failures.append(f"{expression!r}, {dtype.__name__}, scalar={scalar}: {str(error)[:300]}")
        done += 1
    return done, failures


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestCase):
            yield test
        else:
            yield from tests_of(test)


def run_cases(left_out):
    classes = [value for name, value in vars(theirs).items()
               if isinstance(value, type) and issubclass(value, unittest.TestCase)
               and value is not unittest.TestCase]
    kept = unittest.TestSuite()
    for case in classes:
        for test in tests_of(unittest.defaultTestLoader.loadTestsFromTestCase(case)):
            name = test.id().split(".")[-1]
            reason = next((why for key, why in LEFT_OUT.items()
                           if key == case.__name__ or key == f"{case.__name__}.{name}"
                           or name.startswith(key)), None)
            if reason:
                left_out[reason] = left_out.get(reason, 0) + 1
            else:
                kept.addTest(test)
    result = unittest.TestResult()
    kept.run(result)
    return result.testsRun, [f"{test.id()}\n{trace}"
                             for test, trace in result.failures + result.errors]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    left_out = {}
    done, failures = run_cases(left_out)
    more, others = run_expressions(left_out)
    for failure in failures + others[:40]:
        print(failure)
    for reason, count in sorted(left_out.items()):
        print(f"left out, {count}: {reason}")
    print(f"numexpr {numexpr.__version__}: {done + more - len(failures + others)} passed, "
          f"{len(failures + others)} failed,"
          f" {sum(left_out.values())} skipped")
    sys.exit(bool(failures or others or done + more < 2000))

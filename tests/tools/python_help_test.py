# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What help() shows of every public name: it has words, and what can be called has examples, which are run. So has the site's reference.

    PYTHONPATH=build/tools/python python3 tests/tools/python_help_test.py"""
import doctest
import inspect
import sys

import tosajit

# Nobody makes these; each is an error's name, or a result.
WITHOUT = {"Array"} | {name for name in tosajit.__all__ if name.endswith("Error")}
SECTIONS = {"Parameters", "Returns", "Raises", "Examples"}


def main():
    failures, count, complaints = 0, 0, []
    names = {name: getattr(tosajit, name) for name in tosajit.__all__}
    for kind in (tosajit.Kernel, tosajit.Engine):
        names |= {f"{kind.__name__}.{name}": getattr(kind, name) for name in vars(kind) if not name.startswith("_")}
    finder, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for name, found in names.items():
        words = inspect.getdoc(found) or ""
        if not words.strip():
            complaints.append(f"{name} has no words")
        ruled = [line for line, rule in zip(words.splitlines(), words.splitlines()[1:]) if rule and set(rule) == {"-"} and rule != "--"]
        if not set(ruled) <= SECTIONS:
            complaints.append(f"{name} has sections {ruled}")
        examples = finder.get_doctest(words, {}, name, None, 0)
        if "." not in name and name not in WITHOUT and not examples.examples:
            complaints.append(f"{name} has no example")
        result = runner.run(examples)
        failures, count = failures + result.failed, count + result.attempted
    print("\n".join(complaints + [f"{len(names)} names, {count} lines of examples, {failures} wrong"]))
    sys.exit(bool(complaints or failures) or count < 40)


if __name__ == "__main__":
    main()

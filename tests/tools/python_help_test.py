# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What help() shows of every public name: words in NumPy's form, and an example, which is run.
Stubs have the same names. The site's reference is made of these words.

    PYTHONPATH=build/tools/python python3 tests/tools/python_help_test.py [MODULE...]     # without one, those that need nothing but NumPy"""
import ast
import doctest
import importlib
import inspect
import os
import sys

MODULES = ["tosajit", "tosajit.special", "tosajit.as_numexpr"]
LEAST = {"tosajit": 33, "tosajit.special": 19, "tosajit.as_numexpr": 5, "tosajit.torch": 3,
         "tosajit.onnxruntime": 1}  # names with examples
SECTIONS = ["Parameters", "Returns", "Raises", "Examples"]


def members(kind, name):
    """Methods and attributes of a class of our own. Python's errors have theirs from Python."""
    if not isinstance(kind, type) or issubclass(kind, (Exception, tuple)):
        return {}
    return {f"{name}.{key}": getattr(kind, key) for key in vars(kind) if not key.startswith("_")}


def names_of_stub(module):
    """Public names of MODULE.pyi; None: it has no stub, as its source has the types."""
    stub = os.path.splitext(module.__file__)[0] + ".pyi"
    if not os.path.exists(stub):
        return None
    with open(stub, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    found |= {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom)
              for alias in node.names if alias.asname}
    return {name for name in found if not name.startswith("_")}


def sections_of(words):
    lines = words.splitlines()
    return [line for line, rule in zip(lines, lines[1:]) if rule and set(rule) == {"-"}
            and rule != "--"]


def parameters_of(found):
    try:
        return [name for name in inspect.signature(found).parameters if name not in ("self", "cls")
                and not name.startswith("_")]
    except (TypeError, ValueError):
        return []


def faults(found, words, examples):
    """The parts that are missing from the words of a name."""
    if not words.strip():
        yield "has no words"
    sections = sections_of(words)
    if sections != [section for section in SECTIONS if section in sections]:
        yield f"has the sections {sections}"
    if not examples and not inspect.isdatadescriptor(found) and not inspect.ismodule(found):
        yield "has no example"
    if (parameters_of(found) and "Parameters" not in sections
        and not (isinstance(found, type) and issubclass(found, Exception))):
        yield "does not say what its parameters are"
    for parameter in parameters_of(found):
        if ("Parameters" in sections and parameter not in words.partition("Parameters\n")[2]
            and "whose other arguments follow" not in words):
            yield f"says nothing of its parameter {parameter}"


def check(module, runner):
    """(complaints, names with examples)"""
    complaints, shown = [], 0
    stubbed = names_of_stub(module)
    if stubbed is not None and stubbed != set(module.__all__):
        complaints.append(f"{module.__name__}: only the stub or only __all__ has "
                          f"{stubbed ^ set(module.__all__)}")
    names = {name: getattr(module, name) for name in module.__all__}
    names |= {name: found for kind in list(names)
              for name, found in members(names[kind], kind).items()}
    for name, found in {"": module, **names}.items():
        words = inspect.getdoc(found) or ""
        words = words.partition("\n--\n\n")[2] or words
        held = {**vars(module), module.__name__.rpartition(".")[2]: module,
                "np": sys.modules.get("numpy"), "tosajit": sys.modules["tosajit"]}
        examples = doctest.DocTestParser().get_doctest(words, held, f"{module.__name__}.{name}",
                                                       None, 0)
        complaints += [f"{module.__name__}.{name} {fault}"
                       for fault in faults(found, words, examples.examples)]
        shown += bool(name and examples.examples)
        runner.run(examples)
    return complaints, shown, len(names)


def main():
    runner, complaints = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), []
    for name in sys.argv[1:] or MODULES:
        import numpy  # noqa: F401  # examples of some begin with it
        found, shown, count = check(importlib.import_module(name), runner)
        complaints += (found + [f"{name} has {shown} names with examples, not {LEAST[name]}"]
                       * (shown < LEAST[name]))
        print(f"{name}: {count} names, {shown} with examples")
    print("\n".join(complaints + [f"{runner.tries} lines of examples, {runner.failures} wrong"]))
    sys.exit(bool(complaints or runner.failures) or not runner.tries)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables of comprehensions that are also global names or builtins: where another comprehension
of the function reads these, Python 3.12.0 and 3.12.1 take them for a variable that is not bound.

    python3 tests/tools/python_shadow.py FILE...
"""
import ast
import builtins
import sys



def bound(node):
    """The names that a statement of a module binds."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [name.asname or name.name for name in node.names]
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [name.id for target in targets for name in ast.walk(target)
                if isinstance(name, ast.Name)]
    return []


found: list = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    known = {name for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))
             for name in bound(node)} | set(dir(builtins))
    known |= {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    # at the top variables are global anyway
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for name in ast.walk(ast.Tuple([g.target for g in node.generators], ast.Store())):
                if isinstance(name, ast.Name) and name.id in known:
                    found.append(f"{path}:{node.lineno}: {name.id} is also a global name or a "
                                 "builtin")
print("\n".join(dict.fromkeys(found)) or f"{len(sys.argv) - 1} files")
sys.exit(bool(found))

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signatures come from the stubs, words from what Python's help() shows: the module's own, which C has for its classes and functions."""
import importlib
import inspect

import griffe


class Docstrings(griffe.Extension):
    def on_object(self, *, obj, **_):
        module, _, name = obj.path.partition("tosajit.")
        if obj.path.startswith("tosajit.") and not obj.docstring and not obj.is_alias:
            words = self.words(obj.path)
            if words:
                obj.docstring = griffe.Docstring(words, parent=obj)

    @staticmethod
    def words(path):
        found = importlib.import_module("tosajit")
        for name in path.split(".")[1:]:
            found = getattr(found, name, None)
        own = inspect.getdoc(found) if found is not None and not isinstance(found, (str, int, tuple, dict, list)) else None
        return own.partition("\n--\n\n")[2] or own if own else None

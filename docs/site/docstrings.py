# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signatures come from the stubs, words from what Python's help() shows: the module's own, which C has for its classes and functions."""
import inspect

import griffe
import tosajit.special


class Docstrings(griffe.Extension):
    def on_object(self, *, obj, **_):
        # functions of special have sections that their source has not
        if obj.path.startswith("tosajit.") and not obj.is_alias and (not obj.docstring or obj.path.startswith("tosajit.special.")):
            words = self.words(obj.path)
            if words:
                obj.docstring = griffe.Docstring(words, parent=obj)

    @staticmethod
    def words(path):
        found = tosajit
        for name in path.split(".")[1:]:
            found = getattr(found, name, None)
        own = inspect.getdoc(found) if found is not None and not isinstance(found, (str, int, tuple, dict, list)) else None
        return own.partition("\n--\n\n")[2] or own if own else None

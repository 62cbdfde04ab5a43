# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels tell people and other modules of themselves. Loaded when somebody asks."""
import html as _html
import inspect as _inspect
from typing import Any


def html(kernel: Any) -> str:
    """For notebooks, of a kernel that came as an image."""
    return f"<div><code>{_html.escape(repr(kernel))}</code></div>"


def signature(kernel: Any) -> _inspect.Signature:
    """Operands by position or name, and out=."""
    names = [name for name, _ in kernel.operands]
    parameters = [
        _inspect.Parameter(name, _inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in names if name.isidentifier() and name != "out"]
    parameters.append(_inspect.Parameter("out", _inspect.Parameter.KEYWORD_ONLY, default=None))
    return _inspect.Signature(parameters)

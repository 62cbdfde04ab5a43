# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels tell people and other modules of themselves. Loaded when somebody asks."""
import html as _html
import inspect as _inspect
from typing import Any, Optional


def html(kernel: Any, drawing: Optional[str]) -> str:
    """For notebooks: the text, who computes, and the plan's drawing."""
    head = f"<code>{_html.escape(repr(kernel))}</code>"
    return f"<div>{head}<br>{drawing}</div>" if drawing else f"<div>{head}</div>"


def signature(kernel: Any) -> _inspect.Signature:
    """Operands by position or name, and out=."""
    names = [name for name, _ in kernel.operands]
    parameters = [
        _inspect.Parameter(name, _inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in names if name.isidentifier() and name != "out"]
    parameters.append(_inspect.Parameter("out", _inspect.Parameter.KEYWORD_ONLY, default=None))
    return _inspect.Signature(parameters)

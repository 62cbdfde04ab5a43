# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from typing import Any, Dict, Optional, Tuple

from ._graph import Node as Node, partition as partition

__version__: str

class Error(Exception):
    status: str

class ArgumentError(Error, ValueError): ...
class ShapeError(Error, ValueError): ...
class ElementTypeError(Error, TypeError): ...
class OutOfMemoryError(Error, MemoryError): ...
class CompileError(Error, RuntimeError): ...

class Array:
    shape: Tuple[int, ...]
    dtype: str
    ndim: int
    nbytes: int
    def tolist(self) -> Any: ...
    def __len__(self) -> int: ...
    def __dlpack__(
        self,
        *,
        stream: Any = ...,
        max_version: Optional[Tuple[int, int]] = ...,
        dl_device: Optional[Tuple[int, int]] = ...,
        copy: Optional[bool] = ...,
    ) -> Any: ...
    def __dlpack_device__(self) -> Tuple[int, int]: ...

class Kernel:
    operands: Tuple[Tuple[str, str], ...]
    results: Tuple[Tuple[str, str], ...]
    is_native: bool
    def __call__(self, *operands: Any, out: Any = ..., **named: Any) -> Any: ...
    def explain(self, *operands: Any) -> str: ...
    def save(self, path: Any) -> None: ...
    def wait(self) -> None: ...

class Engine:
    stats: Dict[str, int]
    def __new__(
        cls,
        *,
        threads: int = ...,
        accuracy: str = ...,
        cache: Any = ...,
        cpu: Optional[str] = ...,
        backend: str = ...,
        max_bytes: int = ...,
    ) -> "Engine": ...
    def compile(self, text: str) -> Kernel: ...
    def evaluate(self, text: str, *, out: Any = ..., **operands: Any) -> Any: ...

def compile(text: str) -> Kernel: ...
def evaluate(text: str, *, out: Any = ..., **operands: Any) -> Any: ...

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from inspect import Signature
from os import PathLike
from typing import Any, Callable, Concatenate, Dict, Generic, List, Literal, Mapping, Optional, ParamSpec, Tuple, TypeVar, Union, overload

from ._graph import Node as Node, partition as partition

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R")
_Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
_Path = Union[str, PathLike[str]]

__version__: str

class Error(Exception):
    status: str
    operation: Optional[str]
    operand: Optional[int]
    result: Optional[int]
    dimension: Optional[int]
    sizes: Optional[Tuple[int, int]]

class ArgumentError(Error, ValueError): ...
class ShapeError(Error, ValueError): ...
class ElementTypeError(Error, TypeError): ...
class OutOfMemoryError(Error, MemoryError): ...
class CompileError(Error, RuntimeError): ...
class IndexOutOfRangeError(Error, IndexError): ...

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
    computes: Literal["compiled", "precompiled", "interpreted"]
    text: Optional[str]
    engine: Optional["Engine"]
    __signature__: Signature
    def __call__(self, *operands: Any, out: Any = ..., **named: Any) -> Any: ...
    def explain(self, *operands: Any) -> str: ...
    def plan(self, view: Literal["text", "json", "svg", "html", "nest", "ir", "asm", "passes"] = ...) -> str: ...
    def save(self, path: _Path) -> None: ...
    def to_bytes(self) -> bytes: ...
    def wait(self) -> "Kernel": ...
    def _repr_html_(self) -> str: ...

class Engine:
    stats: Dict[str, int]
    options: Dict[str, Any]
    threads: int
    def __new__(
        cls,
        *,
        threads: int = ...,
        accuracy: Literal["exact", "reproducible", "contracted"] = ...,
        cache: Optional[_Path] = ...,
        cpu: Optional[str] = ...,
        backend: Literal["auto", "native", "interpret", "background", "precompiled"] = ...,
        max_bytes: int = ...,
    ) -> "Engine": ...
    def compile(self, text: str) -> Kernel: ...
    def evaluate(
        self,
        text: str,
        local_dict: Optional[Mapping[str, Any]] = ...,
        global_dict: Optional[Mapping[str, Any]] = ...,
        out: Any = ...,
        order: Literal["K", "A", "C"] = ...,
        casting: _Casting = ...,
        **operands: Any,
    ) -> Any: ...
    def re_evaluate(
        self,
        local_dict: Optional[Mapping[str, Any]] = ...,
        global_dict: Optional[Mapping[str, Any]] = ...,
        out: Any = ...,
        order: Literal["K", "A", "C"] = ...,
        casting: _Casting = ...,
        **operands: Any,
    ) -> Any: ...
    def wait(self) -> None: ...

class _Jitted(Generic[_P, _R]):
    __name__: str
    __wrapped__: Callable[_P, _R]
    kernels: List[Kernel]
    @overload
    def __call__(self, *args: _P.args, **keywords: _P.kwargs) -> _R: ...
    @overload
    def __call__(self, *args: Any, out: Any, **keywords: Any) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: Any) -> "_Jitted[_P, _R]": ...
    @overload
    def __get__(
        self: "_Jitted[Concatenate[Any, _Q], _R]", instance: Any, owner: Any
    ) -> "_Jitted[_Q, _R]": ...
    def explain(self, *args: _P.args, **keywords: _P.kwargs) -> str: ...

@overload
def jit(function: Callable[_P, _R]) -> _Jitted[_P, _R]: ...
@overload
def jit(
    *, accuracy: Optional[Literal["exact", "reproducible", "contracted"]] = ..., threads: Optional[int] = ...
) -> Callable[[Callable[_P, _R]], _Jitted[_P, _R]]: ...
def compile(text: str) -> Kernel: ...
def evaluate(
    text: str,
    local_dict: Optional[Mapping[str, Any]] = ...,
    global_dict: Optional[Mapping[str, Any]] = ...,
    out: Any = ...,
    order: Literal["K", "A", "C"] = ...,
    casting: _Casting = ...,
    **operands: Any,
) -> Any: ...
def re_evaluate(
    local_dict: Optional[Mapping[str, Any]] = ...,
    global_dict: Optional[Mapping[str, Any]] = ...,
    out: Any = ...,
    order: Literal["K", "A", "C"] = ...,
    casting: _Casting = ...,
    **operands: Any,
) -> Any: ...
def validate(
    ex: str,
    local_dict: Optional[Mapping[str, Any]] = ...,
    global_dict: Optional[Mapping[str, Any]] = ...,
    out: Any = ...,
    order: Literal["K", "A", "C"] = ...,
    casting: _Casting = ...,
    **operands: Any,
) -> Optional[Exception]: ...
def load(image: Union[_Path, bytes, bytearray, memoryview]) -> Kernel: ...
def wait() -> None: ...
def get_num_threads() -> int: ...
def set_num_threads(count: int) -> int: ...

class threadpool_limits:
    def __init__(self, limits: int) -> None: ...
    def __enter__(self) -> "threadpool_limits": ...
    def __exit__(self, *exception: object) -> None: ...
    def restore_original_limits(self) -> None: ...

# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tosajit.jit: functions of arrays, written with NumPy, as kernels. In: a function. Out: one that
is traced once for each list of types, and finds its kernel again by these. NumPy computes the rest:
then the function runs as it is written."""
from __future__ import annotations

import functools
import sys
import threading
import types

from ._tosajit import Engine, Error, Function

TYPE_CHECKING = False  # module typing takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

_MOST_OPERANDS, _MOST_STRUCTURES = 64, 256
_NUMBERS = (bool, int, float)


# ------------------------------------------------------------------------------------------------
# Arguments and results as lists

class _Leaf:
    """Where an operand is."""

    __slots__ = ()


LEAF = _Leaf()


def _is_leaf(a: Any) -> bool:
    kind = type(a)
    if kind in _NUMBERS:
        return True
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(a, (numpy.ndarray, numpy.generic)):
        return isinstance(a, numpy.ndarray) or a.dtype.kind not in "mMSUV"
    return (hasattr(kind, "__dlpack__") or hasattr(kind, "__array__")
            or hasattr(kind, "__array_interface__") or kind in (memoryview, bytearray))


def _is_record(a: Any) -> bool:
    """An object that is nothing but its attributes, as self of a method often is."""
    kind = type(a)
    return (type(kind) is type and bool(kind.__flags__ & (1 << 9)) and hasattr(a, "__dict__")
            and kind.__basicsize__ <= object.__basicsize__ + 16
            and not callable(a) and kind.__getattribute__ is object.__getattribute__)


def _is_sign(a: Any) -> bool:
    """An object that has nothing, and stands for itself, as those do by which functions know that
    an argument is not given."""
    kind = type(a)
    return (not vars(a) and (_is_foreign(kind.__module__)
                             or not _of_class(kind) and not _functions_of(kind)))


def _of_class(kind: type) -> Dict[str, Any]:
    """Attributes of a class that are data."""
    return {name: held for base in reversed(kind.__mro__[:-1]) for name, held in vars(base).items()
            if not name.startswith("__") and (isinstance(held, (*_NUMBERS, list, dict, set))
                                              or _is_leaf(held))}


def flatten(a: Any, leaves: List[Any]) -> Any:
    """The form without leaves: something hashable."""
    if _is_leaf(a):
        leaves.append(a)
        return LEAF
    kind = type(a)
    if kind is slice:
        return (slice, tuple([flatten(item, leaves) for item in (a.start, a.stop, a.step)]))
    if isinstance(a, (tuple, list)):
        return (kind, tuple([flatten(item, leaves) for item in a]))
    if kind is dict:
        return (dict, tuple(a), tuple([flatten(item, leaves) for item in a.values()]))
    if _is_record(a) and not _is_sign(a):
        held = {**_of_class(kind), **vars(a)}
        return (_Record, kind, tuple(held), tuple([flatten(item, leaves)
                                                   for item in held.values()]))
    try:
        hash(a)
        return _Static(a)
    except Exception:
        return _Static(a, True)


class _Record:
    """The kind of an object that is its attributes."""


class _Static:
    """An argument that is neither an array nor a number: another value makes another function. By
    identity where it has no hash."""

    __slots__ = ("a", "by_id")

    def __init__(self, a: Any, by_id: bool = False):
        self.a, self.by_id = (a, by_id or not isinstance(a,
                                                         (str, bytes, type(None), type, frozenset)))

    def __hash__(self) -> int:
        return id(self.a) if self.by_id else hash(self.a)

    def __eq__(self, other: Any) -> bool:
        return (isinstance(other, _Static) and type(self.a) is type(other.a)
                and (self.a is other.a or not self.by_id and self.a == other.a))


def unflatten(tree: Any, leaves: Any) -> Any:
    """The same again, with other leaves: an iterator."""
    if tree is LEAF:
        return next(leaves)
    if type(tree) is _Static:
        return tree.a
    kind = tree[0]
    if kind is dict:
        return {key: unflatten(item, leaves) for key, item in zip(tree[1], tree[2])}
    if kind is _Record:
        made = object.__new__(tree[1])
        vars(made).update({key: unflatten(item, leaves) for key, item in zip(tree[2], tree[3])})
        return made
    items = [unflatten(item, leaves) for item in tree[1]]
    if kind is slice:
        return slice(*items)
    return (kind(items) if kind in (tuple, list) else kind._make(items) if hasattr(kind, "_make")
            else kind(items))


def _is_opaque(tree: Any) -> bool:
    """True if something among arguments may change without being another object."""
    if type(tree) is _Static:
        a = tree.a
        if _may_change(a) or isinstance(a, types.ModuleType):
            return True
        return (tree.by_id and (not _stays(a) and not (_is_record(a) and _is_sign(a))
                                or isinstance(a, types.FunctionType) and bool(a.__closure__)))
    return (isinstance(tree, tuple) and any(map(_is_opaque,
                                                tree[-1] if tree and isinstance(tree[0], type)
                                                else tree)))


def _has_objects(tree: Any) -> bool:
    """True if something among arguments can be changed by a function, or is more than its parts."""
    return any(part is not LEAF and type(part) is not _Static
               for part in [*tree[0][1], *tree[1][2], *tree[2][1]])


# ------------------------------------------------------------------------------------------------
# What a function reads beside its operands

def _codes(code: types.CodeType) -> List[types.CodeType]:
    return [code, *[inner for constant in code.co_consts if isinstance(constant, types.CodeType)
                    for inner in _codes(constant)]]


def _is_number_or_array(a: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return (type(a) in _NUMBERS or numpy is not None and type(a) is numpy.ndarray
            and a.dtype.kind in "biuf" and a.dtype.isnative)


_FOREIGN = {"numpy", "scipy", "torch", "jax", "pandas", "tosajit", "math", "cmath", "operator",
            "functools", "itertools", "typing", "builtins"}
# Modules of Python's whose variables say how the program runs.
_STATES = {"sys", "os", "gc", "locale", "threading", "contextvars", "warnings", "decimal",
           "inspect", "importlib", "platform", "time", "random", "secrets",
           "socket", "resource", "multiprocessing", "signal", "tracemalloc", "configparser",
           "datetime"}


def _is_foreign(module: Any) -> bool:
    """True if it is a library's module: its variables stay."""
    root = str(module).split(".")[0]
    return root in _FOREIGN or root in sys.stdlib_module_names and root != "__main__"


def _stays(a: Any) -> bool:
    """True if it cannot change while it is the same object."""
    if isinstance(a, (str, bytes, type(None), type, types.ModuleType, types.FunctionType,
                      types.BuiltinFunctionType, Function, frozenset, range, complex)):
        return True
    if isinstance(a, tuple):
        return all(_stays(item) or type(item) in _NUMBERS for item in a)
    kind = type(a)
    if kind is functools.partial:
        return all(_stays(part) or type(part) in _NUMBERS
                   for part in (a.func, *a.args, *a.keywords.values()))
    return (kind is object or kind.__module__.split(".")[0] in ("numpy", "typing", "enum",
                                                                "operator", "functools", "_thread")
            and not hasattr(kind, "__setitem__") or _is_enum(a))


def _may_change(a: Any) -> bool:
    """True if it is a class with attributes that are data."""
    named = isinstance(a, type) and issubclass(a, tuple) and hasattr(a, "_fields")
    return (isinstance(a, type) and not named and not _is_foreign(a.__module__)
            and not _is_enum_class(a) and bool(_of_class(a)))


def _is_enum_class(a: type) -> bool:
    enum = sys.modules.get("enum")
    return enum is not None and issubclass(a, enum.Enum)


def _is_enum(a: Any) -> bool:
    enum = sys.modules.get("enum")
    return enum is not None and isinstance(a, enum.Enum)


def _functions_of(kind: type) -> List[types.FunctionType]:
    """Methods, and what stands behind properties."""
    held = [a for base in kind.__mro__[:-1] for a in vars(base).values()]
    found = [part for a in held for part in (a, getattr(a, "fget", None),
                                             getattr(a, "__func__", None))]
    return [a for a in found if isinstance(a, types.FunctionType) and not _is_foreign(a.__module__)]


def _methods_read(kind: type) -> str:
    """Why methods of an object may give something else in a later call, though its attributes stay;
    nothing: they do not."""
    for function in _functions_of(kind):
        for code in _codes(function.__code__):
            why = _untraceable(code)
            if why:
                return f"of a method, {function.__name__}: {why}"
            for name in code.co_names:
                held = function.__globals__.get(name)
                if _may_change(held) or not _stays(held):
                    return f"a method, {function.__name__}, reads {name}, which may change"
    return ""


def _records(tree: Any) -> List[type]:
    """Classes of the objects among arguments."""
    if not isinstance(tree, tuple) or not tree:
        return []
    own = [tree[1]] if tree[0] is _Record else []
    return own + [kind for part in (tree[-1] if isinstance(tree[0], type) else tree)
                  for kind in _records(part)]


class Surroundings:
    """Globals and variables of outer functions, which a function reads: numbers and arrays are
    operands, objects are arguments, and what else there is must stay."""

    def __init__(self, function: types.FunctionType):
        self.captured: List[Tuple[Any, str]] = []
        self.watched: List[Tuple[Any, str, Any]] = []
        self.objects: List[Tuple[Any, str]] = []
        self.names: List[str] = []
        self.unsafe = next(filter(None, map(_untraceable, _codes(function.__code__))), "")
        # of functions that are seen here, and what their closures have
        self.known: Dict[types.CodeType, List[Any]] = {}
        self.know(function)
        # functions of the same module, by the names by which it calls them
        self.own: Dict[str, types.FunctionType] = {}
        self.read(function, function.__globals__)
        for cell, name in zip(function.__closure__ or (), function.__code__.co_freevars):
            if _is_filled(cell):
                self.place(cell, "cell_contents", name, cell.cell_contents)
        self.helpers(function, {function}, function.__globals__)

    def read(self, function: types.FunctionType, space: Dict[str, Any]) -> None:
        for name in dict.fromkeys(name for code in _codes(function.__code__)
                                  for name in code.co_names):
            if name in space and not any(holder is space and key == name for holder, key, *_ in [*self.captured, *self.objects, *self.watched]):
                self.place(space, name, name, space[name])

    def place(self, holder: Any, key: str, name: str, held: Any) -> None:
        if _is_number_or_array(held):
            self.captured.append((holder, key))
            self.names.append(name)
        elif _may_change(held):
            self.unsafe = f"it reads the class {name}, whose attributes may change"
        elif _stays(held):
            self.watched.append((holder, key, held))
        else:
            self.objects.append((holder, key))
        if (isinstance(held, types.FunctionType) and not _is_foreign(held.__module__)
            and set(vars(held)) - {"__wrapped__"}):
            self.unsafe = f"it reads the function {name}, whose attributes may change"

    def know(self, function: types.FunctionType) -> None:
        held = tuple(cell.cell_contents if _is_filled(cell) else None
                     for cell in function.__closure__ or ())
        self.known.setdefault(function.__code__, []).append(held)
        for code in _codes(function.__code__)[1:]:
            self.known[code] = []
        modules = [a for a in map(function.__globals__.get, function.__code__.co_names)
                   if isinstance(a, types.ModuleType)]
        if any(a.__name__.split(".")[0] in _STATES for a in modules):
            self.unsafe = "it reads how the program runs"

    @functools.cached_property
    def is_plain(self) -> bool:
        """True if all its names mean libraries, arrays, numbers and watched functions: then no
        other function runs."""
        space = [vars(sys.modules[name]) for name in ("numpy", "builtins", "math", "numpy.linalg")
                 if name in sys.modules]
        array = getattr(sys.modules.get("numpy"), "ndarray", None)
        held = {name: a for h, name, *rest in [*self.captured, *self.watched] if type(h) is dict
                for a in (rest or [h.get(name)])}
        for name in {name for code in self.known for name in code.co_names}:
            a = held.get(name, self)
            own = (isinstance(a, (types.FunctionType, Function))
                   or isinstance(a, types.ModuleType) and _is_foreign(a.__name__))
            if not (own or a is not self and (_is_number_or_array(a)
                                              or isinstance(a, (str, type(None))))
                    or a is self and (
                            hasattr(array, name) or any(name in s for s in space))):
                return False
        return not self.objects

    def knows(self, frame: Any) -> bool:
        """True if a frame belongs to a function whose variables are watched."""
        closures = self.known.get(frame.f_code)
        if not closures or not frame.f_code.co_freevars:
            return closures is not None
        held = [frame.f_locals.get(name) for name in frame.f_code.co_freevars]
        return any(all(a is b for a, b in zip(held, own)) for own in closures)

    def near(self, user: types.FunctionType, space: Any) -> List[Tuple[str, Any]]:
        """Functions that a function may call, by a name of this module's or in another way, and
        modules from which it reads."""
        names = [name for code in _codes(user.__code__) for name in code.co_names]
        globals_ = [(name, user.__globals__.get(name)) for name in names]
        found = [held for _, held in globals_]
        found += [cell.cell_contents for cell in user.__closure__ or () if _is_filled(cell)]
        found += [*(user.__defaults__ or ()), *(user.__kwdefaults__ or {}).values()]
        modules = [a for a in found if isinstance(a, types.ModuleType)
                   and not _is_foreign(a.__name__)]
        for module in modules:
            for name in names:
                held = vars(module).get(name)
                if name in vars(module):
                    self.watch(vars(module), name)
                    found.append(held)
                if (isinstance(held, types.ModuleType) and not _is_foreign(held.__name__)
                    and held not in modules):
                    modules.append(held)
        mine = {id(held) for _, held in globals_} if user.__globals__ is space else set()
        plain = [(name, a.__wrapped__ if isinstance(a, Function) else a)
                 for name, a in globals_ if id(a) in mine]
        rest = [a.func if type(a) is functools.partial else a
                for a in found if id(a) not in mine or type(a) is functools.partial]
        return [*plain, *[("", a.__wrapped__ if isinstance(a, Function) else a) for a in rest]]

    def watch(self, holder: Any, key: str) -> None:
        held = holder[key] if type(holder) is dict else holder.cell_contents
        if _may_change(held):
            self.unsafe = (f"a function that it calls reads the class {key}, whose attributes may "
                           "change")
        if not _stays(held) and type(held) not in _NUMBERS:
            self.unsafe = f"a function that it calls reads {key}, which may change"
        if all(k != key or h is not holder for h, k, _ in self.watched):
            self.watched.append((holder, key, held))

    def helpers(self, user: types.FunctionType, seen: set, space: Any) -> None:
        """Functions that it may call have the numbers that they had; those of the same module have
        those of the call."""
        for name, found in self.near(user, space):
            if not isinstance(found, types.FunctionType) or _is_foreign(found.__module__):
                continue
            mine = bool(name) and found.__globals__ is space and not found.__closure__
            if mine:
                self.own[name] = found
            if found in seen or (found, mine) in seen:
                continue
            seen.add((found, mine))
            self.know(found)
            held = [("__code__", found.__code__), ("__defaults__", found.__defaults__),
                    ("__kwdefaults__", found.__kwdefaults__)]
            self.watched += [(found, word, a) for word, a in held if a is not None]
            for key in found.__kwdefaults__ or ():
                self.watch(found.__kwdefaults__, key)
            if any(not _stays(a) and not _is_number_or_array(a)
                   for a in (*(found.__defaults__ or ()), *(found.__kwdefaults__ or {}).values())):
                self.unsafe = "a function that it calls has a default that may change"
            for code in _codes(found.__code__):
                why = _untraceable(code)
                self.unsafe = f"of a function that it calls: {why}" if why else self.unsafe
            if mine:
                self.read(found, space)
            for name in dict.fromkeys(word for code in _codes(found.__code__)
                                      for word in code.co_names if not mine):
                if name in found.__globals__:
                    self.watch(found.__globals__, name)
            for cell in found.__closure__ or ():
                if _is_filled(cell):
                    self.watch(cell, "cell_contents")
            self.helpers(found, seen, space if mine else None)

    def with_others(self, function: types.FunctionType, others: Sequence[Any],
                    objects: Sequence[Any], seen: Callable[[Any], Any]) -> types.FunctionType:
        """The function with others for the captured, and for objects."""
        spread, cells = dict(function.__globals__), list(function.__closure__ or ())
        watched = [((holder, key), seen(held)) for holder, key, held in self.watched
                   if seen(held) is not held]
        for (holder, key), other in [*zip(self.captured, others), *zip(self.objects, objects),
                                     *watched]:
            if holder is function.__globals__:
                spread[key] = other
            elif type(holder) is not dict:
                cells = [types.CellType(other) if cell is holder else cell for cell in cells]
        for name, own in self.own.items():
            spread[name] = _in_space(own, spread, None)
        return _in_space(function, spread, tuple(cells) or None)


def _in_space(function: types.FunctionType, space: Dict[str, Any],
              cells: Any) -> types.FunctionType:
    made = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__,
                              cells)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


# Names of what gives something else each time.
_CHANCE = {"random", "rng", "default_rng", "rand", "randn", "randint", "normal", "standard_normal",
           "uniform", "choice", "permutation", "shuffle", "integers",
           "time", "perf_counter", "monotonic", "now", "today", "urandom", "getrandbits", "seed",
           "input", "open", "read",
           "environ", "environb", "getenv", "listdir", "globals", "eval", "exec", "uuid1", "uuid4",
           "randbelow", "token_hex", "token_bytes"}


def _draws(function: types.FunctionType, seen: set) -> bool:
    """True if it, or a function of its module that it calls, may draw random numbers, or read a
    clock or a file."""
    if function in seen:
        return False
    seen.add(function)
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    near = [function.__globals__.get(name) for name in names]
    return bool(names & _CHANCE) or any(isinstance(found, types.FunctionType)
                                        and found.__globals__ is function.__globals__
                                        and _draws(found, seen)
                                        for found in near)


# Assignments to what is not the function's own happen once, when it is traced, and must not.
def _assigns_outside(function: types.FunctionType) -> bool:
    from opcode import opmap
    codes = _codes(function.__code__)
    stores = {opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL") if name in opmap}
    if function.__code__.co_freevars and "STORE_DEREF" in opmap:
        stores.add(opmap["STORE_DEREF"])
    return any(stores & set(code.co_code[::2]) for code in codes)


# Names that tell an array or a number of a trace from an array or a number of a call.
_KINDS = {"isinstance", "issubclass", "type", "__class__", "isscalar", "issubdtype", "hasattr",
          "callable", "singledispatch"}


# Names that read variables without saying their names.
_INDIRECT = {"getattr", "vars", "__dict__", "locals", "dir", "__import__", "import_module",
             "attrgetter", "methodcaller", "__globals__", "__builtins__"}


def _imports(code: types.CodeType, steps: Sequence[Tuple[int, int]]) -> bool:
    """True if it imports a module whose variables may change."""
    from opcode import opmap
    names = {code.co_names[n] for step, n in steps if step == opmap["IMPORT_NAME"]
             and n < len(code.co_names)}
    return any(not _is_foreign(name) or name.split(".")[0] in _STATES for name in names)


def _untraceable(code: types.CodeType) -> str:
    """Why a trace may take another way through code than a call does; nothing: it may not. A trace
    knows no elements, and raises where a call does not; sizes for which NumPy raises may come
    later."""
    from opcode import opmap
    steps = [(step, code.co_code[2 * k + 1]) for k, step in enumerate(code.co_code[::2]) if step]
    ops = {step for step, _ in steps}
    bare = any(a == opmap.get("PUSH_EXC_INFO") and b == opmap.get("POP_TOP")
               for (a, _), (b, _) in zip(steps, steps[1:]))
    if opmap.get("CHECK_EXC_MATCH") in ops or bare or "suppress" in code.co_names:
        return "it catches exceptions"
    truths = any(a == opmap.get("LOAD_CONST") and b == opmap.get("IS_OP")
                 and code.co_consts[n] in (True, False) and type(code.co_consts[n]) is bool
                 for (a, n), (b, _) in zip(steps, steps[1:]) if n < len(code.co_consts))
    if truths or opmap.get("MATCH_CLASS") in ops or _KINDS & set(code.co_names):
        return "it asks what kind of object an argument is"
    if _INDIRECT & set(code.co_names) or _imports(code, steps):
        return "it reads variables that its names do not say"
    named = {opmap.get(name) for name in ("LOAD_CONST", "LOAD_GLOBAL", "LOAD_ATTR", "LOAD_DEREF")}
    if any(b == opmap["IS_OP"] and a not in named for (a, _), (b, _) in zip(steps, steps[1:])):
        return _SAME
    return ""


_SAME = "it asks whether two arguments are the same object"


def _compares_objects(code: types.CodeType, objects: bool, around: Surroundings) -> bool:
    """True if code asks for the identity of an object or an array. A trace has other objects for
    these."""
    from opcode import opmap
    steps = [(step, code.co_code[2 * k + 1]) for k, step in enumerate(code.co_code[::2]) if step]
    for (a, n), (b, _) in zip(steps, steps[1:]):
        if b != opmap["IS_OP"] or a == opmap["LOAD_CONST"]:
            continue
        read = ([code.co_names[n >> 1]] if a == opmap["LOAD_GLOBAL"]
                else code.co_freevars if a == opmap["LOAD_DEREF"] else ())
        if (objects or set(read) & set(around.names)
            or a == opmap["LOAD_DEREF"] and code.co_cellvars):
            return True
    return False


class Watched:
    """While a function is traced: whether functions run that nobody has seen before, as those
    behind operators of objects, in a dict, or made by others."""

    def __init__(self, around: Surroundings, kinds: Sequence[type]):
        self.around, self.known = around, {code for kind in kinds
                                           for function in _functions_of(kind)
                                           for code in _codes(function.__code__)}
        self.other = ""
        self.before: Any = None

    def __enter__(self) -> None:
        self.before = sys.gettrace()
        sys.settrace(self.called)

    def __exit__(self, *error: Any) -> None:
        sys.settrace(self.before)

    def called(self, frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not self.other and code not in self.known and not self.around.knows(frame):
            name = frame.f_globals.get("__name__", "")
            if name.startswith("namedtuple_") or _is_foreign(name):
                self.known.add(code)
            else:
                self.other = code.co_name
        return self.before(frame, event, argument) if self.before is not None else None


# ------------------------------------------------------------------------------------------------
# Functions

class Jit:
    """The object behind a function that jit has made. `loose`: functions of Python's numbers are
    such numbers, as in texts."""

    loose = False

    def __init__(self, function: types.FunctionType, options: Dict[str, Any]):
        self.__wrapped__, self.options = function, options
        self.engines: Dict[int, Engine] = {}  # of texts, by thread
        self.structures: Dict[Any, Function] = {}
        # by thread, while a call with lists, dicts and objects is under way
        self.given: Dict[int, Any] = {}
        # what it reads allows no kernel; and how many calls have found so
        self.hopeless, self.as_written = False, 0
        # kernels, or why there is none, by the types of operands
        self.made: List[Tuple[str, Any]] = []
        self.see(function)
        self.function: Function = Function(self, self.make_plainly, self.otherwise,
                                           len(self.parameters) if self.simple
                                           and not self.takes_out else -1)
        self.renew()

    def see(self, function: types.FunctionType) -> None:
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        code = function.__code__
        self.parameters = code.co_varnames[:code.co_argcount]
        # no *args and **keywords
        self.simple = (not code.co_kwonlyargcount and not code.co_flags & 12)
        self.takes_out = "out" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]

    def renew(self) -> None:
        """Variables that it reads beside its operands may have changed by now."""
        self.around = Surroundings(self.__wrapped__)
        self.structures.clear()
        never = ((self, "", None),) if self.around.objects else ()  # which no call finds as it is
        self.function._renew(tuple(self.around.captured), (*never, *self.around.watched))

    @property
    def __signature__(self) -> Any:
        import inspect
        return inspect.signature(self.__wrapped__)

    @property
    def __annotations__(self) -> Any:
        return self.__wrapped__.__annotations__

    @property
    def __defaults__(self) -> Any:
        return self.__wrapped__.__defaults__

    def __repr__(self) -> str:
        return f"<tosajit.jit of {self.__qualname__}>"

    @property
    def engine(self) -> Engine:
        own = next(iter(self.engines.values()), None)  # of a text, which is one engine's
        return own or _engine_of(self.options)

    # --------------------------------------------------------------------------------------------
    # Calls that the extension does not answer

    def is_hopeless(self, args: Any, keywords: Any) -> bool:
        """True if a call is to run as it is written, without another look at the function's
        variables. There is a look at the
        8th call, the 64th, and so on, because variables may have changed by then. Arrays of others
        are NumPy's first."""
        if (not self.hopeless or any(type(a) not in _PLAIN and not _is_numpys(a)
                                     for a in (*args, *keywords.values()))):
            return False
        self.as_written += 1
        calls = self.as_written
        while calls % 8 == 0:
            calls //= 8
        return calls > 1

    def otherwise(self, *args: Any, **keywords: Any) -> Any:
        out = None if self.takes_out else keywords.pop("out", None)
        if self.is_hopeless(args, keywords):
            made = self.__wrapped__(*args, **keywords)
            return made if out is None else _copied(out, made)
        if not self.around_is_same():
            self.renew()
        try:
            tree, leaves, _ = self.bound(args, keywords)
        except RecursionError:  # something has itself as a part
            tree, leaves = _Static(self, True), ()
        if _traced(leaves):
            made = self.__wrapped__(*args, **keywords)
            return made if out is None else _copied(out, made)
        if _is_opaque(tree) or len(leaves) > _MOST_OPERANDS:
            made = self.__wrapped__(*args, **keywords)
            return made if out is None else _copied(out, made)
        called = self.structures.get(tree)
        if called is None:
            if len(self.structures) >= _MOST_STRUCTURES:
                self.structures.clear()
            called = Function(self, functools.partial(self.make, tree),
                              functools.partial(self.plainly, tree), len(leaves))
            called._renew(tuple(self.around.captured), tuple(self.around.watched))
            self.structures[tree] = called
        leaves = [_array_of(leaf) for leaf in leaves]
        thread = threading.get_ident()
        before = self.given.get(thread)
        self.given[thread] = (args, keywords) if _has_objects(tree) else None
        try:
            return called(*leaves) if out is None else called(*leaves, out=out)
        finally:
            if before is None:
                del self.given[thread]
            else:
                self.given[thread] = before

    def around_is_same(self) -> bool:
        fresh = Surroundings(self.__wrapped__)
        same = lambda a, b: len(a) == len(b) and all(x is y for p, q in zip(a, b)
                                                     for x, y in zip(p, q))
        return (same(fresh.captured, self.around.captured)
                and same(fresh.watched, self.around.watched)
                and same(fresh.objects, self.around.objects))

    def bound(self, args: Sequence[Any], keywords: Dict[str, Any]) -> Tuple[Any, List[Any], Any]:
        """Arguments, each in its place, as a tree and leaves."""
        leaves: List[Any] = []
        if not self.simple or keywords or len(args) != len(self.parameters):
            found = self.__signature__.bind(*args, **keywords)
            found.apply_defaults()
            args, keywords = found.args, found.kwargs
        around = [holder[key] if type(holder) is dict else holder.cell_contents
                  for holder, key in self.around.objects]
        return (flatten(tuple(args), leaves), flatten(dict(keywords), leaves),
                flatten(around, leaves)), leaves, args

    def plainly(self, tree: Any, *leaves: Any, out: Any = None) -> Any:
        """As it is written, by NumPy."""
        return self.plain(tree, leaves, out)

    def plain(self, tree: Any, leaves: Sequence[Any], out: Any) -> Any:
        """A function's changes of lists, dicts and objects are changes of the caller's."""
        own = self.given.get(threading.get_ident()) if _has_objects(tree) else None
        if own is None:
            return _plain(self.__wrapped__, tree, leaves, out)
        made = self.__wrapped__(*own[0], **own[1])
        return made if out is None else _copied(out, made)

    # --------------------------------------------------------------------------------------------
    # Kernels

    def make_plainly(self, operands: Any, element_types: Any, sizes: Any) -> Any:
        """For a call whose arguments are the operands."""
        count = len(self.parameters)
        return self.make(((tuple, (LEAF,) * count), (dict, (), ()), (list, ())), operands,
                         element_types, sizes)

    def make(self, tree: Any, operands: Any, element_types: Any, sizes: Any) -> Any:
        """The tuple that function.c keeps for operands of these types."""
        from ._array import Lasting, Left, Unknown
        from ._traced import Tracing
        count = len(operands) - len(self.around.captured)
        tracing = Tracing(self, tree, count, operands, element_types, sizes)
        described = ", ".join(f"{t}[{','.join('?' * len(s))}]"
                              for t, s in zip(element_types, sizes))
        try:
            why = self.unfit(tree)
            if why:
                raise Lasting(why)
            made = tracing.made()
            self.note(described, tracing)
            self.hopeless = False
            return made
        except Unknown:
            raise
        # Left, what the library refuses, and what NumPy says itself, when it runs
        except Exception as error:
            tracing.why = str(error).split("\n")[0] or type(error).__name__
            self.note(described, tracing)
            self.hopeless = (isinstance(error, Lasting)
                             and not any(other.kernels for _, other in self.made))
            expected = isinstance(error, (Left, Error))
            return (None, None, functools.partial(self.numpys, tree, count),
                    tracing.asked() if tracing.trace is not None else None,
                    True if not expected or tracing.trace is None else tracing.trace.for_sizes,
                    None, None, False)

    def unfit(self, tree: Any) -> str:
        """Why a trace may not be what calls are; nothing: it is."""
        if _assigns_outside(self.__wrapped__):
            return "it assigns to variables that are not its own"
        if _draws(self.__wrapped__, set()):
            return "it may draw random numbers, or read a clock or a file"
        if any(_compares_objects(code, bool(_records(tree)), self.around)
               for code in _codes(self.__wrapped__.__code__)):
            return _SAME
        return self.around.unsafe or next(filter(None, map(_methods_read, _records(tree))), "")

    def note(self, described: str, tracing: Any) -> None:
        """For explain; not more than there may be kernels."""
        self.made = [*self.made[-_MOST_STRUCTURES:], (described, tracing)]

    def improved(self, kernel: Any) -> Any:
        """In the place of the function that answered first."""
        made = kernel.engine.compile(kernel.text)
        for _, tracing in self.made:
            tracing.kernels = [made if known is kernel else known for known in tracing.kernels]
        return made

    def numpys(self, tree: Any, count: int, result: Any, operands: Any, out: Any) -> Any:
        return self.plain(tree, operands[:count], out)

    @property
    def kernels(self) -> List[Any]:
        """Functions made so far, by the types of operands."""
        return [kernel for _, tracing in self.made for kernel in tracing.kernels]

    def explain(self, *args: Any, **keywords: Any) -> str:
        """Tell who computes a call with these arguments, and why."""
        tree, leaves, _ = self.bound(args, keywords)
        self.function(*args, **keywords)
        if not self.made:
            return (f"{self.__qualname__}: NumPy computes it: an argument is neither an array of a "
                    "type that kernels have nor a number")
        from ._traced import explained
        return explained(self, tree, [_array_of(leaf) for leaf in leaves])

    def _repr_html_(self) -> str:
        from html import escape
        head = f"<pre>{escape(repr(self))}{'' if self.kernels else ': no kernel yet'}</pre>"
        return (head + "".join(kernel._repr_html_() for kernel in self.made[-1][1].kernels)
                if self.kernels else head)

    def __reduce_of__(self) -> Any:
        """A name where it has one, as functions are pickled."""
        found: Any = sys.modules.get(self.__wrapped__.__module__)
        for part in self.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is self.function and self.__wrapped__.__module__ != "__main__":
            return (_named, (self.__wrapped__.__module__, self.__qualname__))
        return (_remade, (self._by_name if found is self.function else self.__wrapped__,
                          self.options))

    @functools.cached_property
    def _by_name(self) -> types.FunctionType:
        """The function with a name by which pickle finds it. Of __main__, which is another file
        there, or a notebook, cloudpickle sends all of it."""
        made = _in_space(self.__wrapped__, self.__wrapped__.__globals__,
                         self.__wrapped__.__closure__)
        made.__module__, made.__qualname__ = (self.__wrapped__.__module__,
                                              f"{self.__qualname__}.{_BY_NAME}")
        return made


_BY_NAME = "_by_name"
_REMADE: Dict[Any, Any] = {}  # what others have sent last, by code


def _named(module: str, name: str) -> Any:
    import importlib
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _remade(function: Any, options: Dict[str, Any]) -> Any:
    """Once for all tasks that bring the same function."""
    name, _, last = function.__qualname__.rpartition(".")
    if last == _BY_NAME:
        try:
            known = _named(function.__module__, name)
            if getattr(known, _BY_NAME) is function:
                return known
        except AttributeError:
            pass
        function.__qualname__ = name
    key = (function.__code__, tuple(sorted(options.items())))
    known = _REMADE.get(key)
    if known is None or not _reads_the_same(known.__wrapped__, function):
        if len(_REMADE) >= _MOST_STRUCTURES:
            _REMADE.clear()
        known = _REMADE[key] = Jit(function, options).function
    return known


def _reads_the_same(a: Any, b: Any, most: int = 8) -> bool:
    """True if two objects of others are the same, and functions among them read the same variables.
    Doubtful cases are false."""
    def read(f: types.FunctionType) -> List[Any]:
        held = [f.__globals__.get(name) for code in _codes(f.__code__) for name in code.co_names]
        defaults = [*(f.__defaults__ or ()), len(f.__defaults__ or ()),
                    *(f.__kwdefaults__ or {}).values()]
        return [f.__qualname__, *held, *[cell.cell_contents if _is_filled(cell) else None
                                         for cell in f.__closure__ or ()], *defaults]

    if a is b or type(a) is not type(b):
        return a is b
    if type(a) is not types.FunctionType:
        return type(a) in (*_NUMBERS, str) and repr(a) == repr(b)
    mine, theirs = read(a), read(b)
    return (most > 0 and a.__code__ == b.__code__ and len(mine) == len(theirs)
            and all(_reads_the_same(x, y, most - 1) for x, y in zip(mine, theirs)))


def _traced(leaves: Sequence[Any]) -> bool:
    module = sys.modules.get("tosajit._array")
    return (module is not None and any(isinstance(leaf, (module.Array, module.Number))
                                       for leaf in leaves))


_PLAIN = frozenset((bool, int, float, complex, str, type(None)))


def _is_numpys(a: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and (type(a) is numpy.ndarray or isinstance(a, numpy.generic))


def _array_of(leaf: Any) -> Any:
    """An object with arrays of another library within, such as pandas' Series, as NumPy's array."""
    kind = type(leaf)
    if kind in _NUMBERS or kind in (memoryview, bytearray):
        return leaf
    numpy = sys.modules.get("numpy")
    if hasattr(kind, "__dlpack__") and (numpy is None or not isinstance(leaf, numpy.ndarray)):
        return leaf
    import numpy
    if kind is numpy.memmap:
        return leaf.view(numpy.ndarray)
    return leaf if isinstance(leaf, (numpy.ndarray, numpy.generic)) else numpy.asarray(leaf)


def write_all(outs: Sequence[Any], results: Sequence[Any], casting: str) -> None:
    """As if at once: nothing is written before all may be, and no result that is read later is
    written over."""
    import numpy
    arrays = [numpy.asarray(to) for to in outs]
    if len(arrays) > 1:
        for to, result in zip(arrays, results):
            numpy.copyto(numpy.empty(0, to.dtype), numpy.empty(0, numpy.asarray(result).dtype),
                         casting=casting)
            if not to.flags.writeable:
                raise ValueError("assignment destination is read-only")
        results = [a.copy() if isinstance(a, numpy.ndarray)
                   and any(numpy.may_share_memory(a, to) for to in arrays[:k]) else a
                   for k, a in enumerate(results)]
    for to, result in zip(arrays, results):
        numpy.copyto(to, result, casting=casting)


def _copied(out: Any, made: Any) -> Any:
    import numpy
    outs, results = (out, made) if isinstance(out, tuple) else ((out,), (made,))
    if len(outs) != len(results):
        raise ValueError(f"out: a tuple of {len(results)} arrays is needed, one for each result")
    for to, result in zip(outs, results):
        if tuple(to.shape) != numpy.shape(result):
            raise ValueError(f"out has the shape {tuple(to.shape)}, the result "
                             f"{numpy.shape(result)}")
    write_all(outs, results, "same_kind")
    return out


def _plain(function: Any, tree: Any, leaves: Sequence[Any], out: Any) -> Any:
    torch = sys.modules.get("torch")
    given = iter([leaf.numpy() if torch is not None and isinstance(leaf, torch.Tensor) else leaf
                  for leaf in leaves])
    args, keywords = unflatten(tree[0], given), unflatten(tree[1], given)
    made = function(*args, **keywords)
    if out is not None:
        return _copied(out, made)
    home = next(filter(None, map(_maker_of, leaves)), None)
    if home is None:
        return made
    import numpy
    results: List[Any] = []
    shape = flatten(made, results)
    return unflatten(shape, iter([home(numpy.asarray(a))
                                  if isinstance(a, (numpy.ndarray, numpy.generic)) else a
                                  for a in results]))


def _maker_of(leaf: Any) -> Any:
    """The function that makes arrays of the leaf's library from NumPy's; None for NumPy's own."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(leaf, torch.Tensor):
        return torch.from_numpy
    if (type(leaf) in _NUMBERS or numpy is not None
        and isinstance(leaf, (numpy.ndarray, numpy.generic))
        or not hasattr(leaf, "__array_namespace__")):
        return None
    return leaf.__array_namespace__().asarray


_ENGINES: Dict[Any, Engine] = {}


def _engine_of(options: Dict[str, Any]) -> Engine:
    from . import _usual_engine
    if not options:
        return _usual_engine()
    key = tuple(sorted(options.items()))
    if key not in _ENGINES:
        _ENGINES[key] = Engine(**{"threads": _usual_engine().threads, **options})
    return _ENGINES[key]


def jit(function: Any = None, *, accuracy: Optional[str] = None,
        threads: Optional[int] = None) -> Any:
    """Compile a function of arrays that is written with NumPy: put @tosajit.jit above its def.

    It is called as before, and gives what it gave, but for the last digits of floats. Its
    arithmetic, functions, sums, slices and indices become one loop, which reads each array once.
    NumPy computes the rest in between, such as np.sort or x @ y. A function that cannot be divided
    so runs as it is written.

    The first call with new element types or numbers of dimensions runs the function on arrays
    without elements, to see what it computes. So print shows once, and an if on elements is
    refused: write np.where. An if on shapes, options and numbers stays. Other sizes compile nothing
    anew. Precompiled operations answer until a thread has compiled the loop, in the same bits;
    tosajit.wait() waits for it.

    tosajit.special has functions that NumPy lacks, as erf, softmax and gelu.

    Parameters
    ----------
    function : function
        Of arrays of NumPy, tensors of PyTorch, arrays of jax, numbers, and tuples, lists, dicts or
        objects of these. A method, too.
    accuracy : {'reproducible', 'exact', 'contracted'}, optional
        Functions such as exp are at most 1 ulp off, or correctly rounded in float32 in more time.
        'contracted' also rounds a product once with the one sum that reads it. 'reproducible'
        without it. All have the same bits on every CPU.
    threads : int, optional
        How many threads divide a long run: as many as there are processors, or what set_num_threads
        says. Bits do not depend on it.

    Returns
    -------
    function
        Of the same arguments, and of `out=`, an array for the result. Results have NumPy's shapes
        and types, and are of the operands' kind. `explain(*arguments)` tells what computes a call,
        and why. `kernels` lists the kernels. `__wrapped__` is the function itself. Any number of
        threads may call it.

    Raises
    ------
    tosajit.ArgumentError
        At once: an option is wrong. When called: an `if` asks for the truth of elements.
    TypeError
        It is no function that is written in Python.
    Exception
        When called: what NumPy raises, as a ValueError for shapes that do not broadcast.

    Examples
    --------
    >>> import numpy as np, tosajit
    >>> @tosajit.jit
    ... def swish(x, b):
    ...     return x / (1 + np.exp(-(x + b)))
    >>> x, b = np.zeros((2, 3), np.float32), np.ones((1, 3), np.float32)
    >>> swish(x, b)
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)

    Into an array that is there:

    >>> out = np.empty((2, 3), np.float32)
    >>> swish(x, b, out=out) is out
    True

    With options, and a choice for each element:

    >>> @tosajit.jit(accuracy="exact", threads=2)
    ... def length(x, y, *, least=0.0):
    ...     r = np.sqrt(x * x + y * y)
    ...     return np.where(r < least, least, r)
    >>> length(np.array([3.0, 5.0]), np.array([4.0, 12.0]), least=6)
    array([ 6., 13.])

    What computes it:

    >>> print(swish.explain(x, b).splitlines()[1])
    x: f32[?,?]; b: f32[?,?]; _1 = (x + b); _2 = (-_1); _3 = exp(_2); _4 = (1.0 + _3); _5 = (x / _4); _5
    """
    options = {key: value for key, value in (("accuracy", accuracy), ("threads", threads))
               if value is not None}
    if options:
        _engine_of(options)  # which says what is wrong with them
    if function is None:
        return lambda f: jit(f, accuracy=accuracy, threads=threads)
    if isinstance(function, Function):
        return function
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(jit(function.__func__, accuracy=accuracy, threads=threads))
    from . import _names, _traced  # noqa: F401  # loaded now, so that no first result waits for it
    if not isinstance(function, types.FunctionType):
        if isinstance(function, types.MethodType):
            return types.MethodType(jit(function.__func__, accuracy=accuracy, threads=threads),
                                    function.__self__)
        raise TypeError("jit takes a function that is written in Python, not "
                        f"{type(function).__name__}")
    return Jit(function, options).function

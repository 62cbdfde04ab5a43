# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph as a function: PyTorch's own operations, and regions between them.

The function is Python's, a line for each operation or region, as torch.fx writes it. A region is
one call of C."""
from __future__ import annotations

import heapq
import logging
import operator
from array import array
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Union

import torch

from .. import Engine
from .._tosajit import Error, Region as CompiledRegion
from ._groups import look_through
from ._linear import restore
from ._ops import RULES, Refused, aten, value_of
from ._regions import Impossible, Operand, Partition, Region, Taken, is_view, parts_of, take, write
from ._written import RESIZES

log = logging.getLogger("tosajit.torch")

Step = Union[torch.fx.Node, Region]

try:
    from torch._C._dynamo.guards import _empty_strided_cpu as make_empty
except ImportError:
    def make_empty(size: Any, stride: Any, dtype: torch.dtype) -> torch.Tensor:
        return torch.empty_strided(size, stride, dtype=dtype)

# The same operations by a shorter way than the dispatcher's.
SHORT: Dict[Any, Callable[..., Any]] = {
    aten.mm.default: torch.mm, aten.bmm.default: torch.bmm, aten.addmm.default: torch.addmm,
                                        aten.linear.default: torch._C._nn.linear,
    aten.convolution.default: torch.convolution,
    aten.view.default: torch.Tensor.view, aten._unsafe_view.default: torch.Tensor.view,
                                        aten.permute.default: torch.Tensor.permute,
    aten.transpose.int: torch.Tensor.transpose, aten.t.default: torch.Tensor.t,
                                        aten.unsqueeze.default: torch.Tensor.unsqueeze,
    aten.squeeze.dim: torch.Tensor.squeeze, aten.expand.default: torch.Tensor.expand,
                                        aten.select.int: torch.Tensor.select,
    aten.alias.default: torch.Tensor.detach, aten.detach.default: torch.Tensor.detach,
}
# Whose results have memory of their own, besides what tosajit has rules for. Schemas do not tell:
# _unsafe_view shares memory.
FRESH = {"mm", "bmm", "addmm", "baddbmm", "addbmm", "convolution", "linear", "cat", "embedding",
         "gather", "index", "index_select", "scatter", "scatter_add", "scatter_reduce", "index_add",
         "index_put",
         "constant_pad_nd", "max_pool2d_with_indices", "avg_pool2d", "_adaptive_avg_pool2d",
         *RESIZES, "_scaled_dot_product_flash_attention_for_cpu", "rand_like",
         "randn_like", "triu", "tril", "cumsum",
         "slice_scatter", "select_scatter", "native_dropout", "convolution_backward",
         "embedding_dense_backward", "empty_like",
         "clone", "_to_copy"}


def is_fixed(node: torch.fx.Node) -> bool:
    """True if nodes of its kind must stay in order: it draws random numbers, or writes to
    something."""
    if node.op != "call_function":
        return node.op not in ("placeholder", "get_attr", "output")
    target = node.target
    if not isinstance(target, torch._ops.OpOverload):
        return (not getattr(target, "__module__",
                            "").startswith(("_operator", "math", "torch.sym"))
                and target is not operator.getitem)
    if target.namespace not in ("aten", "prims"):
        return True
    return target._schema.is_mutable or torch.Tag.nondeterministic_seeded in target.tags


def is_fresh(node: torch.fx.Node) -> bool:
    """True if its result has memory of its own."""
    target = node.target
    if target is operator.getitem:
        return is_fresh(node.args[0])
    if (node.op != "call_function" or not isinstance(target, torch._ops.OpOverload)
        or target._schema.is_mutable):
        return False
    return (target.overloadpacket in RULES or target.namespace == "aten"
            and target._schema.name.partition("::")[2] in FRESH)


def is_whole(node: torch.fx.Node, root: torch.fx.Node) -> bool:
    """True if a value is no view. Where a result of eager's is no view, the graph's result must not
    be a view."""
    return node is root and node.target is not aten.linear.default


class Plan:
    """Steps in their order, and when the memory of each value is needed for the last time."""

    def __init__(self, graph: torch.fx.Graph, keep: Callable[[Region, Dict[torch.fx.Node, Taken]],
                                                             bool],
                 whole: Set[torch.fx.Node] = frozenset()) -> None:
        """whole: parts and concatenations that no kernel has."""
        self.nodes = list(graph.nodes)
        self.taken: Dict[torch.fx.Node, Taken] = {}
        self.reasons: Dict[torch.fx.Node, str] = {}
        self.output = self.nodes[-1]
        before = self.before = self._order_of_fixed()
        self.needed = self._needed()
        self._take(whole)
        partition = Partition(self.nodes, self.taken, self.views, before)
        self.reasons.update(partition.reasons)
        self.index = {node: k for k, node in enumerate(self.nodes)}
        self.regions: Dict[torch.fx.Node, Region] = {}
        for region in {id(r): r for r in partition.regions.values()}.values():
            if keep(region, self.taken):
                self.regions.update(dict.fromkeys(region.nodes, region))
            else:
                self.reasons.update(dict.fromkeys(region.nodes, "alone it would gain nothing"))
        for node in list(self.taken):
            if node not in self.regions:
                del self.taken[node]
        self.needed = self._needed()
        self.steps = self._sort()
        self._lifetimes()

    def _take(self, whole: Set[torch.fx.Node]) -> None:
        self.views = {node for node in self.nodes if node not in whole and is_view(node)}
        for node in self.nodes:
            if node.op != "call_function" or node not in self.needed:
                continue
            try:
                if node in whole:
                    raise Refused("a kernel with such pieces was refused")
                self.taken[node] = take(node, self.views)
            except Refused as why:
                self.reasons[node] = str(why)
            except Exception as why:  # of a form that the rule does not know
                self.reasons[node] = f"its rule failed: {why!r}"
                log.warning("left to PyTorch: %s = %s: %s", node.name, node.target,
                            self.reasons[node])

    def _order_of_fixed(self) -> Dict[torch.fx.Node, List[torch.fx.Node]]:
        """Random numbers are drawn in the graph's order."""
        before: Dict[torch.fx.Node, List[torch.fx.Node]] = {}
        last: Optional[torch.fx.Node] = None
        for node in self.nodes:
            if isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable:
                raise Refused(f"{node.target} writes to what others read")
            if is_fixed(node):
                before[node] = [last] if last is not None else []
                last = node
        return before

    def inputs(self, node: torch.fx.Node) -> List[torch.fx.Node]:
        if node in self.taken:
            return [*self.taken[node].bases, *self.taken[node].extras]
        return node.all_input_nodes + self.before.get(node, [])

    def _needed(self) -> Set[torch.fx.Node]:
        needed: Set[torch.fx.Node] = set()
        waiting = [self.output] + [n for n in self.nodes if is_fixed(n)]
        while waiting:
            node = waiting.pop()
            if node not in needed:
                needed.add(node)
                waiting.extend(self.inputs(node))
        return needed

    def _sort(self) -> List[Step]:
        """Each step behind what it reads, and otherwise as in the graph; a region as late as its
        last node."""
        groups: Dict[Any, Step] = {}
        for node in self.nodes:
            if node in self.needed or node.op == "placeholder":
                groups[self.regions.get(node, node)] = self.regions.get(node, node)
        order = {step: self.index[step.nodes[-1] if isinstance(step, Region) else step]
                 for step in groups}
        readers: Dict[Step, List[Step]] = {step: [] for step in groups}
        missing: Dict[Step, int] = {}
        for step in groups:
            members = step.nodes if isinstance(step, Region) else [step]
            own = {self.regions.get(n, n) for member in members if member in self.needed
                   for n in self.inputs(member)} - {step}
            missing[step] = len(own)
            for other in own:
                readers[other].append(step)
        ready = [(order[step], id(step), step) for step in groups if not missing[step]]
        heapq.heapify(ready)
        steps: List[Step] = []
        while ready:
            step = heapq.heappop(ready)[2]
            steps.append(step)
            for reader in readers[step]:
                missing[reader] -= 1
                if not missing[reader]:
                    heapq.heappush(ready, (order[reader], id(reader), reader))
        if len(steps) != len(groups):
            raise AssertionError("the regions depend on each other")
        return steps

    def read_by(self, step: Step) -> List[torch.fx.Node]:
        if isinstance(step, Region):
            return list(dict.fromkeys(n for member in step.nodes if member in self.needed
                                      for n in self.inputs(member)
                                      if self.regions.get(n) is not step))
        return step.all_input_nodes

    def _lifetimes(self) -> None:
        # whose memory a value has; None: nobody knows
        self.root: Dict[torch.fx.Node, Optional[torch.fx.Node]] = {}
        self.last: Dict[torch.fx.Node, int] = {}  # of a root: the last step that reads it
        self.escaped: Set[torch.fx.Node] = set()  # roots whose memory others may have, too
        self.results: Dict[int, List[torch.fx.Node]] = {}
        read = [self.read_by(step) for step in self.steps]
        readers: Dict[torch.fx.Node, Set[int]] = {}
        for k, nodes in enumerate(read):
            for node in nodes:
                readers.setdefault(node, set()).add(k)
        for k, step in enumerate(self.steps):
            if isinstance(step, Region):
                self.results[id(step)] = [n for n in step.nodes if readers.get(n)]
                self.root.update({n: n for n in step.nodes})
            else:
                self.root[step] = self._root(step)
        for node, steps in readers.items():
            root = self.root.get(node)
            if root is not None:
                self.last[root] = max(self.last.get(root, -1), *steps)
        for root in {self.root.get(node) for node in self.output.all_input_nodes} | self.escaped:
            if root is not None:
                self.last[root] = len(self.steps)

    def _root(self, node: torch.fx.Node) -> Optional[torch.fx.Node]:
        """The node whose memory this node's value has. Where that is unknown, it may have the
        memory of any of its operands."""
        if node.op != "call_function":
            return None
        if is_fresh(node):
            return node
        target = node.target
        if target is operator.getitem:
            return self.root.get(node.args[0])
        if isinstance(node.meta.get("val"), (int, float, bool, torch.SymInt, torch.SymFloat,
                                             torch.SymBool)):
            return None
        if target is aten._unsafe_view.default:
            return self.root.get(node.args[0])
        if (isinstance(target, torch._ops.OpOverload) and not target._schema.is_mutable
            and target.namespace == "aten"):
            aliased = [k for k, a in enumerate(target._schema.arguments) if a.alias_info]
            if (len(aliased) == 1 and aliased[0] < len(node.args)
                and isinstance(node.args[aliased[0]], torch.fx.Node)):
                return self.root.get(node.args[aliased[0]])
        self.escaped.update(root for root in map(self.root.get, node.all_input_nodes)
                            if root is not None)
        return None


# ---------------------------------------------------------------------------------------------------------------------
# Regions

def gains(region: Region, taken: Dict[torch.fx.Node, Taken]) -> bool:
    """One light operation alone is as fast in PyTorch."""
    rules = [taken[node].rule for node in region.nodes]
    if len(rules) > 1:
        return not (all(rule.light for rule in rules) and any(rule.slow for rule in rules))
    return not rules[0].light and rules[0].axes is None or rules[0].keeps is None


def otherwise(arguments: Sequence[torch.fx.Node],
              results: Sequence[torch.fx.Node]) -> Callable[..., Any]:
    """The same by PyTorch's operations, for tensors that are not as they were expected."""
    def compute(*given: Any) -> Any:
        known = dict(zip(arguments, given))

        def value(node: torch.fx.Node) -> Any:
            if node not in known:
                args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), value)
                known[node] = node.target(*args, **kwargs)
            return known[node]

        found = [value(node) for node in results]
        return found[0] if len(found) == 1 else tuple(found)

    return compute


def _bytes(numbers: Sequence[int]) -> bytes:
    return array("b", numbers).tobytes()


class Compiled(NamedTuple):
    region: CompiledRegion
    arguments: List[torch.fx.Node]
    results: List[torch.fx.Node]
    key: str  # what the kernel was compiled of


def may_go_over(region: Region, taken: Dict[torch.fx.Node, Taken], node: torch.fx.Node,
                operand: Operand) -> bool:
    """Whatever an index takes is read to the end. What an index changes is written from the first
    block on, over what it is made of alone."""
    if operand.indexed or max(operand.runs, default=1) > 1:
        return False
    if not region.updates:
        return True
    index = taken[node].rule.index
    if index is None or not index.changes or index.base is not None:
        return False
    readers = [n for n in region.nodes if operand.node in taken[n].bases]
    return operand.node is taken[node].rule.reads[0] and readers == [node]


def compile_region(engine: Any, plan: Plan, position: int, region: Region) -> Compiled:
    wanted = plan.results[id(region)]
    kernel = write(region, wanted, plan.taken)
    if len(kernel.operands) + len(wanted) > 64:
        raise Impossible("it has too many operands and results")
    arguments = [operand.node for operand in kernel.operands]
    arguments += [n for n in plan.read_by(region) if n not in arguments]
    outputs = set(plan.output.all_input_nodes)
    roots = [plan.root.get(operand.node) for operand in kernel.operands]
    results = []
    for node, layout in zip(wanted, kernel.layouts):
        over = 0
        for k, operand in enumerate(kernel.operands):
            dies = (not operand.cut and min(operand.axes, default=0) >= 0 and roots[k] is not None
                    and roots.count(roots[k]) == 1 and plan.last.get(roots[k]) == position
                    and may_go_over(region, plan.taken, node, operand))
            if (dies and value_of(operand.node).dtype == value_of(node).dtype
                and (node not in outputs or is_whole(operand.node, roots[k]))):
                over |= 1 << k
        results.append(
            (value_of(node).dim(), *map(_bytes, layout[:3]), array("q", layout.sizes).tobytes(),
             _bytes(layout.order), over, value_of(node).dtype))
    operands = tuple((value_of(o.node).dim(), _bytes(o.axes), _bytes(o.runs))
                     for o in kernel.operands)
    key = f"{kernel.apart} {kernel.text}"
    compiled = CompiledRegion(engine if isinstance(engine, Engine) else engine.get(key),
                              kernel.text, kernel.apart, operands, tuple(results), make_empty,
                              otherwise(arguments, wanted))
    return Compiled(compiled, arguments, wanted, key)


# ---------------------------------------------------------------------------------------------------------------------
# The function

class Writer:
    """Python's text of a plan."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.module = module
        self.lines: List[str] = []
        self.known: Dict[str, Any] = {}
        self.names: Dict[torch.fx.Node, str] = {}

    def constant(self, value: Any) -> str:
        name = f"_c{len(self.known)}"
        self.known[name] = value
        return name

    def name(self, node: torch.fx.Node) -> str:
        return self.names.setdefault(node, f"v{len(self.names)}")

    def argument(self, value: Any) -> str:
        if isinstance(value, torch.fx.Node):
            return self.names[value]
        if value is None or value is True or value is False or type(value) is int:
            return repr(value)
        if isinstance(value, (list, tuple)):
            inner = ", ".join(map(self.argument, value))
            return (f"[{inner}]" if isinstance(value, list)
                    else f"({inner}{',' if len(value) == 1 else ''})")
        if isinstance(value, slice):
            return (f"slice({self.argument(value.start)}, {self.argument(value.stop)}, "
                    f"{self.argument(value.step)})")
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.argument(v)}" for k, v in value.items()) + "}"
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            raise Refused("a size that no node computes")
        return self.constant(value)

    def call(self, node: torch.fx.Node) -> None:
        if node.op == "get_attr":
            value = self.module
            for part in node.target.split("."):
                value = getattr(value, part)
            self.lines.append(f"{self.name(node)} = {self.constant(value)}")
            return
        if node.op != "call_function":
            raise Refused(f"{node.op} in a graph")
        if node.target is operator.getitem:
            self.lines.append(f"{self.name(node)} = "
                              f"{self.argument(node.args[0])}[{self.argument(node.args[1])}]")
            return
        target = (SHORT.get(node.target) or (node.target._op
                                             if isinstance(node.target, torch._ops.OpOverload)
                                             else node.target))
        arguments = [self.argument(a) for a in node.args] + [f"{k}={self.argument(v)}"
                                                             for k, v in node.kwargs.items()]
        self.lines.append(f"{self.name(node)} = {self.constant(target)}({', '.join(arguments)})")

    def region(self, compiled: Compiled) -> None:
        arguments = ", ".join(self.names[n] for n in compiled.arguments)
        results = ", ".join(self.name(n) for n in compiled.results)
        self.lines.append(f"{results} = {self.constant(compiled.region.run)}({arguments})")

    def forget(self, nodes: Sequence[torch.fx.Node]) -> None:
        if nodes:
            self.lines.append(f"del {', '.join(self.names[n] for n in nodes)}")

    def function(self, inputs: Sequence[torch.fx.Node], output: Any) -> Callable[[List[Any]], Any]:
        given = [f"({''.join(self.names[n] + ', ' for n in inputs)}) = args" if inputs else "pass",
                 "args.clear()"]
        body = given + self.lines + [f"return {self.argument(tuple(output) if isinstance(output, list) else output)}"]
        heads = "".join(f", {name}={name}" for name in self.known)
        text = f"def call(args{heads}):\n" + "".join(f"    {line}\n" for line in body)
        scope = dict(self.known)
        exec(compile(text, "<tosajit.torch>", "exec"), scope)
        call = scope["call"]
        call._boxed_call = True
        call.text = text
        return call


def _tell(plan: Plan, name: str, done: Dict[int, Compiled]) -> None:
    if not log.isEnabledFor(logging.INFO):
        return
    log.info("%s: %d regions with %d operations", name, len(done),
             sum(len(s.nodes) for s in plan.steps if isinstance(s, Region)))
    for step in plan.steps:
        if isinstance(step, Region) and id(step) in done:
            log.debug("region of %s: %s", ", ".join(n.name for n in step.nodes),
                      done[id(step)].region.kernel.text)
        elif (isinstance(step, torch.fx.Node) and step.op == "call_function"
              and step in plan.reasons):
            log.debug("left to PyTorch: %s = %s: %s", step.name, step.target, plan.reasons[step])


def build(module: torch.fx.GraphModule, engine: Any, name: str) -> Callable[[List[Any]], Any]:
    """engine: an Engine, or what has kernels or an Engine for each (see _saved.py)."""
    restore(module.graph)
    look_through(module.graph)
    refused: Set[torch.fx.Node] = set()
    whole: Set[torch.fx.Node] = set()
    for _ in range(8):
        plan = Plan(module.graph, lambda region, taken: not refused & set(region.nodes)
                    and gains(region, taken), whole)
        done: Dict[int, Compiled] = {}
        failed = False
        for position, step in enumerate(plan.steps):
            if not isinstance(step, Region):
                continue
            try:
                done[id(step)] = compile_region(engine, plan, position, step)
            except (Error, Impossible, Refused, ValueError) as why:
                pieces = {n
                          for n in step.nodes if plan.taken[n].rule.joins is not None} | parts_of(
                              step.nodes, plan.taken, plan.views)
                log.log(logging.INFO if pieces else logging.WARNING, "%s: %s",
                        "without pieces" if pieces else "a region stays PyTorch's", why)
                (whole if pieces else refused).update(pieces or step.nodes)
                failed = True
        if not failed:
            break
    _tell(plan, name, done)
    writer = Writer(module)
    inputs = [n for n in plan.nodes if n.op == "placeholder"]
    for node in inputs:
        writer.name(node)
    alive = {n: k for k, step in enumerate(plan.steps) for n in plan.read_by(step)}
    ends: Dict[int, List[torch.fx.Node]] = {}
    kept = set(plan.output.all_input_nodes)
    for node, k in alive.items():
        if node not in kept:
            ends.setdefault(k, []).append(node)
    for k, step in enumerate(plan.steps):
        if isinstance(step, Region):
            writer.region(done[id(step)])
        elif step.op not in ("placeholder", "output"):
            writer.call(step)
        writer.forget(ends.get(k, []))
    call = writer.function(inputs, plan.output.args[0])
    call.regions = [c.region for c in done.values()]
    call.kernels = {c.key: c.region.kernel for c in done.values()}
    return call

"""Which kernels Inductor makes of a graph: what it fuses, and what each kernel reads and writes.

Asked of Inductor's own scheduler right after fusion, so nothing is compiled or run. On "cuda" the scheduler decides by
the properties of a device that need not be there: those of an H100 SXM are given.
"""
from __future__ import annotations

import math
import operator
import types
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
import torch._dynamo.device_interface as device_interface
import torch._functorch.config
import torch.fx as fx
from torch._guards import TracingContext, tracing
from torch._inductor import config, ir, scheduler
from torch._inductor.compile_fx import compile_fx
from torch._inductor.dependencies import MemoryDep, StarDep, WeakDep
from torch._inductor.exc import InductorError
from torch._inductor.runtime.hints import DeviceProperties
from torch._inductor.virtualized import V

Kernel = dict[str, Any]
H100 = DeviceProperties("cuda", 0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536,
                        max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32)
PROPERTIES = types.SimpleNamespace(
    name="NVIDIA H100 80GB HBM3", major=9, minor=0, multi_processor_count=132, warp_size=32, total_memory=80 << 30,
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024,
    shared_memory_per_block=49152, shared_memory_per_block_optin=232448, L2_cache_size=50 << 20, gcnArchName="")
EXTERN = ("extern", "view", "collective", "wait")
MARK = "fusion_case_node"
THREADS = 8  # of the CPU, by which reductions are split


class _Scheduled(Exception):
    """Ends the compilation: what was asked for is known."""


def kernels_of(graph_module: fx.GraphModule, device: str) -> list[Kernel]:
    """The kernels in the order in which they would run, in terms of the nodes of `graph_module`.

    @param graph_module on `device`, with fake values in `meta["val"]` and its mode in `meta["fake_mode"]`. Its nodes
        are marked with their names, by which they are known again behind decompositions and Inductor's own passes.
    """
    found: list[Kernel] = []
    for node in graph_module.graph.nodes:
        node.meta["custom"] = {**node.meta.get("custom", {}), MARK: node.name}

    def take(nodes: list[scheduler.BaseSchedulerNode]) -> list[scheduler.BaseSchedulerNode]:
        found.extend(_Kernels(nodes, given, products).described())
        raise _Scheduled

    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    products = _products_in_sums(graph_module)
    inputs, given = [node.meta["val"] for node in placeholders], [node.name for node in placeholders]
    with ExitStack() as stack:
        stack.enter_context(config.patch({"_post_fusion_custom_pass": take, "force_disable_caches": True,
                                          "cpp.threads": THREADS}))
        stack.enter_context(torch._functorch.config.patch(enable_autograd_cache=False))
        stack.enter_context(tracing(TracingContext(graph_module.meta["fake_mode"])))
        stack.enter_context(fx.traceback.preserve_node_meta())
        if device.startswith("cuda"):
            stack.enter_context(_as_if_there_were_a_gpu())
            # It would compute constants on the device; kernels have them as numbers all the same.
            stack.enter_context(config.patch(joint_graph_constant_folding=False))
        try:
            compile_fx(graph_module, inputs)
        except InductorError as error:
            if not isinstance(error.inner_exception, _Scheduled):
                raise
    return found


@contextmanager
def _as_if_there_were_a_gpu() -> Iterator[None]:
    interface = device_interface.CudaInterface
    with ExitStack() as stack:
        for place, name, value in (
                (interface, "get_device_properties", PROPERTIES), (interface, "is_bf16_supported", True),
                (interface, "get_compute_capability", 90), (DeviceProperties, "create", H100),
                (scheduler, "has_triton", True), (torch.cuda, "get_device_properties", PROPERTIES),
                (torch.cuda, "get_device_capability", (9, 0)), (torch.cuda, "current_device", 0)):
            stack.enter_context(mock.patch.object(place, name, lambda *_, _value=value, **__: _value))
        yield


class _Kernels:
    """What the scheduler made, in the terms of the graph that was given."""

    def __init__(self, nodes: Sequence[scheduler.BaseSchedulerNode], given: Sequence[str],
                 products: dict[str, str]) -> None:
        self.nodes = nodes
        self.products = products
        self.outputs = set(V.graph.get_output_names())
        self.order = {node: index for index, node in enumerate(V.graph.graph.nodes)}
        self.extern = {self._last_origin(part) for node in nodes for part in node.get_nodes()
                       if isinstance(part, scheduler.ExternKernelSchedulerNode)}

        placeholders = [node for node in V.graph.graph.nodes if node.op == "placeholder"]
        self.inputs = dict(zip(V.graph.graph_input_names, given, strict=False))
        assert len(placeholders) == len(given), "every input of the graph is one of the compiled graph"
        # What each buffer holds: values of the compiled graph, after decompositions.
        self.values: dict[str, set[fx.Node]] = {name: {node} for name, node in zip(V.graph.graph_input_names, placeholders,
                                                                                strict=False)}
        for node in nodes:
            for part in node.get_nodes():
                self._learn_values(part)

    def described(self) -> list[Kernel]:
        return [self._kernel(node) for node in self.nodes if not isinstance(node, scheduler.NopKernelSchedulerNode)
                and not _is_no_work(node)]

    def _kernel(self, node: scheduler.BaseSchedulerNode) -> Kernel:
        parts: Sequence[Any] = node.get_nodes()
        kind = _kind(node)
        origins = {origin for part in parts for origin in (
            [self._last_origin(part)] if kind in EXTERN else self._computed(part)) if origin is not None}
        named = dict.fromkeys(_name(origin) for origin in sorted(origins, key=self._place)
                              if MARK in (origin.meta.get("custom") or {}))
        reads, writes = self._reads(node), self._writes(node)
        kernel: Kernel = {"kind": kind, "nodes": list(named)}
        if kind in EXTERN:
            kernel["operator"] = _operator(parts[0])
            if kernel["operator"].startswith("aten.addmm"):  # made from an addition, which alone it remembers
                kernel["nodes"] = [name for add in named for name in (self.products.get(add), add) if name]
        else:
            kernel["loops"] = [[_product(sizes) for sizes in part.get_ranges()] for part in parts]
            kernel["parts"] = len(parts)
            if type(node).__name__ not in ("SchedulerNode", "FusedSchedulerNode"):
                kernel["fused_as"] = type(node).__name__
        if kind in ("view", "collective", "wait"):
            return kernel  # nothing is launched on the compute stream
        kernel |= {"bytes_read": sum(read["bytes"] for read in reads),
                   "bytes_written": sum(write["bytes"] for write in writes), "reads": reads, "writes": writes}
        return kernel

    def _place(self, origin: fx.Node) -> int:
        return self.order.get(origin, -1)

    def _last_origin(self, part: Any) -> fx.Node | None:
        """What an extern kernel is for: its inputs' origins, which it has too, come before it."""
        origins = sorted(part.node.get_origins(), key=self._place)
        return origins[-1] if origins else None

    def _learn_values(self, part: Any) -> None:
        if isinstance(part, scheduler.ExternKernelSchedulerNode):
            origin = self._last_origin(part)
            found = {origin, *(user for user in origin.users if user.target is operator.getitem)} if origin else set()
        else:
            root = self._root(part)
            found = {root} if root else set()
        for buffer in part.get_outputs():
            self.values[buffer.get_name()] = found

    def _root(self, part: Any) -> fx.Node | None:
        """The value that a generated loop computes.

        A copy that an extern kernel asks for has no node of its own: it is the argument of that kernel which can be
        computed from just what the copy reads.
        """
        root = part.node.get_origin_node()
        if root is not None and root not in self.extern:
            return root
        origins = [origin for origin in part.node.get_origins() if origin not in self.extern]
        read = self._read_values(part)
        exact = [origin for origin in origins if self._closure(origin, read)[1] == read]
        return max(exact or origins, key=self._place, default=None)

    def _read_values(self, part: Any) -> set[fx.Node]:
        return {value for read in part.read_writes.reads for value in self.values.get(read.name, ())}

    def _computed(self, part: Any) -> set[fx.Node]:
        """Nodes that the loop evaluates: all between what it reads and its result."""
        root, read = self._root(part), self._read_values(part)
        if root is None:
            return set()
        inside, ends = self._closure(root, read)
        return inside if read or not ends else {root}  # zeros that a later kernel adds to need nothing

    def _closure(self, root: fx.Node, read: set[fx.Node]) -> tuple[set[fx.Node], set[fx.Node]]:
        """Nodes from `root` back to values in `read`, and those of them at which it ended."""
        inside, ends = {root}, {root} & read  # a second stage reduces what a first one has left of the same value
        open_ = [] if ends else [root]
        while open_:
            for argument in open_.pop().all_input_nodes:
                if argument in read or argument in self.extern or argument.op == "placeholder":
                    ends.add(argument)
                elif argument not in inside:
                    inside.add(argument)
                    open_.append(argument)
        return inside, ends

    def _reads(self, node: scheduler.BaseSchedulerNode) -> list[dict[str, Any]]:
        own = node.get_buffer_names()
        return self._accesses([read for read in node.read_writes.reads
                               if read.name not in own and not isinstance(read, WeakDep)])

    def _writes(self, node: scheduler.BaseSchedulerNode) -> list[dict[str, Any]]:
        """A buffer that only the kernel itself reads never reaches memory."""
        operations = node.get_operation_names()
        leaves = {buffer.get_name() for buffer in node.get_outputs()
                  if buffer.get_name() in self.outputs or buffer.get_aliases() or buffer.get_mutations()
                  or any(user.get_name() not in operations for user in buffer.users)}
        return self._accesses([write for write in node.read_writes.writes if write.name in leaves])

    def _accesses(self, dependencies: Sequence[Any]) -> list[dict[str, Any]]:
        """One entry for each buffer, with the bytes that the kernel touches of it.

        They are what Inductor counts: the range of each index once, and never more than the whole buffer.
        """
        touched: dict[str, list[Any]] = {}
        for dependency in dependencies:
            for name in self._results(dependency.name):
                touched.setdefault(name, []).append(dependency if name == dependency.name else StarDep(name))
        entries = [self._entry(name, dependencies) for name, dependencies in touched.items()]
        return sorted((entry for entry in entries if entry["bytes"]), key=lambda entry: (entry["node"], entry["shape"]))

    def _results(self, name: str) -> list[str]:
        """A buffer; the one that an operation in place writes; of an extern kernel with several results, each of them."""
        name = V.graph.scheduler.mutation_real_name.get(name, name)
        buffer = V.graph.name_to_buffer.get(name)
        if buffer is not None and isinstance(buffer.layout, ir.NoneLayout):
            return []
        if buffer is None or not isinstance(buffer.layout, ir.MultiOutputLayout):
            return [name]
        users: Sequence[Any] = V.graph.scheduler.name_to_buf[name].users
        return [user.node.node.get_name() for user in users if isinstance(user.node.node, ir.MultiOutput)]

    def _entry(self, name: str, dependencies: Sequence[Any]) -> dict[str, Any]:
        buffer: Any = V.graph.graph_inputs.get(name) or V.graph.name_to_buffer[name]
        shape = [_number(size) for size in buffer.get_size()]
        dtype = buffer.get_dtype()
        touched = sum(int(V.graph.get_dep_size_hint(dependency)) for dependency in dependencies)
        entry: dict[str, Any] = {
            "node": self._node_of(name, buffer), "dtype": str(dtype).removeprefix("torch."), "shape": shape,
            "bytes": min(touched, math.prod(shape) * dtype.itemsize)}
        if any(isinstance(dependency, MemoryDep) and dependency.is_indirect() for dependency in dependencies):
            entry["indirect"] = True
        return entry

    def _node_of(self, name: str, buffer: Any) -> str:
        """The node whose value the buffer holds, or from which a part of its work made it."""
        if name in self.inputs:
            return self.inputs[name]
        origin = buffer.get_origin_node() if isinstance(buffer, ir.MultiOutput) else None
        if origin is not None:
            return _name(origin)
        values = self.values.get(name)
        return _name(min(values, key=self._place)) if values else name


def _products_in_sums(graph_module: fx.GraphModule) -> dict[str, str]:
    """Additions of a product, by name, with the product's name."""
    aten = torch.ops.aten
    return {node.name: argument.name for node in graph_module.graph.nodes if node.target is aten.add.Tensor
            for argument in node.all_input_nodes if argument.target is aten.mm.default}


def _kind(node: scheduler.BaseSchedulerNode) -> str:
    if any(isinstance(part, scheduler.ExternKernelSchedulerNode) for part in node.get_nodes()):
        overload = getattr(node.get_nodes()[0].node, "op_overload", None)
        name = str(overload)
        if name.startswith("_c10d_functional."):
            return "wait" if "wait_tensor" in name else "collective"
        return "view" if getattr(overload, "is_view", False) or name == "aten.reshape.default" else "extern"
    if node.is_template():
        return "template"
    return "reduction" if node.is_reduction() else "pointwise"


def _number(size: Any) -> int:
    return int(V.graph.sizevars.optimization_hint(size))


def _product(sizes: Sequence[Any]) -> int:
    return math.prod(map(_number, sizes))


def _is_no_work(node: scheduler.BaseSchedulerNode) -> bool:
    """Several results of one extern kernel are taken apart by nodes that launch nothing."""
    return isinstance(node.node, ir.MultiOutput)


def _operator(part: scheduler.BaseSchedulerNode) -> str:
    kernel = part.node
    return str(getattr(kernel, "op_overload", None) or getattr(kernel, "python_kernel_name", None) or type(kernel).__name__)


def _name(origin: fx.Node) -> str:
    return (origin.meta.get("custom") or {}).get(MARK) or origin.name

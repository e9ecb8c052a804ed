"""Nodes, arguments and tensors of an FX graph as an overlap-graph document has them (version 1).

The format is that of the application's files; core/io/graph/graph_node_reader.cpp and its neighbours read it.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
import torch.fx as fx
from torch.utils._pytree import tree_leaves

from .errors import ExportError
from .native import native_core, without_garbage_collection
from .symbols import SymbolicNumber, Symbols

Json = Any

# What the application knows of `node.meta` beside the fields that `NodeEncoder` writes one by one. torchtitan's passes
# leave these; they keep their names, in an object of their own.
TRAINER_META = ("recompute", "fsdp_bucket", "chunk_id", "chunked_region_fqn", "chunked_region_role",
                "chunked_region_is_backward", "chunked_region_producer", "chunked_original_name")
# What no pass that decides about communication reads: the values' older form, and where a node comes from.
MEANINGLESS_META = frozenset((
    "val", "tensor_meta", "example_value", "stack_trace", "original_aten", "from_node", "source_fn_stack",
    "fwd_source_fn_stack", "torch_fn", "desc", "eager_input_vals", "unbacked_bindings", "mutation_region_id",
    "is_static_input", "output_stack_traces", "is_functional_regenerated", "loop_unroll", "is_gradient_acc",
    "numeric_debug_handle", "grapharg", "dynamo_flat_name_to_original_fqn",
    # Which graph of a pipeline stage a node is in.
    "graph_pp_stage_index", "graph_pp_callable", "graph_pp_action", "graph_pp_slot",
))
# Where PyTorch's bucketing says what it made a node of.
_SOURCES_META = re.compile(r"bucketing_.*_sources")
_ENCODED_META = frozenset((
    "nn_module_stack", "fwd_nn_module_stack", "custom", "seq_nr", "partitioner_tag", "autograd_backward",
    "manual_bucket_node_type", *TRAINER_META,
))
_ADDRESS = re.compile(r" (?:object )?at 0x[0-9a-fA-F]+")
_LONGEST_TEXT = 200


def dtype_name(dtype: torch.dtype | torch.layout | torch.memory_format) -> str:
    """`bfloat16` for `torch.bfloat16`; of layouts and memory formats as well."""
    return str(dtype).removeprefix("torch.")


def target_name(target: Any) -> str:
    """The full name of what a node calls: `aten.mm.default`, `higher_order.flex_attention`, `operator.getitem`."""
    if isinstance(target, str):
        return target
    if isinstance(target, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return str(target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return "higher_order." + target.name()
    module = getattr(target, "__module__", None) or ""
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None) or type(target).__qualname__
    return f"operator.{name}" if module in ("_operator", "operator") else f"{module}.{name}"


def class_name(module_class: Any) -> str:
    """The full name of a module's class."""
    return f"{module_class.__module__}.{module_class.__qualname__}"


def is_meaningless(key: Any) -> bool:
    """Whether a field of `meta` needs no word in a document and no note."""
    return key in MEANINGLESS_META or _SOURCES_META.fullmatch(str(key)) is not None


def json_text(value: Json) -> str:
    """Without white space, as documents are written."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Storages:
    """Numbers for memory: tensors with one number share it."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._kept: list[torch.UntypedStorage] = []  # so that none is freed and its address used again

    def number(self, storage: torch.UntypedStorage) -> int:
        address = storage._cdata
        if address not in self._numbers:
            self._numbers[address] = len(self._kept)
            self._kept.append(storage)
        return self._numbers[address]

    def by_number(self) -> dict[int, torch.UntypedStorage]:
        return dict(enumerate(self._kept))


class NodeEncoder:
    """Turns nodes into the document's, in their order.

    What cannot be written as it is stands in `notes`, a sentence for each kind of thing. Raises ExportError with the
    node's name for what would make the document another graph.

    @param nodes all nodes of the graph, in order.
    @param estimate milliseconds of a node, or None where nothing is known of it.
    @param sorted_only whether a node that stands before what it uses is an error. PyTorch's passes leave such graphs at
    times; the application makes the same of them, and opens none.
    """

    def __init__(self, nodes: Iterable[fx.Node], symbols: Symbols,
                 estimate: Callable[[fx.Node], float | None] | None = None, sorted_only: bool = True) -> None:
        self.symbols = symbols
        self.sorted_only = sorted_only
        self.estimate = estimate
        self.storages = Storages()
        self.storage_number = self.storages.number
        self._positions = {node: position for position, node in enumerate(nodes)}
        self._lost: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    @property
    def notes(self) -> list[str]:
        """What was left out or put into other words, with the number of nodes and the first of them."""
        return [f"{what}: {count} nodes, the first is {self._first[what]}" for what, count in self._lost.items()]

    def encode_all(self) -> list[dict[str, Json]]:
        """All nodes of the document."""
        with without_garbage_collection():
            if native_core() is None:
                return [self.encode(node) for node in self._positions]
            nodes: list[dict[str, Json]] = json.loads(self.encode_as_text())
            return nodes

    def encode_at(self, places: Sequence[int]) -> list[dict[str, Json]]:
        """The nodes of the document at these places."""
        nodes, core = list(self._positions), native_core()
        if core is None:
            return [self.encode(nodes[place]) for place in places]
        documents: list[dict[str, Json]] = json.loads(core.fx_nodes(self, nodes, places))
        return documents

    def encode_as_text(self) -> bytes:
        """The same as JSON, by the native core."""
        core = native_core()
        assert core is not None
        text: bytes = core.fx_nodes(self, list(self._positions))
        return text

    def encode(self, node: fx.Node) -> dict[str, Json]:
        """One node of the document."""
        document: dict[str, Json] = {"name": node.name, "op": node.op, "target": target_name(node.target)}
        if node.args:
            document["args"] = [self._argument(node, item) for item in node.args]
        if node.kwargs:
            document["kwargs"] = {key: self._argument(node, item) for key, item in node.kwargs.items()}
        self._add_values(document, node)
        self._add_meta(document, node)
        if self.estimate is not None:
            self._add_time(document, node)
        order = [self._positions[user] for user in node.users]
        if order != sorted(order):
            document["users_order"] = [user.name for user in node.users]
        return document

    def _note(self, node: fx.Node, what: str) -> None:
        self._lost[what] += 1
        self._first.setdefault(what, node.name)

    def _argument(self, node: fx.Node, value: Any) -> Json:
        if isinstance(value, fx.Node):
            if self.sorted_only and self._positions.get(value, len(self._positions)) >= self._positions[node]:
                raise ExportError(f"node {node.name} uses {value.name}, which does not stand before it; sort the graph "
                                  "first (torch.fx.passes.tools_common.legalize_graph)")
            return {"node": value.name}
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": repr(float(value))}
        if isinstance(value, (list, tuple)):
            return [self._argument(node, item) for item in value]
        if isinstance(value, dict):
            return {"dict": {self._key(node, key): self._argument(node, item) for key, item in value.items()}}
        if isinstance(value, torch.dtype):
            return {"dtype": dtype_name(value)}
        if isinstance(value, torch.device):
            return {"device": str(value)}
        if isinstance(value, torch.layout):
            return {"layout": dtype_name(value)}
        if isinstance(value, torch.memory_format):
            return {"memory_format": dtype_name(value)}
        if isinstance(value, slice):
            return {"slice": [self._argument(node, item) for item in (value.start, value.stop, value.step)]}
        if isinstance(value, SymbolicNumber):
            return {"symbol": self.symbols.text(value), "hint": self._argument(node, self.symbols.number(value))}
        return {"object": f"{type(value).__module__}.{type(value).__qualname__}", "text": _text(value)}

    def _key(self, node: fx.Node, key: Any) -> str:
        if not isinstance(key, str):
            raise ExportError(f"node {node.name} has a dictionary with the key {_text(key)}; only texts are keys of a "
                              "document")
        return key

    def _add_values(self, document: dict[str, Json], node: fx.Node) -> None:
        """Tensors of `meta["val"]`; symbolic sizes and numbers beside them."""
        value = node.meta.get("val")
        if value is None and "val" not in node.meta and isinstance(node.meta.get("example_value"), torch.Tensor):
            value = node.meta["example_value"]
        leaves = [] if value is None else tree_leaves(value, is_leaf=lambda item: item is None)
        tensors = [leaf if isinstance(leaf, torch.Tensor) else None for leaf in leaves]
        if any(tensor is not None for tensor in tensors):
            document["outputs"] = [tensor if tensor is None else self._tensor(node, tensor) for tensor in tensors]
            shapes = [None if tensor is None else self._symbolic_shape(tensor) for tensor in tensors]
            if any(shape is not None for shape in shapes):
                document["symbolic_shapes"] = shapes
        elif node.op == "call_function" and "val" not in node.meta and node.users:
            self._note(node, "no meta[\"val\"], so sizes and memory of the result are not known")
        if isinstance(value, (list, tuple)):
            document["multi"] = True
        if isinstance(value, SymbolicNumber):
            document["symbolic_value"] = {"symbol": self.symbols.text(value),
                                          "hint": self._argument(node, self.symbols.number(value))}

    def _tensor(self, node: fx.Node, tensor: torch.Tensor) -> dict[str, Json]:
        if tensor.layout != torch.strided or tensor.is_nested:
            raise ExportError(f"node {node.name} returns a tensor of layout {dtype_name(tensor.layout)}"
                              f"{', nested' if tensor.is_nested else ''}; a document has strided tensors only")
        number = self.symbols.number
        device = tensor.device
        try:
            memory = tensor.untyped_storage()
            storage, storage_bytes = self.storage_number(memory), number(memory.nbytes())
        except (NotImplementedError, RuntimeError) as error:
            raise ExportError(f"node {node.name} returns a {type(tensor).__qualname__} without memory of its own "
                              f"({str(error).splitlines()[0]}); export a graph of plain tensors, as AOT autograd makes "
                              "it") from error
        document: dict[str, Json] = {
            "dtype": dtype_name(tensor.dtype),
            "shape": [number(size) for size in tensor.shape],
            "stride": [number(stride) for stride in tensor.stride()],
            # The first device of a kind goes by the name of the kind.
            "device": device.type if not device.index else str(device),
        }
        offset = number(tensor.storage_offset())
        if offset:
            document["storage_offset"] = offset
        document["storage"] = storage
        document["storage_bytes"] = storage_bytes
        return document

    def _symbolic_shape(self, tensor: torch.Tensor) -> list[int | str] | None:
        if not any(self.symbols.is_symbolic(size) for size in tensor.shape):
            return None
        return [self.symbols.text(size) if self.symbols.is_symbolic(size) else int(size) for size in tensor.shape]

    def _add_meta(self, document: dict[str, Json], node: fx.Node) -> None:
        meta = node.meta
        for key, field in (("nn_module_stack", "module_stack"), ("fwd_nn_module_stack", "fwd_module_stack")):
            if meta.get(key):
                document[field] = self._module_stack(node, key)
        if meta.get("custom"):
            document["custom"] = self._plain(node, "custom", meta["custom"])
        if meta.get("seq_nr") is not None:
            document["seq_nr"] = int(meta["seq_nr"])
        for key in ("partitioner_tag", "manual_bucket_node_type"):
            if meta.get(key):
                document[key] = str(meta[key])
        if meta.get("autograd_backward"):
            document["autograd_backward"] = True
        trainer = {key: self._plain(node, key, meta[key]) for key in TRAINER_META if meta.get(key) is not None}
        if trainer:
            document["titan_meta"] = trainer
        for key in meta:
            if key not in _ENCODED_META and not is_meaningless(key):
                self._note(node, f"meta[{key!r}] is no part of a document")

    def _module_stack(self, node: fx.Node, key: str) -> list[list[str]]:
        stack = node.meta[key]
        entries = []
        for entry in stack.values() if isinstance(stack, Mapping) else [None]:
            if not isinstance(entry, (tuple, list)) or len(entry) < 2 or not isinstance(entry[0], str):
                raise ExportError(f"node {node.name} has a {key} that is no dictionary of (path, class) pairs")
            path, module_class = entry[0], entry[1]
            entries.append([path, module_class if isinstance(module_class, str) else class_name(module_class)])
        return entries

    def _plain(self, node: fx.Node, key: str, value: Any) -> Json:
        """A value of `meta` as JSON; what JSON has no word for becomes text, and a note."""
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return value
        if isinstance(value, (list, tuple)):
            return [self._plain(node, key, item) for item in value]
        if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
            return {name: self._plain(node, key, item) for name, item in value.items()}
        if not key == "recompute":  # an enumeration, whose name says all
            self._note(node, f"a {type(value).__qualname__} in meta[{key!r}] is kept as its text")
        return _text(value)

    def _add_time(self, document: dict[str, Json], node: fx.Node) -> None:
        assert self.estimate is not None
        time_ms = self.estimate(node)
        if time_ms is None:
            return
        time_ms = float(time_ms)
        if not math.isfinite(time_ms) or time_ms < 0:
            raise ExportError(f"node {node.name} is estimated at {time_ms} ms; expected a time of 0 or more")
        document["estimate_ms"] = time_ms


def _text(value: Any) -> str:
    """What an object prints as, without its address: every rank and every run has the same text."""
    return _ADDRESS.sub("", str(value))[:_LONGEST_TEXT]

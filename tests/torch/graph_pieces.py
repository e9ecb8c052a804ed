"""Pieces of a graph document as FX graphs, so that PyTorch itself can be run on them.

A piece is some nodes of a document. What they read from elsewhere becomes placeholders, what is read elsewhere becomes
the output. Tensors are fake: they have sizes and no data.
"""
from __future__ import annotations

import gzip
import json
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.testing._internal.distributed.fake_pg import FakeStore

Spec = dict[str, Any]
DEVICE = "cpu"


def read_document(path: Path) -> Spec:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        document: Spec = json.load(file)
    return document


def use_process_groups_of(document: Spec) -> None:
    """Fake process groups with the names of the document, for operators that look theirs up."""
    if dist.is_initialized():
        dist.destroy_process_group()
    groups = document["process_groups"]
    size = max([document.get("world_size", 1), *(len(group["ranks"]) for group in groups)])
    dist.init_process_group("fake", rank=document.get("rank", 0), world_size=size, store=FakeStore())
    whole = dist.distributed_c10d._get_default_group()
    made = {str(whole.group_name): whole}
    made |= {group["name"]: whole if len(group["ranks"]) == size else dist.new_group(group["ranks"])
             for group in groups}
    torch._C._distributed_c10d._unregister_all_process_groups()
    for name, group in made.items():
        torch._C._distributed_c10d._register_process_group(dist.distributed_c10d.GroupName(name), group)


def piece_of(document: Spec, belongs: Callable[[Spec], bool], device: str = DEVICE,
             with_those_between: bool = True) -> fx.GraphModule:
    """The nodes for which `belongs` is true, on `device`, in their order and with their names.

    Nodes on the way from one of them to another are taken too: without them the piece would hide that one depends on
    the other. Not so where sizes between them depend on data, which do not run here. Higher-order operators are never
    taken; what they return is read from outside.
    """
    by_name = {spec["name"]: spec for spec in document["nodes"]}
    specs: list[Spec] = []
    inside: set[str] = set()
    wanted = {spec["name"] for spec in document["nodes"] if belongs(spec)}
    if with_those_between:
        wanted = _with_those_between(document, wanted)
    for spec in document["nodes"]:
        if (spec["op"] == "call_function" and spec["name"] in wanted and not spec["target"].startswith("higher_order.")
                and not _is_result_from_outside(spec, inside)):
            specs.append(spec)
            inside.add(spec["name"])
    graph, nodes = fx.Graph(), {}
    with FakeTensorMode(allow_non_fake_inputs=True) as fake:
        for name in _names_from_outside(specs, inside, by_name):
            nodes[name] = _placeholder(graph, by_name[name], device)
        for spec in specs:
            args = tuple(_value(argument, nodes, device) for argument in spec.get("args", []))
            kwargs = {key: _value(item, nodes, device) for key, item in spec.get("kwargs", {}).items()}
            node = graph.create_node("call_function", _target(spec["target"]), args, kwargs, name=spec["name"])
            for key in ("custom", "autograd_backward", "seq_nr"):
                if key in spec:
                    node.meta[key] = spec[key]
            _run(node)
            nodes[spec["name"]] = node
        graph.output([nodes[name] for name in _names_read_elsewhere(document, inside)])
    graph_module = fx.GraphModule(torch.nn.Module(), graph)
    graph_module.meta["fake_mode"] = fake
    return graph_module


def _placeholder(graph: fx.Graph, spec: Spec, device: str) -> fx.Node:
    """A tensor of the size and order of strides of what is read; it begins at its own memory's start."""
    out = spec["outputs"][0]
    node = graph.create_node("placeholder", spec["name"], name=spec["name"])
    node.meta["val"] = torch.empty_strided(out["shape"], out["stride"], dtype=getattr(torch, out["dtype"]), device=device)
    return node


def _run(node: fx.Node) -> None:
    """The node's fake value, from those of its arguments."""
    args, kwargs = fx.map_arg((node.args, node.kwargs), lambda argument: argument.meta["val"])
    node.meta["val"] = node.target(*args, **kwargs)  # type: ignore[operator]


def _names_in(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for item in value for name in _names_in(item)]
    if isinstance(value, dict):
        if "node" in value:
            return [value["node"]]
        return [name for item in value.values() for name in _names_in(item)]
    return []


def _names_of(spec: Spec) -> list[str]:
    return _names_in([spec.get("args", []), list(spec.get("kwargs", {}).values())])


def _with_those_between(document: Spec, names: set[str]) -> set[str]:
    behind, ahead = set(names), set(names)
    for spec in document["nodes"]:
        if not behind.isdisjoint(_names_of(spec)):
            behind.add(spec["name"])
    for spec in reversed(document["nodes"]):
        if spec["name"] in ahead:
            ahead.update(_names_of(spec))
    return behind & ahead


def _is_result_from_outside(spec: Spec, inside: set[str]) -> bool:
    """One result of a node that returns several: a piece without that node reads it like any other tensor."""
    return spec["target"] == "operator.getitem" and spec["args"][0]["node"] not in inside


def _names_from_outside(specs: list[Spec], inside: set[str], by_name: dict[str, Spec]) -> list[str]:
    names = dict.fromkeys(name for spec in specs for name in _names_of(spec) if name not in inside)
    for name in names:
        if by_name[name].get("multi"):
            raise ValueError(f"{name} returns several tensors, which only its getitem nodes can take apart")
    return list(names)


def _names_read_elsewhere(document: Spec, inside: set[str]) -> list[str]:
    """In the order of the document; a node that returns several tensors is read through its getitem nodes."""
    read = {name for spec in document["nodes"] if spec["name"] not in inside for name in _names_of(spec)}
    return [spec["name"] for spec in document["nodes"] if spec["name"] in inside & read]


def _target(name: str) -> Callable[..., Any]:
    if name.startswith("operator."):
        return getattr(operator, name.split(".", 1)[1])  # type: ignore[no-any-return]
    namespace, operation, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), operation), overload)  # type: ignore[no-any-return]


def _value(value: Any, nodes: dict[str, fx.Node], device: str) -> Any:
    """An argument as the document writes it."""
    if isinstance(value, list):
        return [_value(item, nodes, device) for item in value]
    if not isinstance(value, dict):
        return value
    kind, item = next(iter(value.items()))
    if kind == "node":
        return nodes[item]
    if kind in ("dtype", "layout", "memory_format"):
        return getattr(torch, item)
    if kind == "device":
        return torch.device(device)
    if kind == "slice":
        return slice(*_value(item, nodes, device))
    if kind == "dict":
        return {key: _value(entry, nodes, device) for key, entry in item.items()}
    if kind == "float":
        return float(item)
    return value.get("hint", value)

"""`export_graph()`: an FX graph of a training job as an overlap-graph document, which Overlap Studio opens."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx

from .cost_models import checked_cost_model
from .digests import fingerprint
from .document import NodeEncoder, json_text
from .errors import ExportError
from .estimates import Estimate
from .groups import GroupRanks, describe_groups, this_rank, world_size as job_world_size
from .naming import naming_state
from .symbols import Symbols
from .traits import operator_traits


@dataclass(frozen=True)
class ExportedGraph:
    """What was written."""

    path: Path
    name: str
    nodes: int
    digest: str  # by which a plan knows the graph
    notes: tuple[str, ...]  # what the document could not take as it is, a sentence each


def export_graph(gm: fx.GraphModule, path: str | os.PathLike[str], *, name: str | None = None,
                 rank: int | None = None, world_size: int | None = None, process_groups: GroupRanks | None = None,
                 estimate: Estimate | None = None, cost_model: Mapping[str, Any] | None = None,
                 parameter_names: Mapping[str, str] | None = None,
                 unbacked_size: int | None = None, static_inputs: int | None = None) -> ExportedGraph:
    """Writes the graph of `gm`, as it is at this moment, to `path`; compressed when that ends in `.gz`.

    The file appears whole or not at all. The graph is not changed. `notes` of the result, which stand in the document
    too, say what of it the document could not take.

    @param name what the application shows; the file's name without it.
    @param rank, world_size those of torch.distributed without it.
    @param process_groups ranks of groups by name, for those that torch.distributed does not know here.
    @param estimate milliseconds of a node by itself; see `overlap_studio.estimates` for torch's own.
    @param cost_model rates and links from which the application computes times; the format is that of the document.
    @param parameter_names placeholder to parameter; what AOT autograd says of its inputs without it.
    @param unbacked_size what a size is taken for of which nothing is known before the job runs.
    @param static_inputs how many of the first inputs are parameters and buffers, which expert overlap never halves.
    Raises ExportError, a sentence with the node's name, and OSError where the file cannot be written.
    """
    path = Path(path)
    document = graph_document(gm, name=name or _stem(path), rank=rank, world_size=world_size,
                              process_groups=process_groups, estimate=estimate, cost_model=cost_model,
                              parameter_names=parameter_names, unbacked_size=unbacked_size,
                              static_inputs=static_inputs)
    write_document(document, path)
    return ExportedGraph(path, document["name"], len(document["nodes"]), fingerprint(document),
                         tuple(document.get("export_notes", ())))


def graph_document(gm: fx.GraphModule, *, name: str, rank: int | None = None, world_size: int | None = None,
                   process_groups: GroupRanks | None = None, estimate: Estimate | None = None,
                   cost_model: Mapping[str, Any] | None = None, parameter_names: Mapping[str, str] | None = None,
                   unbacked_size: int | None = None, static_inputs: int | None = None,
                   sorted_only: bool = True) -> dict[str, Any]:
    """The document that `export_graph` writes, as Python objects of JSON.

    @param sorted_only whether a node that stands before what it uses is an error, as in `export_graph`.
    """
    symbols = Symbols(unbacked_size)
    encoder = NodeEncoder(gm.graph.nodes, symbols, estimate, sorted_only)
    encoded = encoder.encode_all()
    document = document_header(gm, encoder, name=name, rank=rank, world_size=world_size, process_groups=process_groups,
                               cost_model=cost_model, parameter_names=parameter_names, static_inputs=static_inputs)
    document["nodes"] = encoded
    return document


def inputs_of_trace(gm: fx.GraphModule, traced: Any) -> dict[str, Any]:
    """Options of an export that the trace of graph_trainer tells; none without one."""
    if traced is None:
        return {}
    static = [node for node in gm.graph.nodes if node.op == "placeholder"][:traced.num_static_inputs]
    # A DTensor has inputs without a tensor beside its shard.
    names = [node.name for node in static if isinstance(node.meta.get("val"), torch.Tensor)]
    options: dict[str, Any] = {"static_inputs": len(static)}
    if len(names) == len(traced.state_fqns):
        options["parameter_names"] = dict(zip(names, traced.state_fqns))
    return options


def document_header(gm: fx.GraphModule, encoder: NodeEncoder, *, name: str, rank: int | None = None,
                    world_size: int | None = None, process_groups: GroupRanks | None = None,
                    cost_model: Mapping[str, Any] | None = None, parameter_names: Mapping[str, str] | None = None,
                    static_inputs: int | None = None) -> dict[str, Any]:
    """What the document has beside its nodes.

    @param encoder has encoded them.
    """
    nodes, symbols = list(gm.graph.nodes), encoder.symbols
    document: dict[str, Any] = {
        "format": "overlap-graph", "version": 1, "name": name, "producer": {"torch": torch.__version__},
        "rank": rank if rank is not None else this_rank() or 0,
    }
    ranks = world_size if world_size is not None else job_world_size()
    if ranks is not None:
        document["world_size"] = ranks
    document["process_groups"] = describe_groups(nodes, process_groups)
    optional = {
        "cost_model": checked_cost_model(cost_model) if cost_model is not None else None,
        "placeholder_fqns": dict(parameter_names) if parameter_names is not None else _parameter_names(nodes),
        "num_static_inputs": static_inputs,
        "symbol_hints": symbols.hints,
        "unbacked_symbol_hint": symbols.guess if symbols.has_unbacked else None,
        "operators": operator_traits(nodes),
        "naming": naming_state(gm.graph),
        "export_notes": [*encoder.notes, *symbols.notes.values()],
    }
    document.update((field, value) for field, value in optional.items() if value)
    return document


def write_document(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes a document; as gzip where `path` ends in `.gz`. The file appears whole or not at all."""
    path = Path(path)
    text = json_text(document).encode()
    # No time and no name inside: the same graph gives the same bytes.
    write_whole(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text, path)


def write_whole(content: bytes, path: Path) -> None:
    """Writes a file beside `path` and renames it, so that a reader finds a whole file or the old one."""
    handle, scratch = tempfile.mkstemp(dir=path.parent or ".", prefix=path.name + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(scratch, 0o666 & ~_umask())
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _stem(path: Path) -> str:
    name = path.name
    for suffix in (".gz", ".json", ".graph"):
        name = name.removesuffix(suffix)
    return name


def _parameter_names(nodes: list[fx.Node]) -> dict[str, str]:
    """Placeholders that AOT autograd says are parameters or buffers, with the names these have in the model."""
    names = {}
    for node in nodes:
        if node.op != "placeholder":
            continue
        described: Any = node.meta.get("desc")
        for _ in range(4):  # a view, a tangent's or a subclass's part of a parameter wraps the parameter's description
            if isinstance(getattr(described, "target", None), str):
                names[node.name] = described.target
                break
            described = getattr(described, "base", None)
    return names

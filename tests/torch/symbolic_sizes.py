"""Symbols in the sizes of a graph that was rebuilt from a document, where the document says that the job has them."""
from __future__ import annotations

import re
from functools import cache
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv


class SymbolicMode(FakeTensorMode):
    """For graph_to_fx.py, whose tensors have sizes in numbers alone: a mode that symbols can be made in."""

    def __init__(self, **options: Any) -> None:
        super().__init__(shape_env=ShapeEnv(), **options)


def put_symbols(gm: fx.GraphModule, document: dict[str, Any]) -> int:
    """Makes values anew whose sizes are symbols in the document: unbacked ones, such as `u0 + u1`. Their memory is their
    own.

    @returns how many values those are.
    """
    texts = [size for node in document["nodes"] for shape in node.get("symbolic_shapes", ()) for size in shape or ()
             if isinstance(size, str)]
    numbers = [int(number) for text in texts for number in re.findall(r"\bu(\d+)\b", text)]
    mode = next(node.meta["val"] for node in gm.graph.nodes if isinstance(node.meta.get("val"), torch.Tensor)).fake_mode
    symbols = {f"u{number}": mode.shape_env.create_unbacked_symint() for number in range(max(numbers, default=-1) + 1)}

    @cache
    def size(text: int | str) -> Any:
        return eval(text, {}, symbols) if isinstance(text, str) else text

    count = 0
    for node, written in zip(gm.graph.nodes, document["nodes"]):
        if "symbolic_shapes" not in written:
            continue
        old = node.meta["val"]
        values = list(old) if isinstance(old, (list, tuple)) else [old]
        for place, shape in enumerate(written["symbolic_shapes"]):
            if shape is not None:
                values[place] = _made_anew(values[place], [size(text) for text in shape], mode)
                count += 1
        node.meta["val"] = values if isinstance(old, (list, tuple)) else values[0]
    return count


def _made_anew(tensor: torch.Tensor, shape: list[Any], mode: FakeTensorMode) -> torch.Tensor:
    """With the dimensions laid out in the same order."""
    order = sorted(range(len(shape)), key=lambda dimension: (tensor.stride(dimension), -dimension))
    strides: list[Any] = [0] * len(shape)
    stride: Any = 1
    for dimension in order:
        strides[dimension] = stride
        stride = stride * shape[dimension]
    with mode:
        return torch.empty_strided(shape, strides, dtype=tensor.dtype, device=tensor.device)

"""What the application's passes ask of an operator, told in the document for operators that its table lacks.

The application knows all operators of torch 2.15 and torchtitan. A job's own (`torch.library`) are described here by
torch's own judgement of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
import torch.fx as fx
from torch._library.utils import is_impure
from torch.utils.flop_counter import flop_registry

from .document import target_name

# Namespaces of which the application knows every operator (resources/operators).
KNOWN_NAMESPACES = frozenset((
    "_c10d_functional", "_c10d_functional_autograd", "_dtensor", "_inductor_test", "_native", "_native_aot",
    "_quantized", "_test", "ao", "aten", "bucketing", "builtins", "c10d", "c10d_functional", "coor", "debug_mode_ops",
    "debugprims", "deepep", "export", "flex_gemm", "flex_lib", "fsdp", "higher_order", "hybridep", "inductor",
    "inductor_prims", "math", "mempool", "minimal_async_ep", "mkl", "mkldnn", "mkldnn_prepacked", "onednn", "onnx",
    "onnx_symbolic", "operator", "prims", "profiler", "quantization", "quantized", "quantized_decomposed", "rngprims",
    "sparse", "static_runtime", "streams", "symm_mem", "torch", "torchtitan",
))


def operator_traits(nodes: Iterable[fx.Node]) -> dict[str, dict[str, Any]]:
    """The document's `operators`: by name, what is known of each operator that the application does not know."""
    described: dict[str, dict[str, Any]] = {}
    seen: set[Any] = set()
    for node in nodes:
        if node.op != "call_function" or node.target in seen:
            continue
        seen.add(node.target)
        name = target_name(node.target)
        if name not in described and name.partition(".")[0] not in KNOWN_NAMESPACES:
            described[name] = _describe(node)
    return described


def _describe(node: fx.Node) -> dict[str, Any]:
    target: Any = node.target
    view = bool(getattr(target, "is_view", False))
    traits = {
        "view": view,
        "cheap": view or torch.Tag.pointwise in getattr(target, "tags", ()),
        "fusible": _is_fusible(node),
        "compute": getattr(target, "overloadpacket", None) in flop_registry or target in flop_registry,
    }
    return {
        "traits": [trait for trait, holds in traits.items() if holds],
        "side_effects": "some" if is_impure(target, args=node.args, kwargs=node.kwargs) else "none",
    }


def _is_fusible(node: fx.Node) -> bool:
    """Asked only where Inductor has been loaded: loading it to learn that it knows nothing of an operator is slow."""
    from torch._inductor.fx_passes.fusion_regions import is_fusible_node

    return is_fusible_node(node)

"""Arguments and operators of an overlap-graph document as Python values again."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
import torch.distributed._symmetric_memory  # noqa: F401  (registers what copy engines carry out)
import torch._inductor.fx_passes.bucketing  # noqa: F401  (registers the operators that buckets are packed with)
import torch._inductor.fx_passes.control_dependencies  # noqa: F401  (registers higher_order.control_deps)

from .errors import PlanError


@cache
def resolve_target(name: str) -> Any:
    """What a node of this target calls: `aten.mm.default`, `operator.getitem`, `higher_order.control_deps`."""
    parts = name.split(".")
    try:
        if parts[0] == "operator" and len(parts) == 2:
            return getattr(operator, parts[1])
        if parts[0] == "higher_order" and len(parts) == 2:
            return getattr(torch.ops.higher_order, parts[1])
        namespace, packet, overload = parts
        return getattr(getattr(getattr(torch.ops, namespace), packet), overload)
    except (AttributeError, ValueError) as error:
        raise PlanError(f"this process has no operator {name}, which the plan's graph calls") from error


class ArgumentDecoder:
    """Turns arguments of a plan into those of a node.

    @param node_of what the name of a node of the plan stands for.
    @param group_name the job's name of what may be a process group of the plan.
    """

    def __init__(self, node_of: Callable[[str], Any], group_name: Callable[[str], str]) -> None:
        self._node_of, self._group_name = node_of, group_name

    def decode(self, value: Any, before: Any = None, document: Any = None) -> Any:
        """@param before what stood in the value's place, and `document`, what it is in a document: what documents have
        no word for, such as a function, is taken from there."""
        if isinstance(value, list):
            if not document or not isinstance(before, (list, tuple)):
                return [self.decode(item) for item in value]
            old = list(zip(before, document))
            return [self.decode(item, *(old[place] if place < len(old) else ())) for place, item in enumerate(value)]
        if isinstance(value, str):
            return self._group_name(value)
        return self._tagged(value, before, document) if isinstance(value, Mapping) else value

    def decode_all(self, values: Mapping[str, Any], before: Mapping[str, Any] | None = None,
                   document: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The same for keyword arguments."""
        if not values:
            return {}
        before, document = before or {}, document or {}
        return {key: self.decode(value, before.get(key), document.get(key)) for key, value in values.items()}

    def _tagged(self, value: Mapping[str, Any], before: Any, document: Any) -> Any:
        if "node" in value:  # most are
            return self._node_of(value["node"])
        content: Any
        tag, content = next(iter(value.items()), ("", None))
        if tag in ("dtype", "layout", "memory_format"):
            return getattr(torch, content)
        if tag == "device":
            return torch.device(content)
        if tag == "slice":
            return slice(*(self.decode(item) for item in content))
        if tag == "dict":
            return self.decode_all(content, before, (document or {}).get("dict"))
        if tag == "float":
            return float(content)
        if document == value:
            return before
        raise PlanError(f"the plan gives a node the argument {dict(value)}, which this graph does not have there")

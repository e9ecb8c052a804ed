"""Checks a cost model before it is written, as core/io/graph/graph_header_reader.cpp reads it: after the job's run a mistake
in it would cost another run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .errors import ExportError

Number = (int, float)
KINDS = ("all_gather", "reduce_scatter", "all_reduce", "all_to_all", "broadcast", "point_to_point")
SCOPES = ("eager", "blocks", "whole")


def checked_cost_model(model: Mapping[str, Any]) -> dict[str, Any]:
    """The model as a document has it.

    @raises ExportError with the path of a field that is missing or is not what it must be.
    """
    device = _object(_required(model, "cost_model", "device"), "cost_model.device")
    rates = _object(_required(device, "cost_model.device", "flops_per_s"), "cost_model.device.flops_per_s")
    for dtype in rates:
        _number(rates, "cost_model.device.flops_per_s", dtype, positive=True)
    for field in ("memory_bytes_per_s", "memory_efficiency", "flops_efficiency"):
        if field in device or field == "memory_bytes_per_s":
            _number(device, "cost_model.device", field, positive=True)
    _links(model.get("links", []))
    _compilation(model)
    plain = _plain(model, "cost_model")
    assert isinstance(plain, dict)
    return plain


def _links(links: Any) -> None:
    if not isinstance(links, (list, tuple)):
        raise ExportError(f"cost_model.links: found {links!r}, expected a list of links")
    groups = set()
    for index, link in enumerate(links):
        place = f"cost_model.links[{index}]"
        group = _required(_object(link, place), place, "process_group")
        if not isinstance(group, str):
            raise ExportError(f"{place}.process_group: found {group!r}, expected a process group's name")
        if group in groups:
            raise ExportError(f"{place}.process_group: {group!r} has a link already")
        groups.add(group)
        _number(link, place, "latency_ms", positive=False)
        _number(link, place, "bytes_per_s", positive=True)
        for kind, ways in _object(link.get("kinds", {}), f"{place}.kinds").items():
            _ways(ways, f"{place}.kinds.{kind}", kind)


def _ways(ways: Any, place: str, kind: str) -> None:
    """Ways to run a kind of collective."""
    if kind not in KINDS:
        raise ExportError(f"{place}: there is no such kind of collective, expected one of {', '.join(KINDS)}")
    if not isinstance(ways, (list, tuple)) or not ways:
        raise ExportError(f"{place}: found {ways!r}, expected a list of at least one way")
    for index, way in enumerate(ways):
        of_way = f"{place}[{index}]"
        _number(_object(way, of_way), of_way, "latency_ms", positive=False)
        _number(way, of_way, "bytes_per_s", positive=True)


def _compilation(model: Mapping[str, Any]) -> None:
    compiled = model.get("compiled", "blocks")
    if compiled not in SCOPES:
        raise ExportError(f"cost_model.compiled: found {compiled!r}, expected one of {', '.join(SCOPES)}")
    if "attention_density" in model:
        _required(model, "cost_model", "compiled")
        _number(model, "cost_model", "attention_density", positive=False)
        if model["attention_density"] > 1:
            raise ExportError(f"cost_model.attention_density: found {model['attention_density']!r}, "
                              "expected a number up to 1")


def _required(fields: Mapping[str, Any], place: str, key: str) -> Any:
    if key not in fields:
        raise ExportError(f"{place}.{key}: this field is missing")
    return fields[key]


def _object(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ExportError(f"{place}: found {value!r}, expected a dictionary")
    return value


def _number(fields: Mapping[str, Any], place: str, key: str, positive: bool) -> None:
    value = _required(fields, place, key)
    is_number = isinstance(value, Number) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or value < 0 or (positive and value == 0):
        wanted = "greater than 0" if positive else "from 0 on"
        raise ExportError(f"{place}.{key}: found {value!r}, expected a number {wanted}")


def _plain(value: Any, place: str) -> Any:
    """A value in JSON's own types."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ExportError(f"{place}: found the key {key!r}, expected texts as keys")
        return {key: _plain(item, f"{place}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}[{index}]") for index, item in enumerate(value)]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise ExportError(f"{place}: found {value!r}, which JSON has no word for")

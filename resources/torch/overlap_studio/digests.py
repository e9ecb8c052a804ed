"""The digest by which a plan knows its graph, computed from an overlap-graph document as the application computes it.

What the passes see of a node goes into it: name, operator, arguments, types and sizes of tensors, module names. The
application's counterpart is core/plan/fingerprint.cpp; a change of one is a change of the other. A number that Python's
reader rounds, of more digits than a double has, is the one thing that the two read differently; no exporter writes any.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .native import native_core

Document = Mapping[str, Any]

_WORD = (1 << 64) - 1
_OPS = {
    name: number
    for number, name in enumerate(
        ("placeholder", "get_attr", "call_function", "call_module", "call_method", "output")
    )
}
# Kinds of arguments, in the order of core/graph/value.h; the kind is the upper half of a word.
(_NONE, _BOOLEAN, _INTEGER, _FLOATING, _STRING, _NODE, _LIST, _DICTIONARY, _DTYPE, _DEVICE, _LAYOUT, _MEMORY_FORMAT,
 _SLICE, _SYMBOL, _SPECIAL_FLOAT, _RAW_JSON) = (kind << 32 for kind in range(16))
_TEXT_TAGS = {"dtype": _DTYPE, "device": _DEVICE, "layout": _LAYOUT, "memory_format": _MEMORY_FORMAT,
              "float": _SPECIAL_FLOAT}


def fingerprint(document: Document) -> str:
    """The digest of the document's graph: 16 hexadecimal digits."""
    core = native_core()
    if core is not None:
        return str(core.nodes_digest(document["nodes"]))
    words = _NodeWords(document["nodes"])
    return _hexadecimal(_hash(word for node in document["nodes"] for word in words.of(node)))


def value_digest(value: Any) -> str:
    """The digest of a JSON value: kinds, numbers and texts, fields in their order, however they were formatted. The
    application's counterpart is core/exports/job_digest.cpp."""
    core = native_core()
    return str(core.value_digest(value)) if core is not None else _hexadecimal(_hash(_JsonWords().of_value(value)))


def graph_identity(document: Document) -> dict[str, Any]:
    """What a plan's field `graph` holds for this document: its name, number of nodes and digest."""
    return {"name": document.get("name", ""), "nodes": len(document["nodes"]), "digest": fingerprint(document)}


def node_digests(document: Document) -> list[str]:
    """A digest for each node by itself, 16 hexadecimal digits each; what it refers to counts by position.

    Two graphs have the same fingerprint when these lists are the same. The first place where they differ is the first
    node that differs.
    """
    words = _NodeWords(document["nodes"])
    return [_hexadecimal(_hash(words.of(node))) for node in document["nodes"]]


def first_difference(expected: Sequence[str], found: Sequence[str]) -> int | None:
    """The position of the first node whose digest differs, which may be the end of the shorter list; None if none."""
    for position, (wanted, got) in enumerate(zip(expected, found)):
        if wanted != got:
            return position
    return None if len(expected) == len(found) else min(len(expected), len(found))


def _hash(words: Iterable[int]) -> int:
    """WordHash of the application: a 64-bit hash over words, every bit of its state spread over all of the result."""
    state = 0x6F7665726C617021
    for word in words:
        state ^= word * 0x9E3779B97F4A7C15 & _WORD
        state = ((state << 27 & _WORD | state >> 37) * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & _WORD
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    state = (state ^ state >> 27) * 0x94D049BB133111EB & _WORD
    return state ^ state >> 31


def _hexadecimal(number: int) -> str:
    return f"{number:016x}"


def _size(size: Any) -> int:
    if not isinstance(size, int) or not -(1 << 63) <= size < 1 << 63:
        raise TypeError("a size is no integer of 64 bits")
    return size


def _path(module: Any) -> str:
    if not isinstance(module, (list, tuple)):
        raise TypeError("a module is a list of its path and its class")
    path, _ = module
    return path


class _JsonWords:
    """The words that stand for a JSON value. Most texts occur often, so each is hashed once."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}

    def of_value(self, value: Any) -> list[int]:
        words: list[int] = []
        self._add(words, value)
        return words

    def _text(self, text: str) -> int:
        known = self._texts.get(text)
        if known is None:
            data = text.encode()
            padded = data + bytes(-len(data) % 8)
            words = struct.unpack(f"<{len(padded) // 8}Q", padded)
            known = self._texts[text] = _hash((len(data), *words)) | 1
        return known

    def _add(self, words: list[int], value: Any) -> None:
        if value is None:
            words.append(_NONE)
        elif isinstance(value, bool):
            words += (_BOOLEAN, int(value))
        elif isinstance(value, int):
            if -(1 << 63) <= value < 1 << 63:
                words += (_INTEGER, value & _WORD)
            else:
                words += (_RAW_JSON, self._text(str(value)))
        elif isinstance(value, float):
            words += (_FLOATING, struct.unpack("<Q", struct.pack("<d", value))[0])
        elif isinstance(value, str):
            words += (_STRING, self._text(value))
        elif isinstance(value, (list, tuple)):
            self._add_children(words, _LIST, value)
        else:
            self._add_object(words, value)

    def _add_children(self, words: list[int], kind: int, children: Sequence[Any]) -> None:
        words.append(kind | len(children))
        for child in children:
            self._add(words, child)

    def _add_object(self, words: list[int], members: Mapping[str, Any]) -> None:
        words.append(_DICTIONARY | 2 * len(members))
        for key, value in members.items():
            words += (_STRING, self._text(key))
            self._add(words, value)


class _NodeWords(_JsonWords):
    """The words that stand for a node, in whose arguments some objects mean nodes, types and the like."""

    def __init__(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        super().__init__()
        self._positions = {node["name"]: position for position, node in enumerate(nodes)}

    def of(self, node: Mapping[str, Any]) -> list[int]:
        words = [_OPS[node["op"]], self._text(node["name"]), self._text(node["target"])]
        for field in ("args", "kwargs"):
            if field not in node:
                words.append(_NONE)
            elif field == "args":
                self._add_children(words, _LIST, node[field])
            else:
                super()._add_object(words, node[field])
        for tensor in node.get("outputs", ()):
            if tensor is None:
                words.append(0)
                continue
            words.append(len(tensor["shape"]) + 1)
            words.append(self._text(tensor["dtype"]))
            words.extend(map(_size, tensor["shape"]))
        for field in ("module_stack", "fwd_module_stack"):
            stack = node.get(field, ())
            words.append(len(stack))
            words.extend(self._text(_path(module)) for module in stack)
        module = node.get("custom", {}).get("module_fqn")
        words.append(self._text(module if isinstance(module, str) else ""))
        return words

    def _add_object(self, words: list[int], members: Mapping[str, Any]) -> None:
        """The tagged objects of the format; any other object counts by its JSON text."""
        if len(members) == 1:
            tag, content = next(iter(members.items()))
            if tag == "node":
                words += (_NODE, self._positions[content])
                return
            if tag in _TEXT_TAGS:
                words += (_TEXT_TAGS[tag], self._text(content))
                return
            if tag == "dict":
                super()._add_object(words, content)
                return
            if tag == "slice":
                self._add_children(words, _SLICE, content)
                return
        elif len(members) == 2 and "hint" in members and isinstance(members.get("symbol"), str):
            self._add_children(words, _SYMBOL, (members["symbol"], members["hint"]))
            return
        words += (_RAW_JSON, self._text(json.dumps(members, ensure_ascii=False, separators=(",", ":"))))

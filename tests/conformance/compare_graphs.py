#!/usr/bin/env python3
"""Tell whether two overlap-graph documents hold the same graph in the same order.

    compare_graphs.py EXPECTED ACTUAL [--metadata]    exit status 0 same, 1 different, 2 unreadable

Two graphs are the same when, position by position, operator, arguments and tensors agree. An argument that refers to
a node counts by that node's position. Names that only one graph has are a pass's own invention and may differ, and so
may the names of process groups that a pass made, as long as they have the same ranks and stand in the same places.
"""
import ast
import gzip
import json
import sys


def read_document(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data)


def symbolic_value(node):
    """A scalar that is symbolic in name only is a number for PyTorch once it has been read from a file."""
    value = node.get("symbolic_value")
    return None if value and value["symbol"].lstrip("-").isdigit() else value


def titan_meta(node):
    """Some files of the reference have Python's text of a bucket's record in place of the record."""
    meta = node.get("titan_meta", {})
    bucket = meta.get("fsdp_bucket")
    return {**meta, "fsdp_bucket": ast.literal_eval(bucket)} if isinstance(bucket, str) else meta


class Reader:
    """Brings one document into a form in which names that a pass invented no longer appear."""

    def __init__(self, document, other):
        self.nodes = document["nodes"]
        self.positions = {node["name"]: index for index, node in enumerate(self.nodes)}
        known = {group["name"] for group in other.get("process_groups", [])}
        self.new_groups = {
            group["name"]: group["ranks"] for group in document.get("process_groups", []) if group["name"] not in known
        }
        self.group_numbers = {}

    def argument(self, value):
        if isinstance(value, list):
            return [self.argument(item) for item in value]
        if isinstance(value, dict):
            if len(value) == 1 and "node" in value:
                return ("node", self.positions.get(value["node"], value["node"]))
            return {key: self.argument(item) for key, item in value.items()}
        if isinstance(value, str) and value in self.new_groups:
            number = self.group_numbers.setdefault(value, len(self.group_numbers))
            return ("new group", number, self.new_groups[value])
        # JSON tells 1, 1.0 and true apart, Python's == does not.
        return (type(value).__name__, value)

    def users(self, index):
        return [self.positions[name] for name in self.nodes[index].get("users_order", [])]

    def metadata(self, index):
        node = self.nodes[index]
        return {
            "name": node["name"],
            "custom": node.get("custom", {}),
            "titan_meta": titan_meta(node),
            "autograd_backward": node.get("autograd_backward", False),
            "seq_nr": node.get("seq_nr"),
            "symbolic_shapes": node.get("symbolic_shapes", []),
            "symbolic_value": symbolic_value(node),
        }

    def node(self, index):
        node = self.nodes[index]
        by_name = node["op"] in ("placeholder", "get_attr")
        return {
            "op": node["op"],
            "target": node["name"] if by_name else node["target"],
            "args": self.argument(node.get("args", [])),
            "kwargs": self.argument(node.get("kwargs", {})),
            "outputs": [out and (out["dtype"], out["shape"], out["stride"]) for out in node.get("outputs", [])],
        }


def difference(expected, actual, with_metadata=False, with_users=False):
    """A sentence that tells the first difference, or None."""
    wanted, got = Reader(expected, actual), Reader(actual, expected)
    shared = wanted.positions.keys() & got.positions.keys()
    for index in range(min(len(wanted.nodes), len(got.nodes))):
        want_name, got_name = wanted.nodes[index]["name"], got.nodes[index]["name"]
        if want_name != got_name and (want_name in shared or got_name in shared):
            return f"node {index} is {got_name}, expected {want_name}"
        want_node, got_node = wanted.node(index), got.node(index)
        if with_metadata:
            want_node.update(wanted.metadata(index))
            got_node.update(got.metadata(index))
        if with_metadata and with_users:
            want_node["users_order"], got_node["users_order"] = wanted.users(index), got.users(index)
        for field, value in want_node.items():
            if value != got_node[field]:
                return f"node {index} ({want_name}), {field}: found {got_node[field]}, expected {value}"
    if len(wanted.nodes) != len(got.nodes):
        return f"{len(got.nodes)} nodes, expected {len(wanted.nodes)}"
    return None


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--metadata"]
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        metadata = "--metadata" in sys.argv
        found = difference(*map(read_document, arguments), metadata, metadata)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"unreadable: {error!r}")
        return 2
    print(found or "same")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

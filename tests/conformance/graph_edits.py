"""Ways in which a graph document can be wrong, for making cases with the reference and for running them.

An edit changes a document in place and returns the name of the node that it is about, or None.
"""

GATHER = "_c10d_functional.all_gather_into_tensor.default"
SCATTER = "_c10d_functional.reduce_scatter_tensor.default"
WAIT = "_c10d_functional.wait_tensor.default"


def without_fields(document, *fields):
    for node in document["nodes"]:
        for field in fields:
            node.pop(field, None)


def find_start(document, target):
    """The first collective of that kind in layers.1, and its wait."""
    for start in document["nodes"]:
        if start["target"] == target and start.get("custom", {}).get("module_fqn", "").startswith("layers.1."):
            for wait in document["nodes"]:
                if wait["target"] == WAIT and wait["args"] == [{"node": start["name"]}]:
                    return start, wait
    raise ValueError(f"no {target} in layers.1")


def renamed(value, old, new):
    """An argument with mentions of one node replaced by another."""
    if value == {"node": old}:
        return {"node": new}
    if isinstance(value, list):
        return [renamed(item, old, new) for item in value]
    if isinstance(value, dict):
        return {key: renamed(item, old, new) for key, item in value.items()}
    return value


def without_wait(document, target):
    """The collective's users read it without waiting."""
    start, wait = find_start(document, target)
    without_fields(document, "users_order")
    document["nodes"].remove(wait)
    for node in document["nodes"]:
        node["args"] = renamed(node.get("args", []), wait["name"], start["name"])
    return start["name"]


def with_two_waits(document, target):
    start, wait = find_start(document, target)
    without_fields(document, "users_order")
    second = dict(wait, name=wait["name"] + "_again")
    document["nodes"].insert(document["nodes"].index(wait) + 1, second)
    return start["name"]


def with_unknown_group(document, target):
    start, _ = find_start(document, target)
    start["args"][-1] = "nowhere"
    return start["name"]


def with_group_by_keyword(document, target):
    start, _ = find_start(document, target)
    start.setdefault("kwargs", {})["group_name"] = start["args"].pop()
    return start["name"]


EDITS = {
    "no_module_fqn_metadata": lambda document: without_fields(document, "custom"),
    "no_val_metadata": lambda document: without_fields(document, "outputs", "multi"),
}
for kind, operator in (("gather", GATHER), ("scatter", SCATTER)):
    for edit in (without_wait, with_two_waits, with_unknown_group, with_group_by_keyword):
        EDITS[f"{kind}_{edit.__name__}"] = lambda document, edit=edit, operator=operator: edit(document, operator)

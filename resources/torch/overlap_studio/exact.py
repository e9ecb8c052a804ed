"""Mode "exact": rewrites a graph to the nodes and the order that the application computed.

Nodes that the plan leaves as they are stay the same objects with their metadata. What new nodes return is worked out
before anything is changed: with fake tensors, and then it must be what the plan says; or taken from what the core knows of
its own result (planned_tensors.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch.fx as fx
from torch._inductor.fx_passes.control_dependencies import _create_subgraph_for_node
from torch.utils._python_dispatch import _disable_current_modes

from .arguments import ArgumentDecoder, resolve_target
from .errors import PlanMismatch
from .group_names import GroupNames
from .halved_sizes import HalvedSizes, copied_from
from .job_plan import JobPlan, Node
from .new_nodes import FakeValues, NodeMetadata, set_half
from .planned_tensors import PlannedTensors

WRAPPER = "higher_order.control_deps"
# Arguments of a wrapper ahead of the inputs of what it wraps: nodes that it waits for, and the module.
_LEADING_ARGUMENTS = 2
# What stays with the operator inside a wrapper (torch/_inductor/fx_passes/control_dependencies.py).
_INNER_META = ("eager_input_vals", "should_fallback")


def rewrite(gm: fx.GraphModule, plan: JobPlan, found: Sequence[Node], result: Sequence[Node], groups: GroupNames,
            planned: PlannedTensors | None = None) -> None:
    """Makes the plan's result of its graph, in place.

    @param gm its graph has been found to be the plan's.
    @param found the nodes of this graph as a document has them.
    @param result the plan's, for this rank.
    @param groups the plan's and the job's, those that passes create included.
    @param planned makes what new nodes return as the core has it, unchecked, where it knows it; what it does not, and all
        of it for None, is found out by running the operators with fake tensors.
    @raises PlanMismatch, PlanError before anything has changed.
    """
    _Rewrite(gm, plan, found, result, groups, planned).run()


class _Rewrite:
    def __init__(self, gm: fx.GraphModule, plan: JobPlan, found: Sequence[Node], result: Sequence[Node],
                 groups: GroupNames, planned: PlannedTensors | None) -> None:
        self._gm, self._graph, self._plan, self._found, self._result = gm, gm.graph, plan, found, result
        self._before = list(gm.graph.nodes)
        self._by_name = {node.name: node for node in self._before}
        self._metadata = NodeMetadata(self._before)
        self._groups = groups
        self._sizes = HalvedSizes(plan, self._before)
        self._planned = planned if not self._sizes.changes else None
        self._nodes: dict[str, fx.Node] = {}  # of the result, by their names in the plan
        self._values: dict[str, Any] = {}  # the same, what they return
        self._bindings: dict[str, Any] = {}  # by the same, symbols that no other value has

    def run(self) -> None:
        with _disable_current_modes():
            self._foresee()
        self._rearrange()
        self._erase()
        self._order_users()

    def _foresee(self) -> None:
        """Works out what new and changed nodes return."""
        fake = FakeValues(self._before)
        decoder = ArgumentDecoder(self._values.__getitem__, self._groups.job_name)
        start, values, before, in_numbers = self._plan.start, self._values, self._before, self._sizes.in_numbers
        if self._planned is not None:
            self._planned.begin(self._before, self._result)
        for node, origin in zip(self._result, self._plan.origin):
            if origin is not None and (node is start[origin] or not self._returns_else(node, start[origin])):
                values[node["name"]] = in_numbers(before[origin].meta.get("val"))
            elif node["op"] != "call_function" or not ("outputs" in node or self._is_number_of_half(node)):
                values[node["name"]] = None
            else:
                planned = self._planned.value(node, fake.mode, values.__getitem__) if self._planned is not None else None
                values[node["name"]] = planned if planned is not None else self._run(node, origin, fake, decoder)

    def _run(self, node: Node, origin: int | None, fake: FakeValues, decoder: ArgumentDecoder) -> Any:
        """What a node returns when it is run with fake tensors."""
        called = _unwrapped(node)
        args, kwargs = self._arguments(called, origin, decoder)
        value = fake.of_call(node, resolve_target(called["target"]), args, kwargs)
        self._bindings[node["name"]] = self._sizes.bind(node["name"], value)
        if self._planned is not None:
            self._planned.learn(node, value)
        return value

    @staticmethod
    def _returns_else(node: Node, before: Node) -> bool:
        """Whether a node returns something else than it did. Of sizes that are known only when the job runs, a half may
        have as many as the whole, as far as a plan can tell."""
        is_half_now = node["name"] != before["name"] and copied_from(node["name"]) is not None
        return is_half_now or node.get("outputs") != before.get("outputs")

    def _is_number_of_half(self, node: Node) -> bool:
        """Whether a node that returns no tensor may return a size, or say of one what it must be."""
        return self._sizes.halves and node["target"].startswith(("aten.", "operator."))

    def _rearrange(self) -> None:
        cursor = self._graph._root
        decoder = ArgumentDecoder(self._nodes.__getitem__, self._groups.job_name)
        for node, origin in zip(self._result, self._plan.origin):
            if origin is not None:
                made = self._before[origin]
                if cursor.next is not made:
                    cursor.append(made)
                if node is not self._plan.start[origin]:
                    self._change(made, node, origin, decoder)
                if self._values[node["name"]] is not made.meta.get("val"):
                    self._metadata.set_value(made, self._values[node["name"]])
            else:
                made = self._create(node, decoder)
                cursor.append(made)
                self._fill(made, node, decoder)
            if self._bindings.get(node["name"]):
                made.meta["unbacked_bindings"] = self._bindings[node["name"]]
            self._nodes[node["name"]] = cursor = made

    def _arguments(self, node: Node, origin: int | None, decoder: ArgumentDecoder) -> tuple[tuple, dict[str, Any]]:
        """Arguments of a node of the result; `origin` is the node of the graph that it is, if any."""
        given, keywords = node.get("args", []), node.get("kwargs", {})
        if origin is None:
            return tuple(decoder.decode(given)), decoder.decode_all(keywords)
        before, found = self._before[origin], self._found[origin]
        return (tuple(decoder.decode(given, before.args, found.get("args"))),
                decoder.decode_all(keywords, before.kwargs, found.get("kwargs")))

    def _change(self, made: fx.Node, node: Node, origin: int, decoder: ArgumentDecoder) -> None:
        before = self._plan.start[origin]
        if node.get("titan_meta") != before.get("titan_meta"):
            set_half(made, node)
        if node["target"] != before["target"]:
            made.target = resolve_target(node["target"])
        # What a plan does not change of a node is the same object in both.
        if node.get("args") is not before.get("args") or node.get("kwargs") is not before.get("kwargs"):
            made.args, made.kwargs = self._arguments(node, origin, decoder)

    def _create(self, node: Node, decoder: ArgumentDecoder) -> fx.Node:
        """The new node at the end of the graph."""
        if node["op"] == "get_attr":
            return self._graph.create_node("get_attr", self._free_attribute(node["target"]), name=node["name"])
        args, kwargs = self._arguments(node, None, decoder)
        if node["target"] == WRAPPER:
            args = (tuple(args[0]), *args[1:])
        made = self._graph.create_node(node["op"], resolve_target(node["target"]), name=node["name"])
        # torch.fx looks for symbols among the arguments that a new node is made with, which takes longer than all else. So
        # hooks of the module that are told of new nodes see this one without arguments; PyTorch's own read none.
        made.args = args
        if kwargs:
            made.kwargs = kwargs
        return made

    def _fill(self, made: fx.Node, node: Node, decoder: ArgumentDecoder) -> None:
        """What a new node has beside its arguments."""
        if node["op"] == "get_attr":
            return
        if "wraps" in node:
            self._wrap(made, node, decoder)
            return
        value = self._values[node["name"]]
        # torchtitan gives the pieces of a batch values, and none to the node that cuts it.
        is_told = "outputs" in node or not isinstance(value, (list, tuple))
        self._metadata.describe(made, node, value if is_told else None)

    def _wrap(self, wrapper: fx.Node, node: Node, decoder: ArgumentDecoder) -> None:
        """The module of a wrapper, made as PyTorch makes it from the operator that it wraps."""
        inner = _unwrapped(node)
        wrapped = self._by_name.get(node["name"])
        with self._graph.inserting_before(wrapper):
            operator = self._graph.create_node("call_function", resolve_target(inner["target"]),
                                               *self._arguments(inner, None, decoder))
        if wrapped is not None:
            operator.meta = wrapped.meta.copy()
        else:
            self._metadata.describe(operator, node, self._values[node["name"]])
        module = wrapper.args[1]
        assert isinstance(module, fx.Node) and isinstance(module.target, str)
        setattr(self._gm, module.target, _create_subgraph_for_node(self._graph, operator))
        wrapper.meta = {key: value for key, value in operator.meta.items() if key not in _INNER_META}
        custom = wrapper.meta.get("custom")
        if isinstance(custom, dict) and "fallback_to_eager" in custom:
            wrapper.meta["custom"] = {key: value for key, value in custom.items() if key != "fallback_to_eager"}
        self._graph.erase_node(operator)

    def _free_attribute(self, wanted: str) -> str:
        name, number = wanted, 0
        while hasattr(self._gm, name):
            name, number = f"{wanted}_{number}", number + 1
        setattr(self._gm, name, fx.GraphModule({}, fx.Graph()))  # until its wrapper is made
        return name

    def _erase(self) -> None:
        kept = {origin for origin in self._plan.origin if origin is not None}
        for place in reversed(range(len(self._before))):
            if place not in kept:
                self._graph.erase_node(self._before[place])
        for name, node in self._nodes.items():
            if node.name != name:
                node.name = name  # which nodes that are no more may have had until now

    def _order_users(self) -> None:
        nodes = list(self._nodes.values())
        places = {node: place for place, node in enumerate(nodes)}
        for place, node in enumerate(nodes):
            order = self._plan.users_order.get(place)
            if order is None and len(node.users) < 2:
                continue
            users = sorted(node.users, key=places.__getitem__) if order is None else [nodes[user] for user in order]
            if set(users) != set(node.users):
                raise PlanMismatch(f"node {node.name} is used by other nodes than in the plan")
            node.users = dict.fromkeys(users)


def _unwrapped(node: Node) -> Node:
    """What a node calls: of a wrapper, the operator inside with the wrapper's inputs as its arguments."""
    if "wraps" not in node:
        return node
    inputs = node["args"][_LEADING_ARGUMENTS:]
    return {field: _with_inputs(value, inputs) for field, value in node["wraps"].items()}


def _with_inputs(value: Any, inputs: Sequence[Any]) -> Any:
    if isinstance(value, list):
        return [_with_inputs(item, inputs) for item in value]
    if isinstance(value, Mapping):
        if set(value) == {"input"}:
            return inputs[value["input"]]
        return {key: _with_inputs(item, inputs) for key, item in value.items()}
    return value

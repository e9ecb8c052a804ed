"""A graph as it was, to go back to when applying a plan fails."""

from __future__ import annotations

import copy

import torch.fx as fx
from torch.fx.node import map_arg


class GraphBackup:
    """What a graph module's graph is now. Arguments, metadata, names and the order of users come back, in new nodes,
    which are made when they are needed: that is seldom, and copying a large graph takes long."""

    def __init__(self, gm: fx.GraphModule) -> None:
        self._gm = gm
        self._attributes = set(dir(gm))
        graph = gm.graph
        self._tracer, self._codegen = graph._tracer_cls, copy.deepcopy(graph._codegen)
        # torch.fx remembers which names it has given, which decides what later nodes are called.
        names = graph._graph_namespace
        self._used_names, self._base_count = set(names._used_names), dict(names._base_count)
        # Arguments cannot be changed in place; a node is given others.
        self._nodes = [(node, node.op, node.target, node.args, node.kwargs, node.name, node.type, dict(node.meta),
                        list(node.users)) for node in graph.nodes]

    def restore(self) -> None:
        """Gives the module its graph back. Modules that were added to it since are taken away."""
        graph = fx.Graph(tracer_cls=self._tracer)
        graph._codegen = self._codegen
        made: dict[fx.Node, fx.Node] = {}
        for node, op, target, args, kwargs, name, type_expression, meta, _ in self._nodes:
            copied = made[node] = graph.create_node(op, target, map_arg(args, made.__getitem__),
                                                    map_arg(kwargs, made.__getitem__), name, type_expression)
            copied.name, copied.meta = name, meta
        for node, *_, users in self._nodes:
            made[node].users = {made[user]: None for user in users}
        names = graph._graph_namespace
        names._used_names, names._base_count = self._used_names, self._base_count
        self._gm.graph = graph
        for name in set(dir(self._gm)) - self._attributes:
            if name in self._gm._modules:
                delattr(self._gm, name)

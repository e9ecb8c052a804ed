"""A graph as it was, to go back to when applying a plan fails."""

from __future__ import annotations

import copy

import torch.fx as fx


class GraphBackup:
    """What a graph module's graph is now. Arguments, metadata, names and the order of users come back, in new nodes."""

    def __init__(self, gm: fx.GraphModule) -> None:
        self._gm = gm
        self._attributes = set(dir(gm))
        self._graph = copy.deepcopy(gm.graph)
        # torch.fx remembers which names it has given, which decides what later nodes are called.
        names, given = self._graph._graph_namespace, gm.graph._graph_namespace
        names._used_names, names._base_count = set(given._used_names), dict(given._base_count)
        places = {node: place for place, node in enumerate(gm.graph.nodes)}
        self._users = [[places[user] for user in node.users] for node in places]

    def restore(self) -> None:
        """Gives the module its graph back. Modules that were added to it since are taken away."""
        nodes = list(self._graph.nodes)
        for node, users in zip(nodes, self._users):
            node.users = {nodes[user]: None for user in users}
        self._gm.graph = self._graph
        for name in set(dir(self._gm)) - self._attributes:
            if name in self._gm._modules:
                delattr(self._gm, name)

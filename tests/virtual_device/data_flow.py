"""Whether each kernel of a recorded step read what the nodes wrote that its own node has as arguments.

The virtual device logs which launch wrote the bytes that another one reads. What a node reads must come from the nodes
that its arguments lead to: through views and waits, and through nodes that write into their argument. Memory of the
graph's inputs comes from before the step. So tensors that lie in the wrong place are found, in whatever order kernels
run. Standard library only.
"""
import collections
import gzip
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
from graph_arguments import nodes_in  # noqa: E402

GIVEN = "what the graph is given"
ANYTHING = "what was in memory before"
# An executor clears its pool and scratch memory, in this order, before it launches anything.
CLEARED_BY_EXECUTOR = 2
COPY_TO_HOST = "copy to host"
EXECUTORS = 2  # one of the steps that count, one of those that are recorded


def read_graph(path):
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return json.load(file)


class Graph:
    """Which nodes write what each node returns."""

    def __init__(self, document):
        self.nodes = document["nodes"]
        self.number = {node["name"]: number for number, node in enumerate(self.nodes)}
        self.inputs = [[self.number[name] for name in nodes_in([node.get("args", []), node.get("kwargs", {})])]
                       for node in self.nodes]
        self.storages = [{(output["storage"], output.get("device")) for output in node.get("outputs", [])
                          if output and "storage" in output} for node in self.nodes]
        # Memory that nothing is written to has no kernel; what writes into a part of it leaves the rest as it was.
        self.allocates = [re.fullmatch(r"aten\.(new_)?empty(_like|_strided)?\..*", node["target"]) is not None
                          for node in self.nodes]
        self.scatters = [re.fullmatch(r"aten\.(index_put|scatter|scatter_add)_\..*", node["target"]) is not None
                         for node in self.nodes]
        self.has_statistics = [re.match(r"aten\.(_softmax|_log_softmax|_fused_rms_norm|native_layer_norm)\.",
                                        node["target"]) is not None for node in self.nodes]
        for number, node in enumerate(self.nodes):
            for given in nodes_in(node.get("kwargs", {}).get("out", [])):
                self.storages[number] |= self.storages[self.number[given]]

    def origins(self, kernel_of):
        """Of each node the nodes that wrote what it returns.

        Nodes that write into a storage of an argument count for everyone who reads that storage later. What has no
        kernel, such as a view or what is computed where it is read, leads on to its arguments.
        Of a normalisation in a compiled job the numbers of its rows may be all that is written; then its values are
        computed again where they are read.

        @param kernel_of of each node that a kernel computes the one that the kernel is launched for.
        """
        compiled = any(kernel != number for number, kernel in kernel_of.items())
        origins = []
        written_into = collections.defaultdict(set)
        for number, node in enumerate(self.nodes):
            found = set()
            shared = [source for source in self.inputs[number] if self.storages[source] & self.storages[number]]
            if node["op"] in ("placeholder", "get_attr"):
                found |= {(GIVEN, storage) for storage in self.storages[number]}
            elif number in kernel_of:
                found.add(kernel_of[number])
                if compiled and self.has_statistics[number]:
                    for source in self.inputs[number]:
                        found |= origins[source]
                for source in shared:
                    found |= origins[source] - (set() if self.scatters[number] else {ANYTHING})
                    for storage in self.storages[source] & self.storages[number]:
                        written_into[storage].add(kernel_of[number])
            else:
                if self.allocates[number]:
                    found.add(ANYTHING)
                for source in self.inputs[number]:
                    found |= origins[source]
            origins.append(found)
        return origins, written_into


def read_log(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def steps_of(log):
    """Launches of each step: those between two times at which the host waited for the device. What was tried before an
    executor has cleared its memory is none."""
    steps, current = [], []
    for line in log:
        if "synchronized" in line:
            steps.append(current)
            current = []
        elif line["name"] == "memset":
            current = []
        else:
            current.append(line)
    return [step for step in steps if step]


def pools_of(log):
    """Numbers of the allocations that hold the pools of both executors, and what they copy to the host."""
    cleared = [line["writes"][0][0] for line in log if line.get("name") == "memset"]
    pools = set(cleared[-CLEARED_BY_EXECUTOR * EXECUTORS::CLEARED_BY_EXECUTOR])
    return pools | {line["writes"][0][0] for line in log if line.get("name") == COPY_TO_HOST}


def check_step(graph, step, nodes, members_of, pools):
    """@param nodes of each launch of the step. @param members_of of each of them all nodes that its kernel computes.

    @returns sentences on what is wrong, and how many reads were looked at.
    """
    node_of = {launch["launch"]: node for launch, node in zip(step, nodes)}
    origins, written_into = graph.origins({member: node for node in nodes for member in members_of[node]})
    wrong, checked, given = [], 0, []
    for launch, node in zip(step, nodes):
        allowed = {node}
        for source in {source for member in members_of[node] for source in graph.inputs[member]}:
            allowed |= origins[source]
            for storage in graph.storages[source]:
                allowed |= {writer for writer in written_into[storage] if writer <= node}
        inputs = {origin for origin in allowed if isinstance(origin, tuple)}
        for allocation, offset, size, writers in launch["reads"]:
            if allocation not in pools:
                continue
            checked += 1
            written_by = {node_of.get(writer, GIVEN) for writer in writers}
            if GIVEN in written_by and inputs:
                written_by.remove(GIVEN)
                given.append((offset, offset + size, inputs, node))
            for origin in set() if ANYTHING in allowed else written_by - allowed:
                source = "before the step" if origin == GIVEN else f'by "{graph.nodes[origin]["name"]}"'
                wrong.append(f'"{graph.nodes[node]["name"]}" reads {size} bytes of which some were written {source}, '
                             "which is none of its arguments")
    return wrong + other_inputs(graph, given), checked


def other_inputs(graph, given):
    """Two nodes that read the same bytes of the graph's inputs must have an input in common."""
    wrong = []
    given.sort(key=lambda read: read[:2])
    alive = []
    for begin, end, inputs, node in given:
        alive = [read for read in alive if read[1] > begin]
        for _, _, others, other in alive:
            if not inputs & others:
                wrong.append(f'"{graph.nodes[node]["name"]}" and "{graph.nodes[other]["name"]}" read the same bytes and '
                             "have no input in common")
        alive.append((begin, end, inputs, node))
    return wrong


def check(graph_file, log_file, commands):
    """Every step launches the same in the same order, so steps that were not recorded have the nodes of one that was.

    @param commands of each command of a step the names of the nodes that it computes, the one that it is launched for
    last.
    @returns sentences on what is wrong, and how many reads were looked at in all.
    """
    graph = Graph(read_graph(graph_file))
    log = read_log(log_file)
    steps, pools = steps_of(log), pools_of(log)
    recorded = [[launch["node"] for launch in step] for step in steps if all(launch["node"] >= 0 for launch in step)]
    if not recorded:
        return ["no step with nodes was recorded"], 0
    # A fault of one recorded step is not to become the rule for the others.
    nodes = max(recorded, key=recorded.count)
    on_device = {node["name"] for node in graph.nodes
                 if any(output and output.get("device", "").startswith("cuda") for output in node.get("outputs", []))}
    launched = {graph.nodes[node]["name"] for node in nodes}
    named = {command[-1]: command for command in commands}
    wrong = [f'"{name}" is launched and is no command' for name in sorted(launched - set(named))]
    wrong += [f'"{name}" is a command and is not launched' for name in sorted(on_device & set(named) - launched)]
    members_of = {node: [graph.number[name] for name in named.get(graph.nodes[node]["name"], [])] or [node]
                  for node in nodes}
    checked = 0
    for number, step in enumerate(steps):
        if len(step) != len(nodes) or any(launch["node"] not in (-1, node) for launch, node in zip(step, nodes)):
            wrong.append(f"step {number + 1} launches {len(step)} kernels, another one {len(nodes)}, or in another order")
            continue
        found, looked_at = check_step(graph, step, nodes, members_of, pools)
        wrong += found
        checked += looked_at
    return wrong, checked

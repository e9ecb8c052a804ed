#!/usr/bin/env python3
"""Make golden cases of overlaps by hand with torch itself: random directives on real and random graphs.

    make_overlap_cases.py --reference TOOLS --data TESTS_DATA --out FILE.json.gz [--seed S] [--minutes M]

Run it with the Python of an environment that has torch 2.15 (no GPU needed). TOOLS is the folder with graph_to_fx.py.
The file's schema is described in the README of tests/data/overlap_goldens. What a directive comes to (edges, the order
of the process groups, which nodes of a module count) is worked out here a second time; whether it contradicts what is
there is torch's `_has_cycle`, the order is that of `_stable_topological_sort` with these edges as `additional_deps`,
and control_deps are those of `preserve_node_ordering`. Cases are determined by the seed.
"""
import argparse
import gzip
import json
import logging
import multiprocessing
import os
import random
import sys
import time

import torch
from torch._dynamo.graph_deduplication import _has_cycle, _stable_topological_sort
from torch._inductor.fx_passes.control_dependencies import preserve_node_ordering
from torch.utils._ordered_set import OrderedSet
from torch.utils.flop_counter import flop_registry

GRAPHS = {  # file: cases
    "graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket": 16,
    "graphs/deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch.pipeline-08-ep_overlap_chunk_pass": 12,
    "graphs/llama3_70b_fsdp256.prebucket": 4,
    "graphs/llama3_8b_fsdp64.prebucket": 8,
    "graphs/llama3_8b_fsdp64_aot_bw": 8,
    "graphs/llama3_8b_fsdp64_aot_fw": 8,
    "graphs/llama3_debugmodel_fsdp4_tp2.prebucket": 16,
    "graphs/llama3_debugmodel_fsdp8": 12,
    "graphs/llama3_debugmodel_fsdp8.prebucket": 24,
    "graphs/llama3_debugmodel_fsdp8_aot_bw": 12,
    "graphs/llama3_debugmodel_fsdp8_aot_reshard_bw": 12,
    "goldens/passes/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.manual_overlap_bucketing.plan-single_modules.deps-0.mode-none": 12,
    "goldens/passes/llama3_8b_fsdp64.prebucket.manual_overlap_bucketing.plan-every2.deps-0.mode-none": 6,
    "goldens/passes/llama3_debugmodel_fsdp4_tp2.prebucket.manual_overlap_bucketing.plan-default.deps-0.mode-none": 16,
    "goldens/passes/llama3_debugmodel_fsdp8.prebucket.manual_overlap_bucketing.plan-default.deps-0.mode-none": 24,
    "scheduling_goldens/passes/llama3_debugmodel_fsdp8_aot_bw.1338": 10,
    "scheduling_goldens/passes/llama3_debugmodel_fsdp8_aot_fw.1339": 10,
    "scheduling_goldens/passes/random_1339": 16,
    "scheduling_goldens/passes/random_1366": 16,
    "scheduling_goldens/passes/random_1387": 16,
    "scheduling_goldens/passes/random_20333": 16,
}


def is_start(node):
    name = str(node.target)
    return node.op == "call_function" and name.startswith("_c10d_functional.") and "wait_tensor" not in name


def is_wait(node):
    return node.op == "call_function" and str(node.target) == "_c10d_functional.wait_tensor.default"


def group_of(node):
    """The last text among the arguments of these operators names the group, after the operation of a reduction."""
    return [argument for argument in (*node.args, *node.kwargs.values()) if isinstance(argument, str)][-1]


def waits_of(start):
    waits = []
    for user in start.users:
        if is_wait(user):
            waits.append(user)
        if str(user.target).endswith("getitem>"):
            waits += filter(is_wait, user.users)
    return waits


def is_compute(node):
    return node.op == "call_function" and getattr(node.target, "overloadpacket", node.target) in flop_registry


class Directed:
    """A graph on which directives are applied one after the other."""

    def __init__(self, graph, modules, keep_group_order, insert_overlap_deps):
        self.graph, self.modules, self.insert = graph, modules, insert_overlap_deps
        self.deps, self.wrapped = {}, {}
        last = {}
        if keep_group_order:
            for node in filter(is_start, graph.nodes):
                if group_of(node) in last:
                    self.deps[node] = OrderedSet([last[group_of(node)]])
                last[group_of(node)] = node

    def closure(self, roots, neighbours):
        found, pending = set(roots), list(roots)
        while pending:
            for other in neighbours(pending.pop()):
                if other not in found:
                    found.add(other)
                    pending.append(other)
        return found

    def needed_by(self, node):
        return self.closure([node], lambda n: [*n.all_input_nodes, *self.deps.get(n, ())])

    def dependent_on(self, nodes):
        after = {}
        for target, sources in self.deps.items():
            for source in sources:
                after.setdefault(source, []).append(target)
        return self.closure(nodes, lambda n: [*n.users, *after.get(n, ())])

    def behind(self, start, path):
        """First and last node of the module's part that is free to run beside the collective, or None."""
        needed, dependent = self.needed_by(start), self.dependent_on(waits_of(start))
        position = {node: place for place, node in enumerate(self.modules.order)}
        free = [n for n in self.modules.nodes(path) if is_compute(n) and n not in needed and n not in dependent]
        parts = []
        for node in free:
            backward = bool(node.meta.get("autograd_backward", False))
            if not parts or parts[-1][0] != backward:
                parts.append((backward, []))
            parts[-1][1].append(position[node])
        if not parts:
            return None
        place = position[start]
        spans = [(found[0], found[-1]) for _, found in parts]
        first, last = min(spans, key=lambda span: max(span[0] - place, place - span[1], 0))
        return self.modules.order[first], self.modules.order[last]

    def edges(self, directive, nodes):
        """Pairs (later, earlier) that a directive asks for; None where it never can hold."""
        start = nodes[directive["collective"]]
        waits = sorted(waits_of(start), key=self.modules.order.index)
        asked = []
        for field in ("start_after", "start_before", "wait_after"):
            if field in directive:
                asked.append((field, nodes[directive[field]]))
        if "hide_behind" in directive:
            part = self.behind(start, directive["hide_behind"])
            if part is None:
                return None
            asked.append(("start_before", part[0]))
            if waits:
                asked.append(("wait_after", part[1]))
        found = []
        for field, node in asked:
            if field == "start_before":
                if node.op == "placeholder" or (self.insert and node.op != "call_function"):
                    return None
                found.append((node, start))
            elif node.op == "output" or (field == "wait_after" and not waits):
                return None
            elif field == "start_after":
                found.append((start, node))
            else:
                found += [(wait, node) for wait in waits]
        return found

    def add(self, directive, nodes):
        """Whether the directive holds; the nodes then stand where the manual pass would move them."""
        edges = self.edges(directive, nodes)
        if edges is None:
            return False
        tried = {target: OrderedSet(sources) for target, sources in self.deps.items()}
        for target, source in edges:
            tried.setdefault(target, OrderedSet()).add(source)
        if _has_cycle(self.graph, tried):
            return False
        self.deps = tried
        for target, source in edges:
            self.wrapped.setdefault(target, OrderedSet()).add(source)
        start = nodes[directive["collective"]]
        for target in [target for target, source in edges if source is start]:
            needed = self.needed_by(start)
            behind, node = [], target
            while node.op != "root":
                behind.append(node)
                node = node.next
            for node in behind:
                if node in needed:
                    target.prepend(node)
        return True

    def finish(self):
        if self.wrapped:
            _stable_topological_sort(self.graph, self.deps)
        if self.insert:
            preserve_node_ordering(self.graph, self.wrapped)


class Modules:
    """Modules by `custom.module_fqn`, and the graph's order as it was given."""

    def __init__(self, graph):
        self.order = list(graph.nodes)

    @staticmethod
    def path(node):
        return (node.meta.get("custom") or {}).get("module_fqn") or ""

    def nodes(self, path):
        return [n for n in self.order if (self.path(n) + ".").startswith(path + ".")]

    def draw(self, choose, near):
        path = self.path(choose.choice(near)).split(".")
        return ".".join(path[: choose.randint(1, len(path))])


def draw_directive(choose, modules, starts):
    """A random wish; places near the collective more often, so that many wishes can hold."""
    start = choose.choice(starts)
    place = modules.order.index(start)

    def near():
        reach = choose.choice((8, 60, 400, len(modules.order)))
        low, high = max(0, place - reach), min(len(modules.order), place + reach)
        return modules.order[choose.randrange(low, high)]

    directive = {"collective": start.name}
    fields = choose.choice((("start_before",), ("wait_after",), ("start_after",), ("start_before", "wait_after"),
                            ("start_before", "wait_after"), ("start_after", "wait_after"), ("hide_behind",)))
    for field in fields:
        if field == "hide_behind":
            with_module = [n for n in modules.order[max(0, place - 900) : place + 900] if modules.path(n)]
            path = modules.draw(choose, with_module) if with_module else ""
            # Only paths under which something computes, forward or backward.
            if any(map(is_compute, modules.nodes(path))) and path:
                directive[field] = path
            else:
                directive["start_before"] = near().name
        else:
            directive[field] = near().name
    return directive


def run_case(graph_module, seed):
    choose = random.Random(seed)
    graph = graph_module.graph
    nodes = {node.name: node for node in graph.nodes}
    modules = Modules(graph)
    place = {node: index for index, node in enumerate(modules.order)}
    case = {"seed": seed, "keep_group_order": choose.random() < 0.7, "insert_overlap_deps": choose.random() < 0.3}
    directed = Directed(graph, modules, case["keep_group_order"], case["insert_overlap_deps"])
    starts = list(filter(is_start, modules.order))
    case["directives"] = [draw_directive(choose, modules, starts) for _ in range(choose.choice((1, 1, 2, 3, 5)))]
    case["holds"] = [directed.add(directive, nodes) for directive in case["directives"]]
    originals = {node.name: place[node] for node in modules.order}
    directed.finish()
    runs = []
    for node in graph.nodes:
        found = originals.get(node.name)
        if found is None:
            runs.append(node.name)
        elif runs and isinstance(runs[-1], list) and sum(runs[-1]) == found:
            runs[-1][1] += 1
        else:
            runs.append([found, 1])
    case["order"] = runs
    if case["insert_overlap_deps"]:
        case["waits_for"] = {n.name: [d.name for d in n.args[0]] for n in graph.nodes if "control_deps" in str(n.target)}
    return case


def in_a_process(graph_module, seed):
    """Each case changes the graph, so it runs in a forked process of its own."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def work():
        sender.send(run_case(graph_module, seed))

    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    sender.close()
    case = receiver.recv()
    worker.join()
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", required=True, metavar="TOOLS")
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60)
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.abspath(arguments.reference))
    import graph_to_fx

    logging.disable(logging.WARNING)
    end = time.monotonic() + 60 * arguments.minutes
    graphs = []
    for number, (name, count) in enumerate(GRAPHS.items()):
        if time.monotonic() > end:
            break
        graph_module, _ = graph_to_fx.load(os.path.join(arguments.data, name + ".graph.json.gz"))
        seeds = [arguments.seed * 100_000 + number * 100 + index for index in range(count)]
        cases = [in_a_process(graph_module, seed) for seed in seeds]
        graphs.append({"graph": name, "cases": cases})
        holding = sum(sum(case["holds"]) for case in cases)
        print(f"{name}: {count} cases, {holding} of {sum(len(c['holds']) for c in cases)} directives hold", flush=True)
    with gzip.GzipFile(arguments.out, "wb", mtime=0) as file:
        file.write(json.dumps({"torch": torch.__version__, "graphs": graphs}, separators=(",", ":")).encode())


if __name__ == "__main__":
    main()

"""The shortest step that any order of a small graph's work has, by OR-tools' CP-SAT: an oracle for `overlap bound`.

The model forgets what no plan can be held to, so that no plan is shorter than its optimum: a collective's latency does
not occupy its link, collectives do not wait for one another beyond that, and what a bucket may fuse takes no time. Links
and compute are one machine each; work is not interrupted.
"""
from __future__ import annotations

import dataclasses
from typing import Any

import programs  # noqa: F401  by which modules of tests/conformance are found
from graph_arguments import nodes_in
from ortools.sat.python import cp_model

# Products and attention, whose order passes keep.
HEAVY = ("aten.mm.", "aten.addmm.", "aten.bmm.", "attention")
CONVERSIONS = ("aten._to_copy.", "prims.convert_element_type.")
PADS = ("aten.constant_pad_nd.", "aten.cat.")
NANOSECONDS_IN_MS = 1_000_000
SEED, WORKERS = 1, 2


@dataclasses.dataclass
class Optimum:
    """Both in milliseconds: a schedule's step, and what was proven that no schedule is below; equal where it is the
    optimum."""
    step_ms: float
    proven_ms: float


class Work:
    """What a graph document has to do."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.nodes = document["nodes"]
        self.inputs = {node["name"]: list(nodes_in([node.get("args"), node.get("kwargs")])) for node in self.nodes}
        self.target = {node["name"]: str(node.get("target")) for node in self.nodes}
        self.users: dict[str, list[str]] = {name: [] for name in self.inputs}
        for name, inputs in self.inputs.items():
            for source in inputs:
                self.users[source].append(name)
        self.latency = {link["process_group"]: link["latency_ms"] for link in document["cost_model"]["links"]}

    def communicates(self, name: str) -> bool:
        return self.target[name].startswith("_c10d_functional.") and "wait_tensor" not in self.target[name]

    def is_heavy(self, name: str) -> bool:
        return any(part in self.target[name] for part in HEAVY)

    def may_be_fused(self, name: str) -> bool:
        """Merging leaves out conversions that only gathers use, and what pads only for a reduce-scatter."""
        users = [self.target[user] for user in self.users[name]]
        if self.target[name].startswith(CONVERSIONS):
            return all("all_gather" in user for user in users)
        return self.target[name].startswith(PADS) and all("reduce_scatter" in user for user in users)

    def group_of(self, node: dict[str, Any]) -> str:
        return next(argument for argument in reversed(node["args"]) if argument in self.latency)


def least_step(document: dict[str, Any], keeps_heavy: bool, most_seconds: float) -> Optimum:
    """@param document after torchtitan's clean-ups, with times.
    @param keeps_heavy the operations of HEAVY stay in the order of the graph."""
    work = Work(document)
    model = cp_model.CpModel()
    total = sum(node.get("estimate_ms") or 0 for node in work.nodes)
    horizon = int(2 * total * NANOSECONDS_IN_MS) + len(work.nodes)
    end: dict[str, Any] = {}
    on_compute, on_link, heavy = [], [], []
    # Where the solver begins: each node as soon as what it needs has ended, in the order of the graph on its machine.
    done_at: dict[str, int] = {}
    free_at = {False: 0, True: 0}
    for node in work.nodes:
        name, duration_ms = node["name"], node.get("estimate_ms") or 0.0
        communicates = work.communicates(name)
        latency_ms = work.latency[work.group_of(node)] if communicates else 0.0
        if not communicates and work.may_be_fused(name):
            duration_ms = 0.0
        length = int(max(0.0, duration_ms - latency_ms) * NANOSECONDS_IN_MS)
        latency = int(latency_ms * NANOSECONDS_IN_MS)
        start = model.new_int_var(latency, horizon, name)
        end[name] = start + length
        first = max([latency] + [done_at[source] + latency for source in work.inputs[name]])
        if length > 0:
            first = max(first, free_at[communicates])
            free_at[communicates] = first + length
        done_at[name] = first + length
        model.add_hint(start, first)
        for source in work.inputs[name]:
            model.add(start >= end[source] + latency)
        if length == 0:
            continue
        (on_link if communicates else on_compute).append(model.new_fixed_size_interval_var(start, length, name))
        if work.is_heavy(name):
            heavy.append((start, end[name]))
    model.add_no_overlap(on_compute)
    model.add_no_overlap(on_link)
    if keeps_heavy:
        for (_, before), (after, _) in zip(heavy, heavy[1:]):
            model.add(after >= before)
    step = model.new_int_var(0, horizon, "step")
    for moment in end.values():
        model.add(step >= moment)
    model.add_hint(step, max(done_at.values()))
    model.minimize(step)
    solver = cp_model.CpSolver()
    solver.parameters.random_seed = SEED
    solver.parameters.num_workers = WORKERS
    solver.parameters.max_time_in_seconds = most_seconds
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise RuntimeError(f"no schedule was found: {solver.status_name(status)}")
    return Optimum(solver.objective_value / NANOSECONDS_IN_MS, solver.best_objective_bound / NANOSECONDS_IN_MS)

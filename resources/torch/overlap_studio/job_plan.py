"""A plan with the section that a training job checks it by, as `overlap export --to job` writes it.

The section `job` describes the graph that the plan is for and the graph that it makes, node for node, in the terms of
the overlap-graph format; resources/schemas/overlap-plan.schema.json says what its fields are.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import PlanError
from .fingerprint import fingerprint

Node = dict[str, Any]

_SECTION_VERSION = 1


@dataclass(frozen=True)
class JobPlan:
    """A plan that was exported for a job. Positions are those of nodes in the graphs' order."""

    path: str
    name: str
    decision: str  #: a digest of what the user decided: buckets, pipeline, overlaps; the same for every rank
    rank: int  #: of the process whose graph the plan was made with
    pipeline: Sequence[Mapping[str, Any]]  #: steps with `pass` and `options`, the plan's buckets put in
    overlaps: Mapping[str, Any]  #: overlaps by hand, as positions in the graph that the pipeline makes
    groups: Sequence[Mapping[str, Any]]  #: process groups of the graph: `name`, `ranks`
    created_groups: Sequence[Mapping[str, Any]]  #: those that passes create, with the `source` that each is made from
    times: Mapping[str, Any] | None  #: `node_ms` of the graph's nodes and a `cost_model`, where a pass needs them
    exact_only: str | None  #: why only mode "exact" makes this result
    input: Sequence[Node]  #: the nodes of the graph that the plan is for
    origin: Sequence[int | None] = field(repr=False)  #: of each node of the result, its place in the input
    users_order: Mapping[int, Sequence[int]] = field(repr=False)  #: of nodes whose users are not in graph order
    _result: Sequence[Node] = field(repr=False)

    def result(self, rank_in: Callable[[str], int]) -> list[Node]:
        """The nodes of the graph that the plan makes, for one rank.

        @param rank_in this rank's place in a process group, which is given by the name that the plan has for it.
        """
        return [{**node, "args": _for_rank(node["args"], rank_in)} if origin is None and "args" in node else node
                for node, origin in zip(self._result, self.origin)]

    def own_rank_in(self, group: str) -> int:
        """The place in a process group of the rank whose graph the plan was made with."""
        for known in (*self.groups, *self.created_groups):
            if known["name"] == group:
                return list(known["ranks"]).index(self.rank)
        raise PlanError(f"{self.path}: its nodes use the process group {group!r}, which it does not list")


def read_job_plan(path: str | os.PathLike[str]) -> JobPlan:
    """Reads a plan that was exported for a job.

    @raises PlanError where the file is none, is of another version, or was edited after it was exported.
    """
    path = os.fspath(path)
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        raise PlanError(f"{path}: cannot be read as a plan: {error}") from error
    if not isinstance(document, dict) or document.get("format") != "overlap-plan":
        raise PlanError(f"{path}: this is no overlap-plan document")
    if document.get("version") != 1:
        raise PlanError(f"{path}: version: found {document.get('version')!r}, expected 1")
    job = document.get("job")
    if job is None:
        raise PlanError(f"{path}: the plan was saved and not exported for a job: "
                        "overlap export PLAN --graph GRAPH --to job -o OUT writes what a job needs")
    if job.get("version") != _SECTION_VERSION:
        raise PlanError(f"{path}: job.version: found {job.get('version')!r}, expected {_SECTION_VERSION}")
    try:
        return _checked(_plan(path, document, job), document, job)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise PlanError(f"{path}: job: damaged, export the plan again ({type(error).__name__}: {error})") from error


def _plan(path: str, document: Mapping[str, Any], job: Mapping[str, Any]) -> JobPlan:
    nodes = [_node(node, job) for node in job["input"]]
    result, origin = _result(nodes, job)
    groups = job["process_groups"]
    return JobPlan(
        path=path, name=document.get("name", ""), decision=_decision(job), rank=job.get("rank", 0),
        pipeline=job["pipeline"], overlaps=job["overlaps"], groups=groups["of_graph"],
        created_groups=groups["created"], times=job.get("times"), exact_only=job.get("exact_only"), input=nodes,
        origin=origin, users_order={node: users for node, users in job["result"]["users_order"]}, _result=result)


def _checked(plan: JobPlan, document: Mapping[str, Any], job: Mapping[str, Any]) -> JobPlan:
    for part, made_from in job["made_from"].items():
        if document.get(part) != made_from:
            raise PlanError(f"{plan.path}: its {part} were changed after it was exported for a job; "
                            "open it in the application or export it again")
    for part, nodes, digest in (("input", plan.input, document["graph"]["digest"]),
                                ("result", plan.result(plan.own_rank_in), job["result"]["digest"])):
        if fingerprint({"nodes": nodes}) != digest:
            raise PlanError(f"{plan.path}: job.{part} does not have the digest {digest} that it is to have; "
                            "it was changed after it was exported: export the plan again")
    return plan


def _decision(job: Mapping[str, Any]) -> str:
    made_from = [job["made_from"], job["pipeline"]]
    return hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:16]


def _node(written: Mapping[str, Any], job: Mapping[str, Any]) -> Node:
    """A node as the overlap-graph format has it, from the section's tables."""
    node = {"op": "call_function", **written}
    if "outputs" in node:
        node["outputs"] = job["outputs"][node["outputs"]]
    modules = job["modules"][node.pop("modules")] if "modules" in node else {}
    for stack in ("module_stack", "fwd_module_stack"):
        if stack in modules:
            node[stack] = modules[stack]
    if "module_fqn" in modules:
        node.setdefault("custom", {"module_fqn": modules["module_fqn"]})
    return node


def _result(nodes: Sequence[Node], job: Mapping[str, Any]) -> tuple[list[Node], list[int | None]]:
    result: list[Node] = []
    origin: list[int | None] = []
    for item in job["result"]["order"]:
        if isinstance(item, list):
            first, count = item
            result.extend(nodes[first:first + count])
            origin.extend(range(first, first + count))
        elif "from" in item:
            before = job["input"][item["from"]]
            merged = {**before, **{key: value for key, value in item.items() if key != "from"}}
            result.append(_node({key: value for key, value in merged.items() if value is not None}, job))
            origin.append(item["from"])
        else:
            result.append(_node(item, job))
            origin.append(None)
    if len(result) != job["result"]["nodes"]:
        raise ValueError(f"{len(result)} nodes instead of {job['result']['nodes']}")
    return result, origin


def _for_rank(value: Any, rank_in: Callable[[str], int]) -> Any:
    """The value with `{"rank_in": GROUP, "times": N, "plus": M}` worked out."""
    if isinstance(value, list):
        return [_for_rank(item, rank_in) for item in value]
    if isinstance(value, dict) and "rank_in" in value:
        return rank_in(value["rank_in"]) * value["times"] + value["plus"]
    return value

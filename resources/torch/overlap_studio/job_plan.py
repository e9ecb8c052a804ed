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
from functools import cached_property
from typing import Any

from .digests import fingerprint, value_digest
from .errors import PlanError
from .native import without_garbage_collection
from .plan_fields import Field

Node = dict[str, Any]

_DOCUMENT_VERSION = 1
_SECTION_VERSION = 3
# What the section is made from: it must still be what the document says.
_MADE_FROM = ("buckets", "pipeline", "overlaps", "module_rules", "process_groups")
NCCL_FIELDS = {"min_ctas": (1, 64), "max_ctas": (1, 64), "cga_cluster_size": (0, 8), "nvls_ctas": (1, 64),
               "cta_policy": (0, 2), "traffic_class": (0, 255)}
"""What a plan may ask of NCCL's ncclConfig_t for a process group, by its names there, from the least to the most."""
ORIGINAL_NAME = "chunked_original_name"
"""Where a node of a half has the name of the node that was halved."""
CHUNK_META = ("chunked_region_fqn", "chunked_region_is_backward", "chunked_region_producer", "chunked_region_role",
              "chunk_id", ORIGINAL_NAME)
"""What torchtitan's passes for experts leave in `node.meta`: which half of which module a node belongs to."""
_OPS = ("placeholder", "get_attr", "call_function", "call_module", "call_method", "output")


@dataclass(frozen=True)
class JobPlan:
    """A plan that was exported for a job. Positions are those of nodes in the graphs' order."""

    path: str
    name: str
    decision: str  #: a digest of what the user decided: modules, buckets, pipeline, overlaps, groups; the same for every rank
    rank: int  #: of the process whose graph the plan was made with
    world_size: int | None  #: of the job that the graph is from, where the graph's document says it
    pipeline: Sequence[Mapping[str, Any]]  #: steps with `pass` and `options`, the plan's buckets put in
    overlaps: Mapping[str, Any]  #: overlaps by hand, as positions in the graph that the pipeline makes
    groups: Sequence[Mapping[str, Any]]  #: process groups of the graph: `name`, `ranks`
    created_groups: Sequence[Mapping[str, Any]]  #: those that passes create, with the `source` that each is made from
    times: Mapping[str, Any] | None  #: `node_ms` of the graph's nodes and a `cost_model`, where a pass needs them
    exact_only: str | None  #: why only mode "exact" makes this result
    input: list[Node]  #: the nodes of the graph that the plan is for
    start: list[Node]  #: the same with the modules that the plan's rules give: what the passes begin with
    origin: Sequence[int | None] = field(repr=False)  #: of each node of the result, its place in the input
    users_order: Mapping[int, Sequence[int]] = field(repr=False)  #: of nodes whose users are not in graph order
    _result: Sequence[Node] = field(repr=False)

    def result(self, rank_in: Callable[[str], int]) -> list[Node]:
        """The nodes of the graph that the plan makes, for one rank.

        @param rank_in this rank's place in a process group, which is given by the name that the plan has for it.
        """
        nodes = list(self._result)
        for place in self._places_of_rank:
            nodes[place] = {**nodes[place], "args": _for_rank(nodes[place]["args"], rank_in)}
        return nodes

    @cached_property
    def _places_of_rank(self) -> list[int]:
        """New nodes whose arguments depend on the rank."""
        return [place for place, (node, origin) in enumerate(zip(self._result, self.origin))
                if origin is None and _depends_on_rank(node.get("args"))]

    def own_rank_in(self, group: str) -> int:
        """The place in a process group of the rank whose graph the plan was made with."""
        for known in (*self.groups, *self.created_groups):
            if known["name"] == group:
                return list(known["ranks"]).index(self.rank)
        raise PlanError(f"{self.path}: its nodes use the process group {group!r}, which it does not list")


def read_job_plan(path: str | os.PathLike[str]) -> JobPlan:
    """Reads a plan that was exported for a job.

    @raises PlanError with the place in the file, where it is no such plan, is of another version, or was edited after it
    was exported.
    """
    with without_garbage_collection():
        return _read(os.fspath(path))


def _read(path: str) -> JobPlan:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise PlanError(f"{path}: cannot be read as a plan: {error}") from error
    if not isinstance(document, dict) or document.get("format") != "overlap-plan":
        raise PlanError(f"{path}: this is no overlap-plan document")
    _check_version(path, "version", document.get("version"), _DOCUMENT_VERSION, "write it again")
    if document.get("job") is None:
        raise PlanError(f"{path}: the plan was saved and not exported for a job: "
                        "overlap export PLAN --graph GRAPH --to job -o OUT writes what a job needs")
    job = Field(path, "job", document["job"])
    _check_version(path, "job.version", job.object().get("version"), _SECTION_VERSION, "export the plan again")
    _check_unchanged(path, document, job)
    plan = _plan(path, document, job)
    _check_graphs(plan, Field(path, "graph", document.get("graph")), job)
    return plan


def _check_version(path: str, place: str, found: Any, expected: int, remedy_for_older: str) -> None:
    if type(found) is int and found > expected:
        raise PlanError(f"{path}: {place}: found {found}, and this package reads up to {expected}: update it "
                        "to that of the Overlap Studio that wrote the plan")
    if found != expected:
        raise PlanError(f"{path}: {place}: found {found!r}, expected {expected}; {remedy_for_older}")


def section_digest(job: Mapping[str, Any]) -> str:
    """What the field `digest` of a section must be: the digest of all its other fields."""
    return value_digest({key: value for key, value in job.items() if key != "digest"})


def _check_unchanged(path: str, document: Mapping[str, Any], job: Field) -> None:
    made_from = job.member("made_from")
    for part in _MADE_FROM:
        if document.get(part) != made_from.member(part).value:
            raise PlanError(f"{path}: its {part} were changed after it was exported for a job; "
                            "open it in the application or export it again")
    if document.get("memory") != made_from.object().get("memory"):
        raise PlanError(f"{path}: its memory was changed after it was exported for a job; "
                        "open it in the application or export it again")
    if job.member("digest").text() != section_digest(job.object()):
        raise PlanError(f"{path}: job: this section was changed after it was exported, or is damaged; "
                        "export the plan again")


def _check_graphs(plan: JobPlan, graph: Field, job: Field) -> None:
    """The section's two graphs are those whose digests the plan has."""
    parts = (("input", plan.input, graph.member("digest").text()),
             ("result", plan.result(plan.own_rank_in), job.member("result").member("digest").text()))
    for part, nodes, digest in parts:
        try:
            found = fingerprint({"nodes": nodes})
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise job.member(part).fail(f"these are no nodes ({type(error).__name__}: {error})") from error
        if found != digest:
            raise job.member(part).fail(f"its digest is {found}, and {digest} in the plan")


def _plan(path: str, document: Mapping[str, Any], job: Field) -> JobPlan:
    tables = _Tables(job)
    nodes = [tables.node(node) for node in job.member("input").items()]
    begin = _with_given_modules(job)
    start = [tables.node(field) if field is not None else node for field, node in zip(begin, nodes)]
    result, origin = _result(start, begin, job, tables)
    groups = job.member("process_groups")
    return JobPlan(
        path=path, name=str(document.get("name", "")), decision=_decision(job.object()),
        rank=job.optional("rank", Field.number, 0), world_size=job.optional("world_size", Field.number, None),
        pipeline=[_step(step) for step in job.member("pipeline").items()],
        overlaps=_overlaps(job.member("overlaps"), len(result)),
        groups=[_group(group) for group in groups.member("of_graph").items()],
        created_groups=[_created_group(group) for group in groups.member("created").items()],
        times=job.optional("times", lambda times: _times(times, len(nodes)), None),
        exact_only=job.optional("exact_only", Field.text, None), input=nodes, start=start, origin=origin,
        users_order=_users_order(job.member("result").member("users_order"), len(result)), _result=result)


def _step(step: Field) -> Mapping[str, Any]:
    step.member("pass").text()
    step.member("options").object()
    return step.object()


def _overlaps(overlaps: Field, nodes: int) -> Mapping[str, Any]:
    """@param nodes how many the graph has in which the places are."""
    overlaps.member("keep_group_order").flag()
    overlaps.member("insert_overlap_deps").flag()
    for directive in overlaps.member("directives").items():
        directive.member("start").number(below=nodes)
        for edge in directive.member("edges").items():
            for place in edge.items(2):
                place.number(below=nodes)
    return overlaps.object()


def _group(group: Field) -> Mapping[str, Any]:
    group.member("name").text()
    for rank in group.member("ranks").items():
        rank.number()
    return group.object()


def _created_group(group: Field) -> Mapping[str, Any]:
    for field in ("source", "description"):
        group.member(field).text()
    group.member("high_priority").flag()
    if "settings" in group.object():
        _settings(group.member("settings"))
    return _group(group)


def _settings(settings: Field) -> None:
    settings.member("high_priority").flag()
    for name in settings.object():
        if name in NCCL_FIELDS:
            least, most = NCCL_FIELDS[name]
            settings.member(name).number(least, most + 1)
        elif name != "high_priority":
            raise settings.member(name).fail("there is no such setting")
    if "min_ctas" in settings.object() and "max_ctas" in settings.object():
        settings.member("min_ctas").number(1, settings.member("max_ctas").number() + 1)


def _times(times: Field, nodes: int) -> Mapping[str, Any]:
    for _ in times.member("node_ms").items(nodes):
        pass
    if "cost_model" in times.object():
        times.member("cost_model").object()
    return times.object()


def _users_order(order: Field, nodes: int) -> dict[int, list[int]]:
    places = {}
    for item in order.items():
        node, users = item.items(2)
        places[node.number(below=nodes)] = [user.number(below=nodes) for user in users.items()]
    return places


def _decision(job: Mapping[str, Any]) -> str:
    made_from = [job["made_from"], job["pipeline"]]
    return hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:16]


def with_half(node: Node, chunks: Sequence[Mapping[str, Any]]) -> Node:
    """The node with what torchtitan's passes for experts say of it in `titan_meta`, as the overlap-graph format has it.

    @param node as a section has it: `chunk` is the number of one of `chunks`.
    """
    fields = dict(chunks[node.pop("chunk")]) if "chunk" in node else {}
    if ORIGINAL_NAME in node:
        fields[ORIGINAL_NAME] = node.pop(ORIGINAL_NAME)
    return {**node, "titan_meta": fields} if fields else node


class _Tables:
    """What nodes of the section refer to by number."""

    def __init__(self, job: Field) -> None:
        self._outputs = job.member("outputs").list()
        self._modules = [modules.object() for modules in job.member("modules").items()]
        no_chunks: list[dict[str, Any]] = []  # as of plans without halves
        self._chunks = job.optional("chunks", lambda chunks: [chunk.object() for chunk in chunks.items()], no_chunks)

    def node(self, written: Field) -> Node:
        """A node as the overlap-graph format has it."""
        node = {"op": "call_function", **written.object()}
        # A place is made into words only where something is wrong with it: a plan has tens of thousands of nodes.
        for name in ("name", "target"):
            if type(node.get(name)) is not str:
                written.member(name).text()
        if node["op"] not in _OPS:
            raise written.member("op").fail("this is no kind of node")
        if type(node.get("args", [])) is not list:
            written.member("args").list()
        if type(node.get("kwargs", {})) is not dict:
            written.member("kwargs").object()
        if "outputs" in node:
            node["outputs"] = self._outputs[self._number(written, "outputs", len(self._outputs))]
        modules: Mapping[str, Any] = {}
        if "modules" in node:
            modules = self._modules[self._number(written, "modules", len(self._modules))]
            del node["modules"]
        for stack in ("module_stack", "fwd_module_stack"):
            if stack in modules:
                node[stack] = modules[stack]
        if "module_fqn" in modules:
            node.setdefault("custom", {"module_fqn": modules["module_fqn"]})
        if "chunk" in node:
            written.member("chunk").number(below=len(self._chunks))
        return with_half(node, self._chunks)

    @staticmethod
    def _number(written: Field, field: str, below: int) -> int:
        number = written.value[field]
        return number if type(number) is int and 0 <= number < below else written.member(field).number(below=below)


def _with_given_modules(job: Field) -> list[Field | None]:
    """Of each node of the input what it is with the module that the plan gives it; None where it gives none."""
    written = list(job.member("input").items())
    begin: list[Field | None] = [None] * len(written)
    for given in job.member("given_modules").items():
        first, count, modules = given.items(3)
        place = first.number(below=len(written))
        for node in range(place, place + count.number(below=len(written) - place + 1)):
            begin[node] = written[node].instead({**written[node].object(), "modules": modules.number()})
    return begin


def _result(nodes: Sequence[Node], begin: Sequence[Field | None], job: Field,
            tables: _Tables) -> tuple[list[Node], list[int | None]]:
    """Nodes of the result, and of each its place in the input."""
    written = [node if given is None else given.value for node, given in zip(job.member("input").list(), begin)]
    result = job.member("result")
    made: list[Node] = []
    origin: list[int | None] = []
    used = [False] * len(nodes)

    def take(place: Field, first: int) -> int:
        if used[first]:
            raise place.fail(f"node {first} of the graph is in the result twice")
        used[first] = True
        return first

    for item in result.member("order").items():
        if isinstance(item.value, list):
            start, count = item.items(2)
            first = start.number(below=len(nodes))
            for place in range(first, first + count.number(below=len(nodes) - first + 1)):
                origin.append(take(item, place))
                made.append(nodes[place])
        elif "from" in item.object():
            place = take(item, item.member("from").number(below=len(nodes)))
            changed = {**written[place], **{key: value for key, value in item.object().items() if key != "from"}}
            made.append(tables.node(item.instead({key: value for key, value in changed.items() if value is not None})))
            origin.append(place)
        else:
            made.append(tables.node(item))
            origin.append(None)
    if len(made) != result.member("nodes").number():
        raise result.fail(f"{len(made)} nodes instead of {result.member('nodes').value}")
    return made, origin


def _depends_on_rank(value: Any) -> bool:
    if type(value) is list:
        return any(map(_depends_on_rank, value))
    return type(value) is dict and "rank_in" in value


def _for_rank(value: Any, rank_in: Callable[[str], int]) -> Any:
    """The value with `{"rank_in": GROUP, "times": N, "plus": M}` worked out."""
    if isinstance(value, list):
        return [_for_rank(item, rank_in) for item in value]
    if isinstance(value, dict) and "rank_in" in value:
        return rank_in(value["rank_in"]) * value["times"] + value["plus"]
    return value

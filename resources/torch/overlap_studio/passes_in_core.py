"""`native_pass()`: PyTorch's and torchtitan's overlap passes on a job's own graph, carried out by the native core."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from torch._inductor import config as inductor_config
from torch._inductor.custom_graph_pass import CustomGraphPass

from .agreed_change import agreed_change, telling_others
from .aligned_times import ComputeTimes
from .analytic_times import PlanTimes
from .collective_order import collectives_text, starts_collective
from .core_changes import plan_of_changes
from .document import NodeEncoder, json_text
from .errors import PlanError
from .estimates import Estimate
from .exact import rewrite
from .export import document_header, inputs_of_trace
from .extra_groups import create_groups
from .given_modules import give_modules
from .group_names import GroupNames
from .groups import GroupRanks, this_rank
from .job_plan import JobPlan
from .native import native_core, without_garbage_collection
from .planned_tensors import PlannedTensors
from .ranks import DEFAULT_TIMEOUT, RankAgreement, agreement_on, can_agree
from .symbols import Symbols
from .versions import tell_of_version

Steps = Sequence[Mapping[str, Any]]
Compiler = Callable[[fx.GraphModule, Sequence[Any]], Callable[..., Any]]

_NAME = "native_pass"
_ESTIMATOR = "compute_estimator"


def native_pass(pipeline: Steps | Mapping[str, Any] | str | os.PathLike[str], **options: Any) -> NativePass:
    """A drop-in for PyTorch's overlap passes and torchtitan's: the same graph, made by the native core in the process of
    the job, without files. It needs the wheel.

        torch._inductor.config.post_grad_custom_post_pass = native_pass(steps, cost_model=cost_model)  # torch.compile
        compiler = native_pass(steps).before(compiler)                                              # AOT autograd
        register_pipeline("native", native_pass(steps))                                             # graph_trainer

    @param pipeline steps as `overlap apply --pipeline` takes them: `[{"pass": NAME, "options": {...}}, ...]`; a plan's
    document; or a file that has one of the two.
    @param options of `NativePass`.
    """
    return NativePass(pipeline, **options)


class NativePass(CustomGraphPass):
    """A pass on graphs of torch.fx, in place.

    Every graph that it is given is rewritten by the whole pipeline. On an error the graph is as it was, in new nodes. What
    the core finds remarkable is a warning; what would make the job compute with memory that is not filled yet, or an
    overlap by hand that cannot be had, is an error.

    Nothing is measured, so without `estimate` all ranks make the same of equal graphs, and need no agreement. With it, times
    of compute become the same on all ranks where PyTorch's scheduler makes them the same: as long as its option
    `compute_estimator` is not "analytical". Other times may still lead ranks to different graphs, in which PyTorch's job
    would hang: so ranks compare the collectives that they have come to.

    Inductor's cache is not used (`uuid`).

    @param cost_model times for schedule_overlap_bucketing, in the form of the document; for graphs of any pass that asks
    for times of nodes.
    @param estimate milliseconds of a node by itself, in place of the cost model's, for nodes that the graph has; None for
    those that it knows nothing of.
    @param process_groups ranks of groups that torch.distributed does not know here.
    @param parameter_names, unbacked_size, static_inputs as of `export_graph`. In a pipeline of `register_pipeline` the
    trainer says which inputs are parameters, and what they are called, where they are not given.
    @param check_ranks whether ranks compare passes, graph and result where `estimate` is given; every rank of `group` must
    then give the pass the same graphs in the same order. Left out where there are no other ranks, and with the fake backend.
    @param group the ranks that run one graph; None for all.
    @param timeout for the other ranks to answer.
    """

    def __init__(self, pipeline: Steps | Mapping[str, Any] | str | os.PathLike[str], *,
                 cost_model: Mapping[str, Any] | None = None, estimate: Estimate | None = None,
                 process_groups: GroupRanks | None = None, parameter_names: Mapping[str, str] | None = None,
                 unbacked_size: int | None = None, static_inputs: int | None = None, check_ranks: bool = True,
                 group: dist.ProcessGroup | None = None, timeout: timedelta = DEFAULT_TIMEOUT) -> None:
        """@raises PlanError for an installation without the native core, InputError for a pipeline that is none."""
        tell_of_version()
        self.__name__ = _NAME  # as functions have, which pipelines of graph_trainer are told by
        document, name = _document_of(pipeline)
        self._aligns = _take_estimator_out(document, has_estimate=estimate is not None)
        self._document = json.dumps(document), name
        self._plan = _core().parse_plan(*self._document)
        self._estimate, self._unbacked_size = estimate, unbacked_size
        self._checks_ranks = check_ranks and estimate is not None
        self._group, self._timeout = group, timeout
        self._header: dict[str, Any] = {"cost_model": cost_model, "process_groups": process_groups,
                                        "parameter_names": parameter_names, "static_inputs": static_inputs}

    def __call__(self, graph: fx.Graph | fx.GraphModule, example_inputs: Any = None, *,  # type: ignore[override]
                 traced: Any = None) -> fx.GraphModule:
        """@param example_inputs what pipelines of graph_trainer give their passes.
        @param traced the trainer's trace of the graph, which knows the parameters.
        @raises InputError with the step that is refused, also where PyTorch's pass would fail; ExportError for a graph
        that the core cannot be given; PlanError for a result that the job must not run; RankMismatch on all ranks that would
        not run the same collectives."""
        del example_inputs
        gm = graph.owning_module if isinstance(graph, fx.Graph) else graph
        if gm is None:
            raise PlanError("a graph without a module cannot be given to a pass")
        communicates = any(map(starts_collective, gm.graph.nodes))
        agreement = agreement_on(gm, communicates, self._group, self._timeout) if self._checks_ranks else None
        with without_garbage_collection():
            self._run(gm, traced, agreement)
        return gm

    def before(self, compiler: Compiler) -> Compiler:
        """A compiler for AOT autograd (`fw_compiler`, `bw_compiler`) that runs the pass before it compiles."""

        @functools.wraps(compiler)
        def compile_after_pass(gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
            return compiler(self(gm), example_inputs)

        return compile_after_pass

    def uuid(self) -> Any:
        """Inductor's key for its cache: None, which keeps Inductor from using it.

        A graph out of the cache was made by another run of the pass, maybe by another release of the core, and process
        groups that the passes create would be missing in this process."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        """Inductor copies its settings, of which a pass is one."""
        return {key: value for key, value in self.__dict__.items() if key != "_plan"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._plan = _core().parse_plan(*self._document)

    def _run(self, gm: fx.GraphModule, traced: Any, agreement: RankAgreement | None) -> None:
        with telling_others(agreement):
            own = ComputeTimes(gm.graph, self._time_of()) if self._aligns else None
        if agreement is not None:  # ahead of a collective that a rank with another graph would not join
            agreement.agree({"the passes": f"({hashlib.sha256(self._document[0].encode()).hexdigest()[:16]})",
                             "the version of torch": torch.__version__,
                             "the collectives of the graph": collectives_text(gm)})
        with telling_others(agreement):
            aligned = own.align(self._group, alone=not can_agree()) if own is not None else {}
            plan, planned = self._planned(gm, traced, aligned)
        with agreed_change(gm, agreement, lambda: {
                "the collectives that the passes make with its times": collectives_text(gm)}):
            self._carry_out(gm, plan, planned)
        gm.recompile()

    def _time_of(self) -> Estimate:
        """Milliseconds of a node, by what was given first of all."""
        given, model = self._estimate, self._header["cost_model"]
        of_model = PlanTimes({"node_ms": [], "cost_model": model}, [], GroupNames([], 0)) if model is not None else None

        def time_of(node: fx.Node) -> float | None:
            time_ms = given(node) if given is not None else None
            return of_model(node) if time_ms is None and of_model is not None else time_ms

        return time_of

    def _planned(self, gm: fx.GraphModule, traced: Any,
                 aligned: Mapping[fx.Node, float]) -> tuple[JobPlan, PlannedTensors]:
        """What the core makes of a graph.

        @param aligned times of nodes in place of what else is given.
        """
        estimate = self._estimate
        if aligned:
            estimate = functools.partial(_time_of_node, aligned, estimate)
        encoder = NodeEncoder(gm.graph.nodes, Symbols(self._unbacked_size), estimate)
        nodes = encoder.encode_as_text()
        given = {key: value for key, value in self._header.items() if value is not None}
        header = json_text(document_header(gm, encoder, name=_NAME, **{**inputs_of_trace(gm, traced), **given}))
        document = header.encode()[:-1] + b',"nodes":' + nodes + b"}"
        core = _core()
        applied = core.apply(core.parse_graph(document, _NAME), self._plan)
        changes = json.loads(applied.changes())
        _tell_problems(applied.problems)
        plan = plan_of_changes(_NAME, this_rank() or 0, [node.name for node in gm.graph.nodes], changes)
        return plan, PlannedTensors(encoder.storages.by_number(), encoder.symbols.found_any)

    @staticmethod
    def _carry_out(gm: fx.GraphModule, plan: JobPlan, planned: PlannedTensors) -> None:
        groups = GroupNames([*plan.groups, *plan.created_groups], plan.rank)
        give_modules(gm, plan)
        create_groups(plan, groups)
        rewrite(gm, plan, plan.start, plan.result(groups.rank_in), groups, planned)
        gm.graph.lint()


def _time_of_node(aligned: Mapping[fx.Node, float], estimate: Estimate | None, node: fx.Node) -> float | None:
    if node in aligned:
        return aligned[node]
    return estimate(node) if estimate is not None else None


def _core() -> Any:
    core = native_core()
    if core is None:
        raise PlanError("native_pass() needs the native core, which this installation of overlap_studio does not have: "
                        "install the wheel that packaging/wheel.sh makes")
    return core


def _tell_problems(problems: Sequence[Any]) -> None:
    """@raises PlanError for an error, and for an overlap by hand that is refused."""
    for problem in problems:
        if problem.severity == "error" or problem.kind == "overlap_refused":
            raise PlanError(f"{_NAME}: {problem.message}")
        if problem.severity == "caution":
            warnings.warn(f"{_NAME}: {problem.message}", stacklevel=2)


def _document_of(pipeline: Steps | Mapping[str, Any] | str | os.PathLike[str]) -> tuple[dict[str, Any], str]:
    """A plan's document, and what to call it in errors."""
    name = "pipeline"
    given: Any = pipeline
    if isinstance(pipeline, (str, os.PathLike)):
        name = os.fspath(pipeline)
        try:
            given = json.loads(Path(name).read_bytes())
        except (OSError, ValueError) as error:
            raise PlanError(f"{name}: cannot be read as a pipeline: {error}") from error
    if isinstance(given, Mapping):
        return json.loads(json.dumps(given)), name
    return {"format": "overlap-plan", "version": 1, "name": name, "buckets": [],
            "pipeline": [dict(step) for step in given]}, name


def _take_estimator_out(document: dict[str, Any], has_estimate: bool) -> bool:
    """Takes PyTorch's way to measure compute out of a pipeline's document: the core only has times that it is given.

    @returns whether PyTorch would measure, and align what it has measured. That is its default, by which times go that are
    given for nodes.
    """
    pipeline = document.get("pipeline")
    aligns = False
    for step in pipeline if isinstance(pipeline, list) else ():
        if not isinstance(step, Mapping) or step.get("pass") != "schedule_overlap_bucketing":
            continue
        options = step.get("options")
        if not isinstance(options, dict):
            options = {}
        estimator = options.get(_ESTIMATOR)
        if estimator == "benchmark" or (estimator is None and has_estimate):
            aligns = not inductor_config.deterministic
        if estimator == "benchmark":
            del options[_ESTIMATOR]
    return aligns

"""`native_pass()`: PyTorch's and torchtitan's overlap passes on a job's own graph, carried out by the native core."""

from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch.fx as fx
from torch._inductor.custom_graph_pass import CustomGraphPass

from .backup import GraphBackup
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
from .native import native_core, without_garbage_collection
from .planned_tensors import PlannedTensors
from .symbols import Symbols
from .versions import tell_of_version

Steps = Sequence[Mapping[str, Any]]
Compiler = Callable[[fx.GraphModule, Sequence[Any]], Callable[..., Any]]

_NAME = "native_pass"


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

    Every graph that it is given is rewritten by the whole pipeline. Nothing is measured, so all ranks make the same of
    equal graphs; a caller that gives measured times, as `cost_model` or by `estimate`, must give all ranks the same. On an
    error the graph is as it was, in new nodes. What the core finds remarkable is a warning; what would make the job
    compute with memory that is not filled yet, or an overlap by hand that cannot be had, is an error.

    Inductor's cache is not used (`uuid`).

    @param cost_model times for schedule_overlap_bucketing, in the form of the document; for graphs of any pass that asks
    for times of nodes.
    @param estimate milliseconds of a node by itself, in place of the cost model's, for nodes that the graph has.
    @param process_groups ranks of groups that torch.distributed does not know here.
    @param parameter_names, unbacked_size, static_inputs as of `export_graph`. In a pipeline of `register_pipeline` the
    trainer says which inputs are parameters, and what they are called, where they are not given.
    """

    def __init__(self, pipeline: Steps | Mapping[str, Any] | str | os.PathLike[str], *,
                 cost_model: Mapping[str, Any] | None = None, estimate: Estimate | None = None,
                 process_groups: GroupRanks | None = None, parameter_names: Mapping[str, str] | None = None,
                 unbacked_size: int | None = None, static_inputs: int | None = None) -> None:
        """@raises PlanError for an installation without the native core, InputError for a pipeline that is none."""
        tell_of_version()
        self.__name__ = _NAME  # as functions have, which pipelines of graph_trainer are told by
        self._document = _document_text(pipeline)
        self._plan = _core().parse_plan(*self._document)
        self._estimate, self._unbacked_size = estimate, unbacked_size
        self._header: dict[str, Any] = {"cost_model": cost_model, "process_groups": process_groups,
                                        "parameter_names": parameter_names, "static_inputs": static_inputs}

    def __call__(self, graph: fx.Graph | fx.GraphModule, example_inputs: Any = None, *,  # type: ignore[override]
                 traced: Any = None) -> fx.GraphModule:
        """@param example_inputs what pipelines of graph_trainer give their passes.
        @param traced the trainer's trace of the graph, which knows the parameters.
        @raises InputError with the step that is refused, also where PyTorch's pass would fail; ExportError for a graph
        that the core cannot be given; PlanError for a result that the job must not run."""
        del example_inputs
        gm = graph.owning_module if isinstance(graph, fx.Graph) else graph
        if gm is None:
            raise PlanError("a graph without a module cannot be given to a pass")
        with without_garbage_collection():
            self._run(gm, traced)
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

    def _run(self, gm: fx.GraphModule, traced: Any) -> None:
        encoder = NodeEncoder(gm.graph.nodes, Symbols(self._unbacked_size), self._estimate)
        nodes = encoder.encode_as_text()
        given = {key: value for key, value in self._header.items() if value is not None}
        header = json_text(document_header(gm, encoder, name=_NAME, **{**inputs_of_trace(gm, traced), **given}))
        document = header.encode()[:-1] + b',"nodes":' + nodes + b"}"
        core = _core()
        applied = core.apply(core.parse_graph(document, _NAME), self._plan)
        changes = json.loads(applied.changes())
        _tell_problems(applied.problems)
        plan = plan_of_changes(_NAME, this_rank() or 0, [node.name for node in gm.graph.nodes], changes)
        groups = GroupNames([*plan.groups, *plan.created_groups], plan.rank)
        planned = PlannedTensors(encoder.storages.by_number(), encoder.symbols.found_any)
        backup = GraphBackup(gm)
        try:
            give_modules(gm, plan)
            create_groups(plan, groups)
            rewrite(gm, plan, plan.start, plan.result(groups.rank_in), groups, planned)
            gm.graph.lint()
        except BaseException:
            backup.restore()
            raise
        gm.recompile()


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


def _document_text(pipeline: Steps | Mapping[str, Any] | str | os.PathLike[str]) -> tuple[str, str]:
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
        return json.dumps(given), name
    return json.dumps({"format": "overlap-plan", "version": 1, "name": name, "buckets": [],
                       "pipeline": [dict(step) for step in given]}), name

"""`native_pass()`: PyTorch's and torchtitan's overlap passes on a job's own graph, carried out by the native core."""

from __future__ import annotations

import functools
import hashlib
import json
import os
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
from .export import document_header
from .extra_groups import create_groups
from .given_modules import give_modules
from .group_names import GroupNames
from .groups import GroupRanks, this_rank
from .native import native_core, without_garbage_collection
from .planned_tensors import PlannedTensors
from .symbols import Symbols

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

    Every graph that it is given is rewritten by the whole pipeline. All ranks that run it make the same of their graphs,
    since nothing is measured. On an error the graph is as it was, in new nodes.

    @param cost_model times for schedule_overlap_bucketing, in the form of the document; for graphs of any pass that asks
    for times of nodes.
    @param estimate milliseconds of a node by itself, in place of the cost model's, for nodes that the graph has.
    @param process_groups ranks of groups that torch.distributed does not know here.
    @param parameter_names, unbacked_size, static_inputs as of `export_graph`.
    """

    def __init__(self, pipeline: Steps | Mapping[str, Any] | str | os.PathLike[str], *,
                 cost_model: Mapping[str, Any] | None = None, estimate: Estimate | None = None,
                 process_groups: GroupRanks | None = None, parameter_names: Mapping[str, str] | None = None,
                 unbacked_size: int | None = None, static_inputs: int | None = None) -> None:
        """@raises PlanError for an installation without the native core, InputError for a pipeline that is none."""
        self.__name__ = _NAME  # as functions have, which pipelines of graph_trainer are told by
        self._document = _document_text(pipeline)
        self._plan = _core().parse_plan(*self._document)
        self._estimate, self._unbacked_size = estimate, unbacked_size
        self._header: dict[str, Any] = {"cost_model": cost_model, "process_groups": process_groups,
                                        "parameter_names": parameter_names, "static_inputs": static_inputs}
        self._key = hashlib.sha256(json.dumps([self._document[0], cost_model, process_groups, unbacked_size, static_inputs],
                                              sort_keys=True, default=repr).encode()).hexdigest()

    def __call__(self, graph: fx.Graph | fx.GraphModule, example_inputs: Any = None, *,  # type: ignore[override]
                 traced: Any = None) -> fx.GraphModule:
        """@param example_inputs, traced what pipelines of graph_trainer give their passes.
        @raises InputError with the step that is refused, also where PyTorch's pass would fail; ExportError for a graph
        that the core cannot be given."""
        del example_inputs, traced
        gm = graph.owning_module if isinstance(graph, fx.Graph) else graph
        if gm is None:
            raise PlanError("a graph without a module cannot be given to a pass")
        with without_garbage_collection():
            self._run(gm)
        return gm

    def before(self, compiler: Compiler) -> Compiler:
        """A compiler for AOT autograd (`fw_compiler`, `bw_compiler`) that runs the pass before it compiles."""

        @functools.wraps(compiler)
        def compile_after_pass(gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
            return compiler(self(gm), example_inputs)

        return compile_after_pass

    def uuid(self) -> Any:
        """Inductor's key for its cache; None, where times come from a function, keeps it from using it."""
        return None if self._estimate is not None else (_NAME, self._key)

    def __getstate__(self) -> dict[str, Any]:
        """Inductor copies its settings, of which a pass is one."""
        return {key: value for key, value in self.__dict__.items() if key != "_plan"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._plan = _core().parse_plan(*self._document)

    def _run(self, gm: fx.GraphModule) -> None:
        encoder = NodeEncoder(gm.graph.nodes, Symbols(self._unbacked_size), self._estimate)
        nodes = encoder.encode_as_text()
        header = json_text(document_header(gm, encoder, name=_NAME, **self._header))
        document = header.encode()[:-1] + b',"nodes":' + nodes + b"}"
        core = _core()
        applied = core.apply(core.parse_graph(document, _NAME), self._plan)
        names = [node.name for node in gm.graph.nodes]
        plan = plan_of_changes(_NAME, this_rank() or 0, names, json.loads(applied.changes()))
        groups = GroupNames([*plan.groups, *plan.created_groups], plan.rank)
        planned = None if encoder.symbols.found_any else PlannedTensors(encoder.storages.by_number())
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

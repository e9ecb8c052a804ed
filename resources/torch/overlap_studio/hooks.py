"""Where a plan enters a job: torch.compile, AOT graphs, and the pass pipelines of torchtitan's graph trainer.

Each hook takes one plan or several, since a job has several graphs: forward, backward, one for each break of the graph.
A graph gets the plan that was made for it. A graph with collectives for which there is no plan is an error, unless
`others="skip"`.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

import torch.distributed as dist
import torch.fx as fx
from torch._inductor.custom_graph_pass import CustomGraphPass

from .apply import Mode, apply_agreed, difference_from_input
from .collective_order import starts_collective
from .differences import FoundNodes
from .errors import PlanError, PlanMismatch
from .job_plan import JobPlan, read_job_plan
from .ranks import DEFAULT_TIMEOUT, RankAgreement, agreement_on, can_agree

Path = str | os.PathLike[str]
Compiler = Callable[[fx.GraphModule, Sequence[Any]], Callable[..., Any]]

# Passes of graph_trainer's default pipeline that decide what a plan decides.
REPLACED_PASSES = ("isolate_ep_process_group_pass", "reassign_collective_pgs_pass",
                   "joint_transformer_block_bucketing_reordering_pass", "schedule_fsdp_comms_to_dense_regions_pass")

# Those that it has with compile.ep_overlap.enabled, ahead of the others and behind them. A plan for such a job has them.
EXPERT_PASSES = ("populate_chunk_dim_metadata_pass", "ep_overlap_chunk_pass", "populate_eager_chunk_metadata_pass",
                 "ep_overlap_schedule_pass", "concretize_ep_chunk_symbolic_shapes_pass")

# Passes of this package that want to know which inputs are parameters.
_TAKE_TRACE = ("export_graph_pass", "native_pass")

# What stands between them and decides nothing; a plan that wants it has it as a step.
CLEAN_UP = "eliminate_dead_code_pass"

# Those that a plan's memory section decides as well. They run ahead of the others, in this order.
MEMORY_PASSES = ("tag_with_memory_policy_pass", "apply_cpu_offload_pass", "selective_activation_remat_pass")


class PlanChooser:
    """Applies to each graph the plan that was made for it. Options are those of `apply_plan`.

    Ranks agree on each graph that has collectives, also on leaving it as it is.

    @param others what to do with a graph that has collectives and no plan: "raise" or "skip".
    @raises PlanError for a plan that cannot be read. The other ranks are told; where torch.distributed is not set up
    yet, so that they cannot be, the error comes with the first graph.
    """

    def __init__(self, plans: Path | Sequence[Path], *, mode: Mode = "passes", check_ranks: bool = True,
                 group: dist.ProcessGroup | None = None, timeout: timedelta = DEFAULT_TIMEOUT,
                 others: Literal["raise", "skip"] = "raise") -> None:
        if mode not in ("passes", "exact"):
            raise PlanError(f"mode: found {mode!r}, expected \"passes\" or \"exact\"")
        if others not in ("raise", "skip"):
            raise PlanError(f"others: found {others!r}, expected \"raise\" or \"skip\"")
        self.check_ranks = check_ranks
        self._mode, self._others, self._group, self._timeout = mode, others, group, timeout
        self._has_plans = bool(plans)
        self._unreadable: Exception | None = None
        self.plans: list[JobPlan] = []
        try:
            self.plans = [read_job_plan(path) for path in _paths(plans)]
        except Exception as error:
            if not check_ranks or (dist.is_available() and dist.is_initialized()):
                self.tell_failure(error)
                raise
            self._unreadable = error

    def __call__(self, gm: fx.GraphModule) -> fx.GraphModule:
        """@raises PlanMismatch with the first difference from each plan, where none is for this graph."""
        if not self._has_plans:
            return gm
        if self._unreadable is not None:
            self.tell_failure(self._unreadable)
            raise self._unreadable
        communicates = any(map(starts_collective, gm.graph.nodes))
        agreement = agreement_on(gm, communicates, self._group, self._timeout) if self.check_ranks else None
        return self._apply(gm, agreement) if communicates else gm

    def tell_failure(self, error: Exception) -> None:
        """Tells the other ranks that there will be no agreement on the next graph."""
        if self._has_plans and self.check_ranks and can_agree():
            RankAgreement(self._group, self._timeout).failure(error)

    def _apply(self, gm: fx.GraphModule, agreement: RankAgreement | None) -> fx.GraphModule:
        try:
            nodes = FoundNodes(gm.graph)
            plan = self._plan_for(gm, nodes)
        except Exception as error:
            if agreement is not None:
                agreement.failure(error)  # others may have a plan
            raise
        if plan is not None:
            return apply_agreed(gm, plan, self._mode, agreement, nodes)
        if agreement is not None:
            agreement.agree({"the plan": "none"})
        return gm

    def _plan_for(self, gm: fx.GraphModule, nodes: FoundNodes) -> JobPlan | None:
        """The plan that was made for this graph; None where there is none and the graph is to be skipped."""
        differences = []
        for plan in self.plans:
            difference = difference_from_input(gm, plan, nodes)
            if difference is None:
                return plan
            differences.append(f"{plan.path}: {difference}")
        if self._others == "skip":
            return None
        raise PlanMismatch("no plan is for this graph: " + "; ".join(differences))


def _paths(plans: Path | Sequence[Path]) -> list[Path]:
    return [plans] if isinstance(plans, (str, os.PathLike)) else list(plans)


class PostGradPass(CustomGraphPass):
    """Applies plans to the graphs that torch.compile makes, after Inductor's own passes on them:

        torch._inductor.config.post_grad_custom_post_pass = PostGradPass("forward.job.plan.json")

    The plan must have been made with the graph as it is there, which `export_to` writes: run the job once with
    `PostGradPass(export_to=FOLDER)`, plan the graphs, run it again with the plans. Inductor reorders what it compiles
    unless the plan keeps its order by the option insert_overlap_deps.

    `export_options` are those of `export_graph`, such as `cost_model`.

    With `check_ranks`, nothing is taken from Inductor's cache: what is there was checked by another job.
    """

    def __init__(self, plans: Path | Sequence[Path] = (), *, export_to: Path | None = None,
                 export_options: Mapping[str, Any] | None = None, **options: Any) -> None:
        self._choose = PlanChooser(plans, **options)
        self._export_to, self._export_options = export_to, dict(export_options or {})
        self._exported = 0

    def __call__(self, graph: fx.Graph) -> None:
        gm = graph.owning_module
        if gm is None:
            raise PlanError("a graph without a module cannot be given a plan")
        if self._export_to is not None and any(map(starts_collective, graph.nodes)):
            try:
                self._export(gm, os.fspath(self._export_to))
            except Exception as error:
                self._choose.tell_failure(error)
                raise
        self._choose(gm)

    def uuid(self) -> Any:
        """Inductor's key for its cache; None keeps it from using it."""
        if self._export_to is not None or self._choose.check_ranks:
            return None
        return ("overlap_studio", *(plan.decision for plan in self._choose.plans))

    def _export(self, gm: fx.GraphModule, folder: str) -> None:
        from .export import export_graph
        rank = dist.get_rank() if dist.is_available() and dist.is_initialized() else 0
        os.makedirs(folder, exist_ok=True)
        export_graph(gm, os.path.join(folder, f"graph{self._exported}.rank{rank}.graph.json.gz"),
                     **self._export_options)
        self._exported += 1


def with_plan(compiler: Compiler, plans: Path | Sequence[Path], **options: Any) -> Compiler:
    """A compiler for AOT autograd (`fw_compiler`, `bw_compiler`) that applies plans before it compiles."""
    choose = PlanChooser(plans, **options)

    @functools.wraps(compiler)
    def compile_with_plan(gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
        return compiler(choose(gm), example_inputs)

    return compile_with_plan


def plan_pass(plans: Path | Sequence[Path], **options: Any) -> Callable[..., fx.GraphModule]:
    """A pass for graph_trainer's list of passes: takes the graph module and example inputs, returns the module."""
    choose = PlanChooser(plans, **options)

    def apply_plan_pass(gm: fx.GraphModule, example_inputs: Any = None) -> fx.GraphModule:
        del example_inputs
        return choose(gm)

    return apply_plan_pass


def export_pass(path: Path, **options: Any) -> Callable[..., fx.GraphModule]:
    """A pass that writes the graph as it stands and changes nothing; `{rank}` in `path` is this rank's number.

    `options` are those of `export_graph`. In a pipeline of `register_pipeline` the trainer says which inputs are
    parameters, and what they are called.
    """
    from .export import export_graph, inputs_of_trace

    def export_graph_pass(gm: fx.GraphModule, example_inputs: Any = None, *, traced: Any = None) -> fx.GraphModule:
        del example_inputs
        rank = dist.get_rank() if dist.is_available() and dist.is_initialized() else 0
        export_graph(gm, os.fspath(path).replace("{rank}", str(rank)), **{**inputs_of_trace(gm, traced), **options})
        return gm

    return export_graph_pass


def register_pipeline(name: str, made: Callable[..., fx.GraphModule], *,
                      base: Callable[..., list[Callable[..., Any]]] | None = None, memory: bool = False) -> None:
    """Registers a pass pipeline with torchtitan's graph trainer; `--compile.pass_pipeline NAME` runs it.

    It is the trainer's default pipeline with one pass in place of those that a plan replaces (REPLACED_PASSES,
    EXPERT_PASSES), where the first of them would run. Register before the trainer is made, for example in the module of the job's
    configuration:

        register_pipeline("overlap_plan", plan_pass("step.job.plan.json"))

    @param made `plan_pass(...)`, `export_pass(...)` or `native_pass(...)`.
    @param base makes the list of passes that this one is put into; the trainer's default without it.
    @param memory takes the place of the trainer's memory passes too (MEMORY_PASSES), so that a plan decides what is
        saved, recomputed and offloaded; the export and the plan need the same.
    @raises PlanError where torchtitan or its graph trainer is not installed.
    """
    registry = _import_trainer("registry")

    @registry.register_pass_pipeline(name)
    def construct_passes(traced_result: Any, config: Any, **further: Any) -> list[Callable[..., Any]]:
        construct = base if base is not None else _import_trainer("passes").construct_default_graph_passes
        passes = construct(traced_result, config, **further)
        replaced = (MEMORY_PASSES if memory else ()) + REPLACED_PASSES + EXPERT_PASSES
        places = [place for place, other in enumerate(passes) if _name(other) in replaced]
        if not places:
            raise PlanError(f"pass pipeline {name!r}: the pipeline has none of the passes that a plan replaces: "
                            + ", ".join(replaced))
        here = functools.partial(made, traced=traced_result) if _name(made) in _TAKE_TRACE else made
        between = [other for other in passes[places[0]:places[-1]] if _name(other) not in (*replaced, CLEAN_UP)]
        return [*passes[:places[0]], here, *between, *passes[places[-1] + 1:]]


def _import_trainer(module: str) -> Any:
    name = f"torchtitan.experiments.graph_trainer.{module}"
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise PlanError(f"{name} cannot be imported ({error}); the hook for graph_trainer needs torchtitan") from error


def _name(graph_pass: Callable[..., Any]) -> str:
    while isinstance(graph_pass, functools.partial):
        graph_pass = graph_pass.func
    return getattr(graph_pass, "__name__", type(graph_pass).__name__)

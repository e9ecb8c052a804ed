"""`export_pipeline()`: the stages of a pipeline job as graphs, and the job as an overlap-job document.

For `torch.distributed.pipelining` as it is, and for torchtitan's graph trainer, whose stages are graphs (`graph_pp`).
"""

from __future__ import annotations

import csv
import importlib
import io
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch.distributed as dist
import torch.fx as fx

from .errors import ExportError
from .export import ExportedGraph, export_graph, write_document, write_whole
from .stage_trace import StageTracer

# Schedules that PyTorch runs without a list; `overlap job` has their lists.
_NAMES = {"ScheduleGPipe": "GPipe", "Schedule1F1B": "1F1B"}
# Messages follow from the order of actions.
_MESSAGES = {"SEND_F", "RECV_F", "SEND_B", "RECV_B", "WAIT_SEND_F", "WAIT_SEND_B"}
# Graphs of a stage of graph_pp beside forward and full backward, by the action that runs each.
_ACTIONS = {"I": "bw_di", "W": "bw_dw", "UNSHARD": "unshard", "REDUCE_GRAD": "reduce_grad"}


@dataclass
class ExportedPipeline:
    """What was written: complete on each rank of the first pipeline when the export has ended."""

    path: Path | None = None  # the job document; None on ranks of other copies of the pipeline, which write nothing
    graphs: list[ExportedGraph] = field(default_factory=list)  # of this rank's stages
    notes: list[str] = field(default_factory=list)  # a sentence each


class export_pipeline:
    """Exports a pipeline while it runs one step, as every rank of the job would:

        with export_pipeline(schedule, "job", cost_model=cost_model) as exported:
            schedule.step(...)
        print(exported.path)

    Each rank of the first pipeline writes the graphs of its stages into `folder`, and the pipeline's first rank
    `NAME.job.json` and, of schedules that have a list, `NAME.schedule.csv`. The step is the job's own; of graph_pp it has
    to be the first, since graphs are written as the trainer splits them, before they are compiled.

    @param pipeline a schedule of torch.distributed.pipelining, or graph_trainer's GraphPipelineRuntime around it.
    @param folder one for all ranks; it is made where it is missing.
    @param topology the document's `topology`. With it messages have their bytes; without it they take no time.
    @param backward_input_share the part of the backward that computes the input's gradient, for schedules that split it;
        graph_pp has a graph for each part.
    @param export_options those of `export_graph`, such as `cost_model`.
    @raises ExportError on every rank of the pipeline, for what one of them met.
    """

    def __init__(self, pipeline: Any, folder: str | os.PathLike[str], *, name: str = "pipeline",
                 topology: Mapping[str, Any] | None = None, backward_input_share: float | None = None,
                 **export_options: Any) -> None:
        self._schedule: Any = getattr(pipeline, "schedule", pipeline)
        self._stages: list[Any] = list(getattr(self._schedule, "_stages", None) or [self._schedule._stage])
        self._graph_pp = getattr(pipeline, "graph_provider", None) is not None
        self._folder, self._name = Path(folder), name
        self._topology, self._share, self._options = topology, backward_input_share, export_options
        self._entries: dict[int, dict[str, Any]] = {}
        self._tracers: list[StageTracer] = []
        self._error: Exception | None = None
        self._undo = ExitStack()
        self._exported = ExportedPipeline()

    def __enter__(self) -> ExportedPipeline:
        if not self._is_first_pipeline():
            return self._exported
        self._attempt(self._watch_graph_pp if self._graph_pp else self._watch_stages)
        return self._exported

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._undo.close()
        if error is not None or not self._is_first_pipeline():
            return
        for tracer in self._tracers:
            self._attempt(lambda: self._export_traced(tracer))
        self._finish()

    def _attempt(self, call: Callable[[], None]) -> None:
        """A rank that fails goes on with the step: others wait for it there."""
        try:
            if self._error is None:
                call()
        except Exception as error:
            self._error = error

    def _ranks(self) -> list[int]:
        return dist.get_process_group_ranks(self._stages[0].group or dist.group.WORLD)

    def _is_first_pipeline(self) -> bool:
        return 0 in self._ranks()

    # The graphs of a stage.

    def _watch_stages(self) -> None:
        for stage in self._stages:
            self._tracers.append(StageTracer(stage))
            self._undo.callback(self._tracers[-1].stop)
        loss = self._schedule._loss_fn
        last = next((tracer for tracer in self._tracers if tracer.stage.is_last), None)
        if loss is None or last is None:
            return

        def called(output: Any, target: Any, **options: Any) -> Any:
            last.loss_called(loss, target, options)
            return loss(output, target, **options)
        self._schedule._loss_fn = called
        self._undo.callback(setattr, self._schedule, "_loss_fn", loss)

    def _export_traced(self, tracer: StageTracer) -> None:
        graph_module, parameters = tracer.trace()
        entry: dict[str, Any] = {
            "name": f"stage {tracer.stage.stage_index}",
            "graph": self._write(graph_module, tracer.stage, "step", parameter_names=parameters,
                                 static_inputs=len(parameters))}
        if self._share is not None:
            entry["backward_input_share"] = self._share
        self._entries[tracer.stage.stage_index] = entry

    def _watch_graph_pp(self) -> None:
        graph_builder: Any = importlib.import_module("torchtitan.experiments.graph_trainer.graph_pp.graph_builder")
        if any(stage.graphs is not None for stage in self._stages):
            raise ExportError("the graphs of the stages are compiled already: export in the job's first step")
        compile_graphs = getattr(graph_builder, "_compile_stage_graphs", None)
        if compile_graphs is None:
            raise ExportError("this release of torchtitan compiles the graphs of stages in another way than 0.3.0 does")

        def export_and_compile(stage: Any, **options: Any) -> Any:
            if not stage.graphs.compiled:
                self._attempt(lambda: self._export_graph_pp(stage))
            return compile_graphs(stage, **options)
        graph_builder._compile_stage_graphs = export_and_compile
        self._undo.callback(setattr, graph_builder, "_compile_stage_graphs", compile_graphs)

    def _export_graph_pp(self, stage: Any) -> None:
        modules = stage.graphs.modules
        entry: dict[str, Any] = {"name": f"stage {stage.stage_index}",
                                 "forward": self._write(modules.fw, stage, "forward"),
                                 "backward": self._write(modules.full_bw, stage, "backward")}
        if modules.bw_di is None:
            entry["backward_input_share"] = 0  # the whole backward runs in W
        graphs = {action: self._write(getattr(modules, name), stage, name)
                  for action, name in _ACTIONS.items() if getattr(modules, name) is not None}
        if graphs:
            entry["action_graphs"] = graphs
        self._entries[stage.stage_index] = entry

    def _write(self, gm: fx.GraphModule, stage: Any, what: str, **of_graph: Any) -> str:
        self._folder.mkdir(parents=True, exist_ok=True)
        file = f"{self._name}.stage{stage.stage_index}.{what}.graph.json.gz"
        exported = export_graph(gm, self._folder / file, **{**of_graph, **self._options})
        self._exported.graphs.append(exported)
        self._exported.notes += [f"{file}: {note}" for note in exported.notes]
        return file

    # The job.

    def _finish(self) -> None:
        """Gathers what each rank has, and writes the document on the first."""
        group = self._stages[0].group
        found: list[Any] = [None] * len(self._ranks())
        self._attempt(self._require_all_stages)
        sent = {"error": None if self._error is None else str(self._error), "stages": self._entries,
                "bytes": [_message_bytes(stage) for stage in self._stages if not stage.is_last]}
        dist.all_gather_object(found, sent, group=group)
        for rank, of_rank in zip(self._ranks(), found):
            if of_rank["error"] is not None:
                if self._error is not None:
                    raise self._error
                raise ExportError(f"rank {rank} failed: {of_rank['error']}")
        path = self._folder / f"{self._name}.job.json"
        failed: list[Any] = [None]
        if dist.get_rank() == self._ranks()[0]:
            try:
                entries = {number: entry for of_rank in found for number, entry in of_rank["stages"].items()}
                self._write_job(entries, [size for of_rank in found for size in of_rank["bytes"]], path)
            except Exception as error:
                failed[0], self._error = str(error), error
        dist.broadcast_object_list(failed, src=self._ranks()[0], group=group)
        if failed[0] is not None:
            raise self._error or ExportError(f"rank {self._ranks()[0]} failed: {failed[0]}")
        self._exported.path = path

    def _require_all_stages(self) -> None:
        for stage in self._stages:
            if stage.stage_index not in self._entries:
                raise ExportError(f"stage {stage.stage_index} did not run: run one step while the pipeline is exported")

    def _write_job(self, entries: dict[int, dict[str, Any]], message_bytes: list[int], path: Path) -> None:
        document: dict[str, Any] = {"format": "overlap-job", "version": 1, "name": self._name,
                                    "stages": [entries[number] for number in sorted(entries)],
                                    "schedule": self._schedule_of_job()}
        mesh = _mesh(self._ranks(), dist.get_world_size())
        if mesh is not None:
            document["mesh"] = {"dims": mesh}
        if self._topology is not None:
            document["topology"] = dict(self._topology)
            most = max(message_bytes, default=0)
            document["transfer"] = {"activation_bytes": most, "gradient_bytes": most}
            if len(set(message_bytes)) > 1:
                self._exported.notes.append(f"stages send messages of {min(message_bytes)} to {most} bytes; the "
                                            "document has one number for all, the largest")
        else:
            self._exported.notes.append("without topology= messages between stages take no time")
        write_document(document, path)

    def _schedule_of_job(self) -> dict[str, Any]:
        schedule = self._schedule
        found: dict[str, Any] = {"microbatches": schedule._n_microbatches, "ranks": len(self._ranks())}
        name = _NAMES.get(type(schedule).__name__)
        if name is not None:
            return {"name": name, **found}
        lists = getattr(schedule, "pipeline_order_with_comms", None) or getattr(schedule, "pipeline_order", None) \
            or schedule._get_pipeline_order()
        if not lists:
            raise ExportError(f"the schedule {type(schedule).__name__} has no list of actions, expected one of "
                              f"{', '.join(_NAMES)} or a schedule with a list")
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(
            ["" if action is None else str(action) for action in lists[rank]
             if action is None or action.computation_type.value not in _MESSAGES] for rank in sorted(lists))
        file = f"{self._name}.schedule.csv"
        write_whole(text.getvalue().encode(), self._folder / file)
        return {"file": file, **found}


def _message_bytes(stage: Any) -> int:
    """What a stage sends to the next for a microbatch; its gradient comes back in as many."""
    return sum(meta.shape.numel() * meta.dtype.itemsize for meta in stage._stage_meta.outputs or ())


def _mesh(pipeline: list[int], world_size: int) -> list[list[Any]] | None:
    """The job's mesh, outermost dimension first, of the ranks of its first pipeline; None where there is one pipeline."""
    ranks = len(pipeline)
    if ranks == world_size:
        return None
    inner = pipeline[1] - pipeline[0] if ranks > 1 else 1
    outer = world_size // (ranks * inner)
    if pipeline != [place * inner for place in range(ranks)] or outer * inner * ranks != world_size:
        raise ExportError(f"the ranks of a pipeline are {pipeline} of {world_size}, expected the same distance between "
                          "neighbours, as a mesh has it")
    if inner == 1:
        return [["dp", outer], ["pp", ranks]]
    return [["pp", ranks], ["dp", inner]] if outer == 1 else [["dp_outer", outer], ["pp", ranks], ["dp_inner", inner]]

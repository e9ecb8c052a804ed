"""Pipeline jobs with gloo, exported while they run: the job document has the stages and the schedule that ran."""
from __future__ import annotations

import json
import tempfile
import types
import unittest
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx
from overlap_studio.stage_trace import StageTracer
from torch import nn

from cases import add_cases
from gloo_ranks import fork_ranks
from pipeline_ranks import MICROBATCHES, Block, exported_step, failing_export, two_pipelines
from programs import overlap

# A list that no schedule of PyTorch's makes.
OWN_LIST = "0F0,0F1,,0F2,0B0,0F3,0B1,0B2,0B3\n1F0,1B0,1F1,1F2,,1B1,1B2,1F3,1B3\n"


def simulated(path: str, *arguments: str) -> dict[str, Any]:
    return json.loads(overlap("job", "simulate", path, "--json", *arguments))


def planned(path: str) -> list[list[str]]:
    """The actions of each rank in the order of the job's simulation."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace.json"
        overlap("job", "simulate", path, "--trace", trace, "--no-folding")
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    compute = sorted((event for event in events if event.get("cat") == "compute"), key=lambda event: event["ts"])
    return [[event["name"] for event in compute if event["pid"] == rank]
            for rank in sorted({event["pid"] for event in compute})]


def separate(actions: list[str]) -> list[str]:
    """`(0F3;3B1)OVERLAP_F_B` runs its parts one after the other."""
    return [part for action in actions for part in action.removesuffix("OVERLAP_F_B").strip("()").split(";")]


class Schedules(unittest.TestCase):
    def check(self, name: str, own_list: str | None = None) -> None:
        split = name in ("InterleavedZeroBubble", "ZBVZeroBubble", "DualPipeV")
        with tempfile.TemporaryDirectory() as scratch:
            options = {"backward_input_share": 0.5} if split else {}
            lists = Path(scratch) / "lists.csv" if own_list else None
            if lists is not None:
                lists.write_text(own_list, encoding="utf-8")
            found = fork_ranks(exported_step(name, Path(scratch) / "job", lists, **options), 2)
            path = found[0]["path"]
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            self.assertEqual(found[1]["path"], path)
            self.assertEqual([separate(rank) for rank in planned(path)], [rank["executed"] for rank in found])
            result = simulated(path)
            steps = [json.loads(overlap("simulate", Path(path).parent / stage["graph"], "--json"))
                     for stage in document["stages"]]
            self.assertEqual(len(steps), sum(len(rank["stages"]) for rank in result["ranks"]))
            self.assertEqual(len({step["step_ms"] for step in steps}), len(steps))
            for rank in result["ranks"]:
                expected = MICROBATCHES * sum(steps[stage]["step_ms"] for stage in rank["stages"])
                self.assertAlmostEqual(rank["busy_ms"], expected, delta=1e-9 * expected)
            self.assertIn("without topology= messages between stages take no time", found[0]["notes"])


add_cases(Schedules, Schedules.check, [
    *((name, (name,)) for name in ("GPipe", "1F1B", "Interleaved1F1B", "InterleavedZeroBubble", "ZBVZeroBubble",
                                   "DualPipeV")),
    ("own_list", ("1F1B", OWN_LIST)),
])


class Jobs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "job"

    def test_messages_have_the_bytes_of_the_stages_outputs(self) -> None:
        topology = {"levels": [{"name": "node", "ranks": 2, "latency_ms": 0.5, "bytes_per_s": 1e6}]}
        path = fork_ranks(exported_step("1F1B", self.folder, topology=topology), 2)[0]["path"]
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        # Two rows of eight 32-bit floats.
        self.assertEqual(document["transfer"], {"activation_bytes": 64, "gradient_bytes": 64})
        without = {**document, "transfer": {}}
        other = Path(path).with_name("without.job.json")
        other.write_text(json.dumps(without), encoding="utf-8")
        self.assertGreaterEqual(simulated(path)["step_ms"] - simulated(str(other))["step_ms"], 2 * (0.5 + 0.064) - 1e-9)

    def test_copies_of_the_pipeline_are_a_mesh(self) -> None:
        for outermost, dims in ((True, [["pp", 2], ["dp", 2]]), (False, [["dp", 2], ["pp", 2]])):
            folder = self.folder / str(outermost)
            found = fork_ranks(two_pipelines(folder, outermost), 4)
            path = found[0]["path"]
            others = (1, 3) if outermost else (2, 3)
            self.assertEqual([found[rank]["path"] for rank in others], [None, None])
            self.assertEqual(json.loads(Path(path).read_text(encoding="utf-8"))["mesh"], {"dims": dims})
            result = simulated(path)
            self.assertEqual([rank["rank"] for rank in result["ranks"]], [0, 1, 2, 3])
            self.assertEqual([rank["stage"] for rank in result["ranks"]], [0, 0, 1, 1] if outermost else [0, 1, 0, 1])

    def test_what_one_rank_cannot_export_is_an_error_on_both(self) -> None:
        for what, words in (("fsdp", "stage 1: its module communicates in hooks of DistributedDataParallel"),
                            ("no_step", "did not run: run one step")):
            found = fork_ranks(failing_export(what, self.folder), 2)
            self.assertEqual([rank["kind"] for rank in found], ["ExportError", "ExportError"])
            for rank in found:
                self.assertIn(words, rank["error"])
                self.assertEqual(rank["files"], [])


class Tied(nn.Module):
    """One parameter under two names, a buffer, and an option by name."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("scale", torch.full((8,), 0.5))
        self.frozen = nn.Parameter(torch.ones(8), requires_grad=False)

    def forward(self, x: torch.Tensor, *, shift: float = 0.0) -> torch.Tensor:
        return self.second(torch.relu(self.first(x + shift))) * self.scale + self.frozen


class Traces(unittest.TestCase):
    """The graph of a stage gives the outputs and gradients of the stage."""

    def check(self, module: nn.Module, last: bool, options: dict[str, Any], input_has_gradient: bool) -> None:
        torch.manual_seed(0)
        stage = types.SimpleNamespace(submod=module, stage_index=3, is_last=last)
        tracer = StageTracer(stage)
        x = torch.randn(4, 8, requires_grad=input_has_gradient)
        target, given = torch.randn(4, 8), torch.randn(4, 8)
        output = module(x, **options)
        if last:
            tracer.loss_called(nn.functional.mse_loss, target, {"reduction": "sum"})
            output = nn.functional.mse_loss(output, target, reduction="sum")
        tracer.stop()
        graph_module, names = tracer.trace()
        parameters = dict(module.named_parameters(remove_duplicate=False))
        buffers = dict(module.named_buffers(remove_duplicate=False))
        self.assertEqual(list(names.values()), [*parameters, *buffers])
        wanted = list({id(value): value for value in [*parameters.values(), x] if value.requires_grad}.values())
        gradients = torch.autograd.grad(output, wanted, None if last else given)
        inputs = [x, *options.values(), *([target, "sum"] if last else [given])]
        placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
        values = [*parameters.values(), *buffers.values(), *inputs]
        self.assertEqual(len(placeholders), len(values))
        with torch.no_grad():
            found = fx.Interpreter(graph_module).run(*values)
        for value, expected in zip(torch.utils._pytree.tree_leaves(found), [output, *gradients], strict=True):
            torch.testing.assert_close(value, expected)
        backward = [bool(node.meta.get("autograd_backward")) for node in graph_module.graph.nodes
                    if node.op == "call_function"]
        self.assertEqual(backward, sorted(backward))
        self.assertIn(True, backward)
        without_module = [node.name for node in graph_module.graph.nodes if node.op == "call_function"
                          and "module_fqn" not in (node.meta.get("custom") or {})]
        self.assertEqual([name for name in without_module if "mse" not in name and not last], [])
        self.assertEqual([name for name in vars(module) if name == "forward"], [])


add_cases(Traces, Traces.check, [
    ("first", (nn.Sequential(Block(16), Block(8)), False, {}, False)),
    ("between", (nn.Sequential(Block(16), Block(8)), False, {}, True)),
    ("last", (nn.Sequential(Block(16), Block(8)), True, {}, True)),
    ("tied", (nn.Sequential(Tied()), False, {}, True)),
    ("options", (Tied(), True, {"shift": 0.25}, True)),
])


if __name__ == "__main__":
    unittest.main()

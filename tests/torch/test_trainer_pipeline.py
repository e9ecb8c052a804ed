"""A pipeline of torchtitan's graph trainer with two gloo ranks, exported in its first step: the graphs that it splits its
trace into, each with its action."""
from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

import trainer_pipeline

from cases import add_cases
from gloo_ranks import fork_ranks
from programs import overlap
from test_pipeline_job import planned, separate, simulated

ACTIONS = {"F", "B", "I", "W"}


class Pipelines(unittest.TestCase):
    def check(self, schedule: str) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            found = fork_ranks(trainer_pipeline.exported_step(schedule, Path(scratch) / "job"), 2)
            path = Path(found[0]["path"])
            document = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(len(document["stages"]), 4)
            step_ms = {}
            for number, stage in enumerate(document["stages"]):
                graphs = {"F": stage["forward"], "B": stage["backward"], **stage.get("action_graphs", {})}
                # The first stage has no gradient of an input: the trainer runs its whole backward in W.
                self.assertEqual(set(graphs), {"F", "B"} if number == 0 else ACTIONS)
                for action, graph in graphs.items():
                    step_ms[f"{number}{action}"] = json.loads(overlap("simulate", path.parent / graph, "--json"))["step_ms"]
            self.assertEqual(document["stages"][0]["backward_input_share"], 0)
            step_ms.update({"0I": 0, "0W": step_ms["0B"]})
            ran = [[action for action in separate(rank["executed"]) if _kind(action) in ACTIONS] for rank in found]
            self.assertEqual([separate(rank) for rank in planned(str(path))],
                             [[action for action in rank if _name(action) != "0I"] for rank in ran])
            for rank, actions in zip(simulated(str(path))["ranks"], ran):
                expected = sum(step_ms[_name(action)] for action in actions)
                self.assertAlmostEqual(rank["busy_ms"], expected, delta=1e-9 * expected)
            self.assertEqual(sum(len(rank["losses"]) for rank in found), document["schedule"]["microbatches"])
            for rank in found:
                self.assertEqual(rank["again"], "ExportError: the graphs of the stages are compiled already: export in the "
                                                "job's first step")


def _name(action: str) -> str:
    """An action without its microbatch."""
    return action.rstrip("0123456789")


def _kind(action: str) -> str:
    return action.strip("0123456789")


add_cases(Pipelines, Pipelines.check, [(name, (name,)) for name in ("Interleaved1F1B", "ZBVZeroBubble")])


if __name__ == "__main__":
    unittest.main()

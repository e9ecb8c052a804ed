"""What a plan's new nodes return is the same where it is worked out by an operator and where a call like it was made before."""
from __future__ import annotations

import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from overlap_studio.apply import apply_plan
from overlap_studio.document import Storages
from overlap_studio.export import graph_document
from overlap_studio.known_calls import KnownCalls
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._pytree import tree_leaves

from cases import add_cases
from comparison import copy_graph
from job_plans import make_job_plan, plan_document
from reference_passes import trainer
from test_apply_modes import EXPERTS, FSDP, HYBRID, PIPELINES, TENSOR, graphs_of
from traced_graphs import Job, fake_process_group

ATEN = torch.ops.aten
MODE = FakeTensorMode(shape_env=ShapeEnv())


@torch.library.custom_op("overlap_studio_tests::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


doubled.register_fake(torch.empty_like)


def tensor(*shape: int, dtype: torch.dtype = torch.bfloat16, device: str = "cuda", **options: Any) -> torch.Tensor:
    with MODE:
        return torch.empty(shape, dtype=dtype, device=device, **options)


def described(value: Any) -> list[Any]:
    """All that a document has of tensors, memory too."""
    storages = Storages()
    return [value.__class__.__name__] + [
        (leaf.dtype, leaf.device, tuple(leaf.shape), leaf.stride(), leaf.storage_offset(), leaf.untyped_storage().nbytes(),
         storages.number(leaf.untyped_storage()), leaf.requires_grad) if isinstance(leaf, torch.Tensor) else leaf
        for leaf in tree_leaves(value)]


class Calls:
    """Calls by one KnownCalls, and how many of them were run."""

    def __init__(self) -> None:
        self._known, self.run = KnownCalls(MODE), 0

    def __call__(self, target: Any, *args: Any, **kwargs: Any) -> Any:
        def run() -> Any:
            self.run += 1
            with MODE:
                return target(*args, **kwargs)

        return self._known.value(target, args, kwargs, run)


class Known(unittest.TestCase):
    def check(self, make: Callable[[Any], Any]) -> None:
        """@param make calls operators by the function that it is given, on tensors of its own."""
        calls = Calls()
        first = make(calls)
        run = calls.run
        self.assertGreater(run, 0)
        again = make(calls)
        self.assertEqual(calls.run, run)
        self.assertEqual(described(first), described(again))

    def check_apart(self, *arguments: Any, target: Any = ATEN.add.Tensor) -> None:
        """Calls that differ are run, each."""
        calls = Calls()
        for given in arguments:
            with MODE:
                wanted = target(*given)
            self.assertEqual(described(calls(target, *given)), described(wanted))
        self.assertEqual(calls.run, len(arguments))

    def test_types_of_numbers_tell_calls_apart(self) -> None:
        whole = tensor(4, dtype=torch.int64)
        self.check_apart((whole, 1), (whole, 1.0), (whole, True), target=ATEN.mul.Tensor)

    def test_types_sizes_strides_and_devices_tell_calls_apart(self) -> None:
        with MODE:
            turned = ATEN.t.default(tensor(4, 6))
        self.check_apart((tensor(6, 4),), (turned,), (tensor(4, 6),), (tensor(6, 4, dtype=torch.float32),),
                         (tensor(6, 4, device="cpu"),), (tensor(24),), target=ATEN.neg.default)

    def test_offsets_tell_calls_apart(self) -> None:
        base = tensor(8)
        with MODE:
            parts = [ATEN.slice.Tensor(base, 0, start, start + 4) for start in (0, 2)]
        self.check_apart(*((part, [2, 2]) for part in parts), target=ATEN.view.default)

    def test_shared_memory_tells_calls_apart(self) -> None:
        one, other = tensor(4), tensor(4)
        with MODE:
            alias = ATEN.view.default(one, [4])
        self.check_apart((one, one), (one, other), (one, alias), target=ATEN.add_.Tensor)

    def test_what_gives_its_argument_another_size_is_run_each_time(self) -> None:
        calls = Calls()
        for _ in range(2):
            given = tensor(4, 6)
            calls(ATEN.t_.default, given)
            self.assertEqual(given.shape, (6, 4))
        self.assertEqual(calls.run, 2)

    def test_a_known_result_that_gets_another_size_is_told_by_that(self) -> None:
        calls = Calls()
        calls(ATEN.neg.default, tensor(4))
        known = calls(ATEN.neg.default, tensor(4))
        self.assertEqual(calls.run, 1)
        calls(ATEN.resize_.default, known, [2, 2])
        self.assertEqual(tuple(calls(ATEN.neg.default, known).shape), (2, 2))

    def test_what_is_more_than_sizes_and_memory_is_run_each_time(self) -> None:
        with MODE:
            unknown = torch.empty(MODE.shape_env.create_unbacked_symint(), 2, device="cuda")
            row = unknown.select(0, 0)
        leaf = tensor(4, dtype=torch.float32, requires_grad=True)
        given = {"symbols": (ATEN.neg.default, unknown), "gradients": (ATEN.neg.default, leaf),
                 "operators of a job": (torch.ops.overlap_studio_tests.doubled.default, tensor(4)),
                 "conjugates": (ATEN.neg.default, self._conjugate()), "memory of symbolic size": (ATEN.neg.default, row),
                 "tensors of another mode": (ATEN.neg.default, self._of_another_mode())}
        for what, (target, argument) in given.items():
            with self.subTest(what):
                known, run = KnownCalls(MODE), mock.Mock(return_value=argument)
                for _ in range(2):
                    known.value(target, (argument,), {}, run)
                self.assertEqual(run.call_count, 2)

    @staticmethod
    def _conjugate() -> torch.Tensor:
        with MODE:
            return torch.empty(4, dtype=torch.complex64).conj()

    @staticmethod
    def _of_another_mode() -> torch.Tensor:
        with FakeTensorMode():
            return torch.empty(4)

    def test_a_result_that_has_symbols_is_run_each_time(self) -> None:
        calls = Calls()
        for _ in range(2):
            calls(ATEN.nonzero.default, tensor(4))
        self.assertEqual(calls.run, 2)


add_cases(Known, Known.check, [
    ("new_memory", (lambda call: call(ATEN.mm.default, tensor(4, 6), tensor(6, 2)),)),
    ("a_view", (lambda call: [given := tensor(4, 6), call(ATEN.view.default, given, [24])],)),
    ("a_turned_view", (lambda call: [given := tensor(4, 6), call(ATEN.t.default, given)],)),
    ("pieces_of_one_memory", (lambda call: [given := tensor(12), call(ATEN.split_with_sizes.default, given, [4, 8])],)),
    ("several_tensors", (lambda call: call(ATEN.topk.default, tensor(4, 6), 2),)),
    ("lists", (lambda call: call(ATEN.cat.default, [tensor(4), tensor(8)]),)),
    ("the_argument_itself", (lambda call: [given := tensor(4), call(ATEN.add_.Tensor, given, 1)],)),
    ("keywords", (lambda call: call(ATEN.empty.memory_format, [4, 6], dtype=torch.float32, device=torch.device("cuda:0")),)),
])


class InPlans(unittest.TestCase):
    def check(self, job: Job, kind: str, pipeline: str) -> None:
        gm = graphs_of(job, kind)
        with tempfile.TemporaryDirectory() as scratch, fake_process_group(job):
            trainer().forget_groups()
            plan = make_job_plan(gm, plan_document(PIPELINES[pipeline]), Path(scratch))
            always, once, value = [], [], KnownCalls.value

            def run_always(_self: Any, target: Any, _args: Any, _kwargs: Any, make: Callable[[], Any]) -> Any:
                always.append(target)
                return make()

            def run_once(known: KnownCalls, target: Any, args: Any, kwargs: Any, make: Callable[[], Any]) -> Any:
                def counted() -> Any:
                    once.append(target)
                    return make()
                return value(known, target, args, kwargs, counted)

            with mock.patch.object(KnownCalls, "value", run_always):
                wanted = graph_document(apply_plan(copy_graph(gm), plan, mode="exact"), name="run")
            with mock.patch.object(KnownCalls, "value", run_once):
                got = graph_document(apply_plan(copy_graph(gm), plan, mode="exact"), name="run")
        self.assertTrue(once)
        self.assertLess(len(once), len(always))
        self.assertEqual(wanted, got)


add_cases(InPlans, InPlans.check, [
    (f"{job.name}_{kind}_{pipeline}", (job, kind, pipeline))
    for job, kind, pipeline in ((FSDP, "joint", "joint_deps"), (FSDP, "backward", "manual_coalesced"),
                                (HYBRID, "joint", "stand_alone"), (TENSOR, "joint", "own_groups"),
                                (TENSOR, "backward", "automatic"), (EXPERTS, "joint", "joint_default_mode"))])


if __name__ == "__main__":
    unittest.main()

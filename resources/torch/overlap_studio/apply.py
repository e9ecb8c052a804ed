"""Applies a plan to a graph inside a training job, and makes sure that it came to what the application showed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

import torch
import torch.distributed as dist
import torch.fx as fx

from .agreed_change import agreed_change, telling_others
from .collective_order import collectives_text
from .differences import Comparison, FoundNodes, KeptNodes
from .errors import PlanError, PlanMismatch
from .exact import rewrite
from .extra_groups import create_groups
from .given_modules import give_modules
from .group_names import GroupNames
from .groups import world_size
from .job_plan import JobPlan, Node, read_job_plan
from .native import without_garbage_collection
from .own_numbers import with_own_numbers
from .passes_mode import run_passes
from .ranks import DEFAULT_TIMEOUT, RankAgreement, can_agree
from .versions import tell_of_version

Mode = Literal["passes", "exact"]

tell_of_version()


def apply_plan(gm: fx.GraphModule, plan: JobPlan | str | os.PathLike[str], *, mode: Mode = "passes",
               check_ranks: bool = True, group: dist.ProcessGroup | None = None,
               timeout: timedelta = DEFAULT_TIMEOUT) -> fx.GraphModule:
    """Applies a plan to a graph, in place, and returns the graph module.

    First the graph is compared with the one that the plan is for, at the end with the one that the application showed:
    node for node, operators, arguments, sizes, order. Nothing has run on a device by then. On any error the module has
    the graph that it had (in new nodes); process groups that were created meanwhile stay.

    One plan serves all ranks whose graphs differ only in the names of their process groups and in what depends on their
    place in these. A rank whose graph differs in more, such as in the sizes of unevenly sharded parameters, needs the
    plan exported for its own graph.

    @param plan what `overlap export PLAN --graph GRAPH --to job -o OUT` has written.
    @param mode "passes" runs PyTorch's and torchtitan's own passes with the plan's options; "exact" rewrites the graph
    to the nodes and the order that the application computed, and needs no torchtitan.
    @param check_ranks compares plan, graph and order of collectives across ranks; every rank of `group` must then call
    this for the same graphs in the same order. Left out where there are no other ranks, and with the fake backend.
    @param group the ranks that run this graph; None for all.
    @param timeout for the other ranks to answer.
    @raises PlanError for a plan that cannot be used here, PlanMismatch with the first difference for another graph or
    another result, RankMismatch on all ranks when they do not agree.
    """
    if mode not in ("passes", "exact"):
        raise PlanError(f"mode: found {mode!r}, expected \"passes\" or \"exact\"")
    return apply_agreed(gm, plan, mode, RankAgreement(group, timeout) if check_ranks and can_agree() else None)


def apply_agreed(gm: fx.GraphModule, plan: JobPlan | str | os.PathLike[str], mode: Mode,
                 agreement: RankAgreement | None, nodes: FoundNodes | None = None) -> fx.GraphModule:
    """`apply_plan` in an agreement that has begun; None where there is nobody to agree with.

    @param nodes the graph's, where the caller has looked at them.
    """
    with without_garbage_collection():
        return _apply(gm, plan, mode, agreement, nodes)


def _apply(gm: fx.GraphModule, plan: JobPlan | str | os.PathLike[str], mode: Mode, agreement: RankAgreement | None,
           nodes: FoundNodes | None) -> fx.GraphModule:
    with telling_others(agreement):
        if not isinstance(plan, JobPlan):
            plan = read_job_plan(plan)
        application = _Application(gm, plan, mode, nodes)
        application.check_input()
    if agreement is not None:
        agreement.agree(application.facts_before())
    with agreed_change(gm, agreement, application.facts_after):
        application.run()
    gm.recompile()
    return gm


def difference_from_input(gm: fx.GraphModule, plan: JobPlan, nodes: FoundNodes) -> str | None:
    """The first difference between a graph and the one that a plan is for, as a clause, or None.

    @param nodes the graph's.
    """
    return _Application(gm, plan, "exact", nodes).input_difference()


class _Application:
    """A plan and the graph that it is applied to."""

    def __init__(self, gm: fx.GraphModule, plan: JobPlan, mode: Mode, nodes: FoundNodes | None) -> None:
        self._gm, self._plan, self._mode = gm, plan, mode
        self._groups = GroupNames([*plan.groups, *plan.created_groups], plan.rank)
        self._other_rank = dist.is_available() and dist.is_initialized() and dist.get_rank() != plan.rank
        self._nodes = nodes if nodes is not None else FoundNodes(gm.graph)
        self._found: list[Node] = []  # of the graph that the plan is for, once it was compared

    def input_difference(self) -> str | None:
        ranks = world_size()
        if self._plan.world_size is not None and ranks is not None and ranks != self._plan.world_size:
            return f"it is of a job of {self._plan.world_size} ranks, and this job has {ranks}"
        self._found, doubtful = self._nodes.beside(self._plan.input, self._groups, True)
        return Comparison(self._groups, other_rank=self._other_rank).first_difference(
            self._plan.input, self._found, doubtful)

    def check_input(self) -> None:
        difference = self.input_difference()
        if difference is not None:
            raise PlanMismatch(f"{self._plan.path}: the plan is for another graph: {difference}")

    def run(self) -> None:
        give_modules(self._gm, self._plan)
        if self._mode == "exact":
            self._rewrite()
        else:
            self._run_passes()

    def _rewrite(self) -> None:
        create_groups(self._plan, self._groups)
        kept = KeptNodes(self._gm.graph, self._found)
        result = self._result(self._found)
        rewrite(self._gm, self._plan, self._found, result, self._groups)
        self._gm.graph.lint()
        found, doubtful = kept.beside(self._gm.graph, result, self._groups)
        # A node that was found to be the plan's, that the plan leaves alone, and that is as it was in its place.
        start = self._plan.start
        certain = {place for place, (origin, wanted, got) in enumerate(zip(self._plan.origin, result, found))
                   if origin is not None and wanted is start[origin] and got is self._found[origin]}
        self._check_result(result, found, [place for place in doubtful if place not in certain])

    def _run_passes(self) -> None:
        made = run_passes(self._gm, self._plan, self._groups)
        if made is not self._gm:
            self._gm.graph = made.graph
        self._gm.graph.lint()
        # The result asks for groups of the plan, which naming them has bound by now.
        result = self._result(self._found)
        self._check_result(result, *FoundNodes(self._gm.graph).beside(result, self._groups, False))

    def _result(self, before: Sequence[Node]) -> list[Node]:
        """The nodes that the plan comes to for this rank, whose graph had the nodes `before`."""
        return with_own_numbers(self._plan, before, self._plan.result(self._groups.rank_in))

    def _check_result(self, result: list[Node], found: list[Node], doubtful: Sequence[int]) -> None:
        """@param doubtful places of nodes of both that may differ."""
        named = frozenset(node["name"] for node in self._plan.input)
        comparison = Comparison(self._groups, named, self._other_rank)
        difference = comparison.first_difference(result, found, doubtful)
        if difference is not None:
            raise PlanMismatch(f"{self._plan.path}: in mode \"{self._mode}\" the plan comes to another graph than the "
                               f"application showed: {difference}")

    def facts_before(self) -> dict[str, str]:
        return {"the plan": f"{self._plan.name} ({self._plan.decision})", "the mode": self._mode,
                "the version of torch": torch.__version__,
                "the collectives of the graph": collectives_text(self._gm)}

    def facts_after(self) -> dict[str, str]:
        return {"the collectives that the plan makes": collectives_text(self._gm)}

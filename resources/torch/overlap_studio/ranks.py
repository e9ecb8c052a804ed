"""Agreement of all ranks on what they are about to run, before a difference becomes a hang."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta

import torch.distributed as dist
import torch.fx as fx
from torch._guards import CompileContext

from .errors import RankMismatch

DEFAULT_TIMEOUT = timedelta(minutes=10)

_PREFIX = "overlap_studio"
_agreements: Counter[str] = Counter()  # by group: how many there have been
_graphs: Counter[tuple[str, str]] = Counter()  # by group and compile id: how many hooks have seen
_LONGEST_LIST = 8


class RankAgreement:
    """One agreement of the ranks of a group, in steps that all of them take in one order.

    Each rank puts what it has into the job's store and waits for one answer. The last rank to report compares all and
    gives it; a rank that fails gives it in its place, and a rank whose patience ends. The first answer counts, for
    everybody, whoever gives it: nobody waits for a silent rank to learn that another has failed. No collective runs, so
    this works whatever the backend and before any GPU is used.

    @param group a process group, None for all ranks.
    @param graph which graph of the job it is about, as `next_graph` tells; None without hooks.
    """

    def __init__(self, group: dist.ProcessGroup | None = None, timeout: timedelta = DEFAULT_TIMEOUT,
                 graph: str | None = None) -> None:
        group = _resolved(group)
        self._ranks = list(dist.get_process_group_ranks(group))
        self._rank = dist.get_rank()
        self._store = _store_of_next(group)
        _agreements[group.group_name] += 1
        self._timeout = timeout
        self._graph = graph
        self._step = 0

    def agree(self, facts: Mapping[str, str]) -> None:
        """Returns when all ranks have the same facts. @raises RankMismatch on every rank when they do not."""
        self._store.set(self._report_key(self._rank), json.dumps(dict(facts)))
        if self._step == 0 and self._graph is not None:
            _meet(self._store, self._graph, self._rank, communicates=True)
        if self._store.add(f"{self._step}/reports", 1) == len(self._ranks):
            _answer(self._store, self._step, self._compare())
        answer = self._wait_for_answer()
        self._step += 1
        if answer:
            raise RankMismatch(answer)

    def failure(self, error: BaseException) -> None:
        """Tells the other ranks that this one has failed, and why; returns at once."""
        with contextlib.suppress(Exception):  # the error that is told matters more than one of telling it
            _answer(self._store, self._step, f"rank {self._rank} failed: {type(error).__name__}: {error}")

    def _report_key(self, rank: int) -> str:
        return f"{self._step}/report/{rank}"

    def _wait_for_answer(self) -> str:
        key = f"{self._step}/answer"
        try:
            self._store.wait([key], self._timeout)
        except RuntimeError:
            missing = [rank for rank in self._ranks if not self._store.check([self._report_key(rank)])]
            _answer(self._store, self._step,
                    f"{_listed(missing)} did not report within {self._timeout}" if missing else self._compare())
        return json.loads(self._store.get(key))

    def _compare(self) -> str:
        """Empty when all ranks agree, else a sentence that names those that do not. All have reported."""
        reports = {rank: json.loads(self._store.get(self._report_key(rank))) for rank in self._ranks}
        first = reports[self._ranks[0]]
        for fact in first:
            others = [rank for rank in self._ranks if reports[rank].get(fact) != first[fact]]
            if others:
                found = reports[others[0]].get(fact)
                verb = "differs" if len(others) == 1 else "differ"
                return (f"{_listed(others)} {verb} from rank {self._ranks[0]} in {fact}: {found} on rank {others[0]}, "
                        f"{first[fact]} on rank {self._ranks[0]}; all ranks must apply the same plan")
        return ""


def agreement_on(gm: fx.GraphModule, communicates: bool, group: dist.ProcessGroup | None,
                 timeout: timedelta) -> RankAgreement | None:
    """The agreement of the ranks of a group on their next graph, for hooks. None where there is nobody to agree with, and
    for a graph without collectives, which each rank may have to itself; the others are told.

    @raises RankMismatch where another rank has already told that the same graph has collectives there.
    """
    if not can_agree():
        return None
    graph = next_graph(gm, group)
    if communicates:
        return RankAgreement(group, timeout, graph)
    go_without_collectives(graph, group)
    return None


def next_graph(gm: fx.GraphModule, group: dist.ProcessGroup | None) -> str:
    """Which of the job's graphs this is, in words that are the same on every rank that compiles it.

    Where it is compiled, how many there were before it of this compilation (its forward, its backward), and the line of
    the model that it begins with: ranks may compile graphs of their own in between.
    """
    compile_id = str(CompileContext.current_compile_id() or "")
    key = _resolved(group).group_name, compile_id
    number = _graphs[key]
    _graphs[key] += 1
    return f"{compile_id}#{number} {_first_line(gm)}"


def go_without_collectives(graph: str, group: dist.ProcessGroup | None) -> None:
    """Tells the other ranks that `graph` has no collectives here, so that none waits for this one; returns at once.

    Ranks whose graphs have none need no agreement, and may compile more or fewer of them than others.

    @raises RankMismatch where another rank has already told that the same graph has collectives there.
    """
    group = _resolved(group)
    answer = _meet(_store_of_next(group), graph, dist.get_rank(), communicates=False)
    if answer:
        _agreements[group.group_name] += 1  # the others have used it up
        raise RankMismatch(answer)


def can_agree() -> bool:
    """Whether there are other ranks to agree with: not alone, and not with the fake backend, whose ranks are none."""
    if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size() == 1:
        return False
    return dist.get_backend() != "fake"


def _resolved(group: dist.ProcessGroup | None) -> dist.ProcessGroup:
    return group if group is not None else dist.distributed_c10d._get_default_group()


def _store_of_next(group: dist.ProcessGroup) -> dist.Store:
    """Where the next agreement of a group is kept."""
    name = group.group_name
    return dist.PrefixStore(f"{_PREFIX}/{name}/{_agreements[name]}", dist.distributed_c10d._get_default_store())


def _answer(store: dist.Store, step: int, text: str) -> str:
    """Gives the answer to everybody who waits, unless there is one; the one that counts."""
    return json.loads(store.compare_set(f"{step}/answer", "", json.dumps(text)))


def _meet(store: dist.Store, graph: str, rank: int, communicates: bool) -> str:
    """Answers with an error where the same graph has collectives on one rank and none on another, on whichever of the
    two comes second. What it answered, or nothing."""
    with_key, without_key = f"collectives/{graph}", f"no collectives/{graph}"
    own, others = (with_key, without_key) if communicates else (without_key, with_key)
    store.set(own, str(rank))
    if not store.check([others]):
        return ""
    ranks = {own: rank, others: int(store.get(others))}
    return _answer(store, 0, f"rank {ranks[without_key]} has a graph without collectives where rank {ranks[with_key]} "
                             "has one with some; all ranks must run the same collectives")


def _first_line(gm: fx.GraphModule) -> str:
    """File and line of the first node that has them."""
    for node in gm.graph.nodes:
        lines = [line for line in (node.stack_trace or "").splitlines() if line.lstrip().startswith("File ")]
        if lines:
            return lines[-1].strip()
    return ""


def _listed(ranks: list[int]) -> str:
    text = ", ".join(map(str, ranks[:_LONGEST_LIST]))
    if len(ranks) > _LONGEST_LIST:
        text += f" and {len(ranks) - _LONGEST_LIST} more"
    return ("rank " if len(ranks) == 1 else "ranks ") + text

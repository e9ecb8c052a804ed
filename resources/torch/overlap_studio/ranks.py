"""Agreement of all ranks on what they are about to run, before a difference becomes a hang."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import count

import torch.distributed as dist

from .errors import RankMismatch

DEFAULT_TIMEOUT = timedelta(minutes=10)

_PREFIX = "overlap_studio"
_numbers: dict[str, Iterator[int]] = {}  # by group: how many agreements it has had
_LONGEST_LIST = 8


class RankAgreement:
    """One agreement of the ranks of a group, in steps that all of them take in one order.

    The first rank of the group compares what all have put into the job's store and tells everybody; no collective runs,
    so this works whatever the backend and before any GPU is used. A rank that fails says so by `failure`, and the
    others fail with it at once; one that never answers is named after the timeout.

    @param group a process group, None for all ranks.
    """

    def __init__(self, group: dist.ProcessGroup | None = None, timeout: timedelta = DEFAULT_TIMEOUT) -> None:
        group = group if group is not None else dist.distributed_c10d._get_default_group()
        name = group.group_name
        self._ranks = list(dist.get_process_group_ranks(group))
        self._rank = dist.get_rank()
        self._store = dist.PrefixStore(f"{_PREFIX}/{name}/{next(_numbers.setdefault(name, count()))}",
                                       dist.distributed_c10d._get_default_store())
        self._timeout = timeout
        self._step = 0

    def agree(self, facts: Mapping[str, str]) -> None:
        """Returns when all ranks have the same facts. @raises RankMismatch on every rank when they do not."""
        self._exchange({"facts": dict(facts)})

    def failure(self, error: BaseException) -> None:
        """Tells the other ranks that this one has failed, and why; returns at once."""
        with contextlib.suppress(Exception):  # the error that is told matters more than one of telling it
            self._store.set(self._key(self._rank), json.dumps({"failure": f"{type(error).__name__}: {error}"}))
            if self._rank == self._ranks[0]:
                self._tell(f"rank {self._rank} failed: {type(error).__name__}: {error}")

    def _exchange(self, report: Mapping[str, object]) -> None:
        self._store.set(self._key(self._rank), json.dumps(report))
        if self._rank == self._ranks[0]:
            verdict = self._judge()
            self._tell(verdict)
        else:
            verdict = self._wait_for_verdict()
        self._step += 1
        if verdict:
            raise RankMismatch(verdict)

    def _key(self, rank: int) -> str:
        return f"{self._step}/{rank}"

    def _tell(self, verdict: str) -> None:
        self._store.set(f"{self._step}/verdict", json.dumps(verdict))

    def _wait_for_verdict(self) -> str:
        try:
            # The first rank may use up the whole time before it tells.
            self._store.wait([f"{self._step}/verdict"], 2 * self._timeout)
        except RuntimeError:
            return f"rank {self._ranks[0]} did not tell within {2 * self._timeout} whether all ranks agree"
        return json.loads(self._store.get(f"{self._step}/verdict"))

    def _judge(self) -> str:
        """Empty when all ranks agree, else a sentence that names those that do not."""
        reports: dict[int, Mapping[str, object]] = {}
        end = time.monotonic() + self._timeout.total_seconds()
        for rank in self._ranks:
            left = timedelta(seconds=max(end - time.monotonic(), 0.001))
            with contextlib.suppress(RuntimeError):
                self._store.wait([self._key(rank)], left)
                reports[rank] = json.loads(self._store.get(self._key(rank)))
        failed = [f"rank {rank} failed: {report['failure']}" for rank, report in reports.items() if "failure" in report]
        if failed:
            return "; ".join(failed[:_LONGEST_LIST])
        missing = [rank for rank in self._ranks if rank not in reports]
        if missing:
            return f"{_listed(missing)} did not report within {self._timeout}"
        first = reports[self._ranks[0]]["facts"]
        for fact in first:
            others = [rank for rank in self._ranks if reports[rank]["facts"].get(fact) != first[fact]]
            if others:
                found = reports[others[0]]["facts"].get(fact)
                verb = "differs" if len(others) == 1 else "differ"
                return (f"{_listed(others)} {verb} from rank {self._ranks[0]} in {fact}: {found} on rank {others[0]}, "
                        f"{first[fact]} on rank {self._ranks[0]}; all ranks must apply the same plan")
        return ""


def can_agree() -> bool:
    """Whether there are other ranks to agree with: not alone, and not with the fake backend, whose ranks are none."""
    if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size() == 1:
        return False
    return dist.get_backend() != "fake"


def _listed(ranks: list[int]) -> str:
    text = ", ".join(map(str, ranks[:_LONGEST_LIST]))
    if len(ranks) > _LONGEST_LIST:
        text += f" and {len(ranks) - _LONGEST_LIST} more"
    return ("rank " if len(ranks) == 1 else "ranks ") + text

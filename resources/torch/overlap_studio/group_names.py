"""Process groups of a plan and of this rank's job: the same groups, maybe under other names.

A group's name counts the groups that the job has created, and differs between ranks; the groups that a plan's passes
create have names that only the plan knows. A name of the plan stands for the group that the job's graph has in its
place, and for that one everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch.distributed as dist

from .groups import group_named


def ranks_of_group(name: str) -> list[int] | None:
    """The ranks of a process group of this job, or None where torch.distributed knows none of that name."""
    group = group_named(name)
    return list(dist.get_process_group_ranks(group)) if group is not None else None


class GroupNames:
    """Which group of the job each group of a plan is.

    @param groups of the plan: those of its graph, and those that its passes create, with their `source`.
    @param plan_rank the rank whose graph the plan was made with.
    """

    def __init__(self, groups: Sequence[Mapping[str, Any]], plan_rank: int) -> None:
        self._groups = {group["name"]: group for group in groups}
        self.names = frozenset(self._groups)  #: those of the plan
        self._plan_rank = plan_rank
        self._found: dict[str, str] = {}

    def job_name(self, name: str) -> str:
        """The job's name of a group of the plan; the plan's own where the job's graph did not name it."""
        return self._found.get(name, name)

    def bind(self, name: str, found: str) -> None:
        """From now on, the plan's group `name` is the job's group `found`."""
        self._found[name] = found

    def rank_in(self, name: str) -> int:
        """This rank's place in a group of the plan."""
        group = self._groups[name]
        ranks = ranks_of_group(self.job_name(name))
        if ranks is None and "source" in group:  # not created yet, or its name here is not known yet
            ranks = sorted(ranks_of_group(self.job_name(group["source"])) or ()) or None
        if ranks is not None:
            return ranks.index(dist.get_rank())
        return list(group["ranks"]).index(self._plan_rank)

    def same(self, expected: str, found: str) -> bool:
        """Whether text `found` of the job's graph is text `expected` of the plan, where both may be groups' names."""
        group = self._groups.get(expected)
        if group is None:
            return expected == found
        if expected in self._found:
            return self._found[expected] == found
        if found in self._found.values() or not self._can_be(group, found):
            return False
        self.bind(expected, found)
        return True

    def difference(self, path: str, expected: str, found: str) -> str | None:
        """Why `found` is not the plan's group `expected`, as a clause; None where that is no group.

        Names alone would not do: two groups that differ may have the same.

        @param path where the names stand.
        """
        if expected not in self._groups:
            return None
        if expected in self._found:
            return (f"{path}: group \"{found}\", and \"{expected}\" in the plan, which is group "
                    f"\"{self._found[expected]}\" in the nodes before")
        taken = next((name for name, job_name in self._found.items() if job_name == found), None)
        if taken is not None:
            return (f"{path}: group \"{found}\", which is the plan's \"{taken}\" in the nodes before, and another, "
                    f"\"{expected}\", in the plan")
        ranks, group = ranks_of_group(found), self._groups[expected]
        whose = f"of its own, made from \"{group['source']}\"" if "source" in group else f"of ranks {group['ranks']}"
        here = f"group \"{found}\" of ranks {ranks}" if ranks is not None else f"\"{found}\", no group of this job"
        return f"{path}: {here}, and group \"{expected}\" {whose} in the plan"

    def _can_be(self, group: Mapping[str, Any], found: str) -> bool:
        ranks = ranks_of_group(found)
        if ranks is None:  # a graph without its job: names are all there is
            return found == group["name"]
        if "source" in group:
            source = ranks_of_group(self.job_name(group["source"]))
            return source is not None and ranks == sorted(source) and found != self.job_name(group["source"])
        if dist.get_rank() == self._plan_rank:
            return ranks == list(group["ranks"])
        return len(ranks) == len(group["ranks"])

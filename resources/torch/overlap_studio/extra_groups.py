"""Process groups that a plan's passes create, made as torchtitan makes them, without its passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch.distributed as dist

from .errors import PlanError
from .group_names import GroupNames, ranks_of_group
from .groups import group_named
from .job_plan import JobPlan

# Groups of this process by the job's group that they were made of and by their purpose: a job's graphs share them.
_CREATED: dict[tuple[str, str], str] = {}


def create_groups(plan: JobPlan, groups: GroupNames) -> None:
    """Creates the plan's groups, in its order; all ranks of a group call this together.

    Each has the ranks of its source, ascending, and the source's backend. Where that is NCCL and the plan asks for it,
    its stream has high priority.

    @param groups learns what they are called in this job.
    """
    for group in plan.created_groups:
        source = groups.job_name(group["source"])
        key = (source, group["description"])
        if key not in _CREATED or ranks_of_group(_CREATED[key]) is None:  # a job before this one may have ended
            _CREATED[key] = _create(source, group)
        groups.bind(group["name"], _CREATED[key])


def _create(source: str, group: Mapping[str, Any]) -> str:
    made_from = group_named(source)
    if made_from is None:
        raise PlanError(f"the plan creates the process group {group['name']} from {source!r}, which torch.distributed "
                        "does not know here")
    backend = dist.get_backend(made_from)
    options = None
    if backend == "nccl" and group["high_priority"]:
        options = dist.ProcessGroupNCCL.Options(is_high_priority_stream=True)
    made = dist.new_group(ranks=dist.get_process_group_ranks(made_from), backend=backend, pg_options=options,
                          group_desc=group["description"], use_local_synchronization=True)
    if not isinstance(made, dist.ProcessGroup):
        raise PlanError(f"this rank is not in the process group {source!r}, from which the plan creates another")
    return str(made.group_name)

"""Process groups that a plan's passes create, made as torchtitan makes them, without its passes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

import torch.distributed as dist

from .errors import PlanError
from .group_names import GroupNames, ranks_of_group
from .groups import group_named
from .job_plan import NCCL_FIELDS, JobPlan

# Groups of this process by the job's group that they were made of, purpose and settings: a job's graphs share them.
_CREATED: dict[tuple[str, str, str], str] = {}


def create_groups(plan: JobPlan, groups: GroupNames) -> None:
    """Creates the plan's groups, in its order; all ranks of a group call this together.

    Each has the ranks of its source, ascending, and the source's backend. Where that is NCCL it is set up as the plan
    asks, or else as the pass does that creates it; other backends have no such settings, which is told as a warning.

    @param groups learns what they are called in this job.
    """
    for group in plan.created_groups:
        source = groups.job_name(group["source"])
        key = (source, group["description"], json.dumps(_settings(group), sort_keys=True))
        if key not in _CREATED or ranks_of_group(_CREATED[key]) is None:  # a job before this one may have ended
            _CREATED[key] = _create(source, group)
        groups.bind(group["name"], _CREATED[key])


def _create(source: str, group: Mapping[str, Any]) -> str:
    made_from = group_named(source)
    if made_from is None:
        raise PlanError(f"the plan creates the process group {group['name']} from {source!r}, which torch.distributed "
                        "does not know here")
    backend = dist.get_backend(made_from)
    options = _nccl_options(_settings(group)) if backend == "nccl" else None
    if backend != "nccl" and "settings" in group:
        warnings.warn(f"process group {group['name']} is of the backend {backend}: the plan's settings "
                      f"({', '.join(group['settings'])}) are for NCCL and are ignored", stacklevel=2)
    made = dist.new_group(ranks=dist.get_process_group_ranks(made_from), backend=backend, pg_options=options,
                          group_desc=group["description"], use_local_synchronization=True)
    if not isinstance(made, dist.ProcessGroup):
        raise PlanError(f"this rank is not in the process group {source!r}, from which the plan creates another")
    return str(made.group_name)


def _settings(group: Mapping[str, Any]) -> Mapping[str, Any]:
    settings: Mapping[str, Any] = group.get("settings", {"high_priority": group["high_priority"]})
    return settings


def _nccl_options(settings: Mapping[str, Any]) -> dist.ProcessGroupNCCL.Options | None:
    """What NCCL is given; None where all of it is NCCL's default."""
    numbers = {field: settings[field] for field in NCCL_FIELDS if field in settings}
    if not settings["high_priority"] and not numbers:
        return None
    options = dist.ProcessGroupNCCL.Options(is_high_priority_stream=settings["high_priority"])
    for field, value in numbers.items():
        if not hasattr(options.config, field):
            raise PlanError(f"the plan asks for {field} of a process group, which this PyTorch's NCCL does not have")
        setattr(options.config, field, value)
    return options

"""Which releases of PyTorch the package is for: the one whose passes the application reproduces, and what is known of
others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cache

import torch

from .errors import PlanError

EXACT_FOR = "2.15"

# What another release makes of a pass in place of what 2.15 makes, as a clause. tests/conformance/torch_versions.py finds it
# out, and docs/training_job.md has the table.
DIFFERENCES: Mapping[str, Mapping[str, str]] = {
    "2.14": {
        "schedule_overlap_bucketing": "schedules some graphs in another order, and asks the GPU for times",
        "manual_overlap_bucketing": "packs gathers of several sizes otherwise, and fails where collectives depend on one another",
        "bucket_all_gather": "packs gathers of several sizes otherwise with custom operators",
        "pre_bucket_fsdp_collectives": "packs gathers of several sizes otherwise with custom operators",
        "deduplicate_wait_tensors": "has no such pass",
    },
}

# Passes that make the same there. Those in neither table have not been compared, which all of torchtitan's are.
SAME: Mapping[str, frozenset[str]] = {
    "2.14": frozenset({"bucket_reduce_scatter", "bucket_all_reduce", "replace_collectives_with_low_contention",
                       "stable_topological_sort"}),
}

# PyTorch's own passes, and those of torchtitan that run them inside.
_RUN_INSIDE = {
    "joint_transformer_block_bucketing_reordering_pass": "manual_overlap_bucketing",
    "transformer_block_bucketing_reordering_pass": "manual_overlap_bucketing",
}


@cache
def tell_of_version() -> None:
    """A warning where this process has a release of PyTorch whose passes may make other graphs."""
    release = release_of(torch.__version__)
    if release == EXACT_FOR:
        return
    known = DIFFERENCES.get(release)
    what = "of which nothing is known" if known is None else f"which differs in {', '.join(known) or 'nothing'}"
    warnings.warn(f"overlap_studio reproduces the passes of PyTorch {EXACT_FOR}, and this is {torch.__version__}, {what}: "
                  "mode \"exact\" makes what the application showed; mode \"passes\" is refused where it would not",
                  stacklevel=2)


def release_of(version: str) -> str:
    """`2.15` of `2.15.0+cu132`."""
    return ".".join(version.partition("+")[0].split(".")[:2])


def require_same_pass(file: str, number: int, name: str, version: str | None = None) -> None:
    """@raises PlanError where a pass of this PyTorch makes another graph than that of the application, or may make one,
    since it was never compared.

    @param file of the plan, and `number` of the step, for the message.
    @param version this process's without it.
    """
    version = version or torch.__version__
    release = release_of(version)
    if release == EXACT_FOR:
        return
    known = DIFFERENCES.get(release)
    if known is None:
        reason = f"the application has never been compared with PyTorch {version}"
    else:
        if name in SAME[release]:
            return
        difference = known.get(_RUN_INSIDE.get(name, name))
        reason = (f"PyTorch {version} {difference}" if difference is not None
                  else f"this pass has never been compared with PyTorch {version}")
    raise PlanError(f"{file}: step {number} ({name}): the plan was made for PyTorch {EXACT_FOR}, and {reason}; apply the "
                    "plan with mode=\"exact\"")

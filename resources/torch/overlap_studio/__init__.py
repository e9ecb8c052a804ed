"""Overlap Studio inside a PyTorch training job: graphs go out to the application, plans come back.

The names that a job uses are those listed here; every module says in its first lines what it is for.
"""

from typing import TYPE_CHECKING, Any

from .errors import ExportError, OverlapStudioError, PlanError, PlanMismatch, RankMismatch
from .estimates import profile_times, torch_times
from .export import ExportedGraph, export_graph
from .fingerprint import fingerprint

if TYPE_CHECKING:
    from .apply import apply_plan
    from .hooks import PostGradPass, export_pass, plan_pass, register_pipeline, with_plan

__version__ = "0.1.0"

__all__ = ["ExportError", "ExportedGraph", "OverlapStudioError", "PlanError", "PlanMismatch", "PostGradPass",
           "RankMismatch", "apply_plan", "export_graph", "export_pass", "fingerprint", "plan_pass", "profile_times",
           "register_pipeline", "torch_times", "with_plan", "__version__"]

# What applies plans imports Inductor's passes, which an export does not need; imported when it is asked for.
_LATE = {"apply_plan": "apply", "PostGradPass": "hooks", "export_pass": "hooks", "plan_pass": "hooks",
         "register_pipeline": "hooks", "with_plan": "hooks"}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    return getattr(import_module(f".{_LATE[name]}", __name__), name)

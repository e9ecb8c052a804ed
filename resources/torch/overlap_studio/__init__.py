"""Overlap Studio in Python: its core (`overlap_studio.core`), and its way in and out of a PyTorch training job.

Graphs go out of the job to the application, plans come back. The names that a job uses are those listed here; every
module says in its first lines what it is for. Only what needs torch imports it, when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

from .errors import ExportError, InputError, OverlapStudioError, PassRefusal, PlanError, PlanMismatch, RankMismatch

if TYPE_CHECKING:
    from .apply import apply_plan
    from .digests import fingerprint
    from .estimates import profile_times, torch_times
    from .export import ExportedGraph, export_graph
    from .hooks import PostGradPass, export_pass, plan_pass, register_pipeline, with_plan
    from .passes_in_core import NativePass, native_pass
    from .pipeline import ExportedPipeline, export_pipeline

__version__ = "0.1.0"

__all__ = ["ExportError", "ExportedGraph", "ExportedPipeline", "InputError", "NativePass", "OverlapStudioError",
           "PassRefusal", "PlanError", "PlanMismatch", "PostGradPass", "RankMismatch", "apply_plan", "export_graph",
           "export_pass", "export_pipeline", "fingerprint", "native_pass", "plan_pass", "profile_times",
           "register_pipeline", "torch_times", "with_plan", "__version__"]

# What needs torch, by the module that has it. What applies plans imports Inductor's passes too.
_LATE = {"ExportedGraph": "export", "ExportedPipeline": "pipeline", "NativePass": "passes_in_core",
         "PostGradPass": "hooks", "apply_plan": "apply", "export_graph": "export", "export_pass": "hooks",
         "export_pipeline": "pipeline", "fingerprint": "digests", "native_pass": "passes_in_core",
         "plan_pass": "hooks", "profile_times": "estimates", "register_pipeline": "hooks", "torch_times": "estimates",
         "with_plan": "hooks"}


def __getattr__(name: str) -> Any:
    from importlib import import_module
    if name == "core":
        try:
            return import_module(".core", __name__)
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.core":
                raise
            raise ImportError("this installation of overlap_studio has no native core: it is the part in Python alone, "
                              "installed from its folder; the wheel that packaging/wheel.sh makes has both") from None
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATE[name]}", __name__), name)

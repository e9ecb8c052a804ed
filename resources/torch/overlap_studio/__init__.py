"""Overlap Studio inside a PyTorch training job: graphs go out to the application, plans come back.

The names that a job uses are those listed here; every module says in its first lines what it is for.
"""

from .errors import ExportError, OverlapStudioError
from .estimates import profile_times, torch_times
from .export import ExportedGraph, export_graph
from .fingerprint import fingerprint

__version__ = "0.1.0"

__all__ = ["ExportError", "ExportedGraph", "OverlapStudioError", "export_graph", "fingerprint", "profile_times",
           "torch_times", "__version__"]

"""Overlap Studio inside a PyTorch training job: graphs go out to the application, plans come back.

The names that a job uses are those listed here; every module says in its first lines what it is for.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]

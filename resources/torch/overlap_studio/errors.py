"""What the package raises: sentences that name the node or the file, for the person who runs the job."""


class OverlapStudioError(Exception):
    """The base of all errors of this package."""


class ExportError(OverlapStudioError):
    """A graph that cannot be written as an overlap-graph document."""


class PlanError(OverlapStudioError):
    """A plan that cannot be read, was changed after it was exported for a job, or needs what is not there."""


class PlanMismatch(OverlapStudioError):
    """A graph that is not the one of the plan, before applying it or after; the text tells the first difference."""


class RankMismatch(OverlapStudioError):
    """Ranks that do not apply the same plan to the same graph, or one that failed; the text names them."""

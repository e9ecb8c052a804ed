"""What the package raises: sentences that name the node or the file, for the person who runs the job."""


class OverlapStudioError(Exception):
    """The base of all errors of this package."""


class ExportError(OverlapStudioError):
    """A graph that cannot be written as an overlap-graph document."""

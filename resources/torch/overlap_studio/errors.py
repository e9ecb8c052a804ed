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


class InputError(OverlapStudioError):
    """An input of the native core that cannot be used. Its text is `FILE: PLACE: problem`, of what is known."""

    def __init__(self, file: str, place: str, problem: str) -> None:
        super().__init__(": ".join(part for part in (file, place, problem) if part))
        self.file = file  #: or what names it; may be empty
        self.place = place  #: such as `nodes[12] "mm_3", args` or `line 3, column 14`; may be empty
        self.problem = problem  #: what is wrong and what was expected, without full stop

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), (self.file, self.place, self.problem)


class PassRefusal(InputError):
    """A pass that cannot reproduce PyTorch's result on a graph, or whose original raises an error."""

    def __init__(self, file: str, place: str, problem: str, pass_name: str) -> None:
        super().__init__(file, place, problem)
        self.pass_name = pass_name

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), (self.file, self.place, self.problem, self.pass_name)

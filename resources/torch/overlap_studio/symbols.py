"""Numbers for sizes that are known only when the job runs."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import optimization_hint

SymbolicNumber = (torch.SymInt, torch.SymFloat, torch.SymBool)

# What PyTorch's passes take a symbol for of which nothing is known: in sizes of collectives
# (torch/_inductor/comm_analysis.py) and of storages (torch/_inductor/config.py).
PASSES_GUESSES = (4096 * 4096, 8192)


class Symbols:
    """Gives each symbolic number one of its own, and remembers what each symbol was taken for.

    @param guess what an unbacked symbol is taken for where nothing is known of it; torch's own guess without it.
    """

    def __init__(self, guess: int | None = None) -> None:
        self.guess = guess if guess is not None else torch._inductor.config.unbacked_symint_fallback
        self.hints: dict[str, int] = {}
        self.notes: dict[str, str] = {}  # by symbol, what the application cannot know of it
        self.has_unbacked = False

    @property
    def found_any(self) -> bool:
        """Whether there were sizes that are known only when the job runs."""
        return bool(self.hints or self.notes or self.has_unbacked)

    def number(self, value: Any) -> Any:
        """A plain number: of a symbolic one its hint, or what it comes to when unbacked symbols are `guess`."""
        if not isinstance(value, SymbolicNumber):
            return value
        symbol = value.node
        if isinstance(value, torch.SymInt):
            self._remember(symbol)
            return int(optimization_hint(value, fallback=self.guess))
        hint: Any = symbol.hint
        return float(hint) if isinstance(value, torch.SymFloat) and hint is not None else hint

    def text(self, value: Any) -> str:
        """The expression, such as `u4 + u5`."""
        return str(value.node.expr)

    def is_symbolic(self, value: Any) -> bool:
        """Whether a size has symbols in it; one that has been found out to be a number has none."""
        return isinstance(value, SymbolicNumber) and not value.node.expr.is_number

    def _remember(self, symbol: Any) -> None:
        shape_env = symbol.shape_env
        for free in getattr(symbol.expr, "free_symbols", ()):
            if str(free) in self.hints or str(free) in self.notes:
                continue
            if free in shape_env.backed_var_to_val:
                self.hints[str(free)] = int(shape_env.backed_var_to_val[free])
            else:
                self.has_unbacked = True
                self._remember_unbacked(shape_env, free)

    def _remember_unbacked(self, shape_env: Any, free: Any) -> None:
        """torch keeps its guess to the bounds of a symbol; where they leave one number, that is the symbol's."""
        guesses = {guess: int(shape_env.optimization_hint(free, fallback=guess)) for guess in PASSES_GUESSES}
        if len(set(guesses.values())) == 1:
            self.hints[str(free)] = guesses[PASSES_GUESSES[0]]
        elif any(guess != number for guess, number in guesses.items()):
            self.notes[str(free)] = (f"the bounds of {free} change what torch takes it for, to {guesses}, and a document "
                                     "does not have them")

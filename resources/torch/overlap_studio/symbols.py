"""Numbers for sizes that are known only when the job runs."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import optimization_hint

SymbolicNumber = (torch.SymInt, torch.SymFloat, torch.SymBool)


class Symbols:
    """Gives each symbolic number one of its own, and remembers what each symbol was taken for.

    @param guess what an unbacked symbol is taken for where nothing is known of it; torch's own guess without it.
    """

    def __init__(self, guess: int | None = None) -> None:
        self.guess = guess if guess is not None else torch._inductor.config.unbacked_symint_fallback
        self.hints: dict[str, int] = {}
        self.has_unbacked = False

    def number(self, value: Any) -> Any:
        """A plain number: of a symbolic one its hint, or what it comes to when unbacked symbols are `guess`."""
        if not isinstance(value, SymbolicNumber):
            return value
        symbol = value.node
        if isinstance(value, torch.SymInt):
            self._remember(symbol)
            return int(optimization_hint(value, fallback=self.guess))
        hint = symbol.hint
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
            if str(free) in self.hints:
                continue
            if free in shape_env.backed_var_to_val:
                self.hints[str(free)] = int(shape_env.backed_var_to_val[free])
            else:
                self.has_unbacked = True
                override = getattr(shape_env, "var_to_hint_override", {}).get(free)
                if override is not None:
                    self.hints[str(free)] = int(override)

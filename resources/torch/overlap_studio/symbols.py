"""Numbers for sizes that are known only when the job runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

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
        self._numbers: dict[Any, Numbers] = {}  # by the environment that the symbols are of
        self._texts: dict[Any, str] = {}
        self._seen: set[Any] = set()

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
            expression, numbers = symbol.expr, self._numbers_of(symbol.shape_env)
            self._remember(numbers, expression)
            return numbers.of(expression, self.guess)
        hint: Any = symbol.hint
        return float(hint) if isinstance(value, torch.SymFloat) and hint is not None else hint

    def _numbers_of(self, shape_env: Any) -> Numbers:
        if shape_env not in self._numbers:
            self._numbers[shape_env] = Numbers(shape_env)
        return self._numbers[shape_env]

    def text(self, value: Any) -> str:
        """The expression, such as `u4 + u5`."""
        expression = value.node.expr
        if expression not in self._texts:
            self._texts[expression] = str(expression)
        return self._texts[expression]

    def is_symbolic(self, value: Any) -> bool:
        """Whether a size has symbols in it; one that has been found out to be a number has none."""
        return isinstance(value, SymbolicNumber) and not value.node.expr.is_number

    def _remember(self, numbers: Numbers, expression: Any) -> None:
        for free in getattr(expression, "free_symbols", ()):
            if free in self._seen:
                continue
            self._seen.add(free)
            backed = numbers.shape_env.backed_var_to_val
            if free in backed:
                self.hints[str(free)] = int(backed[free])
            else:
                self.has_unbacked = True
                self._remember_unbacked(numbers, free)

    def _remember_unbacked(self, numbers: Numbers, free: Any) -> None:
        """torch keeps its guess to the bounds of a symbol; where they leave one number, that is the symbol's."""
        guesses = {guess: numbers.of(free, guess) for guess in PASSES_GUESSES}
        if len(set(guesses.values())) == 1:
            self.hints[str(free)] = guesses[PASSES_GUESSES[0]]
        elif any(guess != number for guess, number in guesses.items()):
            self.notes[str(free)] = (f"the bounds of {free} change what torch takes it for, to {guesses}, and a document "
                                     "does not have them")


class Numbers:
    """torch.fx.experimental.symbolic_shapes.optimization_hint() of many expressions, in a hundredth of the time.

    A graph has the same expressions over and over, and symbols of which the same is known. torch factors each expression,
    to find parts that are known to be equal to others; where there are none, a sum or a product is that of its symbols'
    numbers.
    """

    def __init__(self, shape_env: Any) -> None:
        self.shape_env = shape_env
        self._known: dict[Any, int] = {}
        asserted = [assertion.expr for assertions in shape_env.deferred_runtime_asserts.values() for assertion in assertions]
        self._equated = {symbol for expression in asserted if getattr(expression, "is_Equality", False)
                         for symbol in expression.free_symbols}
        # A relation of several unbacked symbols, such as that a sum is not negative, gives torch bounds of none of them.
        unbacked = [expression.free_symbols - shape_env.backed_var_to_val.keys() for expression in asserted]
        self._bounded = self._equated.union(*(symbols for symbols in unbacked if len(symbols) == 1))

    def of(self, expression: Any, guess: int) -> int:
        """@param guess what an unbacked symbol is taken for where nothing is known of it."""
        key = self._alike(expression), guess
        if key not in self._known:
            number = None
            if not expression.is_Symbol and self._equated.isdisjoint(expression.free_symbols):
                number = _evaluated(expression, lambda symbol: self.of(symbol, guess))
            if number is None:
                number = int(self.shape_env.optimization_hint(expression, fallback=guess))
            self._known[key] = number
        return self._known[key]

    def _alike(self, expression: Any) -> Any:
        """Equal for symbols of which the same is known: bounds, and nothing that was asserted or told."""
        environment = self.shape_env
        if (not expression.is_Symbol or expression in self._bounded or expression in environment.backed_var_to_val
                or expression in environment.var_to_hint_override or expression not in environment.var_to_range):
            return expression
        bounds = environment.var_to_range[expression]
        return bounds.lower, bounds.upper


def _evaluated(expression: Any, number: Callable[[Any], int]) -> int | None:
    """The value of a sum or product of integers and symbols; None of anything else."""
    if expression.is_Integer:
        return int(expression)
    if expression.is_Symbol:
        return number(expression)
    if not (expression.is_Add or expression.is_Mul):
        return None
    parts: list[int] = []
    for part in expression.args:
        value = _evaluated(part, number)
        if value is None:
            return None
        parts.append(value)
    return sum(parts) if expression.is_Add else math.prod(parts)

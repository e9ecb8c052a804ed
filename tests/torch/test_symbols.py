"""Numbers for symbolic sizes are those that torch takes for them."""
from __future__ import annotations

import unittest
from typing import Any

import torch
from overlap_studio.symbols import Numbers, Symbols
from torch.fx.experimental.symbolic_shapes import ShapeEnv, optimization_hint


class SymbolicNumbers(unittest.TestCase):
    def setUp(self) -> None:
        self.environment = ShapeEnv()
        self.symbols = [self.environment.create_unbacked_symint() for _ in range(6)]

    def check(self, *sizes: Any) -> None:
        for guess in (8192, 4096 * 4096, 10):
            numbers = Numbers(self.environment)
            for size in sizes:
                self.assertEqual(numbers.of(size.node.expr, guess), optimization_hint(size, fallback=guess), f"{size}, {guess}")

    def test_sums_and_products(self) -> None:
        first, second, *_ = self.symbols
        self.check(first, second, first + second, 3 * first + 2 * second - 5, first * second, 128 * (first + second),
                   first * first)

    def test_parts_that_are_no_sums(self) -> None:
        first, second, *_ = self.symbols
        self.check(first // 3, 2 * (first // 4) + second, first % 7)

    def test_bounds(self) -> None:
        first, second, third, *_ = self.symbols
        torch._check(first <= 100)
        torch._check(second >= 20)
        torch._check(third <= 100)
        self.check(first, second, third, first + second, first * third)

    def test_relations_of_several(self) -> None:
        first, second, third, fourth, *_ = self.symbols
        torch._check(first + second >= 5)
        torch._check(third + fourth <= 100)
        torch._check(fourth <= 7)
        self.check(first, second, third, fourth, first + second, third + fourth, first * fourth)

    def test_parts_that_the_job_says_are_equal(self) -> None:
        first, second, third, fourth, *_ = self.symbols
        torch._check(first + second == 48)
        torch._check(third == 4 * fourth)
        self.check(first + second, 5 * (first + second), first + second + third, third, fourth, third * fourth)

    def test_the_bounds_of_a_symbol_are_told(self) -> None:
        first, second, *_ = self.symbols
        torch._check(first <= 100)
        symbols = Symbols()
        self.assertEqual(symbols.number(first + second), 100 + symbols.guess)
        self.assertEqual(symbols.hints, {"u0": 100})
        self.assertTrue(symbols.has_unbacked)
        self.assertEqual(symbols.text(first + second), "u0 + u1")


if __name__ == "__main__":
    unittest.main()

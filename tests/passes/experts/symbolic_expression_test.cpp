#include "core/passes/experts/symbolic_expression.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/passes/experts/chunk_symbols.h"

namespace overlap::experts {
namespace {

/// The expression with half of u0 for u0 and u9 for u4; empty where how torch writes it is not known.
std::string halved(Expressions& expressions, std::string_view text) {
    const SymbolId batch = expressions.symbol("u0"), count = expressions.symbol("u4"), fresh = expressions.symbol("u9");
    const auto made = expressions.substituted(expressions.read(text), [&](SymbolId symbol) -> SymbolReplacement {
        if (symbol == batch) return {batch, true};
        return {symbol == count ? fresh : symbol, false};
    });
    return made ? std::string(expressions.text(*made)) : std::string();
}

TEST(SymbolicExpression, SubstitutionsAreWrittenAsTorchWritesThem) {
    Expressions expressions;
    EXPECT_EQ(halved(expressions, "u0"), "(u0//2)");
    EXPECT_EQ(halved(expressions, "3*u0"), "3*((u0//2))");
    EXPECT_EQ(halved(expressions, "(u0//8)"), "(u0//16)");
    EXPECT_EQ(halved(expressions, "u0 + u1"), "u1 + ((u0//2))");
    EXPECT_EQ(halved(expressions, "u10 + u4 + 5"), "u10 + u9 + 5");
    EXPECT_EQ(halved(expressions, "u1 + u2"), "u1 + u2");
    EXPECT_EQ(halved(expressions, "Max(0, u0 - u1)"), "");
    for (const char* text : {"u0 * u1", "u0 +u1", "u0 1", "u0 "}) EXPECT_EQ(halved(expressions, text), "") << text;
}

TEST(SymbolicExpression, AFreshSymbolIsPutInItsPlaceByName) {
    Expressions expressions;
    EXPECT_EQ(halved(expressions, "u4 + u5"), "u5 + u9");
}

TEST(SymbolicExpression, HalvesOfMultiplesAreThoseOfTorch) {
    Expressions expressions;
    const auto half = [&](std::string_view text) {
        const auto made = expressions.halved(expressions.read(text));
        return made ? std::string(expressions.text(*made)) : std::string();
    };
    EXPECT_EQ(half("u0"), "(u0//2)");
    EXPECT_EQ(half("2*u0"), "u0");
    EXPECT_EQ(half("3*u0"), "((3*u0)//2)");
    EXPECT_EQ(half("u0 + u1"), "");
}

TEST(SymbolicExpression, ValuesNeedEverySymbol) {
    Expressions expressions;
    const ExpressionId sum = expressions.read("u0 + 4*((u1//8)) - 1");
    const ExpressionId other = expressions.read("Max(0, u0 - Min(u1, 5))");
    SymbolValues values(2);
    values[expressions.symbol("u0")] = 10;
    EXPECT_EQ(expressions.value(sum, values), std::nullopt);
    EXPECT_EQ(expressions.text(*expressions.partly_known(expressions.read("u0 + u1"), values)), "u1 + 10");
    values[expressions.symbol("u1")] = 17;
    EXPECT_EQ(expressions.value(sum, values), 17);
    EXPECT_EQ(expressions.value(other, values), 5);
}

TEST(SymbolicExpression, NumbersWithoutAnOppositeAreNotWritten) {
    Expressions expressions;
    EXPECT_FALSE(expressions.is_readable(expressions.read("u0 + -9223372036854775808")));
    SymbolValues values(1);
    values[expressions.symbol("u0")] = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(expressions.partly_known(expressions.read("u0 + u1"), values), std::nullopt);
    EXPECT_EQ(expressions.multiplied(expressions.read("2*u1"), std::int64_t{-1} << 62), std::nullopt);
    // The same of an expression of which only the value is known.
    EXPECT_EQ(expressions.value(expressions.read("FloorDiv(u0, -1)"), values), std::nullopt);
}

TEST(SymbolicExpression, HowTorchOrdersSeveralDivisionsIsLeftOpen) {
    Expressions expressions;
    SymbolValues values(1);
    values[expressions.symbol("u0")] = 16;
    const ExpressionId sum = expressions.read("((u0//8)) + ((u1//2))");
    EXPECT_TRUE(expressions.is_readable(sum));
    EXPECT_EQ(expressions.partly_known(sum, values), std::nullopt);
}

TEST(KnownSymbols, ThoseThatOverrideHoldAndOthersStay) {
    Expressions expressions;
    const SymbolId batch = expressions.symbol("u0"), count = expressions.symbol("u1"), rest = expressions.symbol("u2");
    KnownSymbols known, others;
    known.add(expressions, batch, 8, "x", "test");
    known.add(expressions, count, 3, "x", "test");
    others.add(expressions, batch, 16, "y", "test");
    others.add(expressions, rest, 5, "y", "test");
    known.override_by(others);
    EXPECT_EQ(known.values(), (SymbolValues{16, 3, 5}));
    EXPECT_EQ(known.order(), (std::vector<SymbolId>{batch, count, rest}));
}

TEST(SymbolicExpression, WhatIsNoExpressionIsNotReadable) {
    Expressions expressions;
    EXPECT_FALSE(expressions.is_readable(expressions.read("u0 >= 2")));
    EXPECT_FALSE(expressions.is_readable(expressions.read("")));
    EXPECT_TRUE(expressions.is_readable(expressions.read("u0*u1")));
    EXPECT_EQ(expressions.constant(expressions.read("0")), 0);
}

/// Texts that torch prints are sums; of all others only the symbols and the value are known, so nothing can be
/// multiplied.
TEST(SymbolicExpression, OnlyWhatTorchPrintsIsASum) {
    Expressions expressions;
    const auto doubled = [&](std::string_view text) {
        const auto made = expressions.multiplied(expressions.read(text), 2);
        return made ? std::string(expressions.text(*made)) : std::string();
    };
    EXPECT_EQ(doubled("s0 + u0"), "2*s0 + 2*u0");
    EXPECT_EQ(doubled("-u0"), "-2*u0");
    EXPECT_EQ(doubled("u1 - 3*u0"), "");  // torch prints u0 first
    EXPECT_EQ(doubled("-3*u0 + u1 - 4"), "-6*u0 + 2*u1 - 8");
    EXPECT_EQ(doubled("-4"), "-8");
    EXPECT_EQ(doubled("u0 - ((u1//8))"), "2*u0 - 2*((u1//8))");
    EXPECT_EQ(doubled("-((u1//8))"), "-2*((u1//8))");
    for (const char* text : {"0*u0",
                             "-2*-3*u0",
                             "u0 + 1 + 2",
                             "2 + u0",
                             "1*u0",
                             "+u0",
                             "(u0)",
                             "u0//8",
                             "((u0//8))",
                             "(u0//1)",
                             "(u0//0)",
                             "(u0//x)",
                             "(u0//8",
                             "u0 + u0",
                             "u0 + ((u0//2))",
                             "u0 + ((u1//2)",
                             "((u0//2)) + ((u1//2))",
                             "((u1//2)) + u0",
                             "2*U0",
                             "x*u0",
                             "u",
                             "ux",
                             "u0 + -1",
                             "--1",
                             "-9223372036854775809",
                             "u0 * 2",
                             "u1 + _u0",
                             "u0 + [",
                             "u0 + Ab",
                             "2u0",
                             "u:0"})
        EXPECT_EQ(doubled(text), "") << text;
    EXPECT_EQ(expressions.multiplied(expressions.read("u0*u1"), 1), expressions.read("u0*u1"));
    EXPECT_EQ(expressions.multiplied(expressions.read("u0"), 0), std::nullopt);
    EXPECT_EQ(expressions.multiplied(expressions.read("u0 + u1"), 0), std::nullopt);
}

TEST(SymbolicExpression, SymbolsOfWhatIsNoSumAreKnown) {
    Expressions expressions;
    const auto symbols = [&](std::string_view text) {
        std::string names;
        for (const SymbolId symbol : expressions.symbols(expressions.read(text)))
            names += std::string(expressions.name(symbol)) + " ";
        return names;
    };
    EXPECT_EQ(symbols("Max(0, u10 - s2*u10)"), "u10 s2 ");
    EXPECT_EQ(symbols("_u0 + zu1 + {u2} + Z_3 + s"), "u2 ");
    EXPECT_EQ(symbols("7"), "");
}

TEST(SymbolicExpression, OnlySymbolsThatExpressionsMentionAreFound) {
    Expressions expressions;
    const ExpressionId sum = expressions.read("u0 + 3");
    EXPECT_TRUE(expressions.find_symbol("u0"));
    EXPECT_FALSE(expressions.find_symbol("u1"));
    EXPECT_FALSE(expressions.find_symbol("u0 + 3"));  // a text, but no symbol
    EXPECT_FALSE(expressions.find_symbol("3"));
    EXPECT_EQ(expressions.constant(sum), std::nullopt);
    EXPECT_EQ(expressions.constant(expressions.read("u0*u1")), std::nullopt);
    EXPECT_EQ(expressions.constant(expressions.read("-7")), -7);
}

/// Python divides towards the lower number, and 64 bits do not hold everything.
TEST(SymbolicExpression, NegativeNumbersAreDividedAsPythonDividesThem) {
    Expressions expressions;
    const SymbolId u0 = expressions.symbol("u0"), u1 = expressions.symbol("u1");
    SymbolValues values(2);
    values[u0] = -9;
    values[u1] = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(expressions.value(expressions.read("(u0//8)"), values), -2);
    EXPECT_EQ(expressions.value(expressions.read("2*u1"), values), std::nullopt);
    EXPECT_EQ(expressions.value(expressions.read("u1 + 1"), values), std::nullopt);
    const auto left = [&](std::string_view text) {
        const auto made = expressions.partly_known(expressions.read(text), values);
        return made ? std::string(expressions.text(*made)) : std::string();
    };
    EXPECT_EQ(left("u2 + ((u0//8))"), "u2 - 2");
    EXPECT_EQ(left("u2 + 3"), "u2 + 3");
    EXPECT_EQ(left("u2*u3"), "u2*u3");  // none of them is known
    EXPECT_EQ(left("u0*u2"), "");
    EXPECT_EQ(left("2*u1 + u2"), "");
    EXPECT_EQ(left("u1 + u2 + 1"), "");
    EXPECT_EQ(left("u0"), "-9");
}

TEST(SymbolicExpression, SubstitutionsThatTorchWouldMergeAreLeftOpen) {
    Expressions expressions;
    const SymbolId u0 = expressions.symbol("u0");
    const auto as_first = [&](SymbolId) { return SymbolReplacement{u0, false}; };
    EXPECT_EQ(expressions.substituted(expressions.read("u0 + u1"), as_first), std::nullopt);
    EXPECT_EQ(expressions.substituted(expressions.read("u0 + ((u1//2))"), as_first), std::nullopt);
    EXPECT_EQ(expressions.substituted(expressions.read("u1*u2"), as_first), std::nullopt);
    EXPECT_EQ(expressions.substituted(expressions.read("2*u1"), as_first), expressions.read("2*u0"));
    const auto halves = [](SymbolId symbol) { return SymbolReplacement{symbol, true}; };
    EXPECT_EQ(expressions.substituted(expressions.read("(u0//4611686018427387904)"), halves), std::nullopt);
    EXPECT_EQ(expressions.substituted(expressions.read("u0 + u1"), halves), std::nullopt);
}

TEST(SymbolicExpression, ProductsThatNeedMoreThan64BitsAreNotWritten) {
    Expressions expressions;
    EXPECT_EQ(expressions.multiplied(expressions.read("u0 + 4611686018427387904"), 2), std::nullopt);
    EXPECT_EQ(expressions.multiplied(expressions.read("4611686018427387904*u0"), 2), std::nullopt);
    EXPECT_EQ(expressions.multiplied(expressions.read("u0*u1"), 2), std::nullopt);
}

}  // namespace
}  // namespace overlap::experts

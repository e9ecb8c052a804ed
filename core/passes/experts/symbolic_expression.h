#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/string_pool.h"

namespace overlap::experts {

/// A symbol of a table, such as `u4`.
using SymbolId = std::uint32_t;
/// Where a table of symbols has none.
inline constexpr SymbolId no_symbol = 0xffffffffu;
/// An expression of a table. Equal expressions have equal numbers.
using ExpressionId = std::uint32_t;
/// Of a size that is a plain number.
inline constexpr ExpressionId no_expression = 0;

/// Values of symbols by SymbolId; nothing for one that is not known, and for those beyond its end.
using SymbolValues = std::vector<std::optional<std::int64_t>>;

/// What stands for a symbol: itself, half of it (rounded down), or another symbol.
struct SymbolReplacement {
    SymbolId symbol = 0;
    bool halved = false;
};

/// Sizes that are known only when the job runs, as torch writes them (sympy, and torch/utils/_sympy/functions.py), read
/// once for each different text.
///
/// Understood are sums of whole multiples of symbols and of symbols divided by a whole number, `3*u0`,
/// `u4 + u5 + 2`, `4*((u0//8))`. Of anything else (`Max(0, ...)`, products of symbols) only the symbols and the value
/// are known.
class Expressions {
  public:
    Expressions();

    /// The expression that a text is. What this version cannot read has no symbols, and is_readable() is false.
    ExpressionId read(std::string_view text);
    SymbolId symbol(std::string_view name);
    /// The symbol of that name, if an expression mentions it.
    std::optional<SymbolId> find_symbol(std::string_view name) const;
    std::uint32_t symbol_count() const { return static_cast<std::uint32_t>(names_.size()); }
    /// Different expressions so far, and no_expression: numbers are below this.
    std::uint32_t count() const { return static_cast<std::uint32_t>(entries_.size()); }
    std::string_view name(SymbolId symbol) const { return texts_->text(names_[symbol]); }

    /// As torch prints it.
    std::string_view text(ExpressionId expression) const { return texts_->text(entries_[expression].text); }
    /// Each symbol once. Valid until the next expression is added.
    std::span<const SymbolId> symbols(ExpressionId expression) const {
        const Entry& entry = entries_[expression];
        return std::span(symbols_).subspan(entry.first_symbol, entry.symbol_count);
    }
    bool is_readable(ExpressionId expression) const { return entries_[expression].readable; }
    /// The number that it is, whatever the symbols stand for.
    std::optional<std::int64_t> constant(ExpressionId expression) const;
    /// The symbol that it is.
    std::optional<SymbolId> single_symbol(ExpressionId expression) const;
    /// Its value; nothing where a symbol is not known, and where it divides by 0 or leaves 64 bits.
    std::optional<std::int64_t> value(ExpressionId expression, const SymbolValues& values) const;

    /// The expression with replacement(SymbolId) in place of each symbol. @returns nothing where how torch writes the
    /// result is not known here.
    template <typename Replacement>
    std::optional<ExpressionId> substituted(ExpressionId expression, const Replacement& replacement);
    /// The expression with the numbers of symbols that are known; the others stay. Nothing as above.
    std::optional<ExpressionId> partly_known(ExpressionId expression, const SymbolValues& values);
    /// The expression divided by 2 and rounded down, of a multiple of one symbol; nothing for any other.
    std::optional<ExpressionId> halved(ExpressionId expression);
    /// The factor of a multiple of one symbol, such as 3 of `3*u0`; nothing for any other.
    std::optional<std::int64_t> factor(ExpressionId expression) const;
    /// The expression times a whole number. Nothing as above.
    std::optional<ExpressionId> multiplied(ExpressionId expression, std::int64_t factor);

  private:
    /// `factor * (symbol // divisor)`.
    struct Term {
        SymbolId symbol = 0;
        std::int64_t divisor = 1;
        std::int64_t factor = 1;
    };
    /// Most expressions are one symbol: what an entry has lies in lists of all entries, so that it needs no memory of
    /// its own.
    struct Entry {
        StringId text = empty_string;
        std::uint32_t first_symbol = 0, symbol_count = 0;
        std::uint32_t first_term = 0, term_count = 0;  ///< of a sum
        std::int64_t constant = 0;
        bool is_sum = false;
        bool readable = false;
    };

    std::span<const Term> terms(const Entry& entry) const {
        return std::span(terms_).subspan(entry.first_term, entry.term_count);
    }
    std::optional<std::int64_t> read_sum(std::string_view text);
    bool read_term(std::string_view term, std::int64_t& constant);
    ExpressionId add_unknown(StringId text);
    /// Of made_, whose terms may still be in any order; nothing where the order that torch gives them is not known.
    std::optional<ExpressionId> add_made(std::int64_t constant);
    ExpressionId add_made_as(StringId text, std::int64_t constant);
    bool put_made_in_torchs_order();
    std::string print_made(std::int64_t constant) const;
    ExpressionId add(const Entry& entry);
    static std::optional<std::int64_t> parsed_number(std::string_view text);

    std::unique_ptr<StringPool> texts_;  ///< of expressions and symbols
    std::vector<Entry> entries_;
    std::vector<SymbolId> symbols_;         ///< of one entry after the other
    std::vector<Term> terms_;               ///< the same
    std::vector<StringId> names_;           ///< by symbol
    std::vector<ExpressionId> expression_;  ///< by text; no_expression where it was not read
    std::vector<SymbolId> symbol_;          ///< by text; no_symbol where it is none
    std::vector<Term> made_;                ///< of the sum that is being made
};

template <typename Replacement>
std::optional<ExpressionId> Expressions::substituted(ExpressionId expression, const Replacement& replacement) {
    bool changes = false;
    for (const SymbolId symbol : symbols(expression)) {
        const SymbolReplacement made = replacement(symbol);
        changes |= made.halved || made.symbol != symbol;
    }
    if (!changes) return expression;
    const Entry& entry = entries_[expression];
    if (!entry.is_sum) return {};
    made_.assign(terms(entry).begin(), terms(entry).end());
    for (Term& term : made_) {
        const SymbolReplacement made = replacement(term.symbol);
        term.symbol = made.symbol;
        if (made.halved && __builtin_mul_overflow(term.divisor, std::int64_t{2}, &term.divisor)) return {};
    }
    return add_made(entry.constant);
}

}  // namespace overlap::experts

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace overlap::experts {

/// A symbol of a table, such as `u4`.
using SymbolId = std::uint32_t;
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
    const std::string& name(SymbolId symbol) const { return names_[symbol]; }

    /// As torch prints it.
    const std::string& text(ExpressionId expression) const { return entries_[expression].text; }
    /// Each symbol once.
    std::span<const SymbolId> symbols(ExpressionId expression) const { return entries_[expression].symbols; }
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
    struct Entry {
        std::string text;
        std::vector<SymbolId> symbols;
        std::vector<Term> terms;  ///< of a sum
        std::int64_t constant = 0;
        bool is_sum = false;
        bool readable = false;
    };

    Entry read_sum(std::string_view text);
    bool read_term(std::string_view term, Entry& entry);
    void find_symbols(Entry& entry);
    /// Of a sum whose terms may still be in any order; nothing where the order that torch gives them is not known.
    std::optional<ExpressionId> add_sum(std::vector<Term> terms, std::int64_t constant);
    bool in_torchs_order(std::vector<Term>& terms) const;
    std::string print(std::span<const Term> terms, std::int64_t constant) const;
    ExpressionId add(Entry entry);
    static std::optional<std::int64_t> parsed_number(std::string_view text);

    std::vector<Entry> entries_;
    std::vector<std::string> names_;
    /// Finds texts without making strings of them.
    struct TextHash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::unordered_map<std::string, ExpressionId, TextHash, std::equal_to<>> by_text_;
    std::unordered_map<std::string, SymbolId, TextHash, std::equal_to<>> by_name_;
};

template <typename Replacement>
std::optional<ExpressionId> Expressions::substituted(ExpressionId expression, const Replacement& replacement) {
    bool changes = false;
    for (const SymbolId symbol : symbols(expression)) {
        const SymbolReplacement made = replacement(symbol);
        changes |= made.halved || made.symbol != symbol;
    }
    if (!changes) return expression;
    if (!entries_[expression].is_sum) return {};
    std::vector<Term> terms = entries_[expression].terms;
    for (Term& term : terms) {
        const SymbolReplacement made = replacement(term.symbol);
        term.symbol = made.symbol;
        if (made.halved && __builtin_mul_overflow(term.divisor, std::int64_t{2}, &term.divisor)) return {};
    }
    return add_sum(std::move(terms), entries_[expression].constant);
}

}  // namespace overlap::experts

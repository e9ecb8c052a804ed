#include "core/passes/experts/symbolic_expression.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/passes/scheduling/size_expression.h"

namespace overlap::experts {

namespace {

bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

/// A symbol of torch: `u12`, `s0`.
bool is_symbol(std::string_view text) {
    return text.size() > 1 && (text.front() == 'u' || text.front() == 's') &&
           std::all_of(text.begin() + 1, text.end(), is_digit);
}

/// Takes the brackets off that torch prints around a division: `((u0//8))` in a sum, `(u0//8)` alone.
std::string_view without_brackets(std::string_view text) {
    while (text.size() > 1 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
    return text;
}

}  // namespace

Expressions::Expressions() : texts_(std::make_unique<StringPool>()), entries_(1) {}

std::optional<std::int64_t> Expressions::parsed_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    if (number == std::numeric_limits<std::int64_t>::min()) return {};  // it has no opposite
    return number;
}

SymbolId Expressions::symbol(std::string_view name) {
    const StringId text = texts_->intern(name);
    if (text >= symbol_.size()) symbol_.resize(text + 64, no_symbol);
    if (symbol_[text] == no_symbol) {
        symbol_[text] = symbol_count();
        names_.push_back(text);
    }
    return symbol_[text];
}

std::optional<SymbolId> Expressions::find_symbol(std::string_view name) const {
    const StringId text = texts_->find(name);
    return text < symbol_.size() && symbol_[text] != no_symbol ? std::optional(symbol_[text]) : std::nullopt;
}

ExpressionId Expressions::read(std::string_view text) {
    const StringId known = texts_->intern(text);
    if (known < expression_.size() && expression_[known] != no_expression) return expression_[known];
    const std::optional<std::int64_t> constant = read_sum(text);
    return constant ? add_made_as(known, *constant) : add_unknown(known);
}

/// Puts the terms of a sum whose text is the one that torch would print into made_. @returns the number in it; nothing
/// where the text is no such sum.
std::optional<std::int64_t> Expressions::read_sum(std::string_view text) {
    made_.clear();
    std::int64_t constant = 0;
    if (is_symbol(text)) {  // most are
        made_.emplace_back().symbol = symbol(text);
        return constant;
    }
    bool negative = text.starts_with('-');
    std::string_view rest = negative ? text.substr(1) : text;
    while (true) {
        const std::size_t end = rest.find(' ');
        const std::size_t before = made_.size();
        const std::int64_t constant_before = constant;
        if (!read_term(rest.substr(0, end), constant)) return {};
        if (negative) {
            if (made_.size() > before) made_.back().factor *= -1;
            constant = made_.size() > before ? constant_before : -constant;
        }
        if (end == rest.npos) break;
        const std::string_view sign = rest.substr(end, 3);
        if (sign != " + " && sign != " - ") return {};
        negative = sign == " - ";
        rest.remove_prefix(end + 3);
    }
    if (!put_made_in_torchs_order() || print_made(constant) != text) return {};
    return constant;
}

bool Expressions::read_term(std::string_view term, std::int64_t& constant) {
    if (const std::optional<std::int64_t> number = parsed_number(term)) {
        if (constant != 0) return false;
        constant = *number;
        return true;
    }
    Term made;
    if (const std::size_t star = term.find('*'); star != term.npos) {
        const std::optional<std::int64_t> factor = parsed_number(term.substr(0, star));
        if (!factor || *factor <= 0) return false;
        made.factor = *factor;
        term.remove_prefix(star + 1);
    }
    term = without_brackets(term);
    if (const std::size_t slashes = term.find("//"); slashes != term.npos) {
        const std::optional<std::int64_t> divisor = parsed_number(term.substr(slashes + 2));
        if (!divisor || *divisor <= 1) return false;
        made.divisor = *divisor;
        term = term.substr(0, slashes);
    }
    if (!is_symbol(term)) return false;
    made.symbol = symbol(term);
    made_.push_back(made);
    return true;
}

/// Of what is no sum, only the symbols are known.
ExpressionId Expressions::add_unknown(StringId known) {
    Entry entry;
    entry.text = known;
    entry.first_symbol = static_cast<std::uint32_t>(symbols_.size());
    const std::string_view text = texts_->text(known);
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (is_letter(text[at])) {
            while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
            if (const std::string_view word = text.substr(at, end - at); is_symbol(word)) {
                const SymbolId found = symbol(word);
                const auto own = std::span(symbols_).subspan(entry.first_symbol);
                if (std::ranges::find(own, found) == own.end()) symbols_.push_back(found);
            }
        }
        at = end;
    }
    entry.symbol_count = static_cast<std::uint32_t>(symbols_.size()) - entry.first_symbol;
    // Any values do: only whether the text can be read is of interest, and whether they divide by 0 does not matter.
    entry.readable = scheduling::evaluate_size(text, [](std::string_view) { return std::int64_t{7}; }).has_value();
    return add(entry);
}

std::optional<std::int64_t> Expressions::constant(ExpressionId expression) const {
    const Entry& entry = entries_[expression];
    return entry.is_sum && entry.term_count == 0 ? std::optional(entry.constant) : std::nullopt;
}

std::optional<SymbolId> Expressions::single_symbol(ExpressionId expression) const {
    const std::optional<std::int64_t> whole = factor(expression);
    return whole == 1 ? std::optional(symbols(expression).front()) : std::nullopt;
}

std::optional<std::int64_t> Expressions::factor(ExpressionId expression) const {
    const Entry& entry = entries_[expression];
    if (!entry.is_sum || entry.term_count != 1 || entry.constant != 0) return {};
    const Term& only = terms_[entry.first_term];
    return only.divisor == 1 ? std::optional(only.factor) : std::nullopt;
}

std::optional<std::int64_t> Expressions::value(ExpressionId expression, const SymbolValues& values) const {
    const auto known = [&](SymbolId symbol) { return symbol < values.size() ? values[symbol] : std::nullopt; };
    const Entry& entry = entries_[expression];
    for (const SymbolId symbol : symbols(expression)) {
        if (!known(symbol)) return {};
    }
    if (!entry.is_sum) {
        return scheduling::evaluate_size(text(expression),
                                         [&](std::string_view name) { return *known(*find_symbol(name)); });
    }
    std::int64_t sum = entry.constant;
    for (const Term& term : terms(entry)) {
        const std::int64_t symbol = *known(term.symbol);
        std::int64_t part = symbol / term.divisor;
        if (symbol % term.divisor < 0) --part;
        if (__builtin_mul_overflow(part, term.factor, &part) || __builtin_add_overflow(sum, part, &sum)) return {};
    }
    return sum;
}

std::optional<ExpressionId> Expressions::partly_known(ExpressionId expression, const SymbolValues& values) {
    const auto known = [&](SymbolId symbol) { return symbol < values.size() ? values[symbol] : std::nullopt; };
    const Entry& entry = entries_[expression];
    const auto is_known = [&](SymbolId symbol) { return known(symbol).has_value(); };
    if (std::ranges::none_of(symbols(expression), is_known)) return expression;
    if (!entry.is_sum) return {};
    made_.clear();
    std::int64_t constant = entry.constant;
    for (const Term& term : terms(entry)) {
        const std::optional<std::int64_t> symbol = known(term.symbol);
        if (!symbol) {
            made_.push_back(term);
            continue;
        }
        std::int64_t part = *symbol / term.divisor;
        if (*symbol % term.divisor < 0) --part;
        if (__builtin_mul_overflow(part, term.factor, &part)) return {};
        if (__builtin_add_overflow(constant, part, &constant)) return {};
    }
    return add_made(constant);
}

std::optional<ExpressionId> Expressions::halved(ExpressionId expression) {
    const std::optional<std::int64_t> whole = factor(expression);
    if (!whole) return {};
    made_.assign(1, terms_[entries_[expression].first_term]);
    if (*whole % 2 == 0) {
        made_[0].factor /= 2;
        return add_made(0);
    }
    if (*whole == 1) {
        made_[0].divisor = 2;
        return add_made(0);
    }
    return read(std::string("((").append(text(expression)).append(")//2)"));
}

std::optional<ExpressionId> Expressions::multiplied(ExpressionId expression, std::int64_t factor) {
    if (factor == 1) return expression;
    const Entry& entry = entries_[expression];
    if (!entry.is_sum) return {};
    made_.assign(terms(entry).begin(), terms(entry).end());
    std::int64_t constant = entry.constant;
    bool overflows = __builtin_mul_overflow(constant, factor, &constant);
    for (Term& term : made_) overflows |= __builtin_mul_overflow(term.factor, factor, &term.factor);
    if (overflows) return {};
    return add_made(constant);
}

std::optional<ExpressionId> Expressions::add_made(std::int64_t constant) {
    // The least number has no opposite that could be printed behind a minus.
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    if (constant == least || std::ranges::find(made_, least, &Term::factor) != made_.end()) return {};
    if (!put_made_in_torchs_order()) return {};
    const StringId text = texts_->intern(print_made(constant));
    if (text < expression_.size() && expression_[text] != no_expression) return expression_[text];
    return add_made_as(text, constant);
}

ExpressionId Expressions::add_made_as(StringId text, std::int64_t constant) {
    Entry entry;
    entry.text = text;
    entry.first_symbol = static_cast<std::uint32_t>(symbols_.size());
    entry.first_term = static_cast<std::uint32_t>(terms_.size());
    entry.symbol_count = entry.term_count = static_cast<std::uint32_t>(made_.size());
    for (const Term& term : made_) symbols_.push_back(term.symbol);
    terms_.insert(terms_.end(), made_.begin(), made_.end());
    entry.constant = constant;
    entry.is_sum = entry.readable = true;
    return add(entry);
}

/// sympy sorts symbols by their names, and divisions behind them. Whether it would merge or reorder several divisions
/// is left open: no graph has them.
bool Expressions::put_made_in_torchs_order() {
    if (made_.size() == 1) return made_[0].factor != 0;
    const auto divisions = std::ranges::count_if(made_, [](const Term& term) { return term.divisor != 1; });
    if (divisions > 1) return false;
    std::ranges::sort(made_, [&](const Term& left, const Term& right) {
        const bool left_divides = left.divisor != 1, right_divides = right.divisor != 1;
        return left_divides != right_divides ? right_divides : name(left.symbol) < name(right.symbol);
    });
    const auto repeated = std::ranges::adjacent_find(made_, {}, &Term::symbol);
    const auto vanishes = std::ranges::find(made_, std::int64_t{0}, &Term::factor);
    const bool divides_again = divisions == 1 && std::ranges::count(made_, made_.back().symbol, &Term::symbol) > 1;
    return repeated == made_.end() && vanishes == made_.end() && !divides_again;
}

std::string Expressions::print_made(std::int64_t constant) const {
    const bool alone = made_.size() == 1 && constant == 0 && made_[0].factor == 1;
    std::string text;
    const auto add_sign = [&](bool negative) {
        if (text.empty()) {
            if (negative) text += '-';
        } else {
            text += negative ? " - " : " + ";
        }
    };
    for (const Term& term : made_) {
        add_sign(term.factor < 0);
        if (term.factor != 1 && term.factor != -1) (text += std::to_string(std::abs(term.factor))) += '*';
        if (term.divisor == 1) {
            text += name(term.symbol);
            continue;
        }
        text += alone ? "(" : "((";
        ((text += name(term.symbol)) += "//") += std::to_string(term.divisor);
        text += alone ? ")" : "))";
    }
    if (constant != 0 || made_.empty()) {
        add_sign(constant < 0);
        text += std::to_string(std::abs(constant));
    }
    return text;
}

ExpressionId Expressions::add(const Entry& entry) {
    const ExpressionId made = count();
    if (entry.text >= expression_.size()) expression_.resize(entry.text + 64, no_expression);
    expression_[entry.text] = made;
    entries_.push_back(entry);
    return made;
}

}  // namespace overlap::experts

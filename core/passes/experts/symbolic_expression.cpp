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

Expressions::Expressions() : entries_(1) {}

std::optional<std::int64_t> Expressions::parsed_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    if (number == std::numeric_limits<std::int64_t>::min()) return {};  // it has no opposite
    return number;
}

SymbolId Expressions::symbol(std::string_view name) {
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
    const SymbolId made = symbol_count();
    by_name_.emplace(name, made);
    names_.emplace_back(name);
    return made;
}

std::optional<SymbolId> Expressions::find_symbol(std::string_view name) const {
    const auto known = by_name_.find(name);
    return known == by_name_.end() ? std::nullopt : std::optional(known->second);
}

ExpressionId Expressions::read(std::string_view text) {
    if (const auto known = by_text_.find(text); known != by_text_.end()) return known->second;
    Entry entry = read_sum(text);
    if (!entry.is_sum) {
        entry.terms.clear();
        entry.constant = 0;
        find_symbols(entry);
    }
    return add(std::move(entry));
}

/// A sum whose text is the one that torch would print; else an entry that is none.
Expressions::Entry Expressions::read_sum(std::string_view text) {
    Entry entry;
    entry.text = text;
    if (is_symbol(text)) {  // most are
        entry.symbols.push_back(symbol(text));
        entry.terms.emplace_back().symbol = entry.symbols.front();
        entry.is_sum = entry.readable = true;
        return entry;
    }
    bool negative = text.starts_with('-');
    std::string_view rest = negative ? text.substr(1) : text;
    while (true) {
        const std::size_t end = rest.find(' ');
        const std::size_t before = entry.terms.size();
        const std::int64_t constant = entry.constant;
        if (!read_term(rest.substr(0, end), entry)) return entry;
        if (negative) {
            if (entry.terms.size() > before) entry.terms.back().factor *= -1;
            entry.constant = entry.terms.size() > before ? constant : -entry.constant;
        }
        if (end == rest.npos) break;
        const std::string_view sign = rest.substr(end, 3);
        if (sign != " + " && sign != " - ") return entry;
        negative = sign == " - ";
        rest.remove_prefix(end + 3);
    }
    if (!in_torchs_order(entry.terms) || print(entry.terms, entry.constant) != text) return entry;
    for (const Term& term : entry.terms) entry.symbols.push_back(term.symbol);
    entry.is_sum = entry.readable = true;
    return entry;
}

bool Expressions::read_term(std::string_view term, Entry& entry) {
    if (const std::optional<std::int64_t> number = parsed_number(term)) {
        if (entry.constant != 0) return false;
        entry.constant = *number;
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
    entry.terms.push_back(made);
    return true;
}

void Expressions::find_symbols(Entry& entry) {
    const std::string_view text = entry.text;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (is_letter(text[at])) {
            while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
            if (const std::string_view word = text.substr(at, end - at); is_symbol(word)) {
                const SymbolId found = symbol(word);
                if (std::ranges::find(entry.symbols, found) == entry.symbols.end()) entry.symbols.push_back(found);
            }
        }
        at = end;
    }
    // Any values do: only whether the text can be read is of interest, and whether they divide by 0 does not matter.
    entry.readable = scheduling::evaluate_size(text, [](std::string_view) { return std::int64_t{7}; }).has_value();
}

std::optional<std::int64_t> Expressions::constant(ExpressionId expression) const {
    const Entry& entry = entries_[expression];
    return entry.is_sum && entry.terms.empty() ? std::optional(entry.constant) : std::nullopt;
}

std::optional<SymbolId> Expressions::single_symbol(ExpressionId expression) const {
    const std::optional<std::int64_t> whole = factor(expression);
    return whole == 1 ? std::optional(entries_[expression].terms.front().symbol) : std::nullopt;
}

std::optional<std::int64_t> Expressions::factor(ExpressionId expression) const {
    const Entry& entry = entries_[expression];
    if (!entry.is_sum || entry.terms.size() != 1 || entry.constant != 0 || entry.terms[0].divisor != 1) return {};
    return entry.terms[0].factor;
}

std::optional<std::int64_t> Expressions::value(ExpressionId expression, const SymbolValues& values) const {
    const auto known = [&](SymbolId symbol) { return symbol < values.size() ? values[symbol] : std::nullopt; };
    const Entry& entry = entries_[expression];
    for (const SymbolId symbol : entry.symbols) {
        if (!known(symbol)) return {};
    }
    if (!entry.is_sum) {
        return scheduling::evaluate_size(entry.text,
                                         [&](std::string_view name) { return *known(by_name_.find(name)->second); });
    }
    std::int64_t sum = entry.constant;
    for (const Term& term : entry.terms) {
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
    if (std::ranges::none_of(entry.symbols, is_known)) return expression;
    if (!entry.is_sum) return {};
    std::vector<Term> terms;
    std::int64_t constant = entry.constant;
    for (const Term& term : entry.terms) {
        const std::optional<std::int64_t> symbol = known(term.symbol);
        if (!symbol) {
            terms.push_back(term);
            continue;
        }
        std::int64_t part = *symbol / term.divisor;
        if (*symbol % term.divisor < 0) --part;
        if (__builtin_mul_overflow(part, term.factor, &part)) return {};
        if (__builtin_add_overflow(constant, part, &constant)) return {};
    }
    return add_sum(std::move(terms), constant);
}

std::optional<ExpressionId> Expressions::halved(ExpressionId expression) {
    const std::optional<std::int64_t> whole = factor(expression);
    if (!whole) return {};
    std::vector<Term> terms = entries_[expression].terms;
    if (*whole % 2 == 0) {
        terms[0].factor /= 2;
        return add_sum(std::move(terms), 0);
    }
    if (*whole == 1) {
        terms[0].divisor = 2;
        return add_sum(std::move(terms), 0);
    }
    return read("((" + text(expression) + ")//2)");
}

std::optional<ExpressionId> Expressions::multiplied(ExpressionId expression, std::int64_t factor) {
    if (factor == 1) return expression;
    if (!entries_[expression].is_sum) return {};
    std::vector<Term> terms = entries_[expression].terms;
    std::int64_t constant = entries_[expression].constant;
    bool overflows = __builtin_mul_overflow(constant, factor, &constant);
    for (Term& term : terms) overflows |= __builtin_mul_overflow(term.factor, factor, &term.factor);
    if (overflows) return {};
    return add_sum(std::move(terms), constant);
}

std::optional<ExpressionId> Expressions::add_sum(std::vector<Term> terms, std::int64_t constant) {
    // The least number has no opposite that could be printed behind a minus.
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    if (constant == least || std::ranges::find(terms, least, &Term::factor) != terms.end()) return {};
    if (!in_torchs_order(terms)) return {};
    std::string text = print(terms, constant);
    if (const auto known = by_text_.find(text); known != by_text_.end()) return known->second;
    Entry entry;
    entry.text = std::move(text);
    entry.terms = std::move(terms);
    for (const Term& term : entry.terms) entry.symbols.push_back(term.symbol);
    entry.constant = constant;
    entry.is_sum = entry.readable = true;
    return add(std::move(entry));
}

/// sympy sorts symbols by their names, and divisions behind them. Whether it would merge or reorder several divisions
/// is left open: no graph has them.
bool Expressions::in_torchs_order(std::vector<Term>& terms) const {
    const auto divisions = std::ranges::count_if(terms, [](const Term& term) { return term.divisor != 1; });
    if (divisions > 1) return false;
    std::ranges::sort(terms, [&](const Term& left, const Term& right) {
        const bool left_divides = left.divisor != 1, right_divides = right.divisor != 1;
        return left_divides != right_divides ? right_divides : names_[left.symbol] < names_[right.symbol];
    });
    const auto repeated = std::ranges::adjacent_find(terms, {}, &Term::symbol);
    const auto vanishes = std::ranges::find(terms, std::int64_t{0}, &Term::factor);
    const bool divides_again = divisions == 1 && std::ranges::count(terms, terms.back().symbol, &Term::symbol) > 1;
    return repeated == terms.end() && vanishes == terms.end() && !divides_again;
}

std::string Expressions::print(std::span<const Term> terms, std::int64_t constant) const {
    const bool alone = terms.size() == 1 && constant == 0 && terms[0].factor == 1;
    std::string text;
    const auto add_sign = [&](bool negative) {
        if (text.empty()) {
            if (negative) text += '-';
        } else {
            text += negative ? " - " : " + ";
        }
    };
    for (const Term& term : terms) {
        add_sign(term.factor < 0);
        if (term.factor != 1 && term.factor != -1) (text += std::to_string(std::abs(term.factor))) += '*';
        if (term.divisor == 1) {
            text += names_[term.symbol];
            continue;
        }
        const std::string division = '(' + names_[term.symbol] + "//" + std::to_string(term.divisor) + ')';
        text += alone ? division : '(' + division + ')';
    }
    if (constant != 0 || terms.empty()) {
        add_sign(constant < 0);
        text += std::to_string(std::abs(constant));
    }
    return text;
}

ExpressionId Expressions::add(Entry entry) {
    const ExpressionId made = count();
    by_text_.emplace(entry.text, made);
    entries_.push_back(std::move(entry));
    return made;
}

}  // namespace overlap::experts

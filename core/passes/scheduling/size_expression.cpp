#include "core/passes/scheduling/size_expression.h"

#include <algorithm>
#include <charconv>

namespace overlap::scheduling {

namespace {

using Number = std::optional<std::int64_t>;

Number sum(Number left, Number right) {
    std::int64_t result = 0;
    return left && right && !__builtin_add_overflow(*left, *right, &result) ? Number(result) : Number();
}

Number product(Number left, Number right) {
    std::int64_t result = 0;
    return left && right && !__builtin_mul_overflow(*left, *right, &result) ? Number(result) : Number();
}

/// Python's `//`, which rounds down.
Number quotient(Number left, Number right) {
    if (!left || !right || *right == 0) return {};
    if (*right == -1) return product(-1, left);  // the least number has no opposite
    const std::int64_t result = *left / *right;
    return *left % *right != 0 && (*left < 0) != (*right < 0) ? result - 1 : result;
}

Number remainder(Number left, Number right) {
    return sum(left, product(-1, product(quotient(left, right), right)));
}

/// Reads from front to back; after the first part that it does not understand every value is nothing.
class Reader {
  public:
    Reader(std::string_view text, const std::function<std::int64_t(std::string_view)>& value_of_symbol)
        : rest_(text), value_of_symbol_(value_of_symbol) {}

    Number whole() {
        const Number value = expression();
        skip_spaces();
        return rest_.empty() ? value : Number();
    }

  private:
    static constexpr int deepest = 64;

    Number expression() {
        if (++depth_ > deepest) return {};
        Number value = term();
        for (;;) {
            if (take("+")) {
                value = sum(value, term());
            } else if (take("-")) {
                value = sum(value, product(-1, term()));
            } else {
                --depth_;
                return value;
            }
        }
    }

    Number term() {
        Number value = factor();
        for (;;) {
            if (take("//")) {
                value = quotient(value, factor());
            } else if (take("*")) {
                value = product(value, factor());
            } else if (take("%")) {
                value = remainder(value, factor());
            } else {
                return value;
            }
        }
    }

    Number factor() {
        bool negative = false;
        while (take("-")) negative = !negative;
        Number value;
        if (take("(")) {
            value = expression();
            if (!take(")")) return {};
        } else {
            value = name_or_number();
        }
        return negative ? product(-1, value) : value;
    }

    Number name_or_number() {
        skip_spaces();
        const auto is_letter = [](char character) {
            return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
                   (character >= '0' && character <= '9') || character == '_';
        };
        const auto end = std::ranges::find_if_not(rest_, is_letter);
        const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(word.size());
        if (word.empty()) return {};
        if (word.front() >= '0' && word.front() <= '9') {
            std::int64_t number = 0;
            const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
            return error == std::errc() && stop == word.data() + word.size() ? Number(number) : Number();
        }
        return take("(") ? call(word) : Number(value_of_symbol_(word));
    }

    Number call(std::string_view function) {
        Number value = expression();
        while (take(",")) {
            const Number next = expression();
            if (!value || !next) return {};
            if (function == "Max") {
                value = std::max(*value, *next);
            } else if (function == "Min") {
                value = std::min(*value, *next);
            } else if (function == "Mod") {
                value = remainder(value, next);
            } else if (function == "FloorDiv") {
                value = quotient(value, next);
            } else {
                return {};
            }
        }
        return take(")") ? value : Number();
    }

    bool take(std::string_view token) {
        skip_spaces();
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(token.size());
        return true;
    }

    void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

    std::string_view rest_;
    const std::function<std::int64_t(std::string_view)>& value_of_symbol_;
    int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> evaluate_size(std::string_view expression,
                                          const std::function<std::int64_t(std::string_view)>& value_of_symbol) {
    return Reader(expression, value_of_symbol).whole();
}

}  // namespace overlap::scheduling

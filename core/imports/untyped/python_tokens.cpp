#include "core/imports/untyped/python_tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/text_place.h"

namespace overlap {
namespace {

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

bool is_name_start(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '_' ||
           static_cast<unsigned char>(character) >= 0x80;
}

bool is_name_part(char character) {
    return is_name_start(character) || is_digit(character);
}

// Longer ones first, since they begin like shorter ones. All have one of `second_letters` behind their first.
constexpr std::array<std::string_view, 25> long_punctuation = {
    "**=", "//=", "<<=", ">>=", "...", "->", "**", "//", "<<", ">>", "==", "!=", "<=",
    ">=",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "@=", ":=", "::"};
constexpr std::string_view second_letters = "*/<>.=:";
static_assert(std::ranges::all_of(long_punctuation, [](std::string_view punctuation) {
    return second_letters.find(punctuation[1]) != std::string_view::npos;
}));
constexpr std::string_view short_punctuation = "()[]{},:;.=+-*/%@&|^~<>!";

}  // namespace

PythonTokens::PythonTokens(std::string_view text, std::size_t begin, std::size_t end)
    : text_(text), position_(begin), end_(std::min(end, text.size())) {}

void PythonTokens::fail(std::size_t offset, std::string problem) const {
    throw InputError(text_place(text_, offset), std::move(problem));
}

void PythonTokens::fail_expected(std::string_view expected) {
    const PythonToken& found = peek();
    std::string problem = "expected ";
    problem += expected;
    problem += ", found ";
    if (found.kind == PythonTokenKind::end) {
        problem += "the end of the text";
    } else if (found.kind == PythonTokenKind::newline) {
        problem += "the end of the line";
    } else {
        problem += in_quotes(shortened(found.text));
    }
    fail(found.offset, std::move(problem));
}

const PythonToken& PythonTokens::peek() {
    if (!has_next_) {
        next_ = scan();
        has_next_ = true;
    }
    return next_;
}

PythonToken PythonTokens::take() {
    peek();
    has_next_ = false;
    return next_;
}

bool PythonTokens::take_if(std::string_view punctuation_or_name) {
    if (!peek().is(punctuation_or_name)) return false;
    take();
    return true;
}

PythonToken PythonTokens::expect(std::string_view punctuation_or_name) {
    if (!peek().is(punctuation_or_name)) fail_expected(in_quotes(punctuation_or_name));
    return take();
}

PythonToken PythonTokens::expect(PythonTokenKind kind, std::string_view what) {
    if (peek().kind != kind) fail_expected(what);
    return take();
}

void PythonTokens::skip_comments() {
    while (peek().kind == PythonTokenKind::comment) take();
}

void PythonTokens::skip_line() {
    position_ = position();
    has_next_ = false;
    depth_ = 0;
    value_before_ = false;
    while (position_ < end_ && text_[position_] != '\n') ++position_;
    if (position_ < end_) ++position_;
}

void PythonTokens::skip_space() {
    while (position_ < end_) {
        const char character = text_[position_];
        if (character == ' ' || character == '\t' || character == '\r' || (character == '\n' && depth_ > 0)) {
            ++position_;
        } else if (character == '\\' && position_ + 1 < end_ && text_[position_ + 1] == '\n') {
            position_ += 2;
        } else if (character == '\x1b' && position_ + 1 < end_ && text_[position_ + 1] == '[') {
            position_ += 2;
            while (position_ < end_ && (is_digit(text_[position_]) || text_[position_] == ';')) ++position_;
            if (position_ < end_) ++position_;
        } else {
            return;
        }
    }
}

PythonToken PythonTokens::made(PythonTokenKind kind, std::size_t end) {
    PythonToken token{kind, position_, text_.substr(position_, end - position_)};
    position_ = end;
    value_before_ =
        kind != PythonTokenKind::punctuation && kind != PythonTokenKind::newline && kind != PythonTokenKind::comment;
    return token;
}

PythonToken PythonTokens::scan() {
    skip_space();
    if (position_ >= end_) return {PythonTokenKind::end, end_, {}};
    const char character = text_[position_];
    if (character == '\n') return made(PythonTokenKind::newline, position_ + 1);
    if (character == '#') {
        return made(PythonTokenKind::comment, std::min(text_.find('\n', position_), end_));
    }
    if (character == '"' || character == '\'') return scan_string(position_);
    if (is_name_start(character)) {
        std::size_t end = position_ + 1;
        while (end < end_ && is_name_part(text_[end])) ++end;
        const bool is_prefix =
            end - position_ <= 2 && end < end_ && (text_[end] == '"' || text_[end] == '\'') &&
            text_.substr(position_, end - position_).find_first_not_of("bBrRuU") == std::string_view::npos;
        return is_prefix ? scan_string(end) : made(PythonTokenKind::name, end);
    }
    if (is_digit(character) || (character == '.' && position_ + 1 < end_ && is_digit(text_[position_ + 1]))) {
        return scan_number();
    }
    if (character == '<' && starts_opaque()) return scan_opaque();
    const std::string_view rest = text_.substr(position_, end_ - position_);
    if (rest.size() > 1 && second_letters.find(rest[1]) != std::string_view::npos) {
        for (const std::string_view punctuation : long_punctuation) {
            if (rest.starts_with(punctuation)) {
                return made(PythonTokenKind::punctuation, position_ + punctuation.size());
            }
        }
    }
    if (short_punctuation.find(character) == std::string_view::npos) {
        fail(position_, "this character starts nothing that torch.fx prints");
    }
    if (character == '(' || character == '[' || character == '{') ++depth_;
    const bool closes = character == ')' || character == ']' || character == '}';
    if (closes && depth_ > 0) --depth_;
    PythonToken token = made(PythonTokenKind::punctuation, position_ + 1);
    value_before_ = closes;
    return token;
}

PythonToken PythonTokens::scan_number() {
    std::size_t end = position_;
    auto skip_digits = [&] {
        while (end < end_ && is_digit(text_[end])) ++end;
    };
    bool floating = false;
    skip_digits();
    if (end < end_ && text_[end] == '.') {
        floating = true;
        ++end;
        skip_digits();
    }
    if (end < end_ && (text_[end] == 'e' || text_[end] == 'E')) {
        std::size_t exponent = end + 1;
        if (exponent < end_ && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
        if (exponent < end_ && is_digit(text_[exponent])) {
            floating = true;
            end = exponent;
            skip_digits();
        }
    }
    if (end < end_ && text_[end] == 'j') return made(PythonTokenKind::imaginary, end + 1);
    if (end < end_ && is_name_part(text_[end])) fail(position_, "this is neither a number nor a name");
    return made(floating ? PythonTokenKind::floating : PythonTokenKind::integer, end);
}

PythonToken PythonTokens::scan_string(std::size_t quote) {
    const char mark = text_[quote];
    const auto is_triple = [&](std::size_t at) {
        return at + 3 <= end_ && text_[at] == mark && text_[at + 1] == mark && text_[at + 2] == mark;
    };
    const bool triple = is_triple(quote);
    std::size_t end = quote + (triple ? 3 : 1);
    while (end < end_) {
        if (text_[end] == '\\') {
            end += 2;
        } else if (triple ? is_triple(end) : text_[end] == mark) {
            return made(PythonTokenKind::string, end + (triple ? 3 : 1));
        } else if (text_[end] == '\n' && !triple) {
            break;
        } else {
            ++end;
        }
    }
    fail(position_, "this string does not end");
}

bool PythonTokens::starts_opaque() const {
    return !value_before_ && position_ + 1 < end_ && is_name_start(text_[position_ + 1]);
}

PythonToken PythonTokens::scan_opaque() {
    int open = 0;
    for (std::size_t end = position_; end < end_ && text_[end] != '\n'; ++end) {
        if (text_[end] == '<') ++open;
        if (text_[end] == '>' && --open == 0) return made(PythonTokenKind::opaque, end + 1);
    }
    fail(position_, "this description of an object does not end");
}

}  // namespace overlap

#include "core/imports/untyped/python_expression.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace overlap {
namespace {

struct BinaryOperator {
    std::string_view text;
    int precedence;
};

constexpr std::array<BinaryOperator, 20> binary_operators = {{
    {"==", 1}, {"!=", 1}, {"<", 1}, {">", 1}, {"<=", 1}, {">=", 1}, {"is", 1}, {"|", 2},  {"^", 3}, {"&", 4},
    {"<<", 5}, {">>", 5}, {"+", 6}, {"-", 6}, {"*", 7},  {"@", 7},  {"/", 7},  {"//", 7}, {"%", 7}, {"**", 9},
}};

int precedence_of(const PythonToken& token) {
    for (const BinaryOperator& candidate : binary_operators) {
        if (token.is(candidate.text)) return candidate.precedence;
    }
    return 0;
}

/// Appends the UTF-8 text of a code point; false where there is none.
bool append_code_point(std::string& text, std::uint32_t code) {
    if (code >= 0x110000 || (code >= 0xd800 && code < 0xe000)) return false;
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0 | code >> 6);
        text += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        text += static_cast<char>(0xe0 | code >> 12);
        text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
        text += static_cast<char>(0xf0 | code >> 18);
        text += static_cast<char>(0x80 | (code >> 12 & 0x3f));
        text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        text += static_cast<char>(0x80 | (code & 0x3f));
    }
    return true;
}

/// Reads `digits` hexadecimal digits; false where there are fewer.
bool read_hexadecimal(std::string_view text, std::size_t digits, std::uint32_t& code) {
    if (text.size() < digits) return false;
    code = 0;
    for (const char character : text.substr(0, digits)) {
        std::uint32_t digit = 0;
        if (character >= '0' && character <= '9') {
            digit = static_cast<std::uint32_t>(character - '0');
        } else if (character >= 'a' && character <= 'f') {
            digit = static_cast<std::uint32_t>(character - 'a' + 10);
        } else if (character >= 'A' && character <= 'F') {
            digit = static_cast<std::uint32_t>(character - 'A' + 10);
        } else {
            return false;
        }
        code = code << 4 | digit;
    }
    return true;
}

/// Appends what an escape stands for. @param rest what follows the backslash. @return bytes of `rest` that were used.
std::size_t append_escape(std::string& text, std::string_view rest) {
    constexpr std::string_view simple = "n\nt\tr\rb\bf\fv\va\a\\\\''\"\"";
    for (std::size_t index = 0; index < simple.size(); index += 2) {
        if (rest[0] == simple[index]) {
            text += simple[index + 1];
            return 1;
        }
    }
    if (rest[0] == '\n') return 1;
    if (rest[0] == '0') {
        text += '\0';
        return 1;
    }
    const std::size_t digits = rest[0] == 'x' ? 2 : rest[0] == 'u' ? 4 : rest[0] == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    if (digits != 0 && read_hexadecimal(rest.substr(1), digits, code) && append_code_point(text, code)) {
        return 1 + digits;
    }
    text += '\\';
    return 0;
}

}  // namespace

std::string unescape_python_string(std::string_view literal) {
    const std::size_t quote = literal.find_first_of("'\"");
    const bool raw = literal.substr(0, quote).find_first_of("rR") != std::string_view::npos;
    const bool triple =
        literal.size() >= quote + 6 && literal[quote + 1] == literal[quote] && literal[quote + 2] == literal[quote];
    const std::size_t marks = triple ? 3 : 1;
    const std::string_view inside = literal.substr(quote + marks, literal.size() - quote - 2 * marks);
    if (raw) return std::string(inside);
    std::string text;
    text.reserve(inside.size());
    for (std::size_t index = 0; index < inside.size();) {
        if (inside[index] != '\\' || index + 1 == inside.size()) {
            text += inside[index++];
        } else {
            index += 1 + append_escape(text, inside.substr(index + 1));
        }
    }
    return text;
}

void PythonExpressions::clear() {
    expressions_.clear();
    ends_.clear();
    children_.clear();
    kept_.clear();
}

std::string_view PythonExpressions::keep(std::string text) {
    kept_.push_back(std::make_unique<std::string>(std::move(text)));
    return *kept_.back();
}

std::span<const PythonExpressionId> PythonExpressions::children(PythonExpressionId id) const {
    return {children_.data() + expressions_[id].first, expressions_[id].count};
}

std::string_view PythonExpressions::source(PythonExpressionId id) const {
    return tokens_.text().substr(expressions_[id].offset, ends_[id] - expressions_[id].offset);
}

std::optional<std::string> PythonExpressions::dotted_name(PythonExpressionId id) const {
    std::vector<std::string_view> parts;
    for (;;) {
        const PythonExpression& expression = expressions_[id];
        if (expression.kind == PythonExpressionKind::name) {
            parts.push_back(expression.text);
            break;
        }
        if (expression.kind == PythonExpressionKind::attribute) {
            parts.push_back(expression.text);
            id = child(id, 0);
        } else if (expression.kind == PythonExpressionKind::call && expression.count == 3 &&
                   expressions_[child(id, 0)].kind == PythonExpressionKind::name &&
                   expressions_[child(id, 0)].text == "getattr" &&
                   expressions_[child(id, 2)].kind == PythonExpressionKind::string) {
            parts.push_back(expressions_[child(id, 2)].text);
            id = child(id, 1);
        } else {
            return std::nullopt;
        }
    }
    std::string name;
    for (std::size_t part = parts.size(); part-- > 0;) {
        name += parts[part];
        if (part > 0) name += '.';
    }
    return name;
}

PythonExpressionId PythonExpressions::add(PythonExpressionKind kind, std::size_t offset, std::string_view text,
                                          std::span<const PythonExpressionId> children) {
    const auto first = static_cast<std::uint32_t>(children_.size());
    children_.insert(children_.end(), children.begin(), children.end());
    std::uint16_t height = 0;
    for (const PythonExpressionId child : children) height = std::max(height, expressions_[child].height);
    if (height == longest_chain)
        tokens_.fail(offset, "a chain of more than " + std::to_string(longest_chain) + " operators begins here");
    ++height;
    expressions_.push_back({kind, height, offset, text, first, static_cast<std::uint32_t>(children.size())});
    ends_.push_back(last_end_);
    return static_cast<PythonExpressionId>(expressions_.size() - 1);
}

PythonExpressionId PythonExpressions::parse() {
    tokens_.skip_comments();
    const std::size_t offset = tokens_.peek().offset;
    const PythonExpressionId first = parse_item();
    if (!tokens_.peek().is(",")) return first;
    std::vector<PythonExpressionId> items{first};
    while (tokens_.take_if(",")) {
        const PythonToken& next = tokens_.peek();
        if (next.kind == PythonTokenKind::newline || next.kind == PythonTokenKind::end || next.is("=") ||
            next.is(";")) {
            break;
        }
        items.push_back(parse_item());
    }
    return add(PythonExpressionKind::tuple, offset, {}, items);
}

PythonExpressionId PythonExpressions::parse_item() {
    return parse_binary(1);
}

PythonExpressionId PythonExpressions::parse_binary(int least_precedence) {
    PythonExpressionId left = parse_unary();
    for (;;) {
        tokens_.skip_comments();
        const PythonToken next = tokens_.peek();
        const int precedence = precedence_of(next);
        if (precedence < least_precedence) return left;
        tokens_.take();
        const std::array operands{left, parse_binary(precedence + 1)};
        left = add(PythonExpressionKind::binary, expressions_[left].offset, next.text, operands);
    }
}

PythonExpressionId PythonExpressions::parse_unary() {
    tokens_.skip_comments();
    const PythonToken next = tokens_.peek();
    if (!next.is("-") && !next.is("+") && !next.is("~")) return parse_postfix();
    if (++depth_ > deepest) tokens_.fail(next.offset, "this is nested more than 64 levels deep");
    tokens_.take();
    const std::array operand{parse_unary()};
    --depth_;
    return add(PythonExpressionKind::unary, next.offset, next.text, operand);
}

PythonExpressionId PythonExpressions::parse_postfix() {
    PythonExpressionId expression = parse_atom();
    for (;;) {
        const PythonToken next = tokens_.peek();
        if (next.is(".")) {
            tokens_.take();
            const PythonToken attribute = tokens_.expect(PythonTokenKind::name, "the name of an attribute");
            last_end_ = attribute.offset + attribute.text.size();
            const std::array object{expression};
            expression = add(PythonExpressionKind::attribute, expressions_[expression].offset, attribute.text, object);
        } else if (next.is("(")) {
            expression = parse_call(expression);
        } else if (next.is("[")) {
            expression = parse_subscript(expression);
        } else {
            return expression;
        }
    }
}

PythonExpressionId PythonExpressions::parse_atom() {
    const PythonToken token = tokens_.peek();
    auto simple = [&](PythonExpressionKind kind) {
        tokens_.take();
        last_end_ = token.offset + token.text.size();
        return add(kind, token.offset, token.text, {});
    };
    switch (token.kind) {
        case PythonTokenKind::name:
            return simple(PythonExpressionKind::name);
        case PythonTokenKind::integer:
            return simple(PythonExpressionKind::integer);
        case PythonTokenKind::floating:
            return simple(PythonExpressionKind::floating);
        case PythonTokenKind::imaginary:
            return simple(PythonExpressionKind::imaginary);
        case PythonTokenKind::opaque:
            return simple(PythonExpressionKind::opaque);
        case PythonTokenKind::string:
            return parse_string();
        default:
            break;
    }
    if (token.is("...")) return simple(PythonExpressionKind::name);
    if (token.is("(")) return parse_bracketed(")", PythonExpressionKind::tuple);
    if (token.is("[")) return parse_bracketed("]", PythonExpressionKind::list);
    if (token.is("{")) return parse_braces();
    tokens_.fail_expected("a value");
}

PythonExpressionId PythonExpressions::parse_string() {
    const PythonToken first = tokens_.take();
    last_end_ = first.offset + first.text.size();
    std::string text = unescape_python_string(first.text);
    while (tokens_.peek().kind == PythonTokenKind::string) {  // literals side by side are one string
        const PythonToken next = tokens_.take();
        last_end_ = next.offset + next.text.size();
        text += unescape_python_string(next.text);
    }
    return add(PythonExpressionKind::string, first.offset, keep(std::move(text)), {});
}

PythonExpressionId PythonExpressions::parse_bracketed(std::string_view close, PythonExpressionKind kind) {
    const PythonToken open = tokens_.take();
    if (++depth_ > deepest) tokens_.fail(open.offset, "this is nested more than 64 levels deep");
    std::vector<PythonExpressionId> items;
    bool comma = false;
    for (tokens_.skip_comments(); !tokens_.peek().is(close); tokens_.skip_comments()) {
        if (!items.empty() && !comma) tokens_.fail_expected("a comma or " + std::string(close));
        items.push_back(parse_item());
        comma = tokens_.take_if(",");
    }
    const PythonToken end = tokens_.take();
    last_end_ = end.offset + end.text.size();
    --depth_;
    const bool parenthesised = kind == PythonExpressionKind::tuple && items.size() == 1 && !comma;
    return parenthesised ? items[0] : add(kind, open.offset, {}, items);
}

PythonExpressionId PythonExpressions::parse_braces() {
    const PythonToken open = tokens_.take();
    if (++depth_ > deepest) tokens_.fail(open.offset, "this is nested more than 64 levels deep");
    std::vector<PythonExpressionId> items;
    bool dictionary = true;
    bool comma = true;
    for (tokens_.skip_comments(); !tokens_.peek().is("}"); tokens_.skip_comments()) {
        if (!comma) tokens_.fail_expected("a comma or }");
        items.push_back(parse_item());
        if (items.size() == 1) dictionary = tokens_.peek().is(":");
        if (dictionary) {
            tokens_.expect(":");
            items.push_back(parse_item());
        }
        comma = tokens_.take_if(",");
    }
    const PythonToken end = tokens_.take();
    last_end_ = end.offset + end.text.size();
    --depth_;
    return add(dictionary ? PythonExpressionKind::dictionary : PythonExpressionKind::set, open.offset, {}, items);
}

PythonExpressionId PythonExpressions::parse_call(PythonExpressionId callee) {
    const PythonToken open = tokens_.take();
    if (++depth_ > deepest) tokens_.fail(open.offset, "this is nested more than 64 levels deep");
    std::vector<PythonExpressionId> parts{callee};
    std::set<std::string_view> keywords;
    bool comma = true;
    for (tokens_.skip_comments(); !tokens_.peek().is(")"); tokens_.skip_comments()) {
        if (!comma) tokens_.fail_expected("a comma or )");
        const PythonExpressionId argument = parse_item();
        if (tokens_.peek().is("=") && expressions_[argument].kind == PythonExpressionKind::name) {
            tokens_.take();
            const PythonExpression keyword = expressions_[argument];
            if (!keywords.insert(keyword.text).second) tokens_.fail(keyword.offset, "a keyword argument is repeated");
            const std::array value{parse_item()};
            parts.push_back(add(PythonExpressionKind::keyword, keyword.offset, keyword.text, value));
        } else {
            if (expressions_[parts.back()].kind == PythonExpressionKind::keyword) {
                tokens_.fail(expressions_[argument].offset, "a positional argument follows a keyword argument");
            }
            parts.push_back(argument);
        }
        comma = tokens_.take_if(",");
    }
    const PythonToken end = tokens_.take();
    last_end_ = end.offset + end.text.size();
    --depth_;
    return add(PythonExpressionKind::call, expressions_[callee].offset, {}, parts);
}

PythonExpressionId PythonExpressions::parse_subscript(PythonExpressionId object) {
    const PythonToken open = tokens_.take();
    if (++depth_ > deepest) tokens_.fail(open.offset, "this is nested more than 64 levels deep");
    std::vector<PythonExpressionId> items;
    bool comma = false;
    for (;;) {
        std::vector<PythonExpressionId> parts;  // of a slice
        const std::size_t offset = tokens_.peek().offset;
        auto left_out = [&] { return add(PythonExpressionKind::none, offset, {}, {}); };
        const bool starts_with_colon = tokens_.peek().is(":") || tokens_.peek().is("::");
        const PythonExpressionId first = starts_with_colon ? left_out() : parse_item();
        if (tokens_.peek().is(":") || tokens_.peek().is("::")) {
            parts.push_back(first);
            while (parts.size() < 3 && (tokens_.peek().is(":") || tokens_.peek().is("::"))) {
                if (tokens_.take().text == "::") parts.push_back(left_out());
                const PythonToken& next = tokens_.peek();
                const bool empty = next.is(":") || next.is(",") || next.is("]");
                parts.push_back(empty ? left_out() : parse_item());
            }
            while (parts.size() < 3) parts.push_back(left_out());
            items.push_back(add(PythonExpressionKind::slice, offset, {}, std::span(parts).first(3)));
        } else {
            items.push_back(first);
        }
        comma = tokens_.take_if(",");
        if (!comma || tokens_.peek().is("]")) break;
    }
    const PythonToken end = tokens_.expect("]");
    last_end_ = end.offset + end.text.size();
    --depth_;
    const PythonExpressionId index = items.size() == 1 && !comma
                                         ? items[0]
                                         : add(PythonExpressionKind::tuple, expressions_[items[0]].offset, {}, items);
    const std::array parts{object, index};
    return add(PythonExpressionKind::subscript, expressions_[object].offset, {}, parts);
}

}  // namespace overlap

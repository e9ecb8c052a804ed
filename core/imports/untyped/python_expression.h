#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/imports/untyped/python_tokens.h"

namespace overlap {

enum class PythonExpressionKind : std::uint8_t {
    name,
    integer,
    floating,
    imaginary,
    string,     ///< text: what the string holds, escapes replaced
    opaque,     ///< `<function f at 0x7f…>`
    attribute,  ///< child 0 is the object, text the attribute's name
    call,       ///< child 0 is the callee; then arguments, keyword ones last
    keyword,    ///< an argument `text=child 0`
    subscript,  ///< child 0 [child 1]
    slice,      ///< `a:b:c` inside a subscript: three children
    none,       ///< a part of a slice that is left out
    list,
    tuple,
    dictionary,  ///< children alternate between keys and values
    set,
    unary,   ///< text is the operator
    binary,  ///< text is the operator
};

/// An expression is a number, valid until the parser reads the next statement.
using PythonExpressionId = std::uint32_t;

struct PythonExpression {
    PythonExpressionKind kind = PythonExpressionKind::none;
    std::uint16_t height = 1;  ///< 1 without children, else one more than the highest child's
    std::size_t offset = 0;
    std::string_view text;
    std::uint32_t first = 0, count = 0;
};

/// Reads expressions of the small part of Python that torch.fx prints. Nothing is ever executed.
class PythonExpressions {
  public:
    explicit PythonExpressions(PythonTokens& tokens) : tokens_(tokens) {}

    /// Forgets the expressions read so far.
    void clear();
    /// One expression; a bare `a, b` is a tuple.
    /// @throws InputError with line and column where the text is none, or is nested deeper than `deepest` levels or
    /// a chain, such as `1 + 1 + …`, of more than `longest_chain`.
    PythonExpressionId parse();
    /// One expression, up to a comma, and the comments behind it.
    PythonExpressionId parse_item();

    const PythonExpression& operator[](PythonExpressionId id) const { return expressions_[id]; }
    std::span<const PythonExpressionId> children(PythonExpressionId id) const;
    PythonExpressionId child(PythonExpressionId id, std::size_t index) const { return children(id)[index]; }
    /// `a.b.c` of a name and its attributes, `getattr(a, "b")` included; nothing for any other expression.
    std::optional<std::string> dotted_name(PythonExpressionId id) const;
    /// The text that an expression was read from.
    std::string_view source(PythonExpressionId id) const;

    static constexpr int deepest = 64;
    /// What reads expressions calls itself for each child.
    static constexpr int longest_chain = 1000;

  private:
    PythonExpressionId add(PythonExpressionKind kind, std::size_t offset, std::string_view text,
                           std::span<const PythonExpressionId> children);
    PythonExpressionId parse_binary(int least_precedence);
    PythonExpressionId parse_unary();
    PythonExpressionId parse_postfix();
    PythonExpressionId parse_atom();
    PythonExpressionId parse_string();
    PythonExpressionId parse_call(PythonExpressionId callee);
    PythonExpressionId parse_subscript(PythonExpressionId object);
    PythonExpressionId parse_bracketed(std::string_view close, PythonExpressionKind kind);
    PythonExpressionId parse_braces();
    std::string_view keep(std::string text);

    PythonTokens& tokens_;
    std::vector<PythonExpression> expressions_;
    std::vector<std::size_t> ends_;  ///< where each expression's text ends
    std::vector<PythonExpressionId> children_;
    std::vector<std::unique_ptr<std::string>> kept_;
    std::size_t last_end_ = 0;
    int depth_ = 0;
};

/// What a Python string literal, with quotes and prefix, holds: escapes replaced, surrogates and unknown escapes kept.
std::string unescape_python_string(std::string_view literal);

}  // namespace overlap

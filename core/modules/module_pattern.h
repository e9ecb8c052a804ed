#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace overlap {

/// What the named parts of a pattern matched: name to text.
using PatternParts = std::map<std::string, std::string, std::less<>>;

/// A pattern of names, such as `layers.{n}.{part*}.weight`:
///
///   `{n}`      a whole number, all of its digits
///   `{part*}`  any text of at least one letter, as short as the rest allows
///   `*`        any text, or none
///
/// and all else matches itself. A part that occurs twice must match the same text.
class ModulePattern {
  public:
    /// @throws InputError for a brace that is not closed, or a part that has no name.
    explicit ModulePattern(std::string_view text);

    /// Whether the pattern matches all of `name`; `parts` is then what its parts match, else unchanged.
    bool matches(std::string_view name, PatternParts& parts) const;
    /// Names of the parts, in order of appearance.
    std::vector<std::string> part_names() const;

  private:
    enum class TokenKind { literal, number, some_text, any_text };
    struct Token {
        TokenKind kind;
        std::string text;  ///< of a literal, or the part's name
    };
    std::vector<Token> tokens_;
};

/// A template of module paths, such as `layers.{n}.attention`, with the parts put in.
/// @throws InputError for a part that `parts` does not have, or a brace that is not closed.
std::string fill_template(std::string_view text, const PatternParts& parts);

/// The parts that a template names. @throws InputError for a brace that is not closed.
std::vector<std::string> template_parts(std::string_view text);

}  // namespace overlap

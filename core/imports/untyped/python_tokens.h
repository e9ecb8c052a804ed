#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

/// What a piece of Python text is.
enum class PythonTokenKind : std::uint8_t {
    name,         ///< identifiers and keywords
    integer,      ///< decimal digits
    floating,     ///< with a point or an exponent
    imaginary,    ///< a number followed by `j`
    string,       ///< with its quotes and prefix
    opaque,       ///< `<function f at 0x7f…>`: what Python prints of objects that have no text of their own
    punctuation,  ///< operators and brackets
    comment,      ///< from `#` to the end of the line
    newline,      ///< end of a logical line: none inside brackets
    end,
};

struct PythonToken {
    PythonTokenKind kind = PythonTokenKind::end;
    std::size_t offset = 0;
    std::string_view text;

    bool is(std::string_view punctuation_or_name) const {
        return text == punctuation_or_name && (kind == PythonTokenKind::punctuation || kind == PythonTokenKind::name);
    }
};

/// Cuts the small part of Python that torch.fx prints into tokens. Colour codes of terminals count as white space.
/// The text must outlive it.
class PythonTokens {
  public:
    /// @param text the whole text, which places refer to. @param begin, end the part that is read.
    PythonTokens(std::string_view text, std::size_t begin, std::size_t end);

    /// The token that comes next, without passing it.
    /// @throws InputError with line and column: a string that does not end, a character that starts no token.
    const PythonToken& peek();
    PythonToken take();
    /// Takes the next token if it is this punctuation or name.
    bool take_if(std::string_view punctuation_or_name);
    /// @throws InputError when the next token is another.
    PythonToken expect(std::string_view punctuation_or_name);
    /// @throws InputError when it is another kind. @param what for the message, such as "a name".
    PythonToken expect(PythonTokenKind kind, std::string_view what);
    /// Takes comments before the next token.
    void skip_comments();
    /// Passes the rest of the physical line.
    void skip_line();

    /// Beginning of what has not been taken.
    std::size_t position() const { return has_next_ ? next_.offset : position_; }
    std::string_view text() const { return text_; }
    /// @throws InputError at `offset`.
    [[noreturn]] void fail(std::size_t offset, std::string problem) const;
    /// @throws InputError that says what was expected and what the next token is.
    [[noreturn]] void fail_expected(std::string_view expected);

  private:
    PythonToken scan();
    void skip_space();
    PythonToken scan_number();
    PythonToken scan_string(std::size_t quote);
    PythonToken scan_opaque();
    PythonToken made(PythonTokenKind kind, std::size_t end);
    bool starts_opaque() const;

    std::string_view text_;
    std::size_t position_;
    std::size_t end_;
    int depth_ = 0;              ///< open brackets
    bool value_before_ = false;  ///< the last token ended a value, so `<` compares
    bool has_next_ = false;
    PythonToken next_;
};

}  // namespace overlap

#include "core/imports/untyped/python_expression.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace overlap {
namespace {

std::string place_of_failure(std::string_view text) {
    try {
        PythonTokens tokens(text, 0, text.size());
        PythonExpressions expressions(tokens);
        expressions.parse();
        if (tokens.peek().kind != PythonTokenKind::end) tokens.fail_expected("the end");
    } catch (const InputError& error) {
        return error.place();
    }
    return "none";
}

TEST(PythonExpression, StringsKeepTheirEscapes) {
    EXPECT_EQ(unescape_python_string(R"('a\'b\\n\n\x41\u00e9\N')"), "a'b\\n\nA\xc3\xa9\\N");
    EXPECT_EQ(unescape_python_string(R"(r'\n')"), "\\n");
    EXPECT_EQ(unescape_python_string("'''it's'''"), "it's");
}

TEST(PythonExpression, EscapesOfEachKind) {
    for (const auto& [literal, text] : std::vector<std::pair<std::string, std::string>>{
             {R"('\0')", std::string(1, '\0')},
             {R"('\u20ac')", "\xe2\x82\xac"},
             {R"('\U0001F600')", "\xf0\x9f\x98\x80"},
             {R"('\U00010000')", "\xf0\x90\x80\x80"},
             {R"('\uffff')", "\xef\xbf\xbf"},
             {R"('\uD800')", R"(\uD800)"},          // a half of a pair is no character
             {R"('\U00110000')", R"(\U00110000)"},  // beyond the last one
             {R"('\xAf')", "\xc2\xaf"},
             {R"('\x4')", R"(\x4)"},
             {R"('\x4g')", R"(\x4g)"},
             {R"('\x/0')", R"(\x/0)"},
             {"'a\\\nb'", "ab"},  // a line that goes on
             {"''", ""},
             {"\"\"\"a\"b\"\"\"", "a\"b"}}) {
        EXPECT_EQ(unescape_python_string(literal), text) << literal;
    }
}

/// Kind and children of an expression: `subscript(name, slice(none, integer, none))`.
std::string form(const PythonExpressions& expressions, PythonExpressionId id) {
    constexpr std::array<std::string_view, 18> names = {
        "name",      "integer", "floating", "imaginary", "string", "opaque",     "attribute", "call",  "keyword",
        "subscript", "slice",   "none",     "list",      "tuple",  "dictionary", "set",       "unary", "binary"};
    std::string text(names[static_cast<std::size_t>(expressions[id].kind)]);
    if (expressions[id].count == 0) return text;
    text += '(';
    for (const PythonExpressionId child : expressions.children(id)) {
        if (!text.ends_with('(')) text += ", ";
        text += form(expressions, child);
    }
    return text + ')';
}

std::string form_of(std::string_view text) {
    PythonTokens tokens(text, 0, text.size());
    PythonExpressions expressions(tokens);
    const PythonExpressionId id = expressions.parse();
    EXPECT_EQ(tokens.peek().kind, PythonTokenKind::end) << text;
    return form(expressions, id);
}

TEST(PythonExpression, Forms) {
    for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
             {"a[:]", "subscript(name, slice(none, none, none))"},
             {"a[::]", "subscript(name, slice(none, none, none))"},
             {"a[::2]", "subscript(name, slice(none, none, integer))"},
             {"a[1::2]", "subscript(name, slice(integer, none, integer))"},
             {"a[1:2:3]", "subscript(name, slice(integer, integer, integer))"},
             {"a[:, 1]", "subscript(name, tuple(slice(none, none, none), integer))"},
             {"a[1,]", "subscript(name, tuple(integer))"},
             {"a[1, 2,]", "subscript(name, tuple(integer, integer))"},
             {"a[...]", "subscript(name, name)"},
             {"(a)", "name"},
             {"(a,)", "tuple(name)"},
             {"()", "tuple"},
             {"a, b,", "tuple(name, name)"},
             {"{}", "dictionary"},
             {"{a: 1}", "dictionary(name, integer)"},
             {"{a, b}", "set(name, name)"},
             {"'a' 'b'", "string"},
             {"3j", "imaginary"},
             {"1 + 2.5j", "binary(integer, imaginary)"},
             {"1e5", "floating"},
             {"1E+5", "floating"},
             {"1e-5", "floating"},
             {"<object at 0x1>", "opaque"},
             {"f(<a <b>>, 1)", "call(name, opaque, integer)"},
             {"a < b", "binary(name, name)"},
             {"f(a == b)", "call(name, binary(name, name))"},
             {"+a", "unary(name)"},
             {"rb'x'", "string"},
             {"B\"x\"", "string"},
             {"fx", "name"},
             {"\xc3\xa4", "name"},
             {"(a,\r\n\tb)", "tuple(name, name)"},
             {"a + \\\nb", "binary(name, name)"},
             {"\x1b[31ma\x1b[0m", "name"},
             {"(a,  # first\n b)", "tuple(name, name)"},
             {"(a  # first\n , b  # second\n)", "tuple(name, name)"},
             {"f(a  # first\n , b = 1  # second\n)", "call(name, name, keyword(integer))"},
             {"{a  # first\n : 1  # second\n}", "dictionary(name, integer)"},
             {"'a\\'b'", "string"}}) {
        EXPECT_EQ(form_of(text), expected) << text;
    }
}

TEST(PythonExpression, DottedNamesLookThroughGetattr) {
    const std::string_view text = R"(getattr(self.layers, "0").weight)";
    PythonTokens tokens(text, 0, text.size());
    PythonExpressions expressions(tokens);
    EXPECT_EQ(expressions.dotted_name(expressions.parse()), "self.layers.0.weight");
}

TEST(PythonExpression, MistakesHaveLineAndColumn) {
    EXPECT_EQ(place_of_failure("f(a,\n  b c)"), "line 2, column 5");
    EXPECT_EQ(place_of_failure("'no end"), "line 1, column 1");
    EXPECT_EQ(place_of_failure("f(a = 1, b)"), "line 1, column 10");
    EXPECT_EQ(place_of_failure("[1, 2"), "line 1, column 6");
    EXPECT_EQ(place_of_failure("a ? b"), "line 1, column 3");
}

TEST(PythonExpression, DeepNestingIsRefused) {
    EXPECT_EQ(place_of_failure(std::string(100000, '[')), "line 1, column 65");
    EXPECT_EQ(place_of_failure(std::string(100000, '-') + "1"), "line 1, column 65");
    EXPECT_EQ(place_of_failure("a" + std::string(1000, '[') + std::string(1000, ']')), "line 1, column 66");
}

TEST(PythonExpression, ALongChainIsRefused) {
    const auto repeated = [](std::string_view piece, int times) {
        std::string text;
        for (int count = 0; count < times; ++count) text += piece;
        return text;
    };
    EXPECT_EQ(place_of_failure(repeated("1+", 999) + "1"), "none");
    for (const std::string_view piece : {"+1", "*1", ".a", "[0]", "()"}) {
        EXPECT_EQ(place_of_failure("[a" + repeated(piece, 30000) + "]"), "line 1, column 2") << piece;
    }
}

}  // namespace
}  // namespace overlap

#include "core/imports/untyped/python_expression.h"

#include <gtest/gtest.h>

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

#include "core/exports/python_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/files/ordered_json.h"

namespace overlap {
namespace {

TEST(PythonString, IsOneLineOfAscii) {
    EXPECT_EQ(python_string("layers.0"), R"("layers.0")");
    EXPECT_EQ(python_string("a\"b'c"), R"("a\"b'c")");
    EXPECT_EQ(python_string("back\\slash\\"), R"("back\\slash\\")");
    EXPECT_EQ(python_string("line\nbreak\r\ttab"), R"("line\nbreak\r\ttab")");
    EXPECT_EQ(python_string(std::string_view("\0\x1b\x7f", 3)), R"("\x00\x1b\x7f")");
    EXPECT_EQ(python_string("caf\u00e9"), R"("caf\xe9")");
    EXPECT_EQ(python_string("\u202eevil\u2028"), R"("\u202eevil\u2028")");
    EXPECT_EQ(python_string("\U0001f600"), R"("\U0001f600")");
    EXPECT_EQ(python_string("{}%s\"\"\""), R"("{}%s\"\"\"")");
}

TEST(PythonString, BytesThatAreNoTextAreReplacedOneByOne) {
    EXPECT_EQ(python_string("a\xff"), R"("a\ufffd")");
    EXPECT_EQ(python_string("\xe2\x82"), R"("\ufffd\ufffd")");            // cut short
    EXPECT_EQ(python_string("\xc0\x80"), R"("\ufffd\ufffd")");            // too long for its value
    EXPECT_EQ(python_string("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // half of a surrogate pair
}

TEST(PythonValue, HasPythonsWords) {
    const Json value = {{"none", nullptr}, {"true", true}, {"list", {1, 2.0, -0.5, "a"}}};
    EXPECT_EQ(python_value(value), R"({"none": None, "true": True, "list": [1, 2.0, -0.5, "a"]})");
    EXPECT_EQ(python_value(Json(1e30)), "1e+30");
    EXPECT_EQ(python_value(Json::array()), "[]");
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(python_value(Json(infinity)), "float(\"inf\")");
    EXPECT_EQ(python_value(Json(-infinity)), "float(\"-inf\")");
    EXPECT_EQ(python_value(Json(std::nan(""))), "float(\"nan\")");
}

TEST(PythonValue, BreaksWhatIsWiderThanALine) {
    const std::string name(60, 'x');
    EXPECT_EQ(python_value(Json{name, name}), "[\n    \"" + name + "\",\n    \"" + name + "\",\n]");
}

}  // namespace
}  // namespace overlap

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/plan/option_json.h"
#include "core/plan/plan.h"

namespace overlap {
namespace {

using Lists = std::vector<std::vector<std::string>>;

Lists parsed(std::string_view text) {
    Lists lists;
    for (const BucketEntry& entry : parse_bucket_entries(text)) lists.push_back(entry.modules);
    return lists;
}

TEST(BucketText, Expands) {
    const std::vector<std::pair<std::string, Lists>> cases = {
        {"", {}},
        {" \n\n ", {}},
        {"layers.0", {{"layers.0"}}},
        {"  layers.0 ", {{"layers.0"}}},
        {"layers.[0-2]", {{"layers.0"}, {"layers.1"}, {"layers.2"}}},
        {"layers.[00-02]", {{"layers.0"}, {"layers.1"}, {"layers.2"}}},
        {"layers.[3-3]", {{"layers.3"}}},
        {"layers[0-1]", {{"layers0"}, {"layers1"}}},
        {"layers[0].attention", {{"layers[0].attention"}}},
        {"norm+output", {{"norm", "output"}}},
        {" norm + output ", {{"norm", "output"}}},
        {"layers.[0-1]+norm", {{"layers.0", "layers.1", "norm"}}},
        {"layers.[0-1].experts.[0-1]",
         {{"layers.0.experts.0"}, {"layers.0.experts.1"}, {"layers.1.experts.0"}, {"layers.1.experts.1"}}},
        {"tok_embeddings\nlayers.[0-1]\nnorm+lm_head\n",
         {{"tok_embeddings"}, {"layers.0"}, {"layers.1"}, {"norm", "lm_head"}}},
        {"a\r\nb\r\n", {{"a"}, {"b"}}},
        {"a, b,c,", {{"a"}, {"b"}, {"c"}}},
        {"'a', \"b\"", {{"a"}, {"b"}}},
        {R"(["tok_embeddings", ["norm", "lm_head"]])", {{"tok_embeddings"}, {"norm", "lm_head"}}},
        {"['tok_embeddings', 'layers.[0-1]', 'norm+output',]",
         {{"tok_embeddings"}, {"layers.0"}, {"layers.1"}, {"norm", "output"}}},
        {"[\n  ('norm', 'lm_head'),\n  'layers.0'\n]\n", {{"norm", "lm_head"}, {"layers.0"}}},
        {"[['layers.[0-1]', 'norm']]", {{"layers.0", "layers.1", "norm"}}},
        {"[[]]", {{}}},
        {"'my layer', \"a+b\" + 'c,d'", {{"my layer"}, {"a+b", "c,d"}}},
        {"'layers.[0-1]'", {{"layers.[0-1]"}}},
        {R"("a\"b\\c")", {{"a\"b\\c"}}},
        {"it's, that's", {{"it's"}, {"that's"}}},
        {R"(["'my layer'+norm", ["'a+b'"]])", {{"my layer", "norm"}, {"a+b"}}},
        {"[]", {}},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(parsed(text), expected) << text;
}

TEST(BucketText, RemembersThatOneModuleWasAList) {
    const std::vector<BucketEntry> entries = parse_bucket_entries("['a', ['b']]");
    EXPECT_FALSE(entries[0].written_as_list);
    EXPECT_TRUE(entries[1].written_as_list);
    EXPECT_EQ(option_json(module_lists(entries)).dump(), R"(["a",["b"]])");
}

TEST(BucketText, SaysWhatIsWrongAndWhere) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"layers.[2-0]", "line 1, column 8: the range [2-0] runs backwards; write [0-2]"},
        {"a+", "line 1, column 2: \"a+\" names no module after a \"+\""},
        {"+a", "line 1, column 1: \"+a\" names no module before a \"+\""},
        {"a++b", "line 1, column 3: \"a++b\" names no module before a \"+\""},
        {"norm\nlayers.[0-2", "line 2, column 8: \"layers.[0-2\" opens a bracket that it does not close"},
        {"layers.0-2]", "line 1, column 11: \"layers.0-2]\" closes a bracket that it does not open"},
        {"layers.[0-x]", "line 1, column 8: found \"[0-x]\", expected a range of whole numbers such as [0-3]"},
        {"layers.[]", "line 1, column 8: found \"[]\", expected a range of whole numbers such as [0-3]"},
        {"layers.[0-]", "line 1, column 8: found \"[0-]\", expected a range of whole numbers such as [0-3]"},
        {"layers.[0-999999999]", "line 1, column 8: the range [0-999999999] stands for more than 100000 modules"},
        {"a.[0-999].b.[0-999]", "line 1, column 13: the range [0-999] stands for more than 100000 modules"},
        {std::string(10'000, 'a') + "[0-999]",
         "line 1, column 10001: the names that the text stands for have more than 8 MiB together"},
        {"layers 0",
         "line 1, column 7: \"layers 0\" has a space inside; separate modules by + or , or put the name in quotes"},
        {"a,,b", "line 1, column 3: found \",\", expected a module path before it"},
        {"ä\nö, ü 0",
         "line 2, column 5: \"ü 0\" has a space inside; separate modules by + or , or put the name in quotes"},
        {"[1]", "line 1, column 2: found \"1\", expected a module path in quotes or a list of them"},
        {"[None]", "line 1, column 2: found \"None\", expected a module path in quotes or a list of them"},
        {"['a' 'b']", "line 1, column 6: found \"'\", expected \",\" or \"]\""},
        {"['a', 'b'", "line 1, column 1: the list that opens with \"[\" is not closed"},
        {"['a", "line 1, column 2: the string that opens here is not closed"},
        {"['']", "line 1, column 2: found an empty name, expected a module path"},
        {"[['a', ['b']]]", "line 1, column 8: found a list inside an entry's list, expected a module path"},
        {"['a'] b", "line 1, column 7: found text after the end of the list"},
        {"'a", "line 1, column 1: the quote that opens here is not closed"},
        {"''", "line 1, column 1: found an empty name, expected a module path"},
        {"'a' b", "line 1, column 4: found text after a name in quotes; separate modules by + or ,"},
        {"['a\\n']", "line 1, column 4: found a backslash, which no module path has"},
    };
    for (const auto& [text, expected] : cases) {
        try {
            parse_bucket_entries(text);
            ADD_FAILURE() << text << " was read";
        } catch (const InputError& error) {
            EXPECT_EQ(error.what(), expected) << text;
        }
    }
}

TEST(BucketText, ShowsNamesAsTyped) {
    EXPECT_EQ(display_name({{"norm", "lm_head"}}), "norm + lm_head");
    EXPECT_EQ(display_name({{"layers.1", "layers.2", "layers.3", "layers.4", "norm"}}), "layers.[1-4] + norm");
    EXPECT_EQ(display_name({{"a+b", "layers.2", "layers.3", "layers.4", "layers.5"}}), "\"a+b\" + layers.[2-5]");
    EXPECT_EQ(display_name({{"layers[0]", "a+b"}}), "layers[0] + \"a+b\"");
    for (const std::vector<std::string>& modules : Lists{{"norm", "lm_head"},
                                                         {"my layer", "a+b"},
                                                         {"a,b\"'\\"},
                                                         {"'"},
                                                         {"layers.[0-1]"},
                                                         {"[a"},
                                                         {"(b", "c]"},
                                                         {"steps[11111222222]"}})
        EXPECT_EQ(parsed(display_name({modules})), (Lists{modules})) << modules.front();
}

TEST(BucketText, AnIndexHasNineDigitsAtMost) {
    EXPECT_EQ(typed_name("layers[123456789]"), "layers[123456789]");
    EXPECT_EQ(typed_name("layers[1234567890]"), "\"layers[1234567890]\"");
    const auto refusal = [](std::string_view text) -> std::string {
        try {
            parse_bucket_entries(text);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_NE(refusal("layers.[0-1234567890]").find("expected a range of whole numbers"), std::string::npos);
    EXPECT_NE(refusal("layers.[0-123456789]").find("stands for more than"), std::string::npos);
}

TEST(BucketText, ModulesOfAllEntriesCount) {
    const auto read = [](std::string_view text, std::size_t before) {
        ExpansionBounds bounds;
        bounds.most_modules = 4;
        bounds.modules = before;
        const std::size_t entries = parse_bucket_entries(text, bounds).size();
        EXPECT_EQ(bounds.modules, before + entries) << text;
        return entries;
    };
    EXPECT_EQ(read("a.[0-2], b", 0), 4u);
    EXPECT_EQ(read("a.[0-1]", 2), 2u);
    EXPECT_THROW(read("a.[0-1]", 3), InputError);
    EXPECT_THROW(read("a.[0-2], b.[0-1]", 0), InputError);
    EXPECT_THROW(read("a, b, c, d, e", 0), InputError);
}

TEST(BucketText, NamesHaveEightMebibytesTogether) {
    const auto read = [](std::string_view text, std::size_t left) {
        ExpansionBounds bounds;
        bounds.letters = (std::size_t{8} << 20) - left;
        return parse_bucket_entries(text, bounds).size();
    };
    EXPECT_EQ(read("abc", 3), 1u);
    try {
        read("abcd", 3);
        ADD_FAILURE() << "it was read";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "line 1, column 4: the names that the text stands for have more than 8 MiB together");
    }
}

TEST(BucketText, ARangeIsRefusedForWhatIsBeforeIt) {
    ExpansionBounds bounds;
    bounds.most_modules = 4;
    bounds.modules = 3;
    try {
        parse_bucket_entries("a.[0-1]", bounds);
        ADD_FAILURE() << "it was read";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "line 1, column 3: the range [0-1] stands for more than 4 modules, with those before it");
    }
}

}  // namespace
}  // namespace overlap

#include "core/graph/string_pool.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/text_mentions.h"

namespace overlap {
namespace {

TEST(StringPool, EqualStringsHaveOneNumber) {
    StringPool pool;
    EXPECT_EQ(pool.intern(""), empty_string);
    const StringId mm = pool.intern("mm");
    EXPECT_EQ(pool.intern(std::string("m") + "m"), mm);
    EXPECT_NE(pool.intern("mm_1"), mm);
    EXPECT_EQ(pool.text(mm), "mm");
    EXPECT_EQ(pool.find("mm"), mm);
    EXPECT_EQ(pool.find("absent"), no_string);
    EXPECT_EQ(pool.size(), 3u);
}

TEST(StringPool, TextNeverMoves) {
    StringPool pool;
    const std::string_view first = pool.text(pool.intern("first"));
    for (int number = 0; number < 100000; ++number) pool.intern("name_" + std::to_string(number));
    const std::string large(1 << 20, 'x');
    EXPECT_EQ(pool.text(pool.intern(large)), large);
    EXPECT_EQ(first, "first");
    EXPECT_EQ(pool.text(pool.find("first")).data(), first.data());
    EXPECT_EQ(pool.text(pool.find("name_99999")), "name_99999");
}

TEST(StringPool, KeepsNullCharacters) {
    StringPool pool;
    const std::string text("a\0b", 3);
    EXPECT_EQ(pool.text(pool.intern(text)), text);
    EXPECT_NE(pool.intern("a"), pool.intern(text));
}

TEST(StringPool, StackedPoolsShareNumbers) {
    const auto below = std::make_shared<StringPool>();
    const StringId shared = below->intern("shared");
    StringPool above{std::shared_ptr<const StringPool>(below)};
    EXPECT_TRUE(above.adds_nothing());
    EXPECT_EQ(above.intern("shared"), shared);
    EXPECT_EQ(above.find("shared"), shared);
    EXPECT_TRUE(above.adds_nothing());
    const StringId own = above.intern("own");
    EXPECT_FALSE(above.adds_nothing());
    EXPECT_GT(own, shared);
    EXPECT_EQ(above.text(own), "own");
    EXPECT_EQ(above.text(shared), "shared");
    EXPECT_EQ(above.text(empty_string), "");
    EXPECT_EQ(below->find("own"), no_string);
    EXPECT_EQ(above.size(), below->size() + 1);
}

TEST(StringPool, PoolsOfManyPassesKnowAllStrings) {
    std::shared_ptr<const StringPool> pool;
    std::vector<std::string> texts;
    std::string_view kept;
    // Few strings are taken over by the pool above, many are not.
    for (const int count : {3000, 10, 1, 5000, 2, 900, 200, 1}) {
        const auto above = pool ? std::make_shared<StringPool>(pool) : std::make_shared<StringPool>();
        for (int number = 0; number < count; ++number) {
            texts.push_back("name_" + std::to_string(texts.size()));
            EXPECT_EQ(above->intern(texts.back()), texts.size());
        }
        if (kept.empty()) kept = above->text(above->find("name_2999"));
        // One that adds nothing stands between.
        pool = std::make_shared<const StringPool>(above);
    }
    EXPECT_EQ(pool->size(), texts.size() + 1);
    for (StringId id = 1; id <= texts.size(); ++id) {
        ASSERT_EQ(pool->text(id), texts[id - 1]);
        ASSERT_EQ(pool->find(texts[id - 1]), id);
    }
    EXPECT_EQ(pool->find("name_9114"), no_string);
    EXPECT_EQ(pool->text(3000).data(), kept.data());
}

TEST(StringPool, WhatAPoolTakesOverStaysWithTheOneBelow) {
    const auto base = std::make_shared<StringPool>();
    base->intern("base");
    const auto first = std::make_shared<StringPool>(base);
    const StringId one = first->intern("one");
    const auto left = std::make_shared<StringPool>(first), right = std::make_shared<StringPool>(first);
    EXPECT_EQ(left->intern("two"), right->intern("three"));
    EXPECT_EQ(left->find("one"), one);
    EXPECT_EQ(right->find("one"), one);
    EXPECT_EQ(first->find("two"), no_string);
    EXPECT_EQ(left->find("three"), no_string);
}

TEST(StringPool, ComposedTextIsMadeOfItsPieces) {
    StringPool pool;
    const TextPieces pieces = {pool.intern("{\"shape\":1,"), pool.intern("\"name\":\""), pool.intern("mm"),
                               pool.intern("\"}")};
    const StringId composed = pool.compose(pieces);
    EXPECT_EQ(pool.text(composed), R"({"shape":1,"name":"mm"})");
    ASSERT_TRUE(pool.pieces(composed));
    EXPECT_EQ(*pool.pieces(composed), pieces);
    EXPECT_FALSE(pool.pieces(pieces[2]));
    // It is read by its number, and never found by its text.
    EXPECT_EQ(pool.find(R"({"shape":1,"name":"mm"})"), no_string);
    TextPieces others = pieces;
    others[2] = pool.intern("mm_1");
    EXPECT_NE(pool.compose(others), composed);
    EXPECT_EQ(pool.text(pool.compose(others)), R"({"shape":1,"name":"mm_1"})");
}

TEST(StringPool, ComposedTextsAreKnownInPoolsAbove) {
    const auto base = std::make_shared<StringPool>();
    const StringId piece = base->intern("a");
    const auto below = std::make_shared<StringPool>(std::shared_ptr<const StringPool>(base));
    const StringId composed = below->compose({piece, below->intern("b"), piece, empty_string});
    auto above = std::make_unique<StringPool>(std::shared_ptr<const StringPool>(below));
    EXPECT_EQ(above->text(composed), "aba");
    EXPECT_TRUE(above->adds_nothing());
    // Its first own string makes it take over the few of the pool below.
    above->intern("c");
    EXPECT_EQ(above->text(composed), "aba");
    EXPECT_EQ(below->text(composed).data(), above->text(composed).data());
    // Nobody looks for what is composed: the same pieces make another string with the same text.
    const StringId again = above->compose({piece, above->find("b"), piece, empty_string});
    EXPECT_NE(again, composed);
    EXPECT_EQ(above->text(again), "aba");
    EXPECT_EQ(above->find("c"), again - 1);
}

TEST(StringPool, ThreadsReadOneComposedText) {
    StringPool pool;
    const StringId first = pool.intern(std::string(1000, 'x'));
    std::vector<StringId> composed;
    for (int number = 0; number < 200; ++number)
        composed.push_back(pool.compose({first, pool.intern(std::to_string(number)), empty_string, empty_string}));
    const auto read = [&] {
        std::vector<const char*> texts;
        for (const StringId text : composed) texts.push_back(pool.text(text).data());
        return texts;
    };
    auto other = std::async(std::launch::async, read);
    EXPECT_EQ(read(), other.get());
    EXPECT_EQ(pool.text(composed.back()).substr(998), "xx199");
}

TEST(TextMentions, FindsWordsInTextsAndPieces) {
    const auto pool = std::make_shared<StringPool>();
    const StringId plain = pool->intern("chunk");
    const StringId composed = pool->compose({pool->intern("left "), pool->intern("right"), empty_string, empty_string});
    pool->intern("of no node");
    const TextMentions mentions(SharedArray(std::vector{empty_string, plain, plain, composed}), pool);
    for (int question = 0; question < 2; ++question) {
        EXPECT_TRUE(mentions.has("hun"));
        EXPECT_TRUE(mentions.has("right"));
        EXPECT_FALSE(mentions.has("of no node"));
        EXPECT_FALSE(mentions.has("left right"));
    }
}

}  // namespace
}  // namespace overlap

// Sets that are made of others, and what they share.

#include "core/passes/scheduling/shared_sets.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace overlap::scheduling {
namespace {

using Set = SharedSets::Set;

Set made_of(SharedSets& sets, const std::vector<Set>& parts, const std::vector<std::size_t>& members = {}) {
    sets.begin();
    for (const Set part : parts) sets.unite(part);
    for (const std::size_t member : members) sets.add(member);
    return sets.end();
}

std::set<std::size_t> members_of(const SharedSets& sets, Set set) {
    std::set<std::size_t> members;
    const std::span<const std::uint64_t> words = sets.words(set);
    for (std::size_t member = 0; member < 64 * words.size(); ++member) {
        if (words[member / 64] >> member % 64 & 1) members.insert(member);
    }
    return members;
}

TEST(SharedSetsTest, WhatEqualsAPartIsThatPart) {
    SharedSets sets(300);
    const Set small = made_of(sets, {}, {7, 130});
    const Set large = made_of(sets, {small}, {299});
    EXPECT_NE(large, small);
    EXPECT_EQ(made_of(sets, {SharedSets::empty, small}), small);
    EXPECT_EQ(made_of(sets, {small, large}), large);
    EXPECT_EQ(made_of(sets, {large, small}, {7}), large);
    EXPECT_EQ(made_of(sets, {}), SharedSets::empty);
}

TEST(SharedSetsTest, APartThatHasAllMembersReplacesWhatWasMadeForThem) {
    SharedSets sets(300);
    const Set one = made_of(sets, {}, {1}), two = made_of(sets, {}, {200});
    const Set all = made_of(sets, {one, two}, {100});
    EXPECT_EQ(made_of(sets, {one, two, all}), all);
    const Set next = made_of(sets, {one, two});
    EXPECT_EQ(next, all + 1);  // what was made on the way is gone
    EXPECT_EQ(members_of(sets, next), (std::set<std::size_t>{1, 200}));
    EXPECT_EQ(members_of(sets, all), (std::set<std::size_t>{1, 100, 200}));
}

TEST(SharedSetsTest, NoMembersAtAll) {
    SharedSets sets(0);
    EXPECT_EQ(made_of(sets, {SharedSets::empty, SharedSets::empty}), SharedSets::empty);
    EXPECT_TRUE(sets.words(SharedSets::empty).empty());
}

TEST(SharedSetsTest, EqualsSetsOfTheStandardLibrary) {
    std::mt19937 random(5);
    SharedSets sets(500);
    std::vector<Set> made = {SharedSets::empty};
    std::vector<std::set<std::size_t>> expected = {{}};
    for (int round = 0; round < 400; ++round) {
        std::vector<Set> parts;
        std::vector<std::size_t> added;
        std::set<std::size_t> wanted;
        for (std::size_t count = random() % 4; count > 0; --count) {
            const std::size_t part = random() % made.size();
            parts.push_back(made[part]);
            wanted.insert(expected[part].begin(), expected[part].end());
        }
        for (std::size_t count = random() % 2; count > 0; --count) added.push_back(random() % 500);
        wanted.insert(added.begin(), added.end());
        made.push_back(made_of(sets, parts, added));
        expected.push_back(wanted);
    }
    for (std::size_t index = 0; index < made.size(); ++index) EXPECT_EQ(members_of(sets, made[index]), expected[index]);
}

}  // namespace
}  // namespace overlap::scheduling

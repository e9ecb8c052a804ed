// Which plans are tried where what is fast takes too much memory, and for the front of step against peak.

#include "core/search/fast_within_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/shared_links.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/memory_edits.h"
#include "core/search/moves.h"
#include "core/search/plan_search.h"
#include "core/search/portfolio.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {
namespace {

using Texts = std::vector<std::string>;

/// What was tried of a graph that begins before the memory passes, and what follows from it.
class FastWithinLimitTest : public testing::Test {
  protected:
    FastWithinLimit tried(const std::vector<Proposal>& proposals, std::optional<std::int64_t> limit = {}) {
        rounds_.emplace(evaluator_, nothing_locked_,
                        SearchRounds::Limits{.effort = 1000, .threads = 1, .memory = limit});
        for (const Candidate& candidate : rounds_->evaluate(proposals))
            EXPECT_TRUE(candidate.usable()) << candidate.origin << ": " << candidate.refusal;
        return {graph_, *rounds_, settings_};
    }

    /// The plan with each of these settings.
    std::vector<Proposal> with(const Plan& plan, const Texts& titles) const {
        std::vector<Proposal> proposals;
        for (const std::string& title : titles)
            proposals.push_back({edits::with_memory(plan, section(title)), "memory: " + title});
        return proposals;
    }

    const MemorySection& section(const std::string& title) const {
        return std::ranges::find(settings_, title, &MemoryChoice::title)->section;
    }

    const Candidate& candidate(const std::string& origin) const {
        return *std::ranges::find(rounds_->usable(), origin, &Candidate::origin);
    }

    /// In each choice of process groups the plan with each setting, in their order.
    void expect_each(const std::vector<Proposal>& proposals, const Plan& plan, const Texts& titles) const {
        ASSERT_EQ(proposals.size(), 2 * titles.size());
        for (std::size_t index = 0; index < proposals.size(); ++index) {
            const std::string& title = titles[index % titles.size()];
            const bool other_groups = index >= titles.size();
            EXPECT_EQ(proposals[index].origin,
                      "memory: " + title + (other_groups ? ", reassign_collective_pgs_pass" : ""));
            EXPECT_EQ(proposals[index].plan.memory, section(title));
            EXPECT_EQ(proposals[index].plan == edits::with_memory(plan, section(title)), !other_groups);
        }
    }

    std::shared_ptr<const Graph> graph_ =
        with_shared_links(test_graph("llama3_debugmodel_fsdp8"), LinkSharing::by_host);
    CandidateEvaluator evaluator_{graph_, step_work(graph_)};
    LockedParts nothing_locked_;
    std::vector<MemoryChoice> settings_ = memory_settings(*graph_);
    Plan preset_ = preset_proposals(*graph_).front().plan;
    std::vector<Proposal> grid_ = grid_proposals(*graph_);
    std::optional<SearchRounds> rounds_;
};

Texts origins(const std::vector<Proposal>& proposals) {
    Texts texts;
    for (const Proposal& proposal : proposals) texts.push_back(proposal.origin);
    return texts;
}

TEST_F(FastWithinLimitTest, FastPlansTakeLessMemoryOneAfterAnother) {
    std::vector<Proposal> proposals{grid_[0], grid_[2], grid_[3], {preset_, "preset"}};
    proposals.push_back(with(grid_[0].plan, {"eager"}).front());
    const FastWithinLimit fast = tried(proposals);
    const std::vector<Plan> automatic = fast.fast_plans(true);
    // The first one is slower than both and takes more, and what has a memory section is tried with no other.
    ASSERT_LT(candidate(grid_[3].origin).step_ms, candidate(grid_[2].origin).step_ms);
    ASSERT_LT(candidate(grid_[2].origin).step_ms, candidate(grid_[0].origin).step_ms);
    ASSERT_LT(candidate(grid_[2].origin).corrected_peak_bytes, candidate(grid_[3].origin).corrected_peak_bytes);
    ASSERT_LT(candidate(grid_[3].origin).corrected_peak_bytes, candidate(grid_[0].origin).corrected_peak_bytes);
    EXPECT_EQ(automatic, (std::vector<Plan>{grid_[3].plan, grid_[2].plan}));
    EXPECT_EQ(fast.fast_plans(false), std::vector<Plan>{preset_});
}

TEST_F(FastWithinLimitTest, EverySettingIsTriedInEachChoiceOfGroups) {
    Texts titles;
    for (const MemoryChoice& setting : settings_) titles.push_back(setting.title);
    ASSERT_GT(titles.size(), 8u);
    expect_each(tried({{preset_, "preset"}}).with_every_setting(preset_), preset_, titles);
}

/// Two of each: three settings stay within the limit here, and three are beyond it and faster.
TEST_F(FastWithinLimitTest, SettingsAreTakenThatAreBestWithinTheLimitAndLeastBeyondIt) {
    const Plan& plan = grid_[7].plan;
    const Texts within{"eager", "full, gathers kept", "full"},
        beyond{"default, gathers kept", "default, gathers kept in last 4", "default"};
    std::vector<Proposal> proposals = with(plan, {"full", "full, gathers kept", "eager"});
    std::ranges::move(with(plan, {"default", "default, gathers kept in last 4", "default, gathers kept"}),
                      std::back_inserter(proposals));
    std::ranges::move(with(plan, {"sac_and_offload"}), std::back_inserter(proposals));
    const std::int64_t limit = 700'000'000;
    const FastWithinLimit fast = tried(proposals, limit);
    for (std::size_t place = 0; place < 3; ++place) {
        const Candidate &fits = candidate("memory: " + within[place]), &other = candidate("memory: " + beyond[place]);
        ASSERT_LE(fits.corrected_peak_bytes, limit);
        ASSERT_GT(other.corrected_peak_bytes, limit);
        ASSERT_LT(other.step_ms, candidate("memory: " + within[0]).step_ms);
        if (place == 0) continue;
        ASSERT_GT(fits.step_ms, candidate("memory: " + within[place - 1]).step_ms);
        ASSERT_GT(other.corrected_peak_bytes, candidate("memory: " + beyond[place - 1]).corrected_peak_bytes);
    }
    // Beyond the limit and slower helps nobody.
    ASSERT_GT(candidate("memory: sac_and_offload").step_ms, candidate("memory: " + within[0]).step_ms);
    const Texts expected{within[0], within[1], beyond[0], beyond[1]};
    expect_each(fast.with_best_settings({preset_}), preset_, expected);
    EXPECT_EQ(fast.with_best_settings({preset_, plan}).size(), 4 * expected.size());
}

TEST_F(FastWithinLimitTest, LessIsTriedInFlightInWhatIsFasterAndBeyondTheLimit) {
    const Plan &fast = grid_[2].plan, &faster = grid_[7].plan;
    std::vector<Proposal> proposals{grid_[2], grid_[7], {preset_, "preset"}};
    std::ranges::move(with(faster, {"eager", "sac_and_offload"}), std::back_inserter(proposals));
    const std::int64_t limit = 700'000'000;
    const FastWithinLimit within = tried(proposals, limit);
    ASSERT_EQ(rounds_->best()->origin, "memory: eager");
    // Least beyond the limit, and slower.
    const Candidate& slow = candidate("memory: sac_and_offload");
    ASSERT_GT(slow.corrected_peak_bytes, limit);
    ASSERT_LT(slow.corrected_peak_bytes, candidate(grid_[2].origin).corrected_peak_bytes);
    ASSERT_GT(slow.step_ms, rounds_->best()->step_ms);
    std::vector<Proposal> expected = in_flight_moves(fast);
    std::ranges::move(in_flight_moves(faster), std::back_inserter(expected));
    const std::vector<Proposal> found = within.with_less_in_flight();
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(origins(found), origins(expected));
    for (std::size_t index = 0; index < found.size(); ++index) EXPECT_EQ(found[index].plan, expected[index].plan);
    // Of more than two, those that are the least beyond it.
    const FastWithinLimit none_within = tried({grid_[0], grid_[7], grid_[2]}, limit);
    ASSERT_GT(candidate(grid_[0].origin).corrected_peak_bytes, candidate(grid_[7].origin).corrected_peak_bytes);
    EXPECT_EQ(origins(none_within.with_less_in_flight()), origins(expected));
}

/// Each with less memory than all that are faster.
TEST_F(FastWithinLimitTest, SettingsThatAreHardlySlowerAreTriedInSlowerPlans) {
    const Texts titles{"default, gathers kept", "default", "eager", "full"};
    const FastWithinLimit fast = tried(with(grid_[7].plan, titles));
    const Candidate &first = candidate("memory: default, gathers kept"), &more = candidate("memory: default"),
                    &less = candidate("memory: eager"), &slow = candidate("memory: full");
    ASSERT_LT(first.step_ms, more.step_ms);
    ASSERT_LT(more.step_ms, less.step_ms);
    ASSERT_LT(less.step_ms, 1.05 * first.step_ms);
    ASSERT_GT(slow.step_ms, 1.05 * first.step_ms);
    ASSERT_GT(more.corrected_peak_bytes, first.corrected_peak_bytes);
    ASSERT_LT(less.corrected_peak_bytes, first.corrected_peak_bytes);
    // With the first plan every setting has been tried.
    EXPECT_TRUE(fast.with_lean_settings({preset_}).empty());
    expect_each(fast.with_lean_settings({grid_[0].plan, preset_}), preset_, {"default, gathers kept", "eager"});
    const std::vector<Plan> many(6, preset_);
    EXPECT_EQ(fast.with_lean_settings(many).size(), 3 * 2 * 2u);
}

TEST_F(FastWithinLimitTest, TheFastestIsTriedWithSectionsThatBroughtOthersWithinTheLimit) {
    MemorySection other = section("full");
    other.rules = {{MemoryAction::keep, {"layers.2"}, {}}};
    std::vector<Proposal> proposals = with(preset_, {"full", "eager", "default, all but gathers saved"});
    proposals.push_back({edits::with_memory(preset_, other), "of its own"});
    proposals.push_back({edits::with_memory(grid_[2].plan, section("full")), "the same in another plan"});
    proposals.push_back(grid_[3]);
    const FastWithinLimit fast = tried(proposals, 600'000'000);
    const Plan fastest = rounds_->fastest()->plan;
    ASSERT_EQ(fastest, grid_[3].plan);
    const std::vector<Proposal> found = fast.fastest_with_known_sections();
    // Those of the fastest first.
    ASSERT_LT(candidate("memory: eager").step_ms, candidate("the same in another plan").step_ms);
    ASSERT_LT(candidate("the same in another plan").step_ms, candidate("of its own").step_ms);
    ASSERT_EQ(origins(found), (Texts{"memory: eager", "memory: full", "memory of a slower plan"}));
    const std::vector<MemorySection> sections{section("eager"), section("full"), other};
    for (std::size_t index = 0; index < found.size(); ++index)
        EXPECT_EQ(found[index].plan, edits::with_memory(fastest, sections[index]));
    EXPECT_TRUE(tried({}, 600'000'000).fastest_with_known_sections().empty());
}

/// By way of what takes less memory still: looked for within this limit alone, the best takes 9.10 ms.
TEST(SearchWithinLimit, WhatLeadsOnWithinATighterLimitIsFound) {
    SearchOptions options;
    options.effort = 1200;
    options.threads = 2;
    options.memory_limit = std::int64_t{560} << 20;
    const auto graph = with_shared_links(test_graph("llama3_debugmodel_fsdp8"), LinkSharing::by_host);
    const SearchResult found = search_plans(graph, options);
    EXPECT_LE(found.best.corrected_peak_bytes, *options.memory_limit);
    EXPECT_LT(found.best.step_ms, 9.05);
    EXPECT_LE(found.finding_evaluations, 1200u);
}

}  // namespace
}  // namespace overlap::test

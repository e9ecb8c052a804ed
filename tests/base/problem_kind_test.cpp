#include "core/base/problem_kind.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "core/base/problem.h"

namespace overlap {
namespace {

TEST(ProblemKind, NamesAreThoseThatFilesHave) {
    EXPECT_EQ(problem_kind_name(ProblemKind::general), "general");
    EXPECT_EQ(problem_kind_name(ProblemKind::unknown_module), "unknown_module");
    EXPECT_EQ(problem_kind_name(ProblemKind::no_times), "no_times");
    EXPECT_EQ(problem_kind_name(ProblemKind::cyclic_order), "cyclic_order");
    EXPECT_EQ(problem_kind_name(ProblemKind::clock_rough), "clock_rough");
    EXPECT_EQ(problem_kind_name(ProblemKind::import_note), "import");
}

TEST(ProblemKind, SeveritiesHaveNames) {
    EXPECT_EQ(severity_name(Severity::note), "note");
    EXPECT_EQ(severity_name(Severity::caution), "caution");
    EXPECT_EQ(severity_name(Severity::error), "error");
}

TEST(ProblemKind, NoNameIsThereTwice) {
    std::set<std::string_view> names;
    for (int kind = 0; kind <= static_cast<int>(ProblemKind::import_note); ++kind)
        EXPECT_TRUE(names.insert(problem_kind_name(static_cast<ProblemKind>(kind))).second) << kind;
}

TEST(ProblemKind, RulesOfModulesAreConcernedByTheirOwnKindsOnly) {
    EXPECT_TRUE(concerns_module_rules(ProblemKind::module_rule_unmatched));
    EXPECT_TRUE(concerns_module_rules(ProblemKind::module_rule_ambiguous));
    EXPECT_FALSE(concerns_module_rules(ProblemKind::no_modules));
    EXPECT_FALSE(concerns_module_rules(ProblemKind::general));
}

}  // namespace
}  // namespace overlap

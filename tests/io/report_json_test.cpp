// Reports of passes as documents.

#include "core/io/report_json.h"

#include <gtest/gtest.h>

namespace overlap {
namespace {

TEST(ReportJson, HasBucketsAndProblemsWithEntriesFromOne) {
    PassReport report;
    report.pass = "manual_bucketing";
    BucketReport& bucket = report.buckets.emplace_back();
    bucket.plan_entry = 0;
    bucket.kind = CollectiveKind::all_gather;
    bucket.process_group = "0";
    bucket.dtype = "bfloat16";
    bucket.bytes = 64;
    bucket.members = {"gather", "gather_1"};
    bucket.start = "gather_2";
    bucket.waits = {"wait_2"};
    report.buckets.emplace_back().start = "gather_3";
    report.orderings.push_back({"mm", "gather_2"});
    Problem& problem = report.problems.emplace_back();
    problem.severity = Severity::caution;
    problem.message = "nothing matches";
    problem.nodes = {"mm"};
    problem.plan_entry = 1;
    report.problems.emplace_back().message = "of no entry";

    const Json json = report_json(report);
    EXPECT_EQ(json["pass"], "manual_bucketing");
    EXPECT_EQ(json["buckets"][0],
              Json::parse(R"({"plan_entry": 1, "kind": "all_gather", "process_group": "0", "dtype": "bfloat16",
                              "bytes": 64, "members": ["gather", "gather_1"], "start": "gather_2",
                              "waits": ["wait_2"]})"));
    EXPECT_TRUE(json["buckets"][1]["plan_entry"].is_null()) << "the pass chose it itself";
    EXPECT_EQ(json["orderings"], Json::parse(R"([{"target": "mm", "source": "gather_2"}])"));
    ASSERT_EQ(json["problems"].size(), 2u);
    EXPECT_EQ(json["problems"][0], Json::parse(R"({"severity": "caution", "kind": "general",
        "message": "nothing matches", "nodes": ["mm"], "plan_entry": 2})"));
    EXPECT_FALSE(json["problems"][1].contains("plan_entry"));
}

}  // namespace
}  // namespace overlap

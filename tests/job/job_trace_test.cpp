// Traces of jobs for Perfetto: which row each operation is in, and when.

#include "core/job/job_trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/job/document/job_file.h"

namespace overlap::job {
namespace {

struct TraceTexts {
    std::vector<std::string> rows;    ///< `process/thread: name`, in the order of the trace
    std::vector<std::string> events;  ///< `process/thread name (category) from to`, in milliseconds
    int arrows = 0;
};

TraceTexts texts_of(const std::string& document) {
    const auto trace = nlohmann::json::parse(job_trace_json(read_job_text(document, "x"), {}));
    TraceTexts texts;
    const auto ms = [](const nlohmann::json& us) { return std::to_string(std::lround(us.get<double>() / 1e3)); };
    for (const auto& event : trace["traceEvents"]) {
        const std::string kind = event["ph"];
        const auto row = [&] {
            return event["pid"].dump() + (event["name"] == "process_name" ? "" : "/" + event["tid"].dump());
        };
        if (event["name"] == "process_name" || event["name"] == "thread_name")
            texts.rows.push_back(row() + ": " + event["args"]["name"].get<std::string>());
        if (kind == "X") {
            texts.events.push_back(row() + " " + event["name"].get<std::string>() + " (" +
                                   event["cat"].get<std::string>() + ") " + ms(event["ts"]) + " " +
                                   ms(nlohmann::json(event["ts"].get<double>() + event["dur"].get<double>())));
        }
        texts.arrows += kind == "s" ? 1 : 0;
    }
    return texts;
}

TEST(JobTrace, HasARowForEachStreamOfAProgram) {
    const TraceTexts texts = texts_of(R"({"format": "overlap-job", "version": 1, "groups": {"g": [3, 5]}, "programs": [
        {"rank": 3, "ops": [{"id": "k", "kind": "compute", "ms": 3},
            {"id": "b", "kind": "batch", "stream": "net", "ops": [{"id": "s", "kind": "send", "peer": 5, "ms": 2}]},
            {"id": "x", "kind": "collective", "group": "g", "ms": 1}]},
        {"rank": 5, "ops": [{"id": "r", "kind": "recv", "peer": 3, "ms": 2},
            {"id": "x", "kind": "collective", "group": "g", "ms": 1}]}]})");
    EXPECT_EQ(texts.rows, (std::vector<std::string>{"0: rank 3", "0/0: main", "0/1: net", "1: rank 5", "1/0: main"}));
    EXPECT_EQ(texts.events,
              (std::vector<std::string>{"0/0 k (compute) 0 3", "0/1 s (collective) 0 2", "0/0 x (collective) 3 4",
                                        "1/0 r (collective) 0 2", "1/0 wait: x (wait) 2 3", "1/0 x (collective) 3 4"}));
    EXPECT_EQ(texts.arrows, 0);
}

TEST(JobTrace, HasGradientsBesideTheComputeOfAStage) {
    const TraceTexts texts = texts_of(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}},
            {"ms": {"F": 1, "B": 2}, "gradient_sync_ms": 3}], "replicas": 2,
            "schedule": {"name": "GPipe", "microbatches": 1}})");
    EXPECT_EQ(texts.rows, (std::vector<std::string>{"0: ranks 0, 2, stage 0", "0/0: compute of ranks 0, 2",
                                                    "0/1: gradients of ranks 0, 2", "1: ranks 1, 3, stage 1",
                                                    "1/0: compute of ranks 1, 3", "1/1: gradients of ranks 1, 3"}));
    EXPECT_EQ(texts.events,
              (std::vector<std::string>{"0/0 0F0 (compute) 0 1", "0/0 0B0 (compute) 4 6", "1/0 1F0 (compute) 1 2",
                                        "1/0 1B0 (compute) 2 4", "1/1 1REDUCE_GRAD (collective) 4 7"}));
    EXPECT_EQ(texts.arrows, 2) << "the activation and the gradient";
}

TEST(JobTrace, IsNoneOfAJobThatCannotRun) {
    EXPECT_THROW(texts_of(R"({"format": "overlap-job", "version": 1, "programs": [
        {"rank": 0, "ops": [{"id": "r", "kind": "recv", "peer": 1}]}, {"rank": 1, "ops": []}]})"),
                 InputError);
}

}  // namespace
}  // namespace overlap::job

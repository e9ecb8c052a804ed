// What is wrong with the parts of a plan that describe memory and modules, and where.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/io/plan/plan_file.h"
#include "core/io/plan/process_groups_json.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using Cases = std::vector<std::pair<std::string, std::string>>;

/// Each value of the field, and what follows the file's name.
void expect_problems(const std::string& field, const Cases& cases) {
    for (const auto& [value, problem] : cases) {
        const std::string text = R"({"format": "overlap-plan", "version": 1, ")" + field + "\": " + value + "}";
        const std::string found = test::problem_of([&] { read_plan_text(text, "p"); });
        EXPECT_EQ(found, problem.empty() ? "accepted" : "p: " + problem) << value;
    }
}

TEST(PlanMistakes, GraphsOfAPlan) {
    expect_problems("graph", {
                                 {"null", ""},
                                 {R"({"name": "g", "nodes": 2, "digest": "0123456789abcdef"})", ""},
                                 {R"({"name": "g", "digest": "0123456789abcdef"})",
                                  "graph.nodes: missing, expected the number of nodes"},
                                 {R"({"name": "g", "nodes": -1, "digest": "0123456789abcdef"})",
                                  "graph.nodes: found -1, expected a number of nodes"},
                                 {R"({"name": "g", "nodes": 2, "digest": "0123"})",
                                  "graph.digest: found \"0123\", expected 16 hexadecimal digits"},
                             });
}

TEST(PlanMistakes, ProcessGroups) {
    const auto problem = [](const char* number) {
        const Json groups = Json::parse(std::string(R"([{"name": "a", "min_ctas": )") + number + "}]");
        return test::problem_of([&] { read_process_groups(groups); });
    };
    EXPECT_EQ(problem("1"), "accepted");
    for (const std::string number : {"0", "1.5", "65"})
        EXPECT_EQ(problem(number.c_str()),
                  "process_groups[0].min_ctas: found " + number + ", expected a whole number from 1 to 64");
}

TEST(PlanMistakes, PipelinesThatAreNoList) {
    expect_problems("pipeline", {{"3", "pipeline: found 3, expected a list of steps"},
                                 {"[3]", "pipeline[0]: found 3, expected an object with pass and options"},
                                 {"[{}]", "pipeline[0]: has no pass"}});
}

TEST(PlanMistakes, MemorySections) {
    expect_problems("memory",
                    {
                        {"{}", ""},
                        {"[]", "memory: found a list, expected an object with policy and rules"},
                        {R"({"policy": 3})", "memory.policy: found 3, expected a string"},
                        {R"({"rules": {}})", "memory.rules: found an object, expected a list"},
                        {R"({"rules": [3]})", "memory.rules[0]: found 3, expected an object with action"},
                        {R"({"rules": [{"action": 3}]})", "memory.rules[0].action: found 3, expected a string"},
                        {R"({"rules": [{"action": "save", "modules": 3}]})",
                         "memory.rules[0].modules: found 3, expected a module path or a list of them"},
                        {R"({"rules": [{"action": "save", "modules": ["a", 3]}]})",
                         "memory.rules[0].modules[1]: found 3, expected a module path"},
                        {R"({"rules": [{"action": "save", "modules": "a.[3-1]"}]})",
                         "memory.rules[0].modules: line 1, column 3: the range [3-1] runs backwards; write [1-3]"},
                        {R"({"rules": [{"action": "save", "operators": 3}]})",
                         "memory.rules[0].operators: found 3, expected an operator or a list of them"},
                        {R"({"rules": [{"action": "save", "operators": ["aten.mm", null]}]})",
                         "memory.rules[0].operators[1]: found null, expected an operator"},
                        {R"({"rules": [{"action": "save", "operators": []}]})",
                         "memory.rules[0].operators: is empty; leave it out for all operators"},
                        {R"({"cpu_offload_budget_gb": "1"})",
                         "memory.cpu_offload_budget_gb: found the string \"1\", expected a number"},
                        {R"({"prefetch_lookahead": true})",
                         "memory.prefetch_lookahead: found true, expected a whole number of layers"},
                    });
}

TEST(PlanMistakes, ModuleRules) {
    expect_problems("module_rules",
                    {
                        {"[]", ""},
                        {"{}", "module_rules: found an object, expected a list"},
                        {"[3]", "module_rules[0]: found 3, expected an object with kind and module"},
                        {R"([{"kind": "source", "module": 3}])", "module_rules[0].module: found 3, expected a string"},
                        {R"([{"kind": "nodes", "module": "a", "nodes": "b"}])",
                         "module_rules[0].nodes: found the string \"b\", expected a list of nodes"},
                        {R"([{"kind": "nodes", "module": "a", "nodes": [3]}])",
                         "module_rules[0].nodes: found 3, expected the name of a node"},
                        {R"([{"kind": "nodes", "module": "a", "nodes": ["b"], "backward": 1}])",
                         "module_rules[0].backward: found 1, expected true or false"},
                        {R"([{"kind": "nodes", "module": "a", "nodes": ["b"], "count": -1}])",
                         "module_rules[0].count: found -1, expected a whole number"},
                        {R"([{"kind": "nodes", "module": "a", "nodes": ["b"], "count": 4294967296}])",
                         "module_rules[0].count: found 4294967296, expected a whole number"},
                        {R"([{"kind": "nodes", "module": "a", "nodes": ["b"], "count": 1.5}])",
                         "module_rules[0].count: found 1.5, expected a whole number"},
                    });
}

}  // namespace
}  // namespace overlap

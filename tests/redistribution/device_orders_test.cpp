// Device orders as a part of plans: patterns, what they come to on a graph, what is told of them.

#include "core/redistribution/device_orders.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/plan/plan_file.h"
#include "core/pipeline/evaluation.h"
#include "tests/redistribution/redistribution_graphs.h"
#include "tests/support/test_graphs.h"

namespace overlap::test {

namespace {

/// A graph whose one parameter gains by another order, with a plan that chooses it.
struct Chosen {
    std::shared_ptr<const Graph> graph = graph_of(redistribution_document("fsdp_tp"));
    ComparedChains compared = compare_chains(*graph);
    Plan plan = make_plan(*graph, "ordered");

    Chosen() {
        const ParameterChains& parameter = compared.chains.parameters.at(0);
        plan.device_orders.push_back(
            device_order("parameter_*", parameter, compared.comparisons.at(0).alternatives.at(0).storage, compared));
    }
};

std::vector<std::string> kinds_of(const std::vector<Problem>& problems) {
    std::vector<std::string> kinds;
    for (const Problem& problem : problems) kinds.emplace_back(problem_kind_name(problem.kind));
    return kinds;
}

std::string error_of(const std::string& orders) {
    try {
        read_plan_text(R"({"format": "overlap-plan", "version": 1, "device_orders": )" + orders + "}", "a");
    } catch (const InputError& error) {
        return error.what();
    }
    return "read";
}

}  // namespace

TEST(DeviceOrders, PatternsMatchNames) {
    EXPECT_TRUE(matches_pattern("layers.0.wq.weight", "layers.0.wq.weight"));
    EXPECT_FALSE(matches_pattern("layers.0.wq", "layers.0.wq.weight"));
    EXPECT_TRUE(matches_pattern("*", ""));
    EXPECT_TRUE(matches_pattern("*.w?.weight", "layers.0.wq.weight"));
    EXPECT_FALSE(matches_pattern("*.w?.weight", "layers.0.wqkv.weight"));
    EXPECT_TRUE(matches_pattern("layers.*.weight", "layers.0.attention.weight.weight"));
    EXPECT_TRUE(matches_pattern("layers.[2-31].*", "layers.10.wq"));
    EXPECT_FALSE(matches_pattern("layers.[2-31].*", "layers.1.wq"));
    EXPECT_FALSE(matches_pattern("layers.[2-31].*", "layers.32.wq"));
    EXPECT_FALSE(matches_pattern("layers.[2-31]", "layers.x"));
    EXPECT_TRUE(matches_pattern("L['self'].w", "L['self'].w"));
    // What is no range of numbers stands for itself.
    for (const std::string text : {"[2-31", "[a-3]", "[2-x]", "[2x-3]", "[-3]", "[3]", "[2-99999999999999999999]"}) {
        EXPECT_TRUE(matches_pattern(text, text)) << text;
        EXPECT_FALSE(matches_pattern(text, "3")) << text;
    }
    EXPECT_FALSE(matches_pattern("", "a"));
    EXPECT_TRUE(matches_pattern("", ""));
    const std::string many(200, 'a');
    EXPECT_FALSE(matches_pattern("*a*a*a*a*a*a*a*a*b", many));
}

TEST(DeviceOrders, AlikesDifferInNumbers) {
    EXPECT_EQ(pattern_of_alikes("layers.12.moe.experts.0.w1"), "layers.*.moe.experts.*.w1");
    EXPECT_EQ(pattern_of_alikes("norm.weight"), "norm.weight");
    EXPECT_EQ(pattern_of_alikes("arg3_1"), "arg3_1");
    EXPECT_EQ(pattern_of_alikes(""), "");
}

TEST(DeviceOrders, ChoiceCarriesItsSaving) {
    const Chosen chosen;
    const DeviceOrder& order = chosen.plan.device_orders[0];
    const OrderAlternative& best = chosen.compared.comparisons[0].alternatives[0];
    EXPECT_EQ(order.order, "S(0)[1]S(0)[0]");
    EXPECT_EQ(order.mesh, chosen.compared.chains.parameters[0].mesh.groups);
    EXPECT_EQ(order.saving_ms, best.saved_ms);
    EXPECT_EQ(order.saving_bytes, best.saved_bytes);
    EXPECT_GT(order.saving_ms, 0);
    const Plan read = read_plan_text(write_plan_text(chosen.plan), "a.plan.json");
    EXPECT_EQ(read, chosen.plan);
    EXPECT_EQ(write_plan_text(read), write_plan_text(chosen.plan));
}

TEST(DeviceOrders, SavingsOfAllMatchingParametersAddUp) {
    const auto graph = test_graph("llama3_debugmodel_fsdp4_tp2.prebucket");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(compare_chains(*graph, stop.get_token()).chains.parameters.empty());
    const ComparedChains compared = compare_chains(*graph);
    const auto norm =
        std::ranges::find(compared.chains.parameters, "layers.0.attention_norm.weight", &ParameterChains::name);
    ASSERT_NE(norm, compared.chains.parameters.end());
    const std::size_t index = static_cast<std::size_t>(norm - compared.chains.parameters.begin());
    const DeviceOrder one = device_order(norm->name, *norm, norm->storage, compared);
    const DeviceOrder all = device_order("*norm.weight", *norm, norm->storage, compared);
    // Of each norm's gradient torch would reduce-scatter first: a quarter is left to all-reduce.
    EXPECT_EQ(one.saving_bytes, compared.comparisons[index].alternatives[0].saved_bytes);
    EXPECT_GT(one.saving_bytes, 0);
    EXPECT_EQ(all.saving_bytes, 13 * one.saving_bytes);
    EXPECT_NEAR(all.saving_ms, 13 * one.saving_ms, 1e-9);
}

TEST(DeviceOrders, ChangeNeitherGraphNorSimulation) {
    Chosen chosen;
    const auto with = evaluate(chosen.graph, chosen.plan);
    chosen.plan.device_orders.clear();
    const auto without = evaluate(chosen.graph, chosen.plan);
    EXPECT_EQ(with->simulation.step_ms, without->simulation.step_ms);
    EXPECT_EQ(with->graph->node_count(), without->graph->node_count());
    ASSERT_EQ(with->problems.size(), without->problems.size() + 1);
    const auto note = std::ranges::find(with->problems, ProblemKind::device_order_saving, &Problem::kind);
    ASSERT_NE(note, with->problems.end());
    EXPECT_EQ(note->severity, Severity::note);
    EXPECT_EQ(
        note->message,
        "device order \"parameter_*\" stored as S(0)[1]S(0)[0] on process groups \"3\", \"6\": 1 parameter, 40.56 µs "
        "and 36 KiB less "
        "communication a step expected; the training job lays parameters out, so the figures of the simulation do "
        "not contain it");
}

TEST(DeviceOrders, TellsWhatDoesNotFit) {
    Chosen chosen;
    DeviceOrder& order = chosen.plan.device_orders[0];
    EXPECT_EQ(kinds_of(check_device_orders(*chosen.graph, chosen.plan)),
              std::vector<std::string>{"device_order_saving"});

    const DeviceOrder original = order;
    order.saving_ms *= 2;
    EXPECT_EQ(kinds_of(check_device_orders(*chosen.graph, chosen.plan)),
              (std::vector<std::string>{"device_order_saving", "stale_saving"}));

    order = original;
    order.saving_bytes -= 1;
    EXPECT_EQ(kinds_of(check_device_orders(*chosen.graph, chosen.plan)),
              (std::vector<std::string>{"device_order_saving", "stale_saving"}));

    order = original;
    order.parameters = "parameter_2";
    const std::vector<Problem> unknown = check_device_orders(*chosen.graph, chosen.plan);
    ASSERT_EQ(kinds_of(unknown), std::vector<std::string>{"unknown_parameter"});
    EXPECT_EQ(unknown[0].title, "Unknown parameter");
    EXPECT_EQ(unknown[0].message,
              "\"parameter_2\" matches no parameter with collectives in the graph; nearest: \"parameter_1\"");

    order = original;
    order.order = "S(0)S(1)";
    const std::vector<Problem> misfit = check_device_orders(*chosen.graph, chosen.plan);
    ASSERT_EQ(kinds_of(misfit), std::vector<std::string>{"device_order_misfit"});
    EXPECT_EQ(misfit[0].message,
              "device order \"parameter_*\" stored as S(0)S(1) on process groups \"3\", \"6\" does not fit "
              "\"parameter_1\": stored as "
              "S(0)[0]S(0)[1] on process groups \"3\", \"6\"");

    order = original;
    chosen.plan.device_orders.push_back(original);
    const std::vector<Problem> repeated = check_device_orders(*chosen.graph, chosen.plan);
    ASSERT_EQ(kinds_of(repeated), (std::vector<std::string>{"device_order_saving", "repeated_device_order"}));
    EXPECT_TRUE(repeated[1].message.ends_with(": an earlier entry counts for \"parameter_1\"")) << repeated[1].message;
    // An entry that cannot be read says that alone, also where another one counts for its parameters.
    chosen.plan.device_orders[1].order = "S(";
    EXPECT_EQ(kinds_of(check_device_orders(*chosen.graph, chosen.plan)),
              (std::vector<std::string>{"device_order_saving", "device_order_unreadable"}));
    chosen.plan.device_orders[1] = original;
    chosen.plan.device_orders[1].parameters = "other_*";
    EXPECT_EQ(kinds_of(check_device_orders(*chosen.graph, chosen.plan)),
              (std::vector<std::string>{"device_order_saving", "unknown_parameter"}));
}

TEST(DeviceOrders, TellsWhyNothingIsKnownOfASaving) {
    const auto only_message = [](const Json& document, const Plan& plan) {
        const std::vector<Problem> problems = check_device_orders(*graph_of(document), plan);
        EXPECT_EQ(problems.size(), 1u);
        return problems.empty() ? "nothing" : problems[0].message;
    };
    Plan plan = Chosen().plan;
    Json document = redistribution_document("fsdp_tp");
    Json bucketed = document;
    node_of(bucketed, "all_gather_into_tensor")["target"] = "bucketing._pre_bucket_all_gather.default";
    EXPECT_EQ(only_message(bucketed, plan),
              "device order \"parameter_*\" stored as S(0)[1]S(0)[0] on process groups \"3\", \"6\" does not fit "
              "\"parameter_1\": its collectives are "
              "merged with those of other tensors (\"all_gather_into_tensor\"); open the graph as it is before "
              "bucketing");
    Json without_cost = document;
    without_cost.erase("cost_model");
    EXPECT_EQ(only_message(without_cost, plan),
              "what the plan's device orders save is not known: the graph has no cost_model, so the time of a node "
              "without estimate_ms is not known");
    plan.device_orders[0].order = "S(0)[1]S(0)[1]";
    EXPECT_EQ(only_message(document, plan),
              "device order \"parameter_*\" stored as S(0)[1]S(0)[1] on process groups \"3\", \"6\": state "
              "\"S(0)[1]S(0)[1]\": the places of tensor "
              "dimension 0 are 0 to 1, each once");
}

TEST(DeviceOrders, DocumentsAreReadOrRefusedWithThePlace) {
    EXPECT_EQ(error_of(R"json([{"parameters": "*", "mesh": ["3", "6"], "order": "S(0)[1]S(0)[0]"}])json"), "read");
    EXPECT_EQ(error_of("{}"), "a: device_orders: found an object, expected a list");
    EXPECT_EQ(error_of("[1]"), "a: device_orders[0]: found 1, expected an object with parameters, mesh and order");
    EXPECT_EQ(error_of(R"json([{"mesh": [], "order": ""}])json"), "a: device_orders[0]: has no parameters");
    EXPECT_EQ(error_of(R"json([{"parameters": "*", "order": "R"}])json"), "a: device_orders[0]: has no mesh");
    EXPECT_EQ(error_of(R"json([{"parameters": "*", "mesh": [3], "order": "R"}])json"),
              "a: device_orders[0].mesh[0]: found 3, expected a process group");
    EXPECT_TRUE(error_of(R"json([{"parameters": "*", "mesh": ["3", "6"], "order": "S(0)"}])json")
                    .starts_with("a: device_orders[0].order: "));
    EXPECT_EQ(error_of(R"json([{"parameters": "*", "mesh": ["3"], "order": "R", "expected_saving": {"ms": ""}}])json"),
              "a: device_orders[0].expected_saving.ms: found the string \"\", expected a number");
    const Plan plan = read_plan_text(
        R"json({"format": "overlap-plan", "version": 1,
            "device_orders": [{"parameters": "*", "mesh": ["3"], "order": "S(0)", "reason": "measured"}]})json",
        "a");
    EXPECT_EQ(plan.device_orders[0].extra, (UnknownFields{{"reason", "\"measured\""}}));
    EXPECT_EQ(read_plan_text(write_plan_text(plan), "a"), plan);
}

}  // namespace overlap::test

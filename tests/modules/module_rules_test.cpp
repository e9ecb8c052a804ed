#include "core/modules/module_rules.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/graph_file.h"
#include "core/io/plan/plan_file.h"
#include "core/modules/module_pattern.h"
#include "core/modules/module_proposals.h"
#include "core/modules/module_repair.h"
#include "core/modules/parameter_proposals.h"
#include "core/modules/repetitions.h"
#include "core/pipeline/evaluation.h"
#include "tests/support/test_graphs.h"

namespace overlap {
namespace {

using Kind = ModuleRule::Kind;

ModuleRule parameter_rule(std::string pattern, std::string module) {
    ModuleRule rule;
    rule.pattern = std::move(pattern);
    rule.module = std::move(module);
    return rule;
}

ModuleRule neighbours() {
    ModuleRule rule;
    rule.kind = Kind::neighbours;
    return rule;
}

ModuleRule named(std::vector<std::string> nodes, std::string module) {
    ModuleRule rule;
    rule.kind = Kind::nodes;
    rule.nodes = std::move(nodes);
    rule.module = std::move(module);
    return rule;
}

/// The graph as a file that lost its modules has it.
std::shared_ptr<const Graph> without_modules(const Graph& graph) {
    auto document = nlohmann::ordered_json::parse(write_graph_text(graph));
    for (auto& node : document["nodes"]) {
        node.erase("module_stack");
        node.erase("fwd_module_stack");
        if (node.contains("custom")) node["custom"].erase("module_fqn");
    }
    return read_graph_text(document.dump(), "stripped");
}

/// Module stacks as people would say them: home modules by path; empty for nodes without one.
std::vector<std::string> modules_of(const Graph& graph) {
    std::vector<std::string> modules;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata& metadata = graph.metadata(node);
        const auto stack =
            graph.module_stack(metadata.module_stack != 0 ? metadata.module_stack : metadata.fwd_module_stack);
        modules.push_back(stack.empty() ? std::string(graph.text(metadata.module_fqn))
                                        : clean_module_path(graph.text(stack.back().path)));
    }
    return modules;
}

std::string module_in(const Graph& graph, std::string_view node) {
    return modules_of(graph)[graph.find(node)];
}

/// What identifies nodes of two results as the same: names, operators and inputs, in order.
std::vector<std::string> nodes_of(const Graph& graph) {
    std::vector<std::string> nodes;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        std::string text(graph.name(node));
        text.append(" ").append(graph.target(node));
        for (const NodeId input : graph.inputs(node)) text.append(" ").append(graph.name(input));
        nodes.push_back(std::move(text));
    }
    return nodes;
}

TEST(ModulePattern, NumbersAndTextsAreTakenOutOfNames) {
    PatternParts parts;
    EXPECT_TRUE(ModulePattern("layers.{n}.{part*}.weight").matches("layers.12.attention.wq.weight", parts));
    EXPECT_EQ(parts, (PatternParts{{"n", "12"}, {"part", "attention.wq"}}));
    EXPECT_EQ(fill_template("blocks.{n}.{part}", parts), "blocks.12.attention.wq");
    EXPECT_TRUE(ModulePattern("primals_layers_{n}_*").matches("primals_layers_3_", parts));
    EXPECT_FALSE(ModulePattern("layers.{n}.weight").matches("layers.x.weight", parts));
    EXPECT_FALSE(ModulePattern("layers.{n}").matches("layers.1.weight", parts));
    EXPECT_FALSE(ModulePattern("{part*}.weight").matches(".weight", parts));
    EXPECT_TRUE(ModulePattern("{n}-{n}").matches("4-4", parts));
    EXPECT_FALSE(ModulePattern("{n}-{n}").matches("4-5", parts));
    EXPECT_THROW(ModulePattern("layers.{n"), InputError);
    EXPECT_THROW(ModulePattern("layers.{}"), InputError);
    EXPECT_THROW(fill_template("layers.{m}", parts), InputError);
}

TEST(ModulePattern, ManyStarsTakeNoLongerThanTheirProduct) {
    std::string pattern, name(20000, 'a');
    for (int star = 0; star < 40; ++star) pattern += "*a";
    PatternParts parts;
    EXPECT_FALSE(ModulePattern(pattern + "b").matches(name, parts));
}

TEST(ModuleRules, ADocumentKeepsThemAndWhatItDoesNotKnow) {
    const std::string text = R"({"format": "overlap-plan", "version": 1, "module_rules": [
        {"kind": "parameters", "pattern": "layers.{n}.*", "module": "layers.{n}", "colour": "red"},
        {"kind": "source", "file": "*/model.py", "first_line": 3, "last_line": 9, "function": "forward", "module": "m.{n}"},
        {"kind": "repetition", "first": "a", "last": "b", "count": 3, "begin": 1, "backward": true, "module": "layers.{n}"},
        {"kind": "nodes", "nodes": ["mm", "mm_1"], "module": "head", "override": true},
        {"kind": "neighbours"}]})";
    const Plan plan = read_plan_text(text, "plan");
    ASSERT_EQ(plan.module_rules.size(), 5u);
    EXPECT_EQ(plan.module_rules[0].extra, (UnknownFields{{"colour", "\"red\""}}));
    EXPECT_TRUE(plan.module_rules[3].override_own);
    EXPECT_EQ(read_plan_text(write_plan_text(plan), "again"), plan);
    EXPECT_EQ(write_plan_text(Plan()).find("module_rules"), std::string::npos);
}

TEST(ModuleRules, WrongOnesAreToldWithTheirPlace) {
    const auto refusal = [](const std::string& rule) {
        try {
            read_plan_text(R"({"format": "overlap-plan", "version": 1, "module_rules": [)" + rule + "]}", "plan");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(refusal(R"({"kind": "parametres"})").find("parameters"), std::string::npos);
    EXPECT_NE(refusal(R"({"kind": "parameters", "pattern": "a.{n}", "module": "a.{m}"})").find("module_rules[0]"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"kind": "parameters", "pattern": "a.{n", "module": "a"})").find("not closed"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"kind": "repetition", "first": "a", "last": "b", "module": "a"})").find("count"),
              std::string::npos);
    EXPECT_NE(refusal(R"({"kind": "nodes", "nodes": ["a"], "module": "a..b"})").find("no path"), std::string::npos);
    EXPECT_NE(refusal(R"({"kind": "source", "file": "f", "first_line": 9, "last_line": 3, "module": "a"})")
                  .find("ends before"),
              std::string::npos);
}

TEST(ModuleRepair, AParametersWayUsesAndGradientGetItsModule) {
    const auto original = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const auto stripped = without_modules(*original);
    const auto repaired =
        repair_modules(stripped, {parameter_rule("layers.{n}.feed_forward.w1.*", "layers.{n}.feed_forward.w1")});
    const std::vector<std::string> before = modules_of(*original), after = modules_of(*repaired->graph);
    std::uint32_t given = 0, gathers = 0, scatters = 0;
    for (NodeId node = 0; node < stripped->node_count(); ++node) {
        if (after[node].empty()) continue;
        ++given;
        EXPECT_EQ(after[node], before[node]) << stripped->name(node);
        gathers += stripped->target_info(node).starts == CollectiveKind::all_gather ? 1 : 0;
        scatters += stripped->target_info(node).starts == CollectiveKind::reduce_scatter ? 1 : 0;
    }
    EXPECT_EQ(repaired->outcomes[0].nodes, given);
    EXPECT_GE(gathers, 6u);
    EXPECT_EQ(scatters, 6u);
    EXPECT_EQ(nodes_of(*repaired->graph), nodes_of(*stripped));
}

TEST(ModuleRepair, ANodeKeepsItsOwnModuleUnlessTheRuleOverrides) {
    const auto graph = test_graph("llama3_debugmodel_fsdp8.prebucket");
    const std::vector<std::string> before = modules_of(*graph);
    const NodeId node = static_cast<NodeId>(std::ranges::find(before, "layers.2.feed_forward.w1") - before.begin());
    ModuleRule rule = named({std::string(graph->name(node))}, "elsewhere");
    const auto kept = repair_modules(graph, {rule});
    EXPECT_EQ(kept->graph, graph);
    EXPECT_EQ(kept->outcomes[0].own, 1u);
    ASSERT_EQ(check_module_rules({rule}, *kept).size(), 1u);
    rule.override_own = true;
    EXPECT_EQ(module_in(*repair_modules(graph, {rule})->graph, graph->name(node)), "elsewhere");
}

TEST(ModuleRepair, TheFirstRuleThatFitsCounts) {
    const auto stripped = without_modules(*test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const auto repaired =
        repair_modules(stripped, {named({"embedding"}, "first"), named({"embedding", "nobody"}, "second")});
    EXPECT_EQ(module_in(*repaired->graph, "embedding"), "first");
    EXPECT_EQ(repaired->outcomes[1].earlier, 1u);
    EXPECT_NE(repaired->outcomes[1].problem.find("nobody"), std::string::npos);
}

// Exporters write an empty stack where torch has none. Such a field says nothing, and is kept until there is a module.
TEST(ModuleRepair, AModuleReplacesTheEmptyStackOfTheFile) {
    const auto graph = read_graph_text(R"({"format": "overlap-graph", "version": 1, "nodes": [
        {"name": "a", "op": "placeholder", "target": "a", "args": [], "kwargs": {}, "colour": "red",
         "module_stack": [], "fwd_module_stack": []},
        {"name": "b", "op": "placeholder", "target": "b", "args": [], "kwargs": {}, "module_stack": []}]})",
                                       "empty stacks");
    const auto repaired = repair_modules(graph, {named({"a"}, "norm")});
    const std::string text = write_graph_text(*repaired->graph);
    EXPECT_EQ(module_in(*read_graph_text(text, "written"), "a"), "norm");
    const auto nodes = nlohmann::json::parse(text).at("nodes");
    EXPECT_EQ(nodes[0].at("colour"), "red");
    EXPECT_EQ(nodes[0].at("fwd_module_stack"), nlohmann::json::array());
    EXPECT_EQ(nodes[1].at("module_stack"), nlohmann::json::array());
}

TEST(ModuleRepair, AskingAgainGivesTheSameGraph) {
    const auto stripped = without_modules(*test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const std::vector<ModuleRule> rules = {named({"embedding"}, "tok_embeddings")};
    EXPECT_EQ(repair_modules(stripped, rules)->graph, repair_modules(stripped, rules)->graph);
}

TEST(ModuleRepair, AStoppedRepairKeepsNothing) {
    const auto stripped = without_modules(*test_graph("llama3_debugmodel_fsdp8.prebucket"));
    const std::vector<ModuleRule> rules = {named({"embedding"}, "tok_embeddings")};
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(repair_modules(stripped, rules, source.get_token()), nullptr);
    EXPECT_GT(repair_modules(stripped, rules)->outcomes.front().nodes, 0u);
}

TEST(ModuleRepair, NodesBetweenTakeWhatBothSidesShare) {
    const auto stripped = without_modules(*test_graph("llama3_debugmodel_fsdp8.prebucket"));
    NodeId node = 0;
    while (stripped->op(node) != NodeOp::call_function) ++node;
    const auto name = [&](NodeId of) { return std::string(stripped->name(of)); };
    const auto between = [&](std::string before, std::string behind) {
        const auto repaired = repair_modules(stripped, {named({name(node)}, std::move(before)),
                                                        named({name(node + 2)}, std::move(behind)), neighbours()});
        return module_in(*repaired->graph, name(node + 1));
    };
    EXPECT_EQ(between("layers.0.attention.wq", "layers.0.attention.wk"), "layers.0.attention");
    EXPECT_EQ(between("layers.0.feed_forward", "layers.1.norm"), "layers.0");
    EXPECT_EQ(between("layers.0.norm", "layers.0.norm"), "layers.0.norm");
    EXPECT_EQ(between("embeddings", "norm"), "");
}

/// Calls in a row, each with what the graph tells of where it comes from.
std::shared_ptr<const Graph> graph_of_sources(const std::vector<std::string>& sources) {
    std::string nodes = R"({"name": "x", "op": "placeholder", "target": "x", "args": []})";
    std::string before = "x";
    for (std::size_t index = 0; index < sources.size(); ++index) {
        std::string name("neg_");
        name += std::to_string(index);
        nodes += R"(, {"name": ")" + name +
                 R"(", "op": "call_function", "target": "aten.neg.default", "args": [{"node": ")" + before +
                 R"("}], )" + sources[index] + "}";
        before = name;
    }
    return read_graph_text(R"({"format": "overlap-graph", "version": 1, "nodes": [)" + nodes + "]}", "sources");
}

TEST(ModuleRepair, LinesOfAFileGiveModulesNumberedByTheirRuns) {
    const auto at = [](int line, std::string_view function) {
        std::string source(R"("source": {"file": "/src/model.py", "line": )");
        source.append(std::to_string(line)).append(R"(, "function": ")").append(function).append(R"("})");
        return source;
    };
    const auto graph = graph_of_sources(
        {at(10, "forward"), at(12, "forward"), at(40, "norm"), at(10, "forward"), at(12, "forward"), R"("seq_nr": 3)"});
    ModuleRule rule;
    rule.kind = Kind::source;
    rule.file = "*/model.py";
    rule.first_line = 10;
    rule.last_line = 20;
    rule.module = "layers.{n}";
    const auto repaired = repair_modules(graph, {rule});
    EXPECT_EQ(modules_of(*repaired->graph),
              (std::vector<std::string>{"", "layers.0", "layers.0", "", "layers.1", "layers.1", ""}));
    rule.function = "norm";
    rule.last_line = 0;
    EXPECT_EQ(repair_modules(graph, {rule})->outcomes[0].nodes, 1u);
    rule.file = "other.py";
    EXPECT_EQ(repair_modules(graph, {rule})->outcomes[0].nodes, 0u);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(propose_module_rules(graph, stop.get_token()).empty());
    const std::vector<ModuleProposal> proposals = propose_module_rules(graph);
    ASSERT_EQ(proposals.size(), 1u);
    EXPECT_EQ(proposals[0].rule.module, "model.{n}");
    EXPECT_EQ(proposals[0].nodes, 4u);
    EXPECT_FALSE(proposals[0].recommended);
}

TEST(ModuleRepair, FramesOfAStackTraceCountAsWell) {
    const std::string trace =
        R"("stack_trace": "  File \"/src/train.py\", line 7, in step\n    loss = model(x)\n  File )"
        R"(\"/src/model.py\", line 12, in forward\n    return -x\n")";
    const auto graph = graph_of_sources({trace});
    ModuleRule rule;
    rule.kind = Kind::source;
    rule.module = "model";
    for (const char* file : {"/src/train.py", "/src/model.py"}) {
        rule.file = file;
        EXPECT_EQ(repair_modules(graph, {rule})->outcomes[0].nodes, 1u) << file;
    }
    rule.function = "step";
    EXPECT_EQ(repair_modules(graph, {rule})->outcomes[0].nodes, 0u);
    const auto nothing = repair_modules(graph_of_sources({R"("seq_nr": 1)"}), {rule});
    EXPECT_NE(nothing->outcomes[0].problem.find("file and line"), std::string::npos);
}

TEST(Repetitions, BlocksOfAModelAreFound) {
    for (const char* name : {"llama3_8b_fsdp64_aot_fw", "llama3_8b_fsdp64_aot_bw"}) {
        const auto graph = test_graph(name);
        const std::vector<Repetition> found = find_repetitions(*graph);
        ASSERT_FALSE(found.empty()) << name;
        EXPECT_EQ(found[0].count, 32u) << name;
        EXPECT_EQ(first_difference(node_kinds(*graph), found[0]), no_node);
    }
}

TEST(ModuleRepair, ARepetitionThatBreaksOffIsTold) {
    const auto stripped = without_modules(*test_graph("llama3_8b_fsdp64_aot_fw"));
    std::vector<ModuleRule> rules = recommended_rules(propose_module_rules(stripped));
    ASSERT_FALSE(rules.empty());
    rules.resize(1);
    ASSERT_EQ(rules[0].kind, Kind::repetition);
    rules[0].count = 40;
    const auto repaired = repair_modules(stripped, rules);
    EXPECT_NE(repaired->outcomes[0].problem.find("repetition 33 of 40"), std::string::npos)
        << repaired->outcomes[0].problem;
}

TEST(ModuleProposals, NamesBecomePatterns) {
    EXPECT_EQ(rule_of_parameter_name("layers.0.attention.wq.weight"),
              parameter_rule("layers.{n}.attention.wq.*", "layers.{n}.attention.wq"));
    EXPECT_EQ(rule_of_parameter_name("L_self_modules_layers_modules_3_modules_wq_parameters_weight_").module,
              "layers.{n}.wq");
    EXPECT_EQ(rule_of_parameter_name("p_layers_0_attention_wq_weight"),
              parameter_rule("p_layers_{n}_attention_wq_*", "layers.{n}.attention_wq"));
    EXPECT_EQ(rule_of_parameter_name("moe.1.experts.2.w").module, "moe.{n}.experts.{m}");
    for (const char* name : {"primals_3", "arg0_1", "x_1", "weight_1", "tangents_1"})
        EXPECT_TRUE(rule_of_parameter_name(name).pattern.empty()) << name;
}

/// Real graphs whose modules were taken away: with the proposed rules as they are, a plan of one bucket a block makes
/// of them what it makes of the originals, node for node.
TEST(ModuleProposals, AStrippedGraphIsPlannedLikeItsOriginal) {
    for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "deepseek_v3_debugmodel_fsdp8_ep4.prebucket",
                             "llama3_8b_fsdp64.prebucket"}) {
        const auto original = test_graph(name);
        const auto stripped = without_modules(*original);
        Plan plan = make_plan(*original, "plan");
        plan.pipeline = {PassStep{"joint_transformer_block_bucketing_reordering_pass"}};
        plan.buckets = one_bucket_per_block(ModuleTree(*original, ModuleSource::module_fqn), original.get());
        const auto wanted = evaluate(original, plan);
        plan.module_rules = recommended_rules(propose_module_rules(stripped));
        const auto made = evaluate(stripped, plan);
        ASSERT_FALSE(made->refused) << name;
        EXPECT_EQ(nodes_of(*made->graph), nodes_of(*wanted->graph)) << name;
        EXPECT_EQ(made->original, stripped);
        EXPECT_NE(made->graph->node_count(), stripped->node_count());
    }
}

/// The first block of a forward graph has a few nodes of its own: blocks begin with their attention all the same, and
/// all 32 of them get their module.
TEST(ModuleProposals, ABlockThatDiffersALittleIsAWholeOne) {
    const auto forward = recommended_rules(propose_module_rules(test_graph("llama3_8b_fw_64_2d")));
    ASSERT_EQ(forward.size(), 2u);
    EXPECT_EQ(forward[0].first, "convert_element_type_1");
    EXPECT_EQ(forward[0].last, "add_3");
    EXPECT_EQ(forward[0].begin, 0u);
    EXPECT_EQ(forward[1].first, "convert_element_type_20");
    EXPECT_EQ(forward[1].count, 31u);
    EXPECT_EQ(forward[1].begin, 1u);
    const auto backward = recommended_rules(propose_module_rules(test_graph("llama3_8b_bw_64_1d")));
    ASSERT_EQ(backward.size(), 2u);
    EXPECT_EQ(backward[0].begin, 31u);
    EXPECT_EQ(backward[1].first, "view_48");
    EXPECT_EQ(backward[1].begin, 0u);
}

/// Graphs of AOT export name no parameters: the blocks come from repetition, the rest by hand.
TEST(ModuleProposals, BlocksByRepetitionAndTheRestByHand) {
    const auto original = test_graph("llama3_8b_fsdp64_aot_fw");
    const auto stripped = without_modules(*original);
    std::vector<ModuleRule> rules = recommended_rules(propose_module_rules(stripped));
    ASSERT_EQ(rules.size(), 1u);
    const std::vector<std::string> before = modules_of(*original),
                                   after = modules_of(*repair_modules(stripped, rules)->graph);
    std::uint32_t same_block = 0, other_block = 0;
    for (NodeId node = 0; node < stripped->node_count(); ++node) {
        if (after[node].empty()) continue;
        // Gathers of parametrised modules end in the parametrisation's path: what stands before it tells the block.
        bool found = false;
        for (const ModuleStackEntry& entry : original->module_stack(original->metadata(node).module_stack))
            found |= (clean_module_path(original->text(entry.path)) + ".").starts_with(after[node] + ".");
        ++(found ? same_block : other_block);
    }
    EXPECT_EQ(same_block, 3424u);
    EXPECT_EQ(other_block, 0u);

    Plan plan = make_plan(*original, "plan");
    for (int layer = 0; layer < 32; ++layer) plan.buckets.push_back({.modules = {"layers." + std::to_string(layer)}});
    const auto wanted = evaluate(original, plan);
    Plan repaired = plan;
    repaired.module_rules = rules;
    const auto made = evaluate(stripped, repaired);
    EXPECT_EQ(nodes_of(*made->graph), nodes_of(*wanted->graph));
}

}  // namespace
}  // namespace overlap

// Which nodes a rule gives its module, and what is said where it gives none.

#include <gtest/gtest.h>

#include "core/io/graph_file.h"
#include "core/modules/module_proposals.h"
#include "core/modules/module_repair.h"
#include "core/modules/parameter_proposals.h"

namespace overlap {
namespace {

using Kind = ModuleRule::Kind;

/// Placeholders `p_1`, `p_2`, then `calls` that read the two and one another, then an output.
std::shared_ptr<const Graph> graph_of_calls(const std::vector<std::string>& calls) {
    std::string nodes = R"({"name": "p_1", "op": "placeholder", "target": "p_1", "args": []},
                           {"name": "p_2", "op": "placeholder", "target": "p_2", "args": []}, )";
    for (const std::string& call : calls) nodes += R"({"op": "call_function", )" + call + "}, ";
    nodes += R"({"name": "output", "op": "output", "target": "output", "args": [[]]})";
    return read_graph_text(R"({"format": "overlap-graph", "version": 1, "nodes": [)" + nodes + "]}", "calls");
}

std::string call_of(const std::string& name, const std::string& target, const std::string& arguments,
                    const std::string& further = "") {
    return R"("name": ")" + name + R"(", "target": ")" + target + R"(", "args": [)" + arguments + "]" +
           (further.empty() ? "" : ", " + further);
}

/// Four times `neg`, then `relu`.
std::shared_ptr<const Graph> four_alike() {
    std::vector<std::string> calls;
    std::string before = "p_1";
    for (int index = 0; index < 4; ++index) {
        const std::string name = "neg_" + std::to_string(index);
        calls.push_back(call_of(name, "aten.neg.default", R"({"node": ")" + before + R"("})"));
        before = name;
    }
    calls.push_back(call_of("relu", "aten.relu.default", R"({"node": ")" + before + R"("})"));
    return graph_of_calls(calls);
}

ModuleRule repeated(std::string first, std::string last, std::uint32_t count) {
    ModuleRule rule;
    rule.kind = Kind::repetition;
    rule.first = std::move(first);
    rule.last = std::move(last);
    rule.count = count;
    rule.module = "layers.{n}";
    return rule;
}

/// The only rule's problem, and how many nodes it gives a module.
std::string told(const std::shared_ptr<const Graph>& graph, const ModuleRule& rule) {
    const RuleOutcome outcome = repair_modules(graph, {rule})->outcomes.at(0);
    return std::to_string(outcome.nodes) + (outcome.problem.empty() ? "" : ": " + outcome.problem);
}

TEST(RuleMatches, RepetitionsTellWhereTheyEnd) {
    const auto graph = four_alike();
    EXPECT_EQ(told(graph, repeated("neg_0", "neg_0", 4)), "4");
    EXPECT_EQ(told(graph, repeated("neg_0", "neg_1", 2)), "4");
    EXPECT_EQ(told(graph, repeated("neg_0", "neg_0", 5)),
              "4: repetition 5 of 5 is not like the first: relu is not like neg_3");
    EXPECT_EQ(told(graph, repeated("neg_0", "neg_3", 2)),
              "4: repetition 2 of 2 is not like the first: relu is not like neg_0");
    EXPECT_EQ(told(graph, repeated("relu", "relu", 3)),
              "1: repetition 2 of 3 is not like the first: output is not like relu");
    EXPECT_EQ(told(graph, repeated("output", "output", 2)),
              "0: repetition 2 of 2 is not like the first: the graph ends before");
    EXPECT_EQ(told(graph, repeated("neg_1", "neg_0", 2)), "0: neg_0 comes before neg_1");
    EXPECT_EQ(told(graph, repeated("nobody", "neg_0", 2)), "0: there is no node \"nobody\"");
    EXPECT_EQ(told(graph, repeated("neg_0", "nobody", 2)), "0: there is no node \"nobody\"");
    EXPECT_EQ(told(graph, repeated("nobody", "nothing", 2)), "0: there is no node \"nobody\"");
}

TEST(RuleMatches, NamedNodesCountOnceAndOutputsNever) {
    ModuleRule rule;
    rule.kind = Kind::nodes;
    rule.module = "head";
    rule.nodes = {"neg_0", "neg_0", "output", "relu"};
    EXPECT_EQ(told(four_alike(), rule), "2");
}

TEST(RuleMatches, ANodeOfSeveralModulesGetsNone) {
    const auto graph = graph_of_calls({call_of("both", "aten.add.Tensor", R"({"node": "p_1"}, {"node": "p_2"})"),
                                       call_of("first", "aten.neg.default", R"({"node": "p_1"})")});
    ModuleRule rule;
    rule.pattern = "p_{n}";
    rule.module = "m.{n}";
    const auto apart = repair_modules(graph, {rule});
    EXPECT_EQ(apart->outcomes[0].ambiguous, 1u);
    EXPECT_EQ(apart->rule_of_node[graph->find("both")], -1);
    EXPECT_EQ(apart->rule_of_node[graph->find("first")], 0);
    const std::vector<Problem> problems = check_module_rules({rule}, *apart);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].kind, ProblemKind::module_rule_ambiguous);
    EXPECT_EQ(problems[0].message,
              "rule 1 (parameters p_{n} → m.{n}): 1 node would belong to several modules by the parameters that they "
              "use, and got none");
    rule.module = "m";
    const auto together = repair_modules(graph, {rule});
    EXPECT_EQ(together->outcomes[0].ambiguous, 0u);
    EXPECT_EQ(together->rule_of_node[graph->find("both")], 0);
}

TEST(RuleMatches, RulesThatGiveNothingSayWhy) {
    const auto graph = four_alike();
    ModuleRule all;
    all.kind = Kind::nodes;
    all.module = "head";
    all.nodes = {"relu"};
    const std::vector<ModuleRule> rules = {all, all};
    const std::vector<Problem> problems = check_module_rules(rules, *repair_modules(graph, rules));
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].message,
              "rule 2 (relu → head): it gives no node a module; 1 node got one from an earlier rule");
    ModuleRule nobody;
    nobody.pattern = "layers.*";
    nobody.module = "layers";
    EXPECT_EQ(told(graph, nobody), "0: no parameter has a name like \"layers.*\"");
}

TEST(RuleMatches, LinesAreReadFromWhatTheGraphSays) {
    // How many of one node's lines a rule about lines 5 to 9 of f.py finds.
    const auto found = [](const std::string& says, const std::string& function = "") {
        ModuleRule rule;
        rule.kind = Kind::source;
        rule.file = "f.py";
        rule.first_line = 5;
        rule.last_line = 9;
        rule.function = function;
        rule.module = "m";
        return told(graph_of_calls({call_of("neg", "aten.neg.default", R"({"node": "p_1"})", says)}), rule);
    };
    EXPECT_EQ(found(R"("source": {"file": "f.py", "line": 5})"), "1");
    EXPECT_EQ(found(R"("source": {"file": "f.py", "line": 4})"), "0");
    EXPECT_EQ(found(R"("source": {"file": "f.py", "line": 10})"), "0");
    EXPECT_EQ(found(R"("source": {"file": "f.py", "line": "5"})"), "0");
    EXPECT_EQ(found(R"("source": {"file": "f.py"})"), "0");
    EXPECT_EQ(found(R"("source": {"file": "f.py", "line": 5, "function": "step"})", "step"), "1");
    EXPECT_EQ(found(R"("source": {"file": "f.py", "line": 5, "function": 3})", "step"), "0");
    const std::string none = "0: no node of the graph states file and line";
    EXPECT_EQ(found(R"("source": {"line": 5})"), none);
    EXPECT_EQ(found(R"("source": {"file": 3, "line": 5})"), none);
    EXPECT_EQ(found(R"("source": {"file": "", "line": 5})"), none);
    EXPECT_EQ(found(R"("stack_trace": 3)"), none);
    // Frames of a traceback: whole, without a function, without a line, with no number as the line.
    const auto trace = [](const std::string& frame) { return R"("stack_trace": "  File \"f.py\")" + frame + "\""; };
    EXPECT_EQ(found(trace(", line 7, in step"), "step"), "1");
    EXPECT_EQ(found(trace(", line 7")), "1");
    EXPECT_EQ(found(trace(", line 7"), "step"), "0");
    EXPECT_EQ(found(trace("")), none);
    EXPECT_EQ(found(trace(", line seven, in step")), none);
    EXPECT_EQ(found(R"("source": {"line": 5}, )" + trace(", line 7, in step")), "1");
}

TEST(ModuleProposals, FunctionsOfFilesAreProposedByName) {
    const auto modules = [](const std::string& file, const std::string& function, std::size_t nodes) {
        std::vector<std::string> calls;
        for (std::size_t index = 0; index < nodes; ++index) {
            // Targets differ, so that nothing repeats.
            calls.push_back(call_of("call_" + std::to_string(index), "aten.op" + std::to_string(index) + ".default",
                                    R"({"node": "p_1"})",
                                    R"("source": {"file": ")" + file + R"(", "line": )" + std::to_string(index + 1) +
                                        R"(, "function": ")" + function + R"("})"));
        }
        std::vector<std::string> found;
        for (const ModuleProposal& proposal : propose_module_rules(graph_of_calls(calls)))
            if (proposal.rule.kind == Kind::source) found.push_back(proposal.rule.module);
        return found;
    };
    EXPECT_EQ(modules("/src/model.py", "forward", 4), std::vector<std::string>{"model"});
    EXPECT_EQ(modules("/src/model.py", "", 4), std::vector<std::string>{"model"});
    EXPECT_EQ(modules("/src/model.py", "norm", 4), std::vector<std::string>{"model.norm"});
    EXPECT_EQ(modules("/src/model.py", "norm", 3), std::vector<std::string>{});
    // Nothing that a path could begin with.
    EXPECT_EQ(modules("/src/.hidden", "norm", 4), std::vector<std::string>{});
}

/// A node of a document that returns a tensor of this shape; its storage has the number.
std::string node_of(const std::string& name, const std::string& op, const std::string& target,
                    const std::string& arguments, const std::string& shape, int storage) {
    return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "target": ")" + target + R"(", "args": [)" +
           arguments + R"(], "outputs": [{"dtype": "float32", "shape": [)" + shape + R"(], "stride": [)" +
           (shape.empty() ? "" : "1") + R"(], "device": "cuda", "storage_bytes": 64, "storage": )" +
           std::to_string(storage) + "}]}, ";
}

TEST(RuleMatches, ParametersRulesReachTheGradients) {
    const std::string call = "call_function", neg = "aten.neg.default", product = R"({"node": "product"})";
    const std::string loss = R"({"node": "loss"})";
    const auto graph = read_graph_text(
        R"({"format": "overlap-graph", "version": 1, "nodes": [)" + node_of("p_1", "placeholder", "p_1", "", "4", 0) +
            node_of("p_2", "placeholder", "p_2", "", "8", 1) +
            node_of("loss", call, "aten.dot.default", R"({"node": "p_1"}, {"node": "p_2"})", "", 2) +
            node_of("product", call, "aten.mul.Tensor", loss + ", " + loss, "8", 3) +
            node_of("sum_1", call, "aten.sum.default", product, "4", 4) +
            node_of("grad_1", call, neg, R"({"node": "sum_1"})", "4", 5) +
            node_of("grad_2", call, neg, product, "8", 6) +
            R"({"name": "output", "op": "output", "target": "output",
                "args": [[{"node": "loss"}, {"node": "grad_1"}, {"node": "grad_2"}]]}]})",
        "joint");
    const auto given = [&](const std::string& name) {
        ModuleRule rule;
        rule.pattern = name;
        rule.module = "m";
        const auto repaired = repair_modules(graph, {rule});
        std::vector<std::string> nodes;
        for (NodeId node = 0; node < graph->node_count(); ++node)
            if (repaired->rule_of_node[node] >= 0) nodes.emplace_back(graph->name(node));
        return nodes;
    };
    // What leads to both gradients belongs to none of them.
    EXPECT_EQ(given("p_1"), (std::vector<std::string>{"loss", "sum_1", "grad_1"}));
    EXPECT_EQ(given("p_2"), (std::vector<std::string>{"loss", "grad_2"}));
}

TEST(RuleMatches, RunsBeginWhereLinesFall) {
    // Modules of forward nodes by their lines, of which a rule counts the runs.
    const auto line = [](int number, bool backward = false) {
        return R"("source": {"file": "f.py", "line": )" + std::to_string(number) + R"(}, "autograd_backward": )" +
               (backward ? "true" : "false");
    };
    std::vector<std::string> calls;
    for (const std::string& says : {line(5), line(5), line(7), line(6, true), line(5, true), line(6)})
        calls.push_back(call_of("neg_" + std::to_string(calls.size()), "aten.neg.default", R"({"node": "p_1"})", says));
    const auto graph = graph_of_calls(calls);
    ModuleRule rule;
    rule.kind = Kind::source;
    rule.file = "f.py";
    rule.module = "layers.{n}";
    const auto repaired = repair_modules(graph, {rule})->graph;
    std::vector<std::string> modules;
    for (std::size_t index = 0; index < calls.size(); ++index)
        modules.emplace_back(
            repaired->text(repaired->metadata(repaired->find("neg_" + std::to_string(index))).module_fqn));
    EXPECT_EQ(modules, (std::vector<std::string>{"layers.0", "layers.0", "layers.0", "", "", "layers.1"}));
}

TEST(RuleMatches, WithoutANumberNoForwardNodeIsFollowed) {
    const auto given = [](const std::string& of_forward, const std::string& of_backward) {
        const auto graph = graph_of_calls(
            {call_of("forward", "aten.neg.default", R"({"node": "p_1"})", R"("autograd_backward": false)" + of_forward),
             call_of("backward", "aten.neg.default", R"({"node": "p_1"})",
                     R"("autograd_backward": true)" + of_backward)});
        ModuleRule rule;
        rule.kind = Kind::nodes;
        rule.nodes = {"forward"};
        rule.module = "m";
        return repair_modules(graph, {rule})->outcomes[0].nodes;
    };
    const std::string number = R"(, "seq_nr": 0)";
    EXPECT_EQ(given(number, number), 2u);
    EXPECT_EQ(given(number, ""), 1u);
    EXPECT_EQ(given("", number), 1u);
    EXPECT_EQ(given("", ""), 1u);
}

/// Nodes between take what both sides share, whether rules gave them their modules or the graph did.
TEST(RuleMatches, NodesBetweenTakeWhatTheirNeighboursShare) {
    const auto between = [](const std::string& before, const std::string& behind, bool by_rules) {
        const auto said = [&](const std::string& module) {
            return by_rules ? R"("seq_nr": 1)" : R"("custom": {"module_fqn": ")" + module + R"("})";
        };
        const auto graph =
            graph_of_calls({call_of("before", "aten.neg.default", R"({"node": "p_1"})", said(before)),
                            call_of("between", "aten.neg.default", R"({"node": "before"})"),
                            call_of("behind", "aten.neg.default", R"({"node": "between"})", said(behind))});
        std::vector<ModuleRule> rules;
        for (const auto& [node, module] : {std::pair("before", before), std::pair("behind", behind)}) {
            if (!by_rules) continue;
            ModuleRule& rule = rules.emplace_back();
            rule.kind = Kind::nodes;
            rule.nodes = {node};
            rule.module = module;
        }
        rules.emplace_back().kind = Kind::neighbours;
        const auto repaired = repair_modules(graph, rules)->graph;
        return std::string(repaired->text(repaired->metadata(repaired->find("between")).module_fqn));
    };
    for (const bool by_rules : {false, true}) {
        EXPECT_EQ(between("layers.0.a", "layers.0.b", by_rules), "layers.0");
        EXPECT_EQ(between("layers.0", "layers.0.b", by_rules), "layers.0");
        EXPECT_EQ(between("layers.0", "layers.0", by_rules), "layers.0");
        EXPECT_EQ(between("a", "b", by_rules), "");
        EXPECT_EQ(between("ab", "ac", by_rules), "");
    }
}

TEST(RuleMatches, DocumentedNamesOfParametersCount) {
    const auto graph = read_graph_text(
        R"({"format": "overlap-graph", "version": 1, "placeholder_fqns": {"primals_1": "layers.0.wq.weight"}, "nodes": [
            {"name": "primals_1", "op": "placeholder", "target": "primals_1", "args": []},
            {"name": "primals_2", "op": "placeholder", "target": "primals_2", "args": []},
            {"name": "one", "op": "call_function", "target": "aten.neg.default", "args": [{"node": "primals_1"}]},
            {"name": "other", "op": "call_function", "target": "aten.neg.default", "args": [{"node": "primals_2"}]},
            {"name": "output", "op": "output", "target": "output", "args": [[]]}]})",
        "documented");
    const std::vector<ModuleRule> proposed = parameter_rules(*graph);
    ASSERT_EQ(proposed.size(), 1u);
    EXPECT_EQ(proposed[0].pattern, "layers.{n}.wq.*");
    EXPECT_EQ(repair_modules(graph, proposed)->rule_of_node, (std::vector<std::int32_t>{-1, -1, 0, -1, -1}));
    ModuleRule by_name;
    by_name.pattern = "primals_{n}";
    by_name.module = "m";
    EXPECT_EQ(told(graph, by_name), "2");
}

/// A module is stored as the graph's other nodes have theirs, as both where none has any.
TEST(RuleMatches, ModulesAreStoredAsTheGraphHasThem) {
    const auto stored = [](const std::string& of_other) {
        const auto graph = graph_of_calls({call_of("other", "aten.neg.default", R"({"node": "p_1"})", of_other),
                                           call_of("neg", "aten.neg.default", R"({"node": "p_1"})")});
        ModuleRule rule;
        rule.kind = Kind::nodes;
        rule.nodes = {"neg"};
        rule.module = "m";
        const auto repaired = repair_modules(graph, {rule})->graph;
        const NodeMetadata& metadata = repaired->metadata(repaired->find("neg"));
        return std::string(metadata.module_stack != 0 ? "stack " : "") +
               (metadata.module_fqn != empty_string ? "name" : "");
    };
    EXPECT_EQ(stored(""), "stack name");
    EXPECT_EQ(stored(R"("module_stack": [["L['self'].a", "A"]])"), "stack ");
    EXPECT_EQ(stored(R"("custom": {"module_fqn": "a"})"), "name");
}

TEST(ParameterRules, NamesOfInputsAndAttributesSuggestEachRuleOnce) {
    const auto graph = read_graph_text(
        R"({"format": "overlap-graph", "version": 1, "nodes": [
            {"name": "p_layers_0_wq_weight", "op": "placeholder", "target": "p_layers_0_wq_weight", "args": []},
            {"name": "p_layers_1_wq_weight", "op": "placeholder", "target": "p_layers_1_wq_weight", "args": []},
            {"name": "attribute", "op": "get_attr", "target": "layers.0.norm.weight", "args": []},
            {"name": "p_layers_0_w1_weight", "op": "call_function", "target": "aten.neg.default", "args": []},
            {"name": "output", "op": "output", "target": "output", "args": [[]]}]})",
        "names");
    std::vector<std::string> patterns;
    for (const ModuleRule& rule : parameter_rules(*graph)) patterns.push_back(rule.pattern);
    EXPECT_EQ(patterns, (std::vector<std::string>{"p_layers_{n}_wq_*", "layers.{n}.norm.*"}));
}

}  // namespace
}  // namespace overlap

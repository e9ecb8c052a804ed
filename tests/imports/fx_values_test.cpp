// Values that torch.fx prints among arguments, as the document of the graph has them.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/imports/fx/fx_text.h"
#include "core/io/graph_file.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

using Cases = std::vector<std::pair<std::string, std::string>>;

ImportedGraph imported(const std::string& text) {
    return read_fx_text(text, find_fx_functions(text).at(0), {});
}

/// The JSON of the arguments of `r`, without the brackets around them.
std::string arguments_of(const std::string& text) {
    const std::string document = write_graph_text(*imported(text).graph);
    const std::size_t node = document.find(R"("name":"r")");
    const std::size_t begin = document.find(R"("args":[)", node) + 8;
    return document.substr(begin, document.find(R"(]},{"name")", begin) - begin);
}

TEST(FxValues, OfStatements) {
    for (const auto& [value, json] : Cases{
             {"None", "null"},
             {"True", "true"},
             {"inf", R"({"float":"inf"})"},
             {"-inf", R"({"float":"-inf"})"},
             {"nan", R"({"float":"nan"})"},
             {"-nan", R"({"float":"nan"})"},
             {"float('inf')", R"({"float":"inf"})"},
             {"...", R"({"object":"builtins.ellipsis","text":"..."})"},
             {"3j", R"({"object":"builtins.complex","text":"3j"})"},
             {"-3j", R"({"object":"builtins.complex","text":"-3j"})"},
             {"(1+2j)", R"({"object":"builtins.complex","text":"1+2j"})"},
             {"<function f at 0x7f>", R"({"object":"","text":"<function f at 0x7f>"})"},
             {"{1, 2}", R"({"object":"builtins.set","text":"{1, 2}"})"},
             {"{'k': 1, 2: a}", R"({"dict":{"k":1,"2":{"node":"a"}}})"},
             {"torch.float8_e5m2", R"({"dtype":"float8_e5m2"})"},
             {"torch.strided", R"({"layout":"strided"})"},
             {"torch.jagged", R"({"layout":"jagged"})"},
             {"torch._mkldnn", R"({"layout":"_mkldnn"})"},
             {"torch.sparse_coo", R"({"layout":"sparse_coo"})"},
             {"torch.contiguous_format", R"({"memory_format":"contiguous_format"})"},
             {"torch.preserve_format", R"({"memory_format":"preserve_format"})"},
             {"torch.channels_last", R"({"memory_format":"channels_last"})"},
             {"torch.channels_last_3d", R"({"memory_format":"channels_last_3d"})"},
             {"torch.sum", R"({"object":"torch.sum","text":"torch.sum"})"},
             {"math.pi", R"({"object":"math.pi","text":"math.pi"})"},
             {"device('cuda', 1)", R"({"device":"cuda:1"})"},
             {"torch.device('cpu')", R"({"device":"cpu"})"},
             {"device(type='cuda', index=0)", R"({"device":"cuda:0"})"},
             {"slice(3)", R"({"slice":[null,3,null]})"},
             {"slice(1, 3)", R"({"slice":[1,3,null]})"},
             {"slice(1, None, 2)", R"({"slice":[1,null,2]})"},
             {"torch.Size([2, 3])", "[2,3]"},
             {"float(3)", R"x({"object":"float","text":"float(3)"})x"},
             {"f(3)", R"x({"object":"f","text":"f(3)"})x"},
         }) {
        EXPECT_EQ(arguments_of("def forward(self, a):\n    r = f(" + value + ")\n    return (r, a)\n"), json) << value;
    }
}

TEST(FxValues, ACallOfNothingHasNoArguments) {
    const std::string document =
        write_graph_text(*imported("def forward(self):\n    r = f()\n    return (r,)\n").graph);
    const std::size_t node = document.find(R"("name":"r")");
    EXPECT_EQ(document.substr(node, document.find('}', node) - node).find("args"), std::string::npos) << document;
}

TEST(FxValues, OfNodeLists) {
    for (const auto& [value, json] : Cases{
             {"inf", R"({"float":"inf"})"},
             {"nan", R"({"float":"nan"})"},
             {"meta", R"({"device":"meta"})"},
             {"cpu", R"({"device":"cpu"})"},
             {"cuda:1", R"({"device":"cuda:1"})"},
             {"torch.float16", R"({"dtype":"float16"})"},
             {"torch.strided", R"({"layout":"strided"})"},
             {"torch.jagged", R"({"layout":"jagged"})"},
             {"torch.sparse_coo", R"({"layout":"sparse_coo"})"},
             {"torch.contiguous_format", R"({"memory_format":"contiguous_format"})"},
             {"torch.channels_last_3d", R"({"memory_format":"channels_last_3d"})"},
             {"torch.sum", R"({"object":"torch.sum"})"},
             {"slice(1, None, None)", R"({"slice":[1,null,null]})"},
             {"f[1, 2]", R"("f[1, 2]")"},
             {"f{1, 2}", R"("f{1, 2}")"},
             {"a", R"("a")"},  // a word: nodes have % in front
             {"{k: %a, l: [1]}", R"({"dict":{"k":{"node":"a"},"l":[1]}})"},
         }) {
        EXPECT_EQ(arguments_of("graph():\n    %a : [num_users=1] = placeholder[target=a]\n"
                               "    %r : [num_users=1] = call_function[target=f](args = (" +
                               value + ",), kwargs = {})\n    return (r, a)\n"),
                  json)
            << value;
    }
}

TEST(FxValues, NodeListsHaveTypesBlankLinesAndNames) {
    const ImportedGraph graph = imported(
        "graph():\n"
        "\n"
        "    %a : Tensor \"f32[4, 8][8, 1]cuda:0\" [num_users=1] = placeholder[target=a]\n"
        "    %b : Tensor \"unknown\" [num_users=1] = placeholder[target=b]\n"
        "\t%r :  [num_users=1] = call_function[target=torch.ops._c10d_functional.all_reduce.default](args = (%a, "
        "sum,\t7), "
        "kwargs = {})\n"
        "    %s : [num_users=1] = call_function[target=torch.ops._c10d_functional.all_reduce.default](args = (%a, "
        "sum), "
        "kwargs = {})\n"
        "    %t : [num_users=1] = call_function[target=torch.ops._c10d_functional.all_reduce.default](args = (%a, sum, "
        "[7]), kwargs = {})\n"
        "    %n : [num_users=1] = call_function[target=f](args = (), kwargs = {})\n"
        "    return (r, s, t, n, b)\n");
    EXPECT_EQ(graph.graph->shape(graph.graph->outputs(0)[0])[1], 8);
    EXPECT_TRUE(graph.graph->outputs(1).empty());
    EXPECT_EQ(graph.graph->group_name(graph.graph->find("r")), "7");
    EXPECT_EQ(graph.graph->group_name(graph.graph->find("s")), "");
    EXPECT_EQ(graph.graph->group_name(graph.graph->find("t")), "");
    EXPECT_EQ(graph.graph->inputs(graph.graph->find("output")).size(), 5u);
}

TEST(FxValues, ListsInNodeListsAreNotNestedWithoutEnd) {
    EXPECT_EQ(
        test::problem_of([&] {
            imported("graph():\n    %a : [num_users=1] = call_function[target=f](args = (" + std::string(70, '{'));
        }).find("line 2"),
        0u);
    std::string keys;
    for (int depth = 0; depth < 70; ++depth) keys += "{k: ";
    EXPECT_NE(test::problem_of([&] {
                  imported("graph():\n    %a : [num_users=1] = call_function[target=f](args = (" + keys);
              }).find("this is nested more than 64 levels deep"),
              std::string::npos);
}

/// `name=operation target` of each node.
std::string nodes_of(const std::string& body, const std::string& parameters = "self, a, b") {
    const ImportedGraph graph = imported("def forward(" + parameters + "):\n" + body);
    std::string text;
    for (NodeId node = 0; node < graph.graph->node_count(); ++node) {
        text += std::string(graph.graph->name(node)) + "=" + std::string(node_op_name(graph.graph->op(node))) + " " +
                std::string(graph.graph->target(node)) + "; ";
    }
    return text;
}

TEST(FxValues, OperatorsMethodsAndAttributesAreNodes) {
    const std::string head = "a=placeholder a; b=placeholder b; ", tail = "output=output output; ";
    for (const auto& [statement, node] : Cases{
             {"-a", "call_function operator.neg"},
             {"~a", "call_function operator.invert"},
             {"+a", "call_function operator.pos"},
             {"a @ b", "call_function operator.matmul"},
             {"a[0]", "call_function operator.getitem"},
             {"a.shape", "call_function builtins.getattr"},
             {"a.view(3)", "call_method view"},
             {"self.layer(a)", "call_module layer"},
             {"self.layer.weight", "get_attr layer.weight"},
             {"getattr(self, \"0\")", "get_attr 0"},
             {"getattr(self.layers, \"0\").weight", "get_attr layers.0.weight"},
             {"torch._ops.aten.neg.default(a)", "call_function aten.neg.default"},
             {"torch.ops.aten.neg.default(a)", "call_function aten.neg.default"},
             {"torch.neg(a)", "call_function torch.neg"},
         }) {
        EXPECT_EQ(nodes_of("    r = " + statement + "\n    return (r, b)\n"), head + "r=" + node + "; " + tail)
            << statement;
    }
}

TEST(FxValues, SignaturesHaveTypesDefaultsAndComments) {
    const ImportedGraph graph = imported(
        "def forward(self, a: \"f32[4][1]cpu\",  # PlainAOTInput(idx=0)\n"
        "            b: int = 3, c=None, d=4, #\n"
        "            **e) -> \"f32[4][1]cpu\":\n"
        "    pass\n"
        "    r: \"f32[4][1]cpu\" = a\n"
        "    args = [r, b]\n"
        "    more = (c, d)\n"
        "    q = f(args, more)  # what it does\n"
        "    # Annotation: {'module_fqn': '" +
        std::string(40, 'x') +
        "...'}\n"
        "    s: int = f(q);\n"
        "    return pytree.tree_unflatten([q, s], spec)\n");
    const Graph& nodes = *graph.graph;
    EXPECT_EQ(nodes.name(0), "r");
    EXPECT_EQ(nodes.target(0), "a");
    EXPECT_NE(nodes.text(nodes.metadata(0).extra_json).find("PlainAOTInput(idx=0)"), std::string::npos);
    EXPECT_EQ(nodes.argument(1, 0)->integer, 3);
    EXPECT_TRUE(nodes.argument(2, 0)->is(ValueKind::none));
    EXPECT_EQ(nodes.inputs(nodes.find("q")).size(), 4u);
    EXPECT_EQ(nodes.inputs(nodes.find("output")).size(), 2u);
    EXPECT_EQ(graph.notes.front().sentence,
              "an annotation was cut by torch.fx, which prints 40 characters (line 9, column 5)");
}

}  // namespace
}  // namespace overlap

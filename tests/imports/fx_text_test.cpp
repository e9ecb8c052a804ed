#include "core/imports/fx/fx_text.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/graph_file.h"

namespace overlap {
namespace {

ImportedGraph import_first(std::string_view text, const ImportOptions& options = {}) {
    const std::vector<FxFunction> functions = find_fx_functions(text);
    return read_fx_text(text, functions.at(0), options);
}

std::string problem_of(std::string_view text) {
    try {
        import_first(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

TEST(FxText, ReadsWhatPrintReadableWrites) {
    ImportOptions options;
    options.symbols["s0"] = 8;
    const ImportedGraph imported = import_first(R"text(class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "bf16[16, 32][32, 1]cuda:0", s0: "Sym(s0)", L_x_: "f32[s0, 4][4, 1]cuda:0"):
        l_x_ = L_x_

         # File: m.py:3 in forward, code: y = x
        t: "bf16[32, 16][1, 32]cuda:0" = torch.ops.aten.t.default(primals_1)
        full = torch.ops.aten.full.default([2], -inf, dtype = torch.float32, device = device(type='cuda', index=0))
        all_reduce: "bf16[32, 16][1, 32]cuda:0" = torch.ops._c10d_functional.all_reduce.default(t, 'sum', '0');  t = None
        split = torch.ops.aten.split.Tensor(primals_1, 8);  primals_1 = None
        getitem: "bf16[8, 32][32, 1]cuda:0" = split[1];  split = None
        add = l_x_ + 1;  l_x_ = None
        self_0 = getattr(self.layers, "0").weight
        return (all_reduce, getitem, add)
)text",
                                                options);
    const Graph& graph = *imported.graph;
    ASSERT_EQ(graph.node_count(), 11u);
    EXPECT_EQ(graph.name(2), "l_x_");
    EXPECT_EQ(graph.target(2), "L_x_");
    EXPECT_EQ(graph.shape(graph.outputs(2)[0])[0], 8);
    EXPECT_EQ(graph.target(graph.find("t")), "aten.t.default");
    EXPECT_EQ(graph.outputs(graph.find("t"))[0].storage, graph.outputs(0)[0].storage);
    EXPECT_NE(graph.outputs(graph.find("all_reduce"))[0].storage, graph.outputs(0)[0].storage);
    EXPECT_EQ(graph.text(graph.argument(graph.find("full"), 1)->string), "-inf");
    EXPECT_EQ(graph.text(graph.keyword(graph.find("full"), "device")->string), "cuda:0");
    EXPECT_EQ(graph.group_name(graph.find("all_reduce")), "0");
    const NodeId item = graph.find("getitem");
    EXPECT_EQ(graph.target(item), "operator.getitem");
    EXPECT_EQ(graph.outputs(item)[0].storage_offset, 8 * 32);
    EXPECT_TRUE(graph.record(graph.find("split")).multi);
    EXPECT_EQ(graph.outputs(graph.find("split")).size(), 2u);
    EXPECT_EQ(graph.target(graph.find("add")), "operator.add");
    EXPECT_EQ(graph.op(graph.find("self_0")), NodeOp::get_attr);
    EXPECT_EQ(graph.target(graph.find("self_0")), "layers.0.weight");
    // What was imported is a document like any other.
    EXPECT_EQ(write_graph_text(*read_graph_text(write_graph_text(graph), "again")), write_graph_text(graph));
}

TEST(FxText, InputsOfARunnableScript) {
    const ImportedGraph imported = import_first(R"text(class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, arg0_1, arg1_1):
        mm = torch.ops.aten.mm.default(arg0_1, arg1_1);  arg0_1 = arg1_1 = None
        return (mm,)

def load_args(reader):
    buf0 = reader.storage(None, 8192, device=device(type='cuda', index=0), dtype_hint=torch.bfloat16)
    reader.tensor(buf0, (32, 64), dtype=torch.bfloat16, is_leaf=True)  # arg0_1
    reader.tensor(buf0, (64, 32), (1, 64), dtype=torch.bfloat16, is_leaf=True)  # arg1_1
load_args._version = 0
)text");
    const Graph& graph = *imported.graph;
    const NodeId product = graph.find("mm");
    ASSERT_EQ(graph.outputs(product).size(), 1u);
    EXPECT_EQ(graph.shape(graph.outputs(product)[0])[1], 32);
    EXPECT_EQ(graph.outputs(0)[0].storage, graph.outputs(1)[0].storage);
    EXPECT_EQ(graph.outputs(0)[0].storage_bytes, 8192);  // more than the tensors reach
    EXPECT_EQ(graph.text(graph.outputs(product)[0].device), "cuda");
    EXPECT_EQ(imported.typing.unknown, 0u);
}

TEST(FxText, NodeListsOfPrintGraph) {
    const ImportedGraph imported = import_first(R"text(graph():
    %arg0_1 : [num_users=1] = placeholder[target=arg0_1]
    %gather : [num_users=1] = call_function[target=torch.ops._c10d_functional.all_gather_into_tensor.default](args = (%arg0_1, 8, 0), kwargs = {})
    %copy : [num_users=1] = call_function[target=torch.ops.aten._to_copy.default](args = (%gather,), kwargs = {dtype: torch.bfloat16})
    %item : [num_users=0] = call_function[target=operator.getitem](args = (%copy, (slice(0, 2, None), None)), kwargs = {})
    return [copy]
)text");
    const Graph& graph = *imported.graph;
    ASSERT_EQ(graph.node_count(), 5u);
    EXPECT_EQ(graph.group_name(1), "0");
    EXPECT_EQ(graph.keyword(2, "dtype")->kind, ValueKind::dtype);
    EXPECT_EQ(graph.children(*graph.argument(3, 1))[0].kind, ValueKind::slice);
    EXPECT_EQ(graph.inputs(4)[0], 2u);
}

/// As the document has them: what was read is written and read again without loss.
TEST(FxText, NumbersAreThoseThatPythonPrints) {
    const ImportedGraph list = import_first(R"text(graph():
    %f : [num_users=1] = call_function[target=f](args = (-7, 0, 1.5, -1e-05, 98765432109876543210, -inf), kwargs = {})
    %g : [num_users=1] = call_function[target=g](args = (007, -iNf, infinity, 1e999, nan(1), -), kwargs = {})
    return [f, g]
)text");
    const std::string text = write_graph_text(*list.graph);
    EXPECT_NE(text.find(R"([-7,0,1.5,-1e-05,98765432109876543210,)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"x(["007","-iNf","infinity","1e999","nan(1)","-"])x"), std::string::npos) << text;
    EXPECT_EQ(write_graph_text(*read_graph_text(text, "again")), text);

    const std::string head = "def forward(self, a):\n    b = f(a, ", tail = ")\n    return b\n";
    const ImportedGraph statement = import_first(head + "-98765432109876543210, 1., -.5" + tail);
    EXPECT_NE(write_graph_text(*statement.graph).find("-98765432109876543210,1.0,-0.5]"), std::string::npos);
    for (const std::string number : {"007", "1e999", "1e-999"}) {
        EXPECT_EQ(problem_of(head + number + tail), "line 2, column 14: Python prints no number as \"" + number + "\"");
    }
}

TEST(FxText, MistakesAreOneSentenceWithTheirPlace) {
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = f(c)\n    return b\n"),
              "line 2, column 11: no node before this is called \"c\"");
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = f(a);  a = None\n    return a\n"),
              "line 3, column 12: \"a\" is used after it was released in line 2, column 16");
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = f(a)\n"),
              "line 3, column 1: the text ends inside the function, before its return");
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = f(a)\n    b = f(a)\n    return b\n"),
              "line 3, column 5: the name \"b\" is given for the second time");
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = f(a + 1)\n    return b\n"),
              "line 2, column 11: expected a value, found \"a + 1\"");
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = f(a, device = 1, device = 2)\n    return b\n"),
              "line 2, column 26: a keyword argument is repeated");
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = self(a)\n    return b\n"),
              "line 2, column 9: self is called, and only modules in it can be");
    EXPECT_EQ(problem_of("def forward(self, a):\n    b = f(a, {'k': 1, 'k': 2})\n    return b\n"),
              "line 2, column 23: a dictionary has a key twice");
}

TEST(FxText, MistakesInNodeLists) {
    const std::string head = "graph():\n    %a : [num_users=1] = placeholder[target=a]\n    %b : [num_users=0] = ";
    EXPECT_EQ(problem_of(head + "call_function[target=f](args = (%a, [gs = (1)), kwargs = {})\n    return b\n"),
              "line 3, column 71: expected a comma or the closing bracket");
    EXPECT_EQ(problem_of(head + "call_function[target=f](args = ([), kwargs = {})\n    return b\n"),
              "line 3, column 59: expected a value");
    EXPECT_EQ(problem_of(head + "call_function[target=f](args = %a, kwargs = {})\n    return b\n"),
              "line 3, column 59: expected the arguments in parentheses");
    EXPECT_EQ(problem_of(head + "call_function[target=f](args = (%a,), kwargs = {k: 1, k: 2})\n    return b\n"),
              "line 3, column 80: a dictionary has a key twice");
    EXPECT_EQ(problem_of("graph():\n    % : [num_users=1] = placeholder[target=a]\n    return (a,)\n"),
              "line 2, column 9: expected a name behind %");
}

TEST(FxText, UnknownOperatorsAreCountedAndKeepTheirTypes) {
    const ImportedGraph imported = import_first(
        "def forward(self, a: \"f32[4][1]cpu\"):\n"
        "    b = torch.ops.mine.op.default(a)\n"
        "    c: \"f32[2][1]cpu\" = torch.ops.mine.op.default(a)\n"
        "    d = torch.ops.aten.neg.default(b)\n"
        "    return (d, c)\n");
    EXPECT_EQ(imported.typing.unknown, 2u);
    EXPECT_EQ(imported.typing.unknown_operators.at("mine.op.default: no rule"), 1u);
    EXPECT_EQ(imported.typing.unknown_operators.at("aten.neg.default: its input is unknown"), 1u);
    EXPECT_EQ(imported.graph->outputs(imported.graph->find("c")).size(), 1u);
}

TEST(FxText, NestedGraphsAreSeenAsSuch) {
    const auto functions = find_fx_functions(
        "class GraphModule(torch.nn.Module):\n    def forward(self, a):\n        return a\n\n"
        "    class body(torch.nn.Module):\n        def forward(self, b):\n            return b\n"
        "class Other(torch.nn.Module):\n    def forward(self, a):\n        return a\n");
    ASSERT_EQ(functions.size(), 3u);
    EXPECT_FALSE(functions[0].is_nested);
    EXPECT_TRUE(functions[1].is_nested);
    EXPECT_EQ(functions[2].name, "Other");
    EXPECT_FALSE(functions[2].is_nested);
}

}  // namespace
}  // namespace overlap

// What is wrong with a text, and where; and what of a text is left out.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/imports/fx/fx_text.h"
#include "core/io/graph_file.h"
#include "tests/support/problem_of.h"

namespace overlap {
namespace {

ImportedGraph import_first(std::string_view text) {
    return read_fx_text(text, find_fx_functions(text).at(0), {});
}

std::string problem_of(std::string_view text) {
    return test::problem_of([&] { import_first(text); });
}

using Cases = std::vector<std::pair<std::string, std::string>>;

/// Each text between `before` and `after`, and its problem.
void expect_problems(const std::string& before, const std::string& after, const Cases& cases) {
    for (const auto& [text, problem] : cases) EXPECT_EQ(problem_of(before + text + after), problem) << text;
}

TEST(FxMistakes, InStatements) {
    expect_problems(
        "def forward(self, a):\n    ", "\n    return (a,)\n",
        {
            {"b = 3", "line 2, column 9: expected a call, found \"3\""},
            {"b = 'x'", "line 2, column 9: expected a call, found \"'x'\""},
            {"b", "line 2, column 6: expected an assignment, found the end of the line"},
            {"b = c = f(a)", "line 2, column 5: one name is assigned at a time, unless it is released to None"},
            {"b, c = a", "line 2, column 5: several names are assigned at once"},
            {"b, c.d = f([a])", "line 2, column 8: only a name can be assigned"},
            {"b.c = f(a)", "line 2, column 5: only a name can be assigned"},
            {"b.c = None", "line 2, column 5: only a name can be released"},
            {"b = None", "line 2, column 5: \"b\" is released, and no node has this name"},
            {"b = f(a) c", "line 2, column 14: expected the end of the statement, found \"c\""},
            {"b = f(a)(a)", "line 2, column 9: what is called here has no name"},
            {"a @ a", "line 2, column 10: expected an assignment, found the end of the line"},
            {"a[0] = a\n    b = f(a)", "line 2, column 5: what is changed in place here is given no name behind it"},
            {"a += a", "line 2, column 5: what is changed in place here is given no name behind it"},
            {"a += a\n    a += a;  b = a",
             "line 2, column 5: what is changed in place here is given no name behind it"},
            {"a += a\n    b = f(a)", "line 2, column 5: what is changed in place here is given no name behind it"},
            {"b = f(a)\n    c = b", "line 3, column 9: a name is given to a node for the second time"},
            {"class C:", "line 2, column 5: the function ends without a return"},
            {"def g(b):", "line 2, column 5: the function ends without a return"},
        });
}

/// `01` is a number neither in Python nor in JSON: the graph's document can be read.
TEST(FxMistakes, ASizeThatIsNoNumberStaysAText) {
    const ImportedGraph imported =
        import_first("def forward(self, a: \"f32[8, 9-3, 01]cpu\"):\n    b = f(a)\n    return (b,)\n");
    const std::string document = write_graph_text(*imported.graph);
    EXPECT_NE(document.find(R"("symbolic_shapes":[[8,"9-3","01"]])"), std::string::npos) << document;
    EXPECT_NO_THROW(read_graph_text(document, "again"));
}

TEST(FxMistakes, InSignatures) {
    expect_problems("def forward(", "\n    return (a,)\n",
                    {
                        {"self, 3):", "line 1, column 19: expected the name of a parameter, found \"3\""},
                        {"self, a b):", "line 1, column 21: expected a comma or ), found \"b\""},
                        {"self, a / b):", "line 1, column 21: expected a comma or ), found \"/\""},
                        {"self, a)", "line 1, column 21: expected \":\", found the end of the line"},
                        {"self, a", "line 2, column 5: expected a comma or ), found \"return\""},
                    });
}

TEST(FxMistakes, InExpressions) {
    expect_problems(
        "def forward(self, a):\n    b = ", "\n    return (a,)\n",
        {
            {"f(a, ?)", "line 2, column 14: this character starts nothing that torch.fx prints"},
            {"f(a, 3x)", "line 2, column 14: this is neither a number nor a name"},
            {"f(a, 'x)", "line 2, column 14: this string does not end"},
            {"f(a, '''x)", "line 2, column 14: this string does not end"},
            {"f(a, <object x)", "line 2, column 14: this description of an object does not end"},
            {"f(a, k = 1, a)", "line 2, column 21: a positional argument follows a keyword argument"},
            {"f(a a)", "line 2, column 13: expected a comma or ), found \"a\""},
            {"f([a a])", "line 2, column 14: expected a comma or ], found \"a\""},
            {"f({'k': a 'l': a})", "line 2, column 19: expected a comma or }, found \"'l'\""},
            {"f({'k': a, 'l'})", "line 2, column 23: expected \":\", found \"}\""},
            {"f({a, a a})", "line 2, column 17: expected a comma or }, found \"a\""},
            {"a.3", "line 2, column 10: expected the end of the statement, found \".3\""},
            {"a. ", "line 2, column 12: expected the name of an attribute, found the end of the line"},
            {"a[1", "line 3, column 5: expected \"]\", found \"return\""},
            {"f(a, -a)", "line 2, column 15: arithmetic stands where a value was expected"},
            {"f(a, ~3)", "line 2, column 14: expected a value, found \"~3\""},
            {"f(a, a[0])", "line 2, column 14: expected a value, found \"a[0]\""},
            {"f(a, f(a).b)", "line 2, column 14: expected a value, found \"f(a).b\""},
            {"f(a, )" + std::string(1, ']'), "line 2, column 15: expected the end of the statement, found \"]\""},
        });
}

TEST(FxMistakes, NestingAndChainsHaveALimit) {
    const auto problem_at = [](const std::string& open) {
        const std::string problem = problem_of("def forward(self, a):\n    b = f(" + open);
        return problem.substr(problem.find(": ") + 2);
    };
    const auto many = [](std::string_view piece) {
        std::string text;
        for (int count = 0; count < 70; ++count) text += piece;
        return text;
    };
    for (const std::string_view open : {"(", "[", "{'k': ", "f(", "a[", "-"}) {
        EXPECT_EQ(problem_at(many(open)), "this is nested more than 64 levels deep") << open;
    }
    std::string chain = "a";
    for (int count = 0; count < 2000; ++count) chain += ".a";
    EXPECT_EQ(problem_at(chain), "a chain of more than 1000 operators begins here");
}

TEST(FxMistakes, InNodeLists) {
    expect_problems(
        "graph():\n    %a : [num_users=1] = placeholder[target=a]\n", "",
        {
            {"    b = f(a)\n", "line 3, column 1: expected a node, which begins with %, or the return"},
            {"    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {})\n",
             "line 4, column 1: the text ends inside the graph, before its return"},
            {"    %b : [num_users=1] = nothing[target=f]\n", "line 3, column 41: there is no operation \"nothing\""},
            {"    %b = f\n", "line 3, column 6: expected \" : \" in this line"},
            {"    return\n", "line 3, column 11: expected what is returned"},
            {"    return [a\n", "line 3, column 14: a list does not end in this line"},
            {"    %b : [num_users=1] = call_function[target=f](args = (%c,), kwargs = {})\n",
             "line 3, column 60: no node before this is called \"%c\""},
            {"    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = {k: 1\n",
             "line 3, column 78: a dictionary does not end in this line"},
            {"    %b : [num_users=1] = call_function[target=f](args = (%a,), kwargs = (1,))\n",
             "line 3, column 77: expected the keyword arguments in braces"},
            {"    %b : [num_users=1] = call_function[target=f](args = (%a,) kwargs = {})\n",
             "line 3, column 63: expected \", kwargs = \""},
            {"    %a : [num_users=1] = placeholder[target=a]\n",
             "line 3, column 47: the name \"a\" is given for the second time"},
            {"    %b : [num_users=1] = call_function[target=f](args = (" + std::string(70, '[') + "), kwargs = {})\n",
             "line 3, column 122: this is nested more than 64 levels deep"},
        });
}

TEST(FxMistakes, InInputsOfAScript) {
    expect_problems(
        "def forward(self, a):\n    return (a,)\n\ndef load_args(reader):\n    "
        "buf0 = reader.storage(None, 64, dtype_hint=torch.int64)\n    ",
        "\nload_args._version = 0\n",
        {
            {"reader.tensor(buf1, (4,))", "line 6, column 5: expected a storage that load_args has made"},
            {"reader.tensor()", "line 6, column 5: expected a storage that load_args has made"},
            {"reader.tensor(buf0)", "line 6, column 5: expected the sizes of a tensor"},
            {"reader.tensor(buf0, 4)", "line 6, column 5: expected the sizes of a tensor"},
            {"reader.tensor(buf0, (4, s0))", "line 6, column 29: expected a size"},
            {"reader.tensor(buf0, (4, 99999999999999999999))", "line 6, column 29: expected a size"},
            {"reader.tensor(buf0, (4,), (1, 1))", "line 6, column 5: a tensor has other strides than sizes"},
            {"reader.tensor(buf0, (4,))\n    reader.tensor(buf0, (4,))",
             "line 7, column 5: load_args states more inputs than the graph has"},
        });
}

TEST(FxMistakes, InputsOfAScriptTakeTypesFromTheirStorage) {
    const ImportedGraph imported = import_first(
        "def forward(self, a, b, s0):\n    return (a, b)\n\ndef load_args(reader):\n"
        "    buf0 = reader.storage(None, 64, dtype_hint=torch.int64)\n"
        "    buf1 = reader.storage(None, 64, device=device(type='cuda', index=0))\n"
        "    # a comment\n"
        "    print('loading')\n"
        "    reader.tensor(buf0, [2, 3], stride=(1, 2), storage_offset=2)\n"
        "    reader.tensor(buf1, (4,), dtype=none)\n"
        "    reader.symint(7)\n"
        "load_args._version = 0\n");
    const Graph& graph = *imported.graph;
    const TensorMeta& first = graph.outputs(0)[0];
    EXPECT_EQ(dtype_info(first.dtype).name, "int64");
    EXPECT_EQ(graph.stride(first)[1], 2);
    EXPECT_EQ(first.storage_offset, 2);
    EXPECT_EQ(graph.text(first.device), "cpu");
    const TensorMeta& second = graph.outputs(1)[0];
    EXPECT_EQ(dtype_info(second.dtype).name, "float32");
    EXPECT_EQ(graph.text(second.device), "cuda");
    EXPECT_EQ(imported.typing.without_tensor, 2u);  // the integer and the output
    EXPECT_EQ(imported.notes, std::vector<ImportNote>{
                                  {"a statement of load_args states no input, and is left out (line 8, column 5)"}});
}

TEST(FxMistakes, WhatIsLeftOutIsSaid) {
    const ImportedGraph imported = import_first(
        "def forward(self, a: \"f32[s0][1]cpu\", b: \"things that are not known\", c: \"f32[s1][1]cpu\"):\n"
        "    \"\"\"details of a node\"\"\"\n"
        "    pass\n"
        "    d = torch.ops.aten.neg.default(a);  a = None;\n"
        "    return (d, b, c)\n");
    const std::vector<ImportNote> expected{
        {"the symbol \"s0\" has no value: --symbol NAME=VALUE gives one (line 1, column 19)", ImportNoteKind::untold},
        {"the type \"things that are not known\" is none that is known, and is left out (line 1, column 39)"},
        {"the symbol \"s1\" has no value: --symbol NAME=VALUE gives one (line 1, column 71)", ImportNoteKind::untold},
        {"a text between the statements has nothing that a graph keeps (line 2, column 5)"}};
    EXPECT_EQ(imported.notes, expected);
}

TEST(FxMistakes, InPlaceStatementsAndMethodsAreNodes) {
    const ImportedGraph imported = import_first(
        "def forward(self, a, *rest):\n"
        "    a += 1;  b = a\n"
        "    b **= 2;  c = b\n"
        "    c @= b;  imatmul = c\n"
        "    a[0] = c;  setitem = a\n"
        "    a[1:, None] = None;  setitem_1 = a;  setitem_1 = None\n"
        "    return (imatmul, a)\n");
    EXPECT_EQ(imported.graph->target(imported.graph->find("b")), "operator.iadd");
    EXPECT_EQ(imported.graph->target(imported.graph->find("c")), "operator.ipow");
    EXPECT_EQ(imported.graph->target(imported.graph->find("imatmul")), "operator.imatmul");
    const NodeId stored = imported.graph->find("setitem");
    EXPECT_EQ(imported.graph->target(stored), "operator.setitem");
    const std::vector<NodeId> inputs(imported.graph->inputs(stored).begin(), imported.graph->inputs(stored).end());
    EXPECT_EQ(inputs, (std::vector{imported.graph->find("a"), imported.graph->find("c")}));
    EXPECT_EQ(imported.graph->target(imported.graph->find("setitem_1")), "operator.setitem");
}

TEST(FxMistakes, TextsThatAreNotUtf8) {
    EXPECT_EQ(problem_of("def forward(self, a):\n    return (a, '\xff')\n"), "the text is not UTF-8");
}

}  // namespace
}  // namespace overlap

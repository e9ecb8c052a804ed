// Documents that are JSON but no graph: each is an InputError that names the place and what was expected.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/graph_file.h"

namespace overlap {
namespace {

struct Case {
    std::string text;
    std::string message;  ///< after "file: "
};

std::string message_of(const std::string& text) {
    try {
        read_graph_text(text, "file");
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

void expect_messages(const std::vector<Case>& cases) {
    for (const Case& test : cases)
        EXPECT_EQ(message_of(test.text), "file: " + test.message) << test.text.substr(0, 300);
}

std::string document(const std::string& nodes, const std::string& fields = "") {
    return R"({"format":"overlap-graph","version":1,)" + fields + R"("nodes":[)" + nodes + "]}";
}

/// A document whose second node is `b`, a call with further fields.
std::string call(const std::string& fields) {
    return document(
        R"({"name":"a","op":"placeholder","target":"a"},{"name":"b","op":"call_function","target":"aten.mm.default")" +
        (fields.empty() ? "" : "," + fields) + "}");
}

std::string argument(const std::string& value) {
    return call(R"("args":[)" + value + "]");
}

std::string tensor(const std::string& fields) {
    return call(R"("outputs":[{)" + fields + "}]");
}

TEST(BadDocument, WhatExportersTellBesideTheNodes) {
    expect_messages({
        {document("", R"("naming":[],)"), "naming: expected an object, found a list"},
        {document("", R"("naming":{"last_number":{"mm":-1}},)"),
         "naming.last_number.mm: expected an integer of at least 0, found the integer -1"},
        {document("", R"("naming":{"retired":[1]},)"), "naming.retired[0]: expected a string, found the integer 1"},
        {document("", R"("operators":{"a.b.c":{"traits":[]}},)"),
         "operators.a.b.c: the field \"side_effects\" is missing"},
        {document("", R"("operators":{"a.b.c":{"traits":["fast"],"side_effects":"none"}},)"),
         "operators.a.b.c.traits[0]: expected view, cheap, fusible or compute, found the string \"fast\""},
        {document("", R"("operators":{"a.b.c":{"traits":[],"side_effects":"no"}},)"),
         "operators.a.b.c.side_effects: expected none, some or unknown, found the string \"no\""},
    });
}

TEST(BadDocument, Format) {
    expect_messages({
        {"[]", "expected an object with \"format\": \"overlap-graph\", found a list"},
        {"3", "expected an object with \"format\": \"overlap-graph\", found the integer 3"},
        {"{}", "format: this field is missing; expected \"overlap-graph\", is it a graph document?"},
        {R"({"format":"overlap-plan","version":1})",
         "format: expected \"overlap-graph\", found the string \"overlap-plan\""},
        {R"({"format":7,"version":1})", "format: expected \"overlap-graph\", found the integer 7"},
        {R"({"format":"overlap-graph"})", "version: this field is missing; expected 1"},
        {R"({"format":"overlap-graph","version":2})",
         "version: written by version 2 of the graph format; this program reads up to version 1: update Overlap "
         "Studio"},
        {R"({"format":"overlap-graph","version":"1"})",
         "version: expected an integer of 64 bits, found the string \"1\""},
        {R"({"format":"overlap-graph","version":1})", "nodes: this field is missing; expected a list"},
        {R"({"format":"overlap-graph","version":1,"nodes":{}})", "nodes: expected a list, found an object"},
        {document("", R"("name":1,)"), "name: expected a string, found the integer 1"},
        {document("", R"("name":"a","name":"b",)"), "name: this field appears twice"},
        {document("", R"("producer":"torch",)"), "producer: expected an object, found the string \"torch\""},
        {document("", R"("world_size":0,)"), "world_size: expected an integer of at least 1, found the integer 0"},
        {document("", R"("rank":-1,)"), "rank: expected an integer of at least 0, found the integer -1"},
        {document("", R"("rank":99999999999999999999,)"),
         "rank: expected an integer from 0 to 9,223,372,036,854,775,807, found the number 99999999999999999999"},
    });
}

TEST(BadDocument, ProcessGroups) {
    const auto groups = [](const std::string& list) { return document("", R"("process_groups":[)" + list + "],"); };
    expect_messages({
        {groups("1"), "process_groups[0]: expected an object, found the integer 1"},
        {groups("{}"), "process_groups[0]: the field \"name\" is missing"},
        {groups(R"({"name":""})"), "process_groups[0].name: a process group's name must not be empty"},
        {groups(R"({"name":"dp"})"), "process_groups[0] \"dp\": the field \"ranks\" is missing"},
        {groups(R"({"name":"dp","ranks":[0]})"), "process_groups[0] \"dp\": the field \"rank\" is missing"},
        {groups(R"({"name":"dp","ranks":[0,-1],"rank":0})"),
         "process_groups[0] \"dp\", ranks[1]: expected an integer from 0 to 2,147,483,647, found the integer -1"},
        {groups(R"({"name":"dp","ranks":[3,3],"rank":0})"),
         "process_groups[0] \"dp\", ranks[1]: rank 3 is listed twice"},
        {groups(R"({"name":"dp","ranks":[4,5],"rank":4})"),
         "process_groups[0] \"dp\", rank: expected an index of `ranks`, which has 2 entries, found the integer 4"},
        {groups(R"({"name":"dp","ranks":[],"rank":0})"),
         "process_groups[0] \"dp\", rank: expected an index of `ranks`, which has 0 entries, found the integer 0"},
        {groups(R"({"name":"dp","ranks":[0],"rank":0},{"name":"dp","ranks":[0],"rank":0})"),
         "process_groups[1]: the name \"dp\" is used twice, and names must be unique"},
    });
}

TEST(BadDocument, CostModel) {
    const auto cost = [](const std::string& model) { return document("", R"("cost_model":)" + model + ","); };
    const std::string device = R"("device":{"flops_per_s":{"bfloat16":1e15},"memory_bytes_per_s":3e12})";
    expect_messages({
        {cost("[]"), "cost_model: expected an object, found a list"},
        {cost("{}"), "cost_model: the field \"device\" is missing"},
        {cost(R"({"device":{}})"), "cost_model.device: the field \"flops_per_s\" is missing"},
        {cost(R"({"device":{"flops_per_s":{"bfloat16":0}}})"),
         "cost_model.device.flops_per_s.bfloat16: expected a number greater than 0, found the integer 0"},
        {cost(R"({"device":{"flops_per_s":{},"memory_bytes_per_s":1},"compiled":"all"})"),
         "cost_model.compiled: expected \"eager\", \"blocks\" or \"whole\", found the string \"all\""},
        {cost(R"({"device":{"flops_per_s":{},"memory_bytes_per_s":1},"attention_density":0.5})"),
         "cost_model.attention_density: it is of a compiled job, and `compiled` is missing"},
        {cost(R"({"device":{"flops_per_s":{}}})"), "cost_model.device: the field \"memory_bytes_per_s\" is missing"},
        {cost(R"({"device":{"flops_per_s":{},"memory_bytes_per_s":1,"memory_efficiency":"1"}})"),
         "cost_model.device.memory_efficiency: expected a finite number, found the string \"1\""},
        {cost("{" + device + R"(,"links":[{"process_group":"0","latency_ms":-1,"bytes_per_s":1}]})"),
         "cost_model.links[0].latency_ms: expected a finite number that is not negative, found the integer -1"},
        {cost("{" + device + R"(,"links":[{"process_group":"0","latency_ms":0}]})"),
         "cost_model.links[0]: the field \"bytes_per_s\" is missing"},
        {cost("{" + device +
              R"(,"links":[{"process_group":"0","latency_ms":0,"bytes_per_s":1},{"process_group":"0"}]})"),
         "cost_model.links[1].process_group: \"0\" has a link already"},
        {cost("{" + device +
              R"(,"links":[{"process_group":"0","latency_ms":0,"bytes_per_s":1,"kinds":{"gossip":[]}}]})"),
         "cost_model.links[0].kinds.gossip: there is no kind of collective of this name"},
        {cost("{" + device +
              R"(,"links":[{"process_group":"0","latency_ms":0,"bytes_per_s":1,"kinds":{"all_reduce":[]}}]})"),
         "cost_model.links[0].kinds.all_reduce: expected at least one way to run it"},
        {cost(
             "{" + device +
             R"(,"links":[{"process_group":"0","latency_ms":0,"bytes_per_s":1,"kinds":{"all_reduce":[{"latency_ms":1}]}}]})"),
         "cost_model.links[0].kinds.all_reduce[0]: the field \"bytes_per_s\" is missing"},
    });
}

TEST(BadDocument, Nodes) {
    expect_messages({
        {document("1"), "nodes[0]: expected an object, found the integer 1"},
        {document("{}"), "nodes[0]: the field \"name\" is missing"},
        {document(R"({"name":7})"), "nodes[0].name: expected a string, found the integer 7"},
        {document(R"({"name":""})"), "nodes[0].name: a node's name must not be empty"},
        {document(R"({"name":"a"})"), "nodes[0] \"a\": the field \"op\" is missing"},
        {document(R"({"name":"a","op":"placeholder"})"), "nodes[0] \"a\": the field \"target\" is missing"},
        {document(R"({"name":"a","op":"call","target":"t"})"),
         "nodes[0] \"a\", op: expected placeholder, get_attr, call_function, call_module, call_method or output, found "
         "the "
         "string \"call\""},
        {document(R"({"name":"a","op":"placeholder","target":null})"),
         "nodes[0] \"a\", target: expected a string, found null"},
        {document(R"({"name":"a","op":"placeholder","target":"a"},{"name":"a","op":"placeholder","target":"a"})"),
         "nodes[1] \"a\": nodes[0] has this name already, and names must be unique"},
        {call(R"("args":{})"), "nodes[1] \"b\", args: expected a list, found an object"},
        {call(R"("kwargs":[])"), "nodes[1] \"b\", kwargs: expected an object, found a list"},
        {call(R"("args":[],"args":[])"), "nodes[1] \"b\", args: this field appears twice"},
        {call(R"("multi":1)"), "nodes[1] \"b\", multi: expected true or false, found the integer 1"},
        {call(R"("seq_nr":1.5)"), "nodes[1] \"b\", seq_nr: expected an integer of 64 bits, found the number 1.5"},
        {call(R"("estimate_ms":-0.5)"),
         "nodes[1] \"b\", estimate_ms: expected a finite number that is not negative, found the number -0.5"},
        {call(R"("estimate_ms":1e300)"),
         "nodes[1] \"b\", estimate_ms: expected at most 1,000,000,000,000, found the number 1e+300"},
        {call(R"("estimate_ms":1e999)"),
         "nodes[1] \"b\", estimate_ms: expected a finite number that is not negative, found the number 1e999"},
        {call(R"("estimate_ms":"1")"),
         "nodes[1] \"b\", estimate_ms: expected a finite number that is not negative, found the string \"1\""},
        {call(R"("custom":"x")"), "nodes[1] \"b\", custom: expected an object, found the string \"x\""},
        {call(R"("titan_meta":[1])"), "nodes[1] \"b\", titan_meta: expected an object, found a list"},
        {call(R"("titan_meta":{},"titan_meta":{})"), "nodes[1] \"b\", titan_meta: this field appears twice"},
        {call(R"("symbolic_value":4)"), "nodes[1] \"b\", symbolic_value: expected an object, found the integer 4"},
        {call(R"("symbolic_shapes":{})"), "nodes[1] \"b\", symbolic_shapes: expected a list, found an object"},
        {call(R"("partitioner_tag":{})"), "nodes[1] \"b\", partitioner_tag: expected a string, found an object"},
        {call(R"("autograd_backward":null)"), "nodes[1] \"b\", autograd_backward: expected true or false, found null"},
        {call(R"("module_stack":[["a"]])"), "nodes[1] \"b\", module_stack[0]: expected [path, class], found a list"},
        {call(R"("fwd_module_stack":[["a",1]])"),
         "nodes[1] \"b\", fwd_module_stack[0][1]: expected a string, found the integer 1"},
        {call(R"("users_order":{})"), "nodes[1] \"b\", users_order: expected a list, found an object"},
        {call(R"("users_order":["nobody"])"), "nodes[1].users_order[0]: no node is called \"nobody\""},
        {call(R"("users_order":["a"])"), "node \"b\", users_order: these are not exactly the nodes that use it"},
        {document(R"({"name":"o","op":"output","target":"output"},{"name":"p","op":"output","target":"output"})"),
         "node \"p\": this is a second output node, and a graph has one"},
        {document(R"({"name":"o","op":"output","target":"output"},)"
                  R"({"name":"c","op":"call_function","target":"aten.t.default","args":[{"node":"o"}]})"),
         "node \"o\": node \"c\" takes it as an input, and the output of a graph has no value"},
        {document(R"({"name":"a","op":"placeholder","target":"a"},)"
                  R"({"name":"b","op":"placeholder","target":"b","args":[{"node":"a"}]})"),
         "node \"b\": it takes node \"a\" as an input, and a placeholder has none"},
        {document(R"({"name":"a","op":"placeholder","target":"a"},)"
                  R"({"name":"b","op":"get_attr","target":"b","args":[{"node":"a"}]})"),
         "node \"b\": it takes node \"a\" as an input, and a get_attr has none"},
    });
}

TEST(BadDocument, Arguments) {
    expect_messages({
        {argument(R"({"node":"nobody"})"), "nodes[1] \"b\", args[0].node: no node is called \"nobody\""},
        {argument(R"(1,[{"node":"b"}])"),
         "nodes[1] \"b\", args[1][0].node: \"b\" is nodes[1]; an argument may refer to earlier nodes only"},
        {document(R"({"name":"a","op":"call_function","target":"t","kwargs":{"x":{"node":"b"}}},)"
                  R"({"name":"b","op":"placeholder","target":"b"})"),
         "nodes[0] \"a\", kwargs.x.node: \"b\" is nodes[1]; an argument may refer to earlier nodes only"},
        {argument(R"({"node":3})"), "nodes[1] \"b\", args[0].node: expected a string, found the integer 3"},
        {argument(R"({"node":"a","more":1})"),
         "nodes[1] \"b\", args[0]: an object with \"node\" must have no other fields"},
        {argument(R"({"dtype":"bfloat17"})"),
         "nodes[1] \"b\", args[0].dtype: no dtype of torch is called \"bfloat17\""},
        {argument(R"({"device":0})"), "nodes[1] \"b\", args[0].device: expected a string, found the integer 0"},
        {argument(R"({"slice":[1,2]})"), "nodes[1] \"b\", args[0].slice: expected start, stop and step, found 2 items"},
        {argument(R"({"float":"huge"})"),
         "nodes[1] \"b\", args[0].float: expected \"inf\", \"-inf\" or \"nan\", found the string \"huge\""},
        {argument(R"({"dict":[]})"), "nodes[1] \"b\", args[0].dict: expected an object, found a list"},
        {argument(R"({"dict":{"k":1,"l":2,"k":3}})"), "nodes[1] \"b\", args[0].dict: a key appears twice"},
    });
}

TEST(BadDocument, DeepArguments) {
    const auto nested = [](std::size_t depth) { return argument(std::string(depth, '[') + std::string(depth, ']')); };
    EXPECT_EQ(message_of(nested(63)), "no error");  // `args` itself is the first level
    EXPECT_NE(message_of(nested(64)).find("arguments may be nested at most 64 deep"), std::string::npos);
    const std::string deep = message_of(nested(1000));
    EXPECT_NE(deep.find("arguments may be nested at most 64 deep"), std::string::npos) << deep;
    const std::string deeper = message_of(nested(10000));
    EXPECT_EQ(deeper, "file: lists and objects are nested 10004 deep, and the limit is 1023");
    std::string dictionaries;
    for (int level = 0; level < 100; ++level) dictionaries += R"({"dict":{"k":)";
    dictionaries += "1";
    for (int level = 0; level < 100; ++level) dictionaries += "}}";
    EXPECT_NE(message_of(argument(dictionaries)).find("nested at most 64 deep"), std::string::npos);
}

TEST(BadDocument, Tensors) {
    const std::string start = R"("dtype":"float32","device":"cuda","storage":0,"storage_bytes":4,)";
    const std::string place = "nodes[1] \"b\", outputs[0]";
    expect_messages({
        {call(R"("outputs":{})"), "nodes[1] \"b\", outputs: expected a list, found an object"},
        {call(R"("outputs":[1])"), place + ": expected an object, found the integer 1"},
        {tensor(""), place + ": the field \"dtype\" is missing"},
        {tensor(start + R"("shape":[1])"), place + ": the field \"stride\" is missing"},
        {tensor(start + R"("shape":[1],"stride":[])"), place + ": the shape has 1 dimensions and the stride has 0"},
        {tensor(R"("dtype":"float33")"), place + ".dtype: no dtype of torch is called \"float33\""},
        {tensor(R"("shape":[2,-1])"), place + ".shape[1]: expected an integer of at least 0, found the integer -1"},
        {tensor(R"("shape":[2.0])"), place + ".shape[0]: expected an integer of at least 0, found the number 2.0"},
        {tensor(R"("shape":["s0"])"), place + ".shape[0]: expected an integer of at least 0, found the string \"s0\""},
        {tensor(start + R"("shape":[4294967296,4294967296],"stride":[1,1])"),
         place + ": the graph's tensors up to here have more than 72,057,594,037,927,936 bytes"},
        {tensor(start + R"("shape":[0,4294967296,4294967296],"stride":[1,1,1])"),
         place + ": the graph's tensors up to here have more than 72,057,594,037,927,936 bytes"},
        {tensor(start + R"("shape":[1152921504606846976],"stride":[1])"),
         place + ": the graph's tensors up to here have more than 72,057,594,037,927,936 bytes"},
        {tensor(start + R"("shape":[1048576,1048576],"stride":[1099511627776,1])"),
         place + ": with its strides the tensor reaches further than 2^56 elements"},
        {tensor(start + R"("shape":[3],"stride":[9223372036854775807])"),
         place + ": with its strides the tensor reaches further than 2^56 elements"},
        {tensor(R"("storage_offset":72057594037927937)"),
         place + ".storage_offset: expected an integer from 0 to 72,057,594,037,927,936, found the integer "
                 "72057594037927937"},
        {tensor(R"("storage_offset":0,"storage_offset":5)"), place + ".storage_offset: this field appears twice"},
        {tensor(R"("storage_bytes":-4)"),
         place + ".storage_bytes: expected an integer from 0 to 72,057,594,037,927,936, found the integer -4"},
        {tensor(R"("storage":-1)"),
         place + ".storage: expected an integer from 0 to 4,294,967,294, found the integer -1"},
        {tensor(R"("dtype":"int8","dtype":"int8")"), place + ".dtype: this field appears twice"},
    });
    std::string shape = "[1";
    for (int dimension = 1; dimension < 65; ++dimension) shape += ",1";
    EXPECT_EQ(message_of(tensor("\"shape\":" + shape + "]")),
              "file: " + place + ".shape: a tensor has at most 64 dimensions, found 65");
}

TEST(BadDocument, MessagesStayOneShortLine) {
    const std::string message = message_of(argument(R"({"dtype":")" + std::string(100000, 'x') + "\"}"));
    EXPECT_LT(message.size(), 400u) << message.substr(0, 400);
    const std::string control = message_of(argument(R"({"float":"a\nb"})"));
    EXPECT_EQ(control.find('\n'), std::string::npos) << control;
}

}  // namespace
}  // namespace overlap

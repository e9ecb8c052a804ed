#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/graph/editing/graph_editor.h"
#include "core/graph/graph_builder.h"

namespace overlap {

/// Four inputs a, b, c, d and what tests add.
class GraphEditorTest : public testing::Test {
  protected:
    GraphEditorTest() {
        for (const char* name : {"a", "b", "c", "d"}) builder_.placeholder(name, {});
    }

    NodeId call(const std::string& name, std::vector<NodeId> inputs) {
        std::vector<Value> args;
        for (const NodeId input : inputs) args.push_back(Value::of_node(input));
        return builder_.call(name, "test.call.default", args, {});
    }

    GraphEditor edit() {
        builder_.output({});
        return GraphEditor(std::make_shared<const Graph>(builder_.finish({})));
    }

    static std::string names(const GraphEditor& graph, const std::vector<NodeId>& nodes) {
        std::string joined;
        for (const NodeId node : nodes) joined.append(joined.empty() ? "" : " ").append(graph.name(node));
        return joined;
    }

    GraphBuilder builder_;
};

}  // namespace overlap

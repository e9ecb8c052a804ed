#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/graph/graph_builder.h"
#include "core/io/plan/option_json.h"
#include "core/passes/pass.h"
#include "core/passes/registry/registry.h"

namespace overlap::test {

/// A tiny graph written by hand, and the names of what a pass makes of it.
class PassTest : public testing::Test {
  protected:
    NodeId placeholder(std::string_view name, std::vector<std::int64_t> shape = {8}) {
        const TensorMeta out = tensor(shape);
        return builder_.placeholder(name, std::span(&out, 1));
    }
    NodeId call(std::string_view name, std::string_view target, std::vector<Value> args,
                std::vector<std::int64_t> shape = {8}, NodeMetadata metadata = {}) {
        const TensorMeta out = tensor(shape);
        return builder_.call(name, target, args, std::span(&out, 1), metadata);
    }
    NodeId call(std::string_view name, std::string_view target, std::initializer_list<NodeId> inputs,
                std::vector<std::int64_t> shape = {8}) {
        std::vector<Value> args;
        for (const NodeId input : inputs) args.push_back(Value::of_node(input));
        return call(name, target, args, std::move(shape));
    }
    NodeId all_gather(std::string_view name, NodeId input, std::string_view group = "0") {
        return call(name, "_c10d_functional.all_gather_into_tensor.default",
                    {Value::of_node(input), Value::of_integer(8), builder_.string(group)});
    }
    NodeId reduce_scatter(std::string_view name, NodeId input, std::string_view group = "0") {
        return call(name, "_c10d_functional.reduce_scatter_tensor.default",
                    {Value::of_node(input), builder_.string("avg"), Value::of_integer(8), builder_.string(group)});
    }
    NodeId exchange(std::string_view name, NodeId input, std::string_view group = "0") {
        const Value splits[] = {Value::of_integer(4), Value::of_integer(4)};
        return call(name, "_c10d_functional.all_to_all_single.default",
                    {Value::of_node(input), builder_.list(splits), builder_.list(splits), builder_.string(group)});
    }
    NodeId wait(std::string_view name, NodeId start) {
        return call(name, "_c10d_functional.wait_tensor.default", {start});
    }
    void output(std::initializer_list<NodeId> nodes) {
        std::vector<Value> values;
        for (const NodeId node : nodes) values.push_back(Value::of_node(node));
        builder_.output(values);
    }

    /// Runs a pass on what has been built.
    const PassResult& run(std::string_view pass, const Json& options = Json::object()) {
        graph_ = std::make_shared<const Graph>(builder_.finish(header_));
        const Options read = read_options(require_pass(pass), options);
        check_options(require_pass(pass), read);
        result_ = require_pass(pass).run(graph_, read, {});
        return result_;
    }
    /// The reason for which a pass refuses what has been built.
    std::string refusal(std::string_view pass, const Json& options = Json::object()) {
        try {
            run(pass, options);
        } catch (const PassRefusal& refused) {
            return refused.what();
        }
        return "not refused";
    }
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (NodeId node = 0; node < result_.graph->node_count(); ++node) names.emplace_back(result_.graph->name(node));
        return names;
    }
    std::vector<std::string> inputs(std::string_view name) const {
        std::vector<std::string> names;
        for (const NodeId input : result_.graph->inputs(result_.graph->find(name))) {
            names.emplace_back(result_.graph->name(input));
        }
        return names;
    }
    std::vector<std::string> problem_kinds() const {
        std::vector<std::string> kinds;
        for (const Problem& problem : result_.report.problems) kinds.emplace_back(problem_kind_name(problem.kind));
        return kinds;
    }
    std::string group(std::string_view name) const {
        return std::string(result_.graph->group_name(result_.graph->find(name)));
    }
    bool is_input() const { return result_.graph == graph_; }

    TensorMeta tensor(const std::vector<std::int64_t>& shape) {
        return builder_.contiguous_tensor(*dtype_by_name("bfloat16"), shape);
    }

    using Names = std::vector<std::string>;
    GraphBuilder builder_;
    GraphHeader header_;
    std::shared_ptr<const Graph> graph_;
    PassResult result_;
};

}  // namespace overlap::test

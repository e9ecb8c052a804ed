#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/advice/advice.h"
#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"
#include "tests/cost/graph_sketch.h"

namespace overlap::test {

/// Draws small models whose nodes are in modules, for tests of advice.
class LayersSketch : public GraphSketch {
  public:
    NodeId parameter(std::string_view name) { return input(name, tensor("float32", {4})); }
    NodeId gather_in(std::string_view module, std::string_view name, NodeId source, double time_ms) {
        return call_in(module, name, "_c10d_functional.all_gather_into_tensor.default",
                       {Value::of_node(source), Value::of_integer(4), text("0")}, 16, time_ms);
    }
    NodeId wait_in(std::string_view module, std::string_view name, NodeId start) {
        return call_in(module, name, "_c10d_functional.wait_tensor.default", values({start}), 16, {});
    }
    NodeId compute_in(std::string_view module, std::string_view name, std::initializer_list<NodeId> inputs,
                      double time_ms) {
        return call_in(module, name, "aten.mm.default", values(inputs), 16, time_ms);
    }
    /// A parameter `p_NAME` is gathered (`g_NAME`), waited for (`w_NAME`) and read by a product (`mm_NAME`) with
    /// `before`, all in `module`. @returns the product.
    NodeId layer(std::string_view module, const std::string& name, NodeId before, double gather_ms, double compute_ms) {
        const NodeId gathered = gather_in(module, "g_" + name, parameter("p_" + name), gather_ms);
        return compute_in(module, "mm_" + name, {before, wait_in(module, "w_" + name, gathered)}, compute_ms);
    }

    std::shared_ptr<const Graph> drawn(std::initializer_list<NodeId> returned) {
        return std::make_shared<const Graph>(finish(returned));
    }

  private:
    NodeId call_in(std::string_view module, std::string_view name, std::string_view target,
                   std::vector<Value> arguments, std::int64_t size, std::optional<double> time_ms) {
        NodeMetadata metadata;
        metadata.module_fqn = builder().intern(module);
        metadata.estimate_ms = time_ms;
        const TensorMeta output = tensor("float32", {size});
        return builder().call(name, target, arguments, {&output, 1}, metadata);
    }
};

/// What is advised for the collective that the node called `name` starts.
inline std::vector<Advice> advice_for_node(const std::shared_ptr<const Evaluation>& evaluation, std::string_view name) {
    const std::vector<CollectiveTiming>& all = evaluation->simulation.collectives;
    const auto timing = std::ranges::find(
        all, name, [&](const CollectiveTiming& collective) { return evaluation->graph->name(collective.start); });
    return advice_for(evaluation, static_cast<std::size_t>(timing - all.begin()));
}

}  // namespace overlap::test

#include "core/batch/scaled_arguments.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch/refusal.h"
#include "core/batch/rule_call.h"

namespace overlap {
namespace {

/// The arguments of one node while they change.
class ScaledArguments {
  public:
    ScaledArguments(const DimensionClasses& classes, NodeId node, const BatchChange& change, GraphEditor& editor)
        : classes_(classes),
          graph_(classes.graph()),
          node_(node),
          tensor_(classes.of(node)),
          change_(change),
          editor_(editor) {}

    Value scaled(const Value& value) const {
        if (!value.is(ValueKind::integer)) refuse_batch(graph_, node_, "a size is computed when the job runs");
        const std::optional<std::int64_t> count = change_.scaled(value.integer);
        if (!count)
            refuse_batch(graph_, node_, "an argument of " + std::to_string(value.integer) + " does not hold the batch");
        return Value::of_integer(*count);
    }

    /// The list of sizes that the tensor will have, where `value` is what it had.
    Value scaled_sizes(const Value& value) const {
        std::vector<Value> sizes;
        if (value.is(ValueKind::list)) sizes.assign(graph_.children(value).begin(), graph_.children(value).end());
        if (sizes.size() != tensor_.rank()) refuse_batch(graph_, node_, "its sizes do not fit to its arguments");
        for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
            const bool derived = sizes[dimension].is(ValueKind::integer) && sizes[dimension].integer == -1;
            if (classes_.grows(tensor_.at(dimension)) && !derived) sizes[dimension] = scaled(sizes[dimension]);
        }
        return editor_.list(sizes);
    }

    /// Sizes of parts along a dimension: one number, or a list.
    Value scaled_parts(const Value& value) const {
        if (!value.is(ValueKind::list)) return scaled(value);
        std::vector<Value> sizes;
        for (const Value& size : graph_.children(value)) sizes.push_back(scaled(size));
        return editor_.list(sizes);
    }

    /// Whether the dimension grows that argument `index` names, the first one where it is missing.
    bool grows_along(std::size_t index) const {
        const Value* argument = graph_.argument(node_, index);
        const std::int64_t named = argument && argument->is(ValueKind::integer) ? argument->integer : 0;
        const DimensionId along = tensor_.at(OperatorCall::wrapped(named, tensor_.rank()));
        return along != no_dimension && classes_.grows(along);
    }

  private:
    const DimensionClasses& classes_;
    const Graph& graph_;
    const NodeId node_;
    const Dimensions tensor_;
    const BatchChange& change_;
    GraphEditor& editor_;
};

bool is_bound(const Value& value) {
    return value.is(ValueKind::integer) && value.integer != no_bound;
}

}  // namespace

void scale_arguments(const DimensionClasses& classes, NodeId node, const BatchChange& change, GraphEditor& editor) {
    const Graph& graph = classes.graph();
    if (graph.op(node) != NodeOp::call_function) return;
    const ScaledArguments scaling(classes, node, change, editor);
    const std::span<const Value> before = graph.children(graph.record(node).args);
    std::vector<Value> args(before.begin(), before.end());
    args.resize(std::max<std::size_t>(args.size(), 4));  // sizes that are missing are no list, and refused
    const auto is = [target = graph.target(node)](std::initializer_list<std::string_view> targets) {
        return std::ranges::find(targets, target) != targets.end();
    };
    if (is({"aten._unsafe_view.default", "aten.expand.default", "aten.new_empty.default", "aten.new_full.default",
            "aten.new_zeros.default", "aten.reshape.default", "aten.select_backward.default",
            "aten.slice_backward.default", "aten.view.default"})) {
        args[1] = scaling.scaled_sizes(args[1]);
    } else if (is({"aten.empty.memory_format", "aten.full.default", "aten.ones.default", "aten.zeros.default"})) {
        args[0] = scaling.scaled_sizes(args[0]);
    } else if (is({"aten.split.Tensor", "aten.split_with_sizes.default"}) && scaling.grows_along(2)) {
        args[1] = scaling.scaled_parts(args[1]);
    } else if (is({"aten.slice.Tensor"}) && scaling.grows_along(1)) {
        if (is_bound(args[2])) args[2] = scaling.scaled(args[2]);
        if (is_bound(args[3])) args[3] = scaling.scaled(args[3]);
    } else if (is({"aten.arange.default"})) {
        args[0] = scaling.scaled(args[0]);
    } else {
        return;
    }
    args.resize(before.size());
    editor.set_sizes(node, editor.list(args));
}

}  // namespace overlap

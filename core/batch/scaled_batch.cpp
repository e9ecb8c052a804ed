#include "core/batch/scaled_batch.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/error.h"
#include "core/batch/batch_rules.h"
#include "core/batch/scaled_tensors.h"
#include "core/files/json_members.h"
#include "core/graph/graph_editor.h"
#include "core/modules/parameter_names.h"

namespace overlap {
namespace {

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();  // of a slice, as torch writes it

std::string place_of(const Graph& graph, NodeId node) {
    return "node \"" + std::string(graph.name(node)) + "\"";
}

[[noreturn]] void refuse(const Graph& graph, NodeId node, const std::string& reason) {
    throw InputError(place_of(graph, node), "the batch cannot be changed: " + reason);
}

std::unordered_set<NodeId> parameters_of(const Graph& graph) {
    std::unordered_set<NodeId> parameters;
    if (const auto names = parameter_names(graph)) {
        for (const auto& [node, name] : *names) parameters.insert(node);
    }
    return parameters;
}

/// Inputs of whole numbers that are no parameters or buffers.
std::vector<NodeId> token_inputs(const Graph& graph, const std::unordered_set<NodeId>& parameters) {
    std::vector<NodeId> tokens;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const std::span<const TensorMeta> outputs = graph.outputs(node);
        if (graph.op(node) != NodeOp::placeholder) continue;
        if (outputs.size() != 1 || !outputs[0].is_tensor || outputs[0].rank == 0 || parameters.contains(node)) continue;
        if (dtype_info(outputs[0].dtype).name.starts_with("int")) tokens.push_back(node);
    }
    return tokens;
}

std::int64_t batch_of(const Graph& graph, const std::vector<NodeId>& tokens) {
    if (tokens.empty())
        throw InputError("", "the batch of the graph is not known: it has no input of tokens or labels");
    std::int64_t batch = 0;
    for (const NodeId node : tokens) {
        const std::span<const std::int64_t> sizes = graph.shape(graph.outputs(node)[0]);
        if (sizes.size() < 2)
            refuse(graph, node, "sequences are packed into one, which does not say how many there are");
        if (batch != 0 && batch != sizes[0])
            refuse(
                graph, node,
                "its first size is " + std::to_string(sizes[0]) + ", that of another input " + std::to_string(batch));
        batch = sizes[0];
    }
    return batch;
}

/// A graph while its batch is changed.
class BatchScaling {
  public:
    BatchScaling(const std::shared_ptr<const Graph>& graph, const std::vector<NodeId>& tokens,
                 const std::unordered_set<NodeId>& parameters, const BatchChange& change)
        : graph_(*graph), classes_(*graph), change_(change), editor_(graph) {
        for (const NodeId node : tokens) classes_.grow(classes_.of(node).at(0));
        for (const NodeId node : parameters) fix(node);
        std::vector<NodeId> unknown;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) == NodeOp::get_attr) fix(node);
            if (!relate_dimensions(classes_, node)) unknown.push_back(node);
            if (classes_.contradicts())
                refuse(graph_, node, "it brings together what grows with the batch and what does not");
        }
        for (const NodeId node : unknown) {
            if (touches_batch(node))
                refuse(graph_, node,
                       "what " + std::string(graph_.target(node)) + " does with such arguments is not known");
        }
    }

    std::shared_ptr<const Graph> changed() {
        const std::unordered_set<std::uint32_t> storages = scale_tensors();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            scale_storages(node, storages);
            scale_arguments(node);
            editor_.metadata(node).estimate_ms.reset();
        }
        std::vector<NodeId> origin;
        return editor_.finish(origin);
    }

  private:
    void fix(NodeId node) {
        for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output) {
            const Dimensions tensor = classes_.of(node, output);
            for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) classes_.fix(tensor.at(dimension));
        }
    }

    bool grows(NodeId node) const {
        for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output) {
            const Dimensions tensor = classes_.of(node, output);
            for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) {
                if (classes_.grows(tensor.at(dimension))) return true;
            }
        }
        return false;
    }

    bool touches_batch(NodeId node) const {
        return graph_.op(node) != NodeOp::output &&
               (grows(node) || std::ranges::any_of(graph_.inputs(node), [&](NodeId input) { return grows(input); }));
    }

    /// Whether a size that became several is the batch alone.
    void check_whole(NodeId node, const Dimensions& tensor) const {
        for (std::size_t dimension = 0; dimension < tensor.rank(); ++dimension) {
            const bool wanted = std::ranges::binary_search(classes_.only_whole(), tensor.at(dimension));
            if (wanted && classes_.grows(tensor.at(dimension)) && tensor.sizes[dimension] != change_.from)
                refuse(graph_, node,
                       "it splits a size of the batch into parts, the first of " +
                           std::to_string(tensor.sizes[dimension]) + ", and which of them grows is not known");
        }
    }

    /// @returns the numbers of the storages that grow.
    std::unordered_set<std::uint32_t> scale_tensors() {
        std::unordered_set<std::uint32_t> storages;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (json_member(graph_.text(graph_.metadata(node).extra_json), "symbolic_shapes").size() > 0)
                refuse(graph_, node, "it has sizes that are known only when the job runs");
            for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output) {
                const TensorMeta& tensor = graph_.outputs(node)[output];
                if (!tensor.is_tensor) continue;
                check_whole(node, classes_.of(node, output));
                const std::optional<ScaledTensor> scaled = scaled_tensor(classes_, node, output, change_);
                if (!scaled) refuse(graph_, node, "how its tensor would lie in memory is not known");
                if (scaled->storage_grows) storages.insert(tensor.storage);
                if (!scaled->grows) continue;
                const std::uint32_t dimensions = editor_.dimensions(scaled->sizes, scaled->strides);
                TensorMeta& changed = editor_.mutable_outputs(node)[output];
                changed.first_dimension = dimensions;
                changed.storage_offset = scaled->storage_offset;
            }
        }
        return storages;
    }

    void scale_storages(NodeId node, const std::unordered_set<std::uint32_t>& storages) {
        for (TensorMeta& tensor : editor_.mutable_outputs(node)) {
            if (!tensor.is_tensor || !storages.contains(tensor.storage)) continue;
            const std::optional<std::int64_t> bytes = change_.scaled(tensor.storage_bytes);
            if (!bytes) refuse(graph_, node, "how its tensor would lie in memory is not known");
            tensor.storage_bytes = *bytes;
        }
    }

    Value scaled(NodeId node, const Value& value) const {
        if (!value.is(ValueKind::integer)) refuse(graph_, node, "a size is computed when the job runs");
        const std::optional<std::int64_t> count = change_.scaled(value.integer);
        if (!count)
            refuse(graph_, node, "an argument of " + std::to_string(value.integer) + " does not hold the batch");
        return Value::of_integer(*count);
    }

    /// The list of sizes that a tensor will have, where argument `value` is what it had.
    Value scaled_sizes(NodeId node, const Value& value) {
        const Dimensions tensor = classes_.of(node);
        std::vector<Value> sizes;
        if (value.is(ValueKind::list)) sizes.assign(graph_.children(value).begin(), graph_.children(value).end());
        if (sizes.size() != tensor.rank()) refuse(graph_, node, "its sizes do not fit to its arguments");
        for (std::size_t dimension = 0; dimension < sizes.size(); ++dimension) {
            const bool derived = sizes[dimension].is(ValueKind::integer) && sizes[dimension].integer == -1;
            if (!classes_.grows(tensor.at(dimension)) || derived) continue;
            sizes[dimension] = scaled(node, sizes[dimension]);
        }
        return editor_.list(sizes);
    }

    /// Sizes of parts along a dimension: one number, or a list.
    Value scaled_parts(NodeId node, const Value& value) {
        if (!value.is(ValueKind::list)) return scaled(node, value);
        std::vector<Value> sizes;
        for (const Value& size : graph_.children(value)) sizes.push_back(scaled(node, size));
        return editor_.list(sizes);
    }

    bool grows_along(NodeId node, std::int64_t dimension) const {
        const Dimensions tensor = classes_.of(node);
        if (dimension < 0) dimension += static_cast<std::int64_t>(tensor.rank());
        const DimensionId along = tensor.at(static_cast<std::size_t>(dimension));
        return along != no_dimension && classes_.grows(along);
    }

    /// @pre `tensor` is a node that returns one tensor with that dimension.
    std::int64_t size_along(const Value& tensor, std::int64_t dimension) const {
        const Dimensions sizes = classes_.of(tensor.node);
        if (dimension < 0) dimension += static_cast<std::int64_t>(sizes.rank());
        return sizes.sizes[static_cast<std::size_t>(dimension)];
    }

    std::int64_t integer_argument(NodeId node, std::size_t index) const {
        const Value* argument = graph_.argument(node, index);
        return argument && argument->is(ValueKind::integer) ? argument->integer : 0;
    }

    void scale_arguments(NodeId node) {
        if (!grows(node) || graph_.op(node) != NodeOp::call_function) return;
        const std::string_view target = graph_.target(node);
        const std::span<const Value> before = graph_.children(graph_.record(node).args);
        std::vector<Value> args(before.begin(), before.end());
        args.resize(std::max<std::size_t>(args.size(), 2));  // sizes that are missing are no list, and refused
        const auto is = [&](std::initializer_list<std::string_view> targets) {
            return std::ranges::find(targets, target) != targets.end();
        };
        if (is({"aten._unsafe_view.default", "aten.expand.default", "aten.new_empty.default", "aten.new_zeros.default",
                "aten.reshape.default", "aten.view.default"})) {
            args[1] = scaled_sizes(node, args[1]);
        } else if (is({"aten.empty.memory_format", "aten.full.default", "aten.ones.default", "aten.zeros.default"})) {
            args[0] = scaled_sizes(node, args[0]);
        } else if (is({"aten.split.Tensor", "aten.split_with_sizes.default"})) {
            if (!grows_along(node, integer_argument(node, 2))) return;
            args[1] = scaled_parts(node, args[1]);
        } else if (is({"aten.slice.Tensor"})) {
            if (!grows_along(node, integer_argument(node, 1))) return;
            for (std::size_t bound = 2; bound < std::min<std::size_t>(args.size(), 4); ++bound) {
                if (!args[bound].is(ValueKind::integer) || args[bound].integer == no_end) continue;
                if (args[bound].integer > size_along(*graph_.argument(node, 0), integer_argument(node, 1)))
                    refuse(graph_, node, "its bound is beyond the batch, so it is a number that does not grow with it");
                args[bound] = scaled(node, args[bound]);
            }
        } else if (is({"aten.arange.default"})) {
            args[0] = scaled(node, args[0]);
        } else {
            return;
        }
        args.resize(before.size());
        editor_.set_sizes(node, editor_.list(args));
    }

    const Graph& graph_;
    DimensionClasses classes_;
    const BatchChange change_;
    GraphEditor editor_;
};

}  // namespace

std::int64_t local_batch(const Graph& graph) {
    return batch_of(graph, token_inputs(graph, parameters_of(graph)));
}

std::shared_ptr<const Graph> with_local_batch(const std::shared_ptr<const Graph>& graph, std::int64_t batch) {
    const std::unordered_set<NodeId> parameters = parameters_of(*graph);
    const std::vector<NodeId> tokens = token_inputs(*graph, parameters);
    const BatchChange change{batch_of(*graph, tokens), batch};
    if (batch < 1) throw InputError("", "a batch has at least one sequence");
    if (change.from == batch) return graph;
    if (change.from == 1 || batch == 1) {
        throw InputError("", "the batch cannot be changed from " + std::to_string(change.from) + " to " +
                                 std::to_string(batch) +
                                 ": torch traces sizes of 1 in their own way; the graph has to be traced again");
    }
    return BatchScaling(graph, tokens, parameters, change).changed();
}

}  // namespace overlap

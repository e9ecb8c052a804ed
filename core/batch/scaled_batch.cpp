#include "core/batch/scaled_batch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/error.h"
#include "core/batch/batch_numbers.h"
#include "core/batch/batch_rules.h"
#include "core/batch/refusal.h"
#include "core/batch/scaled_arguments.h"
#include "core/batch/scaled_tensors.h"
#include "core/files/json_members.h"
#include "core/graph/editing/graph_editor.h"
#include "core/modules/parameter_names.h"

namespace overlap {
namespace {

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
            refuse_batch(graph, node, "sequences are packed into one, which does not say how many there are");
        if (batch != 0 && batch != sizes[0])
            refuse_batch(
                graph, node,
                "its first size is " + std::to_string(sizes[0]) + ", that of another input " + std::to_string(batch));
        batch = sizes[0];
    }
    return batch;
}

/// Why the batch cannot be changed where a demand does not hold.
std::string reason_against(const DimensionDemand& demand, std::int64_t size, std::int64_t batch) {
    const std::string number = std::to_string(size);
    switch (demand.demand) {
        case Demand::batches_alone:
            return "it splits a size of the batch into parts, the first of " + number +
                   ", and which of them grows is not known";
        case Demand::whole_batches:
            return "it takes parts of " + number +
                   " along the batch, which are no whole batches: whether they grow or become more is not known";
        case Demand::no_derived_size:
            return "it splits a size of the batch into " + number + " and what is left, and whether " + number +
                   " is the batch is not known";
        case Demand::no_own_bound:
            return "whether its bound is the batch of " + std::to_string(batch) +
                   " or a number of the model is not known";
        case Demand::one_count:
            break;
    }
    return "it brings together sizes of " + number + " that hold different numbers of batches";
}

/// A graph while its batch is changed.
class BatchScaling {
  public:
    BatchScaling(const std::shared_ptr<const Graph>& graph, const std::vector<NodeId>& tokens,
                 const std::unordered_set<NodeId>& parameters, const BatchChange& change)
        : graph_(*graph), classes_(*graph), change_(change), editor_(graph) {
        for (const NodeId node : tokens) {
            classes_.grow(classes_.of(node).at(0));
            for (std::size_t dimension = 1; dimension < classes_.of(node).rank(); ++dimension)
                classes_.fix(classes_.of(node).at(dimension));
        }
        for (const NodeId node : parameters) fix(node);
        relate_all();
        check_demands();
        refuse_numbers_of_batch(classes_, change_.from, parameters);
    }

    std::shared_ptr<const Graph> changed() {
        const std::unordered_set<std::uint32_t> storages = scale_tensors();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            scale_storages(node, storages);
            if (grows(node)) scale_arguments(classes_, node, change_, editor_);
            editor_.set_estimate(node, std::nullopt);
        }
        std::vector<NodeId> origin;
        return editor_.finish(origin);
    }

  private:
    void relate_all() {
        std::vector<NodeId> unknown;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (graph_.op(node) == NodeOp::get_attr) fix(node);
            if (!relate_dimensions(classes_, node)) unknown.push_back(node);
            check_contradiction();
        }
        const NodeId open_sum = classes_.resolve_sums();
        check_contradiction();
        for (const NodeId node : unknown) {
            if (touches_batch(node))
                refuse_batch(graph_, node,
                             "what " + std::string(graph_.target(node)) + " does with such arguments is not known");
        }
        if (open_sum != no_node)
            refuse_batch(
                graph_, open_sum,
                "it puts together what grows with the batch and a tensor that nothing says of whether it does");
    }

    void check_contradiction() const {
        if (classes_.contradiction() != no_node)
            refuse_batch(graph_, classes_.contradiction(),
                         "it brings together what grows with the batch and what does not");
    }

    void check_demands() const {
        for (const DimensionDemand& wanted : classes_.demands()) {
            if (!classes_.grows(wanted.dimension)) continue;
            const Fraction batches = classes_.batches(wanted.dimension);
            const std::int64_t size = classes_.size(wanted.dimension);
            const bool holds = wanted.demand == Demand::batches_alone
                                   ? batches * Fraction(change_.from, 1) == Fraction(size, 1)
                               : wanted.demand == Demand::whole_batches ? batches.is_whole()
                                                                        : false;
            if (!holds) refuse_batch(graph_, wanted.node, reason_against(wanted, size, change_.from));
        }
    }

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

    /// @returns the numbers of the storages that grow.
    std::unordered_set<std::uint32_t> scale_tensors() {
        std::unordered_set<std::uint32_t> storages;
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (json_member(graph_.text(graph_.metadata(node).extra_json), "symbolic_shapes").size() > 0)
                refuse_batch(graph_, node, "it has sizes that are known only when the job runs");
            for (std::size_t output = 0; output < graph_.outputs(node).size(); ++output) {
                const TensorMeta& tensor = graph_.outputs(node)[output];
                if (!tensor.is_tensor) continue;
                const std::optional<ScaledTensor> scaled = scaled_tensor(classes_, node, output, change_);
                if (!scaled) refuse_batch(graph_, node, "how its tensor would lie in memory is not known");
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
            if (!bytes) refuse_batch(graph_, node, "how its tensor would lie in memory is not known");
            tensor.storage_bytes = *bytes;
        }
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

#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/passes/bucketing/bucket_merge.h"
#include "core/passes/bucketing/traced_sequence.h"

namespace overlap {

/// A bucket as passed to the functions that write its nodes.
struct BucketMembers {
    std::span<const NodeId> starts;  ///< in packing order
    std::span<const NodeId> inputs;  ///< the input tensors, without conversions and padding
    /// Reduce-scatters: shapes of the inputs with their padding.
    std::span<const std::vector<std::int64_t>> padded_shapes;
    /// Reduce-scatters: members whose padding was removed.
    std::span<const std::int64_t> padded_members;
};

// Each writes the nodes of one kind and mode into `trace` and returns the outputs in member order.
std::vector<NodeId> emit_all_gather_custom(TracedSequence& trace, const BucketMembers& members);
std::vector<NodeId> emit_all_gather_concatenated(TracedSequence& trace, const BucketMembers& members);
std::vector<NodeId> emit_reduce_scatter_custom(TracedSequence& trace, const BucketMembers& members);
std::vector<NodeId> emit_reduce_scatter_concatenated(TracedSequence& trace, const BucketMembers& members);
std::vector<NodeId> emit_reduce_scatter_coalesced(TracedSequence& trace, const BucketMembers& members);
std::vector<NodeId> emit_all_reduce(TracedSequence& trace, const BucketMembers& members);

using Sizes = std::vector<std::int64_t>;
std::int64_t count_elements(std::span<const std::int64_t> sizes);
std::int64_t total(std::span<const std::int64_t> numbers);

/// What an all-gather bucket is made of, in either mode.
struct GatherPlan {
    std::int64_t group_size = 0;
    std::int64_t rank = 0;  ///< of this process in the group
    std::string group_name;
    StringId device = empty_string;
    Dtype bucket_dtype{};       ///< the smallest of the members' results
    std::vector<Dtype> dtypes;  ///< of the members' results
    std::vector<Sizes> input_shapes;
    std::vector<Sizes> result_shapes;  ///< rows times group size
};
/// @throws InputError where members differ in group size, the group is unknown or a shape has no dimension.
GatherPlan plan_gather(const GraphEditor& graph, const BucketMembers& members);

/// Writes the slice that this process fills, of a buffer of `row` elements for each process.
NodeId emit_own_slice(TracedSequence& trace, NodeId buffer, const GatherPlan& plan, std::int64_t row,
                      NodeId first_member);
/// Writes the gather of `input` into `buffer`, its wait and the view with a row for each process.
NodeId emit_gather_rows(TracedSequence& trace, NodeId input, NodeId buffer, const GatherPlan& plan, std::int64_t row);

}  // namespace overlap

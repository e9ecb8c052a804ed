#include "tests/mesh/numeric_execution.h"

#include <algorithm>
#include <stdexcept>

#include "tests/mesh/sharded_numbers.h"

namespace overlap::test {

namespace {

/// Runs steps one by one on the local tensors of all ranks.
class Ranks {
  public:
    Ranks(const DeviceMesh& mesh, const Extents& tensor_shape, std::vector<LocalTensor> locals)
        : mesh_(mesh), tensor_shape_(tensor_shape), locals_(std::move(locals)) {}

    const std::vector<LocalTensor>& locals() const { return locals_; }

    void run(const RedistributionStep& step, const ShardingState& before, const ShardingState& after,
             MergedParts merged_parts);

  private:
    using Group = std::vector<std::int64_t>;

    const LocalTensor& local(std::int64_t rank) const { return locals_[static_cast<std::size_t>(rank)]; }
    std::vector<const LocalTensor*> locals_of(const Group& group) const;

    LocalTensor gather(const Group& group, const Placement& placement) const;
    LocalTensor gather_flat_chunks(const Group& group, int dim) const;
    LocalTensor joined(const Group& group, const RedistributionStep& step, bool flat_chunks) const;
    LocalTensor cut(LocalTensor tensor, const Placement& placement, const std::vector<int>& order,
                    std::int64_t rank) const;
    LocalTensor partition(const Group& group, std::int64_t rank, ReduceOp reduce_op) const;
    LocalTensor embed_zero(const Group& group, std::int64_t rank, int dim) const;
    LocalTensor permute(const Group& group, std::int64_t rank, const ShardingState& before, const ShardingState& after,
                        int dim) const;

    const DeviceMesh& mesh_;
    const Extents& tensor_shape_;
    std::vector<LocalTensor> locals_;
};

/// The step's mesh dimensions in the order in which they cut the placement's tensor dimension; as they are for a
/// placement that cuts none.
std::vector<int> nesting(const ShardingState& state, const Placement& placement, const std::vector<int>& mesh_dims) {
    if (!placement.cuts()) return mesh_dims;
    std::vector<int> order;
    for (const int mesh_dim : mesh_dims_of(state.shard_order, placement.tensor_dim))
        if (std::find(mesh_dims.begin(), mesh_dims.end(), mesh_dim) != mesh_dims.end()) order.push_back(mesh_dim);
    return order;
}

/// The parts of `size` indices that strided shard `index` of `count` takes, in its order.
DimensionPart strided_part(std::int64_t size, std::int64_t split_factor, std::int64_t count, std::int64_t index) {
    DimensionPart part;
    for (std::int64_t split = 0; split < split_factor; ++split)
        part.push_back(chunk_of(chunk_of({0, size}, split_factor, split), count, index));
    return part;
}

/// Where each index of the whole lies in the strided shards one after the other.
DimensionPart undo_strides(std::int64_t size, std::int64_t split_factor, std::int64_t count) {
    std::vector<std::pair<IndexRange, IndexRange>> whole_and_joined;
    std::int64_t offset = 0;
    for (std::int64_t index = 0; index < count; ++index)
        for (const IndexRange& range : strided_part(size, split_factor, count, index)) {
            whole_and_joined.push_back({range, {offset, offset + range.size()}});
            offset += range.size();
        }
    std::sort(whole_and_joined.begin(), whole_and_joined.end(), [](const auto& left, const auto& right) {
        return std::pair(left.first.begin, left.first.end) < std::pair(right.first.begin, right.first.end);
    });
    DimensionPart part;
    for (const auto& [whole, joined] : whole_and_joined) part.push_back(joined);
    return part;
}

std::vector<const LocalTensor*> Ranks::locals_of(const Group& group) const {
    std::vector<const LocalTensor*> tensors;
    for (const std::int64_t rank : group) tensors.push_back(&local(rank));
    return tensors;
}

LocalTensor Ranks::gather(const Group& group, const Placement& placement) const {
    const LocalTensor joined = concatenate(locals_of(group), placement.tensor_dim);
    if (placement.is_shard()) return joined;
    return take(joined, placement.tensor_dim,
                undo_strides(joined.shape[static_cast<std::size_t>(placement.tensor_dim)], placement.split_factor,
                             static_cast<std::int64_t>(group.size())));
}

LocalTensor Ranks::gather_flat_chunks(const Group& group, int dim) const {
    std::int64_t size = 0;
    for (const std::int64_t rank : group) size += local(rank).shape[static_cast<std::size_t>(dim)];
    const std::int64_t padded = chunk_of({0, size}, static_cast<std::int64_t>(group.size()), 0).size();
    std::vector<LocalTensor> chunks;
    std::vector<const LocalTensor*> pointers;
    for (const std::int64_t rank : group) chunks.push_back(embed_in_zeros(local(rank), dim, 0, padded));
    for (const LocalTensor& chunk : chunks) pointers.push_back(&chunk);
    return take(concatenate(pointers, dim), dim, {{0, size}});
}

LocalTensor Ranks::cut(LocalTensor tensor, const Placement& placement, const std::vector<int>& order,
                       std::int64_t rank) const {
    if (!placement.cuts()) return tensor;
    const Extents coordinate = mesh_.coordinate(rank);
    for (const int mesh_dim : order) {
        const auto at = static_cast<std::size_t>(mesh_dim);
        const std::int64_t size = tensor.shape[static_cast<std::size_t>(placement.tensor_dim)];
        const DimensionPart part = placement.is_shard()
                                       ? DimensionPart{chunk_of({0, size}, mesh_.shape[at], coordinate[at])}
                                       : strided_part(size, placement.split_factor, mesh_.shape[at], coordinate[at]);
        tensor = take(tensor, placement.tensor_dim, part);
    }
    return tensor;
}

LocalTensor Ranks::partition(const Group& group, std::int64_t rank, ReduceOp reduce_op) const {
    switch (reduce_op) {
        case ReduceOp::sum:
            return divide(local(rank), static_cast<std::int64_t>(group.size()));
        case ReduceOp::avg:
        case ReduceOp::min:
        case ReduceOp::max:
            return local(rank);
        default:
            break;
    }
    if (rank == group.front()) return local(rank);
    LocalTensor identity = local(rank);
    const std::int64_t unchanging = reduce_op == ReduceOp::band ? -1 : reduce_op == ReduceOp::product ? 1 : 0;
    std::fill(identity.values.begin(), identity.values.end(), unchanging);
    return identity;
}

LocalTensor Ranks::embed_zero(const Group& group, std::int64_t rank, int dim) const {
    std::int64_t size = 0, offset = 0;
    for (const std::int64_t other : group) {
        if (other == rank) offset = size;
        size += local(other).shape[static_cast<std::size_t>(dim)];
    }
    return embed_in_zeros(local(rank), dim, offset, size);
}

LocalTensor Ranks::permute(const Group& group, std::int64_t rank, const ShardingState& before,
                           const ShardingState& after, int dim) const {
    const auto at = static_cast<std::size_t>(dim);
    const LocalTensor joined = concatenate(locals_of(group), dim);
    // Where the group's ranks hold each index of the tensor, in `joined`.
    std::vector<std::int64_t> places(static_cast<std::size_t>(tensor_shape_[at]), -1);
    std::int64_t place = 0;
    for (const std::int64_t other : group) {
        const DimensionPart held = local_parts(before, mesh_, tensor_shape_, mesh_.coordinate(other))[at];
        for (const IndexRange& range : held)
            for (std::int64_t index = range.begin; index < range.end; ++index)
                places[static_cast<std::size_t>(index)] = place++;
    }
    const DimensionPart wanted = local_parts(after, mesh_, tensor_shape_, mesh_.coordinate(rank))[at];
    DimensionPart part;
    for (const IndexRange& range : wanted)
        for (std::int64_t index = range.begin; index < range.end; ++index) {
            const std::int64_t held_at = places[static_cast<std::size_t>(index)];
            if (held_at < 0) throw std::runtime_error("an exchange needs data that no rank of its group holds");
            part.push_back({held_at, held_at + 1});
        }
    return take(joined, dim, part);
}

/// What the members of a group have together before each keeps its part; nothing for steps that send nothing.
LocalTensor Ranks::joined(const Group& group, const RedistributionStep& step, bool flat_chunks) const {
    switch (step.kind) {
        case StepKind::all_gather:
        case StepKind::all_to_all:
            return flat_chunks ? gather_flat_chunks(group, step.source.tensor_dim) : gather(group, step.source);
        case StepKind::all_reduce:
        case StepKind::reduce_scatter:
            return divide(reduce(locals_of(group), step.source.reduce_op), step.average_over);
        default:
            return {};
    }
}

void Ranks::run(const RedistributionStep& step, const ShardingState& before, const ShardingState& after,
                MergedParts merged_parts) {
    const bool flat_chunks =
        merged_parts == MergedParts::flat_chunks && step.flattened() && step.kind == StepKind::all_gather;
    // A flattened communicator has its ranks in the order of the mesh.
    const std::vector<int> source_order = flat_chunks ? step.mesh_dims : nesting(before, step.source, step.mesh_dims);
    const std::vector<int> target_order = nesting(after, step.destination, step.mesh_dims);
    std::vector<LocalTensor> results(locals_.size());
    for (std::int64_t leader = 0; leader < mesh_.rank_count(); ++leader) {
        const Group group = group_of(mesh_, leader, source_order);
        if (group.front() != leader) continue;
        const LocalTensor together = joined(group, step, flat_chunks);
        for (const std::int64_t rank : group)
            results[static_cast<std::size_t>(rank)] = [&] {
                switch (step.kind) {
                    case StepKind::all_gather:
                    case StepKind::all_reduce:
                        return together;
                    case StepKind::all_to_all:
                    case StepKind::reduce_scatter:
                        return cut(together, step.destination, target_order, rank);
                    case StepKind::chunk:
                        return cut(local(rank), step.destination, target_order, rank);
                    case StepKind::partition:
                        return partition(group, rank, step.destination.reduce_op);
                    case StepKind::embed_zero:
                        return embed_zero(group, rank, step.source.tensor_dim);
                    case StepKind::permute:
                        return permute(group, rank, before, after, step.source.tensor_dim);
                    case StepKind::unsupported:
                        break;
                }
                throw std::runtime_error("torch's executor refuses such a step");
            }();
    }
    locals_ = std::move(results);
}

}  // namespace

ExecutionOutcome execute(const RedistributionPlan& plan, const DeviceMesh& mesh, const Extents& tensor_shape,
                         MergedParts merged_parts) {
    const ShardedNumbers numbers(mesh, tensor_shape);
    Ranks ranks(mesh, tensor_shape, numbers.distribute(plan.states.front()));
    for (std::size_t step = 0; step < plan.steps.size(); ++step) {
        try {
            ranks.run(plan.steps[step], plan.states[step], plan.states[step + 1], merged_parts);
            std::string problem = numbers.first_wrong_rank(plan.states[step + 1], ranks.locals());
            if (!problem.empty()) return {std::move(problem), step};
        } catch (const std::runtime_error& error) {
            return {error.what(), step};
        }
    }
    return {};
}

}  // namespace overlap::test

#pragma once

#include "tests/mesh/local_tensor.h"

namespace overlap::test {

/// Ranks that differ only in `mesh_dims`, in row-major order of these as given, among them `rank`.
std::vector<std::int64_t> group_of(const DeviceMesh& mesh, std::int64_t rank, const std::vector<int>& mesh_dims);

/// A tensor of distinct positive numbers, and how it lies on a mesh. All values, also the random ones that partial
/// values are made of, are multiples of the mesh's ranks, so that shares of sums and averages are exact.
class ShardedNumbers {
  public:
    ShardedNumbers(const DeviceMesh& mesh, const Extents& tensor_shape);

    /// Local tensors of all ranks in `state`. Partial mesh dimensions hold random values that reduce to the tensor.
    std::vector<LocalTensor> distribute(const ShardingState& state) const;

    /// The first rank that does not hold what `state` says, as a sentence; empty when all do.
    std::string first_wrong_rank(const ShardingState& state, const std::vector<LocalTensor>& locals) const;

  private:
    LocalTensor slice(const ShardingState& state, const LocalTensor& tensor, std::int64_t rank) const;
    LocalTensor partial_values(const ShardingState& state, std::int64_t rank) const;

    const DeviceMesh& mesh_;
    LocalTensor whole_;
};

}  // namespace overlap::test

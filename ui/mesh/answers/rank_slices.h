#pragma once

#include <QString>
#include <map>
#include <vector>

#include "core/mesh/shard_layout.h"

namespace overlap::ui {

/// Ranks that one picture draws: all, or the block of at most 64 neighbours that mesh dimensions make.
struct RankBlock {
    static constexpr std::int64_t ranks_limit = 64;

    std::int64_t first_rank = 0;
    Extents shape;      ///< of the block, one entry for each of the mesh's last dimensions
    int first_dim = 0;  ///< mesh dimension that `shape` begins with; those before it have one coordinate in the block
    std::int64_t index = 0, count = 1;  ///< which of how many blocks

    std::int64_t ranks() const;
};

/// Block `index` of `mesh`; beyond the last one, the last one.
RankBlock rankBlock(const DeviceMesh& mesh, std::int64_t index);
/// What of the mesh a block shows and what the rest holds in the two states that are drawn, as a sentence; empty when
/// it is all of it.
QString blockText(const RankBlock& block, const DeviceMesh& mesh, const ShardingState& before,
                  const ShardingState& after);

/// What a rank holds.
struct RankSlice {
    std::int64_t rank = 0;
    std::vector<DimensionPart> parts;  ///< of each tensor dimension
    bool partial = false;
    int hue = -1;  ///< equal for equal slices; -1 for the whole tensor

    bool empty() const;
};

/// Numbers slices in the order in which they are met, so that equal ones have one hue in every picture of a path.
class SliceHues {
  public:
    int hueOf(const std::vector<DimensionPart>& parts, const Extents& tensor_shape);

  private:
    std::map<std::vector<std::pair<std::int64_t, std::int64_t>>, int> numbers_;
};

/// What each rank of a block holds, in order of ranks.
std::vector<RankSlice> rankSlices(const ShardingState& state, const DeviceMesh& mesh, const MeshTensor& tensor,
                                  const RankBlock& block, SliceHues& hues);

/// A rank in words: its coordinate, exact ranges, local shape, bytes, what is partial.
/// "rank 5 (dp 1, tp 1): [32:64, 0:24] · 32 × 24 · 3 KiB".
QString sliceText(const RankSlice& slice, const ShardingState& state, const DeviceMesh& mesh, const MeshTensor& tensor);

/// A mesh dimension in words: its name, or "mesh dim 1" where the mesh has none.
QString meshDimText(const DeviceMesh& mesh, int mesh_dim);

}  // namespace overlap::ui

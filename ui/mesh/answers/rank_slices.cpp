#include "ui/mesh/answers/rank_slices.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "ui/mesh/answers/mesh_inputs.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("RankSlices", text);
}

QString partText(const DimensionPart& part) {
    QStringList ranges;
    for (const IndexRange& range : part) ranges.append(QStringLiteral("%1:%2").arg(range.begin).arg(range.end));
    return ranges.join(u'+');
}

/// What blocks along a mesh dimension are to one another.
QString blocksText(const Placement& placement) {
    if (placement.cuts()) return tr("hold other parts of dimension %1").arg(placement.tensor_dim);
    return placement.is_partial() ? tr("hold other terms") : tr("are alike");
}

}  // namespace

std::int64_t RankBlock::ranks() const {
    std::int64_t ranks = 1;
    for (const std::int64_t size : shape) ranks *= size;
    return ranks;
}

RankBlock rankBlock(const DeviceMesh& mesh, std::int64_t index) {
    RankBlock block;
    block.first_dim = mesh.dims();
    std::int64_t ranks = 1;
    while (block.first_dim > 0) {
        const std::int64_t size = mesh.shape[static_cast<std::size_t>(block.first_dim - 1)];
        if (ranks * size > RankBlock::ranks_limit) break;
        ranks *= size;
        block.shape.insert(block.shape.begin(), size);
        --block.first_dim;
    }
    if (block.shape.empty()) {
        // The last mesh dimension alone is larger than a picture.
        ranks = RankBlock::ranks_limit;
        block.shape = {ranks};
        --block.first_dim;
    }
    const std::int64_t all = mesh.rank_count();
    block.count = (all + ranks - 1) / ranks;
    block.index = std::clamp<std::int64_t>(index, 0, block.count - 1);
    block.first_rank = block.index * ranks;
    if (all - block.first_rank < ranks) block.shape = {all - block.first_rank};
    return block;
}

QString blockText(const RankBlock& block, const DeviceMesh& mesh, const ShardingState& before,
                  const ShardingState& after) {
    if (block.count <= 1) return {};
    const Extents coordinate = mesh.coordinate(block.first_rank);
    QStringList fixed, others;
    for (int dim = 0; dim < block.first_dim; ++dim) {
        const auto m = static_cast<std::size_t>(dim);
        fixed.append(QStringLiteral("%1 = %2").arg(meshDimText(mesh, dim), QString::number(coordinate[m])));
        const QString first = blocksText(before.placements[m]), last = blocksText(after.placements[m]);
        others.append(first == last
                          ? tr("along %1 blocks %2").arg(meshDimText(mesh, dim), first)
                          : tr("along %1 blocks %2 before and %3 after").arg(meshDimText(mesh, dim), first, last));
    }
    QString text = tr("ranks %1–%2 of %3")
                       .arg(formatCount(block.first_rank), formatCount(block.first_rank + block.ranks() - 1),
                            formatCount(mesh.rank_count()));
    if (!fixed.isEmpty()) text += QStringLiteral(" (%1)").arg(fixed.join(QStringLiteral(", ")));
    if (!others.isEmpty()) text += QStringLiteral("; ") + others.join(QStringLiteral(", "));
    return text;
}

bool RankSlice::empty() const {
    return std::ranges::any_of(parts, [](const DimensionPart& part) { return size_of(part) == 0; });
}

int SliceHues::hueOf(const std::vector<DimensionPart>& parts, const Extents& tensor_shape) {
    bool whole = true;
    std::vector<std::pair<std::int64_t, std::int64_t>> key;
    for (std::size_t dim = 0; dim < parts.size(); ++dim) {
        whole = whole && parts[dim] == DimensionPart{{0, tensor_shape[dim]}};
        for (const IndexRange& range : parts[dim]) key.emplace_back(range.begin, range.end);
        key.emplace_back(-1, -1);
    }
    if (whole) return -1;
    return numbers_.emplace(std::move(key), static_cast<int>(numbers_.size())).first->second;
}

std::vector<RankSlice> rankSlices(const ShardingState& state, const DeviceMesh& mesh, const MeshTensor& tensor,
                                  const RankBlock& block, SliceHues& hues) {
    const bool partial = std::ranges::any_of(state.placements, &Placement::is_partial);
    std::vector<RankSlice> slices;
    for (std::int64_t rank = block.first_rank; rank < block.first_rank + block.ranks(); ++rank) {
        RankSlice slice{rank, local_parts(state, mesh, tensor.shape, mesh.coordinate(rank)), partial, -1};
        slice.hue = hues.hueOf(slice.parts, tensor.shape);
        slices.push_back(std::move(slice));
    }
    return slices;
}

QString sliceText(const RankSlice& slice, const ShardingState& state, const DeviceMesh& mesh,
                  const MeshTensor& tensor) {
    const Extents coordinate = mesh.coordinate(slice.rank);
    QStringList place, ranges;
    for (int dim = 0; dim < mesh.dims(); ++dim)
        place.append(mesh.dim_names.empty()
                         ? QString::number(coordinate[static_cast<std::size_t>(dim)])
                         : QStringLiteral("%1 %2").arg(meshDimText(mesh, dim),
                                                       QString::number(coordinate[static_cast<std::size_t>(dim)])));
    Extents shape;
    std::int64_t elements = 1;
    for (const DimensionPart& part : slice.parts) {
        ranges.append(partText(part));
        shape.push_back(size_of(part));
        elements *= shape.back();
    }
    QString text = tr("rank %1 (%2): ").arg(slice.rank).arg(place.join(QStringLiteral(", ")));
    text += elements == 0 ? tr("nothing") : QStringLiteral("[%1]").arg(ranges.join(QStringLiteral(", ")));
    const QString sizes = shape.empty() ? tr("scalar") : extentsText(shape, QStringLiteral(" × "));
    text += QStringLiteral(" · %1 · %2").arg(sizes, formatBytes(static_cast<double>(elements * tensor.element_bytes)));
    QStringList terms;
    for (int dim = 0; dim < mesh.dims(); ++dim)
        if (const Placement& placement = state.placements[static_cast<std::size_t>(dim)]; placement.is_partial())
            terms.append(
                tr("one of %1 terms of a %2 over %3")
                    .arg(mesh.shape[static_cast<std::size_t>(dim)])
                    .arg(QString::fromStdString(std::string(to_text(placement.reduce_op))), meshDimText(mesh, dim)));
    if (!terms.isEmpty()) text += QStringLiteral(" · ") + terms.join(QStringLiteral(", "));
    return text;
}

QString meshDimText(const DeviceMesh& mesh, int mesh_dim) {
    return mesh.dim_names.empty() ? tr("mesh dim %1").arg(mesh_dim) : QString::fromStdString(mesh.dim_name(mesh_dim));
}

}  // namespace overlap::ui

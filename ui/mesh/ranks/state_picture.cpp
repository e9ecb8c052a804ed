#include "ui/mesh/ranks/state_picture.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace overlap::ui {
namespace {

constexpr double label_height = 13;  ///< of a rank's number
constexpr double label_width = 18;
constexpr double least_height = 4;   ///< of a miniature beside a number
constexpr double wide_gap = gridPx;  ///< between ranks, and once more between groups of them
constexpr double narrow_gap = 1.5;
constexpr double largest_height = 120;  ///< of a miniature: more says no more
constexpr double hatch_period = 5;

double product(const Extents& dims) {
    double result = 1;
    for (const std::int64_t dim : dims) result *= static_cast<double>(dim);
    return result;
}

/// Where the columns (or rows) of a grid begin, in cells of `size`: positions with wider gaps at every boundary of an
/// outer dimension.
std::vector<double> positions(const Extents& dims, double size, double gap) {
    std::vector<double> result;
    double at = 0;
    for (std::int64_t index = 0; static_cast<double>(index) < product(dims); ++index) {
        if (index > 0) {
            at += size + gap;
            std::int64_t group = 1;
            for (std::size_t dim = dims.size(); dim-- > 1;) {
                group *= dims[dim];
                if (index % group == 0) at += gap;
            }
        }
        result.push_back(at);
    }
    return result;
}

double gapsOf(const Extents& dims, double gap) {
    return positions(dims, 0, gap).back();
}

/// Mesh dimensions that run down and along. The outermost of those that run along may run over several rows.
struct Arrangement {
    Extents rows, columns;
};

/// By how much larger ranks must become for a dimension to run over several rows, where there are others.
constexpr double worth_a_break = 1.25;

std::vector<Arrangement> whole_arrangements(const RankBlock& block) {
    std::vector<Arrangement> result;
    for (std::size_t split = 0; split <= block.shape.size(); ++split) {
        const auto middle = block.shape.begin() + static_cast<std::ptrdiff_t>(split);
        result.push_back({Extents(block.shape.begin(), middle), Extents(middle, block.shape.end())});
    }
    return result;
}

/// A dimension below others fills its rows: what is below one of these would otherwise begin in a row of another.
std::vector<Arrangement> broken_arrangements(const RankBlock& block) {
    std::vector<Arrangement> result;
    for (std::size_t broken = 0; broken < block.shape.size(); ++broken) {
        const std::int64_t size = block.shape[broken];
        const auto at = block.shape.begin() + static_cast<std::ptrdiff_t>(broken);
        for (std::int64_t columns = 2; columns < size; ++columns) {
            if (broken > 0 && size % columns != 0) continue;
            Arrangement arrangement{Extents(block.shape.begin(), at), {columns}};
            arrangement.rows.push_back((size + columns - 1) / columns);
            arrangement.columns.insert(arrangement.columns.end(), at + 1, block.shape.end());
            result.push_back(std::move(arrangement));
        }
    }
    return result;
}

/// The largest cells of that arrangement: a miniature of `aspect` below a label.
QSizeF cellSize(const Arrangement& arrangement, const QRectF& area, double aspect, double gap, double label) {
    const double width = (area.width() - gapsOf(arrangement.columns, gap)) / product(arrangement.columns);
    const double height = (area.height() - gapsOf(arrangement.rows, gap)) / product(arrangement.rows) - label;
    const double fitting = std::min({width / aspect, height, largest_height});
    return {fitting * aspect, fitting + label};
}

struct Share {
    double begin, end;
};

/// Ranges as shares of a length, those that no pixel keeps apart joined.
std::vector<Share> shares(const DimensionPart& part, std::int64_t size, double length) {
    std::vector<Share> result;
    for (const IndexRange& range : part) {
        if (range.size() == 0 || size == 0) continue;
        const Share share{length * static_cast<double>(range.begin) / static_cast<double>(size),
                          length * static_cast<double>(range.end) / static_cast<double>(size)};
        if (!result.empty() && share.begin - result.back().end < 0.5)
            result.back().end = share.end;
        else
            result.push_back(share);
    }
    return result;
}

std::vector<Share> sharesOf(const RankSlice& slice, std::optional<int> dim, const Extents& shape, double length) {
    if (!dim) return {{0, length}};
    const auto index = static_cast<std::size_t>(*dim);
    return shares(slice.parts[index], shape[index], length);
}

/// Both ends' shares in between; nothing where they are not as many.
std::vector<Share> between(const std::vector<Share>& from, const std::vector<Share>& to, double progress) {
    std::vector<Share> result;
    for (std::size_t i = 0; i < to.size(); ++i)
        result.push_back(
            {std::lerp(from[i].begin, to[i].begin, progress), std::lerp(from[i].end, to[i].end, progress)});
    return result;
}

void hatch(QPainter& painter, const QRectF& area, const QColor& colour) {
    painter.setPen(QPen(colour, 1.2));
    // Lines x + y = c, on one pattern for all areas, cut where they leave this one: no clipping, which SVG lacks.
    const double first = std::ceil((area.left() + area.top()) / hatch_period) * hatch_period;
    for (double c = first; c < area.right() + area.bottom(); c += hatch_period) {
        const double left = std::max(area.left(), c - area.bottom());
        const double right = std::min(area.right(), c - area.top());
        if (left < right) painter.drawLine(QPointF(left, c - left), QPointF(right, c - right));
    }
}

void fill(QPainter& painter, const QRectF& area, const QColor& colour, bool partial, const Theme& theme) {
    painter.fillRect(area, partial ? blended(theme.background, colour, 0.3) : colour);
    if (partial) hatch(painter, area, colour);
}

void fillShares(QPainter& painter, const QPointF& origin, const std::vector<Share>& rows,
                const std::vector<Share>& columns, const QColor& colour, bool partial, const Theme& theme) {
    for (const Share& row : rows)
        for (const Share& column : columns)
            fill(painter,
                 {origin.x() + column.begin, origin.y() + row.begin, std::max(1.0, column.end - column.begin),
                  std::max(1.0, row.end - row.begin)},
                 colour, partial, theme);
}

}  // namespace

PictureAxes usualAxes(const std::vector<ShardingState>& states, int tensor_dims) {
    std::vector<int> dims;
    const auto add = [&](int dim) {
        if (std::ranges::find(dims, dim) == dims.end()) dims.push_back(dim);
    };
    for (int dim = 0; dim < tensor_dims; ++dim)
        for (const ShardingState& state : states)
            if (!mesh_dims_of(state.shard_order, dim).empty()) add(dim);
    for (int dim = 0; dim < tensor_dims; ++dim) add(dim);
    PictureAxes axes;
    if (dims.size() == 1) axes.columns = dims[0];
    if (dims.size() > 1) {
        axes.rows = std::min(dims[0], dims[1]);
        axes.columns = std::max(dims[0], dims[1]);
    }
    return axes;
}

double miniatureAspect(const Extents& tensor_shape, const PictureAxes& axes) {
    if (!axes.columns) return 1;
    if (!axes.rows) return 4;
    const auto size = [&](int dim) {
        return static_cast<double>(std::max<std::int64_t>(1, tensor_shape[static_cast<std::size_t>(dim)]));
    };
    return std::clamp(size(*axes.columns) / size(*axes.rows), 0.7, 2.2);
}

RankGrid layOutRanks(const RankBlock& block, const QRectF& area, double aspect) {
    const std::vector<Arrangement> whole = whole_arrangements(block), broken = broken_arrangements(block);
    const auto best = [&](double gap, double label) {
        const auto height = [&](const Arrangement& arrangement) {
            return cellSize(arrangement, area, aspect, gap, label).height();
        };
        const Arrangement& unbroken = *std::ranges::max_element(whole, {}, height);
        if (broken.empty()) return unbroken;
        const Arrangement& larger = *std::ranges::max_element(broken, {}, height);
        const double worth = block.shape.size() == 1 ? 1 : worth_a_break;
        return height(larger) > worth * height(unbroken) ? larger : unbroken;
    };
    RankGrid grid;
    grid.labelled = true;
    double gap = wide_gap;
    Arrangement chosen = best(gap, label_height);
    QSizeF cell = cellSize(chosen, area, aspect, gap, label_height);
    if (cell.width() < label_width || cell.height() < label_height + least_height) {
        grid.labelled = false;
        gap = narrow_gap;
        chosen = best(gap, 0);
        cell = cellSize(chosen, area, aspect, gap, 0).expandedTo({1, 1});
    }
    const std::vector<double> x = positions(chosen.columns, cell.width(), gap);
    const std::vector<double> y = positions(chosen.rows, cell.height(), gap);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(block.ranks()); ++rank)
        grid.cells.emplace_back(area.topLeft() + QPointF(x[rank % x.size()], y[rank / x.size()]), cell);
    grid.column_dims = static_cast<int>(chosen.columns.size());
    return grid;
}

QString gridText(const RankGrid& grid, const RankBlock& block, const DeviceMesh& mesh) {
    QStringList rows, columns;
    const int dims = static_cast<int>(block.shape.size());
    for (int dim = 0; dim < dims; ++dim)
        (dim < dims - grid.column_dims ? rows : columns)
            .append(QString::fromStdString(mesh.dim_name(mesh.dims() - dims + dim)));
    QStringList text;
    const QString separator = QStringLiteral(", ");
    const QString prefix = mesh.dim_names.empty() ? QCoreApplication::translate("RankGrid", "mesh ") : QString();
    if (!rows.isEmpty()) text.append(QStringLiteral("↓ ") + prefix + rows.join(separator));
    if (!columns.isEmpty()) text.append(QStringLiteral("→ ") + prefix + columns.join(separator));
    return text.join(QStringLiteral("   "));
}

QColor sliceColour(int hue, const Theme& theme) {
    if (hue < 0) return theme.compute;
    const auto hues = static_cast<int>(theme.bucketHues.size());
    // Beyond eight slices the hues return paler; hover shows which slice it is.
    const double strength = std::max(0.4, 1.0 - 0.2 * (hue / hues));
    return blended(theme.background, theme.bucket(static_cast<std::uint32_t>(hue % hues)), strength);
}

void paintRank(QPainter& painter, const QRectF& cell, bool labelled, const SlicePair& slices,
               const Extents& tensor_shape, const PictureAxes& axes, const Theme& theme) {
    QRectF tensor = cell;
    if (labelled) {
        painter.setFont(numberFont(smallTextPx));
        painter.setPen(theme.dim);
        painter.drawText(QRectF(cell.left(), cell.top(), cell.width(), label_height), Qt::AlignLeft | Qt::AlignVCenter,
                         QString::number(slices.to.rank));
        tensor.setTop(cell.top() + label_height);
    }
    painter.fillRect(tensor, theme.panel);
    const QColor from = sliceColour(slices.from.hue, theme), to = sliceColour(slices.to.hue, theme);
    const bool partial = slices.progress < 0.5 ? slices.from.partial : slices.to.partial;
    const auto rows = [&](const RankSlice& slice) { return sharesOf(slice, axes.rows, tensor_shape, tensor.height()); };
    const auto columns = [&](const RankSlice& slice) {
        return sharesOf(slice, axes.columns, tensor_shape, tensor.width());
    };
    const auto from_rows = rows(slices.from), to_rows = rows(slices.to);
    const auto from_columns = columns(slices.from), to_columns = columns(slices.to);
    if (from_rows.size() == to_rows.size() && from_columns.size() == to_columns.size()) {
        if (!(slices.progress < 0.5 ? slices.from : slices.to).empty())
            fillShares(painter, tensor.topLeft(), between(from_rows, to_rows, slices.progress),
                       between(from_columns, to_columns, slices.progress), blended(from, to, slices.progress), partial,
                       theme);
    } else {
        // As many ranges as do not become one another: one fades, the other comes.
        if (!slices.from.empty() && slices.progress < 1)
            fillShares(painter, tensor.topLeft(), from_rows, from_columns,
                       blended(theme.panel, from, 1 - slices.progress), slices.from.partial, theme);
        if (!slices.to.empty())
            fillShares(painter, tensor.topLeft(), to_rows, to_columns, blended(theme.panel, to, slices.progress),
                       slices.to.partial, theme);
    }
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(tensor);
    if (slices.to.empty() && slices.progress == 1) {
        painter.setPen(QPen(theme.faint, 1));
        painter.drawLine(tensor.bottomLeft(), tensor.topRight());
    }
}

}  // namespace overlap::ui

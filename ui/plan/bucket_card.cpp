#include "ui/plan/bucket_card.h"

#include <QFontMetrics>
#include <algorithm>

#include "ui/theme/harmless_text.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr int side_margin = 2 * gridPx;
constexpr int row_gap = gridPx / 2 + 1;
constexpr int padding = 2 * gridPx;
constexpr int mark_width = 4;
constexpr int bar_width = 54;
constexpr int bar_height = 5;
constexpr int chip_padding = 8;
constexpr int chip_gap = gridPx + 2;
constexpr int widest_chip = 150;
constexpr int tallest_preview = 10000;

}  // namespace

int CardGeometry::chipAt(const QPoint& position) const {
    for (const ChipPlace& place : chips)
        if (place.area.contains(position)) return place.chip;
    return -1;
}

CardGeometry layOutCard(const QRect& row, const CardHeading& heading, const std::vector<BucketChip>& chips,
                        bool all_chips, const QString& preview) {
    const QFontMetrics title_metrics(textFont(largeTextPx, QFont::DemiBold));
    const QFontMetrics small_metrics(textFont(smallTextPx));
    const QFontMetrics figure_metrics(numberFont(smallTextPx));
    CardGeometry geometry;
    QRect card = row.adjusted(side_margin, row_gap, -side_margin, -row_gap);
    geometry.mark = QRect(card.left(), card.top(), mark_width, 0);
    const int left = card.left() + mark_width + padding;
    const int right = card.right() - padding;
    int y = card.top() + padding - 1;

    const auto figuresWidth = [&](const QString& figures) { return figure_metrics.horizontalAdvance(figures) + 2; };
    const int title_width = title_metrics.horizontalAdvance(shownName(heading.title));
    for (const QString& figures : heading.figures) {
        geometry.figures_text = figures;
        if (left + title_width + padding + figuresWidth(figures) <= right + 1) break;
    }
    const int figures_width = std::min(figuresWidth(geometry.figures_text), std::max(0, right - left - 60));
    geometry.figures = QRect(right - figures_width + 1, y, figures_width, title_metrics.height());
    geometry.title = QRect(left, y, std::max(0, geometry.figures.left() - left - padding), title_metrics.height());
    y += title_metrics.height() + gridPx + 2;

    const int chip_height = small_metrics.height() + 6;
    const int bar_left = right - bar_width + 1;
    geometry.bar = QRect(bar_left, y + (chip_height - bar_height) / 2, bar_width, bar_height);
    int x = left;
    const int last_x = bar_left - padding;
    for (std::size_t i = 0; i < chips.size(); ++i) {
        const QString label = elidedName(small_metrics, chips[i].label, Qt::ElideMiddle, widest_chip);
        const int width = small_metrics.horizontalAdvance(label) + 2 * chip_padding;
        const auto restWidth = [&](std::size_t from) {
            const QString rest = QStringLiteral("+%1").arg(chips.size() - from);
            return small_metrics.horizontalAdvance(rest) + 2 * chip_padding;
        };
        // Room for the chip that counts the rest is kept behind every chip but the last.
        const bool keeps_room = !all_chips && i + 1 < chips.size();
        const int end = last_x - (keeps_room ? chip_gap + restWidth(i + 1) : 0);
        if (x > left && x + width > end) {
            if (!all_chips) {
                geometry.chips.push_back(
                    {QRect(x, y, restWidth(i), chip_height), -1, QStringLiteral("+%1").arg(chips.size() - i)});
                break;
            }
            x = left;
            y += chip_height + gridPx;
        }
        const int shown_width = std::min(width, end - x);
        geometry.chips.push_back(
            {QRect(x, y, shown_width, chip_height), static_cast<int>(i),
             shown_width == width ? label
                                  : elidedName(small_metrics, label, Qt::ElideMiddle, shown_width - 2 * chip_padding)});
        x += shown_width + chip_gap;
    }
    y += chip_height;
    if (!preview.isEmpty()) {
        const QRect room(left, y + gridPx + 2, right - left + 1, tallest_preview);
        geometry.preview = room;
        geometry.preview.setHeight(
            small_metrics.boundingRect(room, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, preview).height());
        y += geometry.preview.height() + gridPx + 2;
    }
    y += padding;
    card.setBottom(y - 1);
    geometry.card = card;
    geometry.mark.setBottom(card.bottom());
    geometry.height = card.height() + 2 * row_gap;
    return geometry;
}

}  // namespace overlap::ui

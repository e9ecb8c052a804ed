#include "ui/timeline/drawing/timeline_labels.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/drawing/lane_label_lines.h"
#include "ui/timeline/drawing/lane_layer.h"
#include "ui/timeline/drawing/lane_palette.h"

namespace overlap::ui {
namespace {

constexpr int twoLineRow = 32;  ///< rows from this height on show their subtitle
constexpr int titleHeight = 16;
constexpr int lineHeight = 15;
constexpr int labelLeft = 4 * gridPx;
constexpr int buttonSize = 16;

QString translated(const char* text) {
    return QCoreApplication::translate("TimelineView", text);
}

QRect labelCell(const QRect& row, int labelWidth) {
    return {0, row.top(), labelWidth - gridPx, row.height()};
}

/// Lines below its title for which a row has room.
qsizetype linesBelow(int rowHeight) {
    return rowHeight < twoLineRow ? 0 : 1 + (rowHeight - twoLineRow) / lineHeight;
}

int titlePx(int rowHeight) {
    return rowHeight >= 20 ? normalTextPx : smallTextPx;
}

/// A title and, as far as there is room for them, lines below it.
/// @param quiet colour of the lines.
/// @param right pixels at the right that stay free, for buttons.
void paintTitles(QPainter& painter, const QRect& cell, const QString& title, QStringList lines, const Theme& theme,
                 const QColor& quiet, int right = 0) {
    const QRect text = cell.adjusted(labelLeft, 0, -right, 0);
    lines.removeAll(QString());
    if (const qsizetype room = linesBelow(cell.height()); lines.size() > room) lines.resize(room);
    painter.setFont(textFont(titlePx(cell.height())));
    painter.setPen(theme.text);
    const QFontMetrics metrics(painter.font());
    const int top = text.center().y() + 1 - titleHeight / 2 - static_cast<int>(lines.size()) * lineHeight / 2;
    QRect line = lines.isEmpty() ? text : QRect(text.left(), top, text.width(), titleHeight);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, elidedName(metrics, title, Qt::ElideRight, text.width()));
    painter.setFont(textFont(smallTextPx));
    painter.setPen(quiet);
    const QFontMetrics small(painter.font());
    line.setHeight(lineHeight);
    line.moveTop(top + titleHeight);
    for (const QString& words : lines) {
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         elidedName(small, words, Qt::ElideRight, text.width()));
        line.translate(0, lineHeight);
    }
}

/// A drawing pin: head and needle.
void paintPin(QPainter& painter, const QRect& place, const QColor& colour) {
    const QPointF middle = QRectF(place).center();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(middle, middle + QPointF(0, 5));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(middle - QPointF(0, 2), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Points down at what is open, right at what is collapsed.
void paintChevron(QPainter& painter, const QRect& place, bool collapsed, const QColor& colour) {
    const QPointF middle = QRectF(place).center();
    const QPointF along = collapsed ? QPointF(0, 3.5) : QPointF(3.5, 0);
    const QPointF tip = collapsed ? QPointF(2.5, 0) : QPointF(0, 2.5);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(QPolygonF{middle - along - tip / 2, middle + tip / 2, middle + along - tip / 2});
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintButtons(QPainter& painter, const TimelineGeometry& geometry, std::uint32_t lane, bool hovered,
                  const Theme& theme) {
    const bool pinned = geometry.rows.rowOfLane[lane] < geometry.rows.pinned;
    const bool collapsed = geometry.rows.collapsed[lane];
    if (pinned || hovered)
        paintPin(painter, laneButton(geometry, lane, LaneButton::Pin), pinned ? theme.accent : theme.dim);
    if (collapsed || hovered)
        paintChevron(painter, laneButton(geometry, lane, LaneButton::Collapse), collapsed, theme.dim);
}

/// What the tones of halves mean, where there are halves and room for it.
/// @returns where the legend ends.
int paintLegend(QPainter& painter, const QRect& line, const Timeline& timeline, const Theme& theme) {
    constexpr int swatch = 10;
    const std::array<std::pair<EventRole, QString>, 2> entries{
        {{EventRole::first_half, translated("first half")}, {EventRole::second_half, translated("second half")}}};
    const QFontMetrics metrics(painter.font());
    int left = line.left();
    for (const auto& [role, name] : entries) {
        const int width = swatch + gridPx + metrics.horizontalAdvance(name);
        if (!timeline.has_role(role) || left + width > line.right()) continue;
        painter.fillRect(QRect(left, line.center().y() - swatch / 2, swatch, swatch), roleColour(theme, role));
        painter.drawText(QRect(left + swatch + gridPx, line.top(), width, line.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, name);
        left += width + 3 * gridPx;
    }
    return left;
}

/// Where so many bytes are in the memory area.
double memoryLevel(const TimelineGeometry& geometry, const Timeline& timeline, std::int64_t limit_bytes,
                   std::int64_t bytes) {
    const QRect& area = geometry.memory;
    const double scale = area.height() / LaneLayer::memoryScaleBytes(timeline, limit_bytes);
    return area.bottom() + 1 - static_cast<double>(bytes) * scale;
}

QString limitText(std::int64_t limit_bytes) {
    return translated("limit %1").arg(formatBytes(static_cast<double>(limit_bytes)));
}

}  // namespace

QRect laneButton(const TimelineGeometry& geometry, std::uint32_t lane, LaneButton button) {
    const QRect cell = labelCell(geometry.row(lane), geometry.labelWidth);
    const int size = std::min(buttonSize, cell.height());
    const int place = button == LaneButton::Collapse ? 1 : 2;
    return {cell.right() + 1 - place * buttonSize, cell.top() + std::min(4, (cell.height() - size) / 2), buttonSize,
            size};
}

LaneButton laneButtonAt(const TimelineGeometry& geometry, std::uint32_t lane, QPointF position) {
    for (const LaneButton button : {LaneButton::Pin, LaneButton::Collapse}) {
        if (laneButton(geometry, lane, button).contains(position.toPoint())) return button;
    }
    return LaneButton::None;
}

bool carriesTitle(const TimelineGeometry& geometry, const Timeline& timeline, std::uint32_t lane) {
    const auto lanes = timeline.lanes();
    const auto is_above = [&](std::uint32_t row) { return geometry.row(row).center().y() < geometry.clip(row).top(); };
    const bool has_further_row = lane + 1 < lanes.size() && lanes[lane + 1].depth > 0 && !geometry.rows.collapsed[lane];
    if (is_above(lane) && has_further_row) return false;
    return lanes[lane].depth == 0 || is_above(lane - 1);
}

int labelTextWidth(const Timeline& timeline, const QStringList& memoryNotes) {
    const QFontMetrics titles(textFont(normalTextPx));
    const QFontMetrics subtitles(textFont(smallTextPx));
    int widest = subtitles.horizontalAdvance(translated("peak 000.0 GiB"));
    for (const QString& note : memoryNotes) widest = std::max(widest, subtitles.horizontalAdvance(shownName(note)));
    for (const Lane& lane : timeline.lanes()) {
        widest = std::max({widest, titles.horizontalAdvance(shownName(QString::fromStdString(lane.description.title))),
                           subtitles.horizontalAdvance(shownName(QString::fromStdString(lane.description.subtitle)))});
    }
    return widest;
}

int usualLabelTextWidth() {
    const QFontMetrics titles(textFont(normalTextPx));
    const QFontMetrics subtitles(textFont(smallTextPx));
    return std::max({titles.horizontalAdvance(translated("Gathers + scatters")),
                     subtitles.horizontalAdvance(translated("group 00, 0000 ranks")),
                     subtitles.horizontalAdvance(translated("00.00 GiB too much"))});
}

void paintHeader(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, const QString& title,
                 const QString& caption, const Theme& theme, bool focused, bool withKeys) {
    const QRect line = geometry.header.adjusted(labelLeft, 0, -3 * gridPx - geometry.headerTaken, 0);
    int left = line.left();
    if (!title.isEmpty()) {
        painter.setFont(textFont(normalTextPx, QFont::DemiBold));
        painter.setPen(theme.text);
        const QFontMetrics metrics(painter.font());
        const QString shown = elidedName(metrics, title, Qt::ElideRight, line.width());
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, shown);
        left += metrics.horizontalAdvance(shown) + 4 * gridPx;
    }
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.dim);
    const QFontMetrics metrics(painter.font());
    const int room = line.right() - left;
    painter.drawText(QRect(left, line.top(), room, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(metrics, caption, Qt::ElideRight, room));
    const QString all = shownName(caption);
    left += metrics.horizontalAdvance(all) + 4 * gridPx;
    left = paintLegend(painter, QRect(left, line.top(), line.right() - left, line.height()), timeline, theme);
    const QString keys = translated("W A S D · Ctrl+wheel · F focus · 0 all");
    if (withKeys && left + metrics.horizontalAdvance(keys) + 4 * gridPx < line.right()) {
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, keys);
    }
    painter.fillRect(QRect(0, geometry.header.bottom(), geometry.header.width(), 1),
                     focused ? theme.accent : theme.line);
}

QStringList laneFigureLines(const QString& figures, int width, int rowHeight) {
    if (QFontMetrics(textFont(smallTextPx)).horizontalAdvance(figures) <= width) return {figures};
    QStringList lines = figures.split(QStringLiteral(" · "));
    if (const qsizetype room = std::max<qsizetype>(1, linesBelow(rowHeight)); lines.size() > room) lines.resize(room);
    return lines;
}

void paintLaneLabels(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, const Theme& theme,
                     const LaneLabels& labels) {
    painter.save();
    const QRect column(0, geometry.lanes.top(), geometry.labelWidth, geometry.lanes.height());
    for (const std::uint32_t index : geometry.rows.laneOfRow) {
        const QRect row = geometry.row(index);
        if (!row.intersects(geometry.clip(index))) continue;
        painter.setClipRect(geometry.clip(index).intersected(column));
        const Lane& lane = timeline.lanes()[index];
        const QRect cell = labelCell(row, geometry.labelWidth);
        const QRect plate = cell.adjusted(0, row.height() >= 24 ? 1 : 0, 0, row.height() >= 24 ? -1 : 0);
        const bool selected = labels.selection.valid() && labels.selection.lane == index;
        painter.fillRect(plate, selected ? blended(theme.panel, theme.accent, 0.18) : theme.panel);
        if (!carriesTitle(geometry, timeline, index)) continue;
        const int inset = row.height() >= twoLineRow ? 8 : 3;
        painter.fillRect(QRect(2 * gridPx, cell.top() + inset, 3, cell.height() - 2 * inset),
                         roleColour(theme, lane.description.role));
        const bool hovered = labels.hovered == static_cast<int>(index);
        const bool pinned = geometry.rows.rowOfLane[index] < geometry.rows.pinned;
        const int buttons = pinned || hovered ? 2 : geometry.rows.collapsed[index] ? 1 : 0;
        const QString figures = labels.figures.value(static_cast<qsizetype>(index));
        const QString title = QString::fromStdString(lane.description.title);
        const int room = cell.width() - labelLeft - buttons * buttonSize;
        const LaneLabelLines lines =
            figures.isEmpty() ? laneLabelLines(title, QString::fromStdString(lane.description.subtitle), room,
                                               QFontMetrics(textFont(titlePx(cell.height()))),
                                               QFontMetrics(textFont(smallTextPx)), linesBelow(cell.height()) > 0)
                              : LaneLabelLines{title, laneFigureLines(figures, room, cell.height())};
        paintTitles(painter, cell, lines.title, lines.below, theme, selected ? theme.asText(theme.dim) : theme.dim,
                    buttons * buttonSize);
        paintButtons(painter, geometry, index, hovered, theme);
    }
    painter.restore();
}

std::optional<QPointF> memoryPeakPlace(const TimelineGeometry& geometry, const Timeline& timeline, TimeRange range,
                                       std::int64_t limit_bytes) {
    const MemoryCurve& curve = timeline.memory();
    if (curve.empty() || geometry.memory.isEmpty()) return std::nullopt;
    const std::size_t peak = timeline.memory_peak();
    const double x = geometry.axis(range).x_of(curve.time_ns[peak]);
    if (x < 0 || x > geometry.memory.width()) return std::nullopt;
    return QPointF(
        geometry.memory.left() + x,
        std::max<double>(geometry.memory.top() + 2, memoryLevel(geometry, timeline, limit_bytes, curve.bytes[peak])));
}

std::optional<QRectF> memoryLimitPlate(const TimelineGeometry& geometry, const Timeline& timeline,
                                       std::int64_t limit_bytes) {
    const QRect& area = geometry.memory;
    if (timeline.memory().empty() || area.isEmpty() || limit_bytes <= 0) return std::nullopt;
    const double level = memoryLevel(geometry, timeline, limit_bytes, limit_bytes);
    if (level <= area.top()) return std::nullopt;
    const double y = std::floor(level) + 0.5;
    const QFontMetrics metrics(textFont(smallTextPx));
    const bool below = y - area.top() < metrics.height() + 2;
    const int width = metrics.horizontalAdvance(limitText(limit_bytes)) + 8;
    return QRectF(area.right() - width, below ? y + 2 : y - metrics.height() - 2, width, metrics.height());
}

void paintMemoryMarks(QPainter& painter, const TimelineGeometry& geometry, const Timeline& timeline, TimeRange range,
                      std::int64_t limit_bytes, const QStringList& notes, const Theme& theme) {
    const MemoryCurve& curve = timeline.memory();
    const std::size_t peak = timeline.memory_peak();
    const QRect area = geometry.memory;
    const QRect cell(0, area.top(), geometry.labelWidth - gridPx, area.height());
    painter.fillRect(cell, theme.panel);
    painter.fillRect(QRect(2 * gridPx, cell.top() + 8, 3, cell.height() - 16), theme.memory);
    paintTitles(painter, cell, translated("Memory"),
                QStringList{translated("peak %1").arg(formatBytes(static_cast<double>(curve.bytes[peak])))} + notes,
                theme, theme.dim);

    painter.setFont(textFont(smallTextPx));
    const QFontMetrics metrics(painter.font());
    const QRectF limit_plate = memoryLimitPlate(geometry, timeline, limit_bytes).value_or(QRectF());
    if (!limit_plate.isEmpty()) {
        const double y = std::floor(memoryLevel(geometry, timeline, limit_bytes, limit_bytes)) + 0.5;
        painter.setPen(QPen(theme.caution, 1, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.fillRect(limit_plate, theme.background);  // the curve may run here
        painter.setPen(theme.asText(theme.caution));
        painter.drawText(limit_plate, Qt::AlignCenter, limitText(limit_bytes));
    }
    const auto place = memoryPeakPlace(geometry, timeline, range, limit_bytes);
    if (!place) return;
    const QPointF point = *place;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.background, 1.5));
    painter.setBrush(theme.memory);
    painter.drawEllipse(point, 3.5, 3.5);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QString text = formatBytes(static_cast<double>(curve.bytes[peak]));
    const int width = metrics.horizontalAdvance(text);
    const double baseline = std::max<double>(area.top() + metrics.ascent(), point.y() - 2);
    const QRectF behind(point.x() + 6, baseline - metrics.ascent(), width + 4, metrics.height());
    const bool has_room = behind.right() <= area.right() && !behind.intersects(limit_plate);
    const double left = has_room ? point.x() + 8 : point.x() - 8 - width;
    // The curve may run here.
    painter.fillRect(QRectF(left - 2, baseline - metrics.ascent(), width + 4, metrics.height()), theme.background);
    painter.setPen(theme.text);
    painter.drawText(QPointF(left, baseline), text);
}

}  // namespace overlap::ui

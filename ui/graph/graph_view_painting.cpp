// How the graph view is drawn: the boxes, and in its corners the minimap and the legend.
#include <QElapsedTimer>
#include <QLoggingCategory>
#include <QPainter>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/graph/edge_labels.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_painter.h"
#include "ui/graph/graph_view.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

Q_LOGGING_CATEGORY(frameTime, "overlap.graph.frametime", QtInfoMsg)

constexpr QSizeF minimap_size(132, 96);
constexpr double minimap_margin = 12;
constexpr int low_view = 220;                      ///< lower, no box is covered to say what colours mean
constexpr double minimap_share = 0.3;              ///< of the view that the minimap takes at most, either way
constexpr std::array minimap_scales = {1.0, 0.6};  ///< the smaller one where no corner is free for the other

}  // namespace

void GraphView::repaintAll() {
    base_stale_ = true;
    minimap_stale_ = minimap_corner_stale_ = legend_corner_stale_ = true;
    update();
}

void GraphView::paintBase() {
    if (!std::exchange(base_stale_, false) && base_.deviceIndependentSize() == QSizeF(size()) &&
        base_.devicePixelRatio() == devicePixelRatioF())
        return;
    QElapsedTimer timer;
    timer.start();
    ++render_count_;
    base_ = QPixmap(size() * devicePixelRatioF());
    base_.setDevicePixelRatio(devicePixelRatioF());
    base_.fill(currentTheme().background);
    QPainter painter(&base_);
    painter.scale(place_.scale, place_.scale);
    painter.translate(-corner());
    GraphPainter(model_, currentTheme(), place_.scale).paint(painter, planeRect());
    const double ms = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
    worst_frame_ms_ = std::max(worst_frame_ms_, ms);
    qCDebug(frameTime) << "painted in" << ms << "ms, worst" << worst_frame_ms_ << "ms";
}

void GraphView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (!model_.isOpen()) return paintEmpty(painter);
    paintBase();
    painter.drawPixmap(0, 0, base_);
    painter.save();
    painter.scale(place_.scale, place_.scale);
    painter.translate(-corner());
    GraphPainter(model_, currentTheme(), place_.scale)
        .paintSelection(painter, planeRect(), hovered_, current_, hasFocus());
    painter.restore();
    paintLegend(painter);
    paintMinimap(painter);
    if (press_ == Press::marquee || press_ == Press::band) {
        const Theme& theme = currentTheme();
        QColor fill = theme.accent;
        fill.setAlphaF(0.12f);
        painter.setPen(theme.accent);
        painter.setBrush(fill);
        painter.drawRect(QRectF(press_at_, press_now_).normalized());
    }
}

void GraphView::paintEmpty(QPainter& painter) const {
    const Theme& theme = currentTheme();
    painter.fillRect(rect(), theme.background);
    painter.setPen(theme.dim);
    painter.setFont(textFont(largeTextPx, QFont::DemiBold));
    painter.drawText(rect(), Qt::AlignCenter,
                     model_.reading() ? tr("Making the boxes…") : noGraphOpen(model_.document()));
}

QRectF GraphView::minimapRect() const {
    if (!shown_ || shown_->size.width <= 0 || shown_->size.height <= 0) return {};
    const QRectF all(0, 0, shown_->size.width, shown_->size.height);
    if (planeRect().contains(all)) return {};
    if (std::exchange(minimap_corner_stale_, false)) findMinimapPlace();
    // It must not disappear while it is dragged in.
    return minimap_covers_ && press_ != Press::minimap ? QRectF() : inCorner(minimap_corner_, minimap_area_);
}

QRectF GraphView::closedPart(BoxId box) const {
    if (box == no_box || box == BoxTree::root) return {};
    QRectF rect = boxRect(box);
    if (model_.isOpen(box)) rect.setHeight(std::min(rect.height(), headerHeight * place_.scale));
    return rect;
}

QRectF GraphView::inCorner(Qt::Corner corner, QSizeF size) const {
    const bool left = corner == Qt::TopLeftCorner || corner == Qt::BottomLeftCorner;
    const bool top = corner == Qt::TopLeftCorner || corner == Qt::TopRightCorner;
    return {QPointF(left ? minimap_margin : width() - minimap_margin - size.width(),
                    top ? minimap_margin : height() - minimap_margin - size.height()),
            size};
}

/// Where an area covers no box and no text, or where all corners are taken, the least of them, but the selected one
/// last. It stays where it is as long as it can.
GraphView::CornerChoice GraphView::freestCorner(Qt::Corner now, QSizeF size, const QRectF& taken,
                                                const std::vector<QRectF>& texts) const {
    CornerChoice best{now, std::numeric_limits<double>::max()};
    for (const Qt::Corner corner :
         {now, Qt::BottomRightCorner, Qt::TopRightCorner, Qt::TopLeftCorner, Qt::BottomLeftCorner}) {
        const QRectF area = inCorner(corner, size);
        double covered = area.intersects(taken) ? area.width() * area.height() : 0;
        if (closedPart(current_).intersects(area)) covered += width() * height();
        for (const QRectF& text : texts) {
            const QRectF shared = text.intersected(area);
            covered += shared.width() * shared.height();
        }
        for (const PlacedBox& placed : shown_->boxes) {
            const QRectF shared = closedPart(placed.box).intersected(area);
            covered += std::max(0.0, shared.width()) * std::max(0.0, shared.height());
        }
        if (covered < best.covered) best = {corner, covered};
    }
    return best;
}

std::vector<QRectF> GraphView::edgeTexts() const {
    std::vector<QRectF> texts;
    for (const EdgeLabel& label : GraphPainter(model_, currentTheme(), place_.scale).labelsIn(planeRect()))
        texts.push_back({toScreen(label.room.topLeft()), label.room.size() * place_.scale});
    return texts;
}

void GraphView::findMinimapPlace() const {
    const std::vector<QRectF> texts = edgeTexts();
    const QSizeF most = minimap_size.boundedTo(QSizeF(size()) * minimap_share);
    const QSizeF all(shown_->size.width, shown_->size.height);
    for (const double scale : minimap_scales) {
        const QSizeF area = all.scaled(most * scale, Qt::KeepAspectRatio).expandedTo({24, 24});
        const CornerChoice found = freestCorner(minimap_corner_, area, legendRect(), texts);
        minimap_covers_ = found.covered > 0;
        if (minimap_covers_ && press_ == Press::minimap) return;  // stays as it is while it is dragged in
        minimap_corner_ = found.corner;
        minimap_area_ = area;
        if (!minimap_covers_) return;
    }
}

void GraphView::paintMinimap(QPainter& painter) {
    const QRectF area = minimapRect();
    if (area.isEmpty()) return;
    const Theme& theme = currentTheme();
    const double x_scale = area.width() / shown_->size.width, y_scale = area.height() / shown_->size.height;
    if (std::exchange(minimap_stale_, false) || minimap_.deviceIndependentSize() != area.size()) {
        minimap_ = QPixmap((area.size() * devicePixelRatioF()).toSize());
        minimap_.setDevicePixelRatio(devicePixelRatioF());
        minimap_.fill(theme.panel);
        QPainter inner(&minimap_);
        inner.scale(x_scale, y_scale);
        GraphPainter(model_, theme, x_scale).paintAreas(inner);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.drawPixmap(area.topLeft(), minimap_);
    painter.setPen(theme.line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
    const QRectF plane = planeRect();
    const QRectF seen = QRectF(area.x() + plane.x() * x_scale, area.y() + plane.y() * y_scale, plane.width() * x_scale,
                               plane.height() * y_scale)
                            .intersected(area);
    QColor fill = theme.accent;
    fill.setAlphaF(0.15f);
    painter.setPen(theme.accent);
    painter.setBrush(fill);
    painter.drawRect(seen);
}

QRectF GraphView::legendRect() const {
    const QList<BoxColours::Key> keys = model_.colours().legend(model_.colouring(), currentTheme());
    if (keys.isEmpty()) return {};
    const QFontMetricsF metrics(textFont(smallTextPx));
    double width = 8;
    for (const BoxColours::Key& key : keys) width += metrics.horizontalAdvance(key.meaning) + 26;
    const QSizeF size(width, 22);
    if (shown_ && std::exchange(legend_corner_stale_, false)) {
        const CornerChoice found = freestCorner(legend_corner_, size, {});
        legend_corner_ = found.corner;
        legend_covers_ = found.covered > 0;
    }
    if (legend_covers_ && height() < low_view) return {};
    return inCorner(legend_corner_, size);
}

void GraphView::paintLegend(QPainter& painter) const {
    const Theme& theme = currentTheme();
    const QList<BoxColours::Key> keys = model_.colours().legend(model_.colouring(), theme);
    if (keys.isEmpty()) return;
    const QRectF area = legendRect();
    if (area.isEmpty()) return;
    painter.setFont(textFont(smallTextPx));
    const QFontMetricsF metrics(painter.font());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.line);
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    double x = area.left() + 10;
    for (const BoxColours::Key& key : keys) {
        painter.fillRect(QRectF(x, area.center().y() - 5, 4, 10),
                         key.part.hatched ? QBrush(key.part.colour, Qt::BDiagPattern) : QBrush(key.part.colour));
        painter.setPen(theme.dim);
        painter.drawText(QRectF(x + 9, area.top(), area.width(), area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         key.meaning);
        x += metrics.horizontalAdvance(key.meaning) + 26;
    }
}

}  // namespace overlap::ui

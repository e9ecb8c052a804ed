// How the timeline is drawn.
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/theme/theme_manager.h"
#include "ui/timeline/drawing/note_marks.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/timeline_view.h"
#include "ui/timeline/timeline_words.h"

namespace overlap::ui {

TimelinePicture TimelineView::picture(bool visibleOnly) const {
    return {scene_.timeline,
            edits_->lanes(),
            edits_->notes(),
            visibleOnly ? scene_.range : scene_.timeline->range(),
            title_,
            caption_,
            memoryLimit_,
            memoryNotes_,
            viewport()->width()};
}

OverlayScene TimelineView::overlayScene() const {
    std::optional<TimeRange> marquee;
    if (drag_.kind() == PointerDrag::Kind::Marquee) marquee = drag_.span(scene_);
    std::optional<QRectF> band;
    if (drag_.kind() == PointerDrag::Kind::Band && drag_.isFar()) band = drag_.band();
    int dropLine_y = -1;
    if (drag_.kind() == PointerDrag::Kind::Lane && drag_.isFar())
        dropLine_y = laneDropPlaceAt(scene_, drag_.position()).line_y;
    return {*scene_.timeline,
            scene_.geometry,
            currentTheme(),
            scene_.range,
            selection_,
            selectedReference_,
            hovered_,
            pointer_,
            measurement_.range(),
            measurement_.text(),
            marquee,
            dropLine_y,
            arrows_,
            chosen_.references(),
            band};
}

void TimelineView::paintEvent(QPaintEvent* event) {
    repaint_.frameBegins();
    const Theme& theme = currentTheme();
    layer_.render({scene_.timeline, scene_.range, viewport()->size(), scene_.geometry.scroll, devicePixelRatioF(),
                   theme.dark, highlight_, arrangement_, memoryLimit_},
                  scene_.geometry, theme);

    QPainter painter(viewport());
    painter.setClipRegion(event->region());
    painter.fillRect(event->rect() & QRect(0, 0, viewport()->width(), scene_.geometry.ruler.bottom() + 1), theme.panel);
    const QString chosen = chosenText(*scene_.timeline, chosen_.references());
    paintHeader(painter, scene_.geometry, *scene_.timeline, title_, chosen.isEmpty() ? caption_ : chosen, theme,
                hasFocus());
    if (scene_.timeline->event_count() == 0) {
        const QRect free = viewport()->rect().adjusted(0, scene_.geometry.header.height(), 0, 0);
        painter.fillRect(free, theme.background);
        painter.setFont(textFont());
        painter.setPen(theme.dim);
        painter.drawText(free, Qt::AlignCenter, tr("No timeline yet"));
        return;
    }
    const OverlayScene overlay = overlayScene();
    paintTop(painter, overlay);
    paintLanes(painter, event->rect());
    if (!scene_.geometry.memory.isEmpty()) paintMemory(painter);
    paintOverlay(painter, overlay);
    if (drag_.kind() == PointerDrag::Kind::Event) eventDrag_.paint(painter, theme);
    repaint_.frameEnds(layer_.renderCount());
}

/// Overview and ruler with what is marked there.
void TimelineView::paintTop(QPainter& painter, const OverlayScene& overlay) {
    const TimelineGeometry& geometry = scene_.geometry;
    const Theme& theme = currentTheme();
    painter.drawImage(geometry.overview.topLeft(), layer_.overview());
    paintOverviewRange(painter, overlay);
    if (search_.finder().active())
        paintDensity(painter, geometry.overview, search_.density(geometry.overview.width()), theme);
    paintRuler(painter, geometry.ruler, *scene_.timeline, scene_.range, theme, platesOnRuler(overlay));
    paintNotes(painter, geometry, edits_->notes(), notes_.places(), scene_.timeline->range(), scene_.range, theme);
}

/// @param dirty the part of the view that is painted.
void TimelineView::paintLanes(QPainter& painter, const QRect& dirty) {
    const TimelineGeometry& geometry = scene_.geometry;
    const Theme& theme = currentTheme();
    // Around the images only: they cover most of the window, and are opaque.
    QRegion ground(QRect(0, geometry.ruler.bottom() + 1, viewport()->width(), viewport()->height()));
    ground = ground.intersected(dirty) - geometry.lanes - geometry.memory;
    for (const QRect& part : ground) painter.fillRect(part, theme.background);
    paintLaneLabels(painter, geometry, *scene_.timeline, theme, {selection_, measurement_.figures(), hoveredLane()});
    painter.drawImage(geometry.lanes.topLeft(), layer_.lanes());
}

/// The memory curve with its marks, and a line at the moment of which it is listed what is alive.
void TimelineView::paintMemory(QPainter& painter) {
    const QRect& memory = scene_.geometry.memory;
    const Theme& theme = currentTheme();
    painter.drawImage(memory.topLeft(), layer_.memory());
    paintMemoryMarks(painter, scene_.geometry, *scene_.timeline, scene_.range, memoryLimit_, memoryNotes_, theme);
    const auto moment = alive_.time_ns();
    if (!moment) return;
    const double x = scene_.geometry.lanes.left() + std::floor(scene_.axis().x_of(*moment));
    if (x >= memory.left()) painter.fillRect(QRectF(x, memory.top(), 1, memory.height()), theme.accent);
}

}  // namespace overlap::ui

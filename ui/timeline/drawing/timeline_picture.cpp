#include "ui/timeline/drawing/timeline_picture.h"

#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>

#include "core/timeline/curve_rasterizer.h"
#include "ui/timeline/drawing/lane_layer.h"
#include "ui/timeline/drawing/lane_palette.h"
#include "ui/timeline/drawing/note_marks.h"
#include "ui/timeline/drawing/ruler.h"
#include "ui/timeline/drawing/timeline_labels.h"

namespace overlap::ui {
namespace {

constexpr int memoryHeight = 148;
constexpr int hatchDistance = 5;

TimelineGeometry geometryOf(const TimelinePicture& picture) {
    const Timeline& timeline = *picture.timeline;
    const LaneRows rows = LaneRows::of(timeline, picture.lanes);
    const int labels = labelTextWidth(timeline, picture.memoryNotes);
    // In no room lanes have the height that they need, and no more.
    const TimelineGeometry least = TimelineGeometry::of(timeline, rows, {picture.width, 0}, labels, 0);
    const int height = least.lanes.top() + least.stack.total_px() + (timeline.memory().empty() ? 0 : memoryHeight) + 8;
    return TimelineGeometry::of(timeline, rows, {picture.width, height}, labels, 0);
}

QSize sizeOf(const TimelineGeometry& geometry, int width) {
    const QRect& last = geometry.memory.isEmpty() ? geometry.lanes : geometry.memory;
    return {width, last.top() + last.height() + 8};
}

LaneScene sceneOf(const TimelinePicture& picture, QSize size, const Theme& theme, double pixelRatio) {
    LaneScene scene;
    scene.timeline = picture.timeline;
    scene.range = picture.range;
    scene.size = size;
    scene.pixelRatio = pixelRatio;
    scene.dark = theme.dark;
    scene.memoryLimit = picture.memoryLimit;
    return scene;
}

/// All but events and curve.
void paintSurroundings(QPainter& painter, const TimelinePicture& picture, const TimelineGeometry& geometry,
                       const Theme& theme) {
    painter.fillRect(QRect(0, geometry.overview.bottom() + 1, picture.width, geometry.ruler.height()), theme.panel);
    paintHeader(painter, geometry, *picture.timeline, picture.title, picture.caption, theme, false, false);
    paintRuler(painter, geometry.ruler, *picture.timeline, picture.range, theme);
    paintNotes(painter, geometry, picture.notes, placed(picture.notes, *picture.timeline), picture.timeline->range(),
               picture.range, theme);
    paintLaneLabels(painter, geometry, *picture.timeline, theme, {});
    if (!geometry.memory.isEmpty())
        paintMemoryMarks(painter, geometry, *picture.timeline, picture.range, picture.memoryLimit, picture.memoryNotes,
                         theme);
}

/// Diagonal lines inside of `place`, cut by calculation: not every paint device clips.
void paintHatch(QPainter& painter, const QRectF& place, const QColor& colour) {
    painter.setPen(QPen(colour, 1.5));
    for (double x = place.left() - place.height(); x < place.right(); x += hatchDistance) {
        const double left = std::max(x, place.left());
        const double right = std::min(x + place.height(), place.right());
        if (left < right)
            painter.drawLine(QPointF(left, place.bottom() - (left - x)), QPointF(right, place.bottom() - (right - x)));
    }
}

void paintLane(QPainter& painter, const Scanline& scanline, const QRect& bar, Pixel background) {
    const auto width = static_cast<std::int32_t>(scanline.fill.size());
    for (std::int32_t begin = 0; begin < width;) {
        const Pixel colour = scanline.fill[static_cast<std::size_t>(begin)];
        std::int32_t end = begin + 1;
        while (end < width && scanline.fill[static_cast<std::size_t>(end)] == colour) ++end;
        if (colour != background)
            painter.fillRect(QRectF(bar.left() + begin, bar.top(), end - begin, bar.height()), QColor(colour));
        begin = end;
    }
    for (std::size_t x = 0; x < scanline.band_share.size(); ++x) {
        const double height = bar.height() * scanline.band_share[x] / 255.0;
        const QRectF band(bar.left() + static_cast<double>(x), bar.top() + bar.height() - height, 1, height);
        if (height > 0) painter.fillRect(band, QColor(scanline.band[x]));
    }
    for (const HatchRun& run : scanline.hatches)
        paintHatch(painter, QRectF(bar.left() + run.begin_px, bar.top(), run.end_px - run.begin_px, bar.height()),
                   QColor(run.stripe));
}

void paintLanes(QPainter& painter, const TimelinePicture& picture, const TimelineGeometry& geometry,
                const Theme& theme) {
    const LanePalette palette = lanePalette(theme);
    const TimeAxis axis = geometry.axis(picture.range);
    Scanline scanline;
    for (std::uint32_t lane = 0; lane < picture.timeline->lanes().size(); ++lane) {
        rasterize_lane(picture.timeline->lanes()[lane], picture.timeline->mip(lane), axis, palette, {}, scanline);
        paintLane(painter, scanline, geometry.bar(lane), palette.background);
    }
}

void paintCurve(QPainter& painter, const TimelinePicture& picture, const TimelineGeometry& geometry,
                const Theme& theme) {
    const QRect area = geometry.memory;
    if (area.isEmpty()) return;
    const double scale = area.height() / LaneLayer::memoryScaleBytes(*picture.timeline, picture.memoryLimit);
    const auto level = [&](std::int64_t bytes) { return area.bottom() + 1 - static_cast<double>(bytes) * scale; };
    QPolygonF curve;
    const std::vector<CurveColumn> columns = rasterize_curve(picture.timeline->memory(), geometry.axis(picture.range));
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (!columns[x].defined) continue;
        const double left = area.left() + static_cast<double>(x);
        curve << QPointF(left, level(columns[x].lowest_bytes)) << QPointF(left, level(columns[x].highest_bytes));
    }
    if (curve.isEmpty()) return;
    QPolygonF filled = curve;
    filled << QPointF(curve.last().x(), area.bottom() + 1) << QPointF(curve.first().x(), area.bottom() + 1);
    const auto paint = [&](const QColor& colour, const QRectF& clip) {
        painter.setClipRect(clip);
        painter.setPen(Qt::NoPen);
        painter.setBrush(blended(theme.background, colour, 0.22));
        painter.drawPolygon(filled);
        painter.setPen(QPen(colour, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(curve);
    };
    painter.save();
    const double limit =
        picture.memoryLimit > 0 ? std::max<double>(area.top(), level(picture.memoryLimit)) : area.top();
    paint(theme.memory, QRectF(QPointF(area.left(), limit), QPointF(area.right() + 1, area.bottom() + 1)));
    if (limit > area.top())
        paint(theme.exposed, QRectF(QPointF(area.left(), area.top()), QPointF(area.right() + 1, limit)));
    painter.restore();
}

}  // namespace

QImage timelineImage(const TimelinePicture& picture, const Theme& theme, double pixelRatio) {
    const TimelineGeometry geometry = geometryOf(picture);
    const QSize size = sizeOf(geometry, picture.width);
    QImage image((QSizeF(size) * pixelRatio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(pixelRatio);
    image.fill(theme.background);
    LaneLayer layer;
    layer.render(sceneOf(picture, size, theme, pixelRatio), geometry, theme);
    QPainter painter(&image);
    painter.drawImage(geometry.overview.topLeft(), layer.overview());
    painter.drawImage(geometry.lanes.topLeft(), layer.lanes());
    if (!geometry.memory.isEmpty()) painter.drawImage(geometry.memory.topLeft(), layer.memory());
    paintSurroundings(painter, picture, geometry, theme);
    return image;
}

QByteArray timelineSvg(const TimelinePicture& picture, const Theme& theme) {
    const TimelineGeometry geometry = geometryOf(picture);
    const QSize size = sizeOf(geometry, picture.width);
    QByteArray document;
    QBuffer buffer(&document);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(picture.title);
    generator.setDescription(picture.caption);
    QPainter painter(&generator);
    painter.fillRect(QRect(QPoint(), size), theme.background);
    paintLanes(painter, picture, geometry, theme);
    paintCurve(painter, picture, geometry, theme);
    // Texts are chosen where they are rasterised: at one device pixel for a logical one they fit here too.
    LaneLayer layer;
    layer.render(sceneOf(picture, size, theme, 1), geometry, theme);
    painter.translate(geometry.lanes.topLeft());
    layer.paintLabels(painter, theme);
    painter.translate(-geometry.lanes.topLeft());
    paintSurroundings(painter, picture, geometry, theme);
    painter.end();
    return document;
}

}  // namespace overlap::ui

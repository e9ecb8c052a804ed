#include "ui/graph/graph_export.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>

#include "ui/files/write_file.h"
#include "ui/graph/graph_model.h"
#include "ui/graph/graph_painter.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr double white_border = 24;
constexpr double finest_scale = 2;

QByteArray svgOf(const GraphModel& model, const QRectF& area) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(area.size().toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), area.size()));
    generator.setTitle(model.texts().title(BoxTree::root));
    QPainter painter(&generator);
    painter.fillRect(QRectF(QPointF(0, 0), area.size()), currentTheme().background);
    painter.translate(-area.topLeft());
    GraphPainter(model, currentTheme(), 1).paint(painter, area);
    painter.end();
    return bytes;
}

QRectF areaOf(const GraphModel& model) {
    const LayoutSize size = model.arrangement().size;
    return QRectF(0, 0, size.width, size.height).adjusted(-white_border, -white_border, white_border, white_border);
}

bool isSvg(const QString& path) {
    return QFileInfo(path).suffix().compare(QStringLiteral("svg"), Qt::CaseInsensitive) == 0;
}

double pngScale(const QRectF& area) {
    return std::min(finest_scale, most_pixels / std::max(area.width(), area.height()));
}

QByteArray pngOf(const GraphModel& model, const QRectF& area) {
    const double scale = pngScale(area);
    QImage image((area.size() * scale).toSize(), QImage::Format_RGB32);
    image.fill(currentTheme().background);
    QPainter painter(&image);
    painter.scale(scale, scale);
    painter.translate(-area.topLeft());
    GraphPainter(model, currentTheme(), scale).paint(painter, area);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

}  // namespace

QString pictureRemark(const GraphModel& model, const QString& path) {
    const double scale = pngScale(areaOf(model));
    if (isSvg(path) || scale >= 1) return {};
    return QCoreApplication::translate(
               "GraphExport", "at %1 of its size, the largest that %2 pixels a side hold; as SVG it keeps its size")
        .arg(formatPercent(scale), formatCount(most_pixels));
}

QString writeGraphPicture(const GraphModel& model, const QString& path) {
    const QRectF area = areaOf(model);
    const QByteArray bytes = isSvg(path) ? svgOf(model, area) : pngOf(model, area);
    return exportFile(path, bytes);
}

}  // namespace overlap::ui

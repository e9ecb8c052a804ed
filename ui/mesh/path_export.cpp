#include "ui/mesh/path_export.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QImage>
#include <QSvgGenerator>
#include <algorithm>

#include "core/mesh/sharding_text.h"
#include "ui/files/write_file.h"
#include "ui/mesh/ranks/state_picture.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int panel_width = 280;
constexpr int panel_height = 190;
constexpr int margin = 16;
constexpr int head_height = 52;
constexpr int most_columns = 4;
constexpr int line_height = 16;

QString tr(const char* text) {
    return QCoreApplication::translate("PathExport", text);
}

int columnsOf(std::size_t states) {
    return std::min(most_columns, static_cast<int>(states));
}

void text(QPainter& painter, const QRectF& area, const QColor& colour, const QFont& font, const QString& words) {
    painter.setPen(colour);
    painter.setFont(font);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(QFontMetrics(font), words, Qt::ElideRight, static_cast<int>(area.width())));
}

void paintHead(QPainter& painter, const PathComparison& comparison, const ComparedPath& path, int width) {
    const Theme& theme = currentTheme();
    const PathQuestion& question = comparison.question;
    const QRectF line(margin, margin, width - 2 * margin, line_height);
    text(painter, line, theme.text, textFont(largeTextPx, QFont::DemiBold),
         QStringLiteral("%1: %2 → %3")
             .arg(path.title, QString::fromStdString(spec_text(question.source, question.tensor)),
                  QString::fromStdString(to_text(question.target))));
    text(painter, line.translated(0, line_height + 2), theme.dim, textFont(smallTextPx),
         tr("%1, %2 sent by a rank, costs: %3")
             .arg(formatCost(question.costs, path.cost), formatBytes(static_cast<double>(path.sent_bytes)),
                  question.costs.title));
}

}  // namespace

QSize pathPictureSize(const PathComparison& comparison, std::size_t path) {
    const std::size_t states = comparison.paths[path].plan ? comparison.paths[path].plan->states.size() : 1;
    const int columns = columnsOf(states);
    const int rows = (static_cast<int>(states) + columns - 1) / columns;
    return {std::max(2, columns) * (panel_width + margin) + margin,
            head_height + margin + rows * (panel_height + margin)};
}

void paintPath(QPainter& painter, const PathComparison& comparison, std::size_t index) {
    const Theme& theme = currentTheme();
    const ComparedPath& path = comparison.paths[index];
    const PathQuestion& question = comparison.question;
    const QSize size = pathPictureSize(comparison, index);
    painter.fillRect(QRect(QPoint(), size), theme.background);
    paintHead(painter, comparison, path, size.width());
    if (!path.plan) return;
    const RedistributionPlan& plan = *path.plan;
    const RankBlock block = rankBlock(question.mesh, 0);
    const PictureAxes axes = usualAxes(plan.states, question.tensor.dims());
    const int columns = columnsOf(plan.states.size());
    SliceHues hues;
    for (std::size_t state = 0; state < plan.states.size(); ++state) {
        const auto place = static_cast<int>(state);
        const QRectF panel(margin + place % columns * (panel_width + margin),
                           head_height + margin + place / columns * (panel_height + margin), panel_width, panel_height);
        const QRectF line(panel.left(), panel.top(), panel.width(), line_height);
        const QString arrival = state == 0 ? tr("Source")
                                           : QStringLiteral("%1 → %2, %3")
                                                 .arg(state)
                                                 .arg(stepTitle(plan.steps[state - 1], question.mesh),
                                                      communicates(plan.steps[state - 1].kind)
                                                          ? formatCost(question.costs, path.steps[state - 1].cost)
                                                          : tr("local"));
        text(painter, line, theme.dim, textFont(smallTextPx), arrival);
        text(painter, line.translated(0, line_height), theme.text, codeFont(normalTextPx),
             QString::fromStdString(to_text(plan.states[state])));
        const RankGrid grid =
            layOutRanks(block, panel.adjusted(0, 3 * line_height, 0, 0), miniatureAspect(question.tensor.shape, axes));
        text(painter, line.translated(0, 2 * line_height), theme.dim, textFont(smallTextPx),
             gridText(grid, block, question.mesh));
        const std::vector<RankSlice> slices =
            rankSlices(plan.states[state], question.mesh, question.tensor, block, hues);
        for (std::size_t rank = 0; rank < slices.size(); ++rank)
            paintRank(painter, grid.cells[rank], grid.labelled, {slices[rank], slices[rank]}, question.tensor.shape,
                      axes, theme);
    }
}

QString savePathPicture(const QString& file, const PathComparison& comparison, std::size_t path) {
    const QSize size = pathPictureSize(comparison, path);
    if (QFileInfo(file).suffix().compare(QLatin1String("svg"), Qt::CaseInsensitive) == 0) {
        QSvgGenerator svg;
        QByteArray bytes;
        QBuffer buffer(&bytes);
        svg.setOutputDevice(&buffer);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(), size));
        svg.setTitle(comparison.paths[path].title);
        QPainter painter;
        painter.begin(&svg);
        paintPath(painter, comparison, path);
        painter.end();
        return exportFile(file, bytes);
    }
    constexpr int scale = 2;
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paintPath(painter, comparison, path);
    painter.end();
    return writePicture(file, image);
}

}  // namespace overlap::ui

#include "ui/actions/timeline_export.h"

#include <QFileDialog>
#include <QFileInfo>

#include "core/io/timeline_events.h"
#include "ui/files/write_file.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

struct Kind {
    const char* suffix;
    const char* filter;
};
constexpr Kind kinds[] = {{"png", QT_TRANSLATE_NOOP("TimelineExport", "Picture (*.png)")},
                          {"svg", QT_TRANSLATE_NOOP("TimelineExport", "Drawing (*.svg)")},
                          {"csv", QT_TRANSLATE_NOOP("TimelineExport", "Table of events (*.csv)")},
                          {"json", QT_TRANSLATE_NOOP("TimelineExport", "Trace for Perfetto (*.json)")}};

}  // namespace

TimelineExport::TimelineExport(TimelineView& view, QObject* parent, std::function<bool()> simulated)
    : QObject(parent), view_(view), simulated_(std::move(simulated)) {}

void TimelineExport::ask(const QString& name, bool visibleOnly) {
    QStringList filters;
    for (const Kind& kind : kinds) filters.append(tr(kind.filter));
    QFileDialog dialog(&view_, visibleOnly ? tr("Export visible range") : tr("Export timeline"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setNameFilters(filters);
    // Names of graphs have dots, behind which the dialog adds no suffix.
    const auto suggest = [&dialog](QString file, const Kind& chosen) {
        for (const Kind& kind : kinds)
            if (const QString suffix = u'.' + QString::fromLatin1(kind.suffix); file.endsWith(suffix))
                file.chop(suffix.size());
        dialog.setDefaultSuffix(QString::fromLatin1(chosen.suffix));
        dialog.selectFile(file + u'.' + QString::fromLatin1(chosen.suffix));
    };
    suggest(name, kinds[0]);
    connect(&dialog, &QFileDialog::filterSelected, &dialog, [&](const QString& filter) {
        const QStringList files = dialog.selectedFiles();
        suggest(files.isEmpty() ? name : QFileInfo(files.constFirst()).fileName(),
                kinds[std::max<qsizetype>(0, filters.indexOf(filter))]);
    });
    if (dialog.exec() != QDialog::Accepted) return;
    const QString path = dialog.selectedFiles().constFirst();
    const QString problem = write(path, visibleOnly);
    problem.isEmpty() ? emit written(path) : emit failed(problem);
}

QString TimelineExport::write(const QString& path, bool visibleOnly) const {
    const QString suffix = QFileInfo(path).suffix().toLower();
    const TimelinePicture picture = view_.picture(visibleOnly);
    const auto written = [&path](const std::string& text) { return exportFile(path, QByteArray::fromStdString(text)); };
    if (suffix == u"png") return writePicture(path, timelineImage(picture, currentTheme(), 2));
    if (suffix == u"svg") return exportFile(path, timelineSvg(picture, currentTheme()));
    if (suffix == u"csv") return written(timeline_csv(*picture.timeline, picture.range));
    if (suffix == u"json")
        return written(timeline_chrome_trace(*picture.timeline, picture.range, !simulated_ || simulated_()));
    return tr("A timeline is written as .png, .svg, .csv or .json, not as %1").arg(QFileInfo(path).fileName());
}

}  // namespace overlap::ui

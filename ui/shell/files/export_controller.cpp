#include "ui/shell/files/export_controller.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QImageWriter>

#include "core/exports/export_format.h"
#include "ui/actions/plan_export.h"
#include "ui/actions/timeline_export.h"
#include "ui/document/document.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

ExportController::ExportController(Document& document, TimelineView& timeline, std::function<bool()> simulated,
                                   QWidget& window)
    : document_(document),
      window_(window),
      timeline_(new TimelineExport(timeline, this, std::move(simulated))),
      plan_(new PlanExport(document, window)) {
    const auto warnOf = [this](const QString& reason) { emit warned(reason); };
    connect(&timeline, &TimelineView::exportWanted, this, [this](bool visibleOnly) {
        const QString name = stem(), kind = QStringLiteral("timeline");
        timeline_->ask(name.isEmpty() ? kind : name + u'.' + kind, visibleOnly);
    });
    connect(timeline_, &TimelineExport::written, this, &ExportController::tellSaved);
    connect(timeline_, &TimelineExport::failed, this, warnOf);
    connect(plan_, &PlanExport::written, this, &ExportController::tellExported);
    connect(plan_, &PlanExport::failed, this, warnOf);
    connect(&LateExports::instance(), &LateExports::finished, this,
            [this](const QString& path, const QString& problem) {
                if (problem.isEmpty()) return tellSaved(path);
                emit warned(problem);
            });
}

void ExportController::registerActions(Actions& actions) {
    actions.add("file.picture", tr("File"), tr("Save p&icture…"), tr("Save the window as a picture"), {},
                [this] { askForPicture(); });
    plan_->registerActions(actions);
}

void ExportController::tellSaved(const QString& path) {
    emit told(tr("Saved %1").arg(QFileInfo(path).fileName()), path);
}

void ExportController::tellExported(const QString& path, const QStringList& notes) {
    emit told(tr("Exported %1").arg(QFileInfo(path).fileName()), path);
    if (notes.isEmpty()) return;
    for (const QString& note : notes) emit logged(note);
    const QString more =
        notes.size() > 1 ? tr(" (%n more in the log)", nullptr, static_cast<int>(notes.size() - 1)) : QString();
    emit noticed(tr("Exported %1; note that %2%3").arg(path, notes.front(), more));
}

QString ExportController::stem() const {
    if (!document_.isOpen()) return {};
    const Variant* current = document_.current();
    return QString::fromStdString(
        export_file_stem(document_.name().toStdString(), current ? current->title().toStdString() : std::string()));
}

void ExportController::askForPicture() {
    QString path = QFileDialog::getSaveFileName(&window_, tr("Save picture"),
                                                document_.isOpen() ? stem() + QStringLiteral(".png") : tr("window.png"),
                                                tr("Pictures (*.png)"));
    if (path.isEmpty()) return;
    const QByteArray suffix = QFileInfo(path).suffix().toLower().toLatin1();
    if (!QImageWriter::supportedImageFormats().contains(suffix)) {
        path += QStringLiteral(".png");
        if (QFile::exists(path)) {
            emit warned(tr("%1 exists; the picture was not saved").arg(path),
                        {{tr("Replace"), [this, path] { savePicture(path); }}});
            return;
        }
    }
    savePicture(path);
}

void ExportController::savePicture(const QString& path) {
    if (const QString problem = writePicture(path, window_.grab().toImage()); !problem.isEmpty()) {
        emit warned(problem);
        return;
    }
    tellSaved(path);
}

}  // namespace overlap::ui

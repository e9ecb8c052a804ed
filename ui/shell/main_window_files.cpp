// Opening and saving.

#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QImageWriter>
#include <QInputDialog>
#include <QMimeData>
#include <QRegularExpression>

#include "core/base/error.h"
#include "core/imports/import_source.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_kind.h"
#include "ui/files/write_file.h"
#include "ui/frame/notice_bar.h"
#include "ui/measure/measurements.h"
#include "ui/measure/trace_times.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/panels/graph_chooser.h"
#include "ui/panels/log.h"
#include "ui/shell/cost_actions.h"
#include "ui/shell/main_window.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

const QString plan_suffix = QStringLiteral(".plan.json");

QString sentenceOf(const std::exception& error) {
    return QString::fromUtf8(error.what());
}

QString fileName(const QString& path) {
    return QFileInfo(path).fileName();
}

/// The name under which a plan is saved: every plan ends in .plan.json, so that dialogs show it.
QString planFileName(const QString& path) {
    if (path.endsWith(plan_suffix, Qt::CaseInsensitive)) return path;
    for (const QString& part : {QStringLiteral(".plan"), QStringLiteral(".json")})
        if (path.endsWith(part, Qt::CaseInsensitive)) return path.chopped(part.size()) + plan_suffix;
    return path + plan_suffix;
}

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile()) files.append(url.toLocalFile());
    return files;
}

}  // namespace

void MainWindow::openFiles(const QStringList& files) {
    if (document_.isOpen()) notice_->hide();  // what was told at the start is read by nobody before there is a graph
    QString graph;
    QStringList logs;  // or texts: several are ranks of one job
    QStringList traces;
    for (const QString& file : files) {
        const QString path = file.startsWith(u":/") ? file : QFileInfo(file).absoluteFilePath();
        if (!file_looks_.answers(path)) {
            warn(FileLooks::silence(path));
            continue;
        }
        QString reason;
        switch (fileKind(path, &reason)) {
            case FileKind::graph:
                if (is_importable_file(QFile::encodeName(path).toStdString())) logs.append(path);
                if (!graph.isEmpty() && logs.size() < 2)
                    tell(tr("One graph is open at a time: %1 stands for %2").arg(path, graph));
                graph = path;
                break;
            case FileKind::plan:
                plans_to_open_.append(path);
                break;
            case FileKind::trace:
                traces.append(path);
                break;
            case FileKind::placements:
                mesh_connection_->openPlacements(path);
                break;
            case FileKind::unknown:
                warn(reason);
                break;
        }
    }
    measurements_->open(traces);
    if (logs.size() > 1) {
        document_.loader().list(logs);
    } else if (!graph.isEmpty()) {
        document_.openGraph(graph);
    } else if (document_.isOpen() && !document_.loader().busy()) {
        openPlans();
    } else if (!document_.loader().busy() && !plans_to_open_.isEmpty()) {
        openGraphOfPlans();
    }
}

void MainWindow::chooseGraph(const GraphChoice& choice) {
    if (choice.listing.graphs.empty())
        return warn(choice.listing.notes.empty() ? tr("there is no graph in it")
                                                 : QString::fromStdString(choice.listing.notes.front()));
    auto* dialog = new GraphChooser(choice, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GraphChooser::chosen, this, [this](const GraphSource& source) { document_.openGraph(source); });
    // What was told beside the graph may not fit it: the dialog stays until the graph is open.
    connect(&document_.loader(), &GraphLoader::loaded, dialog, [dialog] { dialog->done(QDialog::Accepted); });
    connect(&document_.loader(), &GraphLoader::failed, dialog,
            [dialog](const QString&, const QString& reason) { dialog->showProblem(reason); });
    dialog->open();
}

void MainWindow::onGraphLoaded() {
    const LoadedGraph& loaded = document_.loaded();
    range_to_restore_ = true;
    state_.open = loaded.path;
    if (!loaded.source.file.startsWith(u":/")) state_.putRecent(loaded.source.file);
    fillRecentMenu();
    tell(tr("Read %1: %2 nodes in %3")
             .arg(document_.name(), formatCount(loaded.graph->node_count()), formatTime(loaded.read_ms)));
    if (const SessionDocument* kept = state_.document(loaded.path)) {
        cost_->restore(kept->cost_model, kept->contention);
        trace_times_->restore(kept->times);
    }
    updateTitle();
    updateStatus();
    updateReopen();
    scheduleSession();
    // After everybody has heard of the graph: opening a plan is an event of its own.
    QMetaObject::invokeMethod(
        this,
        [this] {
            // A trace that was opened together with the graph and was read before it stays in view.
            const int measured = measurements_->currentIndex();
            openPlans();
            if (measured >= 0) measurements_->setCurrentIndex(measured);
        },
        Qt::QueuedConnection);
}

void MainWindow::openPlans() {
    for (const QString& path : std::exchange(plans_to_open_, {})) {
        try {
            if (!showOpenPlan(path)) document_.openPlan(path);
            // The empty plan that a graph opens with is in nobody's interest any more.
            if (document_.variant(1).plan().buckets.empty() && document_.variant(1).filePath().isEmpty() &&
                !document_.variant(1).modified() && document_.variantCount() == 3)
                document_.closeVariant(1);
            state_.putRecent(path);
            fillRecentMenu();
            tell(tr("Opened %1").arg(fileName(path)), path);
        } catch (const std::exception& error) {
            warn(sentenceOf(error));
        }
    }
}

bool MainWindow::showOpenPlan(const QString& path) {
    bool edited = false;
    for (int i = 1; i < document_.variantCount(); ++i) {
        const Variant& variant = document_.variant(i);
        if (variant.filePath() != path) continue;
        if (variant.modified()) {
            edited = true;
            continue;
        }
        if (variant.fileDigest() != fileDigest(path)) document_.reloadPlan(i);
        document_.setCurrentIndex(i);
        return true;
    }
    if (edited) warn(tr("%1 is open with unsaved edits; what the file has is in a tab of its own").arg(path));
    return false;
}

void MainWindow::askForFiles() {
    const bool is_elsewhere = state_.open.startsWith(u":/") || !file_looks_.answers(state_.open);
    const QString folder = is_elsewhere ? QString() : QFileInfo(state_.open).absolutePath();
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Open"), folder,
        tr("Graphs, logs, plans and traces (*.json *.json.gz *.log *.log.gz *.py *.txt);;All files (*)"));
    if (!files.isEmpty()) openFiles(files);
}

bool MainWindow::savePlan() {
    if (!document_.editable()) return false;
    const QString path = document_.current()->filePath();
    return path.isEmpty() ? askAndSave() : savePlanAs(path);
}

bool MainWindow::askAndSave() {
    if (!document_.editable()) return false;
    QString path = document_.current()->filePath();
    if (path.isEmpty()) {
        static const QRegularExpression not_in_names(QStringLiteral(R"([\s/\\:]+)"));
        const QString name = document_.name() + u'.' +
                             document_.current()->title().toLower().replace(not_in_names, QStringLiteral("_")) +
                             plan_suffix;
        const QString& graph = document_.loaded().source.file;
        const QString folder = graph.startsWith(u":/") ? QDir::homePath() : QFileInfo(graph).absolutePath();
        path = QDir(folder).filePath(name);
    }
    // The dialog looks into the folder.
    if (!file_looks_.answers(path)) path = QDir::home().filePath(fileName(path));
    const QString chosen = QFileDialog::getSaveFileName(this, tr("Save plan"), path, tr("Plans (*.plan.json)"));
    // The dialog has asked about the name that was chosen, not about the one that is written in the end.
    return !chosen.isEmpty() && savePlanAs(chosen, planFileName(chosen) == chosen);
}

bool MainWindow::savePlanAs(const QString& path, bool replace) {
    if (!document_.editable()) return false;
    const QString file = path == document_.current()->filePath() ? path : planFileName(path);
    const auto outcome = plan_saver_->save(document_.currentIndex(), file, replace);
    if (!outcome) {
        tell(tr("Saving %1: its folder has not answered yet").arg(fileName(file)), file);
        return false;
    }
    return showSaved(*outcome);
}

bool MainWindow::showSaved(const PlanSaver::Outcome& outcome) {
    switch (outcome.result) {
        case PlanSaver::Result::saved:
            state_.putRecent(outcome.file);
            fillRecentMenu();
            tell(tr("Saved %1").arg(fileName(outcome.file)), outcome.file);
            return true;
        case PlanSaver::Result::exists:
        case PlanSaver::Result::changed:
            askToReplace(outcome.file, outcome.result == PlanSaver::Result::changed, outcome.variant);
            return false;
        case PlanSaver::Result::under_way:
            warn(tr("%1 is still being saved: its folder has not answered yet").arg(outcome.file));
            return false;
        case PlanSaver::Result::failed:
            warn(outcome.problem);
            return false;
    }
    return false;
}

void MainWindow::askToReplace(const QString& file, bool own, quint64 variant) {
    // The answer may come later, when another plan is current.
    auto with_variant = [this, variant](auto run) {
        return [this, variant, run] {
            const int index = document_.indexOf(variant);
            if (index < 0) return warn(tr("The plan has been closed; reopen it to save it"));
            document_.setCurrentIndex(index);
            run();
        };
    };
    std::vector<NoticeAction> answers{
        {own ? tr("Overwrite") : tr("Replace"), with_variant([this, file] { savePlanAs(file, true); })},
        {tr("Save as…"), with_variant([this] { askAndSave(); })}};
    if (own) answers.push_back({tr("Open the file's"), [this, file] { openFiles({file}); }});
    warn(own ? tr("%1 was changed on disk since it was read; the plan was not saved").arg(file)
             : tr("%1 exists; the plan was not saved").arg(file),
         answers);
}

void MainWindow::renamePlan() {
    if (!document_.editable()) return;
    bool accepted = false;
    const QString name = QInputDialog::getText(this, tr("Rename plan"), tr("Name"), QLineEdit::Normal,
                                               document_.current()->title(), &accepted);
    if (accepted) document_.renameCurrent(name);
}

void MainWindow::tellExported(const QString& path, const QStringList& notes) {
    tell(tr("Exported %1").arg(fileName(path)), path);
    if (notes.isEmpty()) return;
    for (const QString& note : notes) log_->add(note);
    const QString more =
        notes.size() > 1 ? tr(" (%n more in the log)", nullptr, static_cast<int>(notes.size() - 1)) : QString();
    notice_->showNotice(tr("Exported %1; note that %2%3").arg(path, notes.front(), more));
}

void MainWindow::exportPicture() {
    QString path = QFileDialog::getSaveFileName(this, tr("Save picture"), document_.name() + QStringLiteral(".png"),
                                                tr("Pictures (*.png)"));
    if (path.isEmpty()) return;
    const QByteArray suffix = QFileInfo(path).suffix().toLower().toLatin1();
    if (!QImageWriter::supportedImageFormats().contains(suffix)) {
        path += QStringLiteral(".png");
        if (QFile::exists(path))
            return warn(tr("%1 exists; the picture was not saved").arg(path),
                        {{tr("Replace"), [this, path] { savePicture(path); }}});
    }
    savePicture(path);
}

void MainWindow::savePicture(const QString& path) {
    if (const QString problem = writePicture(path, grab().toImage()); !problem.isEmpty()) return warn(problem);
    tell(tr("Saved %1").arg(fileName(path)), path);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    openFiles(localFiles(event->mimeData()));
}

}  // namespace overlap::ui

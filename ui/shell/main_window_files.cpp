// Opening, saving and what the session keeps.

#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMimeData>

#include "core/graph/error.h"
#include "core/io/plan_file.h"
#include "ui/document/file_kind.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_bar.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

const QString sample_path = QStringLiteral(":/samples/llama3_8b_fsdp64.prebucket.graph.json.gz");

QString sentenceOf(const std::exception& error) {
    return QString::fromUtf8(error.what());
}

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile()) files.append(url.toLocalFile());
    return files;
}

}  // namespace

void MainWindow::openFiles(const QStringList& files) {
    QString graph;
    for (const QString& file : files) {
        const QString path = file.startsWith(u":/") ? file : QFileInfo(file).absoluteFilePath();
        QString reason;
        switch (fileKind(path, &reason)) {
            case FileKind::graph:
                if (!graph.isEmpty()) tell(tr("One graph is open at a time: %1 stands for %2").arg(path, graph));
                graph = path;
                break;
            case FileKind::plan:
                plans_to_open_.append(path);
                break;
            case FileKind::unknown:
                warn(reason);
                break;
        }
    }
    if (!graph.isEmpty()) {
        notice_->hide();
        document_.openGraph(graph);
    } else if (!document_.loader().busy()) {
        openPlans();
    }
}

void MainWindow::openSessionOrSample() {
    if (!state_.open.isEmpty() && (state_.open.startsWith(u":/") || QFile::exists(state_.open)))
        return document_.openGraph(state_.open);
    if (!state_.open.isEmpty()) warn(tr("%1 is gone; its plans are kept and come back with it").arg(state_.open));
    document_.openGraph(sample_path);
}

void MainWindow::onGraphLoaded() {
    const LoadedGraph& loaded = document_.loaded();
    range_to_restore_ = true;
    state_.open = loaded.path;
    if (!loaded.path.startsWith(u":/")) state_.putRecent(loaded.path);
    fillRecentMenu();
    tell(tr("Read %1: %2 nodes in %3")
             .arg(document_.name(), formatCount(loaded.graph->node_count()), formatTime(loaded.read_ms)));
    updateTitle();
    updateStatus();
    scheduleSession();
    // After everybody has heard of the graph: opening a plan is an event of its own.
    QMetaObject::invokeMethod(this, &MainWindow::openPlans, Qt::QueuedConnection);
}

void MainWindow::openPlans() {
    for (const QString& path : std::exchange(plans_to_open_, {})) {
        try {
            bool open_already = false;
            for (int i = 1; i < document_.variantCount(); ++i)
                if (document_.variant(i).filePath() == path && !document_.variant(i).modified()) {
                    document_.setCurrentIndex(i);
                    open_already = true;
                }
            if (open_already) continue;
            document_.openPlan(path);
            // The empty plan that a graph opens with is in nobody's interest any more.
            if (document_.variant(1).plan().buckets.empty() && document_.variant(1).filePath().isEmpty() &&
                !document_.variant(1).modified() && document_.variantCount() == 3)
                document_.closeVariant(1);
            state_.putRecent(path);
            fillRecentMenu();
            notice_->hide();
            tell(tr("Opened %1").arg(path));
        } catch (const std::exception& error) {
            warn(sentenceOf(error));
        }
    }
}

void MainWindow::askForFiles() {
    const QString folder = state_.open.startsWith(u":/") ? QString() : QFileInfo(state_.open).absolutePath();
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Open"), folder, tr("Graphs and plans (*.graph.json *.graph.json.gz *.plan.json);;All files (*)"));
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
        const QString name = document_.name() + u'.' + document_.current()->title().toLower().replace(u' ', u'_') +
                             QStringLiteral(".plan.json");
        const QString folder = document_.loaded().path.startsWith(u":/")
                                   ? QDir::homePath()
                                   : QFileInfo(document_.loaded().path).absolutePath();
        path = QDir(folder).filePath(name);
    }
    path = QFileDialog::getSaveFileName(this, tr("Save plan"), path, tr("Plans (*.plan.json)"));
    if (path.isEmpty()) return false;
    if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".plan.json");
    return savePlanAs(path);
}

bool MainWindow::savePlanAs(const QString& path) {
    try {
        document_.savePlan(document_.currentIndex(), path);
        state_.putRecent(path);
        fillRecentMenu();
        tell(tr("Saved %1").arg(path));
        return true;
    } catch (const std::exception& error) {
        warn(sentenceOf(error));
        return false;
    }
}

RestoredVariants MainWindow::restoredVariants(const LoadedGraph& loaded) {
    RestoredVariants restored;
    const SessionDocument* kept = state_.document(loaded.path);
    if (!kept || !session_) return restored;
    for (const SessionVariant& variant : kept->variants) {
        try {
            Plan plan = read_plan_text(variant.plan.toStdString(), loaded.path.toStdString());
            check_plan_fits(plan, *loaded.graph);
            restored.variants.push_back({std::move(plan), variant.file, variant.modified});
        } catch (const std::exception& error) {
            // Another graph under the same name, most likely. Nothing is thrown away.
            if (variant.modified)
                warn(tr("A plan of the last session was kept as %1: %2")
                         .arg(session_->keepAside(variant.plan), sentenceOf(error)));
        }
    }
    restored.current = kept->current;
    return restored;
}

void MainWindow::rememberDocument() {
    if (!document_.isOpen()) return;
    SessionDocument kept = sessionDocument(document_);
    const TimeRange range = timeline_->visibleRange();
    kept.range_start_ms = static_cast<double>(range.begin_ns) / 1e6;
    kept.range_end_ms = static_cast<double>(range.end_ns) / 1e6;
    state_.put(std::move(kept));
}

void MainWindow::scheduleSession() {
    if (session_ && !session_timer_.isActive()) session_timer_.start();
}

void MainWindow::storeSession() {
    session_timer_.stop();
    if (!session_) return;
    rememberDocument();
    state_.geometry = saveGeometry();
    state_.layout = saveState();
    if (const QString problem = session_->save(state_); !problem.isEmpty()) warn(problem);
}

void MainWindow::renamePlan() {
    if (!document_.editable()) return;
    bool accepted = false;
    const QString name = QInputDialog::getText(this, tr("Rename plan"), tr("Name"), QLineEdit::Normal,
                                               document_.current()->title(), &accepted);
    if (accepted) document_.renameCurrent(name);
}

void MainWindow::closePlan(int index) {
    if (index <= 0 || index >= document_.variantCount()) return;
    const QString title = document_.variant(index).title();
    closed_plans_.push_back(document_.closeVariant(index));
    actions_->find(QStringLiteral("plan.reopen"))->setEnabled(true);
    tell(tr("Closed %1; Plan ▸ Reopen closed plan brings it back").arg(title));
}

void MainWindow::reopenPlan() {
    if (closed_plans_.empty() || !document_.isOpen()) return;
    Plan plan = std::move(closed_plans_.back());
    closed_plans_.pop_back();
    actions_->find(QStringLiteral("plan.reopen"))->setEnabled(!closed_plans_.empty());
    try {
        check_plan_fits(plan, *document_.graph());
        document_.addVariant(std::move(plan)).setUnsaved({});
    } catch (const std::exception& error) {
        warn(sentenceOf(error));
    }
}

void MainWindow::exportPicture() {
    QString path = QFileDialog::getSaveFileName(this, tr("Save picture"), document_.name() + QStringLiteral(".png"),
                                                tr("Pictures (*.png)"));
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".png");
    if (!grab().save(path)) return warn(tr("%1 could not be written").arg(path));
    tell(tr("Saved %1").arg(path));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    storeSession();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    openFiles(localFiles(event->mimeData()));
}

}  // namespace overlap::ui

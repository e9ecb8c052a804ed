// What comes back after a run that was cut off, and what a plan's file had before.

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <algorithm>

#include "core/io/plan_file.h"
#include "ui/diagnostics/crash_report.h"
#include "ui/files/write_file.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/notice_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/measure/measurements.h"
#include "ui/mesh/mesh_view.h"
#include "ui/panels/log.h"
#include "ui/run/run_panel.h"
#include "ui/shell/main_window.h"

namespace overlap::ui {
namespace {

constexpr int named_plans = 5;  ///< in a sentence; the log names all

QString nameOf(const RecoveredPlan& plan) {
    try {
        return QString::fromStdString(read_plan_text(plan.variant.plan.toStdString(), {}).name);
    } catch (const std::exception&) {
        return QFileInfo(plan.variant.file).fileName();
    }
}

/// `Plan A of llama3.graph.json`, each.
QStringList namesOf(const std::vector<RecoveredPlan>& plans) {
    QStringList names;
    for (const RecoveredPlan& plan : plans)
        names.append(MainWindow::tr("%1 of %2").arg(nameOf(plan), QFileInfo(plan.graph).fileName()));
    return names;
}

}  // namespace

void MainWindow::restoreSession(const QString& folder) {
    session_ = std::make_shared<Session>(folder);
    StoredSession stored = session_->load();
    state_ = std::move(stored.state);
    recovered_plans_ = std::move(stored.recovered);
    session_writer_ = std::make_unique<SessionWriter>(session_);
    connect(session_writer_.get(), &SessionWriter::problemChanged, this, [this](const QString& problem) {
        if (problem.isEmpty()) return tell(tr("The session is being stored again; every edit is in it"));
        warn(tr("%1. Edits stay in this window meanwhile, and storing is tried again with the next one").arg(problem));
    });
    if (stored.adopted > 0)
        log_->add(tr("Plans of another window come back with their graphs: %1").arg(stored.adopted));
    if (!state_.geometry.isEmpty()) restoreGeometry(state_.geometry);
    if (!state_.layout.isEmpty()) restoreState(state_.layout);
    centre_->restore(state_.views["centre"].toObject());
    graph_->restore(state_.views["graph"].toObject());
    mesh_->restore(state_.views["mesh"].toObject());
    measurements_->restore(state_.views["measurements"].toArray());
    run_->restore(state_.views["run"].toObject());
    run_->runner().keepResultsIn(folder + QStringLiteral("/runs"));
    setThemeMode(state_.theme);
    actions_->find(QStringLiteral("plan.discardRecovered"))->setEnabled(!recovered_plans_.empty());
    tellOfLastRun(stored.problems);
}

void MainWindow::tellOfLastRun(const QStringList& problems) {
    QStringList sentences;
    std::vector<NoticeAction> actions;
    const std::vector<CrashReport> reports = takeCrashReports(session_->folder());
    if (!reports.empty()) {
        sentences.append(tr("Overlap Studio crashed when it last ran; a report is in %1").arg(reports.back().file));
        actions.push_back({tr("Copy report"), [this, text = reports.back().text] {
                               QGuiApplication::clipboard()->setText(text);
                               tell(tr("The report was copied"));
                           }});
    }
    if (!recovered_plans_.empty()) {
        QStringList names = namesOf(recovered_plans_);
        for (const QString& name : names) log_->add(tr("Recovered %1").arg(name));
        const int more = static_cast<int>(names.size()) - named_plans;
        if (more > 0) names = names.first(named_plans) + QStringList(tr("%n more", nullptr, more));
        sentences.append((reports.empty() ? tr("The last run was cut off. Its unsaved edits are back: %1")
                                          : tr("Unsaved edits are back: %1"))
                             .arg(names.join(QStringLiteral(", "))));
        actions.push_back({tr("Discard them"), [this] { discardRecovered(); }});
    }
    sentences += problems;  // last: they may be long, and a notice ends somewhere
    if (!sentences.isEmpty()) warn(sentences.join(QStringLiteral(". ")), actions);
}

void MainWindow::discardRecovered() {
    const std::vector<RecoveredPlan> discarded = std::exchange(recovered_plans_, {});
    actions_->find(QStringLiteral("plan.discardRecovered"))->setEnabled(false);
    QStringList files;
    int count = 0;
    for (const RecoveredPlan& plan : discarded) {
        if (document_.isOpen() && document_.loaded().path == plan.graph) {
            for (int i = document_.variantCount(); --i > 0;) {
                const Variant& variant = document_.variant(i);
                // Who has worked on with it has made it theirs.
                if (!variant.modified() || sessionVariant(variant).plan != plan.variant.plan) continue;
                closePlan(i);
                ++count;
                if (isThere(plan.variant.file)) files.append(plan.variant.file);
                break;
            }
        } else if (SessionDocument* kept = state_.document(plan.graph)) {
            const auto found = std::find(kept->variants.begin(), kept->variants.end(), plan.variant);
            if (found == kept->variants.end()) continue;
            ++count;
            kept->closed.push_back(*found);
            // The file is read again when the graph opens: it is not what the session has.
            if (isThere(found->file)) {
                found->modified = false;
                found->digest.clear();
            } else {
                kept->variants.erase(found);
            }
        }
    }
    if (!files.isEmpty()) openFiles(files);
    scheduleSession();
    if (count == 0) return tell(tr("Nothing was discarded: what was recovered has been saved or closed since"));
    tell(tr("Recovered plans were closed: %1; Plan ▸ Reopen closed plan brings them back").arg(count));
}

void MainWindow::openOlderVersion() {
    if (!document_.editable()) return tell(tr("There is no plan open"));
    const QString file = document_.current()->filePath();
    if (file.isEmpty()) return tell(tr("This plan is in no file yet"));
    if (!file_looks_.answers(file)) return warn(FileLooks::silence(file));
    const QString older = olderVersionPath(QFileInfo(file).canonicalFilePath());
    if (!QFile::exists(older)) return tell(tr("%1 has no older version: it was saved once").arg(file));
    try {
        document_.openPlan(older).setUnsaved({});  // saving it asks for a name, and replaces neither
        document_.renameCurrent(tr("%1, version before").arg(document_.current()->title()));
        tell(tr("Opened %1").arg(QFileInfo(older).fileName()), older);
    } catch (const std::exception& error) {
        warn(QString::fromUtf8(error.what()));
    }
}

}  // namespace overlap::ui

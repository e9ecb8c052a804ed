// What comes back: the session, plans that were closed, the graph that a plan needs.

#include <QCloseEvent>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include "core/io/plan_file.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/files/file_digest.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/notice_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/measure/trace_times.h"
#include "ui/mesh/mesh_view.h"
#include "ui/panels/log.h"
#include "ui/run/run_panel.h"
#include "ui/shell/cost_actions.h"
#include "ui/shell/main_window.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

const QString sample_path = QStringLiteral(":/samples/llama3_8b_fsdp64.prebucket.graph.json.gz");
const QString sample_plan_path = QStringLiteral(":/samples/llama3_8b_fsdp64.plan.json");
constexpr std::size_t kept_closed_plans = 20;

QString sentenceOf(const std::exception& error) {
    return QString::fromUtf8(error.what());
}

/// The graph that a plan names; nothing where it names none or is no plan.
std::optional<GraphFingerprint> graphOfPlan(const QByteArray& plan) {
    try {
        return read_plan_text(plan.toStdString(), {}).graph;
    } catch (const std::exception&) {
        return {};
    }
}

bool sameGraph(const std::optional<GraphFingerprint>& found, const GraphFingerprint& wanted) {
    return found && found->digest == wanted.digest && found->nodes == wanted.nodes;
}

/// The plan that its file has now. @throws InputError.
RestoredVariant readAgain(const QString& file, const LoadedGraph& loaded) {
    const QByteArray digest = fileDigest(file);
    Plan plan = read_plan_file(QFile::encodeName(file).toStdString());
    check_plan_fits(plan, *loaded.empty_plan.graph);
    return {std::move(plan), file, false, digest};
}

/// A kept plan as it opens again, and behind it what its file has where both differ and the kept one has edits.
/// @throws InputError when the plan is not one for this graph.
std::vector<RestoredVariant> restore(const SessionVariant& kept, const LoadedGraph& loaded, FileLooks& looks,
                                     QStringList& told) {
    Plan plan = read_plan_text(kept.plan.toStdString(), loaded.path.toStdString());
    check_plan_fits(plan, *loaded.empty_plan.graph);
    RestoredVariant variant{std::move(plan), kept.file, kept.modified, kept.digest};
    if (!looks.answers(kept.file)) {
        told.append(MainWindow::tr("%1; the plan is as it was here").arg(FileLooks::silence(kept.file)));
        return {std::move(variant)};
    }
    if (kept.file.isEmpty() || fileDigest(kept.file) == kept.digest) return {std::move(variant)};
    if (!QFile::exists(kept.file)) {
        if (!kept.modified) told.append(MainWindow::tr("%1 is gone; its plan is kept here, unsaved").arg(kept.file));
        variant.modified = true;
        return {std::move(variant)};
    }
    try {
        RestoredVariant newer = readAgain(kept.file, loaded);
        if (newer.plan == variant.plan) return {std::move(newer)};
        if (!kept.modified) {
            told.append(MainWindow::tr("%1 was changed on disk and was read again").arg(kept.file));
            return {std::move(newer)};
        }
        told.append(
            MainWindow::tr("%1 was changed on disk; your unsaved plan and the file's are both open").arg(kept.file));
        return {std::move(variant), std::move(newer)};
    } catch (const std::exception& error) {
        told.append(MainWindow::tr("%1 was changed on disk and cannot be read; the plan as it was is kept here, "
                                   "unsaved: %2")
                        .arg(kept.file, sentenceOf(error)));
        variant.modified = true;
        return {std::move(variant)};
    }
}

}  // namespace

bool MainWindow::isThere(const QString& graph) {
    return file_looks_.answers(graph) && (graph.startsWith(u":/") || QFile::exists(fileOfGraph(graph)));
}

void MainWindow::openSessionOrSample() {
    if (!state_.open.isEmpty() && isThere(state_.open)) return document_.openGraph(state_.source(state_.open));
    if (!state_.open.isEmpty()) {
        warn(file_looks_.answers(state_.open)
                 ? tr("%1 is gone; its plans are kept and come back with it").arg(state_.open)
                 : tr("%1; its plans are kept and come back with it").arg(FileLooks::silence(state_.open)));
    }
    document_.openGraph(sample_path);
}

void MainWindow::openGraphOfPlans() {
    try {
        const QString path = plans_to_open_.front();
        const Plan plan = read_plan_file(QFile::encodeName(path).toStdString());
        if (!plan.graph) return openSessionOrSample();
        if (const QString graph = findGraph(*plan.graph, path); !graph.isEmpty())
            return document_.openGraph(state_.source(graph));
        warn(tr("%1 is for the graph %2 of %3 nodes (digest %4); open that graph, and the plan opens with it")
                 .arg(path, QString::fromStdString(plan.graph->name), QString::number(plan.graph->nodes),
                      QString::fromStdString(plan.graph->digest)));
    } catch (const std::exception& error) {
        plans_to_open_.clear();
        warn(sentenceOf(error));
    }
}

QString MainWindow::findGraph(const GraphFingerprint& wanted, const QString& plan_path) {
    // By the plans that the session has of each graph: reading the graphs themselves may take long.
    auto fits = [&](const SessionVariant& kept) { return sameGraph(graphOfPlan(kept.plan), wanted); };
    for (const SessionDocument& kept : state_.documents)
        if (isThere(kept.graph) && (std::any_of(kept.variants.begin(), kept.variants.end(), fits) ||
                                    std::any_of(kept.closed.begin(), kept.closed.end(), fits)))
            return kept.graph;
    QFile sample_plan(sample_plan_path);
    if (sample_plan.open(QIODevice::ReadOnly) && sameGraph(graphOfPlan(sample_plan.readAll()), wanted))
        return sample_path;
    // By name, then; whether it fits is told when it has been read.
    const QString name = QString::fromStdString(wanted.name) + QStringLiteral(".graph.json");
    QStringList files = state_.recent_files;
    for (const QString& beside : {name, name + QStringLiteral(".gz")})
        files.append(QFileInfo(plan_path).absolutePath() + u'/' + beside);
    for (const QString& file : files)
        if (const QString found = QFileInfo(file).fileName();
            (found == name || found == name + QStringLiteral(".gz")) && isThere(file))
            return file;
    return {};
}

RestoredVariants MainWindow::restoredVariants(const LoadedGraph& loaded) {
    RestoredVariants result;
    closed_plans_.clear();
    const SessionDocument* kept = state_.document(loaded.path);
    timeline_->edits().restore(kept ? kept->timeline : QJsonObject());
    if (!kept) return result;
    closed_plans_ = kept->closed;
    result.current = kept->current;
    QStringList told;
    std::vector<RestoredVariant> newer;  // behind all others, so that tabs stay where they were
    for (std::size_t i = 0; i < kept->variants.size(); ++i) {
        const SessionVariant& variant = kept->variants[i];
        try {
            std::vector<RestoredVariant> restored = restore(variant, loaded, file_looks_, told);
            result.variants.push_back(std::move(restored.front()));
            if (restored.size() > 1) newer.push_back(std::move(restored.back()));
            if (static_cast<std::size_t>(kept->current) == i + 1)
                result.current = static_cast<int>(result.variants.size());
        } catch (const std::exception& error) {
            // Another graph under the same name, most likely. Nothing is thrown away.
            if (!variant.modified) continue;
            const QString aside = session_ ? session_->keepAside(variant.plan) : QString();
            if (aside.isEmpty()) closed_plans_.push_back(variant);
            told.append(
                aside.isEmpty()
                    ? tr("A plan could not be opened and stays among the closed ones: %1").arg(sentenceOf(error))
                    : tr("A plan of the last session was kept as %1: %2").arg(aside, sentenceOf(error)));
        }
    }
    std::move(newer.begin(), newer.end(), std::back_inserter(result.variants));
    if (!told.isEmpty()) {
        const QString sentence = told.join(QStringLiteral("; "));
        log_->add(sentence, Log::Level::failure);
        notice_->addSentence(sentence);  // one notice: none hides what was told of the last run
    }
    return result;
}

SessionDocument MainWindow::documentToKeep(SessionDocument kept) const {
    kept.closed = closed_plans_;
    kept.times = trace_times_->files();
    kept.cost_model = cost_->model().used();
    kept.contention = trace_times_->contention();
    kept.timeline = timeline_->edits().toJson();
    if (const SessionDocument* older = state_.document(kept.graph); older && range_to_restore_) {
        // The timeline does not show this graph yet: what it shows is not what a person chose.
        kept.range_start_ms = older->range_start_ms;
        kept.range_end_ms = older->range_end_ms;
    } else if (!range_to_restore_) {
        const TimeRange range = measurement_connection_->planRange().value_or(timeline_->visibleRange());
        kept.range_start_ms = static_cast<double>(range.begin_ns) / 1e6;
        kept.range_end_ms = static_cast<double>(range.end_ns) / 1e6;
    }
    return kept;
}

void MainWindow::rememberDocument() {
    if (document_.isOpen()) state_.put(documentToKeep(sessionDocument(document_)));
}

void MainWindow::scheduleSession(int delay_ms) {
    if (!session_) return;
    if (!session_timer_.isActive() || session_timer_.remainingTime() > delay_ms) session_timer_.start(delay_ms);
}

void MainWindow::writeSession() {
    session_timer_.stop();
    if (!session_) return;
    state_.geometry = saveGeometry();
    state_.layout = saveState();
    state_.views["centre"] = centre_->state();
    state_.views["graph"] = graph_->state();
    state_.views["mesh"] = mesh_->state();
    state_.views["measurements"] = measurements_->state();
    state_.views["run"] = run_->state();
    SessionSnapshot snapshot{state_, {}};
    if (document_.isOpen()) {
        snapshot.state.put(documentToKeep(sessionDocument(document_, sessionVariantOutline)));
        snapshot.plans = shared_plans_.of(document_);
    }
    session_writer_->write(std::move(snapshot));
}

QString MainWindow::storeSession() {
    writeSession();
    return session_writer_ ? session_writer_->flush() : QString();
}

void MainWindow::closePlan(int index) {
    if (index <= 0 || index >= document_.variantCount()) return;
    const QString title = document_.variant(index).title();
    closed_plans_.push_back(sessionVariant(document_.variant(index)));
    document_.closeVariant(index);
    if (closed_plans_.size() > kept_closed_plans) {
        // One that is in a file as it stands goes first; one that is not goes into a file.
        auto oldest = std::find_if(closed_plans_.begin(), closed_plans_.end(),
                                   [](const SessionVariant& closed) { return !closed.modified; });
        if (oldest == closed_plans_.end()) oldest = closed_plans_.begin();
        if (!oldest->modified || (session_ && !session_->keepAside(oldest->plan).isEmpty()))
            closed_plans_.erase(oldest);
    }
    updateReopen();
    scheduleSession();
    tell(tr("Closed %1; Plan ▸ Reopen closed plan brings it back").arg(title));
}

void MainWindow::reopenPlan() {
    if (!document_.isOpen()) return;
    QString reason;
    for (std::size_t i = closed_plans_.size(); i-- > 0;) {
        try {
            QStringList told;
            for (RestoredVariant& restored : restore(closed_plans_[i], document_.loaded(), file_looks_, told)) {
                Variant& added = document_.addVariant(std::move(restored.plan));
                restored.modified ? added.setUnsaved(restored.file, restored.digest)
                                  : added.setSaved(restored.file, restored.digest);
            }
            closed_plans_.erase(closed_plans_.begin() + static_cast<std::ptrdiff_t>(i));
            if (!told.isEmpty()) warn(told.join(QStringLiteral("; ")));
            updateReopen();
            return scheduleSession();
        } catch (const std::exception& error) {
            if (reason.isEmpty()) reason = sentenceOf(error);  // it stays, and comes back with its graph
        }
    }
    if (!reason.isEmpty()) warn(reason);
}

void MainWindow::updateReopen() {
    actions_->find(QStringLiteral("plan.reopen"))->setEnabled(!closed_plans_.empty());
}

QByteArrayList MainWindow::unsavedWork() const {
    QByteArrayList work;
    const auto add = [&](const std::vector<SessionVariant>& variants) {
        for (const SessionVariant& variant : variants)
            if (variant.modified) work.append(variant.plan);
    };
    const auto add_notes = [&](const QJsonObject& timeline) {
        const QJsonArray notes = timeline["notes"].toArray();
        if (!notes.isEmpty()) work.append(QJsonDocument(notes).toJson());
    };
    for (const SessionDocument& document : state_.documents) {
        if (document_.isOpen() && document.graph == document_.loaded().source.key()) continue;
        add(document.variants);
        add(document.closed);
        add_notes(document.timeline);
    }
    for (int i = 1; i < document_.variantCount(); ++i) add({sessionVariant(document_.variant(i))});
    add(closed_plans_);
    add_notes(timeline_->edits().toJson());
    return work;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    plan_saver_->waitForAll();  // so that the session says of each plan which file it is in
    if (const QStringList files = plan_saver_->underWay();
        !files.isEmpty() && std::exchange(saves_told_, files) != files) {
        event->ignore();
        warn(tr("%1 is still being saved: its folder has not answered yet. Close the window once more to leave it to "
                "itself")
                 .arg(files.front()));
        return;
    }
    state_.ended = true;
    const QString problem =
        session_writer_ ? storeSession() : tr("Nothing of this window is kept: it was opened without a session");
    if (problem.isEmpty()) return event->accept();
    const QByteArrayList work = unsavedWork();
    if (work.isEmpty() || std::exchange(losses_told_, work) == work) return event->accept();
    // The only copy of these edits is the one in this window.
    state_.ended = false;
    event->ignore();
    warn(tr("%1. There are unsaved edits or notes: save the plans, or close the window once more to lose them")
             .arg(problem));
}

}  // namespace overlap::ui

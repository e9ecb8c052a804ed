#include "ui/shell/recovery_controller.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <utility>

#include "core/io/plan/plan_file.h"
#include "core/plan/found_note.h"
#include "ui/diagnostics/crash_report.h"
#include "ui/document/document.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_looks.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/session/graph_finder.h"
#include "ui/shell/plan_tabs.h"
#include "ui/shell/session_controller.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/harmless_text.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

/// In one sentence; the plans of further graphs are counted.
constexpr qsizetype most_named_graphs = 3;

QString nameOf(const RecoveredPlan& plan) {
    try {
        return QString::fromStdString(read_plan_text(plan.variant.plan.toStdString(), {}).name);
    } catch (const std::exception&) {
        return QFileInfo(plan.variant.file).fileName();
    }
}

/// The graphs of the plans, each once, in their order.
QStringList graphsOf(const std::vector<RecoveredPlan>& plans) {
    QStringList graphs;
    for (const RecoveredPlan& plan : plans)
        if (!graphs.contains(plan.graph)) graphs.append(plan.graph);
    return graphs;
}

/// `llama3.graph.json`, and its folder where another of the graphs has the same name.
QString nameOfGraph(const QString& graph, const QStringList& graphs) {
    const QFileInfo file(graph);
    const bool is_alone = std::ranges::count(graphs, file.fileName(),
                                             [](const QString& other) { return QFileInfo(other).fileName(); }) <= 1;
    return is_alone ? file.fileName() : RecoveryController::tr("%1 in %2").arg(file.fileName(), file.path());
}

/// `Plan A of llama3.graph.json`, each.
QStringList namesOf(const std::vector<RecoveredPlan>& plans) {
    const QStringList graphs = graphsOf(plans);
    QStringList names;
    for (const RecoveredPlan& plan : plans)
        names.append(RecoveryController::tr("%1 of %2").arg(nameOf(plan), nameOfGraph(plan.graph, graphs)));
    return names;
}

/// `llama3.graph.json or 2 other graphs`.
QString alternativesOf(const std::vector<RecoveredPlan>& plans) {
    const QStringList graphs = graphsOf(plans);
    const QString first = nameOfGraph(graphs.front(), graphs);
    if (graphs.size() == 1) return first;
    return graphs.size() == 2 ? RecoveryController::tr("%1 or %2").arg(first, nameOfGraph(graphs.back(), graphs))
                              : RecoveryController::tr("%1 or one of the others").arg(first);
}

QString countOf(qsizetype plans) {
    return plans == 1 ? RecoveryController::tr("1 plan") : RecoveryController::tr("%1 plans").arg(plans);
}

/// `Plan A of llama3.graph.json`, or `2 plans of llama3.graph.json, 1 plan of 70b.graph.json`.
QString summaryOf(const std::vector<RecoveredPlan>& plans) {
    if (plans.size() == 1) return namesOf(plans).front();
    const QStringList graphs = graphsOf(plans);
    const qsizetype named = graphs.size() <= most_named_graphs ? graphs.size() : most_named_graphs - 1;
    QStringList parts;
    qsizetype others = std::ssize(plans);
    for (const QString& graph : graphs.mid(0, named)) {
        const qsizetype of_graph = std::ranges::count(plans, graph, &RecoveredPlan::graph);
        parts.append(RecoveryController::tr("%1 of %2").arg(countOf(of_graph), nameOfGraph(graph, graphs)));
        others -= of_graph;
    }
    if (others > 0)
        parts.append(RecoveryController::tr("%1 of %2 other graphs").arg(countOf(others)).arg(graphs.size() - named));
    return parts.join(QStringLiteral(", "));
}

/// What a start says of edits that came back: only one graph is open then, and plans of others open with theirs.
QString sentenceOn(const std::vector<RecoveredPlan>& plans, bool crashed) {
    const bool of_one_graph = graphsOf(plans).size() == 1;
    const QString back = of_one_graph ? RecoveryController::tr("are back: %1")
                                      : RecoveryController::tr("are back, and open with their graphs: %1");
    return (crashed ? RecoveryController::tr("Unsaved edits %1")
                    : RecoveryController::tr("The last run was cut off. Its unsaved edits %1"))
        .arg(back.arg(summaryOf(plans)));
}

/// A document of the session, and its name apart: it may have got a number beside another plan when it came back.
struct NamedDocument {
    explicit NamedDocument(const QByteArray& plan) : rest(QJsonDocument::fromJson(plan).object()) {
        name = rest.take("name").toString();
    }
    QString name;
    QJsonObject rest;
};

/// Whether plans differ in no more than a number behind the name, as Document gives them.
bool differsInNumber(const QByteArray& numbered, const QByteArray& other) {
    const NamedDocument plan(numbered), without(other);
    if (!plan.name.startsWith(without.name + u' ')) return false;
    bool is_number = false;
    plan.name.mid(without.name.size() + 1).toUInt(&is_number);
    return is_number && plan.rest == without.rest;
}

/// Whether it is the plan as the user left it. Its name may have followed its figures meanwhile; copies have others.
bool isAsItWas(const QByteArray& now, const QByteArray& before) {
    if (now == before) return true;
    const NamedDocument plan(now), recovered(before);
    return is_edited_plan_name(plan.name.toStdString()) && is_edited_plan_name(recovered.name.toStdString()) &&
           plan.rest == recovered.rest;
}

/// A plan that was closed has the place of its tab.
bool isSameWhereverItWas(SessionVariant plan, const SessionVariant& other) {
    plan.place = other.place;
    return plan == other;
}

/// What the action that closes recovered plans does.
QString helpOnDiscarding() {
    return RecoveryController::tr(
        "Close the plans that came back because the last run was cut off, and open their "
        "files as saved");
}

}  // namespace

RecoveryController::RecoveryController(Document& document, SessionController& session, PlanTabs& tabs, FileLooks& looks)
    : document_(document), session_(session), tabs_(tabs), looks_(looks) {
    connect(&document, &Document::graphChanged, this, &RecoveryController::learnNames);
}

void RecoveryController::registerActions(Actions& actions) {
    const QString plan = tr("Plan");
    actions.add("plan.older", plan, tr("Open the version &before"),
                tr("Open what the plan's file had before it was saved last, as a plan of its own"), {},
                [this] { openOlderVersion(); });
    discard_ = actions.add("plan.discardRecovered", plan, tr("&Discard recovered edits"), helpOnDiscarding(), {},
                           [this] { discard(); });
    updateDiscard();
}

void RecoveryController::updateDiscard() {
    setAvailable(*discard_, plans_.empty() ? tr("No edits were recovered") : QString());
    if (plans_.empty()) return;
    // They may be of graphs that are not open.
    const QString help = helpOnDiscarding().append(u": ").append(summaryOf(plans_));
    discard_->setToolTip(shownLines(help));
    discard_->setStatusTip(help);
}

void RecoveryController::begin(StoredSession stored) {
    plans_ = std::move(stored.recovered);
    learnNames();
    updateDiscard();
    const std::vector<CrashReport> reports = takeCrashReports(session_.folder());
    if (!reports.empty())
        emit warned(tr("Overlap Studio crashed when it last ran; a report is in %1").arg(reports.back().file),
                    {{tr("Copy report"), [this, text = reports.back().text] {
                          QGuiApplication::clipboard()->setText(text);
                          emit told(tr("The report was copied"));
                      }}});
    if (!plans_.empty()) {
        QStringList details;
        for (const QString& name : namesOf(plans_)) details.append(tr("Recovered %1").arg(name));
        if (details.size() == 1) emit logged(details.takeFirst());
        // Beside buttons of other sentences, it says what is discarded.
        emit warnedAlso(sentenceOn(plans_, !reports.empty()), details,
                        {{tr("Discard recovered edits"), [this] { discard(); },
                          tr("Close the plans that came back, and open their files as saved; it can be taken back")}});
    }
    if (stored.problems.size() > 1)
        emit warnedAlso(tr("%1 problems with stored sessions").arg(stored.problems.size()), stored.problems);
    else if (!stored.problems.isEmpty())
        emit warnedAlso(stored.problems.front());
}

void RecoveryController::learnNames() {
    if (std::ranges::none_of(plans_, [&](const RecoveredPlan& plan) { return isOfOpenGraph(plan); })) return;
    std::vector<QByteArray> open;
    for (int i = 1; i < document_.variantCount(); ++i)
        if (document_.variant(i).modified()) open.push_back(sessionVariant(document_.variant(i)).plan);
    // Those that have their own names first. No tab is of two plans.
    std::vector<RecoveredPlan*> sought;
    for (RecoveredPlan& plan : plans_) {
        if (!isOfOpenGraph(plan)) continue;
        if (const auto same = std::ranges::find(open, plan.variant.plan); same != open.end())
            open.erase(same);
        else
            sought.push_back(&plan);
    }
    for (RecoveredPlan* plan : sought) {
        const auto numbered = std::ranges::find_if(
            open, [&](const QByteArray& other) { return differsInNumber(other, plan->variant.plan); });
        if (numbered == open.end()) continue;
        plan->variant.plan = std::move(*numbered);
        open.erase(numbered);
    }
}

std::optional<int> RecoveryController::closeOpen(RecoveredPlan& plan) {
    for (int i = document_.variantCount(); --i > 0;) {
        const Variant& variant = document_.variant(i);
        if (!variant.modified()) continue;
        // A user who has continued to edit the plan keeps it.
        const QByteArray now = sessionVariant(variant).plan;
        if (!isAsItWas(now, plan.variant.plan)) continue;
        tabs_.closePlan(i);
        plan.variant.plan = now;
        return i;
    }
    return std::nullopt;
}

std::optional<int> RecoveryController::discardKept(SessionDocument& kept, RecoveredPlan& plan) {
    const auto found = std::ranges::find_if(kept.variants, [&](const SessionVariant& open) {
        return open.modified && open.file == plan.variant.file && isAsItWas(open.plan, plan.variant.plan);
    });
    if (found == kept.variants.end()) return std::nullopt;
    plan.variant = *found;
    const int place = static_cast<int>(found - kept.variants.begin());
    kept.closed.push_back(*found);
    // The file is read again when the graph opens: it is not what the session has.
    if (isThere(found->file, looks_)) {
        found->modified = false;
        found->digest.clear();
        found->history = {};
    } else {
        kept.variants.erase(found);
    }
    return place;
}

void RecoveryController::discard() {
    std::vector<RecoveredPlan> recovered = std::exchange(plans_, {});
    updateDiscard();
    QStringList files;
    std::vector<Discarded> discarded;
    for (RecoveredPlan& plan : recovered) {
        if (isOfOpenGraph(plan)) {
            const std::optional<int> place = closeOpen(plan);
            if (!place) continue;
            const bool has_file = isThere(plan.variant.file, looks_);
            discarded.push_back({plan, *place, has_file && savedTabOf(plan.variant.file) < 0});
            if (has_file) files.append(plan.variant.file);
        } else if (SessionDocument* kept = session_.state().document(plan.graph)) {
            if (const std::optional<int> place = discardKept(*kept, plan)) discarded.push_back({plan, *place, false});
        }
    }
    if (!files.isEmpty()) emit openWanted(files);
    session_.schedule();
    if (discarded.empty()) {
        emit told(tr("Nothing was discarded: what was recovered has been saved or closed since"));
        return;
    }
    std::vector<RecoveredPlan> closed, elsewhere;
    for (const Discarded& each : discarded) {
        closed.push_back(each.plan);
        if (!isOfOpenGraph(each.plan)) elsewhere.push_back(each.plan);
    }
    QString sentence = tr("Recovered plans were closed: %1").arg(summaryOf(closed));
    if (!elsewhere.empty())
        sentence += tr("; Plan ▸ Reopen closed plan works once %1 is open").arg(alternativesOf(elsewhere));
    emit told(sentence);
    emit noticed(sentence, {{tr("Take back"), [this, discarded] { takeBack(discarded); }}});
}

bool RecoveryController::isOfOpenGraph(const RecoveredPlan& plan) const {
    return document_.isOpen() && document_.loaded().path == plan.graph;
}

int RecoveryController::savedTabOf(const QString& file) const {
    for (int i = document_.variantCount(); --i > 0;)
        if (!document_.variant(i).modified() && document_.variant(i).filePath() == file) return i;
    return -1;
}

bool RecoveryController::reopen(const Discarded& discarded) {
    const SessionVariant& plan = discarded.plan.variant;
    if (!session_.closedPlans().putLast(plan.plan)) return false;
    // Two tabs of one file would each find that the other has changed it. A version that came since stays open. Before
    // the plan is opened, which has its name again.
    const int in_its_place = discarded.opened_file ? savedTabOf(plan.file) : -1;
    if (in_its_place > 0 && document_.variant(in_its_place).fileDigest() == plan.digest)
        document_.closeVariant(in_its_place);
    tabs_.reopenPlanNow();
    return true;
}

bool RecoveryController::takeBackKept(SessionDocument& kept, const Discarded& discarded) {
    const RecoveredPlan& plan = discarded.plan;
    const auto closed = std::find_if(kept.closed.rbegin(), kept.closed.rend(), [&](const SessionVariant& other) {
        return isSameWhereverItWas(other, plan.variant);
    });
    if (closed == kept.closed.rend()) return false;
    SessionVariant as_kept = *closed;  // with the history that it has by now
    as_kept.place = 0;                 // it is closed no longer
    kept.closed.erase(closed.base() - 1);
    SessionVariant as_saved = plan.variant;
    as_saved.modified = false;
    as_saved.digest.clear();
    const auto is_in_its_place = [&](const SessionVariant& open) {
        return isSameWhereverItWas(open, as_saved) ||
               (discarded.opened_file && !open.modified && open.file == plan.variant.file &&
                open.digest == plan.variant.digest);
    };
    const auto stayed = std::find_if(kept.variants.begin(), kept.variants.end(), is_in_its_place);
    if (stayed == kept.variants.end())
        kept.variants.insert(
            kept.variants.begin() + std::min<std::ptrdiff_t>(discarded.place, std::ssize(kept.variants)),
            std::move(as_kept));
    else
        *stayed = std::move(as_kept);
    return true;
}

void RecoveryController::takeBack(const std::vector<Discarded>& discarded) {
    // In the opposite order, so that each comes back where it was.
    for (std::size_t i = discarded.size(); i-- > 0;) {
        const Discarded& each = discarded[i];
        const RecoveredPlan& plan = each.plan;
        SessionDocument* kept = isOfOpenGraph(plan) ? nullptr : session_.state().document(plan.graph);
        const bool is_back = isOfOpenGraph(plan) ? reopen(each) : kept && takeBackKept(*kept, each);
        if (is_back) plans_.insert(plans_.begin(), plan);
    }
    learnNames();
    updateDiscard();
    session_.schedule();
    emit told(tr("Recovered plans are back: %1").arg(plans_.size()));
}

void RecoveryController::openOlderVersion() {
    if (!document_.editable()) {
        emit told(tr("There is no plan open"));
        return;
    }
    const QString file = document_.current()->filePath();
    if (file.isEmpty()) {
        emit told(tr("This plan is in no file yet"));
        return;
    }
    try {
        const auto read = looks_.read(file, [file]() -> std::optional<ReadPlan> {
            const QString older = olderVersionPath(QFileInfo(file).canonicalFilePath());
            if (!QFileInfo::exists(older)) return std::nullopt;
            return readPlan(older);
        });
        if (!read) return emit warned(FileLooks::silence(file));
        if (!*read) {
            emit told(tr("%1 has no older version: it was saved once").arg(file));
            return;
        }
        const QString older = (*read)->path;
        document_.openPlan(**read).setUnsaved({});  // saving it asks for a name, and replaces neither
        document_.renameCurrent(tr("%1, version before").arg(document_.current()->title()));
        emit told(tr("Opened %1").arg(QFileInfo(older).fileName()), older);
    } catch (const std::exception& error) {
        emit warned(reasonOf(error));
    }
}

}  // namespace overlap::ui

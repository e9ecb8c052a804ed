#include "ui/shell/session_controller.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <utility>

#include "core/plan/presets.h"
#include "ui/actions/cost_actions.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/job/open/open_job.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/measurements.h"
#include "ui/measure/trace_times.h"
#include "ui/memory/memory_panel.h"
#include "ui/run/run_panel.h"
#include "ui/search/search_panel.h"
#include "ui/session/graph_finder.h"
#include "ui/session/kept_plans.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/harmless_text.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {
namespace {

/// Edits are stored at once; what the user looks at may wait until it stops moving.
constexpr int view_delay_ms = 150;

/// Plans that are named in one sentence.
constexpr qsizetype most_names = 3;

/// Stands for a job that compiles nothing, whatever the graph says.
const QString compiles_nothing = QStringLiteral("none");

/// A plan of no file, which nobody has edited.
RestoredVariant restored(Plan plan) {
    RestoredVariant variant;
    variant.plan = std::move(plan);
    return variant;
}

/// Whether both are what one file has. A tab of that file may have been read again at this start.
bool isSame(const RestoredVariant& open, const RestoredVariant& version) {
    return !open.modified && open.file == version.file && open.digest == version.digest;
}

QString sentenceOf(const std::exception& error) {
    return reasonOf(error);
}

}  // namespace

SessionController::SessionController(Document& document, Workspace& workspace, TimesController& times, FileLooks& looks)
    : document_(document), workspace_(workspace), times_(times), looks_(looks), selection_restore_(document) {
    connectDocument();
    connect(&workspace, &Workspace::viewMoved, this, [this] { schedule(view_delay_ms); });
    connect(&workspace, &Workspace::changed, this, [this] { schedule(); });
    connect(&workspace.memory(), &MemoryPanel::limitChanged, this, [this] { schedule(); });
    connect(&workspace, &Workspace::timelineShown, this, [this] {
        if (const auto range = range_restore_.timelineShown(state_.document(document_.loaded().path)))
            workspace_.timeline().setVisibleRange(*range);
    });
    connect(&times, &TimesController::changed, this, [this] { schedule(); });
    connect(&workspace.search(), &SearchPanel::interrupted, this, &SessionController::tellOfSearch);
    // Its buttons would do nothing any more.
    connect(&workspace.search(), &SearchPanel::cutOffDropped, this,
            [this] { workspace_.notice().removeSentence(search_told_); });
    // Of other times its figures are others, which is said while it can be read.
    connect(&document, &Document::timesChanged, this, [this] {
        const std::optional<InterruptedSearch> search = workspace_.search().cutOff();
        if (search && workspace_.notice().shows(search_told_) && searchSentence(*search) != search_told_)
            tellOfSearch(*search);
    });
    // It is of the graph that was open, and is told again with that.
    connect(&document, &Document::graphAboutToChange, this,
            [this] { workspace_.notice().removeSentence(std::exchange(search_told_, {})); });
    connect(&workspace.job(), &OpenJob::saved, this, &SessionController::jobSaved);
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &SessionController::write);
}

SessionController::~SessionController() {
    document_.setVariantSource({});
    document_.loader().setCompanions({});
}

void SessionController::connectDocument() {
    connect(&document_, &Document::planChanged, this, [this] { schedule(); });
    connect(&document_, &Document::variantsChanged, this, [this] { schedule(); });
    connect(&document_.selection(), &Selection::changed, this, [this] { schedule(view_delay_ms); });
    connect(&document_, &Document::graphAboutToChange, this, &SessionController::rememberDocument);
    document_.setVariantSource([this](const LoadedGraph& loaded) { return restoredVariants(loaded); });
    document_.loader().setCompanions(
        [this](const GraphSource& source) { return early_histories_.begin(state_.document(source.key()), folder()); });
}

StoredSession SessionController::open(const QString& folder) {
    session_ = std::make_shared<Session>(folder);
    StoredSession stored = session_->load();
    state_ = stored.state;
    writer_ = std::make_unique<SessionWriter>(session_);
    connect(writer_.get(), &SessionWriter::problemChanged, this, &SessionController::tellOfStoring);
    if (stored.adopted > 0)
        emit logged(tr("Plans of another window come back with their graphs: %1").arg(stored.adopted));
    workspace_.restore(state_);
    times_.traceTimes().setSharesLinks(state_.share_links);
    times_.measurements().restore(state_.views["measurements"].toArray(), state_.views["measuredBeside"].toArray());
    workspace_.run().runner().keepResultsIn(folder + QStringLiteral("/runs"));
    return stored;
}

void SessionController::tellOfStoring(const QString& problem) {
    workspace_.notice().removeSentence(std::exchange(storing_told_, {}));
    if (problem.isEmpty()) {
        emit told(tr("The session is being stored again; every edit is in it"));
        return;
    }
    storing_told_ =
        tr("%1. Edits stay in this window meanwhile, and storing is tried again with the next one").arg(problem);
    // Behind others: what hinders storing has often hindered reading, or saving a plan, and both have to be seen.
    emit warnedAlso(storing_told_);
}

void SessionController::graphOpened() {
    range_restore_.graphOpened();
    const QString graph = document_.loaded().path;
    state_.open = graph;
    selection_restore_.graphOpened({});
    if (const SessionDocument* kept = state_.document(graph)) {
        JobModel model = declaredModel(*document_.graph());
        model.contention = kept->contention;
        model.share_links = times_.traceTimes().sharesLinks();
        if (!kept->compiled.isEmpty()) model.compiled = compiled_scope_by_name(kept->compiled.toStdString());
        if (kept->attention_density > 0) model.attention_density = std::min(kept->attention_density, 1.0);
        times_.cost().restore(kept->cost_model, model);
        times_.traceTimes().restore(kept->times);
        workspace_.compare().sides().restoreChoice(kept->compared);
        const auto restore_limit = [&] {
            if (kept->memory_limit > 0) workspace_.memory().restoreLimit(kept->memory_limit_typed, kept->memory_limit);
        };
        restore_limit();
        workspace_.search().restore(kept->found);
        // Older versions kept a limit in Memory beside none in Search.
        if (workspace_.memory().limit()->value() == 0) restore_limit();
        selection_restore_.graphOpened(kept->selection);
    }
    schedule();
}

QString SessionController::searchSentence(const InterruptedSearch& search) const {
    return tr("A search for better plans of %1 was under way and was cut off %2; its settings are in Search")
        .arg(document_.name(), search.reached());
}

void SessionController::tellOfSearch(const InterruptedSearch& search) {
    // The buttons of an older one would act on this one.
    workspace_.notice().removeSentence(search_told_);
    search_told_ = searchSentence(search);
    // Whatever shows the buttons, they are for this graph.
    const auto here = [this](auto act) {
        return [this, act] {
            if (!search_told_.isEmpty()) act();
        };
    };
    std::vector<NoticeAction> actions{{tr("Search again"), here([this] { workspace_.searchAgain(); }),
                                       tr("Begin a search with the settings in Search")}};
    if (search.best)
        actions.push_back({tr("Open its best plan"), here([this] { workspace_.search().openBest(); }),
                           tr("Open the best plan that this search had found, in a tab of its own")});
    actions.push_back({tr("Forget the search"), here([this] { workspace_.search().dropCutOff(); }),
                       search.best ? tr("Tell of it no more. The best plan that it had found is lost; no open plan is")
                                   : tr("Tell of it no more. It had found nothing yet")});
    emit warnedAlso(search_told_, {}, actions);
}

RestoredVariants SessionController::restoredVariants(const LoadedGraph& loaded) {
    RestoredVariants result;
    closed_plans_.replaceAll({});
    const SessionDocument* kept = state_.document(loaded.path);
    workspace_.timeline().edits().restore(kept ? kept->timeline : QJsonObject());
    if (!kept && loaded.path == sampleGraph()) result.variants = {restored(samplePlan()), restored(loaded.empty_plan)};
    // Which policy is the best depends on the plan: torchtitan's is what docs/memory.md has.
    if (!kept && loaded.path == memorySampleGraph()) {
        const PipelinePreset& preset = loaded.presets->front();
        result.variants = {restored(plan_of(preset, *loaded.graph, preset.title)), restored(loaded.empty_plan)};
    }
    if (!kept) return result;
    closed_plans_.replaceAll(kept->closed);
    result.current = kept->current;
    QStringList sentences;
    std::vector<RestoredVariant> newer;  // behind all others, so that tabs keep their places
    std::vector<SessionVariant> beside = kept->variants;
    beside.insert(beside.end(), kept->closed.begin(), kept->closed.end());
    for (std::size_t i = 0; i < kept->variants.size(); ++i) {
        const SessionVariant& variant = kept->variants[i];
        try {
            std::vector<RestoredVariant> plans =
                restoreKeptPlan(variant, loaded, looks_, beside, sentences, folder(), &early_histories_);
            result.variants.push_back(std::move(plans.front()));
            if (plans.size() > 1) {
                beside.push_back({{}, plans.back().file, false, plans.back().digest});
                newer.push_back(std::move(plans.back()));
            }
            if (static_cast<std::size_t>(kept->current) == i + 1)
                result.current = static_cast<int>(result.variants.size());
        } catch (const std::exception& error) {
            // Another graph under the same name, most likely. Nothing is discarded.
            if (!variant.modified) continue;
            const QString aside = keepAside(variant.plan);
            if (aside.isEmpty()) closed_plans_.add(variant);
            sentences.append(
                aside.isEmpty()
                    ? tr("A plan could not be opened and stays among the closed ones: %1").arg(sentenceOf(error))
                    : tr("A plan of the last session was kept as %1: %2").arg(aside, sentenceOf(error)));
        }
    }
    early_histories_.clear();
    for (RestoredVariant& version : newer)
        if (!std::ranges::any_of(result.variants, [&](const RestoredVariant& open) { return isSame(open, version); }))
            result.variants.push_back(std::move(version));
    const auto unsaved = std::ranges::count_if(result.variants, &RestoredVariant::modified);
    if (unsaved == 1) emit told(tr("1 plan with edits that are in no file was kept and is open again"));
    if (unsaved > 1) emit told(tr("%1 plans with edits that are in no file were kept and are open again").arg(unsaved));
    if (sentences.size() == 1) emit warnedAlso(sentences.front());
    if (sentences.size() > 1)
        emit warnedAlso(tr("Plans that came back have changed in %1 ways").arg(sentences.size()), sentences);
    return result;
}

SessionDocument SessionController::documentToKeep(SessionDocument kept) const {
    kept.closed = closed_plans_.all();
    kept.times = times_.traceTimes().files();
    kept.cost_model = times_.cost().model().used();
    const JobModel model = times_.traceTimes().model();
    kept.contention = model.contention;
    if (document_.isOpen() && kept.times.isEmpty() && model.compiled != declaredModel(*document_.graph()).compiled)
        kept.compiled = model.compiled ? QString::fromStdString(std::string(compiled_scope_name(*model.compiled)))
                                       : compiles_nothing;
    if (document_.isOpen() && model.compiled &&
        model.attention_density != declaredModel(*document_.graph()).attention_density)
        kept.attention_density = model.attention_density;
    kept.timeline = workspace_.timeline().edits().toJson();
    kept.compared = workspace_.compare().sides().choice();
    kept.found = workspace_.search().kept();
    kept.memory_limit = workspace_.memory().limit()->value();
    kept.memory_limit_typed = workspace_.memory().limit()->typed();
    kept.selection = selection_restore_.kept();
    range_restore_.fill(kept, state_.document(kept.graph), workspace_.planRange());
    return kept;
}

void SessionController::rememberDocument() {
    if (document_.isOpen()) state_.put(documentToKeep(sessionDocument(document_)));
}

void SessionController::schedule(int delay_ms) {
    if (!session_) return;
    if (!timer_.isActive() || timer_.remainingTime() > delay_ms) timer_.start(delay_ms);
}

void SessionController::write() {
    timer_.stop();
    if (!session_) return;
    workspace_.keep(state_);
    state_.share_links = times_.traceTimes().sharesLinks();
    state_.views["measurements"] = times_.measurements().state();
    state_.views["measuredBeside"] = times_.measurements().graphs();
    SessionSnapshot snapshot{state_, {}};
    if (document_.isOpen()) {
        snapshot.state.put(documentToKeep(sessionDocument(document_, sessionVariantOutline)));
        snapshot.plans = shared_plans_.of(document_);
    }
    writer_->write(std::move(snapshot));
}

QString SessionController::store() {
    write();
    return writer_ ? writer_->flush() : QString();
}

QByteArrayList SessionController::unsavedWork() const {
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
    add(closed_plans_.all());
    if (workspace_.job().keepsChanges()) work.append(QJsonDocument(workspace_.job().state()).toJson());
    add_notes(workspace_.timeline().edits().toJson());
    return work;
}

bool SessionController::refusesClosing() {
    state_.ended = true;
    const QString problem = writer_ ? store() : tr("Nothing of this window is kept: it was opened without a session");
    if (problem.isEmpty()) {
        if (const QString words = partingWords(); !words.isEmpty()) emit logged(words);
        return false;
    }
    if (!losses_refused_.refuses(unsavedWork())) return false;
    // The only copy of these edits is the one in this window.
    state_.ended = false;
    emit warned(tr("%1. There are unsaved edits or notes: save the plans, or close the window once more to lose them")
                    .arg(problem));
    return true;
}

QString SessionController::partingWords() const {
    if (!session_) return {};
    QStringList names;
    for (int i = 1; i < document_.variantCount(); ++i)
        if (document_.variant(i).modified()) names.append(shownName(document_.variant(i).title()));
    if (names.isEmpty()) return {};
    if (names.size() == 1)
        return tr("%1 is in no file as it is now; it is kept, and opens again at the next start").arg(names.front());
    const qsizetype more = names.size() - most_names;
    const QString rest = more > 0 ? tr("%1 more").arg(more) : names.takeLast();
    return tr("%1 and %2 are in no file as they are now; they are kept, and open again at the next start")
        .arg(names.mid(0, most_names).join(QStringLiteral(", ")), rest);
}

}  // namespace overlap::ui

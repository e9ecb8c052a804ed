#include "ui/job/stage_connection.h"

#include <QFileInfo>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/graph/module_tree.h"
#include "core/plan/plan.h"
#include "ui/document/document.h"
#include "ui/document/measured_times.h"
#include "ui/files/file_digest.h"
#include "ui/files/read_plan.h"
#include "ui/job/job_view.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

/// The numbered modules that come first, such as `layers.4 to layers.7`; empty where none has a number.
QString numberedModules(const ModuleTree& tree) {
    for (ModuleTree::ModuleId id = 0; id < tree.module_count(); ++id) {
        std::vector<int> numbers;
        for (const ModuleTree::ModuleId child : tree.module(id).children) {
            bool is_number = false;
            const int number = QString::fromStdString(tree.module(child).name).toInt(&is_number);
            if (is_number) numbers.push_back(number);
        }
        if (numbers.empty()) continue;
        const auto [first, last] = std::ranges::minmax(numbers);
        const QString path = QString::fromStdString(tree.path(id));
        const auto name = [&](int number) {
            return path.isEmpty() ? QString::number(number) : QStringLiteral("%1.%2").arg(path).arg(number);
        };
        return first == last ? name(first) : StageConnection::tr("%1 to %2").arg(name(first), name(last));
    }
    return {};
}

}  // namespace

StageConnection::StageConnection(OpenJob& job, JobView& view, Document& document, QObject* parent)
    : QObject(parent), job_(job), view_(view), document_(document) {
    // A window's document goes before its views.
    job.setOpenTabs([open = QPointer<Document>(&document)](quint64 tab) { return open && open->indexOf(tab) >= 0; });
    connect(&view, &JobView::stageWanted, this, &StageConnection::openStage);
    connect(&view, &JobView::planWanted, this, &StageConnection::useShownPlan);
    connect(&job, &OpenJob::opened, this, [this] {
        wanted_.reset();
        followWhatIsShown();
        connectAgain();
    });
    // After all views have the graph: a plan is opened as an event of its own.
    connect(&document, &Document::graphChanged, this, &StageConnection::graphOpened, Qt::QueuedConnection);
    connect(&document.loader(), &GraphLoader::cancelled, this, [this] { wanted_.reset(); });
    connect(&document, &Document::planChanged, this, &StageConnection::follow);
    connect(&document, &Document::variantsChanged, this, &StageConnection::follow);  // one may have been saved
    connect(&document, &Document::currentChanged, this, &StageConnection::offer);
    connect(&job, &OpenJob::changed, this, &StageConnection::follow);
    connect(&job, &OpenJob::saved, this, &StageConnection::jobSaved);
    connect(&document, &Document::timesChanged, this, &StageConnection::note);
    // After what chose the times has told that.
    connect(&document, &Document::timesChanged, this, &StageConnection::tellOtherTimes, Qt::QueuedConnection);
}

void StageConnection::openStage(int stage) {
    const QString graph = job_.graphOf(stage);
    if (graph.isEmpty()) {
        emit told(tr("Stage %1 has times alone: there is no graph to open").arg(stage));
        return;
    }
    wanted_ = stage;
    if (document_.isOpen() && document_.loaded().path == graph && !document_.loading()) return showPlan();
    document_.openGraph(graph);
}

void StageConnection::graphOpened() {
    if (wanted_ && document_.isOpen() && document_.loaded().path == job_.graphOf(*wanted_)) return showPlan();
    wanted_.reset();
    connectAgain();
}

void StageConnection::setStage(int stage) {
    const bool other = std::exchange(stage_, stage) != stage;
    if (stage >= 0) job_.setLastStage(stage);
    view_.setShownStage(stage);
    if (other) emit stageChanged();
}

void StageConnection::followWhatIsShown() {
    for (int stage = 0; document_.isOpen() && stage < job_.stageCount(); ++stage) {
        if (job_.followedBy(stage).tab != 0 || job_.graphOf(stage) != document_.loaded().path) continue;
        const Variant* variant = findTab(stage);
        if (!variant) continue;
        job_.follow(stage, variant->key());
        if (variant == document_.current()) job_.setLastStage(stage);
    }
}

void StageConnection::connectAgain() {
    int shown = -1;
    for (int stage = 0; document_.isOpen() && stage < job_.stageCount(); ++stage) {
        if (job_.followedBy(stage).tab == 0 || job_.graphOf(stage) != document_.loaded().path) continue;
        if (!tabOf(stage)) {
            const Variant* variant = findTab(stage);
            if (!variant) continue;
            job_.follow(stage, variant->key());
        }
        if (shown < 0 || stage == job_.lastStage()) shown = stage;
    }
    setStage(shown);
    follow();
}

const Variant* StageConnection::tabOf(int stage) const {
    const int index = document_.indexOf(job_.followedBy(stage).tab);
    return index < 0 ? nullptr : &document_.variant(index);
}

Variant* StageConnection::findVariant(const Plan& plan, const QString& file) {
    for (int i = 1; i < document_.variantCount(); ++i) {
        Variant& variant = document_.variant(i);
        bool taken = false;
        for (int stage = 0; stage < job_.stageCount(); ++stage)
            taken = taken || job_.followedBy(stage).tab == variant.key();
        if (!taken && variant.plan() == plan && (file.isEmpty() || variant.filePath() == file)) return &variant;
    }
    return nullptr;
}

Variant* StageConnection::findTab(int stage) {
    const Plan plan = planOfJob(stage);
    const QString file = job_.isPlanInFile(stage) ? job_.planFileOf(stage) : QString();
    Variant* tab = findVariant(plan, file);
    if (tab || file.isEmpty()) return tab;
    // The tab of another file would write into that one.
    tab = findVariant(plan);
    if (!tab || !tab->filePath().isEmpty()) return nullptr;
    try {
        const ReadPlan there = readPlan(file);
        if (ofGraph(there.plan) != plan) return nullptr;
        tab->setSaved(file, there.digest);
    } catch (const InputError&) {
        return nullptr;
    }
    return tab;
}

void StageConnection::assign(int stage, const Variant& variant) {
    job_.follow(stage, variant.key());
    document_.setCurrentIndex(document_.indexOf(variant.key()));
}

Plan StageConnection::ofGraph(Plan plan) const {
    if (!plan.graph) plan.graph = document_.loaded().empty_plan.graph;
    return plan;
}

Plan StageConnection::planOfJob(int stage) const {
    if (const auto own = job_.planOf(stage)) return ofGraph(*own);
    if (const auto own = job_.filePlanOf(stage)) return ofGraph(*own);
    Plan plan = document_.loaded().empty_plan;
    plan.name = tr("Stage %1").arg(stage).toStdString();
    return plan;
}

void StageConnection::showPlan() {
    setStage(*std::exchange(wanted_, std::nullopt));
    if (const Variant* known = tabOf(stage_)) {
        document_.setCurrentIndex(document_.indexOf(known->key()));
        return offer();
    }
    try {
        const QString file = job_.planFileOf(stage_);
        if (const Variant* variant = findTab(stage_)) {
            assign(stage_, *variant);
        } else if (file.isEmpty() || !job_.isPlanInFile(stage_)) {
            assign(stage_, document_.addNew(planOfJob(stage_)));
        } else {
            assign(stage_, document_.openPlan(readPlan(file)));
        }
    } catch (const std::exception& error) {
        emit failed(reasonOf(error));
    }
    follow();
}

std::shared_ptr<const Plan> StageConnection::planForJob(int stage, const Variant& variant) const {
    const Plan& plan = variant.readOnly() ? document_.loaded().empty_plan : variant.plan();
    const bool as_opened = job_.filePlanOf(stage) && plan == ofGraph(*job_.filePlanOf(stage));
    const bool nothing = !job_.hadPlanFile(stage) && does_the_same(plan, document_.loaded().empty_plan);
    return as_opened || nothing ? nullptr : std::make_shared<const Plan>(plan);
}

void StageConnection::follow() {
    for (int stage = 0; stage < job_.stageCount(); ++stage) {
        const Variant* tab = tabOf(stage);
        if (!tab) continue;
        job_.setPlan(stage, planForJob(stage, *tab));
    }
    // In the middle of an edit a tab has the new plan and no mark yet.
    QMetaObject::invokeMethod(this, &StageConnection::followFiles, Qt::QueuedConnection);
    offer();
}

void StageConnection::followFiles() {
    for (int stage = 0; stage < job_.stageCount(); ++stage) {
        const Variant* tab = tabOf(stage);
        if (tab && !tab->modified() && !tab->filePath().isEmpty() && tab->filePath() == job_.planFileOf(stage))
            job_.setPlanInFile(stage, planForJob(stage, *tab));
    }
}

void StageConnection::offer() {
    const Variant* current = document_.current();
    const bool is_other = stage_ >= 0 && current && tabOf(stage_) != current;
    int of_graph = 0;
    while (of_graph < job_.stageCount() && document_.isOpen() && job_.graphOf(of_graph) != document_.loaded().path)
        ++of_graph;
    view_.setUnrelatedGraph(stage_ < 0 && document_.isOpen() ? document_.name() : QString(),
                            of_graph < job_.stageCount() ? of_graph : -1);
    note();
    view_.offerPlan(is_other ? tr("Use %1 for stage %2").arg(current->title()).arg(stage_) : QString());
}

/// One graph may be that of several stages, whose names say something else than its modules; and it may be shown in
/// other times than the job's.
void StageConnection::note() {
    QStringList notes;
    if (stage_ >= 0 && document_.isOpen()) {
        std::vector<std::string> sharing;
        for (int stage = 0; stage < job_.stageCount(); ++stage)
            if (job_.graphOf(stage) == document_.loaded().path) sharing.push_back(std::to_string(stage));
        if (sharing.size() > 1) {
            const QString stages = tr("Stages %1 share this graph").arg(QString::fromStdString(listed(sharing)));
            const QString modules = numberedModules(document_.modules());
            notes.append(modules.isEmpty()
                             ? stages
                             : tr("%1: its modules are %2, whatever the stage's name says").arg(stages, modules));
        }
        if (const QString other = otherTimes(); !other.isEmpty()) notes.append(other);
    }
    view_.setStageNotes(notes);
}

QString StageConnection::otherTimes() const {
    if (stage_ < 0 || !document_.isOpen()) return {};
    const LoadedGraph& graph = document_.loaded();
    const QString name = document_.times() ? document_.times()->name()
                         : graph.as_read   ? QFileInfo(graph.cost_model).fileName()
                                           : QString();
    return name.isEmpty() ? QString()
                          : tr("The job keeps the times of its stages' files: %1, which all other views show figures "
                               "of, changes nothing of its step")
                                .arg(name);
}

void StageConnection::tellOtherTimes() {
    if (const QString other = otherTimes(); !other.isEmpty()) emit told(other);
}

void StageConnection::jobSaved(const std::vector<SavedStage>& stages) {
    for (const SavedStage& stage : stages) {
        if (document_.isOpen() && document_.loaded().path == stage.graph_before && stage.graph != stage.graph_before)
            document_.setSource(stage.graph);
        const int tab = document_.indexOf(stage.followed.tab);
        if (tab >= 0 && stage.plan && !document_.variant(tab).readOnly())
            document_.variant(tab).setSaved(stage.plan_file, fileDigest(stage.plan_file));
    }
}

void StageConnection::useShownPlan() {
    Variant* current = document_.current();
    if (stage_ < 0 || !current) return;
    job_.usePlan(stage_, planForJob(stage_, *current), current->key(),
                 tr("Use %1 for stage %2").arg(current->title()).arg(stage_));
    offer();
}

}  // namespace overlap::ui

#include "ui/job/stage_connection.h"

#include "core/plan/plan.h"
#include "ui/document/document.h"
#include "ui/files/read_plan.h"
#include "ui/job/job_view.h"

namespace overlap::ui {

StageConnection::StageConnection(OpenJob& job, JobView& view, Document& document, QObject* parent)
    : QObject(parent), job_(job), view_(view), document_(document) {
    connect(&view, &JobView::stageWanted, this, &StageConnection::openStage);
    connect(&view, &JobView::planWanted, this, &StageConnection::useShownPlan);
    connect(&job, &OpenJob::opened, this, [this] {
        stage_ = -1;
        wanted_.reset();
        variants_.clear();
        offer();
    });
    connect(&document, &Document::graphAboutToChange, this, [this] { variants_.clear(); });
    // After all views have the graph: a plan is opened as an event of its own.
    connect(&document, &Document::graphChanged, this, &StageConnection::graphOpened, Qt::QueuedConnection);
    connect(&document.loader(), &GraphLoader::failed, this, [this] { wanted_.reset(); });
    connect(&document, &Document::planChanged, this, &StageConnection::follow);
    connect(&document, &Document::currentChanged, this, &StageConnection::offer);
    connect(&job, &OpenJob::changed, this, &StageConnection::offer);
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
    if (!wanted_ || !document_.isOpen()) {
        view_.setShownStage(-1);
        stage_ = -1;
        return offer();
    }
    if (document_.loaded().path == job_.graphOf(*wanted_)) return showPlan();
    wanted_.reset();
    stage_ = -1;
    view_.setShownStage(-1);
    offer();
}

Variant* StageConnection::findVariant(const Plan& plan) {
    for (int i = 1; i < document_.variantCount(); ++i) {
        Variant& variant = document_.variant(i);
        const bool taken =
            std::ranges::any_of(variants_, [&](const auto& each) { return each.second == variant.key(); });
        if (!taken && variant.plan() == plan) return &variant;
    }
    return nullptr;
}

void StageConnection::assign(int stage, const Variant& variant) {
    variants_[stage] = variant.key();
    document_.setCurrentIndex(document_.indexOf(variant.key()));
}

void StageConnection::showPlan() {
    stage_ = *std::exchange(wanted_, std::nullopt);
    view_.setShownStage(stage_);
    const auto known = variants_.find(stage_);
    if (known != variants_.end() && document_.indexOf(known->second) >= 0) {
        document_.setCurrentIndex(document_.indexOf(known->second));
        return offer();
    }
    try {
        const QString file = job_.planFileOf(stage_);
        if (const std::shared_ptr<const Plan> own = job_.planOf(stage_)) {
            const Variant* variant = findVariant(*own);
            assign(stage_, variant ? *variant : document_.addNew(*own));
        } else if (!file.isEmpty()) {
            ReadPlan read = readPlan(file);
            const Variant* variant = findVariant(read.plan);
            assign(stage_, variant ? *variant : document_.openPlan(std::move(read)));
        } else {
            Plan empty = document_.loaded().empty_plan;
            empty.name = tr("Stage %1").arg(stage_).toStdString();
            const Variant* variant = findVariant(empty);
            assign(stage_, variant ? *variant : document_.addNew(empty));
        }
    } catch (const std::exception& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
    offer();
}

std::shared_ptr<const Plan> StageConnection::planForJob(const Variant& variant) const {
    const Plan& plan = variant.readOnly() ? document_.loaded().empty_plan : variant.plan();
    const QString file = job_.planFileOf(stage_);
    const bool as_in_file = !file.isEmpty() && variant.filePath() == file && !variant.modified();
    const bool nothing = file.isEmpty() && does_the_same(plan, document_.loaded().empty_plan);
    return as_in_file || nothing ? nullptr : std::make_shared<const Plan>(plan);
}

void StageConnection::follow() {
    const Variant* current = document_.current();
    const auto known = variants_.find(stage_);
    if (!current || known == variants_.end() || known->second != current->key()) return offer();
    job_.setPlan(stage_, planForJob(*current));
    offer();
}

void StageConnection::offer() {
    const Variant* current = document_.current();
    const auto known = variants_.find(stage_);
    const bool is_other = stage_ >= 0 && current && (known == variants_.end() || known->second != current->key());
    view_.offerPlan(is_other ? tr("Use %1 for stage %2").arg(current->title()).arg(stage_) : QString());
}

void StageConnection::useShownPlan() {
    Variant* current = document_.current();
    if (stage_ < 0 || !current) return;
    variants_[stage_] = current->key();
    job_.usePlan(stage_, planForJob(*current), tr("Use %1 for stage %2").arg(current->title()).arg(stage_));
    offer();
}

}  // namespace overlap::ui

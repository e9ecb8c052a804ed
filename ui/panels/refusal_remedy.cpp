#include "ui/panels/refusal_remedy.h"

#include <algorithm>
#include <utility>

#include "ui/document/document.h"

namespace overlap::ui {
namespace {

constexpr int remedy_delay_ms = 300;  ///< edits that follow one another are not evaluated in between

}  // namespace

const Problem* problemWithFix(const Plan& plan, const Evaluation& evaluation) {
    if (!evaluation.refused) return nullptr;
    const auto found = std::ranges::find_if(evaluation.problems, [&](const Problem& problem) {
        return problem.severity == Severity::error && edits::with_fix(plan, problem);
    });
    return found == evaluation.problems.end() ? nullptr : &*found;
}

RefusalRemedy::RefusalRemedy(Document& document, QObject* parent) : QObject(parent), document_(document) {
    delay_.setSingleShot(true);
    delay_.setInterval(remedy_delay_ms);
    connect(&delay_, &QTimer::timeout, this, &RefusalRemedy::find);
    for (const auto signal : {&Document::evaluationChanged, &Document::planChanged})
        connect(&document, signal, this, &RefusalRemedy::begin);
}

void RefusalRemedy::setWanted(bool wanted) {
    if (std::exchange(wanted_, wanted) == wanted) return;
    if (wanted) return begin();
    delay_.stop();
    task_.cancel();
}

void RefusalRemedy::begin() {
    const std::shared_ptr<const Evaluation> evaluation = document_.evaluation();
    if (of_ != evaluation) {
        of_.reset();
        remedy_.reset();
    }
    update();
    delay_.stop();
    task_.cancel();
    const bool possible = evaluation && evaluation->refused && document_.editable() && !document_.current()->stale();
    if (wanted_ && possible && !of_ && !problemWithFix(document_.current()->plan(), *evaluation)) delay_.start();
}

void RefusalRemedy::find() {
    task_.start([this, evaluation = document_.evaluation(),
                 plan = document_.current()->plan()](std::stop_token stop) -> LatestTask::Delivery {
        std::optional<Remedy> remedy = find_remedy(plan, *evaluation, stop);
        if (stop.stop_requested()) return {};
        return [this, evaluation, plan, remedy = std::move(remedy)] {
            of_ = evaluation;
            refused_ = plan;
            remedy_ = remedy;
            update();
        };
    });
}

void RefusalRemedy::update() {
    const bool is_there = isOfCurrent();
    if (std::exchange(was_there_, is_there) != is_there) emit changed();
}

/// Whether the plan does what the one does that it was found for: a note may have been written in the meantime.
bool RefusalRemedy::isOfCurrent() const {
    return remedy_ && of_ == document_.evaluation() && document_.editable() &&
           does_the_same(document_.current()->plan(), refused_);
}

QString RefusalRemedy::label() const {
    return isOfCurrent() ? QString::fromStdString(remedy_->label) : QString();
}

QString RefusalRemedy::labelFor(const Problem& problem) const {
    const bool is_refusal = problem.kind == ProblemKind::refused && problem.severity == Severity::error;
    return is_refusal ? label() : QString();
}

bool RefusalRemedy::apply() {
    if (!isOfCurrent()) return false;
    Plan mended = remedy_->plan;
    const Plan& now = document_.current()->plan();
    mended.name = now.name;
    mended.notes = now.notes;
    mended.colour = now.colour;
    document_.editPlan(tr("Plan refused: %1").arg(QString::fromStdString(remedy_->label)), mended);
    return true;
}

}  // namespace overlap::ui

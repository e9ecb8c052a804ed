#include "ui/shell/refusal_notice.h"

#include <QToolButton>
#include <QUndoGroup>
#include <algorithm>
#include <utility>

#include "ui/actions/edit_effect.h"
#include "ui/document/document.h"
#include "ui/panels/problems_model.h"

namespace overlap::ui {
namespace {

/// The first problem of a refused plan that can be mended by an edit; nullptr where there is none.
const Problem* mendable(Document& document) {
    const auto evaluation = document.evaluation();
    if (!evaluation || !evaluation->refused) return nullptr;
    const auto found = std::ranges::find_if(evaluation->problems, [&](const Problem& problem) {
        return problem.severity == Severity::error && edits::with_fix(document.current()->plan(), problem);
    });
    return found == evaluation->problems.end() ? nullptr : &*found;
}

/// On the button that mends the plan.
QString textOf(const std::string& fix) {
    QString text = QString::fromStdString(fix);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// On the button that takes the edit back.
QString undoText() {
    return RefusalNotice::tr("Undo the edit");
}

}  // namespace

RefusalNotice::RefusalNotice(Document& document, const EditEffect& effect, NoticeBar& bar, QObject* parent)
    : QObject(parent), document_(document), bar_(bar) {
    connect(&effect, &EditEffect::refused, this, &RefusalNotice::show);
    for (const auto signal : {&Document::evaluationChanged, &Document::currentChanged, &Document::graphChanged})
        connect(&document, signal, this, &RefusalNotice::dismissWhenOver);
    connect(&document.undoGroup(), &QUndoGroup::indexChanged, this, &RefusalNotice::updateButtons);
}

void RefusalNotice::show(const QString& sentence) {
    remedy_task_.cancel();  // of another refusal
    shown_ = sentence;
    plan_ = document_.current()->key();
    edits_ = document_.current()->undoStack().index();
    evaluation_ = document_.evaluation();
    std::vector<NoticeAction> actions;
    const Problem* problem = mendable(document_);
    fix_ = problem ? problem->fix : std::string();
    if (problem) actions.push_back({textOf(fix_), [this] { fix(); }});
    actions.push_back({undoText(), [this] { undo(); }});
    emit noticed(sentence, actions);
    remedy_.reset();
    if (!problem) findRemedy(document_.evaluation());
}

void RefusalNotice::findRemedy(std::shared_ptr<const Evaluation> evaluation) {
    refused_ = document_.current()->plan();
    remedy_task_.start(
        [this, evaluation = std::move(evaluation), plan = refused_](std::stop_token stop) -> LatestTask::Delivery {
            std::optional<Remedy> remedy = find_remedy(plan, *evaluation, stop);
            if (!remedy) return {};
            return [this, remedy = std::move(*remedy)] { offer(remedy); };
        });
}

void RefusalNotice::offer(Remedy remedy) {
    if (shown_.isEmpty() || !bar_.shows(shown_)) return;
    remedy_ = std::move(remedy);
    bar_.addAction(shown_, {textOf(remedy_->label), [this] { mend(); }});
    updateButtons();
}

void RefusalNotice::mend() {
    if (canMend())
        document_.editPlan(tr("Plan refused: %1").arg(QString::fromStdString(remedy_->label)), remedy_->plan);
}

bool RefusalNotice::isOfCurrent() const {
    return document_.current() && document_.current()->key() == plan_;
}

bool RefusalNotice::canUndo() const {
    return isOfCurrent() && document_.current()->undoStack().index() == edits_;
}

bool RefusalNotice::canMend() const {
    // An edit that was merged with the one before it leaves the place in the undo stack as it was.
    return canUndo() && document_.current()->plan() == refused_;
}

bool RefusalNotice::canFix() const {
    // After another edit the plan may be refused for something else, which is known when it has been evaluated.
    if (!isOfCurrent() || document_.current()->stale()) return false;
    const Problem* problem = mendable(document_);
    return problem && problem->fix == fix_;
}

void RefusalNotice::updateButtons() {
    if (shown_.isEmpty() || !bar_.shows(shown_)) return;
    if (QToolButton* button = bar_.button(undoText())) button->setEnabled(canUndo());
    if (QToolButton* button = bar_.button(textOf(fix_))) button->setEnabled(canFix());
    // It is a change of the plan as it was then.
    if (QToolButton* button = remedy_ ? bar_.button(textOf(remedy_->label)) : nullptr) button->setEnabled(canMend());
}

void RefusalNotice::undo() {
    if (canUndo()) document_.current()->undoStack().undo();
}

void RefusalNotice::fix() {
    if (!canFix()) return;
    const Problem& problem = *mendable(document_);
    document_.editPlan(textOfFix(problem), *edits::with_fix(document_.current()->plan(), problem));
}

void RefusalNotice::dismissWhenOver() {
    if (shown_.isEmpty()) return;
    const auto evaluation = document_.evaluation();
    // After a later edit it is the refusal of that one, which has a notice of its own or was taken back.
    const bool is_as_it_was = evaluation == evaluation_.lock() || canUndo();
    if (isOfCurrent() && (!evaluation || evaluation->refused) && is_as_it_was) return updateButtons();
    remedy_task_.cancel();
    bar_.removeSentence(std::exchange(shown_, {}));
    evaluation_.reset();
}

}  // namespace overlap::ui

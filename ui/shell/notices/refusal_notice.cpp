#include "ui/shell/notices/refusal_notice.h"

#include <QToolButton>
#include <QUndoGroup>
#include <algorithm>
#include <utility>

#include "ui/actions/edit_effect.h"
#include "ui/document/document.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/refusal_remedy.h"

namespace overlap::ui {
namespace {

/// Of the current plan; nullptr where there is none. The evaluation has it.
const Problem* mendable(Document& document) {
    const auto evaluation = document.evaluation();
    return evaluation ? problemWithFix(document.current()->plan(), *evaluation) : nullptr;
}

/// On the button that mends the plan.
QString textOf(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

/// On the button that takes the edit back.
QString undoText() {
    return RefusalNotice::tr("Undo the edit");
}

}  // namespace

RefusalNotice::RefusalNotice(Document& document, const EditEffect& effect, NoticeBar& bar, QObject* parent)
    : QObject(parent), document_(document), bar_(bar), remedy_(new RefusalRemedy(document, this)) {
    connect(remedy_, &RefusalRemedy::changed, this, &RefusalNotice::offerRemedy);
    connect(&effect, &EditEffect::refused, this, &RefusalNotice::show);
    for (const auto signal : {&Document::evaluationChanged, &Document::currentChanged, &Document::graphChanged})
        connect(&document, signal, this, &RefusalNotice::dismissWhenOver);
    connect(&document.undoGroup(), &QUndoGroup::indexChanged, this, &RefusalNotice::updateButtons);
}

void RefusalNotice::show(const QString& sentence) {
    shown_ = sentence;
    plan_ = document_.current()->key();
    edits_ = document_.current()->undoStack().index();
    evaluation_ = document_.evaluation();
    std::vector<NoticeAction> actions;
    const Problem* problem = mendable(document_);
    fix_ = problem ? problem->fix : std::string();
    if (problem) actions.push_back({textOf(QString::fromStdString(fix_)), [this] { fix(); }});
    actions.push_back({undoText(), [this] { undo(); }});
    emit noticed(sentence, actions);
    remedy_label_.clear();
    remedy_->setWanted(true);
    offerRemedy();
}

void RefusalNotice::offerRemedy() {
    if (shown_.isEmpty() || !bar_.shows(shown_)) return;
    // Looked for again, such as after an edit that was taken back, it may be another one.
    if (const QString label = remedy_->label(); isOfCurrent() && !label.isEmpty() && label != remedy_label_) {
        remedy_label_ = label;
        const auto mend = [this, label] {
            if (remedy_->label() == label) remedy_->apply();
        };
        bar_.addAction(shown_, {textOf(label), mend});
    }
    updateButtons();
}

bool RefusalNotice::isOfCurrent() const {
    return document_.current() && document_.current()->key() == plan_;
}

bool RefusalNotice::canUndo() const {
    return isOfCurrent() && document_.current()->undoStack().index() == edits_;
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
    if (QToolButton* button = bar_.button(textOf(QString::fromStdString(fix_)))) button->setEnabled(canFix());
    // It is a change of what the plan did then.
    if (QToolButton* button = remedy_label_.isEmpty() ? nullptr : bar_.button(textOf(remedy_label_)))
        button->setEnabled(isOfCurrent() && remedy_->label() == remedy_label_);
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
    remedy_->setWanted(false);
    bar_.removeSentence(std::exchange(shown_, {}));
    evaluation_.reset();
}

}  // namespace overlap::ui

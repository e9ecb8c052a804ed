#include "ui/shell/refusal_notice.h"

#include <algorithm>

#include "core/pipeline/evaluation.h"
#include "ui/actions/edit_effect.h"
#include "ui/document/document.h"
#include "ui/panels/problems_model.h"
#include "ui/theme/harmless_text.h"

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

QString buttonText(QString text) {
    text[0] = text[0].toUpper();
    return text;
}

}  // namespace

RefusalNotice::RefusalNotice(Document& document, const EditEffect& effect, NoticeBar& bar, QObject* parent)
    : QObject(parent), document_(document), bar_(bar) {
    connect(&effect, &EditEffect::refused, this, &RefusalNotice::show);
    for (const auto signal : {&Document::evaluationChanged, &Document::currentChanged, &Document::graphChanged})
        connect(&document, signal, this, &RefusalNotice::dismissWhenOver);
}

void RefusalNotice::show(const QString& sentence) {
    shown_ = sentence;
    plan_ = document_.current()->key();
    std::vector<NoticeAction> actions;
    if (const Problem* problem = mendable(document_))
        actions.push_back({buttonText(QString::fromStdString(problem->fix)),
                           [this, plan = plan_, offered = problem->fix] { fix(plan, offered); }});
    const int edits = document_.current()->undoStack().index();
    actions.push_back({tr("Undo the edit"), [this, plan = plan_, edits] {
                           Variant& current = *document_.current();
                           // Where more has been edited, it would take back another.
                           if (current.key() == plan && current.undoStack().index() == edits)
                               current.undoStack().undo();
                       }});
    emit noticed(sentence, actions);
}

void RefusalNotice::fix(quint64 plan, const std::string& offered) {
    const Problem* problem = mendable(document_);
    // After another edit the plan may be refused for something else.
    if (!problem || problem->fix != offered || document_.current()->key() != plan) return;
    document_.editPlan(textOfFix(*problem), *edits::with_fix(document_.current()->plan(), *problem));
}

void RefusalNotice::dismissWhenOver() {
    if (shown_.isEmpty()) return;
    const Variant* current = document_.current();
    const auto evaluation = document_.evaluation();
    const bool is_about_it = current && current->key() == plan_ && (!evaluation || evaluation->refused);
    if (is_about_it) return;
    if (bar_.text() == shownName(shown_)) bar_.hide();
    shown_.clear();
}

}  // namespace overlap::ui

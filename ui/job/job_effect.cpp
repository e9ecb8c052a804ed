#include "ui/job/job_effect.h"

#include <utility>

#include "ui/job/step/job_words.h"

namespace overlap::ui {

JobEffect::JobEffect(OpenJob& job, QObject* parent)
    : QObject(parent), job_(job), index_(job.undoStack().index()), known_(job.figures()) {
    connect(&job, &OpenJob::opened, this, [this] {
        known_.reset();
        changes_.clear();
        index_ = job_.undoStack().index();
    });
    connect(&job.undoStack(), &QUndoStack::indexChanged, this, &JobEffect::remember);
    connect(&job, &OpenJob::evaluated, this, &JobEffect::tell);
}

void JobEffect::remember() {
    const QUndoStack& stack = job_.undoStack();
    const int before = std::exchange(index_, stack.index());
    if (stack.count() == 0 || !job_.evaluating()) return;  // emptied for another job, or of no effect
    if (changes_.empty()) before_ = known_;
    const StackMove change = stackMove(stack, before);
    // Of values that a field passes on its way the last one is told.
    if (index_ == before && !changes_.empty())
        changes_.back() = change;
    else
        changes_.push_back(change);
}

void JobEffect::tell() {
    if (job_.evaluating()) return;
    known_ = job_.figures();
    if (changes_.empty()) return;
    const QString change = textOf(std::exchange(changes_, {}));
    QString effect = problemText(job_).section(u'\n', 0, 0);
    if (known_) {
        QStringList texts = figureTexts(*known_, before_);
        texts.removeLast();  // the ranks
        effect = texts.join(QStringLiteral(" · "));
    }
    emit told(QStringLiteral("%1: %2").arg(change, effect));
}

}  // namespace overlap::ui

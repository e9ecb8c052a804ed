#include "ui/actions/edit_effect.h"

#include "core/pipeline/step_with_links_shared.h"
#include "ui/actions/edit_history.h"
#include "ui/document/document.h"
#include "ui/document/variant.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

EditEffect::EditEffect(Document& document, EditHistory& history, QObject* parent)
    : QObject(parent), document_(document) {
    connect(&history, &EditHistory::planEdited, this, &EditEffect::remember);
    connect(&history, &EditHistory::planEditGrew, this, &EditEffect::replaceLast);
    connect(&document, &Document::evaluationChanged, this, &EditEffect::tell);
    for (const auto signal : {&Document::currentChanged, &Document::timesChanged})
        connect(&document, signal, this, &EditEffect::start);
    start();
}

void EditEffect::start() {
    before_ = nullptr;
    edits_.clear();
    waiting_ = undone_ = false;
    kept_ = nullptr;
    keep();
}

void EditEffect::keep() {
    const Variant* current = document_.current();
    if (current && !current->stale()) kept_ = current->evaluation();
}

void EditEffect::remember(const StackMove& move) {
    if (!document_.current()->stale()) {  // a name or a note
        undone_ = true;
        return;
    }
    if (!waiting_) {
        edits_.clear();
        before_ = kept_;
    }
    edits_.push_back(move);
    waiting_ = true;
    undone_ = move.undone;
}

void EditEffect::replaceLast(const QString& what) {
    // What grew was made before what is known here, so that only this part of it can be told.
    const bool known = waiting_ || before_;
    if (undone_ || edits_.empty() || !known) return remember({what});
    edits_.back() = {what};
    waiting_ = document_.current()->stale();
}

void EditEffect::tell() {
    keep();
    const Variant* current = document_.current();
    if (!waiting_ || !current || current->stale()) return;
    waiting_ = false;
    const auto before = before_;
    const auto after = kept_;
    if (!before || !after || after == before) return;
    const QString edit = textOf(edits_);
    if (after->refused) {
        const QString why =
            after->refusal ? QString::fromStdString(after->refusal->problem()) : tr("Problems says why");
        const QString sentence = tr("%1: the plan is refused: %2").arg(edit, why);
        emit told(sentence);
        if (!undone_) emit refused(sentence);
        return;
    }
    if (before->refused) {
        emit told(tr("%1: the plan is no longer refused").arg(edit));
        return;
    }
    const auto change = [](const QString& what, double from, double to, Unit unit) {
        return QStringLiteral("%1 %2").arg(what, formatDifference(to - from, unit));
    };
    QStringList changes;
    if (after->times_known) {
        const bool shared = before->on_shared_links || after->on_shared_links;
        changes.append(change(tr("step"), before->simulation.step_ms, after->simulation.step_ms, Unit::Time));
        if (shared)
            changes.append(change(linksSharedLabel(), step_with_links_shared(*before), step_with_links_shared(*after),
                                  Unit::Time));
        // The exposed time is that of the step of a job, as in the toolbar.
        changes.append(change(shared ? exposedLinksSharedLabel() : tr("exposed"), exposed_with_links_shared(*before),
                              exposed_with_links_shared(*after), Unit::Time));
    }
    changes.append(change(tr("peak"), static_cast<double>(before->corrected_memory.peak_bytes),
                          static_cast<double>(after->corrected_memory.peak_bytes), Unit::Bytes));
    emit told(QStringLiteral("%1: %2").arg(edit, changes.join(QStringLiteral(" · "))));
}

}  // namespace overlap::ui

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
    connect(&document, &Document::evaluationChanged, this, &EditEffect::tell);
    connect(&document, &Document::currentChanged, this, [this] { before_ = nullptr; });
    connect(&document, &Document::timesChanged, this, [this] { before_ = nullptr; });
}

void EditEffect::remember(const QString& what) {
    if (!document_.current()->stale()) return;  // a name or a note
    if (!before_) edits_.clear();
    edits_.append(what);
    if (before_ || document_.current()->evaluation() == nullptr) return;
    before_ = document_.current()->evaluation();
    key_ = document_.current()->key();
}

void EditEffect::tell() {
    const Variant* current = document_.current();
    if (!before_ || !current || current->key() != key_ || current->stale()) return;
    const auto before = std::exchange(before_, nullptr);
    const auto after = current->evaluation();
    if (!after || after == before) return;
    const QString edit =
        edits_.size() == 1 ? edits_.front() : tr("%1 edits, the last one %2").arg(edits_.size()).arg(edits_.back());
    if (after->refused) {
        const QString why =
            after->refusal ? QString::fromStdString(after->refusal->problem()) : tr("Problems says why");
        emit told(tr("%1: the plan is refused: %2").arg(edit, why));
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
        changes.append(change(tr("step"), before->simulation.step_ms, after->simulation.step_ms, Unit::Time));
        if (before->on_shared_links || after->on_shared_links)
            changes.append(change(linksSharedLabel(), step_with_links_shared(*before), step_with_links_shared(*after),
                                  Unit::Time));
        changes.append(
            change(tr("exposed"), exposed_with_links_shared(*before), exposed_with_links_shared(*after), Unit::Time));
    }
    changes.append(change(tr("peak"), static_cast<double>(before->corrected_memory.peak_bytes),
                          static_cast<double>(after->corrected_memory.peak_bytes), Unit::Bytes));
    emit told(QStringLiteral("%1: %2").arg(edit, changes.join(QStringLiteral(" · "))));
}

}  // namespace overlap::ui

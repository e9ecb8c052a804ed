#include "ui/document/variant.h"

#include <QSignalBlocker>
#include <QUndoCommand>
#include <utility>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/found_note.h"
#include "ui/document/begins_anew.h"
#include "ui/document/found_note.h"
#include "ui/document/plan_change.h"

namespace overlap::ui {

/// An edit that can be taken back.
class PlanEdit : public QUndoCommand {
  public:
    /// @param done whether the variant's plan has it already.
    PlanEdit(Variant& variant, std::shared_ptr<const PlanHistory::Edit> edit, bool done)
        : QUndoCommand(edit->text), variant_(variant), edit_(std::move(edit)), done_(done) {}

    const std::shared_ptr<const PlanHistory::Edit>& edit() const { return edit_; }
    void undo() override { variant_.setPlan(edit_->change.undone(variant_.plan())); }
    void redo() override {
        if (std::exchange(done_, false)) return;  // a stack redoes what is pushed
        variant_.setPlan(edit_->change.redone(variant_.plan()));
    }
    int id() const override { return edit_->merge_key.isEmpty() ? -1 : 1; }
    /// @param newer has been done already.
    bool mergeWith(const QUndoCommand* newer) override {
        const PlanHistory::Edit& further = *static_cast<const PlanEdit*>(newer)->edit_;
        // What comes back was apart before, such as on both sides of a saved state.
        if (variant_.restoring_ || further.merge_key != edit_->merge_key) return false;
        const Plan before = edit_->change.undone(further.change.undone(variant_.plan()));
        const Plan& after = variant_.plan();
        edit_ = std::make_shared<const PlanHistory::Edit>(
            PlanHistory::Edit{further.text, PlanChange(before, after), further.merge_key});
        setText(further.text);
        setObsolete(before == after);
        return true;
    }

  private:
    Variant& variant_;
    std::shared_ptr<const PlanHistory::Edit> edit_;
    bool done_ = false;
};

Variant::Variant(quint64 key, Plan plan, bool read_only, QObject* parent)
    : QObject(parent), key_(key), read_only_(read_only), plan_(std::move(plan)) {
    // First: who is told may ask for the history.
    connect(&undo_stack_, &QUndoStack::indexChanged, this, [this] { history_ = nullptr; });
    connect(&undo_stack_, &QUndoStack::cleanChanged, this, [this] {
        history_ = nullptr;
        emit titleChanged();
    });
}

Variant::~Variant() {
    // A stack that is destroyed emits that it is clean; no one may access a variant that is half destroyed.
    undo_stack_.disconnect(this);
}

QString Variant::title() const {
    return QString::fromStdString(plan_.name);
}

void Variant::edit(const QString& text, const Plan& plan, const QString& merge_key) {
    if (read_only_ || plan == plan_) return;
    Plan edited = plan;
    markEdited(edited, plan_);
    auto made =
        std::make_shared<const PlanHistory::Edit>(PlanHistory::Edit{text, PlanChange(plan_, edited), merge_key});
    undo_stack_.setProperty(ends_early_property, false);  // what was undone is gone with it
    undo_stack_.push(new PlanEdit(*this, std::move(made), false));
}

const std::shared_ptr<const PlanHistory>& Variant::history() const {
    if (history_) return history_;
    auto history = std::make_shared<PlanHistory>();
    history->done = undo_stack_.index();
    history->saved = undo_stack_.cleanIndex();
    history->begins_later = undo_stack_.property(begins_anew_property).toBool();
    history->ends_earlier = undo_stack_.property(ends_early_property).toBool();
    history->edits.reserve(static_cast<std::size_t>(undo_stack_.count()));
    for (int edit = 0; edit < undo_stack_.count(); ++edit)
        history->edits.push_back(static_cast<const PlanEdit*>(undo_stack_.command(edit))->edit());
    return history_ = std::move(history);
}

void Variant::restoreHistory(const PlanHistory& history) {
    const QSignalBlocker quiet(this);  // the plan ends up as it is
    restoring_ = true;
    if (history.begins_later) undo_stack_.setProperty(begins_anew_property, true);
    if (history.ends_earlier) undo_stack_.setProperty(ends_early_property, true);
    undo_stack_.resetClean();
    for (int edit = 0; edit < static_cast<int>(history.edits.size()); ++edit) {
        if (edit == history.saved) undo_stack_.setClean();
        undo_stack_.push(new PlanEdit(*this, history.edits[static_cast<std::size_t>(edit)], edit < history.done));
    }
    if (undo_stack_.count() == history.saved) undo_stack_.setClean();
    undo_stack_.setIndex(history.done);
    restoring_ = false;
}

void Variant::setPlan(const Plan& plan) {
    // The tab has the colour, and the note in its tool tip.
    const bool renamed = plan.name != plan_.name || plan.notes != plan_.notes || plan.colour != plan_.colour;
    stale_ = stale_ || !does_the_same(plan, plan_);
    // What its file lacks is said until it is written: undoing an edit does not undo that.
    AddedByReading added = std::move(plan_.added_by_reading);
    plan_ = plan;
    plan_.added_by_reading = std::move(added);
    if (renamed) emit titleChanged();
    emit planChanged();
}

void Variant::setEvaluation(std::shared_ptr<const Evaluation> evaluation, bool current, bool times_as_read) {
    evaluation_ = std::move(evaluation);
    stale_ = !current;
    if (current) markChangedFile(times_as_read);
    const bool renamed = current && followFigures();
    emit evaluationChanged();
    if (renamed) emit titleChanged();
}

/// Whether its name gives another peak than its evaluation has, or another step where that is the one that was found.
/// By the step only with the times of the graph's file: with others it is another one in any case. A search may have
/// had links shared or not.
bool Variant::givesOtherFigures(bool times_as_read) const {
    if (gives_another_peak(plan_.name, evaluation_->corrected_memory.peak_bytes)) return true;
    return times_as_read && evaluation_->times_known && is_found_plan_name(plan_.name) &&
           gives_another_step(plan_.name, step_with_links_shared(*evaluation_)) &&
           gives_another_step(plan_.name, evaluation_->simulation.step_ms);
}

/// A plan that was found may have other figures than its name gives. One that was read again while it was open was
/// changed by another program, and the edit that this is has marked its note: the history would not fit another one. Of
/// one that was opened nobody knows what changed.
void Variant::markChangedFile(bool times_as_read) {
    const bool unchecked = std::exchange(name_unchecked_, false);
    if (!unchecked || !evaluation_ || evaluation_->refused || modified()) return;
    if (!givesOtherFigures(times_as_read)) return;
    if (undo_stack_.count() > 0) {
        plan_.name = nameOfEdited(std::move(plan_.name));
        return;
    }
    plan_.name = nameOfOtherFigures(std::move(plan_.name));
    plan_.notes = noteOfOtherFigures(std::move(plan_.notes));
}

/// The name of an edited plan that was found is its figures. One that was written with figures keeps those; one that
/// was written before they were known gets them. @returns whether they are others now.
bool Variant::followFigures() {
    const bool known = evaluation_ && !evaluation_->refused && evaluation_->times_known;
    const bool follows = modified() ? is_edited_plan_name(plan_.name) : plan_.name == edited_plan_words;
    if (read_only_ || !known || !follows) return false;
    std::string name = edited_plan_name(step_with_links_shared(*evaluation_), evaluation_->corrected_memory.peak_bytes);
    if (name == plan_.name) return false;
    // No edit of its own: each state of the plan has its figures, also after it was undone and redone.
    plan_.name = std::move(name);
    return true;
}

void Variant::setSaved(const QString& path, const QByteArray& digest, AddedByReading added) {
    // One that comes with its edits is as it was left.
    name_unchecked_ = stale_ && (!file_path_.isEmpty() || undo_stack_.count() == 0);
    file_path_ = path;
    file_digest_ = digest;
    undo_stack_.setClean();
    history_ = nullptr;
    emit titleChanged();
    if (added.memory_passes == plan_.added_by_reading.memory_passes) return;
    plan_.added_by_reading = std::move(added);
    emit planChanged();  // a problem says what the file lacks
}

void Variant::setUnsaved(const QString& path, const QByteArray& digest) {
    file_path_ = path;
    file_digest_ = digest;
    undo_stack_.resetClean();
    history_ = nullptr;  // which state its file has may have changed without a word
    emit titleChanged();
}

void Variant::setKept(const QString& path, const QByteArray& digest, bool modified) {
    if (modified == this->modified() && modified) {
        file_path_ = path;
        file_digest_ = digest;
        emit titleChanged();
    } else if (modified) {
        setUnsaved(path, digest);
    } else {
        setSaved(path, digest);
        name_unchecked_ = false;  // who kept it knows whether its file has changed
    }
}

}  // namespace overlap::ui

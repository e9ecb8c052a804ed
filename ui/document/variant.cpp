#include "ui/document/variant.h"

#include <QSignalBlocker>
#include <QUndoCommand>
#include <utility>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/found_note.h"
#include "ui/document/found_note.h"
#include "ui/document/plan_change.h"

namespace overlap::ui {

/// An edit that can be taken back.
class PlanEdit : public QUndoCommand {
  public:
    PlanEdit(Variant& variant, const QString& text, const Plan& after, QString merge_key)
        : QUndoCommand(text), variant_(variant), change_(variant.plan(), after), merge_key_(std::move(merge_key)) {}

    /// An edit that was made before, of a variant in whose plan it is done.
    PlanEdit(Variant& variant, const PlanHistory::Edit& edit, bool done)
        : QUndoCommand(edit.text), variant_(variant), change_(edit.change), merge_key_(edit.merge_key), done_(done) {}

    PlanHistory::Edit edit() const { return {text(), change_, merge_key_}; }
    void undo() override { variant_.setPlan(change_.undone(variant_.plan())); }
    void redo() override {
        if (std::exchange(done_, false)) return;  // a stack redoes what is pushed
        variant_.setPlan(change_.redone(variant_.plan()));
    }
    int id() const override { return merge_key_.isEmpty() ? -1 : 1; }
    /// @param newer has been done already.
    bool mergeWith(const QUndoCommand* newer) override {
        const auto* edit = static_cast<const PlanEdit*>(newer);
        if (edit->merge_key_ != merge_key_) return false;
        const Plan before = change_.undone(edit->change_.undone(variant_.plan()));
        change_ = PlanChange(before, variant_.plan());
        setText(edit->text());
        setObsolete(before == variant_.plan());
        return true;
    }

  private:
    Variant& variant_;
    PlanChange change_;
    QString merge_key_;
    bool done_ = false;
};

Variant::Variant(quint64 key, Plan plan, bool read_only, QObject* parent)
    : QObject(parent), key_(key), read_only_(read_only), plan_(std::move(plan)) {
    connect(&undo_stack_, &QUndoStack::cleanChanged, this, &Variant::titleChanged);
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
    if (!does_the_same(plan, plan_)) {
        edited.notes = noteOfEdited(std::move(edited.notes));
        if (edited.name == plan_.name) edited.name = nameOfEdited(std::move(edited.name));  // else it is a new one
    }
    undo_stack_.push(new PlanEdit(*this, text, edited, merge_key));
}

PlanHistory Variant::history() const {
    PlanHistory history{plan_, {}, undo_stack_.index()};
    for (int edit = 0; edit < undo_stack_.count(); ++edit)
        history.edits.push_back(static_cast<const PlanEdit*>(undo_stack_.command(edit))->edit());
    return history;
}

void Variant::restoreHistory(const PlanHistory& history) {
    const QSignalBlocker quiet(this);  // the plan ends up as it is
    for (int edit = 0; edit < static_cast<int>(history.edits.size()); ++edit)
        undo_stack_.push(new PlanEdit(*this, history.edits[static_cast<std::size_t>(edit)], edit < history.done));
    undo_stack_.setIndex(history.done);
    undo_stack_.setClean();
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

void Variant::setEvaluation(std::shared_ptr<const Evaluation> evaluation, bool current) {
    evaluation_ = std::move(evaluation);
    stale_ = !current;
    const bool renamed = current && followFigures();
    emit evaluationChanged();
    if (renamed) emit titleChanged();
}

/// The name of an edited plan that was found is its figures. @returns whether they are others now.
bool Variant::followFigures() {
    const bool known = evaluation_ && !evaluation_->refused && evaluation_->times_known;
    if (read_only_ || !modified() || !known || !is_edited_plan_name(plan_.name)) return false;
    std::string name = edited_plan_name(step_with_links_shared(*evaluation_), evaluation_->corrected_memory.peak_bytes);
    if (name == plan_.name) return false;
    // No edit of its own: each state of the plan has its figures, also after it was undone and redone.
    plan_.name = std::move(name);
    return true;
}

void Variant::setSaved(const QString& path, const QByteArray& digest, AddedByReading added) {
    file_path_ = path;
    file_digest_ = digest;
    undo_stack_.setClean();
    emit titleChanged();
    if (added.memory_passes == plan_.added_by_reading.memory_passes) return;
    plan_.added_by_reading = std::move(added);
    emit planChanged();  // a problem says what the file lacks
}

void Variant::setUnsaved(const QString& path, const QByteArray& digest) {
    file_path_ = path;
    file_digest_ = digest;
    undo_stack_.resetClean();
    emit titleChanged();
}

}  // namespace overlap::ui

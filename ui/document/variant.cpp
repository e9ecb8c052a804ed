#include "ui/document/variant.h"

#include <QUndoCommand>

namespace overlap::ui {

/// An edit as the plans before and after it: plans are small values, and no edit can then be undone wrongly.
class PlanEdit : public QUndoCommand {
  public:
    PlanEdit(Variant& variant, const QString& text, Plan after, QString merge_key)
        : QUndoCommand(text),
          variant_(variant),
          before_(variant.plan()),
          after_(std::move(after)),
          merge_key_(std::move(merge_key)) {}

    void undo() override { variant_.setPlan(before_); }
    void redo() override { variant_.setPlan(after_); }
    int id() const override { return merge_key_.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* newer) override {
        const auto* edit = static_cast<const PlanEdit*>(newer);
        if (edit->merge_key_ != merge_key_) return false;
        after_ = edit->after_;
        setText(edit->text());
        setObsolete(after_ == before_);
        return true;
    }

  private:
    Variant& variant_;
    Plan before_, after_;
    QString merge_key_;
};

Variant::Variant(quint64 key, Plan plan, bool read_only, QObject* parent)
    : QObject(parent), key_(key), read_only_(read_only), plan_(std::move(plan)) {
    connect(&undo_stack_, &QUndoStack::cleanChanged, this, &Variant::titleChanged);
}

Variant::~Variant() {
    // A stack that goes says that it is clean; nobody shall look at a variant that is half gone.
    undo_stack_.disconnect(this);
}

QString Variant::title() const {
    return QString::fromStdString(plan_.name);
}

void Variant::edit(const QString& text, Plan plan, const QString& merge_key) {
    if (read_only_ || plan == plan_) return;
    undo_stack_.push(new PlanEdit(*this, text, std::move(plan), merge_key));
}

void Variant::setPlan(const Plan& plan) {
    const bool renamed = plan.name != plan_.name;
    plan_ = plan;
    stale_ = true;
    if (renamed) emit titleChanged();
    emit planChanged();
}

void Variant::setEvaluation(std::shared_ptr<const Evaluation> evaluation, bool current) {
    evaluation_ = std::move(evaluation);
    stale_ = !current;
    emit evaluationChanged();
}

void Variant::setSaved(const QString& path, const QByteArray& digest) {
    file_path_ = path;
    file_digest_ = digest;
    undo_stack_.setClean();
    emit titleChanged();
}

void Variant::setUnsaved(const QString& path, const QByteArray& digest) {
    file_path_ = path;
    file_digest_ = digest;
    undo_stack_.resetClean();
    emit titleChanged();
}

}  // namespace overlap::ui

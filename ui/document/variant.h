#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QUndoStack>
#include <memory>

#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"
#include "ui/document/plan_history.h"

namespace overlap::ui {

/// One tab of the document: the baseline, which cannot be edited, or a plan with its own undo history and evaluation.
class Variant : public QObject {
    Q_OBJECT

  public:
    /// @param read_only the graph as it is, without any pass.
    Variant(quint64 key, Plan plan, bool read_only, QObject* parent = nullptr);

    ~Variant() override;

    /// Unique within the document and never used again.
    quint64 key() const { return key_; }
    bool readOnly() const { return read_only_; }
    const Plan& plan() const { return plan_; }
    QString title() const;
    QUndoStack& undoStack() { return undo_stack_; }

    /// The newest evaluation, which may be of an older plan; null before the first.
    const std::shared_ptr<const Evaluation>& evaluation() const { return evaluation_; }
    /// True while `evaluation` is not that of `plan`, or of other times than the document's.
    bool stale() const { return stale_; }

    const QString& filePath() const { return file_path_; }
    /// Digest of the file when this plan was last read from it or written into it; empty where that is not known.
    const QByteArray& fileDigest() const { return file_digest_; }
    /// True when the plan has edits that its file has not.
    bool modified() const { return !undo_stack_.isClean(); }

    /// Puts an undoable edit on the stack; nothing happens where `plan` equals the current one. A note that gives the
    /// figures of a found plan is marked as being from before, and a name that does follows the plan's own.
    /// @param merge_key edits in a row with one non-empty key are undone together.
    void edit(const QString& text, const Plan& plan, const QString& merge_key = {});

    /// Its edits, to be made undoable again in another variant of the same plan. The same object until they change.
    const std::shared_ptr<const PlanHistory>& history() const;
    /// Takes over edits. @param history of a plan that equals this one, which has none yet; see fits().
    void restoreHistory(const PlanHistory& history);

    /// @param current whether it is of the current plan; false: of an earlier one.
    /// @param times_as_read whether its times are those of the graph's file, which nobody has chosen others for.
    void setEvaluation(std::shared_ptr<const Evaluation> evaluation, bool current = true, bool times_as_read = false);
    /// The evaluation is of other times than are wanted now.
    void invalidate() { stale_ = true; }
    /// @param digest of the file as the plan was read from or written into it; see fileDigest().
    /// @param added what reading the file added; a file that was written lacks nothing.
    void setSaved(const QString& path, const QByteArray& digest = {}, AddedByReading added = {});
    /// For a plan that comes from the session or a template and is in no file in this form.
    void setUnsaved(const QString& path, const QByteArray& digest = {});
    /// For a plan that comes back: the same as setSaved() or setUnsaved(), but which of its edits the file has is as
    /// its history says.
    void setKept(const QString& path, const QByteArray& digest, bool modified);

  signals:
    void planChanged();
    void evaluationChanged();
    /// Title, file or the modified mark changed.
    void titleChanged();

  private:
    friend class PlanEdit;
    void setPlan(const Plan& plan);
    bool givesOtherFigures(bool times_as_read) const;
    void markChangedFile(bool times_as_read);
    bool followFigures();

    quint64 key_;
    bool read_only_;
    Plan plan_;
    QUndoStack undo_stack_;
    bool restoring_ = false;                              ///< its edits are those that it had
    mutable std::shared_ptr<const PlanHistory> history_;  ///< made when it is asked for; null where it has changed
    std::shared_ptr<const Evaluation> evaluation_;
    bool stale_ = true;
    bool name_unchecked_ = false;  ///< it may be from before another program changed its file
    QString file_path_;
    QByteArray file_digest_;
};

}  // namespace overlap::ui

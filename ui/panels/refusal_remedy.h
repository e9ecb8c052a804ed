#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/base/problem.h"
#include "core/pipeline/remedies.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;

/// The first problem of a refused plan that has a fix of its own, an edit; nullptr where there is none.
const Problem* problemWithFix(const Plan& plan, const Evaluation& evaluation);

/// The single change that mends the current plan, where it is refused and no problem of it has a fix of its own: looked
/// for in the background, once edits pause, and only while somebody looks. Problems offers it, and a notice after an
/// edit.
class RefusalRemedy : public QObject {
    Q_OBJECT

  public:
    /// @param document outlives it.
    explicit RefusalRemedy(Document& document, QObject* parent = nullptr);

    /// Whether anybody looks.
    void setWanted(bool wanted);
    /// What it does, such as `switch off auto_overlap_bucketing`; empty where there is none, and while it is not known.
    QString label() const;
    /// The same where it is the remedy for this problem of the current evaluation.
    QString labelFor(const Problem& problem) const;
    /// Makes the change as an undoable edit; what only people read, such as notes, stays as it is. @returns whether it
    /// was there to be made.
    bool apply();
    bool busy() const { return delay_.isActive() || task_.busy(); }

  signals:
    /// It is known now, or is none of the current plan any more.
    void changed();

  private:
    void begin();
    void find();
    void update();
    bool isOfCurrent() const;

    Document& document_;
    bool wanted_ = false;
    std::shared_ptr<const Evaluation> of_;  ///< that it was looked for; null: not yet
    Plan refused_;                          ///< the plan of that
    std::optional<Remedy> remedy_;
    bool was_there_ = false;  ///< for the current plan, when changed() was emitted last
    QTimer delay_;
    LatestTask task_;  ///< last: what it delivers uses the members above
};

}  // namespace overlap::ui
